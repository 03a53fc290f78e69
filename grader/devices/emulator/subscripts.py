"""What the checking build compiles instead of `a[i]`, so that `i` is held against all uses of an element.

gcc allows the index behind the last element wherever it sees an address: in `&a[n]`, which is the end of a walk, but
also where C++ only binds a reference to the element, as in `a[n] = v` of a structure. Tokens tell the two apart. So an
index whose element is used becomes `a[ladder::used<ladder::elements<__typeof__(a)>>(i)]` (include/ladder/used.h), where
the one behind the last turns into one that gcc reports.

Without a compiler's knowledge of names: what may be a declaration is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Set
from itertools import pairwise

from grader.devices.emulator.launches import quoted
from grader.devices.emulator.margins import Edit, Margins
from grader.devices.emulator.own_files import SPAN
from grader.devices.emulator.references import References
from grader.devices.emulator.sides import functions_of_the_host
from grader.devices.emulator.text_part import BEFORE_A_VALUE, NO_BASE, NO_CALL, NUMBERS, TYPES, Part, Span
from grader.devices.emulator.words import own_spans

_NAME = r"(?::: )?[A-Za-z_]\w*(?: :: [A-Za-z_]\w*)*"
_SPECIFIED = r"(?:(?:const|volatile|static|constexpr|thread_local|__constinit|struct|typename|unsigned|signed|long) )*"
_DECLARED = re.compile(
    rf"(?:(?:else|do|public :|private :|protected :|__attribute__ \( \(.*?\) \)|alignas \(.*?\)) )*{_SPECIFIED}"
    rf"(?!(?:return|throw|goto|else|do|case)\b){_NAME} (?:< [^=;]*> )?(?:(?:const|[*&]|__restrict__) )*"
    rf"(?:{_NAME} (?:[\[=({{,].*)?)?$"
)
_MARKER = re.compile(r'^# (\d+) ".*$', re.MULTILINE)
_ATOMIC = re.compile(r"atomic[A-Z]\w+$")
_ZERO = re.compile(r"0[uUlL]*")


def with_used_indexes(preprocessed: str, source_name: str) -> tuple[str, str]:
    """The text of this file, on the same lines: with margins around its local arrays (margins.py), and without."""
    own = own_spans(preprocessed, f"# 1 {quoted(source_name)}\n")
    spans = _whole(preprocessed, [(start, end) for _, start, end in own])
    return _rewritten(preprocessed, spans, _indexes(preprocessed, spans))


def with_used_indexes_of_program(preprocessed: str, of_blocks: bool = True) -> tuple[str, str] | None:
    """The same of a whole program's source, where a kernel may run: of the files whose lines have numbers of their own
    (own_files.py). None if no thread has an array of its own, unless those `of_blocks` are to be held, too.
    """
    markers = [*_MARKER.finditer(preprocessed)]
    ends = [*(marker.start() for marker in markers[1:]), len(preprocessed)]
    own = [(each.end(), end) for each, end in zip(markers, ends, strict=True) if int(each[1]) > SPAN]
    spans = _whole(preprocessed, own)
    found = _indexes(preprocessed, spans, of_program=True)
    if of_blocks or any(each.margins.has_arrays() for each in found):
        return _rewritten(preprocessed, spans, found)
    return None


def _whole(text: str, own: Iterable[Span]) -> list[Span]:
    """These spans as one where only a macro of a header, within a statement, comes between them."""
    whole: list[Span] = []
    for start, end in own:
        if whole and "\n" not in text[whole[-1][1] : start].strip():
            whole[-1] = (whole[-1][0], end)
        else:
            whole.append((start, end))
    return whole


def _indexes(text: str, spans: Iterable[Span], of_program: bool = False) -> list[_Indexes]:
    hosts = functions_of_the_host(text)
    return [_Indexes(text[start:end], hosts, of_program) for start, end in spans]


def _rewritten(text: str, spans: list[Span], found: Iterable[_Indexes]) -> tuple[str, str]:
    with_margins, without = ([each.rewritten(margins) for each in found] for margins in (True, False))
    return _with_parts(text, spans, with_margins), _with_parts(text, spans, without)


def _with_parts(text: str, spans: Iterable[Span], parts: Iterable[str]) -> str:
    """The text with these parts where its spans are."""
    pieces, position = [], 0
    for (start, end), part in zip(spans, parts, strict=True):
        pieces += [text[position:start], part]
        position = end
    return "".join([*pieces, text[position:]])


class _Indexes(Part):
    """Where elements are used in a part of the text."""

    def __init__(self, source: str, hosts: Set[str], of_program: bool):
        """`hosts` are the functions that no kernel can run; those of a program go on where an index is wrong."""
        super().__init__(source)
        self.elements = "elements_of_program" if of_program else "elements"
        self.numbers, self.pointers, self.members = self._plain_names()
        self.references = References(self)
        self.margins = Margins(self, self.members, hosts, self.references)
        brackets = (at for at, text in enumerate(self.texts) if text == "[")
        held = (at for at in brackets if not of_program or self.margins.may_run(at))
        self.edits = [edit for at in held for edit in self._edits(at)]

    def rewritten(self, with_margins: bool) -> str:
        """The text; with margins, if they are asked for."""
        around = self.margins.edits() if with_margins else ()
        spans: list[Span] = []
        texts: list[str] = []
        for start, end, text in sorted([*self.edits, *around]):
            if not spans or start >= spans[-1][1]:
                spans.append((start, end))
                texts.append(text)
        return _with_parts(self.source, spans, texts)

    def _edits(self, opening: int) -> Iterator[Edit]:
        """What is to be inserted, if an element is used here."""
        closing = self.pairs.get(opening, opening)
        if closing <= opening + 1 or self.text(opening + 1) in ("[", "{"):
            return
        if closing == opening + 2 and _ZERO.fullmatch(self.texts[opening + 1]):
            return
        first = self._first(opening - 1)
        if first is None or self._declares(first) or self._is_offset(first):
            return
        last = self.last_of_chain(closing)
        if self._array(opening) in self.pointers or "{" in self.texts[first:last]:
            return
        used = self._used(first, opening, closing, last)
        if used is not None:
            elements = f"::ladder::{self.elements}<{self._type(first, opening - 1)}{used}>"
            begin, end = self.tokens[opening].end, self.tokens[closing].start
            yield begin, begin, f"::ladder::used<{elements}>(("
            yield end, end, "))"

    def _used(self, first: int, opening: int, closing: int, last: int) -> str | None:
        """The type of what is used of the element, behind a comma: "" if that is all of it, None if nothing is."""
        address = self.address(first, last)
        if address:
            return ", void" if self.is_followed(address) or self._is_atomic(address) else None
        if self._is_walked(first, last) or self.references.parameters(first, last):
            return ", void"
        if self._array(opening) in self.numbers and not self._may_bind(first, last):
            return None
        return f", {self._type(first, last)}" if last > closing else ""

    def _is_atomic(self, address: Span) -> bool:
        """Whether this is the word that an atomic operation is on."""
        first, _ = self.with_casts(address)
        return self.text(first - 1) == "(" and bool(_ATOMIC.match(self.text(first - 2)))

    def _type(self, first: int, last: int) -> str:
        """That of an expression; __typeof__ takes a type, too: sizeof(Pair[2])."""
        gaps = (" " if one.end < other.start else "" for one, other in pairwise(self.tokens[first : last + 1]))
        texts = (f"{gap}{text}" for gap, text in zip(gaps, self.texts[first + 1 : last + 1], strict=True))
        return f"__typeof__({self.texts[first]}{''.join(texts)})"

    def _first(self, index: int) -> int | None:
        """The first token of what is indexed; None if it is no plain chain of names, members, calls and indexes."""
        while index >= 0:
            text = self.texts[index]
            if text in ("]", ")") and index in self.pairs:
                opening = self.pairs[index]
                before = self.text(opening - 1)
                if text == ")" and not (self.is_word(opening - 1) and before not in NO_CALL):
                    is_group = self.text(opening + 1) == "*" and before not in (")", "]", ">")
                    return opening if is_group else None
                if text == ")" and self.text(opening + 1) in ("&", "*"):
                    return None  # float (&values)[4]
                index = opening - 1
            elif self.is_word(index) and text not in NO_BASE:
                before = self.text(index - 1)
                if before not in (".", "->", "::"):
                    return index
                if before == "::" and not self.is_word(index - 2):
                    return None
                index -= 2
            else:
                return None
        return None

    def _array(self, opening: int) -> str:
        """The name of what is indexed."""
        while self.text(opening - 1) == "]":
            opening = self.pairs[opening - 1]
        return self.text(opening - 1)

    def _plain_names(self) -> tuple[set[str], set[str], set[str]]:
        """The names of nothing but arrays of numbers, whose loads and stores gcc checks, those of pointers, and those
        of members that are arrays.
        """
        numbers, others, pointers, members = set[str](), set[str](), set[str](), set[str]()
        for index, token in enumerate(self.tokens):
            before = self.text(index - 1)
            if token.kind != "word":
                continue
            if self.text(index + 1) == "[" and self._declares(index):
                members |= {token.text} if self.is_class(self.within[index]) else set()
                words = self.texts[self.statement[index] : index] if before == "," else [before]
                (others if NUMBERS.isdisjoint(words) else numbers).add(token.text)
            elif before == "&" and self.text(index - 2) == "(" and self.text(index + 1) == ")":  # float (&values)[4]
                (others if self.text(index - 3) not in NUMBERS else numbers).add(token.text)
            elif before == "&":
                others.add(token.text)
            elif before == "*" or (before in ("__restrict__", "__restrict", "const") and self.text(index - 2) == "*"):
                pointers.add(token.text)
        return numbers - others, pointers - numbers - others, members

    def _may_bind(self, first: int, last: int) -> bool:
        """Whether a reference may be bound to what is named: in a call, by a declaration, or by a function's end."""
        before, after = self.text(first - 1), self.text(last + 1)
        if "return" in self.texts[self.statement[first] : first] and after in (";", ":", ")"):
            return True
        if before in ("(", ",") and after in (")", ","):
            opening = self.within[first]
            word = self.text(opening - 1)
            return self.text(opening) in "({" and (word == ">" or (self.is_word(opening - 1) and word not in NO_CALL))
        return before in ("=", "{", ":", "?", "(") and "&" in self.texts[self.statement[first] : first]

    def _declares(self, first: int) -> bool:
        """Whether this may be a declarator, whose brackets hold a size."""
        before = self.text(first - 1)
        if self.is_word(first - 1):
            return before not in BEFORE_A_VALUE
        if before == "}":
            return self.is_class(self.pairs.get(first - 1, -1))
        if not {"using", "typedef"}.isdisjoint(self.texts[self.statement[first] : first]):
            return True
        if before == ")":
            return self.text(self.pairs.get(first - 1, 0) - 1) in ("__attribute__", "alignas")
        if before not in ("*", ",", ">"):  # and there are no arrays of references
            return False
        begun, within = self.statement[first], self.within[first]
        if within >= 0 and self.text(within) == "[":
            return False
        in_parentheses = self.text(within) == "(" and within >= 0
        if before == ">":
            return "<" in self.texts[begun:first]
        if in_parentheses and self.text(within - 1) != "for":
            at = first - 1
            while self.text(at) in ("*", "&"):
                at -= 1
            return before != "," and (self.text(at) in TYPES or self.text(at) == ">")
        if in_parentheses:
            begun = max(begun, within + 1)
        head = self.texts[begun:first]
        while head and head[-1] in ("*", "&"):
            head.pop()
        if before == ",":
            if head[0] == "," or self.is_class(self.pairs.get(begun - 1, -1)):  # behind an initial value's braces
                return True
            head = head[:-1]
        return bool(_DECLARED.match(" ".join([*head, ""])))

    def _is_offset(self, first: int) -> bool:
        """Whether these are the members of a type that offsetof() is asked for."""
        return self.text(self.within[first] - 1) == "__builtin_offsetof"

    def _is_walked(self, first: int, last: int) -> bool:
        """Whether `for (x : this)` uses all elements of what is named."""
        opening = self.within[first]
        return self.text(first - 1) == ":" and self.text(last + 1) == ")" and self.text(opening - 1) == "for"
