// Lesson 09: tensor cores. Two tasks, both with numbers of 16 bits in and floats out.
//
// matmul_bf16: c = a * b transposed, so c[i][j] = sum over x of a[i][x] * b[j][x].
//
//   a        m x k numbers of bfloat16 in the GPU's memory, row after row: read them only
//   b        n x k numbers of bfloat16, row after row: read them only
//   c        m x n floats: write every one of them
//   m, n, k  1 or more, any numbers
//
// attention_bf16: for each head and each query, out = the mean of the rows of v, weighted with
// exp(query * key / sqrt(d)) / (the sum of that over all keys), and lse = the logarithm of that sum.
//
//   q, k, v  heads x n x d numbers of bfloat16, head after head, row after row: read them only
//   out      heads x n x d floats: write every one of them
//   lse      heads x n floats: write every one of them
//   heads, n 1 or more, any numbers
//   d        64 or 128
//   causal   1: query i sees the keys 0 ... i only; 0: it sees all of them
//
// stream: give it to every launch, kernel<<<blocks, threads, 0, stream>>>(...)
//
// Begin with matmul_bf16. `ladder check 09 --task matmul_bf16` says how far you are, `ladder hint 09` helps.

#include <cuda_bf16.h>
#include <mma.h>

// >>> write your kernel here

__global__ void product(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, int m, int n, int k) {
    // A block is one warp. Which 16 x 16 elements of c are its own? Walk along k, 16 columns at a time: load a fragment of
    // a and one of b, and let nvcuda::wmma::mma_sync add their product to a third. First for multiples of 16, then think
    // of the edges. When it is right, let a warp have 2 x 2 such tiles.
}

extern "C" void matmul_bf16(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, int m, int n, int k,
                            cudaStream_t stream) {
    int blocks = ((m + 15) / 16) * ((n + 15) / 16);
    product<<<blocks, 32, 0, stream>>>(a, b, c, m, n, k);
}

extern "C" void attention_bf16(const __nv_bfloat16* q, const __nv_bfloat16* k, const __nv_bfloat16* v, float* out,
                               float* lse, int heads, int n, int d, int causal, cudaStream_t stream) {}

// <<<
