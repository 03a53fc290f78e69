// Functions for both sides that ask which side they are on, launches in forms of their own, and a kernel that tells the host.
#include <cstdio>
#include <cstring>
#include <new>
#include <stdexcept>

#include <cuda/atomic>

#define HD __host__ __device__

__constant__ int of_device[4];
static const int of_host[4] = {5, 6, 7, 8};

HD inline int side() {
#ifdef __CUDA_ARCH__
    return 1;
#else
    return 2;
#endif
}
HD int negated() {
#if !defined(__CUDA_ARCH__)
    return 2;
#else
    return 1;
#endif
}
template <class T> struct Kept {
    HD T side() const {
#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ >= 600)
        return 1;
#else
        return 2;
#endif
    }
};
HD int element(int i) {
#ifdef __CUDA_ARCH__
    return of_device[i];
#else
    return of_host[i];
#endif
}
HD int added(int* to, int by) {
#ifdef __CUDA_ARCH__
    return atomicAdd(to, by);
#else
    const int old = *to;
    *to += by;
    return old;
#endif
}
HD void fail(const char* why) {
#ifdef __CUDA_ARCH__
    printf("%s\n", why);
    __trap();
#else
    throw std::runtime_error(why);
#endif
}
HD int alone(int x) {
    int result = x;
#ifndef __CUDA_ARCH__
    result += 10;
#endif
    return result;
}
HD int declared() {   // is needed behind: stays as it is, the device's
#ifdef __CUDA_ARCH__
    int result = 1;
#else
    int result = 2;
#endif
    return result;
}

__global__ void ask(int* out) {
    out[0] = side() * 100 + negated() * 10 + Kept<int>().side();
    out[1] = element(threadIdx.x) + added(out + 2, 4) + alone(0);
    if (out[0] < 0) fail("never");
}

__global__ void ones(int* x) { x[threadIdx.x] = 1; }
__global__ void twos(int* x) { x[threadIdx.x] = 2; }
using Kernel = void (*)(int*);
int asked = 0;
static Kernel pick(int i) {
    ++asked;
    return i ? twos : ones;
}
#define ON_TWO_WARPS(kernel) kernel<<<1, 64>>>
#if 0
an old draft: k <<<1, 2>>> and <<< no more
#endif

using Flag = cuda::atomic<int, cuda::thread_scope_system>;
__global__ void tell(Flag* flag, int* value) {
    *value = 5;
    flag->store(1, cuda::memory_order_release);
}
__global__ void tell_by_fence(volatile int* flag, int* value) {
    *value = 6;
    __threadfence_system();
    *flag = 1;
}

int main() {
    int *out, *x, h[4] = {1, 2, 3, 4};
    cudaMallocManaged(&out, 12);
    cudaMallocManaged(&x, 256);
    memset(out, 0, 12);
    cudaMemcpyToSymbol(of_device, h, 16);
    ask<<<1, 1>>>(out);
    cudaDeviceSynchronize();
    int sum = 3;
    const int old = added(&sum, 4);
    printf("device %d %d %d, host %d %d %d %d\n", out[0], out[1], out[2], side() * 100 + negated() * 10 + Kept<int>().side(), element(2), old + sum, alone(0));
    printf("%d\n", declared());
    try {
        fail("caught");
    } catch (const std::exception& error) {
        printf("%s\n", error.what());
    }
    pick(1)<<<1, 64>>>(x);
    cudaDeviceSynchronize();
    printf("%d %d ", x[63], asked);
    ON_TWO_WARPS(ones)(x);
    cudaDeviceSynchronize();
    printf("%d\n", x[63]);

    Flag* flag;
    int *value, *plain;
    cudaMallocHost(&flag, sizeof *flag);
    cudaMallocHost(&value, 4);
    cudaMallocHost(&plain, 4);
    new (flag) Flag(0);
    *plain = 0;
    tell<<<1, 1>>>(flag, value);
    while (flag->load(cuda::memory_order_acquire) == 0) {}
    printf("%d ", *value);
    tell_by_fence<<<1, 1>>>(plain, value);
    while (*static_cast<volatile int*>(plain) == 0) {}
    printf("%d\n", *value);
    ones<<<1, 1>>>(value);
    printf("too early: %d\n", *value);
    cudaDeviceSynchronize();
}
