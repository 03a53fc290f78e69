// Rung 4 of 7: 4 x 4 gradients a thread, in registers.
//
// On rung 3 a thread reads four floats of shared memory for one term. Here it reads four of out and four of b for 16.
// 256 threads compute 64 x 64 gradients, and each element that was loaded serves 64.
//
// What is left is the exponentials, one for each term of each gradient. exp2f is what the unit for them computes; expf
// takes more instructions around it.
// On an H200, batch=8 n=128 m=128 p=128: 3_shared_tiles 42.2 us, 4_register_tiles 129 us.
// On an H200, batch=8 n=512 m=512 p=512: 3_shared_tiles 1.82 ms, 4_register_tiles 1.15 ms.
// At 128 the tiles are too few for the multiprocessors.

#include <cmath>
#include <cstdint>

constexpr int kTile = 64;   // a block's share of the outputs is kTile x kTile
constexpr int kDepth = 16;  // of the tiles, along the sum
constexpr int kOurs = 4;    // a thread's share is kOurs x kOurs
constexpr int kAcross = kTile / kOurs;
constexpr int kThreads = kAcross * kAcross;

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

// out becomes what is subtracted: inf, and no share, where out is -inf.
__device__ float subtracted(float out) { return out == -INFINITY ? INFINITY : out; }

__global__ void __launch_bounds__(kThreads)
    gradient_of_a(Matrix a, Matrix b, Matrix out, Matrix grad_out, float* grad_a) {
    __shared__ Tile Bs, Outs, Grads;
    Place place(a.rows, a.cols);
    a = a.member(place.member), b = b.member(place.member);
    out = out.member(place.member), grad_out = grad_out.member(place.member);
    float ours[kOurs][kOurs], sum[kOurs][kOurs] = {};
    for (int i = 0; i < kOurs; ++i) {
        for (int j = 0; j < kOurs; ++j) ours[i][j] = a.at(place.top + place.row(i), place.left + place.col(j), 0.0f);
    }
    for (int first = 0; first < b.cols; first += kDepth) {
        out.load<true>(Outs, place.top, first, INFINITY);
        grad_out.load<true>(Grads, place.top, first, 0.0f);
        b.load<true>(Bs, place.left, first, 0.0f);
        __syncthreads();
        for_each(Outs, Bs, [&](int k, int i, int j, float total, float y) {
            sum[i][j] += exponential(ours[i][j] + y - subtracted(total)) * Grads[k][place.row(i)];
        });
        __syncthreads();
    }
    place.write(grad_a, a.rows, a.cols, sum);
}

__global__ void __launch_bounds__(kThreads)
    gradient_of_b(Matrix a, Matrix b, Matrix out, Matrix grad_out, float* grad_b) {
    __shared__ Tile As, Outs, Grads;
    Place place(b.rows, b.cols);
    a = a.member(place.member), b = b.member(place.member);
    out = out.member(place.member), grad_out = grad_out.member(place.member);
    float ours[kOurs][kOurs], sum[kOurs][kOurs] = {};
    for (int i = 0; i < kOurs; ++i) {
        for (int j = 0; j < kOurs; ++j) ours[i][j] = b.at(place.top + place.row(i), place.left + place.col(j), 0.0f);
    }
    for (int first = 0; first < a.rows; first += kDepth) {
        a.load<false>(As, place.top, first, 0.0f);
        out.load<false>(Outs, place.left, first, INFINITY);
        grad_out.load<false>(Grads, place.left, first, 0.0f);
        __syncthreads();
        for_each(As, Outs, [&](int k, int i, int j, float x, float total) {
            sum[i][j] += exponential(x + ours[i][j] - subtracted(total)) * Grads[k][place.col(j)];
        });
        __syncthreads();
    }
    place.write(grad_b, b.rows, b.cols, sum);
}

unsigned tiles(int batch, int rows, int cols) {
    return static_cast<unsigned>(batch) * ((rows - 1) / kTile + 1) * ((cols - 1) / kTile + 1);
}

extern "C" void log_bmm_backward(const float* a, const float* b, const float* out, const float* grad_out, float* grad_a,
                                 float* grad_b, int batch, int n, int m, int p, cudaStream_t stream) {
    Matrix of_a = {a, n, m}, of_b = {b, m, p}, of_out = {out, n, p}, of_grad = {grad_out, n, p};
    gradient_of_a<<<tiles(batch, n, m), kThreads, 0, stream>>>(of_a, of_b, of_out, of_grad, grad_a);
    gradient_of_b<<<tiles(batch, m, p), kThreads, 0, stream>>>(of_a, of_b, of_out, of_grad, grad_b);
}
