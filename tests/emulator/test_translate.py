"""Translation of CUDA C++ to C++: what is rewritten, what is left alone, what is refused."""

from __future__ import annotations

import itertools
import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from grader.devices.emulator.gaps import GAP_BYTES
from grader.devices.emulator.session import include_folder
from grader.devices.emulator.translate import TranslationError, translate

OURS = re.compile(r'__attribute__\(\(ladder_[0-9a-f]{20}, no_sanitize\("thread"\), no_sanitize_coverage\)\)')


def body(source: str) -> str:
    """The translated lines, without the two that go before them, and with one word for the tag of this file."""
    return OURS.sub("LADDER_UNSEEN", translate(source, "kernel.cu").split("\n", 2)[2])


def launched(kernel: str, config: str, arguments: str, name: str | None = None) -> str:
    name = (kernel if name is None else name).replace("\\", "\\\\").replace('"', '\\"')
    head = f' ::ladder::launch("{name}", __builtin_LINE(), [&](auto&... ladder_a) LADDER_UNSEEN {{ '
    return f"{head}{kernel}(ladder_a...); }}, ::ladder::config({config}))({arguments})"


def refusal(source: str) -> TranslationError:
    with pytest.raises(TranslationError) as caught:
        translate(source, "kernel.cu")
    return caught.value


# ---- the frame ----


def test_the_file_follows_an_include_and_a_line_directive():
    assert translate("int x;\n", "kernel.cu") == '#include <ladder_first.h>\n#line 1 "kernel.cu"\nint x;\n'


def test_the_file_name_is_escaped():
    assert '#line 1 "a\\\\b \\"c\\".cu"' in translate("", 'a\\b "c".cu')


@pytest.mark.parametrize(
    "source",
    [
        "",
        "\n\n",
        "// k<<<1, 2>>>(x)\n",
        "/* k<<<1, 2>>>(x)\n   __shared__ float a[2]; */\n",
        "// goes on \\\nk<<<1, 2>>>(x)\n",
        'const char* s = "k<<<1, 2>>>(x)";\n',
        'const char* s = "\\"k<<<1, 2>>>(x)";\n',
        'auto s = R"(k<<<1, 2>>>(x))";\n',
        'auto s = R"cu(\n)" k<<<1, 2>>>(x) )" )cu";\n',
        'auto s = u8R"(k<<<1, 2>>>(x))" "k<<<1, 2>>>(x)";\n',
        "int a = x << y, b = x >> y, c = x << 1 << 2;\n",
        "friend S& operator<< <int>(S&, int);\n",
        "friend S& operator<<<int>(S&, int);\n",
        "A<B<C<int>>> nested;\n",
        "int n = 1'000'000; char c = '<', d = '\\'', e = '\"';\n",
        "x = a < b && c > d;\n",
        "#if 0\nthis isn't code\n#endif\n",
        "#error don't <<< this\n",
        "#pragma unroll 4\n",
        "void f() {}\r\n\tint ü = 1; // größer <<<\r\n",
        "__device__ __forceinline__ float f(float x) { return x; }\n",
        'extern "C" void run(float* x, int n, cudaStream_t stream) {}\n',
        'void fence() { asm volatile("" ::: "memory"); }\n',
        "unterminated /* comment <<<",
        'char* unterminated = "string <<<\n',
        "\0\x01 binary \\",
    ],
)
def test_left_alone(source: str):
    assert body(source) == source


def test_a_byte_order_mark_goes():
    assert body("\ufeffint x;") == "int x;"


# ---- launches ----


@pytest.mark.parametrize(
    ("kernel", "config", "arguments"),
    [
        ("k", "1, 32", ""),
        ("k", "grid, block, bytes, stream", "x, y, n"),
        ("k<float>", "1, 2", "x"),
        ("k<A<1, 2>, (3 > 2)>", "1, 2", "x"),
        ("k<A<B<int>>, 'c'>", "1, 2", "x"),
        ("k<(1 < 2)>", "1, 2", "x"),
        ("k<1 << 3>", "1, 2", "x"),
        ("k<N - 1, &S::f, p->q>", "1, 2", "x"),
        ("ns::k", "1, 2", "x"),
        ("::ns::k<int>", "1, 2", "x"),
        ("ns::A<int>::k", "1, 2", "x"),
        ("ns::template k<int>", "1, 2", "x"),
        ("self.template k<int>", "1, 2", "x"),
        ("table->kernels[i + 1]", "1, 2", "x"),
        ("(*pointer)", "1, 2", "x"),
        ("(flag ? a : b)", "1, 2", "x"),
        ("decltype(a)::k", "1, 2", "x"),
        ("k", "(n + 255) / 256, 256", "x, f(a, b), g<1, 2>(3)"),
        ("k", "dim3{1, 2}, dim3(2, 3)", "x"),
        ("k", "n > 1 ? 1 : 2, n < 3 ? 4 : 5", "x"),
        ("k", "n >> 8, 1 << 8", "x"),
        ("k", "size<A<int>>, 256", "x"),
        ("k", "1, sizeof(B<A<int>>)", "x"),
        ("k", "[&] { return a < b ? f<3>() : n >> 2; }(), 256", "x"),
        ("k", "p->grid, std::min<int>(n, 256)", "x"),
        ("k", "a[i > 2], 256", "x"),
        ("k", "1, 2", '">>>(", \'>\', "<<<"'),
    ],
)
def test_a_launch(kernel: str, config: str, arguments: str):
    source = f"void f() {{ {kernel}<<<{config}>>>({arguments}); }}"
    assert body(source) == f"void f() {{ {launched(kernel, config, arguments)}; }}"


@pytest.mark.parametrize("call", ["get<int>(3)", "static_cast<void (*)(int)>(k)", "table.of(i)"])
def test_what_a_call_gives_is_found_out_once(call: str):
    before, after = "[&, ladder_k = ", "](auto&... ladder_a) LADDER_UNSEEN { ladder_k(ladder_a...); }"
    assert f"{before}{call}{after}" in body(f"void f() {{ {call}<<<1, 2>>>(x); }}")


def test_braces_and_zeros_get_their_type_from_the_kernel():
    start, end = "::ladder::braced([&]<class ladder_T>() LADDER_UNSEEN -> ladder_T { return ", "; })"
    assert launched("k", "1, 2", f"x, {start}{{1, 2}}{end}") in body("k<<<1, 2>>>(x, {1, 2});")
    for before in ("S<int>{x, 1}", "S<A, B>(x)", "a < b", "S<T<A, B>>{x}, c > d"):
        braces = f"{before}, {start}{{1, 2}}{end}"
        assert launched("k", "1, 2", f"{braces}, n > 1") in body(f"k<<<1, 2>>>({before}, {{1, 2}}, n > 1);")
    taking = ".taking([&](auto... ladder_a) LADDER_UNSEEN -> decltype(k<3>(ladder_a...)) {})"
    for zero in ("0", "NULL", "0L", "0u"):
        translated = body(f"k<3><<<1, 2>>>({zero}, x);")
        assert translated == launched("k<3>", "1, 2", "::ladder::Zero{}, x").replace("))(::", f")){taking}(::") + ";"
        behind = body(f"k<3><<<1, 2>>>(f<2>(x), {zero});")
        assert behind == launched("k<3>", "1, 2", "f<2>(x), ::ladder::Zero{}").replace("))(f", f")){taking}(f") + ";"


@pytest.mark.parametrize(
    "arguments",
    [
        "f<a, 0, b>(x)",
        "f<g<a, 0, b>>(x)",
        "a < b, 0, c > (d)",
        "f(0)",
        "x + 0",
        "00",
        "0x1",
        "0.0",
        "x[0]",
        "Pair{0, 1}",
        "1, '0'",
    ],
)
def test_other_arguments_stay_as_they_are(arguments: str):
    assert body(f"k<<<1, 2>>>({arguments});") == launched("k", "1, 2", arguments) + ";"


@pytest.mark.parametrize("angles", [4, 5])
def test_the_last_three_closing_angles_end_the_launch(angles: int):
    config = "1, v<pair<int>>" if angles == 5 else "1, v<int>"
    assert body(f"k<<<{config}>>>(x);") == launched("k", config, "x") + ";"


@pytest.mark.parametrize("opening", ["<<<", "<< <", "< <<", " <<<", "\n<<<"])
@pytest.mark.parametrize("closing", [">>>", ">> >", "> >>", " >>> ", "\n>>>\n"])
def test_white_space_around_the_angles(opening: str, closing: str):
    translated = body(f"k{opening}1, 2{closing}(x);")
    assert re.sub(r"\s", "", translated) == re.sub(r"\s", "", launched("k", "1, 2", "x") + ";")
    assert translated.count("\n") == (opening + closing).count("\n")


@pytest.mark.parametrize(
    "before",
    [
        "if (a) ",
        "for (;;) ",
        "while (b(c)) ",
        "if constexpr (d) ",
        "else ",
        "do ",
        "return ",
        "case 1: ",
        "label: ",
        "x, ",
    ],
)
@pytest.mark.parametrize("kernel", ["k<1>", "(k)", "::k"])
def test_what_stands_before_a_launch_is_not_the_kernel(before: str, kernel: str):
    assert body(f"{before}{kernel}<<<1, 2>>>(x);") == f"{before}{launched(kernel, '1, 2', 'x')};"


def test_the_name_is_one_line_without_comments():
    translated = body("k<A, // first\n  3>\n<<<1, 2>>>(x);")
    assert '"k<A, 3>"' in translated
    assert "{ k<A, // first\n  3>\n(ladder_a...); }" in translated


def test_the_name_is_escaped():
    assert '"k<\'\\\\\\"\'>"' in body("k<'\\\"'><<<1, 2>>>(x);")


def test_a_launch_inside_another_ones_configuration():
    inner = launched("init", "1, 1", "p")
    translated = body("k<<<[&] { init<<<1, 1>>>(p); return 3; }(), 256>>>(x);")
    assert translated == launched("k", f"[&] {{ {inner}; return 3; }}(), 256", "x") + ";"


def test_launches_in_lambdas_templates_and_a_row():
    source = "template <class F> void go(F f) { [&] { f<<<1, 2>>>(); k<F><<<3, 4>>>(f); }(); }"
    expected = f"[&] {{ {launched('f', '1, 2', '')}; {launched('k<F>', '3, 4', 'f')}; }}()"
    assert expected in body(source)


def test_a_comment_inside_a_configuration():
    assert body("k<<<n,  // 256>>>(x)\n 2>>>(x);") == launched("k", "n,  // 256>>>(x)\n 2", "x") + ";"
    assert body("k<<<n // 256>>>(x)\n, 2>>>(x);") == launched("k", "n // 256>>>(x)\n, 2", "x") + ";"


def test_a_directive_inside_a_configuration():
    translated = body("k<<<1,\n#ifdef WIDE\n256\n#else\n128\n#endif\n>>>(x);")
    assert translated.endswith("::ladder::config(1,\n#ifdef WIDE\n256\n#else\n128\n#endif\n))(x);")


def test_a_kernel_whose_name_a_macro_glues_together():
    translated = body("#define LAUNCH(a) old_##a##_kernel<<<1, 32>>>(x)\nLAUNCH(k);")
    assert '::ladder::launch("old_" #a "_kernel", ' in translated
    assert "{ old_##a##_kernel(ladder_a...); }" in translated


def test_a_launch_in_a_macro_names_the_kernel_it_is_given():
    translated = body("#define LAUNCH(kernel, n) \\\n  kernel<float><<<n, 32>>>(x)\nLAUNCH(k, 1);")
    assert '::ladder::launch("" #kernel "<float>", __builtin_LINE()' in translated
    assert translated.count("\\\n") == 1 and translated.endswith("\nLAUNCH(k, 1);")


def test_a_launch_with_a_continued_line_in_a_macro():
    translated = body("#define GO() k<<<1, \\\n 2>>>(x)\n")
    assert translated == "#define GO() " + launched("k", "1, \\\n 2", "x") + "\n"


@pytest.mark.parametrize(
    ("source", "line", "says"),
    [
        ("void f() {\n  k<<<1, 2(x);\n}", 2, "never closed"),
        ("void f() { k<<<1, 2; }", 1, "never closed"),
        ("k<<<", 1, "never closed"),
        ("void f() {\n  k<<<n // 256 + 1, 256>>>(x);\n}", 2, "a division is `/`, as in `k<<<n / 256 + 1, 256>>>`"),
        ("void f() {\n  k<<<(n + 7) // 8, 8>>>(x);\n  k<<<1, 2>>>(x);\n}", 2, "as in `k<<<(n + 7) / 8, 8>>>`"),
        ("void f() {\n  k<<<dim3(n // 2, m // 2), 4>>>(x);\n}", 2, "as in `k<<<dim3(n / 2, m / 2), 4>>>`"),
        ("void f() { k<<<n, 2;  // 256>>>(x)\n}", 1, "a launch is `k<<<blocks, threads>>>(...)`"),
        ("\n\nk<<<1, 2>>>;", 3, "parentheses"),
        ("void f() { <<<1, 2>>>(x); }", 1, "no kernel's name"),
        ("void f() { return <<<1, 2>>>(x); }", 1, "no kernel's name"),
        ("#define CONFIG(n, x) <<<n, 2>>>(x)\n", 1, "macro"),
        ("__global__ void k() {\n  if (true) {\n    j<<<1, 2>>>();\n  }\n}", 3, "dynamic parallelism"),
        ("struct S { __device__ void f() { k<<<1, 2>>>(); } };", 1, "dynamic parallelism"),
    ],
)
def test_launches_refused(source: str, line: int, says: str):
    error = refusal(source)
    assert error.line == line and says in error.message


def test_a_host_function_after_a_device_function_may_launch():
    source = "__global__ void k() { int a[] = {1}; }\nvoid run() { k<<<1, 2>>>(); }"
    assert launched("k", "1, 2", "") in body(source)


def test_one_brace_opened_in_two_conditions_does_not_confuse():
    kernel = "__global__ void k(int n) {\n#ifdef A\n  if (n) {\n#else\n  if (!n) {\n#endif\n  }\n}\n"
    assert launched("k", "1, 2", "3") in body(kernel + "void run() { k<<<1, 2>>>(3); }")


# ---- shared memory ----

GAP = f" static thread_local __attribute__((used)) char ladder_gap_{{}}[{GAP_BYTES}];"


@pytest.mark.parametrize(
    ("declaration", "expected"),
    [
        ("extern __shared__ float s[];", "float (&s)[] = *reinterpret_cast<float (*)[]>({});"),
        ("extern __shared__ float s[][32];", "float (&s)[][32] = *reinterpret_cast<float (*)[][32]>({});"),
        ("extern __shared__ float s[][N + 1];", "float (&s)[][N + 1] = *reinterpret_cast<float (*)[][N+1]>({});"),
        (
            "extern __shared__ __align__(16) unsigned char s[];",
            "unsigned char (&s)[] = *reinterpret_cast<unsigned char (*)[]>({});",
        ),
        ("alignas(16) extern __shared__ char s[];", "char (&s)[] = *reinterpret_cast<char (*)[]>({});"),
        ("extern __shared__ alignas(float4) char s[];", "char (&s)[] = *reinterpret_cast<char (*)[]>({});"),
        (
            "extern __attribute__((aligned(16))) __shared__ int s[];",
            "int (&s)[] = *reinterpret_cast<int (*)[]>({});",
        ),
        (
            "extern volatile __shared__ float s[];",
            "volatile float (&s)[] = *reinterpret_cast<volatile float (*)[]>({});",
        ),
        (
            "extern __shared__ ns::Pair<float, int> s[];",
            "ns::Pair<float, int> (&s)[] = *reinterpret_cast<ns::Pair<float, int> (*)[]>({});",
        ),
        (
            "extern __shared__ typename T::type s[];",
            "typename T::type (&s)[] = *reinterpret_cast<typename T::type (*)[]>({});",
        ),
        ("extern __shared__ float* s[];", "float* (&s)[] = *reinterpret_cast<float* (*)[]>({});"),
    ],
)
def test_dynamic_shared_memory(declaration: str, expected: str):
    translated = body(f"__global__ void k() {{ {declaration} }}")
    inner = translated.removeprefix("__global__ void k() {").removesuffix("}")
    assert " ".join(inner.split()) == expected.format("::ladder_dynamic_shared()")


def test_dynamic_shared_memory_in_a_macro():
    translated = body("#define DYNAMIC(T) extern __shared__ T smem[]\n")
    assert "T (&smem)[] = *reinterpret_cast<T (*)[]>(::ladder_dynamic_shared())\n" in translated


def test_dynamic_shared_memory_of_the_whole_file_moves_into_its_users():
    source = (
        "namespace a {\nextern __shared__ float s[];\n}\n"
        "__global__ void user() { s[0] = 1; }\n"
        "__global__ void other() {}\n"
        "__device__ void hides(float* s) { s[0] = 1; }\n"
        "void host() { int s = 1; }\n"
    )
    translated = body(source)
    reference = "float (&s)[] = *reinterpret_cast<float (*)[]>(::ladder_dynamic_shared());"
    assert translated.count("reinterpret_cast") == 1
    assert f"void user() {{ {reference} {{ s[0] = 1; }}}}\n" in translated
    assert "namespace a {\n;\n}\n" in translated


def test_static_shared_memory_gets_a_gap_behind_each_array():
    translated = body("__global__ void k() {\n  __shared__ float a[32][33], *b, c;\n  __shared__ int d;\n}")
    lines = translated.split("\n")
    assert "__shared__ float a[32][33];" + GAP.format(1) + " __shared__ float *b;" in " ".join(lines[1].split())
    assert lines[1].endswith(" c;" + GAP.format(3))
    assert lines[2].startswith("  __shared__ int d;" + GAP.format(4))
    assert " struct ladder_as_4 { int d; }; static const char ladder_declared_4_d[alignof(ladder_as_4)] " in lines[2]


def test_commas_inside_a_type_part_nothing():
    translated = body("__global__ void k() { __shared__ Pair<A<1, 2>, int> p[f(1, 2)]; }")
    assert translated.count("ladder_gap_") == 1


def test_an_unnamed_struct_is_not_declared_twice():
    translated = body("__global__ void k() { __shared__ struct { int x; } a, b; }")
    assert "} a, b;" + GAP.format(1) in translated


def test_static_shared_is_static_once():
    assert "static __shared__" not in body("__global__ void k() { static __shared__ int x; }")


@pytest.mark.parametrize("source", ["__shared__ int n = 0;", "__shared__ float s[2] = {1, 2};", "__shared__ int n{0};"])
def test_shared_variables_take_no_initial_value(source: str):
    error = refusal("__global__ void k() {\n" + source + "\n}")
    assert error.line == 2 and "initial value" in error.message


def test_one_dynamic_array_at_a_time():
    assert "same byte" in refusal("__global__ void k() { extern __shared__ float a[], b[]; }").message


@pytest.mark.skipif(not shutil.which("g++") or not shutil.which("readelf"), reason="needs g++ and readelf")
@pytest.mark.parametrize("flags", [["-O1"], ["-O2"], ["-O1", "-fno-toplevel-reorder"]])
def test_the_gaps_lie_between_the_arrays(tmp_path: Path, flags: list[str]):
    source = """
namespace { template <int N> struct S { static void f(int i) {
  __shared__ float s1[N]; __shared__ float s2[N], s3[4]; s1[i] = s2[i] + s3[i]; } }; }
template <class T> __attribute__((noinline)) void k(int i) { __shared__ T t1[32]; __shared__ T t2[32]; t1[i] = t2[i]; }
static void j(int i) { __shared__ int c; __shared__ float u1[8][8], u2[8][8]; u1[0][i] = u2[0][i]; c = i; }
void run(int i) { k<float>(i); k<double>(i); S<33>::f(i); j(i); }
"""
    (tmp_path / "cuda_runtime.h").write_text("#include <ladder/qualifiers.h>\n")
    (tmp_path / "kernel.cpp").write_text(translate(source, "kernel.cu"))
    library = tmp_path / "kernel.so"
    include = [f"-I{tmp_path}", f"-I{include_folder()}"]
    command = ["g++", "-std=c++20", "-shared", "-fPIC", "-fno-gnu-unique", "-U_FORTIFY_SOURCE", *flags, *include]
    subprocess.run([*command, tmp_path / "kernel.cpp", "-o", library], check=True)
    arrays = _thread_local_symbols(library)
    learners = [entry for entry in arrays if "ladder_gap" not in entry[2]]
    assert len(learners) == 10
    for (start, size, name), (following, _, _) in itertools.pairwise(learners):
        assert following - (start + size) >= GAP_BYTES, name


def _thread_local_symbols(library: Path) -> list[tuple[int, int, str]]:
    """(offset, size, name) of each thread-local variable, in the order in which they lie in memory."""
    listing = subprocess.run(["readelf", "-sW", library], capture_output=True, text=True, check=True).stdout
    fields = [line.split() for line in listing.splitlines() if " TLS " in line]
    return sorted({(int(row[1], 16), int(row[2]), row[-1]) for row in fields})


# ---- spellings ----


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("cudaLaunchKernel((void*)k, g, b, a, 0, s);", "cudaLaunchKernel(k, g, b, a, 0, s);"),
        ("cudaLaunchKernel((const void *)k<A, B>, g);", "cudaLaunchKernel(k<A, B>, g);"),
        ("cudaLaunchKernel((void const*)&k, g);", "cudaLaunchKernel(&k, g);"),
        ("cudaLaunchCooperativeKernel(reinterpret_cast<void*>(k), g);", "cudaLaunchCooperativeKernel((k), g);"),
        ("cudaLaunchKernelExC(&c, (void*)k<A, B>, a);", "cudaLaunchKernelExC(&c, k<A, B>, a);"),
        ("cudaLaunchKernelExC(f(a, b), k, (void**)a);", "cudaLaunchKernelExC(f(a, b), k, (void**)a);"),
        ("cudaFuncSetAttribute(reinterpret_cast<const void *>(&k<1>), a, 1);", "cudaFuncSetAttribute((&k<1>), a, 1);"),
        ("cudaFuncGetAttributes(&a, k);", "cudaFuncGetAttributes(&a, k);"),
        ('inline void f() { asm("pause"); }', "inline void f() { ; }"),
        ('inline void f() { asm("pause"); } void g() { f(); }', 'inline void f() { asm("pause"); } void g() { f(); }'),
        ('void f() { asm("pause"); }', 'void f() { asm("pause"); }'),
        ("cudaLaunchKernel((Function)k, g);", "cudaLaunchKernel((Function)k, g);"),
        ("cudaMemcpy((void*)a, b, n, kind);", "cudaMemcpy((void*)a, b, n, kind);"),
        (
            "__global__ void k() {} auto p = (void*)&k;",
            "__global__ void k() {} auto p = ::ladder::Forget<void*>() ->* &k;",
        ),
        ("__global__ void k() {} auto p = (void*)&x;", "__global__ void k() {} auto p = (void*)&x;"),
        (
            "auto c = cudaLaunchKernel, p = (const void*)k;",
            "auto c = cudaLaunchKernel, p = ::ladder::Forget<const void*>() ->* k;",
        ),
        ("int cudaLaunchKernelExC(void*) final;", "int cudaLaunchKernelExC(void*) final;"),
        ("__device__ void f() { int a[4] = {[2] = 1}; }", "__device__ void f() { int a[4] = {{}, {}, 1}; }"),
        ("__global__ void k() { int a[] = {[0] = f(1, 2), 3}; }", "__global__ void k() { int a[] = { f(1, 2), 3}; }"),
        ("__device__ void f() { A a = {[2] = 1, [0] = 3}; }", "__device__ void f() { A a = {3, {}, 1}; }"),
        ("void f() { int a[4] = {[2] = 1}; }", "void f() { int a[4] = {[2] = 1}; }"),
        ("__noinline__ int f() {}", "__attribute__((noinline)) int f() {}"),
        ("__noinline__ int f();", "int f();"),
        ("__attribute__((__noinline__)) int f();", "__attribute__((__noinline__)) int f();"),
        ("__attribute__((cold, __noinline__)) int f();", "__attribute__((cold, __noinline__)) int f();"),
        ("[[gnu::__noinline__]] int f();", "[[gnu::__noinline__]] int f();"),
    ],
)
def test_spellings(source: str, expected: str):
    assert " ".join(body(source).split()) == expected


# ---- what cannot run here ----


PTX = "::ladder::ptx<{}>(__builtin_LINE(), "


@pytest.mark.parametrize("spelling", ["asm volatile(", "asm(", "__asm__ __volatile__ (", "asm\nvolatile\n("])
def test_inline_ptx_becomes_a_call(spelling: str):
    source = f'__device__ int lane() {{\n  int l;\n  {spelling}"mov.u32 %0, %laneid;" : "=r"(l));\n  return l;\n}}'
    first = "constraint" if "volatile" in spelling else "moved"
    call = PTX.format(f'::ladder::{first}("=r")') + spelling.count("\n") * "\n" + '"mov.u32 %0, %laneid;" , (l));'
    assert body(source) == f"__device__ int lane() {{\n  int l;\n  {call}\n  return l;\n}}"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('asm("x;" : "=r"(a), "+f"(b[0]) : "r"(f(1, 2)) : "memory")', '<=r +f r>"x;" , (a), (b[0]) , v(f(1, 2)) )'),
        ('asm("x" :: "l"(p), "n"(sizeof(int)))', '<l n>"x" , v(p), v(sizeof(int)))'),
        ('asm("bar.sync 0;" ::: "memory")', '<>"bar.sync 0;" )'),
        ('asm("a;" "b;" : C "f"(x))', '<=f>"a;" "b;" , (x))'),
    ],
)
def test_operands_of_inline_ptx(source: str, expected: str):
    found = body(f"__device__ void f() {{ {source}; }}").removeprefix("__device__ void f() { ").removesuffix("; }")
    kinds, _, rest = found.removeprefix("::ladder::ptx<").partition(">(__builtin_LINE(), ")
    kinds = kinds.replace("::ladder::moved(", "").replace("::ladder::constraint(", "")
    kinds = kinds.replace('"', "").replace("),", "").replace(")", "")
    assert f"<{kinds}>{rest}".replace("::ladder::value", "v") == expected.replace("<=f>", "<C f>")


@pytest.mark.parametrize(
    ("source", "moves"),
    [
        ('asm("x;" : "=r"(a) : "r"(b))', True),
        ('asm("x;" : "=r"(a), "=r"(b) : : "cc")', True),
        ('asm("x;" : "=r"(a) : "r"(b) : "memory")', False),
        ('asm("x;" : "+r"(a) :: "cc", "memory")', False),
        ('asm __volatile__("x;" : "=r"(a))', False),
        ('asm("x;" :: "r"(a))', False),
    ],
)
def test_asm_without_volatile_is_marked_as_one_that_nvcc_moves(source: str, moves: bool):
    assert body(f"__device__ void f() {{ {source}; }}").count("::ladder::moved(") == moves


def test_inline_ptx_in_a_macro_keeps_its_lines():
    source = '#define CP(d, s, n) asm volatile("cp %0, %1, %2;" \\\n  :: "r"(d), "l"(s), "n"(n))\nint after;\n'
    translated = body(source)
    assert translated.count("\n") == source.count("\n") and "::ladder::value(n)" in translated


@pytest.mark.parametrize("source", ['asm(".globl x");', 'asm volatile ("nop");\n__global__ void k() {}'])
def test_assembly_outside_of_functions_is_refused(source: str):
    error = refusal(source)
    assert error.line == 1 and "PTX" in error.message


def test_names_of_operands_are_refused_as_nvcc_refuses_them():
    error = refusal('__device__ void f(int x, int y) {\n  asm("mov.u32 %[a], %[b];" : [a] "=r"(x) : [b] "r"(y));\n}')
    assert error.line == 2 and "write %0, %1" in error.message


def test_an_operand_without_its_parentheses_is_refused():
    assert "an operand of asm" in refusal('__device__ void f(int a) { asm("x" : "=r" a); }').message


@pytest.mark.parametrize(
    "header",
    ["<torch/extension.h>", '"torch/types.h"', "<ATen/ATen.h>", "<cublas_v2.h>", "< cub/cub.cuh >", "<thrust/sort.h>"],
)
def test_libraries_are_refused(header: str):
    error = refusal(f"// a kernel\n#  include {header}\n")
    assert error.line == 2 and "stands alone" in error.message and header.strip('<>" ') in error.message


@pytest.mark.parametrize("header", ["<cuda_fp16.h>", "<cooperative_groups.h>", "<cmath>", '"cubic.h"'])
def test_other_headers_stay(header: str):
    assert f"#include {header}\n" in body(f"#include {header}\n")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("#define FILE <thrust/sort.h>\n#include FILE", "must name its header"),
        ("#include </etc/passwd>", "a file elsewhere"),
        ("#include <cuda/../../other.cu>", "a file elsewhere"),
        ('#include_next "./thrust/sort.h"', "stands alone"),
        ("#import <cccl/thrust/sort.h>", "stands alone"),
        ("%:include <thrust/sort.h>", "write # instead of %:"),
        ("#inc\\\nlude <thrust/sort.h>", "divides a name"),
    ],
)
def test_no_spelling_of_an_include_is_overlooked(text: str, said: str):
    assert said in refusal(f"{text}\n").message


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("#define OUT_OF_SIGHT LADDER_UNSEEN", "the grader's own"),
        ("int ladder_in_kernel();", "the grader's own"),
        ('#line L"string.h"', "has no number"),
        ("#line 7 other.cu", "has no number"),
        ('const char* text = R"(\n# 1 "string.h" 1\n)";', "a string cannot hold a line"),
        ("int no_\\\nsanitize;", "divides a name"),
    ],
)
def test_nothing_hides_from_the_emulator(text: str, said: str):
    assert said in refusal(f"{text}\n").message


@pytest.mark.parametrize(
    "text",
    [
        '# 1 "/usr/include/string.h" 1 3',
        '#line 7 "other.cu"',
        '/**/ # /* # */ line \\\n 7 "other.cu"',
        "#if 0\n#\\\n3\n#endif",
    ],
)
def test_lines_keep_their_numbers(text: str):
    assert "7" not in body(f"{text}\nint k;\n") and '"' not in body(f"{text}\nint k;\n")
    assert body(f"{text}\nint k;\n").count("\n") == text.count("\n") + 2


def test_a_line_of_nothing_but_its_sign_is_no_directive():
    assert "int k;" in body("#\n  #  \nint k;\n")


def test_names_may_be_glued():
    assert "a##b" in body("#define GLUE(a, b) a##b\n")


def test_a_continued_macro_is_no_disguise():
    assert "twice" in body("#define twice(x) \\\n    ((x) + \\\n     (x))\nint section = 5 % 3;\n")


def test_a_library_under_a_condition_is_not_refused():
    assert "<torch/extension.h>" in body("#ifdef WITH_TORCH\n#include <torch/extension.h>\n#endif\n")


# ---- lines ----

PIECES = [
    "{mark}<<<1,{space}{mark}>>>{space}({mark});",
    "{mark}<A<1,{space}2>,{space}(3>2)>{space}<<<{space}f({mark}),{space}[&]{{ return a>>b; }}(){space}>>>({mark});",
    "{{{space}extern{space}__shared__{space}__align__(16){space}float{space}smem[]{space}[{mark}];{space}}}",
    "{{{space}__shared__{space}float{space}a[{mark}],{space}b[{mark}];{space}}}",
    "cudaLaunchKernel((const{space}void{space}*){space}{mark},{space}{mark});",
    "__noinline__{space}int {mark}();",
    '"<<< {mark}" R"x(<<<\n{mark})x" // {mark} >>>\n{mark}',
    "/* {mark}\n<<< */{space}{mark};",
    "\n#define {mark}(k) \\\n k<<<1, \\\n {mark}>>>(x) \\\n {mark}\n",
    "\n#if {mark}\n{mark}<<<1, 2>>>();\n#else\n{mark};\n#endif\n",
    "x{space}<<{space}{mark}{space}>>{space}1'000;",
]


def lines_of(text: str) -> dict[str, set[int]]:
    found: dict[str, set[int]] = {}
    for number, line in enumerate(text.split("\n")):
        for mark in re.findall(r"mark_\d+", line):
            found.setdefault(mark, set()).add(number)
    return found


@pytest.mark.parametrize("seed", range(40))
def test_everything_stays_on_its_line(seed: int):
    draw = random.Random(seed)
    marks = (f"mark_{number}" for number in range(10**6))
    spaces = [" ", "\n", "\r\n", "\t", " // <<< don't\n", " /* >>> \n */ ", " \\\n "]
    pieces = []
    for _ in range(30):
        piece = draw.choice(PIECES).replace("{{", "{").replace("}}", "}")
        piece = re.sub(r"\{space\}", lambda _: draw.choice(spaces), piece)
        pieces.append(re.sub(r"\{mark\}", lambda _: next(marks), piece))
    source = "void f() {" + "\n".join(pieces) + "}"
    translated = body(source)
    assert translated.count("\n") == source.count("\n")
    written = lines_of(translated)
    for mark, lines in lines_of(source).items():
        assert lines <= written[mark], mark


@pytest.mark.parametrize("seed", range(20))
def test_half_written_files_are_translated_or_refused(seed: int):
    """A learner's file is checked at every save, also in the middle of a line."""
    draw = random.Random(seed)
    source = "".join(draw.choice(PIECES) for _ in range(8)).replace("{mark}", "k").replace("{space}", " ")
    for _ in range(60):
        start, end = sorted(draw.sample(range(len(source)), 2))
        text = source[:start] + source[end:] if draw.random() < 0.5 else source[start:end]
        try:
            translated = body(text)
        except TranslationError as error:
            assert 1 <= error.line <= text.count("\n") + 1
        else:
            assert translated.count("\n") == text.count("\n")


def test_a_texture_reference_is_refused_and_a_kernel_node_takes_a_kernel():
    with pytest.raises(TranslationError, match="line 1: CUDA 12 has no texture references any more"):
        translate("texture<float, 2> image;\nvoid f() { cudaBindTexture(0, image, 0); }", "a.cu")
    assert "texture<float> own;" in translate("template <class T> struct texture {};\ntexture<float> own;", "a.cu")
    assert "p.func = kernel;" in translate("void f() { p.func = (void*)kernel; }", "a.cu").replace("=  ", "= ")
