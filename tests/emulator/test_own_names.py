"""Names that C++20 has and nvcc's C++17 has not are the learner's own; so are parts of the runtime's names."""

from __future__ import annotations

import re

import numpy as np
import pytest

from grader.devices.emulator.session import include_folder
from grader.devices.emulator.sides import marks

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
