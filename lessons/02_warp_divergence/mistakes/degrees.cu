// Takes the angles for degrees, as a pocket calculator may.
// Expect: wrong_result

__global__ void points(const float* phi, float* xy, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float angle = phi[i] * 3.14159265f / 180;
        reinterpret_cast<float2*>(xy)[i] = make_float2(cosf(angle), sinf(angle));
    }
}

extern "C" void polar(const float* phi, float* xy, int n, cudaStream_t stream) {
    points<<<(n + 255) / 256, 256, 0, stream>>>(phi, xy, n);
}
