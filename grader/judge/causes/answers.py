"""An output buffer that is not as it should be, and a pattern in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from torch import Tensor

from grader.judge.causes.elements import element_name
from grader.judge.causes.often import Launches

ENOUGH = 4  # fewer elements than this may agree by chance, or with several patterns at once


@dataclass(frozen=True)
class Pattern:
    name: str
    message: str  # one or two sentences for the learner
    otherwise: Pattern | None = None  # what is told if other cases contradict it


@dataclass(frozen=True)
class Answer:
    """One output buffer that is not as it should be. `bad` marks its elements; all tensors have the buffer's shape."""

    buffer: str
    got: Tensor
    expected: Tensor
    allowed: Tensor
    bad: Tensor
    written: bool = True  # False: `bad` are the elements that were never written
    inputs: Mapping[str, Tensor] = field(default_factory=dict)
    previous: Tensor | None = None  # what this buffer held after the case before
    launches: Launches = ()
    sizes: Mapping[str, int] = field(default_factory=dict)  # of the call

    @property
    def verb(self) -> str:
        return "wrong" if self.written else "not written"

    @property
    def good(self) -> str:
        return "right" if self.written else "written"

    def at(self, flat: int) -> str:
        return element_name(self.buffer, flat, self.got.shape)

    def agrees_with(self, claim: Tensor, allowed: Tensor) -> bool:
        """True if the whole output is `claim`, and the claim differs from the right answer in ENOUGH elements."""
        got, claim, allowed = self.got.flatten(), claim.flatten(), allowed.flatten()
        if got.shape != claim.shape or not close(got, claim, allowed).all():
            return False
        return int((~close(claim, self.expected.flatten(), self.allowed.flatten())).sum()) >= ENOUGH

    def is_permuted(self, order: Tensor) -> bool:
        """True if every element holds the right value of another: got[i] = expected[order[i]]."""
        return self.agrees_with(self.expected.flatten()[order.flatten()], self.allowed.flatten()[order.flatten()])


def close(a: Tensor, b: Tensor, allowed: Tensor) -> Tensor:
    """Which elements are as they should be, within what is allowed."""
    return (a == b) | ((a - b).abs() <= allowed)  # NaN is close to nothing
