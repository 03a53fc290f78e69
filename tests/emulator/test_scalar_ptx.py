"""Scalar PTX gives what an H200 has given, bit by bit: benchmarks/fidelity/scalar_ptx.py.

But for instructions that approximate, the bits of what is no number, and those that are not emulated, which say so.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks.fidelity import scalar_ptx
from benchmarks.fidelity.scalar_statements import COUNT, WIDTHS, Bits, Statement, inputs, statements

RESULTS = Path(__file__).parents[2] / "benchmarks" / "results" / "h200" / "scalar_ptx.json"
PROTOTYPE = "void run(const double* x, double* z, int first, cudaStream_t stream)"
EACH = 120  # statements in a function: more of them take long to compile
NOT_EMULATED = ("vadd", "vsub", "vabsdiff", "vmin", "vmax", "vavrg")
# The PTX ISA says 1.0, and this GPU gives the bits of a whole 1.
OTHERWISE = ("set.lt.f32.f32", "set.geu.f32.f32", "set.hi.f32.u32")


def source(tried: list[Statement]) -> str:
    """A kernel that runs one statement, the one of number `first`."""
    cases = [f"case {n}: {scalar_ptx.statement('i', each, 'i')} break;" for n, each in enumerate(tried)]
    parts = [cases[at : at + EACH] for at in range(0, len(cases), EACH)]
    given = "const unsigned long long* x, unsigned long long* z, int n, int i"
    functions = [
        f"__device__ __noinline__ void part{p}({given}) {{ switch (n) {{\n{chr(10).join(each)}\n}} }}"
        for p, each in enumerate(parts)
    ]
    calls = " ".join(f"case {p}: part{p}(x, z, n, i); break;" for p in range(len(parts)))
    return f"""{chr(10).join(functions)}
__global__ void some(const unsigned long long* x, unsigned long long* z, int n) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    switch (n / {EACH}) {{ {calls} }}
}}
extern "C" {PROTOTYPE} {{
    some<<<{COUNT // 128}, 128, 0, stream>>>((const unsigned long long*)x, (unsigned long long*)z, first);
}}
"""


def is_number(kind: str, text: str, bits: Bits) -> np.ndarray:
    """Whether results are numbers, as far as they are floats of this many bits; of a pair, both."""
    exponents = {"f": [(8, 23, 0)], "d": [(11, 52, 0)]}.get(kind, [])
    if "16" in text and kind in "hr":
        layout = (8, 7) if "bf16" in text else (5, 10)
        exponents = [(*layout, 16 * at) for at in range(WIDTHS[kind] // 16)]
    found = np.ones(bits.shape, bool)
    for exponent, fraction, place in exponents:
        value = bits >> np.uint64(place) & np.uint64((1 << (exponent + fraction)) - 1)
        found &= value <= np.uint64(((1 << exponent) - 1) << fraction)
    return found


@pytest.fixture(scope="module")
def results() -> Bits:
    return scalar_ptx.unpacked(json.loads(RESULTS.read_text())["results"])


@pytest.mark.slow
def test_scalar_ptx_is_as_on_an_h200(run_kernel, results):
    tried = statements()
    x, text, wrong, refused = inputs(tried), source(tried), {}, []
    assert len(tried) == len(results)
    for number, (each, expected) in enumerate(zip(tried, results, strict=True)):
        given = x[number].reshape(-1).view(np.float64)
        outputs, case = run_kernel(text, PROTOTYPE, x=given, z=np.zeros(COUNT), first=number)
        if any(found.severity == "error" for found in case.findings):
            refused.append(each.text.split(".")[0].rstrip("24"))
            continue
        kind = each.kinds[0]
        found = outputs["z"].view(np.uint64)[scalar_ptx.KEPT] & np.uint64((1 << WIDTHS[kind]) - 1)
        both = is_number(kind, each.text, found) & is_number(kind, each.text, expected)
        if not each.near and (found != expected)[both].any():
            wrong[each.text] = [(hex(a), hex(b)) for a, b in zip(found, expected, strict=True) if a != b][:3]
    assert {text: what for text, what in wrong.items() if not text.startswith(OTHERWISE)} == {}
    assert set(refused) == set(NOT_EMULATED)
