// cub's sorts and exchanges of a block.
#include <cstdio>
#include <cub/cub.cuh>

__global__ void sorts(const int* in, int* out, int* values) {
    using Sort = cub::BlockRadixSort<int, 64, 3>;
    using Pairs = cub::BlockRadixSort<float, 64, 3, int>;
    using Exchange = cub::BlockExchange<int, 64, 3>;
    __shared__ union {
        typename Sort::TempStorage sort;
        typename Pairs::TempStorage pairs;
        typename Exchange::TempStorage exchange;
    } storage;
    int keys[3], numbers[3];
    float floats[3];
    const int first = 3 * threadIdx.x;
    for (int i = 0; i < 3; ++i) keys[i] = in[first + i], numbers[i] = first + i, floats[i] = -0.5f * keys[i];
    Sort(storage.sort).Sort(keys);
    for (int i = 0; i < 3; ++i) out[first + i] = keys[i];
    __syncthreads();
    Pairs(storage.pairs).SortDescendingBlockedToStriped(floats, numbers);
    for (int i = 0; i < 3; ++i) values[i * 64 + threadIdx.x] = numbers[i];
    __syncthreads();
    Sort(storage.sort).SortDescending(keys, 0, 3);
    __syncthreads();
    Exchange(storage.exchange).BlockedToStriped(keys);
    for (int i = 0; i < 3; ++i) out[192 + i * 64 + threadIdx.x] = keys[i];
    __syncthreads();
    const int ranks[3] = {191 - first, 190 - first, 189 - first};
    Exchange(storage.exchange).ScatterToStriped(keys, ranks);
    for (int i = 0; i < 3; ++i) out[384 + i * 64 + threadIdx.x] = keys[i];
}

int main() {
    int in[192], out[576], values[192], *d_in, *d_out, *d_values;
    for (int i = 0; i < 192; ++i) in[i] = (i * 37 + 11) % 101 - 50;
    cudaMalloc(&d_in, sizeof in), cudaMalloc(&d_out, sizeof out), cudaMalloc(&d_values, sizeof values);
    cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);
    sorts<<<1, 64>>>(d_in, d_out, d_values);
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    cudaMemcpy(values, d_values, sizeof values, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 576; i += 23) printf("%d ", out[i]);
    unsigned sum = 0;
    for (int i = 0; i < 576; ++i) sum = sum * 31 + out[i];
    for (int i = 0; i < 192; ++i) sum = sum * 31 + values[i];
    printf("\n%u %s\n", sum, cudaGetErrorName(cudaDeviceSynchronize()));
}
