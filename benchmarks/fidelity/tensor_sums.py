"""What a tensor core rounds: one mma.sync a warp on chosen numbers, by type and shape, as a GPU gives it.

    python3 -m benchmarks.fidelity.tensor_sums --out FOLDER      (from the repository's root; seconds)

FOLDER then holds tensor_sums.json, to be committed as benchmarks/results/<device>/tensor_sums.json.
"""

from __future__ import annotations

import argparse
import base64
import ctypes
import json
import subprocess
import tempfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.fidelity.cases import FOLDER, file_digest

SOURCE = FOLDER / "tensor_sums.cu"
WARPS = 8  # of each regime
SEED = 9
Bits = np.ndarray[Any, np.dtype[np.uint32]]


@dataclass(frozen=True)
class Format:
    """A floating-point format: bits of its exponent and of its fraction. `shift`: unused bits below."""

    exponent: int
    fraction: int
    shift: int = 0

    @property
    def bias(self) -> int:
        return (1 << (self.exponent - 1)) - 1

    def drawn(self, random: np.random.RandomState, shape: tuple[int, ...], low: int, high: int) -> Bits:
        """Numbers whose exponents lie between `low` and `high`, as far as there are such; below, subnormal ones."""
        exponents = np.clip(random.randint(low, high + 1, shape) + self.bias, 0, (1 << self.exponent) - 2)
        fractions = random.randint(0, 1 << self.fraction, shape)
        signs = random.randint(0, 2, shape) << (self.exponent + self.fraction)
        return ((signs | exponents << self.fraction | fractions) << self.shift).astype(np.uint32)

    @property
    def sign(self) -> int:
        return 1 << (self.exponent + self.fraction + self.shift)

    @property
    def infinity(self) -> int:
        return ((1 << self.exponent) - 1) << (self.fraction + self.shift)


FLOAT, HALF, BFLOAT, TF32 = Format(8, 23), Format(5, 10), Format(8, 7), Format(8, 10, 13)
E4M3, E5M2 = Format(4, 3), Format(5, 2)


@dataclass(frozen=True)
class Kind:
    """One mma.sync: m16n8 and `k` products a sum. `per`: numbers in a register of a or b."""

    numbers: Format
    k: int
    per: int
    sums: Format = FLOAT


KINDS: Mapping[str, Kind] = {
    "f16_k8": Kind(HALF, 8, 2),
    "f16_k16": Kind(HALF, 16, 2),
    "f16_k8_half": Kind(HALF, 8, 2, HALF),
    "f16_k16_half": Kind(HALF, 16, 2, HALF),
    "bf16_k8": Kind(BFLOAT, 8, 2),
    "bf16_k16": Kind(BFLOAT, 16, 2),
    "tf32_k4": Kind(TF32, 4, 1),
    "tf32_k8": Kind(TF32, 8, 1),
    "e4m3_k32": Kind(E4M3, 32, 4),
    "e5m2_k32": Kind(E5M2, 32, 4),
}

# Exponents of the numbers and of the sum that they are added to: the lowest, the highest.
REGIMES: Mapping[str, tuple[tuple[int, int], tuple[int, int]]] = {
    "near": ((-1, 1), (-2, 2)),
    "positive": ((-1, 1), (-2, 2)),
    "spread": ((-5, 5), (-10, 10)),
    "wide": ((-60, 60), (-80, 80)),
    "large_sum": ((-2, 2), (0, 26)),
    "small_sum": ((0, 3), (-30, -10)),
    "cancelling": ((-6, -1), (-24, -10)),
    "few": ((-8, 8), (-20, 20)),
    "tiny": ((-80, -55), (-140, -110)),
    "special": ((-4, 15), (-4, 15)),
}


def drawn(kind: Kind) -> tuple[Bits, Bits, Bits]:
    """a (warps, 16, k), b (warps, k, 8) and c (warps, 16, 8) as bits; regime after regime."""
    random = np.random.RandomState(SEED)
    parts = [_regime(kind, name, random) for name in REGIMES]
    a, b, c = (np.concatenate(each) for each in zip(*parts, strict=True))
    return a, b, c


def _regime(kind: Kind, name: str, random: np.random.RandomState) -> tuple[Bits, Bits, Bits]:
    numbers, sums = REGIMES[name]
    a = kind.numbers.drawn(random, (WARPS, 16, kind.k), *numbers)
    b = kind.numbers.drawn(random, (WARPS, kind.k, 8), *numbers)
    c = kind.sums.drawn(random, (WARPS, 16, 8), *sums)
    if name == "positive":
        return a & ~np.uint32(kind.numbers.sign), b & ~np.uint32(kind.numbers.sign), c & ~np.uint32(kind.sums.sign)
    if name == "cancelling":  # half of the products are the opposites of large ones
        some = random.permutation(kind.k).reshape(-1, 2)[: max(1, kind.k // 4)]
        a[:, :, some] = kind.numbers.drawn(random, (WARPS, 16, 1, 1), 3, 6)
        b[:, some[:, 0]] = kind.numbers.drawn(random, (WARPS, 1, 8), 3, 6)
        b[:, some[:, 1]] = b[:, some[:, 0]] ^ np.uint32(kind.numbers.sign)
    if name == "few":
        a[random.random_sample(a.shape) < 0.75] = 0
    if name == "special":
        a[random.random_sample(a.shape) < 0.01] = kind.numbers.infinity
        b[random.random_sample(b.shape) < 0.01] = kind.numbers.infinity | kind.numbers.sign
        c[random.random_sample(c.shape) < 0.02] = kind.sums.infinity
    return a, b, c


# ---- registers, by the tables of the PTX ISA for m16n8: row or column g = lane / 4, and t = lane % 4 ----


def registers(kind: Kind, a: Bits, b: Bits, c: Bits) -> Bits:
    """(warps, 10, 32): four registers of a, two of b, four of c for each lane."""
    found = np.zeros((len(a), 10, 32), np.uint32)
    g, t = np.arange(32) // 4, np.arange(32) % 4
    bits = 32 // kind.per
    for r in range(kind.k // kind.per // 2):
        for part in range(kind.per):
            column = t * kind.per + part + 4 * kind.per * (r // 2)
            found[:, r] |= a[:, g + 8 * (r % 2), column] << np.uint32(bits * part)
    for r in range(kind.k // kind.per // 4):
        for part in range(kind.per):
            found[:, 4 + r] |= b[:, t * kind.per + part + 4 * kind.per * r, g] << np.uint32(bits * part)
    for r, part, row, column in _places(kind):
        found[:, 6 + r] |= c[:, row, column] << np.uint32(16 * part)
    return found


def sums_of(kind: Kind, found: Bits) -> Bits:
    """The sums (warps, 16, 8) as bits, out of four registers of each lane (warps, 4, 32)."""
    d = np.zeros((len(found), 16, 8), np.uint32)
    for r, part, row, column in _places(kind):
        d[:, row, column] = found[:, r] >> np.uint32(16 * part) & np.uint32(0xFFFF if kind.sums is HALF else 0xFFFFFFFF)
    return d


def _places(kind: Kind) -> list[tuple[int, int, Any, Any]]:
    """Register, part of it, and the lanes' rows and columns of a sum."""
    g, t = np.arange(32) // 4, np.arange(32) % 4
    if kind.sums is HALF:
        return [(r, part, g + 8 * r, 2 * t + part) for r in range(2) for part in range(2)]
    return [(r, 0, g + 8 * (r // 2), 2 * t + r % 2) for r in range(4)]


# ---- the GPU's side ----


def measure(library: Path) -> dict[str, str]:
    """By kind: the sums of all warps, as packed text."""
    import torch

    functions = ctypes.CDLL(str(library))
    found = {}
    for name, kind in KINDS.items():
        x = torch.from_numpy(registers(kind, *drawn(kind)).view(np.int32).copy()).cuda()
        out = torch.zeros((len(x), 4, 32), dtype=torch.int32).cuda()
        getattr(functions, name)(ctypes.c_void_p(x.data_ptr()), ctypes.c_void_p(out.data_ptr()), len(x), None)
        torch.cuda.synchronize()
        found[name] = packed(sums_of(kind, out.cpu().numpy().view(np.uint32)))
    return found


def packed(sums: Bits) -> str:
    return base64.b85encode(zlib.compress(sums.astype("<u4").tobytes(), 9)).decode()


def unpacked(text: str) -> Bits:
    return np.frombuffer(zlib.decompress(base64.b85decode(text)), "<u4").reshape(-1, 16, 8)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="where the results go")
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "tensor_sums.so"
        flags = ["-O3", "-std=c++17", "-arch=native", "-shared", "-Xcompiler", "-fPIC"]
        subprocess.run(["nvcc", *flags, str(SOURCE), "-o", str(library)], check=True)
        sums = measure(library)
    text = json.dumps({"source": file_digest(SOURCE), "seed": SEED, "warps": WARPS, "sums": sums}, indent=1)
    (out / "tensor_sums.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
