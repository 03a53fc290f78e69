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

KERNEL(copy) {
    auto from = reinterpret_cast<const float4*>(x);
    auto to = reinterpret_cast<float4*>(z);
    for (unsigned i = thread_number(); i < n / 4u; i += gridDim.x * blockDim.x) to[i] = from[i];
}
ENTRY(copy) { LAUNCH(copy); }

// Every block reads the same n floats, again and again: more than L1 holds, and less than L2.
KERNEL(read_again) {
    auto from = reinterpret_cast<const float4*>(x);
    float sum = 0;
    for (int k = 0; k < rounds; ++k) {
        for (unsigned i = threadIdx.x; i < n / 4u; i += blockDim.x) {
            float4 v = __ldcg(from + (i + blockIdx.x * 4096) % (n / 4u));
            sum += v.x + v.y + v.z + v.w;
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
    for (int k = 0; k < rounds; ++k) atomicAdd(reinterpret_cast<int*>(z), int(threadIdx.x) + k);
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

// One warp, each instruction waits for the one before it: half of them multiply-adds, half of them integer operations.
KERNEL(chain) {
    float a = x[threadIdx.x];
    for (int k = 0; k < rounds; ++k) a = __int_as_float(__float_as_int(a * 1.0001f + 1.0f) ^ k);
    if (a == 1.5f) z[thread_number()] = a;
}
ENTRY(chain) { LAUNCH(chain); }
