// Each thread adds 16 elements in a row, as one would on a CPU: neighbouring threads are then 64 bytes apart.
// Expect: passed, 1 star

constexpr int kRun = 16;

__global__ void add(const float* x, const float* y, float* z, int n) {
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * kRun;
    for (int i = first; i < first + kRun && i < n; ++i) {
        z[i] = x[i] + y[i];
    }
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    int threads = (n + kRun - 1) / kRun;
    add<<<(threads + 255) / 256, 256, 0, stream>>>(x, y, z, n);
}
