"""Which rung a right kernel has reached, and the stars that it earns, on the emulator and on a GPU."""

from dataclasses import replace

import pytest

from grader.course.lesson import Case, Counted, Rung, Task, Timed
from grader.judge.ladder import climb, is_below_floor, most_stars, stars_earned
from grader.judge.targets import judge_goal, judge_goals

COUNTERS = {"sectors": 10, "shared_load_bank_conflicts": 6, "shared_store_bank_conflicts": 1}
MET, MISSED = Counted("sectors", at_most=10), Counted("sectors", at_most=9)
LONG = Case(n=99)


def task(*ladder, stars=None, floor=()):
    """Rungs "1", "2", ... with these goals."""
    rungs = [Rung(str(number), f"idea {number}", goals) for number, goals in enumerate(ladder, start=1)]
    prototype = "void f(const float* x, float* y, int n, cudaStream_t stream)"
    return Task(prototype, {"x": "n", "y": "n"}, [Case(n=1)], None, None, ladder=rungs, stars=stars or {}, floor=floor)


def reached(asked, timed=None):
    return climb(asked, judge_goals(asked, {} if timed is not None else COUNTERS, timed), on_gpu=timed is not None)


@pytest.mark.parametrize(
    ("goal", "words", "met"),
    [
        (Counted("sectors", at_least=10), ">= 10", True),
        (Counted("sectors", at_least=10.5), ">= 10.5", False),
        (Counted("shared_bank_conflicts", at_most=0), "<= 0", False),
        (Counted("shared_bank_conflicts", at_most=7), "<= 7", True),
        (Counted("sectors", at_least=1, at_most=10), ">= 1 and <= 10", True),
        (Counted("shared_store_efficiency", at_least=0), ">= 0", False),
        (Counted("no_such_counter", at_most=10), "<= 10", False),
        (Counted("sectors", at_most=10, case=LONG), "<= 10", False),  # that case was not counted
        (Timed("x_torch.add", at_least=1.0), ">= 1", False),
    ],
)
def test_a_goal_is_met_or_not(goal, words, met):
    result = judge_goal(goal, COUNTERS)
    assert (result.goal, result.met) == (words, met)


def test_a_goal_is_counted_at_the_case_that_it_names():
    elsewhere = judge_goal(replace(MISSED, case=LONG), COUNTERS, at={"n=99": {"sectors": 5}})
    assert (elsewhere.value, elsewhere.case) == (5, "n=99")


@pytest.mark.parametrize(
    ("ladder", "rung"),
    [
        ([], 0),
        ([[]], 1),
        ([[MISSED]], 0),
        ([[MISSED], [MET]], 0),
        ([[], [MET, MISSED]], 1),
        ([[], [MET], [MET, MET]], 3),
        ([[], [MISSED], [MET]], 1),
    ],
)
def test_a_rung_is_reached_with_all_rungs_below(ladder, rung):
    found = reached(task(*ladder))
    assert (found.rung, found.rungs) == (rung, len(ladder))
    assert found.name == (str(rung) if rung else "")
    assert (found.next, found.next_idea) == ((str(rung + 1), f"idea {rung + 1}") if rung < len(ladder) else ("", ""))


FAST = Timed("fraction_of_copy", 0.8)


def test_a_rung_that_a_device_cannot_tell_from_the_one_below_is_not_claimed_there():
    asked = task([], [FAST], [MET], [FAST])
    on_emulator = reached(task([], [FAST], [MISSED]))
    assert (on_emulator.rung, on_emulator.next, on_emulator.next_is_told) == (1, "2", False)
    assert reached(asked).rung == 3
    assert reached(asked, {"fraction_of_copy": 0.9}).rung == 4
    assert reached(asked, {"fraction_of_copy": 0.7}).rung == 1
    assert reached(task([], [FAST], [MET]), {"fraction_of_copy": 0.9}).rung == 2


@pytest.mark.parametrize(
    ("timed", "rung", "stars"),
    [
        ({"fraction_of_copy": 0.99, "x_torch.add": 1.01}, 3, 3),
        ({"fraction_of_copy": 0.99, "x_torch.add": 0.99}, 2, 2),
        ({"fraction_of_copy": 0.7, "x_torch.add": 1.01}, 1, 1),
        ({"fraction_of_copy": 0.5, "x_torch.add": 1.01}, 0, 1),
        ({}, 0, 1),  # too noisy, or not timed: right is right
    ],
)
def test_on_a_gpu_only_times_that_were_taken_give_rungs_and_stars(timed, rung, stars):
    copy = [Timed("fraction_of_copy", bound) for bound in (0.6, 0.85, 0.97)]
    asked = task([copy[0], MISSED], [copy[1]], [copy[2], Timed("x_torch.add", 1.0)], stars={2: "2", 3: "3"})
    assert reached(asked, timed).rung == rung
    assert stars_earned(asked, rung, on_gpu=True) == stars


def test_stars_are_those_of_the_rungs_that_earn_them():
    asked = task([], [MET], [MET], [MET], stars={2: "2", 3: "4"})
    assert [stars_earned(asked, rung, on_gpu=False) for rung in range(5)] == [1, 1, 2, 2, 3]
    assert [result.stars for result in judge_goals(asked, COUNTERS)] == [2, 3, 3]
    both = task([MET], [MET], stars={2: "1", 3: "1"})
    assert [stars_earned(both, rung, on_gpu=False) for rung in range(3)] == [1, 3, 3]
    assert [result.stars for result in judge_goals(both, COUNTERS)] == [2, 0]  # above the last star, a goal earns none


def test_a_star_of_a_rung_that_a_device_cannot_tell_comes_with_the_highest_below_that_it_can():
    asked = task([], [MET, FAST], [FAST], [MET], stars={2: "2", 3: "4"})
    assert [stars_earned(asked, rung, on_gpu=True) for rung in (1, 2, 3)] == [1, 2, 3]
    assert [stars_earned(asked, rung, on_gpu=False) for rung in (1, 2, 4)] == [1, 2, 3]
    counted = task([], [MET], [MET], stars={2: "2", 3: "3"})
    assert stars_earned(counted, 3, on_gpu=True) == 1  # nothing there is timed
    assert (most_stars(counted), most_stars(task()), most_stars(task([], [FAST], stars={2: "2"}))) == (3, 1, 1)


def test_who_misses_the_floor_is_below_target():
    asked = task([], floor=[Timed("fraction_of_copy", 0.1)])
    for timed, below in ({"fraction_of_copy": 0.05}, True), ({"fraction_of_copy": 0.1}, False), ({}, False):
        assert is_below_floor(asked, judge_goals(asked, {}, timed), on_gpu=True) is below
    assert not is_below_floor(asked, judge_goals(asked, COUNTERS), on_gpu=False)
    assert [(result.rung, result.stars) for result in judge_goals(asked, COUNTERS)] == [(0, 1)]
    for goal, below in ((MET, False), (MISSED, True), (Counted("no_such_counter", at_most=9), True)):
        counted = task(floor=[goal])
        assert is_below_floor(counted, judge_goals(counted, COUNTERS), on_gpu=False) is below
        assert not is_below_floor(counted, judge_goals(counted, {}, {}), on_gpu=True)
