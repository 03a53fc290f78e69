// Micro-kernels on functions and operators: how many operations of the special-function unit nvcc makes of each, and how
// many additions and multiplications. What is measured here is the price list of the emulator
// (grader/devices/emulator/prices.py), which counts calls and operators.
//
// X and Y lie between 0 and 1, where no function takes its slow path for numbers that are very large, very small, or
// outside of its domain.

__device__ unsigned thread() { return blockIdx.x * blockDim.x + threadIdx.x; }
template <class T> __device__ T scaled(T whole) { return (whole + T(0.5)) * T(0.0009765625); }

#define X scaled(x[i])
#define Y scaled(x[n + i])
#define ENTRY(name, T, expression)                                         \
    __global__ void kernel_##name(const T* x, T* out, int n) {             \
        unsigned i = thread();                                             \
        out[i] = expression;                                               \
    }                                                                      \
    extern "C" void name(const T* x, T* out, int n, cudaStream_t stream) { \
        kernel_##name<<<8, 128, 0, stream>>>(x, out, n);                   \
    }

// ---- what all others do besides ----

ENTRY(nothing, float, X)
ENTRY(nothing_twice, float, X > Y)
ENTRY(nothing_double, double, X)
ENTRY(nothing_double_twice, double, X > Y)
ENTRY(nothing_int, int, x[i] > x[n + i])

// ---- operators ----

ENTRY(float_add, float, X + Y)
ENTRY(float_subtract, float, X - Y)
ENTRY(float_multiply, float, X * Y)
ENTRY(float_multiply_add, float, X * Y + X)
ENTRY(float_divide, float, X / Y)
ENTRY(float_reciprocal, float, 1.0f / X)
ENTRY(float_divide_by_four, float, X / 4.0f)
ENTRY(float_divide_by_three, float, X / 3.0f)
ENTRY(double_add, double, X + Y)
ENTRY(double_divide_by_three, double, X / 3.0)
ENTRY(double_multiply, double, X * Y)
ENTRY(double_multiply_add, double, X * Y + X)
ENTRY(double_divide, double, X / Y)
ENTRY(int_divide, int, x[i] / (x[n + i] + 1))
ENTRY(int_remainder, int, x[i] % (x[n + i] + 1))
ENTRY(int_divide_and_remainder, int, x[i] / (x[n + i] + 1) + x[i] % (x[n + i] + 1))
ENTRY(int_divide_by_eleven, int, x[i] / 11)
ENTRY(unsigned_divide, unsigned, x[i] / (x[n + i] + 1))
ENTRY(long_divide, long long, x[i] / (x[n + i] + 1))

// ---- functions of one float ----

ENTRY(of_expf, float, expf(X))
ENTRY(of_exp2f, float, exp2f(X))
ENTRY(of_exp10f, float, exp10f(X))
ENTRY(of_expm1f, float, expm1f(X))
ENTRY(of_logf, float, logf(X))
ENTRY(of_log2f, float, log2f(X))
ENTRY(of_log10f, float, log10f(X))
ENTRY(of_log1pf, float, log1pf(X))
ENTRY(of_sinf, float, sinf(X))
ENTRY(of_cosf, float, cosf(X))
ENTRY(of_tanf, float, tanf(X))
ENTRY(of_sinpif, float, sinpif(X))
ENTRY(of_cospif, float, cospif(X))
ENTRY(of_asinf, float, asinf(X))
ENTRY(of_acosf, float, acosf(X))
ENTRY(of_atanf, float, atanf(X))
ENTRY(of_sinhf, float, sinhf(X))
ENTRY(of_coshf, float, coshf(X))
ENTRY(of_tanhf, float, tanhf(X))
ENTRY(of_asinhf, float, asinhf(X))
ENTRY(of_atanhf, float, atanhf(X))
ENTRY(of_sqrtf, float, sqrtf(X))
ENTRY(of_rsqrtf, float, rsqrtf(X))
ENTRY(of_cbrtf, float, cbrtf(X))
ENTRY(of_rcbrtf, float, rcbrtf(X))
ENTRY(of_erff, float, erff(X))
ENTRY(of_erfcf, float, erfcf(X))
ENTRY(of_erfinvf, float, erfinvf(X))
ENTRY(of_erfcinvf, float, erfcinvf(X))
ENTRY(of_erfcxf, float, erfcxf(X))
ENTRY(of_normcdff, float, normcdff(X))
ENTRY(of_normcdfinvf, float, normcdfinvf(X))
ENTRY(of___expf, float, __expf(X))
ENTRY(of___exp10f, float, __exp10f(X))
ENTRY(of___logf, float, __logf(X))
ENTRY(of___log2f, float, __log2f(X))
ENTRY(of___log10f, float, __log10f(X))
ENTRY(of___sinf, float, __sinf(X))
ENTRY(of___cosf, float, __cosf(X))
ENTRY(of___tanf, float, __tanf(X))
ENTRY(of___tanhf, float, __tanhf(X))
ENTRY(of_acoshf, float, acoshf(X + 1.0f))
ENTRY(of_sincosf, float, sinf(X) + cosf(X))
ENTRY(of_fmaf, float, fmaf(X, Y, X))

// ---- rounded as the name says ----

ENTRY(of___frcp_rn, float, __frcp_rn(X))
ENTRY(of___frcp_rz, float, __frcp_rz(X))
ENTRY(of___frcp_ru, float, __frcp_ru(X))
ENTRY(of___frcp_rd, float, __frcp_rd(X))
ENTRY(of___fsqrt_rn, float, __fsqrt_rn(X))
ENTRY(of___fsqrt_rz, float, __fsqrt_rz(X))
ENTRY(of___fsqrt_ru, float, __fsqrt_ru(X))
ENTRY(of___fsqrt_rd, float, __fsqrt_rd(X))
ENTRY(of___frsqrt_rn, float, __frsqrt_rn(X))

// ---- functions of two floats ----

ENTRY(of_powf, float, powf(X, Y))
ENTRY(of_atan2f, float, atan2f(X, Y))
ENTRY(of_hypotf, float, hypotf(X, Y))
ENTRY(of_rhypotf, float, rhypotf(X, Y))
ENTRY(of_fmodf, float, fmodf(X, Y))
ENTRY(of___powf, float, __powf(X, Y))
ENTRY(of___fdividef, float, __fdividef(X, Y))
ENTRY(of___fdiv_rn, float, __fdiv_rn(X, Y))
ENTRY(of___fdiv_rz, float, __fdiv_rz(X, Y))
ENTRY(of___fdiv_ru, float, __fdiv_ru(X, Y))
ENTRY(of___fdiv_rd, float, __fdiv_rd(X, Y))
ENTRY(of___fadd_rn, float, __fadd_rn(X, Y))
ENTRY(of___fadd_rz, float, __fadd_rz(X, Y))
ENTRY(of___fsub_rn, float, __fsub_rn(X, Y))
ENTRY(of___fmul_rn, float, __fmul_rn(X, Y))
ENTRY(of___fmul_rz, float, __fmul_rz(X, Y))
ENTRY(of_norm3df, float, norm3df(X, Y, X))
ENTRY(of_rnorm3df, float, rnorm3df(X, Y, X))
ENTRY(of___fmaf_rn, float, __fmaf_rn(X, Y, X))

// ---- functions of doubles ----

ENTRY(of_exp, double, exp(X))
ENTRY(of_exp2, double, exp2(X))
ENTRY(of_exp10, double, exp10(X))
ENTRY(of_expm1, double, expm1(X))
ENTRY(of_log, double, log(X))
ENTRY(of_log2, double, log2(X))
ENTRY(of_log10, double, log10(X))
ENTRY(of_log1p, double, log1p(X))
ENTRY(of_sin, double, sin(X))
ENTRY(of_cos, double, cos(X))
ENTRY(of_tan, double, tan(X))
ENTRY(of_sinh, double, sinh(X))
ENTRY(of_cosh, double, cosh(X))
ENTRY(of_tanh, double, tanh(X))
ENTRY(of_sqrt, double, sqrt(X))
ENTRY(of_rsqrt, double, rsqrt(X))
ENTRY(of_cbrt, double, cbrt(X))
ENTRY(of_erf, double, erf(X))
ENTRY(of_pow, double, pow(X, Y))
ENTRY(of_fma, double, fma(X, Y, X))
ENTRY(of_sincos, double, sin(X) + cos(X))
ENTRY(of___drcp_rn, double, __drcp_rn(X))
ENTRY(of___dsqrt_rn, double, __dsqrt_rn(X))
ENTRY(of___dadd_rn, double, __dadd_rn(X, Y))
ENTRY(of___dmul_rn, double, __dmul_rn(X, Y))
ENTRY(of___ddiv_rn, double, __ddiv_rn(X, Y))

// ---- in branches and loops ----

// Half of the lanes: a warp executes it all the same.
ENTRY(for_some_lanes, float, i % 2 ? expf(X) : X)

__global__ void kernel_in_a_loop(const float* x, float* out, int n) {
    unsigned i = thread();
    float sum = 0;
#pragma unroll 1
    for (unsigned k = 0; k < i % 8; ++k) sum += expf(x[i + k] * 0.0009765625f);
    out[i] = sum;
}
extern "C" void in_a_loop(const float* x, float* out, int n, cudaStream_t stream) {
    kernel_in_a_loop<<<8, 128, 0, stream>>>(x, out, n);
}
