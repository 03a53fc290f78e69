"""What this card can do at best: rates measured beside the kernels, so that both share clock and temperature.

Copy, read and matrix products come from torch, whose kernels reach what the card gives (FACTS: 4.24 and 4.14 TB/s on an
H200, 51 Tflop/s in float32, 770 in bfloat16).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor

LARGE_BYTES = 1 << 30  # far more than any L2 holds
CHAIN = 256  # special functions, each of the result of the one before
CHAINS = 1 << 24
SUMS, STEPS = 8, 512  # multiply-adds of a number: so many sums that do not wait for each other, and steps of each
ROUNDS, DOWN, ACROSS = 32, 2, 4  # of products by a warp: so many fragments of a, times so many of b, of two sets
FLOPS_OF_MMA = 2 * 16 * 8 * 16

# One instruction of the special function unit and a negation, which goes on beside it; -1 < x < 1 throughout. torch
# compiles this with NVRTC, once for a machine.
_CHAIN = f"""template <typename T> T chain(T x) {{
    for (int step = 0; step < {CHAIN}; ++step) {{
        asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(x) : "f"(-x));
    }}
    return x;
}}"""


# Nothing but multiply-adds, from registers: how much a matrix product loses to its loads and barriers shows beside it.
_FMAS = f"""template <typename T> T fmas(T x) {{
    T factor = 1 / (2 + x * x), sum[{SUMS}];
    #pragma unroll
    for (int i = 0; i < {SUMS}; ++i) sum[i] = x + i;
    for (int step = 0; step < {STEPS}; ++step) {{
        #pragma unroll
        for (int i = 0; i < {SUMS}; ++i) sum[i] = sum[i] * factor + x;
    }}
    T all = 0;
    #pragma unroll
    for (int i = 0; i < {SUMS}; ++i) all += sum[i];
    return all;
}}"""

# Nothing but mma.sync, by all 32 threads of a warp at once: CHAINS is a multiple of what a block computes. Two sets of
# fragments in turns, as in a kernel that reads the next ones while it multiplies these.
_MMAS = f"""template <typename T> T mmas(T x) {{
    unsigned word = __float_as_uint(x), both = (word & 0xffff0000u) | word >> 16, a[2][{DOWN}][4], b[2][{ACROSS}][2];
    float c[{DOWN}][{ACROSS}][4] = {{}};
    #pragma unroll
    for (int i = 0; i < {DOWN} * 8; ++i) a[i / {DOWN * 4}][i / 4 % {DOWN}][i % 4] = both ^ 0x00010001u * i;
    #pragma unroll
    for (int i = 0; i < {ACROSS} * 4; ++i) b[i / {ACROSS * 2}][i / 2 % {ACROSS}][i % 2] = both ^ 0x00020002u * i;
    for (int round = 0; round < {ROUNDS}; ++round) {{
        #pragma unroll
        for (int i = 0; i < 2 * {DOWN * ACROSS}; ++i) {{
            int set = i / {DOWN * ACROSS}, p = i / {ACROSS} % {DOWN}, q = i % {ACROSS};
            asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {{%0, %1, %2, %3}}, {{%4, %5, %6, %7}}, "
                "{{%8, %9}}, {{%0, %1, %2, %3}};"
                : "+f"(c[p][q][0]), "+f"(c[p][q][1]), "+f"(c[p][q][2]), "+f"(c[p][q][3])
                : "r"(a[set][p][0]), "r"(a[set][p][1]), "r"(a[set][p][2]), "r"(a[set][p][3]),
                  "r"(b[set][q][0]), "r"(b[set][q][1]));
        }}
    }}
    T all = 0;
    #pragma unroll
    for (int i = 0; i < {DOWN * ACROSS} * 4; ++i) all += c[i / {ACROSS * 4}][i / 4 % {ACROSS}][i % 4];
    return all;
}}"""


@dataclass(frozen=True)
class Ceiling:
    """`call` does `work`; the rate is work / time."""

    name: str
    unit: str  # "B/s", "flop/s", or "op/s" of special functions
    work: float
    call: Callable[[], object]

    def rate(self, us: float) -> float:
        return self.work / (us * 1e-6)


def wanted(names: Iterable[str], free_bytes: int) -> list[Ceiling]:
    """The ceilings of these names (of MAKERS), in at most `free_bytes` of GPU memory each."""
    return [MAKERS[name](free_bytes) for name in names]


def copy(free_bytes: int) -> Ceiling:
    """Counts every byte twice, as it is read and written."""
    source = _random(min(LARGE_BYTES, free_bytes // 2) // 4)
    return Ceiling("copy", "B/s", 2 * source.nbytes, partial(torch.empty_like(source).copy_, source))


def read(free_bytes: int) -> Ceiling:
    """A sum of all, which writes nothing to speak of."""
    source = _random(min(LARGE_BYTES, free_bytes // 2) // 4)
    return Ceiling("read", "B/s", source.nbytes, partial(torch.sum, source, dim=0, out=source.new_empty(())))


def matmul(name: str, dtype: torch.dtype, size: int, free_bytes: int) -> Ceiling:
    """A product of normal numbers: zeros draw less power and run at a higher clock. TF32 is off by default."""
    a, b = (_random(size, size).to(dtype) for _ in range(2))
    return Ceiling(name, "flop/s", 2.0 * size**3, partial(torch.matmul, a, b, out=torch.empty_like(a)))


def special(free_bytes: int) -> Ceiling:
    """Exponentials to base 2 in a row: 16 a clock on each multiprocessor (CUDA Programming Guide, "Throughput")."""
    return Ceiling("special", "op/s", float(CHAIN * CHAINS), _for_each(_CHAIN))


def fma(free_bytes: int) -> Ceiling:
    """Multiply-adds of floats, two operations each: 128 a clock on each multiprocessor if nothing else is issued."""
    return Ceiling("fma", "flop/s", 2.0 * STEPS * SUMS * CHAINS, _for_each(_FMAS))


def mma(free_bytes: int) -> Ceiling:
    """mma.sync m16n8k16 of bfloat16 in registers: what a kernel without wgmma can reach, which has twice its rate."""
    return Ceiling("mma", "flop/s", 2.0 * FLOPS_OF_MMA * ROUNDS * DOWN * ACROSS * CHAINS / 32, _for_each(_MMAS))


def _for_each(function: str) -> Callable[[], object]:
    """A call that computes a C++ function of one number for each of CHAINS numbers. It is compiled here."""
    call = partial(torch.cuda.jiterator._create_jit_fn(function), _random(CHAINS))
    with warnings.catch_warnings():  # that there is no place to keep what was compiled
        warnings.simplefilter("ignore")
        call()
    return call


MAKERS: Mapping[str, Callable[[int], Ceiling]] = {
    "copy": copy,
    "read": read,
    "fp32": partial(matmul, "fp32", torch.float32, 4096),  # the smallest that reach the best rate
    "bf16": partial(matmul, "bf16", torch.bfloat16, 8192),
    "special": special,
    "fma": fma,
    "mma": mma,
}


def _random(*shape: int) -> Tensor:
    return torch.randn(shape, device="cuda")
