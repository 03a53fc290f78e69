"""A wrong result with all that it takes to ask why it is wrong, and what an answer to that is."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from grader.course.call import Call
from grader.judge.causes.often import Launches

MOST_NUMBERS = 1 << 15  # of a case's inputs and outputs
MOST_WORK = 1 << 19  # of its reference: terms of all outputs
MOST_WORK_OF_FEW = 1 << 22  # the same, where it is asked some ten times
CLOSE = 2e-6
ENOUGH_IN_PART, MOST_IN_PART = 16, 0.6  # wrong elements of an output; a share of it
LARGE = 100  # times its tolerance: beside it what is hardly more than 0 is nothing
GROWN, OF_GROWN, ENOUGH_GROWN = 30.0, 1e-3, 16  # times what is expected: then so far from it, relative, of so many
OF_16_BITS = 2.0**-8  # relative
ROUNDED = 3e-8  # relative, for each term: how equal terms, added one after the other, may go astray together

Reference = Callable[[Mapping[str, Tensor]], Mapping[str, Tensor]]


@dataclass(frozen=True, eq=False)
class Output:
    """What an output holds, what it should, and how far it may be from that."""

    got: Tensor
    expected: Tensor
    allowed: Tensor

    def holds(self, other: Output) -> bool:
        """Whether it holds what belongs in another output."""
        if self.got.shape != other.expected.shape:
            return False
        return bool(((self.got - other.expected).abs() <= self.allowed.maximum(other.allowed)).all())


@dataclass(frozen=True, eq=False)
class Case:
    """A wrong result, and what it takes to find out why. All numbers are in float64."""

    call: Call
    reference: Reference
    inputs: Mapping[str, Tensor]
    buffer: str
    got: Tensor
    expected: Tensor
    allowed: Tensor
    launches: Launches = field(default=())
    answers: dict[tuple[str, bytes], bool] = field(default_factory=dict)  # of `is_right_with`
    counted_in: dict[str, bool | None] = field(default_factory=dict)
    outputs: Mapping[str, Output] = field(default_factory=dict)  # all of them, by name
    in_part: bool = False  # what is claimed is held against what is wrong alone
    close: float = CLOSE  # relative: how far a float32 sum may be from one in float64, besides its tolerance

    @property
    def numbers(self) -> int:
        return self.got.numel() + sum(values.numel() for values in self.inputs.values())

    @property
    def is_small(self) -> bool:
        """Whether its reference may be asked some hundred times."""
        counts = not any(values.is_floating_point() for values in self.inputs.values())  # takes each element once
        return self.numbers <= MOST_NUMBERS and (counts or self.got.numel() * self.call.terms <= MOST_WORK)

    @property
    def threads(self) -> list[int]:
        """In a block of each launch, and along each of its axes."""
        blocks = [[int(size) for size in launch["block"]] for launch in self.launches]
        found = [size for block in blocks for size in (math.prod(block), *block)]
        return [size for size in dict.fromkeys(found) if size > 1]

    @property
    def is_of_a_size(self) -> bool:
        """Whether what is known of it may be looked at some hundred times, without its reference."""
        return self.numbers <= 4 * MOST_NUMBERS

    def sums_along(self, name: str, axis: int) -> bool:
        """Whether this output adds up what lies along that axis of an input, as far as their shapes tell."""
        task = getattr(self.call, "task", None)
        if task is None:
            return self.inputs[name].shape[axis] not in self.got.shape
        named, of_output = (task.shapes[each].split(",") for each in (name, self.buffer))
        return named[axis].strip() not in (size.strip() for size in of_output)

    def is_right_with(self, name: str, values: Tensor) -> bool:
        """Whether all that was computed is right for other values of an input; what was asked once is known."""
        if torch.equal(values, self.inputs[name]):
            return False
        key = name, values.numpy().tobytes()
        if key not in self.answers:
            self.answers[key] = self.is_right_for(self.reference({**self.inputs, name: values})[self.buffer].double())
        return self.answers[key]

    @property
    def wrong(self) -> Tensor:
        """Which elements are wrong."""
        return (self.got - self.expected.reshape(self.got.shape)).abs() > self.allowed.reshape(self.got.shape)

    @property
    def is_wrong_in_part(self) -> bool:
        """Whether enough is wrong to tell why, and not nearly all, and is not 0, of which much is true."""
        wrong = self.wrong
        is_something = 2 * int((wrong & (self.got.abs() > self.allowed.reshape(self.got.shape))).sum()) > int(
            wrong.sum()
        )
        return is_something and ENOUGH_IN_PART <= int(wrong.sum()) <= MOST_IN_PART * self.got.numel()

    @property
    def is_middling(self) -> bool:
        """Whether its reference may be asked some ten times."""
        return self.is_of_a_size and self.got.numel() * self.call.terms <= MOST_WORK_OF_FEW

    @property
    def tells(self) -> bool:
        """Whether its tolerance is small beside what it holds: else much is true of it, as that it is 0."""
        nothing = self._near(torch.zeros_like(self.got))
        is_large = 2 * int((self.expected.abs() > LARGE * self.allowed).sum()) > self.got.numel()
        return bool((self.got == 0).all()) or not bool(nothing.all()) or is_large

    def counts_in(self, name: str) -> bool | None:
        """How a term of this output is left out, or counts twice, in an input: in its exponents, or else in factors.

        None if neither is known: then both have to be tried.
        """
        if name not in self.counted_in:
            self.counted_in[name] = self._counted_in(name)
        return self.counted_in[name]

    def _counted_in(self, name: str) -> bool | None:
        values, right = self.inputs[name], self.expected
        twice, more = (
            self.reference({**self.inputs, name: changed})[self.buffer].double().reshape(right.shape)
            for changed in (2 * values, values + 1)
        )
        if not bool((right.isfinite() & (right != 0)).any()):
            return None
        if _are_alike(twice, 2 * right):
            return False
        grown = (right, right + 1, right * math.e)  # of shares, of logarithms of sums, and of sums
        return True if any(_are_alike(more, each) for each in grown) else None

    def is_of_16_bits(self, name: str) -> bool:
        """Whether an input is one of those that tensor cores take."""
        signature = getattr(getattr(self.call, "task", None), "signature", None)
        buffers = signature.buffers if signature else ()
        return any(buffer.name == name and buffer.type.bytes == 2 for buffer in buffers)

    def is_right_for(self, claim: Tensor) -> bool:
        """Whether all that was computed is as `claim` says, which is not what it should be."""
        claim = claim.reshape(self.got.shape)
        if self.in_part:
            claim = torch.where(self.wrong, claim, self.got)
        if not bool(claim.isfinite().all()) or not bool(self._near(claim).all()):
            return False
        return not bool(((claim - self.expected).abs() <= self.allowed).all())

    def _near(self, claim: Tensor) -> Tensor:
        # What should be small and is another, larger element has that one's error.
        room = self.allowed.maximum(self.allowed.mean()).maximum(self.close * claim.abs())
        # What a mistake makes large is exp of what is large, or a difference of such: it has their error.
        if claim.numel() >= ENOUGH_GROWN:
            usual = self.expected.abs()
            grown = (claim.abs() > GROWN * usual) | (claim.abs().median() > GROWN * usual.median())
            room = room.maximum(OF_GROWN * grown * claim.abs())
        if any(map(self.is_of_16_bits, self.inputs)):  # as what is rounded to so few bits on its way has
            more = claim.abs() > self.expected.reshape(claim.shape).abs()
            room = room.maximum(OF_16_BITS * more * claim.abs())
        return (self.got == claim) | ((self.got - claim).abs() <= room)


def _are_alike(a: Tensor, b: Tensor) -> bool:
    return torch.allclose(a, b, rtol=1e-6, atol=1e-6 * float(b[b.isfinite()].abs().mean()), equal_nan=True)


@dataclass(frozen=True)
class Variation:
    """Another input: `name` as `change` makes it; `message` says what the learner's kernel does then."""

    key: str
    name: str
    change: Callable[[Case], Tensor | None]
    message: Callable[[Case], str]
    leaves_nothing: Callable[[Case], bool] | None = None  # of the input that it changes
    is_clear: Callable[[Case], bool] | None = None  # whether a case tells it from others, and does not only agree

    def explains(self, case: Case) -> bool:
        values = self.change(case)
        return values is not None and case.is_right_with(self.name, values)

    def claims(self, case: Case) -> Tensor | None:
        """What a kernel that does so would compute."""
        values = self.change(case)
        return None if values is None else case.reference({**case.inputs, self.name: values})[case.buffer].double()

    def as_cause(self) -> Cause:
        found = Cause(
            f"input_{self.key}", self.explains, self.message, leaves_nothing=self.leaves_nothing, claims=self.claims
        )
        if not (is_clear := self.is_clear):
            return found
        return replace(found, explains=lambda case: is_clear(case) and self.explains(case), weaker=self.explains)


@dataclass(frozen=True)
class Cause:
    """What explains wrong cases: whether it `explains` one, or another `agrees` once one is, and what is said of it."""

    name: str
    explains: Callable[[Case], bool]
    message: Callable[[Case], str]
    weaker: Callable[[Case], bool] | None = None
    leaves_nothing: Callable[[Case], bool] | None = None
    claims: Callable[[Case], Tensor | None] | None = None

    def is_denied_by(self, case: Case) -> bool:
        """Whether a case that is right would be wrong by it."""
        claim = self.claims(case) if self.claims else None
        return claim is not None and bool(((claim.reshape(case.got.shape) - case.got).abs() > 2 * case.allowed).any())

    def agrees(self, case: Case) -> bool:
        return self.explains(case) or bool(self.weaker and self.weaker(case))

    def tells_apart(self, cases: Iterable[Case]) -> bool:
        """Whether it says more of them than that nothing at all was added, as of steps that are larger than each."""
        return not self.leaves_nothing or not all(map(self.leaves_nothing, cases))
