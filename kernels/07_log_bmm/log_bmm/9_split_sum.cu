// Rung 9 of 9: few outputs: blocks share the sum.
//
// On rung 8 a block has a tile of 128 x 128, and all of its sum. Where there are fewer tiles than multiprocessors,
// several blocks share the sum of a tile: each computes the log of its part, as if it were all, and merge() takes the
// log of the sum of the parts' exponentials. The parts are scratch memory: kernels/common/scratch.cuh.
//
// Where n, m and p are all small, a tile is mostly empty. There a thread computes an output, as on rung 1: the guard
// has that function anyway.
//
// On an H200, batch=8 n=32 m=32 p=32: 8_pipeline 11.4 us, 9_split_sum 8.16 us.
// On an H200, batch=8 n=128 m=128 p=128: 8_pipeline 21.4 us, 9_split_sum 14.8 us.
// On an H200, batch=8 n=256 m=256 p=256: 8_pipeline 35.8 us, 9_split_sum 22.0 us.
// On an H200, batch=8 n=512 m=512 p=512: 8_pipeline 65.6 us, 9_split_sum 66.2 us.
// Tried on one 128 x 65536 x 128: 76 us (rung 8: 6.9 ms).

#include <algorithm>

#include "../../common/scratch.cuh"
#include "../wide_tiles.cuh"

constexpr float kSlack = 4.0f;          // by which an exponent may exceed its shift
constexpr float kLeastSum = 0x1p-113f;  // times the number of terms: below, lost products may matter
constexpr int kSmall = 64;              // matrices of up to kSmall x kSmall are no matter for tiles
constexpr unsigned kLeastShare = 32;    // terms that are worth a block

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
    log_of_sums(const float* a, const float* b, float* out, int n, int m, int p, int share) {
    constexpr int kStep = kVectors ? 4 : 1;  // outputs written at a time
    alignas(16) __shared__ Panel as[2], bs[2];
    alignas(16) __shared__ float of_rows[2][kTile], of_cols[2][kTile];  // what sums are multiplied by; then, shifts
    int across = (p - 1) / kTile + 1, tiles = ((n - 1) / kTile + 1) * across;
    int top = blockIdx.x % tiles / across * kTile, left = blockIdx.x % across * kTile;
    int begin = blockIdx.y * share, terms = min(share, m - begin);
    std::int64_t member = blockIdx.x / tiles, members = gridDim.x / tiles;
    a += member * n * m + begin;
    b += (member * m + begin) * p;
    out += (blockIdx.y * members + member) * n * p;
    Line<true, kVectors> rows(a, n, m, top);
    Line<false, kVectors> cols(b, p, p, left);
    Place place;
    auto put = [&](int buffer, int e) {
        rows.put(as[buffer], e, exponential(rows.x[e] - rows.shift));
        cols.put(bs[buffer], e, exponential(cols.x[e] - cols.shift));
    };

    int panels = (terms - 1) / kDepth + 1, steps = (terms - 1) % kDepth + 1;
    rows.load_panel(steps, -INFINITY), cols.load_panel(steps, -INFINITY);
    follow(rows), follow(cols);
#pragma unroll
    for (int e = 0; e < kEach; ++e) put(0, e);
    if (panels > 1) rows.load_panel(kDepth, -INFINITY), cols.load_panel(kDepth, -INFINITY);
    __syncthreads();

    // While a panel is multiplied, the next one goes from registers to shared memory, and the one after that from
    // device memory into the registers.
    Sums sum = {};
    Factors factors[2];
    factors[0].take(as[0][0], bs[0][0], place);
    for (int panel = 0, now = 0; panel < panels; ++panel) {
        float of_row = 1.0f, of_col = 1.0f;
        if (panel + 1 < panels) of_row = follow(rows), of_col = follow(cols);
        bool moved = of_row != 1.0f || of_col != 1.0f, more = panel + 2 < panels;
        bool more_rows = more && rows.inside, more_cols = more && cols.inside;
#pragma unroll
        for (int k = 0; k < kDepth; ++k) {
            if (k < kEach) {
                put(now ^ 1, k);
                if (more_rows) rows.load(k);
                if (more_cols) cols.load(k);
            }
            if (k == kEach) __syncwarp();  // keeps the compiler from putting the loads off until they are needed
            if (k == kDepth - 1) {
                now ^= 1;
                rows.next += kDepth * rows.step, cols.next += kDepth * cols.step;
                rows.tell(of_rows[now], of_row), cols.tell(of_cols[now], of_col);
                moved = __syncthreads_or(moved);
            }
            factors[(k + 1) % 2].take(as[now][(k + 1) % kDepth], bs[now][(k + 1) % kDepth], place);
            factors[k % 2].multiply(sum);
        }
        if (!moved) continue;
        factors[1].take(of_rows[now], of_cols[now], place);
        factors[1].rescale(sum);
    }

    rows.tell(of_rows[0], rows.shift), cols.tell(of_cols[0], cols.shift);
    __syncthreads();
    Factors shift;
    shift.take(of_rows[0], of_cols[0], place);
    bool trusted = true;
#pragma unroll
    for (int i = 0; i < kOurs; ++i) {
        alignas(16) float values[kOurs];
        int y = top + place.row_of(i);
#pragma unroll
        for (int j = 0; j < kOurs; ++j) {
            trusted &= sum[i][j] >= kLeastSum * terms && sum[i][j] <= FLT_MAX;
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
        doubted |= static_cast<std::uint64_t>(!nothing && !(s >= kLeastSum * terms && s <= FLT_MAX)) << e;
    }
    for (; doubted; doubted &= doubted - 1) {
        int e = __ffsll(doubted) - 1, x = left + place.col_of(e % kOurs);
        std::int64_t y = top + place.row_of(e / kOurs);
        if (y < n && x < p) out[y * p + x] = plain(a + y * m, b + x, terms, p);
    }
}

// For matrices that would leave most of a tile empty: a thread an output.
__global__ void one_by_one(const float* a, const float* b, float* out, std::int64_t outputs, int n, int m, int p) {
    std::int64_t at = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (at >= outputs) return;
    std::int64_t row = at / p, member = row / n;
    out[at] = plain(a + row * m, b + member * m * p + at % p, m, p);
}

// The log of the sum of the parts' exponentials.
__global__ void merge(const float* parts, float* out, std::int64_t outputs, int count) {
    std::int64_t at = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (at >= outputs) return;
    float top = -FLT_MAX, sum = 0.0f;
    for (int i = 0; i < count; ++i) top = fmaxf(top, parts[i * outputs + at]);
    top = fminf(top, FLT_MAX);
    for (int i = 0; i < count; ++i) sum += exponential(parts[i * outputs + at] - top);
    out[at] = top + logf(sum);
}

extern "C" void log_bmm(const float* a, const float* b, float* out, int batch, int n, int m, int p,
                        cudaStream_t stream) {
    std::int64_t outputs = static_cast<std::int64_t>(batch) * n * p;
    if (std::max({n, m, p}) <= kSmall) {
        one_by_one<<<ceil_div(outputs, 128), 128, 0, stream>>>(a, b, out, outputs, n, m, p);
        return;
    }
    bool vectors = aligned(a, b, out) && m % 4 == 0 && p % 4 == 0;
    auto log_sums = vectors ? log_of_sums<true> : log_of_sums<false>;
    unsigned tiles = batch * ceil_div(n, kTile) * ceil_div(p, kTile);
    unsigned wanted = std::min(multiprocessors() / tiles, static_cast<unsigned>(m) / kLeastShare);
    if (wanted < 2) {
        log_sums<<<tiles, kThreads, 0, stream>>>(a, b, out, n, m, p, m);
        return;
    }
    unsigned share = ceil_div(m, wanted * kDepth) * kDepth, count = ceil_div(m, share);
    Scratch parts(count * outputs, stream);
    log_sums<<<dim3(tiles, count), kThreads, 0, stream>>>(a, b, parts.data, n, m, p, share);
    merge<<<ceil_div(outputs, kThreads), kThreads, 0, stream>>>(parts.data, out, outputs, count);
}
