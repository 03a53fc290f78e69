"""The wheel, built from the sdist, in an environment that holds nothing else of this project: from `init` to a pass.

PyTorch and the other packages are this environment's, so that nothing is fetched. `make wheel` has them fetched.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import filelock
import pytest
from terminal import Terminal

from grader.course import content
from tests.shared import run_folder

ROOT = Path(__file__).parents[1]
SEVERAL_MINUTES = 600


def run(*command, cwd, code=0, **extra):
    """A program's output; the environment is that of a person who knows nothing of this checkout."""
    done = subprocess.run(command, cwd=cwd, env=environment(**extra), capture_output=True, text=True,
                          timeout=SEVERAL_MINUTES)  # fmt: skip
    assert done.returncode == code, f"{done.stdout}\n{done.stderr}"
    return done.stdout + done.stderr


def environment(**extra):
    left_out = ("PYTHONPATH", "LADDER_COURSE", "COLUMNS")
    return {name: value for name, value in os.environ.items() if name not in left_out} | extra


def unwrapped(said):
    """Without spaces and line breaks: a long path is broken anywhere."""
    return "".join(said.split())


def build(source, out, *what):
    """What `python -m build` makes of a folder, without fetching setuptools."""
    run(sys.executable, "-m", "build", "--no-isolation", *what, "--outdir", str(out), str(source), cwd=out)
    return next(out.glob("*.whl"))


@pytest.fixture(scope="module")
def dist(tmp_path_factory):
    """The sdist, and the wheel made from it."""
    folder = run_folder(tmp_path_factory.getbasetemp()) / "dist"
    with filelock.FileLock(f"{folder}.lock"):  # setuptools works in the source folder: one process at a time
        if not folder.exists():
            unfinished = folder.with_name("unfinished-dist")
            unfinished.mkdir()
            build(ROOT, unfinished)
            unfinished.rename(folder)
    return folder


@pytest.fixture
def wheel(dist):
    return next(dist.glob("*.whl"))


@pytest.fixture
def empty(tmp_path):
    """A virtual environment with torch and its kin, but nothing of Kernel Ladder."""
    run(sys.executable, "-m", "venv", "--without-pip", "venv", cwd=tmp_path)
    (site,) = tmp_path.glob("venv/lib/python*/site-packages")
    (site / "others.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return tmp_path / "venv"


def install(venv, wheel):
    pip = (sys.executable, "-m", "pip", "--python", str(venv / "bin" / "python"), "install", "--quiet")
    run(*pip, "--no-index", "--no-deps", "--no-warn-script-location", "--force-reinstall", str(wheel), cwd=venv)


def solve(course):
    """The learner's file becomes one that passes, and is not the course's own, which would be no progress."""
    reference = course / "kernels" / "01_vector_add" / "1_one_element.cu"
    (course / "work" / "01_vector_add.cu").write_text(f"// mine\n{reference.read_text()}")


@pytest.mark.slow
def test_the_wheel_holds_the_course_and_the_repository_has_it_once(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    held = {name.removeprefix("grader/data/") for name in names if name.startswith("grader/data/")}
    assert held == set(content.names(ROOT))
    assert {"lessons/08_flash_attention/lesson.py", "notebooks/00_setup.ipynb", "kernels/ops/__init__.py"} <= held
    assert not [name for name in names if "__pycache__" in name or name.startswith(("tests/", "lessons/", "kernels/"))]
    assert not (ROOT / "grader" / "data").exists()


@pytest.mark.slow
def test_from_an_empty_folder_to_a_pass(wheel, empty, tmp_path):
    install(empty, wheel)
    ladder, home = str(empty / "bin" / "ladder"), tmp_path / "home"
    home.mkdir()
    assert "there is no course here: type `ladder init`" in run(ladder, "start", "01", cwd=home, code=2)
    assert "There is no course here yet: type `ladder init`." in run(ladder, "doctor", cwd=home)
    assert "Next: `cd kernel-ladder`" in run(ladder, "init", cwd=home)
    course = home / "kernel-ladder"
    assert str(empty) in (course / ".clangd").read_text()
    assert "__global__ void add" in run(ladder, "mistake", "01", "no_guard", cwd=course)
    assert "work/01_vector_add.cu is yours now" in run(ladder, "start", "01", cwd=course)
    assert "✗ 01_vector_add" in run(ladder, "check", "01", cwd=course, code=1)
    solve(course)
    assert "✓ 01_vector_add: passed" in run(ladder, "check", "01", cwd=course)
    assert json.loads((course / "work" / "progress.json").read_text())["lessons"]["01_vector_add"]["stars"] >= 1
    said = run(ladder, "doctor", cwd=course)
    assert f"{course},10lessons" in unwrapped(said) and "no course" not in said


@pytest.mark.whole
def test_watch_in_a_written_course(wheel, empty, tmp_path):
    install(empty, wheel)
    ladder = str(empty / "bin" / "ladder")
    run(ladder, "init", "course", cwd=tmp_path)
    course = tmp_path / "course"
    with Terminal([ladder, "watch", "01"], cwd=course, env=environment(TERM="xterm-256color")) as terminal:
        terminal.until("There is no file work/01_vector_add.cu", "y/n")
        terminal.type("y")
        terminal.until("01_vector_add: output not written")
        solve(course)
        terminal.until("✓ 01_vector_add: passed")
        terminal.type("q")
        assert terminal.end() == 0


@pytest.mark.whole
def test_a_newer_wheel_updates_the_course(dist, wheel, empty, tmp_path):
    install(empty, wheel)
    ladder = str(empty / "bin" / "ladder")
    run(ladder, "init", "course", cwd=tmp_path)
    course = tmp_path / "course"
    run(ladder, "start", "01", cwd=course)
    solve(course)
    mine = (course / "work" / "01_vector_add.cu").read_text()

    with tarfile.open(next(dist.glob("*.tar.gz"))) as sdist:
        sdist.extractall(tmp_path / "newer", filter="data")
    (source,) = (tmp_path / "newer").iterdir()
    (tmp_path / "out").mkdir()
    for file, old, new in (
        (source / "pyproject.toml", 'version = "0.1.0"', 'version = "0.2.0"'),
        (source / "lessons" / "01_vector_add" / "hints.md", "### Hint 1", "### Hint 1\n\nNewer."),
    ):
        assert old in file.read_text()
        file.write_text(file.read_text().replace(old, new))
    install(empty, build(source, tmp_path / "out", "--wheel"))

    assert "ladder 0.2.0" in run(ladder, "--version", cwd=course)
    assert "version0.1.0,andthisprogramhas0.2.0" in unwrapped(run(ladder, "doctor", cwd=course))
    said = run(ladder, "init", "--update", cwd=course)
    assert "holds the course 0.2.0 (before: 0.1.0). Its files: 1 changed; work/ is as it was." in said
    assert "Newer." in run(ladder, "hint", "01", cwd=course)
    assert (course / "work" / "01_vector_add.cu").read_text() == mine
    assert "✓ 01_vector_add: passed" in run(ladder, "check", "01", cwd=course)
