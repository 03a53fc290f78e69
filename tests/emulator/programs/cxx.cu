// libcu++'s atomics, barrier and pipeline, 8-bit numbers, cub; last, a scan that uses its storage twice without a barrier.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cub/cub.cuh>
#include <cuComplex.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_fp8.h>
#include <cstdio>
#include <vector>

__device__ cuda::atomic<int, cuda::thread_scope_device> tickets;

__global__ void atomics(int* out, int* part) {
    cuda::atomic_ref<int, cuda::thread_scope_device> sum(out[0]), most(out[1]);
    sum.fetch_add(threadIdx.x, cuda::memory_order_relaxed);
    most.fetch_max(blockIdx.x * blockDim.x + threadIdx.x);
    __shared__ bool last;
    if (threadIdx.x == 0) {
        part[blockIdx.x] = blockIdx.x + 1;
        last = tickets.fetch_add(1, cuda::memory_order_acq_rel) == (int)gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0)
        for (int i = 0; i < (int)gridDim.x; ++i) out[2] += part[i];
}

__global__ void barriers(const int* in, int* out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    __shared__ int tile[64];
    auto block = cooperative_groups::this_thread_block();
    if (threadIdx.x == 0) init(&barrier, blockDim.x);
    __syncthreads();
    for (int round = 0; round < 3; ++round) {
        cuda::memcpy_async(block, tile, in + 64 * round, sizeof(tile), barrier);
        barrier.arrive_and_wait();
        out[64 * round + threadIdx.x] = tile[63 - threadIdx.x];
        auto token = barrier.arrive();
        barrier.wait(std::move(token));
    }
}

__global__ void pipelined(const int* in, int* out) {
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ int tile[2][64];
    auto block = cooperative_groups::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    for (int ahead = 0, round = 0; round < 3; ++round) {
        for (; ahead < 3 && ahead < round + 2; ++ahead) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, tile[ahead % 2], in + 64 * ahead, sizeof(tile[0]), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        out[64 * round + threadIdx.x] = tile[round % 2][63 - threadIdx.x];
        pipe.consumer_release();
    }
}

__global__ void in_roles(const int* in, int* out) {   // one warp copies, two others compute
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ int tile[2][64];
    auto block = cooperative_groups::this_thread_block();
    const auto role = threadIdx.x < 32 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
    auto pipe = cuda::make_pipeline(block, &state, role);
    for (int round = 0; round < 3; ++round) {
        if (role == cuda::pipeline_role::producer) {
            pipe.producer_acquire();
            for (int i = threadIdx.x; i < 64; i += 32)
                cuda::memcpy_async(&tile[round % 2][i], in + 64 * round + i, sizeof(int), pipe);
            pipe.producer_commit();
        } else {
            const int i = threadIdx.x - 32;
            pipe.consumer_wait();
            out[64 * round + i] = tile[round % 2][63 - i];
            pipe.consumer_release();
        }
    }
}

__global__ void blocks(const int* in, int* out, int rounds) {
    using Reduce = cub::BlockReduce<int, 64>;
    using Scan = cub::BlockScan<int, 64>;
    __shared__ Reduce::TempStorage one;
    __shared__ Scan::TempStorage two;
    const int all = Reduce(one).Sum(in[threadIdx.x]);
    int before, lanes;
    Scan(two).ExclusiveSum(in[threadIdx.x], before);
    cub::WarpScan<int>::TempStorage none;
    cub::WarpScan<int>(none).InclusiveSum(in[threadIdx.x], lanes);
    if (threadIdx.x == 0) out[0] = all;
    if (threadIdx.x == 63) out[1] = before, out[2] = lanes;
    for (int k = 0; k < rounds; ++k) {
        const int again = Reduce(one).Sum(in[threadIdx.x] + k);   // no barrier between the rounds
        if (threadIdx.x == 0) out[0] += again;
    }
}

__global__ void eighths(float* out) {
    const float of[8] = {1, -0.3f, 448, 1000, 0.001f, 17.5f, 0.0009765625f, 57344};
    out[threadIdx.x] = (float)__nv_fp8_e4m3(of[threadIdx.x]);
    out[8 + threadIdx.x] = (float)__nv_fp8_e5m2(of[threadIdx.x]);
    if (threadIdx.x != 0) return;
    out[16] = cuCabsf(cuCmulf(make_cuFloatComplex(3, 4), make_cuFloatComplex(0, 1)));
    const __half2_raw both = __nv_cvt_fp8x2_to_halfraw2(0x403a, __NV_E4M3);   // 2, 1.25
    out[17] = __half2float(__nv_cvt_fp8_to_halfraw(0x3a, __NV_E4M3)) + __high2float(__half2(both));
    const __nv_bfloat16_raw almost = __float2bfloat16(1.3f);
    out[18] = __nv_cvt_bfloat16raw_to_fp8(almost, __NV_SATFINITE, __NV_E5M2) + 1000 * __nv_cvt_halfraw_to_fp8({0x3d33}, __NV_NOSAT, __NV_E4M3);
}

__device__ cuda::atomic<int, cuda::thread_scope_device> taken, highest;

// Each thread wants 0, 1 or 2 places, 64 threads want 63: those of the second launch begin at 63.
__global__ void grouped(int* out) {
    namespace cg = cooperative_groups;
    auto tile = cg::tiled_partition<64>(cg::this_thread_block());
    const int places = threadIdx.x % 3;
    out[threadIdx.x] = cg::exclusive_scan_update(tile, taken, places);
    cg::reduce_update_async(cg::tiled_partition<32>(tile), highest, (int)threadIdx.x, cg::greater<int>());
    cg::reduce_store_async(tile, out + 64, places, cg::plus<int>());
    tile.sync();
    if (threadIdx.x) return;
    out[65] = taken.load(cuda::memory_order_relaxed);
    out[66] = highest.load(cuda::memory_order_relaxed) * (int)cg::this_cluster().num_blocks();
}

int main() {
    int *in, *out, *part;
    float* small;
    cudaMallocManaged(&in, 192 * sizeof(int));
    cudaMallocManaged(&out, 192 * sizeof(int));
    cudaMallocManaged(&small, 19 * sizeof(float));
    cudaMalloc(&part, 4 * sizeof(int));
    for (int i = 0; i < 192; ++i) in[i] = i, out[i] = 0;
    atomics<<<4, 64>>>(out, part);
    cudaDeviceSynchronize();
    printf("%d %d %d\n", out[0], out[1], out[2]);
    barriers<<<1, 64>>>(in, out);
    cudaDeviceSynchronize();
    printf("%d %d %d\n", out[0], out[64], out[191]);
    for (int i = 0; i < 192; ++i) out[i] = 0;
    pipelined<<<1, 64>>>(in, out);
    cudaDeviceSynchronize();
    printf("%d %d %d\n", out[0], out[64], out[191]);
    for (int i = 0; i < 192; ++i) out[i] = 0;
    in_roles<<<1, 96>>>(in, out);
    cudaDeviceSynchronize();
    printf("%d %d %d\n", out[0], out[64], out[191]);
    eighths<<<1, 8>>>(small);
    blocks<<<1, 64>>>(in, out, 0);
    cudaDeviceSynchronize();
    for (int i = 0; i < 19; ++i) printf("%g ", small[i]);
    printf("\n%d %d %d\n", out[0], out[1], out[2]);
    void* temporary = nullptr;
    size_t bytes = 0;
    cub::DeviceReduce::Sum(temporary, bytes, in, out, 192);
    cudaMalloc(&temporary, bytes);
    cub::DeviceReduce::Sum(temporary, bytes, in, out, 192);
    cub::DeviceScan::ExclusiveSum(temporary, bytes, in, out + 1, 100);
    cudaDeviceSynchronize();
    printf("%d %d\n", out[0], out[100]);
    cub::DeviceRadixSort::SortKeysDescending(temporary, bytes, in, out, 192);
    cudaDeviceSynchronize();
    printf("%d %d\n", out[0], out[191]);
    grouped<<<1, 64>>>(out);
    grouped<<<1, 64>>>(out);
    cudaDeviceSynchronize();
    printf("%d %d %d %d %d %d\n", out[0], out[1], out[62], out[64], out[65], out[66]);
    blocks<<<1, 64>>>(in, out, 2);
    cudaDeviceSynchronize();
    return 0;
}
