"""The rungs of lesson 04 that load float4 are right for pointers into the middle of an array, too."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from grader.course.catalog import find
from grader.course.inline import inlined
from grader.grade import grade
from tests.shared import long_tail

ROOT = Path(__file__).parents[2]
ENTRY = find("04", ROOT)
RUNGS = [rung for rung in ENTRY.rungs if "float4*" in inlined(rung)]
# Each case shifts one of the three, by as many floats.
SHIFTED = """
extern "C" void matmul(const float* a, const float* b, float* c, int m, int n, int k, cudaStream_t stream) {
    int shifted = (m + 2 * n + k) % 3;
    int at_a = shifted == 0 ? 1 : 0, at_b = shifted == 1 ? 2 : 0, at_c = shifted == 2 ? 3 : 0;
    float *a_block, *b_block, *c_block;
    cudaMalloc(&a_block, (m * k + at_a) * sizeof(float));
    cudaMalloc(&b_block, (k * n + at_b) * sizeof(float));
    cudaMalloc(&c_block, (m * n + at_c) * sizeof(float));
    cudaMemcpyAsync(a_block + at_a, a, m * k * sizeof(float), cudaMemcpyDeviceToDevice, stream);
    cudaMemcpyAsync(b_block + at_b, b, k * n * sizeof(float), cudaMemcpyDeviceToDevice, stream);
    matmul_rung(a_block + at_a, b_block + at_b, c_block + at_c, m, n, k, stream);
    cudaMemcpyAsync(c, c_block + at_c, m * n * sizeof(float), cudaMemcpyDeviceToDevice, stream);
    cudaFree(a_block);
    cudaFree(b_block);
    cudaFree(c_block);
}
"""


@pytest.mark.parametrize("rung", long_tail(RUNGS, every=32, slow=8), ids=lambda rung: rung.stem)
@pytest.mark.whole
def test_any_alignment(rung: Path, tmp_path: Path):
    file = tmp_path / "shifted.cu"
    rung_text = re.sub(r'extern "C" void matmul\b', "static void matmul_rung", inlined(rung))
    file.write_text(rung_text + SHIFTED)
    result = grade(ENTRY, file, device="emulator", seed=1)
    assert result.status == "passed", [task.message for task in result.tasks]


def test_each_array_is_shifted_where_rows_could_be_read_by_float4():
    sizes = [case.sizes for case in ENTRY.lesson.tasks[0].judged_cases]
    whole = [(each["m"] + 2 * each["n"] + each["k"]) % 3 for each in sizes if each["n"] % 4 == each["k"] % 4 == 0]
    assert set(whole) == {0, 1, 2}
