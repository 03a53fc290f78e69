// Rung 8 of 8: pieces of long rows.
//
// One row of 67 million numbers is work for one warp, and the rest of the GPU stands idle. So long rows are cut into
// pieces, and each team takes a piece, until a multiprocessor has as many teams as it can hold. A piece may begin at any
// float, as a row may.
//
// Who adds up the pieces? They leave their sums in scratch memory, and a second launch adds those, which are rows again,
// in their order: the result is the same in every run, to the last bit. Atomics on `out` would come in any order.
//
// Counted: 768 threads at work on 3 x 16384 where there were 96.
// On an H200, rows=1 cols=2^26: 7_teams 106 ms, 8_pieces 81.6 us, torch.sum 77.5 us.
// On an H200, rows=256 cols=2^18: 7_teams 432 us, 8_pieces 77.2 us, torch.sum 85.6 us.
// On an H200, rows=2^18 cols=256: 7_teams 69.2 us, 8_pieces 69.1 us.

#include <algorithm>
#include <cstdint>

#include "../../common/scratch.cuh"

constexpr unsigned kLanes = 32;
constexpr unsigned kWarp = 0xffffffff;  // the mask of all its lanes
constexpr unsigned kBlock = 512;
constexpr unsigned kRowLoads = 2;  // vectors of a lane that are on their way at once
constexpr unsigned kPiece = 2048;  // numbers: shorter rows are not cut
constexpr unsigned kTeams = 64;    // of 32 lanes, that a multiprocessor holds

// A team of lanes adds up a piece of a row. out is rows x parts.
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
