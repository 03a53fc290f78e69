from __future__ import annotations

from pathlib import Path

import pytest

from grader import cli

ROOT = Path(__file__).parents[1]


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
