"""A sum that is not set to 0 again for the next element of a thread is told."""

from types import SimpleNamespace

import pytest

from grader.judge.causes.asked import Case
from grader.judge.causes.variations import cause, causes_seen
from grader.judge.inputs import Draw


def case(rows, cols, axis, step):
    right = Draw(rows).normal(rows * cols).double().view(rows, cols)
    got = right.clone()
    lines, carried = right.movedim(axis, 0), got.movedim(axis, 0)
    for place in range(step, len(lines)):
        carried[place] += carried[place - step]
    call = SimpleNamespace(scalars={"rows": rows, "cols": cols}, terms=rows)
    launch = {"kernel": "k", "grid": [rows, 1, 1], "block": [32, 1, 1]}
    return Case(call, lambda inputs: {}, {}, "out", got, right, 1e-6 + 0 * right, [launch])


@pytest.mark.parametrize(
    ("axis", "step", "said"), [(1, 32, "the column 32 before holds"), (0, 1, "the row before holds"), (1, 5, "")]
)
def test_what_was_carried_over_is_told(axis, step, said):
    cases = [case(9, 70, axis, step), case(5, 100, axis, step)]
    found = cause(cases, causes_seen)
    assert said in found.message(cases[0]) if said else found is None
