"""Where the CUDA toolkit and NVIDIA's tools are: a toolkit of the system, or the wheels of the extra [cuda]."""

from __future__ import annotations

import functools
import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

INSTALL = "type `pip install 'kernel-ladder[cuda]'`"

Version = tuple[int, int]


def cuda_home() -> Path | None:
    """The toolkit's folder: the one that the environment names, else the first of torch's CUDA version, else the first.

    A library that is built against another major version than torch's has a second CUDA runtime, whose errors nobody
    would see.
    """
    if home := next(filter(_is_complete, _named()), None):
        return home
    found = list({home.resolve(): home for home in reversed([*filter(_is_complete, _places())])}.values())[::-1]
    wanted = torch_cuda() if len(found) > 1 else None
    suiting = [home for home in found if wanted and nvcc_version(home)[0] == wanted[0]]
    return next(iter([*suiting, *found]), None)


def missing_cuda_tool() -> str | None:
    """One sentence if there is no nvcc, or one that does not suit torch."""
    home, wanted = cuda_home(), torch_cuda()
    if home is None:
        return f"there is no CUDA compiler: {INSTALL}, or set CUDA_HOME to the folder that holds bin/nvcc"
    version = nvcc_version(home)
    if wanted and version[0] != wanted[0]:
        ours, theirs = ("{}.{}".format(*each) for each in (version, wanted))
        return f"nvcc in {home} is of CUDA {ours} and torch of CUDA {theirs}: {INSTALL}, or set CUDA_HOME"
    return None


def torch_cuda() -> Version | None:
    """The CUDA version that torch is built for; None for a build without CUDA."""
    import torch

    return read_version(torch.version.cuda) if torch.version.cuda else None


@functools.cache
def nvcc_version(home: Path) -> Version:
    """(13, 0), as nvcc says; (0, 0) if it says nothing."""
    try:
        command = [str(home / "bin" / "nvcc"), "--version"]
        said = subprocess.run(command, capture_output=True, text=True, timeout=20).stdout
    except (OSError, subprocess.TimeoutExpired):
        return (0, 0)
    return read_version(said.rpartition("release ")[2])


def read_version(text: str) -> Version:
    """`13.0, V13.0.88` is (13, 0); (0, 0) if the text does not begin with a version."""
    match = re.match(r"\s*(\d+)\.(\d+)", text)
    return (int(match[1]), int(match[2])) if match else (0, 0)


def runtime_library(home: Path) -> Path:
    """libcudart by its full path: in the wheels it has no name that -lcudart would find. Raises FileNotFoundError."""
    for folder in ("lib64", "lib"):
        for file in sorted((home / folder).glob("libcudart.so*")):
            return file
    raise FileNotFoundError(f"{home} holds no libcudart.so")


def find_tool(name: str) -> Path | None:
    """`ncu` or `compute-sanitizer`: on the PATH, in a toolkit, or where the installer of Nsight Compute puts it."""
    if found := shutil.which(name):
        return Path(found)
    places = [home / "bin" / name for home in (*_named(), *_places())]
    places += sorted(Path("/opt/nvidia/nsight-compute").glob(f"*/{name}"), reverse=True)
    return next((place for place in places if os.access(place, os.X_OK)), None)


def _named() -> list[Path]:
    """The folders that the environment names."""
    return [Path(value) for name in ("CUDA_HOME", "CUDA_PATH") if (value := os.environ.get(name))]


def _places() -> Iterator[Path]:
    """Where a toolkit may be otherwise."""
    if nvcc := shutil.which("nvcc"):
        yield Path(nvcc).resolve().parents[1]
    yield Path("/usr/local/cuda")
    yield from sorted(Path("/usr/local").glob("cuda-*"), reverse=True)
    yield from _wheels()


def _wheels() -> Iterator[Path]:
    """The folders `nvidia/cu13` and the like, which NVIDIA's wheels share since CUDA 13."""
    spec = importlib.util.find_spec("nvidia")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        yield from sorted(Path(folder).glob("cu[0-9]*"), reverse=True)


def _is_complete(home: Path) -> bool:
    return (home / "bin/nvcc").exists() and (home / "include/cuda_runtime.h").exists()
