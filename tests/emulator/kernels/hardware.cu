// What the hardware does where one may think otherwise. Each entry point writes numbers to z; rows.py has the right ones,
// which tests/gpu asks a GPU for, too.
#include <cuda_pipeline.h>

#define ALL 0xffffffffu
#ifndef ROW   // tests/gpu/rows.cu has its own
#define ROW(name) extern "C" void name(int* z, cudaStream_t stream)
#endif

// ---- shuffles use five bits of a lane, a distance or a mask ----

template <int kLine> __global__ void shuffled(int* z);
#define SHUFFLE(name, expression)                                                                               \
    template <> __global__ void shuffled<__LINE__>(int* z) { int x = threadIdx.x; z[x] = expression; }          \
    ROW(name) { shuffled<__LINE__><<<1, 32, 0, stream>>>(z); }

SHUFFLE(xor_by_minus_1, __shfl_xor_sync(ALL, x, -1))
SHUFFLE(xor_by_33, __shfl_xor_sync(ALL, x, 33))
SHUFFLE(up_by_minus_1, __shfl_up_sync(ALL, x, 0u - 1))
SHUFFLE(down_by_minus_1, __shfl_down_sync(ALL, x, 0u - 1))
SHUFFLE(down_by_32, __shfl_down_sync(ALL, x, 32))
SHUFFLE(up_by_33, __shfl_up_sync(ALL, x, 33))
SHUFFLE(from_minus_1, __shfl_sync(ALL, x, -1))
SHUFFLE(from_35, __shfl_sync(ALL, x, 35))
SHUFFLE(eighths_from_11, __shfl_sync(ALL, x, 11, 8))
SHUFFLE(halves_from_minus_1, __shfl_sync(ALL, x, -1, 16))
SHUFFLE(eighths_xor_9, __shfl_xor_sync(ALL, x, 9, 8))
SHUFFLE(quarters_up_5, __shfl_up_sync(ALL, x, 5, 8))
SHUFFLE(quarters_up_9, __shfl_up_sync(ALL, x, 9, 8))
SHUFFLE(eighths_down_34, __shfl_down_sync(ALL, x, 34, 4))
SHUFFLE(fours_down_3, __shfl_down_sync(ALL, x, 3, 4))

// ---- launch bounds and static shared memory are those of the function that runs ----

template <int kThreads> __global__ void __launch_bounds__(kThreads) bounded(int* z) { z[threadIdx.x % 32] = kThreads; }
namespace narrow { __global__ void __launch_bounds__(64) twin(int* z) { z[threadIdx.x % 32] = 64; } }
namespace wide { __global__ void __launch_bounds__(512) twin(int* z) { z[threadIdx.x % 32] = 512; } }
__global__ void __launch_bounds__(64) overloaded(int* z, int n) { z[threadIdx.x % 32] = n; }
__global__ void overloaded(int* z, float n) { z[threadIdx.x % 32] = static_cast<int>(n); }
template <int kWords> __global__ void tile(int* z) {
    extern __shared__ int dynamic[];
    __shared__ int s[kWords];
    dynamic[threadIdx.x] = s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    z[threadIdx.x % 32] = s[31 - threadIdx.x % 32] + dynamic[threadIdx.x];
}

static void tell_error(int* z, cudaStream_t stream) {
    const int error = cudaGetLastError();
    cudaMemcpyAsync(z + 32, &error, sizeof error, cudaMemcpyHostToDevice, stream);
    cudaStreamSynchronize(stream);
}

#define LAUNCH(name, ...) \
    ROW(name) {           \
        __VA_ARGS__;      \
        tell_error(z, stream); \
    }

LAUNCH(template_within_its_bounds, bounded<256><<<1, 256, 0, stream>>>(z))
LAUNCH(template_beyond_its_bounds, bounded<128><<<1, 256, 0, stream>>>(z))
LAUNCH(namespace_within_its_bounds, wide::twin<<<1, 128, 0, stream>>>(z))
LAUNCH(namespace_beyond_its_bounds, narrow::twin<<<1, 128, 0, stream>>>(z))
LAUNCH(overload_within_its_bounds, overloaded<<<1, 128, 0, stream>>>(z, 7.0f))
LAUNCH(overload_beyond_its_bounds, overloaded<<<1, 128, 0, stream>>>(z, 7))
LAUNCH(pointer_beyond_its_bounds, void (*kernel)(int*) = narrow::twin; kernel<<<1, 128, 0, stream>>>(z))
LAUNCH(template_within_shared_memory, tile<1024><<<1, 32, 10240, stream>>>(z))    // 4 KB and 10 KB
LAUNCH(template_beyond_shared_memory, tile<10000><<<1, 32, 10240, stream>>>(z))   // 39 KB and 10 KB

template <class T, int kWords> __global__ void large(T* z) {
    extern __shared__ int words[];
    words[kWords * threadIdx.x] = threadIdx.x;
    __syncthreads();
    z[threadIdx.x] = words[kWords * (31 - threadIdx.x)];
}
LAUNCH(function_with_more_shared_memory, {
    cudaFuncSetAttribute(large<int, 500>, cudaFuncAttributeMaxDynamicSharedMemorySize, 64000);
    void* arguments[] = {&z};
    cudaLaunchCooperativeKernel((void*)large<int, 500>, 1, 32, arguments, 64000, stream);
})
LAUNCH(function_with_too_much_shared_memory, {
    cudaFuncSetAttribute(large<int, 400>, cudaFuncAttributeMaxDynamicSharedMemorySize, 64000);
    void* arguments[] = {&z};
    cudaLaunchKernel((void*)large<int, 500>, 1, 32, arguments, 65000, stream);
})

// ---- an asynchronous copy that fills up with zeros is one instruction ----

template <class T> __global__ void filled(const T* x, T* z, int zeros) {
    __shared__ T s[32];
    __pipeline_memcpy_async(&s[threadIdx.x], &x[threadIdx.x], sizeof(T), zeros);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    z[threadIdx.x] = s[threadIdx.x];
}
__global__ void guarded(const int4* x, int4* z, int words) {
    __shared__ int4 s[32];
    const int left = words - 4 * static_cast<int>(threadIdx.x), wanted = left < 0 ? 0 : left < 4 ? left : 4;
    __pipeline_memcpy_async(&s[threadIdx.x], &x[threadIdx.x], 16, 16 - 4 * wanted);  // guarded copy
    __pipeline_commit();
    __pipeline_wait_prior(0);
    z[threadIdx.x] = s[threadIdx.x];  // filled store
}

__global__ void count_up(int* x) { x[threadIdx.x] = threadIdx.x + 1; }
template <class Copy> void from_numbers(Copy copy, cudaStream_t stream) {
    int* x;
    cudaMalloc(&x, 128 * sizeof(int));
    count_up<<<1, 128, 0, stream>>>(x);
    copy(x);
    cudaStreamSynchronize(stream);
    cudaFree(x);
}
ROW(sixteen_bytes_with_four_zeros) {
    from_numbers([=](int* x) { filled<<<1, 32, 0, stream>>>((const int4*)x, (int4*)z, 4); }, stream);
}
ROW(sixteen_bytes_of_zeros) {
    from_numbers([=](int* x) { filled<<<1, 32, 0, stream>>>((const int4*)x, (int4*)z, 16); }, stream);
}
ROW(eight_bytes_with_four_zeros) {
    from_numbers([=](int* x) { filled<<<1, 32, 0, stream>>>((const int2*)x, (int2*)z, 4); }, stream);
}
ROW(four_bytes_with_two_zeros) {
    from_numbers([=](int* x) { filled<<<1, 32, 0, stream>>>((const int*)x, z, 2); }, stream);
}
ROW(fifty_words_then_zeros) {
    from_numbers([=](int* x) { guarded<<<1, 32, 0, stream>>>((const int4*)x, (int4*)z, 50); }, stream);
}
ROW(all_words) {
    from_numbers([=](int* x) { guarded<<<1, 32, 0, stream>>>((const int4*)x, (int4*)z, 128); }, stream);
}

// ---- a launch's arguments are converted as those of any call ----

struct Pair { int a; float b; };
__global__ void sum(const int* p, int* z, Pair q, int n) { z[threadIdx.x] = (p ? 1000 : 100) + q.a + static_cast<int>(q.b) + n; }
template <class T> __global__ void set(T* z, T value) { z[threadIdx.x] = value; }
template <int kAdded> __global__ void add_if_null(int* z, const float* p) { z[threadIdx.x] = p ? 0 : kAdded; }
static int counted = 0;
static int count() { return ++counted; }

ROW(null_from_zero) { sum<<<1, 32, 0, stream>>>(0, z, Pair{1, 2}, 0); }
ROW(null_from_NULL) { sum<<<1, 32, 0, stream>>>(NULL, z, Pair{1, 2}, 0); }
ROW(null_from_nullptr) { sum<<<1, 32, 0, stream>>>(nullptr, z, Pair{1, 2}, 0); }
ROW(null_in_a_template) { add_if_null<5><<<1, 32, 0, stream>>>(z, 0); }
ROW(zero_in_a_template) { set<<<1, 32, 0, stream>>>(z, 0); }
ROW(braces) {
    const int n = 7;
    sum<<<1, 32, 0, stream>>>(z, z, {n, 2.5f}, 0);
}
ROW(empty_braces) { sum<<<1, 32, 0, stream>>>(z, z, {}, 3); }
ROW(braces_once) {
    counted = 0;
    sum<<<1, 32, 0, stream>>>(z, z, {count(), 2.5f}, 0);
    set<<<1, 1, 0, stream>>>(z + 1, counted);
}

// ---- threads that have returned count as having arrived ----

__global__ void some_return(int* z) {
    __shared__ int s[96];
    if (threadIdx.x >= 70) return;
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x % 2) return;
    z[threadIdx.x / 2] = s[69 - threadIdx.x];
    __syncthreads();
    const int count = __syncthreads_count(1);
    if (threadIdx.x == 0) z[35] = count;
}
ROW(returned_threads_have_arrived) { some_return<<<1, 96, 0, stream>>>(z); }
