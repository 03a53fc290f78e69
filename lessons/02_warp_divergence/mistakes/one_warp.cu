// One warp does it all, without a divergent branch: right, but 32 threads cannot keep a GPU busy.
// Expect: passed, 1 star

__global__ void points(const float* phi, float* xy, int n) {
    for (int i = threadIdx.x; i < n; i += 32) {
        float sine, cosine;
        sincosf(phi[i], &sine, &cosine);
        reinterpret_cast<float2*>(xy)[i] = make_float2(cosine, sine);
    }
}

extern "C" void polar(const float* phi, float* xy, int n, cudaStream_t stream) {
    points<<<1, 32, 0, stream>>>(phi, xy, n);
}
