// Rung 5 of 9: an exponential for each input, and a guard.
//
// exp(a + b) = exp(a) * exp(b): exponentials of the two inputs and a matrix product, instead of an exponential for
// each of the n * m * p terms. The maximum must be subtracted from a and b one by one: each row of a has a shift r,
// each column of b a shift c, and out = r + c + log(sum of exp(a - r) * exp(b - c)).
//
// - The shifts are the largest of the row and of the column. A first pass over the tiles finds them.
// - The guard. Where the maxima of a row and a column do not meet, all products may be too small for a float. Such a
//   sum shows itself: it is so small that lost products could matter (docs/numerics.md says how small that is). Then
//   the thread computes that output again, with an exponential for each term, as on rung 1. That is slow, so it must
//   be rare.
//
// A tile of 64 x 64 takes an exponential for each of its 2 * 64 * m inputs: 1/32 of rung 4's.
// On an H200, batch=8 n=512 m=512 p=512: 4_register_tiles 504 us, 5_factored 255 us.

#include <cfloat>
#include <cmath>
#include <cstdint>

constexpr int kTile = 64;   // a block's share of the outputs is kTile x kTile
constexpr int kDepth = 16;  // of the tiles, along the sum
constexpr int kOurs = 4;    // a thread's share is kOurs x kOurs
constexpr int kAcross = kTile / kOurs;
constexpr int kThreads = kAcross * kAcross;

constexpr float kLeastSum = 0x1p-113f;  // times the number of terms: below, lost products may matter

using Tile = float[kDepth][kTile + 2];  // two more, so that what is loaded along rows is stored to 32 banks

__device__ float exponential(float x) { return exp2f(x * 1.44269504f); }

// One member of a batch of matrices. `along_row`: the sum runs along its rows, else down its columns.
struct Matrix {
    const float* data;
    int rows, cols;

    __device__ Matrix member(std::int64_t number) const { return {data + number * rows * cols, rows, cols}; }
    __device__ float at(int row, int col, float outside) const {
        return row < rows && col < cols ? data[static_cast<std::int64_t>(row) * cols + col] : outside;
    }
    // kTile lines from `line` on, kDepth elements of each from `first` on.
    template <bool kAlongRow> __device__ void load(Tile& tile, int line, int first, float outside) const {
        for (int e = threadIdx.x; e < kTile * kDepth; e += kThreads) {
            if (kAlongRow) {
                tile[e % kDepth][e / kDepth] = at(line + e / kDepth, first + e % kDepth, outside);
            } else {
                tile[e / kTile][e % kTile] = at(first + e / kTile, line + e % kTile, outside);
            }
        }
    }
};

// Where our outputs are: kAcross rows and columns apart, so that neighbouring threads have neighbouring ones.
struct Place {
    std::int64_t member;
    int top, left;  // of the block's tile

    __device__ Place(int rows, int cols) {
        int down = (rows - 1) / kTile + 1, across = (cols - 1) / kTile + 1;
        member = blockIdx.x / (down * across);
        int within = blockIdx.x % (down * across);
        top = within / across * kTile;
        left = within % across * kTile;
    }
    static __device__ int row(int i) { return threadIdx.x / kAcross + i * kAcross; }
    static __device__ int col(int j) { return threadIdx.x % kAcross + j * kAcross; }

    __device__ void write(float* to, int rows, int cols, const float (&values)[kOurs][kOurs]) const {
        for (int i = 0; i < kOurs; ++i) {
            for (int j = 0; j < kOurs; ++j) {
                int y = top + row(i), x = left + col(j);
                if (y < rows && x < cols) to[(member * rows + y) * cols + x] = values[i][j];
            }
        }
    }
};

// Calls step(i, j, ...) for each of our outputs and each k of a tile, with one element of each of both tiles.
template <class Step> __device__ void for_each(const Tile& left, const Tile& right, Step step) {
#pragma unroll 4
    for (int k = 0; k < kDepth; ++k) {
        float column[kOurs], row[kOurs];
        for (int i = 0; i < kOurs; ++i) column[i] = left[k][Place::row(i)], row[i] = right[k][Place::col(i)];
#pragma unroll
        for (int i = 0; i < kOurs; ++i) {
#pragma unroll
            for (int j = 0; j < kOurs; ++j) step(k, i, j, column[i], row[j]);
        }
    }
}

// One output, with an exponential for each term.
__device__ float plain(const Matrix& a, const Matrix& b, int row, int col) {
    float top = -FLT_MAX, sum = 0.0f;
    for (int k = 0; k < a.cols; ++k) top = fmaxf(top, a.at(row, k, 0.0f) + b.at(k, col, 0.0f));
    top = fminf(top, FLT_MAX);
    for (int k = 0; k < a.cols; ++k) sum += exponential(a.at(row, k, 0.0f) + b.at(k, col, 0.0f) - top);
    return top + logf(sum);
}

__global__ void __launch_bounds__(kThreads) log_of_sums(Matrix a, Matrix b, float* out) {
    __shared__ Tile As, Bs;
    __shared__ float shift[2][kTile];  // of the rows of a and of the columns of b
    Place place(a.rows, b.cols);
    a = a.member(place.member), b = b.member(place.member);

    // The first pass: a shift is the largest exponent of its line. One thread looks after one line.
    const Tile& ours = threadIdx.x < kTile ? As : Bs;
    float most = -FLT_MAX;  // not -inf: a shift is subtracted, and -inf - -inf is no number
    for (int first = 0; first < a.cols; first += kDepth) {
        a.load<true>(As, place.top, first, -INFINITY);
        b.load<false>(Bs, place.left, first, -INFINITY);
        __syncthreads();
        for (int k = 0; k < kDepth; ++k) most = fmaxf(most, ours[k][threadIdx.x % kTile]);
        __syncthreads();
    }
    if (threadIdx.x < 2 * kTile) shift[threadIdx.x / kTile][threadIdx.x % kTile] = fminf(most, FLT_MAX);

    float sum[kOurs][kOurs] = {};
    for (int first = 0; first < a.cols; first += kDepth) {
        a.load<true>(As, place.top, first, -INFINITY);
        b.load<false>(Bs, place.left, first, -INFINITY);
        __syncthreads();
        for (int e = threadIdx.x; e < kTile * kDepth; e += kThreads) {
            int k = e / kTile, l = e % kTile;
            As[k][l] = exponential(As[k][l] - shift[0][l]);
            Bs[k][l] = exponential(Bs[k][l] - shift[1][l]);
        }
        __syncthreads();
        for_each(As, Bs, [&](int, int i, int j, float x, float y) { sum[i][j] += x * y; });
        __syncthreads();
    }

    for (int i = 0; i < kOurs; ++i) {
        for (int j = 0; j < kOurs; ++j) {
            float r = shift[0][place.row(i)], c = shift[1][place.col(j)], s = sum[i][j];
            // A sum of nothing is right, though it is small: where all of a row or of a column is -inf.
            bool right = (s >= kLeastSum * a.cols && s <= FLT_MAX) || (s == 0.0f && fminf(r, c) == -FLT_MAX);
            bool inside = place.top + place.row(i) < a.rows && place.left + place.col(j) < b.cols;
            sum[i][j] = right || !inside ? r + c + logf(s)
                                         : plain(a, b, place.top + place.row(i), place.left + place.col(j));
        }
    }
    place.write(out, a.rows, b.cols, sum);
}

unsigned tiles(int batch, int rows, int cols) {
    return static_cast<unsigned>(batch) * ((rows - 1) / kTile + 1) * ((cols - 1) / kTile + 1);
}

extern "C" void log_bmm(const float* a, const float* b, float* out, int batch, int n, int m, int p,
                        cudaStream_t stream) {
    Matrix of_a = {a, n, m}, of_b = {b, m, p};
    log_of_sums<<<tiles(batch, n, p), kThreads, 0, stream>>>(of_a, of_b, out);
}
