// Two angles a thread, but nobody takes the last angle of an odd number.
// Expect: not_written

__global__ void points(const float2* phi, float4* xy, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 2) {
        float2 angles = phi[i];
        xy[i] = make_float4(cosf(angles.x), sinf(angles.x), cosf(angles.y), sinf(angles.y));
    }
}

extern "C" void polar(const float* phi, float* xy, int n, cudaStream_t stream) {
    int blocks = (n / 2 + 255) / 256 + 1;
    points<<<blocks, 256, 0, stream>>>(reinterpret_cast<const float2*>(phi), reinterpret_cast<float4*>(xy), n);
}
