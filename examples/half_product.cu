// matmul_f16 of another file beside sums in double precision: lesson 09's lower rungs on a GPU like the T4, or on the emulator.
//
//     ladder solution 09 --task matmul_bf16 --rung 4 --half --reveal > half.cu
//     ladder run examples/half_product.cu half.cu
//     nvcc -std=c++17 -arch=sm_75 examples/half_product.cu half.cu -o half && ./half
#include <cuda_fp16.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

// c (m x n) = a (m x k) times b (n x k) transposed.
extern "C" void matmul_f16(const __half* a, const __half* b, float* c, int m, int n, int k, cudaStream_t stream);

static std::vector<__half> drawn(std::mt19937& random, int count) {
    std::normal_distribution<float> normal;
    std::vector<__half> values(count);
    for (__half& value : values) value = __float2half(normal(random));
    return values;
}

// How much of the error that lesson 09 allows the largest error is: 4 sqrt(k) + k / 8 units of 2^-24 of the sum of |terms|.
static double largest_error(const std::vector<__half>& a, const std::vector<__half>& b, const std::vector<float>& c, int m, int n, int k) {
    const double allowed = (4 * std::sqrt(k) + k / 8.0) * std::ldexp(1.0, -24);
    double largest = 0;
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < n; ++j) {
            double sum = 0, size = 0;
            for (int x = 0; x < k; ++x) {
                const double term = double(__half2float(a[i * k + x])) * double(__half2float(b[j * k + x]));
                sum += term, size += std::fabs(term);
            }
            const double error = std::fabs(c[i * n + j] - sum) / (allowed * size);
            largest = error <= largest ? largest : error;   // a NaN is larger than all
        }
    }
    return largest;
}

static double multiplied(int m, int n, int k) {
    std::mt19937 random(m * n + k);
    const std::vector<__half> a = drawn(random, m * k), b = drawn(random, n * k);
    std::vector<float> c(m * n);
    __half *on_a, *on_b;
    float* on_c;
    cudaMalloc(&on_a, a.size() * sizeof(__half));
    cudaMalloc(&on_b, b.size() * sizeof(__half));
    cudaMalloc(&on_c, c.size() * sizeof(float));
    cudaMemcpy(on_a, a.data(), a.size() * sizeof(__half), cudaMemcpyHostToDevice);
    cudaMemcpy(on_b, b.data(), b.size() * sizeof(__half), cudaMemcpyHostToDevice);
    matmul_f16(on_a, on_b, on_c, m, n, k, 0);
    cudaMemcpy(c.data(), on_c, c.size() * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(on_a), cudaFree(on_b), cudaFree(on_c);
    if (cudaGetLastError() != cudaSuccess) return NAN;
    return largest_error(a, b, c, m, n, k);
}

int main() {
    bool right = true;
    const int sizes[][3] = {{1, 1, 1}, {16, 8, 16}, {33, 17, 48}, {128, 64, 128}, {131, 133, 67}};
    for (const auto& [m, n, k] : sizes) {
        const double error = multiplied(m, n, k);
        right = right && error < 1;
        std::printf("%d x %d x %d: the largest error is %.3f of what is allowed\n", m, n, k, error);
    }
    std::puts(right ? "right" : "wrong");
    return !right;
}
