// Puzzle 12 of 16, vector_load: sixteen bytes at once: float4.
//
// One load instead of four keeps more bytes on their way. A float4 must begin at a multiple of 16 bytes.

__global__ void twice_four(const float* x, float* z) {
    int i = threadIdx.x;
    float4 v = reinterpret_cast<const float4*>(x)[i];
    reinterpret_cast<float4*>(z)[i] = make_float4(2 * v.x, 2 * v.y, 2 * v.z, 2 * v.w);
}

extern "C" void vector_load(const float* x, float* z, int n, cudaStream_t stream) {
    twice_four<<<1, n / 4, 0, stream>>>(x, z);
}
