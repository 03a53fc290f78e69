// Says: The first 128 elements are right, as many as there are threads, and what comes behind them is wrong
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

template <int Each>
__global__ void __launch_bounds__(128) add(const float* __restrict__ x, const float* __restrict__ y,
                                           float* __restrict__ z, int n) {
    auto grid = cg::this_grid();
    auto block = cg::this_thread_block();
    long long first = (long long)blockIdx.x * block.size() * Each + block.thread_rank();
    float kept[Each];
#pragma unroll
    for (int e = 0; e < Each; e++) {
        long long i = first + (long long)e * block.size();
        kept[e] = i < n ? __ldg(x + i) + __ldg(y + first) : 0.f;
    }
#pragma unroll
    for (int e = 0; e < Each; e++) {
        long long i = first + (long long)e * block.size();
        if (i < n) z[i] = kept[e];
    }
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    constexpr int each = 4, threads = 128;
    int blocks = (n + threads * each - 1) / (threads * each);
    add<each><<<blocks, threads, 0, stream>>>(x, y, z, n);
}
