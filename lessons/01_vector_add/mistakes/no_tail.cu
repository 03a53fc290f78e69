// Four elements a thread, but nobody adds the last n % 4.
// Expect: not_written

__global__ void add(const float4* x, const float4* y, float4* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4) {
        float4 a = x[i], b = y[i];
        z[i] = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
    }
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    int blocks = (n / 4 + 255) / 256 + 1;
    add<<<blocks, 256, 0, stream>>>(reinterpret_cast<const float4*>(x), reinterpret_cast<const float4*>(y),
                                    reinterpret_cast<float4*>(z), n);
}
