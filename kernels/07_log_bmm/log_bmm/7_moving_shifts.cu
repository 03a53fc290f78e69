// Rung 7 of 9: moving shifts, and no first pass.
//
// Rung 6 reads everything twice, as rung 1 does. Rung 2's idea for whole rows: a shift is the largest element of its
// row so far, or up to kSlack less. When one is left further behind, it moves, and all sums of its row are multiplied
// by exp(old - new). Moves go up, so that a factor is 1 or less. The slack makes them rare: factors are e^4 at most.
//
// Those who load a row are not those who have its sums. They put the factors into shared memory, and the barrier
// before the multiplications says whether there are any, __syncthreads_or.
//
// On an H200, batch=8 n=512 m=512 p=512: 6_wide_tiles 104 us, 7_moving_shifts 85.8 us.

#include "../wide_tiles.cuh"

constexpr float kSlack = 4.0f;          // by which an exponent may exceed its shift
constexpr float kLeastSum = 0x1p-113f;  // times the number of terms: below, lost products may matter

__device__ __forceinline__ float exponential(float x) { return exp2f(x * 1.44269504f); }

// Moves a shift that lags behind. What the sums of its line must be multiplied by then.
template <class AnyLine> __device__ __forceinline__ float follow(AnyLine& line) {
    float most = fminf(line.most(), FLT_MAX), old = line.shift;
    bool moves = most > old + kSlack;
    line.shift = moves ? most : old;
    return moves ? exponential(old - most) : 1.0f;
}

// One output, with an exponential for each term.
__device__ float plain(const float* a, const float* b, int terms, std::int64_t stride) {
    float top = -FLT_MAX, sum = 0.0f;
#pragma unroll 8
    for (int k = 0; k < terms; ++k) top = fmaxf(top, a[k] + b[k * stride]);
    top = fminf(top, FLT_MAX);
#pragma unroll 8
    for (int k = 0; k < terms; ++k) sum += exponential(a[k] + b[k * stride] - top);
    return top + logf(sum);
}

template <bool kVectors>
__global__ void __launch_bounds__(kThreads, 1)
    log_of_sums(const float* a, const float* b, float* out, int n, int m, int p) {
    constexpr int kStep = kVectors ? 4 : 1;  // outputs written at a time
    alignas(16) __shared__ Panel as, bs;
    alignas(16) __shared__ float of_rows[kTile], of_cols[kTile];  // what sums are multiplied by; then, shifts
    int across = (p - 1) / kTile + 1, tiles = ((n - 1) / kTile + 1) * across;
    int top = blockIdx.x % tiles / across * kTile, left = blockIdx.x % across * kTile;
    std::int64_t member = blockIdx.x / tiles;
    a += member * n * m;
    b += member * m * p;
    out += member * n * p;
    Line<true, kVectors> rows(a, n, m, top);
    Line<false, kVectors> cols(b, p, p, left);
    Place place;

    Sums sum = {};
    Factors factors;
    for (int steps = (m - 1) % kDepth + 1, done = 0; done < m; done += steps, steps = kDepth) {
        rows.load_panel(steps, -INFINITY), cols.load_panel(steps, -INFINITY);
        float of_row = follow(rows), of_col = follow(cols);
        __syncthreads();
#pragma unroll
        for (int e = 0; e < kEach; ++e) {
            rows.put(as, e, exponential(rows.x[e] - rows.shift));
            cols.put(bs, e, exponential(cols.x[e] - cols.shift));
        }
        rows.tell(of_rows, of_row), cols.tell(of_cols, of_col);
        if (__syncthreads_or(of_row != 1.0f || of_col != 1.0f)) {
            factors.take(of_rows, of_cols, place);
            factors.rescale(sum);
        }
#pragma unroll
        for (int k = 0; k < kDepth; ++k) {
            factors.take(as[k], bs[k], place);
            factors.multiply(sum);
        }
    }

    __syncthreads();
    rows.tell(of_rows, rows.shift), cols.tell(of_cols, cols.shift);
    __syncthreads();
    Factors shift;
    shift.take(of_rows, of_cols, place);
    bool trusted = true;
#pragma unroll
    for (int i = 0; i < kOurs; ++i) {
        alignas(16) float values[kOurs];
        int y = top + place.row_of(i);
#pragma unroll
        for (int j = 0; j < kOurs; ++j) {
            trusted &= sum[i][j] >= kLeastSum * m && sum[i][j] <= FLT_MAX;
            values[j] = shift.column[i] + shift.row[j] + __logf(sum[i][j]);
        }
#pragma unroll
        for (int j = 0; j < kOurs; j += kStep) {
            int x = left + place.col_of(j);
            float* to = out + static_cast<std::int64_t>(y) * p + x;
            if (y >= n || x >= p) continue;
            copy<kStep>(to, &values[j]);
        }
    }
    if (trusted) return;

    // The guard. A sum of nothing is right, though it is small: where all of a row or all of a column is -inf.
    std::uint64_t doubted = 0;
#pragma unroll
    for (int e = 0; e < kOurs * kOurs; ++e) {
        float s = sum[e / kOurs][e % kOurs];
        bool nothing = fminf(shift.column[e / kOurs], shift.row[e % kOurs]) == -FLT_MAX && s == 0.0f;
        doubted |= static_cast<std::uint64_t>(!nothing && !(s >= kLeastSum * m && s <= FLT_MAX)) << e;
    }
    for (; doubted; doubted &= doubted - 1) {
        int e = __ffsll(doubted) - 1, x = left + place.col_of(e % kOurs);
        std::int64_t y = top + place.row_of(e / kOurs);
        if (y < n && x < p) out[y * p + x] = plain(a + y * m, b + x, m, p);
    }
}

extern "C" void log_bmm(const float* a, const float* b, float* out, int batch, int n, int m, int p,
                        cudaStream_t stream) {
    bool vectors = aligned(a, b, out) && m % 4 == 0 && p % 4 == 0;
    auto log_sums = vectors ? log_of_sums<true> : log_of_sums<false>;
    unsigned tiles = static_cast<unsigned>(batch) * ((n - 1) / kTile + 1) * ((p - 1) / kTile + 1);
    log_sums<<<tiles, kThreads, 0, stream>>>(a, b, out, n, m, p);
}
