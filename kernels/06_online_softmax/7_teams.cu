// Rung 7 of 10: as many threads as a row has use for.
// 512 threads for a row of 128 floats leave 480 of them idle, and still wait at a barrier. So a row now gets a team: a
// power of two of lanes, which shuffle among themselves and need no barrier, or any number of warps. Neighbouring teams
// take neighbouring rows. A thread should have at least two loads on their way, and no more than 64 bytes as long as
// there are threads enough; 128 bytes a thread hold the longest rows.
//
// On an H200, rows=2^20 cols=128 scratch_len=1024: 6_vector_loads 11.4 ms, 7_teams 255 us.
// On an H200, rows=2^17 cols=2048 scratch_len=1024: 6_vector_loads 1.46 ms, 7_teams 519 us.
// What did not help at 16384 x 16384, where it is 0.52 ms: 16 elements a thread and 1024 threads (0.52 ms); 64 elements
// (0.52); more blocks on a multiprocessor, as registers then spill (0.68); __expf (0.52); telling the caches to keep
// nothing (0.53 to 0.55). What did help: teams of any number of warps instead of powers of two (65536 x 4099: 0.78 ms
// instead of 1.17), and no more than 16 elements a thread as long as that is enough (0.62).

#include "../common/softmax.cuh"

constexpr unsigned kHeld = 32;   // elements of a row in a thread's registers, at most
constexpr unsigned kAhead = 16;  // that a thread has on their way at once, if that is enough

// Teams take a row each. One without a row stays, with nothing to do: the shuffles want whole warps.
template <unsigned kWidth, unsigned kLoads>
__global__ void __launch_bounds__(kMostThreads) rows_in_registers(
    const float* x, float* y, unsigned rows, unsigned cols, unsigned team) {
    unsigned row = blockIdx.x * (blockDim.x / team) + threadIdx.x / team, first = threadIdx.x % team;
    unsigned count = row < rows ? cols / kWidth : 0, width = min(team, kLanes);
    x += std::int64_t{row} * cols;
    y += std::int64_t{row} * cols;

    Share<kWidth, kLoads> share;
    share.load(x, first, team, count);
    float max = team_max(share.largest(none().max), width);
    Pair whole = {max, team_sum(share.exponentials(max), width)};
    if (team > kLanes) {
        whole = block_merge(whole);
    }
    share.store(y, first, team, count, expf(max - whole.max) / whole.sum);
}

template <unsigned kWidth>
__global__ void __launch_bounds__(kMostThreads) long_row(const float* x, float* y, unsigned cols) {
    x += std::int64_t{blockIdx.x} * cols;
    y += std::int64_t{blockIdx.x} * cols;
    unsigned count = cols / kWidth;

    Share<kWidth, kAhead / kWidth> share;
    Pair pair = none();
    for (unsigned first = threadIdx.x; first < count; first += kAhead / kWidth * kMostThreads) {
        share.load(x, first, kMostThreads, count);
        float max = share.largest(pair.max);
        pair = {max, pair.sum * expf(pair.max - max) + share.exponentials(max)};
    }
    pair = block_merge(team_merge(pair, kLanes));
    for (unsigned first = threadIdx.x; first < count; first += kAhead / kWidth * kMostThreads) {
        share.load(x, first, kMostThreads, count);
        share.exponentials(pair.max);
        share.store(y, first, kMostThreads, count, 1.0f / pair.sum);
    }
}

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

template <unsigned kWidth>
void softmax_by(const float* x, float* y, unsigned rows, unsigned cols, cudaStream_t stream) {
    if (cols <= kLanes) {
        launch_rows<kWidth, 1>(x, y, rows, cols, stream);
    } else if (cols <= kLanes * kWidth * 2) {
        launch_rows<kWidth, 2>(x, y, rows, cols, stream);
    } else if (cols <= kLanes * kWidth * 4) {
        launch_rows<kWidth, 4>(x, y, rows, cols, stream);
    } else if (cols <= kMostThreads * kAhead) {
        launch_rows<kWidth, kAhead / kWidth>(x, y, rows, cols, stream);
    } else if (cols <= kMostThreads * kHeld) {
        launch_rows<kWidth, kHeld / kWidth>(x, y, rows, cols, stream);
    } else {
        long_row<kWidth><<<rows, kMostThreads, 0, stream>>>(x, y, cols);
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
