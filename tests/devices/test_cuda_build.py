"""nvcc on the files of the course, and what is said when it refuses. Needs nvcc, and no GPU."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from jobs import ENTRY, KERNEL

from grader.devices.cuda.compile import CudaRecipe
from grader.devices.cuda.toolkit import cuda_home, missing_cuda_tool

pytestmark = pytest.mark.skipif(missing_cuda_tool() is not None, reason="there is no nvcc here")
ROOT = Path(__file__).parents[2]

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
        ("#include <torch/extension.h>\n" + KERNEL, "build_error", "stands alone", 1),
        ("#if 1\n#include <thrust/sort.h>\n#endif\n" + KERNEL, "build_error", "stands alone", 2),
        ("#include <nothing.h>\n" + KERNEL, "build_error", "No such file", 1),
        (
            KERNEL.replace("int i =", "volatile __shared__ float big[1 << 16]; big[n] = 1; int i ="),
            "build_error",
            "shared",
            None,
        ),
        (f"void elsewhere();\n{ENTRY} {{ elsewhere(); }}", "build_error", "nowhere defined", None),
        (
            f"__global__ void add() {{}}\n{ENTRY} {{ add(); }}",
            "build_error",
            "called here like a function: launch it",
            2,
        ),
    ],
)
def test_what_is_wrong_stands_on_the_learners_own_line(tmp_path, source, problem, words, line):
    found = build(tmp_path, source)
    assert found["problem"] == problem and words in found["message"]
    assert found["diagnostics"][0]["line"] == line


# ---- launches ----

WATCH = """
import ctypes, json, sys
from pathlib import Path
from grader.course.prototype import parse_prototype
from grader.devices.build import build_for_cuda
from grader.devices.cuda.launches import Launches
from grader.devices.cuda.runtime import CudaError

class NoGpu:
    def call(self, name, *arguments):
        raise CudaError(35, name, "there is no GPU")
    def last_error(self):
        return 0

source, folder = sys.stdin.read(), Path(sys.argv[1])
task = parse_prototype("void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream)")
build, library = build_for_cuda(source, "add.cu", [task], folder, folder, lambda key: None, "90a")
loaded = ctypes.CDLL(str(library))
launches = Launches(loaded, NoGpu(), 7)
call = [ctypes.c_void_p()] * 3 + [ctypes.c_int(600), ctypes.c_void_p(7)]
loaded.vector_add(*call)
with launches.watched():
    loaded.vector_add(*call)
loaded.vector_add(*call)
print(json.dumps(launches.facts()))
"""


@pytest.mark.parametrize(
    ("launch", "grid", "given"),
    [
        ("add<<<dim3(3, 2), 256, 0, stream>>>(x, y, z, n);", [3, 2, 1], True),
        ("add<<<3, 256>>>(x, y, z, n);", [3, 1, 1], False),
        ("cudaLaunchConfig_t c{3, 256, 0, stream}; cudaLaunchKernelEx(&c, add, x, y, z, n);", [3, 1, 1], True),
        ("cudaLaunchCooperativeKernel((void*)add, 3, 256, nullptr, 0, stream);", [3, 1, 1], True),
        ("cudaLaunchKernel((void*)add, 3, 256, nullptr, 0, stream);", [3, 1, 1], True),
    ],
)
def test_every_launch_is_seen_while_it_is_watched(tmp_path, launch, grid, given):
    kernel = KERNEL[: KERNEL.index('extern "C"')]
    command = [sys.executable, "-c", WATCH, str(tmp_path)]
    done = subprocess.run(command, input=f"{kernel}{ENTRY} {{ {launch} }}", capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (seen,) = json.loads(done.stdout)
    assert (seen["grid"], seen["block"], seen["given_stream"]) == (grid, [256, 1, 1], given)


# ---- every .cu of this repository, for cards from Turing to Hopper ----

CARDS = ("75", "80", "90")  # T4, A100, H100 and H200
CLEAN = ("lessons/*/starter.cu", "lessons/*/mistakes/*.cu", "kernels/*/*.cu")  # not a warning either
OTHERS = ("lessons/*/rivals/*.cu", "tests/**/*.cu", "benchmarks/**/*.cu")
HASTY = ["-Xcicc", "-O1", "-Xptxas", "-O1"]  # a third of the time for the largest; nobody asks how fast a mistake is
OPTIONS = {"language.cu": ["--extended-lambda"]}
FROM_AMPERE_ON = ("small_floats.cu", "warp.cu")  # what older cards lack, the emulator has
NO_CUDA = re.compile(r"^// (Expect: build_error|GPU: (build_error|not applicable))", re.MULTILINE)


def files(patterns):
    found = sorted(file for pattern in patterns for file in ROOT.glob(pattern))
    return [
        pytest.param(file, id=str(file.relative_to(ROOT))) for file in found if not NO_CUDA.search(file.read_text())
    ]


def compile_for_all_cards(file, tmp_path, *options):
    cards = CARDS[1:] if file.name in FROM_AMPERE_ON else CARDS
    gencode = [flag for number in cards for flag in CudaRecipe("", number).flags[-1:]]
    flags = [*CudaRecipe("", "75").flags[:-1], *gencode, *OPTIONS.get(file.name, []), *options]
    command = [cuda_home() / "bin/nvcc", *flags, file, "-o", tmp_path / "o"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("file", files(CLEAN))
def test_what_the_course_shows_compiles_without_a_warning(file, tmp_path):
    hasty = HASTY if file.parent.name == "mistakes" else []
    compile_for_all_cards(file, tmp_path, "-c", "-Werror=all-warnings", *hasty)


@pytest.mark.slow
@pytest.mark.parametrize("file", files(OTHERS))
def test_all_other_device_code_compiles(file, tmp_path):
    compile_for_all_cards(file, tmp_path, "-fatbin")
