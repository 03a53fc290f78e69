// One thread for each number, cosine in even lanes, sine in odd lanes: right, but every warp runs both sides.
// Expect: passed, 1 star

__global__ void points(const float* phi, float* xy, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 2 * n) {
        if (i % 2 == 0) {
            xy[i] = cosf(phi[i / 2]);
        } else {
            xy[i] = sinf(phi[i / 2]);
        }
    }
}

extern "C" void polar(const float* phi, float* xy, int n, cudaStream_t stream) {
    points<<<(2 * n + 255) / 256, 256, 0, stream>>>(phi, xy, n);
}
