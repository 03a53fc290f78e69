"""Another operator in the place of the right one: x * y for x + y, and a + b, or the largest a * b, in a sum of a * b.

What the terms are is told by the names of the sizes: `a` of m, k and `b` of k, n make an m x n output of sums along k.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import product

import torch
from torch import Tensor

from grader.judge.causes.asked import Case, Cause

MOST_TERMS = 1 << 19  # of all outputs together
SAME = 1e-6

Operator = Callable[[Tensor, Tensor], Tensor]
Reduction = Callable[[Tensor], Tensor]  # along the last axis

_OPERATORS: Mapping[str, Operator] = {
    "{a} + {b}": torch.add,
    "{a} - {b}": torch.sub,
    "{b} - {a}": lambda a, b: b - a,
    "{a} * {b}": torch.mul,
    "{a} / {b}": torch.div,
    "fmaxf({a}, {b})": torch.maximum,
    "fminf({a}, {b})": torch.minimum,
}
_REDUCTIONS: Mapping[str, Reduction] = {
    "the sum of": lambda terms: terms.sum(-1),
    "the largest of": lambda terms: terms.amax(-1),
    "the largest of 0 and": lambda terms: terms.amax(-1).clamp(min=0),
    "the smallest of": lambda terms: terms.amin(-1),
    "the smallest of 0 and": lambda terms: terms.amin(-1).clamp(max=0),
    "the logarithm of the sum of exp of": lambda terms: terms.logsumexp(-1),
}
_SAYS = "{buffer} is {got}, and should be {right}: look at the line that {does}."


def causes_of_operators(case: Case) -> Iterator[Cause]:
    """Of an output that two inputs make, element by element, or added up along one axis that both have."""
    if (pair := _pair(case)) is None:
        return
    is_right = partial(_is_close, case.expected, case.allowed)
    single = pair[2].shape[-1] == 1 and not _summed(case)
    reductions = {"": lambda terms: terms[..., 0]} if single else _REDUCTIONS
    claims = list(product(reductions.items(), _OPERATORS.items()))
    # Of a sum of one term much is right.
    right = [(how, of) for (how, reduce), (of, operator) in claims if is_right(reduce(operator(*pair[2:])))]
    if len(right) != 1:
        return
    for (how, _), (of, _) in claims:
        if (how, of) != right[0]:
            said = _said(case, pair[:2], (how, of), right[0])
            yield Cause(f"operator_{how}_{of}", partial(_is_made_by, how, of), partial(_told, said))


def _said(case: Case, names: tuple[str, str], got: tuple[str, str], right: tuple[str, str]) -> str:
    told = [" ".join(each for each in parts if each).format(a=names[0], b=names[1]) for parts in (got, right)]
    does = "makes each term" if got[0] == right[0] else "puts the terms together"
    does = "computes it" if not right[0] else does
    return _SAYS.format(buffer=case.buffer, got=told[0], right=told[1], does=does)


def _told(said: str, _: Case) -> str:
    return said


def _is_made_by(how: str, of: str, case: Case) -> bool:
    if (pair := _pair(case)) is None:
        return False
    terms = _OPERATORS[of](*pair[2:])
    return case.is_right_for(_REDUCTIONS[how](terms) if how else terms[..., 0])


def _is_close(expected: Tensor, allowed: Tensor, claim: Tensor) -> bool:
    claim = claim.reshape(expected.shape)
    return bool(claim.isfinite().all() and ((claim - expected).abs() <= allowed).all())


def _axes(case: Case) -> dict[str, list[str]]:
    """The names of the sizes of the two inputs, and of the output; none where it has others."""
    task = getattr(case.call, "task", None)
    names = [name for name, values in case.inputs.items() if values.is_floating_point()]
    if task is None or len(names) != 2 or len(case.inputs) != 2:
        return {}
    return {name: [axis.strip() for axis in task.shapes[name].split(",")] for name in (*names, case.buffer)}


def _summed(case: Case) -> list[str]:
    """The axes that both inputs have, and the output has not."""
    of_a, of_b, of_output = _axes(case).values()
    return [axis for axis in of_a if axis in of_b and axis not in of_output]


def _pair(case: Case) -> tuple[str, str, Tensor, Tensor] | None:
    """The inputs' names, and both spread out: the output's axes, and behind them the one of the terms."""
    if not (axes := _axes(case)):
        return None
    a, b, output = axes
    summed = _summed(case)
    order = [*axes[output], *summed]
    are_named_once = all(len(set(each)) == len(each) for each in (axes[a], axes[b], order))
    if len(summed) > 1 or set(axes[a]) | set(axes[b]) != set(order) or not are_named_once:
        return None
    spread = [_spread(case.inputs[name].double(), axes[name], order) for name in (a, b)]
    both = torch.broadcast_tensors(*spread)
    if both[0].numel() > MOST_TERMS or both[0].numel() == 0:
        return None
    one, other = (each if summed else each.unsqueeze(-1) for each in both)
    return a, b, one, other


def _spread(values: Tensor, axes: list[str], order: list[str]) -> Tensor:
    """With an axis for each of `order`, of length 1 where it has none."""
    sorted_axes = sorted(range(len(axes)), key=lambda at: order.index(axes[at]))
    moved = values.permute(sorted_axes)
    lengths = dict(zip((axes[at] for at in sorted_axes), moved.shape, strict=True))
    return moved.reshape([lengths.get(axis, 1) for axis in order])
