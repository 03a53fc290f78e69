// Rung 5 of 8: 16 bytes a load.
//
// A lane reads a float4, four neighbouring numbers, in one load. A request of the warp is 512 bytes then, 16 sectors
// instead of 4, and a row of 256 numbers is two of them instead of eight: four times as many bytes are on their way for
// each instruction that waits.
//
// A float4 must lie at a multiple of 16 bytes. All rows begin at one if the number of columns is a multiple of four;
// otherwise most do not, and this rung goes on as rung 4 did, number by number.
//
// Two loads are on their way before the first is added. And __ldcs says "streaming": each number is used once, so what
// this load brings is the first to leave the cache.
//
// Counted: 16 sectors a load where there were 4.
// On an H200, rows=2^18 cols=256: 4_shuffles 76.7 us, 5_wide_loads 70.6 us, torch.sum 90.6 us, torch.compile 72.1 us.
// What torch.compile makes is for just this size.
//
// What did not help; each figure is against the same kernel without the change, in the same run: two or four rows a warp
// (+1, +3 us), four loads at once (+1), blocks of 256 or 1024 threads (+2, +6), a persistent grid (+3 and more), bulk
// copies into a ring of shared memory (+3 and more), loads without __ldcs (+4).

#include <cstdint>

constexpr unsigned kLanes = 32;
constexpr unsigned kWarp = 0xffffffff;  // the mask of all its lanes
constexpr unsigned kBlock = 512;
constexpr unsigned kRowLoads = 2;  // vectors of a lane that are on their way at once

inline unsigned ceil_div(std::int64_t count, std::int64_t size) {
    return static_cast<unsigned>((count - 1) / size + 1);
}

__device__ float sum_of(float value) { return value; }
__device__ float sum_of(float4 value) { return (value.x + value.y) + (value.z + value.w); }

// A row has `count` values.
template <typename Value>
__global__ void __launch_bounds__(kBlock) sum_rows(const Value* x, float* out, unsigned rows, unsigned count) {
    unsigned lane = threadIdx.x % kLanes;
    unsigned row = blockIdx.x * (kBlock / kLanes) + threadIdx.x / kLanes;
    if (row >= rows) {
        return;  // all lanes of the warp: the shuffles below want whole warps
    }
    const Value* start = x + std::int64_t{row} * count;
    float sum = 0.0f;
    for (unsigned i = lane; i < count; i += kRowLoads * kLanes) {
        Value value[kRowLoads];
        for (unsigned k = 0; k < kRowLoads; ++k) {
            value[k] = i + k * kLanes < count ? __ldcs(start + i + k * kLanes) : Value{};
        }
        for (unsigned k = 0; k < kRowLoads; ++k) {
            sum += sum_of(value[k]);
        }
    }
    for (unsigned distance = kLanes / 2; distance > 0; distance /= 2) {
        sum += __shfl_xor_sync(kWarp, sum, distance);
    }
    if (lane == 0) {
        out[row] = sum;
    }
}

extern "C" void row_sum(const float* x, float* out, int rows, int cols, cudaStream_t stream) {
    unsigned blocks = ceil_div(rows, kBlock / kLanes);
    if (cols % 4 == 0 && reinterpret_cast<std::uintptr_t>(x) % sizeof(float4) == 0) {
        sum_rows<<<blocks, kBlock, 0, stream>>>(reinterpret_cast<const float4*>(x), out, rows, cols / 4);
    } else {
        sum_rows<<<blocks, kBlock, 0, stream>>>(x, out, rows, cols);
    }
}
