// Programs that end early: an assertion in a kernel, one in host code, and a barrier in two branches.
#include <cassert>
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

int main(int argc, char** argv) {
    int* x;
    cudaMalloc(&x, 64 * sizeof(int));
    cudaMemset(x, 0, 64 * sizeof(int));
    if (!strcmp(argv[1], "kernel")) wants_five<<<1, 1>>>(x);
    if (!strcmp(argv[1], "barrier")) meets_in_two_places<<<1, 64>>>(x);
    const cudaError_t error = cudaDeviceSynchronize();
    assert(error == cudaSuccess && argc < 3);
}
