"""A call of a member template without `template`: taken where nvcc takes it, in templates that only a GPU runs."""

from __future__ import annotations

import pytest

from grader.devices.build.lexer import lex
from grader.devices.build.members import needs_no_template
from grader.devices.build.syntax import code_stream
from tests.warm import run_ladder

PROGRAM = """#include <cstdio>
template <class A> struct C {
    template <int n> __device__ static void of(A* a) { a[0] = n; }
    template <int n, int m> __device__ void to(A* a) { a[n] = m; }
};
template <class A> __device__ void by(A* a) { C<A>::of<3>(a); }
template <class A, int n> __global__ void k(A* a) {
    C<A> c, *p = &c;
    by(a);
    c.to<1, n>(a);
    p->to<n, 7>(a);
}
int main() {
    float *a, h[3];
    cudaMalloc(&a, 12);
    k<float, 2><<<1, 1>>>(a);
    cudaMemcpy(h, a, 12, cudaMemcpyDeviceToHost);
    printf("%g %g %g\\n", h[0], h[1], h[2]);
    cudaFree(a);
}
"""
OTHERS = [
    "template <class A> void k(A* a) { C<A>::of<3>(a); }",  # host code is g++'s
    "template <class A> __host__ __device__ void k(A* a) { C<A>::of<3>(a); }",
    "template <class A> __device__ void k(A* a) { C<A>::of<A>(a); }",  # nvcc asks for the word, too
    "template <class A> __device__ void k(A* a) { C<A>::of<float>(a); }",
    "template <class A> __device__ void k(A* a) { if (a.of<3 && a.b>(4)) return; }",
    "template <class A> __device__ void k(A* a) { C<A>::of<3>(); }",
    "__device__ void k(float* a) { C<float>::of<3>(a); }",
    "template <class A> __device__ void k(A* a) { space::of<3>(a); }",
]


def test_a_program_without_the_word_runs(tmp_path):
    (tmp_path / "p.cu").write_text(PROGRAM)
    done = run_ladder(tmp_path, "run", "p.cu")
    assert done.stdout.startswith("3 2 7") and done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(("text", "count"), [(PROGRAM, 3), *((each, 0) for each in OTHERS)])
def test_it_is_the_templates_of_the_device_that_need_no_word(text, count):
    stream = code_stream(lex(text))
    assert sum(needs_no_template(stream, at) for at in range(len(stream.tokens))) == count
