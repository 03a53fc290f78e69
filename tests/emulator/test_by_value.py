"""Structures that functions take and give by value, where the call stays a call: what it copies is seen."""

from __future__ import annotations

import numpy as np
import pytest
from checked_kernel import run

from tests.shared import long_tail

HEAD = """
struct Six { float values[6]; };
struct Pair { float first; int second; };
"""
ENTRY = """
extern "C" void f(const float* x, float* z, int n, cudaStream_t stream) { k<<<1, 32, 0, stream>>>(x, z, n); }
"""
GIVEN = """
__device__ __noinline__ float sum(Six six, int from) {
    float all = 0;
    for (int i = from; i < 6; ++i) all += six.values[i];
    return all;
}
"""
GIVES = """
__device__ __noinline__ Six six_of(float first) {
    Six six;
    for (int i = 0; i < 6; ++i) six.values[i] = first + i;
    return six;
}
"""
RECURSIVE = """
__device__ float depth(const Six six, Pair at, int left) {
    if (!left) return at.first;
    return depth(six, Pair{at.first + six.values[left], at.second + 1}, left - 1);
}
"""
PROTOTYPES = """
__device__ float odd(Six six, int n);
__device__ float even(Six six, int n) { return n ? odd(six, n - 1) : six.values[0]; }
__device__ __noinline__ float odd(Six six, int n) { return n ? even(six, n - 1) : six.values[1]; }
"""
METHODS = """
struct Maker {
    float more;
    __device__ __noinline__ Six six(Pair from) const {
        Six made;
        for (int i = 0; i < 6; ++i) made.values[i] = from.first + more * i;
        return made;
    }
    static __device__ float deep(Six six, int left) { return left ? six.values[left] + deep(six, left - 1) : 0; }
};
"""
TEMPLATES = """
template <int N> struct Numbers { float values[N]; };
template <class T, int N> __device__ __noinline__ T last(Numbers<N> numbers, T more) {
    return numbers.values[N - 1] + more;
}
template <typename Of> __device__ __noinline__ Of same(Of given) { return given; }
"""
VIRTUAL = """
class Shape {
public:
    __device__ virtual float of(Six six, int at = 1) const = 0;
    __device__ virtual Six six(Pair from) const { Six all = {}; all.values[0] = from.first; return all; }
};
struct Last : Shape {
    __device__ float of(Six six, int at) const override { return six.values[5] + at; }
    __device__ Six six(Pair from) const override {
        Six all = Shape::six(from);
        all.values[1] = from.second;
        return all;
    }
};
struct First : Shape {
    __device__ virtual float of(Six six, int at = 3) const { return six.values[0] + at; }
};
"""
GIVEN_VALUES = """
__noinline__ __device__ float sum(Six six = Six{{1, 2, 3, 4, 5, 6}}, int from = 4) {
    float all = 0;
    for (int i = from; i < 6; ++i) all += six.values[i];
    return all;
}
"""
KERNEL = "__global__ void k(const float* x, float* z, int n) {{ const int i = threadIdx.x; {body} }}"
RIGHT = {
    "taken": (GIVEN, "if (i < 5) z[i] = sum(((const Six*)x)[i], 4);", [6 * i + 5 + 6 * i + 6 for i in range(5)]),
    "given": (GIVES, "if (i < 5) ((Six*)z)[i] = six_of(x[i]);", [1 + i + j for i in range(5) for j in range(6)]),
    "by a shared array": (
        GIVEN,
        "__shared__ Six all[32]; for (int j = 0; j < 6; ++j) all[i].values[j] = x[i]; "
        "__syncthreads(); z[i] = sum(all[31 - i], 0);",
        [6 * (32 - i) for i in range(32)],
    ),
    "in a recursion": (
        RECURSIVE,
        "if (i < 5) z[i] = depth(((const Six*)x)[i], {0, 0}, 5);",
        [30 * i + 20 for i in range(5)],
    ),
    "by methods": (
        METHODS,
        "if (i < 5) ((Six*)z)[i] = Maker{2}.six({x[i], 0}); if (i < 1) z[30] = Maker::deep(((const Six*)x)[i], 5);",
        [1 + i + 2 * j for i in range(5) for j in range(6)] + [20],
    ),
    "by templates": (
        TEMPLATES,
        "if (i < 5) z[i] = last(same(((const Numbers<6>*)x)[i]), 0.5f) + last<float, 2>(((const Numbers<2>*)x)[i], 0);",
        [6 * i + 6.5 + 2 * i + 2 for i in range(5)],
    ),
    "by virtual methods": (
        VIRTUAL,
        "First first; Last last; const Shape* all[2] = {&first, &last}; if (i < 2) { const Shape& s = *all[i]; "
        "z[i] = s.of(((const Six*)x)[i]); ((Six*)(z + 2))[i] = s.six({x[i], 7}); }",
        [1 + 1, 12 + 1, 1, 0, 0, 0, 0, 0, 2, 7],
    ),
    "with values of their own": (
        GIVEN_VALUES,
        "if (i < 5) z[i] = sum(((const Six*)x)[i]) + sum(((const Six*)x)[i], 5) + sum();",
        [18 * i + 28 for i in range(5)],
    ),
    "told before": (PROTOTYPES, "if (i < 5) z[i] = even(((const Six*)x)[i], 3);", [6 * i + 2 for i in range(5)]),
}


@pytest.mark.parametrize("name", long_tail(list(RIGHT), every=6))
def test_a_right_kernel_passes(run_kernel, name):
    functions, body, expected = RIGHT[name]
    _, z, findings = run(run_kernel, HEAD + functions + KERNEL.format(body=body) + ENTRY, n=0)
    assert findings == []
    assert np.array_equal(z[: len(expected)], expected)


@pytest.mark.parametrize(
    ("functions", "body", "said"),
    long_tail(
        [
            (GIVEN, "z[i] = sum(((const Six*)x)[i], 4);", "reads x["),
            (
                VIRTUAL,
                "First a; Last b; const Shape* s[2] = {&a, &b}; z[i] = s[i % 2]->of(((const Six*)x)[i]);",
                "reads x[",
            ),
            (GIVES, "((Six*)z)[i] = six_of(x[i]);", "writes z["),
            (METHODS, "z[i] = Maker::deep(((const Six*)x)[i], 1);", "reads x["),
            (TEMPLATES, "z[i] = last(((const Numbers<6>*)x)[i], 0);", "reads x["),
            (RECURSIVE, "z[i] = depth(((const Six*)x)[i], {0, 0}, 5);", "reads x["),
        ],
        every=4,
        slow=2,
    ),
)
def test_a_structure_past_the_end_is_out_of_bounds(run_kernel, functions, body, said):
    source = HEAD + functions + "\n" + KERNEL.format(body=body) + ENTRY
    _, _, findings = run(run_kernel, source, n=0)
    line = source[: source.index(body)].count("\n") + 1
    assert [(found.kind, found.line) for found in findings][:1] == [("out_of_bounds", line)]
    assert said in findings[0].message


def test_what_a_call_copies_is_counted(run_kernel):
    source = HEAD + GIVEN + KERNEL.format(body="if (i < 5) z[i] = sum(((const Six*)x)[i], 4);") + ENTRY
    x = np.arange(1, 33, dtype=np.float32)
    prototype = "void f(const float* x, float* z, int n, cudaStream_t stream)"
    _, case = run_kernel(source, prototype, x=x, z=np.zeros_like(x), n=0)
    assert case.counters["global_load_requests"] == 6  # each of four bytes, as nvcc does it for such a structure
