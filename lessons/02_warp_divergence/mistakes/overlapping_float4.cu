// Each thread stores its pair and the next one as a float4: every other pair starts 8 bytes off a multiple of 16.
// Expect: misaligned

__global__ void points(const float* phi, float* xy, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 1 < n) {
        float4 two = make_float4(cosf(phi[i]), sinf(phi[i]), cosf(phi[i + 1]), sinf(phi[i + 1]));
        *reinterpret_cast<float4*>(xy + 2 * i) = two;
    } else if (i < n) {
        xy[2 * i] = cosf(phi[i]);
        xy[2 * i + 1] = sinf(phi[i]);
    }
}

extern "C" void polar(const float* phi, float* xy, int n, cudaStream_t stream) {
    points<<<(n + 255) / 256, 256, 0, stream>>>(phi, xy, n);
}
