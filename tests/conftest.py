from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.faces import cli
from tests.browser import Browser, find
from tests.shared import Kept, Once, graded_once, kept_results, run_folder

ROOT = Path(__file__).parents[1]

gc.disable()  # while tests are collected: see pytest_collection_finish
os.environ["LADDER_SERVER"] = "0"  # a command leaves no server behind, unless the test says so
for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
    if signal.getsignal(number) == signal.SIG_IGN:  # `nohup make test &`: the tests go on, but what they start can be
        signal.signal(number, lambda *_: None)  # interrupted: a program inherits what is ignored, not what is handled


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes long begins first, so that no process is left with it at the end while the others have nothing.

    What only the whole of the tests has is none of the fast ones, either.
    """
    for item in items:
        if item.get_closest_marker("whole"):
            item.add_marker(pytest.mark.slow)
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


def pytest_collection_finish() -> None:
    """What is there by now stays to the end. To look through it for garbage took up to a quarter of a worker's time."""
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session")
def once(tmp_path_factory) -> Once:
    """What is worked out once for all tests of this run (tests/shared.py)."""
    return Once(run_folder(tmp_path_factory.getbasetemp()) / "once")


@pytest.fixture(scope="session")
def kept(once) -> Kept:
    """What is worked out once for this run, and those that follow, of the emulator and the judge (tests/shared.py)."""
    return kept_results(once)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A page of a headless Chromium."""
    if not find():
        pytest.skip("needs Chromium")
    with Browser() as page:
        yield page


@pytest.fixture
def graded_lessons(kept, monkeypatch) -> None:
    """Grades of a lesson's own tasks come from any test that asked before. Not for tests of grading."""
    monkeypatch.setattr("grader.grade.grade_task", graded_once(kept))


@pytest.fixture
def course(tmp_path, monkeypatch):
    """The course's lessons and kernels, with room for work and results of its own; also the current folder."""
    for name in ("lessons", "kernels"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.setenv("LADDER_COURSE", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def ladder(course, capsys):
    """ladder("check", "01", ...) runs one command; its exit code, stdout and stderr."""

    def run(*arguments):
        capsys.readouterr()
        code = cli.run(list(arguments))
        return code, *capsys.readouterr()

    return run
