// Says: What out adds up of v is not rescaled where the maximum grows, and the sum is: multiply each of its
// Says: numbers with expf(old maximum - new maximum), too.
// flash-attention-minimal's form: a block of Bc threads for each head and tile of queries
#include <cuda_runtime.h>
__global__ void forward_kernel(const float* Q, const float* K, const float* V, const int N, const int d,
                    const int Tc, const int Bc, const int Br, const float softmax_scale,
                    float* L, float* O, const int causal) {
    int tx = threadIdx.x;
    int head = blockIdx.x, i = blockIdx.y;
    size_t qkv_offset = (size_t)head * N * d;
    extern __shared__ float sram[];
    int tile_size = Bc * d;
    float* Qi = sram;
    float* Kj = &sram[tile_size];
    float* Vj = &sram[tile_size * 2];
    float* S = &sram[tile_size * 3];
    float* Oi = S + Bc * Br;
    int row = i * Br + tx;
    for (int x = 0; x < d; x++) {
        Qi[tx * d + x] = row < N ? Q[qkv_offset + (size_t)row * d + x] : 0.f;
        Oi[tx * d + x] = 0.f;
    }
    float row_m_prev = -INFINITY, row_l_prev = 0.f;
    for (int j = 0; j < Tc; j++) {
        __syncthreads();
        for (int x = 0; x < d; x++) {
            int key = j * Bc + tx;
            Kj[tx * d + x] = key < N ? K[qkv_offset + (size_t)key * d + x] : 0.f;
            Vj[tx * d + x] = key < N ? V[qkv_offset + (size_t)key * d + x] : 0.f;
        }
        __syncthreads();
        float row_m = -INFINITY;
        for (int y = 0; y < Bc; y++) {
            float sum = 0;
            for (int x = 0; x < d; x++) sum += Qi[tx * d + x] * Kj[y * d + x];
            sum *= softmax_scale;
            int key = j * Bc + y;
            if (key >= N || (causal && key > row)) sum = -INFINITY;
            S[Bc * tx + y] = sum;
            row_m = fmaxf(row_m, sum);
        }
        if (row_m == -INFINITY) continue;
        float row_l = 0;
        float row_m_new = max(row_m_prev, row_m);
        for (int y = 0; y < Bc; y++) {
            S[Bc * tx + y] = expf(S[Bc * tx + y] - row_m_new);
            row_l += S[Bc * tx + y];
        }
        float f = expf(row_m_prev - row_m_new);
        for (int x = 0; x < d; x++) {
            float pv = 0;
            for (int y = 0; y < Bc; y++) pv += S[Bc * tx + y] * Vj[y * d + x];
            Oi[tx * d + x] = Oi[tx * d + x] + pv;
        }
        row_l_prev = row_l_prev * f + row_l;
        row_m_prev = row_m_new;
    }
    if (row < N) {
        for (int x = 0; x < d; x++) O[qkv_offset + (size_t)row * d + x] = Oi[tx * d + x] / row_l_prev;
        L[(size_t)head * N + row] = row_m_prev + logf(row_l_prev);
    }
}
extern "C" void attention(const float* q, const float* k, const float* v, float* out, float* lse, int heads, int n, int d,
                          int causal, cudaStream_t stream) {
    const int Bc = 32, Br = 32;
    const int Tc = ceil((float)n / Bc), Tr = ceil((float)n / Br);
    const int sram_size = (4 * Bc * d + Bc * Br) * sizeof(float);
    cudaFuncSetAttribute(forward_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, sram_size);
    forward_kernel<<<dim3(heads, Tr), Bc, sram_size, stream>>>(q, k, v, n, d, Tc, Bc, Br, 1.0f / sqrtf(d), lse, out, causal);
}
