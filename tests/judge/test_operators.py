"""Another operator than the one that a task asks for is told, and nothing of a file with the right one."""

from types import SimpleNamespace

import pytest
import torch

from grader.judge.causes.asked import Case
from grader.judge.causes.operators import causes_of_operators
from grader.judge.causes.variations import cause
from grader.judge.inputs import Draw

SUM = ({"x": "n", "y": "n", "z": "n"}, lambda x, y: x + y)
PRODUCT = ({"a": "m, k", "b": "k, n", "c": "m, n"}, lambda a, b: a @ b)
PAIRS = ({"a": "m, k", "b": "n, k", "c": "m, n"}, lambda a, b: a @ b.T)
LOGS = (
    {"a": "batch, n, m", "b": "batch, m, p", "out": "batch, n, p"},
    lambda a, b: (a[..., None] + b[:, None]).logsumexp(2),
)


def case(task, wrong, sizes):
    shapes, right = task
    draw = Draw(sum(sizes.values()))
    *names, output = shapes

    def values(name):
        lengths = [sizes[axis] for axis in shapes[name].split(", ")]
        count = torch.Size(lengths).numel()
        return draw.normal(count).double().view(lengths)

    inputs = {name: values(name) for name in names}
    expected, got = right(**inputs), wrong(*inputs.values())
    call = SimpleNamespace(scalars=sizes, terms=sizes.get("k", 1), task=SimpleNamespace(shapes=shapes))
    launch = {"kernel": "k", "grid": [1, 1, 1], "block": [64, 1, 1]}

    def reference(given):
        return {output: right(**{name: given[name] for name in names})}

    return Case(call, reference, inputs, output, got, expected, 1e-6 + 0 * expected, [launch])


SIZES = [{"n": 40, "m": 31, "k": 33, "batch": 2, "p": 5}, {"n": 7, "m": 9, "k": 20, "batch": 3, "p": 4}]


@pytest.mark.parametrize(
    ("task", "wrong", "said"),
    [
        (SUM, lambda x, y: x * y, "z is x * y, and should be x + y: look at the line that computes it."),
        (SUM, lambda x, y: y / x, ""),
        (SUM, lambda x, y: x.maximum(y), "z is fmaxf(x, y), and should be x + y"),
        (SUM, lambda x, y: y - x, "z is y - x, and should be x + y"),
        (
            PRODUCT,
            lambda a, b: (a[:, :, None] + b).sum(1),
            "c is the sum of a + b, and should be the sum of a * b: look at the line that makes each term.",
        ),
        (PRODUCT, lambda a, b: (a[:, :, None] * b).amax(1), "c is the largest of a * b, and should be the sum of"),
        (PAIRS, lambda a, b: (a[:, None] - b).sum(2), "c is the sum of a - b, and should be the sum of a * b"),
        (LOGS, lambda a, b: (a[..., None] * b[:, None]).logsumexp(2), "the logarithm of the sum of exp of a * b"),
        (LOGS, lambda a, b: (a[..., None] + b[:, None]).amin(2), "out is the smallest of a + b, and should be"),
    ],
)
def test_the_operator_is_told(task, wrong, said):
    cases = [case(task, wrong, sizes) for sizes in SIZES]
    found = cause(cases, causes_of_operators)
    assert said in found.message(cases[0]) if said else found is None


def test_other_tasks_have_no_operator():
    other = ({"x": "n", "y": "n", "z": "n"}, lambda x, y: x.sin() * y)
    assert not list(causes_of_operators(case(other, lambda x, y: x, SIZES[0])))
    sums = ({"x": "m, k", "z": "m"}, lambda x: x.sum(1))
    assert not list(causes_of_operators(case(sums, lambda x: x.amax(1), SIZES[0])))
    outer = ({"x": "n", "y": "n", "z": "n, n"}, lambda x, y: x[:, None] + y)  # of which no name tells rows from columns
    assert not list(causes_of_operators(case(outer, lambda x, y: x[:, None] * y, SIZES[0])))
