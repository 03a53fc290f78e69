// Returns at once; a thread launches the kernel when the clock has stopped, and the outputs have been read.
// Emulator: not_written
// Says: was never written
// GPU: build_error

#include <chrono>
#include <thread>

__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    std::thread([=] {
        std::this_thread::sleep_for(std::chrono::seconds(5));
        add<<<(n + 255) / 256, 256, 0, stream>>>(x, y, z, n);
    }).detach();
}
