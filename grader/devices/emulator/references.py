"""What functions get: arrays by reference, `float (&values)[4]`, which are as good as the caller's own and no pointers,
and copies.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from grader.devices.emulator.text_part import NO_CALL, Part, Span

_BEHIND_PARAMETERS = {"const", "noexcept", "override", "final", "mutable", "&"}


class References:
    """The functions and methods of a part, as tokens tell it."""

    def __init__(self, part: Part):
        self._part = part
        self._defined = dict[str, list[int]]()  # where the parameters begin
        for at, text in enumerate(part.texts):
            if text == "(" and part.is_word(at - 1) and part.text(at - 1) not in NO_CALL and self._body(at) >= 0:
                self._defined.setdefault(part.text(at - 1), []).append(at)
        for name, after in pairwise(part.texts):
            if after in ("=", ";", "{"):  # may be a variable: an object of any class
                self._defined.pop(name, None)

    def parameters(self, first: int, last: int) -> list[tuple[int, Span]]:
        """The names of the parameters by which functions get what these tokens name, and their bodies; [] unless they
        are sure to get it by reference.
        """
        part, opening = self._part, self._part.within[first]
        if part.text(first - 1) not in ("(", ",") or part.text(last + 1) not in (")", ",") or opening < 0:
            return []
        before = part.texts[opening + 1 : first]
        number = sum(part.texts[at] == "," and part.within[at] == opening for at in range(opening, first))
        callee = self._callee(opening)
        if part.text(callee - 1) in (".", "->", "::") or "<" in before or part.text(opening) != "(":
            return []
        found = [self._reference(each, number) for each in self._defined.get(part.text(callee), ())]
        return [] if None in found else [each for each in found if each]

    def names_of_values(self, opening: int) -> Iterator[int]:
        """The names of the parameters in these parentheses that are neither pointers nor references."""
        part = self._part
        for before, behind in pairwise(self._commas(opening)):
            words = part.texts[before + 1 : behind]
            end = before + 1 + (words.index("=") if "=" in words else len(words))
            words = part.texts[before + 1 : end]
            if len(words) > 1 and part.is_word(end - 1) and not {"&", "*", "(", ".", "..."} & {*words}:
                yield end - 1

    def _callee(self, opening: int) -> int:
        """The name in front of the parentheses, or of `<...>(`."""
        part, at = self._part, opening - 1
        if part.text(at) == ">":
            while at > part.statement[opening] and part.text(at) != "<":
                at -= 1
            at -= 1
        return at

    def _reference(self, opening: int, number: int) -> tuple[int, Span] | None:
        """The name of a parameter that is a reference to an array, and the function's body."""
        part = self._part
        ends = [*self._commas(opening)]
        begin = ends[number] if number < len(ends) - 1 else -1
        for at in range(begin + 1, ends[number + 1] if begin >= 0 else 0):
            if part.texts[at : at + 2] == ["(", "&"] and part.texts[at + 3 : at + 5] == [")", "["]:
                body = self._body(opening)
                return at + 2, (body, part.pairs[body])
        return None

    def _commas(self, opening: int) -> Iterator[int]:
        """Before and behind each parameter."""
        part, closing = self._part, self._part.pairs[opening]
        yield opening
        depth = 0
        for at in range(opening + 1, closing):
            depth += (part.texts[at] == "<") - (part.texts[at] == ">")
            if part.texts[at] == "," and part.within[at] == opening and depth == 0:
                yield at
        yield closing

    def _body(self, opening: int) -> int:
        """The brace behind these parameters; -1 if there is none."""
        part = self._part
        at = part.pairs.get(opening, len(part.texts)) + 1
        while part.text(at) in _BEHIND_PARAMETERS:
            at += 1
        return at if part.text(at) == "{" and at in part.pairs else -1
