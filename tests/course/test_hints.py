"""Hints, one at a time and for a rung, and what remembers them."""

import json
from multiprocessing import get_context
from pathlib import Path

import pytest

from grader.course.catalog import Entry, UsageError
from grader.course.hints import next_hint
from grader.course.lesson import Case, Counted, Rung, Task

TASKS = [f"task_{number}" for number in range(8)]
PROTOTYPE = "void {}(const float* x, float* y, int n, cudaStream_t stream)"
LADDER = [Rung("naive", "as it is"), *(Rung(name, name, [Counted("sectors")]) for name in ("tile", "bare", "empty"))]


def task(name: str, ladder=()) -> Task:
    return Task(PROTOTYPE.format(name), {"x": "n", "y": "n"}, [Case(n=1)], None, None, ladder=ladder)


@pytest.fixture
def entry(tmp_path) -> Entry:
    folder = tmp_path / "lessons" / "01_copy"
    folder.mkdir(parents=True)
    three = "\n\n".join(f"### Hint {number}\n\nLook {number} times." for number in (1, 2, 3))
    rungs = (
        "## climb\n\n### naive\n\n#### Hint 1\n\nThink.\n\n#### Hint 2\n\nWrite.\n\n### tile\n\nShare.\n\n### empty\n"
    )
    (folder / "hints.md").write_text("\n\n".join([*(f"## {name}\n\n{three}" for name in TASKS), rungs]))
    return Entry(tmp_path, "01_copy")


def test_each_call_gives_one_more_and_then_the_last_again(entry):
    assert [next_hint(entry, task("task_0"), 0).number for _ in range(5)] == [1, 2, 3, 3, 3]
    assert next_hint(entry, task("task_1"), 0).heading == "Hint 1 of 3 for task_1"


def test_each_rung_has_hints_of_its_own(entry):
    climb = task("climb", LADDER)
    first, second, third = (next_hint(entry, climb, rung) for rung in (1, 2, 1))
    assert (first.text, first.heading) == ("Think.", "Hint 1 of 2 for climb, rung 1: naive")
    assert (second.text, second.total, third.text) == ("Share.", 1, "Write.")
    shown = json.loads((entry.root / "work" / "hints.json").read_text())
    assert shown == {"01_copy/climb/naive": 2, "01_copy/climb/tile": 1}


def test_what_has_no_hints_is_refused(entry):
    for asked, rung, said in (
        (task("nothing"), 0, "no section `## nothing`"),
        (task("climb", LADDER), 3, "no section `### bare` in `## climb`"),
        (task("climb", LADDER), 4, "no hints for climb, rung 4: empty"),
    ):
        with pytest.raises(UsageError, match=said):
            next_hint(entry, asked, rung)


def test_a_damaged_memory_starts_again(entry):
    file = entry.root / "work" / "hints.json"
    file.parent.mkdir()
    file.write_text('{"01_copy/task_0": ')
    assert next_hint(entry, task("task_0"), 0).number == 1
    assert json.loads(file.read_text()) == {"01_copy/task_0": 1}


def ask(root: Path, name: str) -> None:
    for _ in range(3):
        next_hint(Entry(root, "01_copy"), task(name), 0)


@pytest.mark.slow
def test_many_at_once_forget_nothing(entry):
    asking = [get_context("spawn").Process(target=ask, args=(entry.root, name)) for name in TASKS]
    for process in asking:
        process.start()
    for process in asking:
        process.join()
    assert json.loads((entry.root / "work" / "hints.json").read_text()) == {f"01_copy/{name}": 3 for name in TASKS}
    assert [file.name for file in (entry.root / "work").iterdir()] == ["hints.json"]
