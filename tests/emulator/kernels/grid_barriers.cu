// Barriers of the whole grid, made by hand: all blocks must be resident.
#include "between_blocks.cu"

__device__ void barrier_count(unsigned* s, unsigned phase) {
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(s, 1u);
        while (look(s) < phase * gridDim.x) {}
        __threadfence();
    }
    __syncthreads();
}
__device__ void barrier_volatile(unsigned* s, unsigned phase) {
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(s, 1u);
        while (glance(s) < phase * gridDim.x) {}
        __threadfence();
    }
    __syncthreads();
}
__device__ void barrier_sense(unsigned* s, unsigned phase) {   // the last one resets the counter and turns the sense
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        if (atomicAdd(s, 1u) == gridDim.x - 1) {
            atomicExch(s, 0u);
            __threadfence();
            atomicExch(s + 1, phase);
        } else {
            while (look(s + 1) != phase) {}
        }
        __threadfence();
    }
    __syncthreads();
}
__device__ void barrier_flags(unsigned* s, unsigned phase) {   // block 0 waits for all flags, then lets all go on
    unsigned *go = s, *flags = s + 1;
    __syncthreads();
    if (blockIdx.x == 0) {
        for (unsigned b = 1 + threadIdx.x; b < gridDim.x; b += kThreads) while (look(flags + b) < phase) {}
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            atomicExch(go, phase);
        }
    } else if (threadIdx.x == 0) {
        __threadfence();
        atomicExch(flags + blockIdx.x, phase);
        while (look(go) < phase) {}
        __threadfence();
    }
    __syncthreads();
}

// Three steps in which every block adds its neighbours' numbers to its own, in a ring.
template <void (*barrier)(unsigned*, unsigned)>
__global__ void steps(const unsigned* x, unsigned* out, unsigned* s) {
    const unsigned b = blockIdx.x, blocks = gridDim.x;
    unsigned* numbers[2] = {s + 64 + blocks, s + 64 + 2 * blocks};
    const unsigned value = block_sum(mine(x));
    if (threadIdx.x == 0) numbers[0][b] = value;
    barrier(s, 1);
    for (unsigned step = 0; step < 3; ++step) {
        const unsigned *from = numbers[step % 2];
        if (threadIdx.x == 0)
            numbers[1 - step % 2][b] = from[b] + from[(b + 1) % blocks] + from[(b + blocks - 1) % blocks];
        barrier(s, step + 2);
    }
    if (threadIdx.x == 0) out[b] = numbers[1][b];
}
// The same by the runtime's own barrier, for comparison: a launch for each step.
__global__ void ring_step(const unsigned* from, unsigned* to) {
    const unsigned b = blockIdx.x, blocks = gridDim.x;
    if (threadIdx.x == 0) to[b] = from[b] + from[(b + 1) % blocks] + from[(b + blocks - 1) % blocks];
}
__global__ void block_sums(const unsigned* x, unsigned* to) {
    const unsigned value = block_sum(mine(x));
    if (threadIdx.x == 0) to[blockIdx.x] = value;
}
