// Small files with the verdict of nvcc: `//// ok: NAME` or `//// refused: NAME` begins each (see test_corpus.py).

//// ok: DPX functions of s32
__global__ void k(int* x) { x[0] = __viaddmax_s32(x[1], x[2], x[3]) + __viaddmin_s32_relu(x[1], x[2], x[3]) + __vimax3_s32(x[1], x[2], x[3]) + __vimin3_s32_relu(x[1], x[2], x[3]) + __vimax_s32_relu(x[1], x[2]); bool p; x[1] = __vibmax_s32(x[1], x[2], &p) + p; }

//// ok: DPX functions of s16x2 and u32
__global__ void k(unsigned* x) { x[0] = __viaddmax_s16x2(x[1], x[2], x[3]) + __viaddmin_u16x2(x[1], x[2], x[3]) + __vimax3_u32(x[1], x[2], x[3]); bool h, l; x[1] = __vibmin_u16x2(x[1], x[2], &h, &l) + h + l; }

//// ok: DPX functions on the host
int f(int a) { return __viaddmax_s32(a, 1, 2) + __vimin3_s32(a, 2, 3); }

//// refused: DPX function of two arguments too few
__global__ void k(int* x) { x[0] = __viaddmax_s32(x[1]); }

//// refused: DPX function that there is not
__global__ void k(int* x) { x[0] = __vimax_s32(x[1], x[2]); }

//// refused: DPX function with an int for its predicate
__global__ void k(int* x) { x[0] = __vibmax_s32(x[1], x[2], x); }

//// ok: SIMD functions of two halves
__global__ void k(unsigned* x) { x[0] = __vadd2(x[1], x[2]) + __vabs2(x[1]) + __vabsss2(x[2]) + __vsads2(x[1], x[2]) + __vcmpges2(x[1], x[2]) + __vsetles2(x[1], x[2]) + __vnegss2(x[1]) + __vsubus2(x[1], x[2]); }

//// ok: SIMD functions of four bytes
__global__ void k(unsigned* x) { x[0] = __vabsdiffs4(x[1], x[2]) + __vavgs4(x[1], x[2]) + __vcmpleu4(x[1], x[2]) + __vsetne4(x[1], x[2]) + __vsads4(x[1], x[2]) + __vabs4(x[1]) + __vnegss4(x[2]) + __vcmpgtu4(x[1], x[2]); }

//// refused: SIMD function on the host
unsigned f(unsigned a) { return __vabsdiffs4(a, 1); }

//// refused: SIMD function that there is not
__global__ void k(unsigned* x) { x[0] = __vmul4(x[1], x[2]); }

//// ok: one's own __vmin
__device__ int __vmin(int a, int b) { return a < b ? a : b; }
__global__ void k(int* x) { x[0] = __vmin(x[1], x[2]); }

//// ok: __dp2a of a short2
__global__ void k(int* x, short2* s, char4* c) { x[0] = __dp2a_lo(s[0], c[0], x[1]) + __dp2a_hi(s[0], c[0], 1); }

//// ok: half to an int and from an unsigned
#include <cuda_fp16.h>
__global__ void k(half* x, int* i, unsigned* u) { i[0] = x[0]; x[1] = u[0]; i[1] = (int)x[2]; u[1] = __half2uint_rn(x[3]); x[4] = __int2half_rn(i[2]); }

//// ok: half2 members and operators
#include <cuda_fp16.h>
__global__ void k(half2* x) { half2 a = x[0]; a.x = a.y; a += x[1]; a = a * x[2] - x[3]; x[0] = a; x[1] = -a; }

//// ok: bfloat16 without underscores
#include <cuda_bf16.h>
__global__ void k(nv_bfloat16* x, nv_bfloat162* y) { x[0] = x[1]; y[0] = y[1] + y[2]; }

//// ok: fp8
#include <cuda_fp8.h>
__global__ void k(__nv_fp8_e4m3* x, float* f) { x[0] = __nv_fp8_e4m3(f[0]); f[1] = float(x[1]); }

//// refused: fp8 added
#include <cuda_fp8.h>
__global__ void k(__nv_fp8_e4m3* x) { x[0] = x[1] + x[2]; }

//// refused: fp8 assigned a float
#include <cuda_fp8.h>
__global__ void k(__nv_fp8_e4m3* x, float* f) { x[0] = f[0]; }

//// refused: fp8 to a float implicitly
#include <cuda_fp8.h>
__global__ void k(__nv_fp8_e4m3* x, float* f) { f[0] = x[0]; }

//// ok: fp8 of the other kind and by functions
#include <cuda_fp8.h>
__global__ void k(__nv_fp8_e5m2* x, float* f, __nv_fp8_storage_t* s) { x[0] = __nv_fp8_e5m2(f[0]); s[0] = __nv_cvt_float_to_fp8(f[1], __NV_SATFINITE, __NV_E4M3); }

//// ok: atomicAdd of an unsigned to an int's pointer
__global__ void k(unsigned* x, int n) { atomicAdd(x, n); atomicSub(x, 1); atomicOr(x, 4); atomicXor(x, 1); atomicAnd(x, 7); atomicDec(x, 3); }

//// ok: atomicExch of a float
__global__ void k(float* x) { x[1] = atomicExch(x, 1.0f); x[2] = atomicExch(x, 1); }

//// refused: atomicadd in lower case
__global__ void k(int* x) { atomicadd(x, 1); }

//// refused: float4 ==
__global__ void k(float4* x, int* y) { y[0] = x[0] == x[1]; }

//// ok: vector types of all kinds
__global__ void k(int* x) { char2 a = make_char2(1, 2); uchar4 b = make_uchar4(1, 2, 3, 4); short3 c = make_short3(1, 2, 3); ushort2 d = make_ushort2(1, 2); uint4 e = make_uint4(1, 2, 3, 4); longlong2 f = make_longlong2(1, 2); double2 g = make_double2(1, 2); long1 h = make_long1(1); ulonglong2 i = make_ulonglong2(1, 2); x[0] = a.x + b.y + c.z + d.x + e.w + f.x + g.y + h.x + i.y; }

//// ok: __ldg of a float4 and a double and a half
#include <cuda_fp16.h>
__global__ void k(const float4* x, const double* d, const half* h, float* y) { y[0] = __ldg(x).x + __ldg(d + 1) + __half2float(__ldg(h)); }

//// refused: __ldg of a struct
struct P { int a; };
__global__ void k(const P* p, int* x) { x[0] = __ldg(p).a; }

//// refused: __ldg of a value
__global__ void k(const float* x, float* y) { y[0] = __ldg(x[1]); }

//// ok: abs of an unsigned minus
__global__ void k(unsigned* x, int* i) { i[0] = abs((int)(x[1] - x[2])) + abs(i[1]) + labs(i[2]) + llabs(i[3]); }

//// refused: modulo of floats
__global__ void k(float* x) { x[0] = x[1] % 3; }

//// refused: uint without its header
__global__ void k(uint* x, ushort* s, uchar* c) { x[0] = s[0]; }

//// refused: a float with two points
__global__ void k(float* x) { x[0] = 1.5.2; }

//// refused: texture object without its type
__global__ void k(cudaTextureObject_t t, float* x) { x[0] = tex2D(t, 0.5f, 1.5f); }

//// ok: the constants of half and bfloat16
#include <cuda_bf16.h>
#include <cuda_fp16.h>
__global__ void k(half* x, __nv_bfloat16* y) { x[0] = __hmax(x[1], -CUDART_INF_FP16); y[0] = __hmul(CUDART_ONE_BF16, y[1]); }
