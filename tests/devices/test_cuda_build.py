"""nvcc on the files of the course, and what is said when it refuses. Needs nvcc, and no GPU."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from jobs import ENTRY, KERNEL

from grader.course import catalog
from grader.devices.cuda.compile import CudaRecipe, cuda_home, missing_cuda_tool

pytestmark = pytest.mark.skipif(missing_cuda_tool() is not None, reason="there is no nvcc here")

BUILD = """
import json, sys, tempfile
from dataclasses import asdict
from pathlib import Path
from grader.course.prototype import parse_prototype
from grader.devices.build import build_for_cuda, missing_entry_point

source, folder = sys.stdin.read(), Path(sys.argv[1])
task = parse_prototype("void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream)")
build, library = build_for_cuda(source, "add.cu", [task], folder, folder, lambda key: None, "90a")
if library:
    build = missing_entry_point(library, source, task) or build
print(json.dumps(asdict(build)))
"""


def build(tmp_path, source):
    """In a process of its own, as a build loads what it has built."""
    command = [sys.executable, "-c", BUILD, str(tmp_path)]
    done = subprocess.run(command, input=source, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_kernel_is_built(tmp_path):
    assert build(tmp_path, KERNEL)["problem"] is None
    assert (tmp_path / "built" / "kernel.so").exists()


@pytest.mark.parametrize(
    ("source", "problem", "words", "line"),
    [
        (KERNEL.replace("z[i] =", "zz[i] ="), "build_error", '"zz" is undefined', 4),
        (KERNEL.replace('extern "C" ', ""), "missing_entry_point", 'lacks `extern "C"`', 7),
        (KERNEL.replace("vector_add", "vector_addd"), "missing_entry_point", "there is a `vector_addd`", None),
        (KERNEL.replace("int n,", "long n,"), "missing_entry_point", "number 4 is `long n`", 7),
        ("#include <torch/extension.h>\n" + KERNEL, "build_error", "No such file", 1),
        (
            KERNEL.replace("int i =", "volatile __shared__ float big[1 << 16]; big[n] = 1; int i ="),
            "build_error",
            "shared",
            None,
        ),
        (f"void elsewhere();\n{ENTRY} {{ elsewhere(); }}", "build_error", "nowhere defined", None),
    ],
)
def test_what_is_wrong_stands_on_the_learners_own_line(tmp_path, source, problem, words, line):
    found = build(tmp_path, source)
    assert found["problem"] == problem and words in found["message"]
    assert found["diagnostics"][0]["line"] == line


def files():
    return [file for entry in catalog.entries() for file in [entry.starter, *entry.rungs]]


@pytest.mark.slow
@pytest.mark.parametrize("file", files(), ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_the_courses_files_compile_for_cards_from_turing_to_hopper(file, tmp_path):
    cards = [flag for number in ("75", "80", "90") for flag in CudaRecipe("", number).flags[-1:]]
    command = [cuda_home() / "bin/nvcc", *CudaRecipe("", "75").flags[:-1], *cards, "-Werror=all-warnings"]
    done = subprocess.run([*command, "-c", file, "-o", tmp_path / "o"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
