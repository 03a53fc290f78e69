// Indexes that leave their own array, in memory where no other check sees it.
#include <cstdlib>

__global__ void keep(float* x, int n) {
    float kept[4];
    for (int i = 0; i < n; ++i) kept[i] = x[i];
    x[0] = kept[1] + kept[3];
}

__global__ void rows(int* x) {
    __shared__ int tile[4][32];
    tile[threadIdx.x / 32][threadIdx.x % 32] = 1;
    __syncthreads();
    x[threadIdx.x] = tile[0][threadIdx.x];   // of the other rows, too
}

int main(int argc, char** argv) {
    float* x;
    cudaMalloc(&x, 128 * sizeof(float));
    cudaMemset(x, 0, 128 * sizeof(float));
    rows<<<1, 128>>>(reinterpret_cast<int*>(x));
    keep<<<1, 1>>>(x, atoi(argv[1]));
    return cudaDeviceSynchronize() != cudaSuccess;
}
