"""What is typed by those who come from Python, OpenCL or HIP, or paste from a page: told as that, and what to type."""

from __future__ import annotations

import pytest

from grader.devices.build import frontend, rules
from grader.devices.build.names import of_cuda
from grader.devices.build.other_files import no_cpp
from grader.devices.cache import cache_root
from tests.warm import run_ladder

MAIN = "int main() { return 0; }\n"


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (f"```cuda\n{MAIN}```\n", "line 1: this line is Markdown's"),
        (f"\n%%cuda\n{MAIN}", "line 2: this line is a notebook's"),
        (f"%%writefile add.cu\n{MAIN}", "line 1: this line is a notebook's"),
        (f" 1 {MAIN} 2 // end\n", "line 1: the lines begin with their numbers"),
        (f"<!DOCTYPE html>\n<pre>{MAIN}</pre>", "line 1: this is a web page"),
        ("import numpy as np\n", "line 1: this is Python"),
        ("import os, sys\n", "line 1: this is Python"),
        ('"""Adds two vectors."""\n', "line 1: this is Python"),
        ("#!/usr/bin/env python3\n", "line 1: this is a script"),
        ("from numba import cuda\n", "line 1: this is Python"),
        ("@cuda.jit\ndef add(x):\n    pass\n", "line 1: this is Python"),
        ('{\n "cells": [{"source": []}]}', "this is a notebook, not C++"),
    ],
)
def test_a_file_of_another_kind_is_called_what_it_is(source, said):
    assert (no_cpp(source) or "").startswith(said)


@pytest.mark.parametrize(
    "source",
    [
        MAIN,
        f"/*\n```cuda\nimport numpy\n```\n*/\n{MAIN}",
        f"// 1 add\n{MAIN}",
        f"%:include <cstdio>\n{MAIN}",
        f'const char* page = R"(\n<html>\n%%cuda\n)";\n{MAIN}',
        f"import_t from;\n{MAIN}",
        "",
    ],
)
def test_a_file_that_speaks_of_others_is_left_alone(source):
    assert no_cpp(source) is None


def test_ladder_run_tells_it_of_its_files_and_takes_numbers_that_they_include(tmp_path):
    (tmp_path / "page.cu").write_text(f"```cuda\n{MAIN}```\n")
    (tmp_path / "p.cu").write_text('int table[] = {\n#include "table.h"\n};\nint main() { return table[1]; }\n')
    (tmp_path / "table.h").write_text("5, 0, 7\n")
    done = run_ladder(tmp_path, "run", "page.cu")
    assert "page.cu: line 1: this line is Markdown's, not C++" in " ".join((done.stdout + done.stderr).split())
    assert run_ladder(tmp_path, "run", "p.cu").returncode == 0


def test_ladder_run_names_the_file_that_it_was_not_given(tmp_path):
    (tmp_path / "p.cu").write_text("void scan(int* a, int n);\nfloat far(int);\nint main() { scan(0, far(1)); }\n")
    (tmp_path / "a.cu").write_text("void scan(int*, int);\nvoid all() { scan(0, 1); }\n")
    (tmp_path / "scan.cu").write_text(
        "__global__ void k(int*) {}\nvoid scan(int* a,\n    int n)\n{ k<<<1, 1>>>(a); }\n"
    )
    done = run_ladder(tmp_path, "run", "p.cu")
    said = " ".join((done.stdout + done.stderr).split())
    assert "nowhere defined: scan.cu has it, so add that file, `ladder run p.cu scan.cu`" in said, said
    assert "`far(int)` is declared and used, but nowhere defined" in said and said.count("has it") == 1


def test_what_git_could_not_merge_is_told_as_that(tmp_path):
    torn = "int main() {\n<<<<<<< HEAD\n    return 0;\n=======\n    return 1;\n>>>>>>> other\n}\n"
    (tmp_path / "p.cu").write_text(torn)
    done = run_ladder(tmp_path, "run", "p.cu")
    assert "p.cu:2: git leaves `<<<<<<<`" in done.stdout + done.stderr
    (tmp_path / "p.cu").write_text(f"/*\n{torn}*/\n{MAIN}")
    assert run_ladder(tmp_path, "run", "p.cu").returncode == 0


@pytest.mark.parametrize(
    ("name", "meant"),
    [("hipBlockIdx_x", "blockIdx.x"), ("hipThreadIdx_z", "threadIdx.z"), ("hipMalloc", "cudaMalloc"), ("hip_x", "")],
)
def test_a_name_of_hips_has_its_name_in_cuda(name, meant):
    assert of_cuda(name) == meant


@pytest.fixture(scope="module")
def read():
    frontend.prepare(cache_root())
    return lambda source: [each.text for each in rules.messages(rules.refusals(frontend.parse(source, cache_root())))]


ADD = "__global__ void add(float* x, int n) {{ int i = threadIdx.x; {0} }}\n"


@pytest.mark.skipif(not frontend.available(), reason="there is no libclang here")
@pytest.mark.parametrize(
    ("wrong", "right", "said"),
    [
        (ADD.format("if i < n: x[i] = 1;"), ADD.format("if (i < n) x[i] = 1;"), "`if` has its condition in ( )"),
        (ADD.format("if (i < n x[i] = 1;"), ADD.format("if (i < n) x[i] = 1;"), "a `)` is missing before this"),
        (ADD.format("i = cuda.grid(1);"), ADD.format("i = blockIdx.x * 32 + i;"), "numba's `cuda.grid(1)` is"),
        (ADD.format("x[i] = math.cos(x[i]);"), ADD.format("x[i] = cosf(x[i]);"), "and here it is `cosf(x)`"),
        (ADD.format("i = threadIdx[0];"), ADD.format("i = threadIdx.y;"), "`uint3` has no [ ]: its members are .x"),
        (
            ADD.format("x[i] += __shfl_down_sync(x[i], 1);"),
            ADD.format("x[i] += __shfl_down_sync(~0u, x[i], 1);"),
            "`__shfl_down_sync(0xffffffff, value, ...)`",
        ),
        (f"__host__ {ADD.format('')}", ADD.format(""), "a kernel is `__global__` alone, without `__host__`"),
        (
            ADD.format("") + "void f(float* x) { x = add<<<1, 1>>>(x, 3); }",
            ADD.format("") + "void f(float* x) { add<<<1, 1>>>(x, 3); }",
            "this call gives nothing back, as a launch does",
        ),
        ("#include <hip/hip_runtime.h>\n", "#include <cuda_runtime.h>\n", "<hip/hip_runtime.h> is HIP's"),
        ("// mine\nimport numba\n", "// mine\n", "this is Python"),
    ],
)
def test_a_slip_is_told_with_what_to_type(read, wrong, right, said):
    assert said in " ".join(read(wrong)) and not read(right)
