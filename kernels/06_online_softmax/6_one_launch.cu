// Rung 6 of 6: a long row stays on the chip.
//
// Rung 5 reads a long row twice from memory and launches three kernels for it. Here one launch does it all: each block
// reads its part of the row, and keeps as much of it in shared memory as fits. Then all blocks of the GPU wait for each
// other (a cooperative launch guarantees that they run at the same time), each merges everybody's pairs for itself, and
// writes its part from what it kept. An H200 has room for 7.6 million floats of a row; what does not fit is
// read a second time, last part first: the L2 cache still has what was read last.
//
// Rows that fit into a block's registers are done as in rung 4. Two more entry points take numbers of half the size:
// they are stored as half or bfloat16, computed with as float, and rounded once.
//
// Measured on an H200, one row of 2^24: 50 us (torch.softmax 6.0 ms); of 2^28: 0.78 ms (95 ms), where two passes over x
// and one over y take 0.76 ms at the speed of a copy. What helped at 2^28: stores that the caches need not keep (1 %), and
// to deal the vectors out, where each block had one long piece of the row before (2 %: 0.80 ms). What did not, by
// such pieces: four blocks of 256 threads on a multiprocessor (0.86 ms), one of 1024 (0.87), 32 loads on their way
// (0.81), keeping nothing in shared memory (0.80, but 57 us at 2^24), loads that the caches need not keep (0.81).

#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <cfloat>
#include <cstdint>

constexpr unsigned kLanes = 32;
constexpr unsigned kWarp = 0xffffffff;  // the mask of all its lanes
constexpr unsigned kMostThreads = 512;

__host__ __device__ inline unsigned ceil_div(unsigned count, unsigned size) { return (count - 1) / size + 1; }

// Numbers: of x and y what one load brings, 16 bytes where all rows start at a multiple of that, else one of them.
template <typename Number, unsigned kWidth>
struct alignas(std::min<std::size_t>(kWidth * sizeof(Number), 16)) Vector {
    Number at[kWidth];
};

template <typename Number, unsigned kWidth>
__device__ Vector<Number, kWidth> filled(float value) {
    Vector<Number, kWidth> vector;
    for (Number& each : vector.at) {
        each = static_cast<Number>(value);
    }
    return vector;
}

template <typename To, typename From, unsigned kWidth>
__device__ Vector<To, kWidth> as(Vector<From, kWidth> from) {  // by value: one load
    Vector<To, kWidth> to;
#pragma unroll
    for (unsigned k = 0; k < kWidth; ++k) {
        to.at[k] = static_cast<To>(static_cast<float>(from.at[k]));
    }
    return to;
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
template <typename Number, unsigned kWidth, unsigned kLoads>
__global__ void __launch_bounds__(kMostThreads) rows_in_registers(
    const Number* x, Number* y, unsigned rows, unsigned cols, unsigned team) {
    unsigned row = blockIdx.x * (blockDim.x / team) + threadIdx.x / team;
    unsigned first = threadIdx.x % team, count = row < rows ? cols / kWidth : 0;
    const auto* from = reinterpret_cast<const Vector<Number, kWidth>*>(x + std::int64_t{row} * cols);
    auto* to = reinterpret_cast<Vector<Number, kWidth>*>(y + std::int64_t{row} * cols);

    Vector<float, kWidth> values[kLoads];
    float max = none().max;
#pragma unroll
    for (unsigned k = 0; k < kLoads; ++k) {
        unsigned i = first + k * team;
        values[k] = i < count ? as<float>(from[i]) : filled<float, kWidth>(-INFINITY);
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
            to[first + k * team] = as<Number>(values[k]);
        }
    }
}

constexpr unsigned kHeld = 32;  // elements of a row in a thread's registers, at most
constexpr unsigned kMostCols = kMostThreads * kHeld;

template <unsigned kWidth>
constexpr unsigned kAhead = kWidth > 1 ? 4 : 16;  // loads of a thread that are on their way at once

template <typename Number, unsigned kWidth, unsigned kLoads>
void launch_rows(const Number* x, Number* y, unsigned rows, unsigned cols, cudaStream_t stream) {
    unsigned lanes = ceil_div(cols, kLoads * kWidth), team = 1;
    while (team < lanes && team < kLanes) {
        team *= 2;
    }
    team *= ceil_div(lanes, team);
    unsigned block = team > kLanes ? team : 128;
    unsigned blocks = ceil_div(rows, block / team);
    rows_in_registers<Number, kWidth, kLoads><<<blocks, block, 0, stream>>>(x, y, rows, cols, team);
}

// Neighbouring lanes should have neighbouring elements, so a short row gets as many lanes as it has use for, but
// two loads for each of them: with one, too few bytes are on their way. In longer rows a thread holds twice what is on
// its way only if there are not enough threads.
template <typename Number, unsigned kWidth>
void softmax_of_rows(const Number* x, Number* y, unsigned rows, unsigned cols, cudaStream_t stream) {
    if (cols <= kLanes) {
        launch_rows<Number, kWidth, 1>(x, y, rows, cols, stream);
    } else if (cols <= kLanes * kWidth * 2) {
        launch_rows<Number, kWidth, 2>(x, y, rows, cols, stream);
    } else if (cols <= kLanes * kWidth * 4) {
        launch_rows<Number, kWidth, 4>(x, y, rows, cols, stream);
    } else if (cols <= kMostThreads * kAhead<kWidth> * kWidth) {
        launch_rows<Number, kWidth, kAhead<kWidth>>(x, y, rows, cols, stream);
    } else {
        launch_rows<Number, kWidth, kHeld / kWidth>(x, y, rows, cols, stream);
    }
}

// ---- rows that are longer ----

constexpr unsigned kLongBlock = 512;
constexpr unsigned kBlocksHere = 2;     // on a multiprocessor: one may wait while the other moves bytes
constexpr unsigned kLeastPiece = 4096;  // elements: less is not worth a block

// The blocks of a row deal its vectors out among them, one to each thread in turn: what all of them read at a time then
// lies side by side. Of `count` vectors a thread gets number `first`, and then every `stride`-th.
struct Share {
    unsigned first, stride, count;
};

// The thread's next vectors of a row, from vector i on; where there are none, what changes nothing.
template <typename Number, unsigned kWidth>
__device__ void load(Vector<Number, kWidth> (&values)[kAhead<kWidth>], const Vector<Number, kWidth>* from, unsigned i,
                     Share share) {
#pragma unroll
    for (auto& vector : values) {
        vector = i < share.count ? from[i] : filled<Number, kWidth>(-INFINITY);
        i += share.stride;
    }
}

// The pair of all elements so far, and these.
template <typename Number, unsigned kWidth>
__device__ Pair add(Pair pair, const Vector<Number, kWidth> (&values)[kAhead<kWidth>]) {
    float max = pair.max;
#pragma unroll
    for (const auto& vector : values) {
        for (float value : as<float>(vector).at) {
            max = fmaxf(max, value);
        }
    }
    float sum = pair.sum * expf(pair.max - max);
#pragma unroll
    for (const auto& vector : values) {
        for (float value : as<float>(vector).at) {
            sum += expf(value - max);
        }
    }
    return {max, sum};
}

// A thread puts its first vectors into shared memory, as far as there is room, and nobody else looks for them there.
template <typename Number, unsigned kWidth>
__device__ Pair read(const Vector<Number, kWidth>* from, Share share, Vector<Number, kWidth>* room, unsigned kept) {
    Vector<Number, kWidth> values[kAhead<kWidth>];
    Pair pair = none();
    unsigned turns = ceil_div(share.count, kAhead<kWidth> * share.stride);
    for (unsigned turn = 0; turn < turns; ++turn) {
        load<Number, kWidth>(values, from, share.first + turn * kAhead<kWidth> * share.stride, share);
#pragma unroll
        for (unsigned k = 0; k < kAhead<kWidth>; ++k) {
            unsigned place = (turn * kAhead<kWidth> + k) * kLongBlock + threadIdx.x;
            if (place < kept) {
                room[place] = values[k];
            }
        }
        pair = add<Number, kWidth>(pair, values);
    }
    return block_merge(team_merge(pair, kLanes));
}

// Stores what nobody will read: it need not push anything out of the L2 cache.
template <typename Number, unsigned kWidth>
__device__ void forget(Vector<Number, kWidth>* to, Vector<Number, kWidth> vector) {
    if constexpr (kWidth > 1) {
        __stcs(reinterpret_cast<float4*>(to), reinterpret_cast<const float4&>(vector));
    } else {
        *to = vector;
    }
}

// Backwards: what was read last may still be in the L2 cache.
template <typename Number, unsigned kWidth>
__device__ void write(const Vector<Number, kWidth>* from, Vector<Number, kWidth>* to, Share share, Pair pair,
                      const Vector<Number, kWidth>* room, unsigned kept) {
    float scale = 1.0f / pair.sum;
    for (unsigned turn = ceil_div(share.count, kAhead<kWidth> * share.stride); turn-- > 0;) {
        unsigned first = share.first + turn * kAhead<kWidth> * share.stride;
        unsigned place = turn * kAhead<kWidth> * kLongBlock + threadIdx.x;
        Vector<Number, kWidth> values[kAhead<kWidth>];
#pragma unroll
        for (unsigned k = 0; k < kAhead<kWidth>; ++k) {
            unsigned i = first + k * share.stride, held = place + k * kLongBlock;
            if (i < share.count) {
                values[k] = held < kept ? room[held] : from[i];
            }
        }
#pragma unroll
        for (unsigned k = 0; k < kAhead<kWidth>; ++k) {
            unsigned i = first + k * share.stride;
            if (i < share.count) {
                Vector<float, kWidth> wide = as<float>(values[k]);
                for (float& value : wide.at) {
                    value = expf(value - pair.max) * scale;
                }
                forget(&to[i], as<Number>(wide));
            }
        }
    }
}

// The pairs that blocks left in memory, at most one for each thread, merged.
__device__ Pair gather(const float* pairs, unsigned parts) {
    Pair pair = threadIdx.x < parts ? Pair{pairs[2 * threadIdx.x], pairs[2 * threadIdx.x + 1]} : none();
    return block_merge(team_merge(pair, kLanes));
}

// Block b has part b % parts of a row. With one part, a block goes from row to row; with more, there is a block for
// each part of all rows, and all blocks meet once.
template <typename Number, unsigned kWidth>
__global__ void __launch_bounds__(kLongBlock, kBlocksHere) long_rows(
    const Number* x, Number* y, unsigned rows, unsigned cols, unsigned parts, unsigned kept, float* pairs) {
    extern __shared__ float4 shared[];
    auto* room = reinterpret_cast<Vector<Number, kWidth>*>(shared);
    Share share = {blockIdx.x % parts * kLongBlock + threadIdx.x, parts * kLongBlock, cols / kWidth};

    for (unsigned row = blockIdx.x / parts; row < rows; row += gridDim.x / parts) {
        const auto* from = reinterpret_cast<const Vector<Number, kWidth>*>(x + std::int64_t{row} * cols);
        auto* to = reinterpret_cast<Vector<Number, kWidth>*>(y + std::int64_t{row} * cols);
        Pair pair = read(from, share, room, kept);
        if (parts > 1) {
            if (threadIdx.x == 0) {
                pairs[2 * blockIdx.x] = pair.max;
                pairs[2 * blockIdx.x + 1] = pair.sum;
            }
            cooperative_groups::this_grid().sync();
            pair = gather(pairs + 2 * row * parts, parts);
        }
        write(from, to, share, pair, room, kept);
    }
}

inline unsigned attribute(cudaDeviceAttr which) {
    int device, value;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&value, which, device);
    return value;
}

template <typename Number, unsigned kWidth>
void softmax_of_long_rows(const Number* x, Number* y, unsigned rows, unsigned cols, float* scratch,
                          unsigned scratch_len, cudaStream_t stream) {
    constexpr unsigned kBeside = 2048;  // bytes a block: its warps' pairs, and what the system reserves
    constexpr unsigned kLayer = kLongBlock * sizeof(Vector<Number, kWidth>);  // a vector for each thread
    unsigned share = attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor) / kBlocksHere - kBeside;
    unsigned bytes = share / kLayer * kLayer, kept = bytes / sizeof(Vector<Number, kWidth>);
    cudaFuncSetAttribute(long_rows<Number, kWidth>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    int resident;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, long_rows<Number, kWidth>, kLongBlock, bytes);
    unsigned most = resident * attribute(cudaDevAttrMultiProcessorCount);

    unsigned parts = std::min({most / rows, kLongBlock, scratch_len / 2 / rows, ceil_div(cols, kLeastPiece)});
    parts = std::max(parts, 1u);
    unsigned blocks = parts > 1 ? rows * parts : std::min(rows, most);
    void* arguments[] = {&x, &y, &rows, &cols, &parts, &kept, &scratch};
    cudaLaunchCooperativeKernel((void*)long_rows<Number, kWidth>, blocks, kLongBlock, arguments, bytes, stream);
}

// ---- which of them ----

template <typename Number, unsigned kWidth>
void softmax_by(const Number* x, Number* y, unsigned rows, unsigned cols, float* scratch, unsigned scratch_len,
                cudaStream_t stream) {
    if (cols <= kMostCols) {
        softmax_of_rows<Number, kWidth>(x, y, rows, cols, stream);
    } else {
        softmax_of_long_rows<Number, kWidth>(x, y, rows, cols, scratch, scratch_len, stream);
    }
}

inline bool is_aligned(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer) % sizeof(float4) == 0; }

template <typename Number>
void softmax_of(const Number* x, Number* y, int rows, int cols, float* scratch, int scratch_len, cudaStream_t stream) {
    constexpr unsigned kWidth = sizeof(float4) / sizeof(Number);
    if (cols % kWidth == 0 && is_aligned(x) && is_aligned(y)) {
        softmax_by<Number, kWidth>(x, y, rows, cols, scratch, scratch_len, stream);
    } else {
        softmax_by<Number, 1>(x, y, rows, cols, scratch, scratch_len, stream);
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
