"""cuda::atomic and atomic_ref of one and two bytes, of structures, and of pointers."""

from __future__ import annotations

import numpy as np
import pytest

SOURCE = r"""
#include <cuda/atomic>
struct Pair { short low, high; };
__device__ cuda::atomic<bool, cuda::thread_scope_device> taken{false};
__device__ unsigned char bytes[4];
__device__ short halves[2];
__device__ bool flag;
__global__ void clear(int* z) {
    bytes[0] = bytes[1] = bytes[2] = bytes[3] = 250;
    halves[0] = halves[1] = z[0] = 0;
    flag = taken = false;
}
__global__ void work() {
    cuda::atomic_ref<unsigned char, cuda::thread_scope_device> byte(bytes[threadIdx.x % 3]);
    byte.fetch_add(1, cuda::memory_order_relaxed);
    cuda::atomic_ref<short, cuda::thread_scope_device>(halves[0]).fetch_min(-static_cast<short>(threadIdx.x));
    cuda::atomic_ref<short, cuda::thread_scope_device>(halves[1])++;
}
__global__ void look(int* z) {
    if (bool seen = false; taken.compare_exchange_strong(seen, true)) z[0] += 1;
    __shared__ cuda::atomic<Pair, cuda::thread_scope_block> pair;
    __shared__ cuda::atomic<int*, cuda::thread_scope_block> next;
    if (threadIdx.x == 0) pair.store({1, 2}), next.store(z + 1);
    __syncthreads();
    *next.fetch_add(1) = pair.load().high;
    static_assert(sizeof(taken) == 4);
    if (threadIdx.x < 4) z[31 + threadIdx.x] = bytes[threadIdx.x];
    if (threadIdx.x < 2) z[35 + threadIdx.x] = halves[threadIdx.x];
}
// A flag of one byte hands over what was written before it; one that asks for no order does not.
template <cuda::memory_order order> __global__ void hand_over(int* z) {
    cuda::atomic_ref<bool, cuda::thread_scope_device> ready(flag);
    if (blockIdx.x == 0) {
        z[0] = 7;
        ready.store(true, order);
    } else {
        while (!ready.load(cuda::memory_order_acquire)) {}
        z[1] = z[0];
    }
}
__global__ void plain(int* z) {
    bytes[0] += 1;
    z[0] = bytes[0];
}
extern "C" void run_small(int* z, cudaStream_t stream) {
    clear<<<1, 1, 0, stream>>>(z);
    work<<<1, 30, 0, stream>>>();
    look<<<1, 30, 0, stream>>>(z);
}
extern "C" void run_handed(int* z, cudaStream_t stream) {
    clear<<<1, 1, 0, stream>>>(z);
    hand_over<cuda::memory_order_release><<<2, 1, 0, stream>>>(z);
}
extern "C" void run_unordered(int* z, cudaStream_t stream) {
    clear<<<1, 1, 0, stream>>>(z);
    hand_over<cuda::memory_order_relaxed><<<2, 1, 0, stream>>>(z);
}
extern "C" void run_plain(int* z, cudaStream_t stream) { plain<<<1, 2, 0, stream>>>(z); }
"""


def test_small_atomics_add_compare_and_swap(call):
    z = call("run_small", z=np.zeros(37, np.int32))["z"].tolist()
    assert z[:31] == [1, *30 * [2]] and z[31:] == [4, 4, 4, 250, -29, 30]


@pytest.mark.parametrize(("name", "races"), [("run_handed", False), ("run_unordered", True)])
def test_a_flag_of_one_byte_orders_as_it_says(call, name, races):
    found = call(name, z=np.zeros(2, np.int32), errors=races)
    assert ("race" in [each.kind for each in found.run.findings]) == races


def test_a_byte_without_atomics_races(call):
    assert "race" in [each.kind for each in call("run_plain", z=np.zeros(1, np.int32), errors=True).run.findings]
