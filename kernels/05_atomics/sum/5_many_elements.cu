// Rung 5 of 5: many elements for each thread.
//
// A thread adds 32 elements in registers; they come by eight loads of 16 bytes that do not wait for each other.
// Neighbouring threads still load neighbours: a thread's vectors are a block's width apart. Smaller blocks do, so that
// one can start while others still load. One atomic is left for 8192 elements.
//
// Why an atomic, and no second kernel that adds the blocks' sums in a fixed order? They would need memory,
// and there is none but `out`: a __device__ array would be shared by calls on other streams. The price: the
// blocks come in any order, so the last bits of the sum differ from run to run.
//
// Counted: one atomic for 8192 elements where there was one for 4096.
// On an H200, n=2^28: 4_wide_loads 320 us, 5_many_elements 246 us, torch.sum 259 us, cub_sum 251 us.
// With 32 elements a thread, loads of 4 bytes are as fast. What did not help there (in a run where this took 245 us):
// 4 vectors a thread (261 us) or 16 (248 us), a grid as large as the GPU (248 to 251 us), bulk copies into shared memory
// (249 us), loads that skip L1 (260 us) or prefetch 256 bytes into L2 (278 us).

#include <cstdint>

constexpr unsigned kBlock = 256;
constexpr unsigned kVectors = 8;  // that a thread loads
constexpr unsigned kTile = kBlock * kVectors * 4;
constexpr unsigned kLanes = 32;
constexpr unsigned kWarp = 0xffffffff;  // the mask of all its lanes

// How many of x's n elements lie before the first multiple of 16 bytes.
template <typename T>
__device__ unsigned before_vectors(const T* x, unsigned n) {
    unsigned beyond = reinterpret_cast<std::uintptr_t>(x) % 16;
    return min(n, (16 - beyond) % 16 / static_cast<unsigned>(sizeof(T)));
}

// Returns the warp's sum to lane 0.
__device__ float warp_sum(float value) {
    for (unsigned distance = kLanes / 2; distance > 0; distance /= 2) {
        value += __shfl_down_sync(kWarp, value, distance);
    }
    return value;
}

// Returns the block's sum to thread 0.
__device__ float block_sum(float value) {
    constexpr unsigned kWarps = kBlock / kLanes;
    static_assert(kWarps <= kLanes, "the first warp adds the sums of all warps");
    __shared__ float sums[kWarps];
    value = warp_sum(value);
    if (threadIdx.x % kLanes == 0) {
        sums[threadIdx.x / kLanes] = value;
    }
    __syncthreads();
    if (threadIdx.x < kLanes) {
        value = warp_sum(threadIdx.x < kWarps ? sums[threadIdx.x] : 0.0f);
    }
    return value;
}

__global__ void __launch_bounds__(kBlock) add_tile(const float* x, float* out, unsigned n) {
    unsigned head = before_vectors(x, n), count = (n - head) / 4;
    auto vectors = reinterpret_cast<const float4*>(x + head);
    unsigned first = blockIdx.x * kBlock * kVectors + threadIdx.x;

    float4 loaded[kVectors];
#pragma unroll
    for (unsigned k = 0; k < kVectors; ++k) {
        unsigned i = first + k * kBlock;
        loaded[k] = i < count ? vectors[i] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    }
    float sum = 0.0f;
#pragma unroll
    for (float4 v : loaded) {
        sum += (v.x + v.y) + (v.z + v.w);
    }

    unsigned edge = threadIdx.x < head ? threadIdx.x : threadIdx.x + 4 * count;
    if (blockIdx.x == 0 && edge < n) {
        sum += x[edge];
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0) {
        atomicAdd(out, sum);
    }
}

extern "C" void sum(const float* x, float* out, int n, cudaStream_t stream) {
    int blocks = (n - 1) / kTile + 1;
    cudaMemsetAsync(out, 0, sizeof(float), stream);
    add_tile<<<blocks, kBlock, 0, stream>>>(x, out, n);
}
