// Planted bugs, one a kernel; the program's argument chooses.
#include <cstdio>
#include <string>

constexpr int N = 256, BLOCK = 64;
__device__ unsigned tickets;

__global__ void past_the_end(float* x) { x[blockIdx.x * blockDim.x + threadIdx.x + 1] = 1; }

__global__ void shared_race(float* x) {
    __shared__ float s[BLOCK];
    s[threadIdx.x] = x[threadIdx.x];
    x[threadIdx.x] = s[BLOCK - 1 - threadIdx.x];
}

__global__ void race_of_blocks(float* x) {
    if (threadIdx.x == 0) x[0] += 1;
}

__global__ void no_fence(float* part, float* sum) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        part[blockIdx.x] = blockIdx.x;
        last = atomicAdd(&tickets, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0)
        for (int b = 0; b < gridDim.x; ++b) *sum += part[b];
}

__global__ void uninitialised(float* x, float* y) { y[threadIdx.x] = x[threadIdx.x]; }

__global__ void divergent(float* x) {
    if (threadIdx.x < 32) {
        x[threadIdx.x] = 1;
        __syncthreads();
    } else {
        __syncthreads();
    }
}

__global__ void misaligned(float* x) { *reinterpret_cast<float4*>(x + 1) = {}; }

__global__ void write_one(float* x) { x[threadIdx.x] = 1; }

int main(int argc, char** argv) {
    std::string which = argc > 1 ? argv[1] : "";
    if (which == "loop") puts("begins"), fflush(stdout);
    float *x, *y;
    cudaMalloc(&x, N * sizeof(float));
    cudaMalloc(&y, N * sizeof(float));
    cudaMemset(x, 0, N * sizeof(float));
    if (which == "past_the_end") past_the_end<<<N / BLOCK, BLOCK>>>(x);
    if (which == "divergent") divergent<<<1, BLOCK>>>(x);
    if (which == "misaligned") misaligned<<<1, 1>>>(x);
    if (which == "freed") {
        cudaFree(x);
        write_one<<<1, BLOCK>>>(x);
    }
    if (which == "too_many_threads") write_one<<<1, 2048>>>(x);
    if (which == "crash") *x = 1;
    if (which == "throw") throw std::string("no");
    if (which == "abort") abort();
    if (which == "loop") for (volatile int i = 0;; i = i + 1) {}
    if (which == "races") {
        race_of_blocks<<<2, BLOCK>>>(x);
        shared_race<<<1, BLOCK>>>(x);
        float *sum;
        cudaMalloc(&sum, 4);
        cudaMemset(sum, 0, 4);
        no_fence<<<4, BLOCK>>>(y, sum);
        cudaFree(y);
        cudaMalloc(&y, N * sizeof(float));
        uninitialised<<<1, BLOCK>>>(y, x);
        cudaFree(sum);
    }
    cudaDeviceSynchronize();
    printf("end of %s\n", which.c_str());
    cudaFree(y);
    return which == "freed" ? 3 : 0;
}
