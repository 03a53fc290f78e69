// Rung 1 of 5: one output a thread, two passes.
//
// log(sum of exp(x)) of large x overflows, and of small x it is log(0). With the largest x, called top, in front,
//   log(sum of exp(x)) = top + log(sum of exp(x - top)),
// the exponents are 0 or less, and one of them is 0. So a thread walks along its terms twice: for top, and for the sum.
// Where all terms are -inf, so is top, and -inf - -inf is no number: then 0 is subtracted instead.
//
// The derivative of the log of a sum by one of its terms is that term's share, exp(term - out). A thread adds up the
// shares, times grad_out, that its element of a, or of b, has.
//
// Each of the n * m * p terms takes four loads and an exponential. In grad_a, neighbouring threads read different rows
// of b.
//
// Measured on an H200 at 8 x 512^3: 979 us, backward 5.70 ms. PyTorch, with all terms in memory: 10.3 ms and 13.7 ms.

#include <cmath>
#include <cstdint>

constexpr int kThreads = 256;

__device__ float finite(float top) { return isinf(top) ? 0.0f : top; }

__device__ float share(float term, float out) { return out == -INFINITY ? 0.0f : expf(term - out); }

__global__ void log_of_sums(const float* a, const float* b, float* out, std::int64_t outputs, int n, int m, int p) {
    std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (thread >= outputs) return;
    std::int64_t row = thread / p, member = row / n;
    const float* of_a = a + row * m;
    const float* of_b = b + member * m * p + thread % p;
    float top = -INFINITY, sum = 0.0f;
    for (int k = 0; k < m; ++k) {
        top = fmaxf(top, of_a[k] + of_b[static_cast<std::int64_t>(k) * p]);
    }
    top = finite(top);
    for (int k = 0; k < m; ++k) {
        sum += expf(of_a[k] + of_b[static_cast<std::int64_t>(k) * p] - top);
    }
    out[thread] = top + logf(sum);
}

__global__ void gradient_of_a(const float* a, const float* b, const float* out, const float* grad_out, float* grad_a,
                              std::int64_t elements, int n, int m, int p) {
    std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (thread >= elements) return;
    std::int64_t row = thread / m, member = row / n;
    const float* of_b = b + (member * m + thread % m) * p;
    float sum = 0.0f;
    for (int j = 0; j < p; ++j) {
        sum += share(a[thread] + of_b[j], out[row * p + j]) * grad_out[row * p + j];
    }
    grad_a[thread] = sum;
}

__global__ void gradient_of_b(const float* a, const float* b, const float* out, const float* grad_out, float* grad_b,
                              std::int64_t elements, int n, int m, int p) {
    std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (thread >= elements) return;
    std::int64_t member = thread / p / m;
    float sum = 0.0f;
    for (int i = 0; i < n; ++i) {
        std::int64_t row = member * n + i, at = row * p + thread % p;
        sum += share(a[row * m + thread / p % m] + b[thread], out[at]) * grad_out[at];
    }
    grad_b[thread] = sum;
}

unsigned blocks_for(std::int64_t threads) { return static_cast<unsigned>((threads - 1) / kThreads + 1); }

extern "C" void log_bmm(const float* a, const float* b, float* out, int batch, int n, int m, int p,
                        cudaStream_t stream) {
    std::int64_t outputs = static_cast<std::int64_t>(batch) * n * p;
    log_of_sums<<<blocks_for(outputs), kThreads, 0, stream>>>(a, b, out, outputs, n, m, p);
}

extern "C" void log_bmm_backward(const float* a, const float* b, const float* out, const float* grad_out, float* grad_a,
                                 float* grad_b, int batch, int n, int m, int p, cudaStream_t stream) {
    std::int64_t of_a = static_cast<std::int64_t>(batch) * n * m, of_b = static_cast<std::int64_t>(batch) * m * p;
    gradient_of_a<<<blocks_for(of_a), kThreads, 0, stream>>>(a, b, out, grad_out, grad_a, of_a, n, m, p);
    gradient_of_b<<<blocks_for(of_b), kThreads, 0, stream>>>(a, b, out, grad_out, grad_b, of_b, n, m, p);
}
