// Indexes that leave their own array, in memory where no other check sees it.
#include <thrust/execution_policy.h>
#include <thrust/sort.h>
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

struct Pair { float a, b; };

__global__ void pairs(float* x, int n) {
    Pair both[3] = {};
    for (int i = 0; i < n; ++i) both[i] = Pair{x[i], 1};   // one too many
    x[0] = both[1].a + both[2].b;
}

__global__ void sorted(float* x, int n) {
    float some[4] = {4, 2, 3, 1};
    thrust::sort(thrust::seq, some, some + n);   // of those that there are
    x[0] = some[0];
}

struct List { int count; Pair more[1]; char name[1]; };

// Host code may know better than an array's type.
float of_a_list(int last) {
    auto* const list = static_cast<List*>(malloc(sizeof(List) + 64));
    list->more[1] = Pair{1, 2};
    list->more[last] = list->more[1];
    list->name[last] = list->name[1] = 'x';
    const float found = list->more[last].b;
    free(list);
    return found;
}

int main(int argc, char** argv) {
    float* x;
    cudaMalloc(&x, 128 * sizeof(float));
    cudaMemset(x, 0, 128 * sizeof(float));
    rows<<<1, 128>>>(reinterpret_cast<int*>(x));
    if (argc > 3) sorted<<<1, 1>>>(x, atoi(argv[1]));
    else if (argc > 2 && of_a_list(atoi(argv[2])) == 2) pairs<<<1, 1>>>(x, atoi(argv[1]));
    else keep<<<1, 1>>>(x, atoi(argv[1]));
    return cudaDeviceSynchronize() != cudaSuccess;
}
