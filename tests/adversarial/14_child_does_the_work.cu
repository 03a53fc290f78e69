// The process that is watched waits; a child of it launches the kernel, where no race is looked for and nothing is counted.
// The sandbox allows no child, and without a sandbox it has not inherited the buffers.
// Emulator: not_written
// Says: was never written
// GPU: build_error

#include <sys/wait.h>
#include <unistd.h>

__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    int child = fork();
    if (child != 0) {
        if (child > 0) waitpid(child, nullptr, 0);
        return;
    }
    add<<<(n + 255) / 256, 256, 0, stream>>>(x, y, z, n);
    _exit(0);
}
