// Memory of both sides that a kernel reads: written by the host in all its ways, by a copy, by a kernel, or by nothing.
#include <algorithm>
#include <cstdio>
#include <vector>

constexpr int N = 5000, BYTES = N * sizeof(int);

__global__ void add(const int* x, int* y) {
    for (int i = threadIdx.x; i < N; i += blockDim.x) y[i] = x[i] + 1;
}
__global__ void sum(const int* x, int* y) { *y = x[0] + x[N - 1]; }  // wrong: of what nothing has written
__global__ void last(const int* x, int* y) { *y = x[N - 1]; }  // wrong: of a page that the host has not written

int main() {
    int *x, *y, *pinned, *plain, *cleared, *never, *some;
    cudaMallocManaged(&x, BYTES), cudaMallocManaged(&y, BYTES), cudaMallocManaged(&cleared, BYTES);
    cudaMallocManaged(&some, BYTES), cudaMallocHost(&pinned, BYTES), cudaMallocHost(&never, BYTES);
    cudaMalloc(&plain, BYTES);
    std::vector<int> host(N, 3);
    std::copy(host.begin(), host.end(), x);
    for (int i = 0; i < N; ++i) pinned[i] = i;
    cudaMemset(cleared, 0, BYTES);
    add<<<1, 256>>>(x, y);
    add<<<1, 256>>>(y, x);
    add<<<1, 256>>>(pinned, y);
    add<<<1, 256>>>(cleared, y);
    cudaMemcpy(plain, pinned, BYTES, cudaMemcpyDefault);
    add<<<1, 256>>>(plain, y);
    cudaMemcpy(plain, x, BYTES, cudaMemcpyDeviceToDevice);
    add<<<1, 256>>>(plain, y);
    cudaDeviceSynchronize();
    printf("%d\n", y[N - 1]);
    sum<<<1, 1>>>(never, y);
    for (int i = 0; i < N / 5; ++i) some[i] = i;
    last<<<1, 1>>>(some, y);
    cudaDeviceSynchronize();
    for (int* each : {x, y, plain, cleared, some}) cudaFree(each);
    cudaFreeHost(pinned), cudaFreeHost(never);
}
