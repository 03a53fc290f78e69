// Atomics by an order and a scope. The release and the acquire hand x[4] on; a relaxed store hands nothing on.
#include <cstdio>
__global__ void k(int* x, unsigned long long* y, float* f, int* flag) {
    const int t = threadIdx.x;
    __nv_atomic_add(x, 1, __NV_ATOMIC_RELAXED);
    if (__nv_atomic_fetch_max(x + 1, t, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE) > 70) x[7] = 1;
    __nv_atomic_fetch_add(y, 3ull, __NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_BLOCK);
    __nv_atomic_add(f, 0.5f, __NV_ATOMIC_RELAXED);
    float zero;
    __nv_atomic_load(f + 1, &zero, __NV_ATOMIC_RELAXED);
    if (zero != 0) x[7] = 1;
    int expected = 0;
    if (__nv_atomic_compare_exchange_n(x + 2, &expected, t + 1, false, __NV_ATOMIC_SEQ_CST, __NV_ATOMIC_RELAXED)) __nv_atomic_add(x + 3, 1, __NV_ATOMIC_RELAXED);
    if (t == 0) {
        x[4] = 17;
        __nv_atomic_store_n(flag, 1, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
        x[8] = 3;
        __nv_atomic_store_n(flag + 1, 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    }
    if (t == 50) {
        while (__nv_atomic_load_n(flag + 1, __NV_ATOMIC_ACQUIRE) == 0) {}
        if (x[8] != 3) x[7] = 1;   // too early
    }
    if (t == 40) {
        while (__nv_atomic_load_n(flag, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE) == 0) {}
        int seen = x[4], old, five = 5;
        __nv_atomic_exchange(x + 5, &seen, &old, __NV_ATOMIC_RELAXED);
        __nv_atomic_store(x + 6, &five, __NV_ATOMIC_RELAXED);
        __nv_atomic_load(x + 6, &old, __NV_ATOMIC_RELAXED);
        __nv_atomic_or(x + 6, old | 8, __NV_ATOMIC_RELAXED);
    }
    __nv_atomic_thread_fence(__NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_DEVICE);
}
int main() {
    int *x, *flag; unsigned long long* y; float* f;
    cudaMallocManaged(&x, 64); cudaMallocManaged(&y, 8); cudaMallocManaged(&f, 8); cudaMallocManaged(&flag, 8);
    f[1] = -0.0f;   // and stays it
    k<<<1, 64>>>(x, y, f, flag);
    if (cudaDeviceSynchronize()) return 1;
    printf("%d %d %d %d %d %d %llu %g %g\n", x[0], x[1], x[3], x[5], x[6], x[7], *y, *f, f[1]);
}
