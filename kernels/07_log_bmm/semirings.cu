// Beside the ladder: rung 3 with another semiring, and with other numbers.
//
// A matrix product needs something to add with and something to multiply with; here "multiply" adds, and a `Sum` says
// what "add" is. Log-sum-exp gives the logs of sums over all paths, the maximum the best path (Viterbi), and with it
// where that path came from. `kernels.ops` uses this file for float64 and for `max_plus`.
//
// Written to be short: 32 x 32 tiles, one output a thread, an exponential for each term.

#include <cfloat>
#include <cmath>
#include <cstdint>

constexpr int kTile = 32;
template <class Number> using Tile = Number[kTile][kTile + 1];

// The largest finite number.
template <class Number> constexpr Number kMost = FLT_MAX;
template <> constexpr double kMost<double> = DBL_MAX;

// One member of a batch of matrices.
template <class Number> struct Matrix {
    const Number* data;
    int rows, cols;

    __device__ Matrix member(std::int64_t number) const { return {data + number * rows * cols, rows, cols}; }
    __device__ void load(Tile<Number>& tile, int top, int left, Number outside) const {
        int row = top + threadIdx.y, col = left + threadIdx.x;
        bool inside = row < rows && col < cols;
        tile[threadIdx.y][threadIdx.x] = inside ? data[static_cast<std::int64_t>(row) * cols + col] : outside;
    }
};

// Which tile of which member of the batch this block computes.
struct Place {
    std::int64_t member;
    int top, left;

    __device__ Place(int rows, int cols) {
        int down = (rows - 1) / kTile + 1, across = (cols - 1) / kTile + 1;
        member = blockIdx.x / (down * across);
        int within = blockIdx.x % (down * across);
        top = within / across * kTile;
        left = within % across * kTile;
    }
};

// ---- what "add" is ----

// log(exp(x) + exp(y)): a maximum and a sum, as in lesson 06.
template <class Number> struct LogSum {
    struct Results {
        Number* out;
    };
    Number top = -kMost<Number>, sum = 0;

    __device__ void add(Number term, int) {
        if (term > top) {
            Number higher = min(term, kMost<Number>);
            sum *= exp(top - higher);
            top = higher;
        }
        sum += exp(term - top);
    }
    __device__ void write(Results to, std::int64_t at) const { to.out[at] = top + log(sum); }
};

// max(x, y), and the first k that reached it. A NaN stays.
struct Max {
    struct Results {
        float* out;
        int* from;
    };
    float top = -INFINITY;
    int from = 0;

    __device__ void add(float term, int k) {
        if (term > top || (isnan(term) && !isnan(top))) {
            top = term;
            from = k;
        }
    }
    __device__ void write(Results to, std::int64_t at) const {
        to.out[at] = top;
        to.from[at] = from;
    }
};

template <class Sum, class Number>
__global__ void __launch_bounds__(kTile* kTile)
    product(Matrix<Number> a, Matrix<Number> b, typename Sum::Results results) {
    __shared__ Tile<Number> As, Bs;
    Place place(a.rows, b.cols);
    int rows = a.rows, cols = b.cols, row = place.top + threadIdx.y, col = place.left + threadIdx.x;
    a = a.member(place.member), b = b.member(place.member);
    Sum sum;
    for (int first = 0; first < a.cols; first += kTile) {
        a.load(As, place.top, first, -INFINITY);
        b.load(Bs, first, place.left, -INFINITY);
        __syncthreads();
        for (int k = 0; k < kTile && first + k < a.cols; ++k) {
            sum.add(As[threadIdx.y][k] + Bs[k][threadIdx.x], first + k);
        }
        __syncthreads();
    }
    if (row < rows && col < cols) sum.write(results, (place.member * rows + row) * cols + col);
}

// ---- the gradients of log-sum-exp: a thread an element, as on rung 1 ----

template <class Number> __device__ Number share(Number term, Number out) {
    return out == -INFINITY ? Number(0) : exp(term - out);
}

template <class Number>
__global__ void gradient_of_a(const Number* a, const Number* b, const Number* out, const Number* grad_out,
                              Number* grad_a, std::int64_t elements, int n, int m, int p) {
    std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (thread >= elements) return;
    std::int64_t row = thread / m;
    const Number* of_b = b + (row / n * m + thread % m) * p;
    Number sum = 0;
    for (int j = 0; j < p; ++j) {
        sum += share(a[thread] + of_b[j], out[row * p + j]) * grad_out[row * p + j];
    }
    grad_a[thread] = sum;
}

template <class Number>
__global__ void gradient_of_b(const Number* a, const Number* b, const Number* out, const Number* grad_out,
                              Number* grad_b, std::int64_t elements, int n, int m, int p) {
    std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (thread >= elements) return;
    Number sum = 0;
    for (int i = 0; i < n; ++i) {
        std::int64_t row = thread / p / m * n + i, at = row * p + thread % p;
        sum += share(a[row * m + thread / p % m] + b[thread], out[at]) * grad_out[at];
    }
    grad_b[thread] = sum;
}

// ---- launches ----

template <class Sum, class Number>
void launch(const Number* a, const Number* b, typename Sum::Results results, int batch, int n, int m, int p,
            cudaStream_t stream) {
    unsigned tiles = static_cast<unsigned>(batch) * ((n - 1) / kTile + 1) * ((p - 1) / kTile + 1);
    Matrix<Number> of_a = {a, n, m}, of_b = {b, m, p};
    product<Sum, Number><<<tiles, dim3(kTile, kTile), 0, stream>>>(of_a, of_b, results);
}

template <class Number>
void backward(const Number* a, const Number* b, const Number* out, const Number* grad_out, Number* grad_a,
              Number* grad_b, int batch, int n, int m, int p, cudaStream_t stream) {
    constexpr int kThreads = 256;
    std::int64_t of_a = static_cast<std::int64_t>(batch) * n * m, of_b = static_cast<std::int64_t>(batch) * m * p;
    unsigned blocks_of_a = (of_a - 1) / kThreads + 1, blocks_of_b = (of_b - 1) / kThreads + 1;
    gradient_of_a<Number><<<blocks_of_a, kThreads, 0, stream>>>(a, b, out, grad_out, grad_a, of_a, n, m, p);
    gradient_of_b<Number><<<blocks_of_b, kThreads, 0, stream>>>(a, b, out, grad_out, grad_b, of_b, n, m, p);
}

extern "C" void log_bmm(const float* a, const float* b, float* out, int batch, int n, int m, int p,
                        cudaStream_t stream) {
    launch<LogSum<float>>(a, b, {out}, batch, n, m, p, stream);
}

extern "C" void log_bmm_backward(const float* a, const float* b, const float* out, const float* grad_out, float* grad_a,
                                 float* grad_b, int batch, int n, int m, int p, cudaStream_t stream) {
    backward(a, b, out, grad_out, grad_a, grad_b, batch, n, m, p, stream);
}

extern "C" void log_bmm_double(const double* a, const double* b, double* out, int batch, int n, int m, int p,
                               cudaStream_t stream) {
    launch<LogSum<double>>(a, b, {out}, batch, n, m, p, stream);
}

extern "C" void log_bmm_backward_double(const double* a, const double* b, const double* out, const double* grad_out,
                                        double* grad_a, double* grad_b, int batch, int n, int m, int p,
                                        cudaStream_t stream) {
    backward(a, b, out, grad_out, grad_a, grad_b, batch, n, m, p, stream);
}

extern "C" void max_plus(const float* a, const float* b, float* out, int* from, int batch, int n, int m, int p,
                         cudaStream_t stream) {
    launch<Max>(a, b, {out, from}, batch, n, m, p, stream);
}
