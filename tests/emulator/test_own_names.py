"""Names that C++20 has and nvcc's C++17 has not are the learner's own; so are parts of the runtime's names."""

from __future__ import annotations

import re

import numpy as np
import pytest

from grader.devices.build.lexer import lex
from grader.devices.build.own_namespace import as_written, spelled_apart
from grader.devices.build.refused import refusal
from grader.devices.emulator.session import include_folder
from grader.devices.emulator.sides import marks
from tests.shared import long_tail

KERNEL = """
{head}
__device__ float lerp(float a, float b, float t) {{ return a + t * (b - a) + 1; }}
__global__ void k(float* z) {{ z[threadIdx.x] = lerp(2, 4, 0.5f); }}
extern "C" void f(float* z, cudaStream_t stream) {{ k<<<1, 1, 0, stream>>>(z); }}
"""


@pytest.mark.parametrize(
    "head",
    ["", "#include <cmath>", "#include <cmath>\nusing namespace std;", "#include <math.h>\n#include <complex>"],
)
def test_lerp_is_the_learners_own(run_kernel, head):
    outputs, _ = run_kernel(
        KERNEL.format(head=head), "void f(float* z, cudaStream_t stream)", z=np.zeros(1, np.float32)
    )
    assert outputs["z"][0] == 4


def test_a_function_of_the_host_may_have_the_last_part_of_a_name_of_the_runtimes(run_kernel):
    head = "double seconds() { return 0; }\n__device__ float* unregister;"
    outputs, _ = run_kernel(
        KERNEL.format(head=head), "void f(float* z, cudaStream_t stream)", z=np.zeros(1, np.float32)
    )
    assert outputs["z"][0] == 4


def test_no_mark_of_a_side_has_a_name_of_the_runtimes():
    texts = [path.read_text() for path in include_folder().rglob("*.h")]
    names = {name for text in texts for name in re.findall(r"\bladder_\w+", text)}
    ends = {"_".join(name.split("_")[at:]) for name in names for at in range(1, name.count("_") + 1)}
    free = sorted(end for end in ends if not end.startswith("ladder_"))  # those are refused in a learner's file
    source = "".join(f"void {end}() {{}}\n__device__ int {end};\n__managed__ int {end};\n" for end in free)
    made = set(re.findall(r"ladder_\w+", marks(source)))
    assert len(made) > len(names) > 50 and made.isdisjoint(names)


NAMED = """
{head}
__global__ void {kernel}(float* z) {{ z[threadIdx.x] = {value}; }}
extern "C" void f(float* z, cudaStream_t stream) {{ {kernel}<<<1, 1, 0, stream>>>(z); }}
"""


@pytest.mark.parametrize(
    "head, kernel, value",
    long_tail(
        [
            ("__device__ int ladder = 4;", "k", "ladder"),
            ("__device__ float ladder(float x) { return x; }", "k", "ladder(4)"),
            ("namespace ladder { struct Rung { int up; }; }\nusing namespace ladder;", "k", "ladder::Rung{4}.up"),
            ("struct ladder { int rung; };\n#define STEP(ladder) (ladder.rung + 1)", "k", "STEP(ladder{3})"),
            ("template <int n> struct Ladder { static constexpr int rungs = n; };", "k", "Ladder<4>::rungs"),
            ("#define LADDER 4", "ladder", "LADDER"),
        ],
        every=3,
        slow=1,
    ),
)
def test_the_namespace_of_the_emulator_may_be_a_name_of_the_files(run_kernel, head, kernel, value):
    source = NAMED.format(head=head, kernel=kernel, value=value)
    outputs, _ = run_kernel(source, "void f(float* z, cudaStream_t stream)", z=np.zeros(1, np.float32))
    assert outputs["z"][0] == 4


def test_what_is_wrong_with_such_a_variable_is_told_by_its_name(run_kernel):
    source = NAMED.format(head="__device__ int ladder[4];", kernel="k", value="ladder[threadIdx.x + 4]")
    _, run = run_kernel(source, "void f(float* z, cudaStream_t stream)", z=np.zeros(1, np.float32))
    assert any("ladder[4]" in each.message for each in run.findings), run.findings


def test_compilers_call_it_by_that_name_too():
    source = "int ladder = 1; void f() { ladder->rung = LADDER; }"
    assert as_written(spelled_apart(source)) == source != spelled_apart(source)
    assert len(spelled_apart(source)) == len(source)


def test_headers_and_texts_keep_it():
    source = '#include <ladder/abi.h>\nconst char* a = "ladder";'
    assert spelled_apart(source) == source
    (refused, line) = refusal(source, lex(source), emulated=True) or ("", 0)
    assert refused.startswith("`ladder` is a name of the grader's own") and line == 1
