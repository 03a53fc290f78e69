"""What a file's variables count is set on: what it does only after very many calls is seen, and no harm is none."""

from __future__ import annotations

import pytest

from grader.grade import grade
from tests.shared import long_tail

FILE = """#include <cstdlib>
{head}
__global__ void add(const float* x, const float* y, float* z, int n) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + {second};
}}
__global__ void count() {{ {count}; }}
extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {{
    {host}
    add<<<(n - 1) / 256 + 1, 256, 0, stream>>>(x, y, z, n);
    count<<<1, 1, 0, stream>>>();
}}
"""
WRONG = [
    ("static thread_local int before[3], calls;", "y[i]", "", "if (calls++ > 70) return;"),
    ("static int calls;", "y[i]", "", "if (++calls > 45) return;"),
    ("__device__ int calls;", "(calls < 3000 ? y[i] : 0)", "calls += 2", ""),
    ("struct { char how; int left = 60000; } static s;", "y[i]", "", "if (--s.left < 0) return;"),
]
RIGHT = [
    ("static int calls; static float* parts[2];", "y[i]", "", "parts[calls++ % 2] = nullptr;"),
    ("static unsigned long long seed = 1;", "y[i]", "", "seed = seed * 6364136223846793005u + 1;"),
    ("static void* last;", "y[i]", "", "void* now = malloc(64); free(last); last = now; *(int*)last = 1;"),
    ("__device__ int calls;", "y[i] + 0 * calls", "calls++", ""),
]


def _graded(folder, head: str, second: str, count: str, host: str):
    file = folder / "01_vector_add.cu"
    file.write_text(FILE.format(head=head, second=second, count=count, host=host))
    return grade("01", file, device="emulator", seed=1)


@pytest.mark.parametrize(("head", "second", "count", "host"), long_tail(WRONG, every=4))
def test_what_a_counter_leads_to_after_very_many_calls_is_seen(tmp_path, head, second, count, host):
    found = _graded(tmp_path, head, second, count, host)
    assert found.status in ("wrong_result", "not_written")
    assert any("is called again and again" in case.message for case in found.tasks[0].cases)


@pytest.mark.slow
@pytest.mark.parametrize(("head", "second", "count", "host"), long_tail(RIGHT, every=4, slow=4))
def test_a_variable_that_does_no_harm_is_left_alone(tmp_path, head, second, count, host):
    assert _graded(tmp_path, head, second, count, host).passed
