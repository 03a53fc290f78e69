// Includes torch and lets it do the work.
// Emulator: build_error
// Says: cannot include torch/extension.h
// GPU: build_error

#include <torch/extension.h>

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    auto a = torch::from_blob((void*)x, n), b = torch::from_blob((void*)y, n), sum = torch::from_blob(z, n);
    at::add_out(sum, a, b);
}
