// Calls and variables of the wrong side, which nvcc refuses and g++ does not; what is right stands between them.
#include <cstdio>
#include <vector>

int limit = 5;
const float PI = 3.14f;
constexpr int twice(int x) { return 2 * x; }
int host_only(int x) { return x + limit; }
__device__ int device_only(int x) { return x * 2; }
__host__ __device__ int both(int x) { return x + 1; }
template <class F> __global__ void each(int* x, F f) { x[threadIdx.x] = f(threadIdx.x); }

__constant__ int step = 2, steps[2];
__constant__ int* place;

__device__ void sets(int x) { place[0] = *place = steps[1] = step * x; }
__device__ void assigns(int x) { step = x; }
__global__ void right(int* x) { x[threadIdx.x] = both(device_only(twice(threadIdx.x))) + PI; }
__global__ void calls(int* x) { x[threadIdx.x] = host_only(threadIdx.x); }
__global__ void reads(int* x) { x[threadIdx.x] = limit; }

int main() {
    int* x;
    cudaMalloc(&x, 32 * sizeof(int));
    right<<<1, 32>>>(x);
    each<<<1, 32>>>(x, [=] __device__(int i) { return device_only(i); });
    std::vector<int> all(32, both(1));
    reads(x);
    printf("%d\n", device_only(3));
}
