"""Every bad file gets one sentence about the learner's own text; a good one is built once."""

import os
import shutil
import subprocess
import uuid

import pytest
from jobs import ADD, ENTRY, KERNEL, SIZES, results

from grader.course.prototype import parse_prototype
from grader.devices import cache
from grader.devices.build import frontend
from grader.devices.build.build import cached_or_built
from grader.devices.build.recipe import contents
from grader.devices.build.toolchain import missing_tool
from grader.devices.cache import cache_root
from grader.devices.evidence import Build

needs_libclang = pytest.mark.skipif(not frontend.available(), reason="there is no libclang here")
OTHER = parse_prototype("void other(const half* x, unsigned long long* y, bool flag, size_t n, cudaStream_t stream)")


def unique(source: str) -> str:
    return f"{source}// {uuid.uuid4()}\n"


def test_a_good_file_is_built_once(run, arena):
    source = unique(KERNEL)
    first = run(source)
    assert first.build.problem is None and not first.build.cached
    assert [case.name for case in first.cases] == [f"n={n}" for n in SIZES]
    assert (first.problem, first.ended, first.output) == (None, "normally", "")
    assert results(arena) == [True] * len(SIZES)
    for case in arena.cases:
        case.poison()
    again = run(source)
    assert again.build.cached
    assert results(arena) == [True] * len(SIZES)


class Made:
    """A recipe, its gate and a second opinion in one: what is vouched for is noted."""

    failed = False

    def key(self):
        return uuid.uuid4().hex

    def run(self, folder):
        folder.mkdir()
        library = folder / cache.LIBRARY
        subprocess.run(["g++", "-shared", "-x", "c++", "-", "-o", library], input=b"int x;", check=True)
        return library

    def facts(self, library):
        return None, []

    def begin(self): ...

    def weigh(self, build):
        return build

    def confine(self, kept): ...

    def vouch(self, key, files):
        self.kept = [file.name for file in files]


@pytest.mark.parametrize("failed", [False, True])
def test_a_build_that_clang_could_not_read_is_used_and_not_kept(tmp_path, failed):
    made = Made()
    made.failed = failed
    build, library = cached_or_built(made, tmp_path / "cache", tmp_path, made, Build, made)
    assert build.problem is None and library.loaded
    assert made.kept == ([] if failed else [cache.LIBRARY, "kernel.json"])


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("", "the file is empty"),
        (" \n\n", "the file is empty"),
        ("\x7fELF\x02\x00\x00", "the file is not text"),
        ("int a;\n// \udcfc", "line 2 has a character that is not in UTF-8: save the file as UTF-8"),
        ("\udcff\udcfei\0n\0t\0", "the file is in UTF-16: save it as UTF-8"),
        ("i\0n\0t\0 \0x\0;\0", "the file is in UTF-16: save it as UTF-8"),
        ("//" + "x" * (1 << 20), "the file is larger than 1 MB"),
    ],
)
def test_what_is_no_kernel_file(run, source, said):
    found = run(source)
    assert found.build.problem == "build_error" and said in found.build.message
    assert found.problem is None and found.cases == []


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("int i = block", "int i == block", 3, "did you mean '='?"),
        ("x[i] +", "x[2i] +", 4, "`2i` is no product: write `2 * i`"),
        ("x[i] +", "x[2n] +", 4, "`2n` is no product: write `2 * n`"),
        ("x[i] +", "x[1.5f] +", 4, "an index must be a whole number"),
        ("int i = block", "int h = n // 2;\n    int i = block", 3, "`//` begins a comment, and a division is `/`"),
        (
            "int i = block",
            "int h = n  // half\n    ; int g = n\n    int i = block",
            4,
            "a `;` is missing at end of decl",
        ),
        ("x[i] +", "q[i] +", 4, "'q' was not declared in this scope"),
        ("z[i] =", 'printf("%d", i); z[i] =', 4, "'printf' needs `#include <cstdio>` at the top"),
        ("z[i] =", "assert(i >= 0); z[i] =", 4, "'assert' needs `#include <cassert>` at the top"),
        ("x, y, z, n);", "x, y, z);", 8, "takes 4 arguments, and is given 3"),
        ("x, y, z, n);", "0, y, z);", 8, "takes 4 arguments, and is given 3"),
        ("x, y, z, n);", "x, y, z, y);", 8, "`int` is needed here, and this is `const float *`"),
        ("x, y, z, n);", "{}, y, z, n, n);", 8, "takes 4 arguments, and is given 5"),
        ("x, y, z, n);", "x, y, z, {1, 2});", 8, "excess elements in scalar initializer"),
        ("int n) {\n    int i", "dim3 n) {\n    int i", 4, "no such operator for `int` and `dim3`"),
        ("\n__global__", "#include <cub/nothing.h>\n__global__", 1, "cub/nothing.h"),
        ("\n__global__", "#include <nothing.h>\n__global__", 1, "No such file"),
        ("\n__global__", "#include <torch/extension.h>\n__global__", 1, "torch/extension.h"),
        ("\n__global__", "#include <vector>\n\fstd::vector<int&> bad;\n__global__", 2, "reference"),
        ("\n", "\r\n#error no\r\n", 2, "#error no"),
        (
            "z[i] =",
            "switch (n) { case 0: auto j = 0; z[j] = 0; case 1: z[j] = 1; } z[i] =",
            4,
            "`case` over a variable",
        ),
        (
            "z[i] =",
            "{ const int a[3] = {[2] = min(n, 4), [0] = 1}; z[i] = a[n % 3]; } z[i] =",
            4,
            "elements that are named by their index",
        ),
        ("y[i];\n}\n", "y[i];\n", 6, "a `}` is missing above"),
        ("n);\n}\n", "n);\n", 7, "a `}` is missing"),
        ("\n__global__", "/*\n__global__", 1, "unterminated comment"),
    ],
)
def test_compiler_errors_stand_on_the_learners_lines(run, old, new, line, said):
    source = KERNEL.replace(old, new)
    found = run(source)
    first = found.build.diagnostics[0]
    assert found.build.problem == ("not_emulated" if "not emulated" in first.message else "build_error")
    assert said in first.message and first.line == line
    assert first.source == source.split("\n")[line - 1].rstrip("\r")
    assert found.build.message == f"line {line}: {first.message}"
    ours = ("ladder", "Launcher<", "lambda(auto:", "Zero", "Braced")
    assert not [d.message for d in found.build.diagnostics if any(name in d.message for name in ours)]


def test_the_column_is_given_where_it_is_the_learners(run):
    plain, launch = run(KERNEL.replace("x[i] +", "q[i] +")), run(KERNEL.replace("(x, y, z, n);", "(x, y, q, n);"))
    assert plain.build.diagnostics[0].column == KERNEL.splitlines()[3].index("x[i]") + 1
    assert launch.build.diagnostics[0].column == KERNEL.splitlines()[7].index("n);") - 2


def test_a_function_that_is_nowhere_defined(run):
    found = run("float far(float);\n" + KERNEL.replace("<<<(n", "<<<(int)far(1) + (n"))
    assert found.build.problem == "build_error"
    assert "`far(float)` is declared and used, but nowhere defined" in found.build.message


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("int a;", "there is no function `vector_add`"),
        (KERNEL.replace("vector_add", "vectoradd"), "(there is a `vectoradd`)"),
        (KERNEL.replace('extern "C" ', ""), '`vector_add` lacks `extern "C"`'),
        (KERNEL.replace('extern "C"', "static"), "`vector_add` is `static`"),
        (KERNEL.replace('"C" void', '"C" int'), "`vector_add` returns `int` and not `void`"),
        (KERNEL.replace("float* z, int n, cuda", "int n, float* z, cuda"), "number 3 is `int n` and not `float* z`"),
        (
            KERNEL.replace("float* z, int n, cuda", "int n, float* z, cuda").replace('extern "C" ', ""),
            "number 3 is `int n` and not `float* z`",
        ),
        (KERNEL.replace("add(const float* x, const", "add(float* x, const"), "number 1 is `float* x` and not `const"),
        (KERNEL.replace("float* z, int n, cuda", "double* z, int n, cuda"), "number 3 is `double* z`"),
        (ENTRY.replace(", cudaStream_t stream", "") + "{}", "differ (4 and not 5)"),
        (KERNEL.replace("add(const", "vector_add(const").partition("extern")[0], "`vector_add` is a kernel"),
        ("namespace mine {" + KERNEL.replace('extern "C"', "") + "}", "stands inside a namespace"),
        ("namespace {" + KERNEL.replace('extern "C"', "") + "}", "stands inside a namespace"),
        (f"#if 0\n{KERNEL}#endif\nint a;", "`vector_add` does not match"),
    ],
)
def test_a_missing_or_wrong_entry_point_shows_the_one_expected(run, source, said):
    found = run(source)
    assert found.build.problem == "missing_entry_point"
    assert said in found.build.message
    assert ENTRY in found.build.message
    assert found.cases == []


def test_a_block_of_extern_c_is_as_good(run):
    assert run('extern "C" {' + KERNEL.replace('extern "C" ', "") + "}").build.problem is None


def test_macros_of_the_file_do_not_meet_the_graders_names(run, arena):
    run(KERNEL + "#define n ]\n#define x [\n#define a 1\n#define T 3\n")
    assert results(arena) == [True] * len(SIZES)


@pytest.mark.slow
def test_one_build_serves_a_file_that_leaves_tasks_out(run, arena):
    source = unique(KERNEL)
    assert run(source, [ADD, OTHER]).build.problem is None
    assert results(arena) == [True] * len(SIZES)
    wrong = run(source + 'extern "C" void other(int) {}\n', [ADD, OTHER])
    assert wrong.build.problem == "missing_entry_point" and OTHER.declaration in wrong.build.message
    whole = f'#include <cuda_fp16.h>\n{source}extern "C" {OTHER.declaration} {{}}\n'
    assert run(whole, [ADD, OTHER]).build.problem is None


def test_a_type_that_is_unknown_is_no_wrong_signature(run):
    found = run(f'{KERNEL}extern "C" {OTHER.declaration} {{}}\n', [ADD, OTHER])  # without cuda_fp16.h
    assert found.build.problem == "build_error" and "'half'" in found.build.message


@needs_libclang
def test_what_nvcc_refuses_is_refused_though_gpp_takes_it(run):
    found = run("float one = 1;\n" + KERNEL.replace("x[i] +", "one * x[i] +"))
    assert found.build.problem == "build_error" and found.cases == []
    assert found.build.message.startswith("line 5: `one` is a variable of the host, which a kernel cannot read")


@needs_libclang
def test_a_warning_stays_with_a_build_in_the_cache(run):
    source = unique(KERNEL.replace("int i =", "int j; if (j = n) j = 1; int i ="))
    for cached in (False, True):
        found = run(source)
        assert (found.build.problem, found.build.cached) == (None, cached)
        assert [(said.level, said.line) for said in found.build.diagnostics] == [("warning", 3)]
        assert "= assigns" in found.build.diagnostics[0].message


@needs_libclang
def test_a_warning_may_say_why_a_file_is_refused(run):
    found = run(KERNEL.replace("int i =", "int j; if (j = n) q = 1; int i ="))
    assert [said.level for said in found.build.diagnostics] == ["error", "warning"]


def test_a_damaged_build_in_the_cache_is_made_anew(run, arena, cache):
    source = unique(KERNEL)
    (cache / "kernels").mkdir(exist_ok=True)
    before = set((cache / "kernels").iterdir())
    run(source)
    (kept,) = set((cache / "kernels").iterdir()) - before
    (kept / "kernel.so").write_bytes(b"\x7fELF")
    assert not run(source).build.cached
    assert run(source).build.cached
    assert results(arena) == [True] * len(SIZES)


def test_a_build_without_checks_is_made_where_there_is_none_with_them(run, cache):
    source = unique(
        KERNEL.replace("x[i] + y[i];", "x[i];\n    float own[2] = {y[i], 0};\n    if (i < n) z[i] += own[0];")
    )
    (cache / "kernels").mkdir(exist_ok=True)
    found = []
    for with_checks in (False, True):
        before = set((cache / "kernels").iterdir())
        assert not run(source, with_checks=with_checks).build.cached
        (built,) = set((cache / "kernels").iterdir()) - before
        found.append((built / "checked.so").exists())
        if not with_checks:
            shutil.rmtree(built)
    assert found == [False, True]
    assert run(source, with_checks=False).build.cached  # what has more will do


def test_a_build_for_a_picture_makes_only_what_the_grader_calls(run, cache):
    more = """
template <typename T> __global__ void for_{0}(T* x) {{ if (threadIdx.x == 0) x[0] = T(1); }}
extern "C" void {0}(float* x, cudaStream_t stream) {{ for_{0}<<<1, 32, 0, stream>>>(x); }}
"""
    called = KERNEL.replace("add<<<", "if (n < 0) helper(z, stream);\n    add<<<", 1)
    assert called != KERNEL
    (cache / "kernels").mkdir(exist_ok=True)
    for with_checks, beside in ((False, False), (True, True)):
        before = set((cache / "kernels").iterdir())
        ran = run(unique(more.format("helper") + called + more.format("beside")), with_checks=with_checks)
        assert [each.findings for each in ran.cases] == [[]] * len(ran.cases) and ran.cases
        (built,) = set((cache / "kernels").iterdir()) - before
        library = (built / "kernel.so").read_bytes()
        assert b"for_helper" in library and (b"for_beside" in library) == beside


def test_the_cache_forgets_what_was_not_used_for_longest(tmp_path, monkeypatch):
    monkeypatch.setattr(cache, "MOST_CACHED_BUILDS", 2)
    for age, name in enumerate(["new", "middle", "old"]):
        (tmp_path / name).mkdir()
        (tmp_path / name / "kernel.so").write_bytes(b"x" * 100)
        os.utime(tmp_path / name, (1e9 - age, 1e9 - age))
    cache._prune(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["middle", "new"]
    monkeypatch.setattr(cache, "MOST_CACHED_BYTES", 150)
    cache._prune(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["new"]


def test_the_cache_root_follows_xdg_and_falls_back(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_root() == tmp_path / "kernel-ladder"
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert cache_root() == tmp_path / f"kernel-ladder-{os.getuid()}"


def test_missing_tools_are_named(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "install g++" in missing_tool()
    compiler = tmp_path / "g++"
    compiler.touch(mode=0o755)
    compiler.write_text("#!/bin/sh\necho 11.3.0\n")
    assert missing_tool() == "g++ 11.3.0 is too old: install g++ 12 or newer"
    compiler.write_text("#!/bin/sh\necho 14\n")
    assert "pip install ninja" in missing_tool()


def test_constants_are_64_kb_in_all(run, arena):
    for count, problem in ((16384, None), (16385, "build_error")):
        found = run(f"__constant__ float table[{count}];\n" + KERNEL.replace("x[i] +", "table[i % 9] + x[i] +"))
        assert found.build.problem == problem
    assert found.build.message == "the file has 65,540 bytes of __constant__ variables: a GPU has 65,536"


def test_what_files_hold_is_known_again_once_one_has_changed(tmp_path):
    headers = tmp_path / "headers"
    (headers / "more").mkdir(parents=True)
    other = headers / "more" / "other.h"
    (headers / "one.h").write_text("1")
    other.write_text("2")
    before = contents((headers, ".h"))
    assert contents((headers, ".h")) == before
    other.write_text("23")
    assert contents((headers, ".h")) != before
    other.write_text("2")
    assert contents((headers, ".h")) == before


def test_what_files_hold_is_of_all_with_that_suffix_and_of_no_others(tmp_path):
    (tmp_path / "one.h").write_text("1")
    (tmp_path / "itself").symlink_to(tmp_path)
    headers, all_files = contents((tmp_path, ".h")), contents((tmp_path, ""))
    (tmp_path / "two.cpp").write_text("2")
    assert contents((tmp_path, ".h"), (tmp_path / "missing", "")) == headers
    assert contents((tmp_path, "")) != all_files
    (tmp_path / "linked.h").symlink_to(tmp_path / "two.cpp")
    assert contents((tmp_path, ".h")) != headers
