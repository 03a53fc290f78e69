// All cosines, then all sines: store with stride n where pairs are asked for.
// Expect: wrong_result

__global__ void points(const float* phi, float* xy, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        xy[i] = cosf(phi[i]);
        xy[n + i] = sinf(phi[i]);
    }
}

extern "C" void polar(const float* phi, float* xy, int n, cudaStream_t stream) {
    points<<<(n + 255) / 256, 256, 0, stream>>>(phi, xy, n);
}
