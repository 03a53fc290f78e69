"""The front end's process: what it finds, and what happens if it crashes, hangs, or is not there."""

from __future__ import annotations

import faulthandler
import os
import signal
import time
from pathlib import Path

import pytest

from grader.devices.build import frontend, program_rules, reading
from grader.devices.build.cursors import written
from grader.devices.build.opinion import CLANG_FAILED, CLANG_IS_MISSING, ClangsOpinion
from grader.devices.cache import cache_root
from grader.devices.emulator.library import library_folder
from grader.devices.evidence import Build, Diagnostic

needs_libclang = pytest.mark.skipif(not frontend.available(), reason="there is no libclang here")
BROKEN = "__global__ void k(float* x) { throw 1; }"


def opinion(source: str = BROKEN, build: Build | None = None) -> Build:
    second = ClangsOpinion(source, cache_root())
    second.begin()
    return second.weigh(build or Build())


@needs_libclang
def test_a_refusal_replaces_a_build_that_went_well():
    found = opinion()
    assert found.problem == "build_error" and found.message.startswith("line 1: a kernel cannot throw")


@needs_libclang
def test_what_the_grader_calls_and_a_missing_brace_are_told_first():
    for build in (Build("missing_entry_point", "no"), Build("build_error", "line 3: a `}` is missing")):
        assert opinion(build=build).message == build.message


@needs_libclang
def test_a_file_that_clang_accepts_and_gpp_does_not_stays_refused():
    build = Build("build_error", "line 1: no", [Diagnostic("no", 1)])
    assert opinion("__global__ void k() {}", build) == build


def dies(*asked):
    faulthandler.disable()  # of pytest's, in this fork
    os.kill(os.getpid(), signal.SIGSEGV)


def hangs(source, cache):
    time.sleep(60)


def eats(source, cache):
    return bytearray(reading.MOST_BYTES)


def raises(source, cache):
    raise ValueError


@needs_libclang
@pytest.mark.parametrize("does", [dies, hangs, eats, raises])
def test_a_fault_of_the_front_end_is_nobodys_fault(monkeypatch, does):
    monkeypatch.setattr(frontend, "parse", does)
    monkeypatch.setattr(reading, "MOST_SECONDS", 1.0)
    monkeypatch.setattr(reading, "MOST_WAITING", 1)
    second = ClangsOpinion(BROKEN, cache_root())
    second.begin()
    found = second.weigh(Build())
    assert found.problem is None and second.failed
    assert [(said.level, said.line) for said in found.diagnostics] == [("note", None)]
    assert "were not checked" in found.diagnostics[0].message


@needs_libclang
def test_a_reading_that_ends_early_is_begun_once_more(monkeypatch, tmp_path):
    """As where the machine's memory was full, or it was busy: its work must not change the verdict."""
    parse, ended = frontend.parse, tmp_path / "ended"

    def dies_first(source, cache):
        if not ended.exists():
            ended.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return parse(source, cache)

    monkeypatch.setattr(frontend, "parse", dies_first)
    assert opinion().message.startswith("line 1: a kernel cannot throw") and ended.exists()


@needs_libclang
def test_a_program_that_clang_could_not_read_says_so(monkeypatch, tmp_path):
    source = tmp_path / "p.cu"
    monkeypatch.setattr(frontend, "parsed_program", dies)
    readings = {source: program_rules.begin(source, {source: "int main() {}\n"}, [], [], tmp_path)}
    readings[tmp_path / "q.cu"] = None
    said = [(Path(each.file).name, each.message) for each in program_rules.broken(readings)]
    assert said == [("p.cu", CLANG_FAILED), ("q.cu", CLANG_IS_MISSING)]


LATER_LIBRARY = """
#pragma GCC system_header
extern "C" {
double sinpi(double) noexcept; double cospi(double) noexcept; double rsqrt(double) noexcept;
float sinpif(float) noexcept; float cospif(float) noexcept; float rsqrtf(float) noexcept;
}
"""
OF_CUDA = """
#include <limits>
__global__ void k(float* x, double* y) {
    x[0] = sinpif(x[1]) + cospif(x[2]) + rsqrtf(x[3]) + sinpi(x[4]);
    y[0] = sinpi(y[1]) + cospi(y[2]) + rsqrt(y[3]);
}
float of_host(float x) { return sinpif(x) + rsqrt(x); }
#if __HAVE_FLOAT128 && defined(__CUDA_ARCH__) && defined(__x86_64__)
#error a GPU has no numbers of 128 bits
#endif
"""


@needs_libclang
@pytest.mark.parametrize("side", frontend.SIDES)
def test_cudas_functions_stand_beside_those_of_a_newer_c_library(tmp_path, side):
    """As glibc 2.41 and newer have them, for the host alone."""
    (tmp_path / "library.h").write_text(LATER_LIBRARY)
    headers = ["-include", str(tmp_path / "library.h"), "-include", frontend.FIRST_HEADER]
    assert [str(each) for each in frontend._parsed("kernel.cu", OF_CUDA, side, headers).diagnostics] == []


@needs_libclang
def test_what_clang_cannot_read_of_gpps_own_library_is_no_fault_of_the_file(tmp_path):
    """As of g++ 16's, which clang is too old for; a side is one of CUDA's rules there, too."""
    header = tmp_path / "c++" / "newer"
    header.parent.mkdir()
    header.write_text("template <class T> __host__ __device__ T newer(T x) { return x.none; }\nint of_host(int);\n")
    header.write_text(header.read_text() + "template <class T> __device__ T sided(T x) { return of_host(x); }\n")

    def refused(call: str) -> list[str]:
        found = frontend.parse(f'#include "{header}"\n__global__ void k(int* x) {{ x[0] = {call}; }}', tmp_path)
        return [each.text for each in found if each.level in ("error", "broken")]

    assert refused("newer(1)") == []
    (said,) = refused("sided(1)")
    assert "of_host" in said


def test_without_libclang_files_are_graded_with_a_note(monkeypatch):
    monkeypatch.setattr(frontend, "_library", lambda: None)
    frontend.identity.cache_clear()
    assert frontend.identity() == ""
    frontend.identity.cache_clear()
    assert "pip install libclang" in opinion().diagnostics[0].message


@pytest.mark.slow
@needs_libclang
def test_it_works_without_a_compiled_header_and_with_a_damaged_one(tmp_path):
    assert [said.line for said in frontend.parse(BROKEN, tmp_path) if said.level == "error"] == [1]
    frontend.prepare(tmp_path)
    headers = sorted((tmp_path / "frontend").iterdir())
    assert len(headers) == len(frontend.SIDES)
    for header in headers:
        header.write_bytes(header.read_bytes()[:1000])
    assert [said.line for said in frontend.parse(BROKEN, tmp_path) if said.level == "error"] == [1]


@pytest.mark.whole
@needs_libclang
def test_a_program_is_read_alike_with_its_headers_kept_and_with_damaged_ones(tmp_path, monkeypatch):
    text = "__device__ int own();\n__global__ void k() {}\nint main() { k(); return own() + missing; }\n"
    flags = [f"-I{library_folder()}", "-std=c++17"]

    def told():
        unit = frontend.parsed_program("prog.cu", "host", flags, [("prog.cu", text)], tmp_path)
        said = [(each.location.line, each.spelling, len(list(each.children))) for each in unit.diagnostics]
        return said, [each.spelling for each in written(unit, "prog.cu")]

    with monkeypatch.context() as patch:
        patch.setattr(frontend, "_program_header", lambda *asked: None)
        alone = told()
    assert [line for line, *_ in alone[0]] == [3, 3, 3] and alone[1] == ["own", "k", "main"]
    assert told() == alone
    (header,) = frontend.folder(tmp_path).glob("*.pch")
    os.utime(header, (0, 0))
    assert told() == alone and header.stat().st_mtime > 0, "those that were used last stay"
    monkeypatch.setattr(frontend, "_PROGRAM", ("-include", "not-there.h"))  # what is kept is not read again
    assert told() == alone
    monkeypatch.undo()
    header.write_bytes(header.read_bytes()[:1000])
    assert told() == alone


@pytest.mark.whole
@needs_libclang
def test_a_header_that_clang_cannot_read_is_no_fault_of_the_file():
    reading = frontend.read("#include <immintrin.h>\n__global__ void k() {}\n", cache_root())
    found = frontend.answer(reading)
    assert found is None or all(said.level == "warning" or not said.line for said in found)
