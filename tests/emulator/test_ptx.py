"""Inline PTX: each instruction's result worked out by hand, twins of plain kernels, and what is refused."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

from grader.devices.emulator import session as emulator
from grader.devices.emulator.translate import translate
from tests.language.snippets import gpp_refuses

SOURCE = (Path(__file__).parent / "kernels" / "ptx.cu").read_text()
PROTOTYPE = "void table(unsigned long long* z, cudaStream_t stream)"


def f32(value: float) -> int:
    return struct.unpack("<I", struct.pack("<f", value))[0]


def f64(value: float) -> int:
    return struct.unpack("<Q", struct.pack("<d", value))[0]


def f16(value: float) -> int:
    return int(np.float16(value).view(np.uint16))


def pair(low: int, high: int) -> int:
    return high << 16 | low


ALL = 0xFFFFFFFF
INFINITY = 0x7F800000
# The text, the constraints of the output and the inputs, the inputs' bits, the output's bits.
TABLE = [
    # whole numbers
    ("add.u32 %0, %1, %2;", "rrr", (ALL, 2), 1),
    ("griddepcontrol.wait; add.u32 %0, %1, %2; griddepcontrol.launch_dependents;", "rrr", (3, 4), 7),
    ("add.sat.s32 %0, %1, %2;", "rrr", (0x7FFFFFFF, 1), 0x7FFFFFFF),
    ("add.u64 %0, %1, %2;", "lll", (0xFFFFFFFF, 1), 1 << 32),
    ("add.u16 %0, %1, %2;", "hhh", (0xFFFF, 3), 2),
    ("sub.s32 %0, %1, 5;", "rr", (3,), ALL - 1),
    ("sub.sat.s32 %0, %1, %2;", "rrr", (0x80000000, 1), 0x80000000),
    ("{.reg .u32 t; add.cc.u32 t, %1, %2; addc.u32 %0, 7, 0;}", "rrr", (ALL, 1), 8),
    ("{.reg .u32 t; sub.cc.u32 t, %1, %2; subc.u32 %0, 7, 0;}", "rrr", (1, 2), 6),
    ("mul.lo.s32 %0, %1, %2;", "rrr", (ALL, 5), ALL - 4),
    ("mul.hi.u32 %0, %1, %2;", "rrr", (0x80000000, 6), 3),
    ("mul.hi.s32 %0, %1, %2;", "rrr", (ALL, 5), ALL),
    ("mul.wide.u32 %0, %1, %2;", "lrr", (ALL, ALL), 0xFFFFFFFE00000001),
    ("mul.wide.s16 %0, %1, %2;", "rhh", (0xFFFF, 3), ALL - 2),
    ("mul.hi.u64 %0, %1, %2;", "lll", (1 << 63, 6), 3),
    ("mad.lo.u32 %0, %1, %2, %3;", "rrrr", (7, 6, 5), 47),
    ("mad.wide.s32 %0, %1, %2, %3;", "lrrl", (ALL, 3, 10), 7),
    ("div.s32 %0, %1, %2;", "rrr", (ALL - 6, 2), ALL - 2),
    ("rem.s32 %0, %1, %2;", "rrr", (ALL - 6, 2), ALL),
    ("div.u32 %0, %1, 0;", "rr", (9,), ALL),
    ("abs.s32 %0, %1;", "rr", (ALL - 4,), 5),
    ("neg.s16 %0, %1;", "hh", (1,), 0xFFFF),
    ("min.s32 %0, %1, %2;", "rrr", (ALL, 1), ALL),
    ("min.u32 %0, %1, %2;", "rrr", (ALL, 1), 1),
    ("max.s64 %0, %1, %2;", "lll", ((1 << 64) - 1, 1), 1),
    # bits
    ("and.b32 %0, %1, 0xff0;", "rr", (0x1234,), 0x230),
    ("or.b64 %0, %1, %2;", "lll", (1 << 40, 3), 1 << 40 | 3),
    ("xor.b16 %0, %1, %2;", "hhh", (0xFF00, 0x0FF0), 0xF0F0),
    ("not.b32 %0, %1;", "rr", (0xF0,), 0xFFFFFF0F),
    ("cnot.b32 %0, %1;", "rr", (0,), 1),
    ("shl.b32 %0, %1, 4;", "rr", (0xF0000001,), 0x10),
    ("shl.b32 %0, %1, %2;", "rrr", (1, 32), 0),
    ("shr.u32 %0, %1, %2;", "rrr", (0x80000000, 31), 1),
    ("shr.s32 %0, %1, %2;", "rrr", (0x80000000, 99), ALL),
    ("shf.l.wrap.b32 %0, %1, %2, %3;", "rrrr", (0xABCD0000, 1, 40), 0x1AB),
    ("shf.r.clamp.b32 %0, %1, %2, %3;", "rrrr", (0xABCD0000, 1, 40), 1),
    ("popc.b64 %0, %1;", "rl", (0xF0F0F0F0F0F0F0F0,), 32),
    ("clz.b32 %0, %1;", "rr", (0x00010000,), 15),
    ("brev.b32 %0, %1;", "rr", (0x80000001,), 0x80000001),
    ("brev.b32 %0, %1;", "rr", (6,), 0x60000000),
    ("bfind.u32 %0, %1;", "rr", (0x400,), 10),
    ("bfind.s32 %0, %1;", "rr", (ALL - 4,), 2),
    ("bfind.shiftamt.u32 %0, %1;", "rr", (0x400,), 21),
    ("fns.b32 %0, %1, 8, 2;", "rr", (0x1300,), 9),
    ("fns.b32 %0, %1, 8, -2;", "rr", (0x1310,), 4),
    ("bfe.u32 %0, %1, 4, 8;", "rr", (0xABCDE,), 0xCD),
    ("bfe.s32 %0, %1, 4, 8;", "rr", (0xABCDE,), 0xFFFFFFCD),
    ("bfi.b32 %0, %1, %2, 8, 4;", "rrr", (0xF5, 0xFFFFFFFF), 0xFFFFF5FF),
    ("lop3.b32 %0, %1, %2, %3, 0xE8;", "rrrr", (0b1100, 0b1010, 0b0110), 0b1110),
    ("lop3.b32 %0, %1, %2, %3, 0x96;", "rrrr", (0b1100, 0b1010, 0b0001), 0b0111),
    ("prmt.b32 %0, %1, %2, 0x5410;", "rrr", (0x33221100, 0x77665544), 0x55441100),
    ("prmt.b32 %0, %1, %2, 0x000a;", "rrr", (0x00800000, 0), 0x000000FF),
    ("prmt.b32.b4e %0, %1, %2, 1;", "rrr", (0x33221100, 0x77665544), 0x66770011),
    ("dp4a.s32.s32 %0, %1, %2, %3;", "rrrr", (0xFF020304, 0x02010101, 100), 107),
    ("dp4a.u32.u32 %0, %1, %2, %3;", "rrrr", (0xFF000000, 0x02000000, 1), 511),
    ("dp2a.lo.s32.s32 %0, %1, %2, %3;", "rrrr", (pair(0xFFFF, 3), 0x00000205, 10), 11),
    ("sad.u32 %0, %1, %2, %3;", "rrrr", (3, 10, 1), 8),
    # floats
    ("add.f32 %0, %1, %2;", "fff", (f32(1.5), f32(2.25)), f32(3.75)),
    ("add.rz.f32 %0, %1, %2;", "fff", (f32(1), f32(2.0**-24 * 1.5)), f32(1)),
    ("add.rp.f32 %0, %1, %2;", "fff", (f32(1), f32(2.0**-30)), f32(1) + 1),
    ("sub.ftz.f32 %0, %1, %2;", "fff", (f32(1e-39), 0), 0),
    ("mul.sat.f32 %0, %1, %2;", "fff", (f32(3), f32(2)), f32(1)),
    ("fma.rn.f32 %0, %1, %2, %3;", "ffff", (f32(1 + 2.0**-12), f32(1 - 2.0**-12), f32(-1)), f32(-(2.0**-24))),
    ("mad.f32 %0, %1, %2, %3;", "ffff", (f32(2), f32(3), f32(1)), f32(7)),
    ("div.full.f32 %0, %1, %2;", "fff", (f32(1), f32(8)), f32(0.125)),
    ("fma.rn.f64 %0, %1, %2, %3;", "dddd", (f64(3), f64(5), f64(0.5)), f64(15.5)),
    ("min.f32 %0, %1, %2;", "fff", (0x7FC00000, f32(2)), f32(2)),
    ("max.f32 %0, %1, %2;", "fff", (0x80000000, 0), 0),
    ("max.f32 %0, %1, 0f40400000;", "ff", (f32(2),), f32(3)),
    ("neg.f32 %0, %1;", "ff", (f32(2),), f32(-2)),
    ("abs.f64 %0, %1;", "dd", (f64(-2),), f64(2)),
    ("add.f16x2 %0, %1, %2;", "rrr", (pair(f16(1), f16(-2)), pair(f16(0.5), f16(2))), pair(f16(1.5), 0)),
    ("fma.rn.f16 %0, %1, %2, %3;", "hhhh", (f16(3), f16(5), f16(0.5)), f16(15.5)),
    ("mul.bf16x2 %0, %1, %2;", "rrr", (pair(0x4040, 0x3F80), pair(0x4000, 0xC000)), pair(0x40C0, 0xC000)),
    ("fma.rn.relu.bf16x2 %0, %1, %2, %3;", "rrrr", (0x3F803F80, pair(0xC000, 0x4000), 0), pair(0, 0x4000)),
    ("max.f16x2 %0, %1, %2;", "rrr", (pair(f16(1), f16(2)), pair(f16(2), f16(1))), pair(f16(2), f16(2))),
    ("ex2.approx.ftz.f32 %0, %1;", "ff", (f32(-3),), f32(0.125)),
    ("ex2.approx.f16x2 %0, %1;", "rr", (pair(f16(2), f16(-1)),), pair(f16(4), f16(0.5))),
    ("lg2.approx.f32 %0, %1;", "ff", (f32(8),), f32(3)),
    ("rcp.approx.ftz.f32 %0, %1;", "ff", (f32(4),), f32(0.25)),
    ("rcp.rn.f64 %0, %1;", "dd", (f64(4),), f64(0.25)),
    ("sqrt.rn.f32 %0, %1;", "ff", (f32(9),), f32(3)),
    ("rsqrt.approx.f32 %0, %1;", "ff", (f32(4),), f32(0.5)),
    ("sin.approx.f32 %0, %1;", "ff", (0,), 0),
    ("cos.approx.f32 %0, %1;", "ff", (0,), f32(1)),
    ("tanh.approx.f32 %0, %1;", "ff", (INFINITY,), f32(1)),
    ("copysign.f32 %0, %1, %2;", "fff", (f32(-1), f32(3)), f32(-3)),
    # conversions
    ("cvt.rn.f32.s32 %0, %1;", "fr", (ALL - 2,), f32(-3)),
    ("cvt.rz.f32.u64 %0, %1;", "fl", ((1 << 53) - 1,), f32(2.0**53) - 1),
    ("cvt.rzi.s32.f32 %0, %1;", "rf", (f32(-2.7),), ALL - 1),
    ("cvt.rni.s32.f32 %0, %1;", "rf", (f32(2.5),), 2),
    ("cvt.rpi.u32.f32 %0, %1;", "rf", (f32(2.1),), 3),
    ("cvt.rzi.u8.f32 %0, %1;", "rf", (f32(300),), 255),
    ("cvt.rmi.f32.f32 %0, %1;", "ff", (f32(-1.5),), f32(-2)),
    ("cvt.u32.u16 %0, %1;", "rh", (0xFFFF,), 0xFFFF),
    ("cvt.s32.s8 %0, %1;", "rr", (0x80,), 0xFFFFFF80),
    ("cvt.sat.s8.s32 %0, %1;", "rr", (1000,), 127),
    ("cvt.u64.u32 %0, %1;", "lr", (ALL,), ALL),
    ("cvt.f64.f32 %0, %1;", "df", (f32(1.5),), f64(1.5)),
    ("cvt.rn.f32.f64 %0, %1;", "fd", (f64(1 + 2.0**-24),), f32(1)),
    ("cvt.f32.f16 %0, %1;", "fh", (f16(0.1),), f32(float(np.float16(0.1)))),
    ("cvt.rn.f16.f32 %0, %1;", "hf", (f32(1 / 3),), f16(1 / 3)),
    ("cvt.rn.bf16.f32 %0, %1;", "hf", (f32(1 + 2.0**-8),), 0x3F80),
    ("cvt.rn.bf16x2.f32 %0, %1, %2;", "rff", (f32(2), f32(-1)), pair(0xBF80, 0x4000)),
    ("cvt.rn.relu.f16x2.f32 %0, %1, %2;", "rff", (f32(2), f32(-1)), pair(0, f16(2))),
    ("cvt.rna.tf32.f32 %0, %1;", "rf", (0x3F801000,), 0x3F802000),
    ("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;", "hff", (f32(1.5), f32(1000)), 0x3C7E),
    ("cvt.pack.sat.s16.s32 %0, %1, %2;", "rrr", (40000, ALL), 0x7FFFFFFF),
    ("cvt.pack.sat.u16.s32 %0, %1, %2;", "rrr", (ALL, 70000), 0x0000FFFF),
    ("cvt.pack.sat.s8.s32.b32 %0, %1, %2, %3;", "rrrr", (300, ALL - 299, 0x12345678), 0x56787F80),
    ("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;", "rrrr", (5, 300, 7), 0x000705FF),
    ("cvt.pack.sat.u4.s32.b32 %0, %1, %2, %3;", "rrrr", (1, 20, 7), 0x71F),
    ("cvt.pack.sat.s2.s32.b32 %0, %1, %2, %3;", "rrrr", (ALL - 4, 1, 1), 0x19),
    ("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;", "hff", (f32(-1), f32(2.0**-16)), 0xBC01),
    ("cvt.rn.f16x2.e4m3x2 %0, %1;", "rh", (0x3C01,), pair(f16(2.0**-9), f16(1.5))),
    ("cvt.rn.satfinite.e5m2x2.f16x2 %0, %1;", "hr", (pair(f16(1), f16(-2)),), 0xC03C),
    # moves, predicates, comparisons
    ("mov.b32 %0, {%1, %2};", "rhh", (1, 2), 0x20001),
    ("{.reg .b16 a, b; mov.b32 {a, b}, %1; mov.b32 %0, {b, a};}", "rr", (0x12345678,), 0x56781234),
    ("mov.b64 %0, {%1, %2};", "lrr", (1, 2), 1 | 2 << 32),
    ("mov.f64 %0, 1.5;", "d", (), f64(1.5)),
    ("mov.f32 %0, 0d3ff8000000000000;", "f", (), f32(1.5)),
    ("{.reg .pred p; setp.lt.s32 p, %1, 0; selp.u32 %0, 1, 2, p;}", "rr", (ALL,), 1),
    ("{.reg .pred p; setp.lt.u32 p, %1, 5; selp.u32 %0, 1, 2, !p;}", "rr", (ALL,), 1),
    ("{.reg .pred p, q; setp.eq.u32 p|q, %1, 5; selp.u32 %0, 1, 2, q;}", "rr", (5,), 2),
    ("{.reg .pred p, q; setp.eq.u32 q, 1, 1; setp.ne.and.b32 p, %1, 5, !q; selp.u32 %0, 1, 2, p;}", "rr", (4,), 2),
    ("{.reg .pred p; setp.ltu.f32 p, %1, 0f00000000; selp.u32 %0, 1, 2, p;}", "rf", (0x7FC00000,), 1),
    ("{.reg .pred p; setp.lt.f32 p, %1, 0f00000000; selp.u32 %0, 1, 2, p;}", "rf", (0x7FC00000,), 2),
    ("{.reg .pred p, q; setp.gt.f16x2 p|q, %1, %2; selp.u32 %0, 1, 2, q;}", "rrr", (pair(0, f16(2)), 0), 1),
    ("{.reg .pred p; testp.infinite.f32 p, %1; selp.u32 %0, 1, 2, p;}", "rf", (INFINITY,), 1),
    ("{.reg .pred p, q; setp.eq.u32 p, 1, 1; not.pred q, p; xor.pred p, p, q; selp.u32 %0, 1, 2, p;}", "r", (), 1),
    ("set.gt.u32.f32 %0, %1, %2;", "rff", (f32(2), f32(1)), ALL),
    ("slct.u32.s32 %0, %1, %2, %3;", "rrrr", (10, 20, ALL), 20),
    # jumps, scopes, comments, operands
    ("{.reg .pred p; mov.u32 %0, 0;\nL: add.u32 %0, %0, 3; setp.lt.u32 p, %0, %1; @p bra L;}", "rr", (10,), 12),
    ("{.reg .pred p; setp.ne.u32 p, %1, 0; @!p bra.uni A; mov.u32 %0, 1; bra B; A: mov.u32 %0, 2; B:}", "rr", (0,), 2),
    ("{.reg .b32 t<4>; mov.b32 t3, %1; {.reg .b32 t3; mov.b32 t3, 7;} mov.b32 %0, t3;}", "rr", (5,), 5),
    ("// first\n/* second; */ mov.u32 %0, (2 + 3) * 4 - 1; // last", "r", (), 19),
    ("mov.u32 %0, (0xf0 & 0xcc) | 0xaa ^ 1 << 3;", "r", (), 0xC0 | 0xAA ^ 8),
    ("mov.u32 %0, WARP_SZ;", "r", (), 32),
    ("mov.u32 %0, %%ntid.x;", "r", (), 1),
    ("mov.u32 %0, %lanemask_ge;", "r", (), ALL),
]  # fmt: skip


def operand(letter: str, bits: int) -> str:
    return {
        "h": f"static_cast<unsigned short>({bits}u)",
        "r": f"{bits}u",
        "l": f"{bits}ull",
        "f": f"__uint_as_float({bits}u)",
        "d": f"__longlong_as_double({bits}ull)",
    }[letter]


def statement(number: int, text: str, kinds: str, inputs: tuple[int, ...]) -> str:
    type_ = {"h": "unsigned short", "r": "unsigned", "l": "unsigned long long", "f": "float", "d": "double"}[kinds[0]]
    given = ", ".join(f'"{kind}"({operand(kind, bits)})' for kind, bits in zip(kinds[1:], inputs, strict=True))
    quoted = text.replace("\n", "\\n")
    whole = {"f": "__float_as_uint(v)", "d": "__double_as_longlong(v)"}.get(kinds[0], "v")
    return f'    {{ {type_} v; asm volatile("{quoted}" : "={kinds[0]}"(v) : {given}); z[{number}] = {whole}; }}'


@pytest.mark.slow
def test_every_instruction_gives_what_it_should(run_kernel):
    rows = [statement(number, *row[:3]) for number, row in enumerate(TABLE)]
    source = "\n".join(["__global__ void all(unsigned long long* z) {", *rows, "}", 'extern "C" ' + PROTOTYPE])
    source += " { all<<<1, 1, 0, stream>>>(z); }\n"
    outputs, run = run_kernel(source, PROTOTYPE, z=np.zeros(len(TABLE), np.uint64))
    assert [finding.message for finding in run.findings] == []
    found = [(row[0], hex(value)) for row, value in zip(TABLE, outputs["z"], strict=True)]
    assert found == [(row[0], hex(row[3])) for row in TABLE]


# ---- twins ----

PLAIN = ("// load", "// conflicts", "// back", "// atomic")


def test_twins_are_counted_alike(call):
    values = {"x": np.arange(128, dtype=np.float32), "y": np.zeros(64, np.float32), "count": np.zeros(1, np.int32)}
    plain, twin = (call(name, n=20, **values) for name in ("in_cuda", "in_ptx"))
    for name in ("y", "count"):
        assert np.array_equal(plain[name], twin[name], equal_nan=True)
    for line in PLAIN:
        mine, theirs = twin.at_line(line.replace("//", "// ptx"), SOURCE), plain.at_line(f"  {line}", SOURCE)
        counted = {key for key in theirs if key.startswith(("global", "shared", "task"))}
        assert {key: mine[key] for key in counted} == {key: theirs[key] for key in counted}
    assert twin.at_line("// ptx conflicts", SOURCE)["shared_store_wavefronts"] == 32
    assert twin.at_line("// ptx load", SOURCE)["global_load_bytes"] == 20 * 16


def test_the_usual_idioms(call):
    x = np.arange(128, dtype=np.float32)
    assert np.array_equal(call("run_idioms", x=x, y=np.zeros(32, np.float32))["y"], x[1::4] + x[0])


def test_what_a_warp_does_together(call):
    lane = np.arange(32)
    y = call("run_warps", y=np.zeros(352, np.uint32))["y"].reshape(11, 32)
    assert np.array_equal(y[0], np.where(lane < 29, lane + 3, 99))
    assert np.array_equal(y[1], lane ^ 5)
    assert np.array_equal(y[2], lane // 8 * 8 + 1)
    assert np.array_equal(y[3], np.where(lane == 0, 0, lane - 1))
    assert [set(row) for row in y[4:8].tolist()] == [{127}, {12}, {496}, {(5 - 31) % 2**32}]
    assert y[8].tolist() == [1] + [0] * 31
    assert np.array_equal(y[9], np.uint32(0xFF) << (lane // 8 * 8).astype(np.uint32))
    assert y[10][:5].tolist() == [31] * 5


def test_atomics(call):
    result = call("run_atomics", y=np.zeros(64, np.uint32), f=np.zeros(4, np.float32))
    y, f = result["y"], result["f"]
    assert y[:4].tolist() == [64, 31, 100, 32 % 5]
    assert y[32:].tolist() == [1] * 32
    assert f[[0, 2, 3]].tolist() == [16, 32, 64]
    assert f[1:2].view(np.uint32)[0] == 0x42004280  # 64 and 32 in bf16


def test_barriers_with_numbers_and_parts_of_a_block(call):
    x = np.arange(256, dtype=np.float32)
    y = call("run_parts", x=x, y=np.zeros(256, np.float32))["y"]
    assert np.array_equal(y, x.reshape(4, 64)[:, ::-1].reshape(-1) + 1)


def test_a_flag_from_block_to_block(call):
    y = call("run_chain", y=np.zeros(20, np.float32), flags=np.zeros(20, np.uint32))["y"]
    assert np.array_equal(y, np.arange(1, 21))


# ---- wrong ones, told as of plain code ----

WRONG = {
    "race": ("race", "races", "thread (0, 0, 0) of block (0, 0, 0) reads s[127]"),
    "bounds": ("out_of_bounds", "beyond", "thread (127, 0, 0) of block (0, 0, 0) reads x[128]"),
    "alignment": ("misaligned", "odd", "8 bytes"),
    "input": ("input_modified", "st.global.f32 [%0], 0f00000000", "x[0]"),
    "count": ("deadlock", "64 come", "barrier 3 has seen 64 of 96"),
    "lanes": ("shuffle_partner", "half", "waits in __reduce_sync"),
    "copy": ("trap", "17 of 16", "it cannot read 17 of 16 bytes"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_told_on_its_line(call, name):
    kind, line, said = WRONG[name]
    result = call(name, errors=True, x=np.zeros(128, np.float32), y=np.zeros(128, np.float32))
    finding = next(finding for finding in result.run.findings if finding.severity == "error")
    assert finding.kind == kind and said in finding.message, finding.message
    assert line in SOURCE.splitlines()[finding.line - 1]


# ---- what is no PTX, or is not emulated ----

REFUSED = [
    ("griddepcontrol.begin;", "`griddepcontrol.begin`: it is .wait or .launch_dependents"),
    ("tcgen05.alloc.sync %0, 1;", "`tcgen05.alloc.sync` is not emulated: docs/cuda.md lists the PTX that is"),
    (
        "cp.async.bulk.commit_group;",
        "`cp.async.bulk.commit_group` is not emulated: "
        "give `#if __CUDA_ARCH__ >= 900` around it an #else with another way, which is taken here",
    ),
    ("add.u32.foo %0, %0, 1;", "`add.u32.foo`: `.foo` is not emulated here"),
    ("add %0, %0, 1;", "`add`: its type is missing, as in `.u32`"),
    ("add.u32 %0, %0;", "`add.u32`: it has 2 operands where 3 are wanted"),
    ("add.u64 %0, %0, 1;", "`add.u64`: an operand is a register of 32 bits where one of 64 bits is wanted"),
    ("add.f32 %0, %0, 1;", "`add.f32`: a whole number is given where one with a point is wanted, as 1.0"),
    ("add.u32 %0, %0, 1", "`add.u32`: a `,` is missing at the end"),
    ("add.u32 %0, %0, r1;", "`add.u32`: an operand is `r1` where one of 32 bits is wanted"),
    ("bra NOWHERE;", "`bra`: there is no register and no label `NOWHERE`"),
    ("ld.u32 %0, %0;", "`ld.u32`: an operand is a register of 32 bits where an address in brackets is wanted"),
    ("mov.u32 %0, %%nothing;", "`mov.u32`: there is no register `%nothing`"),
    ("mov.u32 %0, %7;", "inline PTX: there is no operand `%7`"),
    ("{ mov.u32 %0, 1;", "inline PTX: a `{` is never closed"),
    ("mov.u32 %0, 12q;", "`mov.u32`: `12q` is no number"),
    ("setp.lt.u32 %0, %0, 1;", "`setp.lt.u32`: an operand is a register of 32 bits where a predicate is wanted"),
    ("shfl.sync.b32 %0, %0, 1, 31, -1;", "`shfl.sync.b32`: it needs .up, .down, .bfly or .idx"),
    ("cvt.s32.f32 %0, %0;", "`cvt.s32.f32`: to a whole number it needs .rni, .rzi, .rmi or .rpi"),
    ("mov.b32 %0, 0; .shared .b32 x;", "inline PTX: `.shared` is not emulated in inline PTX"),
]  # fmt: skip


@pytest.mark.slow
def test_refusals_name_the_instruction(run_kernel):
    """Where the build did not know the text (ptx_texts.py): one thread of a block is the first."""
    quoted = [text for text, _ in REFUSED]
    kernels = [
        f"__global__ void k{i}(unsigned* y) {{\n    unsigned r = 0;\n"
        f'    asm volatile((threadIdx.x ? "" : "{text}") : "+r"(r));\n    y[0] = r;\n}}\n'
        f'extern "C" void f{i}(unsigned* y, cudaStream_t stream) {{ k{i}<<<1, 1, 0, stream>>>(y); }}\n'
        for i, text in enumerate(quoted)
    ]
    prototypes = [f"void f{i}(unsigned* y, cudaStream_t stream)" for i in range(len(kernels))]
    told = []
    for number, prototype in enumerate(prototypes):
        _, run = run_kernel("".join(kernels), prototype, among=prototypes, y=np.zeros(1, np.uint32))
        (finding,) = run.findings
        assert finding.kind == "inline_ptx" and finding.line == 6 * number + 3
        told.append(finding.message)
    assert told == [said for _, said in REFUSED]


OPERANDS = [
    ('asm("mov.b32 %0, %1;" : "=r"(i) : "f"(x));', True),
    ('asm("mov.b32 %0, %1;" : "=r"(i) : "r"(x));', False),
    ('asm("cvt.u32.u16 %0, %1;" : "=r"(i) : "h"(s));', True),
    ('asm("cvt.u32.u16 %0, %1;" : "=r"(i) : "r"(s));', False),
    ('asm("mov.b64 %0, %1;" : "=l"(p) : "l"(p));', True),
    ('asm("mov.b64 %0, %1;" : "=l"(i) : "l"(p));', False),
    ('asm("mov.f64 %0, %1;" : "=d"(d) : "d"(d));', True),
    ('asm("mov.f32 %0, %1;" : "=f"(i) : "f"(x));', False),
    ('asm("add.u32 %0, %0, %1;" : "+r"(i) : "n"(sizeof(int)));', True),
    ('asm("mov.u64 %0, %1;" : "=l"(p) : "l"(tile));', True),
]  # as nvcc 13.0 judges them


def test_operands_are_of_their_constraints_type(run_kernel):
    head = "__global__ void k(unsigned i, float x, short s, double d, float* p) { __shared__ int tile[4]; "
    flags = emulator.compile_flags(run_kernel.runtime)
    said = {line: gpp_refuses(translate(f"{head}{line} p[i] = x + d; }}", "kernel.cu"), flags) for line, _ in OPERANDS}
    assert {line: not text for line, text in said.items()} == dict(OPERANDS)
    assert all("does not match its constraint" in text for text in said.values() if text)
