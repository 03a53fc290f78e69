"""A part of a preprocessed text as tokens, without a compiler's knowledge of names."""

from __future__ import annotations

from grader.devices.build.lexer import lex
from grader.devices.build.syntax import CLOSING, OPENING

# In front of a name they leave it an expression; any other word is the type that it is declared with.
BEFORE_A_VALUE = {"return", "else", "do", "case", "throw", "and", "or", "not", "co_return", "co_yield", "goto"}
TYPES = {
    "auto", "bool", "char", "const", "double", "float", "int", "long", "short", "signed", "unsigned", "void",
    "volatile", "__restrict__", "__restrict",
}  # fmt: skip
NUMBERS = {
    "bool", "char", "double", "float", "int", "long", "short", "signed", "unsigned", "size_t", "int8_t", "uint8_t",
    "int16_t", "uint16_t", "int32_t", "uint32_t", "int64_t", "uint64_t",
}  # fmt: skip
NO_BASE = BEFORE_A_VALUE | TYPES | {"delete", "new", "operator", "template", "typename", "mutable", "if", "while"}
NO_CALL = BEFORE_A_VALUE | {"if", "for", "while", "switch", "constexpr"}
Span = tuple[int, int]  # the first and the last of some tokens


class Part:
    """Its tokens, with the brackets that belong together and those that are open at each token."""

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

    def text(self, index: int) -> str:
        """A token's; "" where there is none."""
        return self.texts[index] if 0 <= index < len(self.texts) else ""

    def is_word(self, index: int) -> bool:
        """Whether this token is a name or a keyword."""
        return 0 <= index < len(self.tokens) and self.tokens[index].kind == "word"

    def last_of_chain(self, index: int) -> int:
        """The last token of the chain of members, calls and indexes behind a bracket."""
        while True:
            if self.text(index + 1) == "[" and index + 1 in self.pairs:
                index = self.pairs[index + 1]
            elif self.text(index + 1) in (".", "->") and self.is_word(index + 2):
                index += 2
                if self.text(index + 1) == "(" and index + 1 in self.pairs:
                    index = self.pairs[index + 1]
            else:
                return index

    def is_class(self, brace: int) -> bool:
        """Whether members stand in these braces."""
        head = self.texts[self.statement[brace] : brace] if brace >= 0 else []
        return any(word in head for word in ("struct", "class", "union")) and head[-1] != ")"

    def address(self, first: int, last: int) -> Span | None:
        """What takes the address of the element or of its part: it may be that behind the last."""
        while self.text(first - 1) == "(" and self.text(last + 1) == ")":
            first, last = self.cast_around(first, last)
            if self.is_word(first - 1):
                return (first - 1, last) if "addressof" in self.text(first - 1) else None
        return (first - 1, last) if self.text(first - 1) == "&" and self.is_unary(first - 1) else None

    def cast_around(self, first: int, last: int) -> Span:
        """With the parentheses around it, and the cast<...> in front of these."""
        first, last = first - 1, last + 1
        if self.text(first - 1) == ">" and "<" in self.texts[self.statement[first] : first]:
            while self.text(first) != "<":
                first -= 1
            first -= 1
        return first, last

    def is_unary(self, at: int) -> bool:
        """Whether this `&` or `*` has one operand only."""
        before = self.text(at - 1)
        if before == self.texts[at] == "&" and self.tokens[at - 1].end == self.tokens[at].start:
            return False  # &&
        if before == ")" and self.texts[at] == "*":  # of a condition, if not of a cast or of a value
            return self.text(self.pairs.get(at - 1, 0) - 1) in NO_CALL
        is_operand = (self.is_word(at - 1) and before not in NO_BASE) or before == "]"
        return not is_operand and not (at > 0 and self.tokens[at - 1].kind == "number")

    def with_casts(self, span: Span) -> Span:
        """An address with the casts to other pointers around it."""
        first, last = span
        while True:
            if self.text(first - 1) == ")" and self.text(first - 2) == "*":
                first = self.pairs.get(first - 1, first - 1)
            elif self.text(first - 1) == "(" and self.text(last + 1) == ")":
                wider = self.cast_around(first, last)
                before = self.text(wider[0] - 1)
                is_call = before == ">" or (self.is_word(wider[0] - 1) and before not in BEFORE_A_VALUE)
                if is_call or (wider[0] < first - 1 and not self.texts[wider[0]].endswith("_cast")):
                    return first, last
                first, last = wider
            else:
                return first, last

    def is_followed(self, address: Span) -> bool:
        """Whether the address leads to the element right here: `*(int*)&a[n]`, `(&a[n])->b`, `((int*)&a[n])[0]`."""
        first, last = self.with_casts(address)
        if self.text(last) == ")" and self.text(last + 1) == "[" and self.tokens[last + 2].kind == "number":
            return self.text(last + 3) == "]" and not self.address(first, self.last_of_chain(last))
        is_starred = self.text(first - 1) == "*" and self.is_unary(first - 1)
        return is_starred or (self.text(last) == ")" and self.text(last + 1) == "->")
