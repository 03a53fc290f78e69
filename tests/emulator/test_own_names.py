"""Names that C++20 has and nvcc's C++17 has not are the learner's own."""

from __future__ import annotations

import numpy as np
import pytest

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
