// Rung 9 of 10: a long row for all blocks.
// A softmax of one row of 2^28 elements on one block leaves all multiprocessors but one idle. Pairs can be merged, also
// those of different blocks, once all of them are there: a launch waits for the one before it. So a first kernel leaves
// a pair for each part of a row in scratch memory, and in a second one each block merges its row's pairs and writes its
// part. It is two levels of one tree: within blocks, then over them. Rung 10 needs a single launch, and reads less.
//
// On an H200, rows=1 cols=2^24 scratch_len=1024: 8_any_address 3.45 ms, 9_many_blocks 62.1 us, torch.softmax 5.96 ms.
// On an H200, rows=1 cols=2^28 scratch_len=1024: 8_any_address 54.7 ms, 9_many_blocks 815 us, torch.softmax 95.0 ms.

#include "../common/softmax_rows.cuh"

constexpr unsigned kLeastPart = 4096;  // elements: less is not worth a block

// The blocks of a long row deal its vectors out, one to each thread in turn: what all of them read at a time then lies
// side by side. A thread gets number `first`, and then every `stride`-th. All threads get the block's pair.
template <unsigned kWidth>
__device__ Pair read(const float* x, unsigned cols, unsigned first, unsigned stride) {
    Layout layout = layout_of<kWidth>(x, cols);
    float rim = first < layout.rim ? x[layout.column(first, kWidth)] : -INFINITY, max = fmaxf(none().max, rim);
    Pair pair = {max, expf(rim - max)};
    Share<kWidth, kAhead<kWidth>> share;
    for (unsigned i = first; i < layout.count; i += kAhead<kWidth> * stride) {
        share.load(x + layout.head, i, stride, layout.count);
        max = share.largest(pair.max);
        pair = {max, pair.sum * expf(pair.max - max) + share.exponentials(max)};
    }
    return block_merge(team_merge(pair, kLanes));
}

template <unsigned kWidth>
__device__ void write(const float* x, float* y, unsigned cols, unsigned first, unsigned stride, Pair row) {
    Layout layout = layout_of<kWidth>(x, cols);
    unsigned column = layout.column(first, kWidth);
    if (first < layout.rim) {
        y[column] = expf(x[column] - row.max) / row.sum;
    }
    Share<kWidth, kAhead<kWidth>> share;
    for (unsigned i = first; i < layout.count; i += kAhead<kWidth> * stride) {
        share.load(x + layout.head, i, stride, layout.count);
        share.exponentials(row.max);
        share.store(y + layout.head, i, stride, layout.count, 1.0f / row.sum);
    }
}

template <unsigned kWidth>
__global__ void __launch_bounds__(kMostThreads) long_row(const float* x, float* y, unsigned cols) {
    x += std::int64_t{blockIdx.x} * cols;
    y += std::int64_t{blockIdx.x} * cols;
    Pair row = read<kWidth>(x, cols, threadIdx.x, kMostThreads);
    write<kWidth>(x, y, cols, threadIdx.x, kMostThreads, row);
}

// Block b has part b % parts of row b / parts.
template <unsigned kWidth>
__global__ void __launch_bounds__(kMostThreads) read_parts(
    const float* x, unsigned cols, unsigned parts, Pair* pairs) {
    x += std::int64_t{blockIdx.x / parts} * cols;
    Pair pair = read<kWidth>(x, cols, blockIdx.x % parts * kMostThreads + threadIdx.x, parts * kMostThreads);
    if (threadIdx.x == 0) {
        pairs[blockIdx.x] = pair;
    }
}

template <unsigned kWidth>
__global__ void __launch_bounds__(kMostThreads) write_parts(
    const float* x, float* y, unsigned cols, unsigned parts, const Pair* pairs) {
    unsigned row = blockIdx.x / parts, part = blockIdx.x % parts;
    x += std::int64_t{row} * cols;
    y += std::int64_t{row} * cols;
    Pair pair = threadIdx.x < parts ? pairs[row * parts + threadIdx.x] : none();
    pair = block_merge(team_merge(pair, kLanes));
    write<kWidth>(x, y, cols, part * kMostThreads + threadIdx.x, parts * kMostThreads, pair);
}

template <unsigned kWidth>
void softmax_by(const float* x, float* y, unsigned rows, unsigned cols, Pair* pairs, unsigned room,
                cudaStream_t stream) {
    unsigned parts = std::min({kMostThreads / rows, room / rows, ceil_div(cols, kLeastPart)});
    if (cols <= kMostCols) {
        softmax_of_rows<kWidth>(x, y, rows, cols, stream);
    } else if (parts > 1) {
        read_parts<kWidth><<<rows * parts, kMostThreads, 0, stream>>>(x, cols, parts, pairs);
        write_parts<kWidth><<<rows * parts, kMostThreads, 0, stream>>>(x, y, cols, parts, pairs);
    } else {
        long_row<kWidth><<<rows, kMostThreads, 0, stream>>>(x, y, cols);
    }
}

extern "C" void softmax(const float* x, float* y, int rows, int cols, float* scratch, int scratch_len,
                        cudaStream_t stream) {
    auto* pairs = reinterpret_cast<Pair*>(scratch);
    if (takes_vectors<4>(x, y, cols)) {
        softmax_by<4>(x, y, rows, cols, pairs, scratch_len / 2, stream);
    } else {
        softmax_by<1>(x, y, rows, cols, pairs, scratch_len / 2, stream);
    }
}
