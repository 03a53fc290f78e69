// Lesson 08: attention. For each head and each query: out = the mean of the rows of v, weighted with
// exp(query * key / sqrt(d)) / (the sum of that over all keys), and lse = the logarithm of that sum.
//
//   q, k, v  heads x n x d floats each in the GPU's memory, head after head, row after row: read them only
//   out      heads x n x d floats in the GPU's memory: write every one of them
//   lse      heads x n floats: write every one of them
//   heads    1 or more
//   n        1 or more, any number
//   d        32, 64 or 128
//   causal   1: query i sees the keys 0 ... i only; 0: it sees all of them
//   stream   give it to every launch: kernel<<<blocks, threads, 0, stream>>>(...)
//
// `ladder check 08` says how far you are, `ladder hint 08` helps. The lesson's README has a bonus:
// the backward pass.

// >>> write your kernel here

#include <cstdint>

constexpr int kThreads = 64;

__global__ void attend(const float* q, const float* k, const float* v, float* out, float* lse, int heads, int n, int d,
                       int causal) {
    // Which query of which head is ours? First make it right: one thread walks along the keys, and keeps the largest
    // score so far, the sum, and d outputs. Then let the threads of a block load the keys and values together.
}

extern "C" void attention(const float* q, const float* k, const float* v, float* out, float* lse, int heads, int n, int d,
                          int causal, cudaStream_t stream) {
    std::int64_t queries = std::int64_t{heads} * n;  // can be more than an int holds
    unsigned blocks = static_cast<unsigned>((queries - 1) / kThreads + 1);
    attend<<<blocks, kThreads, 0, stream>>>(q, k, v, out, lse, heads, n, d, causal);
}

// <<<
