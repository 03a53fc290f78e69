"""Files of reports: checked before, written whole."""

import os
import stat
import threading

import pytest

from grader.course.catalog import UsageError
from grader.report.graded import check_writable, write


def test_a_file_is_replaced_whole(tmp_path):
    file = tmp_path / "report.html"
    write(file, "first")
    file.chmod(0o640)
    write(file, "seccond ★ \udc80")
    assert file.read_bytes() == "seccond ★ ".encode() + b"\x80"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640 and os.listdir(tmp_path) == ["report.html"]


def test_what_cannot_be_written_stays_as_it_was(tmp_path, monkeypatch):
    file = tmp_path / "report.html"
    file.write_text("old")
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(UsageError, match=r"report.html cannot be written \(No space left on device\)"):
        write(file, "new")
    assert file.read_text() == "old" and os.listdir(tmp_path) == ["report.html"]


def test_a_link_stays_one(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write(tmp_path / "link", "text")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "real").read_text() == "text"


def test_a_pipe_is_written_to(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    write(pipe, "text")
    reader.join(10)
    assert read == ["text"] and stat.S_ISFIFO(pipe.stat().st_mode)


def test_what_cannot_be_written_is_told_before(tmp_path):
    check_writable([tmp_path / "a", tmp_path / "b"])
    assert not list(tmp_path.iterdir())
    (tmp_path / "file").write_text("")
    for files, words in (
        ([tmp_path / "no" / "folder.html"], "No such file or directory"),
        ([tmp_path], "folder"),
        ([tmp_path / "file" / "report.html"], "Not a directory"),
        ([tmp_path / "kernel.cu"], "kernel"),
        ([tmp_path / "a", tmp_path / "a"], "two reports"),
    ):
        with pytest.raises(UsageError, match=words):
            check_writable(files)
