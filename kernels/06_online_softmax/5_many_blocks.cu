// Rung 5 of 6: a long row for all blocks.
// A softmax of one row of 2^28 elements on one block leaves all multiprocessors but one idle. Pairs can be merged, also
// those of different blocks, if somebody waits for all of them: a launch waits for the one before it. So a first kernel
// leaves a pair for each piece of a row in scratch memory, a second one merges a row's pairs, and a third one writes.
// It is two levels of one tree: first within blocks, then over them. Rung 6 does with a single launch, and reads less.
//
// Measured on an H200, one row of 2^24: 65 us (rung 4: 3.2 ms, torch.softmax 6.0 ms); of 2^28: 0.82 ms (51 ms, 95 ms).

#include <algorithm>
#include <cfloat>
#include <cstdint>

constexpr unsigned kLanes = 32;
constexpr unsigned kWarp = 0xffffffff;  // the mask of all its lanes
constexpr unsigned kMostThreads = 512;

inline unsigned ceil_div(unsigned count, unsigned size) { return (count - 1) / size + 1; }

// Four floats for one load where all rows start at a multiple of 16 bytes, else one.
template <unsigned kWidth>
struct alignas(kWidth * sizeof(float)) Vector {
    float at[kWidth];
};

template <unsigned kWidth>
__device__ Vector<kWidth> filled(float value) {
    Vector<kWidth> vector;
    for (float& each : vector.at) {
        each = value;
    }
    return vector;
}

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
    __syncthreads();  // nobody still reads the pairs of the last call
    if (lane == 0) {
        pairs[threadIdx.x / kLanes] = pair;
    }
    __syncthreads();
    return team_merge(lane < blockDim.x / kLanes ? pairs[lane] : none(), kLanes);
}

// ---- rows in registers ----

// A team of threads takes a row: a power of two of lanes, or all warps of a block. A team without a row stays, with
// nothing to do: the shuffles want whole warps.
template <unsigned kWidth, unsigned kLoads>
__global__ void __launch_bounds__(kMostThreads) rows_in_registers(
    const float* x, float* y, unsigned rows, unsigned cols, unsigned team) {
    unsigned row = blockIdx.x * (blockDim.x / team) + threadIdx.x / team;
    unsigned first = threadIdx.x % team, count = row < rows ? cols / kWidth : 0;
    const auto* from = reinterpret_cast<const Vector<kWidth>*>(x + std::int64_t{row} * cols);
    auto* to = reinterpret_cast<Vector<kWidth>*>(y + std::int64_t{row} * cols);

    Vector<kWidth> values[kLoads];
    float max = none().max;
#pragma unroll
    for (unsigned k = 0; k < kLoads; ++k) {
        values[k] = first + k * team < count ? from[first + k * team] : filled<kWidth>(-INFINITY);
    }
#pragma unroll
    for (const auto& vector : values) {
        for (float value : vector.at) {
            max = fmaxf(max, value);
        }
    }
    // The warp's maximum will do for now: the exponentials need not wait for the other warps.
    max = team_max(max, min(team, kLanes));
    float sum = 0.0f;
#pragma unroll
    for (auto& vector : values) {
        for (float& value : vector.at) {
            value = expf(value - max);
            sum += value;
        }
    }
    Pair whole = {max, team_sum(sum, min(team, kLanes))};
    if (team > kLanes) {
        whole = block_merge(whole);
    }
    float scale = expf(max - whole.max) / whole.sum;
#pragma unroll
    for (unsigned k = 0; k < kLoads; ++k) {
        if (first + k * team < count) {
            for (float& value : values[k].at) {
                value *= scale;
            }
            to[first + k * team] = values[k];
        }
    }
}

constexpr unsigned kHeld = 32;  // elements of a row in a thread's registers, at most
constexpr unsigned kMostCols = kMostThreads * kHeld;

template <unsigned kWidth>
constexpr unsigned kAhead = 16 / kWidth;  // loads of a thread that are on their way at once, of 64 bytes

template <unsigned kWidth, unsigned kLoads>
void launch_rows(const float* x, float* y, unsigned rows, unsigned cols, cudaStream_t stream) {
    unsigned lanes = ceil_div(cols, kLoads * kWidth), team = 1;
    while (team < lanes && team < kLanes) {
        team *= 2;
    }
    team *= ceil_div(lanes, team);
    unsigned block = team > kLanes ? team : 128;
    rows_in_registers<kWidth, kLoads><<<ceil_div(rows, block / team), block, 0, stream>>>(x, y, rows, cols, team);
}

// Neighbouring lanes should have neighbouring elements, so a short row gets as many lanes as it has use for, but
// two loads for each of them: with one, too few bytes are on their way. In longer rows a thread holds twice what is on
// its way only if there are not enough threads.
template <unsigned kWidth>
void softmax_of_rows(const float* x, float* y, unsigned rows, unsigned cols, cudaStream_t stream) {
    if (cols <= kLanes) {
        launch_rows<kWidth, 1>(x, y, rows, cols, stream);
    } else if (cols <= kLanes * kWidth * 2) {
        launch_rows<kWidth, 2>(x, y, rows, cols, stream);
    } else if (cols <= kLanes * kWidth * 4) {
        launch_rows<kWidth, 4>(x, y, rows, cols, stream);
    } else if (cols <= kMostThreads * kAhead<kWidth> * kWidth) {
        launch_rows<kWidth, kAhead<kWidth>>(x, y, rows, cols, stream);
    } else {
        launch_rows<kWidth, kHeld / kWidth>(x, y, rows, cols, stream);
    }
}

// ---- rows that are longer ----

constexpr unsigned kLongBlock = 512;

// The thread's next vectors of a row, from vector i on; where there are none, what changes nothing.
template <unsigned kWidth>
__device__ void load(Vector<kWidth> (&values)[kAhead<kWidth>], const Vector<kWidth>* from, unsigned i, unsigned count) {
#pragma unroll
    for (auto& vector : values) {
        vector = i < count ? from[i] : filled<kWidth>(-INFINITY);
        i += kLongBlock;
    }
}

// The pair of all elements so far, and 16 more.
template <unsigned kWidth>
__device__ Pair add(Pair pair, const Vector<kWidth> (&values)[kAhead<kWidth>]) {
    float max = pair.max;
#pragma unroll
    for (const auto& vector : values) {
        for (float value : vector.at) {
            max = fmaxf(max, value);
        }
    }
    float sum = pair.sum * expf(pair.max - max);
#pragma unroll
    for (const auto& vector : values) {
        for (float value : vector.at) {
            sum += expf(value - max);
        }
    }
    return {max, sum};
}

template <unsigned kWidth>
__device__ Pair read(const Vector<kWidth>* from, unsigned count) {
    Vector<kWidth> values[kAhead<kWidth>];
    Pair pair = none();
    for (unsigned first = 0; first < count; first += kAhead<kWidth> * kLongBlock) {
        load<kWidth>(values, from, first + threadIdx.x, count);
        pair = add<kWidth>(pair, values);
    }
    return block_merge(team_merge(pair, kLanes));
}

template <unsigned kWidth>
__device__ void write(const Vector<kWidth>* from, Vector<kWidth>* to, unsigned count, Pair pair) {
    Vector<kWidth> values[kAhead<kWidth>];
    float scale = 1.0f / pair.sum;
    for (unsigned first = 0; first < count; first += kAhead<kWidth> * kLongBlock) {
        load<kWidth>(values, from, first + threadIdx.x, count);
#pragma unroll
        for (unsigned k = 0; k < kAhead<kWidth>; ++k) {
            unsigned i = first + k * kLongBlock + threadIdx.x;
            if (i < count) {
                for (float& value : values[k].at) {
                    value = expf(value - pair.max) * scale;
                }
                to[i] = values[k];
            }
        }
    }
}

template <unsigned kWidth>
__global__ void __launch_bounds__(kLongBlock) long_row(const float* x, float* y, unsigned cols) {
    const auto* from = reinterpret_cast<const Vector<kWidth>*>(x + std::int64_t{blockIdx.x} * cols);
    auto* to = reinterpret_cast<Vector<kWidth>*>(y + std::int64_t{blockIdx.x} * cols);
    write<kWidth>(from, to, cols / kWidth, read<kWidth>(from, cols / kWidth));
}

// ---- few long rows: pieces of them ----

constexpr unsigned kLeastPiece = 4096;  // elements: less is not worth a block

// Block b has part b % parts of row b / parts.
struct Pieces {
    unsigned cols, parts, piece;

    __device__ std::int64_t begin() const {
        return std::int64_t{blockIdx.x / parts} * cols + blockIdx.x % parts * piece;
    }
    __device__ unsigned count() const { return min(piece, cols - blockIdx.x % parts * piece); }
};

template <unsigned kWidth>
__global__ void __launch_bounds__(kLongBlock) read_pieces(const float* x, float* pairs, Pieces pieces) {
    const auto* from = reinterpret_cast<const Vector<kWidth>*>(x + pieces.begin());
    Pair pair = read<kWidth>(from, pieces.count() / kWidth);
    if (threadIdx.x == 0) {
        pairs[2 * blockIdx.x] = pair.max;
        pairs[2 * blockIdx.x + 1] = pair.sum;
    }
}

// The pairs that blocks left in memory, at most one for each thread, merged.
__device__ Pair gather(const float* pairs, unsigned parts) {
    Pair pair = threadIdx.x < parts ? Pair{pairs[2 * threadIdx.x], pairs[2 * threadIdx.x + 1]} : none();
    return block_merge(team_merge(pair, kLanes));
}

// The pair of a whole row takes the place of its first piece's.
__global__ void __launch_bounds__(kLongBlock) merge_pieces(float* pairs, unsigned parts) {
    pairs += 2 * blockIdx.x * parts;
    Pair pair = gather(pairs, parts);
    if (threadIdx.x == 0) {
        pairs[0] = pair.max;
        pairs[1] = pair.sum;
    }
}

template <unsigned kWidth>
__global__ void __launch_bounds__(kLongBlock) write_pieces(
    const float* x, float* y, const float* pairs, Pieces pieces) {
    const auto* from = reinterpret_cast<const Vector<kWidth>*>(x + pieces.begin());
    auto* to = reinterpret_cast<Vector<kWidth>*>(y + pieces.begin());
    pairs += 2 * (blockIdx.x / pieces.parts) * pieces.parts;
    write<kWidth>(from, to, pieces.count() / kWidth, {pairs[0], pairs[1]});
}

// ---- which of them ----

template <unsigned kWidth>
void softmax_by(const float* x, float* y, unsigned rows, unsigned cols, float* scratch, unsigned scratch_len,
                cudaStream_t stream) {
    if (cols <= kMostCols) {
        softmax_of_rows<kWidth>(x, y, rows, cols, stream);
        return;
    }
    unsigned parts = std::min({kLongBlock / rows, scratch_len / 2 / rows, ceil_div(cols, kLeastPiece)});
    if (parts <= 1) {
        long_row<kWidth><<<rows, kLongBlock, 0, stream>>>(x, y, cols);
        return;
    }
    unsigned piece = ceil_div(ceil_div(cols, parts), 32) * 32;  // whole sectors, and whole vectors
    Pieces pieces = {cols, ceil_div(cols, piece), piece};
    read_pieces<kWidth><<<rows * pieces.parts, kLongBlock, 0, stream>>>(x, scratch, pieces);
    merge_pieces<<<rows, kLongBlock, 0, stream>>>(scratch, pieces.parts);
    write_pieces<kWidth><<<rows * pieces.parts, kLongBlock, 0, stream>>>(x, y, scratch, pieces);
}

inline bool is_aligned(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer) % sizeof(float4) == 0; }

extern "C" void softmax(const float* x, float* y, int rows, int cols, float* scratch, int scratch_len,
                        cudaStream_t stream) {
    if (cols % 4 == 0 && is_aligned(x) && is_aligned(y)) {
        softmax_by<4>(x, y, rows, cols, scratch, scratch_len, stream);
    } else {
        softmax_by<1>(x, y, rows, cols, scratch, scratch_len, stream);
    }
}
