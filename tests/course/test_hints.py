"""Hints, one at a time, and what remembers them."""

import json
from multiprocessing import get_context
from pathlib import Path

import pytest

from grader.course.catalog import Entry, UsageError
from grader.course.hints import next_hint

TASKS = [f"task_{number}" for number in range(8)]


@pytest.fixture
def entry(tmp_path) -> Entry:
    folder = tmp_path / "lessons" / "01_copy"
    folder.mkdir(parents=True)
    three = "\n\n".join(f"### Hint {number}\n\nLook {number} times." for number in (1, 2, 3))
    (folder / "hints.md").write_text("\n\n".join(f"## {task}\n\n{three}" for task in TASKS))
    return Entry(tmp_path, "01_copy")


def test_each_call_gives_one_more_and_then_the_last_again(entry):
    assert [next_hint(entry, "task_0").number for _ in range(5)] == [1, 2, 3, 3, 3]
    assert next_hint(entry, "task_1").number == 1


def test_a_task_without_hints_is_refused(entry):
    with pytest.raises(UsageError, match="no section `## nothing`"):
        next_hint(entry, "nothing")


def test_a_damaged_memory_starts_again(entry):
    file = entry.root / "work" / "hints.json"
    file.parent.mkdir()
    file.write_text('{"01_copy/task_0": ')
    assert next_hint(entry, "task_0").number == 1
    assert json.loads(file.read_text()) == {"01_copy/task_0": 1}


def ask(root: Path, task: str) -> None:
    for _ in range(3):
        next_hint(Entry(root, "01_copy"), task)


def test_many_at_once_forget_nothing(entry):
    asking = [get_context("spawn").Process(target=ask, args=(entry.root, task)) for task in TASKS]
    for process in asking:
        process.start()
    for process in asking:
        process.join()
    assert json.loads((entry.root / "work" / "hints.json").read_text()) == {f"01_copy/{task}": 3 for task in TASKS}
    assert [file.name for file in (entry.root / "work").iterdir()] == ["hints.json"]
