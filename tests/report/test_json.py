import json

import pytest
from grades import BROKEN, CRASHED, OUT_OF_BOUNDS, PASSED, UNGRADED, WRONG, as_graded

from grader.judge.again import Again
from grader.report.json_ import dumps, dumps_all, from_json, to_json


def test_the_schema_of_a_grade():
    grade = to_json(PASSED)
    known = ["schema", "lesson", "kernel", "device", "status", "stars", "seed", "tasks", "seconds"]
    assert list(grade) == [*known, "several", "sandbox"]
    [task] = grade["tasks"]
    assert {"name", "status", "stars", "cases", "counters", "timings", "targets", "diagnostics"} <= set(task)
    assert task["targets"][0] == {
        "metric": "global_load_efficiency",
        "value": 0.5,
        "goal": ">= 0.97",
        "stars": 3,
        "met": False,
        "why": "neighbouring threads should read neighbours",
        "rung": 2,
        "case": "",
    }
    assert task["position"] == {
        "rung": 1,
        "rungs": 3,
        "name": "one_element",
        "idea": "a thread for each element",
        "next": "grid_stride",
        "next_idea": "several elements a thread",
        "next_is_told": True,
        "told": 2,
    }
    assert {"name", "status", "max_error", "allowed_error", "findings"} <= set(task["cases"][0])


def test_a_finding_says_where():
    finding = to_json(OUT_OF_BOUNDS)["tasks"][0]["cases"][1]["findings"][1]
    assert (finding["kind"], finding["line"], finding["kernel"]) == ("out_of_bounds", 3, "add")
    assert (finding["block"], finding["thread"]) == ([0, 0, 0], [31, 0, 0])


def test_it_is_strict_json_even_with_infinities():
    def refuse(constant):
        raise AssertionError(constant)

    grade = json.loads(dumps(WRONG), parse_constant=refuse)
    assert grade["tasks"][0]["cases"][1]["max_error"] == "inf"


def test_several_grades_are_one_object():
    both = json.loads(dumps_all([as_graded(PASSED), as_graded(WRONG), UNGRADED]))
    assert both["schema"] == 1 and both["problems"] == [
        {"kernel": "work/09_gone.cu", "status": "not_graded", "message": "It is gone."}
    ]
    assert [grade["status"] for grade in both["grades"]] == ["passed", "wrong_result"]


@pytest.mark.parametrize("grade", [PASSED, OUT_OF_BOUNDS, WRONG, BROKEN, CRASHED])
def test_a_grade_comes_back_from_json(grade):
    again = json.loads(dumps(grade))
    assert to_json(from_json(again)) == to_json(grade)


def test_a_grade_from_before_there_were_rungs_is_read():
    grade = to_json(PASSED)
    del grade["tasks"][0]["position"]
    for target in grade["tasks"][0]["targets"]:
        del target["rung"]
    task = from_json(grade).tasks[0]
    assert task.stars == 2 and task.position.rungs == 0 and {target.rung for target in task.targets} == {0}


@pytest.mark.parametrize(
    "change",
    [{"schema": 2}, {"status": "fine"}, {"device": {}}, {"tasks": [{}]}, {"tasks": [{"position": 3}]}, {"more": 1}],
)
def test_what_is_no_grade_is_refused(change):
    with pytest.raises((TypeError, LookupError, ValueError)):
        from_json(to_json(PASSED) | change)


def test_a_hand_in_says_whether_its_grade_stands():
    claim = json.loads(dumps(PASSED, Again(("other stars",))))["hand_in"]
    assert claim == {"stands": False, "differs": ["other stars"], "notes": []}
