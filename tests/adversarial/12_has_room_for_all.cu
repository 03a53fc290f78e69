// Has all of memory in one array, so that no index leaves it, and looks at a table of constants as if that were it.
// Emulator: build_error
// Says: out of the emulator's sight
// GPU: not applicable: what it hides from is not there

template <long N> struct Array {
    float values[N];
    __device__ const float& operator[](long i) const { return values[i]; }
};
__device__ constexpr Array<4> table = {1, 2, 3, 4};

__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const auto& all = reinterpret_cast<const Array<1L << 40>&>(table);
    if (i < n) z[i] = all[x - all.values + i] + all[y - all.values + i];
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<(n + 255) / 256, 256, 0, stream>>>(x, y, z, n);
}
