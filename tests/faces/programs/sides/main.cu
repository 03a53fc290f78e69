// What a kernel is given: objects by reference and by a copy of their own making; and what is the host's alone.
#include <cstdio>

#define COUNT 1048576
const int FACTOR = 2, SHIFT = 1 << 20;

int after_one_call();

thread_local int mine = 3;

struct Span {
    int* data;
    int count;
    Span(int* data, int count) : data(data), count(count) {}
    Span(const Span& other) : data(other.data), count(other.count) {}
};

struct Pair { int first, second; };

__global__ void fill(Span span) {
    __shared__ int tile[32];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x < span.count) span.data[threadIdx.x] = tile[31 - threadIdx.x] * FACTOR;
}

template <class T>
__global__ void count(const Pair& pair, T& sum) { atomicAdd(&sum, pair.second); }

__global__ void add(int* x, const int& n) { if (threadIdx.x < n) x[threadIdx.x] += n; }

int main() {
    int *x, *sum;
    Pair* pair;
    cudaMallocManaged(&x, COUNT * sizeof(int));
    cudaMallocManaged(&sum, sizeof(int));
    cudaMallocManaged(&pair, sizeof(Pair));
    *pair = {1, 2};
    *sum = 0;
    mine = 11;
    const Span span(x, COUNT);
    fill<<<1, 32>>>(span);
    fill<<<1, 32>>>(Span(x, 16));
    count<<<1, 32>>>(*pair, *sum);
    cudaDeviceSynchronize();
    printf("%d %d %d %d %d %d\n", COUNT, SHIFT, x[0], *sum, mine, after_one_call());
    int n = 32;
    add<<<1, 32>>>(x, n);   // n is a variable of the host's
    return cudaDeviceSynchronize() == cudaSuccess;
}
