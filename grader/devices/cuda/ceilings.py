"""What this card can do at best: rates measured beside the kernels, so that both share clock and temperature.

Copy and read come from torch, whose kernels reach what the memory gives (FACTS: 4.24 and 4.14 TB/s on an H200).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor

LARGE_BYTES = 1 << 30  # far more than any L2 holds
MATRIX = 8192


@dataclass(frozen=True)
class Ceiling:
    """`call` does `work` (bytes or flop); the rate is work / time."""

    name: str
    unit: str  # "B/s" or "flop/s"
    work: float
    call: Callable[[], object]

    def rate(self, us: float) -> float:
        return self.work / (us * 1e-6)


def bandwidths(free_bytes: int) -> list[Ceiling]:
    """Copy counts every byte twice, as it is read and written."""
    size = min(LARGE_BYTES, free_bytes // 4)
    source = _random(size // 4)
    target = torch.empty_like(source)
    total = source.new_empty(())
    return [
        Ceiling("copy", "B/s", 2 * source.nbytes, partial(target.copy_, source)),
        Ceiling("read", "B/s", source.nbytes, partial(torch.sum, source, dim=0, out=total)),
    ]


def arithmetic() -> list[Ceiling]:
    """Matrix products of normal numbers: zeros draw less power and run at a higher clock. TF32 is off by default."""
    names = {"fp32": torch.float32, "bf16": torch.bfloat16}
    pairs = {
        name: (_random(MATRIX, MATRIX).to(dtype), _random(MATRIX, MATRIX).to(dtype)) for name, dtype in names.items()
    }
    return [
        Ceiling(name, "flop/s", 2.0 * MATRIX**3, partial(torch.matmul, a, b, out=torch.empty_like(a)))
        for name, (a, b) in pairs.items()
    ]


def _random(*shape: int) -> Tensor:
    return torch.randn(shape, device="cuda")
