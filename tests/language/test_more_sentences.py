"""What a learner reads where a file is older or newer than CUDA 13 and C++17, or lacks a header or a side."""

from __future__ import annotations

import pytest

from grader.devices.build import formats, frontend, opinion, rules
from grader.devices.cache import cache_root
from grader.devices.evidence import Build, Diagnostic
from tests.shared import long_tail

pytestmark = pytest.mark.skipif(not frontend.available(), reason="there is no libclang here")
HOST_PLUS = "inline float3 operator+(float3 a, float3 b) { return make_float3(a.x + b.x, a.y + b.y, a.z + b.z); }\n"
PROP = "void f(int* x) { cudaDeviceProp p; cudaGetDeviceProperties(&p, 0); x[0] = p."
ROWS = [
    (
        PROP + "clockRate; }",
        1,
        "no `clockRate` since CUDA 13: type `cudaDeviceGetAttribute(&value, cudaDevAttrClockRate",
    ),
    (
        HOST_PLUS + "__global__ void k(float3* x) { x[0] = x[1] + x[2]; }",
        2,
        "the operator in line 1 is a function of the",
    ),
    (
        "struct S { float operator()(float v) const { return v; } };\n"
        "template <class F> __global__ void k(float* x, F f) { x[0] = f(x[0]); }\n"
        "void g(float* x) { k<<<1, 1>>>(x, S{}); }",
        2,
        "`operator()` is a function of the host",
    ),
    (
        "__global__ void k(float* x, int&& n) { x[0] = n; }",
        1,
        "the kernel `k` cannot take `&&`: hand `n` over as a value",
    ),
    (
        "extern __shared__ float s[];\n__global__ void k() { extern __shared__ double s[]; s[0] = 1; }",
        2,
        "`s` is `double[]` here, and `float[]` in line 1",
    ),
    (
        "__global__ void k() { extern __shared__ alignas(16) float s[]; s[0] = 1; }",
        1,
        "at the start of the declaration",
    ),
    ("__global__ void k(float* x) { const __shared__ float s[32]; x[0] = s[0]; }", 1, "take `const` out"),
    (
        "__global__ void k(float* x) { __constant__ float c[1] = {1}; x[0] = c[0]; }",
        1,
        "belongs outside of all functions",
    ),
    ("void f() { cudaThreadSynchronize(); }", 1, "has gone from CUDA: write `cudaDeviceSynchronize`"),
    (
        "void f() { cudaMemLocation place; }",
        1,
        "`cudaMemLocation` is not emulated in a graded file: `ladder run` has it",
    ),
    ("template <class T> concept Small = true;", 1, "`concept` is C++20's"),
    ("consteval int f() { return 1; }", 1, "`consteval` is C++20's"),
    (
        "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n__global__ void k(int* x) {\n"
        "    x[0] = cg::reduce(cg::this_thread_block(), 1, 2); }",
        4,
        "needs `#include <cooperative_groups/reduce.h>` at the top",
    ),
    (
        "#include <cuda/std/cmath>\n__global__ void k(int* x) { cuda::std::array<int, 2> a; x[0] = a[0]; }",
        2,
        "needs `#include <cuda/std/array>` at the top",
    ),
    ("float f() { std::tuple<float> t(1); return 0; }", 1, "'std::tuple' needs `#include <tuple>` at the top"),
    ("#include <iostream>\n__global__ void k() { std::cout << 1; }", 2, 'call `printf("%f\\n", x)`'),
    (
        "template <int N> __global__ void k() {}\nvoid f(int n) { k<n><<<1, 1>>>(); }",
        2,
        "a template argument of `k` is no constant of its type",
    ),
    ("__global__ void k(int* x) { if (x[0]) goto e; int a = 3; x[1] = a; e: x[2] = 1; }", 1, "this `goto` jumps past"),
    ("__global__ void k(float* x) { switch (x[0]) { case 1: x[1] = 1; } }", 1, "a `switch` is for whole numbers"),
    ("__global__ void k(int* x) { int f(int a) { return a; } }", 1, "write a lambda, `auto f = [&](int i) { ... };`"),
    ("struct S { __global__ void k(float* x) { x[0] = 1; } };", 1, "cannot be a member of a class"),
    (
        "#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n__global__ void k(__nv_bfloat16* x, half* y) { y[0] = x[0]; }",
        3,
        "`__nv_bfloat16` does not become `__half` by `=`",
    ),
    (
        "#include <memory>\n__global__ void k(std::unique_ptr<float> p) { *p = 1; }",
        2,
        "hand the kernel a pointer to memory from cudaMalloc",
    ),
    ("texture<float, 1> t;", 1, "texture references have gone from CUDA"),
    ("__global__ void k(float* x) { x[1] = reinterpret_cast<int>(x[0]); }", 1, "`__float_as_int(x)`"),
]


@pytest.mark.parametrize(("source", "line", "said"), long_tail(ROWS, every=2))
def test_a_refusal_says_what_to_type_instead(source, line, said):
    frontend.prepare(cache_root())
    refused = rules.messages(rules.refusals(frontend.parse(source, cache_root())))
    assert said in refused[0].text and refused[0].line == line
    assert "ladder_" not in refused[0].text


def test_what_cuda_13_has_no_more_is_named_without_a_name_of_ours():
    frontend.prepare(cache_root())
    refused = rules.messages(rules.refusals(frontend.parse(PROP + "cooperativeMultiDeviceLaunch; }", cache_root())))
    assert "ladder_" not in refused[0].text and "CUDA 13" in refused[0].text


def test_a_half_that_is_printed_is_told_as_that_and_not_as_a_structure():
    said = formats.of_format("format specifies type 'double' but the argument has type 'half'")
    assert said == "the text of this call says `double`, but the value is `half`: write `(float)` before it"
    failed = Build("build_error", "line 3: copies", [Diagnostic("copies a structure", 3)])
    told = opinion._of_printed(failed, [Diagnostic(said, 3), Diagnostic(said, 4), Diagnostic("another", 3)])
    assert [each.line for each in told] == [3]
    assert opinion._of_printed(Build(), [Diagnostic(said, 3)]) == []
