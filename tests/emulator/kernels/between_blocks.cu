// Right patterns in which blocks wait for each other or hand results on. Each entry point takes `blocks` blocks of 64
// threads over n = 64 * blocks elements; `scratch` has 80 * blocks + 64 words and is set to zero first.
//     sum_...:  out[0] is the sum of x        scan_...: out[b] is the sum of the blocks 0 ... b
//     tiles_...: out[i] is 3 * x[i]           steps_...: out[i] is x, added to both neighbours of its block's ring, thrice
constexpr unsigned kThreads = 64, kWarps = kThreads / 32;

__device__ unsigned block_sum(unsigned value) {
    __shared__ unsigned warps[kWarps];
    for (int d = 16; d > 0; d /= 2) value += __shfl_down_sync(~0u, value, d);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
    __syncthreads();
    value = 0;
    for (unsigned warp = 0; warp < kWarps; ++warp) value += warps[warp];
    __syncthreads();
    return value;
}
__device__ unsigned mine(const unsigned* x) { return x[blockIdx.x * kThreads + threadIdx.x]; }
__device__ unsigned look(unsigned* p) { return atomicAdd(p, 0u); }
__device__ unsigned glance(const unsigned* p) { return *(const volatile unsigned*)p; }
__device__ void add_all(const unsigned* parts, unsigned count, unsigned* out) {
    unsigned value = 0;
    for (unsigned i = threadIdx.x; i < count; i += kThreads) value += parts[i];
    value = block_sum(value);
    if (threadIdx.x == 0) *out = value;
}

// ---- the last to arrive ----
__global__ void last_inc(const unsigned* x, unsigned* out, unsigned* s) {
    __shared__ bool is_last;
    const unsigned value = block_sum(mine(x));
    if (threadIdx.x == 0) {
        s[1 + blockIdx.x] = value;
        __threadfence();
        is_last = atomicInc(s, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last) add_all(s + 1, gridDim.x, out);
}
__global__ void last_modulo(const unsigned* x, unsigned* out, unsigned* s) {
    __shared__ bool is_last;
    const unsigned value = block_sum(mine(x));
    if (threadIdx.x == 0) {
        s[1 + blockIdx.x] = value;
        __threadfence();
        is_last = atomicAdd(s, 1u) % gridDim.x == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last) add_all(s + 1, gridDim.x, out);
}
__global__ void last_all_store(const unsigned* x, unsigned* out, unsigned* s) {   // every thread's store, one thread's fence
    __shared__ bool is_last;
    s[1 + blockIdx.x * kThreads + threadIdx.x] = mine(x);
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        is_last = atomicAdd(s, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last) add_all(s + 1, gridDim.x * kThreads, out);
}
__global__ void last_all_fence(const unsigned* x, unsigned* out, unsigned* s) {   // every thread's fence, then a barrier
    __shared__ bool is_last;
    s[1 + blockIdx.x * kThreads + threadIdx.x] = mine(x);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) is_last = atomicAdd(s, 1u) == gridDim.x - 1;
    __syncthreads();
    if (is_last) add_all(s + 1, gridDim.x * kThreads, out);
}
__global__ void last_thread(const unsigned* x, unsigned* out, unsigned* s) {   // each thread arrives by itself
    const unsigned i = blockIdx.x * kThreads + threadIdx.x;
    s[1 + i] = x[i];
    __threadfence();
    if (atomicAdd(s, 1u) != gridDim.x * kThreads - 1) return;
    unsigned value = 0;
    for (unsigned k = 0; k < gridDim.x * kThreads; ++k) value += s[1 + k];
    *out = value;
}
__global__ void last_warp(const unsigned* x, unsigned* out, unsigned* s) {   // each warp arrives by itself
    unsigned value = mine(x), is_last = 0;
    for (int d = 16; d > 0; d /= 2) value += __shfl_down_sync(~0u, value, d);
    const unsigned warps = gridDim.x * kWarps, lane = threadIdx.x % 32;
    if (lane == 0) {
        s[1 + blockIdx.x * kWarps + threadIdx.x / 32] = value;
        __threadfence();
        is_last = atomicAdd(s, 1u) == warps - 1;
    }
    if (!__shfl_sync(~0u, is_last, 0)) return;
    __syncwarp();
    value = 0;
    for (unsigned i = lane; i < warps; i += 32) value += s[1 + i];
    for (int d = 16; d > 0; d /= 2) value += __shfl_down_sync(~0u, value, d);
    if (lane == 0) *out = value;
}
__global__ void last_of_groups(const unsigned* x, unsigned* out, unsigned* s) {   // groups of 16 blocks, then the groups
    __shared__ bool is_last;
    const unsigned group = blockIdx.x / 16, groups = (gridDim.x + 15) / 16;
    const unsigned size = min(16u, gridDim.x - group * 16);
    unsigned *arrived = s + 1, *parts = s + 1 + groups, *sums = parts + gridDim.x;
    const unsigned value = block_sum(mine(x));
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = value;
        __threadfence();
        is_last = atomicAdd(arrived + group, 1u) == size - 1;
    }
    __syncthreads();
    if (!is_last) return;
    add_all(parts + group * 16, size, sums + group);
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        is_last = atomicAdd(s, 1u) == groups - 1;
    }
    __syncthreads();
    if (is_last) add_all(sums, groups, out);
}
__global__ void last_cas(const unsigned* x, unsigned* out, unsigned* s) {   // a sum by compare-and-swap, then the counter
    __shared__ bool is_last;
    const unsigned value = block_sum(mine(x));
    if (threadIdx.x == 0) {
        unsigned seen = look(s + 1), old;
        do old = seen, seen = atomicCAS(s + 1, old, old + value);
        while (seen != old);
        __threadfence();
        is_last = atomicAdd(s, 1u) == gridDim.x - 1;
        if (is_last) *out = look(s + 1);
    }
}

// ---- prefixes handed on ----
__global__ void chain_volatile(const unsigned* x, unsigned* out, unsigned* s) {
    volatile unsigned* flags = s + 1;
    const unsigned value = block_sum(mine(x)), b = blockIdx.x;
    if (threadIdx.x) return;
    unsigned before = 0;
    if (b) {
        while (!flags[b - 1]) {}
        __threadfence();
        before = out[b - 1];
    }
    out[b] = before + value;
    __threadfence();
    flags[b] = 1;
}
__global__ void chain_atomic(const unsigned* x, unsigned* out, unsigned* s) {
    const unsigned value = block_sum(mine(x)), b = blockIdx.x;
    if (threadIdx.x) return;
    while (look(s) != b) {}
    __threadfence();
    out[b] = (b ? out[b - 1] : 0) + value;
    __threadfence();
    atomicExch(s, b + 1);
}
__global__ void chain_ticket(const unsigned* x, unsigned* out, unsigned* s) {   // the order of arrival is the order of work
    __shared__ unsigned ticket;
    if (threadIdx.x == 0) ticket = atomicAdd(s, 1u);
    __syncthreads();
    const unsigned b = ticket, value = block_sum(x[b * kThreads + threadIdx.x]);
    if (threadIdx.x) return;
    while (glance(s + 1) != b) {}
    __threadfence();
    out[b] = (b ? out[b - 1] : 0) + value;
    __threadfence();
    atomicAdd(s + 1, 1u);
}
__global__ void chain_tile(const unsigned* x, unsigned* out, unsigned* s) {   // 64 sums, handed on by all threads
    unsigned *flags = s + 1, *tiles = s + 1 + gridDim.x;
    const unsigned b = blockIdx.x;
    if (b) {
        if (threadIdx.x == 0) while (!look(flags + b - 1)) {}
        __syncthreads();
        __threadfence();
    }
    tiles[b * kThreads + threadIdx.x] = mine(x) + (b ? tiles[(b - 1) * kThreads + threadIdx.x] : 0);
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicExch(flags + b, 1u);
    }
    const unsigned all = block_sum(tiles[b * kThreads + threadIdx.x]);
    if (threadIdx.x == 0) out[b] = all;
}
__global__ void look_back_packed(const unsigned* x, unsigned* out, unsigned* s) {   // value and state in one word of 64 bits
    unsigned long long* states = (unsigned long long*)(s + 64);
    const unsigned value = block_sum(mine(x)), b = blockIdx.x;
    if (threadIdx.x) return;
    atomicExch(states + b, (b ? 1ull : 2ull) << 32 | value);
    unsigned before = 0;
    for (int k = int(b) - 1; k >= 0;) {
        const unsigned long long state = atomicAdd(states + k, 0ull);
        if (state >> 32 == 0) continue;
        before += unsigned(state);
        if (state >> 32 == 2) break;
        --k;
    }
    atomicExch(states + b, 2ull << 32 | (before + value));
    out[b] = before + value;
}
__global__ void look_back_flags(const unsigned* x, unsigned* out, unsigned* s) {   // aggregates and prefixes behind flags
    unsigned *flags = s + 1, *sums = flags + gridDim.x, *prefixes = sums + gridDim.x;
    const unsigned value = block_sum(mine(x)), b = blockIdx.x;
    if (threadIdx.x) return;
    sums[b] = value;
    __threadfence();
    atomicExch(flags + b, 1u);
    unsigned before = 0;
    for (int k = int(b) - 1; k >= 0; --k) {
        unsigned flag;
        while (!(flag = look(flags + k))) {}
        __threadfence();
        before += flag == 2 ? prefixes[k] : sums[k];
        if (flag == 2) break;
    }
    prefixes[b] = out[b] = before + value;
    __threadfence();
    atomicExch(flags + b, 2u);
}
__global__ void look_back_warp(const unsigned* x, unsigned* out, unsigned* s) {   // a window of 32 blocks at a time
    volatile unsigned* flags = s + 1;
    volatile unsigned *sums = s + 1 + gridDim.x, *prefixes = s + 1 + 2 * gridDim.x;
    const unsigned value = block_sum(mine(x)), b = blockIdx.x, lane = threadIdx.x;
    if (lane >= 32) return;
    if (lane == 0) {
        sums[b] = value;
        __threadfence();
        flags[b] = 1;
    }
    __syncwarp();
    unsigned before = 0;
    for (int base = int(b) - 1; base >= 0; base -= 32) {
        const int k = base - int(lane);
        unsigned flag = k >= 0 ? 0 : 1;
        while (k >= 0 && !(flag = flags[k])) {}
        __threadfence();
        unsigned part = k < 0 ? 0 : flag == 2 ? prefixes[k] : sums[k];
        const unsigned whole = __ballot_sync(~0u, k >= 0 && flag == 2);
        const unsigned last = whole ? __ffs(whole) - 1 : 31;
        if (lane > last) part = 0;
        for (int d = 16; d > 0; d /= 2) part += __shfl_xor_sync(~0u, part, d);
        before += part;
        if (whole) break;
    }
    if (lane == 0) {
        out[b] = before + value;
        prefixes[b] = before + value;
        __threadfence();
        flags[b] = 2;
    }
}

// ---- locks and queues ----
__global__ void lock_swap(const unsigned* x, unsigned* out, unsigned* s) {
    const unsigned value = block_sum(mine(x));
    if (threadIdx.x) return;
    while (atomicCAS(s, 0u, 1u)) {}
    __threadfence();
    s[1] += value;
    *out = s[1];
    __threadfence();
    atomicExch(s, 0u);
}
__global__ void lock_ticket(const unsigned* x, unsigned* out, unsigned* s) {
    const unsigned value = block_sum(mine(x));
    if (threadIdx.x) return;
    const unsigned ticket = atomicAdd(s, 1u);
    while (glance(s + 1) != ticket) {}
    __threadfence();
    s[2] += value;
    *out = s[2];
    __threadfence();
    atomicExch(s + 1, ticket + 1);
}
__global__ void lock_block(const unsigned* x, unsigned* out, unsigned* s) {   // a whole block in its critical section
    __shared__ unsigned held;
    const unsigned value = mine(x);
    if (threadIdx.x == 0) {
        while (atomicExch(s, 1u)) {}
        __threadfence();
        held = 1;
    }
    __syncthreads();
    s[1 + threadIdx.x] += value * held;
    __syncthreads();
    const unsigned all = block_sum(s[1 + threadIdx.x]);
    if (threadIdx.x == 0) {
        *out = all;
        __threadfence();
        atomicExch(s, 0u);
    }
}
__global__ void tiles_dynamic(const unsigned* x, unsigned* out, unsigned* s, unsigned tiles) {
    __shared__ unsigned tile;
    for (;;) {
        if (threadIdx.x == 0) tile = atomicAdd(s, 1u);
        __syncthreads();
        const unsigned t = tile;
        __syncthreads();
        if (t >= tiles) return;
        out[t * kThreads + threadIdx.x] = 3 * x[t * kThreads + threadIdx.x];
    }
}
__global__ void tiles_warp(const unsigned* x, unsigned* out, unsigned* s, unsigned tiles) {
    const unsigned lane = threadIdx.x % 32;
    for (;;) {
        unsigned tile = lane ? 0 : atomicAdd(s, 1u);
        tile = __shfl_sync(~0u, tile, 0);
        if (tile >= kWarps * tiles) return;
        out[tile * 32 + lane] = 3 * x[tile * 32 + lane];
    }
}
__global__ void tiles_queue(const unsigned* x, unsigned* out, unsigned* s, unsigned tiles) {   // even blocks fill it, all empty it
    unsigned *tail = s, *head = s + 1, *ready = s + 2, *items = s + 2 + tiles;
    if (blockIdx.x % 2 == 0 && threadIdx.x == 0)
        for (unsigned t = blockIdx.x; t < min(tiles, blockIdx.x + 2); ++t) {
            const unsigned at = atomicAdd(tail, 1u);
            items[at] = t;
            __threadfence();
            atomicExch(ready + at, 1u);
        }
    __shared__ unsigned item;
    __syncthreads();
    if (threadIdx.x == 0) {
        const unsigned at = atomicAdd(head, 1u);
        while (!look(ready + at)) {}
        __threadfence();
        item = items[at];
    }
    __syncthreads();
    out[item * kThreads + threadIdx.x] = 3 * x[item * kThreads + threadIdx.x];
}
__global__ void tiles_pairs(const unsigned* x, unsigned* out, unsigned* s, unsigned tiles) {   // two blocks swap their tiles
    const unsigned b = blockIdx.x, other = b ^ 1u;
    unsigned *flags = s + 1, *held = s + 1 + tiles;
    held[b * kThreads + threadIdx.x] = 3 * mine(x);
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicExch(flags + b, 1u);
        if (other < gridDim.x) while (!look(flags + other)) {}
        __threadfence();
    }
    __syncthreads();
    const unsigned from = other < gridDim.x ? other : b;
    out[from * kThreads + threadIdx.x] = held[from * kThreads + threadIdx.x];
}
