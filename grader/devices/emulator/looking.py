"""What a small case's run on the checking build (checked.py) tells of the same case."""

from __future__ import annotations

import os
import sys
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from typing import Any

import numpy as np

from grader.course.prototype import CType
from grader.devices.emulator.checked import Checked, name_array
from grader.devices.emulator.fewer_checks import KIND as FEWER_CHECKS
from grader.devices.emulator.symbols import CodeMap

_MOST_NAMED = 3
_BY_ADDRESS = {"out_of_bounds", "misaligned"}  # what a pointer or an index comes to that was never set
_OF_NUMBERS = ("cast", "shift")  # what a GPU makes something else of
_FATAL = ("crash", "timeout", "stack_overflow")

Fact = dict[str, Any]
Contents = list[np.ndarray]  # the bytes of each output


class Look:
    """A run on the checking build. `decides`: its findings are all that is said of the case.

    `outputs` are its bytes of each output, `types` what elements these are; `turned`: the outputs of one more run, for
    which elements of fragments have another order.
    """

    def __init__(
        self, checked: Checked, facts: Fact, seconds: float, outputs: Sequence[np.ndarray], types: Sequence[CType]
    ):
        self._checked, self._outputs, self._types = checked, outputs, types
        self.facts, self.seconds = facts, seconds
        self.turned: Sequence[np.ndarray] = outputs
        self.has_printed = True  # what the run prints stands there already
        self.varies = False  # from run to run, as by a clock: then no difference tells anything
        self._differs = False  # where other bytes lie in variables that are not set
        self._left = [each for each in facts["findings"] if each["kind"] == "own_array"]
        for finding in self._left:
            name_array(finding, checked.arrays)
        ends = [each for each in facts["findings"] if each["kind"] in _FATAL]
        across = [each for each in facts["findings"] if each["kind"] == "misaligned" and each["space"] == "variable"]
        self.leaves_an_array = any(not each["note"] for each in self._left)
        self.decides = bool(ends or across) or self.leaves_an_array
        # Whether another process of the same files would see it, too: host code may find other files under /proc.
        self.is_sure = all(each["kind"] != "crash" for each in ends)

    def to_json(self) -> Fact:
        """All that `from_json` needs."""
        held = [] if self.decides else self._outputs
        turned = None if self.turned is self._outputs or self.decides else [*map(_in_letters, self.turned)]
        told = {"facts": self.facts, "seconds": self.seconds, "outputs": [*map(_in_letters, held)]}
        return told | {"turned": turned, "varies": self.varies, "differs": self._differs}

    @classmethod
    def from_json(cls, checked: Checked, told: Fact, types: Sequence[CType]) -> Look:
        """The look that another process has had."""
        outputs = [*map(_of_letters, told["outputs"])]
        look = cls(checked, told["facts"], told["seconds"], outputs, types)
        look.turned = outputs if told["turned"] is None else [*map(_of_letters, told["turned"])]
        look.varies, look._differs, look.has_printed = told["varies"], told["differs"], False
        return look

    @cached_property
    def _numbers(self) -> list[Fact]:
        """By their lines in the file: the other build has other program counters."""
        numbers = (each for each in self.facts["findings"] if each["kind"] in _OF_NUMBERS)
        return [each | {"pc": 0, "line": line} for each in numbers if (line := self.code.line_of(each["pc"]))]

    @property
    def code(self) -> CodeMap:
        """That of the checking build."""
        return self._checked.code

    @property
    def is_clean(self) -> bool:
        """Whether nothing is wrong."""
        return all(each["note"] for each in self.facts["findings"])

    @property
    def steps(self) -> int:
        """How often warps have executed a basic block or an access."""
        return sum(site["warps"] for kernel in self.facts["kernels"] for site in kernel["sites"])

    def vary(self, again: Look) -> None:
        """With a run of the same build, in which nothing was different."""
        self.varies = not self._same(again._outputs)

    def compare(self, facts: Fact, outputs: Sequence[np.ndarray]) -> None:
        """With a run in which other bytes lay in variables that are not set, and nothing else was different."""
        wrong = {each["kind"] for each in facts["findings"] if not each["note"]} - {"timeout"}
        self._differs = self._differs or bool(wrong) or not self._same(outputs)

    def _same(self, outputs: Sequence[np.ndarray]) -> bool:
        return all(map(_same_numbers, self._outputs, outputs, self._types))

    def findings(self, facts: Fact, outputs: Sequence[np.ndarray]) -> list[Fact]:
        """What there is to add to the facts of the run that counts, which ended with these outputs."""
        wrong, wrong_here = (
            {each["kind"] for each in found if not each["note"]}
            for found in (facts["findings"], self.facts["findings"])
        )
        if wrong or not wrong_here <= _BY_ADDRESS:
            return [*self._left, *self._numbers]
        same = not wrong_here and not self._differs and self._same(outputs)
        unset = list(self._surely_unset()) or self._of_others(same)
        return [*self._left, *self._numbers, *unset, *self._by_place(), *self._fewer_checks()]

    def _of_others(self, same: bool) -> list[Fact]:
        """What is read before it is set on some path, as far as runs that came out otherwise tell."""
        if self.varies:
            return []
        return list(self._unset_for_nothing() if same else self._never_set())

    def _fewer_checks(self) -> Iterator[Fact]:
        if self._checked.is_plain:
            where = {"line": self._checked.plain_line, "text": self._checked.why_plain}
            yield _BLANK | {"kind": FEWER_CHECKS, "note": True} | where

    def _by_place(self) -> Iterator[Fact]:
        if not self.varies and not all(map(np.array_equal, self._outputs, self.turned)):
            lines = self._checked.elements
            named = {"kind": "element_place", "line": lines[0], "text": "", "lines": lines[:_MOST_NAMED]}
            yield _BLANK | named | {"note": True}

    def _surely_unset(self) -> Iterator[Fact]:
        """The locals that are read first on every path, where the run has come by: whatever came out."""
        sure = self._checked.sure
        executed = self._executed() if sure else set()
        found = [(name, line) for name, line, first, end in sure if not executed.isdisjoint(range(first, end))]
        if found:
            locals_ = found[:_MOST_NAMED]
            yield _BLANK | {"kind": "never_set", "line": locals_[0][1], "text": "sure", "locals": locals_}

    def _unset_for_nothing(self) -> Iterator[Fact]:
        """What g++ is certain of where the run has come by, and nothing has come of it: it is multiplied by 0, say."""
        executed = self._executed() if self._checked.certain else set()
        if found := [each for each in self._checked.certain if each[1] in executed][:_MOST_NAMED]:
            yield _BLANK | {
                "kind": "never_set",
                "line": found[0][1],
                "text": "for nothing",
                "locals": found,
                "note": True,
            }

    def _executed(self) -> set[int | None]:
        """The lines that have counted anything."""
        places = {site["pc"] for kernel in self.facts["kernels"] for site in kernel["sites"]}
        return set(map(self.code.line_of, places))

    def _never_set(self) -> Iterator[Fact]:
        """The locals that may be to blame: other bytes in them made other outputs. First those that g++ warns of, where
        the run has come by.
        """
        executed = self._executed()
        come_by = [each for each in self._checked.unset if each[1] in executed] + self._checked.never_set
        gone = [each for each in self._checked.gone if each[1] in executed]
        named: dict[str, int] = {}
        for name, line in gone or come_by or self._checked.gone or self._checked.unset:
            named.setdefault(name, line)
        if named:
            is_gone = bool(gone or (self._checked.gone and not come_by))
            locals_, text = list(named.items())[:_MOST_NAMED], "gone" if is_gone else ""
            yield _BLANK | {"kind": "never_set", "line": locals_[0][1], "text": text, "locals": locals_}


_BLANK: Fact = {
    **dict.fromkeys(("pc", "other_pc", "call_pc", "other_call_pc", "other_line", "array_line"), 0),
    **dict.fromkeys(("address", "bytes", "offset", "array_bytes"), 0),
    **dict.fromkeys(("kernel", "access", "array", "space", "other_access"), ""),
    "note": False, "callers": [], "pcs": [], "count": 1,
}  # fmt: skip


def of_order(place: int, types: Mapping[str, CType], first: Contents, second: Contents | None) -> Iterator[Fact]:
    """A note if the outputs of two runs differ by more than the order of a sum explains: blocks had two orders. The
    second ones go along: who knows what is expected judges them, too (judge/orders.py). None did not end well.
    """
    if second and not all(map(are_close, first, second, types.values())):
        held = {name: _in_letters(content) for name, content in zip(types, second, strict=True)}
        yield _BLANK | {"kind": "block_order", "pc": place, "line": 0, "text": "", "note": True, "outputs": held}


def _in_letters(content: np.ndarray) -> str:
    return b64encode(content.tobytes()).decode()


def _of_letters(text: str) -> np.ndarray:
    return np.frombuffer(b64decode(text), dtype=np.uint8)


def _same_numbers(first: np.ndarray, second: np.ndarray, ctype: CType) -> bool:
    """Whether these bytes are the same numbers. Sign and payload of a NaN are those of the operand that g++ put first,
    and two builds of one text may differ there.
    """
    if not ctype.is_floating:
        return np.array_equal(first, second)
    first, second = (_floats(each, ctype) for each in (first, second))
    return np.array_equal(first, second, equal_nan=True)


def are_close(first: np.ndarray, second: np.ndarray, ctype: CType) -> bool:
    """Whether these are the same whole numbers, or floats that differ by less than a hundredth of the largest."""
    if not ctype.is_floating:
        return np.array_equal(first, second)
    first, second = (_floats(each, ctype).astype(np.float64) for each in (first, second))
    largest = np.max(np.abs(first), initial=0.0, where=np.isfinite(first))
    return bool(np.allclose(first, second, rtol=0, atol=0.01 * largest, equal_nan=True))


def _floats(content: np.ndarray, ctype: CType) -> np.ndarray:
    if ctype.torch == "bfloat16":  # the upper half of a float
        return (content.view(np.uint16).astype(np.uint32) << 16).view(np.float32)
    return content.view(ctype.numpy)


def is_only_uninitialised(findings: list[Fact]) -> bool:
    """Whether nothing is wrong but what was read before it was written."""
    errors = [finding for finding in findings if not finding["note"]]
    return bool(errors) and all(finding["kind"] in ("uninitialized_read", "shuffle_source") for finding in errors)


@contextmanager
def silence() -> Iterator[None]:
    """What is printed within was printed before: it goes to a file that has no name and is gone afterwards."""
    sys.stdout.flush()
    kept = {}
    for number in (1, 2):
        with suppress(OSError):  # a submission may have closed it
            kept[number] = os.dup(number)
    nothing = os.memfd_create("printed before")
    for number in kept:
        os.dup2(nothing, number)
    os.close(nothing)
    try:
        yield
    finally:
        for number, fd in kept.items():
            os.dup2(fd, number)
            os.close(fd)
