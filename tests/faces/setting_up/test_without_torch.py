"""A package that was installed without torch says so, in one sentence, wherever torch is needed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from grader.devices.cache import cache_root
from grader.devices.emulator.session import runtime_library
from grader.faces import torch_build

NO_TORCH = """
import sys

class NoTorch:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "torch":
            raise ModuleNotFoundError(f"No module named {name!r}", name="torch")

sys.meta_path.insert(0, NoTorch())
"""


@pytest.fixture(scope="session")
def runtime():
    """The emulator's, from the cache of all tests, as it takes long to build."""
    return runtime_library(cache_root()).parent


@pytest.fixture
def ladder_without_torch(course, runtime):
    """Runs a command in an interpreter that finds no torch."""
    (course / "sitecustomize.py").write_text(NO_TORCH)
    cache = Path(os.environ["XDG_CACHE_HOME"], "kernel-ladder")
    cache.mkdir(parents=True)
    (cache / runtime.name).symlink_to(runtime)

    def run(*arguments):
        command = [Path(sys.executable).with_name("ladder"), *arguments]
        return subprocess.run(command, env=os.environ | {"PYTHONPATH": str(course)}, capture_output=True, text=True)

    return run


@pytest.mark.slow
@pytest.mark.parametrize(
    "command", ["check", *(pytest.param(name, marks=pytest.mark.slow) for name in ("explain", "check-course"))]
)
def test_what_needs_torch_says_how_to_get_it(ladder_without_torch, command):
    arguments = ["01"] if command == "check-course" else ["01", "--reference"]
    done = ladder_without_torch(command, *arguments)
    assert done.returncode == 2
    assert done.stderr == "ladder: torch is not installed: type `make grade`, which sets it up\n"


def test_what_needs_no_torch_goes_on(ladder_without_torch):
    done = ladder_without_torch("hint", "01")
    assert done.returncode == 0 and done.stdout.startswith("Hint 1 of 3")


@pytest.mark.slow
def test_doctor_says_it_too(ladder_without_torch):
    done = ladder_without_torch("doctor")
    assert done.returncode == 2
    assert "missing torch       cannot be imported (ModuleNotFoundError)\n" in done.stdout
    assert "Type `make grade`." in done.stdout


def test_outside_a_checkout_it_is_ladder_init(monkeypatch, tmp_path):
    monkeypatch.setattr(
        torch_build, "__file__", str(tmp_path / "site-packages" / "grader" / "faces" / "torch_build.py")
    )
    assert torch_build.how_to_get() == "`ladder init`"
