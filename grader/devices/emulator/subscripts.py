"""What the checking build compiles instead of `a[i]`, so that `i` is held against all uses of an element.

gcc allows the index behind the last element wherever it sees an address: in `&a[n]`, which is the end of a walk, but
also where C++ only binds a reference to the element, as in `a[n] = v` of a structure. Tokens tell the two apart. So an
index whose element is used becomes `a[ladder::used<ladder::elements<__typeof__(a)>>(i)]` (include/ladder/used.h), where
the one behind the last turns into one that gcc reports.

Without a compiler's knowledge of names: what may be a declaration is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from grader.devices.build.lexer import lex
from grader.devices.build.syntax import CLOSING, OPENING
from grader.devices.emulator.own_files import SPAN
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
Span = tuple[int, int]  # the first and the last of some tokens
_MARKER = re.compile(r'^# (\d+) ".*$', re.MULTILINE)
_ZERO = re.compile(r"0[uUlL]*")


def with_used_indexes(preprocessed: str, source_name: str) -> str:
    """The text of this file, on the same lines."""
    own = own_spans(preprocessed, f"# 1 {quoted(source_name)}\n")
    return _rewritten(preprocessed, [(start, end) for _, start, end in own], "elements")


def with_used_indexes_of_program(preprocessed: str) -> str:
    """The same of a whole program's source: of the files whose lines have numbers of their own (own_files.py)."""
    markers = [*_MARKER.finditer(preprocessed)]
    ends = [*(marker.start() for marker in markers[1:]), len(preprocessed)]
    own = [(each.end(), end) for each, end in zip(markers, ends, strict=True) if int(each[1]) > SPAN]
    return _rewritten(preprocessed, own, "elements_of_program")


def _rewritten(text: str, own: Iterable[Span], elements: str) -> str:
    whole: list[Span] = []
    for start, end in own:
        if whole and "\n" not in text[whole[-1][1] : start].strip():  # a macro of a header, within a statement
            whole[-1] = (whole[-1][0], end)
        else:
            whole.append((start, end))
    pieces, position = [], 0
    for start, end in whole:
        pieces += [text[position:start], _Part(text[start:end], elements).rewritten()]
        position = end
    return "".join([*pieces, text[position:]])


class _Part:
    """A part of the text, with the brackets that belong together and those that are open at each token."""

    def __init__(self, source: str, elements: str):
        self.source, self.elements = source, elements
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
        self.functions = self._functions()

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
        if self._array(opening) in self.pointers or "{" in self.texts[first:last]:
            return
        used = self._used(first, opening, closing, last)
        if used is not None:
            elements = f"::ladder::{self.elements}<{self._type(first, opening - 1)}{used}>"
            yield self.tokens[opening].end, f"::ladder::used<{elements}>(("
            yield self.tokens[closing].start, "))"

    def _used(self, first: int, opening: int, closing: int, last: int) -> str | None:
        """The type of what is used of the element, behind a comma: "" if that is all of it, None if nothing is."""
        address = self._address(first, last)
        if address:
            if self._is_followed(address):
                return ", void"
            handed = self._handed(*self._with_casts(address), "Address", counts=True)
            return f", {handed}" if handed else None
        if self._array(opening) in self.numbers and not self._may_bind(first, last):
            return None
        if self._is_walked(first, last):
            return ", void"
        is_member = "." in self.texts[closing:last]
        if handed := self._handed(first, last, "Array", counts=not is_member):
            return f", {handed}"
        return f", {self._type(first, last)}" if last > closing else ""

    def _type(self, first: int, last: int) -> str:
        return f"__typeof__({' '.join(self.texts[first : last + 1])})"  # which takes a type, too: sizeof(Pair[2])

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

    def _functions(self) -> dict[str, list[int]]:
        """Where the parameters of each function begin that the file defines, by its name.

        A lambda, or an object's method, may know more than it gets.
        """
        types = {self._text(at + 1) for at, text in enumerate(self.texts) if text in ("struct", "class", "union")}
        others = types | _NO_CALL
        found: dict[str, list[int]] = {}
        for at, text in enumerate(self.texts):
            behind = self._text(self.pairs.get(at + 1, -2) + 1)
            if self._is_word(at) and text not in others and self._text(at + 1) == "(" and behind in ("{", "noexcept"):
                found.setdefault(text, []).append(at + 1)
        return found

    def _touches(self, name: str, number: int) -> bool:
        """Whether a function of this name uses what this argument of it points to, and none what lies before that."""
        given = [(opening, self._arguments(opening)) for opening in self.functions[name]]
        uses = [self._is_touched(opening, *each[number]) for opening, each in given if number < len(each)]
        return True in uses and None not in uses

    def _is_touched(self, opening: int, first: int, last: int) -> bool | None:
        """Whether a function uses what this parameter points to; None if it may go back from there."""
        if "&" in self.texts[first:last] and "[" in self.texts[first:last]:
            return True  # float (&values)[4]
        words = [at for at in range(first, last + 1) if self._is_word(at) and self._text(at - 1) not in ("[", "=")]
        name = self.texts[words[-1]] if words else ""
        body = next((at for at in range(self.pairs[opening], len(self.texts)) if self.texts[at] == "{"), opening)
        end = self.pairs.get(body, body)
        subtracts = "-" in self.texts[body:end]
        touched = False
        for at in range(body, end):
            if self.texts[at] != name or self._text(at - 1) in (".", "->"):
                continue
            before, after = self._text(at - 1), self._text(at + 1)
            is_first = after == "[" and self._text(at + 2).isdigit()
            if "-" in (before, after) or (after == "[" and subtracts and not is_first):
                return None  # end[-1], end[k] with k = -1, *--end
            touched |= after in ("[", "->") or (before == "*" and self._is_unary(at - 1))
        return touched

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
            if head[0] == "," or self._is_class(self.pairs.get(begun - 1, -1)):  # behind an initial value's braces
                return True
            head = head[:-1]
        return bool(_DECLARED.match(" ".join([*head, ""])))

    def _is_class(self, brace: int) -> bool:
        """Whether members stand in these braces."""
        head = self.texts[self.statement[brace] : brace] if brace >= 0 else []
        return any(word in head for word in ("struct", "class", "union")) and head[-1] != ")"

    def _address(self, first: int, last: int) -> Span | None:
        """What takes the address of the element or of its part: it may be that behind the last."""
        while self._text(first - 1) == "(" and self._text(last + 1) == ")":
            first, last = self._cast_around(first, last)
            if self._is_word(first - 1):
                return (first - 1, last) if "addressof" in self._text(first - 1) else None
        return (first - 1, last) if self._text(first - 1) == "&" and self._is_unary(first - 1) else None

    def _cast_around(self, first: int, last: int) -> Span:
        """With the parentheses around it, and the cast<...> in front of these."""
        first, last = first - 1, last + 1
        if self._text(first - 1) == ">" and "<" in self.texts[self.statement[first] : first]:
            while self._text(first) != "<":
                first -= 1
            first -= 1
        return first, last

    def _is_unary(self, at: int) -> bool:
        """Whether this `&` or `*` has one operand only."""
        before = self._text(at - 1)
        if before == self.texts[at] == "&" and self.tokens[at - 1].end == self.tokens[at].start:
            return False  # &&
        if before == ")" and self.texts[at] == "*":  # of a condition, if not of a cast or of a value
            return self._text(self.pairs.get(at - 1, 0) - 1) in _NO_CALL
        is_operand = (self._is_word(at - 1) and before not in _NO_BASE) or before == "]"
        return not is_operand and not (at > 0 and self.tokens[at - 1].kind == "number")

    def _with_casts(self, span: Span) -> Span:
        """An address with the casts to other pointers around it."""
        first, last = span
        while True:
            if self._text(first - 1) == ")" and self._text(first - 2) == "*":
                first = self.pairs.get(first - 1, first - 1)
            elif self._text(first - 1) == "(" and self._text(last + 1) == ")":
                wider = self._cast_around(first, last)
                is_call = self._is_word(wider[0] - 1) or self._text(wider[0] - 1) == ">"
                if is_call or (wider[0] < first - 1 and not self.texts[wider[0]].endswith("_cast")):
                    return first, last
                first, last = wider
            else:
                return first, last

    def _is_followed(self, address: Span) -> bool:
        """Whether the address leads to the element right here: `*(int*)&a[n]`, `(&a[n])->b`."""
        first, last = self._with_casts(address)
        is_starred = self._text(first - 1) == "*" and self._is_unary(first - 1)
        return is_starred or (self._text(last) == ")" and self._text(last + 1) == "->")

    def _handed(self, first: int, last: int, what: str, counts: bool) -> str:
        """The type of what a function of the file may use that gets this as an argument; "" if none does.

        Another argument may say where a walk begins or ends that this is the other end of: a pointer, or a count. Or
        whether there is something to be done.
        """
        if self._text(first - 1) not in ("(", ",") or self._text(last + 1) not in (")", ","):
            return ""
        opening = self.within[first]
        callee = opening - 1
        if self._text(callee) == ">":
            while callee > self.statement[opening] and self._text(callee) != "<":
                callee -= 1
            callee -= 1
        if self._text(opening) != "(" or self._text(callee) not in self.functions or self._declares(callee):
            return ""
        arguments = self._arguments(opening)
        others = [each for each in arguments if each[0] != first]
        is_known = {"...", "<"}.isdisjoint(text for each in others for text in self.texts[each[0] : each[1] + 1])
        if self._text(callee - 1) in (".", "->") or not is_known:
            return ""
        if not self._touches(self.texts[callee], next(n for n, each in enumerate(arguments) if each[0] == first)):
            return ""
        types = [self._type(first, last), *(self._type(*each) for each in others if self._text(each[0]) not in "[{")]
        return f"::ladder::Handed{what}<{'true' if counts else 'false'}, {', '.join(types)}>"

    def _arguments(self, opening: int) -> list[Span]:
        ends = [
            at for at in range(opening + 1, self.pairs[opening]) if self.within[at] == opening and self.texts[at] == ","
        ]
        return [(begin + 1, end - 1) for begin, end in pairwise([opening, *ends, self.pairs[opening]])]

    def _is_walked(self, first: int, last: int) -> bool:
        """Whether `for (x : this)` uses all elements of what is named."""
        opening = self.within[first]
        return self._text(first - 1) == ":" and self._text(last + 1) == ")" and self._text(opening - 1) == "for"
