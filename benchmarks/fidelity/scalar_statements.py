"""What scalar_ptx.py tries: instructions of PTX with their operands, and the numbers that they are given."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

COUNT = 384  # inputs of each instruction: 256 of edges, in pairs, and then random ones
WIDTHS = {"h": 16, "r": 32, "l": 64, "f": 32, "d": 64}
Bits = np.ndarray[Any, np.dtype[np.uint64]]

ALL = 0xFFFFFFFF
EDGES: dict[str, tuple[int, ...]] = {
    # whole numbers of 32, 64 and 16 bits, and how far to shift
    "i": (0, 1, 2, 3, 7, 31, 32, 33, 0x7FFFFFFF, 0x80000000, 0x80000001, ALL, ALL - 1, 0xFFFF, 0x8000, 0x00FF80FF),
    "l": (0, 1, 2, 3, 63, 64, ALL, 1 << 32, (1 << 63) - 1, 1 << 63, (1 << 63) + 1, (1 << 64) - 1, (1 << 64) - 2,
          0x80000000, 0x7FFFFFFF, 0xFFFF00000000FFFF),
    "h": (0, 1, 2, 3, 7, 15, 16, 17, 0x7FFF, 0x8000, 0x8001, 0xFFFF, 0xFFFE, 0xFF, 0x80, 0x7F),
    "s": (0, 1, 2, 4, 7, 8, 15, 16, 24, 31, 32, 33, 63, 64, 255, 256),
    # floats: zeros, infinities, no numbers, subnormal ones, the extremes, and what becomes whole numbers
    "f": (0, 0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001, 0xFFC12345, 1, 0x007FFFFF, 0x80000001,
          0x00800000, 0x7F7FFFFF, 0x3F800000, 0xBFC00000, 0x3F000000, 0xCF000000),
    "d": (0, 1 << 63, 0x7FF << 52, 0xFFF << 52, 0x7FF8 << 48, (0x7FF << 52) + 1, 0xFFF8123456789ABC, 1, (1 << 52) - 1,
          (1 << 63) + 1, 1 << 52, 0x7FEFFFFFFFFFFFFF, 0x3FF << 52, 0xBFF8 << 48, 0x3FE << 52, 0xC1E << 52),
    "H": (0, 0x8000, 0x7C00, 0xFC00, 0x7E00, 0x7C01, 0xFE34, 1, 0x3FF, 0x8001, 0x400, 0x7BFF, 0x3C00, 0xBE00,
          0x3800, 0xF800),
    "B": (0, 0x8000, 0x7F80, 0xFF80, 0x7FC0, 0x7F81, 0xFFD2, 1, 0x7F, 0x8001, 0x80, 0x7F7F, 0x3F80, 0xBFC0,
          0x3F00, 0xCF00),
    # two numbers of 8 bits
    "e": (0, 0x7F7F, 0x8080, 0x7E01, 0x7C7C, 0xFCFF, 0x0780, 0x0408, 0x3C38, 0xFE7D, 0x7B84, 0x0103, 0x8788,
          0x5878, 0xF8F9, 0x00FF),
}  # fmt: skip
EDGES["x"] = tuple(EDGES["H"][i] << 16 | EDGES["H"][(5 * i + 3) % 16] for i in range(16))
EDGES["y"] = tuple(EDGES["B"][i] << 16 | EDGES["B"][(5 * i + 3) % 16] for i in range(16))
# bits of the exponent and of the fraction, and how many numbers are in the operand
FLOATS = {"f": (8, 23, 1), "d": (11, 52, 1), "H": (5, 10, 1), "B": (8, 7, 1), "x": (5, 10, 2), "y": (8, 7, 2)}
BITS = {"i": 32, "l": 64, "h": 16, "s": 6, "e": 16}


@dataclass(frozen=True)
class Statement:
    """`kinds`: the constraints' letters, the output's first; `draws`: which edges each input has, and what is random.

    `near`: an approximation, right within so many units of its last place (PTX ISA), or its own error in results.
    """

    text: str
    kinds: str
    draws: str
    near: bool = False


def drawn(statement: Statement) -> list[Bits]:
    """The inputs as bits (COUNT): they depend on the text alone."""
    random = np.random.RandomState(zlib.crc32(statement.text.encode()))
    at = np.arange(COUNT)
    places = (at % 16, at // 16 % 16, (at * 7 + at // 16) % 16, (at * 5 + at // 8) % 16)
    found = []
    for place, draw in zip(places, statement.draws, strict=False):
        edges = np.array(EDGES[draw], np.uint64)[place]
        found.append(np.where(at < 256, edges, _random(draw, random)))
    return found


def _random(draw: str, random: np.random.RandomState) -> Bits:
    """Any bits, and floats whose exponents are near 0 for half of them."""

    def word() -> Bits:
        return random.randint(0, 1 << 32, COUNT, np.uint64)

    def bits(count: int) -> Bits:
        drawn_ = word() << np.uint64(32) if count <= 32 else word() << np.uint64(32) | word()
        return drawn_ >> np.uint64(64 - count)

    if draw not in FLOATS:
        return bits(BITS[draw])
    exponent, fraction, elements = FLOATS[draw]
    found = np.zeros(COUNT, np.uint64)
    for _ in range(elements):
        near = bits(1) << np.uint64(exponent + fraction) | bits(fraction)
        near |= (random.randint(-6, 7, COUNT) + (1 << (exponent - 1)) - 1).astype(np.uint64) << np.uint64(fraction)
        any_ = bits(exponent + fraction + 1)
        found = found << np.uint64(16) | np.where(bits(1) == 1, near, any_)
    return found


# ---- what is tried ----


def statements() -> list[Statement]:
    return [*_whole(), *_bits(), *_video(), *_floats(), *_narrow(), *_conversions(), *_decisions()]


WHOLE = {"u16": "h", "s16": "h", "u32": "r", "s32": "r", "u64": "l", "s64": "l"}
DRAW = {"h": "h", "r": "i", "l": "l", "f": "f", "d": "d"}


def _plain(opcode: str, letter: str, inputs: int, draws: str = "", near: bool = False) -> Statement:
    """`opcode %0, %1, ...;` whose operands are all of one kind."""
    text = f"{opcode} {', '.join(f'%{i}' for i in range(inputs + 1))};"
    return Statement(text, letter * (inputs + 1), draws or DRAW[letter] * inputs, near)


def _whole() -> Iterator[Statement]:
    for type_, letter in WHOLE.items():
        for name in ("add", "sub", "mul.lo", "mul.hi", "min", "max", "div", "rem"):
            yield _plain(f"{name}.{type_}", letter, 2)
        for name in ("mad.lo", "mad.hi", "sad"):
            yield _plain(f"{name}.{type_}", letter, 3)
        if type_[0] == "s":
            yield _plain(f"abs.{type_}", letter, 1)
            yield _plain(f"neg.{type_}", letter, 1)
        if letter != "l":
            wide = "r" if letter == "h" else "l"
            yield Statement(f"mul.wide.{type_} %0, %1, %2;", wide + 2 * letter, 2 * DRAW[letter])
            yield Statement(
                f"mad.wide.{type_} %0, %1, %2, %3;", wide + 2 * letter + wide, 2 * DRAW[letter] + DRAW[wide]
            )
    for name in ("add.sat.s32", "sub.sat.s32"):
        yield _plain(name, "r", 2)
    yield _plain("mad.hi.sat.s32", "r", 3)
    for type_ in ("u32", "s32"):
        for part in ("lo", "hi"):
            yield _plain(f"mul24.{part}.{type_}", "r", 2)
            yield _plain(f"mad24.{part}.{type_}", "r", 3)
    yield _plain("mad24.hi.sat.s32", "r", 3)
    for letter, type_ in (("r", "u32"), ("l", "u64")):
        draws = DRAW[letter]
        for begin, end in (("add.cc", "addc"), ("sub.cc", "subc"), ("sub.cc", "addc"), ("mad.lo.cc", "addc")):
            third = ", %3" if begin.startswith("mad") else ""
            text = f"{{.reg .{type_} t; {begin}.{type_} t, %1, %2{third}; {end}.{type_} %0, %2, %3;}}"
            yield Statement(text, letter * 4, draws * 3)
        text = f"{{.reg .{type_} t; add.cc.{type_} t, %1, %2; addc.cc.{type_} t, %2, %3; subc.{type_} %0, t, %1;}}"
        yield Statement(text, letter * 4, draws * 3)
        for part in ("lo", "hi"):
            text = f"{{.reg .{type_} t; add.cc.{type_} t, %1, %2; madc.{part}.{type_} %0, %1, %2, %3;}}"
            yield Statement(text, letter * 4, draws * 3)
            text = (f"{{.reg .{type_} t; mad.{part}.cc.{type_} t, %1, %2, %3; madc.{part}.cc.{type_} t, t, %2, %1; "
                    f"addc.{type_} %0, t, 0;}}")  # fmt: skip
            yield Statement(text, letter * 4, draws * 3)
    for a in ("u32", "s32"):
        for b in ("u32", "s32"):
            yield _plain(f"dp4a.{a}.{b}", "r", 3)
            yield _plain(f"dp2a.lo.{a}.{b}", "r", 3)
            yield _plain(f"dp2a.hi.{a}.{b}", "r", 3)


def _bits() -> Iterator[Statement]:
    for letter, type_ in (("h", "b16"), ("r", "b32"), ("l", "b64")):
        draw = DRAW[letter]
        for name in ("and", "or", "xor"):
            yield _plain(f"{name}.{type_}", letter, 2)
        for name in ("not", "cnot"):
            yield _plain(f"{name}.{type_}", letter, 1)
        for name in (f"shl.{type_}", f"shr.u{type_[1:]}", f"shr.s{type_[1:]}"):
            yield Statement(f"{name} %0, %1, %2;", 2 * letter + "r", draw + "s")
            yield Statement(f"{name} %0, %2, %1;", letter + "r" + letter, "i" + draw)
        if letter == "h":
            continue
        for name in ("popc", "clz"):
            yield Statement(f"{name}.{type_} %0, %1;", "r" + letter, draw)
        yield _plain(f"brev.{type_}", letter, 1)
        for sign in "us":
            for name in ("bfind", "bfind.shiftamt"):
                yield Statement(f"{name}.{sign}{type_[1:]} %0, %1;", "r" + letter, draw)
            yield Statement(f"bfe.{sign}{type_[1:]} %0, %1, %2, %3;", 2 * letter + "rr", draw + "ss")
        yield Statement(f"bfi.{type_} %0, %1, %2, %3, %4;", 3 * letter + "rr", 2 * draw + "ss")
    for mode in ("clamp", "wrap"):
        for way in "lr":
            yield Statement(f"shf.{way}.{mode}.b32 %0, %1, %2, %3;", "rrrr", "iis")
        for sign in "us":
            yield Statement(f"szext.{mode}.{sign}32 %0, %1, %2;", "rrr", "is")
        yield Statement(f"bmsk.{mode}.b32 %0, %1, %2;", "rrr", "ss")
    yield Statement("fns.b32 %0, %1, %2, %3;", "rrrr", "is" + "i")
    for table in (0x00, 0x1B, 0x80, 0x96, 0xE8, 0xCA, 0xFE):
        yield Statement(f"lop3.b32 %0, %1, %2, %3, {table};", "rrrr", "iii")
    yield _plain("prmt.b32", "r", 3)
    for mode in ("f4e", "b4e", "rc8", "ecl", "ecr", "rc16"):
        yield Statement(f"prmt.b32.{mode} %0, %1, %2, %3;", "rrrr", "iis")


def _video() -> Iterator[Statement]:
    for name in ("vadd", "vsub", "vabsdiff", "vmin", "vmax"):
        yield _plain(f"{name}.s32.s32.s32", "r", 2)
        yield _plain(f"{name}.u32.u32.u32", "r", 2)
        yield _plain(f"{name}.s32.u32.s32.sat", "r", 2)
        yield Statement(f"{name}.u32.u32.u32.add %0, %1.b0, %2.h1, %3;", "rrrr", "iii")
        yield Statement(f"{name}.s32.s32.s32.sat.max %0, %1.b3, %2.b1, %3;", "rrrr", "iii")
    for name in (f"v{of}{count}" for count in (2, 4) for of in ("add", "sub", "avrg", "absdiff", "min", "max")):
        yield _plain(f"{name}.u32.u32.u32", "r", 3)
        yield _plain(f"{name}.s32.s32.s32.sat" if "avrg" not in name else f"{name}.s32.s32.s32", "r", 3)
    for name in ("vabsdiff2", "vabsdiff4"):
        yield _plain(f"{name}.u32.u32.u32.add", "r", 3)
        yield _plain(f"{name}.s32.s32.s32.add", "r", 3)


def _floats() -> Iterator[Statement]:
    for type_, letter in (("f32", "f"), ("f64", "d")):
        ends = ("", ".ftz") if letter == "f" else ("",)
        for end in ends:
            for mode in ("rn", "rz", "rm", "rp"):
                for name in ("add", "sub", "mul", "div"):
                    yield _plain(f"{name}.{mode}{end}.{type_}", letter, 2)
                yield _plain(f"fma.{mode}{end}.{type_}", letter, 3)
                for name in ("rcp", "sqrt"):
                    yield _plain(f"{name}.{mode}{end}.{type_}", letter, 1)
            for name in ("min", "max"):
                yield _plain(f"{name}{end}.{type_}", letter, 2)
            for name in ("abs", "neg"):
                yield _plain(f"{name}{end}.{type_}", letter, 1)
        yield _plain(f"copysign.{type_}", letter, 2)
    for name, inputs in (("add", 2), ("sub", 2), ("mul", 2), ("fma.rn", 3)):
        yield _plain(f"{name}.sat.f32", "f", inputs)
        yield _plain(f"{name}.ftz.sat.f32", "f", inputs)
    for name in ("min", "max"):
        yield _plain(f"{name}.NaN.f32", "f", 2)
        yield _plain(f"{name}.xorsign.abs.f32", "f", 2)
        yield _plain(f"{name}.NaN.xorsign.abs.f32", "f", 2)
    for name in ("ex2", "lg2", "rcp", "sqrt", "rsqrt", "sin", "cos"):
        for end in ("", ".ftz"):
            yield _plain(f"{name}.approx{end}.f32", "f", 1, near=True)
    yield _plain("tanh.approx.f32", "f", 1, near=True)
    yield _plain("rcp.approx.ftz.f64", "d", 1, near=True)
    yield _plain("rsqrt.approx.f64", "d", 1, near=True)
    yield _plain("rsqrt.approx.ftz.f64", "d", 1, near=True)
    for name in ("div.approx", "div.full"):
        for end in ("", ".ftz"):
            yield _plain(f"{name}{end}.f32", "f", 2, near=True)


def _narrow() -> Iterator[Statement]:
    for type_, letter, draw in (("f16", "h", "H"), ("f16x2", "r", "x"), ("bf16", "h", "B"), ("bf16x2", "r", "y")):
        half = type_.startswith("f16")
        for name in ("add", "sub", "mul"):
            yield _plain(f"{name}.rn.{type_}", letter, 2, draw * 2)
            if half:
                for end in ("ftz", "sat", "ftz.sat"):
                    yield _plain(f"{name}.rn.{end}.{type_}", letter, 2, draw * 2)
        for end in ("", ".relu", *((".ftz", ".sat", ".ftz.sat", ".ftz.relu") if half else ())):
            yield _plain(f"fma.rn{end}.{type_}", letter, 3, draw * 3)
        for name in ("min", "max"):
            for end in ("", ".NaN", ".NaN.xorsign.abs", ".xorsign.abs", *((".ftz",) if half else ())):
                yield _plain(f"{name}{end}.{type_}", letter, 2, draw * 2)
        for name in ("abs", "neg"):
            yield _plain(f"{name}.{type_}", letter, 1, draw)
            if half:
                yield _plain(f"{name}.ftz.{type_}", letter, 1, draw)
        yield _plain(f"ex2.approx{'' if half else '.ftz'}.{type_}", letter, 1, draw, near=True)
        yield _plain(f"tanh.approx.{type_}", letter, 1, draw, near=True)


def _holds(wide: str, narrow: str) -> bool:
    """Whether each number of a type is one of the other type: ptxas then knows no `.sat`."""
    bits = [int(each[1:]) - (each[0] == "s") for each in (wide, narrow)]
    return bits[0] >= bits[1] and not (wide[0] == "u" and narrow[0] == "s")


def _conversions() -> Iterator[Statement]:
    floats = {"f16": ("h", "H"), "f32": ("f", "f"), "f64": ("d", "d"), "bf16": ("h", "B")}
    for whole, letter in WHOLE.items():
        for type_, (kind, draw) in floats.items():
            for mode in ("rni", "rzi", "rmi", "rpi"):
                yield Statement(f"cvt.{mode}.{whole}.{type_} %0, %1;", letter + kind, draw)
            for mode in ("rn", "rz", "rm", "rp"):
                if type_ != "bf16" or mode == "rn":
                    yield Statement(f"cvt.{mode}.{type_}.{whole} %0, %1;", kind + letter, DRAW[letter])
        yield Statement(f"cvt.rzi.ftz.{whole}.f32 %0, %1;", letter + "f", "f")
        yield Statement(f"cvt.rzi.sat.{whole}.f32 %0, %1;", letter + "f", "f")
        for other, source in WHOLE.items():
            yield Statement(f"cvt.{whole}.{other} %0, %1;", letter + source, DRAW[source])
            if not _holds(whole, other):
                yield Statement(f"cvt.sat.{whole}.{other} %0, %1;", letter + source, DRAW[source])
        for small in ("u8", "s8"):
            yield Statement(f"cvt.{whole}.{small} %0, %1;", letter + "r", "i")
            if letter == "r":
                yield Statement(f"cvt.{small}.{whole} %0, %1;", "rr", "i")
                yield Statement(f"cvt.sat.{small}.{whole} %0, %1;", "rr", "i")
    for small in ("u8", "s8"):
        yield Statement(f"cvt.rzi.{small}.f32 %0, %1;", "rf", "f")
        yield Statement(f"cvt.rn.f32.{small} %0, %1;", "fr", "i")
    for mode in ("rn", "rz", "rm", "rp"):
        yield Statement(f"cvt.{mode}.f32.f64 %0, %1;", "fd", "d")
        yield Statement(f"cvt.{mode}.ftz.f32.f64 %0, %1;", "fd", "d")
        yield Statement(f"cvt.{mode}.f16.f64 %0, %1;", "hd", "d")
        yield Statement(f"cvt.{mode}.f16.f32 %0, %1;", "hf", "f")
        yield Statement(f"cvt.{mode}i.f32.f32 %0, %1;", "ff", "f")
        yield Statement(f"cvt.{mode}i.f64.f64 %0, %1;", "dd", "d")
        yield Statement(f"cvt.{mode}i.f16.f16 %0, %1;", "hh", "H")
    yield Statement("cvt.rn.sat.f32.f64 %0, %1;", "fd", "d")
    yield Statement("cvt.sat.f32.f32 %0, %1;", "ff", "f")
    yield Statement("cvt.f64.f32 %0, %1;", "df", "f")
    yield Statement("cvt.ftz.f64.f32 %0, %1;", "df", "f")
    yield Statement("cvt.f32.f16 %0, %1;", "fh", "H")
    yield Statement("cvt.ftz.f32.f16 %0, %1;", "fh", "H")
    yield Statement("cvt.f64.f16 %0, %1;", "dh", "H")
    yield Statement("cvt.f32.bf16 %0, %1;", "fh", "B")
    for type_ in ("f16", "bf16"):
        for mode in ("rn", "rz"):
            for relu in ("", ".relu"):
                yield Statement(f"cvt.{mode}{relu}.{type_}.f32 %0, %1;", "hf", "f")
                yield Statement(f"cvt.{mode}{relu}.{type_}x2.f32 %0, %1, %2;", "rff", "ff")
    yield Statement("cvt.rna.tf32.f32 %0, %1;", "rf", "f")
    for mode in ("rn", "rz", "rn.relu", "rz.relu"):
        yield Statement(f"cvt.{mode}.tf32.f32 %0, %1;", "rf", "f")
    for type_ in ("e4m3x2", "e5m2x2"):
        for relu in ("", ".relu"):
            yield Statement(f"cvt.rn.satfinite{relu}.{type_}.f32 %0, %1, %2;", "hff", "ff")
            yield Statement(f"cvt.rn.satfinite{relu}.{type_}.f16x2 %0, %1;", "hr", "x")
            yield Statement(f"cvt.rn{relu}.f16x2.{type_} %0, %1;", "rh", "e")


def _decisions() -> Iterator[Statement]:
    pick = "selp.u32 %0, 1, 0, p;"
    ordered = ("eq", "ne", "lt", "le", "gt", "ge")
    for type_, letter in WHOLE.items():
        names = ordered + (("lo", "ls", "hi", "hs") if type_[0] == "u" else ())
        for name in names:
            yield Statement(
                f"{{.reg .pred p; setp.{name}.{type_} p, %1, %2; {pick}}}", "r" + 2 * letter, 2 * DRAW[letter]
            )
    for type_, letter, draw in (("f32", "f", "f"), ("f64", "d", "d"), ("f16", "h", "H"), ("bf16", "h", "B")):
        for name in (*ordered, "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"):
            yield Statement(f"{{.reg .pred p; setp.{name}.{type_} p, %1, %2; {pick}}}", "r" + 2 * letter, 2 * draw)
    for name in ("lt", "geu"):
        yield Statement(f"{{.reg .pred p; setp.{name}.ftz.f32 p, %1, %2; {pick}}}", "rff", "ff")
        yield Statement(f"set.{name}.u32.f32 %0, %1, %2;", "rff", "ff")
        yield Statement(f"set.{name}.f32.f32 %0, %1, %2;", "fff", "ff")
        yield Statement(
            f"{{.reg .pred p, q; setp.{name}.f16x2 p|q, %1, %2; {pick} @q add.u32 %0, %0, 2;}}", "rrr", "xx"
        )
    yield Statement("set.lt.u32.s32 %0, %1, %2;", "rrr", "ii")
    yield Statement("set.hi.f32.u32 %0, %1, %2;", "frr", "ii")
    for type_, letter in (("f32", "f"), ("f64", "d")):
        for name in ("finite", "infinite", "number", "notanumber", "normal", "subnormal"):
            yield Statement(f"{{.reg .pred p; testp.{name}.{type_} p, %1; {pick}}}", "r" + letter, DRAW[letter])
    yield Statement("slct.u32.s32 %0, %1, %2, %3;", "rrrr", "iii")
    yield Statement("slct.u64.s32 %0, %1, %2, %3;", "lllr", "lli")
    yield Statement("slct.f32.f32 %0, %1, %2, %3;", "ffff", "fff")
    yield Statement("slct.ftz.f32.f32 %0, %1, %2, %3;", "ffff", "fff")


def inputs(tried: list[Statement]) -> Bits:
    """(statements, 4, COUNT)"""
    x = np.zeros((len(tried), 4, COUNT), np.uint64)
    for number, each in enumerate(tried):
        for place, bits in enumerate(drawn(each)):
            x[number, place] = bits
    return x
