"""What the text of a failing file tells: the slip, and nothing of a text without one."""

from __future__ import annotations

import pytest

from grader.report.text_slips import slip

HOST = "void f(const float* x, const float* y, float* z, int n) {{ add<<<1, 2>>>({}); }}"
ADD = "__global__ void add(const float* x, const float* y, float* z, int n) {}\n"
INDEX = "__global__ void k(float* z, int n) {{\n    {} = blockIdx.x * blockDim.x + threadIdx.x;\n    z[i] = 0;\n}}"
SLIPS = [
    ("wrong_result", "#define I a + b\nint f() { return 2 * I; }", "works out `2 * a` first"),
    ("wrong_result", "#define I a + b\nint f() { return I * 2; }", "works out `b * 2` first"),
    ("race", "#define AT(r, c) r * n + c\nint f() { return AT(i + 1, 0); }", "`AT` takes `i + 1` in line 2"),
    ("wrong_result", ADD + HOST.format("y, x, z, n"), "hands over `y` where add takes `x`, and `x` where it takes `y`"),
    (
        "out_of_bounds",
        "__global__ void add(float* x, float* y, int M, int N) {}\n" + HOST.format("x, y, n, m"),
        "hands over `n` where add takes `M`, and `m` where it takes `N`: are these two swapped?",
    ),
    ("wrong_result", ADD + HOST.format("x, x, z, n"), "hands over `x` twice, also where add takes `y`"),
    ("out_of_bounds", ADD + HOST.format("x, y, z, n * sizeof(float)"), "a count of elements is no number of bytes"),
    ("deadlock", "int f() { s += __shfl_down_sync(s, 0xffffffff, d); }", "the mask comes first"),
    ("deadlock", "int f() { s += __shfl_xor_sync(s, d, ~0u); }", "`__shfl_xor_sync(0xffffffff, value, d)`"),
    ("wrong_result", "int f() { s += __shfl_up_sync(~0u, s, 32, d); }", "write `__shfl_up_sync(~0u, s, d)`"),
    ("wrong_result", "int f() { s += __shfl_down_sync(~0u, d, s); }", "write `__shfl_down_sync(~0u, s, d)`"),
    ("out_of_bounds", "for (i = 0; i < n; ++i);\n    x[i] = 0;", "The `;` at the end of line 1"),
    ("out_of_bounds", "if (i < n);\n{", "all that this `if` is about"),
    ("out_of_bounds", "*(z + i * sizeof(float)) = 1;", "write `z[i]`"),
    (
        "not_written",
        "int f() { k<<<(n, 1), (256, 1, 1)>>>(x); }",
        "`(n, 1)` in line 1 only the last counts, `1`: write",
    ),
    ("out_of_bounds", "if (i < n); {", "all that this `if` is about"),
    (
        "uninitialized_read",
        "z[i] += x[i]; }\n__global__ void k(float* z, int n) {",
        "write `=`, or set it to 0 in front",
    ),
    (
        "uninitialized_read",
        "atomicAdd(&z[i], 1);\n__global__ void k(float* __restrict__ z) {",
        "Line 1 works with what `z`",
    ),
    ("misaligned", "*(float*)((char*)z + i) = 1;", "begins at byte 4 * i"),
    ("not_written", INDEX.format("unsigned char i"), "`i` in line 2 is an `unsigned char`, which holds 0 to 255 only"),
    ("not_written", INDEX.format("const uint8_t i"), "`i` in line 2 is a `uint8_t`"),
    ("out_of_bounds", INDEX.format("char i"), "is a `char`, which holds -128 to 127 only"),
    (
        "not_written",
        "for (int row = blockIdx.x; row < rows; row += blockDim.x) {",
        "line 1 begins at `blockIdx.x`, one round for a block, and goes on by `blockDim.x`",
    ),
    (
        "wrong_result",
        "add<<<1, 32, 0, stream>>>(x, out, n);\ncudaMemsetAsync(out, 0, 4, stream);",
        "Line 2 sets `out` to 0 behind the launch in line 1",
    ),
    ("race", "for (row = blockIdx.y; row < n; row += gridDim.y * blockDim.y)", "write `row += gridDim.y`"),
    ("wrong_result", "for (unsigned c = threadIdx.x; c < cols; c += gridDim.x)", "write `c += blockDim.x`"),
    ("timeout", "for (unsigned char i = 0; i < n; ++i) z[i] = 0;", "`i` in line 1 is an `unsigned char`"),
    ("timeout", "for (signed char c = threadIdx.x; c < cols; c += 8)", "`c` in line 1 is a `signed char`"),
]
NONE = [
    ("wrong_result", "#define I (a + b)\n#define J a * b\nint f() { return 2 * I + 2 * J + *I; }"),
    ("wrong_result", "#define LOOP for (int i = 0; i + 1 < n; ++i)\nint f() { LOOP * p; }"),
    ("wrong_result", "#define AT(r, c) (r) * n + (c)\nint f() { return AT(i + 1, 0) + AT(i, 2 * (a + b)); }"),
    ("wrong_result", ADD + HOST.format("x, y, z, n") + HOST.format("a, b, z, n - 1")),
    ("wrong_result", "int f() { s += __shfl_down_sync(0xffffffff, s, 16, 32) + __shfl_sync(mask, s, 0); }"),
    ("out_of_bounds", "for (; lock(); );\nx[i] = 0;"),
    ("out_of_bounds", "cudaMalloc(&p, n * sizeof(float));"),
    ("not_written", "int f() { k<<<(n + 1) / 2, dim3(2, 1)>>>(x); }"),
    ("uninitialized_read", "s[i] += x[i];\n__global__ void k(float* z, int n) {"),
    ("uninitialized_read", "z[i] = z[i + 1];\n__global__ void k(float* z, int n) {"),
    ("uninitialized_read", "z[i] += 1;\n__global__ void k(float* z) {\ncudaMemset(z, 0, n);"),
    ("not_written", "for (int row = blockIdx.x; row < n; row += gridDim.x)\nfor (c = threadIdx.x; c < n; c += kBlock)"),
    ("wrong_result", "a<<<1, 2>>>(out);\ncudaMemset(out, 0, 4);\nb<<<1, 2>>>(out);\ncudaMemset(other, 0, 4);"),
    ("race", "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)"),
    (
        "wrong_result",
        "for (c = threadIdx.x; c < n; c += gridDim.x * blockDim.x)\nfor (r = blockIdx.x; r < n; r += blockDim.y)",
    ),
    ("timeout", "for (i = 0; i < n; ++i);\n    x[i] = 0;"),
    ("out_of_bounds", "for (int c = 0; c < n; ++c) sum += expf(x[c]);\n        if (lane == 0) s[0] = sum;"),
    ("not_written", "unsigned char warp = threadIdx.x / 32;\nchar c = 'a';\nfor (char c = 0; c < 26; ++c) f(c);"),
    ("not_written", "const unsigned char value = x[blockIdx.x * blockDim.x + threadIdx.x];\nint i = (char)j;"),
]


@pytest.mark.parametrize(("status", "text", "said"), SLIPS)
def test_a_slip_is_told(status, text, said):
    assert said in slip(status, text.split("\n"), 1)


@pytest.mark.parametrize(("status", "text"), NONE)
def test_nothing_is_said_of_what_is_none(status, text):
    assert slip(status, text.split("\n"), 1) == ""


def test_a_parameter_by_reference_is_told_where_it_is_used():
    text = ["__global__ void add(float* z, const int& n) {", "    if (i < n) z[i] = 0;", "    z[0] = 1;", "}"]
    assert "`add` takes `n` by reference" in slip("out_of_bounds", text, 2)
    assert slip("out_of_bounds", text, 3) == ""


KERNEL = "__global__ void k(const float* x, float* z, int n) {{\n    {}\n    {} z[i] = x[i];\n}}"
MINE, LOOP = "int j = blockIdx.x * blockDim.x + threadIdx.x;", "for (int i = {}; i < n; {})"


@pytest.mark.parametrize(
    ("first", "loop", "said"),
    [
        ("", LOOP.format("0", "i++"), "The kernel in line 1 does not ask which thread it is"),
        (MINE, LOOP.format("j", "++i"), "The loop in line 3 begins at each thread's own index and goes on by 1"),
        ("", LOOP.format("blockIdx.x * 8 + threadIdx.x", "i += 1"), "write `i += gridDim.x * blockDim.x`"),
        (MINE, LOOP.format("j", "i += gridDim.x * blockDim.x"), ""),
        (MINE, LOOP.format("0", "i++"), ""),
        ("int j = threadIdx.x / 32;", LOOP.format("j", "i++"), ""),
        ("int j = (blockIdx.x * 256 + threadIdx.x) / 32 * 8;", LOOP.format("j", "i++"), ""),
        ("int j = who();", LOOP.format("j", "i++"), "does not ask"),
    ],
)
def test_a_loop_in_which_each_thread_does_the_work_of_others(first, loop, said):
    text = KERNEL.format(first, loop).split("\n")
    found = slip("timeout", text, 3)
    assert said in found if said else found == ""


def test_a_kernel_that_calls_another_function_may_ask_there():
    text = ["__device__ int who() { return threadIdx.x; }", *KERNEL.format("", LOOP.format("who()", "i++")).split("\n")]
    assert slip("timeout", text, 4) == ""
    assert slip("timeout", ["#define WHO (threadIdx.x)", *text[1:]], 4) == ""
    assert slip("timeout", ["#define N 8", *text[1:]], 4) != ""
