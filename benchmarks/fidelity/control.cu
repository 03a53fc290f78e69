// Micro-kernels on control flow and warp operations: which lanes run together.
//
// As in global.cu, n = 1024 and x[i] is a pseudo-random whole number, so that it decides who goes where. Requests and
// sectors say which lanes met at an access. Instructions and branches are the compiler's and agree only roughly.

#define ENTRY(name, T, blocks, threads, ...)                               \
    extern "C" void name(const T* x, T* out, int n, cudaStream_t stream) { \
        __VA_ARGS__<<<blocks, threads, 0, stream>>>(x, out, n);            \
    }

__device__ unsigned thread() { return blockIdx.x * blockDim.x + threadIdx.x; }

// ---- branches ----

// The sides differ in what they do, or nvcc would make one of them: see conditional_addresses.
__global__ void if_else(const int* x, int* out, int n) {
    unsigned i = thread();
    if (x[i] & 1) {
        out[i] = x[n + i] / 3;
    } else {
        out[n + 2 * i] = x[2 * n + i] + x[3 * n + i];
    }
}
ENTRY(if_else_by_data, int, 8, 128, if_else)

__global__ void if_else_halves(const int* x, int* out, int n) {
    unsigned i = thread();
    if (i % 32 < 16) {
        out[i] = x[i] / 3;
    } else {
        reinterpret_cast<short*>(out)[3 * n + i] = x[n + i] + x[2 * n + i];
    }
}
ENTRY(if_else_half_warps, int, 8, 128, if_else_halves)

__global__ void if_else_warps(const int* x, int* out, int n) {
    unsigned i = thread();
    if (i / 32 % 2) {
        out[i] = x[i] / 3;
    } else {
        reinterpret_cast<short*>(out)[3 * n + i] = x[n + i] + x[2 * n + i];
    }
}
ENTRY(if_else_whole_warps, int, 8, 128, if_else_warps)

// Both sides load the same x[i]: nvcc loads it once, before the branch.
__global__ void load_in_both(const int* x, int* out, int n) {
    unsigned i = thread();
    if (i % 2) {
        out[i] = x[i] * 3;
    } else {
        out[i] = x[i] / 7;
    }
}
ENTRY(same_addresses, int, 8, 128, load_in_both)

// Both sides do the same at addresses of their own: nvcc chooses the addresses, then loads and stores once.
__global__ void choose(const int* x, int* out, int n) {
    unsigned i = thread();
    if (x[i] & 1) {
        out[i] = x[n + i];
    } else {
        out[n + i] = x[2 * n + i];
    }
}
ENTRY(conditional_addresses, int, 8, 128, choose)

__global__ void choose_value(const int* x, int* out, int n) {
    unsigned i = thread();
    out[i] = x[i] & 1 ? x[n + i] : x[2 * n + i];
}
ENTRY(conditional_load, int, 8, 128, choose_value)

__global__ void nested(const int* x, int* out, int n) {
    unsigned i = thread();
    int v = x[i];
    if (v & 1) {
        if (v & 2) {
            out[i] = x[n + i] + 1;
        } else {
            out[n + i] = x[2 * n + i] * 3;
        }
        out[2 * n + i] = v;
    } else if (v & 4) {
        out[3 * n + i] = x[3 * n + i] - 7;
    }
    out[4 * n + i] = v;
}
ENTRY(nested_branches, int, 8, 128, nested)

__global__ void cases(const int* x, int* out, int n) {
    unsigned i = thread();
    switch (x[i] & 3) {
        case 0: out[i] = x[n + i] + 5; break;
        case 1: out[n + i] = x[2 * n + 2 * i] * 7; break;
        case 2: out[2 * n + i] = x[3 * n + 3 * i] ^ 9; break;
        default: out[5 * n + 2 * i] = x[8 * n + i] - 3;
    }
}
ENTRY(switch_of_4, int, 8, 128, cases)

__global__ void leave_early(const int* x, int* out, int n) {
    unsigned i = thread();
    if (x[i] % 3 == 0) {
        return;
    }
    out[i] = x[n + i];
}
ENTRY(early_return, int, 8, 128, leave_early)

// The second load happens only where the first condition holds.
__global__ void both_conditions(const int* x, int* out, int n) {
    unsigned i = thread();
    if (x[i] > 500 && x[n + i] > 500) {
        out[i] = x[2 * n + i];
    }
}
ENTRY(and_of_two_loads, int, 8, 128, both_conditions)

// ---- loops ----

// One iteration of the source is one of the machine.
__global__ void trips(const int* x, int* out, int n) {
    unsigned i = thread();
    int sum = 0, count = x[i] & 7;
#pragma unroll 1
    for (int k = 0; k < count; ++k) {
        sum += x[(k + 1) * n + i];
    }
    out[i] = sum;
}
ENTRY(trips_by_data, int, 8, 128, trips)

// nvcc takes four iterations at a time and the rest one by one: lanes at the end of their loop meet in other places.
__global__ void trips_unrolled(const int* __restrict__ x, int* __restrict__ out, int n) {
    unsigned i = thread();
    int sum = 0, count = x[i] & 7;
    for (int k = 0; k < count; ++k) {
        sum += x[(k + 1) * n + i];
    }
    out[i] = sum;
}
ENTRY(trips_by_data_unrolled, int, 8, 128, trips_unrolled)

__global__ void triangle(const int* x, int* out, int n) {
    unsigned i = thread();
    int sum = 0;
#pragma unroll 1
    for (unsigned k = 0; k <= i % 32; ++k) {
        sum += x[n + i + k];
    }
    out[i] = sum;
}
ENTRY(trips_by_lane, int, 8, 128, triangle)

__global__ void skipping(const int* x, int* out, int n) {
    unsigned i = thread();
    int sum = 0;
#pragma unroll 1
    for (int k = 0; k < 8; ++k) {
        if (x[k * n + i] & 1) {
            continue;
        }
        sum += x[(k + 8) * n + i];
    }
    out[i] = sum;
}
ENTRY(loop_with_continue, int, 8, 128, skipping)

__global__ void search(const int* x, int* out, int n) {
    unsigned i = thread();
    int k = 0;
#pragma unroll 1
    while (k < 16) {
        if (x[k * n + i] > 900) {
            break;
        }
        ++k;
    }
    out[i] = k;
}
ENTRY(loop_with_break, int, 8, 128, search)

__global__ void nested_loops(const int* x, int* out, int n) {
    unsigned i = thread();
    int sum = 0;
#pragma unroll 1
    for (int k = 0; k < 4; ++k) {
        int count = x[k * n + i] & 3;
#pragma unroll 1
        for (int l = 0; l < count; ++l) {
            sum += x[(4 * k + l + 4) * n + i];
        }
    }
    out[i] = sum;
}
ENTRY(inner_trips_by_data, int, 8, 128, nested_loops)

__global__ void chase(const int* x, int* out, int n) {
    unsigned i = thread();
    int at = x[i];
#pragma unroll 1
    for (int hops = 0; hops < 9 && (at & 3) != 0; ++hops) {
        at = x[at + n];
    }
    out[i] = at;
}
ENTRY(pointer_chase, int, 8, 128, chase)

// ---- functions ----

__device__ __noinline__ int twice(const int* x, unsigned i) { return x[i] * 2; }

__global__ void calls(const int* x, int* out, int n) {
    unsigned i = thread();
    if (x[i] & 1) {
        out[i] = twice(x, n + i);
    } else {
        out[n + i] = twice(x, 2 * n + i) + 1;
    }
}
ENTRY(call_on_both_sides, int, 8, 128, calls)

// ---- memory that is no traffic: constants, and arrays that are indexed at run time ----

__constant__ int table[8] = {3, 1, 4, 1, 5, 9, 2, 6};

__global__ void from_constant(const int* x, int* out, int n) {
    unsigned i = thread();
    out[i] = x[i] + table[blockIdx.x % 8];
}
ENTRY(constant_memory, int, 8, 128, from_constant)

// An array that is indexed at run time lies in local memory. What is asked of local memory is not compared: the compiler
// alone decides it.
__global__ void from_local(const int* x, int* out, int n) {
    unsigned i = thread();
    int own[64];
#pragma unroll 1
    for (int k = 0; k < 64; ++k) {
        own[k ^ (x[i] & 31)] = x[k % 32 * n + i];
    }
    out[i] = own[x[n + i] & 63];
}
ENTRY(local_array, int, 8, 128, from_local)

// ---- warp operations ----

__global__ void warp_sum(const float* x, float* out, int n) {
    unsigned i = thread();
    float sum = x[i];
    for (int delta = 16; delta > 0; delta /= 2) {
        sum += __shfl_down_sync(~0u, sum, delta);
    }
    if (i % 32 == 0) {
        out[i / 32] = sum;
    }
}
ENTRY(warp_reduction, float, 8, 128, warp_sum)

__global__ void block_sum(const float* x, float* out, int n) {
    __shared__ float sums[8];
    unsigned i = thread(), lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float sum = x[i];
    for (int delta = 16; delta > 0; delta /= 2) {
        sum += __shfl_xor_sync(~0u, sum, delta);
    }
    if (lane == 0) {
        sums[warp] = sum;
    }
    __syncthreads();
    if (warp == 0) {
        sum = lane < 8 ? sums[lane] : 0;
        for (int delta = 4; delta > 0; delta /= 2) {
            sum += __shfl_down_sync(~0u, sum, delta);
        }
        if (lane == 0) {
            out[blockIdx.x] = sum;
        }
    }
}
ENTRY(block_reduction, float, 4, 256, block_sum)

// Each lane that is chosen stores behind the chosen ones before it.
__global__ void compact(const int* x, int* out, int n) {
    unsigned i = thread(), lane = i % 32;
    bool chosen = x[i] & 1;
    unsigned mask = __ballot_sync(~0u, chosen);
    if (chosen) {
        out[i - lane + __popc(mask & ((1u << lane) - 1))] = x[i];
    }
}
ENTRY(ballot_compaction, int, 8, 128, compact)
