"""`ladder check --sanitize` and `ladder explain --device cuda`: what their findings do to a grade, and what is missing.

The tools themselves and the GPU are replaced; tests/gpu runs them.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.course import catalog
from grader.devices.evidence import Finding
from grader.devices.nvidia.sanitize import Sanitized
from grader.faces import cli, nvidia_tools
from grader.judge.verdict import CaseGrade, Grade, TaskGrade

RACE = Finding("race", "one thread writes while another reads", line=3)
NOTE = Finding("timeout", "racecheck was not done", severity="note")


def grade(status: str = "passed", stars: int = 3, *cases: CaseGrade) -> Grade:
    judged = list(cases) or [CaseGrade("n=1", "passed"), CaseGrade("n=31", "passed")]
    device = {"kind": "cuda", "name": "a card"}
    return Grade(
        "01_vector_add", "k.cu", device, status, stars, 1, [TaskGrade("vector_add", status, stars, "", judged)]
    )


@pytest.fixture
def sanitize(monkeypatch):
    """Gives a grade what the tools found."""
    monkeypatch.setattr(nvidia_tools, "_submission", lambda *_: None)
    monkeypatch.setattr(nvidia_tools, "_subject", lambda *_: None)

    def run(graded: Grade, *found: Sanitized) -> Grade:
        monkeypatch.setattr("grader.devices.nvidia.sanitize.sanitize", lambda *_: list(found))
        nvidia_tools.sanitize(Path("compute-sanitizer"), catalog.find("01"), graded)
        return graded

    return run


def test_nothing_found_changes_nothing(sanitize):
    found = sanitize(grade(), Sanitized("memcheck"), Sanitized("racecheck"))
    assert (found.status, found.stars) == ("passed", 3)


def test_a_finding_takes_the_stars(sanitize):
    found = sanitize(grade(), Sanitized("racecheck", [RACE], "n=31"))
    assert (found.status, found.stars) == ("race", 0)
    task = found.tasks[0]
    assert [case.status for case in task.cases] == ["passed", "race"]
    assert task.cases[1].message == RACE.message and task.cases[1].findings == [RACE]


def test_a_note_takes_nothing(sanitize):
    found = sanitize(grade(), Sanitized("racecheck", [NOTE], "n=31"))
    assert (found.status, found.stars) == ("passed", 3) and found.tasks[0].cases[1].findings == [NOTE]


def test_what_the_emulator_said_of_the_same_lines_is_not_said_twice(sanitize):
    found = Finding("race", "found by a tool", line=3, details={"other_line": 5, "tool": "racecheck"})
    again = Finding("race", "by the emulator", line=5, details={"other_line": 3, "emulated": True})
    other = Finding("race", "in other lines", line=9, details={"emulated": True})
    raced = grade("wrong_result", 0, CaseGrade("n=1", "wrong_result", findings=[again, other]))
    (case,) = sanitize(raced, Sanitized("racecheck", [found], "n=1")).tasks[0].cases
    assert case.findings == [found, other]  # first what is shown first


def test_a_case_that_never_ran_is_there_afterwards(sanitize):
    wrong = CaseGrade("n=1", "wrong_result", "got 1")
    found = sanitize(grade("wrong_result", 0, wrong), Sanitized("memcheck", [Finding("out_of_bounds", "x[1]")], "n=31"))
    assert found.status == "out_of_bounds"
    assert [(case.name, case.status) for case in found.tasks[0].cases] == [
        ("n=1", "wrong_result"),
        ("n=31", "out_of_bounds"),
    ]


def test_a_more_urgent_status_stays(sanitize):
    crashed = CaseGrade("n=1", "crash", "it ended")
    found = sanitize(grade("crash", 0, crashed), Sanitized("racecheck", [RACE], "n=1"))
    assert found.status == "crash" and found.tasks[0].cases[0].message == "it ended"


def test_the_tools_do_not_wait_long_for_a_kernel_that_hangs(sanitize, monkeypatch):
    limits = []
    sanitize(grade())  # replaces what asks for a GPU
    monkeypatch.setattr("grader.devices.nvidia.sanitize.sanitize", lambda *asked: limits.append(asked[2]) or [])
    for status in ("timeout", "passed"):
        nvidia_tools.sanitize(Path("compute-sanitizer"), catalog.find("01"), grade(status, 0, CaseGrade("n=1", status)))
    assert limits == [10.0, 60.0]


def test_a_kernel_that_does_not_build_is_not_watched(sanitize):
    found = sanitize(grade("build_error", 0), Sanitized("racecheck", [RACE], "n=1"))
    assert found.status == "build_error"


# ---- the commands ----


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["check", "01", "--reference", "--sanitize", "--device", "emulator"], "leave out --device emulator"),
        (["check", "01", "--reference", "--sanitize"], "compute-sanitizer needs a GPU, and there is none"),
        (["explain", "01", "--reference", "--device", "cuda"], "ncu needs a GPU, and there is none"),
    ],
)
def test_what_is_missing_is_one_sentence(monkeypatch, capsys, arguments, said):
    monkeypatch.setattr("grader.devices.cuda.card.find_card", lambda: (None, "there is none"))
    assert cli.run(arguments) == cli.WRONG_USAGE
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and said in err


def test_a_missing_tool_is_told_before_anything_is_graded(monkeypatch, capsys):
    monkeypatch.setattr("grader.devices.cuda.card.find_card", lambda: (object(), ""))
    monkeypatch.setattr("grader.devices.nvidia.tool.find_tool", lambda name: None)
    monkeypatch.setattr("grader.grade.grade", lambda *_, **__: pytest.fail("it was graded"))
    assert cli.run(["check", "01", "--reference", "--sanitize"]) == cli.WRONG_USAGE
    assert "compute-sanitizer is not installed" in capsys.readouterr().err
