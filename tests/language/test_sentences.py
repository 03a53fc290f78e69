"""What a learner reads of a mistake in CUDA: the right line, what is wrong, and what to type."""

from __future__ import annotations

import pytest

from grader.devices.build import frontend, rules
from grader.devices.cache import cache_root

pytestmark = pytest.mark.skipif(not frontend.available(), reason="there is no libclang here")
KERNEL = "__global__ void add(float* x, int n) { if (threadIdx.x < n) x[threadIdx.x] += 1; }\n"
HOST = "float half(float n) { return n / 2; }\n"


@pytest.fixture(scope="module")
def read():
    frontend.prepare(cache_root())

    def read(source: str) -> tuple[list, list]:
        found = frontend.parse(source, cache_root())
        return rules.messages(rules.refusals(found)), rules.warnings(found)

    return read


@pytest.mark.parametrize(
    ("source", "line", "said"),
    [
        (KERNEL + "void f(float* x) { add(x, 3); }", 2, "launch it, `add<<<blocks, threads, 0, stream>>>(...)`"),
        (KERNEL + "__global__ void g(float* x) { add(x, 3); }", 2, "write `__device__` instead of `__global__`"),
        ("void k(float* x) { x[0] = 1; }\nvoid f(float* x) { k<<<1, 1>>>(x); }", 2, "write `__global__` before it"),
        ("template <int N> __device__ void k(float* x) {}\nvoid f(float* x) { k<0><<<1, 1>>>(x); }", 2, "is no kernel"),
        ("template <int N> constexpr __device__ void k() {}\nvoid f() { k<0><<<1, 1>>>(); }", 2, "is no kernel"),
        ("constexpr __device__ void k() {}\nvoid f() { k<<<1, 1>>>(); }", 2, "write `__global__` before it"),
        ("__shared__ void k(float* x) { x[0] = 1; }", 1, "__shared__ is for variables: write `__global__`"),
        ("__device__ int min(int a, int b) { return a < b ? a : b; }", 1, "CUDA has a function `min` of these very"),
        (
            "#include <cuda/barrier>\n__global__ void k() { cuda::device::barrier_expect_tx(1, 2); }",
            2,
            "`cuda::device` (bulk copies, a barrier's native handle) is not emulated",
        ),
        ("__managed__ float twice(float x) { return 2 * x; }", 1, "__managed__ is for variables"),
        ('__host__ __device__ void f() { asm("membar.gl;"); }', 1, "`f` is for the host, too"),
        (KERNEL + "void f(float* x) { add<<<1, 1>>>(x); }", 2, "`add` takes 2 arguments, and is given 1"),
        (KERNEL + "void f(float* x, cudaStream_t s) { add<<<1, 1, s>>>(x, 3); }", 2, "third number is bytes"),
        (KERNEL + "__global__ void g(float* x) { add<<<1, 1>>>(x, 3); }", 2, "`add` is a kernel: write `__device__`"),
        (HOST + "__global__ void k(float* x) { x[0] = half(x[1]); }", 2, "write `__device__` before it in line 1"),
        (HOST + "__global__ void k(float* x) {\n x[0] = 1;\n x[1] = half(3);\n}", 4, "function of the host"),
        ("__device__ float f() { return 1; }\nfloat g() { return f(); }", 2, "`f` is a function of the GPU"),
        ("#include <cuda_fp16.h>\n__global__ void k(half* h, long n) { *h = n; }", 2, "cast the right side"),
        ("void f() { __syncthreads(); }", 1, "`__syncthreads` is a function of the GPU"),
        ('\nvoid f() { asm volatile("nop"); }', 2, "asm in a function of the host is no PTX"),
        ('\nvoid f() { asm volatile("nop" ""); }', 2, "asm in a function of the host is no PTX"),
        ('\nvoid f() { asm volatile("nop" :: "r"(""[0])); }', 2, "asm in a function of the host is no PTX"),
        ("void f(cudaTextureObject_t t) {}", 1, "of CUDA's textures and arrays, is not emulated in a graded file"),
        ("#include <cuda/ptx>\n", 1, "<cuda/ptx>, a header of CUDA's own, is not emulated: check this on a GPU"),
        ("__global__ void k(int* __grid_constant__ const p) {}", 1, "stands behind the const of a pointer"),
        ("#include <string>\n__global__ void k() { std::string s; }", 2, "belongs to the host, and a kernel"),
        ("__global__ void k(int* x) { x[0] = rand(); }", 1, "`rand` is a function of the host"),
        (
            "__global__ void k(float* x) { cudaMemcpy(x, x + 1, 4, cudaMemcpyDefault); }",
            1,
            "`cudaMemcpy` is a function",
        ),
        ("float one = 1;\n__global__ void k(float* x) { x[0] = one; }", 2, "`one` is a variable of the host"),
        ("const float t[2] = {1, 2};\n__global__ void k(float* x) { x[0] = t[1]; }", 2, "`t` is memory of the host"),
        ("__global__ void k(float* x) { throw 1; }", 1, "a kernel cannot throw"),
        ("__global__ void k(float* x) { float a[blockDim.x]; a[0] = x[0]; }", 1, "must be a constant"),
        ("__global__ void k(float* x) { __shared__ float a = 0; x[0] = a; }", 1, "takes no initial value"),
        (
            "__global__ void k(float* x) {\n__shared__ float a[32][33]\na[0][0] = x[0]; x[1] = a[0][0]; }",
            2,
            "a `;` is missing",
        ),
        (
            "__global__ void k(float* x) {\n__shared__ float a[2]\nfor (int i = 0; i < 2; ++i) { a[i] = x[i]; }\n}",
            2,
            "a `;` is missing",
        ),
        ("__global__ int k(float* x) { return 0; }", 1, "a __global__ function returns void, not int"),
        (
            "__global__ void k(float* x) { x[blockDim.X] = 1; }",
            1,
            "`X` is no member of `uint3`: its members are the small",
        ),
        ("__global__ void k(float* x) { x[thread.x] = 1; }", 1, "did you mean 'threadIdx'?"),
        ("__global__ void k(float* x) { x[get_global_id(0)] = 1; }", 1, "'blockIdx.x * blockDim.x + threadIdx.x'?"),
        ("__globl__ void k(float* x) { x[0] = 1; }", 1, "did you mean '__global__'?"),
        ("__global__ void k(float* x) { __shared float s[4]; x[0] = s[0]; }", 1, "did you mean '__shared__'?"),
        ("void f(int** p) { hipMalloc(p, 4); }", 1, "did you mean 'cudaMalloc'?"),
        ("__global__ void k(float* x) { x(0) = 1; }", 1, "an element of an array is `p[i]`"),
        ("__global__ void k(float* x) { x[0] = x[0] ** 2; }", 1, "a power is `powf(a, b)`"),
        ("__global__ void k(float* x) { x[0][1] = 1; }", 1, "is `p[row * cols + col]`"),
        ("__global__ void k(float* x) { x[0] = x[1] % 2; }", 1, "a remainder is `fmodf(a, b)`"),
        ("__global__ void k(float* x, float i) { x[i] = 1; }", 1, "an index must be a whole number"),
        ("__global__ void k(float4* x) { x[0] = float4(1, 2, 3, 4); }", 1, "is made of numbers by `make_float4(...)`"),
        ("__global__ void k(float* x) { float4 v = x[0]; x[1] = v.y; }", 1, "`*reinterpret_cast<const float4*>(p)`"),
        ("__global__ k(float* x) { x[0] = 1; }", 1, "a kernel is `__global__ void`"),
        ("__global__ float* k(float* x) { return x; }", 1, "a __global__ function returns void, not float *"),
        ("__global__ void k(float* x) { std::vector<float> v; }", 1, "`std::vector` belongs to the host"),
        ("void f() { std::vector<float> v; }", 1, "'std::vector' needs `#include <vector>` at the top"),
        ("#include <cuda_fp16>\n", 1, "write `#include <cuda_fp16.h>`"),
        ("using namespace nvcuda;\n", 1, "<mma.h> for nvcuda"),
        ("#include <mma.h>\nusing wmma::fragment;", 2, "did you mean 'nvcuda::wmma'?"),
        (
            "#include <mma.h>\nusing namespace nvcuda;\n__global__ void k(const float* p) { "
            "wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a; wmma::load_matrix_sync(a, p, 16); }",
            3,
            "takes a pointer to the fragment's own type",
        ),
        ("#include <cuda_bf16.h>\n__device__ float f(__nv_bfloat16 x) { return x + 1; }", 2, "`__bfloat162float(h)`"),
        ("__global__ void k(float* x) { extern float s[]; x[0] = s[0]; }", 1, "write `extern __shared__ float s[];`"),
        (KERNEL + "void f(const float* x) { add<<<1, 1>>>(x, 3); }", 2, "write `const` there, too"),
        (KERNEL + "void f(float* x) { add[1, 2](x, 3); }", 2, "a kernel is launched with <<< >>>"),
        ("__global__ void k(float* x) { atomicAdd(x[0], 1.0f); }", 1, "takes an element's address"),
        (
            "__global__ void k(float* x) { x[0] = __shfl_down(x[0], 1); }",
            1,
            "write `__shfl_down_sync(0xffffffff, ...)`",
        ),
        ("__global__ void k(float4* x) { x[0] = x[1] + x[2]; }", 1, "write it for each member, .x, .y"),
        ('__global__ void k() { printf("a"); }', 1, "needs `#include <cstdio>`"),
        ("__global__ void k() { assert(true); }", 1, "needs `#include <cassert>`"),
        ("__global__ void k(half* x) {}", 1, "needs `#include <cuda_fp16.h>`"),
        ("__global__ void k(float* x, float s) { sincosf(x[0], s, x); }", 1, "argument 2 of `sincosf` is `float`"),
        ("__global__ void k(float* x) { sincosf(x[0]); }", 1, "`sincosf` takes 3 arguments, and is given 1"),
        ("__device__ float f(float v);\nfloat f(float4 v);\n__global__ void k(float4* x) { f(x[0]); }", 3, "in line 2"),
        ("void f(float* x, cudaStream_t s) { cudaMallocAsync(x, 4, s); }", 1, "write & before it"),
        ("void f(float* x, cudaStream_t s) { cudaMemsetAsync(x, 0, s); }", 1, "argument 3 of `cudaMemsetAsync` is"),
        (
            "template <int N>\n__global__ void k() {}\nvoid f() { k<<<1, 1>>>(); }",
            3,
            "tells its `N`: write it out, `k<..",
        ),
        ("__global__ void k(const float* x) { x[0] = 1; }", 1, "this is `const`, so it can only be read"),
        ("void f() { const int n = 1; n += 1; }", 1, "`n` is `const`, so it can only be read"),
        ("float4* f(const float* x) { return reinterpret_cast<float4*>(x); }", 1, "reinterpret_cast<const float4 *>"),
        ("__global__ void k(int n, int* x) { if (n % 2 = 0) x[0] = 1; }", 1, "== compares"),
        ("unsigned f(int* x) { return -reinterpret_cast<std::uintptr_t>(x) / 4; }", 1, "`#include <cstdint>`"),
        ("__global__ void k(int* x) { x[blockldx.x] = 1; }", 1, "did you mean 'blockIdx'?"),
        ("__global__ void k(floot4* x) {}", 1, "did you mean 'float4'?"),
        ("_global_ void k(float* x) {}", 1, "did you mean '__global__'?"),
        ("__global__ void k(int* x) {\n    int i = threadIdx.x\n    x[i] = 1;\n}", 2, "a `;` is missing"),
        ("__device__ float f(float);\n__global__ void k(float* x) { x[0] = f(1); }", 2, "nowhere defined"),
        ("constexpr int n = max(3, 4);", 1, "and so `n` is no constant: call `std::max`"),
        ("#include <cstring>\n__global__ void k(int* x, char* s) { x[0] = strlen(s); }", 2, "`strlen` is a function"),
        ("__global__ void k(int* x) { x[0] = __builtin_ctz(x[1]); }", 1, "cannot call: write `__ffs(x) - 1`"),
        ("template <class T> __global__ void k(T* x) {}\ntemplate void k(int*);", 2, "write `template __global__"),
        ("template <class... T, class U> __global__ void k(U u, T... t) {}", 1, "the last of its template's"),
        (
            "struct { int n; } a;\ntemplate <class T> __global__ void k(T a) {}\nvoid f() { k<<<1, 1>>>(a); }",
            3,
            "a type without a name cannot be a kernel's template argument",
        ),
        (
            "#define N 4\n__global__ void k(int* x) {\n#pragma unroll N\nfor (int i = 0; i < N; ++i) x[i] = i; }",
            3,
            "`#pragma unroll` does not know the macro `N`: write its number",
        ),
        ("struct P { int n; };\n__global__ void k(__grid_constant__ P p) {}", 2, "write const before it"),
        ("__device__ __launch_bounds__(32) int f() { return 1; }", 1, "only a kernel has __launch_bounds__"),
        (
            "__global__ void k(float2* x, int n) { x[0] = {n, n}; }",
            1,
            "not every `int` fits `float`, which these braces",
        ),
        ("__global__ void k(uchar4* x) { x[0] = {256, 1, 2, 3}; }", 1, "256 does not fit `unsigned char`"),
        ("__global__ void __cluster_dims__(0) k() {}", 1, "must be positive constants"),
        ("__global__ constexpr void k() {}", 1, "cannot be constexpr"),
        ('__global__ void k(int n) { asm("nop;" :: "n"(n)); }', 1, 'an operand with "n" must be a constant'),
        (
            HOST + "template <int N> __global__ void k(float* x) { if constexpr (N > 2) x[0] = half(1); }\n"
            "void f(float* x) { k<3><<<1, 1>>>(x); }",
            2,
            "`half` is a function of the host",
        ),
        ("__managed__ const int n = 3;", 1, "`n` is __managed__, and so it cannot be const"),
        ("inline __device__ int n = 3;", 1, "write `static` in the place of it"),
        (
            "void f() { auto g = [] __device__(int i) { return i; }; }",
            1,
            "write a struct with a `__device__` operator()",
        ),
    ],
)
def test_a_refusal_is_one_sentence_about_its_line(read, source, line, said):
    refused, _ = read(source)
    assert said in refused[0].text and refused[0].line == line
    assert len(refused) == 1 and "ladder" not in refused[0].text


def test_another_word_is_no_slip_of_the_pen(read):
    refused, _ = read("__global__ void k(float* x) { x[0] = value; }")
    assert refused[0].text == "'value' was not declared in this scope"  # clang guesses `false`


@pytest.mark.parametrize(
    ("body", "line", "said"),
    [
        ("int i; x[i] = 1;", 2, "`i` is read before it is set"),
        ("float sum; for (int i = 0; i < n; ++i) sum += x[i]; x[0] = sum;", 2, "`sum` is read before it is set"),
        ("if (n = 3) x[0] = 1;", 2, "= assigns"),
        ("for (int i = 0; i < 3; i + 1) x[i] = 1;", 2, "no effect"),
        ("if (n > 3)\n        x[0] = 1;\n        x[1] = 2;", 4, "the `if` above does not guard this line"),
        ("if (n > 3); x[0] = 1;", 2, "the `;` here ends the `if`"),
        ("x[0] = 1; __syncthreads; x[1] = 2;", 2, "write `__syncthreads();`"),
        ("x[0] == 1;", 2, "no effect"),
        ("if (n & 1 == 0) x[0] = 1;", 2, "== is worked out before &: put ( ) around the &"),
        ("if (!n == 3) x[0] = 1;", 2, "! is worked out first"),
        ("if (n > 3) if (n > 5) x[0] = 1; else x[1] = 2;", 2, "this `else` belongs to the nearest `if`"),
        ("x[0] = sizeof(x) / sizeof(x[0]);", 2, "sizeof of a pointer is 8"),
        ("x[0] = n++ + n;", 2, "`n` is changed here in no certain order"),
    ],
)
def test_what_is_suspicious_is_a_warning(read, body, line, said):
    refused, warned = read(f"__global__ void k(float* x, int n) {{\n    {body}\n}}\n")
    assert refused == [] and [message.line for message in warned] == [line]
    assert said in warned[0].text


def test_an_address_of_the_gpu_that_host_code_has_is_a_warning(read):
    refused, warned = read("__device__ int one() { return 1; }\nauto f() { return &one; }\n")
    assert refused == [] and [message.line for message in warned] == [2]
    assert "the address of `one` that host code has is none on the GPU" in warned[0].text


def test_style_is_no_warning(read):
    body = "int unused = 3; if (threadIdx.x < n) x[threadIdx.x] = n; for (int i = 0; i < n; ++i) x[i] = (float)i;"
    assert read(f"__global__ void k(float* x, int n) {{ {body} }}") == ([], [])


@pytest.mark.parametrize(
    "source",
    [
        'void f(int i) { asm volatile("" ::: "memory"); }',
        'inline __host__ __device__ int f() { int r = 0; asm("mov.u32 %0, %%laneid;" : "=r"(r)); return r; }',
        "__host__ __device__ " + HOST + "__global__ void k(float* x) { x[0] = half(1); }",
        "#define BOTH __host__ __device__\nBOTH " + HOST + "__global__ void k(float* x) { x[0] = half(1); }",
        KERNEL + "void add(float* x, int n, int m) { add<<<n, 1>>>(x, m); }\nvoid f(float* x) { add(x, 1, 2); }",
        "#define launch(x) add<<<1, 1>>>(x, 3)\n" + KERNEL + "void f(float* x) { launch(x); }",
        KERNEL + "void f(float* x) {\n#ifdef OTHER\nadd(x);\n#endif\n}",
        "\ufeff" + KERNEL,
        HOST + "__global__ void k(float* x) { if constexpr (sizeof(x) == 4) x[0] = half(1); else x[0] = 1; }",
        HOST + "template <int N> __global__ void k(float* x) { if constexpr (N > 2) x[0] = half(1); else x[0] = 1; }",
        KERNEL + "using Nothing = decltype(add(nullptr, 3));",
        KERNEL.replace("\n", "\r\n"),
    ],
)
def test_what_is_right_is_left_alone(read, source):
    assert read(source) == ([], [])
