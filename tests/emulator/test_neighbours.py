"""An index past a `__device__` or `__managed__` variable reaches no other one, in whatever form they are declared."""

from __future__ import annotations

import numpy as np
import pytest

from tests.emulator.checked_kernel import PROTOTYPE
from tests.shared import long_tail

# Element `n` of each is past its end.
ARRAYS = """
__device__ float zeros[4], more[4]; __device__ int counter;
static __device__ float own[4]; static __device__ float others[4];
__device__ float values[4] = {1, 2, 3, 4}; __device__ __align__(16) float last[4] = {5}, hidden = 1;
namespace { __device__ volatile float inside[4]; }
__managed__ float both[4]; alignas(8) __device__ double wide[4]; __device__ float4 vector;
__constant__ float fixed[4] = {1}; __constant__ float fixed_too[4];
"""
KERNEL = """
__global__ void k(const float* x, float* z, int n) {
    static __device__ float of_kernel[4]; static __device__ float beside[4];
    if (threadIdx.x > 3) return;
    zeros[threadIdx.x] += 1; more[threadIdx.x] += 1; own[threadIdx.x] += 1; others[threadIdx.x] += 1; counter = 1;
    values[threadIdx.x] += 1; last[threadIdx.x] += 1; inside[threadIdx.x] = 1; both[threadIdx.x] += 1; hidden = 1;
    wide[threadIdx.x] += 1; of_kernel[threadIdx.x] += 1; beside[threadIdx.x] += 1; vector.x = 0;
    z[threadIdx.x] = x[threadIdx.x] + 0 * (PAST + fixed_too[1] + fixed[0] + of_kernel[threadIdx.x]
        + beside[threadIdx.x] + counter);
}
extern "C" void f(const float* x, float* z, int n, cudaStream_t stream) { k<<<1, 32, 0, stream>>>(x, z, n); }
"""
# What is right, and no array of a name or a form that gets a gap.
FORMS = """
struct Pair { float a; int b; }; __device__ Pair pairs[2] = {{1, 2}, {3, 4}}; __device__ const Pair* chosen = nullptr;
template <class T> __device__ T of_any; __device__ int (*step)(int); __device__ int rows[2][3] = {{1, 2, 3}, {4}};
__device__ unsigned long long braces{5}; __device__ __constant__ int both_words = 1; __device__ float twice(float v);
__device__ inline float twice(float v) { return 2 * v; } using F = float (*)(float); __device__ F table[2] = {twice};
#define HERE __device__
#define TWO(name) __device__ float name##_a; __device__ float name##_b
HERE float through_a_macro; TWO(glued);
struct Op {
    __device__ float operator()(float v) const { return v; }
    __device__ static float of(float v) { return v; }
};
"""
USE = "of_any<float> + rows[1][2] + pairs[1].a + braces + both_words + glued_a + glued_b + through_a_macro + Op::of(1)"


def findings(run_kernel, past: str, more: str = ""):
    x = np.ones(32, np.float32)
    _, case = run_kernel(more + ARRAYS + KERNEL.replace("PAST", past), PROTOTYPE, x=x, z=np.zeros_like(x), n=4)
    return [found.message for found in case.findings if found.severity == "error"]


@pytest.mark.parametrize(
    "name",
    [
        "zeros",
        "more",
        "own",
        "others",
        "values",
        "last",
        "inside",
        "both",
        "wide",
        "fixed",
        "fixed_too",
        "of_kernel",
        "beside",
    ],
)
def test_one_past_is_out_of_bounds(run_kernel, name):
    (said,) = findings(run_kernel, f"{name}[n]")
    assert f"reads {name}[4], past its end: {name} has 4 elements" in said


@pytest.mark.parametrize("name", long_tail(["zeros", "more", "others", "values", "beside"], every=2))
def test_one_before_is_out_of_bounds(run_kernel, name):
    assert "out of" not in (said := findings(run_kernel, f"{name}[n - 5]")[0]) and "reads" in said


def test_what_is_far_from_any_variable_is_no_variable_of_the_emulators(run_kernel):
    (said,) = findings(run_kernel, "more[500 * n]")
    assert "variable of the host" not in said


def test_all_forms_are_right(run_kernel):
    assert findings(run_kernel, f"({USE})", FORMS) == []
