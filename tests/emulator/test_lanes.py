"""CUDA's arithmetic with several small integers in a register, and its functions for dynamic programming: all of them,
against Python's whole numbers, by the words of CUDA's manual.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest

from grader.devices.cuda.toolkit import cuda_home

N = 98
COMPARED = {"eq": "==", "ne": "!=", "gt": ">", "ge": ">=", "lt": "<", "le": "<="}
Numbers = list[int]


def signed(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def lanes(value: int, bits: int, kind: str) -> Numbers:
    """The lowest first."""
    parts = [value >> at & ((1 << bits) - 1) for at in range(0, 32, bits)]
    return [signed(part, bits) for part in parts] if kind == "s" else parts


def together(parts: Numbers, bits: int) -> int:
    return sum((part & ((1 << bits) - 1)) << bits * at for at, part in enumerate(parts))


def clamped(value: int, bits: int, kind: str) -> int:
    least, most = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if kind == "s" else (0, (1 << bits) - 1)
    return min(max(value, least), most)


def by_lane(work: Callable[..., int], bits: int, kind: str) -> Callable[..., int]:
    return lambda *values: together(
        [work(*each) for each in zip(*(lanes(value, bits, kind) for value in values), strict=True)], bits
    )


def simd() -> dict[str, tuple[int, Callable[..., int]]]:
    """By name: how many arguments, and what it is."""
    found: dict[str, tuple[int, Callable[..., int]]] = {}

    def add(name: str, bits: int, kind: str, work: Callable[..., int], count: int = 2) -> None:
        found[f"__v{name}{32 // bits}"] = count, by_lane(work, bits, kind)

    for bits in (16, 8):
        add("add", bits, "u", lambda a, b: a + b)
        add("sub", bits, "u", lambda a, b: a - b)
        add("neg", bits, "s", lambda a: -a, 1)
        add("abs", bits, "s", lambda a: abs(a), 1)
        add("negss", bits, "s", lambda a, n=bits: clamped(-a, n, "s"), 1)
        add("absss", bits, "s", lambda a, n=bits: clamped(abs(a), n, "s"), 1)
        add("avgs", bits, "s", lambda a, b: (a + b + (a + b >= 0)) >> 1)  # halves away from zero
        add("avgu", bits, "u", lambda a, b: (a + b + 1) >> 1)
        add("haddu", bits, "u", lambda a, b: (a + b) >> 1)
        for kind in "su":
            for name, sign in (("add", 1), ("sub", -1)):
                add(f"{name}{kind}s", bits, kind, lambda a, b, k=kind, n=bits, s=sign: clamped(a + s * b, n, k))
            add(f"max{kind}", bits, kind, lambda a, b: max(a, b))
            add(f"min{kind}", bits, kind, lambda a, b: min(a, b))
            add(f"absdiff{kind}", bits, kind, lambda a, b: abs(a - b))
            distance = lambda a, b, n=bits, k=kind: sum(  # noqa: E731
                abs(p - q) for p, q in zip(lanes(a, n, k), lanes(b, n, k), strict=True)
            )
            found[f"__vsad{kind}{32 // bits}"] = 2, distance
        for name, sign in COMPARED.items():
            for kind in "u" if name in ("eq", "ne") else "su":
                suffix = f"{name}{'' if name in ('eq', 'ne') else kind}"
                ask = eval(f"lambda a, b: a {sign} b")
                add(f"cmp{suffix}", bits, kind, lambda a, b, ask=ask: -ask(a, b))
                add(f"set{suffix}", bits, kind, lambda a, b, ask=ask: int(ask(a, b)))
    return found


def dynamic() -> dict[str, tuple[int, Callable[..., int]]]:
    """Those of dynamic programming; of two or three numbers."""
    found: dict[str, tuple[int, Callable[..., int]]] = {}
    for type_, bits, kind in (("s32", 32, "s"), ("u32", 32, "u"), ("s16x2", 16, "s"), ("u16x2", 16, "u")):
        for name, best in (("max", max), ("min", min)):

            def summed(a: int, b: int, c: int, best=best, bits=bits, kind=kind) -> int:
                total = signed(a + b, bits) if kind == "s" else (a + b) & ((1 << bits) - 1)
                return best(total, c)

            found[f"__vi{name}3_{type_}"] = 3, by_lane(lambda a, b, c, best=best: best(a, b, c), bits, kind)
            found[f"__viadd{name}_{type_}"] = 3, by_lane(summed, bits, kind)
            if kind == "s":
                relu = lambda *v, best=best: max(best(v), 0)  # noqa: E731
                found[f"__vi{name}_{type_}_relu"] = 2, by_lane(relu, bits, kind)
                found[f"__vi{name}3_{type_}_relu"] = 3, by_lane(relu, bits, kind)
                of_sum = lambda *v, summed=summed: max(summed(*v), 0)  # noqa: E731
                found[f"__viadd{name}_{type_}_relu"] = 3, by_lane(of_sum, bits, kind)
    return found


ALL = simd() | dynamic()
CALLS = "\n".join(
    f"    z[{row} * n + i] = {name}({', '.join(f'{each}[i]' for each in 'xyw'[:count])});"
    for row, (name, (count, _)) in enumerate(ALL.items())
)
SOURCE = f"""
__global__ void all_kernel(const unsigned* x, const unsigned* y, const unsigned* w, unsigned* z, int n) {{
    int i = threadIdx.x;
    if (i >= n) return;
{CALLS}
}}
extern "C" void all(const unsigned* x, const unsigned* y, const unsigned* w, unsigned* z, int n, cudaStream_t stream) {{
    all_kernel<<<1, 128, 0, stream>>>(x, y, w, z, n);
}}
__global__ void chosen_kernel(const unsigned* x, const unsigned* y, unsigned* z, int n) {{
    int i = threadIdx.x;
    if (i >= n) return;
    bool p[8];
    z[0 * n + i] = __vibmax_s32(x[i], y[i], p);
    z[1 * n + i] = __vibmin_s32(x[i], y[i], p + 1);
    z[2 * n + i] = __vibmax_u32(x[i], y[i], p + 2);
    z[3 * n + i] = __vibmin_u32(x[i], y[i], p + 3);
    z[4 * n + i] = __vibmax_s16x2(x[i], y[i], p + 4, p + 5);
    z[5 * n + i] = __vibmin_u16x2(x[i], y[i], p + 6, p + 7);
    z[6 * n + i] = 0;
    for (int k = 0; k < 8; ++k) z[6 * n + i] |= (unsigned)p[k] << k;
    bool high, low;
    z[7 * n + i] = __vibmin_s16x2(x[i], y[i], &high, &low) + __vibmax_u16x2(x[i], y[i], &high, &low);
}}
extern "C" void chosen(const unsigned* x, const unsigned* y, unsigned* z, int n, cudaStream_t stream) {{
    chosen_kernel<<<1, 128, 0, stream>>>(x, y, z, n);
}}
"""


@pytest.fixture
def numbers() -> dict[str, np.ndarray]:
    random = np.random.default_rng(5)
    made = {name: random.integers(0, 2**32, N).astype(np.uint32) for name in "xyw"}
    edges = [0, 0x80008000, 0x7FFF7FFF, 0x80808080, 0x7F7F7F7F, 0xFFFFFFFF, 0x80000000, 0x7FFFFFFF, 0x00010001]
    made["x"][:81] = np.repeat(edges, 9)  # each with each
    made["y"][:81] = np.tile(edges, 9)
    made["w"][:20] = 0
    return made


@pytest.mark.slow
def test_each_function_is_what_its_name_says(call, numbers):
    z = call("all", **numbers, z=np.zeros((len(ALL), N), np.uint32), n=N)["z"]
    for row, (name, (count, work)) in zip(z, ALL.items(), strict=True):
        given = [numbers[each].tolist() for each in "xyw"[:count]]
        expected = [work(*values) & 0xFFFFFFFF for values in zip(*given, strict=True)]
        assert row.tolist() == expected, name


def test_what_was_chosen_is_told(call, numbers):
    x, y = numbers["x"].tolist(), numbers["y"].tolist()
    z = call("chosen", x=numbers["x"], y=numbers["y"], z=np.zeros((8, N), np.uint32), n=N)["z"].tolist()
    for i, (a, b) in enumerate(zip(x, y, strict=True)):
        s, t = signed(a, 32), signed(b, 32)
        (sl, sh), (tl, th) = lanes(a, 16, "s"), lanes(b, 16, "s")
        (ul, uh), (vl, vh) = lanes(a, 16, "u"), lanes(b, 16, "u")
        assert [row[i] for row in z[:4]] == [max(s, t) & 0xFFFFFFFF, min(s, t) & 0xFFFFFFFF, max(a, b), min(a, b)]
        smaller, larger = together([min(sl, tl), min(sh, th)], 16), together([max(ul, vl), max(uh, vh)], 16)
        assert z[4][i] == together([max(sl, tl), max(sh, th)], 16)
        assert z[5][i] == together([min(ul, vl), min(uh, vh)], 16)
        told = [s >= t, s <= t, a >= b, a <= b, sh >= th, sl >= tl, uh <= vh, ul <= vl]
        assert z[6][i] == sum(each << k for k, each in enumerate(told))
        assert z[7][i] == (smaller + larger) & 0xFFFFFFFF


def test_all_names_of_cudas_headers_are_here():
    home = cuda_home()
    if not home:
        pytest.skip("there is no CUDA toolkit here")
    text = (home / "include/crt/device_functions.h").read_text()
    theirs = set(re.findall(r"\b__v(?:[a-z]+[24]|i\w+)(?=\s*\()", text))
    assert {name for name in theirs if not name.startswith("__vib")} == set(ALL)
