"""Stars that the emulator withholds, as a card would."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from types import SimpleNamespace

import pytest

from benchmarks.model.held_back import kernels
from benchmarks.model.points import CARD, RESULTS, ROOT
from benchmarks.model.stars import FOUND, agreement, graded, left, tasks
from grader.course import catalog
from grader.course.lesson import Case
from grader.devices.worker.job import Cancel, Cancelled
from grader.devices.worker.server import second_server
from grader.grade import grade
from grader.judge.ladder import star_rungs
from grader.model.withheld import LIMITS, WIDE, Limit, earned, limits
from grader.report.terminal import plain_text

NEEDED = {2: Limit(rung=1, us=100.0), 3: Limit(rung=3, us=50.0)}


@pytest.mark.parametrize(
    ("us", "counted", "left"),
    [(99.0, 3, 3), (WIDE * 50, 3, 3), (WIDE * 50.1, 3, 2), (WIDE * 100.1, 3, 1), (WIDE * 100.1, 2, 1), (1e9, 1, 1)],
)
def test_a_star_is_left_to_what_takes_no_more_than_twice_its_time(us, counted, left):
    assert earned(us, counted, NEEDED) == left


def test_a_kernel_is_as_fast_as_all_its_stars_need():
    assert earned(150.0, 3, {2: Limit(1, 50.0), 3: Limit(3, 100.0)}) == 1


OTHERS = ["", "{}", '{"tasks": {"vector_add": 5}}', '{"tasks": {"vector_add": {"case": "n=5"}}}']


@pytest.mark.parametrize("text", OTHERS)
def test_without_limits_for_its_case_no_star_is_withheld(tmp_path, text):
    task = catalog.find("01").lesson.task("vector_add")
    file = tmp_path / "benchmarks" / "results" / CARD.label / LIMITS
    assert limits(tmp_path, CARD, task) == {}
    file.parent.mkdir(parents=True)
    file.write_text(text)
    assert limits(tmp_path, CARD, task) == {}


@pytest.mark.parametrize(("entry", "task"), list(tasks()), ids=lambda each: each.name)
def test_the_limits_are_those_of_the_goals_and_cases_as_they_are_now(entry, task):
    """They follow from what was measured on the card: `python -m benchmarks.model.stars limits FOLDER` renews them."""
    known = json.loads((RESULTS / LIMITS).read_text())["tasks"][task.name]
    assert known["case"] == task.timed_case.name
    assert {int(star): each["rung"] for star, each in known["stars"].items()} == star_rungs(task, on_gpu=True)
    for each in known["stars"].values():
        values = graded()[task.name, task.ladder[each["rung"] - 1].name]["values"]
        assert each["left"] == pytest.approx(left(task, each["rung"], values), abs=1e-3)
        assert each["us"] == pytest.approx(each["modelled_us"] * each["left"], rel=1e-3)
    assert limits(ROOT, CARD, replace(task, timed_case=Case(other=1))) == {}


def test_no_rung_loses_a_star_and_the_card_agrees_with_nearly_all():
    known, of_task = json.loads(FOUND.read_text())["rungs"], {task.name: task for _, task in tasks()}
    for name, row in known.items():
        assert (
            earned(row["us"], row["counted"], limits(ROOT, CARD, of_task[name.partition("/")[0]])) == row["counted"]
        ), name
    assert agreement().share >= AGREE


AGREE = 0.95


@pytest.fixture
def few_blocks():
    """Sixteen of them: whole sectors, 16 bytes a load, and 30 times as long as the rung on the H200."""
    entry, _, slow = next(each for each in kernels() if each[2].name == "few_blocks" and each[1].name == "vector_add")
    return entry, slow


@pytest.mark.slow
def test_a_kernel_that_is_slow_by_what_no_goal_counts_loses_its_stars_with_a_reason(few_blocks):
    entry, slow = few_blocks
    found = grade(entry, slow.whole, source=slow.text(), device="emulator", seed=1)
    (task,) = found.tasks
    assert (found.status, found.stars, task.stars, task.position.rung) == ("passed", 1, 1, 2)
    assert task.withheld.startswith("★★ withheld: modelled on an H200, this takes ")
    assert "times as long as the timed goals of rung 1 allow" in task.withheld
    assert "withheld" in plain_text(task, found, slow.text())
    by_counts = grade(entry, slow.whole, source=slow.text(), device="emulator", seed=1, by_counts=True)
    assert (by_counts.stars, by_counts.tasks[0].withheld) == (2, "")


@pytest.fixture
def spare(monkeypatch):
    """A second server; `spare.ran` has the jobs that it was given, and whether each was called off."""
    second = SimpleNamespace(ran=[])

    def run(job, on_event):
        try:
            found = second_server().run(job, on_event)
        except Cancelled:
            second.ran.append((job, True))
            raise
        second.ran.append((job, False))
        return found

    second.run = run
    monkeypatch.setattr("grader.model.withheld.spare_server", lambda: second)
    return second


@pytest.mark.slow
def test_where_a_second_server_is_there_stars_are_modelled_beside_the_last_cases(few_blocks, spare):
    entry, slow = few_blocks
    samples, heard = {}, []
    found = grade(
        entry, slow.whole, source=slow.text(), device="emulator", seed=1, samples=samples, on_progress=heard.append
    )
    assert found.stars == 1 and found.tasks[0].withheld.startswith("★★ withheld: modelled on an H200")
    (job, is_off), (whole, whole_is_off) = spare.ran  # of long blocks
    assert job.to_sample and not is_off and list(samples) == ["vector_add"]
    assert whole.to_sample["whole"] and not whole_is_off
    assert not any(words.startswith("building") for words in heard[heard.index("modelling vector_add") :])


@pytest.mark.slow
def test_what_is_modelled_ahead_is_called_off_with_a_kernel_that_fails(few_blocks, spare):
    entry, slow = few_blocks
    waits = "for (volatile long k = 0; n > 20000000 && k < 40000000000; ++k) ;"
    wrong = re.sub(r"(extern \"C\" void vector_add\([^)]*\)\s*\{)", rf"\1 {waits} n -= 1;", slow.text())
    found = grade(entry, slow.whole, source=wrong, device="emulator", seed=1)
    assert found.status == "not_written"
    assert [(bool(job.to_sample), is_off) for job, is_off in spare.ran] == [(True, True)]


@pytest.mark.slow
def test_who_calls_a_grade_off_calls_off_what_is_modelled_for_it(few_blocks, spare):
    entry, slow = few_blocks
    cancel = Cancel()
    waits = "for (volatile long k = 0; n > 20000000 && k < 40000000000; ++k) ;"
    endless = re.sub(r"(extern \"C\" void vector_add\([^)]*\)\s*\{)", rf"\1 {waits}", slow.text())
    with pytest.raises(Cancelled):
        grade(entry, slow.whole, source=endless, device="emulator", seed=1, cancel=cancel,
              on_progress=lambda what: what.startswith("modelling") and cancel.set())  # fmt: skip
    assert [is_off for _, is_off in spare.ran] == [True]
