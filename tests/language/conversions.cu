//// ok: which number is made of which, asked of nvcc for 33 types each
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <type_traits>
template <class... T> struct Types {};
using All = Types<
    __half, __nv_bfloat16, float, double, char, signed char, unsigned char, short, unsigned short, int,
    unsigned, long, unsigned long, long long, unsigned long long, bool, __nv_fp8_e4m3, __nv_fp8_e5m2, __half2,
    __nv_bfloat162, float2, float4, __half_raw, __half2_raw, __nv_bfloat16_raw, __nv_fp8x2_e4m3,
    __nv_fp8x4_e4m3, __nv_fp8x2_e5m2, __nv_fp8x4_e5m2, int2, dim3, uint3, double2>;
// A digit for each: 4 if a T can be made of it, 2 more if it becomes one by itself, 1 more if it can be assigned.
template <class T, class... From> constexpr bool is_row(Types<From...>, const char* digits) {
    const int made[] = {4 * std::is_constructible_v<T, From> + 2 * std::is_convertible_v<From, T> + std::is_assignable_v<T&, From>...};
    for (int digit : made)
        if (*digits++ != '0' + digit) return false;
    return true;
}
static_assert(is_row<__half>(All(), "747777777776677744000070400000000"));
static_assert(is_row<__nv_bfloat16>(All(), "477777777776677744000040700000000"));
static_assert(is_row<float>(All(), "777777777777777744000000000000000"));
static_assert(is_row<double>(All(), "777777777777777744000000000000000"));
static_assert(is_row<char>(All(), "777777777777777744000000000000000"));
static_assert(is_row<signed char>(All(), "777777777777777744000000000000000"));
static_assert(is_row<unsigned char>(All(), "777777777777777744000000000000000"));
static_assert(is_row<short>(All(), "777777777777777744000000000000000"));
static_assert(is_row<unsigned short>(All(), "777777777777777744000000000000000"));
static_assert(is_row<int>(All(), "777777777777777744000000000000000"));
static_assert(is_row<unsigned>(All(), "777777777777777744000000000000000"));
static_assert(is_row<long>(All(), "777777777777777744000000000000000"));
static_assert(is_row<unsigned long>(All(), "777777777777777744000000000000000"));
static_assert(is_row<long long>(All(), "777777777777777744000000000000000"));
static_assert(is_row<unsigned long long>(All(), "777777777777777744000000000000000"));
static_assert(is_row<bool>(All(), "777777777777777744000000000000000"));
static_assert(is_row<__nv_fp8_e4m3>(All(), "444444444444444470000040400000000"));
static_assert(is_row<__nv_fp8_e5m2>(All(), "444444444444444407000040400000000"));
static_assert(is_row<__half2>(All(), "000000000000000000700007040400000"));
static_assert(is_row<__nv_bfloat162>(All(), "000000000000000000070000000000000"));
static_assert(is_row<float2>(All(), "000000000000000000007000040400000"));
static_assert(is_row<float4>(All(), "000000000000000000000700004040000"));
static_assert(is_row<__half_raw>(All(), "700000000000000000000070000000000"));
static_assert(is_row<__half2_raw>(All(), "000000000000000000700007000000000"));
static_assert(is_row<__nv_bfloat16_raw>(All(), "070000000000000000000000700000000"));
static_assert(is_row<__nv_fp8x2_e4m3>(All(), "000000000000000000444004070000004"));
static_assert(is_row<__nv_fp8x4_e4m3>(All(), "000000000000000000000400007000000"));
static_assert(is_row<__nv_fp8x2_e5m2>(All(), "000000000000000000444004000700004"));
static_assert(is_row<__nv_fp8x4_e5m2>(All(), "000000000000000000000400000070000"));
static_assert(is_row<int2>(All(), "000000000000000000000000000007000"));
static_assert(is_row<dim3>(All(), "447777777777777700000000000000770"));
static_assert(is_row<uint3>(All(), "000000000000000000000000000000770"));
static_assert(is_row<double2>(All(), "000000000000000000000000000000007"));

//// ok: functions of half by their names alone, of floats, through an address, and those of bfloat16 beside them
#include <cuda_bf16.h>
#include <cuda_fp16.h>
__global__ void k(__half* h, __nv_bfloat16* b, __half2* p) {
    h[0] = ::__hadd(h[1], h[2]), h[3] = ::hexp(h[0]), b[0] = ::__hfma(b[1], b[2], b[3]), p[0] = ::__hfma2(p[1], p[2], p[3]);
    h[1] = __half(b[0]), b[1] = static_cast<__nv_bfloat16>(h[0]), p[1] = __hcmadd(p[2], p[3], p[0]);
    __half (*of_two)(__half, __half) = __hmax;
    h[2] = of_two(h[0], h[1]);
}

//// ok: functions of half with floats where only half has them
#include <cuda_fp16.h>
__global__ void k(__half* h) { h[0] = hexp(2.0f), h[1] = __hadd(1.0f, 2.0f), h[2] = hsqrt(3), h[3] = __habs(-1.0); }

//// refused: hexp of a float where bfloat16 has one, too
#include <cuda_bf16.h>
__global__ void k(__half* h) { h[0] = hexp(2.0f); }

//// refused: a half assigned from a long
#include <cuda_fp16.h>
__global__ void k(__half* h, long n) { h[0] = n; }

//// ok: a half that begins as a long
#include <cuda_fp16.h>
__global__ void k(__half* h, long n) { __half x = n; x += n; h[0] = x; h[1] = __half(n); }

//// ok: 8-bit floats to and from whole numbers and pairs
#include <cuda_fp8.h>
__global__ void k(__nv_fp8_e4m3* x, int* i, __half2* p, __nv_fp8x2_e5m2* y) {
    i[0] = int(x[0]), i[1] = static_cast<unsigned char>(x[1]), x[2] = __nv_fp8_e4m3(7ull), p[0] = __half2(y[0]), y[1] = __nv_fp8x2_e5m2(p[1]);
    if (x[3] && !x[4]) i[2] = 1;
}

//// ok: functions that CUDA has of a float by the double's name, and of any number of dimensions
__global__ void k(float* x, double* d) {
    static_assert(sizeof(erfinv(x[0])) == 4 && sizeof(sinpi(x[0])) == 4 && sizeof(j0(x[0])) == 4 && sizeof(exp10(x[0])) == 4);
    static_assert(sizeof(normcdf(x[0])) == 4 && sizeof(jn(2, x[0])) == 4 && sizeof(erfcx(d[0])) == 8);
    x[0] = cyl_bessel_i0f(x[1]) + cyl_bessel_i1(x[2]) + normf(3, x) + rnormf(4, x), d[0] = cyl_bessel_i0(d[1]) + norm(3, d) + rnorm(2, d) + fdivide(d[0], d[1]);
}

//// refused: sinpi of an int
__global__ void k(double* d, int n) { d[0] = sinpi(n); }

//// refused: tanpi
__global__ void k(double* d) { d[0] = tanpi(d[1]); }

//// refused: __ldg of a pointer
__global__ void k(float* const* x, float* y) { y[0] = __ldg(x)[0]; }

//// refused: __ldg of a bool
__global__ void k(const bool* x, float* y) { y[0] = __ldg(x); }

//// refused: __stcg of a pointer
__global__ void k(float** x, float* y) { __stcg(x, y); }

//// refused: atomicCAS_block of an unsigned short
__global__ void k(unsigned short* x) { atomicCAS_block(x, (unsigned short)1, (unsigned short)2); }
