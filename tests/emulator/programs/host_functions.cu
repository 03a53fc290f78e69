// Host functions on streams: those that are ordered, those that tell host code, and last some that nothing orders.
#include <cuda_runtime.h>
#include <atomic>
#include <cstdio>

struct Numbers { int* first; bool is_done; };
std::atomic<int> calls{0};

__global__ void add_one(const int* in, int* out) { out[threadIdx.x] = in[threadIdx.x] + 1; }
__global__ void look(volatile int* flag, int* out) {
    while (flag[0] != 0) {}
    out[threadIdx.x] = 1;
}

void fill(void* data) {
    for (int i = 0; i < 32; ++i) static_cast<Numbers*>(data)->first[i] = i;
}
void fill_and_tell(void* data) {
    fill(data);
    static_cast<Numbers*>(data)->is_done = true;
}
void fill_and_count(void* data) {
    fill(data);
    ++calls;
}
void sum(void* data) {
    int all = 0;
    for (int i = 0; i < 32; ++i) all += static_cast<Numbers*>(data)->first[i];
    printf("%d\n", all);
}

int main() {
    int *in, *out, *other;
    cudaMallocHost(&in, 128), cudaMallocHost(&out, 128), cudaMallocManaged(&other, 128);
    cudaStream_t a, b;
    cudaStreamCreate(&a), cudaStreamCreate(&b);
    cudaEvent_t event;
    cudaEventCreate(&event);
    Numbers from{in, false}, to{out, false}, both{other, false};

    cudaLaunchHostFunc(a, fill, &from);   // one stream
    add_one<<<1, 32, 0, a>>>(in, out);
    cudaLaunchHostFunc(a, sum, &to);

    cudaEventRecord(event, a);            // an event
    cudaStreamWaitEvent(b, event);
    add_one<<<1, 32, 0, b>>>(out, other);
    cudaStreamSynchronize(b);             // the host
    cudaStreamAddCallback(a, [](cudaStream_t, cudaError_t, void* data) { fill(data); }, &both, 0);
    cudaStreamSynchronize(a);
    add_one<<<1, 32, 0, b>>>(other, out);
    cudaStreamSynchronize(b);

    cudaLaunchHostFunc(a, fill_and_tell, &from);   // a flag that host code looks at
    while (!from.is_done) {}
    add_one<<<1, 32, 0, b>>>(in, out);
    cudaStreamSynchronize(b);
    cudaLaunchHostFunc(a, fill_and_count, &from);
    while (calls < 1) {}
    add_one<<<1, 32, 0, b>>>(in, out);
    cudaLaunchHostFunc(b, sum, &to);
    cudaDeviceSynchronize();
    cudaLaunchHostFunc(a, fill, &from);            // what a kernel looks at again and again
    look<<<1, 32, 0, b>>>(in, other);
    cudaDeviceSynchronize();

    cudaLaunchHostFunc(a, fill, &from);            // nothing
    add_one<<<1, 32, 0, b>>>(in, out);
    cudaLaunchHostFunc(a, sum, &to);
    cudaDeviceSynchronize();
    add_one<<<1, 32, 0, b>>>(in, other);
    cudaStreamAddCallback(a, [](cudaStream_t, cudaError_t, void* data) { fill(data); }, &both, 0);
    cudaDeviceSynchronize();

    cudaStreamDestroy(a), cudaStreamDestroy(b), cudaEventDestroy(event);
    cudaFreeHost(in), cudaFreeHost(out), cudaFree(other);
}
