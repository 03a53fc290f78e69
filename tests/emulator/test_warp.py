"""Warp-wide functions, one a kernel: every lane's result is known from its number."""

from __future__ import annotations

import numpy as np

SOURCE = r"""
#define ALL 0xffffffffu

__global__ void shuffle_kernel(const int* x, int* z) {
    int lane = threadIdx.x, v = x[lane];
    z[lane] = __shfl_sync(ALL, v, 5);
    z[lane + 32] = __shfl_sync(ALL, v, lane + 1, 8);
    z[lane + 64] = __shfl_up_sync(ALL, v, 3);
    z[lane + 96] = __shfl_up_sync(ALL, v, 1, 4);
    z[lane + 128] = __shfl_down_sync(ALL, v, 2);
    z[lane + 160] = __shfl_down_sync(ALL, v, 1, 16);
    z[lane + 192] = __shfl_xor_sync(ALL, v, 1);
    z[lane + 224] = __shfl_xor_sync(ALL, v, 31);
}
extern "C" void shuffle(const int* x, int* z, cudaStream_t stream) { shuffle_kernel<<<1, 32, 0, stream>>>(x, z); }

__global__ void shuffle_types_kernel(double* z) {
    int lane = threadIdx.x;
    unsigned char small = 250 + lane % 4;
    short negative = -lane;
    double result[] = {
        __shfl_xor_sync(ALL, 0.5f * lane, 2),
        __shfl_xor_sync(ALL, 0.125 * lane, 2),
        (double)__shfl_xor_sync(ALL, (1ull << 40) + lane, 2),
        (double)__shfl_xor_sync(ALL, -(1ll << 40) - lane, 2),
        (double)__shfl_xor_sync(ALL, (unsigned long)lane, 2),
        (double)__shfl_xor_sync(ALL, 0x80000000u + lane, 2),
        (double)__shfl_xor_sync(ALL, small, 2),
        (double)__shfl_xor_sync(ALL, negative, 2),
    };
    for (int i = 0; i < 8; ++i) z[i * 32 + lane] = result[i];
}
extern "C" void shuffle_types(double* z, cudaStream_t stream) { shuffle_types_kernel<<<1, 32, 0, stream>>>(z); }

__global__ void reduction_kernel(const float* x, float* z) {
    float sum = x[threadIdx.x];
    for (int offset = warpSize / 2; offset > 0; offset /= 2) sum += __shfl_down_sync(ALL, sum, offset);
    if (threadIdx.x % 32 == 0) z[threadIdx.x / 32] = sum;
}
extern "C" void reduction(const float* x, float* z, cudaStream_t stream) { reduction_kernel<<<1, 96, 0, stream>>>(x, z); }

__global__ void half_warps_kernel(int* z) {
    int lane = threadIdx.x;
    if (lane < 16) z[lane] = __shfl_sync(0x0000ffffu, lane, 3);    // each branch names its own lanes
    else z[lane] = __shfl_sync(0xffff0000u, lane, 20);
    unsigned odd = __ballot_sync(ALL, lane & 1);
    if (lane & 1) z[lane] += 100 * __shfl_xor_sync(odd, lane, 2);
}
extern "C" void half_warps(int* z, cudaStream_t stream) { half_warps_kernel<<<1, 32, 0, stream>>>(z); }

__global__ void vote_kernel(unsigned* z) {
    int lane = threadIdx.x;
    unsigned mine[] = {(unsigned)__all_sync(ALL, lane < 32), (unsigned)__all_sync(ALL, lane < 31), (unsigned)__any_sync(ALL, lane == 31),
                       (unsigned)__any_sync(ALL, lane == 32), __ballot_sync(ALL, lane % 3 == 0), __ballot_sync(ALL, 4)};
    for (int i = 0; i < 6; ++i) z[i * 32 + lane] = mine[i];
}
extern "C" void votes(unsigned* z, cudaStream_t stream) { vote_kernel<<<1, 32, 0, stream>>>(z); }

__global__ void match_kernel(unsigned* z) {
    int lane = threadIdx.x, all;
    z[lane] = __match_any_sync(ALL, lane / 10);
    z[lane + 32] = __match_any_sync(ALL, (long long)(lane & 1) << 40);
    z[lane + 64] = __match_all_sync(ALL, 2.5f, &all) * all;
    z[lane + 96] = __match_all_sync(ALL, lane == 7, &all) + all;
}
extern "C" void matches(unsigned* z, cudaStream_t stream) { match_kernel<<<1, 32, 0, stream>>>(z); }

__global__ void reduce_kernel(int* z) {
    int lane = threadIdx.x, v = lane - 10;
    int mine[] = {__reduce_add_sync(ALL, v), __reduce_min_sync(ALL, v), __reduce_max_sync(ALL, v),
                  (int)__reduce_min_sync(ALL, (unsigned)v), (int)__reduce_max_sync(ALL, (unsigned)lane),
                  (int)__reduce_and_sync(ALL, 0xf0u | lane), (int)__reduce_or_sync(ALL, 1u << lane % 5),
                  (int)__reduce_xor_sync(ALL, 1u << lane / 2 | 0x10000)};
    for (int i = 0; i < 8; ++i) z[i * 32 + lane] = mine[i];
}
extern "C" void reductions(int* z, cudaStream_t stream) { reduce_kernel<<<1, 32, 0, stream>>>(z); }

__global__ void active_kernel(unsigned* z) {
    int lane = threadIdx.x;
    z[lane] = 0;
    if (lane < 20) {
        if (lane % 2) z[lane] = __activemask();
    }
    z[lane + 32] = __activemask();
}
extern "C" void active(unsigned* z, cudaStream_t stream) { active_kernel<<<1, 32, 0, stream>>>(z); }

__global__ void syncwarp_kernel(const int* x, int* z) {
    __shared__ volatile int s[64];
    int t = threadIdx.x, lane = t % 32, first = t - lane;
    s[t] = x[t];
    __syncwarp();
    int sum = 0;
    for (int i = 0; i < 32; ++i) sum += s[first + i];
    __syncwarp();
    if (lane < 4) {
        s[t] = sum + lane;
        __syncwarp(0xfu);
        z[t / 32 * 4 + lane] = s[first + 3 - lane];
    }
}
extern "C" void syncwarp(const int* x, int* z, cudaStream_t stream) { syncwarp_kernel<<<1, 64, 0, stream>>>(x, z); }

__global__ void partial_warp_kernel(int* z) {
    int v = threadIdx.x;
    v += __shfl_xor_sync(ALL, v, 1);    // lanes 20 ... 31 of the last warp do not exist
    z[threadIdx.x] = v;
}
extern "C" void partial_warp(int* z, cudaStream_t stream) { partial_warp_kernel<<<1, 52, 0, stream>>>(z); }
"""

LANE = np.arange(32)


def rows(call, name: str, count: int, dtype) -> np.ndarray:
    return call(name, z=np.zeros((count, 32), dtype))["z"]


def test_shuffles_and_their_widths(call):
    x = LANE.astype(np.int32) * 10
    z = call("shuffle", x=x, z=np.zeros((8, 32), np.int32))["z"] // 10
    assert (z[0] == 5).all()
    assert np.array_equal(z[1], LANE // 8 * 8 + (LANE + 1) % 8)
    assert np.array_equal(z[2], np.where(LANE < 3, LANE, LANE - 3))
    assert np.array_equal(z[3], np.where(LANE % 4 < 1, LANE, LANE - 1))
    assert np.array_equal(z[4], np.where(LANE > 29, LANE, LANE + 2))
    assert np.array_equal(z[5], np.where(LANE % 16 == 15, LANE, LANE + 1))
    assert np.array_equal(z[6], LANE ^ 1)
    assert np.array_equal(z[7], 31 - LANE)


def test_shuffles_of_every_type(call):
    z = rows(call, "shuffle_types", 8, np.float64)
    other = LANE ^ 2
    bases = [0, 0, 2.0**40, -(2.0**40), 0, 2.0**31]
    factors = [0.5, 0.125, 1, -1, 1, 1]
    for row, base, factor in zip(z, bases, factors, strict=False):
        assert np.array_equal(row, base + factor * other)
    assert np.array_equal(z[6], 250 + other % 4)
    assert np.array_equal(z[7], -other)


def test_a_warp_sum(call):
    x = np.arange(96, dtype=np.float32)
    assert np.array_equal(call("reduction", x=x, z=np.zeros(3, np.float32))["z"], x.reshape(3, 32).sum(1))


def test_shuffles_in_both_branches_and_by_a_ballot_mask(call):
    z = rows(call, "half_warps", 1, np.int32)[0]
    assert np.array_equal(z, np.where(LANE < 16, 3, 20) + np.where(LANE & 1, 100 * (LANE ^ 2), 0))


def test_votes(call):
    z = rows(call, "votes", 6, np.uint32)
    every_third = sum(1 << lane for lane in range(0, 32, 3))
    assert [set(row) for row in z.tolist()] == [{1}, {0}, {1}, {0}, {every_third}, {0xFFFFFFFF}]


def test_matches(call):
    z = rows(call, "matches", 4, np.uint32)
    tens = [0x3FF, 0x3FF << 10, 0x3FF << 20, 3 << 30]
    assert z[0].tolist() == [tens[lane // 10] for lane in range(32)]
    assert z[1].tolist() == [0xAAAAAAAA if lane & 1 else 0x55555555 for lane in range(32)]
    assert (z[2] == 0xFFFFFFFF).all()
    assert (z[3] == 0).all()


def test_integer_reductions(call):
    z = rows(call, "reductions", 8, np.int32)
    # The sum of -10 ... 21; as unsigned, the least of them is 0; bits 0 ... 15 twice each cancel, 32 times one too.
    assert [set(row) for row in z.tolist()] == [{176}, {-10}, {21}, {0}, {31}, {0xF0}, {31}, {0}]


def test_the_active_mask(call):
    z = rows(call, "active", 2, np.uint32)
    odd_below_20 = sum(1 << lane for lane in range(1, 20, 2))
    assert np.array_equal(z[0], np.where((LANE < 20) & (LANE % 2 == 1), odd_below_20, 0))
    assert (z[1] == 0xFFFFFFFF).all()


def test_syncwarp_of_all_lanes_and_of_some(call):
    x = np.arange(64, dtype=np.int32)
    z = call("syncwarp", x=x, z=np.zeros((2, 4), np.int32))["z"]
    assert np.array_equal(z, x.reshape(2, 32).sum(1)[:, None] + np.arange(4)[::-1])


def test_a_full_mask_in_a_warp_that_is_not_full(call):
    v = np.arange(52)
    assert np.array_equal(call("partial_warp", z=np.zeros(52, np.int32))["z"], v + (v ^ 1))
