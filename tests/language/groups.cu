// Small files with the verdict of nvcc: `//// ok: NAME` or `//// refused: NAME` begins each (see test_corpus.py).

//// refused: a tile of 48
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(int* x) { auto w = cg::tiled_partition<48>(cg::this_thread_block()); x[0] = w.size(); }

//// ok: a tile of a run-time size as a value
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(int* x, int n) { auto w = cg::tiled_partition(cg::this_thread_block(), n); x[0] = w.size(); }

//// refused: this_thread_block without its namespace
#include <cooperative_groups.h>
__global__ void k(int* x) { auto b = this_thread_block(); x[0] = b.thread_rank(); }

//// refused: reduce without its header
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(int* x) { auto w = cg::tiled_partition<32>(cg::this_thread_block()); x[0] = cg::reduce(w, x[1], cg::plus<int>()); }

//// ok: scans of a tile
#include <cooperative_groups.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
__global__ void k(int* x) { auto w = cg::tiled_partition<32>(cg::this_thread_block()); x[0] = cg::inclusive_scan(w, x[1]) + cg::exclusive_scan(w, x[1], cg::plus<int>()); }

//// refused: a group's rank without parentheses
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(int* x) { auto b = cg::this_thread_block(); x[b.thread_rank] = 1; }

//// ok: a thread_group of a block
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__device__ void wait(cg::thread_group g) { g.sync(); }
__global__ void k(int* x) { cg::thread_group g = cg::this_thread_block(); wait(g); x[g.thread_rank()] = g.size(); }

//// ok: elected thread
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(int* x) { auto b = cg::this_thread_block(); cg::invoke_one(b, [&] { x[0] = 1; }); }

//// ok: a barrier's token thrown away
#include <cuda/barrier>
__global__ void k(int* x) { __shared__ cuda::barrier<cuda::thread_scope_block> bar; if (threadIdx.x == 0) init(&bar, blockDim.x); __syncthreads(); bar.arrive_and_wait(); bar.arrive_and_drop(); x[0] = 1; }

//// refused: std::barrier in a kernel
#include <barrier>
__global__ void k(int* x) { __shared__ std::barrier<> bar; x[0] = 1; }

//// refused: a pipeline's shared state of no stages
#include <cuda/pipeline>
#include <cooperative_groups.h>
__global__ void k(int* x) { auto b = cooperative_groups::this_thread_block(); __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block> state; auto p = cuda::make_pipeline(b, &state); x[0] = 1; }

//// ok: cuda::atomic_ref
#include <cuda/atomic>
__global__ void k(int* x) { cuda::atomic_ref<int, cuda::thread_scope_device> a(x[0]); a.fetch_add(1, cuda::memory_order_relaxed); a++; x[1] = a.load(); }

//// ok: cuda::atomic fetch_max
#include <cuda/atomic>
__global__ void k(int* x) { cuda::atomic_ref<int, cuda::thread_scope_block> a(x[0]); a.fetch_max(3); a.fetch_min(1); }

//// ok: cuda::std::atomic
#include <cuda/std/atomic>
__global__ void k(cuda::std::atomic<int>* x) { x[0].fetch_add(1); x[0].load(cuda::std::memory_order_acquire); }

//// refused: a latch
#include <cuda/latch>
__global__ void k(int* x) { __shared__ cuda::latch<cuda::thread_scope_block> l; if (threadIdx.x == 0) init(&l, 2); __syncthreads(); l.arrive_and_wait(); x[0]++; }

//// refused: __reduce_add_sync without a mask
__global__ void k(int* x) { x[0] = __reduce_add_sync(x[1]); }

//// refused: __shfl_up_sync of a struct
struct P { int a, b; };
__global__ void k(P* x) { x[0] = __shfl_up_sync(~0u, x[1], 1); }

//// ok: __nanosleep and fences
__global__ void k(int* x) { __nanosleep(100); __threadfence(); __threadfence_block(); __threadfence_system(); x[0] = 1; }

//// refused: a name any of one's own
__device__ bool any(bool v) { return __any_sync(~0u, v); }
__global__ void k(int* x) { x[0] = any(x[1] > 0); }

//// refused: a name all of one's own
__device__ bool all(bool v) { return __all_sync(~0u, v); }
__global__ void k(int* x) { x[0] = all(x[1] > 0); }

//// refused: names ballot, sync, lane and warp of one's own
__device__ unsigned ballot(bool v) { return __ballot_sync(~0u, v); }
__device__ void sync() { __syncthreads(); }
__device__ int lane() { return threadIdx.x % 32; }
__device__ int warp() { return threadIdx.x / 32; }
__global__ void k(int* x) { x[0] = ballot(x[1] > 0) + lane() + warp(); sync(); }

//// ok: a name any of an int of one's own
__device__ int any(int v) { return __any_sync(~0u, v); }
__global__ void k(int* x) { x[0] = any(x[1]); }

//// ok: a name all of one's own with a mask
__device__ bool all(unsigned mask, bool v) { return __all_sync(mask, v); }
__global__ void k(int* x) { x[0] = all(~0u, x[1] > 0); }

//// refused: static inline any
__device__ __forceinline__ static bool any(bool v) { return __any_sync(~0u, v); }
__global__ void k(int* x) { x[0] = any(x[1] > 0); }

//// refused: any of both sides
__host__ __device__ bool any(bool v) { return v; }
__global__ void k(int* x) { x[0] = any(x[1] > 0); }

//// refused: any of the host
bool any(bool v) { return v; }
bool f() { return any(true); }

//// ok: any in a namespace
namespace mine { __device__ bool any(bool v) { return __any_sync(~0u, v); } }
__global__ void k(int* x) { x[0] = mine::any(x[1] > 0); }

//// refused: any that returns an int
__device__ int any(bool v) { return __any_sync(~0u, v); }
__global__ void k(int* x) { x[0] = any(x[1] > 0); }

//// refused: reduce of floats by an operator of ints
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
__global__ void k(float* x) { auto w = cg::tiled_partition<32>(cg::this_thread_block()); x[0] = cg::reduce(w, x[1], cg::plus<int>()); }

//// refused: reduce of floats by one of doubles
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
struct Add { __device__ double operator()(double a, double b) const { return a + b; } };
__global__ void k(float* x) { auto w = cg::tiled_partition<32>(cg::this_thread_block()); x[0] = cg::reduce(w, x[1], Add()); }

//// ok: reduce by a lambda and the smaller one
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
struct Add { __device__ double operator()(double a, double b) const { return a + b; } };
__global__ void k(float* x) { auto w = cg::tiled_partition<32>(cg::this_thread_block()); x[0] = cg::reduce(w, x[1], [](float a, float b) { return a + b; }); x[1] = cg::reduce(w, 2 * x[0], cg::less<float>()); }

//// refused: scan of a char by an operator of ints
#include <cooperative_groups.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
__global__ void k(char* x) { auto w = cg::tiled_partition<32>(cg::this_thread_block()); x[0] = cg::inclusive_scan(w, x[1]) + cg::exclusive_scan(w, x[1], cg::plus<int>()); }

//// ok: half and bfloat16 come with the groups
#include <cooperative_groups.h>
__global__ void k(half* x, __half2* y, __nv_bfloat16* z) { x[0] = __hadd(x[1], x[2]); y[0] = __hadd2(y[1], y[2]); }

//// ok: a cluster that the kernel's head names
#include <cooperative_groups.h>
__global__ void __cluster_dims__(2, 1, 1) k(int* x) {
    __shared__ int s[32];
    auto cluster = cooperative_groups::this_cluster();
    s[threadIdx.x] = cluster.thread_rank() + cluster.dim_threads().x + cluster.thread_index().x;
    auto token = cluster.barrier_arrive();
    cluster.barrier_wait(std::move(token));
    x[threadIdx.x] = cluster.map_shared_rank(s, cluster.num_blocks() - 1)[0] + cluster.query_shared_rank(s) + cluster.block_index().x;
    cluster.sync();
}

//// ok: a cluster of a template's size, below its bounds
#include <cooperative_groups.h>
template <int n> __global__ void __cluster_dims__(n) __launch_bounds__(128) k(int* x) { x[0] = cooperative_groups::cluster_group::num_blocks(); }
void go(int* x) { k<4><<<8, 128>>>(x); }

//// ok: a cluster that the launch names
#include <cooperative_groups.h>
__global__ void k(int* x) { x[0] = cooperative_groups::this_cluster().dim_blocks().x; }
void go(int* x, cudaStream_t stream) {
    cudaLaunchAttribute size[1];
    size[0].id = cudaLaunchAttributeClusterDimension;
    size[0].val.clusterDim.x = 2, size[0].val.clusterDim.y = 1, size[0].val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = 8, config.blockDim = 128, config.stream = stream, config.attrs = size, config.numAttrs = 1;
    int blocks;
    cudaOccupancyMaxPotentialClusterSize(&blocks, k, &config);
    cudaOccupancyMaxActiveClusters(&blocks, (void*)k, &config);
    cudaFuncSetAttribute(k, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    cudaLaunchKernelEx(&config, k, x);
}

//// ok: clusters without cooperative groups
__global__ void __cluster_dims__(2, 2) k(int* x) {
    __shared__ int s;
    s = __clusterRelativeBlockRank() + __clusterRelativeBlockIdx().y + __clusterIdx().x + __clusterDim().y + __clusterSizeInBlocks();
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
    x[0] = *(int*)__cluster_map_shared_rank(&s, 1) + __cluster_query_shared_rank(&s) + __clusterGridDimInClusters().x + __clusterDimIsSpecified();
    __cluster_barrier_arrive_relaxed();
    __cluster_barrier_wait();
    __threadfence_cluster();
}

//// ok: a cluster as a thread_group
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(int* x) { cg::thread_group g = cg::this_cluster(); x[0] = g.size(); }

//// refused: the shared memory of no block of the cluster in particular
#include <cooperative_groups.h>
__global__ void k(int* x) { __shared__ int s; x[0] = *cooperative_groups::this_cluster().map_shared_rank(&s); }

//// refused: a cluster's group made by hand
#include <cooperative_groups.h>
__global__ void k(int* x) { cooperative_groups::cluster_group cluster; x[0] = cluster.block_rank(); }
