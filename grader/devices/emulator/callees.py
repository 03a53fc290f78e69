"""What the functions of a file surely do with an address that they get, as tokens tell it.

An address one past an array is right until it is followed. A function follows it surely where it does so at each call:
under no condition, behind no way out, and at the address itself or further on. Whatever else the function knows, it is
wrong to give it that address then.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from grader.devices.build.syntax import UNEVALUATED
from grader.devices.emulator.text_part import BEFORE_A_VALUE, NO_CALL, TYPES, Part, Span

_LEAVES = {"return", "goto", "break", "continue", "throw"}
_BEHIND_PARAMETERS = {"const", "noexcept", "override", "final", "mutable", "&"}
_ABOVE_0 = re.compile(r"[1-9]\d*[uUlL]*$")
_ATOMIC = re.compile(r"atomic[A-Z]\w+$")
_INDEXES = {"threadIdx", "blockIdx", "blockDim", "gridDim"}
_UNSIGNED = {"unsigned", "size_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t"}
_WHOLE = _UNSIGNED | {"int", "short", "long", "char", "auto", "int32_t", "int64_t"}
_OF_NATURALS = {*"+*/%&|()<>.", "static_cast"} | _WHOLE


class _Call(NamedTuple):
    name: str
    is_method: bool
    number: int  # of the argument
    is_plain: bool  # all that is known of its template's arguments are types and constants above 0
    positive: frozenset[int]  # the arguments that are constants above 0


class _Numbers(NamedTuple):
    """The names of numbers that are not negative, wherever they come from, and of constants above 0."""

    naturals: frozenset[str]
    positive: frozenset[str]


class Callees:
    """The functions, methods and lambdas that a file defines, by name. `members` are those that are arrays."""

    def __init__(self, part: Part, members: set[str]):
        self._part, self._members = part, members
        self._types = {part.text(at + 1) for at, text in enumerate(part.texts) if text in ("struct", "class", "union")}
        self._scopes = self._types | {part.text(at + 1) for at, text in enumerate(part.texts) if text == "namespace"}
        self._defined = self._definitions()
        self._constants = self._constants_of_file()
        self._known: dict[_Call, bool] = {}

    def follow(self, first: int, last: int) -> bool:
        """Whether these tokens are the argument of a call that surely uses what they lead to."""
        part = self._part
        if part.text(first - 1) not in ("(", ",") or part.text(last + 1) not in (")", ","):
            return False
        opening = part.within[first]
        callee = opening - 1
        if part.text(callee) == ">":
            while callee > part.statement[opening] and part.text(callee) != "<":
                callee -= 1
            callee -= 1
        is_named = part.is_word(callee - 1) and part.text(callee - 1) not in BEFORE_A_VALUE  # P p(&a[n]);
        if part.text(opening) != "(" or opening not in part.pairs or is_named:
            return False
        if part.text(callee) not in self._defined and not _ATOMIC.match(part.text(callee)):
            return False
        if part.text(callee - 1) == "::" and part.text(callee - 2) not in self._scopes:
            return False
        before = part.texts[opening + 1 : first]
        if not {"...", "<"}.isdisjoint(before):
            return False
        given = part.arguments(opening)
        number = next(n for n, each in enumerate(given) if each[0] == first)
        if _ATOMIC.match(part.text(callee)):
            return number == 0
        is_method, known = part.text(callee - 1) in (".", "->"), _Numbers(self._constants, self._constants)
        positive = frozenset(n for n, each in enumerate(given) if self._is_positive(*each, known))
        is_plain = all(map(self._is_plain, range(callee + 2, opening - 1)))
        return self._all_use(_Call(part.text(callee), is_method, number, is_plain, positive))

    def _definitions(self) -> dict[str, list[int]]:
        """Where the parameters begin. Not of what is called like a variable, which may be an object of any class, nor
        of a template with special cases.
        """
        part, found = self._part, dict[str, list[int]]()
        variables = set[str]()
        for at in range(len(part.texts)):
            name, after = part.text(at), part.text(at + 1)
            if part.texts[at : at + 3] == ["template", "<", ">"] and "(" in part.texts[at:]:
                opening = part.texts.index("(", at)
                variables |= {each for each in part.texts[at:opening] if part.text(opening - 1) in (">", each)}
            if not part.is_word(at) or name in self._types | NO_CALL:
                continue
            if after == "(" and self._body(at + 1) >= 0:
                found.setdefault(name, []).append(at + 1)
            elif after == "=" and part.text(at + 2) == "[":
                captured = part.pairs.get(at + 2, at + 2)
                if part.text(captured + 1) == "(" and self._body(captured + 1) >= 0:
                    found.setdefault(name, []).append(captured + 1)
            elif after in ("=", ";", "{", ",", ")", "[") and part.is_word(at - 1):
                variables |= set() if part.text(at - 1) in BEFORE_A_VALUE else {name}
        return {name: each for name, each in found.items() if name not in variables}

    def _body(self, opening: int) -> int:
        """The brace behind these parameters; -1 if there is none."""
        part = self._part
        at = part.pairs.get(opening, len(part.texts)) + 1
        while part.text(at) in _BEHIND_PARAMETERS:
            at += 1
        if part.text(at) == "->":
            while at < len(part.texts) and part.text(at) not in ("{", ";", ")", "="):
                at += 1
        return at if part.text(at) == "{" and at in part.pairs else -1

    def _constants_of_file(self) -> frozenset[str]:
        """The names of nothing but constants above 0."""
        part, found, others = self._part, frozenset[str](), set[str]()
        for at, text in enumerate(part.texts):
            if text == "=" and "constexpr" in part.texts[part.statement[at] : at]:
                if self._is_positive(at + 1, self._end(at) - 1, _Numbers(found, found)):
                    found |= {part.text(at - 1)}
                else:
                    others.add(part.text(at - 1))
        return found - others

    def _all_use(self, call: _Call) -> bool:
        """Whether all that are called so, and can get an address as this argument, surely use what it leads to."""
        if call not in self._known:
            self._known[call] = False  # of one that calls itself
            defined = [at for at in self._defined[call.name] if self._is_method(at) or not call.is_method]
            given = [(opening, self._part.arguments(opening)) for opening in defined]
            able = [
                (opening, each)
                for opening, each in given
                if call.number < len(each) and not self._is_value(*each[call.number])
            ]
            self._known[call] = bool(able) and all(self._uses(*each, call) for each in able)
        return self._known[call]

    def _is_method(self, opening: int) -> bool:
        part = self._part
        return part.is_class(part.within[opening]) or part.text(opening - 2) == "::"

    def _is_value(self, first: int, last: int) -> bool:
        """Whether a parameter is no address, but an object or a number."""
        texts = self._part.texts[first : last + 1]
        if "*" in texts or "[" in texts:
            return False
        return "&" in texts or not (self._types | _WHOLE | TYPES - {"auto", "const"}).isdisjoint(texts)

    def _uses(self, opening: int, given: list[Span], call: _Call) -> bool:
        part = self._part
        first, last = given[call.number]
        parameter = part.texts[first : last + 1]
        if "&" in parameter and "[" in parameter:
            return True  # float (&values)[4]
        name, body = self._name_of(first, last), self._body(opening)
        if not name or not {"...", "<"}.isdisjoint(part.texts[opening:first]):
            return False
        end = part.pairs[body]
        places = [at for at in range(body, end) if part.text(at) == name and part.text(at - 1) not in (".", "->", "::")]
        if any("-" in (part.text(at - 1), part.text(at + 1)) for at in places):
            return False  # end[-1], *--end
        changed = next((at for at in places if self._is_changed(at)), end)
        changed = next((at + 1 for at in places if at < changed and self._may_change(at)), changed)
        of_rows = parameter.count("[") > 1 or (")" in parameter and "[" in parameter)
        numbers = self._numbers(opening, given, call)
        sure = {at for begin, stop in self._sure(body + 1, end, numbers) for at in range(begin, stop)}
        return any(self._is_use(at, of_rows, numbers) for at in places if at < changed and at in sure)

    def _name_of(self, first: int, last: int) -> str:
        """A parameter's."""
        part = self._part
        words = [at for at in range(first, last + 1) if part.is_word(at) and part.text(at - 1) not in ("[", "=")]
        return part.text(words[-1]) if words else ""

    def _is_changed(self, at: int) -> bool:
        """Whether a pointer leads elsewhere from here on."""
        part, before = self._part, self._part.text(at - 1)
        is_set = part.text(at + 1) == "=" and part.text(at + 2) != "="
        is_declared = before == "*" and (not part.is_unary(at - 1) or part.text(at - 2) in TYPES)
        return (is_set and (before != "*" or is_declared)) or (before == "&" and part.is_unary(at - 1))

    def _may_change(self, at: int) -> bool:
        """Whether a pointer is handed on by reference, as far as is known."""
        part, opening = self._part, self._part.within[at]
        callee = part.text(opening - 1)
        if part.text(at - 1) not in ("(", ",") or part.text(at + 1) not in (")", ",") or part.text(opening) != "(":
            return False
        if not part.is_word(opening - 1) or callee in NO_CALL or callee.startswith("__") or _ATOMIC.match(callee):
            return False
        given = [each for defined in self._defined.get(callee, ()) for each in part.arguments(defined)]
        return not given or any("&" in part.texts[first : last + 1] for first, last in given)

    def _is_use(self, at: int, of_rows: bool, numbers: _Numbers) -> bool:
        part, after = self._part, self._part.text(at + 1)
        first = at - 1 if part.text(at - 1) == "*" else at
        binds = part.text(first - 1) == "=" and "&" in part.texts[part.statement[at] : first]  # const P& r = *p;
        if binds or self._is_not_evaluated(at):
            return False
        if after == "[":
            closing = part.pairs.get(at + 1, at + 1)
            if not self._is_natural(at + 2, closing - 1, numbers) or (of_rows and part.text(closing + 1) != "["):
                return False
        elif after != "->":
            return (part.is_followed((at, at)) and not of_rows and not part.address(at - 1, at)) or self.follow(at, at)
        last = part.last_of_chain(at)
        names_only = part.text(last) == ")" or part.text(last) in self._members  # a method's, or that of an array in it
        return not names_only and not part.address(at, last)

    def _is_not_evaluated(self, at: int) -> bool:
        part = self._part
        if part.text(at - 1) in UNEVALUATED or part.text(at - 2) in UNEVALUATED:
            return True
        within = part.within[at]
        while within >= 0 and part.text(within) != "{":
            if part.text(within - 1) in UNEVALUATED:
                return True
            within = part.within[within]
        return False

    def _numbers(self, opening: int, given: list[Span], call: _Call) -> _Numbers:
        """What is known of the numbers in a function that is called like this."""
        part, body = self._part, self._body(opening)
        begun, end = part.statement[opening], part.pairs[body]
        positive, unsigned = set(self._constants), set[str]()
        head = part.texts[begun:opening]
        if "template" in head and "=" not in head and call.is_plain:
            positive |= {part.text(at + 1) for at in range(begun, opening) if part.text(at) in _WHOLE}
        names = {self._name_of(*given[n]) for n in call.positive if n < len(given)}
        positive |= {name for name in names if self._keeps(name, body, end)}
        for at in range(opening, end):
            numbers = _Numbers(frozenset(positive | unsigned | _INDEXES), frozenset(positive))
            is_declared = part.is_word(at) and part.text(at - 1) in _WHOLE
            if is_declared and (part.text(at - 1) in _UNSIGNED or (at > body and self._rises(at, end, numbers))):
                unsigned.add(part.text(at))
        return _Numbers(frozenset(positive | unsigned | _INDEXES), frozenset(positive))

    def _keeps(self, name: str, begin: int, end: int) -> bool:
        """Whether a variable is never set here, nor is anything taken away from it."""
        part = self._part
        places = [at for at in range(begin, end) if part.text(at) == name]
        is_set = any(part.text(at + 1) == "=" and part.text(at + 2) != "=" for at in places)
        return not is_set and not any("-" in (part.text(at - 1), part.text(at + 1)) for at in places)

    def _rises(self, at: int, end: int, numbers: _Numbers) -> bool:
        """Whether a local variable begins with what is not negative, and never gets less."""
        part = self._part
        begins = part.text(at + 1) == "=" and self._is_natural(at + 2, self._end(at) - 1, numbers)
        return begins and self._keeps(part.text(at), at + 1, end)

    def _is_natural(self, first: int, last: int, numbers: _Numbers) -> bool:
        part, known = self._part, _OF_NATURALS | numbers.naturals
        return first <= last and all(
            part.tokens[at].kind == "number" or part.text(at) in known or part.text(at - 1) == "."
            for at in range(first, last + 1)
        )

    def _is_positive(self, first: int, last: int, numbers: _Numbers) -> bool:
        """Whether this is a sum or a product of constants above 0."""
        texts = self._part.texts[first : last + 1]
        return bool(texts) and all(_ABOVE_0.match(text) or text in numbers.positive | {*"+*()"} for text in texts)

    def _is_plain(self, at: int) -> bool:
        """Whether a template's argument tells nothing of a number that may be 0 or less."""
        text = self._part.text(at)
        known = self._types | _WHOLE | TYPES | self._constants | {",", "*"}
        return text in known or bool(_ABOVE_0.match(text))

    def _end(self, at: int) -> int:
        """Where the expression ends in which this token is."""
        part = self._part
        while at < len(part.texts) and part.text(at) not in (";", ",", ")", "}", "]"):
            at = part.pairs.get(at, at) + 1 if part.text(at) in ("(", "[", "{") else at + 1
        return at

    def _sure(self, at: int, end: int, numbers: _Numbers) -> Iterator[Span]:
        """What is executed at each call, of these statements: up to the first way out of them."""
        part = self._part
        while at < end:
            word, behind = part.text(at), self._behind(at, end)
            if word == "{":
                yield from self._sure(at + 1, part.pairs[at], numbers)
            elif word == "do":
                yield from self._sure(at + 1, behind, numbers)
            elif word in ("if", "while", "for", "switch"):
                opening, closing = self._head(at)
                first, second, _ = (*self._parts(opening, closing), (closing, closing), (closing, closing))[:3]
                yield from (self._certain(*first), self._certain(*second))
                if word == "for" and self._goes_round(first, second, numbers):
                    yield from self._sure(closing + 1, behind, numbers)
            else:
                yield self._certain(at, behind)
            if not _LEAVES.isdisjoint(part.texts[at:behind]):
                return
            at = behind

    def _parts(self, opening: int, closing: int) -> list[Span]:
        """What stands in a loop's parentheses, between semicolons."""
        ends = [at for at in range(opening + 1, closing) if self._part.text(at) == ";"]
        return [(begin + 1, stop) for begin, stop in pairwise([opening, *ends, closing])]

    def _goes_round(self, first: Span, second: Span, numbers: _Numbers) -> bool:
        """Whether a loop has a first round: from a number up to a constant."""
        texts, begins = self._part.texts[slice(*second)], self._part.texts[slice(*first)]
        if len(texts) not in (3, 4) or texts[1:-1] not in (["<"], ["<="], ["!", "="]):
            return False
        is_positive = texts[-1] in numbers.positive or _ABOVE_0.match(texts[-1])
        return bool(is_positive) and begins[-3:] == [texts[0], "=", "0"]

    def _certain(self, begin: int, end: int) -> Span:
        """The part of an expression that does not hang on another, and is in no lambda."""
        part = self._part
        for at in range(begin, end):
            text, before = part.text(at), part.text(at - 1)
            is_pair = text in ("&", "|") and before == text and part.tokens[at - 1].end == part.tokens[at].start
            is_lambda = (
                text == "[" and not (part.is_word(at - 1) and before not in BEFORE_A_VALUE) and before not in (*")][",)
            )
            if text == "?" or is_pair or is_lambda:
                return begin, at
        return begin, end

    def _head(self, at: int) -> Span:
        """The parentheses of a condition or a loop."""
        opening = at + 2 if self._part.text(at + 1) == "constexpr" else at + 1
        return opening, self._part.pairs.get(opening, opening) if self._part.text(opening) == "(" else opening

    def _behind(self, at: int, end: int) -> int:
        """Where the statement that begins here has ended, at the latest at this end."""
        part, word = self._part, self._part.text(at)
        if word == "{":
            return min(part.pairs[at] + 1, end)
        if word == "do":
            at = self._behind(at + 1, end)
        elif word in ("if", "while", "for", "switch"):
            at = self._behind(self._head(at)[1] + 1, end)
            while word == "if" and at < end and part.text(at) == "else":
                at = self._behind(at + 1, end)
            return at
        while at < end and part.text(at) != ";":
            at = part.pairs.get(at, at) + 1 if part.text(at) in ("(", "[", "{") else at + 1
        return min(at + 1, end)
