// Small files with the verdict of nvcc: `//// ok: NAME` or `//// refused: NAME` begins each (see test_corpus.py).

//// ok: bad ptx in an uncalled function via macro
__device__ void g(int* x) { asm volatile("foo.u32 %0, %1;" : "=r"(x[0]) : "r"(x[1])); }
__global__ void k(int* x) { x[0] = 1; }

//// ok: bad ptx dead behind if false
__global__ void k(int* x) { if (false) asm volatile("foo.u32 %0, %1;" : "=r"(x[0]) : "r"(x[1])); x[0] = 1; }

//// ok: bad ptx after return
__global__ void k(int* x) { x[0] = 1; return; asm volatile("foo.u32 %0, %1;" : "=r"(x[0]) : "r"(x[1]));  }

//// ok: bad ptx static device function called by uncalled
static __device__ void h(int* x) { asm volatile("foo.u32 %0, %1;" : "=r"(x[0]) : "r"(x[1])); }
__device__ void g(int* x) { h(x); }
__global__ void k(int* x) { x[0] = 1; }

//// refused: bad ptx in a device function called
static __device__ void h(int* x) { asm volatile("foo.u32 %0, %1;" : "=r"(x[0]) : "r"(x[1])); }
__global__ void k(int* x) { h(x); }

//// ok: bad ptx in a constant condition
constexpr bool on = false;
__global__ void k(int* x) { if (on) asm volatile("foo.u32 %0, %1;" : "=r"(x[0]) : "r"(x[1])); x[0] = 1; }

//// ok: bad ptx in a template condition
template <bool on> __global__ void k(int* x) { if (on) asm volatile("foo.u32 %0, %1;" : "=r"(x[0]) : "r"(x[1])); x[0] = 1; }
void f(int* x) { k<false><<<1, 1>>>(x); }

//// ok: bad ptx in a template with if constexpr false
template <bool on> __global__ void k(int* x) { if constexpr (on) asm volatile("foo.u32 %0, %1;" : "=r"(x[0]) : "r"(x[1])); x[0] = 1; }
void f(int* x) { k<false><<<1, 1>>>(x); }

//// refused: bad ptx in a template with if constexpr true
template <bool on> __global__ void k(int* x) { if constexpr (on) asm volatile("foo.u32 %0, %1;" : "=r"(x[0]) : "r"(x[1])); x[0] = 1; }
void f(int* x) { k<true><<<1, 1>>>(x); }

//// ok: bad ptx in a device function called by dead code
static __device__ void h(int* x) { asm volatile("foo.u32 %0, %1;" : "=r"(x[0]) : "r"(x[1])); }
__global__ void k(int* x) { if (false) h(x); x[0] = 1; }

//// refused: bad ptx in an unlaunched kernel
__global__ void k(int* x) { asm volatile("foo.u32 %0, %1;" : "=r"(x[0]) : "r"(x[1])); }
__global__ void k2(int* x) { x[0] = 1; }
void f(int* x) { k2<<<1, 1>>>(x); }

//// ok: bad ptx in uninstantiated method
template <typename T> struct S { __device__ void g(T* x) { asm volatile("foo.u32 %0, %1;" : "=r"(x[0]) : "r"(x[1])); } };
__global__ void k(int* x) { S<int> s; x[0] = 1; }

//// ok: bad ptx in an uncalled lambda
__global__ void k(int* x) { auto g = [&] { asm volatile("foo.u32 %0, %1;" : "=r"(x[0]) : "r"(x[1])); }; x[0] = 1; }

//// refused: undeclared PTX register
__global__ void k(int* x) { asm volatile("mov.u32 t, %1; mov.u32 %0, t;" : "=r"(x[0]) : "r"(x[1])); }

//// refused: undeclared PTX register where no thread comes
__global__ void k(int* x, int n) { if (n < -5) asm volatile("mov.u32 t, %1; mov.u32 %0, t;" : "=r"(x[0]) : "r"(x[1])); }

//// refused: register declared in another block
__global__ void k(int* x, int n) { asm volatile("{ .reg .u32 t; mov.u32 t, %1; } mov.u32 %0, t;" : "=r"(x[0]) : "r"(x[1])); }

//// ok: register declared in another asm
__global__ void k(int* x, int n) { asm volatile(".reg .u32 t; mov.u32 t, %0;" :: "r"(x[1])); asm volatile("mov.u32 %0, t;" : "=r"(x[0])); }

//// refused: register declared twice
__global__ void k(int* x, int n) { asm volatile(".reg .u32 t; mov.u32 t, %1; .reg .u32 t; mov.u32 %0, t;" : "=r"(x[0]) : "r"(x[1])); }

//// ok: register with numbers
__global__ void k(int* x, int n) { asm volatile("{ .reg .u32 t<3>; mov.u32 t1, %1; mov.u32 %0, t1; }" : "=r"(x[0]) : "r"(x[1])); }

//// refused: register with numbers beyond
__global__ void k(int* x, int n) { asm volatile("{ .reg .u32 t<3>; mov.u32 t3, %1; mov.u32 %0, t3; }" : "=r"(x[0]) : "r"(x[1])); }

//// refused: undeclared label
__global__ void k(int* x, int n) { asm volatile("bra L1;"); x[0] = 1; }

//// ok: ptx as a string macro
#define OP "add.s32"
__global__ void k(int* x) { asm volatile(OP " %0, %1, 1;" : "=r"(x[0]) : "r"(x[1])); }

//// refused: wrong ptx as a string macro
#define OP "addd.s32"
__global__ void k(int* x) { asm volatile(OP " %0, %1, 1;" : "=r"(x[0]) : "r"(x[1])); }

//// refused: wrong ptx as a whole macro
#define TEXT "addd.s32 %0, %1, 1;"
__global__ void k(int* x, int n) { if (n < -5) asm volatile(TEXT : "=r"(x[0]) : "r"(x[1])); }

//// refused: wrong ptx in a macro with stringizing
#define DEF(op) asm volatile(#op ".s32 %0, %1, 1;" : "=r"(x[0]) : "r"(x[1]))
__global__ void k(int* x) { DEF(addd); }

//// ok: right ptx in a macro with stringizing
#define DEF(op) asm volatile(#op ".s32 %0, %1, 1;" : "=r"(x[0]) : "r"(x[1]))
__global__ void k(int* x) { DEF(add); }

//// refused: a label in an inlined function called twice
__device__ int h(int x) { asm volatile("bra L1;\n L1:\n add.s32 %0, %0, 1;" : "+r"(x)); return x; }
__global__ void k(int* x) { x[0] = h(x[1]) + h(x[2]); }

//// refused: a register in an inlined function called twice
__device__ int h(int x) { asm volatile(".reg .u32 t; add.s32 t, %0, 1; mov.u32 %0, t;" : "+r"(x)); return x; }
__global__ void k(int* x) { x[0] = h(x[1]) + h(x[2]); }

//// ok: a register in braces in an inlined function called twice
__device__ int h(int x) { asm volatile("{.reg .u32 t; add.s32 t, %0, 1; mov.u32 %0, t;}" : "+r"(x)); return x; }
__global__ void k(int* x) { x[0] = h(x[1]) + h(x[2]); }

//// ok: a label in braces called twice
__device__ int h(int x) { asm volatile("{ bra L1;\n L1:\n add.s32 %0, %0, 1; }" : "+r"(x)); return x; }
__global__ void k(int* x) { x[0] = h(x[1]) + h(x[2]); }

//// ok: a register in a noinline function called twice
__device__ __noinline__ int h(int x) { asm volatile(".reg .u32 t; add.s32 t, %0, 1; mov.u32 %0, t;" : "+r"(x)); return x; }
__global__ void k(int* x) { x[0] = h(x[1]) + h(x[2]); }

//// ok: a register in two kernels
__global__ void k(int* x) { asm volatile(".reg .u32 t; mov.u32 t, %1; mov.u32 %0, t;" : "=r"(x[0]) : "r"(x[1])); }
__global__ void l(int* x) { asm volatile(".reg .u32 t; mov.u32 t, %1; mov.u32 %0, t;" : "=r"(x[0]) : "r"(x[1])); }

//// refused: a register of two asm in a kernel
__global__ void k(int* x) { asm volatile(".reg .u32 t; mov.u32 t, %1; mov.u32 %0, t;" : "=r"(x[0]) : "r"(x[1]));
asm volatile(".reg .u32 t; mov.u32 t, %1; mov.u32 %0, t;" : "=r"(x[0]) : "r"(x[1])); }

//// ok: an inner register of the outer's name
__global__ void k(int* x) { asm volatile("{ .reg .u32 t; mov.u32 t, %1; { .reg .f32 t; mov.f32 t, 1.0; } mov.u32 %0, t; }" : "=r"(x[0]) : "r"(x[1])); }

//// refused: a register used before it is declared
__global__ void k(int* x) { asm volatile("{ mov.u32 t, %1; .reg .u32 t; mov.u32 %0, t; }" : "=r"(x[0]) : "r"(x[1])); }

//// ok: a brace of two statements
__global__ void k(int* x) { asm volatile("{ .reg .u32 t; mov.u32 t, %0;" :: "r"(x[1])); asm volatile("mov.u32 %0, t; }" : "=r"(x[0])); }

//// ok: a register's vector
__global__ void k(float* x) { asm volatile("{ .reg .v4 .f32 v; ld.global.v4.f32 v, [%1]; mov.f32 %0, v.x; }" : "=f"(x[1]) : "l"(x)); }

//// ok: WARP_SZ
__global__ void k(int* x) { asm volatile("mov.u32 %0, WARP_SZ;" : "=r"(x[0])); }

//// refused: a label from outside its braces
__global__ void k(int* x) { asm volatile("{ L1: mov.u32 %0, 1; } bra L1;" : "=r"(x[0])); }

//// refused: unused result of wrong PTX
__global__ void k(int* x) { int y; asm volatile("foo.u32 %0, %1;" : "=r"(y) : "r"(x[1])); x[0] = 1; }

//// refused: long bound to r
__global__ void k(long* x) { asm volatile("mov.u32 %0, 1;" : "=r"(x[0])); }

//// refused: int bound to l
__global__ void k(int* x) { asm volatile("mov.u64 %0, 1;" : "=l"(x[0])); }

//// refused: float bound to r
__global__ void k(float* x) { asm volatile("mov.u32 %0, 1;" : "=r"(x[0])); }

//// refused: int bound to f
__global__ void k(int* x) { asm volatile("mov.f32 %0, 1.0;" : "=f"(x[0])); }

//// refused: short in bound to r
__global__ void k(int* x, short s) { asm volatile("mov.u32 %0, %1;" : "=r"(x[0]) : "r"(s)); }

//// refused: char in bound to r
__global__ void k(int* x, char s) { asm volatile("mov.u32 %0, %1;" : "=r"(x[0]) : "r"(s)); }

//// refused: bool in bound to r
__global__ void k(int* x, bool s) { asm volatile("mov.u32 %0, %1;" : "=r"(x[0]) : "r"(s)); }

//// ok: bool in cast bound to r
__global__ void k(int* x, bool s) { asm volatile("mov.u32 %0, %1;" : "=r"(x[0]) : "r"((int)s)); }

//// refused: long in bound to r
__global__ void k(int* x, long s) { asm volatile("mov.u32 %0, %1;" : "=r"(x[0]) : "r"(s)); }

//// refused: pointer in bound to r
__global__ void k(int* x) { asm volatile("ld.global.u32 %0, [%1];" : "=r"(x[0]) : "r"(x)); }

//// refused: int in bound to l
__global__ void k(int* x, int i) { asm volatile("ld.global.u32 %0, [%1];" : "=r"(x[0]) : "l"(i)); }

//// refused: half bound to h
#include <cuda_fp16.h>
__global__ void k(half* x) { half h; asm volatile("mov.b16 %0, 1;" : "=h"(h)); x[0] = h; }

//// refused: half2 bound to r
#include <cuda_fp16.h>
__global__ void k(half2* x) { half2 h; asm volatile("mov.b32 %0, 1;" : "=r"(h)); x[0] = h; }

//// ok: half2 bound to r by a cast
#include <cuda_fp16.h>
__global__ void k(half2* x) { half2 h; asm volatile("mov.b32 %0, 1;" : "=r"(*(unsigned*)&h)); x[0] = h; }

//// refused: a float4 bound to f
__global__ void k(float4* x) { asm volatile("mov.f32 %0, 1.0;" : "=f"(x[0])); }

//// refused: 64-bit instruction with r
__global__ void k(int* x) { asm volatile("mov.u64 %0, 1;" : "=r"(x[0])); }

//// refused: 32-bit instruction with l
__global__ void k(long* x) { asm volatile("mov.u32 %0, 1;" : "=l"(x[0])); }

//// ok: float instruction with r
__global__ void k(int* x) { asm volatile("mov.f32 %0, 1.0;" : "=r"(x[0])); }

//// ok: float add with r
__global__ void k(int* x) { asm volatile("add.f32 %0, %1, %1;" : "=r"(x[0]) : "r"(x[1])); }

//// refused: int add with f
__global__ void k(float* x) { asm volatile("add.s32 %0, %1, %1;" : "=f"(x[0]) : "f"(x[1])); }

//// refused: int add of 64 bits with r in a dead place
__global__ void k(int* x, int n) { if (n < -5) asm volatile("add.s64 %0, %1, %1;" : "=r"(x[0]) : "r"(x[1])); }

//// ok: b32 mov with f
__global__ void k(float* x) { asm volatile("mov.b32 %0, %1;" : "=f"(x[0]) : "f"(x[1])); }

//// refused: ld u32 into f
__global__ void k(float* x) { asm volatile("ld.global.u32 %0, [%1];" : "=f"(x[0]) : "l"(x)); }

//// ok: ld f32 into r
__global__ void k(int* x) { asm volatile("ld.global.f32 %0, [%1];" : "=r"(x[0]) : "l"(x)); }

//// refused: address of 32 bits for global
__global__ void k(int* x, unsigned a) { asm volatile("ld.global.u32 %0, [%1];" : "=r"(x[0]) : "r"(a)); }

//// refused: operand number too large
__global__ void k(int* x) { asm volatile("mov.u32 %0, %2;" : "=r"(x[0]) : "r"(x[1])); }

//// ok: special register with one percent
__global__ void k(int* x) { asm volatile("mov.u32 %0, %laneid;" : "=r"(x[0])); }

//// refused: unknown special register
__global__ void k(int* x) { asm volatile("mov.u32 %0, %%foo;" : "=r"(x[0])); }

//// refused: tid without member
__global__ void k(int* x) { asm volatile("mov.u32 %0, %%tid;" : "=r"(x[0])); }

//// refused: laneid with member
__global__ void k(int* x) { asm volatile("mov.u32 %0, %%laneid.x;" : "=r"(x[0])); }

//// refused: output without equals
__global__ void k(int* x) { asm volatile("mov.u32 %0, 1;" : "r"(x[0])); }

//// refused: input with equals
__global__ void k(int* x) { asm volatile("mov.u32 %0, %1;" : "=r"(x[0]) : "=r"(x[1])); }

//// refused: output that is no lvalue
__global__ void k(int* x) { asm volatile("mov.u32 %0, 1;" : "=r"(x[0] + 1)); }

//// refused: a register as a clobber
__global__ void k(int* x) { asm volatile("membar.gl;" ::: "r1"); }

//// refused: cc clobber
__global__ void k(int* x) { asm volatile("membar.gl;" ::: "cc"); }

//// refused: st.global r
__global__ void k(int* x, unsigned a) { asm volatile("st.global.u32 [%0], %1;" :: "r"(a), "r"(x[0])); }

//// refused: ld generic r
__global__ void k(int* x, unsigned a) { asm volatile("ld.u32 %0, [%1];" : "=r"(x[0]) : "r"(a)); }

//// ok: ld shared r
__global__ void k(int* x, unsigned a) { asm volatile("ld.shared.u32 %0, [%1+4];" : "=r"(x[0]) : "r"(a)); }

//// ok: ld shared l
__global__ void k(int* x, unsigned long a) { asm volatile("ld.shared.u32 %0, [%1+4];" : "=r"(x[0]) : "l"(a)); }

//// refused: red global r
__global__ void k(int* x, unsigned a) { asm volatile("red.global.add.u32 [%0], 1;" :: "r"(a)); }

//// refused: prefetch r
__global__ void k(int* x, unsigned a) { asm volatile("prefetch.global.L2 [%0];" :: "r"(a)); }

//// ok: ld const r
__global__ void k(int* x, unsigned a) { asm volatile("ld.const.u32 %0, [%1];" : "=r"(x[0]) : "r"(a)); }

//// ok: ld local r
__global__ void k(int* x, unsigned a) { asm volatile("ld.local.u32 %0, [%1];" : "=r"(x[0]) : "r"(a)); }

//// refused: ld global address f
__global__ void k(float* x) { asm volatile("ld.global.f32 %0, [%1];" : "=f"(x[0]) : "f"(x[1])); }

//// ok: mov pack
__global__ void k(unsigned long* x, int a) { asm volatile("mov.b64 %0, {%1, %1};" : "=l"(x[0]) : "r"(a)); }

//// ok: mov u32 constant n
__global__ void k(int* x) { asm volatile("mov.u32 %0, %1;" : "=r"(x[0]) : "n"(3)); }

//// refused: mov f32 constant n
__global__ void k(float* x) { asm volatile("mov.f32 %0, %1;" : "=f"(x[0]) : "n"(3)); }

//// ok: an output that shares no register
__global__ void k(int* x) { int i = x[1]; asm volatile("add.s32 %0, %1, 1;" : "=&r"(x[0]) : "r"(x[0])); asm("add.s32 %0, %0, %1;" : "+&r"(i) : "r"(x[0])); x[0] = i; }

//// refused: two letters of an operand
__global__ void k(int* x) { asm volatile("add.s32 %0, %1, 1;" : "=r"(x[0]) : "rn"(3)); }

//// refused: matching constraint
__global__ void k(int* x) { asm volatile("add.s32 %0, %1, 1;" : "=r"(x[0]) : "0"(x[0])); }

//// ok: ld u8 into r
__global__ void k(int* x) { asm volatile("ld.global.u8 %0, [%1];" : "=r"(x[0]) : "l"(x)); }

//// refused: ld v2 u32 into f
__global__ void k(float* x) { asm volatile("ld.global.v2.u32 {%0, %1}, [%2];" : "=f"(x[0]), "=f"(x[1]) : "l"(x)); }

//// refused: ld u64 into r
__global__ void k(int* x) { asm volatile("ld.global.u64 %0, [%1];" : "=r"(x[0]) : "l"(x)); }

//// ok: st f32 from r dead
__global__ void k(int* x) { asm volatile("st.global.f32 [%0], %1;" :: "l"(x), "r"(x[0])); }

//// refused: st u32 from f
__global__ void k(float* x) { asm volatile("st.global.u32 [%0], %1;" :: "l"(x), "f"(x[0])); }

//// ok: st b32 from f
__global__ void k(float* x) { asm volatile("st.global.b32 [%0], %1;" :: "l"(x), "f"(x[0])); }

//// ok: cvt f32 into r
__global__ void k(int* x) { asm volatile("cvt.rn.f32.s32 %0, %1;" : "=r"(x[0]) : "r"(x[1])); }

//// refused: cvt s32 from f wrong
__global__ void k(int* x, float f) { asm volatile("cvt.s64.s32 %0, %1;" : "=r"(x[0]) : "f"(f)); }

//// ok: shl amount
__global__ void k(long* x, int a) { asm volatile("shl.b64 %0, %0, %1;" : "+l"(x[0]) : "r"(a)); }

//// refused: shl amount 64
__global__ void k(long* x, long a) { asm volatile("shl.b64 %0, %0, %1;" : "+l"(x[0]) : "l"(a)); }

//// refused: setp 64 with r
__global__ void k(int* x) { asm volatile("{ .reg .pred p; setp.eq.s64 p, %1, 0; selp.s32 %0, 1, 0, p; }" : "=r"(x[0]) : "r"(x[1])); }

//// refused: operand as a predicate
__global__ void k(int* x) { asm volatile("{ selp.s32 %0, 1, 0, %1; }" : "=r"(x[0]) : "r"(x[1])); }

//// refused: operand as a guard
__global__ void k(int* x) { asm volatile("{ @%1 mov.s32 %0, 1; }" : "=r"(x[0]) : "r"(x[1])); }

//// refused: setp into an operand
__global__ void k(int* x) { asm volatile("setp.eq.s32 %0, %1, 1;" : "=r"(x[0]) : "r"(x[1])); }

//// ok: set into an operand
__global__ void k(int* x) { asm volatile("set.eq.u32.s32 %0, %1, 1;" : "=r"(x[0]) : "r"(x[1])); }

//// refused: clock into int
__global__ void k(int* x) { asm volatile("mov.u32 %0, %%clock64;" : "=r"(x[0])); }

//// ok: clock64 into long
__global__ void k(long* x) { asm volatile("mov.u64 %0, %%clock64;" : "=l"(x[0])); }

//// refused: clock into long
__global__ void k(long* x) { asm volatile("mov.u64 %0, %%clock;" : "=l"(x[0])); }

//// refused: tid in arithmetic
__global__ void k(int* x) { asm volatile("mad.lo.u32 %0, %%ctaid.x, %%ntid.x, %%tid.x;" : "=r"(x[0])); }

//// ok: tid widened
__global__ void k(long* x) { asm volatile("cvt.u64.u32 %0, %%tid.x;" : "=l"(x[0])); }

//// ok: tid as a vector
__global__ void k(int* x) { asm volatile("{ .reg .v4 .u32 v; mov.v4.u32 v, %%tid; mov.u32 %0, v.x; }" : "=r"(x[0])); }

//// ok: own percent register
__global__ void k(int* x) { asm volatile("{ .reg .u32 %%mine; mov.u32 %%mine, 3; mov.u32 %0, %%mine; }" : "=r"(x[0])); }

//// ok: own percent registers numbered
__global__ void k(int* x) { asm volatile("{ .reg .u32 %%mine<4>; mov.u32 %%mine3, 3; mov.u32 %0, %%mine3; }" : "=r"(x[0])); }

//// ok: one percent without operands
__global__ void k(int* x) { asm volatile("{ .reg .u32 t; mov.u32 t, %laneid; }"); x[0] = 1; }

//// refused: two percents without operands
__global__ void k(int* x) { asm volatile("{ .reg .u32 t; mov.u32 t, %%laneid; }"); x[0] = 1; }

//// refused: two percents with colons
__global__ void k(int* x) { asm volatile("{ .reg .u32 t; mov.u32 t, %%laneid; }" ::); x[0] = 1; }

//// ok: one percent with colons
__global__ void k(int* x) { asm volatile("{ .reg .u32 t; mov.u32 t, %laneid; }" ::: "memory"); x[0] = 1; }

//// refused: memory and cc clobber
__global__ void k(int* x) { asm volatile("membar.gl;" ::: "cc", "memory"); }

//// refused: zero int
__global__ void k(int* x) { int y; asm volatile("add.s32 %0, %1, 1;" : "=r"(y) : "0"(3)); x[0] = y; }

//// refused: PTX in a function of the host, too
__host__ __device__ int lane() { int r; asm("mov.u32 %0, %%laneid;" : "=r"(r)); return r; }
__global__ void k(int* x) { x[0] = lane(); }

//// ok: PTX in inline functions of the host, too, which no host code calls
__host__ __device__ inline int lane() { int r; asm("mov.u32 %0, %%laneid;" : "=r"(r)); return r; }
struct S { __host__ __device__ int get() { int r; asm("mov.u32 %0, %%laneid;" : "=r"(r)); return r; } };
template <class T> __host__ __device__ T next(T a) { T r; asm("add.u32 %0, %1, 1;" : "=r"(r) : "r"(a)); return r; }
static __host__ __device__ int other() { int r; asm("mov.u32 %0, %%laneid;" : "=r"(r)); return r; }
__global__ void k(int* x) { x[0] = lane() + S{}.get() + next(x[1]) + other(); }

//// ok: PTX for the device alone in a function of both
__host__ __device__ int lane() {
#ifdef __CUDA_ARCH__
    int r; asm("mov.u32 %0, %%laneid;" : "=r"(r)); return r;
#else
    return 0;
#endif
}
__global__ void k(int* x) { x[0] = lane(); }

//// ok: the CPU's assembly in an inline function of the host that nothing calls
static inline unsigned long long rdtsc() { unsigned lo, hi; asm volatile("rdtsc" : "=a"(lo), "=d"(hi)); return lo; }
inline void pause_cpu() { __asm__ __volatile__("pause" ::: "memory"); }
__global__ void k(int* x) { x[0] = 1; }
