// What the rungs for long rows share with rung 8 of lesson 06: rows that fit into a block's registers, at any address,
// as in 8_any_address.cu, but of numbers of any type, and with a kernel of its own for rows that have no rim.
#pragma once

#include "softmax.cuh"

template <unsigned kWidth>
constexpr unsigned kAhead = kWidth > 1 ? 4 : 16;  // loads of a thread that are on their way at once, if that is enough
constexpr unsigned kHeld = 32;                    // elements of a row in a thread's registers, at most
constexpr unsigned kMostCols = kMostThreads * kHeld;

// A row at any address: a few numbers, whole vectors at multiples of their size, a few numbers. The few are its rim.
struct Layout {
    unsigned head, count, rim;

    // Where number i of the rim stands in the row.
    __device__ unsigned column(unsigned i, unsigned width) const { return i < head ? i : i + count * width; }
};

template <unsigned kWidth, typename Number>
__device__ Layout layout_of(const Number* row, unsigned cols) {
    unsigned behind = reinterpret_cast<std::uintptr_t>(row) / sizeof(Number) % kWidth;  // the last multiple
    unsigned head = min((kWidth - behind) % kWidth, cols), count = (cols - head) / kWidth;
    return {head, count, cols - count * kWidth};
}

// Teams take a row each. One without a row stays, with nothing to do: the shuffles want whole warps.
template <unsigned kWidth, unsigned kLoads, bool kRim, typename Number>
__global__ void __launch_bounds__(kMostThreads) rows_in_registers(
    const Number* x, Number* y, unsigned rows, unsigned cols, unsigned team) {
    unsigned row = blockIdx.x * (blockDim.x / team) + threadIdx.x / team, first = threadIdx.x % team;
    unsigned width = min(team, kLanes);
    x += std::int64_t{row} * cols;
    y += std::int64_t{row} * cols;
    unsigned here = row < rows ? cols : 0;
    Layout layout = kRim ? layout_of<kWidth>(x, here) : Layout{0, here / kWidth, 0};
    unsigned column = layout.column(first, kWidth);

    Share<kWidth, kLoads> share;
    share.load(x + layout.head, first, team, layout.count);
    float rim = first < layout.rim ? static_cast<float>(x[column]) : -INFINITY;
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
        y[column] = static_cast<Number>(rim * scale);
    }
}

inline unsigned behind(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer) % sizeof(float4); }

// Whether no row has a rim.
template <unsigned kWidth, typename Number>
bool is_whole(const Number* x, unsigned cols) {
    return kWidth == 1 || (behind(x) == 0 && cols % kWidth == 0);
}

// A rim has up to 2 * kWidth - 2 numbers, and wants a thread for each.
template <unsigned kWidth, unsigned kLoads, typename Number>
void launch_rows(const Number* x, Number* y, unsigned rows, unsigned cols, cudaStream_t stream) {
    bool no_rim = is_whole<kWidth>(x, cols);
    unsigned lanes = ceil_div(cols / kWidth, kLoads), team = no_rim ? 1 : 2 * kWidth;
    while (team < lanes && team < kLanes) {
        team *= 2;
    }
    team *= ceil_div(lanes, team);
    unsigned block = team > kLanes ? team : 128, blocks = ceil_div(rows, block / team);
    if (no_rim) {
        rows_in_registers<kWidth, kLoads, false><<<blocks, block, 0, stream>>>(x, y, rows, cols, team);
    } else {
        rows_in_registers<kWidth, kLoads, (kWidth > 1)><<<blocks, block, 0, stream>>>(x, y, rows, cols, team);
    }
}

// A row of up to kMostCols elements.
template <unsigned kWidth, typename Number>
void softmax_of_rows(const Number* x, Number* y, unsigned rows, unsigned cols, cudaStream_t stream) {
    if (cols < kLanes + kWidth) {
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

// Whether a row of more than a few numbers is best taken as vectors: x and y must lie alike.
template <unsigned kWidth, typename Number>
bool takes_vectors(const Number* x, const Number* y, unsigned cols) {
    return behind(x) == behind(y) && (is_whole<kWidth>(x, cols) || cols > 2 * kWidth);
}
