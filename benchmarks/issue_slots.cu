// How many multiply-adds this GPU does in a second, and how long a small sum takes: measurements of notebooks 04 and 05.
//
//   nvcc -O3 -arch=native -o issue_slots benchmarks/issue_slots.cu && ./issue_slots > issue_slots.json
//
// "multiply_adds": warps that do nothing else, for 8 resident warps a multiprocessor (as rung 11 of lesson 04) and for
// 64. `chains` takes both factors from two registers that never change; `products` adds a column of 8 times a row of 16
// to 8 x 16 sums, as that rung does, but with factors that lie in registers from the beginning.
// "small_sums": clock cycles for one sum of n floats in shared memory, until one thread has it: by one thread, by one
// warp with shuffles, by a tree of n / 2 threads with a barrier for each step.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

void check(cudaError_t error) {
    if (error != cudaSuccess) {
        std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
        std::exit(1);
    }
}

// ---- multiply-adds ----

constexpr int kRounds = 4096, kSums = 128;

// 128 chains; of every eight multiply-adds kOthers are followed by one integer instruction.
template <int kOthers> __global__ void chains(float* out, float factor, float term, unsigned mask) {
    float sum[kSums];
    unsigned bits[8] = {threadIdx.x};
#pragma unroll
    for (int i = 0; i < kSums; ++i) sum[i] = static_cast<float>(i + threadIdx.x);
#pragma unroll 1
    for (int round = 0; round < kRounds; ++round) {
#pragma unroll
        for (int i = 0; i < kSums; ++i) {
            sum[i] = fmaf(sum[i], factor, term);
            if (i % 8 < kOthers) bits[i % 8] = (bits[i % 8] ^ mask) + round;
        }
    }
    float all = 0;
#pragma unroll
    for (int i = 0; i < kSums; ++i) all += sum[i];
    for (int i = 0; i < 8; ++i) all += static_cast<float>(bits[i]);
    if (all == 1.25f) *out = all;  // never, but the compiler does not know
}

template <bool kToAndFro> __global__ void products(float* out, const float* in) {
    float sum[8][16], column[8], row[16];
    for (int p = 0; p < 8; ++p) column[p] = in[p + threadIdx.x];
    for (int q = 0; q < 16; ++q) row[q] = in[8 + q + threadIdx.x];
#pragma unroll
    for (int i = 0; i < kSums; ++i) sum[i / 16][i % 16] = 0;
#pragma unroll 1
    for (int round = 0; round < kRounds; ++round) {
        for (float& factor : column) asm volatile("" : "+f"(factor));  // or else all products are made before the loop
        for (float& factor : row) asm volatile("" : "+f"(factor));
#pragma unroll
        for (int p = 0; p < 8; ++p) {
#pragma unroll
            for (int i = 0; i < 16; ++i) {
                int q = kToAndFro && p % 2 == 1 ? 15 - i : i;
                sum[p][q] += column[p] * row[q];
            }
        }
    }
    float all = 0;
#pragma unroll
    for (int i = 0; i < kSums; ++i) all += sum[i / 16][i % 16];
    if (all == 1.25f) *out = all;
}

// ---- small sums ----

constexpr int kMost = 1024, kTries = 21;

__device__ float by_thread(const float* x, int n) {
    float sum = 0;
    for (int i = 0; i < n; ++i) sum += x[i];
    return sum;
}

__device__ float by_warp(const float* x, int n) {
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += 32) sum += x[i];
    for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(0xffffffff, sum, distance);
    return sum;
}

__device__ float by_tree(float* x, int n) {
    for (int half = n / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) x[threadIdx.x] += x[threadIdx.x + half];
        __syncthreads();
    }
    return x[0];
}

// cycles[try] for a block whose threads have the numbers in shared memory already. kWho: 0 thread, 1 warp, 2 tree.
template <int kWho> __global__ void add_up(float* out, long long* cycles, int n) {
    __shared__ float x[kMost];
    for (int attempt = 0; attempt < kTries; ++attempt) {
        if (threadIdx.x < n) x[threadIdx.x] = static_cast<float>(threadIdx.x % 7);
        __syncthreads();
        long long start = clock64();
        float sum = 0;
        if (kWho == 0 && threadIdx.x == 0) sum = by_thread(x, n);
        if (kWho == 1 && threadIdx.x < 32) sum = by_warp(x, n);
        if (kWho == 2) sum = by_tree(x, n);
        if (threadIdx.x == 0) *static_cast<volatile float*>(out) = sum;
        long long stop = clock64();
        if (threadIdx.x == 0) cycles[attempt] = stop - start;
        __syncthreads();
    }
}

// ---- timing ----

template <class Launch> float median_us(Launch launch, int runs = 20) {
    cudaEvent_t start, stop;
    check(cudaEventCreate(&start));
    check(cudaEventCreate(&stop));
    std::vector<float> times;
    for (int run = -3; run < runs; ++run) {
        check(cudaEventRecord(start));
        launch();
        check(cudaEventRecord(stop));
        check(cudaEventSynchronize(stop));
        float ms;
        check(cudaEventElapsedTime(&ms, start, stop));
        if (run >= 0) times.push_back(1000 * ms);
    }
    check(cudaGetLastError());
    std::sort(times.begin(), times.end());
    return times[runs / 2];
}

struct Machine {
    cudaDeviceProp about;
    float* out;
    float* in;
    long long* cycles;
};

void rate(
    const Machine& gpu, const char* name, int others, int warps, const char* end, void (*launch)(const Machine&, int)) {
    float us = median_us([&] { launch(gpu, warps); });
    double done = 2.0 * kRounds * kSums * 32 * warps * gpu.about.multiProcessorCount;
    std::printf("  {\"kernel\": \"%s\", \"others_per_8\": %d, \"warps\": %d, \"us\": %.1f, \"flop_per_s\": %.4g}%s\n", name,
                others, warps, us, done / us * 1e6, end);
}

template <int kOthers> void run_chains(const Machine& gpu, int warps) {
    chains<kOthers><<<warps / 4 * gpu.about.multiProcessorCount, 128>>>(gpu.out, 0.999f, 0.25f, 0x5a5a5a5au);
}

template <bool kToAndFro> void run_products(const Machine& gpu, int warps) {
    products<kToAndFro><<<warps / 4 * gpu.about.multiProcessorCount, 128>>>(gpu.out, gpu.in);
}

template <int kWho> long long sum_cycles(const Machine& gpu, int n) {
    int threads = kWho == 2 ? std::max(32, n) : 32 * ((n - 1) / 32 + 1);
    add_up<kWho><<<1, threads>>>(gpu.out, gpu.cycles, n);
    long long found[kTries];
    check(cudaMemcpy(found, gpu.cycles, sizeof found, cudaMemcpyDeviceToHost));
    std::sort(found, found + kTries);
    return found[kTries / 2];
}

int main() {
    Machine gpu;
    check(cudaGetDeviceProperties(&gpu.about, 0));
    check(cudaMalloc(&gpu.out, sizeof(float)));
    check(cudaMalloc(&gpu.in, 4096));
    check(cudaMemset(gpu.in, 0, 4096));
    check(cudaMalloc(&gpu.cycles, kTries * sizeof(long long)));
    std::printf("{\n \"device\": \"%s\",\n \"multiprocessors\": %d,\n", gpu.about.name, gpu.about.multiProcessorCount);
    std::printf(" \"method\": \"benchmarks/issue_slots.cu: medians of 20 launches, of 21 sums\",\n");
    std::printf(" \"multiply_adds\": [\n");
    rate(gpu, "chains", 0, 8, ",", run_chains<0>);
    rate(gpu, "chains", 0, 64, ",", run_chains<0>);
    rate(gpu, "chains", 1, 8, ",", run_chains<1>);
    rate(gpu, "chains", 2, 8, ",", run_chains<2>);
    rate(gpu, "products, row after row", 0, 8, ",", run_products<false>);
    rate(gpu, "products, to and fro", 0, 8, "", run_products<true>);
    std::printf(" ],\n \"small_sums\": [\n");
    for (int n = 2; n <= kMost; n *= 2) {
        std::printf("  {\"n\": %d, \"thread\": %lld, \"warp\": %lld, \"tree\": %lld}%s\n", n, sum_cycles<0>(gpu, n),
                    sum_cycles<1>(gpu, n), sum_cycles<2>(gpu, n), n < kMost ? "," : "");
    }
    std::printf(" ]\n}\n");
}
