"""`ladder init`: what it writes, what a newer course changes, and that nothing of the learner's is ever lost."""

from __future__ import annotations

import errno
import json
import os
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from grader.course import content, unpack
from grader.devices.build import toolchain
from grader.faces import cli
from grader.faces import init as face
from grader.faces.download import InstallError

LINK = re.compile(r"\]\(([^)#\s]+)[^)\s]*\)")
COURSE = {
    "lessons/01_copy/lesson.py": "lesson = 1\n",
    "lessons/01_copy/starter.cu": "// begin\n",
    "kernels/01_copy/1_naive.cu": "// rung 1\n",
    "notebooks/01_copy.ipynb": "{}\n",
    "LICENSE": "MIT\n",
}


def write(folder, files):
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def read(folder):
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@pytest.fixture
def program(tmp_path, monkeypatch):
    """An installed program with a small course. `.release(version, files)` makes it a newer one; None: no such file."""
    home = tmp_path / "site-packages" / "grader" / "data"
    monkeypatch.setattr(content, "DATA", home)
    monkeypatch.delenv("LADDER_COURSE", raising=False)
    (tmp_path / "home").mkdir()
    monkeypatch.chdir(tmp_path / "home")

    def release(version, files):
        write(home, {name: text for name, text in files.items() if text is not None})
        for name in (name for name, text in files.items() if text is None):
            (home / name).unlink()
        monkeypatch.setattr(content, "version", lambda: version)

    release("0.1.0", COURSE)
    return SimpleNamespace(release=release, home=home)


@pytest.fixture
def ladder(capsys):
    def run(*arguments):
        capsys.readouterr()
        code = cli.run(list(arguments))
        return code, *capsys.readouterr()

    return run


@pytest.fixture
def folder(program, ladder):
    """The learner's, as `ladder init` wrote it, with a kernel of theirs."""
    assert ladder("init")[0] == 0
    write(Path("kernel-ladder"), {"work/01_copy.cu": "// mine\n", "work/progress.json": "{}"})
    return Path("kernel-ladder")


# ---- the first time ----


def test_a_new_folder_holds_the_course(program, ladder):
    code, out, err = ladder("init")
    assert (code, err) == (0, "")
    assert out == (
        "kernel-ladder/ holds the course now: 1 lessons, with their notebooks and kernels.\n"
        "Next: `cd kernel-ladder`, then type `ladder start 00`\n"
    )
    found = read(Path("kernel-ladder"))
    own = {"README.md", ".gitignore", ".vscode/extensions.json", ".vscode/settings.json", ".clangd", ".ladder.json"}
    assert found.keys() == COURSE.keys() | own
    assert all(found[name] == text.encode() for name, text in COURSE.items())
    for name in (".vscode/extensions.json", ".vscode/settings.json"):
        json.loads(found[name])


def test_the_whole_course_leads_nowhere_that_is_not_there(tmp_path, monkeypatch, ladder):
    monkeypatch.chdir(tmp_path)
    assert ladder("init", "course")[0] == 0
    pages = [file for file in Path("course").rglob("*.md")]
    pages += [file for file in Path("course/notebooks").glob("*.ipynb")]
    assert Path("course/README.md") in pages and len(pages) > 20
    for page in pages:
        for target in LINK.findall(page.read_text()):
            assert "://" in target or (page.parent / target).exists(), f"{page}: {target} is not there"
    assert not list(Path("course").rglob("__pycache__")) and not list(Path("course").rglob("conftest.py"))


def test_folders_above_are_made_and_spaces_are_quoted(program, ladder):
    code, out, _ = ladder("init", "far/my course")
    assert code == 0 and "Next: `cd 'far/my course'`, then type `ladder start 00`" in out
    assert Path("far/my course/LICENSE").read_text() == "MIT\n"


def test_a_folder_with_other_things_in_it_gets_the_course_beside_them(program, ladder):
    write(Path(), {"notes.txt": "x", ".git/config": "y"})
    code, out, _ = ladder("init", ".")
    assert code == 0 and out.startswith("This folder holds the course now") and "Next: type `ladder start 00`" in out
    assert Path("notes.txt").read_text() == "x" and Path("lessons/01_copy/starter.cu").exists()


def test_a_folder_with_lessons_of_its_own_is_left_alone(program, ladder):
    write(Path("school"), {"lessons/biology.txt": "cells"})
    before = read(Path("school"))
    code, out, err = ladder("init", "school")
    assert (code, out) == (2, "") and "school/ holds files of its own" in err and "lessons/" in err
    assert "`ladder init school --update`" in err and err.count("\n") == 1
    assert read(Path("school")) == before


def test_a_file_in_the_way_is_left_alone(program, ladder):
    write(Path("mine"), {"README.md": "my project"})
    code, _, err = ladder("init", "mine")
    assert code == 2 and "README.md" in err and "name another folder" in err and "--update" not in err
    assert read(Path("mine")) == {"README.md": b"my project"}


def test_update_takes_a_folder_over_and_keeps_what_was_there(program, ladder):
    write(Path("old"), {"lessons/01_copy/starter.cu": "// older\n", "README.md": "mine", "work/01_copy.cu": "// w"})
    code, out, _ = ladder("init", "old", "--update")
    assert code == 0 and "kept in kept/: " in out
    assert Path("old/kept/README.md").read_text() == "mine"
    assert Path("old/kept/lessons/01_copy/starter.cu").read_text() == "// older\n"
    assert Path("old/lessons/01_copy/starter.cu").read_text() == "// begin\n"
    assert Path("old", "work", "01_copy.cu").read_text() == "// w"


def test_there_is_nothing_to_update(program, ladder):
    code, _, err = ladder("init", "--update")
    assert code == 2 and "there is no course in kernel-ladder/ to update: type `ladder init`" in err
    assert not Path("kernel-ladder").exists()


def test_a_checkout_has_its_course(program, ladder, monkeypatch):
    write(Path("clone"), {"grader/course/catalog.py": "", "pyproject.toml": "", "work/x.cu": ""})
    for arguments, where in ((["clone"], "."), (["clone", "--update"], "."), ([], "clone/work")):
        monkeypatch.chdir(program.home.parents[2] / "home" / where)
        code, _, err = ladder("init", *arguments)
        assert code == 2 and "is a checkout of Kernel Ladder" in err and "`ladder start 00`" in err


# ---- again ----


def test_the_same_again_changes_nothing(folder, ladder):
    before = read(folder)
    for arguments in ([], ["--update"], ["kernel-ladder"]):
        code, out, _ = ladder("init", *arguments)
        assert code == 0 and "Nothing had to be changed." in out
        assert "`cd kernel-ladder`, then type `ladder`, which shows where you are" in out
    assert read(folder) == before


def test_inside_a_course_it_is_this_course(folder, ladder, monkeypatch):
    (folder / "LICENSE").unlink()
    monkeypatch.chdir(folder / "work")
    code, out, _ = ladder("init")
    assert code == 0 and "Its files: 1 new; work/ is as it was." in out
    assert (Path("..") / "LICENSE").read_text() == "MIT\n"
    assert not Path("kernel-ladder").exists()


def test_a_newer_course_is_brought_by_update_alone(folder, program, ladder):
    program.release("0.2.0", {"LICENSE": "MIT, newer\n"})
    code, _, err = ladder("init")
    assert code == 2 and "kernel-ladder/ holds the course 0.1.0, and this program has 0.2.0" in err
    assert "type `ladder init kernel-ladder --update`" in err
    assert (folder / "LICENSE").read_text() == "MIT\n"


def test_an_update_brings_what_is_new_and_never_touches_work(folder, program, ladder):
    before = read(folder / "work")
    program.release(
        "0.2.0",
        {
            "lessons/01_copy/starter.cu": "// begin better\n",
            "lessons/02_sum/lesson.py": "lesson = 2\n",
            "kernels/01_copy/1_naive.cu": None,
            "kernels/01_copy/1_simple.cu": "// rung 1\n",
            "notebooks/01_copy.ipynb": None,
        },
    )
    code, out, _ = ladder("init", "--update")
    assert code == 0
    assert "kernel-ladder/ holds the course 0.2.0 (before: 0.1.0). Its files: 2 new, 1 changed, 2 gone" in out
    found = read(folder)
    assert found["lessons/01_copy/starter.cu"] == b"// begin better\n"
    assert "lessons/02_sum/lesson.py" in found and "kernels/01_copy/1_naive.cu" not in found
    assert not (folder / "notebooks").exists()
    assert read(folder / "work") == before
    assert not [name for name in found if name.startswith("kept")]
    assert json.loads(found[".ladder.json"])["version"] == "0.2.0"


def test_what_the_learner_changed_is_kept_or_stays(folder, program, ladder):
    ours = {
        "lessons/01_copy/starter.cu": "// mine\n",  # the course changes it, too
        "kernels/01_copy/1_naive.cu": "// my rung\n",  # the course has it no more
        "LICENSE": "mine\n",  # the course leaves it
    }
    write(folder, {**ours, "lessons/01_copy/notes.txt": "a file of mine"})
    program.release("0.2.0", {"lessons/01_copy/starter.cu": "// new\n", "kernels/01_copy/1_naive.cu": None})
    code, out, _ = ladder("init", "--update")
    assert code == 0
    assert "kept in kept-0.1.0/: lessons/01_copy/starter.cu, kernels/01_copy/1_naive.cu." in out
    assert "stays: LICENSE." in out
    found = read(folder)
    assert found["lessons/01_copy/starter.cu"] == b"// new\n"
    assert found["kept-0.1.0/lessons/01_copy/starter.cu"] == b"// mine\n"
    assert found["kept-0.1.0/kernels/01_copy/1_naive.cu"] == b"// my rung\n"
    assert "kernels/01_copy/1_naive.cu" not in found and found["LICENSE"] == b"mine\n"
    assert found["lessons/01_copy/notes.txt"] == b"a file of mine"


def test_a_second_update_keeps_beside_what_the_first_has_kept(folder, program, ladder):
    for text in ("// one\n", "// two\n"):
        write(folder, {"lessons/01_copy/starter.cu": text})
        program.release("0.1.0", {"lessons/01_copy/starter.cu": f"// newer than {text}"})
        assert ladder("init", "--update")[0] == 0
    assert (folder / "kept-0.1.0/lessons/01_copy/starter.cu").read_text() == "// one\n"
    assert (folder / "kept-0.1.0-2/lessons/01_copy/starter.cu").read_text() == "// two\n"


@pytest.mark.parametrize("arguments", [[], ["--update"]])
def test_an_older_program_changes_nothing(folder, program, ladder, arguments):
    program.release("0.10.0", {"LICENSE": "newer\n"})
    assert ladder("init", "--update")[0] == 0
    program.release("0.9.0", {"LICENSE": "older\n"})
    code, _, err = ladder("init", *arguments)
    assert code == 2 and "holds the course 0.10.0, and this program has 0.9.0: install the newer program" in err
    assert (folder / "LICENSE").read_text() == "newer\n"


def test_a_candidate_gives_way_to_its_release(folder, program, ladder):
    for version in ("0.2.0rc1", "0.2.0"):
        program.release(version, {"LICENSE": version})
        assert ladder("init", "--update")[0] == 0
    assert (folder / "LICENSE").read_text() == "0.2.0"


def test_a_manifest_cannot_point_out_of_the_course(folder, program, ladder):
    outside = folder.parent / "outside.txt"
    outside.write_text("x")
    manifest = json.loads((folder / ".ladder.json").read_text())
    for name, file in (("../outside.txt", outside), ("work/01_copy.cu", folder / "work" / "01_copy.cu")):
        manifest["files"][name] = unpack._hash_of(file)
    manifest["files"][str(outside.absolute())] = unpack._hash_of(outside)
    (folder / ".ladder.json").write_text(json.dumps(manifest))
    assert ladder("init", "--update")[0] == 0
    assert outside.exists() and (folder / "work" / "01_copy.cu").exists()


@pytest.mark.parametrize("text", ["", "[]", '{"schema": 1}', '{"schema": 9, "version": "1", "files": {}}', "\x00"])
def test_a_manifest_that_cannot_be_read_loses_nothing(folder, program, ladder, text):
    (folder / ".ladder.json").write_text(text)
    write(folder, {"lessons/01_copy/starter.cu": "// mine\n"})
    assert ladder("init", "kernel-ladder")[0] == 2
    code, out, _ = ladder("init", "kernel-ladder", "--update")
    assert code == 0 and "kept in kept/: lessons/01_copy/starter.cu." in out
    assert (folder / "kept/lessons/01_copy/starter.cu").read_text() == "// mine\n"


# ---- a disk that is full, a folder that cannot be written ----


@pytest.fixture
def full_disk(monkeypatch):
    """Room for three files more."""
    room = iter(range(3))
    write_bytes = Path.write_bytes

    def refuse(file, data):
        if next(room, None) is None:
            file.touch()
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(file))
        return write_bytes(file, data)

    monkeypatch.setattr(Path, "write_bytes", refuse)


def test_a_full_disk_leaves_nothing_half_written(program, ladder, full_disk):
    code, out, err = ladder("init")
    assert (code, out) == (2, "")
    assert err == (
        "ladder: the course cannot be written to kernel-ladder/: No space left on device; mend that and type it again\n"
    )
    assert not list(Path().iterdir())


def test_a_full_disk_leaves_the_older_course(folder, program, ladder, full_disk):
    program.release("0.2.0", {name: f"newer {text}" for name, text in COURSE.items()})
    before = read(folder)
    code, _, err = ladder("init", "--update")
    assert code == 2 and "No space left on device" in err
    assert read(folder) == before


def test_an_interrupted_update_is_finished_by_typing_it_again(folder, program, ladder, monkeypatch):
    write(folder, {"lessons/01_copy/starter.cu": "// mine\n"})
    program.release("0.2.0", {name: f"newer {text}" for name, text in COURSE.items()})
    moves, move = iter(range(3)), unpack._move

    def refuse(file, to):
        if next(moves, None) is None:
            raise OSError(errno.EACCES, os.strerror(errno.EACCES), str(to))
        move(file, to)

    monkeypatch.setattr(unpack, "_move", refuse)
    code, _, err = ladder("init", "--update")
    assert code == 2 and err.count("\n") == 1 and "Permission denied (" in err
    monkeypatch.setattr(unpack, "_move", move)
    assert ladder("init", "--update")[0] == 0
    found = read(folder)
    assert all(found[name] == f"newer {text}".encode() for name, text in COURSE.items())
    assert found["kept-0.1.0/lessons/01_copy/starter.cu"] == b"// mine\n"
    assert not [name for name in found if name.startswith(unpack.STAGING)]


def test_a_file_where_a_folder_should_be_is_one_sentence(program, ladder):
    write(Path(), {"file": "x"})
    for place, said in (("file", "Not a directory"), ("file/course", "File exists (")):
        code, _, err = ladder("init", place)
        assert code == 2 and err.count("\n") == 1 and f"cannot be written to {place}/: {said}" in err


# ---- PyTorch, and what else a machine may lack ----


@pytest.fixture
def installer(monkeypatch):
    """A machine without torch, and an installer that notes what it is asked for."""
    found, asked = face.importlib.util.find_spec, []

    def install(python, requirements, constraints, offline):
        asked.append((python, requirements, constraints.name, offline))
        if offline:
            raise InstallError("torch is not here from an earlier time: do this once with a network")

    monkeypatch.setattr(face.importlib.util, "find_spec", lambda name: None if name == "torch" else found(name))
    monkeypatch.setattr("grader.faces.install.install", install)
    return asked


def test_torch_is_fetched_where_it_is_missing(program, ladder, installer):
    assert ladder("init")[0] == 0
    ((python, requirements, constraints, offline),) = installer
    assert (python, constraints, offline) == (Path(sys.executable), "constraints.txt", False)
    assert len(requirements) == 1 and re.fullmatch(r"torch[>=.\d]+", requirements[0])


def test_without_a_network_the_course_is_there_all_the_same(program, ladder, installer):
    code, out, err = ladder("init", "--offline")
    assert code == 2 and "holds the course now" in out
    assert "the course is there, but PyTorch is not: torch is not here from an earlier time" in err
    assert Path("kernel-ladder/LICENSE").exists()


def test_a_torch_that_is_there_is_not_fetched(program, ladder, installer, monkeypatch):
    monkeypatch.setattr(face.importlib.util, "find_spec", lambda name: object())
    assert ladder("init", "--offline")[0] == 0
    assert not installer


def test_a_missing_compiler_is_said(program, ladder, monkeypatch):
    monkeypatch.setattr(toolchain, "compiler_version", lambda: "11.3.0")
    code, out, _ = ladder("init")
    assert code == 0 and "g++ 11.3.0 is too old: install g++ 12 or newer" in out
