"""Lesson 09 in half precision, for GPUs of compute capability 7.5: nvcc compiles it, and its sums are right."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from grader.course.catalog import find
from grader.course.halves import ENTRY, for_halves
from grader.course.inline import inlined
from grader.course.usage import UsageError
from grader.devices.cuda.nvcc import missing_nvcc
from grader.faces.cli import run
from tests.nvcc import refusal
from tests.shared import ROOT, long_tail

LESSON = find("09", ROOT)
RUNGS = (1, 2, 3, 4)
MAIN = ROOT / "examples" / "half_product.cu"


def rung(number: int) -> str:
    task = LESSON.lesson.tasks[0]
    return inlined(LESSON.rung_file(task.name, task.ladder[number - 1].name))


def written(folder: Path, text: str) -> Path:
    file = folder / "half.cu"
    file.write_text(text)
    return file


@pytest.mark.slow
@pytest.mark.parametrize("number", long_tail(RUNGS, every=8))
def test_its_sums_are_right_on_the_emulator(number: int, tmp_path: Path, capfd):
    text = for_halves(rung(number), "the rung")
    assert not re.search(r'bf16|"mma.sync.aligned.m16n8k16', text) and f"void {ENTRY}(const __half* a" in text
    assert run(["run", str(MAIN), str(written(tmp_path, text))]) == 0
    program, report = capfd.readouterr()
    assert "right\n" in program and re.search(r"^no findings in (1 kernel|2 kernels)$", report, re.MULTILINE)


@pytest.mark.slow
def test_wrong_sums_are_told(tmp_path: Path, capfd):
    """The two products take each other's half of b."""
    text = for_halves(rung(3), "the rung")
    swapped = text.replace("{%8}", "{%_}").replace("{%9}", "{%8}").replace("{%_}", "{%9}")
    assert swapped != text
    assert run(["run", str(MAIN), str(written(tmp_path, swapped))]) == 1
    assert "wrong\n" in capfd.readouterr().out


@pytest.mark.slow
@pytest.mark.skipif(missing_nvcc() is not None, reason="there is no nvcc here")
@pytest.mark.parametrize("number", long_tail(RUNGS, every=100))
def test_nvcc_compiles_it_for_a_t4_and_for_an_a100(number: int, tmp_path: Path):
    file = written(tmp_path, for_halves(rung(number), "the rung"))
    for architecture in ("sm_75", "sm_80"):
        assert refusal(file, ["-std=c++17", f"-arch={architecture}", "-c"]) == ""


@pytest.mark.slow
@pytest.mark.skipif(missing_nvcc() is not None, reason="there is no nvcc here")
def test_nvcc_compiles_the_program_that_compares():
    assert refusal(MAIN, ["-std=c++17", "-arch=sm_75", "-c"]) == ""


def test_what_a_t4_has_not_is_told_in_one_sentence():
    attention = LESSON.lesson.tasks[1]
    first = inlined(LESSON.rung_file(attention.name, attention.ladder[0].name))
    for text, said in ((rung(5), "needs cp.async"), (first, "needs cvt.rn.f16x2"), ("// no", "has no bfloat16")):
        with pytest.raises(UsageError, match=re.escape(said)) as refused:
            for_halves(text, "it")
        assert "\n" not in str(refused.value)
