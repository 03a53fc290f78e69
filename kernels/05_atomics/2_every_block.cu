// Rung 2 of 3: one atomic a block.
//
// A block's threads first combine what they have in shared memory, which is theirs alone, and then go
// to global memory once. For the sum this is a tree: in each step half of the threads add what the other
// half holds, and after log2(1024) = 10 steps element 0 is the block's sum. Every step needs a barrier,
// because a thread reads what others wrote in the step before. A tree may regroup the additions because
// they are associative; of floats that is nearly true, so sums in another order differ in the last bits.
//
// The histogram keeps 256 counters of the block's own in shared memory. Its atomics are still one an
// element, but they meet on chip, a block with itself; global memory sees 256 additions for each block,
// and a block counts kShare elements.
//
// Measured on an H200 at 2^28 elements: sum 1447 us (rung 1: 472 ms), histogram 380 us whatever the data
// (rung 1: 69 to 197 ms).
//
// What is left to mend: after the tree's first step half of the threads are idle, after the second
// three quarters, and every thread has loaded one element only. The histogram loads a single byte at a
// time, and lanes of a warp still meet at its counters: in one bank or at the same address.

#include <algorithm>

constexpr int kBlock = 1024;
constexpr int kBins = 256;
constexpr int kShare = 16 * kBlock;  // elements that a block counts at least, if there are as many

__global__ void add_block(const float* x, float* out, int n) {
    __shared__ float sums[kBlock];
    unsigned i = blockIdx.x * kBlock + threadIdx.x;
    sums[threadIdx.x] = i < n ? x[i] : 0.0f;
    for (int half = kBlock / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) {
            sums[threadIdx.x] += sums[threadIdx.x + half];
        }
    }
    if (threadIdx.x == 0) {
        atomicAdd(out, sums[0]);
    }
}

__global__ void count_block(const unsigned char* x, unsigned int* counts, int n) {
    __shared__ unsigned bins[kBins];
    if (threadIdx.x < kBins) {
        bins[threadIdx.x] = 0;
    }
    __syncthreads();
    unsigned stride = gridDim.x * kBlock;
    for (unsigned i = blockIdx.x * kBlock + threadIdx.x; i < n; i += stride) {
        atomicAdd(&bins[x[i]], 1u);
    }
    __syncthreads();
    if (threadIdx.x < kBins) {
        atomicAdd(&counts[threadIdx.x], bins[threadIdx.x]);
    }
}

extern "C" void sum(const float* x, float* out, int n, cudaStream_t stream) {
    int blocks = (n - 1) / kBlock + 1;
    cudaMemsetAsync(out, 0, sizeof(float), stream);
    add_block<<<blocks, kBlock, 0, stream>>>(x, out, n);
}

extern "C" void histogram(const unsigned char* x, unsigned int* counts, int n, cudaStream_t stream) {
    int device, multiprocessors;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    int blocks = std::min((n - 1) / kShare + 1, 2 * multiprocessors);
    cudaMemsetAsync(counts, 0, kBins * sizeof(unsigned), stream);
    count_block<<<blocks, kBlock, 0, stream>>>(x, counts, n);
}
