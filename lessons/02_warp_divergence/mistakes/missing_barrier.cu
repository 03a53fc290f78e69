// Turns the pairs round in shared memory so that the stores are in a row, but reads before all have written.
// Expect: race

__global__ void points(const float* phi, float* xy, int n) {
    __shared__ float pairs[512];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        sincosf(phi[i], &pairs[2 * threadIdx.x + 1], &pairs[2 * threadIdx.x]);
    }
    // __syncthreads() is missing here
    int first = 2 * blockIdx.x * blockDim.x;
    for (int k = threadIdx.x; k < 512; k += 256) {
        if (first + k < 2 * n) {
            xy[first + k] = pairs[k];
        }
    }
}

extern "C" void polar(const float* phi, float* xy, int n, cudaStream_t stream) {
    points<<<(n + 255) / 256, 256, 0, stream>>>(phi, xy, n);
}
