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
SHIFTS = [(1, 0, 0), (0, 2, 0), (0, 0, 3)]

SHIFTED = """
extern "C" void matmul(const float* a, const float* b, float* c, int m, int n, int k, cudaStream_t stream) {{
    float *a_block, *b_block, *c_block;
    cudaMalloc(&a_block, (m * k + {0}) * sizeof(float));
    cudaMalloc(&b_block, (k * n + {1}) * sizeof(float));
    cudaMalloc(&c_block, (m * n + {2}) * sizeof(float));
    cudaMemcpyAsync(a_block + {0}, a, m * k * sizeof(float), cudaMemcpyDeviceToDevice, stream);
    cudaMemcpyAsync(b_block + {1}, b, k * n * sizeof(float), cudaMemcpyDeviceToDevice, stream);
    matmul_rung(a_block + {0}, b_block + {1}, c_block + {2}, m, n, k, stream);
    cudaMemcpyAsync(c, c_block + {2}, m * n * sizeof(float), cudaMemcpyDeviceToDevice, stream);
    cudaFree(a_block);
    cudaFree(b_block);
    cudaFree(c_block);
}}
"""


@pytest.mark.parametrize(
    ("rung", "shifts"),
    long_tail([(rung, shifts) for rung in RUNGS for shifts in SHIFTS], every=4),
    ids=lambda value: getattr(value, "stem", None),
)
def test_any_alignment(rung: Path, shifts: tuple[int, int, int], tmp_path: Path):
    file = tmp_path / "shifted.cu"
    rung_text = re.sub(r'extern "C" void matmul\b', "static void matmul_rung", inlined(rung))
    file.write_text(rung_text + SHIFTED.format(*shifts))
    result = grade(ENTRY, file, device="emulator", seed=1)
    assert result.status == "passed", [task.message for task in result.tasks]
