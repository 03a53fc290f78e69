// What mma.sync alone reaches: chains of products in registers, with no memory in the loop. benchmarks/tensor_cores.py
// builds and times it, for warps that hold kDown fragments of a and kAcross of b.

#ifndef DOWN
#define DOWN 4
#define ACROSS 4
#endif

constexpr int kDown = DOWN, kAcross = ACROSS;
constexpr int kSets = 2;        // of fragments, in turns: as in a kernel that reads the next while it multiplies these
constexpr int kApart = 4096;    // numbers between those that one lane takes

__device__ __forceinline__ void multiply(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// `from` holds 96 * kApart words, pairs of bfloat16 that are not zero; `to` gets a float a thread.
__global__ void chains(const unsigned* __restrict__ from, float* to, int rounds) {
    unsigned a[kSets][kDown][4], b[kSets][kAcross][2];
    float c[kDown][kAcross][4] = {};
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned* at = from + thread % kApart;
    for (int s = 0; s < kSets; ++s) {
        for (int i = 0; i < kDown * 4; ++i) a[s][i / 4][i % 4] = at[kApart * (s * 32 + i)];
        for (int i = 0; i < kAcross * 2; ++i) b[s][i / 2][i % 2] = at[kApart * (64 + s * 16 + i)];
    }
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int s = 0; s < kSets; ++s) {
#pragma unroll
            for (int i = 0; i < kDown * kAcross; ++i) {
                int p = i / kAcross, q = p % 2 ? kAcross - 1 - i % kAcross : i % kAcross;
                multiply(c[p][q], a[s][p], b[s][q]);
            }
        }
    }
    float sum = 0;
    for (int i = 0; i < kDown * kAcross * 4; ++i) sum += c[i / 4 / kAcross][i / 4 % kAcross][i % 4];
    to[thread] = sum;
}

extern "C" void run(const void* from, float* to, int blocks, int threads, int rounds, void* stream) {
    chains<<<blocks, threads, 0, static_cast<cudaStream_t>(stream)>>>(static_cast<const unsigned*>(from), to, rounds);
}
