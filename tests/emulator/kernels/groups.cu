#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_pipeline.h>
namespace cg = cooperative_groups;

__global__ void block_kernel(int* z) {
    cg::thread_block block = cg::this_thread_block();
    __shared__ int s[24];
    int rank = block.thread_rank();
    s[rank] = rank * rank;
    block.sync();
    int mine = s[block.size() - 1 - rank];
    cg::sync(block);
    dim3 group = block.group_index(), thread = block.thread_index(), size = block.dim_threads();
    bool right = thread.y == rank / 6 && thread.x == rank % 6 && size.x == 6 && block.num_threads() == 24;
    z[group.x * 24 + rank] = mine + 10000 * right;
}
extern "C" void block_group(int* z, cudaStream_t stream) { block_kernel<<<2, dim3(6, 4), 0, stream>>>(z); }

__global__ void tile_kernel(const int* x, int* z) {
    auto block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    auto tile = cg::tiled_partition<8>(warp);
    auto four = cg::tiled_partition<4>(block);
    int t = block.thread_rank(), v = x[t];
    int mine[] = {
        (int)tile.thread_rank(), (int)warp.meta_group_rank(),
        (int)tile.meta_group_rank() + 10 * (int)four.meta_group_rank(),
        (int)(warp.meta_group_size() * 100 + tile.meta_group_size() * 10 + tile.size()), tile.shfl(v, 3),
        tile.shfl_down(v, 2), tile.shfl_up(v, 1), tile.shfl_xor(v, 4), tile.any(t == 13), tile.all(t < 16),
        (int)tile.ballot(t % 3 == 0), (int)tile.match_any(t / 4),
    };
    warp.sync();
    for (int i = 0; i < 12; ++i) z[i * 64 + t] = mine[i];
}
extern "C" void tiles(const int* x, int* z, cudaStream_t stream) { tile_kernel<<<1, 64, 0, stream>>>(x, z); }

__global__ void wide_shuffle_kernel(const float* x, float* z) {
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    float4 v = reinterpret_cast<const float4*>(x)[threadIdx.x];
    reinterpret_cast<float4*>(z)[threadIdx.x] = tile.shfl_xor(v, 1);
}
extern "C" void wide_shuffle(const float* x, float* z, cudaStream_t stream) {
    wide_shuffle_kernel<<<1, 32, 0, stream>>>(x, z);
}

__device__ int sum_of(cg::thread_group group, int* scratch, int value) {    // any group will do
    int rank = group.thread_rank();
    for (int i = group.size() / 2; i > 0; i /= 2) {
        scratch[rank] = value;
        group.sync();
        if (rank < i) value += scratch[rank + i];
        group.sync();
    }
    return value;
}
__global__ void generic_kernel(int* z) {
    __shared__ int s[64];
    auto block = cg::this_thread_block();
    int of_block = sum_of(block, s, threadIdx.x);
    block.sync();
    cg::thread_group small = cg::tiled_partition(block, 16);
    int of_tile = sum_of(small, s + threadIdx.x / 16 * 16, threadIdx.x);
    if (block.thread_rank() == 0) z[0] = of_block;
    if (small.thread_rank() == 0) z[1 + threadIdx.x / 16] = of_tile;
}
extern "C" void generic(int* z, cudaStream_t stream) { generic_kernel<<<1, 64, 0, stream>>>(z); }

__global__ void reduce_kernel(const float* x, float* z, int* w) {
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    auto tile = cg::tiled_partition<4>(warp);
    int t = threadIdx.x;
    z[t] = cg::reduce(warp, x[t], cg::plus<float>());
    z[t + 32] = cg::reduce(tile, x[t], cg::greater<float>());
    w[t] = cg::reduce(tile, t, cg::less<int>());
    w[t + 32] = cg::reduce(warp, 1u << t, cg::bit_or<unsigned>());
    w[t + 64] = cg::reduce(tile, t + 1, [](int a, int b) { return a * b; });
    w[t + 96] = cg::inclusive_scan(warp, t);
    w[t + 128] = cg::exclusive_scan(tile, t + 1, cg::plus<int>());
    w[t + 160] = cg::inclusive_scan(tile, 100 - t, cg::greater<int>());
}
extern "C" void reductions(const float* x, float* z, int* w, cudaStream_t stream) {
    reduce_kernel<<<1, 32, 0, stream>>>(x, z, w);
}

__global__ void coalesced_kernel(int* z, int* w) {
    int t = threadIdx.x;
    if (t % 3 == 0) {
        cg::coalesced_group group = cg::coalesced_threads();
        int mine[] = {
            (int)group.thread_rank(), (int)group.size(), group.shfl(t, 2), group.shfl_down(t, 1),
            group.shfl_up(t, 2), (int)group.ballot(t % 2), cg::reduce(group, t, cg::plus<int>()),
            cg::inclusive_scan(group, 1), group.any(t == 30), group.all(t == 30),
        };
        group.sync();
        for (int i = 0; i < 10; ++i) z[i * 11 + t / 3] = mine[i];
    }
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    auto labelled = cg::labeled_partition(warp, t % 5);
    auto binary = cg::binary_partition(warp, t < 10);
    w[t] = labelled.size() * 100 + labelled.thread_rank();
    w[t + 32] = cg::reduce(binary, t, cg::plus<int>());
}
extern "C" void coalesced(int* z, int* w, cudaStream_t stream) { coalesced_kernel<<<1, 32, 0, stream>>>(z, w); }

// One atomic for all lanes that meet, as in CUDA's guide.
__global__ void aggregated_kernel(const int* x, int* count, int* z) {
    int v = x[blockIdx.x * blockDim.x + threadIdx.x];
    if (v > 0) {
        auto active = cg::coalesced_threads();
        int base;
        if (active.thread_rank() == 0) base = atomicAdd(count, active.size());    // aggregated
        z[active.shfl(base, 0) + active.thread_rank()] = v;
    }
}
extern "C" void aggregated(const int* x, int* count, int* z, cudaStream_t stream) {
    cudaMemsetAsync(count, 0, 4, stream);
    cudaMemsetAsync(z, 0, 128 * 4, stream);
    aggregated_kernel<<<2, 64, 0, stream>>>(x, count, z);
}

__global__ void grid_kernel(float* z, float* sums, int n) {
    cg::grid_group grid = cg::this_grid();
    int i = grid.thread_rank();
    z[i] = i;
    grid.sync();
    float sum = 0;    // of elements that other blocks wrote
    for (int k = 0; k < n; ++k) sum += z[(i + k * 7) % grid.size()];
    grid.sync();
    sums[i] = sum + 1000 * grid.is_valid() + 10000 * (grid.num_blocks() == gridDim.x);
}
extern "C" void cooperative_launch(float* z, float* sums, int n, cudaStream_t stream) {
    void* arguments[] = {&z, &sums, &n};
    cudaLaunchCooperativeKernel((void*)grid_kernel, 4, 32, arguments, 0, stream);
}
extern "C" void too_large(int* z, cudaStream_t stream) {
    float* nothing = nullptr;
    int n = 0;
    void* arguments[] = {&nothing, &nothing, &n};
    cudaError_t error = cudaLaunchCooperativeKernel(grid_kernel, dim3(1000), dim3(1024), arguments);
    error = error == cudaErrorCooperativeLaunchTooLarge && cudaGetLastError() == error ? cudaSuccess : error;
    cudaMemcpyAsync(z, &error, 4, cudaMemcpyHostToDevice, stream);
}

__global__ void pipeline_kernel(const float* x, float* z) {
    __shared__ __align__(16) float s[2][128];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[0][4 * t], &x[4 * t], 16);           // copy sixteen
    __pipeline_commit();
    for (int stage = 0; stage < 3; ++stage) {
        if (stage < 2) __pipeline_memcpy_async(&s[(stage + 1) % 2][4 * t], &x[128 * (stage + 1) + 4 * t], 16,
            stage == 1 ? 8 : 0);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        z[stage * 32 + t] = s[stage % 2][127 - 4 * t] + s[stage % 2][4 * t];
        __syncthreads();
    }
}
extern "C" void pipeline(const float* x, float* z, cudaStream_t stream) { pipeline_kernel<<<1, 32, 0, stream>>>(x, z); }

__global__ void group_copy_kernel(const float* x, float* z) {
    __shared__ float s[100], odd[7];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, s, x, sizeof(float) * 100);
    cg::memcpy_async(block, odd, x + 1, sizeof(float) * 7);
    cg::wait(block);
    for (int i = threadIdx.x; i < 100; i += blockDim.x) z[i] = s[99 - i] + odd[i % 7];
}
extern "C" void group_copy(const float* x, float* z, cudaStream_t stream) {
    group_copy_kernel<<<1, 64, 0, stream>>>(x, z);
}

__global__ void large_tile_kernel(const int* x, int* z) {
    __shared__ cg::block_tile_memory<256> memory;
    __shared__ int s[256];
    auto block = cg::this_thread_block(memory);
    auto tile = cg::tiled_partition<128>(block);
    auto half = cg::tiled_partition<64>(tile);
    auto warp = cg::tiled_partition<32>(half);
    cg::thread_block_tile<128> same = tile;
    int t = threadIdx.x, v = x[t], rank = tile.thread_rank();
    s[t] = v;
    tile.sync();
    int other = s[t - rank + 127 - rank];                  // of the tile's other end
    int sum = cg::reduce(tile, v, cg::plus<int>());        // large reduce
    int told = same.shfl(v, 70);                           // large shuffle
    int most = (int)cg::reduce(half, (double)v, cg::greater<double>());
    int mine[] = {
        (int)(same.meta_group_rank() + 10 * half.meta_group_rank() + 100 * warp.meta_group_rank()),
        (int)(tile.meta_group_size() + 10 * half.meta_group_size() + tile.size()), rank, other, sum, told, most,
        cg::inclusive_scan(tile, v), cg::exclusive_scan(tile, v, cg::plus<int>()), tile.any(t == 130), tile.all(t < 128),
        cg::invoke_one_broadcast(half, [&](int more) { return t + more; }, 1000),
    };
    cg::sync(tile);
    for (int i = 0; i < 12; ++i) z[i * 256 + t] = mine[i];
}
extern "C" void large_tiles(const int* x, int* z, cudaStream_t stream) { large_tile_kernel<<<1, 256, 0, stream>>>(x, z); }

__device__ int words_of_warps, tile_words;                    // names of the learner's own

__global__ void half_a_tile_kernel(int* z) {
    auto tile = cg::tiled_partition<64>(cg::this_thread_block());
    if (tile.thread_rank() < 32) tile.sync();              // half come
    z[threadIdx.x] = 1;
}
extern "C" void half_a_tile(int* z, cudaStream_t stream) { half_a_tile_kernel<<<1, 128, 0, stream>>>(z); }

__global__ void partition_kernel(int* z) {
    int t = threadIdx.x;
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    auto named = cg::labeled_partition(warp, (t * 7) % 3);           // first threads: 0, 2, 1 of labels 0, 1, 2
    auto parted = cg::binary_partition(warp, t % 4 == 0), whole = cg::labeled_partition(warp, t < 40);
    cg::thread_group eight = cg::tiled_partition(cg::this_thread_block(), 8);
    cg::thread_group four = cg::tiled_partition(eight, 4), same = cg::tiled_partition(four, 8);
    auto of_three = cg::tiled_partition(named, 4);
    auto block = cg::this_thread_block();
    block.barrier_wait(block.barrier_arrive());
    int mine[] = {
        (int)(named.meta_group_rank() * 10 + named.meta_group_size()), (int)(parted.meta_group_rank() * 10 + parted.meta_group_size()),
        (int)(whole.meta_group_rank() * 10 + whole.meta_group_size()), (int)(eight.size() * 100 + four.size() * 10 + same.size()),
        (int)(of_three.meta_group_rank() * 10 + of_three.meta_group_size()), (int)cg::this_thread().size(),
    };
    for (int i = 0; i < 6; ++i) z[i * 44 + t] = mine[i];
}
extern "C" void partitions(int* z, cudaStream_t stream) { partition_kernel<<<1, 44, 0, stream>>>(z); }
