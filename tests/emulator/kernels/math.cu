#include <math_constants.h>
#include <cfloat>

// ---- accurate functions ----

__global__ void functions_kernel(const float* x, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i], s, c, sp, cp;
    sincosf(v, &s, &c);
    sincospif(v, &sp, &cp);
    float result[] = {
        sinf(v), cosf(v), s, c, expf(v), logf(v), rsqrtf(v), sqrtf(v), tanhf(v), erff(v), powf(v, 1.5f),
        exp10f(v), exp2f(v), cbrtf(v), sp, cp, normcdff(v), fmaf(v, v, 1), hypotf(v, 3), rcbrtf(v), log1pf(v),
        expm1f(v), erfcxf(v), erfinvf(v / 8),
    };
    for (int k = 0; k < 24; ++k) z[k * n + i] = result[k];
}
extern "C" void functions(const float* x, float* z, int n, cudaStream_t stream) {
    functions_kernel<<<(n + 63) / 64, 64, 0, stream>>>(x, z, n);
}

__global__ void overloads_kernel(double* z) {
    float f = 2;
    double result[] = {
        sin(f), exp(1.0), fabs(-f), abs(-3), abs(-2.5f), pow(f, 3), sqrt(2.0), rsqrt(4.0), normcdfinv(0.975),
        sinpi(2.5), (double)max(1, 2u), (double)min(-1, 1), max(1.5f, 2.0), min(3.f, NAN), fmaxf(NAN, 1),
        fminf(-0.f, 1), (double)max(3ll, 2ll), (double)min(threadIdx.x, 5), floorf(-1.5f), rintf(2.5f),
        roundf(2.5f), truncf(-1.5f), fmodf(7, 4), copysignf(1, -2), ldexpf(3, 4), norm3df(2, 3, 6),
        rnorm3df(2, 3, 6), fdimf(5, 3), erfcinv(1.0), cospi(1.0),
    };
    for (int k = 0; k < 30; ++k) z[k] = result[k];
}
extern "C" void overloads(double* z, cudaStream_t stream) { overloads_kernel<<<1, 1, 0, stream>>>(z); }

__global__ void special_values_kernel(int* z) {
    float inf = CUDART_INF_F, nan = CUDART_NAN_F;
    z[0] = isinf(inf) && isinf(-INFINITY) && !isinf(1.f);
    z[1] = isnan(nan) && isnan(inf - inf) && !isnan(inf);
    z[2] = isfinite(1e30f) && !isfinite(inf) && !isfinite(nan);
    z[3] = signbit(-0.0f) && CUDART_PI_F == (float)3.14159265358979 && CUDART_PI == 3.14159265358979323846;
    z[4] = expf(-inf) == 0 && logf(0) == -inf && sqrtf(-1) != sqrtf(-1) && 1 / -0.0f == -inf;
    z[5] = FLT_MAX == CUDART_MAX_NORMAL_F && sinpif(1e8f) == 0 && cospif(0.5f) == 0;
}
extern "C" void special_values(int* z, cudaStream_t stream) { special_values_kernel<<<1, 1, 0, stream>>>(z); }

// ---- approximate functions ----

__global__ void approximate_kernel(const float* x, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i], s, c;
    __sincosf(v, &s, &c);
    float result[] = {
        __sinf(v), __cosf(v), s, c, __tanf(v), __expf(v), __exp10f(v), __logf(v), __log2f(v), __log10f(v),
        __powf(v, 2.5f), __fdividef(1, v), __saturatef(v - 1),
    };
    for (int k = 0; k < 13; ++k) z[k * n + i] = result[k];
}
extern "C" void approximate(const float* x, float* z, int n, cudaStream_t stream) {
    approximate_kernel<<<(n + 63) / 64, 64, 0, stream>>>(x, z, n);
}

__global__ void limits_kernel(float* z) {
    z[0] = __fdividef(8e37f, 8e37f);
    z[1] = __fdividef(1e38f, 1e38f) == 0;    // the divisor is above 2^126
    z[2] = __saturatef(NAN);
    z[3] = __expf(1000) == INFINITY;
    z[4] = __logf(0) == -INFINITY;
    z[5] = isnan(__sinf(INFINITY));
}
extern "C" void approximate_limits(float* z, cudaStream_t stream) { limits_kernel<<<1, 1, 0, stream>>>(z); }

// ---- rounding ----

__global__ void rounding_kernel(float* z, double* d) {
    float third = __fdiv_rn(1, 3);
    float result[] = {
        __fadd_ru(1, 1e-9f), __fadd_rd(1, 1e-9f), __fadd_rz(-1, -1e-9f), __fadd_rn(1, 1e-9f),
        __fmul_ru(third, 3), __fmul_rd(third, 3), __fsub_rd(1, 1e-9f), __fdiv_ru(1, 3), __fdiv_rd(1, 3),
        __fsqrt_ru(2), __fsqrt_rd(2), __frcp_ru(3), __frcp_rz(3), __fmaf_rn(third, 3, -1),
        __fmaf_ru(1, 1, 1e-9f), __frsqrt_rn(4),
    };
    for (int k = 0; k < 16; ++k) z[k] = result[k];
    d[0] = __dadd_ru(1, 1e-20);
    d[1] = __dmul_rd(1.1, 1.1);
    d[2] = __dmul_ru(1.1, 1.1);
    d[3] = __dsqrt_rz(2);
    d[4] = __fma_rn(1.1, 1.1, -__dmul_rn(1.1, 1.1));
}
extern "C" void rounding(float* z, double* d, cudaStream_t stream) { rounding_kernel<<<1, 1, 0, stream>>>(z, d); }

__global__ void conversions_kernel(long long* z, float* f) {
    long long result[] = {
        __float2int_rn(2.5f), __float2int_rn(3.5f), __float2int_rz(-2.7f), __float2int_ru(2.1f),
        __float2int_rd(-2.1f), __float2int_rz(1e20f), __float2int_rn(-1e20f), __float2int_rz(NAN),
        __float2uint_rz(-5), __float2uint_rn(4e9f), __double2int_rn(-0.5), __float2ll_rz(-1e15f),
        __double2ll_rd(-0.1), __float2ull_rn(1e19f) == 9999999980506447872ull, (int)3.99f,
        __double2uint_ru(0.01), __double2int_rz(NAN), __double2uint_rd(NAN), __float2ull_rn(NAN) == 1ull << 63,
    };
    for (int k = 0; k < 19; ++k) z[k] = result[k];
    f[0] = __int2float_rn(16777217);
    f[1] = __int2float_ru(16777217);
    f[2] = __uint2float_rd(0xffffffffu);
    f[3] = __double2float_ru(0.1);
    f[4] = __double2float_rd(0.1);
    f[5] = __ll2float_rz(-16777219);
    f[6] = __int2double_rn(-7);
    f[7] = __ull2float_rn(1ull << 63);
}
extern "C" void conversions(long long* z, float* f, cudaStream_t stream) {
    conversions_kernel<<<1, 1, 0, stream>>>(z, f);
}

__global__ void bits_kernel(unsigned* z) {
    z[0] = __float_as_uint(-1.5f);
    z[1] = __float_as_int(1.0f);
    z[2] = __int_as_float(0x40490fdb) == CUDART_PI_F;
    z[3] = __double2hiint(1.0);
    z[4] = __hiloint2double(0x40080000, 0) == 3.0 && __longlong_as_double(__double_as_longlong(-2.5)) == -2.5;
    z[5] = __brev(0x00000013);
    z[6] = __brevll(1) == 1ull << 63;
    z[7] = __clz(0) * 1000 + __clz(1) * 10 + __clz(-1);
    z[8] = __clzll(0) * 1000 + __clzll(1ll << 40);
    z[9] = __ffs(0) * 1000 + __ffs(8) * 10 + __ffsll(1ll << 40);
    z[10] = __popc(0xf0f0u) * 100 + __popcll(~0ull);
    z[11] = __byte_perm(0x33221100, 0x77665544, 0x7531);
    z[12] = __byte_perm(0x00008000, 0, 0x2229);
    z[13] = __funnelshift_l(0x80000001, 0x00000002, 4);
    z[14] = __funnelshift_r(0x80000001, 0x00000002, 4);
    z[15] = __funnelshift_lc(1, 2, 40) * 10 + __funnelshift_rc(1, 2, 99);
    z[16] = __fns(0xf0, 0, 2);
}
extern "C" void bits(unsigned* z, cudaStream_t stream) { bits_kernel<<<1, 1, 0, stream>>>(z); }

__global__ void products_kernel(int* z) {
    z[0] = __mul24(-3, 7) + __umul24(1 << 24 | 5, 3);
    z[1] = __mulhi(1 << 30, -8);
    z[2] = __umulhi(0xffffffffu, 0xffffffffu) == 0xfffffffe;
    z[3] = __mul64hi(1ll << 62, 12) + (__umul64hi(~0ull, ~0ull) == ~0ull - 1);
    z[4] = __sad(-5, 9, 100u) + __usad(3, 10, 1000);
    z[5] = __hadd(7, -2) * 100 + __rhadd(7, 2) * 10 + __uhadd(7, 2);
    z[6] = __dp4a(0x01020304, 0x01010101, 5);
    z[7] = __dp4a((int)0xff000001, (int)0x02000003, 0);
    z[8] = __dp4a(0xff000001u, 0x02000003u, 0u);
    z[9] = __dp2a_lo(0x00030002, 0x7f7f0504, 0);
    z[10] = __vadd4(0x01ff7f02, 0x01018001);
    z[11] = __vadd2(0xffff0001, 0x00010001);
    z[12] = __vmaxs4(0x80017f00, 0x7f02ff01);
    z[13] = __vabsdiffu4(0x0105ff00, 0x05010001);
    z[14] = __vsadu4(0x0105ff00, 0x05010001);
    z[15] = __vcmpeq4(0x01020304, 0x01ff03ff);
    z[16] = __vsub4(0, 0x01020304) == __vneg4(0x01020304);
}
extern "C" void products(int* z, cudaStream_t stream) { products_kernel<<<1, 1, 0, stream>>>(z); }
