// Blocks that hand something on, in ways beyond between_blocks.cu: right ones, and beside each what is wrong with one word.
#include <cuda/atomic>
constexpr unsigned kT = 64;
__device__ unsigned block_sum(unsigned value) {
    __shared__ unsigned warps[32];
    const unsigned n = (blockDim.x * blockDim.y * blockDim.z + 31) / 32, t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    for (int d = 16; d > 0; d /= 2) value += __shfl_down_sync(~0u, value, d);
    if (t % 32 == 0) warps[t / 32] = value;
    __syncthreads();
    value = 0;
    for (unsigned w = 0; w < n; ++w) value += warps[w];
    __syncthreads();
    return value;
}
__device__ unsigned mine(const unsigned* x) { return x[blockIdx.x * kT + threadIdx.x]; }
__device__ unsigned look(unsigned* p) { return atomicAdd(p, 0u); }
template <class T> using Dev = cuda::atomic_ref<T, cuda::thread_scope_device>;
constexpr auto acq = cuda::memory_order_acquire;
constexpr auto rel = cuda::memory_order_release;
constexpr auto rlx = cuda::memory_order_relaxed;
constexpr unsigned kRing = 16;
// s[0] head, s[1] tail, s[2] sum, s[3] taken; sequence numbers, values
#define MPMC(name, ORDER_PUT, ORDER_GET) \
    __global__ void name(const unsigned* x, unsigned* out, unsigned* s) { \
        unsigned *seq = s + 64, *value = s + 64 + kRing; \
        const unsigned pairs = gridDim.x / 2, v = block_sum(x[(blockIdx.x % (gridDim.x / 2)) * kT * 2 + threadIdx.x] + x[(blockIdx.x % (gridDim.x / 2)) * kT * 2 + kT + threadIdx.x]); \
        if (threadIdx.x) return; \
        if (blockIdx.x < pairs) { \
            const unsigned at = Dev<unsigned>(s[0]).fetch_add(1, rlx), cell = at % kRing; \
            while (Dev<unsigned>(seq[cell]).load(acq) != 2 * (at / kRing)) __nanosleep(20); \
            value[cell] = v; \
            Dev<unsigned>(seq[cell]).store(2 * (at / kRing) + 1, ORDER_PUT); \
        } else { \
            const unsigned at = Dev<unsigned>(s[1]).fetch_add(1, rlx), cell = at % kRing; \
            while (Dev<unsigned>(seq[cell]).load(ORDER_GET) != 2 * (at / kRing) + 1) __nanosleep(20); \
            const unsigned got = value[cell]; \
            Dev<unsigned>(seq[cell]).store(2 * (at / kRing) + 2, rel); \
            Dev<unsigned>(s[2]).fetch_add(got, rlx); \
            if (Dev<unsigned>(s[3]).fetch_add(1, cuda::memory_order_acq_rel) == pairs - 1) *out = Dev<unsigned>(s[2]).load(rlx); \
        } \
    }
MPMC(mpmc, rel, acq)
MPMC(mpmc_relaxed_put, rlx, acq)
MPMC(mpmc_relaxed_get, rel, rlx)
// Treiber stack with a version in the upper half: each pushes its own node, then pops one and adds it
#define TREIBER(name, PUBLISH) \
    __global__ void name(const unsigned* x, unsigned* out, unsigned* s) { \
        unsigned long long* top = (unsigned long long*)s; \
        unsigned *next = s + 64, *value = next + gridDim.x + 1; \
        const unsigned v = block_sum(mine(x)), me = blockIdx.x + 1; \
        if (threadIdx.x) return; \
        value[me] = v; \
        unsigned long long old = atomicAdd(top, 0ull), seen; \
        do { \
            seen = old; \
            atomicExch(next + me, unsigned(seen)); \
            PUBLISH; \
            old = atomicCAS(top, seen, ((seen >> 32) + 1) << 32 | me); \
        } while (old != seen); \
        old = atomicAdd(top, 0ull); \
        unsigned node; \
        do { \
            seen = old; \
            node = unsigned(seen); \
            old = atomicCAS(top, seen, ((seen >> 32) + 1) << 32 | atomicAdd(next + node, 0u)); \
        } while (old != seen); \
        __threadfence(); \
        atomicAdd(s + 4, value[node]); \
        __threadfence(); \
        if (atomicAdd(s + 5, 1u) == gridDim.x - 1) *out = look(s + 4); \
    }
TREIBER(treiber, __threadfence())
// double-buffered: block 0 produces, all consume each slot; reuse only after all have read
#define DOUBLE(name, WAIT_FREE) \
    __global__ void name(const unsigned* x, unsigned* out, unsigned* s) { \
        unsigned *full = s, *empty = s + 2, *slot = s + 8, *done = s + 4; \
        const unsigned t = threadIdx.x, readers = gridDim.x - 1; \
        if (blockIdx.x == 0) { \
            for (unsigned i = 0; i < 6; ++i) { \
                if (t == 0 && i > 1) { WAIT_FREE; } \
                __syncthreads(); \
                slot[i % 2 * kT + t] = i + t; \
                __threadfence(); \
                __syncthreads(); \
                if (t == 0) atomicAdd(full + i % 2, 1u); \
            } \
            if (readers == 0) *out = 1; \
            return; \
        } \
        unsigned bad = 0; \
        for (unsigned i = 0; i < 6; ++i) { \
            if (t == 0) { while (look(full + i % 2) <= i / 2) __nanosleep(10); __threadfence(); } \
            __syncthreads(); \
            bad |= slot[i % 2 * kT + t] != i + t; \
            __syncthreads(); \
            if (t == 0) { __threadfence(); atomicAdd(empty + i % 2, 1u); } \
        } \
        bad = __syncthreads_or(bad); \
        if (t == 0 && atomicAdd(done, 1u) == readers - 1) *out = !bad; \
    }
DOUBLE(double_buffer, while (look(empty + i % 2) < i / 2 * readers) {} __threadfence())
// hierarchical barrier: 8 blocks a group, then the groups' leaders
__device__ void hierarchical(unsigned* s, unsigned phase) {
    const unsigned group = blockIdx.x / 8, groups = (gridDim.x + 7) / 8, size = min(8u, gridDim.x - group * 8);
    __syncthreads();
    if (threadIdx.x == 0) {
        Dev<unsigned> mine(s[4 + group]), all(s[0]), go(s[1]);
        if (mine.fetch_add(1, cuda::memory_order_acq_rel) == size * phase - 1)
            if (all.fetch_add(1, cuda::memory_order_acq_rel) == groups * phase - 1) go.store(phase, rel);
        while (go.load(acq) < phase) {}
    }
    __syncthreads();
}
// sense reversing with nanosleep and exponential back-off
__device__ void backoff(unsigned* s, unsigned phase) {
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        const unsigned sense = phase & 1;
        if (atomicAdd(s, 1u) == gridDim.x - 1) {
            atomicExch(s, 0u);
            __threadfence();
            atomicExch(s + 1, sense);
        } else {
            unsigned ns = 8;
            while (*(volatile unsigned*)(s + 1) != sense) { __nanosleep(ns); ns = min(ns * 2, 256u); }
        }
        __threadfence();
    }
    __syncthreads();
}
// the same without the fence before arriving
__device__ void no_fence(unsigned* s, unsigned phase) {
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(s, 1u);
        while (look(s) < phase * gridDim.x) {}
        __threadfence();
    }
    __syncthreads();
}
// relaxed arrival, then a fence: too late
__device__ void relaxed_arrival(unsigned* s, unsigned phase) {
    __syncthreads();
    if (threadIdx.x == 0) {
        Dev<unsigned>(s[0]).fetch_add(1, rlx);
        cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_device);
        while (Dev<unsigned>(s[0]).load(acq) < phase * gridDim.x) {}
    }
    __syncthreads();
}
// fences of the block alone
__device__ void block_fence(unsigned* s, unsigned phase) {
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence_block();
        atomicAdd(s, 1u);
        while (look(s) < phase * gridDim.x) {}
        __threadfence_block();
    }
    __syncthreads();
}
#define STEPS(name, BARRIER) \
    __global__ void name(const unsigned* x, unsigned* out, unsigned* s) { \
        const unsigned b = blockIdx.x, n = gridDim.x; \
        unsigned phase = 0; \
        unsigned* num[2] = {s + 200 + n, s + 200 + 2 * n}; \
        const unsigned v = block_sum(mine(x)); \
        if (threadIdx.x == 0) num[0][b] = v; \
        BARRIER(s, ++phase); \
        for (int i = 0; i < 3; ++i) { \
            if (threadIdx.x == 0) num[1 - i % 2][b] = num[i % 2][b] + num[i % 2][(b + 1) % n] + num[i % 2][(b + n - 1) % n]; \
            BARRIER(s, ++phase); \
        } \
        if (threadIdx.x == 0) out[b] = num[1][b]; \
    }
STEPS(ring_hierarchical, hierarchical)
STEPS(ring_backoff, backoff)
STEPS(ring_no_fence, no_fence)
STEPS(ring_relaxed, relaxed_arrival)
STEPS(ring_block_fence, block_fence)
// persistent scheduler: jobs in order of dependence, a job i needs (i - 1) / 2
#define MEGA(name, ORDER, WAIT) \
    __global__ void name(const unsigned* x, unsigned* out, unsigned* s, unsigned tiles) { \
        __shared__ unsigned job; \
        unsigned *done = s + 64, *depth = done + tiles; \
        for (;;) { \
            if (threadIdx.x == 0) job = Dev<unsigned>(s[0]).fetch_add(1, rlx); \
            __syncthreads(); \
            const unsigned j = job; \
            __syncthreads(); \
            if (j >= tiles) return; \
            const unsigned v = block_sum(x[j * kT + threadIdx.x]); \
            if (threadIdx.x == 0) { \
                if (j) { WAIT; } \
                depth[j] = j ? depth[(j - 1) / 2] + 1 : 0; \
                out[j] = v; \
                Dev<unsigned>(done[j]).store(1, ORDER); \
            } \
            __syncthreads(); \
        } \
    }
#define PARENT while (!Dev<unsigned>(done[(j - 1) / 2]).load(acq)) {}
MEGA(megakernel, rel, PARENT)
MEGA(megakernel_relaxed, rlx, PARENT)
MEGA(megakernel_no_wait, rel, )
// a relaxed sum, ordered by a fence
#define RED(name, FENCE) \
    __global__ void name(const unsigned* x, unsigned* out, unsigned* s) { \
        const unsigned v = block_sum(mine(x)); \
        if (threadIdx.x) return; \
        s[64 + blockIdx.x] = v; \
        FENCE; \
        if (Dev<unsigned>(s[0]).fetch_add(1, rlx) != gridDim.x - 1) return; \
        FENCE; \
        unsigned all = 0; \
        for (unsigned i = 0; i < gridDim.x; ++i) all += s[64 + i]; \
        *out = all; \
    }
RED(red_fence, cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_device))
RED(red_block_fence, cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_block))
RED(red_none, )
// reads the data before it looks at the flag
__global__ void reads_early(const unsigned* x, unsigned* out, unsigned* s) {
    const unsigned v = block_sum(mine(x)), b = blockIdx.x;
    if (threadIdx.x) return;
    const unsigned before = b ? *(volatile unsigned*)(out + b - 1) : 0;
    if (b) while (!look(s + b - 1)) {}
    __threadfence();
    out[b] = v + before;
    __threadfence();
    atomicExch(s + b, 1u);
}
// waits for a volatile flag kept in shared memory for the block
__global__ void flag_in_shared(const unsigned* x, unsigned* out, unsigned* s) {
    __shared__ unsigned ready;
    const unsigned v = block_sum(mine(x)), b = blockIdx.x;
    for (;;) {
        if (threadIdx.x == 0) ready = b == 0 || look(s + b - 1);
        __syncthreads();
        if (ready) break;
        __syncthreads();
    }
    __threadfence();
    if (threadIdx.x == 0) {
        out[b] = v + (b ? out[b - 1] : 0);
        __threadfence();
        atomicExch(s + b, 1u);
    }
}
__global__ void vote_on_flag(const unsigned* x, unsigned* out, unsigned* s) {
    const unsigned v = block_sum(mine(x)), b = blockIdx.x;
    while (!__syncthreads_and(b == 0 || *(volatile unsigned*)(s + b - 1) != 0)) {}
    __threadfence();
    if (threadIdx.x == 0) {
        out[b] = v + (b ? out[b - 1] : 0);
        __threadfence();
        atomicExch(s + b, 1u);
    }
}
