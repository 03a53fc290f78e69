#include <vector>
#include <algorithm>
#include <iostream>     // these headers define NULL again
#include <stddef.h>

#define CHECK(call) do { cudaError_t error = (call); if (error != cudaSuccess) failures += 1; } while (0)

// What host code found out goes back to the test through device memory.
static void report(int* z, const std::vector<int>& facts) { cudaMemcpy(z, facts.data(), facts.size() * sizeof(int),
    cudaMemcpyHostToDevice); }

__global__ void scale_kernel(float* x, float factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= factor;
}

extern "C" void memory(const float* x, float* z, int n, cudaStream_t stream) {
    int failures = 0;
    float *d_a, *d_b;
    std::vector<float> h(n), back(n);
    CHECK(cudaMemcpy(h.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost));
    std::reverse(h.begin(), h.end());
    CHECK(cudaMalloc(&d_a, n * sizeof(float)));
    CHECK(cudaMallocAsync((void**)&d_b, n * sizeof(float), stream));
    CHECK(cudaMemcpyAsync(d_a, h.data(), n * sizeof(float), cudaMemcpyHostToDevice, stream));
    scale_kernel<<<(n + 31) / 32, 32, 0, stream>>>(d_a, 2, n);
    CHECK(cudaMemcpyAsync(d_b, d_a, n * sizeof(float), cudaMemcpyDeviceToDevice, stream));
    CHECK(cudaMemsetAsync(d_b, 0, 2 * sizeof(float), stream));
    CHECK(cudaMemcpy(back.data(), d_b, n * sizeof(float), cudaMemcpyDefault));
    CHECK(cudaStreamSynchronize(stream));
    back[n - 1] = failures;
    CHECK(cudaMemcpy(z, back.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaFree(d_a));
    CHECK(cudaFreeAsync(d_b, stream));
    CHECK(cudaFree(nullptr));
    CHECK(cudaFree(NULL));
}

extern "C" void pitched(const float* x, float* z, cudaStream_t stream) {
    int failures = 0;
    float* rows;
    size_t pitch;
    CHECK(cudaMallocPitch(&rows, &pitch, 5 * sizeof(float), 3));
    CHECK(cudaMemset2D(rows, pitch, 0, pitch, 3));
    CHECK(cudaMemcpy2D(rows, pitch, x, 5 * sizeof(float), 5 * sizeof(float), 3, cudaMemcpyDeviceToDevice));
    CHECK(cudaMemcpy2DAsync(z, 2 * sizeof(float), rows + 1, pitch, 2 * sizeof(float), 3, cudaMemcpyDeviceToDevice,
        stream));
    failures += pitch % 512 != 0;
    if (failures) CHECK(cudaMemset(z, 0, 6 * sizeof(float)));
    CHECK(cudaFree(rows));
}

__constant__ float coefficients[4];
__device__ int counter;
__global__ void symbol_kernel(float* z) {
    z[threadIdx.x] = coefficients[threadIdx.x];
    atomicAdd(&counter, 2);
}
extern "C" void symbols(float* z, int* w, cudaStream_t stream) {
    int failures = 0, start = 100, end = 0;
    float h_coefficients[4] = {1, 2, 3, 4}, last = 9;
    size_t bytes;
    void* address;
    CHECK(cudaMemcpyToSymbol(coefficients, h_coefficients, sizeof(coefficients)));
    CHECK(cudaMemcpyToSymbolAsync(coefficients, &last, sizeof(float), 3 * sizeof(float), cudaMemcpyHostToDevice,
        stream));
    CHECK(cudaMemcpyToSymbol(counter, &start, sizeof(int)));
    symbol_kernel<<<1, 4, 0, stream>>>(z);
    CHECK(cudaMemcpyFromSymbol(&end, counter, sizeof(int)));
    CHECK(cudaGetSymbolSize(&bytes, coefficients));
    CHECK(cudaGetSymbolAddress(&address, counter));
    int again = 0;
    CHECK(cudaMemcpy(&again, address, sizeof(int), cudaMemcpyDeviceToHost));
    report(w, {end, again, (int)bytes, failures});
}

extern "C" void errors(int* w, cudaStream_t stream) {
    std::vector<int> facts;
    float* d = nullptr;
    facts.push_back(cudaMalloc(&d, size_t(1) << 50));                  // out of memory
    facts.push_back(cudaPeekAtLastError());
    facts.push_back(cudaGetLastError());
    facts.push_back(cudaGetLastError());                               // is forgotten
    scale_kernel<<<1, 2000, 0, stream>>>(d, 1, 0);                     // too many threads
    facts.push_back(cudaGetLastError());
    scale_kernel<<<0, 32, 0, stream>>>(d, 1, 0);                       // no blocks
    facts.push_back(cudaGetLastError());
    scale_kernel<<<1, 32, 60000, stream>>>(d, 1, 0);                   // too much shared memory
    facts.push_back(cudaGetLastError());
    facts.push_back(cudaSetDevice(3));
    facts.push_back(std::string(cudaGetErrorString(cudaErrorInvalidConfiguration)) == "invalid configuration argument");
    facts.push_back(std::string(cudaGetErrorName((cudaError_t)700)) == "cudaErrorIllegalAddress");
    facts.push_back(cudaDeviceSynchronize());                          // none of these is a fault of the device
    facts.push_back(cudaGetLastError());
    report(w, facts);
}

template <int A, int B> __global__ void weigh_kernel(const float* x, float* z, double weight, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = A * x[i] + B + weight;
}
extern "C" void by_function(const float* x, float* z, int n, cudaStream_t stream) {
    int failures = 0;
    double weight = 0.5;
    float* second = z + n;
    void* arguments[] = {&x, &z, &weight, &n};
    CHECK(cudaLaunchKernel((const void*)weigh_kernel<2, 1>, dim3((n + 31) / 32), dim3(32), arguments, 0, stream));
    cudaLaunchConfig_t config = {};
    config.gridDim = (n + 31) / 32;
    config.blockDim = 32;
    config.stream = stream;
    CHECK(cudaLaunchKernelEx(&config, weigh_kernel<3, 4>, x, second, 0, n));    // 0 becomes 0.0
    struct { void (*kernel)(const float*, float*, double, int); } table = {weigh_kernel<3, 4>}, *chosen = &table;
    CHECK(cudaLaunchKernelEx(&config, chosen->kernel, x, second, 0, n));
    double none = 0;
    void* others[] = {&x, &second, &none, &n};
    CHECK(cudaLaunchKernelExC(&config, (const void*)weigh_kernel<3, 4>, others));
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {2, 1, 1};
    config.attrs = &attribute;
    config.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&config, weigh_kernel<3, 4>, x, second, 0.0, n));
    float last = 10 + failures + 100 * cudaGetLastError();
    cudaMemcpy(second + n, &last, sizeof(float), cudaMemcpyHostToDevice);
}

__global__ void big_kernel(float* z) {
    extern __shared__ float big[];
    __shared__ float fixed[256];
    fixed[threadIdx.x] = 1;
    big[20000 + threadIdx.x] = threadIdx.x;
    z[threadIdx.x] = big[20000 + threadIdx.x] + fixed[threadIdx.x];
}
extern "C" void attributes(float* z, int* w, cudaStream_t stream) {
    int failures = 0, device, count, blocks, grid, block, processors, optin;
    CHECK(cudaFuncSetAttribute((void*)big_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 96 * 1024));
    big_kernel<<<1, 32, 96 * 1024, stream>>>(z);
    CHECK(cudaGetLastError());
    cudaFuncAttributes attributes;
    CHECK(cudaFuncGetAttributes(&attributes, big_kernel));
    CHECK(cudaFuncSetCacheConfig(big_kernel, cudaFuncCachePreferShared));
    CHECK(cudaGetDevice(&device));
    CHECK(cudaGetDeviceCount(&count));
    cudaDeviceProp p;
    CHECK(cudaGetDeviceProperties(&p, device));
    CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    CHECK(cudaDeviceGetAttribute(&optin, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scale_kernel, 256, 0));
    CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, scale_kernel));
    int few;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&few, big_kernel, 256, 96 * 1024));
    CHECK(cudaCtxResetPersistingL2Cache());
    int limits = p.maxThreadsPerBlock == 1024 && p.warpSize == 32, full = p.maxThreadsPerMultiProcessor;
    report(w, {failures, device, count, (int)attributes.sharedSizeBytes, limits, processors == p.multiProcessorCount,
               optin == (int)p.sharedMemPerBlockOptin, blocks * 256 == full, grid * block == processors * full, few,
               (int)p.sharedMemPerBlock});
}

extern "C" void streams(const float* x, float* z, int n, cudaStream_t stream) {
    int failures = 0;
    cudaStream_t other, third;
    cudaEvent_t start, stop;
    CHECK(cudaStreamCreate(&other));
    CHECK(cudaStreamCreateWithFlags(&third, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreateWithFlags(&stop, cudaEventDefault));
    CHECK(cudaMemcpyAsync(z, x, n * sizeof(float), cudaMemcpyDeviceToDevice, stream));
    CHECK(cudaEventRecord(start, stream));
    CHECK(cudaStreamWaitEvent(other, start, 0));
    scale_kernel<<<(n + 31) / 32, 32, 0, other>>>(z, 3, n);
    CHECK(cudaEventRecord(stop, other));
    CHECK(cudaEventSynchronize(stop));
    float milliseconds = -1;
    CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
    failures += !(milliseconds >= 0);
    CHECK(cudaStreamQuery(other));
    CHECK(cudaStreamDestroy(other));
    CHECK(cudaStreamDestroy(third));
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    CHECK(cudaDeviceSynchronize());
    if (failures) cudaMemset(z, 0, n * sizeof(float));
}

extern "C" void stream_for_each_call(float* z, cudaStream_t stream) {
    cudaStream_t own;
    cudaStreamCreate(&own);
    scale_kernel<<<1, 32, 0, own>>>(z, 0, 32);
}

extern "C" void stream_for_all_calls(float* z, cudaStream_t stream) {
    static cudaStream_t own = [] { cudaStream_t made; cudaStreamCreate(&made); return made; }();
    scale_kernel<<<1, 32, 0, own>>>(z, 0, 32);
}

extern "C" void memory_for_all_calls(float* z, cudaStream_t stream) {
    static float* kept = [] { float* made; cudaMalloc(&made, 128); return made; }();
    cudaMemsetAsync(kept, 0, 128, stream);
    cudaMemsetAsync(z, 0, 128, stream);
}

extern "C" void memory_that_the_next_call_frees(float* z, cudaStream_t stream) {
    static float* kept = nullptr;
    cudaFree(kept);
    cudaMalloc(&kept, 128);
    cudaMemsetAsync(z, 0, 128, stream);
}

extern "C" void memory_that_a_kernel_keeps(float* z, cudaStream_t stream) {
    static float* kept = nullptr;
    if (!kept) {
        cudaMalloc(&kept, 128);
        cudaMemsetAsync(kept, 0, 128, stream);
    }
    scale_kernel<<<1, 32, 0, stream>>>(kept, 0, 32);
}

__global__ void add_one(float* z) { z[threadIdx.x] += 1; }
extern "C" void pinned(const float* x, float* z, int n, cudaStream_t stream) {
    int failures = 0;
    float* h;
    CHECK(cudaMallocHost(&h, n * sizeof(float)));
    CHECK(cudaMemcpyAsync(h, x, n * sizeof(float), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    for (int i = 0; i < n; ++i) h[i] += failures;
    CHECK(cudaMemcpyAsync(z, h, n * sizeof(float), cudaMemcpyHostToDevice, stream));
    add_one<<<1, n, 0, stream>>>(z);
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaFreeHost(h));
}

__global__ void talking_kernel(const float* nothing, float* z) {
    printf("block %d thread %d: %.1f %s\n", blockIdx.x, threadIdx.x, threadIdx.x / 2.0f,
        nothing ? "something" : "nothing");
    if (threadIdx.x == 0) printf("plain\n");
    z[threadIdx.x] = 1;
}
extern "C" void talking(float* z, cudaStream_t stream) { talking_kernel<<<2, 2, 0, stream>>>(NULL, z); }
