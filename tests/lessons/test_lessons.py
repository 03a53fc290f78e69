"""Every lesson on disk keeps its promises: what must pass passes, what must fail fails for the reason it names."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from grader.course.catalog import Entry, entries
from grader.course.lesson import Counted
from grader.grade import grade

ROOT = Path(__file__).parents[2]
LESSONS = entries(ROOT)
TASKS = [(entry, task) for entry in LESSONS for task in entry.lesson.tasks]
RUNGS = [(entry, rung) for entry in LESSONS for rung in entry.rungs]
MISTAKES = [(entry, mistake) for entry in LESSONS for mistake in entry.mistakes]
ARCHITECTURES = (75, 80, 90)  # T4, A100, H100 and H200
SEED = 20240229


def named(pairs: list) -> dict:
    """The arguments of parametrize for (entry, file or task) pairs, with readable test names."""
    return {"argvalues": pairs, "ids": [f"{entry.name}-{getattr(what, 'stem', what.name)}" for entry, what in pairs]}


each_lesson = pytest.mark.parametrize("entry", LESSONS, ids=lambda entry: entry.name)


def full_stars(entry: Entry) -> int:
    """The most that the emulator can give: a lesson's stars are those of its weakest task."""
    return min(
        max((target.stars for target in task.targets if isinstance(target, Counted)), default=1)
        for task in entry.lesson.tasks
    )


def story(result) -> str:
    """Why a grade is what it is, for the message of a failed test."""
    lines = [f"{result.kernel}: {result.status}, {result.stars} stars"]
    for task in result.tasks:
        lines += [f"  {task.name}: {task.status} {task.message}"]
        lines += [f"    {d.line}: {d.message}" for d in task.diagnostics]
        lines += [f"    {case.name}: {case.status} {case.message}" for case in task.cases if case.status != "passed"]
        lines += [f"    {t.metric} = {t.value}, {t.goal} for {t.stars}" for t in task.targets if t.value is not None]
    return "\n".join(lines)


def expectation(mistake: Path) -> tuple[str, int]:
    """The status and the stars that a mistake's head promises: `// Expect: race`, `// Expect: passed, 1 star`."""
    expect = re.search(r"^// Expect: (\w+)(?:, (\d) stars?)?$", mistake.read_text(), re.MULTILINE)
    assert expect, f"{mistake.name} does not say what to expect"
    return expect[1], int(expect[2] or 0)


def without_space(text: str) -> str:
    return re.sub(r"\s+", "", text)


# ---- what is graded ----


@each_lesson
def test_the_starter_builds_and_does_not_pass(entry: Entry):
    result = grade(entry, entry.starter, device="emulator", seed=SEED)
    assert result.status not in ("passed", "build_error", "missing_entry_point"), story(result)


@each_lesson
def test_the_reference_earns_every_star_that_can_be_counted(entry: Entry):
    result = grade(entry, reference=True, device="emulator", seed=SEED)
    assert (result.status, result.stars) == ("passed", full_stars(entry)), story(result)


@pytest.mark.parametrize(("entry", "rung"), **named(RUNGS))
def test_every_rung_is_right(entry: Entry, rung: Path):
    result = grade(entry, rung, device="emulator", seed=SEED)
    assert result.status == "passed", story(result)


@pytest.mark.parametrize(("entry", "mistake"), **named(MISTAKES))
def test_every_mistake_is_told_as_what_it_is(entry: Entry, mistake: Path):
    status, stars = expectation(mistake)
    result = grade(entry, mistake, device="emulator", seed=SEED)
    assert (result.status, result.stars) == (status, stars), story(result)


# ---- what is read ----


@each_lesson
def test_the_starter_has_one_place_to_write(entry: Entry):
    text = entry.starter.read_text()
    assert text.count("// >>> write your kernel here") == 1
    assert len(re.findall(r"^// <<<$", text, re.MULTILINE)) == 1
    assert text.index("// >>>") < text.index("\n// <<<\n")


@pytest.mark.parametrize(("entry", "task"), **named(TASKS))
def test_each_task_has_three_hints(entry: Entry, task):
    hints = entry.hints(task.name)
    assert len(hints) == 3 and all(hints)
    assert len(hints[2]) > len(hints[0]), "the last hint says the most"


@pytest.mark.parametrize(("entry", "task"), **named(TASKS))
def test_the_prototype_is_the_same_everywhere(entry: Entry, task):
    prototype = without_space(f'extern "C" {task.prototype}')
    right = [entry.starter, *entry.rungs, entry.folder / "README.md"]
    for file in right + [mistake for mistake in entry.mistakes if expectation(mistake)[0] != "missing_entry_point"]:
        assert prototype in without_space(file.read_text()), file.name


@each_lesson
def test_rungs_are_numbered_and_say_so(entry: Entry):
    for number, rung in enumerate(entry.rungs, start=1):
        assert rung.name.startswith(f"{number}_")
        assert rung.read_text().startswith(f"// Rung {number} of {len(entry.rungs)}: ")


@each_lesson
def test_the_readme_names_every_rung(entry: Entry):
    text = (entry.folder / "README.md").read_text()
    assert [rung.name for rung in entry.rungs if f"`{rung.name}`" not in text] == []


@each_lesson
def test_there_are_enough_mistakes(entry: Entry):
    assert len(entry.mistakes) >= 4


@pytest.mark.parametrize(("entry", "mistake"), **named(MISTAKES))
def test_a_mistake_starts_with_a_sentence(entry: Entry, mistake: Path):
    first, second, *_ = mistake.read_text().splitlines()
    assert re.fullmatch(r"// [A-Z0-9a-z].*\.", first), first
    assert second.startswith("// Expect: ")


# ---- nvcc ----

SOURCES = [
    (entry, file)
    for entry in LESSONS
    for file in [entry.starter, *entry.rungs, *entry.mistakes]
    if file == entry.starter or file in entry.rungs or expectation(file)[0] != "build_error"
]


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("nvcc"), reason="needs nvcc, NVIDIA's compiler")
@pytest.mark.parametrize(("entry", "source"), **named(SOURCES))
def test_nvcc_compiles_it_without_a_warning(entry: Entry, source: Path, tmp_path: Path):
    targets = [f"-gencode=arch=compute_{number},code=sm_{number}" for number in ARCHITECTURES]
    command = ["nvcc", *targets, "-std=c++17", "-Werror", "all-warnings", "-c", source, "-o", tmp_path / "kernel.o"]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
