// Micro-kernels on inline PTX for matrices: ldmatrix, stmatrix, movmatrix, mma.sync, and cp.async.
//
// As in global.cu, n = 1024 and x[i] is a pseudo-random whole number. Blocks are single warps where shared memory counts.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define ENTRY(name, T, blocks, threads, ...)                               \
    extern "C" void name(const T* x, T* out, int n, cudaStream_t stream) { \
        __VA_ARGS__<<<blocks, threads, 0, stream>>>(x, out, n);            \
    }

__device__ unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

// ---- patterns: where a lane's row of 16 bytes begins, in halves ----

template <unsigned stride> struct Rows {
    static __device__ unsigned of(unsigned lane) { return stride * lane; }
};
template <unsigned rows> struct Modulo {  // lanes that far apart name the same row
    static __device__ unsigned of(unsigned lane) { return 8 * (lane % rows); }
};
template <unsigned lanes> struct Each {  // as many neighbours name one row
    static __device__ unsigned of(unsigned lane) { return 8 * (lane / lanes); }
};
struct Tile16 {  // the four quarters of a tile of 16 rows of 16 halves
    static __device__ unsigned of(unsigned lane) { return 16 * (lane % 16) + 8 * (lane / 16); }
};
struct Padded16 {  // the same, where a row has 24 halves
    static __device__ unsigned of(unsigned lane) { return 24 * (lane % 16) + 8 * (lane / 16); }
};
struct Tile64 {  // the same, where a row has 64 halves: 128 bytes
    static __device__ unsigned of(unsigned lane) { return 64 * (lane % 16) + 8 * (lane / 16); }
};
struct Swizzled64 {  // and the unit of 16 bytes is exchanged by the number of the row
    static __device__ unsigned of(unsigned lane) { return 64 * (lane % 16) + 8 * (lane / 16 ^ lane % 8); }
};
struct Swizzled32 {  // rows of 64 bytes: two of them fill the banks
    static __device__ unsigned of(unsigned lane) { return 32 * (lane % 16) + 8 * (lane / 16 ^ lane / 2 % 4); }
};
template <unsigned lanes> struct First {  // the others' addresses collide, and are not used
    static __device__ unsigned of(unsigned lane) { return lane < lanes ? 8 * lane : 64 * (lane - lanes); }
};

// ---- ldmatrix ----

#define LDMATRIX_1(form) asm volatile("ldmatrix.sync.aligned.m8n8.x1" form " {%0}, [%1];" : "=r"(r[0]) : "r"(a))
#define LDMATRIX_2(form) \
    asm volatile("ldmatrix.sync.aligned.m8n8.x2" form " {%0, %1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(a))
#define LDMATRIX_4(form)                                                    \
    asm volatile("ldmatrix.sync.aligned.m8n8.x4" form " {%0, %1, %2, %3}, [%4];" \
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])           \
                 : "r"(a))

template <int count, bool transposed> __device__ void ldmatrix(unsigned (&r)[4], unsigned a) {
    if constexpr (count == 1 && !transposed) LDMATRIX_1(".shared.b16");
    if constexpr (count == 1 && transposed) LDMATRIX_1(".trans.shared.b16");
    if constexpr (count == 2 && !transposed) LDMATRIX_2(".shared.b16");
    if constexpr (count == 2 && transposed) LDMATRIX_2(".trans.shared.b16");
    if constexpr (count == 4 && !transposed) LDMATRIX_4(".shared.b16");
    if constexpr (count == 4 && transposed) LDMATRIX_4(".trans.shared.b16");
}

constexpr int kTile = 2048;  // halves

template <int count, bool transposed, class Row> __global__ void loaded(const half* x, half* out, int n) {
    __shared__ alignas(128) half tile[kTile];
    int lane = threadIdx.x;
    for (int i = lane; i < kTile; i += 32) tile[i] = x[i + 32 * blockIdx.x];
    __syncwarp();
    unsigned r[4];
    ldmatrix<count, transposed>(r, shared_address(&tile[Row::of(lane)]));
    unsigned* words = reinterpret_cast<unsigned*>(out) + 128 * blockIdx.x;
    for (int i = 0; i < count; ++i) words[32 * i + lane] = r[i];
}
ENTRY(load_x1, half, 32, 32, loaded<1, false, Rows<8>>)
ENTRY(load_x2, half, 32, 32, loaded<2, false, Rows<8>>)
ENTRY(load_x4, half, 32, 32, loaded<4, false, Rows<8>>)
ENTRY(load_x1_trans, half, 32, 32, loaded<1, true, Rows<8>>)
ENTRY(load_x2_trans, half, 32, 32, loaded<2, true, Rows<8>>)
ENTRY(load_x4_trans, half, 32, 32, loaded<4, true, Rows<8>>)
ENTRY(load_x1_stride_16, half, 32, 32, loaded<1, false, Rows<16>>)
ENTRY(load_x1_stride_32, half, 32, 32, loaded<1, false, Rows<32>>)
ENTRY(load_x1_stride_64, half, 32, 32, loaded<1, false, Rows<64>>)
ENTRY(load_x2_stride_64, half, 32, 32, loaded<2, false, Rows<64>>)
ENTRY(load_x4_stride_64, half, 32, 32, loaded<4, false, Rows<64>>)
ENTRY(load_x4_stride_64_trans, half, 32, 32, loaded<4, true, Rows<64>>)
ENTRY(load_x4_stride_24, half, 32, 32, loaded<4, false, Rows<24>>)
ENTRY(load_x4_stride_40, half, 32, 32, loaded<4, false, Rows<40>>)
ENTRY(load_x4_stride_48, half, 32, 32, loaded<4, false, Rows<48>>)
ENTRY(load_x4_stride_56, half, 32, 32, loaded<4, false, Rows<56>>)
ENTRY(load_x4_tile_16, half, 32, 32, loaded<4, false, Tile16>)
ENTRY(load_x4_tile_16_trans, half, 32, 32, loaded<4, true, Tile16>)
ENTRY(load_x4_padded_16, half, 32, 32, loaded<4, false, Padded16>)
ENTRY(load_x4_tile_64, half, 32, 32, loaded<4, false, Tile64>)
ENTRY(load_x4_tile_64_trans, half, 32, 32, loaded<4, true, Tile64>)
ENTRY(load_x4_swizzled_64, half, 32, 32, loaded<4, false, Swizzled64>)
ENTRY(load_x4_swizzled_64_trans, half, 32, 32, loaded<4, true, Swizzled64>)
ENTRY(load_x4_swizzled_32, half, 32, 32, loaded<4, false, Swizzled32>)
ENTRY(load_x2_swizzled_64, half, 32, 32, loaded<2, false, Swizzled64>)
ENTRY(load_x4_same_row, half, 32, 32, loaded<4, false, Each<32>>)
ENTRY(load_x4_each_2, half, 32, 32, loaded<4, false, Each<2>>)
ENTRY(load_x4_each_4, half, 32, 32, loaded<4, false, Each<4>>)
ENTRY(load_x4_each_8, half, 32, 32, loaded<4, false, Each<8>>)
ENTRY(load_x4_modulo_2, half, 32, 32, loaded<4, false, Modulo<2>>)
ENTRY(load_x4_modulo_8, half, 32, 32, loaded<4, false, Modulo<8>>)
ENTRY(load_x4_modulo_16, half, 32, 32, loaded<4, false, Modulo<16>>)
ENTRY(load_x1_first_8, half, 32, 32, loaded<1, false, First<8>>)
ENTRY(load_x2_first_16, half, 32, 32, loaded<2, false, First<16>>)

// ---- stmatrix (from compute capability 9.0 on), movmatrix ----

template <int count, bool transposed> __device__ void stmatrix(unsigned a, const unsigned (&r)[4]) {
    if constexpr (count == 1 && !transposed)
        asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(a), "r"(r[0]) : "memory");
    if constexpr (count == 2 && !transposed)
        asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};" ::"r"(a), "r"(r[0]), "r"(r[1]) : "memory");
    if constexpr (count == 4 && !transposed)
        asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(a), "r"(r[0]), "r"(r[1]),
                     "r"(r[2]), "r"(r[3])
                     : "memory");
    if constexpr (count == 4 && transposed)
        asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(a), "r"(r[0]),
                     "r"(r[1]), "r"(r[2]), "r"(r[3])
                     : "memory");
}

template <int count, bool transposed, class Row> __global__ void stored(const half* x, half* out, int n) {
    __shared__ alignas(128) half tile[kTile];
    int lane = threadIdx.x;
    for (int i = lane; i < kTile; i += 32) tile[i] = 0;
    __syncwarp();
    const unsigned* words = reinterpret_cast<const unsigned*>(x) + 128 * blockIdx.x;
    unsigned r[4];
    for (int i = 0; i < count; ++i) r[i] = words[32 * i + lane];
    stmatrix<count, transposed>(shared_address(&tile[Row::of(lane)]), r);
    __syncwarp();
    for (int i = lane; i < 1024; i += 32) out[1024 * blockIdx.x + i] = tile[i] + tile[i + 1024];
}
ENTRY(store_x1, half, 32, 32, stored<1, false, Rows<8>>)
ENTRY(store_x2, half, 32, 32, stored<2, false, Rows<8>>)
ENTRY(store_x4, half, 32, 32, stored<4, false, Rows<8>>)
ENTRY(store_x4_trans, half, 32, 32, stored<4, true, Rows<8>>)
ENTRY(store_x4_stride_64, half, 32, 32, stored<4, false, Rows<64>>)
ENTRY(store_x4_stride_24, half, 32, 32, stored<4, false, Rows<24>>)
ENTRY(store_x4_tile_16, half, 32, 32, stored<4, false, Tile16>)
ENTRY(store_x4_swizzled_64, half, 32, 32, stored<4, false, Swizzled64>)

__global__ void moved(const half* x, half* out, int n) {
    unsigned i = 32 * blockIdx.x + threadIdx.x, r;
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(r) : "r"(reinterpret_cast<const unsigned*>(x)[i]));
    reinterpret_cast<unsigned*>(out)[i] = r;
}
ENTRY(move, half, 32, 32, moved)

// ---- mma.sync: small whole numbers, so that all sums are exact ----

struct Half {
    static __device__ unsigned word(int v) {
        return __half_as_ushort(__int2half_rn(v & 7)) | __half_as_ushort(__int2half_rn(v >> 4 & 7)) << 16;
    }
};
struct Bfloat {
    static __device__ unsigned word(int v) {
        return __bfloat16_as_ushort(__int2bfloat16_rn(v & 7)) | __bfloat16_as_ushort(__int2bfloat16_rn(v >> 4 & 7)) << 16;
    }
};
struct Tf32 {
    static __device__ unsigned word(int v) { return __float_as_uint(static_cast<float>(v & 7)); }
};
struct Bytes {  // four of them, each below 128
    static __device__ unsigned word(int v) { return (v & 127) | (v >> 1 & 127) << 8 | (v >> 2 & 127) << 16 | (v >> 3 & 127) << 24; }
};
template <unsigned numbers> struct Eights {  // four numbers of 8 bits out of four
    static __device__ unsigned one(int v) { return numbers >> 8 * (v & 3) & 255; }
    static __device__ unsigned word(int v) { return one(v) | one(v >> 2) << 8 | one(v >> 4) << 16 | one(v >> 6) << 24; }
};
using E4m3 = Eights<0x44403800u>;  // 0, 1, 2, 3
using E5m2 = Eights<0x42403c00u>;

#define MMA_4_2_4(name, form)                                                                                  \
    struct name {                                                                                              \
        static constexpr int words = 4, b_words = 2, sums = 4;                                                 \
        static __device__ void run(unsigned (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {         \
            asm volatile("mma.sync.aligned." form " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "            \
                         "{%0, %1, %2, %3};"                                                                   \
                         : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])                                      \
                         : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));                  \
        }                                                                                                      \
    };
#define MMA_2_1_4(name, form)                                                                                  \
    struct name {                                                                                              \
        static constexpr int words = 2, b_words = 1, sums = 4;                                                 \
        static __device__ void run(unsigned (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {         \
            asm volatile("mma.sync.aligned." form " {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"       \
                         : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])                                      \
                         : "r"(a[0]), "r"(a[1]), "r"(b[0]));                                                   \
        }                                                                                                      \
    };
#define MMA_4_2_2(name, form)                                                                                  \
    struct name {                                                                                              \
        static constexpr int words = 4, b_words = 2, sums = 2;                                                 \
        static __device__ void run(unsigned (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {         \
            asm volatile("mma.sync.aligned." form " {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"           \
                         : "+r"(d[0]), "+r"(d[1])                                                              \
                         : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));                  \
        }                                                                                                      \
    };
#define MMA_2_1_2(name, form)                                                                                  \
    struct name {                                                                                              \
        static constexpr int words = 2, b_words = 1, sums = 2;                                                 \
        static __device__ void run(unsigned (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {         \
            asm volatile("mma.sync.aligned." form " {%0, %1}, {%2, %3}, {%4}, {%0, %1};"                       \
                         : "+r"(d[0]), "+r"(d[1])                                                              \
                         : "r"(a[0]), "r"(a[1]), "r"(b[0]));                                                   \
        }                                                                                                      \
    };
MMA_2_1_4(F16K8, "m16n8k8.row.col.f32.f16.f16.f32")
MMA_4_2_4(F16K16, "m16n8k16.row.col.f32.f16.f16.f32")
MMA_2_1_2(F16K8Half, "m16n8k8.row.col.f16.f16.f16.f16")
MMA_4_2_2(F16K16Half, "m16n8k16.row.col.f16.f16.f16.f16")
MMA_2_1_4(Bf16K8, "m16n8k8.row.col.f32.bf16.bf16.f32")
MMA_4_2_4(Bf16K16, "m16n8k16.row.col.f32.bf16.bf16.f32")
MMA_2_1_4(Tf32K4, "m16n8k4.row.col.f32.tf32.tf32.f32")
MMA_4_2_4(Tf32K8, "m16n8k8.row.col.f32.tf32.tf32.f32")
MMA_2_1_4(S8K16, "m16n8k16.row.col.s32.s8.s8.s32")
MMA_4_2_4(S8K32, "m16n8k32.row.col.s32.s8.s8.s32")
MMA_4_2_4(U8K32, "m16n8k32.row.col.s32.u8.u8.s32")
MMA_4_2_4(E4m3K32, "m16n8k32.row.col.f32.e4m3.e4m3.f32")
MMA_4_2_4(E5m2K32, "m16n8k32.row.col.f32.e5m2.e5m2.f32")

template <class Mma, class Number, int rounds> __global__ void multiplied(const int* x, int* out, int n) {
    int i = 128 * blockIdx.x + threadIdx.x;
    unsigned d[4] = {}, a[4] = {}, b[2] = {};
    for (int j = 0; j < Mma::words; ++j) a[j] = Number::word(x[i + j * n]);
    for (int j = 0; j < Mma::b_words; ++j) b[j] = Number::word(x[i + (4 + j) * n]);
    for (int round = 0; round < rounds; ++round) Mma::run(d, a, b);
    for (int j = 0; j < Mma::sums; ++j) out[i + j * n] = static_cast<int>(d[j]);
}
ENTRY(mma_f16_k8, int, 8, 128, multiplied<F16K8, Half, 1>)
ENTRY(mma_f16_k16, int, 8, 128, multiplied<F16K16, Half, 1>)
ENTRY(mma_f16_k16_twice, int, 8, 128, multiplied<F16K16, Half, 2>)
ENTRY(mma_f16_k8_half_sums, int, 8, 128, multiplied<F16K8Half, Half, 1>)
ENTRY(mma_f16_k16_half_sums, int, 8, 128, multiplied<F16K16Half, Half, 1>)
ENTRY(mma_bf16_k8, int, 8, 128, multiplied<Bf16K8, Bfloat, 1>)
ENTRY(mma_bf16_k16, int, 8, 128, multiplied<Bf16K16, Bfloat, 1>)
ENTRY(mma_tf32_k4, int, 8, 128, multiplied<Tf32K4, Tf32, 1>)
ENTRY(mma_tf32_k8, int, 8, 128, multiplied<Tf32K8, Tf32, 1>)
ENTRY(mma_s8_k16, int, 8, 128, multiplied<S8K16, Bytes, 1>)
ENTRY(mma_s8_k32, int, 8, 128, multiplied<S8K32, Bytes, 1>)
ENTRY(mma_u8_k32, int, 8, 128, multiplied<U8K32, Bytes, 1>)
ENTRY(mma_e4m3_k32, int, 8, 128, multiplied<E4m3K32, E4m3, 1>)
ENTRY(mma_e5m2_k32, int, 8, 128, multiplied<E5m2K32, E5m2, 1>)

__global__ void multiplied_doubles(const double* x, double* out, int n) {
    int i = 128 * blockIdx.x + threadIdx.x;
    double d[2] = {x[i], x[i + n]};
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                 : "+d"(d[0]), "+d"(d[1])
                 : "d"(x[i + 2 * n]), "d"(x[i + 3 * n]));
    out[i] = d[0], out[i + n] = d[1];
}
ENTRY(mma_f64_k4, double, 8, 128, multiplied_doubles)

// ---- cp.async ----

template <int bytes, bool past_l1> __device__ void cp_async(unsigned to, const void* from) {
    if constexpr (past_l1) asm volatile("cp.async.cg.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(bytes) : "memory");
    else asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(bytes) : "memory");
}

template <class V, bool past_l1, unsigned to_stride, unsigned from_stride> __global__ void copied(const float* x, float* out, int n) {
    __shared__ alignas(128) V tile[32 * to_stride];
    int lane = threadIdx.x, block = blockIdx.x;
    cp_async<sizeof(V), past_l1>(shared_address(&tile[to_stride * lane]), reinterpret_cast<const V*>(x + 1024 * block) + from_stride * lane);
    asm volatile("cp.async.commit_group;" ::: "memory");
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncwarp();
    reinterpret_cast<V*>(out)[32 * block + lane] = tile[to_stride * (31 - lane)];
}
ENTRY(cp_async_4, float, 32, 32, copied<float, false, 1, 1>)
ENTRY(cp_async_8, float, 32, 32, copied<float2, false, 1, 1>)
ENTRY(cp_async_16, float, 32, 32, copied<float4, false, 1, 1>)
ENTRY(cp_async_16_past_l1, float, 32, 32, copied<float4, true, 1, 1>)
ENTRY(cp_async_4_strided, float, 32, 32, copied<float, false, 1, 8>)
ENTRY(cp_async_16_strided, float, 32, 32, copied<float4, true, 1, 4>)
ENTRY(cp_async_4_conflicts, float, 32, 32, copied<float, false, 32, 1>)
ENTRY(cp_async_16_conflicts, float, 32, 32, copied<float4, true, 8, 1>)

__global__ void copied_in_part(const float* x, float* out, int n) {  // lanes read 16, 4, 16, 8, 16, 12 bytes, and so on
    __shared__ alignas(128) float4 tile[32];
    int lane = threadIdx.x, block = blockIdx.x, wanted = lane % 2 ? 16 : 4 + lane % 8 * 2;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(&tile[lane])),
                 "l"(reinterpret_cast<const float4*>(x) + 32 * block + lane), "r"(wanted)
                 : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncwarp();
    reinterpret_cast<float4*>(out)[32 * block + lane] = tile[31 - lane];
}
ENTRY(cp_async_16_in_part, float, 32, 32, copied_in_part)
