// Five terms of the series: nearly right for small angles, off by some hundredths near pi.
// Expect: wrong_result

__global__ void points(const float* phi, float* xy, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float a = phi[i], q = a * a;
        float cosine = 1 - q / 2 * (1 - q / 12 * (1 - q / 30 * (1 - q / 56)));
        float sine = a * (1 - q / 6 * (1 - q / 20 * (1 - q / 42 * (1 - q / 72))));
        reinterpret_cast<float2*>(xy)[i] = make_float2(cosine, sine);
    }
}

extern "C" void polar(const float* phi, float* xy, int n, cudaStream_t stream) {
    points<<<(n + 255) / 256, 256, 0, stream>>>(phi, xy, n);
}
