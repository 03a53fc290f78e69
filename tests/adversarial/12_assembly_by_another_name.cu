// Calls assembly by a name of its own, so that the word stands before no parenthesis; what it loads and stores goes unseen.
// Emulator: build_error
// Says: asm
// GPU: not applicable: it is made of x86 code

#define A asm
#define HIDE
constexpr int kBlock = 256;
__device__ __forceinline__ float peek(const float* p) { float v; A volatile("movss (%1), %0" : "=x"(v) : "r"(p)); return v; }
__device__ __forceinline__ void poke(float* p, float v) { A volatile("movss %0, (%1)" : : "x"(v), "r"(p)); }
__global__ void add(const float* x, const float* y, float* z, int n) {
    __shared__ float sums[kBlock];
    int t = threadIdx.x, i = blockIdx.x * kBlock + t;
    if (i >= n) return;
    poke(&sums[t], peek(x + i) + peek(y + i));
    if (t > 0) poke(z + i - 1, peek(&sums[t - 1]));          // no barrier: a race
    if (t == kBlock - 1 || i == n - 1) poke(z + i, peek(&sums[t]));
}
extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<(n + kBlock - 1) / kBlock, kBlock, 0, stream>>>(x, y, z, n);
}
