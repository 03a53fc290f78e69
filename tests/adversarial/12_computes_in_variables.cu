// Kernels copy the inputs to __device__ variables, and the sums from there; between them the host adds, through the names of
// the variables, which a GPU's host code cannot read.
// Emulator: host_access
// Says: host code
// GPU: wrong_result or not_written

constexpr int kMost = 100003;
__device__ float a[kMost], b[kMost], sums[kMost];

__global__ void take(const float* x, const float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = x[i], b[i] = y[i];
}

__global__ void give(float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = sums[i];
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    take<<<(n + 255) / 256, 256, 0, stream>>>(x, y, n);
    for (int i = 0; i < n && i < kMost; ++i) sums[i] = a[i] + b[i];
    give<<<(n + 255) / 256, 256, 0, stream>>>(z, n);
}
