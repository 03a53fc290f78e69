"""Seen or refused: an access in a kernel is counted and checked, or the file is refused in a sentence that says why.

Many of these files show clang one text and g++ another: what g++ compiles has to be looked at by itself.
"""

from __future__ import annotations

import subprocess

import numpy as np
import pytest

from grader.devices.build.build import entry_points
from grader.devices.build.recipe import Refused
from grader.devices.cache import cache_root
from grader.devices.emulator import announced, calls, outside, seen, symbols
from grader.devices.emulator import session as emulator
from grader.devices.emulator.translate import translate
from tests.shared import long_tail

PROTOTYPE = "void f(const float* x, float* z, int n, cudaStream_t stream)"
LAUNCH = """
extern "C" void f(const float* x, float* z, int n, cudaStream_t stream) { k<<<1, 32, 0, stream>>>(x, z, n); }
"""
GLUE = "#define GLUE(a, b) a##b\n"
X = np.arange(256, dtype=np.float32)


def kernel(body: str, head: str = "") -> str:
    return f"{head}\n__global__ void k(const float* x, float* z, int n) {{ int i = threadIdx.x; {body} }}\n{LAUNCH}"


def run(run_kernel, source: str, bytes_of_z: int = 256):
    return run_kernel(source, PROTOTYPE, x=X, z=np.zeros(bytes_of_z, np.float32), n=32)


def errors(case) -> list[tuple[str, str]]:
    return [(finding.kind, finding.message) for finding in case.findings if finding.severity == "error"]


# ---- what the preprocessed text may not say ----

REFUSED_WORDS = [
    (GLUE + '__attribute__((GLUE(no_, sanitize)("thread"))) void g() {}', "`no_sanitize` would hide code"),
    ('[[gnu::no_sanitize("thread")]] void g() {}', "`no_sanitize` would hide code"),
    ('[[using gnu: used, no_sanitize("thread")]] void g() {}', "`no_sanitize` would hide code"),
    ("__attribute__((__no_sanitize_thread__)) void g() {}", "`__no_sanitize_thread__` would hide code"),
    (GLUE + '__device__ __attribute__((GLUE(sec, tion)("x"))) float a[4];', "`section` would hide code"),
    ('extern const float a[4] __attribute__((alias("b")));', "`alias` is none of CUDA's"),
    ('static int g() __attribute__((weakref("mprotect")));', "`weakref` is none of CUDA's"),
    ('__attribute__((target("avx2"))) void g() {}', "`target` is none of CUDA's"),
    ('__attribute__((optimize("O3"))) void g() {}', "`optimize` is none of CUDA's"),
    ('#define SAY(what) _Pragma(what)\nSAY("GCC optimize (\\"O3\\")")', "`#pragma GCC optimize` would hide code"),
    ('#pragma GCC target("avx512f")', "`#pragma GCC target` would hide code"),
    ("#pragma redefine_extname g mprotect", "`#pragma redefine_extname` would hide code"),
    (GLUE + 'void g() { GLUE(a, sm)("nop"); }', "inline PTX"),
    (GLUE + '#define A GLUE(__as, m__)\nvoid g() { A volatile("nop" ::: "memory"); }', "inline PTX"),
    ('#define A asm\nextern float g A("mprotect");', "inline PTX"),
    (GLUE + "void g() { GLUE(lad, der_session_open)(); }", "is a name of the grader's own"),
    (GLUE + "void g() { GLUE(lad, der)::the_machine; }", "`ladder` is a name of the grader's own"),
    (GLUE + "extern int GLUE(_, ZN6ladder11the_machineE);", "is a name of the grader's own"),
    (GLUE + "void g() { GLUE(lad, der_host_register)(h, 4, 0); }", "_host_register` is a name of the grader's own"),
]
ALLOWED_WORDS = [
    "__attribute__((always_inline)) inline __device__ void g() {}",
    "void g(int* p) {\n#pragma omp parallel for\nfor (int i = 0; i < 9; ++i) p[i] = i; }",
    GLUE + "__device__ int GLUE(a, 1);",
    "#define NAME(x) x ## _of_mine\n__global__ void NAME(k)() {}",
    '#pragma unroll 4\n#pragma nv_diag_suppress 177\n#pragma GCC diagnostic ignored "-Wall"\n#pragma once',
    "struct __align__(16) A { int a; };\nstruct __attribute__((packed, aligned(1))) B { int b; };",
    "[[nodiscard]] int g();\n[[maybe_unused]] static int h;\n__attribute__((always_inline)) inline void u() {}",
    'void g(int i) { asm volatile("" ::: "memory"); asm("" : "+r"(i)); }',
    "__constant__ float c[4];\n__global__ void __launch_bounds__(256) k() { __shared__ float s[4]; }",
    "#include <cassert>\n#include <vector>\nint g(std::vector<int>& v) { assert(v[0]); int a[3]; return v[a[0]]; }",
]


def preprocess(head: str, folder) -> None:
    flags = emulator.compile_flags(folder / "no runtime")  # no compiled header
    seen.preprocessed(translate(head + "\n", "kernel.cu") + entry_points([]), "kernel.cu", folder, flags)


@pytest.mark.parametrize(("head", "said"), REFUSED_WORDS)
def test_no_macro_hides_a_word(head: str, said: str, tmp_path):
    with pytest.raises(RuntimeError) as caught:
        preprocess(f"\n{head}", tmp_path)
    assert said in str(caught.value)
    assert str(caught.value).startswith(f"kernel.cu:{1 + 1 + head.count(chr(10))}:1: error: ")


@pytest.mark.parametrize("head", ALLOWED_WORDS)
def test_words_that_cuda_code_has_a_use_for_stay(head: str, tmp_path):
    preprocess(head, tmp_path)


# ---- what kernels may not call, and the library not need ----

SIX = """#include <string.h>
struct Six { float a[6]; };
struct Of {
    static __device__ __noinline__ Six six(int i, int = 0) { Six s; for (float& a : s.a) a = i++; return s; }
    static __device__ __noinline__ float sum_of(Six s, int = 0) { return s.a[0] + s.a[5]; }
    static __device__ __noinline__ float low(float2 v, int = 0) { return v.x; }
};
__device__ __noinline__ Six copied(float* z, const float* x) {
    Six s; mempcpy(z, x, 4); for (float& a : s.a) a = 1; return s;
}
""".replace("\n", " ").replace("h> struct", "h>\nstruct")
REFUSED_CALLS = [
    (kernel("std::array<float, 2> a{}; z[i] = a.at(i);", "#include <array>"), "a kernel cannot throw here"),
    (kernel("mempcpy(z + i, x + i, 4);", "#include <string.h>"), "`mempcpy` in a kernel would reach memory"),
    (kernel("wmemcpy((wchar_t*)z + i, (wchar_t*)x + i, 1);", "#include <wchar.h>"), "`wmemcpy` in a kernel"),
    (kernel("z[i] = strlen((const char*)(x + i));"), "`strlen` in a kernel"),
    (kernel("z[i] = memcmp(x + i, z + i, n);"), "`memcmp` in a kernel"),
    (kernel("slot = new (std::nothrow) float(x[i]);", "#include <new>\n__device__ float* slot;"), "in a kernel"),
    (kernel("__builtin_memcpy(z + 6 * i, x + 6 * i, 24);"), "`memcpy` in a kernel"),
    (kernel("__builtin_ia32_movnti((int*)z + i, i);"), "`__builtin_ia32_movnti` in a kernel"),
    (kernel("_mm_stream_si32((int*)z + i, i);", "#include <immintrin.h>"), "`__builtin_ia32_movnti` in a kernel"),
    (kernel('float v = x[i]; asm("" : "=r"(z[i]) : "0"(v));'), "inline PTX"),
    (kernel("((Six*)z)[i] = Of::six(i);", SIX), "kernel.cu:3:1: error: this call copies a structure"),
    (kernel("z[i] = Of::sum_of(((const Six*)x)[i]);", SIX), "this call copies a structure"),
    (kernel("z[i] = Of::low(((const float2*)x)[i]);", SIX), "this call copies a structure"),
    (kernel("z[i] = Of::sum_of(kept);", SIX + "\n__device__ Six kept;"), "this call copies a structure"),
    (kernel("Six s = copied(z + i, x + i); z[i] = s.a[0];", SIX), "`mempcpy` in a kernel"),
    (
        kernel(
            "z[i] = at((const float(&)[1 << 30])*x, i);",
            "__device__ const float& at(const float (&all)[1 << 30], int i) { return all[i]; }",
        ),
        "`const float[1073741824]` has 1,073,741,824 elements",
    ),
    (
        kernel("z[i] = ((const Most*)x)->all[i];", "struct Most { float all[1 << 25]; };"),
        "kernel.cu:2:1: error: `Most` has 134,217,728 bytes",
    ),
    (
        kernel("cudaMemcpy(z + i, x + i, 4, cudaMemcpyDeviceToDevice);"),
        "kernel.cu:2:1: error: this function of the",
    ),
    (
        kernel("put(z + i, x + i);", "__noinline__ void put(void* p, const void* q) { mempcpy(p, q, 4); }"),
        "`mempcpy` in a kernel",
    ),
    (
        kernel("copy(z + i, x + i, 4);", "__device__ void* (*copy)(void*, const void*, size_t) = mempcpy;"),
        "call `mempcpy` where it is needed",
    ),
    (
        kernel("", 'extern "C" int __mprotect(void*, size_t, int);\nint g() { return __mprotect(0, 0, 0); }'),
        "`__mprotect`",
    ),
    (kernel("", "#include <sys/mman.h>\nint g() { return mprotect(0, 0, 0); }"), "may not use `mprotect`"),
    (kernel("", '#include <dlfcn.h>\nvoid* g() { return dlsym(0, "mprotect"); }'), "may not use `dlsym`"),
    (kernel("", "#include <unistd.h>\nlong g() { return syscall(10, 0, 0, 0); }"), "may not use `syscall`"),
    (kernel("", "#include <ucontext.h>\nint g() { return setcontext(0); }"), "may not use `setcontext`"),
]


@pytest.mark.parametrize(("source", "said"), long_tail(REFUSED_CALLS, every=6))
def test_what_no_callback_sees_is_refused(run_kernel, source: str, said: str):
    with pytest.raises(RuntimeError) as caught:
        run(run_kernel, source)
    assert "kernel.cu:" in str(caught.value) and said in str(caught.value)


HOST_CODE = """
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>
__global__ void k(const float* x, float* z, int n) { z[threadIdx.x] = n; }
extern "C" void f(const float* x, float* z, int n, cudaStream_t stream) {
    const std::string text = std::to_string(2.5f) + std::to_string(n);
    std::vector<float> all{std::stof(text), std::sqrt(4.0f), std::riemann_zeta(0.5f), 3};
    std::transform(all.begin(), all.end(), all.begin(), sqrtf);
    std::sort(all.begin(), all.end());
    k<<<1, 32, 0, stream>>>(x, z, static_cast<int>(2 * std::beta(2.0, 1.0) + all.size() + text.size()));
}
"""
ADDRESS = "auto p = &vsnprintf;\n    kept = p;\n    const std::string text"


@pytest.mark.slow
def test_host_code_has_the_standard_library(run_kernel):
    """std::to_string takes the address of vsnprintf, in a header."""
    outputs, case = run(run_kernel, HOST_CODE, 32)
    assert np.all(outputs["z"] == 1 + 4 + len("2.50000032")) and errors(case) == []
    head = "#include <cstdarg>\n__device__ int (*kept)(char*, size_t, const char*, va_list);\n__global__"
    own = HOST_CODE.replace("__global__", head, 1).replace("const std::string text", ADDRESS)
    with pytest.raises(RuntimeError, match="call `vsnprintf` where it is needed"):
        run(run_kernel, own)


def test_a_kernel_is_a_function_of_its_own(run_kernel):
    """One of ours that becomes part of its caller leaves no trace there."""
    source = LAUNCH.replace("k<<<", "__stcs<<<").replace("(x, z, n);", "(z, 1.0f);")
    with pytest.raises(RuntimeError, match="no __global__ function of this file"):
        run(run_kernel, source)


def test_a_pointer_to_host_code_ends_where_a_kernel_follows_it(run_kernel):
    head = "static __noinline__ void put(void* p, const void* q) { mempcpy(p, q, 4); }\n"
    head += "__device__ void (*to_put)(void*, const void*) = put;"
    _, case = run(run_kernel, kernel("to_put(z + i, x + i);", head))
    ((kind, message),) = errors(case)
    assert kind == "trap" and "a pointer led to" in message


def test_a_header_gives_no_attribute_that_hides():
    """What stands in a header is not looked at, but what becomes of the function is."""
    dump = """;; Function put (_Z3putPf, funcdef_no=1, decl_uid=2, cgraph_uid=3, symbol_order=4)

__attribute__((flatten, noclone, noinline))
void put (float * p)
{
  <bb 2> [local count: 1]:
  [kernel.cu:2:5] __sanitizer_cov_trace_pc ();
  [kernel.cu:2:5] *p_1(D) = 1.0e+0;
  return;

}
"""
    assert calls.refused_calls(dump, "kernel.cu") == (
        "this function's code would be hidden from the emulator",
        2,
    )
    assert calls.refused_calls(dump.replace("*p_1(D) =", "p_1(D) ="), "kernel.cu") is None


TABLES = """
struct Row {
    float v[4];
    __device__ const float& operator[](int i) const { return v[i]; }
    __device__ float get(int i) const { return v[i]; }
};
template <int N> struct Array {
    float v[N];
    __device__ const float& operator[](int i) const { return v[i]; }
};
struct Longer : Row { int more; };
struct Matrix {
    float m[2][3];
    __device__ const float& operator()(int i, int j) const { return m[i][j]; }
};
__device__ const float table[4] = {1, 2, 3, 4};
__device__ constexpr Row row = {1, 2, 3, 4};
__device__ constexpr Array<4> array = {1, 2, 3, 4}, rows[2] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
__device__ constexpr Longer longer = {{1, 2, 3, 4}, 5};
__device__ constexpr Matrix matrix = {{{1, 2, 3}, {4, 5, 6}}};
__device__ const float4 vectors[2] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
__constant__ Row given = {1, 2, 3, 4};
template <class T> __device__ float sum_of(const T& all, int n) {
    float sum = 0;
    for (int i = 0; i < n; ++i) sum += all[i];
    return sum;
}
__global__ void k(const float* x, float* z, int n) {
    static constexpr float own[4] = {1, 2, 3, 4};
    const int i = threadIdx.x, most = i % 4 + 1;
    float s = sum_of(table, most) + sum_of(row, most) + sum_of(array, most) + sum_of(rows[i % 2], most);
    s += sum_of(own, most);
    for (int j = 0; j < most; ++j) s += given[j] + given.get(j) + longer.get(j) + longer[j] + vectors[j / 2].y;
    for (const float& each : row.v) s += each * most;
    for (int j = most - 1; j >= 0; j -= 2) s += own[j] + table[j] + "0123"[j];
    for (int j = 0; j < 2; ++j)
        for (int h = 0; h < 3; ++h) s += matrix(j, h) * most + matrix(i % 2, h);
    z[i] = s + row[i % 3] + array[i % 2] + rows[i % 2][i % 4] + matrix(i % 2, i % 3);
}
extern "C" void f(const float* x, float* z, int n, cudaStream_t stream) { k<<<1, n, 0, stream>>>(x, z, n); }
"""


def test_a_table_of_constants_may_be_of_any_class(run_kernel):
    """What its methods give a reference to, and what g++ makes of its elements in loops, is read by its name, too."""
    outputs, case = run(run_kernel, TABLES, 32)
    row, matrix, text = np.arange(1, 5), np.arange(1, 7).reshape(2, 3), [ord(each) for each in "0123"]
    for i, found in enumerate(outputs["z"][:32]):
        most = i % 4 + 1
        s = 4 * row[:most].sum() + (row + 4 * (i % 2))[:most].sum()
        s += sum(4 * row[j] + (2 if j < 2 else 6) for j in range(most)) + row.sum() * most
        s += sum(2 * row[j] + text[j] for j in range(most - 1, -1, -2))
        s += matrix.sum() * most + 2 * matrix[i % 2].sum()
        assert found == s + row[i % 3] + row[i % 2] + row[i % 4] + 4 * (i % 2) + matrix[i % 2, i % 3]
    assert errors(case) == []


ANNOUNCED = """  <bb 2> [local count: 9]:
  __tsan_read4 (_5);
  _7 = *_5;
  _8 = MEM[(const float *)_6 + 4B];
  __tsan_write4 (&all[_1]);
  all[_1] = _7;
  _10 = &own;
  _11 = (float *) _10;
  _12 = _11 + _1;
  MEM[(float *)_12] = _7;
  _13 = table[_1];
  own = *.LC0;
  _22 = MEM <const struct Row> [(const float &)&row].v[_1];
  _23 = MEM[(const float &)&row + _1 * 4];
  _24 = &row + _1;
  _25 = MEM[(const float &)_24];
  _26 = MEM[(const struct Other &)&row].v[_1];
  _27 = MEM[(const float[9] &)&table][_1];
  __tsan_write16 (_20);
  __tsan_read16 (_21);
  *_20 = *_21;
  *_20 = {};
  _14 = take (own, &all, _7);
  all = give (_7); [return slot optimization]

  <bb 3> [local count: 9]:
  _15 = (*_5)[_1];
  __tsan_write4 (_5);
  *_5 =  Nan;

  <bb 4> [local count: 9]:
  _5->x ={v} 1;
  _16 = VIEW_CONVERT_EXPR<int>(*_5);
  _17 = _5 * _5;
  _18 = other_3(D)->next;"""


def test_each_access_is_announced_by_its_own_callback():
    """Reads and writes through pointers, and writes of variables: by a callback in the same block, just before."""
    rows = ANNOUNCED.split("\n")
    found = {rows[number].strip(): by_call for number, by_call in announced.unannounced(rows, {"own"})}
    assert found == {
        "_8 = MEM[(const float *)_6 + 4B];": False,
        "_26 = MEM[(const struct Other &)&row].v[_1];": False,
        "_27 = MEM[(const float[9] &)&table][_1];": False,
        "*_20 = {};": False,
        "all = give (_7); [return slot optimization]": True,
        "_15 = (*_5)[_1];": False,
        "_5->x ={v} 1;": False,
        "_16 = VIEW_CONVERT_EXPR<int>(*_5);": False,
        "_18 = other_3(D)->next;": False,
    }


@pytest.mark.parametrize(
    ("row", "name"),
    [
        ("  float[2][256] * buf;", "buf"),
        ("  float buf[2][256];", "buf"),
        ("  int buf[3] = {1, 2, 3};", "buf"),
        ("  float (*<T12>) (float) op;", "op"),
        ("  struct Pair & D.123;", "D.123"),
        ("  static float tables[7];", None),
    ],
)
def test_a_functions_own_variables_are_known_by_name(row, name):
    function = calls.Function(f"void f ()\n{{\n{row}\n\n  <bb 2> :\n  return;\n}}")
    assert function.own == ({name} if name else set())


def test_a_structure_goes_through_a_variable_and_is_seen(run_kernel):
    body = "Six s = ((const Six*)x)[i]; Six t = Of::six(Of::sum_of(s) * 0 + i); ((Six*)z)[i] = t;"
    outputs, case = run(run_kernel, kernel(body, SIX))
    assert not errors(case) and np.array_equal(outputs["z"][6:12], np.arange(1, 7))
    assert case.counters["global_load_bytes"] == case.counters["global_store_bytes"] == 32 * 24


def test_an_empty_kernel_is_one(run_kernel):
    source = "__global__ void nothing(int) {}\n" + kernel("z[i] = x[i];").replace(
        "{ k<<<", "{ nothing<<<1, 1>>>(n); k<<<"
    )
    assert not errors(run(run_kernel, source)[1])


# ---- what is right, and seen ----


def test_memcpy_loads_and_stores_what_it_copies(run_kernel):
    """Four bytes at a time, as they are aligned: six loads and six stores of a warp, which touch 24 sectors each."""
    outputs, case = run(run_kernel, kernel("float a[6]; memcpy(a, x + 6 * i, 24); memcpy(z + 6 * i, a, sizeof a);"))
    assert np.array_equal(outputs["z"][:192], X[:192]) and not errors(case)
    counted = case.counters
    assert counted["global_load_requests"] == counted["global_store_requests"] == 6
    assert counted["global_load_bytes"] == counted["global_store_bytes"] == 32 * 24
    assert counted["global_load_sectors"] == 6 * 24


@pytest.mark.parametrize("copy", long_tail(["memcpy", "std::memcpy", "memmove", "std::memmove"], every=6))
@pytest.mark.parametrize("size", ["4", "n / 8", "sizeof(float)"])
def test_every_copy_is_seen(run_kernel, copy: str, size: str):
    outputs, case = run(run_kernel, kernel(f"{copy}(z + i, x + i, {size});", "#include <cstring>"))
    assert np.array_equal(outputs["z"][:32], X[:32]) and not errors(case)
    assert case.counters["global_load_bytes"] == case.counters["global_store_bytes"] == 128


def test_memset_stores(run_kernel):
    outputs, case = run(run_kernel, kernel("memset(z + i, 0, 4); memset(z + 32 + i, 1, 4);"))
    assert not outputs["z"][:32].any() and not errors(case)
    assert case.counters["global_store_bytes"] == 256


def test_a_copy_past_the_end_is_found(run_kernel):
    _, case = run(run_kernel, kernel("float a[6]; memcpy(a, x + 8 * i + 3, 24); z[i] = a[5];"))
    assert errors(case)[0][0] == "out_of_bounds"


def test_a_race_by_copies_is_found(run_kernel):
    body = "__shared__ float s[64]; memcpy(s + 2 * i, x + i, 8); float a[2];"
    body += "memcpy(a, s + (2 * i + 2) % 64, 8); z[i] = a[1];"
    assert "race" in {kind for kind, _ in errors(run(run_kernel, kernel(body))[1])}


def test_functions_with_two_results_store_them(run_kernel):
    body = "frexpf(x[i], (int*)z + i); modff(x[i], z + 32 + i); remquof(x[i], 2, (int*)z + 64 + i);"
    body += "sincosf(x[i], z + 96 + i, z + 128 + i);"
    _, case = run(run_kernel, kernel(body))
    assert not errors(case) and case.counters["global_store_requests"] == 5


@pytest.mark.parametrize("numbers", [9, 40, 100, 600])
def test_a_table_of_constants_may_be_a_variable_of_any_length(run_kernel, numbers: int):
    """g++ copies a long one, on aarch64 any, from one that no callback tells of."""
    text = ", ".join(str(each * 7919 % 97) for each in range(numbers))
    body = f"int own[] = {{{text}}}; own[i % 5] += 1; z[i] = own[i % {numbers}]; for (int j : own) z[i] += j;"
    outputs, case = run(run_kernel, kernel(body))
    table = [each * 7919 % 97 for each in range(numbers)]
    assert errors(case) == []
    found = [sum(table) + 1 + table[i % numbers] + (i % numbers == i % 5) for i in range(32)]
    assert outputs["z"][:32].tolist() == found


HOST = """
#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>
static int by_value(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }
static int twice(int i) { return 2 * i; }
static void host() {
    std::vector<int> v(10);
    std::iota(v.begin(), v.end(), 0);
    std::sort(v.begin(), v.end(), [](int a, int b) { return a > b; });
    qsort(v.data(), 10, sizeof(int), by_value);
    std::string text = "a" + std::to_string(v[3]);
    std::transform(text.begin(), text.end(), text.begin(), ::toupper);
    std::map<std::string, int> known{{text, 3}};
    std::function<int(int)> call = [&](int i) { return v[i]; };
    int (*pointer)(int) = twice;
    std::unique_ptr<char, void (*)(void*)> bytes((char*)malloc(16), free);
    memcpy(bytes.get(), "abc", 4);
    memset(v.data(), 3, 20);
    std::thread beside([&] { v[0] = pointer(call(1)); });
    beside.join();
    assert(strlen(bytes.get()) == 3 && memcmp(bytes.get(), "abc", 4) == 0);
    char line[64];
    snprintf(line, sizeof line, "%d %f", v[0], std::pow(2.0, v[1] % 3));
    printf("%s\\n", line);
    std::cout << known[text] << std::endl;
}
template <class T, int N> __device__ T sum(const T* p) { T s = 0; for (int j = 0; j < N; ++j) s += p[j]; return s; }
__device__ __noinline__ float half_of(float v) { return v / 2; }
__device__ float (*table[2])(float) = {half_of, half_of};
"""


@pytest.mark.slow
def test_ordinary_code_needs_nothing_that_is_refused(run_kernel):
    body = """
    auto add = [&](float a) { return a + __popc(i) * 0; };
    assert(n == 32);
    if (i == 0) printf("%d %f\\n", n, x[1]);
    z[i] = add(sum<float, 3>(x + i)) + table[i % 2](expf(-x[i]) + std::sqrt(x[i]) + fmaxf(x[i], 2)) + powf(x[i], 2) * 0;
    """
    source = kernel(body, HOST).replace("{ k<<<", "{ host(); k<<<")
    outputs, case = run(run_kernel, source)
    assert not errors(case)
    i = X[:32]
    expected = 3 * i + 3 + (np.exp(-i) + np.sqrt(i) + np.maximum(i, 2)) / 2
    assert np.allclose(outputs["z"][:32], expected, rtol=1e-6)


@pytest.mark.slow
def test_hardened_compilers_build_the_same(tmp_path):
    """Ubuntu's g++ replaces functions by checking ones and guards stacks, if nothing is said."""
    text, built = tmp_path / "k.cpp", tmp_path / "k.o"
    text.write_text(translate(kernel('printf("%d\\n", n); memcpy(z, x, n);', HOST), "k.cu"))
    flags = emulator.compile_flags(emulator.runtime_library(cache_root()))
    subprocess.run(
        ["g++", "-D_FORTIFY_SOURCE=3", "-fstack-protector-all", "-fPIC", *flags, "-c", text, "-o", built], check=True
    )
    assert "_chk" not in subprocess.check_output(["nm", "-u", built], text=True)


# ---- the lists ----


def test_the_runtime_gives_what_the_headers_declare_and_no_more():
    assert outside.host_may_use("ladder_launch") and outside.host_may_use("threadIdx")
    assert not outside.host_may_use("ladder_session_open") and not outside.host_may_use("_ZN6ladder11the_machineE")
    assert "ladder_memcpy" not in outside.device_functions() and "ladder_atomic" in outside.device_functions()


@pytest.mark.parametrize(
    "symbol", ["__mprotect@GLIBC_PRIVATE", "memcpy@GLIBC_PRIVATE", "mmap@GLIBC_2.2.5", "PyErr_Print"]
)
def test_nothing_else_comes_from_outside(symbol: str):
    assert not outside.host_may_use(symbol)


def test_machine_code_makes_no_system_call_of_its_own():
    symbols.refuse_system_calls([(16, "mov", "$0x1,%eax"), (20, "call", "30 <syscall@plt>")])
    with pytest.raises(Refused, match="only the C library makes system calls"):
        symbols.refuse_system_calls([(16, "mov", "$0x1,%eax"), (20, "syscall", "")])


OF_ALL_SHAPES = """
struct Bits { unsigned a : 7, b : 25; };
struct __attribute__((packed)) Odd { char c; float f; };
typedef float Four __attribute__((vector_size(16)));
typedef float Eight __attribute__((vector_size(32)));
"""


@pytest.mark.parametrize(
    ("store", "size"),
    long_tail(
        [
            ("((Bits*)z)[i].b = n;", 4),
            ("((Odd*)z)[i].f = n;", 4),
            ("((Four*)z)[i][n & 3] = n;", 4),
            ("((Eight*)z)[i] = ((const Eight*)x)[i];", 32),
            ("((__int128*)z)[i] = n;", 16),
            ("((bool*)z)[i] = n > 3;", 1),
        ],
        every=3,
        slow=1,
    ),
)
def test_a_store_of_any_shape_is_seen(run_kernel, store: str, size: int):
    _, case = run(run_kernel, kernel(store, OF_ALL_SHAPES))
    assert not errors(case) and case.counters["global_store_bytes"] == 32 * size
