"""cuda::std::expected in a kernel: values, errors, what is made of them, and a value that is not there."""

from __future__ import annotations

import numpy as np

SOURCE = r"""
#include <cuda/std/expected>
namespace cs = cuda::std;
enum class Fault { odd, large };
__host__ __device__ cs::expected<int, Fault> halve(int x) {
    if (x & 1) return cs::unexpected<Fault>(Fault::odd);
    return x / 2;
}
__device__ cs::expected<void, int> check(int x) {
    if (x > 20) return cs::unexpected(x);
    return {};
}
__global__ void work(int* z) {
    const int i = threadIdx.x;
    const auto quarter = halve(i).and_then(halve).transform([](int v) { return v + 0.5f; });
    z[i] = quarter ? static_cast<int>(*quarter * 2) : -1 - static_cast<int>(quarter.error());
    z[i] += halve(i).value_or(100) + 1000 * halve(i).or_else([](Fault) { return cs::expected<int, Fault>(2); }).value();
    if (auto fine = check(i); !fine) z[i] += fine.error();
    if (halve(i) == cs::expected<int, Fault>(3)) z[i] = 0;
}
__global__ void careless(int* z) { z[threadIdx.x] = *halve(threadIdx.x); }
extern "C" void run_work(int* z, cudaStream_t stream) { work<<<1, 32, 0, stream>>>(z); }
extern "C" void run_careless(int* z, cudaStream_t stream) { careless<<<1, 32, 0, stream>>>(z); }
"""


def of(i: int) -> int:
    first = i // 2 + 1 if i % 4 == 0 else -1
    half, other = (100, 2) if i % 2 else (i // 2, i // 2)
    return 0 if i == 6 else first + half + 1000 * other + (i if i > 20 else 0)


def test_values_and_errors_are_told_apart(call):
    assert call("run_work", z=np.zeros(32, np.int32))["z"].tolist() == [of(i) for i in range(32)]


def test_a_value_that_is_not_there_is_told(call):
    (finding,) = [each for each in call("run_careless", z=np.zeros(32, np.int32), errors=True).run.findings]
    assert finding.kind == "out_of_bounds" and finding.severity == "error"
