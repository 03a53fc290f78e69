"""What scalar instructions of inline PTX cost on a GPU, as nvcc 13.0 compiles them for sm_90a.

An instruction that is not listed costs nothing of this: it moves values, or computes with integers.
"""

from __future__ import annotations

from collections.abc import Mapping

from grader.devices.emulator.prices import Price

# Renewed by benchmarks/fidelity/ptx_prices.py.
# begin prices
ALIKE: Mapping[Price, str] = {
    (0, 0, 1): (
        "abs.f64 "
        "add.rm.f64 "
        "add.rn.f64 "
        "add.rp.f64 "
        "add.rz.f64 "
        "mul.rm.f64 "
        "mul.rn.f64 "
        "mul.rp.f64 "
        "mul.rz.f64 "
        "neg.f64 "
        "sub.rm.f64 "
        "sub.rn.f64 "
        "sub.rp.f64 "
        "sub.rz.f64 "
    ),
    (0, 0, 2): ("fma.rm.f64 fma.rn.f64 fma.rp.f64 fma.rz.f64 "),
    (0, 1, 0): (
        "abs.f16 "
        "abs.f16x2 "
        "abs.f32 "
        "abs.ftz.f16 "
        "abs.ftz.f32 "
        "add.ftz.sat.f32 "
        "add.rm.f32 "
        "add.rm.ftz.f32 "
        "add.rn.bf16 "
        "add.rn.f16 "
        "add.rn.f32 "
        "add.rn.ftz.f16 "
        "add.rn.ftz.f32 "
        "add.rn.ftz.sat.f16 "
        "add.rn.sat.f16 "
        "add.rp.f32 "
        "add.rp.ftz.f32 "
        "add.rz.f32 "
        "add.rz.ftz.f32 "
        "add.sat.f32 "
        "cvt.f32.f16 "
        "cvt.ftz.f32.f16 "
        "cvt.ftz.f64.f32 "
        "cvt.rm.ftz.f32.f64 "
        "cvt.rn.ftz.f32.f64 "
        "cvt.rn.sat.f32.f64 "
        "cvt.rp.ftz.f32.f64 "
        "cvt.rz.ftz.f32.f64 "
        "cvt.sat.f32.f32 "
        "mul.ftz.sat.f32 "
        "mul.rm.f32 "
        "mul.rm.ftz.f32 "
        "mul.rn.bf16 "
        "mul.rn.f16 "
        "mul.rn.f32 "
        "mul.rn.ftz.f16 "
        "mul.rn.ftz.f32 "
        "mul.rn.ftz.sat.f16 "
        "mul.rn.sat.f16 "
        "mul.rp.f32 "
        "mul.rp.ftz.f32 "
        "mul.rz.f32 "
        "mul.rz.ftz.f32 "
        "mul.sat.f32 "
        "neg.f16 "
        "neg.f16x2 "
        "neg.f32 "
        "neg.ftz.f16 "
        "neg.ftz.f32 "
        "slct.ftz.f32.f32 "
        "sub.ftz.sat.f32 "
        "sub.rm.f32 "
        "sub.rm.ftz.f32 "
        "sub.rn.bf16 "
        "sub.rn.f16 "
        "sub.rn.f32 "
        "sub.rn.ftz.f16 "
        "sub.rn.ftz.f32 "
        "sub.rn.ftz.sat.f16 "
        "sub.rn.sat.f16 "
        "sub.rp.f32 "
        "sub.rp.ftz.f32 "
        "sub.rz.f32 "
        "sub.rz.ftz.f32 "
        "sub.sat.f32 "
    ),
    (0, 2, 0): (
        "abs.bf16 "
        "abs.bf16x2 "
        "abs.ftz.f16x2 "
        "add.rn.bf16x2 "
        "add.rn.f16x2 "
        "add.rn.ftz.f16x2 "
        "add.rn.ftz.sat.f16x2 "
        "add.rn.sat.f16x2 "
        "fma.rm.f32 "
        "fma.rm.ftz.f32 "
        "fma.rn.bf16 "
        "fma.rn.bf16x2 "
        "fma.rn.f16 "
        "fma.rn.f16x2 "
        "fma.rn.f32 "
        "fma.rn.ftz.f16 "
        "fma.rn.ftz.f16x2 "
        "fma.rn.ftz.f32 "
        "fma.rn.ftz.relu.f16 "
        "fma.rn.ftz.relu.f16x2 "
        "fma.rn.ftz.sat.f16 "
        "fma.rn.ftz.sat.f16x2 "
        "fma.rn.ftz.sat.f32 "
        "fma.rn.relu.bf16 "
        "fma.rn.relu.bf16x2 "
        "fma.rn.relu.f16 "
        "fma.rn.relu.f16x2 "
        "fma.rn.sat.f16 "
        "fma.rn.sat.f16x2 "
        "fma.rn.sat.f32 "
        "fma.rp.f32 "
        "fma.rp.ftz.f32 "
        "fma.rz.f32 "
        "fma.rz.ftz.f32 "
        "mul.rn.bf16x2 "
        "mul.rn.f16x2 "
        "mul.rn.ftz.f16x2 "
        "mul.rn.ftz.sat.f16x2 "
        "mul.rn.sat.f16x2 "
        "neg.bf16 "
        "neg.bf16x2 "
        "neg.ftz.f16x2 "
        "sub.rn.bf16x2 "
        "sub.rn.f16x2 "
        "sub.rn.ftz.f16x2 "
        "sub.rn.ftz.sat.f16x2 "
        "sub.rn.sat.f16x2 "
    ),
    (1, 0, 0): (
        "div.s32 "
        "div.u32 "
        "ex2.approx.f16 "
        "ex2.approx.ftz.bf16 "
        "ex2.approx.ftz.f32 "
        "lg2.approx.ftz.f32 "
        "rcp.approx.ftz.f32 "
        "rcp.approx.ftz.f64 "
        "rem.s32 "
        "rem.u32 "
        "rsqrt.approx.ftz.f32 "
        "rsqrt.approx.ftz.f64 "
        "sqrt.approx.ftz.f32 "
        "tanh.approx.bf16 "
        "tanh.approx.f16 "
        "tanh.approx.f32 "
    ),
    (1, 0, 8): ("rsqrt.approx.f64 "),
    (1, 0, 10): ("rcp.rn.f64 "),
    (1, 0, 13): ("sqrt.rn.f64 "),
    (1, 1, 0): ("cos.approx.f32 cos.approx.ftz.f32 div.approx.ftz.f32 sin.approx.f32 sin.approx.ftz.f32 "),
    (1, 2, 0): ("ex2.approx.f32 lg2.approx.f32 rcp.approx.f32 rsqrt.approx.f32 sqrt.approx.f32 "),
    (1, 2, 15): ("div.rn.f64 "),
    (1, 3, 0): ("div.approx.f32 div.full.ftz.f32 "),
    (1, 5, 0): (
        "div.full.f32 "
        "rcp.rm.f32 "
        "rcp.rm.ftz.f32 "
        "rcp.rn.f32 "
        "rcp.rn.ftz.f32 "
        "rcp.rp.f32 "
        "rcp.rp.ftz.f32 "
        "rcp.rz.f32 "
        "rcp.rz.ftz.f32 "
    ),
    (1, 6, 0): ("sqrt.rn.f32 sqrt.rn.ftz.f32 "),
    (1, 7, 0): ("sqrt.rp.f32 sqrt.rp.ftz.f32 "),
    (1, 10, 0): ("div.rn.f32 div.rn.ftz.f32 "),
    (1, 12, 0): ("sqrt.rm.f32 sqrt.rm.ftz.f32 sqrt.rz.f32 sqrt.rz.ftz.f32 "),
    (2, 0, 0): ("ex2.approx.f16x2 ex2.approx.ftz.bf16x2 tanh.approx.bf16x2 tanh.approx.f16x2 "),
}
# end prices

PRICES: Mapping[str, Price] = {name: price for price, names in ALIKE.items() for name in names.split()}


def price_of(instruction: str) -> Price:
    """Of an instruction as it is written, `ex2.approx.ftz.f32`; `add.f32` rounds as `add.rn.f32` does."""
    operation, _, rest = instruction.replace("mad.", "fma.").partition(".")  # of floats they are the same
    return PRICES.get(f"{operation}.{rest}") or PRICES.get(f"{operation}.rn.{rest}", (0, 0, 0))


def exponentials_of(instruction: str) -> int:
    """How many values it raises to a power: two where it has a pair."""
    return 0 if not instruction.startswith(("ex2.", "tanh.")) else 2 if instruction.endswith("x2") else 1
