import pytest

from grader.devices.evidence import Finding
from grader.judge.verdict import STATUS_OF, STATUSES, decisive, first_status, status_of


def test_every_status_a_finding_can_have_exists():
    assert set(STATUS_OF.values()) <= set(STATUSES) - {"passed", "below_target"}


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        ("out_of_bounds", "out_of_bounds"),
        ("misaligned", "misaligned"),
        ("host_access", "host_access"),
        ("barrier_divergence", "barrier_divergence"),
        ("deadlock", "deadlock"),
        ("shuffle_partner", "deadlock"),
        ("timeout", "timeout"),
        ("assert", "crash"),
        ("stack_overflow", "crash"),
        ("crash", "crash"),
        ("launch_error", "launch_error"),
        ("leak", "leak"),
        ("race", "race"),
        ("uninitialized_read", "uninitialized_read"),
        ("input_modified", "input_modified"),
        ("a kind of tomorrow", "crash"),
        (["no", "kind"], "crash"),
    ],
)
def test_kinds_lead_to_statuses(kind, status):
    assert status_of(Finding(kind, "")) == status
    assert status_of(Finding(kind, "", severity="note")) == "passed"


@pytest.mark.parametrize(
    ("kind", "message", "status"),
    [
        ("inline_ptx", "`wgmma.fence.sync.aligned` is not emulated: try another way", "not_emulated"),
        ("inline_ptx", "`add`: its type is missing, as in `.u32`", "build_error"),
        ("trap", "cudaMallocManaged is not emulated in a graded file: use cudaMalloc", "not_emulated"),
        ("assert", '`x == 1 && "is not emulated"` fails', "crash"),
    ],
)
def test_what_is_not_emulated_is_no_fault_of_the_kernel(kind, message, status):
    assert status_of(Finding(kind, message)) == status


def test_the_most_urgent_finding_decides_and_notes_never_do():
    note = Finding("out_of_bounds", "a note", severity="note")
    races = [Finding("race", "first"), Finding("race", "second")]
    assert decisive([note]) is None
    assert decisive([note, *races]) is races[0]
    assert decisive([*races, leak := Finding("leak", ""), deadlock := Finding("deadlock", "")]) is deadlock
    assert decisive([leak, note]) is leak


def test_the_first_status_of_several():
    assert first_status([]) == "passed"
    assert first_status(["passed", "passed"]) == "passed"
    assert first_status(["wrong_result", "passed", "race", "below_target"]) == "race"
