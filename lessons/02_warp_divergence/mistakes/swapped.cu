// The pair is (cosine, sine), not (sine, cosine).
// Expect: wrong_result

__global__ void points(const float* phi, float* xy, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        xy[2 * i] = sinf(phi[i]);
        xy[2 * i + 1] = cosf(phi[i]);
    }
}

extern "C" void polar(const float* phi, float* xy, int n, cudaStream_t stream) {
    points<<<(n + 255) / 256, 256, 0, stream>>>(phi, xy, n);
}
