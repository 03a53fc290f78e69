// Rung 7 of 8: teams of lanes, as large as the rows are long.
//
// A row of 8 numbers is two vectors, and 30 lanes of its warp have none. So a warp is divided into teams of 1, 2, 4, 8,
// 16 or 32 lanes, and each team takes a row: as many lanes as leave each of them two vectors. The shuffles go as far as
// the team does, and those of all teams of a warp are the same instructions. A team without a row stays, with nothing
// to add: shuffles want all lanes.
//
// Counted: 1024 threads for 1009 rows of 7 numbers, where there were 32288.
// On an H200, rows=2^20 cols=64: 6_any_address 145 us, 7_teams 70.3 us.
// On an H200, rows=2^18 cols=256: 6_any_address 70.3 us, 7_teams 69.2 us.
// Tried at 4194304 x 16: 71 us (rung 6: 538).

#include <cstdint>

constexpr unsigned kLanes = 32;
constexpr unsigned kWarp = 0xffffffff;  // the mask of all its lanes
constexpr unsigned kBlock = 512;
constexpr unsigned kRowLoads = 2;  // vectors of a lane that are on their way at once

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

__global__ void __launch_bounds__(kBlock)
    sum_rows(const float* x, float* out, unsigned rows, unsigned cols, unsigned team) {
    unsigned lane = threadIdx.x % team;
    unsigned row = blockIdx.x * (kBlock / team) + threadIdx.x / team;
    const float* start = x + std::int64_t{row} * cols;
    unsigned count = row < rows ? cols : 0;
    unsigned before = min(count, static_cast<unsigned>(-reinterpret_cast<std::uintptr_t>(start) / sizeof(float) % 4));
    unsigned vectors = (count - before) / 4;
    const float4* body = reinterpret_cast<const float4*>(start + before);

    float sum = 0.0f;
    for (unsigned i = lane; i < vectors; i += kRowLoads * team) {
        float4 value[kRowLoads];
        for (unsigned k = 0; k < kRowLoads; ++k) {
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
        out[row] = sum;
    }
}

extern "C" void row_sum(const float* x, float* out, int rows, int cols, cudaStream_t stream) {
    unsigned team = power_of_two(cols / 8, kLanes);  // two vectors a lane, or more
    sum_rows<<<ceil_div(rows, kBlock / team), kBlock, 0, stream>>>(x, out, rows, cols, team);
}
