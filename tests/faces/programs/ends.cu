// Programs that end early: an assertion in a kernel, one in host code, a barrier in two branches, a fault in the C library.
// One that does not, although its kernel waits for a long time to pass; and one whose sum begins anywhere.
#include <cassert>
#include <cstdio>
#include <cstring>

__global__ void wants_five(int* x) {
    assert(*x == 5);
}

__global__ void meets_in_two_places(int* x) {
    if (threadIdx.x < 32) {
        __syncthreads();   // the one
    } else {
        __syncthreads();
    }
    x[threadIdx.x] = 1;
}

__global__ void waits(int* x) {
    const long long begin = clock64();
    while (clock64() - begin < 20'000'000'000) {}
    x[threadIdx.x] = 5;
}

__global__ void sums(int* x) {
    int sum[2];
    for (int i = 0; i < 4; ++i) sum[i % 2] += x[i];   // of what lay there
    x[threadIdx.x + 32] = sum[0] + sum[1];
}

int main(int argc, char** argv) {
    int* x;
    cudaMalloc(&x, 64 * sizeof(int));
    cudaMemset(x, 0, 64 * sizeof(int));
    if (!strcmp(argv[1], "kernel")) wants_five<<<1, 1>>>(x);
    if (!strcmp(argv[1], "barrier")) meets_in_two_places<<<1, 64>>>(x);
    if (!strcmp(argv[1], "time")) waits<<<1, 64>>>(x);
    if (!strcmp(argv[1], "unset")) sums<<<1, 32>>>(x);
    if (!strcmp(argv[1], "file")) fprintf(fopen("no/such/file", "w"), "%d\n", argc);
    const cudaError_t error = cudaDeviceSynchronize();
    assert(error == cudaSuccess && argc < 3);
}
