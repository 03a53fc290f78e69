"""What decides whether kernels run on this machine's GPU, as the programs concerned tell it: text, and what it says."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from grader.devices.cuda.toolkit import Version, cuda_home, find_tool, read_version
from grader.devices.worker import confine_calls
from grader.devices.worker.confine import landlock_version

_DRIVER_PARAMETERS = Path("/proc/driver/nvidia/params")


@dataclass(frozen=True)
class Facts:
    """Text is "" and a version None where the program is missing, or fails."""

    smi: str = ""  # of nvidia-smi: the table whose head names the driver and the newest CUDA that it runs
    card: str = ""  # of nvidia-smi, about the first GPU: "NVIDIA H200, 9.0"
    smi_problem: str = ""  # what nvidia-smi says if it fails
    home: Path | None = None  # of the toolkit
    nvcc: str = ""  # of nvcc --version
    nvcc_targets: str = ""  # of nvcc --list-gpu-arch
    torch: str = ""  # its version, "" if it cannot be imported
    torch_cuda: str | None = None  # None for a build without CUDA
    torch_targets: tuple[str, ...] = ()  # "sm_90", "compute_120"
    torch_gpu: bool = False  # whether torch finds one
    ncu: Path | None = None
    sanitizer: Path | None = None
    driver_parameters: str = ""
    is_root: bool = False
    landlock: int = 0  # version, 0 for none
    seccomp: bool = False
    sharing: str = ""  # why GPU memory cannot be shared between processes; "" if it can, or there is no GPU

    @property
    def name(self) -> str:
        return self.card.rpartition(",")[0]

    @property
    def capability(self) -> Version:
        """(9, 0); (0, 0) without a GPU."""
        return read_version(self.card.rpartition(",")[2])

    @property
    def driver(self) -> str:
        match = re.search(r"Driver Version: *([\d.]+)", self.smi)
        return match[1] if match else ""

    @property
    def driver_cuda(self) -> Version:
        """The newest CUDA version that the driver runs."""
        return read_version(self.smi.partition("CUDA Version:")[2])

    @property
    def nvcc_version(self) -> Version:
        return read_version(self.nvcc.rpartition("release ")[2])

    @property
    def targets(self) -> list[Version]:
        """The compute capabilities that nvcc compiles for, ascending."""
        numbers = {int(number) for number in re.findall(r"compute_(\d+)\b", self.nvcc_targets)}
        return [divmod(number, 10) for number in sorted(numbers)]

    @property
    def only_root_counts(self) -> bool:
        """Whether the driver shows its performance counters to root alone."""
        return "RmProfilingAdminOnly: 1" in self.driver_parameters and not self.is_root


def gather() -> Facts:
    """Asks all of them; a second or two, most of it torch's import."""
    smi, problem = _ask("nvidia-smi")
    card, _ = _ask("nvidia-smi", "--query-gpu=name,compute_cap", "--format=csv,noheader")
    found = _torch()
    home = cuda_home() if found["torch"] else None
    nvcc = str(home / "bin" / "nvcc") if home else ""
    return Facts(
        smi=smi,
        card=card.partition("\n")[0],
        smi_problem=problem,
        home=home,
        nvcc=_ask(nvcc, "--version")[0] if nvcc else "",
        nvcc_targets=_ask(nvcc, "--list-gpu-arch")[0] if nvcc else "",
        ncu=find_tool("ncu"),
        sanitizer=find_tool("compute-sanitizer"),
        driver_parameters=_DRIVER_PARAMETERS.read_text() if _DRIVER_PARAMETERS.exists() else "",
        is_root=os.geteuid() == 0,
        landlock=landlock_version(),
        seccomp=confine_calls.available(),
        sharing=_sharing() if found["torch_gpu"] else "",
        **found,
    )


def _ask(*command: str) -> tuple[str, str]:
    """(what a program prints, "") or ("", the line in which it says why it fails); both empty if it is not there."""
    if not shutil.which(command[0]):
        return "", ""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired) as error:
        return "", str(error)
    if done.returncode == 0:
        return done.stdout.strip(), ""
    return "", ((done.stdout + done.stderr).strip() or f"exit code {done.returncode}").splitlines()[0]


class _Torch(TypedDict):
    """What Facts has of it."""

    torch: str
    torch_cuda: str | None
    torch_targets: tuple[str, ...]
    torch_gpu: bool


def _torch() -> _Torch:
    try:
        import torch
    except Exception:  # a broken installation raises whatever it likes
        return {"torch": "", "torch_cuda": None, "torch_targets": (), "torch_gpu": False}
    return {
        "torch": torch.__version__,
        "torch_cuda": torch.version.cuda,
        "torch_targets": tuple(torch.cuda.get_arch_list()),
        "torch_gpu": torch.cuda.is_available(),
    }


def _sharing() -> str:
    import torch

    from grader.devices.cuda.shared_memory import SharedMemory

    try:
        torch.cuda.synchronize()  # starts CUDA
        SharedMemory(1 << 20).close()
    except (OSError, RuntimeError) as error:
        return str(error)
    return ""
