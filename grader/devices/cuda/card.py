"""The GPU of this machine as the judge sees it: what it is, and how it fares while it is measured."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from typing import Any

from grader.devices.cuda.compile import architecture
from grader.devices.cuda.toolkit import missing_cuda_tool

_QUERY = {  # nvidia-smi's name -> ours
    "clocks.sm": "sm_clock_mhz",
    "clocks.mem": "memory_clock_mhz",
    "power.draw": "power_w",
    "temperature.gpu": "temperature_c",
    "clocks_event_reasons.active": "clock_limits",
}


@dataclass(frozen=True)
class Card:
    """One CUDA device, torch's first."""

    name: str
    architecture: str  # what nvcc compiles for: "90a"
    multiprocessors: int
    l2_bytes: int
    uuid: str

    def to_json(self) -> dict[str, Any]:
        major_minor = self.architecture.rstrip("a")
        return {
            "kind": "cuda",
            "name": self.name,
            "compute_capability": f"{major_minor[:-1]}.{major_minor[-1]}",
            "multiprocessors": self.multiprocessors,
            "l2_bytes": self.l2_bytes,
        }


def find_card() -> tuple[Card | None, str]:
    """The card, or None and one sentence that says why there is none to grade on."""
    import torch

    if torch.version.cuda is None:
        return None, "this torch is built without CUDA: install one that is, from https://pytorch.org"
    if not torch.cuda.is_available():
        return None, "torch finds no GPU: `nvidia-smi` must show one, and its driver must suit torch"
    if missing := missing_cuda_tool():
        return None, missing
    facts = torch.cuda.get_device_properties(0)
    return Card(
        name=facts.name,
        architecture=architecture(facts.major, facts.minor),
        multiprocessors=facts.multi_processor_count,
        l2_bytes=facts.L2_cache_size,
        uuid=f"GPU-{facts.uuid}",
    ), ""


def state_of(card: Card) -> dict[str, Any]:
    """Clock, power and temperature right now, by nvidia-smi; empty where it is not there or does not tell."""
    program = shutil.which("nvidia-smi")
    if program is None:
        return {}
    command = [program, f"--id={card.uuid}", f"--query-gpu={','.join(_QUERY)}", "--format=csv,noheader,nounits"]
    try:
        said = subprocess.run(command, capture_output=True, text=True, timeout=5, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return {}
    return read_state(said)


def read_state(text: str) -> dict[str, Any]:
    """nvidia-smi's one line as numbers; what this card does not tell ("[N/A]") is left out."""
    values = [value.strip() for value in text.strip().split(",")]
    state: dict[str, Any] = {}
    for name, value in zip(_QUERY.values(), values, strict=False):
        if value.startswith("0x"):
            state[name] = value
        elif value.replace(".", "", 1).isdigit():
            state[name] = float(value)
    return state
