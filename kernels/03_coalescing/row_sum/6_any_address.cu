// Rung 6 of 8: rows that begin at any address.
//
// A row of 257 numbers ends where no float4 may begin. But inside of each row there is a first multiple of 16 bytes, and
// from there on vectors fit: at most three numbers before it and at most three behind the last vector are added one by
// one. One kernel serves all sizes.
//
// Counted: 16 sectors a load for rows of any length; at 2 x 20003 there were 5.
// On an H200, rows=2^18 cols=256: 5_wide_loads 70.6 us, 6_any_address 70.3 us.
// Short rows are slower: three loads where there was one, and most lanes have none. Rung 7 mends that.
// Tried at 262144 x 257: 70 us (rung 5: 94), at 4194304 x 16: 538 us (rung 5: 433).

#include <cstdint>

constexpr unsigned kLanes = 32;
constexpr unsigned kWarp = 0xffffffff;  // the mask of all its lanes
constexpr unsigned kBlock = 512;
constexpr unsigned kRowLoads = 2;  // vectors of a lane that are on their way at once

inline unsigned ceil_div(std::int64_t count, std::int64_t size) {
    return static_cast<unsigned>((count - 1) / size + 1);
}

__global__ void __launch_bounds__(kBlock) sum_rows(const float* x, float* out, unsigned rows, unsigned cols) {
    unsigned lane = threadIdx.x % kLanes;
    unsigned row = blockIdx.x * (kBlock / kLanes) + threadIdx.x / kLanes;
    if (row >= rows) {
        return;  // all lanes of the warp: the shuffles below want whole warps
    }
    const float* start = x + std::int64_t{row} * cols;
    unsigned before = min(cols, static_cast<unsigned>(-reinterpret_cast<std::uintptr_t>(start) / sizeof(float) % 4));
    unsigned vectors = (cols - before) / 4;
    const float4* body = reinterpret_cast<const float4*>(start + before);

    float sum = 0.0f;
    for (unsigned i = lane; i < vectors; i += kRowLoads * kLanes) {
        float4 value[kRowLoads];
        for (unsigned k = 0; k < kRowLoads; ++k) {
            value[k] = i + k * kLanes < vectors ? __ldcs(body + i + k * kLanes) : float4{};
        }
        for (unsigned k = 0; k < kRowLoads; ++k) {
            sum += (value[k].x + value[k].y) + (value[k].z + value[k].w);
        }
    }
    if (lane < before) {
        sum += start[lane];
    }
    unsigned last = before + 4 * vectors + lane;
    if (last < cols) {
        sum += start[last];
    }
    for (unsigned distance = kLanes / 2; distance > 0; distance /= 2) {
        sum += __shfl_xor_sync(kWarp, sum, distance);
    }
    if (lane == 0) {
        out[row] = sum;
    }
}

extern "C" void row_sum(const float* x, float* out, int rows, int cols, cudaStream_t stream) {
    sum_rows<<<ceil_div(rows, kBlock / kLanes), kBlock, 0, stream>>>(x, out, rows, cols);
}
