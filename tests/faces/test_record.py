"""Recording a lesson's kernel, from its name to the steps of one block."""

import pytest

from grader.course import catalog
from grader.course.catalog import UsageError
from grader.faces.record import record


def test_the_second_warp_of_vector_add():
    rung = catalog.find("01").rungs[0]
    recording = record("01", rung)
    loads = [step for step in recording.accesses(warp=1, space="global") if step.kind == "load"]
    assert [(step.array.name, step.offsets[0], len(step.sectors)) for step in loads] == [("x", 128, 4), ("y", 128, 4)]
    assert loads[0].offsets == tuple(range(128, 256, 4))
    assert recording == record("01", rung)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"launch": 9}, r"launches \d kernels in this case: launch 9 is not among them"),
        ({"block": (0, 1, 0)}, r"has a grid of \[\d+, 1, 1\] blocks: block \(0, 1, 0\) is none"),
        ({"case": "n=7"}, "task vector_add has no case 'n=7'"),
        ({"source": "int main("}, "the kernel cannot be recorded:"),
    ],
)
def test_what_cannot_be_recorded(asked, said):
    with pytest.raises(UsageError, match=said):
        record("01", **asked)
