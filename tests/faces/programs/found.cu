// Bugs of the kinds that were found in public programs (docs/found.md), each in a kernel as small as it gets.
// `ladder run found.cu -- NAME ...` runs those of these names.
#include <cstdio>
#include <cstring>

constexpr int BLOCK = 64, COUNT = 256;

__global__ void add_up(const float* x, float* sum) { atomicAdd(sum, x[blockIdx.x * BLOCK + threadIdx.x]); }

__global__ void one_per_column(float* x) {   // launched with two rows of threads
    x[threadIdx.x] = 0;
    for (int i = 0; i < 4; ++i) x[threadIdx.x] += i;
}

__global__ void warp_sum(float* x) {
    __shared__ volatile float part[64];
    part[threadIdx.x] = x[threadIdx.x];
    part[threadIdx.x + 32] = 0;
    for (int step = 16; step > 0; step /= 2) part[threadIdx.x] += part[threadIdx.x + step];
    if (threadIdx.x == 0) x[0] = part[0];
}

__global__ void shared_twice(float* x) {   // one word holds the largest value, then the sum
    __shared__ float word;
    if (threadIdx.x == 0) word = x[0];
    __syncthreads();
    const float largest = word;
    if (threadIdx.x == 0) word = 2 * x[0];
    __syncthreads();
    x[threadIdx.x] = largest / word;
}

__global__ void cleared_by_one_warp(float* x) {
    __shared__ float sums[32];
    if (threadIdx.x < 32) sums[threadIdx.x] = 0;
    atomicAdd(&sums[threadIdx.x % 32], x[threadIdx.x]);
    __syncthreads();
    x[threadIdx.x] = sums[threadIdx.x % 32];
}

__global__ void sum_of_four(float* x) {
    float mine = x[threadIdx.x];
    if (threadIdx.x % 8 == 0) mine += __shfl_down_sync(0x0000000f, mine, 8);
    x[threadIdx.x] = mine;
}

__global__ void twice(float* x) { x[threadIdx.x] *= 2; }
__global__ void north(const float* x, float* y) {   // its value is not used in the first row, but it is read
    const float above = x[static_cast<int>(threadIdx.x) - 16];
    y[threadIdx.x] = threadIdx.x < 16 ? 0 : above;
}
__global__ void guarded(float* x, int n) {
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i > n) return;
    x[i] = 0;
}

static bool wanted(int argc, char** argv, const char* name) {
    for (int i = 1; i < argc; ++i)
        if (!strcmp(argv[i], name)) return true;
    return false;
}

int main(int argc, char** argv) {
    static float host[COUNT];
    float *x, *y, *sum;
    cudaMalloc(&x, sizeof host);
    cudaMalloc(&y, sizeof host);
    cudaMalloc(&sum, sizeof(float));   // and never cleared
    cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
    cudaStream_t first, second;
    cudaStreamCreate(&first);
    cudaStreamCreate(&second);
    if (wanted(argc, argv, "uncleared")) add_up<<<COUNT / BLOCK, BLOCK>>>(x, sum);
    if (wanted(argc, argv, "column")) one_per_column<<<1, dim3(32, 2)>>>(x);
    if (wanted(argc, argv, "volatile")) warp_sum<<<1, 32>>>(x);
    if (wanted(argc, argv, "word")) shared_twice<<<1, BLOCK>>>(x);
    if (wanted(argc, argv, "cleared")) cleared_by_one_warp<<<1, BLOCK>>>(x);
    if (wanted(argc, argv, "mask")) sum_of_four<<<1, 32>>>(x);
    if (wanted(argc, argv, "bytes")) {
        cudaMemcpy(y, host, COUNT, cudaMemcpyHostToDevice);   // COUNT bytes, of 4 * COUNT
        twice<<<1, COUNT>>>(y);
    }
    if (wanted(argc, argv, "streams")) {
        twice<<<1, BLOCK, 0, first>>>(x);
        twice<<<1, BLOCK, 0, second>>>(x);
    }
    if (wanted(argc, argv, "early")) {
        float* locked;
        cudaMallocHost(&locked, sizeof host);
        cudaMemcpyAsync(locked, x, sizeof host, cudaMemcpyDeviceToHost);
        printf("%g\n", locked[0]);   // the copy may still be under way
    }
    if (wanted(argc, argv, "direction")) cudaMemcpy(y, x, sizeof host, cudaMemcpyDeviceToHost);
    if (wanted(argc, argv, "halo")) north<<<1, BLOCK>>>(x, y);
    if (wanted(argc, argv, "guard")) guarded<<<COUNT / BLOCK + 1, BLOCK>>>(x, COUNT);
    return cudaDeviceSynchronize() != cudaSuccess;
}
