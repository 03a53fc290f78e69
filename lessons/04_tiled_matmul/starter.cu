// Lesson 04: the product of two matrices, c[row][col] = sum over i of a[row][i] * b[i][col].
//
//   a        m x k floats in the GPU's memory, row after row: read them only
//   b        k x n floats in the GPU's memory, row after row: read them only
//   c        m x n floats in the GPU's memory: write every one of them
//   m, n, k  1 or more, any numbers
//   stream   give it to every launch: kernel<<<blocks, threads, 0, stream>>>(...)
//
// `ladder check 04` says how far you are, `ladder hint 04` helps.

// >>> write your kernel here

constexpr int kTile = 32;

__global__ void product(const float* a, const float* b, float* c, int m, int n, int k) {
    // Which row and column of c is ours? First make it right: which elements of a and b does it need?
    // Then let the threads of a block load them together, and use each of them 32 times.
}

extern "C" void matmul(const float* a, const float* b, float* c, int m, int n, int k, cudaStream_t stream) {
    dim3 threads(kTile, kTile);
    dim3 blocks((n - 1) / kTile + 1, (m - 1) / kTile + 1);
    product<<<blocks, threads, 0, stream>>>(a, b, c, m, n, k);
}

// <<<
