"""What only nvcc needs of its command line is passed over by `ladder run`, and the rest is kept."""

from __future__ import annotations

import pytest

from grader.course.catalog import UsageError
from grader.faces.nvcc_options import without_nvccs
from tests.warm import run_ladder

PASSED_OVER = [
    "-O3", "-O 2", "-arch=sm_90", "-arch sm_90", "--gpu-architecture=sm_80", "-gencode arch=compute_90,code=sm_90",
    "-lcublas", "-l cublas", "-lm", "-L/usr/local/cuda/lib64", "-o prog", "-g -G", "-lineinfo", "-rdc=true", "-dc",
    "-w", "-Xcompiler -Wall", "-Xcompiler=-fopenmp", "--compiler-options -O2", "-Xptxas -v", "--ptxas-options=-v",
    "-m64", "--use_fast_math", "-use_fast_math", "--expt-relaxed-constexpr", "--extended-lambda", "-maxrregcount=32",
    "-x cu", "-ccbin g++", "-diag-suppress 177", "-Wno-deprecated-gpu-targets", "--default-stream legacy", "-Wall",
    "-fopenmp", "--fmad=false", "-march=native", "-t 4",
]  # fmt: skip
KEPT = [
    "-DN=3", "-D N=3", "-Iinclude", "-I include", "-std=c++20", "-std c++20", "--set n=64",
    "--launches first", "--out a.html", "--kernel w", "--timeout 2", "--no-races", "--view", "--json", "--foo", "-q",
    "more.cu", "-h",
]  # fmt: skip
SPELLED = [("--std=c++20", "-std c++20"), ("-isystem lib", "-I lib"), ("--include-path lib", "-I lib")]


@pytest.mark.parametrize(
    ("typed", "left"), [*((each, "") for each in PASSED_OVER), *((each, each) for each in KEPT), *SPELLED]
)
def test_what_is_nvccs_is_passed_over_and_what_is_ours_is_kept(typed, left):
    assert list(without_nvccs(["a.cu", *typed.split(), "b.cu"])) == ["a.cu", *left.split(), "b.cu"]


def test_an_option_of_nvccs_that_would_change_the_run_is_refused():
    with pytest.raises(UsageError, match="per-thread is not emulated"):
        list(without_nvccs(["a.cu", "--default-stream", "per-thread"]))


def test_a_folder_that_is_not_there_has_no_headers_as_with_nvcc_and_is_told_if_one_is_missing(tmp_path):
    (tmp_path / "p.cu").write_text("#include HEADER\nint main() {}\n")
    line = ["p.cu", "-O3", "-I/no/such", "-arch", "sm_90", "-lcublas"]
    done = run_ladder(tmp_path, "run", *line, "-DHEADER=<cstdio>")
    assert done.returncode == 0, done.stderr
    done = run_ladder(tmp_path, "run", *line, '-DHEADER="mine.h"')
    assert done.returncode == 2 and "mine.h: No such file" in done.stderr
    assert "-I /no/such: there is no such folder" in done.stderr
