#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

// ---- conversions ----

template <class T> __global__ void widen_kernel(const T* x, float* z) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    z[i] = x[i];
}
extern "C" void widen_half(const half* x, float* z, cudaStream_t stream) {
    widen_kernel<<<256, 256, 0, stream>>>(x, z);
}
extern "C" void widen_bfloat(const __nv_bfloat16* x, float* z, cudaStream_t stream) {
    widen_kernel<<<256, 256, 0, stream>>>(x, z);
}

template <class T> __global__ void narrow_kernel(const float* x, T* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i];
}
extern "C" void narrow_half(const float* x, half* z, int n, cudaStream_t stream) {
    narrow_kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, z, n);
}
extern "C" void narrow_bfloat(const float* x, __nv_bfloat16* z, int n, cudaStream_t stream) {
    narrow_kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, z, n);
}

__global__ void modes_kernel(const float* x, half* h, __nv_bfloat16* b, int n) {
    int i = threadIdx.x;
    if (i >= n) return;
    h[i] = __float2half_rn(x[i]);
    h[n + i] = __float2half_rz(x[i]);
    h[2 * n + i] = __float2half_ru(x[i]);
    h[3 * n + i] = __float2half_rd(x[i]);
    b[i] = __float2bfloat16_rn(x[i]);
    b[n + i] = __float2bfloat16_rz(x[i]);
    b[2 * n + i] = __float2bfloat16_ru(x[i]);
    b[3 * n + i] = __float2bfloat16_rd(x[i]);
}
extern "C" void modes(const float* x, half* h, __nv_bfloat16* b, int n, cudaStream_t stream) {
    modes_kernel<<<1, n, 0, stream>>>(x, h, b, n);
}

__global__ void integers_kernel(int* z) {
    half h = 2.5f;
    z[0] = __half2int_rn(h);
    z[1] = __half2int_rz(__hneg(h));
    z[2] = __half2int_ru(h);
    z[3] = __half2uint_rd(h);
    z[4] = __half2short_rn(half(-40000.f));
    z[5] = (float)__int2half_rn(2049);
    z[6] = (float)__uint2half_ru(2049);
    z[7] = (float)__ll2half_rz(-2051);
    z[8] = __bfloat162int_rz(__float2bfloat16(-7.75f));
    z[9] = (float)__int2bfloat16_rn(257);
    z[10] = (int)half(3.9f) + (int)__nv_bfloat16(4.9f);
    z[11] = __half_as_ushort(half(1.0)) == 0x3c00 && __ushort_as_half(0xc000) == half(-2)
        && __bfloat16_as_ushort(__nv_bfloat16(1)) == 0x3f80;
    z[12] = bool(half(0.f)) * 2 + bool(half(-1)) + __hisnan(half(NAN)) * 10 + __hisinf(half(-1e6f)) * 100;
}
extern "C" void integers(int* z, cudaStream_t stream) { integers_kernel<<<1, 1, 0, stream>>>(z); }

// ---- arithmetic ----

__global__ void arithmetic_kernel(const half* x, const half* y, half* z, int n) {
    __shared__ half s[256];
    int i = threadIdx.x;
    s[i] = y[i];
    __syncthreads();
    half a = x[i], b = s[i], c = a;
    c += b;
    half result[] = {
        a + b, a - b, a * b, a / b, -a, c, __hfma(a, b, a), __hadd_sat(a, b), __hmax(a, b), __habs(a),
        __hmul(a, b), hsqrt(__habs(a)), hexp(a), hlog(__habs(a)), hfloor(a), hrcp(b),
    };
    for (int k = 0; k < 16; ++k) z[k * n + i] = result[k];
}
extern "C" void arithmetic(const half* x, const half* y, half* z, int n, cudaStream_t stream) {
    arithmetic_kernel<<<1, n, 0, stream>>>(x, y, z, n);
}

__global__ void bfloat_kernel(const __nv_bfloat16* x, const __nv_bfloat16* y, __nv_bfloat16* z, int n) {
    __shared__ __nv_bfloat16 s[256];
    int i = threadIdx.x;
    s[i] = y[i];
    __syncthreads();
    __nv_bfloat16 a = x[i], b = s[i];
    __nv_bfloat16 result[] = {a + b, a - b, a * b, a / b, __hfma(a, b, b), __hmin(a, b)};
    for (int k = 0; k < 6; ++k) z[k * n + i] = result[k];
}
extern "C" void bfloat_arithmetic(const __nv_bfloat16* x, const __nv_bfloat16* y, __nv_bfloat16* z, int n,
    cudaStream_t stream) {
    bfloat_kernel<<<1, n, 0, stream>>>(x, y, z, n);
}

__global__ void compare_kernel(int* z) {
    half one = 1, two = 2, nan = NAN, minus_zero = -0.0f;
    z[0] = (one < two) + 2 * (two <= one) + 4 * (one == one) + 8 * (one != two) + 16 * (two > one)
        + 32 * (one >= two) + 64 * (minus_zero == half(0));
    z[1] = (nan == nan) + 2 * (nan != nan) + 4 * (nan < one) + 8 * __heq(nan, nan) + 16 * __hequ(nan, nan)
        + 32 * __hltu(nan, one) + 64 * __hne(nan, one);
    z[2] = __hlt(one, two) + 2 * __hgt(one, two) + 4 * __hge(two, two);
    z[3] = (float)__hmax(nan, one) == 1 && __hisnan(__hmax_nan(nan, one));
    half2 a(one, two), b(two, two);
    z[4] = __hbeq2(a, b) + 2 * __hble2(a, b) + 4 * (a == a) + 8 * (__hlt2(a, b) == half2(1, 0));
    z[5] = __heq2_mask(a, b) == 0xffff0000u;
    z[6] = (one < two ? one : two) == one;
    const half zero = 0.0f;
    z[7] = (__half_as_ushort(__hmin(zero, minus_zero)) == 0x8000) + 2 * (__half_as_ushort(__hmin(minus_zero, zero)) == 0x8000)
        + 4 * (__half_as_ushort(__hmax(minus_zero, zero)) == 0) + 8 * (__half_as_ushort(__hmax_nan(zero, minus_zero)) == 0)
        + 16 * (__half_as_ushort(__hmin_nan(zero, zero)) == 0) + 32 * (__half_as_ushort(__hmax(minus_zero, minus_zero)) == 0x8000);
    // 1.5 * (1 + 2^-7) lies half way between two numbers: the third one decides, however small.
    const __nv_bfloat16 p = 1.5f, q = 1.0078125f, less = -0x1p-60f, more = 0x1p-60f;
    z[8] = ((float)__hfma(p, q, less) == 1.5078125f) + 2 * ((float)__hfma(p, q, more) == 1.515625f)
        + 4 * ((float)__hfma(-p, q, more) == -1.5078125f) + 8 * ((float)__hfma(p, q, __nv_bfloat16(0.f)) == 1.515625f);
}
extern "C" void comparisons(int* z, cudaStream_t stream) { compare_kernel<<<1, 1, 0, stream>>>(z); }

// ---- pairs ----

__global__ void pairs_kernel(const half2* x, const half2* y, half2* z, float* f) {
    int i = threadIdx.x;
    half2 a = x[i], b = y[i];                                       // load pairs
    z[i] = __hfma2(a, b, __float2half2_rn(1));                      // store pair
    z[i + 32] = __lowhigh2highlow(__hadd2(a, b) * b);
    z[i + 64] = half2{a.y, b.x};                                    // store braced
    z[i + 96] = __halves2half2(__high2half(a), __low2half(b));      // store halves
    z[i + 128] = __hmax2(__hneg2(a), __low2half2(b));
    z[i + 160] = h2exp(a);
    z[i + 192] = __shfl_xor_sync(0xffffffffu, a, 1);
    z[i + 224] = half2(__shfl_down_sync(0xffffffffu, a.x, 2), __ldg(&y[i]).y);
    float2 both = __half22float2(a);
    f[i] = both.x + both.y + __low2float(b) - __high2float(b);
}
extern "C" void pairs(const half* x, const half* y, half* z, float* f, cudaStream_t stream) {
    pairs_kernel<<<1, 32, 0, stream>>>(reinterpret_cast<const half2*>(x), reinterpret_cast<const half2*>(y),
        reinterpret_cast<half2*>(z), f);
}

union Eight { uint4 whole; half parts[8]; half2 pairs[4]; };
__global__ void eight_kernel(const half* x, half* z) {
    Eight e;
    e.whole = reinterpret_cast<const uint4*>(x)[threadIdx.x];       // load eight
    for (half& part : e.parts) part = part * part;
    e.pairs[0] = __floats2half2_rn(1, 2);
    reinterpret_cast<uint4*>(z)[threadIdx.x] = e.whole;             // store eight
}
extern "C" void eights(const half* x, half* z, cudaStream_t stream) { eight_kernel<<<1, 4, 0, stream>>>(x, z); }

__global__ void bfloat_pairs_kernel(const __nv_bfloat162* x, __nv_bfloat162* z, float* f) {
    int i = threadIdx.x;
    __nv_bfloat162 a = x[i];
    z[i] = __hmul2(a, __floats2bfloat162_rn(2, 0.5f)) + __bfloat162bfloat162(__float2bfloat16(1));
    z[i + 32] = __float22bfloat162_rn(make_float2(__low2float(a), 1.0f));
    z[i + 64] = __shfl_xor_sync(0xffffffffu, a, 3);
    f[i] = __bfloat1622float2(a).y + __bfloat162float(__high2bfloat16(a));
}
extern "C" void bfloat_pairs(const __nv_bfloat16* x, __nv_bfloat16* z, float* f, cudaStream_t stream) {
    bfloat_pairs_kernel<<<1, 32, 0, stream>>>(reinterpret_cast<const __nv_bfloat162*>(x),
        reinterpret_cast<__nv_bfloat162*>(z), f);
}

// ---- the headers' constants ----

__global__ void constants_kernel(half* h, __nv_bfloat16* b) {
    const half halves[] = {CUDART_INF_FP16,      CUDART_NAN_FP16,  CUDART_MIN_DENORM_FP16, CUDART_MAX_NORMAL_FP16,
                           CUDART_NEG_ZERO_FP16, CUDART_ZERO_FP16, CUDART_ONE_FP16};
    const __nv_bfloat16 bfloats[] = {CUDART_INF_BF16,      CUDART_NAN_BF16,  CUDART_MIN_DENORM_BF16, CUDART_MAX_NORMAL_BF16,
                                     CUDART_NEG_ZERO_BF16, CUDART_ZERO_BF16, CUDART_ONE_BF16};
    for (int i = 0; i < 7; ++i) h[i] = halves[i], b[i] = bfloats[i];
}
extern "C" void constants(half* h, __nv_bfloat16* b, cudaStream_t stream) {
    constants_kernel<<<1, 1, 0, stream>>>(h, b);
}

// ---- from one small format to another ----

__global__ void between_kernel(const half* x, __nv_bfloat16* b, half* h, int* i, half2* c) {
    int n = threadIdx.x;
    b[n] = __nv_bfloat16(x[n]);
    h[n] = half(b[n]);
    i[n] = int(__nv_fp8_e4m3(x[n]));
    c[n] = __hcmadd(make_half2(x[n], half(2.0f)), make_half2(half(0.5f), x[n]), make_half2(half(1.0f), half(-1.0f)));
}
extern "C" void between(const half* x, __nv_bfloat16* b, half* h, int* i, half* c, cudaStream_t stream) {
    between_kernel<<<1, 64, 0, stream>>>(x, b, h, i, reinterpret_cast<half2*>(c));
}

__global__ void bessel_kernel(const double* x, double* i0, double* i1, float* f0, float* f1) {
    int n = blockIdx.x * 64 + threadIdx.x;
    i0[n] = cyl_bessel_i0(x[n]);
    i1[n] = cyl_bessel_i1(x[n]);
    f0[n] = cyl_bessel_i0f(float(x[n]));
    f1[n] = cyl_bessel_i1f(float(x[n]));
}
extern "C" void bessel(const double* x, double* i0, double* i1, float* f0, float* f1, cudaStream_t stream) {
    bessel_kernel<<<32, 64, 0, stream>>>(x, i0, i1, f0, f1);
}
