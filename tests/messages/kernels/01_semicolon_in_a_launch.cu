// A `;` in the place of a comma.
// Says: its numbers are divided by a comma and not by `;`, `add<<<blocks, threads>>>`
// GPU: build_error

__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    int blocks = (n + 255) / 256;
    add<<<blocks; 256>>>(x, y, z, n);
}
