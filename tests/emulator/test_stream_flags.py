"""What kernels on two streams hand on by flags: the later one waits for the earlier one, which may run beside it."""

from __future__ import annotations

import numpy as np
import pytest

from tests.shared import long_tail

SOURCE = """
#include <cuda/atomic>
enum class Flag { Atomic, Volatile, Release, LastBlock, Relaxed };
using Ref = cuda::atomic_ref<int, cuda::thread_scope_device>;
constexpr int kT = 64;

template <Flag flag> __device__ void set(int* f) {
    if (flag == Flag::Volatile) *(volatile int*)f = 1;
    else if (flag == Flag::Release) Ref(*f).store(1, cuda::memory_order_release);
    else if (flag == Flag::Relaxed) Ref(*f).store(1, cuda::memory_order_relaxed);
    else atomicExch(f, 1);
}
template <Flag flag> __device__ int get(int* f) {
    if (flag == Flag::Volatile) return *(volatile int*)f;
    if (flag == Flag::Release) return Ref(*f).load(cuda::memory_order_acquire);
    return atomicAdd(f, 0);
}
// Flag 0 is the last block's, flag 1 + b is block b's; flag 40 counts the blocks that are done.
template <Flag flag, bool fence, bool early> __global__ void produce(const int* x, int* data, int* flags) {
    __shared__ bool last;
    const int i = blockIdx.x * kT + threadIdx.x;
    if (!early) data[i] = 2 * x[i];
    if (fence) __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        if (flag == Flag::LastBlock) last = atomicAdd(flags + 40, 1) == gridDim.x - 1;
        else set<flag>(flags + 1 + blockIdx.x);
    }
    if (early) data[i] = 2 * x[i];
    if (flag != Flag::LastBlock) return;
    __syncthreads();
    if (last && threadIdx.x == 0) __threadfence(), atomicExch(flags, 1);
}
template <Flag flag, bool waits> __global__ void consume(const int* data, int* flags, int* z) {
    const int b = gridDim.x - 1 - blockIdx.x, i = b * kT + threadIdx.x;
    if (waits && threadIdx.x == 0) while (get<flag>(flag == Flag::LastBlock ? flags : flags + 1 + b) == 0) {}
    __syncthreads();
    z[i] = data[i];
}
__global__ void fill(int* z) { z[threadIdx.x] = threadIdx.x; }
// Writes into the place of what the earlier kernel has read.
__global__ void read(const int* data, int* z, int* flags) {
    z[threadIdx.x] = data[threadIdx.x];
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) atomicExch(flags, 1);
}
template <bool waits> __global__ void overwrite(int* data, int* flags) {
    if (waits && threadIdx.x == 0) while (atomicAdd(flags, 0) == 0) {}
    __syncthreads();
    data[threadIdx.x] = -1;
}
__device__ int data_of_all[8 * kT], flags_of_all[2 * kT];

struct Two {
    cudaStream_t given, own;
    cudaEvent_t before, done;
    int *data, *flags;
    explicit Two(cudaStream_t stream) : given(stream) {
        void* place;
        cudaGetSymbolAddress(&place, data_of_all), data = static_cast<int*>(place);
        cudaGetSymbolAddress(&place, flags_of_all), flags = static_cast<int*>(place);
        cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
        cudaEventCreate(&before), cudaEventCreate(&done);
        cudaMemsetAsync(data, 0, sizeof data_of_all, stream);
        cudaMemsetAsync(flags, 0, sizeof flags_of_all, stream);
        cudaEventRecord(before, stream), cudaStreamWaitEvent(own, before);
    }
    ~Two() {
        cudaEventRecord(done, own), cudaStreamWaitEvent(given, done);
        cudaEventDestroy(before), cudaEventDestroy(done);
        cudaStreamDestroy(own);
    }
};
template <Flag flag, bool fence = true, bool waits = true, bool early = false>
void hand_on(const int* x, int* z, cudaStream_t stream) {
    Two two(stream);
    produce<flag, fence, early><<<8, kT, 0, two.given>>>(x, two.data, two.flags);
    consume<flag, waits><<<8, kT, 0, two.own>>>(two.data, two.flags, z);
}
template <bool waits> void reuse(int* z, cudaStream_t stream) {
    Two two(stream);
    read<<<1, kT, 0, two.own>>>(two.data, z, two.flags);
    overwrite<waits><<<1, kT, 0, two.given>>>(two.data, two.flags);
}
extern "C" void atomics(const int* x, int* z, cudaStream_t stream) {
    hand_on<Flag::Atomic>(x, z, stream);
}
extern "C" void volatiles(const int* x, int* z, cudaStream_t stream) {
    hand_on<Flag::Volatile>(x, z, stream);
}
extern "C" void releases(const int* x, int* z, cudaStream_t stream) {
    hand_on<Flag::Release, false>(x, z, stream);
}
extern "C" void last_block(const int* x, int* z, cudaStream_t stream) {
    hand_on<Flag::LastBlock>(x, z, stream);
}
// Another kernel of the first stream comes in between: what the first one has handed on is still known.
extern "C" void one_between(const int* x, int* z, cudaStream_t stream) {
    Two two(stream);
    produce<Flag::Atomic, true, false><<<8, kT, 0, two.given>>>(x, two.data, two.flags);
    fill<<<1, kT, 0, two.given>>>(two.flags + kT);
    consume<Flag::Atomic, true><<<8, kT, 0, two.own>>>(two.data, two.flags, z);
}
extern "C" void after_the_reader(const int* x, int* z, cudaStream_t stream) {
    reuse<true>(z, stream);
}

extern "C" void no_fence(const int* x, int* z, cudaStream_t stream) {
    hand_on<Flag::Atomic, false>(x, z, stream);
}
extern "C" void no_fence_volatile(const int* x, int* z, cudaStream_t stream) {
    hand_on<Flag::Volatile, false>(x, z, stream);
}
extern "C" void no_fence_last(const int* x, int* z, cudaStream_t stream) {
    hand_on<Flag::LastBlock, false>(x, z, stream);
}
extern "C" void relaxed(const int* x, int* z, cudaStream_t stream) {
    hand_on<Flag::Relaxed, false>(x, z, stream);
}
extern "C" void no_wait(const int* x, int* z, cudaStream_t stream) {
    hand_on<Flag::Atomic, true, false>(x, z, stream);
}
extern "C" void too_early(const int* x, int* z, cudaStream_t stream) {
    hand_on<Flag::Atomic, true, true, true>(x, z, stream);
}
extern "C" void beside_the_reader(const int* x, int* z, cudaStream_t stream) {
    reuse<false>(z, stream);
}
"""
RIGHT = ["atomics", "volatiles", "releases", "last_block", "one_between", "after_the_reader"]
WRONG = [
    *("no_fence", "no_fence_volatile", "no_fence_last", "relaxed"),
    *("no_wait", "too_early", "beside_the_reader"),
]
X = np.arange(8 * 64, dtype=np.int32)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", long_tail(list(RIGHT), every=6))
def test_a_flag_hands_on_between_streams(call, name, threads):
    found = call(name, x=X, z=np.zeros_like(X), threads=threads, mapped=True)
    assert [each.kind for each in found.run.findings] == []
    if name != "after_the_reader":
        assert found["z"].tolist() == (2 * X).tolist()


@pytest.mark.parametrize("name", long_tail(list(WRONG), every=6))
def test_a_hand_over_that_is_wrong_is_a_race(call, name):
    found = call(name, x=X, z=np.zeros_like(X), threads=2, mapped=True, errors=True)
    (race,) = [each for each in found.run.findings if each.severity == "error"]
    assert race.kind == "race" and "on another stream" in race.message
