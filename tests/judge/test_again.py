"""Whether an earlier grade of the same text stands."""

from dataclasses import replace

import pytest

from grader.judge.again import compare_grades
from grader.judge.verdict import Grade, TargetResult, TaskGrade

EMULATED, H200 = {"kind": "emulator", "name": "emulated GPU"}, {"kind": "cuda", "name": "NVIDIA H200"}
COUNTERS = {"global_load_sectors": 25002, "launches": 1}


def target(metric, value, met, goal=">= 0.97"):
    return TargetResult(metric, value, goal, 3, met)


def grade(status="passed", stars=2, device=EMULATED, counters=COUNTERS, targets=(), name="vector_add"):
    task = TaskGrade(name, status, stars, counters=dict(counters), targets=list(targets))
    return Grade("01_vector_add", "k.cu", device, status, stars, 7, [task])


def test_the_same_grade_stands():
    again = compare_grades(grade(), grade())
    assert again.stands and not again.notes


@pytest.mark.parametrize(
    ("claimed", "said"),
    [
        (grade(stars=3), "vector_add: 3 stars then, 2 stars now"),
        (grade("below_target", 0), "vector_add: below_target then, passed now"),
        (grade(counters=COUNTERS | {"launches": 2}), "vector_add, launches: 2 then, 1 now"),
        (grade(counters={"launches": 1}), "vector_add, global_load_sectors: nothing then, 25002 now"),
        (grade(name="sum"), "it is of other tasks: sum then, vector_add now"),
        (replace(grade(), stars=3), "in all: 3 stars then, 2 stars now"),
        (replace(grade(), tasks=[]), "it is of other tasks:  then, vector_add now"),
    ],
)
def test_any_difference_is_named(claimed, said):
    again = compare_grades(claimed, grade())
    assert not again.stands and said in again.differs


def test_of_many_counters_a_few_are_named():
    many = {f"counter_{number}": number for number in range(10)}
    differs = compare_grades(grade(counters=many), grade(counters=dict.fromkeys(many, -1))).differs
    assert len(differs) == 5 and differs[-1] == "vector_add: 6 more counters"


def test_a_counted_target_must_agree_exactly():
    before, after = (grade(targets=[target("global_load_efficiency", value, True)]) for value in (0.98, 0.9800001))
    assert compare_grades(before, after).differs == ("vector_add, load efficiency: 0.98 then, 0.98 now",)


def timed(fraction, met, stars, status="passed"):
    return grade(status, stars, H200, {}, [target("fraction_of_copy", fraction, met)])


def test_times_agree_within_noise():
    assert compare_grades(timed(1.00, True, 3), timed(0.985, True, 3)).stands
    again = compare_grades(timed(1.00, True, 3), timed(0.90, False, 2))
    assert "vector_add, fraction of copy: 1 then, 0.9 now" in again.differs
    assert "vector_add: 3 stars then, 2 stars now" in again.differs


def test_a_goal_that_noise_decides_is_a_note():
    again = compare_grades(timed(0.972, True, 3), timed(0.968, False, 2))
    assert again.stands
    assert again.notes == ("vector_add: fraction of copy 0.972 then, 0.968 now, >= 0.97 is asked: within noise",)
    assert compare_grades(timed(0.972, True, 1), timed(0.968, False, 0, "below_target")).stands
    assert not compare_grades(timed(0.972, True, 3), timed(0.968, False, 0, "wrong_result")).stands


def test_on_another_device_only_right_and_wrong_are_compared():
    again = compare_grades(timed(1.0, True, 3), grade(stars=2))
    assert again.stands and "counts, times and stars are not compared" in again.notes[0]
    assert not compare_grades(timed(1.0, True, 3), grade("race", 0)).stands


def test_another_compiler_may_count_other_instructions_and_nothing_else():
    lanes = [[target("active_lanes", value, True)] for value in (0.99, 0.98)]
    before, after = (grade(counters=COUNTERS | {"branches": n}, targets=lanes[n]) for n in (0, 1))
    assert not compare_grades(before, after).stands
    assert compare_grades(before, after, same_compiler=False).stands
    missed = grade(counters=COUNTERS, targets=[target("active_lanes", 0.9, False)])
    assert not compare_grades(before, missed, same_compiler=False).stands
    assert not compare_grades(before, grade(counters={"launches": 2}), same_compiler=False).stands
