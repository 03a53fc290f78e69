"""Is an answer right? Compares what a submission left in its outputs with a float64 reference."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from grader.course.call import Call
from grader.course.catalog import UsageError
from grader.course.lesson import Task, Tensors
from grader.course.prototype import CType
from grader.devices.buffers import CaseBuffers
from grader.judge.causes.answers import ENOUGH, Answer, Pattern
from grader.judge.causes.elements import unravel
from grader.judge.causes.often import Launches
from grader.judge.causes.patterns import recognise
from grader.judge.verdict import Status

MOST_ANGLES = 1 << 12  # wrong elements for which the right ones for other inputs are worked out


@dataclass(frozen=True)
class Expected:
    """What one output must hold: `values` in float64 (int64 for integers), each within `allowed`, in float64.

    Where `values` is inf or NaN, or too large for the output's type, the output must be the same inf or NaN.
    """

    values: Tensor
    allowed: Tensor


@dataclass(frozen=True)
class Output:
    """What a submission left in one output: `values` in the buffer's own type, `written` a bool for each element."""

    values: Tensor
    written: Tensor


@dataclass
class Comparison:
    """The verdict on the outputs of a case. The errors are those of the element that comes closest to its limit."""

    status: Status = "passed"
    message: str = ""
    max_error: float | None = None
    allowed_error: float | None = None
    details: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Context:
    """What helps to explain a wrong answer: the call and its inputs, the outputs of the case before, the launches."""

    inputs: Tensors = field(default_factory=dict)
    previous: Tensors = field(default_factory=dict)
    launches: Launches = ()
    call: Call | None = None


@dataclass(frozen=True)
class Prepared:
    """A call with all that the judge knows of it."""

    call: Call
    buffers: CaseBuffers
    inputs: Mapping[str, Tensor]
    expected: Mapping[str, Expected]


# ---- what is expected ----


def expect_all(calls: Sequence[Call], inputs: Sequence[Tensors]) -> list[dict[str, Expected]]:
    """`expect` of each call."""
    return [expect(call, given) for call, given in zip(calls, inputs, strict=True)]


def expect(call: Call, inputs: Tensors, outputs: Sequence[str] = (), terms: int = 0) -> dict[str, Expected]:
    """The outputs by name, all or these, from the task's reference run in float64. `terms` are summed for an element;
    by default as many as the task says. Raises UsageError if the lesson is broken.
    """
    task, shapes = call.task, call.shapes
    arguments = {**widen(inputs), **call.scalars}
    values = _call(task, "reference", task.reference, arguments)
    magnitudes: Tensors = {}
    if task.tolerance.magnitude is not None:
        magnitudes = _call(task, "magnitude", task.tolerance.magnitude, arguments)
    factor = task.tolerance.c * math.sqrt(terms or call.terms)
    expected = {}
    for output in (each for each in task.results if not outputs or each.name in outputs):
        shape = shapes[output.name]
        value = _shaped(task, "reference", values, output.name, shape)
        magnitude = _shaped(task, "magnitude", magnitudes, output.name, shape) if output.name in magnitudes else value
        expected[output.name] = _expected(value, magnitude, output.type, factor)
    return expected


def results(call: Call, inputs: Tensors) -> Tensors:
    """What the reference makes of inputs in float64."""
    return _call(call.task, "reference", call.task.reference, {**call.scalars, **inputs})


def widen(tensors: Tensors) -> dict[str, Tensor]:
    """Floating tensors in float64, the others as they are."""
    return {name: t.double() if t.is_floating_point() else t for name, t in tensors.items()}


def _expected(value: Tensor, magnitude: Tensor, ctype: CType, factor: float) -> Expected:
    """The error model of lesson.Tolerance. An integer output must be exact."""
    if not ctype.is_floating:
        values = value.round() if value.is_floating_point() else value
        return Expected(values.to(torch.int64), torch.zeros_like(value, dtype=torch.float64))
    limits = torch.finfo(getattr(torch, ctype.torch))
    allowed = magnitude.double().abs().mul_(factor * ctype.unit_roundoff)
    # Below the smallest normal number precision ends, and a GPU may flush to zero.
    return Expected(value.double(), allowed.nan_to_num_(0.0, posinf=0.0).add_(limits.tiny))


def _call(task: Task, what: str, function: Any, arguments: dict[str, Any]) -> Tensors:
    try:
        tensors: Tensors = function(**arguments)
        return tensors
    except Exception as error:
        raise UsageError(f"the {what} of task {task.name} failed: {type(error).__name__}: {error}") from error


def _shaped(task: Task, what: str, tensors: Tensors, name: str, shape: tuple[int, ...]) -> Tensor:
    tensor = tensors.get(name)
    if tensor is None or tensor.numel() != math.prod(shape):
        got = "nothing" if tensor is None else f"the shape {tuple(tensor.shape)}"
        raise UsageError(f"the {what} of task {task.name} returns {got} for {name}, which has the shape {shape}")
    return tensor.reshape(shape)


# ---- whether it is there ----


def compare(expected: Mapping[str, Expected], left: Mapping[str, Output], context: Context | None = None) -> Comparison:
    """Judges all outputs: every element written, finite where it should be, and within its tolerance."""
    context = context or Context()
    for judge in (_check_written, _check_values):
        found = [judge(name, want, left[name], context) for name, want in expected.items()]
        failed = next((comparison for comparison in found if comparison.status != "passed"), None)
        if failed and judge is _check_values:
            failed.details["right"] = [
                name for name, one in zip(expected, found, strict=True) if one.status == "passed"
            ]
        if failed:
            return failed
    return max(found, key=lambda one: _use(one.max_error, one.allowed_error), default=Comparison())


def input_modified(place: str) -> Comparison:
    """The verdict on a submission that changed its const inputs; `place` is the first element, "x[3]"."""
    return Comparison("input_modified", f"The kernel changed {place}: an input may only be read.")


def guard_broken(buffer: str, side: str, byte: int) -> Comparison:
    """The verdict on a submission that wrote beside a buffer, `byte` bytes "before" or "after" it (buffers.Breach)."""
    where = f"below {buffer}[0]" if side == "before" else f"beyond the end of {buffer}"
    return Comparison("out_of_bounds", f"Memory {where} was overwritten ({byte} bytes {side} it).")


def _check_written(name: str, want: Expected, left: Output, context: Context) -> Comparison:
    # An integer may rightly be the very pattern that marks unwritten memory.
    missing = ~left.written
    if not left.values.is_floating_point():
        missing &= _widened(left.values) != want.values
    if not bool(missing.any()):
        return Comparison()
    answer = _answer(name, want, left, missing, context, written=False)
    details = _details(answer)
    message = f"{answer.at(details['first'])} was never written{_share(answer)}."
    return Comparison("not_written", message, details=details)


def _check_values(name: str, want: Expected, left: Output, context: Context) -> Comparison:
    got = _widened(left.values)
    if got.numel() == 0:
        return Comparison(max_error=0.0, allowed_error=0.0)
    gap = (got.double() - want.values.double()).abs_()  # large, as all that is made of it: new memory costs the most
    right = _is_right(want, left.values, gap)
    error = _error(gap, right)
    worst = int(_use_of(error, want.allowed).argmax())
    comparison = Comparison(max_error=float(error.flatten()[worst]), allowed_error=float(want.allowed.flatten()[worst]))
    if bool(right.all()):
        return comparison
    answer = _answer(name, want, left, ~right, context, written=True)
    comparison.status = "wrong_result"
    comparison.details = details = _details(answer, _lost_nan(answer) or _other_angle(answer, context))
    said, asked = _pair(details["got"], details["expected"])
    where = answer.at(details["first"])
    comparison.message = f"{where} is {said}, but should be {asked}{_share(answer)}."
    return comparison


def _is_right(want: Expected, values: Tensor, gap: Tensor) -> Tensor:
    """True for each element that may stand: within its tolerance, or the inf or NaN that is asked for."""
    if not values.is_floating_point():
        return _widened(values) == want.values
    close = gap <= want.allowed  # false for NaN
    most = torch.finfo(values.dtype).max
    if bool(close.all()) and all(-most <= float(end) <= most for end in want.values.aminmax()):
        return close
    got, rounded = _widened(values), want.values.to(values.dtype).double()
    same = (got == rounded) | (got.isnan() & rounded.isnan())
    return torch.where(rounded.isfinite(), close, same)


def _error(gap: Tensor, right: Tensor) -> Tensor:
    """|got - expected|; 0 where both are the same inf or NaN, inf where only one of them is finite."""
    if math.isfinite(gap.sum()):
        return gap
    return torch.where(gap.isfinite(), gap, torch.where(right, 0.0, math.inf))


def _use_of(error: Tensor, allowed: Tensor) -> Tensor:
    """Which share of its tolerance an error uses up; 0 / 0 is 0."""
    return (error / allowed).nan_to_num_(0.0, posinf=math.inf).flatten()


def _use(error: float | None, allowed: float | None) -> float:
    return (error or 0.0) / allowed if allowed else 0.0


def _widened(values: Tensor) -> Tensor:
    return values.double() if values.is_floating_point() else values.to(torch.int64)


# ---- how it is told ----


def _answer(name: str, want: Expected, left: Output, bad: Tensor, context: Context, *, written: bool) -> Answer:
    previous = context.previous.get(name)
    return Answer(
        buffer=name,
        got=_widened(left.values),
        expected=want.values,
        allowed=want.allowed,
        bad=bad,
        written=written,
        inputs={key: _widened(tensor) for key, tensor in context.inputs.items()},
        previous=None if previous is None else _widened(previous),
        launches=context.launches,
        sizes={} if context.call is None else context.call.scalars,
    )


_MOST_OF_ANGLES = 1e6  # of a function of an angle
_ANGLES = {
    math.pi: "pi times {}: functions whose names end in pi, as cospif, multiply by it themselves",
    180 / math.pi: "{} turned into degrees: cosf and sinf take radians",
    math.pi / 180: "{} taken as degrees: it is in radians already",
}


def _lost_nan(answer: Answer) -> Pattern | None:
    """The wrong elements should all be NaN, and an input has what makes them so."""
    floats = {name: tensor for name, tensor in answer.inputs.items() if tensor.is_floating_point()}
    name = next((name for name, tensor in floats.items() if not bool(tensor.isfinite().all())), None)
    if name is None or not bool(answer.expected[answer.bad].isnan().all()):
        return None
    why = "`>` and fmaxf drop a NaN, so a sum must carry it on, and inf - inf, which is NaN, too"
    return Pattern("lost_nan", f"What is wrong should be NaN, for {name} has NaN or infinite elements: {why}.")


def _other_angle(answer: Answer, context: Context) -> Pattern | None:
    """The wrong elements are what they should be for another angle, within what float32 loses on the way there.

    Asked of tasks that sum nothing: where an element has one term, it may be a function of an angle.
    """
    floats = {name: tensor.double() for name, tensor in context.inputs.items() if tensor.is_floating_point()}
    sums = context.call is None or context.call.task.tolerance.terms != "1"  # at other sizes, too
    if context.call is None or sums or not ENOUGH <= int(answer.bad.sum()) <= MOST_ANGLES:
        return None
    for (name, angles), (factor, what) in itertools.product(floats.items(), _ANGLES.items()):
        claim = expect(context.call, {**context.inputs, name: factor * angles})[answer.buffer].values[answer.bad]
        most = float(claim.abs().amax())  # next to a very large number all others are nothing
        near = [bool(((each[answer.bad] - claim).abs() <= 1e-4 * most).all()) for each in (answer.got, answer.expected)]
        if most < _MOST_OF_ANGLES and near == [True, False]:  # of an input that does not count, the claim is right, too
            return Pattern("other_angle", f"What is wrong in {answer.buffer} is right for {what.format(name)}.")
    return None


def _details(answer: Answer, pattern: Pattern | None = None) -> dict[str, Any]:
    """The first bad element, who should have written it, how many there are, and the pattern they make."""
    first = int(answer.bad.flatten().nonzero()[0])
    pattern = pattern or recognise(answer)
    details = {
        "buffer": answer.buffer,
        "first": first,
        "index": unravel(first, answer.got.shape),
        "got": answer.got.flatten()[first].item() if answer.written else None,
        "expected": answer.expected.flatten()[first].item(),
        "allowed": answer.allowed.flatten()[first].item(),
        "bad": int(answer.bad.sum()),
        "total": answer.bad.numel(),
        "launched_threads": sum(math.prod([*launch["grid"], *launch["block"]]) for launch in answer.launches),
        **_owner(first, answer.bad.numel(), answer.launches),
    }
    if pattern and pattern.otherwise:
        details["otherwise"] = {"pattern": pattern.otherwise.name, "pattern_message": pattern.otherwise.message}
    return details | ({"pattern": pattern.name, "pattern_message": pattern.message} if pattern else {})


def _owner(first: int, count: int, launches: Launches) -> dict[str, Any]:
    """Block and thread of an element, if the only launch is one-dimensional with as many blocks as elements need.

    That is the usual mapping, not a fact that was seen: the reports say "with one thread an element". A single block
    says nothing, for it would be one block, too, if each thread had several elements.
    """
    if len(launches) != 1:
        return {}
    (blocks, *grid), (threads, *block) = launches[0]["grid"], launches[0]["block"]
    if [*grid, *block] != [1, 1, 1, 1] or blocks < 2 or blocks != -(-count // threads):
        return {}
    return {"block": [first // threads, 0, 0], "thread": [first % threads, 0, 0]}


def _share(answer: Answer) -> str:
    """` (232 of 1,000 elements are wrong)`, to follow a sentence; empty for an output of one element."""
    count, total = int(answer.bad.sum()), answer.bad.numel()
    return f" ({count:,} of {total:,} elements {'is' if count == 1 else 'are'} {answer.verb})" if total > 1 else ""


def _pair(got: float, expected: float) -> tuple[str, str]:
    """Two numbers as a learner reads them: whole, or with seven digits, or with as many as tell them apart."""
    if isinstance(got, int):
        return str(got), str(expected)
    short = f"{got:.7g}", f"{expected:.7g}"
    return short if short[0] != short[1] else (repr(got), repr(expected))
