// More patterns of between_blocks.cu, of the same form:
//     segments_...: out[b] is the sum of the blocks from the last one that begins a segment, up to b
//     strips_...:   out[t] is the sum of the elements 96 t ... 96 t + 95
#include "between_blocks.cu"

__global__ void look_back_volatile(const unsigned* x, unsigned* out, unsigned* s) {   // one word carries all: no fence
    volatile unsigned long long* states = (volatile unsigned long long*)(s + 64);
    const unsigned value = block_sum(mine(x)), b = blockIdx.x;
    if (threadIdx.x) return;
    states[b] = (b ? 1ull : 2ull) << 32 | value;
    unsigned before = 0;
    for (int k = int(b) - 1; k >= 0; --k) {
        unsigned long long state;
        do { state = states[k]; } while (state >> 32 == 0);
        before += unsigned(state);
        if (state >> 32 == 2) break;
    }
    states[b] = 2ull << 32 | (before + value);
    out[b] = before + value;
}


__global__ void segments_look_back(const unsigned* x, unsigned* out, unsigned* s) {   // no block looks beyond a segment's head
    unsigned *flags = s + 1, *sums = flags + gridDim.x;
    const unsigned value = block_sum(mine(x)), b = blockIdx.x;
    if (threadIdx.x) return;
    const bool is_head = b == 0 || x[b * kThreads] % 3 == 0;
    sums[b] = value;
    __threadfence();
    atomicExch(flags + b, is_head ? 2u : 1u);
    unsigned total = value;
    for (unsigned k = b; !is_head && k-- > 0;) {
        unsigned flag;
        while (!(flag = look(flags + k))) {}
        __threadfence();
        total += sums[k];
        if (flag == 2) break;
    }
    out[b] = total;
}

__global__ void strips_stream_k(const unsigned* x, unsigned* out, unsigned* s) {   // a strip's first block mends it
    constexpr unsigned kStrip = kThreads / 2 * 3;
    unsigned *flags = s + 1, *parts = flags + gridDim.x;
    const unsigned b = blockIdx.x, begin = b * kThreads, end = begin + kThreads, all = gridDim.x * kThreads;
    const unsigned cut = begin + (kStrip - begin % kStrip) % kStrip;   // here the block's own strip begins, if there is one
    const unsigned i = begin + threadIdx.x;
    const unsigned head = block_sum(i < cut ? x[i] : 0), own = block_sum(i >= cut ? x[i] : 0);
    if (threadIdx.x) return;
    if (begin < cut) {                                                 // the end or the middle of another's
        parts[b] = head;
        __threadfence();
        atomicExch(flags + b, 1u);
    }
    if (cut >= end) return;
    unsigned sum = own;
    for (unsigned k = b + 1; k * kThreads < min(cut + kStrip, all); ++k) {
        while (!look(flags + k)) {}
        __threadfence();
        sum += parts[k];
    }
    out[cut / kStrip] = sum;
}

__global__ void lock_semaphore(const unsigned* x, unsigned* out, unsigned* s) {   // at most three blocks at a time
    const unsigned value = block_sum(mine(x));
    if (threadIdx.x) return;
    for (;;) {
        const unsigned held = look(s);
        if (held < 3 && atomicCAS(s, held, held + 1) == held) break;
        __nanosleep(20);
    }
    __threadfence();
    atomicAdd(s + 1, value);
    __threadfence();
    if (atomicAdd(s + 2, 1u) == gridDim.x - 1) *out = look(s + 1);
    atomicSub(s, 1u);
}

__global__ void lock_chain(const unsigned* x, unsigned* out, unsigned* s) {   // a semaphore from each block to the next
    const unsigned value = block_sum(mine(x)), b = blockIdx.x;
    if (threadIdx.x) return;
    unsigned *sum = s, *posts = s + 64;
    while (b && atomicCAS(posts + b, 1u, 0u) != 1) {}
    __threadfence();
    *sum += value;
    *out = *sum;
    __threadfence();
    atomicAdd(posts + b + 1, 1u);
}

__global__ void tiles_stack(const unsigned* x, unsigned* out, unsigned* s, unsigned tiles) {   // Treiber's, with a count
    unsigned long long* top = (unsigned long long*)(s + 64);   // pushes so far, and the node's number + 1
    unsigned *next = s + 66, *items = next + tiles;
    __shared__ unsigned item;
    const unsigned b = blockIdx.x;
    if (threadIdx.x == 0) {
        items[b] = tiles - 1 - b;
        unsigned long long old = atomicAdd(top, 0ull), seen;
        do {
            seen = old;
            atomicExch(next + b, unsigned(seen));
            __threadfence();
            old = atomicCAS(top, seen, ((seen >> 32) + 1) << 32 | (b + 1));
        } while (old != seen);
        for (;;) {   // and takes one, which need not be its own
            seen = atomicAdd(top, 0ull);
            const unsigned node = unsigned(seen);
            if (node == 0) continue;
            const unsigned below = atomicAdd(next + node - 1, 0u);
            if (atomicCAS(top, seen, ((seen >> 32) + 1) << 32 | below) != seen) continue;
            __threadfence();
            item = items[node - 1];
            break;
        }
    }
    __syncthreads();
    out[item * kThreads + threadIdx.x] = 3 * x[item * kThreads + threadIdx.x];
}

__global__ void tiles_steal(const unsigned* x, unsigned* out, unsigned* s, unsigned tiles) {   // odd blocks have none
    __shared__ unsigned tile;
    const unsigned half = (gridDim.x + 1) / 2;
    for (unsigned turn = 0; turn < gridDim.x;) {
        const unsigned victim = (blockIdx.x / 2 + turn) % half;
        if (threadIdx.x == 0) tile = 2 * victim + min(atomicAdd(s + victim, 1u), 2u);
        __syncthreads();
        const unsigned t = tile;
        __syncthreads();
        if (t < 2 * victim + 2 && t < tiles) out[t * kThreads + threadIdx.x] = 3 * x[t * kThreads + threadIdx.x];
        else if (++turn > 4) return;
    }
}
