// A __device__ variable keeps the first input; while that stays the same, nothing is computed. The emulator calls a case
// again; timed outputs are poisoned before every run, also where the inputs stay.
// Emulator: not_written
// Says: is called a second time
// GPU: not_written

__device__ float seen = -1e30f;

__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[0] != seen) z[i] = x[i] + y[i];
}
__global__ void remember(const float* x) { seen = x[0]; }

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<(n + 255) / 256, 256, 0, stream>>>(x, y, z, n);
    remember<<<1, 1, 0, stream>>>(x);
}
