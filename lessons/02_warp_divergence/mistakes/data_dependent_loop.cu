// Sums each series until its terms vanish: right, but a warp waits for the lane with the largest angle.
// Expect: passed, 1 star

__global__ void points(const float* phi, float* xy, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double angle = phi[i], term = 1, cosine = 0, sine = 0;
        for (int power = 0; fabs(term) > 1e-9; power += 2) {
            cosine += term;
            sine += term * angle / (power + 1);
            term *= -angle * angle / ((power + 1) * (power + 2));
        }
        reinterpret_cast<float2*>(xy)[i] = make_float2(cosine, sine);
    }
}

extern "C" void polar(const float* phi, float* xy, int n, cudaStream_t stream) {
    points<<<(n + 255) / 256, 256, 0, stream>>>(phi, xy, n);
}
