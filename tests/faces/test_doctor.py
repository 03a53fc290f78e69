"""`ladder doctor` on a GPU machine: what fits together and what does not, from what the programs said there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from grader.faces import doctor
from grader.faces.doctor import Check, examine_gpu
from grader.faces.facts import Facts

SMI = "| NVIDIA-SMI 580.159.04             Driver Version: 580.159.04     CUDA Version: 13.0     |"
NVCC = "Cuda compilation tools, release 13.0, V13.0.88\nBuild cuda_13.0.r13.0/compiler.36424714_0"
GOOD = Facts(
    smi=SMI,
    card="NVIDIA H200, 9.0",
    home=Path("/usr/local/cuda"),
    nvcc=NVCC,
    nvcc_targets="compute_75\ncompute_80\ncompute_90\ncompute_103\ncompute_121",
    torch="2.11.0+cu130",
    torch_cuda="13.0",
    torch_targets=("sm_75", "sm_80", "sm_90", "sm_120"),
    torch_gpu=True,
    ncu=Path("/usr/local/cuda/bin/ncu"),
    sanitizer=Path("/usr/local/cuda/bin/compute-sanitizer"),
    driver_parameters="RmProfilingAdminOnly: 0\n",
)


def checks(**facts) -> dict[str, Check]:
    return {check.name: check for check in examine_gpu(replace(GOOD, **facts))}


def with_driver(version: str) -> str:
    return SMI.replace("CUDA Version: 13.0", f"CUDA Version: {version}")


def test_all_is_well():
    found = checks()
    assert all(check.ok for check in found.values())
    assert found["GPU"].found == "NVIDIA H200, compute capability 9.0"
    assert found["driver"].found == "580.159.04, runs CUDA up to 13.0"
    assert found["nvcc"].found == "13.0, in /usr/local/cuda"
    assert found["nvcc + GPU"].found == "nvcc compiles for 7.5 to 12.1"


@pytest.mark.parametrize(
    ("facts", "name", "said", "fix"),
    [
        ({"smi": with_driver("12.4")}, "driver", "no kernel that it builds starts", "driver to 580 or newer"),
        ({"nvcc": "release 13.1, V13.1.2"}, "driver", "PTX does not load", "-arch=sm_90"),
        ({"nvcc": "", "nvcc_targets": ""}, "nvcc", "not found", "pip install 'kernel-ladder[cuda]'"),
        ({"nvcc": "release 12.4, V12.4.1"}, "nvcc", "torch is built for CUDA 13.0", "set CUDA_HOME"),
        ({"card": "Tesla V100-SXM2-16GB, 7.0"}, "nvcc + GPU", "7.0, is too old for CUDA 13", "toolkit of CUDA 12"),
        ({"card": "NVIDIA Next, 14.0"}, "nvcc + GPU", "does not know 14.0 yet", "newer CUDA toolkit"),
        ({"torch_cuda": None, "torch_gpu": False}, "torch + GPU", "built without CUDA", "pip uninstall --yes torch"),
        (
            {"smi": with_driver("12.8"), "torch_gpu": False},
            "torch + GPU",
            "the driver runs 12.8 at most",
            "pytorch.org",
        ),
        ({"torch_gpu": False}, "torch + GPU", "does not see the GPU", "CUDA_VISIBLE_DEVICES"),
        ({"torch_targets": ("sm_75", "sm_100")}, "torch + GPU", "no kernels for compute capability 9.0", "pytorch.org"),
        ({"sharing": "not supported"}, "GPU memory", "timed buffers are copied", ""),
        ({"driver_parameters": "RmProfilingAdminOnly: 1\n"}, "ncu", "to root alone", "sudo"),
        ({"ncu": None}, "ncu", "not found, only for `ladder explain --device cuda`", "nsight-compute"),
        ({"sanitizer": None}, "sanitizer", "not found, only for `ladder check --sanitize`", "pip install"),
    ],
)
def test_what_is_wrong_is_said_with_what_to_type(facts, name, said, fix):
    check = checks(**facts)[name]
    assert not check.ok and not check.needed
    assert said in check.found and fix in check.fix


@pytest.mark.parametrize(
    ("facts", "name"),
    [
        ({"driver_parameters": "RmProfilingAdminOnly: 1\n", "is_root": True}, "ncu"),
        ({"torch_targets": ("sm_80", "compute_80")}, "torch + GPU"),  # compiled by the driver when it is loaded
        ({"card": "NVIDIA L4, 8.9"}, "torch + GPU"),  # runs code of 8.0
        ({"nvcc": "release 12.4, V12.4.1", "torch_cuda": "12.6"}, "nvcc"),
    ],
)
def test_what_looks_wrong_and_is_not(facts, name):
    assert checks(**facts)[name].ok


def test_without_a_gpu_there_is_little_to_say():
    found = checks(card="", smi="", torch_gpu=False, torch_cuda=None)
    assert set(found) == {"GPU", "nvcc"}
    assert found["GPU"].found == "kernels are emulated" and found["nvcc"].ok
    assert checks(card="", nvcc="")["nvcc"].found == "not found, only for a GPU"


def test_a_driver_that_does_not_answer_is_quoted():
    said = "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver."
    gpu = checks(card="", smi="", smi_problem=said)["GPU"]
    assert not gpu.ok and said in gpu.found and "Restart" in gpu.fix


@pytest.mark.parametrize(
    ("cuda", "driver", "said"),
    [
        (None, False, ", CPU build, enough for the emulator"),
        ("13.0", True, ", built for CUDA 13.0"),
        (
            "13.0",
            False,
            ", built for CUDA 13.0, which does no harm here; its CPU build would do and is a tenth as large",
        ),
    ],
)
def test_every_build_of_torch_will_do(monkeypatch, cuda, driver, said):
    import torch

    monkeypatch.setattr(torch.version, "cuda", cuda)
    monkeypatch.setattr(doctor, "has_driver", lambda: driver)
    check = doctor._torch()
    assert check.ok and check.found == f"{torch.__version__}{said}"
