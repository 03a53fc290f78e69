// cub's pairs and their largest, scans that go on from block to block, buffers in turn, shuffles of any type; last, an ArgMax past its end.
#include <cstdio>

#include <cub/cub.cuh>

struct Running {
    int sum;
    __device__ int operator()(int of_block) {
        const int before = sum;
        sum += of_block;
        return before;
    }
};

__global__ void largest(const float* x, int* where, float* value) {
    using Pair = cub::KeyValuePair<int, float>;
    using Reduce = cub::BlockReduce<Pair, 64>;
    __shared__ typename Reduce::TempStorage storage;
    const Pair best = Reduce(storage).Reduce(Pair(threadIdx.x, x[threadIdx.x]), cub::ArgMax());
    if (threadIdx.x == 0) *where = best.key, *value = best.value;
    using Numbers = cub::BlockReduce<float, 64>;
    __shared__ typename Numbers::TempStorage numbers;
    const float most = Numbers(numbers).Reduce(x[threadIdx.x], cuda::maximum<>{});
    if (threadIdx.x == 0 && most != best.value) *where = -1;
}

__global__ void running(const int* x, int* inclusive, int* exclusive, int n) {
    using Scan = cub::BlockScan<int, 64>;
    __shared__ typename Scan::TempStorage one, other;
    Running first{100}, second{0};
    for (int begin = 0; begin < n; begin += 64) {
        int sum;
        Scan(one).InclusiveSum(x[begin + threadIdx.x], sum, first);
        inclusive[begin + threadIdx.x] = sum;
        Scan(other).ExclusiveSum(x[begin + threadIdx.x], sum, second);
        exclusive[begin + threadIdx.x] = sum;
        __syncthreads();
    }
}

__global__ void shuffled(int3* out) {
    const int lane = threadIdx.x;
    out[lane] = {cub::ShuffleIndex<32>(lane, 5, 0xffffffffu), cub::ShuffleUp<8>(lane, 2, 0, 0xffffffffu), cub::ShuffleDown<8>(lane, 2, 7, 0xffffffffu)};
}

int main() {
    float h[64], *x, *value;
    int *where, *keys, *values, *other_keys, *other_values, *sums;
    int3* lanes;
    for (int i = 0; i < 64; ++i) h[i] = static_cast<float>(i * 37 % 50);
    cudaMalloc(&x, sizeof h);
    cudaMallocManaged(&value, 4);
    cudaMallocManaged(&where, 4);
    cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice);
    largest<<<1, 64>>>(x, where, value);
    cudaDeviceSynchronize();
    printf("%d %g\n", *where, *value);

    cudaMallocManaged(&keys, 512), cudaMallocManaged(&values, 512), cudaMallocManaged(&sums, 1024);
    cudaMallocManaged(&other_keys, 512), cudaMallocManaged(&other_values, 512), cudaMallocManaged(&lanes, 32 * sizeof(int3));
    for (int i = 0; i < 128; ++i) keys[i] = i * 29 % 128, values[i] = i;
    running<<<1, 64>>>(values, sums, sums + 128, 128);
    shuffled<<<1, 32>>>(lanes);
    cudaDeviceSynchronize();
    printf("%d %d %d %d; %d %d %d %d %d\n", sums[0], sums[127], sums[128], sums[255], lanes[9].x, lanes[9].y, lanes[10].y, lanes[13].z, lanes[14].z);

    cub::DoubleBuffer<int> in_turn(keys, other_keys), of_these(values, other_values);
    void* temporary = nullptr;
    size_t bytes = 0;
    cub::DeviceRadixSort::SortPairs(temporary, bytes, in_turn, of_these, 128);
    cudaMalloc(&temporary, bytes);
    cub::DeviceRadixSort::SortPairs(temporary, bytes, in_turn, of_these, 128);
    cudaDeviceSynchronize();
    printf("%d %d %d %d\n", in_turn.Current()[0], in_turn.Current()[127], of_these.Current()[1], of_these.Current()[127]);

    cub::KeyValuePair<int, float>* best;
    cudaMallocManaged(&best, 2 * sizeof *best);
    bytes = 0;
    cub::DeviceReduce::ArgMin(nullptr, bytes, x, best, 64);
    cudaFree(temporary);
    cudaMalloc(&temporary, bytes);
    cub::DeviceReduce::ArgMin(temporary, bytes, x, best, 64);
    cudaDeviceSynchronize();
    printf("%d %g\n", best->key, best->value);
    cub::DeviceReduce::ArgMax(temporary, bytes, x, best + 1, 65);   // past the end
    cudaDeviceSynchronize();
}
