// Leaves each 50th call out, and counts its calls in memory of the host that none of its variables holds itself.
// Emulator: not_written
// Says: is called again and again
// GPU: not_written

#include <cstdlib>

__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}
extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    static int* calls = static_cast<int*>(std::calloc(1, sizeof(int)));
    if (++*calls % 50 == 0) return;
    add<<<(n - 1) / 256 + 1, 256, 0, stream>>>(x, y, z, n);
}
