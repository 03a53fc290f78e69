// Ends the process with exit code 0 before anybody has called it.
// Emulator: crash
// Says: exit code 0 while the file was loaded
// GPU: crash

#include <unistd.h>

__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}

__attribute__((constructor)) static void leave() { _exit(0); }

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<(n + 255) / 256, 256, 0, stream>>>(x, y, z, n);
}
