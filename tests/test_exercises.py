"""The kernels in the folded answers of the notebooks' exercises: put into their rung, they stand where it says."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from grader.course import catalog
from grader.faces.notebook import count, grade, show
from grader.judge.targets import measure
from tests.shared import long_tail

ROOT = Path(__file__).parents[1]


def answer(lesson: str, number: int) -> list[str]:
    """The code of an answer, in the parts that an empty line divides, each indented as a kernel's body."""
    cells = json.loads(catalog.find(lesson, ROOT).notebook.read_text())["cells"]
    text = "".join("".join(cell["source"]) + "\n" for cell in cells).partition("## Exercises")[2]
    exercise = re.split(rf"^{number}\. ", text, flags=re.MULTILINE)[1].partition("</details>")[0]
    code = re.search(r"```cuda\n(.*?)```", exercise, re.DOTALL)
    assert code, f"exercise {number} of lesson {lesson} has no code"
    return [re.sub(r"^ {2}(?= )", "   ", part, flags=re.MULTILINE) for part in code[1].split("\n\n")]


def changed(text: str, *changes: tuple[str, str]) -> str:
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


def reduced_first(text: str) -> str:
    (code,) = answer("02", 5)
    return changed(text, ("        __sincosf(phi[i],", f"{code}\n        __sincosf(angle,"))


def padded_tree(text: str) -> str:
    (code,) = answer("05", 3)
    body = text[text.index("    __shared__") : text.index("    if (threadIdx.x == 0)")]
    index = next(line for line in body.splitlines() if "unsigned i" in line)
    return changed(text, (body, f"{index}\n{code}"))


def aggregated(text: str) -> str:
    (code,) = answer("05", 4)
    return changed(text, ("        atomicAdd(&counts[x[i]], 1u);\n", code))


def in_order(text: str) -> str:
    memory, last = answer("05", 5)
    return changed(text, ("__global__", f"{memory}\n\n__global__"),
                   ("    cudaMemsetAsync(out, 0, sizeof(float), stream);\n", ""),
                   ("    if (threadIdx.x == 0) {\n        atomicAdd(out, sums[0]);\n    }\n", last))  # fmt: skip


def parts_by_atomics(text: str) -> str:
    (code,) = answer("04", 5)
    return changed(text,
                   ("            if (row < m && col < n) *to = reinterpret_cast<const Piece&>(sum[p][q]);\n", code),
                   ("    c += static_cast<std::int64_t>(blockIdx.y) * m * n;\n", ""),
                   ("    Scratch scratch(plan.parts * count, stream);\n",
                    "    cudaMemsetAsync(c, 0, count * sizeof(float), stream);\n"),
                   ("(a, b, scratch.data, m, n, k, plan.depth)", "(a, b, c, m, n, k, plan.depth)"),
                   ("    add_parts<<<ceil_div(count, 256), 256, 0, stream>>>(scratch.data, c, count, plan.parts);\n",
                    ""))  # fmt: skip


def wide_tiles(text: str) -> str:
    tiles, launch = answer("08", 5)
    return changed(text, ("kKeys = 32;", "kKeys = 64;"), ("float (&tile)[kKeys][kDim]", "float (*tile)[kDim]"),
                   ("    __shared__ float ks[kKeys][kDim], vs[kKeys][kDim];\n", tiles + "\n"),
                   ("    kernel<<<blocks, kQueries, 0,", f"{launch}\n    kernel<<<blocks, kQueries, bytes,"),
                   )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    "lesson, task, rung, change, stands_on",
    long_tail(
        [
            ("02", "polar", "3_float2", reduced_first, 3),
            ("05", "histogram", "histogram/1_every_element", aggregated, 1),
            ("04", "matmul", "13_split_k", parts_by_atomics, 13),
            ("06", "softmax", "3_online", lambda text: changed(text, ("kBlock = 256", "kBlock = 1024")), 3),
            ("05", "sum", "sum/2_every_block", padded_tree, 2),
            ("05", "sum", "sum/2_every_block", in_order, 2),
            ("08", "attention", "attention/3_shared_tiles", wide_tiles, 3),
        ],
        every=8,
        slow=3,
    ),
)
def test_the_kernel_of_an_answer_stands_where_the_exercise_says(lesson, task, rung, change, stands_on):
    graded = grade(lesson, change(show(lesson, rung).text), task=task)
    assert graded.status == "passed", graded
    assert graded._task.position.rung == stands_on
    if change is padded_tree:
        counters = graded.counters
        assert counters["shared_load_bank_conflicts"] == counters["shared_store_bank_conflicts"] == 0


@pytest.mark.whole
def test_backwards_it_matters_where_a_stretch_of_memory_begins():
    text = changed(show("01", "1_one_element").text, ("z[i] = x[i] + y[i];", "int j = n - 1 - i; z[j] = x[j] + y[j];"))
    graded = grade("01", text)
    assert graded.status == "passed" and graded._task.position.rung == 0
    assert measure("global_load_efficiency", graded.counters) == pytest.approx(0.8, abs=0.001)  # n = 100,003
    assert measure("global_load_efficiency", count("01", text, case="n=5000")) == 1  # a multiple of 8
