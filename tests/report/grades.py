"""Grades to report on, made by hand."""

from __future__ import annotations

from dataclasses import replace

from grader.devices.evidence import Diagnostic, Finding
from grader.judge.verdict import CaseGrade, Grade, Position, TargetResult, TaskGrade
from grader.report.graded import Graded

SOURCE = "\n".join(
    [
        "__global__ void add(const float* x, const float* y, float* z, int n) {",
        "    int i = blockIdx.x * blockDim.x + threadIdx.x;",
        "    z[i] = x[i] + y[i];",
        "}",
    ]
)
TARGETS = [
    TargetResult("global_load_efficiency", 0.5, ">= 0.97", 3, False, "neighbouring threads should read neighbours", 2),
    TargetResult("shared_bank_conflicts", 0, "<= 0", 2, True, rung=1),
    TargetResult("x_torch.add", None, ">= 1", 0, False, rung=3),
]
POSITION = Position(
    1, 3, "one_element", "a thread for each element", "grid_stride", "several elements a thread", told=2
)
PASSED = Grade(
    lesson="01_vector_add",
    kernel="work/01_vector_add.cu",
    device={"kind": "emulator", "name": "emulated GPU"},
    status="passed",
    stars=2,
    seed=123,
    tasks=[
        TaskGrade(
            "vector_add",
            "passed",
            2,
            cases=[CaseGrade("n=1", "passed", max_error=1e-8, allowed_error=1e-7), CaseGrade("n=31", "passed")],
            targets=TARGETS,
            position=POSITION,
            counters={"launches": 1},
        )
    ],
    seconds={"build": 0.42, "run": 0.1, "total": 1.2},
)


def failed(status: str, case: CaseGrade | None = None, **extra) -> Grade:
    """The same grade with one failing case."""
    cases = [CaseGrade("n=1", "passed"), case or CaseGrade("n=31", status, "It went wrong.")]
    return replace(PASSED, status=status, stars=0, tasks=[TaskGrade("vector_add", status, 0, cases=cases, **extra)])


OUT_OF_BOUNDS = failed(
    "out_of_bounds",
    CaseGrade(
        "n=31",
        "out_of_bounds",
        findings=[
            Finding("race", "worth knowing", severity="note"),
            Finding(
                "out_of_bounds",
                "This thread reads x[31], but x has 31 elements.",
                line=3,
                kernel="add",
                block=(0, 0, 0),
                thread=(31, 0, 0),
            ),
        ],
    ),
)
WRONG = failed(
    "wrong_result",
    CaseGrade(
        "n=31",
        "wrong_result",
        "z[7] is 0, but should be 0.25 (24 of 31 elements are wrong).",
        max_error=float("inf"),
        allowed_error=1e-7,
        details={
            "allowed": 1.2e-7,
            "total": 31,
            "pattern": "tail",
            "pattern_message": "Everything from z[7] on is wrong; all before it is right.",
            "block": [0, 0, 0],
            "thread": [7, 0, 0],
        },
    ),
)
BROKEN = failed(
    "build_error",
    diagnostics=[
        Diagnostic("unused variable 'k'", 2, 9, "    int k;", level="warning"),
        Diagnostic("expected ';' before '}' token", 3, 23, "    z[i] = x[i] + y[i]"),
        Diagnostic("'zz' was not declared in this scope", 9, 5, "    zz = 1;"),
        Diagnostic("third", 10, 1, "x"),
    ],
)
CRASHED = replace(
    failed("crash"),
    tasks=[TaskGrade("vector_add", "crash", 0, "The program ended with exit code 3.", output="hello\x1b[2Jthere\n")],
)
TIMED = {
    "median_us": 738.0,
    "case": "n=268435456",
    "samples": 223,
    "noise": 0.002,
    "ceilings": {"copy": 4.25e12},
    "units": {"copy": "B/s"},
    "launched": "one by one",
    "shared_memory": True,
    "baselines_us": {"torch.add": 740.0},
}
UNGRADED = Graded("09_gone", "work/09_gone.cu", problem="It is gone.")


def as_graded(grade: Grade, source: str = SOURCE, **extra) -> Graded:
    """The grade as a report gets it."""
    return Graded(grade.lesson, grade.kernel, source, grade, title="Vector addition", **extra)
