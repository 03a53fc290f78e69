// Kernels in inline PTX, beside the same in plain CUDA.

__device__ __forceinline__ unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

#define LOAD4(v, p) \
    asm volatile("ld.global.nc.L1::no_allocate.L2::128B.v4.f32 {%0, %1, %2, %3}, [%4];" \
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(p))

template <int offset> __device__ float shared_at(unsigned address) {
    float v;
    asm volatile("ld.shared.f32 %0, [%1 + %2];" : "=f"(v) : "r"(address), "n"(4 * offset));
    return v;
}

// ---- twins: a warp's tile with conflicts, vector loads, strided stores, a guard, an atomic ----

__global__ void plain(const float4* x, float* y, int* count, int n) {
    __shared__ float tile[32 * 32];
    const int t = threadIdx.x;
    float4 v = make_float4(0, 0, 0, 0);
    if (t < n) v = x[t];                             // load
    tile[32 * t] = v.x + v.w;                        // conflicts
    __syncthreads();
    y[2 * t] = tile[32 * (31 - t)];                  // back
    if (t % 2) atomicAdd(count, 1);                  // atomic
}
__global__ void twin(const float4* x, float* y, int* count, int n) {
    __shared__ float tile[32 * 32];
    const int t = threadIdx.x;
    float4 v = make_float4(0, 0, 0, 0);
    asm volatile("{ .reg .pred p; setp.lt.s32 p, %5, %6; @p ld.global.v4.f32 {%0, %1, %2, %3}, [%4]; }" : "+f"(v.x), "+f"(v.y), "+f"(v.z), "+f"(v.w) : "l"(x + t), "r"(t), "r"(n));   // ptx load
    asm volatile("st.shared.f32 [%0], %1;" :: "r"(shared_address(tile + 32 * t)), "f"(v.x + v.w) : "memory");   // ptx conflicts
    asm volatile("bar.sync 0;" ::: "memory");
    asm volatile("{ .reg .f32 v; ld.shared.f32 v, [%1]; st.global.f32 [%0], v; }" :: "l"(y + 2 * t), "r"(shared_address(tile + 32 * (31 - t))) : "memory");   // ptx back
    if (t % 2) asm volatile("red.global.add.s32 [%0], %1;" :: "l"(count), "r"(1) : "memory");   // ptx atomic
}
extern "C" void in_cuda(const float* x, float* y, int* count, int n, cudaStream_t stream) {
    cudaMemsetAsync(count, 0, sizeof *count, stream);
    plain<<<1, 32, 0, stream>>>(reinterpret_cast<const float4*>(x), y, count, n);
}
extern "C" void in_ptx(const float* x, float* y, int* count, int n, cudaStream_t stream) {
    cudaMemsetAsync(count, 0, sizeof *count, stream);
    twin<<<1, 32, 0, stream>>>(reinterpret_cast<const float4*>(x), y, count, n);
}

// ---- macros, templates, dynamic and static shared memory, special registers ----

__global__ void idioms(const float* x, float* y) {
    extern __shared__ float dynamic[];
    __shared__ float fixed[64];
    float4 v;
    LOAD4(v, x + 4 * threadIdx.x);
    const unsigned to = shared_address(&dynamic[4 * threadIdx.x]);
    asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" :: "r"(to), "r"(__float_as_uint(v.x)), "r"(__float_as_uint(v.y)), "r"(__float_as_uint(v.z)), "r"(__float_as_uint(v.w)) : "memory");
    asm volatile("st.shared::cta.f32 [%1 + -4], %0;" :: "f"(v.x) "r"(shared_address(&fixed[threadIdx.x + 1])) : "memory");   // nvcc needs no comma
    __syncthreads();
    unsigned sm, lane;
    asm("mov.u32 %0, %%smid;\n\tmov.u32 %1, %%laneid;" : "=r"(sm), "=r"(lane));
    unsigned long long pointer;
    asm("cvta.to.shared.u64 %0, %1;" : "=l"(pointer) : "l"(&fixed[0]));
    y[threadIdx.x] = shared_at<1>(to) + shared_at<0>(static_cast<unsigned>(pointer)) + (sm < 16 && lane == threadIdx.x ? 0 : 1000);
}
extern "C" void run_idioms(const float* x, float* y, cudaStream_t stream) { idioms<<<1, 32, 512, stream>>>(x, y); }

// ---- warps ----

__global__ void warps(unsigned* y) {
    const unsigned lane = threadIdx.x;
    unsigned r;
    asm volatile("{ .reg .pred q; .reg .b32 d; shfl.sync.down.b32 d|q, %1, 3, 0x1f, 0xffffffff; selp.b32 %0, d, 99, q; }" : "=r"(r) : "r"(lane));
    y[lane] = r;
    asm volatile("shfl.sync.bfly.b32 %0, %1, %2, %3, %4;" : "=r"(r) : "r"(lane), "n"(5), "n"(31), "r"(0xffffffffu));
    y[32 + lane] = r;
    asm volatile("shfl.sync.idx.b32 %0, %1, 1, 0x181f, -1;" : "=r"(r) : "r"(lane));   // of every eight
    y[64 + lane] = r;
    asm volatile("shfl.sync.up.b32 %0, %1, 1, 0, -1;" : "=r"(r) : "r"(lane));
    y[96 + lane] = r;
    asm volatile("{ .reg .pred q; setp.lt.u32 q, %1, 7; vote.sync.ballot.b32 %0, q, -1; }" : "=r"(r) : "r"(lane));
    y[128 + lane] = r;
    asm volatile("{ .reg .pred q, u; setp.lt.u32 q, %1, 7; vote.sync.uni.pred u, q, -1; selp.u32 %0, 1, 2, u; vote.sync.any.pred u, q, -1; @u add.u32 %0, %0, 10; }" : "=r"(r) : "r"(lane));
    y[160 + lane] = r;
    asm volatile("redux.sync.add.u32 %0, %1, 0xffffffff;" : "=r"(r) : "r"(lane));
    y[192 + lane] = r;
    asm volatile("redux.sync.min.s32 %0, %1, 0xffffffff;" : "=r"(r) : "r"(5 - lane));
    y[224 + lane] = r;
    asm volatile("{ .reg .pred q; elect.sync _|q, -1; selp.u32 %0, 1, 0, q; }" : "=r"(r));
    y[256 + lane] = r;
    asm volatile("match.any.sync.b32 %0, %1, -1;" : "=r"(r) : "r"(lane / 8));
    y[288 + lane] = r;
    if (lane < 5) {
        asm volatile("activemask.b32 %0;" : "=r"(r));
        y[320 + lane] = r;
    }
    asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");
}
extern "C" void run_warps(unsigned* y, cudaStream_t stream) { warps<<<1, 32, 0, stream>>>(y); }

// ---- atomics ----

__global__ void atomics(unsigned* y, float* f) {
    const unsigned t = threadIdx.x;
    unsigned r;
    if (t < 4) y[t] = 0, f[t] = 0;
    __syncthreads();
    asm volatile("atom.global.add.u32 %0, [%1], 2;" : "=r"(r) : "l"(y) : "memory");
    y[32 + r / 2] = 1;
    asm volatile("red.relaxed.gpu.global.max.u32 [%0], %1;" :: "l"(y + 1), "r"(t) : "memory");
    asm volatile("atom.global.cas.b32 %0, [%1 + 8], 0, %2;" : "=r"(r) : "l"(y), "r"(t + 100) : "memory");
    asm volatile("red.global.add.f32 [%0], %1;" :: "l"(f), "f"(0.5f) : "memory");
    asm volatile("red.global.add.noftz.bf16x2 [%0], %1;" :: "l"(f + 1), "r"(0x3f804000u) : "memory");
    asm volatile("red.global.add.v2.f32 [%0], {%1, %2};" :: "l"(f + 2), "f"(1.0f), "f"(2.0f) : "memory");
    asm volatile("atom.inc.u32 %0, [%1], 4;" : "=r"(r) : "l"(y + 3) : "memory");
}
extern "C" void run_atomics(unsigned* y, float* f, cudaStream_t stream) { atomics<<<1, 32, 0, stream>>>(y, f); }

// ---- barriers: producers and consumers, and a flag between blocks ----

__global__ void __launch_bounds__(128) parts(const float* x, float* y) {
    __shared__ float s[64];
    const unsigned t = threadIdx.x;
    for (int i = 0; i < 4; ++i) {
        if (t < 64) {
            if (i) asm volatile("bar.sync 2, 128;" ::: "memory");
            s[t] = x[t + 64 * i];
            asm volatile("bar.arrive 1, 128;" ::: "memory");
        } else {
            asm volatile("bar.sync %0, %1;" :: "r"(1), "n"(128) : "memory");
            y[t - 64 + 64 * i] = s[127 - t] + 1;
            if (i < 3) asm volatile("bar.arrive 2, 128;" ::: "memory");
        }
    }
}
extern "C" void run_parts(const float* x, float* y, cudaStream_t stream) { parts<<<1, 128, 0, stream>>>(x, y); }

__global__ void chain(float* y, unsigned* flags) {
    if (blockIdx.x > 0) {
        unsigned seen;
        do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(flags + blockIdx.x - 1) : "memory");
        while (seen != 7);
        y[blockIdx.x] = y[blockIdx.x - 1] + 1;
    } else {
        y[0] = 1;
    }
    asm volatile("st.release.gpu.global.u32 [%0], %1;" :: "l"(flags + blockIdx.x), "r"(7) : "memory");
}
__global__ void clear(unsigned* flags) { flags[threadIdx.x] = 0; }
extern "C" void run_chain(float* y, unsigned* flags, cudaStream_t stream) {
    clear<<<1, 20, 0, stream>>>(flags);
    chain<<<20, 1, 0, stream>>>(y, flags);
}

// ---- wrong ones ----

__global__ void wrong_race(const float* x, float* y) {
    __shared__ float s[128];
    s[threadIdx.x] = x[threadIdx.x];
    asm volatile("bar.sync %0, 64;" :: "r"(1 + threadIdx.x / 64) : "memory");
    float v;
    asm volatile("ld.shared.f32 %0, [%1];" : "=f"(v) : "r"(shared_address(&s[127 - threadIdx.x])));   // races
    y[threadIdx.x] = v;
}
__global__ void wrong_bounds(const float* x, float* y) {
    float v;
    asm volatile("ld.global.f32 %0, [%1 + 4];" : "=f"(v) : "l"(x + threadIdx.x));   // beyond
    y[threadIdx.x] = v;
}
__global__ void wrong_alignment(const float* x, float* y) {
    float a, b;
    asm volatile("ld.global.v2.f32 {%0, %1}, [%2];" : "=f"(a), "=f"(b) : "l"(x + 1));   // odd
    y[threadIdx.x] = a + b;
}
__global__ void wrong_input(const float* x, float* y) {
    asm volatile("st.global.f32 [%0], 0f00000000;" :: "l"(x + threadIdx.x) : "memory");
    y[threadIdx.x] = 0;
}
__global__ void wrong_count(const float* x, float* y) {
    if (threadIdx.x < 64) asm volatile("barrier.sync 3, 96;" ::: "memory");   // 64 come
    y[threadIdx.x] = x[threadIdx.x];
}
__global__ void wrong_lanes(const float* x, float* y) {
    unsigned r = 0;
    if (threadIdx.x % 2) asm volatile("redux.sync.add.u32 %0, 1, 0xffffffff;" : "=r"(r));   // half
    else asm volatile("bar.sync 0;" ::: "memory");
    y[threadIdx.x] = r;
}
extern "C" void race(const float* x, float* y, cudaStream_t stream) { wrong_race<<<1, 128, 0, stream>>>(x, y); }
extern "C" void bounds(const float* x, float* y, cudaStream_t stream) { wrong_bounds<<<1, 128, 0, stream>>>(x, y); }
extern "C" void alignment(const float* x, float* y, cudaStream_t stream) { wrong_alignment<<<1, 32, 0, stream>>>(x, y); }
extern "C" void input(const float* x, float* y, cudaStream_t stream) { wrong_input<<<1, 32, 0, stream>>>(x, y); }
extern "C" void count(const float* x, float* y, cudaStream_t stream) { wrong_count<<<1, 128, 0, stream>>>(x, y); }
extern "C" void lanes(const float* x, float* y, cudaStream_t stream) { wrong_lanes<<<1, 32, 0, stream>>>(x, y); }

__global__ void too_much(const float* x, float* y) {
    __shared__ alignas(16) float s[4];
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;" :: "r"(shared_address(s)), "l"(x), "r"(17) : "memory");   // 17 of 16
    asm volatile("cp.async.wait_all;" ::: "memory");
    y[0] = s[0];
}
extern "C" void copy(const float* x, float* y, cudaStream_t stream) { too_much<<<1, 1, 0, stream>>>(x, y); }
