"""Local variables that a program's device code uses before they have a value: what the text alone is sure of."""

from __future__ import annotations

import pytest

from grader.devices.emulator.first_values import Unset, unset_locals


def found(body: str, head: str = "__global__ void k(float* x, int n)", before: str = "") -> list[str]:
    return [each.name for each in unset_locals([f"{before}\n{head} {{\n{body}\n}}\n"])[0]]


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("float sum; for (int i = 0; i < n; ++i) sum += x[i]; *x = sum;", ["sum"]),
        ("float sum; if (n) sum = sum + *x; *x = sum;", ["sum"]),
        ("float most; for (int i = 0; i < n; ++i) most = fmaxf(most, x[i]); *x = most;", ["most"]),
        ("int i, count, last = 3; for (i = 0; i < n; ++i) count++; *x = count + last;", ["count"]),
        ("float acc[4][2]; for (int i = 0; i < 8; ++i) acc[i / 2][i % 2] += x[i]; *x = acc[0][0];", ["acc"]),
        ("float4 v; v.x += 1; *x = v.x;", ["v"]),
        ("for (int i; i < n; ++i) x[i] = 0;", ["i"]),
        ("unsigned long long bits; bits <<= 1; x[bits] = 0; if (n) { int bits = 1; }", ["bits"]),
        ("float m; for (int i = 0; i < n; ++i) if (x[i] > m) m = x[i]; *x = m;", ["m"]),
        ("float m; for (int i = 0; i < n; ++i) m = x[i] > m ? x[i] : m; *x = m;", ["m"]),
        ("bool b; if (b) *x = 1; b = false;", ["b"]),
        ("float acc[4]; for (int i = 0; i < n; ++i) acc[i % 4] += x[i]; acc[0] = 1; *x = acc[0];", ["acc"]),
        ("float s; do { s += x[0]; if (n) s = 0; } while (n--);", ["s"]),
        ("fragment<accumulator, 16, 16, 16, float> s; mma_sync(s, a, b, s); store_matrix_sync(x, s, 16, r);", ["s"]),
        (
            "wmma::fragment<wmma::accumulator, 8, 32, 16, half> s[2], t;"
            " for (int i = 0; i < 2; ++i) mma_sync(s[i], a, b, s[i]);"
            " load_matrix_sync(t, x, 16); t.x[0] = n * s[0].x[0] + t.x[0];",
            ["s"],
        ),
        ("fragment<accumulator, 16, 16, 16, float> s, t; mma_sync(t, a, b, s); mma_sync(s, a, b, t);", []),
        ("fragment<accumulator, 16, 16, 16, float> s; mma_sync(t, a, b, s);", ["s"]),
    ],
)
def test_what_is_used_and_never_set_is_told(body, names):
    assert found(body) == names


@pytest.mark.parametrize(
    "body",
    [
        "float v; char* p = (char*)&v; *p = 1; v += 1;",
        "float v; auto f = [&] { return &v; }; *f() = 1; v += 1;",
        "float p; for (int i = 0; i < n; ++i) { if (i > 0 && p > 1) *x = 1; p = x[i]; }",
        "float v; for (int i = 0; i < n; ++i) { for (int j = 0; j < i; ++j) *x += v; v = 1; }",
        "float v; for (int i = 0; i < n; x[i] = v, ++i) v = 1;",
        "float v; auto f = [&](int j) { return v + j; }; v = 1; *x = f(2);",
        "float v; if (n) { *x = 1; } else { *x = v; } v = 1;",
        "int v; switch (n) { case 0: *x = v; break; default: v = 1; }",
        "int v; const int k = sizeof(v); v = k; *x = v;",
        "float last; for (int i = 0; i < n; ++i) { if (i) *x += last; last = x[i]; }",
        "float v; load(v); *x = v;",
        "struct S { float of; int n; S() : of(0), n(0) {} void add(float v) { of += v; ++n; } } s; s.add(1);",
        "struct S { int n; int get() const { return n + 1; } }; S s = {3}; *x = s.get();",
        "class S { float v; public: void twice() { v *= 2; } }; S s{}; s.twice();",
        "float m[2][4]; for (int i = 0; i < n; ++i) m[0][i % 4] = m[i / 4][i % 4] = x[i]; *x = m[1][3];",
        "float a[4]; a[0] = a[1] = a[2] = a[3] = 0; a[1] += *x; *x = a[1];",
        "fragment<accumulator, 16, 16, 16, float> s; fill_fragment(s, 0.0f); mma_sync(s, a, b, s);",
        "fragment<accumulator, 16, 16, 16, float> s; for (auto& e : s.x) e = 0; mma_sync(s, a, b, s);",
        "fragment<accumulator, 16, 16, 16, float> s; for (int i = 0; i < 8; ++i) s.x[i] = 0; mma_sync(s, a, b, s);",
        "fragment<accumulator, 16, 16, 16, float> s[4]; zero(s); mma_sync(s[0], a, b, s[0]);",
        "fragment<accumulator, 16, 16, 16, float> s; clear(&s); mma_sync(s, a, b, s);",
        "fragment<accumulator, 16, 16, 16, float> s; for (int i = 0; i < 8; ++i) zero(s.x[i]); mma_sync(s, a, b, s);",
        "fragment<accumulator, 16, 16, 16, float> s; float& t = s.x[0]; t = 0; mma_sync(s, a, b, s);",
        "fragment<accumulator, 16, 16, 16, float> s; auto& t = s; mma_sync(s, a, b, s);",
        "fragment<accumulator, 16, 16, 16, float> s = zero(); mma_sync(s, a, b, s);",
        "fragment<matrix_a, 16, 16, 16, half> a; load_matrix_sync(a, x, 16); mma_sync(s, a, b, s);",
        "float v; if (n) set(&v); v += 1;",
        "float v; float& same = v; same = 1; v += 1;",
        "int t, a = 1, b = 2; t = a, a = b, b = t; *x = t;",
        "int next; while (n > (next = x[n])) n = next;",
        "float v; v = n ? 1 : v + 1; *x = v;",
        'float v; asm("mov.f32 %0, 0f00000000;" : "=f"(v)); v += 1;',
        "float rows[2][8]; fill(rows[n]); *x += rows[0][0];",
        "float v;\n#ifdef A\n v = 1;\n#endif\n v += 1;",
        "float v; SET v += 1;",
        "int a = pick<int, m, 1>(x), c = 2; *x = m + a + c;",
        "static int count; count++;",
        "__shared__ float s; s += 1;",
        "Sum total; total += 1;",
    ],
)
def test_what_may_be_set_somewhere_is_left_alone(body):
    assert found(body, before="#define SET v = 0;") == []


def test_only_device_functions_are_read_and_lines_are_told():
    host = "void f(float* x) {\n    float v;\n    v += *x;\n}\n"
    device = "__device__ void g(float* x) {\n    float v;\n    if (x) {\n        v += *x;\n    }\n}\n"
    assert unset_locals([host, host + device]) == [[], [Unset("v", 6, 8, range(8, 9))]]
