"""nvcc on the files of the course, and what is said when it refuses. Needs nvcc, and no GPU."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from jobs import ENTRY, KERNEL

from grader.course.catalog import entries
from grader.devices.cuda.compile import CudaRecipe
from grader.devices.cuda.toolkit import missing_cuda_tool
from tests.nvcc import code_of, refusal
from tests.shared import long_tail
from tests.warm import run_python

pytestmark = pytest.mark.skipif(missing_cuda_tool() is not None, reason="there is no nvcc here")
ROOT = Path(__file__).parents[2]

BUILD = """
import json, sys, tempfile
from dataclasses import asdict
from pathlib import Path
from grader.course.prototype import parse_prototype
from grader.devices.build.build import missing_entry_point
from grader.devices.cuda.compile import build_for_cuda
from tests.gate import Open

source, folder = sys.stdin.read(), Path(sys.argv[1])
task = parse_prototype("void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream)")
build, library = build_for_cuda(source, "add.cu", [task], folder, folder, Open(), "90a")
if library:
    build = missing_entry_point(library, source, task) or build
print(json.dumps(asdict(build)))
"""


def build(tmp_path, source):
    """In a process of its own, as a build loads what it has built."""
    done = run_python(BUILD, tmp_path, input=source)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow
def test_a_kernel_is_built(tmp_path):
    assert build(tmp_path, KERNEL)["problem"] is None
    assert (tmp_path / "built" / "kernel.so").exists()


@pytest.mark.parametrize(
    ("source", "problem", "words", "line"),
    long_tail(
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
        every=10,
        slow=3,
    ),
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
from grader.devices.cuda.compile import build_for_cuda
from grader.devices.cuda.launches import Launches
from grader.devices.cuda.runtime import CudaError
from tests.gate import Open

class NoGpu:
    def call(self, name, *arguments):
        raise CudaError(35, name, "there is no GPU")
    def last_error(self):
        return 0

source, folder = sys.stdin.read(), Path(sys.argv[1])
task = parse_prototype("void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream)")
build, library = build_for_cuda(source, "add.cu", [task], folder, folder, Open(), "90a")
loaded = library.loaded
for which in range(int(sys.argv[2])):
    launches = Launches(loaded, NoGpu(), 7)
    call = [ctypes.c_void_p()] * 3 + [ctypes.c_int(which), ctypes.c_void_p(7)]
    loaded.vector_add(*call)
    with launches.watched():
        loaded.vector_add(*call)
    loaded.vector_add(*call)
    print(json.dumps(launches.facts()))
"""

LAUNCHES = [
    ("add<<<dim3(3, 2), 256, 0, stream>>>(x, y, z, n);", [3, 2, 1], True),
    ("add<<<3, 256>>>(x, y, z, n);", [3, 1, 1], False),
    ("cudaLaunchConfig_t c{3, 256, 0, stream}; cudaLaunchKernelEx(&c, add, x, y, z, n);", [3, 1, 1], True),
    ("cudaLaunchCooperativeKernel((void*)add, 3, 256, nullptr, 0, stream);", [3, 1, 1], True),
    ("cudaLaunchKernel((void*)add, 3, 256, nullptr, 0, stream);", [3, 1, 1], True),
]


@pytest.mark.slow
def test_every_launch_is_seen_while_it_is_watched(tmp_path):
    kernel = KERNEL[: KERNEL.index('extern "C"')]
    cases = " ".join(f"if (n == {which}) {{ {launch} }}" for which, (launch, _, _) in enumerate(LAUNCHES))
    done = run_python(WATCH, tmp_path, len(LAUNCHES), input=f"{kernel}{ENTRY} {{ {cases} }}")
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [[(one["grid"], one["block"], one["given_stream"]) for one in seen] for seen in found] == [
        [(grid, [256, 1, 1], given)] for _, grid, given in LAUNCHES
    ]


# ---- every .cu of this repository, for cards from Turing to Hopper ----

# Not a warning either, nor of the mistakes.
CLEAN = ("lessons/*/starter.cu", "lessons/*/starters/*.cu", "kernels/**/*.cu", "examples/**/*.cu")
OTHERS = (
    *("lessons/*/rivals/*.cu", "benchmarks/*.cu", "benchmarks/*/*.cu", "tests/adversarial/*.cu", "tests/gpu/*.cu"),
    "tests/*/kernels/*.cu",  # those of tests/language hold many small files each, half of them to be refused
)
CARDS = ("75", "80", "90")  # T4, A100, H100 and H200
NEWEST = CARDS[-1]
HASTY = ("-Xcicc", "-O0", "-Xptxas", "-O0")  # every error and every warning, in a fifth of the time for the largest
RELAXED = "--expt-relaxed-constexpr"  # for std::array in kernels
OPTIONS = {"language.cu": ["--extended-lambda", RELAXED], "beside_right.cu": [RELAXED], "beside_wrong.cu": [RELAXED]}
# What older cards lack, the emulator has: files, and a lesson.
FROM_AMPERE_ON = {"small_floats.cu", "warp.cu", "wmma.cu", "09_tensor_cores"}
FROM_HOPPER_ON = {"atomics.cu", "matrix.cu", "ptx.cu", "tensor_sums.cu"}
# Refused, built by PyTorch against its own headers, or wrong on purpose in a few kernels.
NO_CUDA = re.compile(
    r"^// (Expect: build_error|GPU: (build_error|not applicable))|^#include <torch/extension.h>|^// Some are wrong",
    re.MULTILINE,
)


def files(patterns):
    found = sorted(file for pattern in patterns for file in ROOT.glob(pattern))
    return [file for file in found if not NO_CUDA.search(file.read_text())]


def cards_for(file):
    """Those that have what this file uses, the oldest first."""
    if FROM_HOPPER_ON & set(file.parts):
        return CARDS[2:]
    of_lesson_09 = file.match("messages/kernels/09_*.cu")
    return CARDS[1:] if FROM_AMPERE_ON & set(file.parts) or of_lesson_09 else CARDS


def compilations():
    """(file, cards, flags) of what must be clean. All that is shown is compiled for all cards, and for the newest as a
    learner's own file is.
    """
    for file in files(CLEAN):
        yield named(file, (NEWEST,), ("-c",))
        if "00_first_steps" not in file.parts:  # three lines, and nothing in them that a card may lack
            yield named(file, cards_for(file)[:-1], ("-fatbin", *HASTY))


def named(file, cards, flags):
    marks = [] if HASTY[0] in flags else [pytest.mark.long]  # up to a minute
    return pytest.param(file, cards, flags, id=f"{file.relative_to(ROOT)}-{'-'.join(cards)}", marks=marks)


def compile_for(cards, file, *options):
    gencode = [flag for number in cards for flag in CudaRecipe("", number).flags[-1:]]
    assert refusal(file, [*CudaRecipe("", "75").flags[:-1], *gencode, *OPTIONS.get(file.name, []), *options]) == ""


@pytest.mark.slow
@pytest.mark.parametrize(("file", "cards", "flags"), list(compilations()))
def test_what_the_course_shows_compiles_without_a_warning(file, cards, flags):
    compile_for(cards, file, *flags, "-Werror=all-warnings")


MISTAKES = [each for entry in entries(ROOT) for each in entry.mistakes if not NO_CUDA.search("\n".join(each.head))]


@pytest.mark.slow
@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda each: str(each.whole.relative_to(ROOT)))
def test_a_mistake_compiles_without_a_warning(tmp_path, mistake):
    """For the card that has the least of those it is for: a mistake is never timed."""
    file = tmp_path / mistake.whole.name
    file.write_text(mistake.text())
    compile_for(cards_for(mistake.whole)[:1], file, "-c", *HASTY, "-Werror=all-warnings")


@pytest.mark.slow
@pytest.mark.parametrize("file", files(OTHERS), ids=lambda file: str(file.relative_to(ROOT)))
def test_all_other_device_code_compiles(file):
    compile_for(cards_for(file), file, "-fatbin", *HASTY)


# ---- ladder check --nvcc ----


@pytest.mark.slow
def test_nvcc_is_asked_without_a_gpu():
    from grader.devices.cuda.nvcc import refusals

    assert refusals(KERNEL) == []
    (said,) = refusals("float one = 1;\n" + KERNEL.replace("x[i] +", "one * x[i] +"))
    assert said.line == 5 and '"one" is undefined in device code' in said.message
    (said,) = refusals("#include </dev/zero>\n")
    assert "stands alone" in said.message


def test_a_comment_asks_nvcc_nothing_new():
    text = '// Rung 1.\n\nint x;  // one\nconst char* s = "// no comment";\n'
    assert code_of(text) == b'int x;\nconst char* s = "// no comment";' == code_of(f"/* Rung\n2. */\n{text}")
    assert code_of(text.replace("int x", "int y")) != code_of(text)


@pytest.mark.parametrize("function", ["chain", "fmas", "mmas"])
def test_what_torch_compiles_for_a_ceiling_compiles(function, tmp_path):
    """On a GPU NVRTC compiles it, where functions are the device's by themselves."""
    from grader.devices.cuda import ceilings

    texts = {"chain": ceilings._CHAIN, "fmas": ceilings._FMAS, "mmas": ceilings._MMAS}
    text = texts[function].replace("> T ", "> __device__ T ", 1)
    file = tmp_path / f"{function}.cu"
    file.write_text(f"{text}\n__global__ void each(float* x) {{ x[threadIdx.x] = {function}(x[threadIdx.x]); }}\n")
    compile_for([NEWEST], file, "-c")
