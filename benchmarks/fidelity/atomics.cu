// Micro-kernels on atomic operations, with and without a use of the old value, in global and in shared memory.
//
// As in global.cu, n = 1024 and x[i] is a pseudo-random whole number. out starts as zeros. Where the order of the
// atomics decides what is returned, only a fact that holds in every order is stored.

#define ENTRY(name, T, blocks, threads, ...)                               \
    extern "C" void name(const T* x, T* out, int n, cudaStream_t stream) { \
        cudaMemsetAsync(out, 0, 40 * n * sizeof(T), stream);               \
        __VA_ARGS__<<<blocks, threads, 0, stream>>>(x, out, n);            \
    }

template <unsigned stride> struct At {
    static __device__ unsigned of(unsigned i) { return stride * i; }
};
template <unsigned lanes> struct Each {  // as many neighbours share one address
    static __device__ unsigned of(unsigned i) { return i / lanes; }
};
template <unsigned count> struct Modulo {
    static __device__ unsigned of(unsigned i) { return i % count; }
};

__device__ unsigned thread() { return blockIdx.x * blockDim.x + threadIdx.x; }

// ---- global ----

// Nobody wants the old value: the machine reduces (RED).
template <class P, class T> __global__ void add(const T* x, T* out, int n) {
    unsigned i = thread();
    atomicAdd(out + P::of(i), x[i]);
}
ENTRY(add_distinct, int, 8, 128, add<At<1>>)
ENTRY(add_stride_8, int, 8, 128, add<At<8>>)
ENTRY(add_each_4, int, 8, 128, add<Each<4>>)
ENTRY(add_modulo_8, int, 8, 128, add<Modulo<8>>)
ENTRY(add_one_per_warp, int, 8, 128, add<Each<32>>)
ENTRY(add_one_for_all, int, 8, 128, add<At<0>>)
ENTRY(add_distinct_float, float, 8, 128, add<At<1>>)
ENTRY(add_each_4_float, float, 8, 128, add<Each<4>>)
ENTRY(add_one_for_all_float, float, 8, 128, add<At<0>>)
ENTRY(add_distinct_double, double, 8, 128, add<At<1>>)
ENTRY(add_distinct_64_bit, unsigned long long, 8, 128, add<At<1>>)
ENTRY(add_each_4_64_bit, unsigned long long, 8, 128, add<Each<4>>)

// Somebody does: the machine fetches (ATOMG).
template <class P, class T> __global__ void fetch(const T* x, T* out, int n) {
    unsigned i = thread();
    T before = atomicAdd(out + P::of(i), x[i]);
    out[36 * n + i] = before >= 0 ? 1 : 2;
}
ENTRY(fetch_distinct, int, 8, 128, fetch<At<1>>)
ENTRY(fetch_stride_8, int, 8, 128, fetch<At<8>>)
ENTRY(fetch_each_4, int, 8, 128, fetch<Each<4>>)
ENTRY(fetch_one_for_all, int, 8, 128, fetch<At<0>>)
ENTRY(fetch_distinct_float, float, 8, 128, fetch<At<1>>)

__global__ void add_odd(const int* x, int* out, int n) {
    unsigned i = thread();
    if (i % 2) {
        atomicAdd(out + i, x[i]);
    }
}
ENTRY(add_odd_lanes, int, 8, 128, add_odd)

__global__ void greatest(const int* x, int* out, int n) {
    unsigned i = thread();
    atomicMax(out + i / 4, x[i]);
}
ENTRY(max_each_4, int, 8, 128, greatest)

__global__ void exchange(const int* x, int* out, int n) {
    unsigned i = thread();
    out[36 * n + i] = atomicExch(out + i, x[i]);
}
ENTRY(exchange_distinct, int, 8, 128, exchange)

__global__ void swap_if_zero(const int* x, int* out, int n) {
    unsigned i = thread();
    out[36 * n + i] = atomicCAS(out + i, 0, x[i]);
}
ENTRY(compare_and_swap_distinct, int, 8, 128, swap_if_zero)

__global__ void count(const int* x, int* out, int n) {
    unsigned i = thread();
    atomicAdd(out + x[i] % 32, 1);
}
ENTRY(histogram, int, 8, 128, count)

// ---- shared: a warp a block ----

template <class P, class T> __global__ void shared_add(const T* x, T* out, int n) {
    __shared__ T sums[32 * 32];
    unsigned lane = threadIdx.x, i = thread();
    sums[P::of(lane)] = 0;
    __syncwarp();
    atomicAdd(sums + P::of(lane), x[i]);
    __syncwarp();
    out[i] = sums[P::of(lane)];
}
ENTRY(shared_add_distinct, int, 32, 32, shared_add<At<1>>)
ENTRY(shared_add_stride_2, int, 32, 32, shared_add<At<2>>)
ENTRY(shared_add_stride_32, int, 32, 32, shared_add<At<32>>)
ENTRY(shared_add_each_4, int, 32, 32, shared_add<Each<4>>)
ENTRY(shared_add_one_for_all, int, 32, 32, shared_add<At<0>>)
ENTRY(shared_add_distinct_float, float, 32, 32, shared_add<At<1>>)

template <class P> __global__ void shared_fetch(const int* x, int* out, int n) {
    __shared__ int sums[32];
    unsigned lane = threadIdx.x, i = thread();
    sums[lane] = 0;
    __syncwarp();
    int before = atomicAdd(sums + P::of(lane), x[i]);
    __syncwarp();
    out[i] = sums[lane] + (before >= 0 ? 1 : 2);
}
ENTRY(shared_fetch_distinct, int, 32, 32, shared_fetch<At<1>>)
ENTRY(shared_fetch_each_4, int, 32, 32, shared_fetch<Each<4>>)
ENTRY(shared_fetch_one_for_all, int, 32, 32, shared_fetch<At<0>>)

__global__ void shared_greatest(const int* x, int* out, int n) {
    __shared__ int most[32];
    unsigned lane = threadIdx.x, i = thread();
    most[lane] = 0;
    __syncwarp();
    atomicMax(most + lane / 4, x[i]);
    __syncwarp();
    out[i] = most[lane];
}
ENTRY(shared_max_each_4, int, 32, 32, shared_greatest)

// 128 threads share the bins of a block, which are then added to the grid's.
__global__ void count_in_shared(const int* x, int* out, int n) {
    __shared__ int bins[32];
    unsigned t = threadIdx.x;
    if (t < 32) {
        bins[t] = 0;
    }
    __syncthreads();
    atomicAdd(bins + x[thread()] % 32, 1);
    __syncthreads();
    if (t < 32) {
        atomicAdd(out + t, bins[t]);
    }
}
ENTRY(shared_histogram, int, 8, 128, count_in_shared)
