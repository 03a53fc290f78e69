// Rung 4 of 6: registers and shuffles: a row is read once.
// The threads of a block together have room for 16384 elements in their registers. So they load the row, all loads on
// their way at once, and never again: maximum, exponentials, sum and division happen where the elements are. A warp
// agrees on its maximum and its sum by shuffles, which read another lane's register. Only one pair a warp goes through
// shared memory; a row of up to 512 elements is one warp's work, and needs no barrier at all.
//
// Rows that do not fit are read twice, as in rung 3. A single long row still keeps a single block busy: see rung 5.
//
// Measured on an H200 at 16384 x 16384: 0.52 ms, 97 % of the speed of a copy; torch.softmax 0.65 ms. What did not help:
// 16 elements a thread and 1024 threads (0.52 ms); 64 elements (0.52); more blocks on a multiprocessor, as registers
// then spill (0.68); __expf (0.52); telling the caches to keep nothing (0.53 to 0.55). What did: teams of any number of
// warps instead of powers of two (65536 x 4099: 0.78 ms instead of 1.17), and no more than 16 elements a thread as long
// as that is enough (0.62).

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

// ---- which of them ----

template <unsigned kWidth>
void softmax_by(const float* x, float* y, unsigned rows, unsigned cols, cudaStream_t stream) {
    if (cols <= kMostCols) {
        softmax_of_rows<kWidth>(x, y, rows, cols, stream);
    } else {
        long_row<kWidth><<<rows, kLongBlock, 0, stream>>>(x, y, cols);
    }
}

inline bool is_aligned(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer) % sizeof(float4) == 0; }

extern "C" void softmax(const float* x, float* y, int rows, int cols, float* scratch, int scratch_len,
                        cudaStream_t stream) {
    if (cols % 4 == 0 && is_aligned(x) && is_aligned(y)) {
        softmax_by<4>(x, y, rows, cols, stream);
    } else {
        softmax_by<1>(x, y, rows, cols, stream);
    }
}
