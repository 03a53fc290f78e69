// Says: line 11: where a warp divides, it runs both sides in turn
__global__ void points(const float* phi, float* xy, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 2) {
        float2 two = reinterpret_cast<const float2*>(phi)[i];
        float c0, s0, c1, s1;
        __sincosf(two.x, &s0, &c0);
        __sincosf(two.y, &s1, &c1);
        reinterpret_cast<float4*>(xy)[i] = make_float4(c0, s0, c1, s1);
    }
    if (i == 0 && n % 2) {
        float c, s;
        __sincosf(phi[n - 1], &s, &c);
        reinterpret_cast<float2*>(xy)[n - 1] = make_float2(c, s);
    }
}

extern "C" void polar(const float* phi, float* xy, int n, cudaStream_t stream) {
    points<<<n / 512 + 1, 256, 0, stream>>>(phi, xy, n);
}
