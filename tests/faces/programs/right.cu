// A right program in the ways of real ones: nothing is to be found in it.
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#define CHECK(call)                                                                     \
    do {                                                                                \
        if ((call) != cudaSuccess) {                                                    \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(call));       \
            exit(1);                                                                    \
        }                                                                               \
    } while (0)

constexpr int N = 1 << 12, BLOCK = 128;
__constant__ float factor;
__device__ unsigned tickets;

__global__ void scale(const float* x, float* y) {
    extern __shared__ float tile[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = x[i];
    __syncthreads();
    y[blockIdx.x * blockDim.x + BLOCK - 1 - threadIdx.x] = factor * tile[threadIdx.x];
}

__global__ void sum(const float* x, float* part, float* total) {
    __shared__ float warps[BLOCK / 32];
    __shared__ bool last;
    float mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) mine += x[i];
    for (int d = 16; d; d /= 2) mine += __shfl_down_sync(~0u, mine, d);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = mine;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < BLOCK / 32; ++w) mine += warps[w];
        part[blockIdx.x] = mine;
        __threadfence();
        last = atomicAdd(&tickets, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last || threadIdx.x) return;
    float all = 0;
    for (int b = 0; b < gridDim.x; ++b) all += static_cast<volatile float*>(part)[b];
    *total = all;
}

int main() {
    std::vector<float> x(N);
    std::thread([&] { for (int i = 0; i < N; ++i) x[i] = i % 3; }).join();
    for (int round = 0; round < 3; ++round) {
        float *dx, *dy, *part, *total, *seen, result;
        const float two = 2;
        const unsigned none = 0;
        CHECK(cudaMalloc(&dx, N * sizeof(float)));
        CHECK(cudaMalloc(&dy, N * sizeof(float)));
        CHECK(cudaMalloc((void**)&part, 8 * sizeof(float)));
        CHECK(cudaMalloc((void**)&total, sizeof(float)));
        CHECK(cudaMallocHost(&seen, N * sizeof(float)));
        CHECK(cudaMemcpyToSymbol(factor, &two, sizeof two));
        CHECK(cudaMemcpyToSymbol(tickets, &none, sizeof none));
        cudaStream_t stream;
        cudaEvent_t begun, done;
        CHECK(cudaStreamCreate(&stream));
        CHECK(cudaEventCreate(&begun));
        CHECK(cudaEventCreate(&done));
        CHECK(cudaMemcpyAsync(dx, x.data(), N * sizeof(float), cudaMemcpyHostToDevice, stream));
        CHECK(cudaEventRecord(begun, stream));
        scale<<<N / BLOCK, BLOCK, BLOCK * sizeof(float), stream>>>(dx, dy);
        sum<<<8, BLOCK>>>(dy, part, total);   // the default stream waits for the other one
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpyAsync(seen, dy, N * sizeof(float), cudaMemcpyDeviceToHost, stream));
        CHECK(cudaEventRecord(done));         // on the default stream: it comes after the copy, too
        CHECK(cudaEventSynchronize(done));
        if (seen[0] != 2 * ((BLOCK - 1) % 3)) exit(2);
        CHECK(cudaMemcpy(&result, total, sizeof result, cudaMemcpyDeviceToHost));
        float milliseconds;
        CHECK(cudaEventElapsedTime(&milliseconds, begun, done));
        printf("round %d: %g\n", round, result);
        for (float* each : {dx, dy, part, total}) CHECK(cudaFree(each));
        CHECK(cudaFreeHost(seen));
        CHECK(cudaStreamDestroy(stream));
        CHECK(cudaEventDestroy(begun));
        CHECK(cudaEventDestroy(done));
    }
    CHECK(cudaDeviceReset());
    return 0;
}
