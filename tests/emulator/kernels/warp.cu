#define ALL 0xffffffffu

__global__ void shuffle_kernel(const int* x, int* z) {
    int lane = threadIdx.x, v = x[lane];
    z[lane] = __shfl_sync(ALL, v, 5);
    z[lane + 32] = __shfl_sync(ALL, v, lane + 1, 8);
    z[lane + 64] = __shfl_up_sync(ALL, v, 3);
    z[lane + 96] = __shfl_up_sync(ALL, v, 1, 4);
    z[lane + 128] = __shfl_down_sync(ALL, v, 2);
    z[lane + 160] = __shfl_down_sync(ALL, v, 1, 16);
    z[lane + 192] = __shfl_xor_sync(ALL, v, 1);
    z[lane + 224] = __shfl_xor_sync(ALL, v, 31);
}
extern "C" void shuffle(const int* x, int* z, cudaStream_t stream) { shuffle_kernel<<<1, 32, 0, stream>>>(x, z); }

__global__ void shuffle_types_kernel(double* z) {
    int lane = threadIdx.x;
    unsigned char small = 250 + lane % 4;
    short negative = -lane;
    double result[] = {
        __shfl_xor_sync(ALL, 0.5f * lane, 2), __shfl_xor_sync(ALL, 0.125 * lane, 2),
        (double)__shfl_xor_sync(ALL, (1ull << 40) + lane, 2),
        (double)__shfl_xor_sync(ALL, -(1ll << 40) - lane, 2),
        (double)__shfl_xor_sync(ALL, (unsigned long)lane, 2),
        (double)__shfl_xor_sync(ALL, 0x80000000u + lane, 2), (double)__shfl_xor_sync(ALL, small, 2),
        (double)__shfl_xor_sync(ALL, negative, 2),
    };
    for (int i = 0; i < 8; ++i) z[i * 32 + lane] = result[i];
}
extern "C" void shuffle_types(double* z, cudaStream_t stream) { shuffle_types_kernel<<<1, 32, 0, stream>>>(z); }

__global__ void reduction_kernel(const float* x, float* z) {
    float sum = x[threadIdx.x];
    for (int offset = warpSize / 2; offset > 0; offset /= 2) sum += __shfl_down_sync(ALL, sum, offset);
    if (threadIdx.x % 32 == 0) z[threadIdx.x / 32] = sum;
}
extern "C" void reduction(const float* x, float* z, cudaStream_t stream) {
    reduction_kernel<<<1, 96, 0, stream>>>(x, z);
}

__global__ void half_warps_kernel(int* z) {
    int lane = threadIdx.x;
    if (lane < 16) z[lane] = __shfl_sync(0x0000ffffu, lane, 3);    // each branch names its own lanes
    else z[lane] = __shfl_sync(0xffff0000u, lane, 20);
    unsigned odd = __ballot_sync(ALL, lane & 1);
    if (lane & 1) z[lane] += 100 * __shfl_xor_sync(odd, lane, 2);
}
extern "C" void half_warps(int* z, cudaStream_t stream) { half_warps_kernel<<<1, 32, 0, stream>>>(z); }

__global__ void vote_kernel(unsigned* z) {
    int lane = threadIdx.x;
    unsigned mine[] = {
        (unsigned)__all_sync(ALL, lane < 32), (unsigned)__all_sync(ALL, lane < 31),
        (unsigned)__any_sync(ALL, lane == 31), (unsigned)__any_sync(ALL, lane == 32),
        __ballot_sync(ALL, lane % 3 == 0), __ballot_sync(ALL, 4),
    };
    for (int i = 0; i < 6; ++i) z[i * 32 + lane] = mine[i];
}
extern "C" void votes(unsigned* z, cudaStream_t stream) { vote_kernel<<<1, 32, 0, stream>>>(z); }

__global__ void match_kernel(unsigned* z) {
    int lane = threadIdx.x, all;
    z[lane] = __match_any_sync(ALL, lane / 10);
    z[lane + 32] = __match_any_sync(ALL, (long long)(lane & 1) << 40);
    z[lane + 64] = __match_all_sync(ALL, 2.5f, &all) * all;
    z[lane + 96] = __match_all_sync(ALL, lane == 7, &all) + all;
}
extern "C" void matches(unsigned* z, cudaStream_t stream) { match_kernel<<<1, 32, 0, stream>>>(z); }

__global__ void reduce_kernel(int* z) {
    int lane = threadIdx.x, v = lane - 10;
    int mine[] = {
        __reduce_add_sync(ALL, v), __reduce_min_sync(ALL, v), __reduce_max_sync(ALL, v),
        (int)__reduce_min_sync(ALL, (unsigned)v), (int)__reduce_max_sync(ALL, (unsigned)lane),
        (int)__reduce_and_sync(ALL, 0xf0u | lane), (int)__reduce_or_sync(ALL, 1u << lane % 5),
        (int)__reduce_xor_sync(ALL, 1u << lane / 2 | 0x10000),
    };
    for (int i = 0; i < 8; ++i) z[i * 32 + lane] = mine[i];
}
extern "C" void reductions(int* z, cudaStream_t stream) { reduce_kernel<<<1, 32, 0, stream>>>(z); }

__global__ void active_kernel(unsigned* z) {
    int lane = threadIdx.x;
    z[lane] = 0;
    if (lane < 20) {
        if (lane % 2) z[lane] = __activemask();
    }
    z[lane + 32] = __activemask();
}
extern "C" void active(unsigned* z, cudaStream_t stream) { active_kernel<<<1, 32, 0, stream>>>(z); }

__global__ void syncwarp_kernel(const int* x, int* z) {
    __shared__ volatile int s[64];
    int t = threadIdx.x, lane = t % 32, first = t - lane;
    s[t] = x[t];
    __syncwarp();
    int sum = 0;
    for (int i = 0; i < 32; ++i) sum += s[first + i];
    __syncwarp();
    if (lane < 4) {
        s[t] = sum + lane;
        __syncwarp(0xfu);
        z[t / 32 * 4 + lane] = s[first + 3 - lane];
    }
}
extern "C" void syncwarp(const int* x, int* z, cudaStream_t stream) { syncwarp_kernel<<<1, 64, 0, stream>>>(x, z); }

__global__ void partial_warp_kernel(int* z) {
    int v = threadIdx.x;
    v += __shfl_xor_sync(ALL, v, 1);    // lanes 20 ... 31 of the last warp do not exist
    z[threadIdx.x] = v;
}
extern "C" void partial_warp(int* z, cudaStream_t stream) { partial_warp_kernel<<<1, 52, 0, stream>>>(z); }
