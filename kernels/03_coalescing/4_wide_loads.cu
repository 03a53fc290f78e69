// Rung 4 of 4: wide loads, and work for the whole GPU.
//
// Row sum: a team of up to 32 lanes takes a row, 16 bytes a lane and load, and shuffles add up what the lanes have.
// Nothing goes through shared memory. A few long rows are cut into pieces, so that there are teams enough.
// Column sum: a warp reads 512 bytes of a row. If there are few columns, several blocks share them: block p of P takes
// every P-th group of rows, so that all blocks walk through the matrix side by side.
// Transpose: a thread turns a square of 4 x 4 in its registers. So both sides move 16 bytes a lane, and so does the
// tile in between. It needs no padding: vector v of its row k lies at v ^ (k / 4 % 8), so that eight neighbouring
// lanes meet all 32 banks, along a row as well as down a column.
//
// Who adds up the pieces? They leave their sums in scratch memory, and a second launch adds those in their order: the
// result is the same in every run, to the last bit.
//
// Counted: 16 sectors a load where there were 4, 128 threads a column, no bank conflicts.
// Measured on an H200, L2 flushed before each run (rung 3, this, torch; reading alone 65 us, copying 507 us):
//   row sum     262144 x 256        79      71      92 us
//   column sum  262144 x 256      1040      83     168 us
//   column sum  256 x 262144       129      75      77 us
//   transpose   16384 x 16384      653     521    1870 us
// What torch.compile makes for just this size took 74, 79, 77 and 550 us: it is ahead in the tall column sum.
//
// What did not help; each figure is against the same kernel without the change, in the same run.
// The row sum there: two or four rows a warp (+1, +3 us), four loads at once (+1), blocks of 256 or 1024 threads (+2,
// +6), a persistent grid (+3 and more), bulk copies into a ring of shared memory (+3 and more). Leaving out __ldcs costs
// 4 us.
// The column sum there: a run of rows for each block, not every P-th group (+2 us), blocks of 256 threads (+11), a
// cluster of 8 or 16 blocks that meet in distributed shared memory (98 us at best). Atomics on zeros, instead of scratch
// and a second launch, took 74 us; but they come in any order, so the last bits differ from run to run, and with 8
// blocks for each multiprocessor they wait for each other (90 us). The second launch alone is not to blame: with scratch
// that is always there, which two streams may not share, it was 74 us, too, with narrower strips in that launch.
// The transpose: single floats in a padded tile (+3 us), tiles of 32 x 32 (+27), 64 x 128 or 128 x 64 (0), registers
// alone (+32), blocks that go along the rows (+13), streaming loads (+12).

#include <algorithm>
#include <cstdint>

constexpr unsigned kLanes = 32;
constexpr unsigned kWarp = 0xffffffff;  // the mask of all its lanes
constexpr unsigned kBlock = 512;

inline unsigned ceil_div(std::int64_t count, std::int64_t size) {
    return static_cast<unsigned>((count - 1) / size + 1);
}

// The smallest power of two from n on, but never more than `most`.
inline unsigned power_of_two(unsigned n, unsigned most) {
    unsigned power = 1;
    while (power < n && power < most) {
        power *= 2;
    }
    return power;
}

inline bool is_aligned(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer) % sizeof(float4) == 0; }

inline unsigned multiprocessors() {
    int device, count;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device);
    return count;
}

// Lets the pool of cudaMallocAsync keep a little memory. As it is, it returns all of it to the system whenever the host
// waits for the GPU, and the next call takes 150 us to get some back. While a graph is captured the pool must be left
// alone; a graph has memory of its own.
inline void keep_scratch(cudaStream_t stream) {
    auto capturing = cudaStreamCaptureStatusActive;
    cudaStreamIsCapturing(stream, &capturing);
    if (capturing != cudaStreamCaptureStatusNone) {
        return;
    }
    int device;
    cudaMemPool_t pool;
    std::uint64_t kept = 0, wanted = 16 << 20;
    cudaGetDevice(&device);
    cudaDeviceGetDefaultMemPool(&pool, device);
    cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept);
    if (kept < wanted) {
        cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &wanted);
    }
}

// Memory that is taken and given back in the order of the stream: calls on other streams have their own.
struct Scratch {
    float* data = nullptr;
    cudaStream_t stream;

    Scratch(std::int64_t count, cudaStream_t stream) : stream(stream) {
        keep_scratch(stream);
        cudaMallocAsync(&data, count * sizeof(float), stream);
    }
    ~Scratch() { cudaFreeAsync(data, stream); }
};

// ---- row sum ----

constexpr unsigned kRowLoads = 2;  // vectors of a lane that are on their way at once
constexpr unsigned kPiece = 2048;  // numbers: shorter rows are not cut
constexpr unsigned kTeams = 64;    // of 32 lanes, that a multiprocessor holds

// A team of lanes adds up a piece of a row, which may start at any float: the numbers before the first multiple of 16
// bytes and those behind the last are added one by one. out is rows x parts.
__global__ void __launch_bounds__(kBlock) sum_pieces(
    const float* x, float* out, unsigned rows, unsigned cols, unsigned parts, unsigned piece, unsigned team) {
    unsigned lane = threadIdx.x % team;
    unsigned index = blockIdx.x * (kBlock / team) + threadIdx.x / team;
    unsigned row = index / parts, first = index % parts * piece;
    const float* start = x + std::int64_t{row} * cols + first;
    // A team without a piece stays, with nothing to add: the shuffles below want whole warps.
    unsigned count = row < rows ? min(piece, cols - first) : 0;
    unsigned before = min(count, static_cast<unsigned>(-reinterpret_cast<std::uintptr_t>(start) / sizeof(float) % 4));
    unsigned vectors = (count - before) / 4;
    const float4* body = reinterpret_cast<const float4*>(start + before);

    float sum = 0.0f;
    for (unsigned i = lane; i < vectors; i += kRowLoads * team) {
        float4 value[kRowLoads];
        for (unsigned k = 0; k < kRowLoads; ++k) {
            // __ldcs: nobody reads this again, so it is the first to leave the cache.
            value[k] = i + k * team < vectors ? __ldcs(body + i + k * team) : float4{};
        }
        for (unsigned k = 0; k < kRowLoads; ++k) {
            sum += (value[k].x + value[k].y) + (value[k].z + value[k].w);
        }
    }
    for (unsigned i = lane; i < before; i += team) {
        sum += start[i];
    }
    for (unsigned i = before + 4 * vectors + lane; i < count; i += team) {
        sum += start[i];
    }
    for (unsigned distance = team / 2; distance > 0; distance /= 2) {
        sum += __shfl_xor_sync(kWarp, sum, distance);
    }
    if (lane == 0 && row < rows) {
        out[index] = sum;
    }
}

void launch_pieces(const float* x, float* out, unsigned rows, unsigned cols, unsigned piece, cudaStream_t stream) {
    unsigned parts = ceil_div(cols, piece);
    unsigned team = power_of_two(piece / 8, kLanes);  // two vectors a lane, or more
    unsigned blocks = ceil_div(std::int64_t{rows} * parts, kBlock / team);
    sum_pieces<<<blocks, kBlock, 0, stream>>>(x, out, rows, cols, parts, piece, team);
}

extern "C" void row_sum(const float* x, float* out, int rows, int cols, cudaStream_t stream) {
    unsigned parts = std::min(ceil_div(kTeams * multiprocessors(), rows), ceil_div(cols, kPiece));
    if (parts == 1) {
        launch_pieces(x, out, rows, cols, cols, stream);
        return;
    }
    unsigned piece = ceil_div(ceil_div(cols, parts), kLanes) * kLanes;
    parts = ceil_div(cols, piece);
    Scratch partial(std::int64_t{rows} * parts, stream);
    launch_pieces(x, partial.data, rows, cols, piece, stream);
    row_sum(partial.data, out, rows, parts, stream);
}

// ---- column sum ----

__device__ void add(float& sum, float value) { sum += value; }
__device__ void add(float4& sum, float4 value) {
    sum = make_float4(sum.x + value.x, sum.y + value.y, sum.z + value.z, sum.w + value.w);
}
__device__ float from_above(float value, unsigned distance) { return __shfl_down_sync(kWarp, value, distance); }
__device__ float4 from_above(float4 value, unsigned distance) {
    return make_float4(from_above(value.x, distance), from_above(value.y, distance), from_above(value.z, distance),
                       from_above(value.w, distance));
}

// Value is float4 where all rows start at a multiple of 16 bytes, else float, of which more must be on their way.
template <typename Value>
constexpr unsigned kWidth = sizeof(Value) / sizeof(float);
template <typename Value>
constexpr unsigned kColumnLoads = sizeof(Value) == sizeof(float4) ? 4 : 8;  // of a thread that are on their way at once
template <typename Value>
constexpr unsigned kResident = sizeof(Value) == sizeof(float4) ? 2 : 4;  // blocks for each multiprocessor

// A strip of columns is as wide as `lanes` values. A team of threads takes a part of its rows: in lines of `lanes`
// threads, each line a row at a time. x is batch x rows x cols, out is batch x parts x cols.
struct Plan {
    unsigned rows, cols, lanes, team, strips, parts, teams;
};

template <typename Value>
__global__ void __launch_bounds__(kBlock) sum_strips(const float* x, float* out, Plan plan) {
    constexpr unsigned kLoads = kColumnLoads<Value>;
    const auto [rows, cols, lanes, team, strips, parts, teams] = plan;
    unsigned here = kBlock / team;  // teams in a block
    unsigned index = blockIdx.x * here + threadIdx.x / team;
    unsigned strip = index % strips, part = index / strips % parts, member = index / strips / parts;
    unsigned lines = team / lanes, line = threadIdx.x % team / lanes;
    unsigned col = (strip * lanes + threadIdx.x % lanes) * kWidth<Value>;

    Value sum{};
    if (index < teams && col < cols) {
        const float* top = x + std::int64_t{member} * rows * cols + col;
        for (unsigned first = part * lines * kLoads; first < rows; first += parts * lines * kLoads) {
            Value value[kLoads];
            for (unsigned k = 0; k < kLoads; ++k) {
                unsigned row = first + k * lines + line;
                const float* from = top + std::int64_t{row} * cols;
                value[k] = row < rows ? __ldcs(reinterpret_cast<const Value*>(from)) : Value{};
            }
            for (unsigned k = 0; k < kLoads; ++k) {
                add(sum, value[k]);
            }
        }
    }
    for (unsigned distance = min(team, kLanes) / 2; distance >= lanes; distance /= 2) {
        add(sum, from_above(sum, distance));
    }
    __shared__ Value sums[kBlock];
    sums[threadIdx.x] = sum;  // that of a warp, or of a smaller team, is with its first line
    __syncthreads();
    unsigned width = lanes * kWidth<Value>;
    for (unsigned i = threadIdx.x; i < here * width; i += kBlock) {
        index = blockIdx.x * here + i / width;
        col = index % strips * width + i % width;
        if (index < teams && col < cols) {
            const float* first = reinterpret_cast<const float*>(sums + i / width * team) + i % width;
            float all = 0.0f;
            for (unsigned thread = 0; thread < team; thread += kLanes) {
                all += first[thread * kWidth<Value>];
            }
            out[std::int64_t{index / strips} * cols + col] = all;
        }
    }
}

template <typename Value>
void launch_strips(const float* x, float* out, unsigned batch, Plan plan, cudaStream_t stream) {
    plan.teams = batch * plan.strips * plan.parts;
    sum_strips<Value><<<ceil_div(plan.teams, kBlock / plan.team), kBlock, 0, stream>>>(x, out, plan);
}

template <typename Value>
Plan plan_columns(unsigned rows, unsigned cols) {
    unsigned lanes = power_of_two(ceil_div(cols, kWidth<Value>), kLanes);
    unsigned lines = power_of_two(ceil_div(rows, kColumnLoads<Value>), kBlock / lanes);
    return {rows, cols, lanes, lanes * lines, ceil_div(cols, lanes * kWidth<Value>), 1, 0};
}

template <typename Value>
void sum_columns(const float* x, float* out, unsigned batch, unsigned rows, unsigned cols, cudaStream_t stream) {
    Plan plan = plan_columns<Value>(rows, cols);
    unsigned wanted = kResident<Value> * multiprocessors();
    unsigned rounds = ceil_div(rows, plan.team / plan.lanes * kColumnLoads<Value>);
    plan.parts = std::min(ceil_div(wanted, std::int64_t{batch} * plan.strips), rounds);
    if (plan.parts == 1) {
        launch_strips<Value>(x, out, batch, plan, stream);
        return;
    }
    Scratch partial(std::int64_t{batch} * plan.parts * cols, stream);
    launch_strips<Value>(x, partial.data, batch, plan, stream);
    launch_strips<Value>(partial.data, out, batch, plan_columns<Value>(plan.parts, cols), stream);
}

extern "C" void column_sum(const float* x, float* out, int batch, int rows, int cols, cudaStream_t stream) {
    if (cols == 1) {
        row_sum(x, out, batch, rows, stream);
    } else if (cols % 4 == 0 && is_aligned(x)) {
        sum_columns<float4>(x, out, batch, rows, cols, stream);
    } else {
        sum_columns<float>(x, out, batch, rows, cols, stream);
    }
}

// ---- transpose ----

constexpr unsigned kTile = 64;
constexpr unsigned kVectors = kTile / 4;  // in a row of the tile
constexpr unsigned kTurners = kVectors * kVectors;

// The blocks go down the columns of tiles, so that neighbours in time write neighbouring pieces of the same rows.
__global__ void __launch_bounds__(kTurners)
    transpose_vectors(const float* x, float* out, unsigned rows, unsigned cols) {
    __shared__ float4 tile[kTile][kVectors];  // transposed, with swizzled vectors
    unsigned down = (rows - 1) / kTile + 1;
    unsigned top = blockIdx.x % down * kTile, left = blockIdx.x / down * kTile;
    unsigned i = threadIdx.x % kVectors, j = threadIdx.x / kVectors;
    if (top + 4 * j < rows && left + 4 * i < cols) {
        float4 row[4];
        for (unsigned k = 0; k < 4; ++k) {
            row[k] = *reinterpret_cast<const float4*>(x + std::int64_t{top + 4 * j + k} * cols + left + 4 * i);
        }
        unsigned place = j ^ (i % 8);
        tile[4 * i][place] = make_float4(row[0].x, row[1].x, row[2].x, row[3].x);
        tile[4 * i + 1][place] = make_float4(row[0].y, row[1].y, row[2].y, row[3].y);
        tile[4 * i + 2][place] = make_float4(row[0].z, row[1].z, row[2].z, row[3].z);
        tile[4 * i + 3][place] = make_float4(row[0].w, row[1].w, row[2].w, row[3].w);
    }
    __syncthreads();
    for (unsigned k = j; k < kTile; k += kVectors) {
        if (left + k < cols && top + 4 * i < rows) {
            float* to = out + std::int64_t{left + k} * rows + top + 4 * i;
            *reinterpret_cast<float4*>(to) = tile[k][i ^ (k / 4 % 8)];
        }
    }
}

// For sizes and pointers that do not suit vectors: rung 3's tile, twice as tall, for longer stores.
constexpr unsigned kTall = 64, kNarrow = 32;

__global__ void __launch_bounds__(kTurners)
    transpose_elements(const float* x, float* out, unsigned rows, unsigned cols) {
    __shared__ float tile[kTall][kNarrow + 1];
    unsigned down = (rows - 1) / kTall + 1;
    unsigned top = blockIdx.x % down * kTall, left = blockIdx.x / down * kNarrow;
    for (unsigned i = threadIdx.x; i < kTall * kNarrow; i += kTurners) {
        unsigned row = i / kNarrow, col = i % kNarrow;
        if (top + row < rows && left + col < cols) {
            tile[row][col] = x[std::int64_t{top + row} * cols + left + col];
        }
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < kTall * kNarrow; i += kTurners) {
        unsigned row = i % kTall, col = i / kTall;
        if (top + row < rows && left + col < cols) {
            out[std::int64_t{left + col} * rows + top + row] = tile[row][col];
        }
    }
}

// A matrix of a few long rows, or a few long columns, has no squares, and needs none: a warp walks along the side whose
// rows are short, in one stretch of memory, and on the other side it touches as many stretches as a short row is long.
constexpr unsigned kThin = 8;

template <bool kReadsRows>
__global__ void __launch_bounds__(kTurners) transpose_thin(const float* x, float* out, unsigned length, unsigned thin) {
    unsigned start = blockIdx.x * kTurners, count = min(kTurners, length - start) * thin;
    for (unsigned i = threadIdx.x; i < count; i += kTurners) {
        std::int64_t packed = std::int64_t{start} * thin + i;
        std::int64_t spread = std::int64_t{i % thin} * length + start + i / thin;
        if constexpr (kReadsRows) {
            out[packed] = x[spread];
        } else {
            out[spread] = x[packed];
        }
    }
}

extern "C" void transpose(const float* x, float* out, int rows, int cols, cudaStream_t stream) {
    if (rows <= kThin) {
        transpose_thin<true><<<ceil_div(cols, kTurners), kTurners, 0, stream>>>(x, out, cols, rows);
    } else if (cols <= kThin) {
        transpose_thin<false><<<ceil_div(rows, kTurners), kTurners, 0, stream>>>(x, out, rows, cols);
    } else if (rows % 4 == 0 && cols % 4 == 0 && is_aligned(x) && is_aligned(out)) {
        unsigned blocks = ceil_div(rows, kTile) * ceil_div(cols, kTile);
        transpose_vectors<<<blocks, kTurners, 0, stream>>>(x, out, rows, cols);
    } else {
        unsigned blocks = ceil_div(rows, kTall) * ceil_div(cols, kNarrow);
        transpose_elements<<<blocks, kTurners, 0, stream>>>(x, out, rows, cols);
    }
}
