// Small files with the verdict of nvcc: `//// ok: NAME` or `//// refused: NAME` begins each (see test_corpus.py).

//// refused: unknown PTX
__global__ void k(int* x) { asm volatile("foo.u32 %0, %1;" : "=r"(x[0]) : "r"(x[1])); }

//// refused: unknown type in PTX
__global__ void k(int* x) { asm volatile("add.s33 %0, %1, 1;" : "=r"(x[0]) : "r"(x[1])); }

//// refused: missing operand in PTX
__global__ void k(int* x) { asm volatile("add.s32 %0, %1;" : "=r"(x[0]) : "r"(x[1])); }

//// refused: missing semicolon in PTX
__global__ void k(int* x) { asm volatile("add.s32 %0, %1, 1" : "=r"(x[0]) : "r"(x[1])); }

//// ok: unknown PTX in a template that is not instantiated
template <typename T> __global__ void k(T* x) { asm volatile("foo.u32 %0, %1;" : "=r"(x[0]) : "r"(x[1])); }

//// ok: unknown PTX in a device function that is not called
__device__ void g(int* x) { asm volatile("foo.u32 %0, %1;" : "=r"(x[0]) : "r"(x[1])); }
__global__ void k(int* x) { x[0] = 1; }

//// ok: unknown PTX in a method that is not called
struct S { __device__ void g(int* x) { asm volatile("foo.u32 %0, %1;" : "=r"(x[0]) : "r"(x[1])); } };
__global__ void k(int* x) { x[0] = 1; }

//// refused: unknown PTX in a static kernel
static __global__ void k(int* x) { asm volatile("foo.u32 %0, %1;" : "=r"(x[0]) : "r"(x[1])); }

//// ok: unknown PTX in a false constexpr branch
__global__ void k(int* x) { if constexpr (false) asm volatile("foo.u32 %0, %1;" : "=r"(x[0]) : "r"(x[1])); x[0] = 1; }

//// refused: unknown PTX behind a guard
__global__ void k(int* x) { asm volatile("{ .reg .pred p; setp.eq.s32 p, %0, 1; @p foo.u32 %0, %0; }" : "+r"(x[0])); }

//// ok: guarded PTX
__global__ void k(int* x) { asm volatile("{ .reg .pred p; setp.eq.s32 p, %0, 1; @p mov.u32 %0, 3; @!p add.s32 %0, %0, 1; }" : "+r"(x[0])); }

//// ok: PTX comment
__global__ void k(int* x) { asm volatile("// foo\n mov.u32 %0, 3; /* foo; bar */" : "=r"(x[0])); }

//// ok: PTX of several lines
__global__ void k(int* x) { asm volatile("{\n\t.reg .u32 t;\n\t" "mov.u32 t, %1;\n\t" "add.u32 %0, t, 1;\n}\n" : "=r"(x[0]) : "r"(x[1])); }

//// refused: misspelt register declaration
__global__ void k(int* x) { asm volatile("{ .register .u32 t; mov.u32 t, 3; mov.u32 %0, t; }" : "=r"(x[0])); }

//// refused: mov without a type
__global__ void k(int* x) { asm volatile("mov %0, 3;" : "=r"(x[0])); }

//// refused: x86's add in a kernel
__global__ void k(int* x) { asm volatile("addl %1, %0" : "+r"(x[0]) : "r"(x[1])); }

//// refused: sass in a kernel
__global__ void k(int* x) { asm volatile("IADD3 %0, %1, 1;" : "=r"(x[0]) : "r"(x[1])); }

//// refused: a PTX of a later architecture
__global__ void k(int* x) { asm volatile("tcgen05.fence::before_thread_sync;"); x[0] = 1; }

//// refused: a vector of three
__global__ void k(float* x) { float a, b, c; asm volatile("ld.global.v3.f32 {%0, %1, %2}, [%3];" : "=f"(a), "=f"(b), "=f"(c) : "l"(x)); x[0] = a + b + c; }

//// refused: unknown PTX by a macro
#define ADD(d, a) asm volatile("addd.s32 %0, %1, 1;" : "=r"(d) : "r"(a))
__global__ void k(int* x) { ADD(x[0], x[1]); }

//// ok: unknown PTX by a macro that is not used
#define ADD(d, a) asm volatile("addd.s32 %0, %1, 1;" : "=r"(d) : "r"(a))
__global__ void k(int* x) { x[0] = 1; }

//// ok: unknown PTX for another architecture
__global__ void k(int* x) {
#if __CUDA_ARCH__ < 500
  asm volatile("vaddd.s32 %0, %1, 1;" : "=r"(x[0]) : "r"(x[1]));
#endif
  x[0] = 1; }

//// refused: two instructions without a semicolon between them
__global__ void k(int* x) { asm volatile("mov.u32 %0, 3\n add.s32 %0, %0, 1;" : "=r"(x[0])); }

//// refused: bracket missing
__global__ void k(int* x) { asm volatile("ld.global.u32 %0, [%1;" : "=r"(x[0]) : "l"(x)); }

//// refused: address without brackets
__global__ void k(int* x) { asm volatile("ld.global.u32 %0, %1;" : "=r"(x[0]) : "l"(x)); }

//// refused: mad without hi lo wide
__global__ void k(int* x) { asm volatile("mad.s32 %0, %1, %1, %1;" : "=r"(x[0]) : "r"(x[1])); }

//// refused: missing rounding of fma
__global__ void k(float* x) { asm volatile("fma.f32 %0, %1, %1, %1;" : "=f"(x[0]) : "f"(x[1])); }

//// refused: div without rounding
__global__ void k(float* x) { asm volatile("div.f32 %0, %1, %1;" : "=f"(x[0]) : "f"(x[1])); }

//// refused: cvt without rounding
__global__ void k(float* x, int* y) { asm volatile("cvt.s32.f32 %0, %1;" : "=r"(y[0]) : "f"(x[1])); }

//// refused: shared address of 64 bits as a value
__global__ void k(int* x) { asm volatile("bar.sync;"); x[0] = 1; }

//// ok: ld with cache policy
__global__ void k(float* x) { float a; asm volatile("ld.global.nc.L1::no_allocate.L2::128B.f32 %0, [%1];" : "=f"(a) : "l"(x)); x[1] = a; }

//// ok: elect and fences
__global__ void k(int* x) { int p; asm volatile("{ .reg .pred P; elect.sync _|P, 0xffffffff; selp.s32 %0, 1, 0, P; }" : "=r"(p)); asm volatile("fence.proxy.async;"); asm volatile("fence.acq_rel.gpu;"); asm volatile("fence.mbarrier_init.release.cluster;"); x[0] = p; }

//// ok: a label and a branch
__global__ void k(int* x) { asm volatile("{ .reg .pred p; L1: add.s32 %0, %0, 1; setp.lt.s32 p, %0, 10; @p bra L1; }" : "+r"(x[0])); }

//// ok: mbarrier
__global__ void k(int* x) { __shared__ unsigned long long bar; unsigned a = (unsigned)__cvta_generic_to_shared(&bar); if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(a), "r"(32)); __syncthreads(); unsigned long long s; asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];" : "=l"(s) : "r"(a)); x[0] = (int)s; }

//// ok: prefetch and createpolicy
__global__ void k(int* x) { asm volatile("prefetch.global.L2 [%0];" :: "l"(x)); asm volatile("prefetchu.L1 [%0];" :: "l"(x)); unsigned long long p; asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(p)); x[0] = p != 0; }

//// ok: laneid and smid
__global__ void k(unsigned* x) { asm("mov.u32 %0, %%laneid;" : "=r"(x[0])); asm volatile("mov.u32 %0, %%smid;" : "=r"(x[1])); asm("mov.u32 %0, %%lanemask_lt;" : "=r"(x[2])); asm("mov.u32 %0, %%warpid;" : "=r"(x[3])); }

//// ok: bar.sync
__global__ void k(int* x) { asm volatile("bar.sync 0;"); asm volatile("bar.sync %0, %1;" :: "r"(1), "r"(32)); asm volatile("barrier.sync 2, 32;"); asm volatile("bar.arrive 3, 64;"); x[0] = 1; }

//// refused: unknown PTX in a kernel of a namespace without a name
namespace { __global__ void k(int* x) { asm volatile("foo.u32 %0, %1;" : "=r"(x[0]) : "r"(x[1])); } }

//// refused: not.pred of a number
__global__ void k(int* x) {
    asm volatile("{ .reg .pred p; not.pred p, %1; selp.s32 %0, 1, 0, p; }" : "=r"(x[0]) : "r"(x[1]));
}

//// refused: and.pred of a predicate and a number
__global__ void k(int* x) {
    asm volatile("{ .reg .pred p; setp.eq.s32 p, %1, 0; and.pred p, p, %1; selp.s32 %0, 1, 0, p; }" : "=r"(x[0]) : "r"(x[1]));
}

//// ok: mov, not and xor of predicates
__global__ void k(int* x) {
    asm volatile("{ .reg .pred p, q; setp.eq.s32 p, %1, 0; mov.pred q, p; not.pred q, q; xor.pred p, p, q; selp.s32 %0, 1, 0, p; }" : "=r"(x[0]) : "r"(x[1]));
}
