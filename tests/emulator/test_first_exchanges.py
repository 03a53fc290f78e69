"""An exchange whose old value goes unused only writes; atomics of 16 bytes exchange and compare."""

from __future__ import annotations

import numpy as np
import pytest

THREADS = 64
SOURCE = """
struct alignas(16) Pair { unsigned long long count, sum; };
__device__ int swap(int* p) { return atomicExch(p, 0); }
__global__ void blind(int* z) {
    __shared__ int c;
    if (threadIdx.x == 0) atomicExch(&c, 0);
    __syncthreads();
    atomicAdd(&c, 1);
    __syncthreads();
    if (threadIdx.x == 0) z[blockIdx.x] = c;
}
__global__ void kept(int* z) {
    __shared__ int c;
    if (threadIdx.x == 0) z[blockIdx.x] = 1 + swap(&c);
}
__global__ void compared(int* z) {
    __shared__ int c;
    if (threadIdx.x == 0 && atomicExch(&c, 0) == 12345) z[blockIdx.x] = 7;
}
__device__ Pair total;
__global__ void pairs(Pair* p) {
    Pair seen = Pair{0, 0};
    for (;;) {
        const Pair found = atomicCAS(&total, seen, Pair{seen.count + 1, seen.sum + threadIdx.x});
        if (found.count == seen.count && found.sum == seen.sum) break;
        seen = found;
    }
    if (seen.count == gridDim.x * blockDim.x - 1) *p = Pair{seen.count + 1, seen.sum + threadIdx.x};
}
__global__ void exchanged(Pair* p) {
    __shared__ Pair held;
    if (threadIdx.x == 0) held = Pair{1, 2};
    __syncthreads();
    if (threadIdx.x == 1) p[0] = atomicExch(&held, Pair{3, 4});
    __syncthreads();
    if (threadIdx.x == 0) p[1] = held;
}
__global__ void first(Pair* p) {
    __shared__ Pair held[64];
    atomicExch(&held[threadIdx.x], Pair{threadIdx.x, 1});
    __syncthreads();
    atomicExch(p + threadIdx.x, held[63 - threadIdx.x]);
}
__device__ Pair last(Pair* p) { return atomicExch(p, Pair{3, 4}); }
__global__ void handed(Pair* p) {
    __shared__ Pair held, other;
    if (threadIdx.x == 0) {
        atomicExch(&other, last(&held));
        *p = other;
    }
}
__global__ void beyond(Pair* p) {
    p[threadIdx.x / 2] = Pair{0, 0};
    __syncthreads();
    if (threadIdx.x == 9) atomicExch(p + 32, Pair{3, 4});
}
"""
WIDE = ["pairs", "exchanged", "first", "handed", "beyond"]
NAMES = {"int": ["blind", "kept", "compared"], "unsigned long long": WIDE}
SOURCE += "".join(
    f'extern "C" void run_{name}({kind}* z, int blocks, cudaStream_t stream) '
    f"{{ {name}<<<blocks, {THREADS}, 0, stream>>>(reinterpret_cast<{'int' if kind == 'int' else 'Pair'}*>(z)); }}\n"
    for kind, names in NAMES.items()
    for name in names
)


def kinds(call, name: str, z: np.ndarray) -> set[str]:
    """Of all that is found, notes too."""
    return {each.kind for each in call(f"run_{name}", z=z, blocks=2, errors=True).run.findings}


def test_an_exchange_may_be_what_sets_a_shared_variable(call):
    assert call("run_blind", z=np.zeros(2, np.int32), blocks=2)["z"].tolist() == [THREADS] * 2
    assert not kinds(call, "blind", np.zeros(2, np.int32))


@pytest.mark.parametrize("name", ["kept", "compared"])
def test_one_whose_old_value_is_used_reads_it(call, name):
    assert "uninitialized_read" in kinds(call, name, np.zeros(2, np.int32))


def test_sixteen_bytes_are_compared_and_exchanged_as_one(call):
    z = call("run_pairs", z=np.zeros(2, np.uint64), blocks=2)["z"]
    assert z.tolist() == [2 * THREADS, THREADS * (THREADS - 1)]
    assert call("run_exchanged", z=np.zeros(4, np.uint64), blocks=1)["z"].tolist() == [1, 2, 3, 4]


def test_an_exchange_of_sixteen_bytes_may_be_what_sets_them(call):
    z = call("run_first", z=np.zeros(2 * THREADS, np.uint64), blocks=1)["z"].reshape(-1, 2)
    assert z[:, 0].tolist() == list(range(THREADS))[::-1] and set(z[:, 1]) == {1}
    assert "uninitialized_read" in kinds(call, "handed", np.zeros(2, np.uint64))


def test_sixteen_bytes_past_the_end_are_told(call):
    assert "out_of_bounds" in kinds(call, "beyond", np.zeros(THREADS, np.uint64))
