// What a tensor core rounds: one mma.sync a warp on registers that are given, by type and shape.
//
// x holds 10 registers of each lane: four of a, two of b, four of c, each for 32 lanes; out gets four of d. n warps.

#define KERNEL(name, text, sums, numbers)                                                                              \
    __global__ void kernel_##name(const int* x, int* out, int n) {                                                     \
        unsigned a[4], b[2], d[4];                                                                                     \
        const unsigned* from = reinterpret_cast<const unsigned*>(x) + 320 * blockIdx.x + threadIdx.x;                  \
        for (int i = 0; i < 4; ++i) a[i] = from[32 * i], d[i] = from[32 * (6 + i)];                                    \
        for (int i = 0; i < 2; ++i) b[i] = from[32 * (4 + i)];                                                         \
        multiply_##sums##_##numbers("mma.sync.aligned." text);                                                         \
        for (int i = 0; i < 4; ++i) out[128 * blockIdx.x + 32 * i + threadIdx.x] = static_cast<int>(d[i]);             \
    }                                                                                                                  \
    extern "C" void name(const int* x, int* out, int n, cudaStream_t stream) { kernel_##name<<<n, 32, 0, stream>>>(x, out, n); }

#define multiply_4_6(text)                                                                        \
    asm volatile(text " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"          \
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])                                 \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))
#define multiply_4_3(text)                                                                        \
    asm volatile(text " {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"                      \
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])                                 \
                 : "r"(a[0]), "r"(a[1]), "r"(b[0]))
#define multiply_2_6(text)                                                                        \
    asm volatile(text " {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"                          \
                 : "+r"(d[0]), "+r"(d[1])                                                         \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))
#define multiply_2_3(text) \
    asm volatile(text " {%0, %1}, {%2, %3}, {%4}, {%0, %1};" : "+r"(d[0]), "+r"(d[1]) : "r"(a[0]), "r"(a[1]), "r"(b[0]))

KERNEL(f16_k8, "m16n8k8.row.col.f32.f16.f16.f32", 4, 3)
KERNEL(f16_k16, "m16n8k16.row.col.f32.f16.f16.f32", 4, 6)
KERNEL(f16_k8_half, "m16n8k8.row.col.f16.f16.f16.f16", 2, 3)
KERNEL(f16_k16_half, "m16n8k16.row.col.f16.f16.f16.f16", 2, 6)
KERNEL(bf16_k8, "m16n8k8.row.col.f32.bf16.bf16.f32", 4, 3)
KERNEL(bf16_k16, "m16n8k16.row.col.f32.bf16.bf16.f32", 4, 6)
KERNEL(tf32_k4, "m16n8k4.row.col.f32.tf32.tf32.f32", 4, 3)
KERNEL(tf32_k8, "m16n8k8.row.col.f32.tf32.tf32.f32", 4, 6)
KERNEL(e4m3_k32, "m16n8k32.row.col.f32.e4m3.e4m3.f32", 4, 6)
KERNEL(e5m2_k32, "m16n8k32.row.col.f32.e5m2.e5m2.f32", 4, 6)
