// Rung 8 of 10: vectors at any address.
// Rows of 127 or 4099 floats begin anywhere, and rung 7 loads them one float at a time. But a row's middle is whole
// vectors at multiples of 16 bytes wherever it begins: at most three floats lie before them, and three behind. These
// are the row's rim. A thread takes one of them, beside its vectors, so a team needs eight threads. Rows are loaded one
// float at a time only if they are very short, or if x and y lie differently.
//
// On an H200, rows=2^20 cols=127 scratch_len=1024: 7_teams 312 us, 8_any_address 258 us, torch.softmax 268 us.
// On an H200, rows=2^16 cols=4099 scratch_len=1024: 7_teams 538 us, 8_any_address 523 us, torch.softmax 892 us.
// At 127 columns it is the instructions: rung 7 runs about 230 for a row, of the 250 for which there is time while the
// row's bytes move, and this rung runs 125. What did not help there (in a run where this took 0.257 ms): blocks of 256
// threads (0.260 ms) or 64 (0.258) instead of 128, four vectors a thread instead of two (0.265). At 16384 x 16383 this
// rung took 0.52 ms, rung 7 0.94 and torch.softmax 0.79.

#include "../common/softmax.cuh"

constexpr unsigned kHeld = 32;   // elements of a row in a thread's registers, at most
constexpr unsigned kAhead = 16;  // that a thread has on their way at once, if that is enough

// A row at any address: a few numbers, whole vectors at multiples of their size, a few numbers. The few are its rim.
struct Layout {
    unsigned head, count, rim;

    // Where number i of the rim stands in the row.
    __device__ unsigned column(unsigned i, unsigned width) const { return i < head ? i : i + count * width; }
};

template <unsigned kWidth>
__device__ Layout layout_of(const float* row, unsigned cols) {
    unsigned behind = reinterpret_cast<std::uintptr_t>(row) / sizeof(float) % kWidth;  // the last multiple
    unsigned head = min((kWidth - behind) % kWidth, cols), count = (cols - head) / kWidth;
    return {head, count, cols - count * kWidth};
}

// Teams take a row each. One without a row stays, with nothing to do: the shuffles want whole warps.
template <unsigned kWidth, unsigned kLoads>
__global__ void __launch_bounds__(kMostThreads) rows_in_registers(
    const float* x, float* y, unsigned rows, unsigned cols, unsigned team) {
    unsigned row = blockIdx.x * (blockDim.x / team) + threadIdx.x / team, first = threadIdx.x % team;
    unsigned width = min(team, kLanes);
    x += std::int64_t{row} * cols;
    y += std::int64_t{row} * cols;
    Layout layout = layout_of<kWidth>(x, row < rows ? cols : 0);
    unsigned column = layout.column(first, kWidth);

    Share<kWidth, kLoads> share;
    share.load(x + layout.head, first, team, layout.count);
    float rim = first < layout.rim ? x[column] : -INFINITY;
    float max = team_max(share.largest(fmaxf(none().max, rim)), width);
    float sum = share.exponentials(max);
    if (first < layout.rim) {
        rim = expf(rim - max);
        sum += rim;
    }
    Pair whole = {max, team_sum(sum, width)};
    if (team > kLanes) {
        whole = block_merge(whole);
    }
    float scale = expf(max - whole.max) / whole.sum;
    share.store(y + layout.head, first, team, layout.count, scale);
    if (first < layout.rim) {
        y[column] = rim * scale;
    }
}

template <unsigned kWidth>
__global__ void __launch_bounds__(kMostThreads) long_row(const float* x, float* y, unsigned cols) {
    x += std::int64_t{blockIdx.x} * cols;
    y += std::int64_t{blockIdx.x} * cols;
    Layout layout = layout_of<kWidth>(x, cols);
    unsigned column = layout.column(threadIdx.x, kWidth);

    Share<kWidth, kAhead / kWidth> share;
    float rim = threadIdx.x < layout.rim ? x[column] : -INFINITY, max = fmaxf(none().max, rim);
    Pair pair = {max, expf(rim - max)};
    for (unsigned first = threadIdx.x; first < layout.count; first += kAhead / kWidth * kMostThreads) {
        share.load(x + layout.head, first, kMostThreads, layout.count);
        max = share.largest(pair.max);
        pair = {max, pair.sum * expf(pair.max - max) + share.exponentials(max)};
    }
    pair = block_merge(team_merge(pair, kLanes));
    for (unsigned first = threadIdx.x; first < layout.count; first += kAhead / kWidth * kMostThreads) {
        share.load(x + layout.head, first, kMostThreads, layout.count);
        share.exponentials(pair.max);
        share.store(y + layout.head, first, kMostThreads, layout.count, 1.0f / pair.sum);
    }
    if (threadIdx.x < layout.rim) {
        y[column] = expf(rim - pair.max) / pair.sum;
    }
}

inline unsigned behind(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer) % sizeof(float4); }

// Whether no row has a rim.
template <unsigned kWidth>
bool is_whole(const float* x, unsigned cols) {
    return kWidth == 1 || (behind(x) == 0 && cols % kWidth == 0);
}

// A rim wants a team of eight threads.
template <unsigned kWidth, unsigned kLoads>
void launch_rows(const float* x, float* y, unsigned rows, unsigned cols, cudaStream_t stream) {
    unsigned lanes = ceil_div(cols / kWidth, kLoads), team = is_whole<kWidth>(x, cols) ? 1 : 2 * kWidth;
    while (team < lanes && team < kLanes) {
        team *= 2;
    }
    team *= ceil_div(lanes, team);
    unsigned block = team > kLanes ? team : 128;
    rows_in_registers<kWidth, kLoads><<<ceil_div(rows, block / team), block, 0, stream>>>(x, y, rows, cols, team);
}

template <unsigned kWidth>
void softmax_by(const float* x, float* y, unsigned rows, unsigned cols, cudaStream_t stream) {
    if (cols < kLanes + kWidth) {
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

extern "C" void softmax(const float* x, float* y, int rows, int cols, float* scratch, int scratch_len,
                        cudaStream_t stream) {
    if (behind(x) == behind(y) && (is_whole<4>(x, cols) || cols > 8)) {
        softmax_by<4>(x, y, rows, cols, stream);
    } else {
        softmax_by<1>(x, y, rows, cols, stream);
    }
}
