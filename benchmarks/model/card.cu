// What `ladder bench --card` times: one kernel for each constant of a card's file. `x` and `z` hold `n` floats each.
//
// They are written so that nvcc can leave nothing out, and so that each keeps one part of a multiprocessor busy.
#include <cuda_runtime.h>

#define ENTRY(name) \
    extern "C" void card_##name(const float* x, float* z, int n, int rounds, int blocks, int threads, cudaStream_t stream)
#define LAUNCH(kernel) kernel<<<blocks, threads, 0, stream>>>(x, z, n, rounds)
#define KERNEL(name) __global__ void name(const float* x, float* z, int n, int rounds)

__device__ unsigned thread_number() { return blockIdx.x * blockDim.x + threadIdx.x; }

KERNEL(nothing) {}
ENTRY(nothing) {
    for (int k = 0; k < rounds; ++k) LAUNCH(nothing);
}

// A vector for each thread: a grid that strides is some 6 % slower on an H200.
KERNEL(copy) {
    unsigned i = thread_number();
    if (i < n / 4u) reinterpret_cast<float4*>(z)[i] = reinterpret_cast<const float4*>(x)[i];
}
ENTRY(copy) { LAUNCH(copy); }

// Every block reads the same n floats, a power of two, again and again: more than L1 holds, and less than L2. Each begins
// elsewhere, for what several ask for at once L2 sends once. Eight loads of a thread are on their way.
KERNEL(read_again) {
    auto from = reinterpret_cast<const float4*>(x);
    unsigned last = n / 4u - 1, begin = n / 4u / gridDim.x * blockIdx.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < rounds; ++k) {
        for (unsigned i = 0; i <= last; i += 8 * blockDim.x) {
            float4 v[8];
#pragma unroll
            for (unsigned j = 0; j < 8; ++j) v[j] = __ldcg(from + ((begin + i + j * blockDim.x) & last));
#pragma unroll
            for (unsigned j = 0; j < 8; ++j) sum += v[j].x + v[j].y + v[j].z + v[j].w;
        }
    }
    if (sum == 1.5f) z[thread_number()] = sum;
}
ENTRY(read_again) { LAUNCH(read_again); }

// Each lane in a line of its own, all of them in L1.
KERNEL(load_lines) {
    float sum = 0;
    for (int k = 0; k < rounds; ++k) sum += x[(threadIdx.x * 32 + (k & 31)) % 32768];
    if (sum == 1.5f) z[thread_number()] = sum;
}
ENTRY(load_lines) { LAUNCH(load_lines); }

KERNEL(store_lines) {
    for (int k = 0; k < rounds; ++k) z[(thread_number() * 32ull + k) % n] = k;
}
ENTRY(store_lines) { LAUNCH(store_lines); }

// Eight chains of fused multiply-adds: a scheduler always has one to begin.
template <class T> __device__ void multiply(const float* x, float* z, int rounds) {
    T a[8], b = x[threadIdx.x], c = x[threadIdx.x + 1];
    for (int i = 0; i < 8; ++i) a[i] = b + T(i);
#pragma unroll 16
    for (int k = 0; k < rounds; ++k)
        for (int i = 0; i < 8; ++i) a[i] = a[i] * b + c;
    T sum = 0;
    for (int i = 0; i < 8; ++i) sum += a[i];
    if (sum == T(1.5)) z[thread_number()] = float(sum);
}
KERNEL(floats) { multiply<float>(x, z, rounds); }
ENTRY(floats) { LAUNCH(floats); }
KERNEL(doubles) { multiply<double>(x, z, rounds); }
ENTRY(doubles) { LAUNCH(doubles); }

KERNEL(specials) {
    float a[8];
    for (int i = 0; i < 8; ++i) a[i] = x[threadIdx.x] + i;
    for (int k = 0; k < rounds; ++k)
        for (int i = 0; i < 8; ++i) asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(a[i]));
    float sum = 0;
    for (int i = 0; i < 8; ++i) sum += a[i];
    if (sum == 1.5f) z[thread_number()] = sum;
}
ENTRY(specials) { LAUNCH(specials); }

// Two chains of mma.sync m16n8k16, which cards have from compute capability 8.0 on.
KERNEL(products) {
    float c[2][4] = {};
    unsigned both = __float_as_uint(x[threadIdx.x]) & 0xffff0000u, pair = both | both >> 16;
#if __CUDA_ARCH__ >= 800
    for (int k = 0; k < rounds; ++k)
        for (int i = 0; i < 2; ++i)
            asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, "
                         "{%4, %4}, {%0, %1, %2, %3};"
                         : "+f"(c[i][0]), "+f"(c[i][1]), "+f"(c[i][2]), "+f"(c[i][3])
                         : "r"(pair));
#endif
    if (c[0][0] + c[1][3] == 1.5f) z[thread_number()] = c[0][0];
}
ENTRY(products) { LAUNCH(products); }

// All lanes of a warp at one word: 32 turns.
KERNEL(shared_turns) {
    __shared__ int words[32];
    for (int k = 0; k < rounds; ++k) atomicAdd(&words[threadIdx.x / 32], k);
    __syncthreads();
    if (words[0] == 1) z[thread_number()] = words[0];
}
ENTRY(shared_turns) { LAUNCH(shared_turns); }

KERNEL(one_float) {
    for (int k = 0; k < rounds; ++k) atomicAdd(z, x[threadIdx.x]);
}
ENTRY(one_float) { LAUNCH(one_float); }
KERNEL(one_integer) {
    // All at one address, of which nvcc does not know: it would add up a warp's numbers first.
    int* one = reinterpret_cast<int*>(z) + (x[threadIdx.x] == 0.5f);
    for (int k = 0; k < rounds; ++k) atomicAdd(one, int(threadIdx.x) + k);
}
ENTRY(one_integer) { LAUNCH(one_integer); }
KERNEL(few_integers) {
    unsigned at = thread_number();
    for (int k = 0; k < rounds; ++k) {
        at = at * 1664525u + 1013904223u;
        atomicAdd(reinterpret_cast<int*>(z) + (at >> 24), 1);
    }
}
ENTRY(few_integers) { LAUNCH(few_integers); }

KERNEL(barriers) {
    for (int k = 0; k < rounds; ++k) __syncthreads();
}
ENTRY(barriers) { LAUNCH(barriers); }

// Keeps the GPU busy while the host brings what is to be timed: each multiplication waits for the one before it.
KERNEL(wait) {
    float a = x[threadIdx.x];
    for (int k = 0; k < rounds; ++k) a = a * 1.0001f + 1.0f;
    if (a == 1.5f) z[thread_number()] = a;
}
ENTRY(wait) { LAUNCH(wait); }
