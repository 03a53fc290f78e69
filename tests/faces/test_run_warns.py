"""`ladder run`: what is suspicious in a program's text is told before its findings; what is right beside it is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.shared import long_tail
from tests.warm import run_ladder

PROGRAM = """#include <cstdio>
#include <cstdint>
#include <cstring>
#include <cuda_fp16.h>
#include <array>
#include <vector>
struct Pair { float first, second, third; };
__constant__ float weights[4], *table;
__global__ void k(const float* x, float* y, int n) {
    int i = threadIdx.x;
    KERNEL
}
int main(int argc, char**) {
    const int n = 4;
    float h[n] = {}, *x = nullptr, *y = nullptr, *p = h, **q = &x;
    int whole = 1, *d = nullptr;
    size_t size = 3;
    std::int64_t wide = 4;
    cudaError_t error = cudaSuccess;
    cudaMalloc(&x, sizeof(h));
    cudaMalloc(&y, sizeof(h));
    cudaMemset(x, 0, sizeof(h));
    k<<<1, n>>>(x, y, n);
    cudaDeviceSynchronize();
    if (argc > 1) { HOST }
    cudaFree(x);
    cudaFree(y);
}
"""
WRONG = [
    ('if (i < n) y[i] = x[i]; printf("%d\\n", x[0]);', "", "says `int`, but the value is `float`: write %f for it"),
    ('y[i] = x[i]; printf("%d of %d\\n", i);', "", "more % than there are values behind it: a value is missing"),
    ("if (i < n); y[i] = x[i];", "", "the `;` here ends the `if`, which guards nothing"),
    ("if (i = n) y[0] = x[0];", "", "= assigns, and == compares"),
    ("", 'printf("%f\\n", whole);', "says `double`, but the value is `int`: write %d for it"),
    ("", 'printf("%s\\n", error);', "says `char *`, but the value is `unsigned int`: write %u for it"),
    ("", 'printf("%d\\n", size);', "write %zu for it"),
    ("", 'printf("100%\\n");', "a percent sign itself is written %%"),
    ("", "float* never; cudaMalloc((void**)never, 4);", "takes the pointer's address: write & before it"),
    ("", "float** never; cudaMalloc((void**)never, 4);", "`never` is read before it is set"),
    ("", "cudaMalloc((void**)&whole, 4);", "this is the address of `int`: declare that as a pointer"),
    ("", "cudaMemcpy(x, p, sizeof(p), cudaMemcpyHostToDevice);", "sizeof of the pointer `p` is 8"),
    ("", "cudaMalloc(&x, sizeof(x));", "sizeof of the pointer `x` is 8"),
    ("", "cudaMemcpyToSymbol(weights, p, sizeof(p));", "sizeof of the pointer `p` is 8"),
    ("", "Pair* a = nullptr; cudaMemcpy(y, a, sizeof a, cudaMemcpyHostToDevice);", "the pointer `a` is 8"),
    ("", "cudaMemcpyFromSymbol(p, weights, sizeof(p));", "sizeof of the pointer `p` is 8"),
    ("", "float r[64] = {}; cudaMemcpy(x, r, 64, cudaMemcpyHostToDevice);", "64 elements: write `64 * sizeof("),
    ("", "float r[7] = {}; cudaMemcpy(x, r, 7, cudaMemcpyHostToDevice);", "7 elements: write `7 * sizeof(float)"),
    (
        "",
        "double *q = nullptr, r[4] = {}; cudaMemcpy(q, r, 4, cudaMemcpyHostToDevice);",
        "4 elements: write `4 * sizeof(double)",
    ),
    ("", "k<<<1, 4>>>(x, y, n); clock_t t = clock(); k<<<1, 4>>>(x, y, n); t = clock();", "the clock is read before"),
    (
        "",
        "std::vector<float> v(4); cudaMemcpy(x, v.data(), sizeof(v), cudaMemcpyHostToDevice);",
        "however many elements",
    ),
    ("if (i < n) y[i] = 1 / n * x[i];", "", "`1 / n` of whole numbers is 0 wherever `n` is above 1: write `1.0f / n`"),
    ("", "cudaMemset(d, 1, 4);", "sets each byte to 1, which makes each `int` 16843009"),
    ("", "cudaMemset(d, INT32_MAX, 4);", "2147483647 is more than a byte holds: each gets its lowest 8 bits, 255"),
    ("", "cudaMemset(x, sizeof(h), 0);", "how many bytes: here these are none"),
    (
        "",
        "float* o = new float[n]; cudaMemcpy(o, x, n, cudaMemcpyDeviceToHost);",
        "`n` counts elements: write `n * sizeof",
    ),
    (
        "",
        "std::vector<int> v(9); cudaMemcpy(v.data(), d, v.size(), cudaMemcpyDeviceToHost);",
        "`v.size() * sizeof(int)`",
    ),
    (
        "",
        "double wider[4] = {}; cudaMemcpy(x, wider, sizeof(h), cudaMemcpyHostToDevice);",
        "the bytes of `double` to an array of `float`, and converts nothing",
    ),
    (
        "",
        "half* small = nullptr; cudaMemcpyAsync((void*)small, h, 8, cudaMemcpyHostToDevice);",
        "the bytes of `float` to an array of `__half`",
    ),
    ("", "cudaMemset(x, 0, n);", "`cudaMemset` counts bytes, and `n` counts elements: write `n * sizeof(float)`"),
]
RIGHT_IN_KERNEL = """if (i < n) y[i] = x[i];
    while (atomicCAS((int*)(y + i), 7, 0) == 7) ; y[i] += 0;
    float part = n; if (i < n) y[i] += 1 / part + 1.0f / n + i / n + n / 1;
    unsigned u = i; long long l = i; size_t s = i;
    if (i > n) printf("%d %u %lld %zu %f %c %s %p %% %x %5.2f %*d %i\\n", i, u, l, s, y[0], 'a', "text",
        (void*)x, u, 1.0, 3, i, u);
"""
RIGHT_IN_HOST = """printf("%lld %ld %lu %d %s %p\\n", wide, wide, size, error, cudaGetErrorString(error), p);
    std::uint64_t address; void *place, *list[2], **at = &place; float* a[2];
    cudaMalloc((void**)&address, 4); cudaMalloc((void**)at, 4); cudaMalloc((void**)a, 4); cudaMalloc((void**)list, 4);
    cudaMalloc((void**)&p, 4); cudaMalloc((void**)q, sizeof(h)); cudaMalloc(&a[1], sizeof(*p));
    cudaMemset(d, 0, 4); cudaMemset(d, 0xff, 4); cudaMemset(d, -1, 4); cudaMemset(d, 0x7f, 4); cudaMemset(place, 1, 4);
    cudaMemset(d, 0x3f3f3f3f, 4); cudaMemset(d, 0xffff, 4); cudaMemset(d, 0xffffffff, 4); cudaMemset(d, whole * 999, 4);
    std::array<float, 4> four{}; cudaMemcpy(x, four.data(), sizeof(four), cudaMemcpyHostToDevice);
    float4* fours = nullptr; double* twice = nullptr; short* bits = nullptr; half* halves = nullptr; char eight[8];
    cudaMemcpy(fours, h, 0, cudaMemcpyHostToDevice); cudaMemcpy((float*)twice, h, 0, cudaMemcpyHostToDevice);
    cudaMemcpy(bits, halves, 0, cudaMemcpyDefault); cudaMemcpy(&wide, d, 0, cudaMemcpyDefault);
    cudaMemcpy(eight, x, 0, cudaMemcpyDefault); cudaMemcpy(&h[1], x, 0, cudaMemcpyDefault);
    float one[4] = {}; cudaMemcpy(one, x, 4, cudaMemcpyDeviceToHost); cudaMemcpy(one, x, 8, cudaMemcpyDeviceToHost);
    cudaMemset(d, 0, 0); std::memset(h, 0, sizeof(h)); cudaMemcpy(place, h, sizeof(h), cudaMemcpyHostToDevice);
    cudaMemcpy(place, &p, sizeof(p), cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(table, &x, sizeof(table)); cudaMemcpyToSymbol(table, &x, sizeof(x));
    cudaMemcpyFromSymbol(&p, table, sizeof(p)); cudaMemcpyToSymbol(weights, p, sizeof(weights));
    const size_t bytes = n * sizeof(float); cudaMemset(x, 0, bytes);
    char* letters = new char[n]; std::memset(letters, 0, n);
    cudaMemcpy(letters, place, n, cudaMemcpyDeviceToHost); cudaMemset(x, 0, size); cudaMemset(place, 0, n);
    int from = 0; while (argc-- > 0) from += argc; if ((whole = from)) printf("%d\\n", whole);
"""


def run(folder: Path, kernel: str, host: str) -> str:
    (folder / "p.cu").write_text(PROGRAM.replace("KERNEL", kernel).replace("HOST", host))
    done = run_ladder(folder, "run", "p.cu")
    return " ".join((done.stdout + done.stderr).split())


@pytest.mark.parametrize(("kernel", "host", "told"), long_tail(WRONG, every=16, slow=8))
def test_what_is_suspicious_in_the_text_is_told(tmp_path, kernel, host, told):
    said = run(tmp_path, kernel or "if (i < n) y[i] = x[i];", host)
    assert "warning p.cu:" in said and told in said and ", and 1 warning" in said, said


def test_what_is_right_beside_it_is_not(tmp_path):
    said = run(tmp_path, RIGHT_IN_KERNEL, RIGHT_IN_HOST)
    assert "warning" not in said and "no findings in 1 kernel" in said, said


def test_a_warning_stands_once_where_a_finding_says_it(tmp_path):
    said = run(tmp_path, "float sum; sum += x[i]; if (i < n) y[i] = sum;", "")
    assert "`sum` is used before it has a value" in said and "warning" not in said, said


WHOLE = [
    ("#include <vector>", 'printf("%d\\n", n);', "", "int n", "write `#include <cstdio>` at the top"),
    ("#include <string>", 'printf("%d\\n", n);', "", "int n", ""),  # which has it
    (
        "struct Op { __device__ virtual int f(int n) { return n; } };",
        "op.f(1);",
        "Op()",
        "Op op",
        "let the kernel make",
    ),
    ("struct Op { __device__ int f(int n) { return n; } };", "op.f(1);", "Op()", "Op op", ""),
]


@pytest.mark.parametrize(("top", "kernel", "given", "parameter", "told"), long_tail(WHOLE, every=4))
def test_what_nvcc_or_a_gpu_does_not_take_is_told(tmp_path, top, kernel, given, parameter, told):
    launch = f"k<<<1, 1>>>({given or 1});"
    text = f"{top}\n__global__ void k({parameter}) {{ {kernel} }}\nint main() {{ {launch} cudaDeviceSynchronize(); }}\n"
    (tmp_path / "p.cu").write_text(text)
    done = run_ladder(tmp_path, "run", "p.cu")
    said = " ".join((done.stdout + done.stderr).split())
    assert told in said if told else "warning" not in said, said


EXITS = """#include <cstdio>
#include <cstdlib>
void never();
void usage() { fprintf(stderr, "usage\\n"); exit(1); }
void may_come_back(int n) { if (n > 5) exit(1); puts("few"); }
void comes_back(int n) { if (n > 5) return; exit(1); }
__global__ void k(int* x) { x[0] = 1; }
int main(int argc, char**) {
    int value;
    if (argc < 9) value = 4; else CALL;
    int* x;
    cudaMalloc(&x, value);
    k<<<1, 1>>>(x);
    cudaDeviceSynchronize();
    cudaFree(x);
}
void never() { puts("no"); std::abort(); }
"""


@pytest.mark.parametrize(
    ("call", "warned"),
    long_tail(
        [("usage()", False), ("never()", False), ("may_come_back(argc)", True), ("comes_back(argc)", True)],
        every=2,
        slow=1,
    ),
)
def test_a_function_that_ends_the_program_is_not_come_back_from(tmp_path, call, warned):
    (tmp_path / "p.cu").write_text(EXITS.replace("CALL", call))
    done = run_ladder(tmp_path, "run", "p.cu")
    said = " ".join((done.stdout + done.stderr).split())
    assert ("`value` is not always set before it is read" in said) == warned and "no findings" in said, said


LEADER = """template <class T> __device__ T shfl(T v, int lane) { return __shfl_sync(~0u, v, lane); }
__global__ void k(int* n, int* out) {
    int base;
    const int lane = threadIdx.x & 31;
    if (lane == 0) base = atomicAdd(n, 32);
    out[threadIdx.x] = USE;
}
int main() {
    int* n;
    cudaMalloc(&n, 33 * sizeof(int));
    cudaMemset(n, 0, sizeof(int));
    k<<<1, 32>>>(n, n + 1);
    cudaDeviceSynchronize();
    cudaFree(n);
}
"""


@pytest.mark.parametrize(
    ("use", "warned"),
    long_tail(
        [
            ("__shfl_sync(0xffffffff, base, 0) + lane", False),
            ("__shfl_down_sync(~0u, base, 1)", True),
            ("base + lane", True),
            ("shfl(base, 0)", False),
        ],
        every=2,
        slow=1,
    ),
)
def test_only_the_lane_that_is_asked_need_have_set_what_a_shuffle_gets(tmp_path, use, warned):
    (tmp_path / "p.cu").write_text(LEADER.replace("USE", use))
    done = run_ladder(tmp_path, "run", "p.cu")
    assert ("`base` is not always set before it is read" in done.stdout + done.stderr) == warned


DYNAMIC = """
#include <cstdio>
template <class T> __global__ void typed(const T* x, T* y) {
    extern __shared__ unsigned char raw[];
    T* s = reinterpret_cast<T*>(raw);
    s[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    y[threadIdx.x] = s[31 - threadIdx.x];
}
__global__ void k(const float* x, float* y) {
    const int t = threadIdx.x;
    extern __shared__ float a[];
    extern __shared__ TYPE b[];
    BODY
}
int main() {
    float *x, *y;
    cudaMalloc(&x, 512), cudaMalloc(&y, 512), cudaMemset(x, 0, 512);
    k<<<1, 32, 512>>>(x, y);
    typed<float><<<1, 32, 128>>>(x, y);
    cudaDeviceSynchronize();
    cudaFree(x), cudaFree(y);
}
"""
ONE_ARRAY = [
    ("int", "a[t] = x[t]; b[t] = t; __syncthreads(); y[t] = a[31 - t] + b[t];", True),
    ("int", "b[t] = t; a[t] = x[t]; __syncthreads(); for (int i = 0; i < 8; ++i) y[t] = a[i] * b[i];", True),
    ("float4", "b[t] = reinterpret_cast<const float4*>(x)[t]; __syncthreads(); y[t] = a[t] + a[127 - t];", False),
    ("int", "a[t] = x[t]; __syncthreads(); y[t] = a[31 - t]; __syncthreads(); b[t] = t; y[t] += b[t];", False),
    ("int", "float* c = a + 32; a[t] = x[t]; c[t] = t; __syncthreads(); y[t] = a[31 - t] + c[t];", False),
]


@pytest.mark.slow
@pytest.mark.parametrize(("type_", "body", "told"), long_tail(ONE_ARRAY, every=5, slow=2))
def test_two_dynamic_shared_arrays_in_use_at_once_are_one(tmp_path, type_, body, told):
    (tmp_path / "p.cu").write_text(DYNAMIC.replace("TYPE", type_).replace("BODY", body))
    done = run_ladder(tmp_path, "run", "p.cu")
    said = " ".join((done.stdout + done.stderr).split())
    assert ("warning p.cu:13 `b` begins at the address of `a`" in said) == told and "no findings" in said, said
