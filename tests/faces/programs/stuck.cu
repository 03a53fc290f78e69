// Kernels that do not end, by the first argument.
#include <cstdio>
#include <string>

__global__ void writes(int* x) {
    const int i = threadIdx.x;
    while (x[i] >= 0) {
        x[i] = (x[i] + 1) % 1000;
    }
}

__global__ void steps_over(int* x, int n) {
    if (threadIdx.x == 5) {
        for (int i = 0; i != n; i += 2) {
            x[i % 64] = i;
        }
    }
    __syncthreads();
}

__global__ void idles(const int* x, int* y) {
    const int i = threadIdx.x;
    while (x[i] == 0) {
        if (x[i + 1] > 0) break;
    }
    y[i] = 1;
}

__global__ void empty() { while (true) {} }

int main(int argc, char** argv) {
    const std::string which = argc > 1 ? argv[1] : "";
    int *x, *y;
    cudaMalloc(&x, 512);
    cudaMalloc(&y, 512);
    cudaMemset(x, 0, 512);
    puts("begins");
    fflush(stdout);
    if (which == "writes") writes<<<2, 64>>>(x);
    if (which == "steps_over") steps_over<<<3, 64>>>(x, 101);
    if (which == "idles") idles<<<1, 64>>>(x, y);
    if (which == "empty") empty<<<1, 1>>>();
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
