"""Pointers that leave the local variable that they were made from: found when what lies there is used."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from grader.devices.emulator.sides import marks
from grader.devices.emulator.subscripts import with_used_indexes
from tests.emulator.checked_kernel import run

KERNELS = Path(__file__).parent / "kernels"
RIGHT, WRONG = ((KERNELS / f"lent_{kind}.cu").read_text() for kind in ("right", "wrong"))
RIGHT_BESIDE, WRONG_BESIDE = ((KERNELS / f"beside_{kind}.cu").read_text() for kind in ("right", "wrong"))


def names_in(source: str) -> list[str]:
    """Those of the kernels in a file's list."""
    return re.findall(r"\w+", source.split("kernels[] = {")[1].split("}")[0])


@pytest.mark.parametrize("name", names_in(WRONG))
def test_a_pointer_leaves_its_array(run_kernel, name):
    _, _, findings = run(run_kernel, WRONG, names_in(WRONG).index(name))
    assert [(finding.kind, finding.severity) for finding in findings] == [("own_array", "error")]
    assert re.search(r"uses [ab]\[-?\d+\], (past its end|before its start): [ab] has \d elements", findings[0].message)


@pytest.mark.parametrize("name", names_in(RIGHT))
def test_a_right_pointer_is_left_alone(run_kernel, name):
    x, z, findings = run(run_kernel, RIGHT, names_in(RIGHT).index(name))
    noted = [("deep_calls", "note")] if name == "deep_recursion" else []  # 66 deep, of the 64 that surely fit
    assert [(finding.kind, finding.severity) for finding in findings] == noted and np.allclose(z, x)


@pytest.mark.parametrize("name", names_in(WRONG_BESIDE))
def test_a_pointer_or_an_index_leaves_another_variable(run_kernel, name):
    _, _, findings = run(run_kernel, WRONG_BESIDE, names_in(WRONG_BESIDE).index(name))
    assert [(finding.kind, finding.severity) for finding in findings] == [("own_array", "error")]
    past = r"uses (a|\w\.a|m|m\[...\])\[\d+\], past its end"
    past += r"|(past the end|before the start) of ([pv]|\[v, w\]), which is no array"
    assert re.search(past, findings[0].message)


@pytest.mark.parametrize("name", names_in(RIGHT_BESIDE))
def test_another_variable_that_nothing_leaves_is_left_alone(run_kernel, name):
    x, z, findings = run(run_kernel, RIGHT_BESIDE, names_in(RIGHT_BESIDE).index(name))
    assert findings == [] and np.allclose(z, x)


def test_a_vector_that_lies_across_in_an_array(run_kernel):
    kernel = """__global__ void k(const float* x, float* z, int n) {
    __align__(16) float a[8] = {};
    const float4 v = *reinterpret_cast<float4*>(a + n);
    z[threadIdx.x] = x[threadIdx.x] + 0 * v.x;
}
extern "C" void f(const float* x, float* z, int n, cudaStream_t stream) { k<<<1, 32, 0, stream>>>(x, z, n); }
"""
    x, z, findings = run(run_kernel, kernel, 4)
    assert findings == [] and np.allclose(z, x)
    _, _, (finding,) = run(run_kernel, kernel, 2)
    assert finding.kind == "misaligned" and "reads 16 bytes of a at byte 8" in finding.message


# Blocks sleep while others run on their stacks.
SLEEPERS = """
#include <cooperative_groups.h>
__device__ float sum(const float* p, int n) { float s = 0; while (n--) s += *p++; return s; }
__device__ float deeper(float v, int n) {
    float a[4] = {v};
    cooperative_groups::this_grid().sync();
    return n ? deeper(sum(a, 4), n - 1) : sum(a, blockIdx.x == 60 ? 5 : 4);
}
__global__ void k(const float* x, float* z, int n) {
    float a[4] = {x[threadIdx.x], 0}, b[2] = {};
    for (int j = 0; j < 3; ++j) { cooperative_groups::this_grid().sync(); a[j + 1] = sum(b, 2) + sum(a, n); }
    const float found = deeper(a[3] / 4, 3);
    if (blockIdx.x == 0) z[threadIdx.x] = found;
}
extern "C" void f(const float* x, float* z, int n, cudaStream_t stream) {
    void* arguments[] = {&x, &z, &n};
    cudaLaunchCooperativeKernel(k, 64, 32, arguments, 0, stream);
}
"""


@pytest.mark.slow
def test_margins_stay_with_a_block_that_sleeps(run_kernel):
    x, z, findings = run(run_kernel, SLEEPERS.replace("? 5 :", "? 4 :"), 4)
    assert findings == [] and np.allclose(z, x)
    _, _, (finding,) = run(run_kernel, SLEEPERS, 4)
    assert "block (60, 0, 0) uses a[4], past its end: a has 4 elements" in finding.message


def arrays_with_margins(code: str) -> set[str]:
    text = f'# 1 "k.cu"\n{code}\n{marks(code)}'
    rewritten, without = with_used_indexes(text, "k.cu")
    assert rewritten.count("\n") == text.count("\n")
    assert "ladder_array_" not in without
    return set(re.findall(r"ladder_margins_(\w+) ", rewritten))


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("float a[4]; f(a);", "a"),
        ("float a[4] ; f(a); float b ; f(&b);", "a b"),
        ("float a[4], b[2][3] = {},\n    *p = a, c[4]; f(b[1]); c[0] = 1;", "a b"),
        ("alignas(16) const ns::Vec<int, 4>* a[n >> 2] = {x, y}; f(&a[1]);", "a"),
        ('int a[] = {1,\n    2}; char b[] = "ab"; return *a + *(b + i);', "a b"),
        ("if (x) { for (;;) { unsigned long long a[2]; p = a + 1; } }", "a"),
        ("auto g = [&](int i) { P a[2]; return f(&a[i]); };", "a"),
        ("float a[4]; a[i] = a[j] * 2; for (float v : a) s += v; n = sizeof(a) / sizeof(a[0]);", ""),
        ("P a[4]; a[i].x = a[j].y; a[i].method(); f(a[j]);", ""),
        ("static float a[4]; constexpr int b[2] = {}; f(a, b);", ""),
        ("float a[4]; decltype(a) b; f(a);", ""),
        ("float a[4]; constexpr int n = count(a); f(a);", ""),
        ("float a[4]; if constexpr (n > 1) f(a);", "a"),
        ("switch (x) { case 1: float a[4]; y = 1; float b[4]; f(a, b); }", ""),
        ("float a[4]; f(a); goto end; end: ;", "a"),
        ("goto end; float a[4]; f(a); { float b[4]; f(b); } end: ;", "b"),
        ("float a = 1, b = 2, c; f(&a, a * b); sincosf(a, std::addressof(b), &c.x[1]);", "a b c"),
        (
            "P a = {1}, *b; P c{2}; f(a.at, b->at, a.v); g(c.begin(), &b); (int&)b = 1; reinterpret_cast<int&>(a) = 1;",
            "a b c",
        ),
        ("std::array<int, 4> a = {}; const ns::array<P> b; f(a); b[1] = 1; std::array<P, 2> c; n = sizeof(c);", "a b"),
        (
            "const int a = 4; P b = {&b}; P& c = b; P d(); extern P e; f(&a, &b, &c, &d, &e); while (P h = f()) f(&h);",
            "",
        ),
        ("P a(1), b(x[1], 2); float c(n), *d(x); const number e = 4; f(&a, &b, &c, &d, &e);", "a b c d"),
        ("const float4 a = x[n]; const P b{1}; const float c = 1, d = 2; f(&a.x, b.at, &c, d);", "a b c"),
        ("const auto a = x[n]; auto const b = y[n]; const auto c = 4; const V d = x[1]; f(&a.x, &b, &c, &d.x);", "a d"),
        ("switch (n) { case 1: { float a[4]; f(a); } default: { P b; f(&b); } } again: { P c; f(&c); }", "a b c"),
        ("auto a = x[n]; auto b = [&] { return &a.x; }; auto* c = &f; auto d{1}; f(&b, &c, &d);", "a"),
        ("auto g = [](P a, int b, const P c, P& d, P* e) { f(&a, a.at, b, &c, &d, &e); };", "a c"),
        ("for (int a = 0, b = 1; a < n;) { f(&a, &b); } if (int b = n) { f(&b); } while (int c = n) { f(&c); }", ""),
        ("float a; decltype(a) b; f(&a, a & n, n && a);", ""),
        ("a[i++] = b[i], a[--i] = b[i];", ""),
        ("float a[2][4]; sum(a[1]); by_name(a[0]);", ""),
        ("auto [a, b] = x[n]; f(&b); const auto [c, d] = g(n); f(&c); auto [e, h] = x[n]; e = h;", "a c"),
        ("auto& [a, b] = x[n]; f(&b); auto [c, d] = x[n]; decltype(c) e; f(&c); auto [g, h]{x[n]}; f(&g);", ""),
        ("float a[4], b[4]; lends(a); passes(b); lend_one(a, b);", "a b"),
        ("float a[4]; either(a);", "a"),
    ],
)
def test_which_arrays_get_margins(body, names):
    others = """
struct P { float at[4], v; float* begin() { return at; } };
template <int N> float sum(const float (&v)[N]) { float s = 0; for (float x : v) s += x; return s + v[0]; }
void by_name(float (&v)[4]) { for (int i = 0; i < 4; ++i) v[i] = sum(v); if (v[0] > 1) by_name(v); }
float lends(float (&v)[4]) { float* p = v; return *p; }
float passes(float (&v)[4]) { return lends(v); }
float lend_one(float (&v)[4], const float (&w)[4]) { return v[0] + *(w + 1); }
float either(float (&v)[4]) { return v[0]; } float either(float* v) { return *v; }
"""
    assert arrays_with_margins(f"{others}__device__ void k(int n) {{ {body} }}") == set(names.split())


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("for (float a[4] = {1, 2}; n;) f(a);", "a"),
        ("for (int a = 0; a < n; ++a) f(&x[a], a); for (float v : x) f(&v);", ""),
        ("if (float4 a = x[n]; a.x > 1) f(&a.x); else if (P b(1); n) { f(b.at); }", "a b"),
        ("if (n) for (const float4 a{x[0]};\n n;) f(&a.y);", "a"),
        ("for (P a ; a < 4 ;) f(&a);", "a"),
        ("switch (auto a = x[n]; n) { default: f(&a.x); }", "a"),
    ],
)
def test_which_variables_of_heads_get_margins(body, names):
    code = f"struct P {{ float at[4]; }};\n__device__ void k(int n) {{ {body} }}"
    text = f'# 1 "k.cu"\n{code}\n{marks(code)}'
    rewritten, _ = with_used_indexes(text, "k.cu")
    assert rewritten.count("\n") == text.count("\n")
    assert re.findall(r"auto \[ladder_before_(\w+), \1,", rewritten) == names.split()


def test_no_array_gets_margins_where_no_kernel_runs():
    assert arrays_with_margins("void k() { float a[4]; f(a); }") == set()
    assert arrays_with_margins("__device__ constexpr int k() { float a[4] = {}; return f(a); }") == {"a"}
    assert arrays_with_margins("void k(P a) { f(&a); } __device__ void g(P b, int) { f(&b); }") == {"b"}
    assert arrays_with_margins("template <int N> __device__ void k() { int a[] = {N, 1}; f(a); }") == set()
    assert arrays_with_margins("struct P { float a[4]; void k() { f(a); } }; float b[4]; float* p = b;") == set()


@pytest.mark.parametrize("captures", ["&", "=", "&sum, k"])
def test_a_lambda_that_is_handed_to_a_function_is_no_array(captures):
    """`run([&](int k) { int r = k; ... });` begins as an array's declaration does: a type, a name, a bracket."""
    statement = f"    run([{captures}](int k) {{ int r = k, c = 2; sum[r] += x[c]; }});\n"
    source = f"void t(const float* x, float* sum, int k) {{\n{statement}}}\n"
    text = f'# 1 "kernel.cu"\n{source}'
    for rewritten in with_used_indexes(text, "kernel.cu"):
        assert f"run([{captures}](int k)" in rewritten
