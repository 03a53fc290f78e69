// Managed, page-locked and registered memory: right uses, and then host code that does not wait.
#include <cstdio>

__managed__ int counter;

__global__ void twice(float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        x[i] *= 2;
        atomicAdd(&counter, 1);
    }
}

int main() {
    const int n = 1000;
    float *managed, *pinned, *mapped;
    cudaMallocManaged(&managed, n * sizeof(float));
    cudaMallocHost(&pinned, n * sizeof(float));
    cudaHostAlloc(&mapped, n * sizeof(float), cudaHostAllocMapped);
    for (int i = 0; i < n; ++i) managed[i] = pinned[i] = mapped[i] = i;
    cudaMemPrefetchAsync(managed, n * sizeof(float), 0);
    twice<<<4, 256>>>(managed, n);
    cudaDeviceSynchronize();
    twice<<<4, 256>>>(pinned, n);
    float* device;
    cudaHostGetDevicePointer(&device, mapped, 0);
    twice<<<4, 256>>>(device, n);
    cudaDeviceSynchronize();
    cudaPointerAttributes attributes;
    cudaPointerGetAttributes(&attributes, managed);
    printf("%g %g %g %d %d\n", managed[999], pinned[10], mapped[11], counter, attributes.type == cudaMemoryTypeManaged);

    cudaStream_t stream;
    cudaEvent_t event;
    cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, -1);
    cudaEventCreate(&event);
    twice<<<4, 256, 0, stream>>>(managed, n);
    cudaEventRecord(event, stream);
    pinned[0] = 5;                     // no work touches it
    while (cudaEventQuery(event) == cudaErrorNotReady) {}
    managed[0] += 1;

    float array[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    cudaHostRegister(array, sizeof array, cudaHostRegisterDefault);
    twice<<<1, 8>>>(array, 8);
    printf("%g\n", array[3]);          // too early: a read
    cudaDeviceSynchronize();
    cudaHostUnregister(array);
    float* source;
    cudaMalloc(&source, n * sizeof(float));
    cudaMemset(source, 0, n * sizeof(float));
    cudaDeviceSynchronize();
    cudaStream_t streams[2];
    for (cudaStream_t& each : streams) cudaStreamCreate(&each);
    for (int i = 0; i < 8; ++i) cudaMemcpyAsync(pinned + i * 100, source, 100 * sizeof(float), cudaMemcpyDeviceToHost, streams[i % 2]);
    cudaStreamSynchronize(streams[0]);
    printf("%g\n", pinned[200] + pinned[600]);   // parts of the stream that was waited for
    cudaStreamSynchronize(streams[1]);
    const float* const none = nullptr;
    printf("%d\n", cudaMemcpy(source, none, 4, cudaMemcpyHostToDevice));
    cudaMemcpyAsync(pinned, source, n * sizeof(float), cudaMemcpyDeviceToHost, stream);
    pinned[1] += 1;                    // too early: a write
    twice<<<4, 256>>>(managed, n + 1); // one too many
    cudaDeviceSynchronize();
    return 0;
}
