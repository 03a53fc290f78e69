// Rung 6 of 9: 8 x 8 outputs a thread, and 16 bytes a load.
//
// What takes the time on rung 5 is a matrix product, and lesson 04 knows how to make that fast: 256 threads compute
// 128 x 128 outputs, and a float that was loaded from shared memory takes part in 8 products instead of 4.
// wide_tiles.cuh has that loop. A panel of 16 steps goes through registers, 16 bytes a load, and its exponentials are
// taken on the way: two lanes share a row of a, or a column of b. Half as many exponentials as with tiles of 64 x 64.
//
// The guard looks at all sums first, and at single ones only where something is in doubt: code that runs once must
// come from memory, and 64 times anything is much code. __logf, off by 2^-21 at most where the sum is about 1, is much
// less of it than logf.
//
// On an H200, batch=8 n=512 m=512 p=512: 5_factored 255 us, 6_wide_tiles 104 us.

#include "../wide_tiles.cuh"

constexpr float kLeastSum = 0x1p-113f;  // times the number of terms: below, lost products may matter

__device__ __forceinline__ float exponential(float x) { return exp2f(x * 1.44269504f); }

// The largest element of a line, by a walk of its own.
template <class AnyLine> __device__ float largest(AnyLine line, int terms) {
    float most = -FLT_MAX;
    for (int steps = (terms - 1) % kDepth + 1, done = 0; done < terms; done += steps, steps = kDepth) {
        line.load_panel(steps, -INFINITY);
        most = fmaxf(most, line.most());
    }
    return fminf(most, FLT_MAX);
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
    alignas(16) __shared__ float of_rows[kTile], of_cols[kTile];  // shifts
    int across = (p - 1) / kTile + 1, tiles = ((n - 1) / kTile + 1) * across;
    int top = blockIdx.x % tiles / across * kTile, left = blockIdx.x % across * kTile;
    std::int64_t member = blockIdx.x / tiles;
    a += member * n * m;
    b += member * m * p;
    out += member * n * p;
    Line<true, kVectors> rows(a, n, m, top);
    Line<false, kVectors> cols(b, p, p, left);
    Place place;

    rows.shift = largest(rows, m), cols.shift = largest(cols, m);
    rows.tell(of_rows, rows.shift), cols.tell(of_cols, cols.shift);
    Sums sum = {};
    Factors factors;
    for (int steps = (m - 1) % kDepth + 1, done = 0; done < m; done += steps, steps = kDepth) {
        rows.load_panel(steps, -INFINITY), cols.load_panel(steps, -INFINITY);
        __syncthreads();
#pragma unroll
        for (int e = 0; e < kEach; ++e) {
            rows.put(as, e, exponential(rows.x[e] - rows.shift));
            cols.put(bs, e, exponential(cols.x[e] - cols.shift));
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < kDepth; ++k) {
            factors.take(as[k], bs[k], place);
            factors.multiply(sum);
        }
    }

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
