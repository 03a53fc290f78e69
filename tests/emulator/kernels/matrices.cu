// Inline PTX for matrices: mma.sync, ldmatrix, stmatrix, movmatrix, and cp.async, which feeds them.
// Some are wrong on purpose, at the end of the file: nvcc refuses them.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__device__ unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

#define LDMATRIX_X4(r, form, address)                                                   \
    asm volatile("ldmatrix.sync.aligned.m8n8.x4" form ".shared.b16 {%0, %1, %2, %3}, [%4];" \
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])                       \
                 : "r"(address))

// ---- a product: z (16 x 8) = a (16 x k) b^T (8 x k), bfloat16, from shared memory by ldmatrix ----

constexpr int kDepth = 64;

__device__ int swizzled(int row, int column) { return row * kDepth + (column / 8 ^ row % 8) * 8 + column % 8; }

template <bool swizzles> __global__ void product_kernel(const __nv_bfloat16* a, const __nv_bfloat16* b, float* z) {
    __shared__ alignas(128) __nv_bfloat16 left[16 * kDepth];
    __shared__ alignas(128) __nv_bfloat16 right[8 * kDepth];
    int lane = threadIdx.x;
    auto at = [](int row, int column) { return swizzles ? swizzled(row, column) : row * kDepth + column; };
    for (int i = lane; i < 16 * kDepth; i += 32) left[at(i / kDepth, i % kDepth)] = a[i];
    for (int i = lane; i < 8 * kDepth; i += 32) right[at(i / kDepth, i % kDepth)] = b[i];
    __syncwarp();
    float d[4] = {};
    for (int k = 0; k < kDepth; k += 16) {
        unsigned m[4], n[2];
        unsigned rows = shared_address(&left[at(lane % 16, k + 8 * (lane / 16))]);
        LDMATRIX_X4(m, "", rows);  // of a
        unsigned columns = shared_address(&right[at(lane % 8, k + 8 * (lane / 8 % 2))]);
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(n[0]), "=r"(n[1]) : "r"(columns));
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                     "{%0, %1, %2, %3};"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                     : "r"(m[0]), "r"(m[1]), "r"(m[2]), "r"(m[3]), "r"(n[0]), "r"(n[1]));
    }
    for (int i = 0; i < 4; ++i) z[(lane / 4 + 8 * (i / 2)) * 8 + lane % 4 * 2 + i % 2] = d[i];
}
extern "C" void product(const __nv_bfloat16* a, const __nv_bfloat16* b, float* z, cudaStream_t stream) {
    product_kernel<false><<<1, 32>>>(a, b, z);
}
extern "C" void product_swizzled(const __nv_bfloat16* a, const __nv_bfloat16* b, float* z, cudaStream_t stream) {
    product_kernel<true><<<1, 32>>>(a, b, z);
}

// ---- the other types, their registers filled by hand ----

__global__ void bytes_kernel(const signed char* a, const signed char* b, int* z) {  // 16 x 32 and 8 x 32
    int g = threadIdx.x / 4, t = threadIdx.x % 4;
    auto four = [](const signed char* p) { return *reinterpret_cast<const unsigned*>(p); };
    int d[4] = {};
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
                 : "r"(four(a + 32 * g + 4 * t)), "r"(four(a + 32 * (g + 8) + 4 * t)), "r"(four(a + 32 * g + 4 * t + 16)),
                   "r"(four(a + 32 * (g + 8) + 4 * t + 16)), "r"(four(b + 32 * g + 4 * t)), "r"(four(b + 32 * g + 4 * t + 16)));
    for (int i = 0; i < 4; ++i) z[(g + 8 * (i / 2)) * 8 + 2 * t + i % 2] = d[i];
}
extern "C" void bytes(const signed char* a, const signed char* b, int* z, cudaStream_t stream) { bytes_kernel<<<1, 32>>>(a, b, z); }

__global__ void doubles_kernel(const double* a, const double* b, double* z) {  // 8 x 4 and 8 x 4
    int g = threadIdx.x / 4, t = threadIdx.x % 4;
    double d0 = 0, d1 = 0;
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%4, %5};"
        : "=d"(d0), "=d"(d1)
        : "d"(a[4 * g + t]), "d"(b[4 * g + t]), "d"(1.0), "d"(2.0));
    z[8 * g + 2 * t] = d0, z[8 * g + 2 * t + 1] = d1;
}
extern "C" void doubles(const double* a, const double* b, double* z, cudaStream_t stream) { doubles_kernel<<<1, 32>>>(a, b, z); }

// ---- 8 x 8 matrices on their way: z has a row of four words for each lane ----

__global__ void loaded_kernel(const short* x, unsigned* z, bool transposed) {
    __shared__ alignas(16) short tile[256];
    for (int i = threadIdx.x; i < 256; i += 32) tile[i] = x[i];
    __syncwarp();
    unsigned r[4], row = shared_address(&tile[8 * threadIdx.x]);
    if (transposed) LDMATRIX_X4(r, ".trans", row);
    else LDMATRIX_X4(r, "", row);
    for (int i = 0; i < 4; ++i) z[4 * threadIdx.x + i] = r[i];
}
extern "C" void loaded(const short* x, unsigned* z, int transposed, cudaStream_t stream) { loaded_kernel<<<1, 32>>>(x, z, transposed); }

__global__ void stored_kernel(const unsigned* x, short* z) {
    __shared__ alignas(16) short tile[256];
    const unsigned* r = x + 4 * threadIdx.x;
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};"
                 ::"r"(shared_address(&tile[8 * threadIdx.x])), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]) : "memory");  // stored
    __syncwarp();
    for (int i = threadIdx.x; i < 256; i += 32) z[i] = tile[i];
}
extern "C" void stored(const unsigned* x, short* z, cudaStream_t stream) { stored_kernel<<<1, 32>>>(x, z); }

__global__ void moved_kernel(const unsigned* x, unsigned* z) {
    unsigned r;
    asm("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(r) : "r"(x[threadIdx.x]));
    z[threadIdx.x] = r;
}
extern "C" void moved(const unsigned* x, unsigned* z, cudaStream_t stream) { moved_kernel<<<1, 32>>>(x, z); }

// ---- cp.async: three tiles, two of them under way ----

template <int left_over> __global__ void copied_kernel(const float* x, float* z) {
    __shared__ alignas(16) float tiles[2][128];
    auto start = [&](int i) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                     ::"r"(shared_address(&tiles[i % 2][4 * threadIdx.x])), "l"(x + 128 * i + 4 * threadIdx.x));
        asm volatile("cp.async.commit_group;");
    };
    start(0);
    for (int i = 0; i < 3; ++i) {
        if (i < 2) start(i + 1);
        if (i < 2) asm volatile("cp.async.wait_group %0;" ::"n"(left_over));
        else asm volatile("cp.async.wait_all;");
        __syncthreads();
        for (int k = 0; k < 4; ++k) z[128 * i + 32 * k + threadIdx.x] = tiles[i % 2][127 - 32 * k - threadIdx.x];
        __syncthreads();
    }
}
extern "C" void copied(const float* x, float* z, cudaStream_t stream) { copied_kernel<1><<<1, 32>>>(x, z); }
extern "C" void copied_too_early(const float* x, float* z, cudaStream_t stream) { copied_kernel<2><<<1, 32>>>(x, z); }

__global__ void copied_in_part_kernel(const float* x, float* z, int count) {  // the rest is zero
    __shared__ alignas(16) float tile[128];
    int first = 4 * threadIdx.x, left = count - first, wanted = left <= 0 ? 0 : left >= 4 ? 16 : 4 * left;
    asm volatile("cp.async.ca.shared.global.L2::128B [%0], [%1], 16, %2;"
                 ::"r"(shared_address(&tile[first])), "l"(wanted ? x + first : x), "r"(wanted));
    asm volatile("cp.async.wait_all;");
    __syncwarp();
    for (int k = 0; k < 4; ++k) z[first + k] = tile[first + k];
}
extern "C" void copied_in_part(const float* x, float* z, int n, cudaStream_t stream) { copied_in_part_kernel<<<1, 32>>>(x, z, n); }

// ---- wrong ----

__global__ void wrong_kernel(const short* x, unsigned* z, int which) {
    __shared__ alignas(128) short tile[512];
    for (int i = threadIdx.x; i < 512; i += 32) tile[i] = x[i];
    __syncwarp();
    unsigned r[4] = {}, row = shared_address(&tile[8 * threadIdx.x]);
    if (which == 0) LDMATRIX_X4(r, "", row + 8);
    if (which == 1 && threadIdx.x < 8) LDMATRIX_X4(r, "", row);
    if (which == 2) LDMATRIX_X4(r, "", row + 4096);
    if (which == 3) {
        if (threadIdx.x % 2) LDMATRIX_X4(r, "", row);
        else LDMATRIX_X4(r, ".trans", row);
    }
    z[threadIdx.x] = r[0];
}
extern "C" void wrong(const short* x, unsigned* z, int which, cudaStream_t stream) { wrong_kernel<<<1, 32>>>(x, z, which); }

__global__ void no_shape_kernel(unsigned* z) {
    unsigned r[4] = {};
    asm volatile("mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32 {%0, %1, %2, %3}, {%0, %1, %2, %3}, {%0, %1}, {%0, %1, %2, %3};"
                 : "+r"(r[0]), "+r"(r[1]), "+r"(r[2]), "+r"(r[3]));
    z[threadIdx.x] = r[0];
}
extern "C" void no_shape(const unsigned* x, unsigned* z, cudaStream_t stream) { no_shape_kernel<<<1, 32>>>(z); }

__global__ void few_registers_kernel(unsigned* z) {
    unsigned r[4] = {};
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%0, %1}, {%0, %1}, {%0, %1, %2, %3};"
                 : "+r"(r[0]), "+r"(r[1]), "+r"(r[2]), "+r"(r[3]));
    z[threadIdx.x] = r[0];
}
extern "C" void few_registers(const unsigned* x, unsigned* z, cudaStream_t stream) { few_registers_kernel<<<1, 32>>>(z); }

__global__ void twelve_bytes_kernel(const unsigned* x, unsigned* z) {
    __shared__ alignas(16) unsigned tile[4];
    asm volatile("cp.async.ca.shared.global [%0], [%1], 12;" ::"r"(shared_address(tile)), "l"(x));
    z[threadIdx.x] = 0;
}
extern "C" void twelve_bytes(const unsigned* x, unsigned* z, cudaStream_t stream) { twelve_bytes_kernel<<<1, 32>>>(x, z); }
