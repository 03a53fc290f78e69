// What the upper rungs of lesson 06 share: pairs that a warp and a block merge, as in 5_shuffles.cu, but by teams of
// any width, and what a thread holds of a row, as in 6_vector_loads.cu, but of numbers of any type.
#pragma once

#include <algorithm>
#include <cfloat>
#include <cstdint>

constexpr unsigned kLanes = 32;
constexpr unsigned kWarp = 0xffffffff;  // the mask of all its lanes
constexpr unsigned kMostThreads = 512;

__host__ __device__ inline unsigned ceil_div(unsigned count, unsigned size) { return (count - 1) / size + 1; }

// Of some elements: the largest, and the sum of exp(x - max).
struct Pair {
    float max, sum;
};

// Of no elements. -FLT_MAX, for no float but -inf itself is below it: with -inf here, -inf - -inf would give NaN.
__device__ Pair none() { return {-FLT_MAX, 0.0f}; }

// To every lane of a team of `width` lanes. fmaxf leaves out a NaN; the sum does not, and takes it to the whole row.
__device__ float team_max(float value, unsigned width) {
    for (unsigned distance = width / 2; distance > 0; distance /= 2) {
        value = fmaxf(value, __shfl_xor_sync(kWarp, value, distance));
    }
    return value;
}

__device__ float team_sum(float value, unsigned width) {
    for (unsigned distance = width / 2; distance > 0; distance /= 2) {
        value += __shfl_xor_sync(kWarp, value, distance);
    }
    return value;
}

__device__ Pair team_merge(Pair pair, unsigned width) {
    float max = team_max(pair.max, width);
    return {max, team_sum(pair.sum * expf(pair.max - max), width)};
}

// Merges one pair from each warp, the same in all its lanes. Every thread gets the block's.
__device__ Pair block_merge(Pair pair) {
    __shared__ Pair pairs[kMostThreads / kLanes];
    unsigned lane = threadIdx.x % kLanes;
    __syncthreads();  // all have read the pairs of the last call
    if (lane == 0) {
        pairs[threadIdx.x / kLanes] = pair;
    }
    __syncthreads();
    return team_merge(lane < blockDim.x / kLanes ? pairs[lane] : none(), kLanes);
}

// Numbers that one load brings: 16 bytes, which begin at a multiple of that, or one number.
template <typename Number, unsigned kWidth>
struct alignas(kWidth * sizeof(Number)) Vector {
    Number at[kWidth];
};

template <typename To, typename From, unsigned kWidth>
__device__ Vector<To, kWidth> as(Vector<From, kWidth> from) {
    Vector<To, kWidth> to;
#pragma unroll
    for (unsigned k = 0; k < kWidth; ++k) {
        to.at[k] = static_cast<To>(static_cast<float>(from.at[k]));
    }
    return to;
}

// With kForget it need not push anything out of the L2 cache: what is stored will not be read.
template <bool kForget, typename Number, unsigned kWidth>
__device__ void put(Vector<Number, kWidth>* to, const Vector<Number, kWidth>& vector) {
    if constexpr (kForget && sizeof(vector) == sizeof(float4)) {
        __stcs(reinterpret_cast<float4*>(to), reinterpret_cast<const float4&>(vector));
    } else {
        *to = vector;
    }
}

// What a thread holds of a row, as floats: vector number `first`, and then every `stride`-th.
template <unsigned kWidth, unsigned kLoads>
struct Share {
    Vector<float, kWidth> values[kLoads];

    // `fetch(k, i)` is the k-th of them, vector i. Where the row has no more: -inf, for its exponential is 0.
    template <typename Fetch>
    __device__ void fill(unsigned first, unsigned stride, unsigned count, Fetch fetch) {
#pragma unroll
        for (unsigned k = 0; k < kLoads; ++k) {
            unsigned i = first + k * stride;
            if (i < count) {
                values[k] = as<float>(fetch(k, i));
            } else {
                for (float& value : values[k].at) {
                    value = -INFINITY;
                }
            }
        }
    }

    template <typename Number>
    __device__ void load(const Number* row, unsigned first, unsigned stride, unsigned count) {
        const auto* from = reinterpret_cast<const Vector<Number, kWidth>*>(row);
        fill(first, stride, count, [&](unsigned, unsigned i) { return from[i]; });
    }

    __device__ float largest(float max) const {
#pragma unroll
        for (unsigned k = 0; k < kLoads; ++k) {
            for (float value : values[k].at) {
                max = fmaxf(max, value);
            }
        }
        return max;
    }

    // Makes exponentials of the values, and adds them up.
    __device__ float exponentials(float max) {
        float sum = 0.0f;
#pragma unroll
        for (unsigned k = 0; k < kLoads; ++k) {
            for (float& value : values[k].at) {
                value = expf(value - max);
                sum += value;
            }
        }
        return sum;
    }

    template <bool kForget = false, typename Number>
    __device__ void store(Number* row, unsigned first, unsigned stride, unsigned count, float scale) {
#pragma unroll
        for (unsigned k = 0; k < kLoads; ++k) {
            unsigned i = first + k * stride;
            if (i < count) {
                for (float& value : values[k].at) {
                    value *= scale;
                }
                put<kForget>(reinterpret_cast<Vector<Number, kWidth>*>(row) + i, as<Number>(values[k]));
            }
        }
    }
};
