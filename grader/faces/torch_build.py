"""Which build of torch an environment gets: without an NVIDIA driver the CPU build, from PyTorch's index of those.

Standard library only: this runs before anything is installed.
"""

from __future__ import annotations

import ctypes
import operator
import os
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.faces import download
from grader.faces.download import DownloadError, InstallError, Wheel

CPU_INDEX = "https://download.pytorch.org/whl/cpu"  # LADDER_TORCH_INDEX names another, such as a mirror
PATIENCE = 3.0  # seconds until the index has to begin its answer

COMPARISONS = {
    "==": operator.eq,
    "!=": operator.ne,
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}


@dataclass(frozen=True)
class Target:
    """The environment to fill, and what decides which wheels run in it."""

    python: Path
    tags: str  # of the interpreter and its ABI: cp311-cp311
    machine: str  # x86_64
    glibc: tuple[int, ...]  # (2, 36); empty for another C library
    pip: tuple[int, ...]  # its version; empty without pip
    torch: str  # the version that is installed, or ""


def wants_cpu() -> bool:
    """Whether the CPU build is to be taken: LADDER_TORCH says so, or there is no driver. Raises InstallError."""
    asked = os.environ.get("LADDER_TORCH", "")
    if asked not in ("", "cpu", "cuda", "default"):
        raise InstallError(f"LADDER_TORCH is '{asked}': set it to cpu, cuda or default")
    return asked == "cpu" if asked else sys.platform == "linux" and not has_driver()


def has_driver() -> bool:
    """Whether this machine has NVIDIA's driver, or shares that of Windows (WSL)."""
    if any(map(os.path.exists, ("/proc/driver/nvidia/version", "/usr/lib/wsl/lib/libcuda.so.1"))):
        return True
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    return True


def is_torch(requirement: str) -> bool:
    """Whether a requirement is about torch and leaves open where it comes from: `torch>=2.11`."""
    return re.match(r"torch\s*([<>=!~;#]|$)", requirement) is not None


def torch_wanted(requirements: Sequence[str], constraints: Path | None) -> str:
    """`>=2.11,==2.13.0`: what requirement and constraint say of torch; "" if it is not required or may be any."""
    lines = [*requirements]
    if constraints and any(map(is_torch, requirements)):
        lines += constraints.read_text().splitlines()
    return ",".join(re.split("[;#]", line)[0].strip().removeprefix("torch") for line in lines if is_torch(line))


def suits(version: str, wanted: str) -> bool:
    """Whether 2.13.0+cpu meets `>=2.11,==2.13.0`. A comparison that is not known here is not met."""
    for compare, limit in re.findall(r"([<>=!~]+)\s*([^,\s]+)", wanted):
        if "+" in limit and version != limit:
            return False
        if compare not in COMPARISONS or not COMPARISONS[compare](_numbers(version), _numbers(limit)):
            return False
    return True


def best_torch(wheels: Iterable[str], target: Target, wanted: str) -> str | None:
    """Among names of wheels, the newest torch that is wanted and runs in the target; of two alike the CPU build."""
    found = [name for name in wheels if _runs(name, target) and suits(version_of(name), wanted)]
    return max(found, key=lambda name: (_numbers(version_of(name)), "+cpu" in name), default=None)


def version_of(wheel: str) -> str:
    """2.13.0+cpu for torch-2.13.0+cpu-cp311-cp311-linux_x86_64.whl"""
    return wheel.split("-")[1]


def _numbers(version: str) -> tuple[int, ...]:
    """(2, 13) for 2.13.0+cpu; () for what is no final version."""
    public = version.partition("+")[0]
    return tuple(map(int, re.sub(r"(\.0+)+$", "", public).split("."))) if re.fullmatch(r"\d+(\.\d+)*", public) else ()


def _runs(wheel: str, target: Target) -> bool:
    match = re.fullmatch(rf"torch-([^-]+)-{target.tags}-([^-]+)\.whl", wheel)
    if match is None or not _numbers(match[1]):
        return False
    platform = re.search(rf"\b(?:manylinux_(\d+)_(\d+)|linux)_{target.machine}\b", match[2])
    return platform is not None and (int(platform[1] or 0), int(platform[2] or 0)) <= target.glibc


def find_cpu_build(target: Target, wanted: str) -> Wheel:
    """torch's CPU build in PyTorch's index. Raises DownloadError, which names the index."""
    index = os.environ.get("LADDER_TORCH_INDEX") or CPU_INDEX
    try:
        offered = {wheel.name: wheel for wheel in download.list_wheels(index, "torch", PATIENCE)}
    except DownloadError as error:
        raise DownloadError(f"{index} gives no CPU build of torch ({error})") from error
    best = best_torch(offered, target, wanted)
    if best is None:
        raise DownloadError(f"{index} has no torch{wanted} for {target.tags} on {target.machine}")
    return offered[best]


def how_to_get() -> str:
    """What to type to have torch set up: in a checkout, and in a course that came as a package."""
    return "`make grade`" if Path(__file__).parents[2].joinpath("Makefile").exists() else "`ladder init`"
