"""Which CUDA toolkit is taken when there are several, and where its parts are. Needs no CUDA."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.course.catalog import UsageError
from grader.devices.cuda import toolkit
from grader.devices.nvidia.tool import require


def make_home(folder: Path, release: str = "13.0") -> Path:
    for part in ("bin", "include", "lib"):
        (folder / part).mkdir(parents=True)
    nvcc = folder / "bin" / "nvcc"
    nvcc.write_text(f"#!/bin/sh\necho 'Cuda compilation tools, release {release}, V{release}.1'\n")
    nvcc.chmod(0o755)
    (folder / "include" / "cuda_runtime.h").touch()
    (folder / "lib" / "libcudart.so.13").touch()
    return folder


@pytest.fixture
def machine(monkeypatch, tmp_path):
    """A machine without any toolkit: `machine(places, torch)` says which folders it has, and torch's CUDA version."""
    for name in ("CUDA_HOME", "CUDA_PATH"):
        monkeypatch.delenv(name, raising=False)

    def set_up(places: list[Path], torch: tuple[int, int] | None = None) -> None:
        monkeypatch.setattr(toolkit, "_places", lambda: iter(places))
        monkeypatch.setattr(toolkit, "torch_cuda", lambda: torch)

    set_up([])
    return set_up


def test_the_first_complete_toolkit_is_taken(machine, tmp_path):
    good = make_home(tmp_path / "good")
    machine([tmp_path / "nowhere", tmp_path, good])
    assert toolkit.cuda_home() == good and toolkit.nvcc_version(good) == (13, 0)
    assert toolkit.missing_cuda_tool() is None


def test_the_environment_goes_before_all(machine, tmp_path, monkeypatch):
    named, other = make_home(tmp_path / "named", "12.4"), make_home(tmp_path / "other")
    machine([other], (13, 0))
    monkeypatch.setenv("CUDA_HOME", str(named))
    assert toolkit.cuda_home() == named
    assert "is of CUDA 12.4 and torch of CUDA 13.0" in (toolkit.missing_cuda_tool() or "")


def test_of_several_the_one_that_suits_torch_is_taken(machine, tmp_path):
    old, new = make_home(tmp_path / "old", "12.4"), make_home(tmp_path / "new", "13.1")
    machine([old, new], (13, 0))
    assert toolkit.cuda_home() == new and toolkit.missing_cuda_tool() is None
    machine([old, new], None)
    assert toolkit.cuda_home() == old


def test_without_a_toolkit_it_is_said_what_to_type(machine):
    assert toolkit.cuda_home() is None
    assert "pip install 'kernel-ladder[cuda]'" in (toolkit.missing_cuda_tool() or "")


def test_the_wheels_are_found(monkeypatch, tmp_path):
    home = make_home(tmp_path / "nvidia" / "cu13")
    (home / "bin" / "compute-sanitizer").symlink_to(home / "bin" / "nvcc")
    monkeypatch.syspath_prepend(tmp_path)
    assert home in list(toolkit._wheels())
    assert toolkit.runtime_library(home) == home / "lib" / "libcudart.so.13"
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(toolkit, "_places", lambda: toolkit._wheels())
    assert toolkit.find_tool("compute-sanitizer") == home / "bin" / "compute-sanitizer"


def test_a_missing_tool_is_one_sentence(machine, monkeypatch):
    monkeypatch.setattr("grader.devices.nvidia.tool.find_tool", lambda name: None)
    with pytest.raises(UsageError, match="compute-sanitizer is not installed: type `pip install"):
        require("compute-sanitizer")
    with pytest.raises(UsageError, match="ncu is not installed: install NVIDIA Nsight Compute"):
        require("ncu")


def test_versions():
    assert toolkit.read_version("13.0, V13.0.88") == (13, 0)
    assert toolkit.read_version("nothing") == (0, 0)
