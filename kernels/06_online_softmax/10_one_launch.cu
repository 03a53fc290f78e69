// Rung 10 of 10: a long row stays on the chip.
// Rung 9 reads a long row twice from memory, and launches two kernels for it. Here one launch does it all: each block
// reads its part of the row, and keeps as much of it in shared memory as fits. Then all blocks of the GPU wait for each
// other (a cooperative launch guarantees that they run at the same time), each merges the pairs of its row for itself,
// and writes its part from what it kept. An H200 has room for 7.6 million floats of a row; what does not fit is read a
// second time, last part first: the L2 cache still has what was read last.
//
// Numbers are stored as float, or with 16 bits as half or bfloat16 by two more entry points, which kernels.ops.softmax
// uses. They are computed with as floats, and rounded once.
//
// On an H200, rows=1 cols=2^24 scratch_len=1024: 9_many_blocks 62.1 us, 10_one_launch 48.4 us, torch.softmax 5.96 ms.
// On an H200, rows=1 cols=2^28 scratch_len=1024: 9_many_blocks 815 us, 10_one_launch 784 us, torch.softmax 95.0 ms.
// At 2^28 that is nearly the time that two passes over x and one over y take at the speed of a copy. What helped there:
// stores that the caches need not keep (1 %), and to deal the vectors out, where each block had one long piece of the
// row before (2 %). What did not help, by such pieces (0.80 ms): four blocks of 256 threads on a multiprocessor
// (0.86 ms), one of 1024 (0.87), 32 loads on their way (0.81), keeping nothing in shared memory (0.80, but 57 us at
// 2^24), loads that the caches need not keep (0.81).

#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "../common/softmax_rows.cuh"

constexpr unsigned kBlocksHere = 2;    // on a multiprocessor: one may wait while the other moves bytes
constexpr unsigned kLeastPart = 4096;  // elements: less is not worth a block

// The blocks of a long row deal its vectors out, one to each thread in turn: what all of them read at a time then lies
// side by side. A thread gets number `first`, and then every `stride`-th.
template <unsigned kWidth, typename Number>
struct Part {
    const Number* x;
    Layout layout;
    unsigned first, stride;
    Vector<Number, kWidth>* room;  // of the block, in shared memory; each thread uses places of its own
    unsigned kept;                 // vectors that have room there

    // The pair of the block's part, and of `rim`, a thread's number of it.
    __device__ Pair read(float rim) const {
        float max = fmaxf(none().max, rim);
        Pair pair = {max, expf(rim - max)};
        Share<kWidth, kAhead<kWidth>> share;
        unsigned place = threadIdx.x;
        for (unsigned i = first; i < layout.count; i += kAhead<kWidth> * stride) {
            share.load(x + layout.head, i, stride, layout.count);
#pragma unroll
            for (unsigned k = 0; k < kAhead<kWidth>; ++k, place += kMostThreads) {
                if (place < kept) {
                    room[place] = as<Number>(share.values[k]);
                }
            }
            max = share.largest(pair.max);
            pair = {max, pair.sum * expf(pair.max - max) + share.exponentials(max)};
        }
        return block_merge(team_merge(pair, kLanes));
    }

    // Backwards: what was read last may still be in the L2 cache.
    __device__ void write(Number* y, Pair row) const {
        const auto* from = reinterpret_cast<const Vector<Number, kWidth>*>(x + layout.head);
        Share<kWidth, kAhead<kWidth>> share;
        for (unsigned turn = ceil_div(layout.count, kAhead<kWidth> * stride); turn-- > 0;) {
            unsigned begin = first + turn * kAhead<kWidth> * stride;
            unsigned place = threadIdx.x + turn * kAhead<kWidth> * kMostThreads;
            share.fill(begin, stride, layout.count, [&](unsigned k, unsigned i) {
                return place + k * kMostThreads < kept ? room[place + k * kMostThreads] : from[i];
            });
            share.exponentials(row.max);
            share.template store<true>(y + layout.head, begin, stride, layout.count, 1.0f / row.sum);
        }
    }
};

// Block b has part b % parts of a row. With one part, a block goes from row to row; with more, there is a block for
// each part of all rows, and all blocks meet once.
template <unsigned kWidth, typename Number>
__global__ void __launch_bounds__(kMostThreads, kBlocksHere) long_rows(
    const Number* x, Number* y, unsigned rows, unsigned cols, unsigned parts, unsigned kept, Pair* pairs) {
    extern __shared__ float4 room[];
    unsigned first = blockIdx.x % parts * kMostThreads + threadIdx.x, stride = parts * kMostThreads;
    for (unsigned row = blockIdx.x / parts; row < rows; row += gridDim.x / parts) {
        const Number* from = x + std::int64_t{row} * cols;
        Number* to = y + std::int64_t{row} * cols;
        Layout layout = layout_of<kWidth>(from, cols);
        Part<kWidth, Number> part = {
            from, layout, first, stride, reinterpret_cast<Vector<Number, kWidth>*>(room), kept};
        unsigned column = layout.column(first, kWidth);
        float rim = first < layout.rim ? static_cast<float>(from[column]) : -INFINITY;
        Pair pair = part.read(rim);
        if (parts > 1) {
            if (threadIdx.x == 0) {
                pairs[blockIdx.x] = pair;
            }
            cooperative_groups::this_grid().sync();
            pair = threadIdx.x < parts ? pairs[row * parts + threadIdx.x] : none();
            pair = block_merge(team_merge(pair, kLanes));
        }
        part.write(to, pair);
        if (first < layout.rim) {
            to[column] = static_cast<Number>(expf(rim - pair.max) / pair.sum);
        }
    }
}

inline unsigned attribute(cudaDeviceAttr which) {
    int device, value;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&value, which, device);
    return value;
}

template <unsigned kWidth, typename Number>
void softmax_of_long_rows(const Number* x, Number* y, unsigned rows, unsigned cols, float* scratch,
                          unsigned scratch_len, cudaStream_t stream) {
    constexpr unsigned kBeside = 2048;  // bytes a block: its warps' pairs, and what the system reserves
    constexpr unsigned kLayer = kMostThreads * kWidth * sizeof(Number);  // a vector for each thread
    unsigned share = attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor) / kBlocksHere - kBeside;
    unsigned bytes = share / kLayer * kLayer, kept = bytes / (kWidth * sizeof(Number));
    cudaFuncSetAttribute(long_rows<kWidth, Number>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    int resident;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, long_rows<kWidth, Number>, kMostThreads, bytes);
    unsigned most = resident * attribute(cudaDevAttrMultiProcessorCount);

    unsigned parts = std::min({most / rows, kMostThreads, scratch_len / 2 / rows, ceil_div(cols, kLeastPart)});
    parts = std::max(parts, 1u);
    unsigned grid = parts > 1 ? rows * parts : std::min(rows, most);
    void* arguments[] = {&x, &y, &rows, &cols, &parts, &kept, &scratch};
    cudaLaunchCooperativeKernel((void*)long_rows<kWidth, Number>, grid, kMostThreads, arguments, bytes, stream);
}

template <unsigned kWidth, typename Number>
void softmax_by(const Number* x, Number* y, unsigned rows, unsigned cols, float* scratch, unsigned scratch_len,
                cudaStream_t stream) {
    if (cols <= kMostCols) {
        softmax_of_rows<kWidth>(x, y, rows, cols, stream);
    } else {
        softmax_of_long_rows<kWidth>(x, y, rows, cols, scratch, scratch_len, stream);
    }
}

template <typename Number>
void softmax_of(const Number* x, Number* y, int rows, int cols, float* scratch, int scratch_len, cudaStream_t stream) {
    constexpr unsigned kWidth = sizeof(float4) / sizeof(Number);
    if (takes_vectors<kWidth>(x, y, cols)) {
        softmax_by<kWidth>(x, y, rows, cols, scratch, scratch_len, stream);
    } else {
        softmax_by<1>(x, y, rows, cols, scratch, scratch_len, stream);
    }
}

extern "C" void softmax(const float* x, float* y, int rows, int cols, float* scratch, int scratch_len,
                        cudaStream_t stream) {
    softmax_of(x, y, rows, cols, scratch, scratch_len, stream);
}

extern "C" void softmax_half(const half* x, half* y, int rows, int cols, float* scratch, int scratch_len,
                             cudaStream_t stream) {
    softmax_of(x, y, rows, cols, scratch, scratch_len, stream);
}

extern "C" void softmax_bfloat16(const __nv_bfloat16* x, __nv_bfloat16* y, int rows, int cols, float* scratch,
                                 int scratch_len, cudaStream_t stream) {
    softmax_of(x, y, rows, cols, scratch, scratch_len, stream);
}
