// Rung 4 of 4: counters of each lane's own.
//
// A lane of a warp has 256 counters of its own in the block's shared memory, and lane l's all lie in bank l.
// So no two lanes of a warp meet, neither at an address nor in a bank, whatever the data. Other warps use the
// same columns, therefore the atomics stay. Shared memory does one of a warp in two cycles. On an H200 that is
// about the time in which these bytes arrive, and the two go on at once: a thread asks for its next vector before it
// counts the bytes of this one.
//
// Counted: one lane on a counter, and no bank conflicts.
// On an H200, n=2^28: 3_wide_loads 122 us, 4_lane_columns 75.3 us, cub_histogram 130 us, torch.bincount 1.62 ms.
// On an H200, n=2^28 (in runs): 3_wide_loads 76.9 us, 4_lane_columns 75.7 us.
// On an H200, n=2^28 (in runs): cub_histogram 88.2 us, torch.bincount 6.98 ms.
// On an H200, n=2^28 (one bin): 3_wide_loads 75.4 us, 4_lane_columns 75.8 us.
// On an H200, n=2^28 (one bin): cub_histogram 88.2 us, torch.bincount 28.9 ms.
// What did not help there, on uniform bytes: 8 columns (117 us), 16 columns (90 us), seven smaller blocks (90 us), 16
// equal bytes merged into one addition (80 us), counters of a byte for every thread, without atomics (140 us).
// All lanes at one counter are no trouble there as long as they add the constant 1, for then the hardware counts them
// (76 us); a number that it does not know it adds 32 times, one after the other (1055 us).

#include <algorithm>
#include <cstdint>

constexpr unsigned kLanes = 32;
constexpr unsigned kBins = 256;
constexpr unsigned kBlock = 1024;
constexpr unsigned kShare = kBlock * sizeof(uint4);  // bytes that a block counts at least, if there are as many

// How many of x's n elements lie before the first multiple of 16 bytes.
template <typename T>
__device__ unsigned before_vectors(const T* x, unsigned n) {
    unsigned beyond = reinterpret_cast<std::uintptr_t>(x) % 16;
    return min(n, (16 - beyond) % 16 / static_cast<unsigned>(sizeof(T)));
}

using Columns = unsigned[kBins][kLanes];  // 32 KB: two blocks fit into the shared memory of any GPU since Ampere

__device__ void count_word(Columns& columns, unsigned word) {
    unsigned lane = threadIdx.x % kLanes;
#pragma unroll
    for (unsigned shift = 0; shift < 32; shift += 8) {
        atomicAdd(&columns[word >> shift & 0xff][lane], 1u);
    }
}

__global__ void __launch_bounds__(kBlock) count_columns(const unsigned char* x, unsigned* counts, unsigned n) {
    __shared__ Columns columns;
    for (unsigned i = threadIdx.x; i < kBins * kLanes; i += kBlock) {
        columns[i / kLanes][i % kLanes] = 0;
    }
    __syncthreads();

    unsigned head = before_vectors(x, n), count = (n - head) / sizeof(uint4);
    auto vectors = reinterpret_cast<const uint4*>(x + head);
    unsigned stride = gridDim.x * kBlock, i = blockIdx.x * kBlock + threadIdx.x;
    uint4 next = i < count ? vectors[i] : uint4{};
    while (i < count) {
        uint4 v = next;
        i += stride;
        next = i < count ? vectors[i] : uint4{};  // on its way while this vector's bytes are counted
        count_word(columns, v.x);
        count_word(columns, v.y);
        count_word(columns, v.z);
        count_word(columns, v.w);
    }

    unsigned edge = threadIdx.x < head ? threadIdx.x : threadIdx.x + sizeof(uint4) * count;
    if (blockIdx.x == 0 && edge < n) {
        atomicAdd(&columns[x[edge]][threadIdx.x % kLanes], 1u);
    }
    __syncthreads();

    unsigned bin = threadIdx.x;
    if (bin < kBins) {
        unsigned total = 0;
        for (unsigned k = 0; k < kLanes; ++k) {
            total += columns[bin][(bin + k) % kLanes];  // each lane begins in another bank
        }
        atomicAdd(&counts[bin], total);
    }
}

extern "C" void histogram(const unsigned char* x, unsigned int* counts, int n, cudaStream_t stream) {
    int device, multiprocessors;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    int needed = (n - 1) / kShare + 1;
    cudaMemsetAsync(counts, 0, kBins * sizeof(unsigned), stream);
    count_columns<<<std::min(needed, 2 * multiprocessors), kBlock, 0, stream>>>(x, counts, n);
}
