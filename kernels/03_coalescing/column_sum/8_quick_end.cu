// Rung 8 of 8: a second launch that ends soon, or none.
//
// The last launch of 262144 x 256 adds up 132 rows of 256 sums, and it began as any other: strips of 512 bytes, so two
// blocks, which loaded three times one after the other. Nothing else is left to do for the GPU then. So here its strips are
// 128 bytes wide: 8 blocks, whose threads load once. And a small matrix needs no second launch at all: with strips of one
// sector there are blocks enough, and each thread loads once.
//
// Counted: one launch for 300 x 132 where there were two.
// On an H200, batch=1 rows=1024 cols=1024: 7_teams 10.4 us, 8_quick_end 7.04 us, torch.sum 13.9 us.
// On an H200, batch=1 rows=2^18 cols=256: 7_teams 76.3 us, 8_quick_end 76.3 us, torch.sum 164 us, torch.compile 77.6 us.

#include <algorithm>
#include <cstdint>

#include "../../common/scratch.cuh"

constexpr unsigned kLanes = 32;
constexpr unsigned kWarp = 0xffffffff;  // the mask of all its lanes
constexpr unsigned kBlock = 512;

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
constexpr unsigned kLoads = sizeof(Value) == sizeof(float4) ? 4 : 8;  // of a thread that are on their way at once
template <typename Value>
constexpr unsigned kResident = sizeof(Value) == sizeof(float4) ? 2 : 4;  // blocks for each multiprocessor

// A strip of columns is as wide as `lanes` values. A team of threads takes a part of its rows: in lines of `lanes`
// threads, each line a row at a time. x is batch x rows x cols, out is batch x parts x cols.
struct Plan {
    unsigned rows, cols, lanes, team, strips, parts, teams;
};

// kWhole: the team is a whole block, and its lines are whole warps. With these sizes known, the loop is faster.
template <typename Value, bool kWhole>
__global__ void __launch_bounds__(kBlock) sum_strips(const float* x, float* out, Plan plan) {
    const auto [rows, cols, some_lanes, some_team, strips, parts, teams] = plan;
    const unsigned lanes = kWhole ? kLanes : some_lanes, team = kWhole ? kBlock : some_team;
    unsigned here = kBlock / team;  // teams in a block
    unsigned index = blockIdx.x * here + threadIdx.x / team;
    unsigned strip = index % strips, part = index / strips % parts, member = index / strips / parts;
    unsigned lines = team / lanes, line = threadIdx.x % team / lanes;
    unsigned col = (strip * lanes + threadIdx.x % lanes) * kWidth<Value>;

    Value sum{};
    if (index < teams && col < cols) {
        const float* top = x + std::int64_t{member} * rows * cols + col;
        unsigned group = lines * kLoads<Value>;  // rows
        for (unsigned first = part * group; first < rows; first += parts * group) {
            Value value[kLoads<Value>];
            for (unsigned k = 0; k < kLoads<Value>; ++k) {
                unsigned row = first + k * lines + line;
                const float* from = top + std::int64_t{row} * cols;
                value[k] = row < rows ? __ldcs(reinterpret_cast<const Value*>(from)) : Value{};
            }
            for (unsigned k = 0; k < kLoads<Value>; ++k) {
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
    unsigned blocks = ceil_div(plan.teams, kBlock / plan.team);
    if (plan.lanes == kLanes && plan.team == kBlock) {
        sum_strips<Value, true><<<blocks, kBlock, 0, stream>>>(x, out, plan);
    } else {
        sum_strips<Value, false><<<blocks, kBlock, 0, stream>>>(x, out, plan);
    }
}

template <typename Value>
Plan plan_columns(unsigned rows, unsigned cols, unsigned widest) {
    unsigned lanes = power_of_two(ceil_div(cols, kWidth<Value>), widest);
    unsigned lines = power_of_two(ceil_div(rows, kLoads<Value>), kBlock / lanes);
    return {rows, cols, lanes, lanes * lines, ceil_div(cols, lanes * kWidth<Value>), 1, 0};
}

template <typename Value>
void sum_columns(const float* x, float* out, unsigned batch, unsigned rows, unsigned cols, cudaStream_t stream) {
    constexpr unsigned kSector = 32 / sizeof(Value), kLine = 128 / sizeof(Value);  // lanes
    Plan plan = plan_columns<Value>(rows, cols, kLanes);
    unsigned wanted = kResident<Value> * multiprocessors();
    unsigned rounds = ceil_div(rows, plan.team / plan.lanes * kLoads<Value>);
    plan.parts = std::min(ceil_div(wanted, std::int64_t{batch} * plan.strips), rounds);
    Plan narrow = plan_columns<Value>(rows, cols, kSector);
    if (plan.parts >= 4 && narrow.team / narrow.lanes * kLoads<Value> >= rows) {
        plan = narrow;  // each thread loads once, and one launch is enough
    }
    if (plan.parts == 1) {
        launch_strips<Value>(x, out, batch, plan, stream);
        return;
    }
    Scratch partial(std::int64_t{batch} * plan.parts * cols, stream);
    launch_strips<Value>(x, partial.data, batch, plan, stream);
    launch_strips<Value>(partial.data, out, batch, plan_columns<Value>(plan.parts, cols, kLine), stream);
}

extern "C" void column_sum(const float* x, float* out, int batch, int rows, int cols, cudaStream_t stream) {
    if (cols % 4 == 0 && reinterpret_cast<std::uintptr_t>(x) % sizeof(float4) == 0) {
        sum_columns<float4>(x, out, batch, rows, cols, stream);
    } else {
        sum_columns<float>(x, out, batch, rows, cols, stream);
    }
}
