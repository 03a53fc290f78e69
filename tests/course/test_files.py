"""Files are written whole or not at all, and never over another."""

import itertools

import pytest

from grader.course.files import replace, write_new


def test_a_new_file_takes_the_first_free_name(tmp_path):
    names = [tmp_path / name for name in ("a", "b", "c")]
    names[0].write_bytes(b"mine")
    assert write_new(iter(names), b"new") == names[1]
    assert (names[0].read_bytes(), names[1].read_bytes(), names[2].exists()) == (b"mine", b"new", False)
    with pytest.raises(FileExistsError):
        write_new(names[:2], b"newer")


def test_what_cannot_be_written_to_its_end_is_not_left_behind(tmp_path):
    numbered = (tmp_path / str(number) for number in itertools.count())
    with pytest.raises(TypeError):
        write_new(numbered, "text, where bytes belong")
    (tmp_path / "kept").write_bytes(b"old")
    with pytest.raises(TypeError):
        replace(tmp_path / "kept", "text, where bytes belong")
    assert [file.name for file in tmp_path.iterdir()] == ["kept"] and (tmp_path / "kept").read_bytes() == b"old"
