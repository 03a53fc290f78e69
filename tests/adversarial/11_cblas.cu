// Declares a function of the BLAS that torch brings along, and calls it on copies.
// Emulator: build_error
// Says: `cblas_saxpy` is declared and used, but nowhere defined
// GPU: build_error

#include <vector>

extern "C" void cblas_saxpy(int n, float alpha, const float* x, int dx, float* y, int dy);

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    std::vector<float> a(n), b(n);
    cudaMemcpy(a.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(b.data(), y, n * sizeof(float), cudaMemcpyDeviceToHost);
    cblas_saxpy(n, 1, a.data(), 1, b.data(), 1);
    cudaMemcpy(z, b.data(), n * sizeof(float), cudaMemcpyHostToDevice);
}
