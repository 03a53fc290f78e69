"""The puzzles of lesson 00 keep their promises. Their kernels have names of their own, so that many are one build."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from grader.course.catalog import find
from grader.course.mistake import Mistake
from grader.faces import authoring
from grader.grade import grade
from grader.judge.verdict import TaskGrade
from grader.report.terminal import plain_text

ROOT = Path(__file__).parents[2]
ENTRY = find("00", ROOT)
SEED = authoring.SEED
# What a learner is told who changes nothing.
STARTERS = {
    "map": ("not_written", "Nothing was written to z."),
    "zip": ("wrong_result", "z is a copy of x."),
    "guard": ("out_of_bounds", "reads x[6], past its end: x has 6 elements"),
    "two_d": ("not_written", "z[1, 2] was never written (6 of 12 elements are not written)"),
    "broadcast": ("wrong_result", "z[0, 1] is "),
    "blocks": ("not_written", "z[4] was never written"),
    "stride_loop": ("not_written", "z[4] was never written"),
    "shared_shift": ("wrong_result", "but should be 0"),
    "stencil": ("wrong_result", "z[0] is "),
    "dot": ("wrong_result", "out[0] is "),
    "atomic": ("race", "use an atomic"),
    "vector_load": ("below_target", "a thread that asks for its four floats at once sends one request"),
    "print": ("wrong_result", "The kernel should print `thread 3 has "),
    "wrong_line": ("uninitialized_read", "reads tile[0] before anything was written there"),
    "whole_program": ("not_written", "Nothing was written to z, and no kernel was launched."),
    "measure": ("wrong_result", "total[0] is "),
}


def kept(problems) -> None:
    found = list(problems)
    assert not found, "\n".join(found)


def grade_together(texts: list[str], tasks: list[str]) -> dict[str, tuple[TaskGrade, str]]:
    """Each task's grade and what is told of it, of several files built as one."""
    source = "\n".join(texts)
    found = grade(ENTRY, ENTRY.reference, device="emulator", seed=SEED, tasks=tasks, source=source)
    return {task.name: (task, " ".join(plain_text(task, found, source).split())) for task in found.tasks}


def test_there_are_sixteen_that_are_numbered_as_their_tasks_are():
    assert [puzzle.label for puzzle in ENTRY.puzzles] == [f"00.{number}" for number in range(1, 17)]
    assert [puzzle.slug for puzzle in ENTRY.puzzles] == [task.name for task in ENTRY.lesson.tasks]
    for puzzle in ENTRY.puzzles:
        first, *head = re.findall(r"^//.*", puzzle.starter.read_text(), re.MULTILINE)
        assert first.startswith(f"// Puzzle {puzzle.number} of 16, ") and 5 <= len(head) <= 13


@pytest.mark.parametrize("part", [ENTRY, *ENTRY.puzzles], ids=lambda part: part.name)
def test_its_files_have_their_form(part):
    kept(authoring.problems(part, authoring.form(part)))


@pytest.mark.slow
def test_every_solution_is_right():
    kept(authoring.reference_earns_all_stars(ENTRY))


@pytest.mark.whole
def test_every_starter_is_told_what_is_left_to_do():
    found = grade_together([puzzle.starter.read_text() for puzzle in ENTRY.puzzles], [*STARTERS])
    for name, (status, said) in STARTERS.items():
        task, told = found[name]
        assert (task.status, said in told) == (status, True), f"{name}: {task.status}\n{told}"


def rounds() -> list[list[tuple[str, Mistake]]]:
    """The first mistake of every puzzle, then the second of those that have another, and so on."""
    each = {puzzle.slug: puzzle.mistakes for puzzle in ENTRY.puzzles}
    most = max(map(len, each.values()))
    return [[(name, every[turn]) for name, every in each.items() if len(every) > turn] for turn in range(most)]


@pytest.mark.parametrize("turn", [0, pytest.param(1, marks=pytest.mark.whole)])
@pytest.mark.slow
def test_every_mistake_is_told_as_what_it_is(turn):
    assert len(rounds()) == 2
    chosen = rounds()[turn]
    found = grade_together([mistake.text() for _, mistake in chosen], [name for name, _ in chosen])
    for name, mistake in chosen:
        (task, told), text = found[name], mistake.text()
        says = authoring.SAYS.search(text)
        assert (task.status, task.stars) == mistake.expected, f"{mistake.name}: {task.status}\n{told}"
        assert not says or says[1] in told, f"{mistake.name}: {told}"


# ---- the rules notice ----


@pytest.fixture
def course(tmp_path):
    """A copy of the lesson that may be spoiled."""
    import shutil

    for name in ("lessons", "kernels"):
        shutil.copytree(ROOT / name / ENTRY.name, tmp_path / name / ENTRY.name)
    return find("00", tmp_path)


def said(entry, rule) -> str:
    return "\n".join(authoring.problems(entry, (rule,)))


def test_a_solution_that_leaves_the_hole_as_it_is(course):
    puzzle = course.puzzles[2]
    puzzle.reference.write_text(puzzle.starter.read_text())
    assert "03_guard.cu: one hole with a line `// your turn: …`" in said(puzzle, authoring.one_hole)


def test_a_solution_that_differs_elsewhere_too(course):
    puzzle = course.puzzles[2]
    puzzle.reference.write_text(puzzle.reference.read_text().replace("<<<1, 8", "<<<1, n") + "\n" * 3)
    assert "one hole" in said(puzzle, authoring.one_hole)


def test_another_head(course):
    puzzle = course.puzzles[2]
    puzzle.starter.write_text(puzzle.starter.read_text().replace("Puzzle 3", "Puzzle 4"))
    assert "begin with one line, `// Puzzle 3 of …, guard: `" in said(puzzle, authoring.one_hole)


def test_a_puzzle_without_a_mistake(course):
    (mistake,) = course.puzzles[1].mistakes
    mistake.file.unlink()
    assert "there is none for zip" in said(course.puzzles[1], authoring.there_is_a_mistake)


def test_a_puzzle_that_is_no_task(course):
    course.puzzles[1].starter.rename(course.puzzles[1].starter.with_name("02_pair.cu"))
    assert "lesson.py has no task `pair`: rename the file" in said(course.puzzles[1], authoring.hints_for_every_rung)


def test_a_message_that_is_not_said(course):
    mistake = course.puzzles[2].mistakes[0]
    mistake.file.write_text(mistake.file.read_text().replace("Says: reads x[6]", "Says: reads x[7]"))
    assert "promises that `reads x[7], past" in "\n".join(authoring.mistake_is_told(course.puzzles[2], mistake))


BY_HOST = {
    "map": """extern "C" void map(const float* x, float* z, int n, cudaStream_t stream) {
    float h[100];
    cudaMemcpyAsync(h, x, 4 * n, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    for (int i = 0; i < n; ++i) h[i] *= 10;
    cudaMemcpyAsync(z, h, 4 * n, cudaMemcpyHostToDevice, stream);
    cudaStreamSynchronize(stream);
}""",
    "dot": """__global__ void set(float* out, float value) { *out = value; }
extern "C" void dot(const float* x, const float* y, float* out, int n, cudaStream_t stream) {
    float a[64], b[64], sum = 0;
    cudaMemcpyAsync(a, x, 4 * n, cudaMemcpyDeviceToHost, stream);
    cudaMemcpyAsync(b, y, 4 * n, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    for (int i = 0; i < n; ++i) sum += a[i] * b[i];
    set<<<1, 1, 0, stream>>>(out, sum);
}""",
}


@pytest.mark.parametrize("name", BY_HOST)
def test_the_host_is_not_to_compute_few_numbers_either(name, tmp_path):
    (tmp_path / "kernel.cu").write_text(BY_HOST[name])
    found = grade("00", tmp_path / "kernel.cu", device="emulator", seed=1, tasks=[name])
    assert found.status == "host_access" and "a kernel should compute them" in found.tasks[0].cases[0].message


def test_who_looks_at_an_input_on_the_host_may_do_so(tmp_path):
    """As to find a fault: the kernel computes all the same."""
    body = BY_HOST["map"].replace("h[i] *= 10;", 'printf("%g ", h[i]);').partition("    cudaMemcpyAsync(z")[0]
    works = "int i = threadIdx.x; if (i < n) z[i] = 10 * x[i];"
    kernel = f"__global__ void tenfold(const float* x, float* z, int n) {{ {works} }}"
    launch = "    tenfold<<<1, 128, 0, stream>>>(x, z, n);\n}"
    (tmp_path / "kernel.cu").write_text(f"#include <cstdio>\n{kernel}\n{body}{launch}")
    assert grade("00", tmp_path / "kernel.cu", device="emulator", seed=1, tasks=["map"]).status == "passed"
