"""What must be printed: each line once, and no other one."""

from __future__ import annotations

import pytest

from grader.course.call import Call
from grader.course.lesson import Case, Task
from grader.grade import grade
from grader.judge.printed import judge_print
from grader.judge.verdict import CaseGrade


def nothing(*_: object) -> dict:
    return {}


TASK = Task(
    "void f(const float* x, float* z, int n, cudaStream_t stream)",
    {"x": "n", "z": "n"},
    [Case(n=1), Case(n=2)],
    nothing,
    nothing,
    prints=lambda x, n: [f"{n} has {x}"],
)


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("1 has 5\n2 has 6\n", ["", ""]),
        ("\n  2 has 6\n1 has 5", ["", ""]),  # in any order, and blanks do not count
        ("block (0,0,0) thread (3,0,0): 1 has 5\n2 has 6\n", ["", ""]),  # --print-threads
        ("", ["The kernel should print `1 has 5`, and does not.", ""]),
        ("1 has 5\n2 has 7\n", ["", "The kernel should print `2 has 6`, and does not; it prints `2 has 7`."]),
        ("1 has 5\n1 has 5\n2 has 6\n", ["The kernel also prints `1 has 5`, which is not asked for.", ""]),
    ],
)
def test_what_was_printed(output, said):
    grades = [CaseGrade("n=1", "passed"), CaseGrade("n=2", "passed")]
    judge_print([Call(TASK, case) for case in TASK.cases], [{"x": 5}, {"x": 6}], output, grades)
    assert [grade.message for grade in grades] == said
    assert [grade.status for grade in grades] == ["wrong_result" if each else "passed" for each in said]


@pytest.mark.parametrize(
    ("signs", "said"),
    [
        ([5, 5], ["", ""]),  # of `1 has 5`, without its spaces
        ([14, 5], ["", ""]),  # with who has printed it
        ([None, None], ["", ""]),
        ([5, 0], ["", "Host code prints `2 has 6`: call printf in the kernel, where the thread has its value."]),
        ([4, 5], ["Host code prints `1 has 5`: call printf in the kernel, where the thread has its value.", ""]),
    ],
)
def test_what_host_code_prints_is_no_line_of_a_kernel(signs, said):
    grades = [CaseGrade("n=1", "passed"), CaseGrade("n=2", "passed")]
    judge_print([Call(TASK, case) for case in TASK.cases], [{"x": 5}, {"x": 6}], "1 has 5\n2 has 6\n", grades, signs)
    assert [grade.message for grade in grades] == said


BY_THE_KERNEL = 'if (i == 3) printf("thread 3 has %.2f\\n", x[i]);'
BY_THE_HOST = 'float v; cudaMemcpy(&v, x + 3, 4, cudaMemcpyDeviceToHost); printf("thread 3 has %.2f\\n", v);'


@pytest.mark.parametrize(
    ("kernel", "host", "status"),
    [
        (BY_THE_KERNEL, "", "passed"),
        ("", BY_THE_HOST, "wrong_result"),
        ('if (i < 64) printf("%*s\\n", 8, "");', BY_THE_HOST, "wrong_result"),  # blanks in the kernel
    ],
)
def test_a_puzzle_is_to_be_printed_by_its_kernel(kernel, host, status, tmp_path):
    file = tmp_path / "print.cu"
    file.write_text(f"""#include <cstdio>
__global__ void halve(const float* x, float* z, int n) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    {kernel}
    z[i] = x[i] / 2;
}}
extern "C" void print(const float* x, float* z, int n, cudaStream_t stream) {{
    halve<<<(n + 31) / 32, 32, 0, stream>>>(x, z, n);
    {host}
}}
""")
    result = grade("00", file, device="emulator", seed=5, tasks=["print"])
    assert result.status == status, result.tasks[0]
    assert status == "passed" or "Host code prints" in result.tasks[0].cases[0].message
