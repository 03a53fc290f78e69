"""Which torch: by driver, by LADDER_TORCH, by version and by what runs here."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.faces import torch_build
from grader.faces.download import DownloadError, InstallError
from grader.faces.torch_build import Target, best_torch, is_torch, suits, torch_wanted

TARGET = Target(Path("python"), "cp311-cp311", "x86_64", (2, 31), (26, 3), "")


@pytest.mark.parametrize(
    ("asked", "driver", "cpu"),
    [("", False, True), ("", True, False), ("cpu", True, True), ("cuda", False, False), ("default", False, False)],
)
def test_the_cpu_build_is_for_machines_without_a_driver_unless_said_otherwise(monkeypatch, asked, driver, cpu):
    monkeypatch.setenv("LADDER_TORCH", asked)
    monkeypatch.setattr(torch_build, "has_driver", lambda: driver)
    assert torch_build.wants_cpu() is cpu


def test_an_unknown_choice_is_refused(monkeypatch):
    monkeypatch.setenv("LADDER_TORCH", "rocm")
    with pytest.raises(InstallError, match="LADDER_TORCH is 'rocm': set it to cpu, cuda or default"):
        torch_build.wants_cpu()


@pytest.mark.parametrize("file", ["/proc/driver/nvidia/version", "/usr/lib/wsl/lib/libcuda.so.1", None])
def test_a_driver_is_known_by_its_files_and_by_its_library(monkeypatch, file):
    opened = []
    monkeypatch.setattr(torch_build.os.path, "exists", lambda path: path == file)
    monkeypatch.setattr(torch_build.ctypes, "CDLL", opened.append)
    assert torch_build.has_driver()
    assert opened == ([] if file else ["libcuda.so.1"])


def test_without_any_of_them_there_is_none(monkeypatch):
    def refuse(name):
        raise OSError(f"{name}: cannot open shared object file")

    monkeypatch.setattr(torch_build.os.path, "exists", lambda path: False)
    monkeypatch.setattr(torch_build.ctypes, "CDLL", refuse)
    assert not torch_build.has_driver()


@pytest.mark.parametrize(
    "line", ["torch", "torch>=2.11", "torch == 2.13.0", "torch~=2.1", "torch>=2; python_version > '3'"]
)
def test_a_requirement_of_torch(line):
    assert is_torch(line)


@pytest.mark.parametrize(
    "line", ["torchvision", "torch @ file:///torch.whl", "torch-geometric>=2", "pytorch", "./torch"]
)
def test_what_is_no_requirement_of_torch_or_says_where_it_is(line):
    assert not is_torch(line)


def test_requirement_and_constraint_both_count(tmp_path):
    constraints = tmp_path / "constraints.txt"
    constraints.write_text("numpy==2.0\ntorch==2.13.0  # as tested\ntorchvision==1\n")
    assert torch_wanted(["numpy", "torch>=2.11"], constraints) == ">=2.11,==2.13.0"
    assert torch_wanted(["numpy", "torch>=2.11"], None) == ">=2.11"
    assert torch_wanted(["numpy"], constraints) == ""


@pytest.mark.parametrize(
    ("version", "wanted", "met"),
    [
        ("2.13.0+cpu", ">=2.11,==2.13.0", True),
        ("2.13.0+cpu", "==2.13", True),
        ("2.13.0+cpu", "==2.13.0+cpu", True),
        ("2.13.0", "==2.13.0+cpu", False),
        ("2.9.1+cpu", ">=2.11", False),
        ("2.13.1", "==2.13.0", False),
        ("2.13.0", "<2.13", False),
        ("2.13.0", ">2.9,!=2.12.0", True),
        ("2.13.0", "~=2.11", False),  # not known here: left to pip
        ("2.13.0", "", True),
    ],
)
def test_versions_are_compared_by_their_numbers(version, wanted, met):
    assert suits(version, wanted) is met


def wheel(version="2.13.0+cpu", tags="cp311-cp311", platform="manylinux_2_28_x86_64"):
    return f"torch-{version}-{tags}-{platform}.whl"


@pytest.mark.parametrize(
    "other",
    [
        wheel(tags="cp312-cp312"),
        wheel(tags="cp311-cp311t"),
        wheel(platform="manylinux_2_28_aarch64"),
        wheel(platform="manylinux_2_34_x86_64"),  # a newer C library than there is
        wheel(platform="win_amd64"),
        wheel(platform="macosx_14_0_arm64"),
        wheel("2.14.0rc1+cpu"),
        wheel("2.14.0.dev20260101+cpu"),
        "torchvision-2.14.0-cp311-cp311-manylinux_2_28_x86_64.whl",
        "torch-2.14.0.tar.gz",
        f"{wheel('2.14.0')}.part",
    ],
)
def test_what_does_not_run_here_is_not_chosen(other):
    assert best_torch([other], TARGET, "") is None
    assert best_torch([other, wheel()], TARGET, "") == wheel()


def test_the_newest_that_is_wanted_and_of_two_alike_the_cpu_build():
    offered = [wheel("2.9.0+cpu"), wheel("2.13.0"), wheel("2.13.0+cpu"), wheel("2.13.0+cu130"), wheel("2.14.0+cpu")]
    assert best_torch(offered, TARGET, ">=2.11") == wheel("2.14.0+cpu")
    assert best_torch(offered, TARGET, "==2.13.0") == wheel("2.13.0+cpu")
    assert best_torch(offered, TARGET, ">=3") is None


@pytest.mark.parametrize("platform", ["linux_x86_64", "manylinux_2_17_x86_64.manylinux2014_x86_64"])
def test_other_names_of_linux(platform):
    assert best_torch([wheel(platform=platform)], TARGET, "") == wheel(platform=platform)


def test_an_index_without_such_a_torch_is_named(torches):
    with pytest.raises(DownloadError, match=r"/cpu has no torch==1.0 for cp311-cp311 on x86_64$"):
        torch_build.find_cpu_build(TARGET, "==1.0")
