"""What the front end takes as nvcc does (tests/language) has the same results in a run."""

from __future__ import annotations

import numpy as np

SOURCE = """
#include <memory>
constexpr int table[] = {1, 2, 3};
constexpr int operator""of(unsigned long long n) { return 10 * n; }

template <int N> __global__ void taken_kernel(int* z) {
    auto element = [](int i) { return table[i]; };
    constexpr int known = element(2);
    z[0] = element(1);
    z[1] = known;
    z[2] = element(N) + 4of;
}
extern "C" void taken(int* z, cudaStream_t stream) {
    int* memory = nullptr;
    cudaMalloc(&memory, 3 * sizeof(int));
    std::unique_ptr<int, decltype(&cudaFree)> owner(memory, &cudaFree);
    taken_kernel<0><<<1, 1, 0, stream>>>(owner.get());
    cudaMemcpyAsync(z, memory, 3 * sizeof(int), cudaMemcpyDeviceToDevice, stream);
    cudaStreamSynchronize(stream);
}
"""


def test_lambdas_with_constants_own_literals_and_cuda_free_as_a_deleter(call):
    for _ in range(2):  # what the first call left would be a leak in the second
        assert call("taken", z=np.zeros(3, np.int32))["z"].tolist() == [2, 3, 41]
