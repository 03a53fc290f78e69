"""What the checking build compiles instead of `a[i]`, so that `i` is held against all uses of an element.

gcc allows the index behind the last element wherever it sees an address: in `&a[n]`, which is the end of a walk, but
also where C++ only binds a reference to the element, as in `a[n] = v` of a structure. Tokens tell the two apart. So an
index whose element is used becomes `a[ladder::used<ladder::elements<decltype((a))>>(i)]` (include/ladder/used.h), where
the one behind the last turns into one that gcc reports.

Without a compiler's knowledge of names: what may be a declaration is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from grader.devices.build.lexer import lex
from grader.devices.build.syntax import CLOSING, OPENING
from grader.devices.emulator.translate import quoted
from grader.devices.emulator.words import own_spans

# In front of a name they leave it an expression; any other word is the type that it is declared with.
_BEFORE_A_VALUE = {"return", "else", "do", "case", "throw", "and", "or", "not", "co_return", "co_yield", "goto"}
_TYPES = {
    "auto", "bool", "char", "const", "double", "float", "int", "long", "short", "signed", "unsigned", "void",
    "volatile", "__restrict__", "__restrict",
}  # fmt: skip
_NO_BASE = _BEFORE_A_VALUE | _TYPES | {"delete", "new", "operator", "template", "typename", "mutable", "if", "while"}
_NO_CALL = _BEFORE_A_VALUE | {"if", "for", "while", "switch", "constexpr"}
_NAME = r"(?::: )?[A-Za-z_]\w*(?: :: [A-Za-z_]\w*)*"
_SPECIFIED = r"(?:(?:const|volatile|static|constexpr|thread_local|__constinit|struct|typename|unsigned|signed|long) )*"
_DECLARED = re.compile(
    rf"(?:(?:else|do|public :|private :|protected :|__attribute__ \( \(.*?\) \)|alignas \(.*?\)) )*{_SPECIFIED}"
    rf"(?!(?:return|throw|goto|else|do|case)\b){_NAME} (?:< [^=;]*> )?(?:(?:const|[*&]|__restrict__) )*"
    rf"(?:{_NAME} (?:[\[=({{,].*)?)?$"
)
_NUMBERS = {
    "bool", "char", "double", "float", "int", "long", "short", "signed", "unsigned", "size_t", "int8_t", "uint8_t",
    "int16_t", "uint16_t", "int32_t", "uint32_t", "int64_t", "uint64_t",
}  # fmt: skip
_ZERO = re.compile(r"0[uUlL]*")


def with_used_indexes(preprocessed: str, source_name: str) -> str:
    """The text of this file, on the same lines."""
    pieces, position = [], 0
    for _, start, end in own_spans(preprocessed, f"# 1 {quoted(source_name)}\n"):
        pieces += [preprocessed[position:start], _Part(preprocessed[start:end]).rewritten()]
        position = end
    return "".join([*pieces, preprocessed[position:]])


class _Part:
    """A part of the text, with the brackets that belong together and those that are open at each token."""

    def __init__(self, source: str):
        self.source = source
        self.tokens = lex(source).code
        self.texts = [token.text for token in self.tokens]
        self.pairs: dict[int, int] = {}
        self.within: list[int] = []  # the bracket that is open at each token, -1 if none is
        self.statement: list[int] = []  # where each token's begins
        opened, begun = [-1], 0
        for index, text in enumerate(self.texts):
            if text in CLOSING and len(opened) > 1:
                self.pairs[index] = opened.pop()
                self.pairs[self.pairs[index]] = index
            self.within.append(opened[-1])
            self.statement.append(begun)
            if text in OPENING:
                opened.append(index)
            if text in ("{", "}", ";"):
                begun = index + 1
        self.numbers, self.pointers = self._plain_names()

    def rewritten(self) -> str:
        edits = sorted(edit for at, text in enumerate(self.texts) if text == "[" for edit in self._edits(at))
        pieces, position = [], 0
        for offset, text in edits:
            pieces += [self.source[position:offset], text]
            position = offset
        return "".join([*pieces, self.source[position:]])

    def _edits(self, opening: int) -> Iterator[tuple[int, str]]:
        """What is to be inserted, if an element is used here."""
        closing = self.pairs.get(opening, opening)
        if closing <= opening + 1 or self._text(opening + 1) in ("[", "{"):
            return
        if closing == opening + 2 and _ZERO.fullmatch(self.texts[opening + 1]):
            return
        first = self._first(opening - 1)
        if first is None or self._declares(first):
            return
        last = self._last(closing)
        name = self._array(opening)
        if name in self.pointers or (name in self.numbers and not self._may_bind(first, last)):
            return
        if self._is_address(first, last) or "{" in self.texts[first:last]:
            return
        kind = f"decltype(({' '.join(self.texts[first:opening])}))"
        if self._is_walked(first, last):
            kind += ", void"
        elif last > closing:
            kind += f", decltype(({' '.join(self.texts[first : last + 1])}))"
        yield self.tokens[opening].end, f"::ladder::used<::ladder::elements<{kind}>>(("
        yield self.tokens[closing].start, "))"

    def _text(self, index: int) -> str:
        return self.texts[index] if 0 <= index < len(self.texts) else ""

    def _is_word(self, index: int) -> bool:
        return 0 <= index < len(self.tokens) and self.tokens[index].kind == "word"

    def _first(self, index: int) -> int | None:
        """The first token of what is indexed; None if it is no plain chain of names, members, calls and indexes."""
        while index >= 0:
            text = self.texts[index]
            if text in ("]", ")") and index in self.pairs:
                opening = self.pairs[index]
                before = self._text(opening - 1)
                if text == ")" and not (self._is_word(opening - 1) and before not in _NO_CALL):
                    is_group = self._text(opening + 1) == "*" and before not in (")", "]", ">")
                    return opening if is_group else None
                if text == ")" and self._text(opening + 1) in ("&", "*"):
                    return None  # float (&values)[4]
                index = opening - 1
            elif self._is_word(index) and text not in _NO_BASE:
                before = self._text(index - 1)
                if before not in (".", "->", "::"):
                    return index
                if before == "::" and not self._is_word(index - 2):
                    return None
                index -= 2
            else:
                return None
        return None

    def _array(self, opening: int) -> str:
        """The name of what is indexed."""
        while self._text(opening - 1) == "]":
            opening = self.pairs[opening - 1]
        return self._text(opening - 1)

    def _plain_names(self) -> tuple[set[str], set[str]]:
        """The names of nothing but arrays of numbers, whose loads and stores gcc checks, and those of pointers."""
        numbers, others, pointers = set[str](), set[str](), set[str]()
        for index, token in enumerate(self.tokens):
            before = self._text(index - 1)
            if token.kind != "word":
                continue
            if self._text(index + 1) == "[" and self._declares(index):
                words = self.texts[self.statement[index] : index] if before == "," else [before]
                (others if _NUMBERS.isdisjoint(words) else numbers).add(token.text)
            elif before == "&" and self._text(index - 2) == "(" and self._text(index + 1) == ")":  # float (&values)[4]
                (others if self._text(index - 3) not in _NUMBERS else numbers).add(token.text)
            elif before == "&":
                others.add(token.text)
            elif before == "*" or (before in ("__restrict__", "__restrict", "const") and self._text(index - 2) == "*"):
                pointers.add(token.text)
        return numbers - others, pointers - numbers - others

    def _may_bind(self, first: int, last: int) -> bool:
        """Whether a reference may be bound to what is named: in a call, or by a declaration."""
        before, after = self._text(first - 1), self._text(last + 1)
        if before in ("(", ",") and after in (")", ","):
            opening = self.within[first]
            word = self._text(opening - 1)
            return self._text(opening) in "({" and (
                word == ">" or (self._is_word(opening - 1) and word not in _NO_CALL)
            )
        return before in ("=", "{", ":") and "&" in self.texts[self.statement[first] : first]

    def _last(self, index: int) -> int:
        """The last token of the chain of members, calls and indexes behind a bracket."""
        while True:
            if self._text(index + 1) == "[" and index + 1 in self.pairs:
                index = self.pairs[index + 1]
            elif self._text(index + 1) in (".", "->") and self._is_word(index + 2):
                index += 2
                if self._text(index + 1) == "(" and index + 1 in self.pairs:
                    index = self.pairs[index + 1]
            else:
                return index

    def _declares(self, first: int) -> bool:
        """Whether this may be a declarator, whose brackets hold a size."""
        before = self._text(first - 1)
        if self._is_word(first - 1):
            return before not in _BEFORE_A_VALUE
        if before == "}":
            return self._is_class(self.pairs.get(first - 1, -1))
        if not {"using", "typedef"}.isdisjoint(self.texts[self.statement[first] : first]):
            return True
        if before == ")":
            return self._text(self.pairs.get(first - 1, 0) - 1) in ("__attribute__", "alignas")
        if before not in ("*", ",", ">"):  # and there are no arrays of references
            return False
        begun, within = self.statement[first], self.within[first]
        if within >= 0 and self._text(within) == "[":
            return False
        in_parentheses = self._text(within) == "(" and within >= 0
        if before == ">":
            return "<" in self.texts[begun:first]
        if in_parentheses and self._text(within - 1) != "for":
            at = first - 1
            while self._text(at) in ("*", "&"):
                at -= 1
            return before != "," and (self._text(at) in _TYPES or self._text(at) == ">")
        if in_parentheses:
            begun = max(begun, within + 1)
        head = self.texts[begun:first]
        while head and head[-1] in ("*", "&"):
            head.pop()
        if before == ",":
            if head[0] == ",":  # behind the braces of an initial value
                return True
            head = head[:-1]
        return bool(_DECLARED.match(" ".join([*head, ""])))

    def _is_class(self, brace: int) -> bool:
        """Whether members stand in these braces."""
        head = self.texts[self.statement[brace] : brace] if brace >= 0 else []
        return any(word in head for word in ("struct", "class", "union")) and head[-1] != ")"

    def _is_address(self, first: int, last: int) -> bool:
        """Whether the address is taken of the element or of its part: it may be that behind the last."""
        while self._text(first - 1) == "(" and self._text(last + 1) == ")":
            first, last = first - 1, last + 1
            if self._text(first - 1) == ">" and "<" in self.texts[self.statement[first] : first]:  # a cast
                while self._text(first) != "<":
                    first -= 1
                first -= 1
            elif self._is_word(first - 1):
                return "addressof" in self._text(first - 1)
        if self._text(first - 1) != "&":
            return False
        at = first - 2
        if self._text(at) == "&" and self.tokens[at].end == self.tokens[first - 1].start:
            return False  # &&
        before = self._text(at)
        is_operand = (self._is_word(at) and before not in _NO_BASE) or before == "]"
        return not is_operand and not (at >= 0 and self.tokens[at].kind == "number")

    def _is_walked(self, first: int, last: int) -> bool:
        """Whether `for (x : this)` uses all elements of what is named."""
        opening = self.within[first]
        return self._text(first - 1) == ":" and self._text(last + 1) == ")" and self._text(opening - 1) == "for"
