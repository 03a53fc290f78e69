"""Sixteen numbers, read in many ways, give the same wherever they lie: in a thread's own array, a table of constants,
`__constant__`, `__device__` or shared memory. The emulator sees the read, or takes it for a constant's, in each.
"""

from __future__ import annotations

import re

import numpy as np
import pytest

THREADS = 32
NUMBERS = "{1, 5, 2, 7, 3, 8, 4, 9, 6, 0, 11, 13, 12, 15, 10, 14}"
HEAD = f"""
struct alignas(16) Row {{
    float v[16];
    __device__ const float& operator[](int k) const {{ return v[k]; }}
    __device__ float get(int k) const {{ return v[k]; }}
    __device__ const float* begin() const {{ return v; }}
    __device__ const float* end() const {{ return v + 16; }}
}};
struct Four {{ float a[4]; }};
template <int N> __device__ float sum_of(const float (&a)[N], int n) {{
    float s = 0;
    for (int k = 0; k < N; k++) s += a[k] * (k < n ? 2 : 1);
    return s;
}}
__noinline__ __device__ float first(const float* p, int n) {{
    float s = 0;
    for (int k = 0; k < n; k++) s += p[k];
    return s;
}}
__device__ constexpr Row table = {{{NUMBERS}}};
__constant__ Row given = {{{NUMBERS}}};
__device__ Row kept = {{{NUMBERS}}};
"""
PLACES = {  # what is declared in the function, and the name of the row
    "own": (f"const Row own = {{{NUMBERS}}};", "own"),
    "static": (f"static constexpr Row own = {{{NUMBERS}}};", "own"),
    "table": ("", "table"),
    "constant": ("", "given"),
    "device": ("", "kept"),
    "shared": ("__shared__ Row all; if (i < 16) all.v[i] = table.v[i]; __syncthreads();", "all"),
}
WAYS = {  # of the row R
    "index": "for (int k = 0; k < i % 16; k++) s += R.v[k] + R.v[15 - k];",
    "back": "for (int k = i % 16; k >= 0; k -= 2) s += R.v[k];",
    "walk": "for (const float* p = R.v; p != R.v + 16; ++p) s += *p * (i % 3);",
    "range": "for (float each : R) s += each * i;",
    "method": "for (int k = 0; k < i % 16; k++) s += R[k] * R.get(15 - k);",
    "rows": "auto m = (const float (*)[4])R.v; for (int k = 0; k < 4; k++) s += m[k][i % 4] + m[i % 4][k];",
    "lambda": "auto f = [&](int k) { return R.v[k]; }; for (int k = 0; k < i % 16; k++) s += f(k) - f((k + i) % 16);",
    "array": "s += sum_of(R.v, i % 16);",
    "call": "s += first(&R.v[0], i % 16) + first(R.v + 4, i % 8);",
    "copy": "Four v = *reinterpret_cast<const Four*>(R.v + 4 * (i % 4)); for (float each : v.a) s = 2 * s + each;",
    "memcpy": "float v[4]; memcpy(v, R.v + 4 * (i % 4), 16); s += v[0] - v[3] + 3 * v[i % 4];",
    "vector": "float4 v = reinterpret_cast<const float4*>(R.v)[i % 4]; s += v.x + 2 * v.y + 3 * v.z + 4 * v.w;",
    "chase": "for (int k = i % 16, j = 0; j < 5; j++) s += k = static_cast<int>(R.v[k]);",
    "find": "int k = 0; while (k < 16 && R.v[k] != i % 16) k++; s += k;",
    "pointer": "const Row* p = &R; for (int k = 0; k < i % 16; k++) s += (*p)[k] - p->v[15 - k];",
}
PROTOTYPE = "void f(const float* x, float* z, int n, cudaStream_t stream)"


def source() -> str:
    functions, calls = [], []
    for place, (declared, row) in PLACES.items():
        for way, code in WAYS.items():
            code = re.sub(r"\bR\b", row, f"{declared} float s = 0; {code} return s;")
            functions.append(f"__device__ float {place}_{way}(int i) {{ {code} }}")
            calls.append(f"    z[{len(calls)} * n + threadIdx.x] = {place}_{way}(threadIdx.x);")
    kernel = ["__global__ void k(float* z, int n) {", *calls, "}"]
    entry = f'extern "C" {PROTOTYPE} {{ k<<<1, n, 0, stream>>>(z, n); }}'
    return "\n".join([HEAD, *functions, *kernel, entry])


def expected(i: int) -> dict[str, float]:
    v = [int(each) for each in NUMBERS.strip("{}").split(",")]
    m, n, part = np.reshape(v, (4, 4)), i % 16, v[4 * (i % 4) : 4 * (i % 4) + 4]
    chased = [n]
    for _ in range(5):
        chased.append(v[chased[-1]])
    return {
        "index": sum(v[k] + v[15 - k] for k in range(n)),
        "back": sum(v[k] for k in range(n, -1, -2)),
        "walk": sum(v) * (i % 3),
        "range": sum(v) * i,
        "method": sum(v[k] * v[15 - k] for k in range(n)),
        "rows": m[:, i % 4].sum() + m[i % 4].sum(),
        "lambda": sum(v[k] - v[(k + i) % 16] for k in range(n)),
        "array": sum(v) + sum(v[:n]),
        "call": sum(v[:n]) + sum(v[4 : 4 + i % 8]),
        "copy": 8 * part[0] + 4 * part[1] + 2 * part[2] + part[3],
        "memcpy": part[0] - part[3] + 3 * part[i % 4],
        "vector": part[0] + 2 * part[1] + 3 * part[2] + 4 * part[3],
        "chase": sum(chased[1:]),
        "find": v.index(n),
        "pointer": sum(v[k] - v[15 - k] for k in range(n)),
    }


@pytest.mark.slow
def test_sixteen_numbers_are_the_same_wherever_they_lie(run_kernel):
    names = [(place, way) for place in PLACES for way in WAYS]
    z = np.zeros((len(names), THREADS), np.float32)
    outputs, case = run_kernel(source(), PROTOTYPE, x=np.zeros(1, np.float32), z=z, n=THREADS, checked=True)
    assert [each.message for each in case.findings] == []
    wanted = [expected(i) for i in range(THREADS)]
    for (place, way), row in zip(names, outputs["z"], strict=True):
        assert row.tolist() == [each[way] for each in wanted], f"{place}, {way}"
