// What the wide tiles of both ladders share: lesson 04's loop over tiles of 128 x 128, with 8 x 8 sums a thread.
// Panels of 16 steps of the sum go through registers into shared memory, and from there eight floats of each side at a
// time to the sums. What becomes of a panel's numbers on their way is up to the rung.
#pragma once

#include <cfloat>
#include <cmath>
#include <cstdint>

constexpr int kTile = 128;                   // a block's share of the result is kTile x kTile
constexpr int kDepth = 16;                   // of a panel, along the sum
constexpr int kOurs = 8;                     // a thread's share is kOurs x kOurs, in groups of four rows and columns
constexpr int kLaneRows = 4, kLaneCols = 8;  // how the lanes of a warp lie in its tile
constexpr int kThreads = (kTile / kOurs) * (kTile / kOurs);
constexpr int kEach = kDepth / 2;  // two lanes share a line of a panel
constexpr unsigned kWarp = 0xffffffff;

using Panel = float[kDepth][kTile + 4];  // four more, so that the lanes of a warp store to 32 banks
using Sums = float[kOurs][kOurs];

// One float, or four that lie at a multiple of 16 bytes.
template <int kCount> __device__ __forceinline__ void copy(float* to, const float* from) {
    if constexpr (kCount == 4) *reinterpret_cast<float4*>(to) = *reinterpret_cast<const float4*>(from);
    else *to = *from;
}

template <class... Pointers> bool aligned(Pointers... pointers) {
    return ((reinterpret_cast<std::uintptr_t>(pointers) % sizeof(float4) == 0) && ...);
}

// A line of a matrix along which the sum runs, panel after panel: a row (kAlongRow) or a column.
template <bool kAlongRow, bool kVectors> struct Line {
    alignas(16) float x[kEach];  // our part of a panel
    float shift = -FLT_MAX;      // not -inf: a shift is subtracted, and -inf - -inf is no number
    const float* next;
    std::int64_t step;  // from one element of the line to the next
    bool inside;        // or beyond the last line

    __device__ Line(const float* matrix, int lines, int stride, int first) {
        std::int64_t line = first + number();
        step = kAlongRow ? 1 : stride;
        next = matrix + (kAlongRow ? line * stride : line) + depth(0) * step;
        inside = line < lines;
    }
    // Which line of the tile, and which step of the panel, element e is.
    static __device__ int number() { return kAlongRow ? threadIdx.x / 2 : threadIdx.x / 32 * 16 + threadIdx.x % 16; }
    static __device__ int depth(int e) { return down(e) + 4 * (kAlongRow ? threadIdx.x % 2 : threadIdx.x / 16 % 2); }
    static constexpr __device__ int down(int e) { return e / 4 * 8 + e % 4; }

    // Element e of the next panel, of a line that is inside; with vectors, four at a time along a row.
    __device__ __forceinline__ void load(int e) {
        constexpr int kWide = kAlongRow && kVectors ? 4 : 1;
        if (e % kWide == kWide - 1) copy<kWide>(&x[e + 1 - kWide], next + down(e + 1 - kWide) * step);
    }
    // The next panel, of `steps` steps. If the first panel is the short one, all others are whole.
    __device__ __forceinline__ void load_panel(int steps, float otherwise) {
#pragma unroll
        for (int e = 0; e < kEach; ++e) x[e] = otherwise;
#pragma unroll
        for (int e = 0; e < kEach; ++e) {
            if (inside && depth(e) < steps) load(e);
        }
        next += steps * step;
    }
    // The largest of the line in this panel.
    __device__ __forceinline__ float most() const {
        float most = x[0];
#pragma unroll
        for (int e = 1; e < kEach; ++e) most = fmaxf(most, x[e]);
        return fmaxf(most, __shfl_xor_sync(kWarp, most, kAlongRow ? 1 : 16));
    }
    __device__ __forceinline__ void put(Panel& panel, int e, float value) const { panel[depth(e)][number()] = value; }
    // A number of the line for all threads to see.
    __device__ __forceinline__ void tell(float* to, float value) const { if (depth(0) == 0) to[number()] = value; }
};

// Where our sums lie in the tile. Bits 0 and 3 of the lane count rows, bits 1, 2 and 4 columns, so that 16 bytes a lane
// take two wavefronts.
struct Place {
    int row, col;

    __device__ Place() {
        int lane = threadIdx.x % 32, warp = threadIdx.x / 32, across = kTile / (kLaneCols * kOurs);
        row = warp / across * kLaneRows * kOurs + 4 * ((lane & 1) | (lane >> 2 & 2));
        col = warp % across * kLaneCols * kOurs + 4 * ((lane >> 1 & 3) | (lane >> 2 & 4));
    }
    __device__ int row_of(int p) const { return row + p / 4 * 4 * kLaneRows + p % 4; }
    __device__ int col_of(int q) const { return col + q / 4 * 4 * kLaneCols + q % 4; }
};

// One float for each of our rows, and one for each of our columns.
struct Factors {
    alignas(16) float column[kOurs], row[kOurs];

    __device__ __forceinline__ void take(const float* of_rows, const float* of_cols, const Place& place) {
#pragma unroll
        for (int g = 0; g < kOurs; g += 4) copy<4>(&column[g], of_rows + place.row_of(g));
#pragma unroll
        for (int g = 0; g < kOurs; g += 4) copy<4>(&row[g], of_cols + place.col_of(g));
    }
    // sum += column * row, to and fro: each product has a factor of the one before it.
    __device__ __forceinline__ void multiply(Sums& sum) const {
#pragma unroll
        for (int e = 0; e < kOurs * kOurs; ++e) {
            int p = e / kOurs, q = p % 2 == 0 ? e % kOurs : kOurs - 1 - e % kOurs;
            sum[p][q] += column[p] * row[q];
        }
    }
    // Multiplies rows and columns of sums. Most factors are 1, and a warp whose factors all are does nothing.
    __device__ __forceinline__ void rescale(Sums& sum) const {
        bool rows = false, cols = false;
        for (int i = 0; i < kOurs; ++i) rows |= column[i] != 1.0f, cols |= row[i] != 1.0f;
        rows = __any_sync(kWarp, rows), cols = __any_sync(kWarp, cols);
#pragma unroll
        for (int e = 0; e < kOurs * kOurs; ++e) {
            if (rows) sum[e / kOurs][e % kOurs] *= column[e / kOurs];
        }
#pragma unroll
        for (int e = 0; e < kOurs * kOurs; ++e) {
            if (cols) sum[e / kOurs][e % kOurs] *= row[e % kOurs];
        }
    }
};
