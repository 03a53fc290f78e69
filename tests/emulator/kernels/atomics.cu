#include <cuda_fp16.h>
#include <cuda_bf16.h>

__global__ void integers_kernel(int* z, unsigned* u) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&z[0], i);
    atomicSub(&z[1], 2);
    atomicMin(&z[2], 100 - i);
    atomicMax(&z[3], i - 300);
    atomicAnd(&z[4], ~(1 << i % 8));
    atomicOr(&z[5], 1 << i % 8);
    atomicXor(&z[6], i);
    atomicAdd(&u[0], 3u);
    atomicSub(&u[1], 1);
    atomicMin(&u[2], i + 5u);
    atomicMax(&u[3], 0x80000000u + i);
    atomicInc(&u[4], 99);       // 0, 1 ... 99, 0, 1 ...
    atomicDec(&u[5], 99);       // 0, 99, 98 ... 0, 99 ...
    atomicAnd(&u[6], 0xfffffff0u);
    atomicXor(&u[7], 1u << i % 32);
    atomicOr(&u[8], 1u << 31);
}
extern "C" void integers(const int* before, int* z, const unsigned* also, unsigned* u, cudaStream_t stream) {
    cudaMemcpyAsync(z, before, 7 * sizeof(int), cudaMemcpyDeviceToDevice, stream);
    cudaMemcpyAsync(u, also, 9 * sizeof(unsigned), cudaMemcpyDeviceToDevice, stream);
    integers_kernel<<<4, 64, 0, stream>>>(z, u);
}

__global__ void wide_kernel(unsigned long long* u, long long* z) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&u[0], 1ull << 33);
    atomicExch(&u[1], 7ull);
    atomicMax(&u[2], (unsigned long long)i << 40);
    atomicMin(&u[3], (unsigned long long)(300 - i));
    atomicAnd(&u[4], ~(1ull << i % 64));
    atomicOr(&u[5], 1ull << i % 64);
    atomicXor(&u[6], 1ull << i % 64 ^ i);
    atomicMin(&z[0], -(long long)i << 40);
    atomicMax(&z[1], i - 500ll);
    atomicAnd(&z[2], ~(1ll << i % 63));
    atomicOr(&z[3], 1ll << 63);
    atomicXor(&z[4], -(i + 1ll));
}
extern "C" void wide(unsigned long long* u, long long* z, cudaStream_t stream) {
    cudaMemsetAsync(u, 0, 7 * 8, stream);
    cudaMemsetAsync(&u[3], 0xff, 2 * 8, stream);
    cudaMemsetAsync(z, 0, 8, stream);
    cudaMemsetAsync(&z[1], 0x80, 8, stream);    // very negative
    cudaMemsetAsync(&z[2], 0xff, 8, stream);
    cudaMemsetAsync(&z[3], 0, 2 * 8, stream);
    wide_kernel<<<4, 64, 0, stream>>>(u, z);
}

__global__ void vectors_kernel(float2* two, float4* four) {
    const float2 before = atomicAdd(two, make_float2(1, 2));
    atomicAdd(four, make_float4(before.y - 2 * before.x, 1, 2, 3));
    if (blockIdx.x == 0) atomicAdd_block(two + 1, make_float2(3, 4));
}
extern "C" void vectors(float* two, float* four, cudaStream_t stream) {
    cudaMemsetAsync(two, 0, 2 * sizeof(float2), stream);
    cudaMemsetAsync(four, 0, sizeof(float4), stream);
    vectors_kernel<<<4, 64, 0, stream>>>(reinterpret_cast<float2*>(two), reinterpret_cast<float4*>(four));
}

__global__ void floats_kernel(float* z, double* d) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&z[0], 0.5f);
    atomicAdd(&z[1], i);
    atomicExch(&z[2], 2.5f);
    atomicAdd_system(&z[3], 1.0f);
    atomicAdd(&d[0], 0.25);
    atomicAdd_block(&d[1 + blockIdx.x], 1.0);
}
extern "C" void floats(float* z, double* d, cudaStream_t stream) {
    cudaMemsetAsync(z, 0, 4 * 4, stream);
    cudaMemsetAsync(d, 0, 5 * 8, stream);
    floats_kernel<<<4, 64, 0, stream>>>(z, d);
}

__global__ void small_kernel(half* h, half2* hh, __nv_bfloat16* b, __nv_bfloat162* bb) {
    atomicAdd(h, __float2half(0.25f));
    atomicAdd(hh, __floats2half2_rn(1.0f, -2.0f));
    atomicAdd(b, __float2bfloat16(0.5f));
    atomicAdd(bb, __floats2bfloat162_rn(2.0f, 0.25f));
}
extern "C" void small_floats(half* h, __nv_bfloat16* b, cudaStream_t stream) {
    cudaMemsetAsync(h, 0, 4 * 2, stream);
    cudaMemsetAsync(b, 0, 4 * 2, stream);
    small_kernel<<<1, 64, 0, stream>>>(h, reinterpret_cast<half2*>(h + 2), b, reinterpret_cast<__nv_bfloat162*>(b + 2));
}

// Everything can be built from compare-and-swap: a maximum of floats, and a product.
__device__ float atomic_max(float* address, float value) {
    int* bits = reinterpret_cast<int*>(address);
    int old = *bits, assumed;
    do {
        assumed = old;
        old = atomicCAS(bits, assumed, __float_as_int(fmaxf(value, __int_as_float(assumed))));
    } while (old != assumed);
    return __int_as_float(old);
}
__global__ void cas_kernel(float* z, unsigned long long* u, unsigned short* w) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomic_max(z, i % 100 + 0.5f);
    for (unsigned long long old = 1, seen = u[0]; old != seen;) {
        old = seen;
        seen = atomicCAS(&u[0], old, old + 3);
    }
    atomicCAS(w, (unsigned short)9, (unsigned short)10);
    atomicCAS(w + 1, (unsigned short)8, (unsigned short)10);
}
extern "C" void cas(const float* zero, float* z, unsigned long long* u, const unsigned short* nines,
    unsigned short* w, cudaStream_t stream) {
    cudaMemcpyAsync(z, zero, 4, cudaMemcpyDeviceToDevice, stream);
    cudaMemsetAsync(u, 0, 8, stream);
    cudaMemcpyAsync(w, nines, 4, cudaMemcpyDeviceToDevice, stream);
    cas_kernel<<<4, 64, 0, stream>>>(z, u, w);
}

__device__ int ticket = 0;
__global__ void tickets_kernel(int* z) {
    int mine = atomicAdd(&ticket, 1);
    z[mine] = blockIdx.x * blockDim.x + threadIdx.x;
}
extern "C" void tickets(int* z, cudaStream_t stream) { tickets_kernel<<<4, 64, 0, stream>>>(z); }

__global__ void histogram_kernel(const int* x, int* z) {
    __shared__ int bins[16];
    if (threadIdx.x < 16) bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[x[blockIdx.x * blockDim.x + threadIdx.x]], 1);
    __syncthreads();
    if (threadIdx.x < 16) atomicAdd(&z[threadIdx.x], bins[threadIdx.x]);
}
extern "C" void histogram(const int* x, int* z, cudaStream_t stream) {
    cudaMemsetAsync(z, 0, 16 * sizeof(int), stream);
    histogram_kernel<<<4, 64, 0, stream>>>(x, z);
}

__device__ int lock = 0;
__global__ void lock_kernel(int* z) {
    if (threadIdx.x == 0) {
        while (atomicCAS(&lock, 0, 1) != 0) __nanosleep(20);
        __threadfence();
        int seen = z[0];
        z[0] = seen + blockIdx.x;
        z[1] += 1;
        __threadfence();
        atomicExch(&lock, 0);
    }
}
extern "C" void spin_lock(int* z, cudaStream_t stream) {
    cudaMemsetAsync(z, 0, 8, stream);
    lock_kernel<<<8, 32, 0, stream>>>(z);
}
