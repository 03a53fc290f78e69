"""What stands around a token: brackets, scopes, preprocessor conditions. No types, no names: this is not a compiler."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from grader.devices.build.lexer import Directive, Token, Tokens

OPENING, CLOSING = ("(", "[", "{"), (")", "]", "}")
ScopeKind = Literal["namespace", "class", "code"]
# In `f (x) <<<` the parentheses are a call's; after these words they are not.
_NO_CALL = {"return", "else", "do", "if", "constexpr", "for", "while", "switch", "case", "throw"}
# What stands in the parentheses behind these words is not computed: only its type is asked for.
UNEVALUATED = {"sizeof", "decltype", "alignof", "noexcept", "typeid", "__typeof__", "__typeof"}


def is_unevaluated(before: Sequence[Token]) -> bool:
    """Whether what comes behind these tokens is not computed: `sizeof(f(`, `decltype(`."""
    words = [""]  # in front of the brackets that are open
    last = ""
    for token in before:
        if token.text in OPENING:
            words.append(last)
        elif token.text in CLOSING and len(words) > 1:
            words.pop()
        last = token.text
    return not UNEVALUATED.isdisjoint(words)


@dataclass(eq=False)
class Scope:
    """What a `{` opened: a "namespace", a "class" or "code"; `device` is True for code that only a GPU can run.

    `head` is the index of the first token that introduces it, `opened` and `closed` are those of its braces.
    """

    kind: ScopeKind
    device: bool
    head: int
    opened: int
    parent: Scope | None
    closed: int | None = None
    of_parameter: bool = False  # the value of a function's parameter: the function's own head goes on behind it

    @property
    def in_code(self) -> bool:
        return self.kind == "code" or (self.parent is not None and self.parent.in_code)

    @property
    def is_function(self) -> bool:
        return self.kind == "code" and not (self.parent and self.parent.in_code)


@dataclass
class Stream:
    """Tokens that belong together: the file's code, or what one macro stands for (`macro`, with its parameters)."""

    tokens: Sequence[Token]
    scopes: Sequence[Scope]  # of each token
    conditional: Sequence[bool]  # whether each token stands under an #if
    macro: bool = False
    parameters: frozenset[str] = frozenset()
    functions: list[Scope] = field(default_factory=list)

    def text(self, index: int) -> str:
        """The token's text, or "" beyond the ends."""
        return self.tokens[index].text if 0 <= index < len(self.tokens) else ""

    def texts(self, start: int, end: int) -> list[str]:
        return [token.text for token in self.tokens[start:end]]

    def spelled(self, places: Iterable[int]) -> str:
        """The tokens at these places on one line, apart but for those that touch: two signs may be one, as `<<` is."""
        text, end = "", -1
        for token in (self.tokens[place] for place in places):
            text += token.text if token.start == end or not text else f" {token.text}"
            end = token.end
        return text

    def is_word(self, index: int) -> bool:
        return 0 <= index < len(self.tokens) and self.tokens[index].kind == "word"

    def heads(self, index: int) -> set[str]:
        """The words that introduce the scopes around a token."""
        found: set[str] = set()
        scope: Scope | None = self.scopes[index]
        while scope:
            found.update(self.texts(scope.head, max(scope.opened, scope.head)))
            scope = scope.parent
        return found

    def touches(self, index: int) -> bool:
        """Whether nothing stands between this token and the next."""
        return 0 <= index < len(self.tokens) - 1 and self.tokens[index].end == self.tokens[index + 1].start

    def closing(self, opening: int) -> int | None:
        """The bracket that closes the one at `opening`."""
        depth = 0
        for index in range(opening, len(self.tokens)):
            depth += (self.text(index) in OPENING) - (self.text(index) in CLOSING)
            if depth == 0:
                return index
        return None

    def opening(self, closing: int) -> int | None:
        """The bracket that the one at `closing` closes."""
        return self.enclosing(closing) if self.text(closing) in CLOSING else None

    def enclosing(self, index: int) -> int | None:
        """The bracket that is open where the token stands."""
        depth = 1
        for before in range(index - 1, -1, -1):
            depth += (self.text(before) in CLOSING) - (self.text(before) in OPENING)
            if depth == 0:
                return before
        return None

    def angle_opening(self, closing: int) -> int | None:
        """The `<` of the template argument list whose last token is the `>` at `closing`."""
        depth, index = 0, closing
        while index >= 0:
            text = self.text(index)
            if text in CLOSING:
                opening = self.opening(index)
                if opening is None:
                    return None
                index = opening
            elif text in OPENING or text == ";":
                return None
            elif text == "<" and self.text(index - 1) == "<" and self.touches(index - 1):
                index -= 1  # a shift among the arguments: two lists never open side by side
            elif text in ("<", ">"):
                depth += 1 if text == ">" else -1
                if depth == 0:
                    return index
            index -= 1
        return None

    def after_group(self, index: int) -> int:
        """The index behind a bracket's group, or behind the token itself."""
        closing = self.closing(index) if self.text(index) in OPENING else index
        return len(self.tokens) if closing is None else closing + 1


_MEMORY = ("__device__", "__constant__", "__managed__")
_INLINE = ("inline", "__inline__", "__forceinline__")


def code_stream(lexed: Tokens) -> Stream:
    """The file's code, each token with its scope and whether it stands under an #if."""
    top = scope = Scope("namespace", device=False, head=0, opened=-1, parent=None)
    stream = Stream(lexed.code, [], [])
    scopes: list[Scope] = []
    conditional: list[bool] = []
    conditions: list[Scope] = []  # the scope at each open #if: its #else starts there again
    directives = list(reversed(lexed.directives))
    head = 0
    for index, token in enumerate(lexed.code):
        while directives and directives[-1].code_before <= index:
            scope = _after_directive(directives.pop(), scope, conditions)
        scopes.append(scope)
        conditional.append(bool(conditions))
        if token.text == "{":
            scope = _opened(stream, head, index, scope)
            if scope.is_function and not scope.of_parameter:
                stream.functions.append(scope)
        elif token.text == "}":
            scope.closed, closed = index, scope
            scope = scope.parent or top
            if closed.of_parameter:
                head = closed.head
                continue
        if token.text in ("{", "}", ";"):
            head = index + 1
    stream.scopes, stream.conditional = scopes, conditional
    return stream


def _after_directive(directive: Directive, scope: Scope, conditions: list[Scope]) -> Scope:
    if directive.name in ("if", "ifdef", "ifndef"):
        conditions.append(scope)
    elif directive.name in ("else", "elif", "elifdef", "elifndef") and conditions:
        return conditions[-1]
    elif directive.name == "endif" and conditions:
        conditions.pop()
    return scope


def _opened(stream: Stream, head: int, brace: int, parent: Scope) -> Scope:
    words = stream.texts(head, brace)
    kind: ScopeKind = "code"
    if "namespace" in words or (len(words) == 2 and words[0] == "extern"):
        kind = "namespace"
    elif _introduces_class(stream, head, brace):
        kind = "class"
    device = ("__device__" in words or "__global__" in words or parent.device) and "__host__" not in words
    of_parameter = not parent.in_code and words.count("(") > words.count(")")
    return Scope(kind, device, head, brace, parent, of_parameter=of_parameter)


def _introduces_class(stream: Stream, head: int, brace: int) -> bool:
    """Whether `struct A : B {` and not `struct A f() {`."""
    index = after_template(stream, head)
    words = []
    while index < brace:
        attribute = stream.text(index + 1) == "(" and stream.text(index) in ("alignas", "__align__", "__attribute__")
        if not attribute:
            words.append(stream.text(index))
        index = stream.after_group(index + 1) if attribute else index + 1
    return any(word in ("class", "struct", "union", "enum") for word in words) and "(" not in words


def after_template(stream: Stream, index: int) -> int:
    """Behind any `template <...>` at `index`: its `class T` introduces nothing."""
    while stream.text(index) == "template":
        index = after_angles(stream, index + 1)
    return index


def after_angles(stream: Stream, index: int) -> int:
    """Behind the `>` that ends what the `<` at `index` begins."""
    depth = 0
    while index < len(stream.tokens):
        depth += (stream.text(index) == "<") - (stream.text(index) == ">")
        index = stream.after_group(index)
        if depth == 0:
            break
    return index


def macro_stream(directive: Directive) -> Stream:
    """What a #define stands for: its tokens behind the name and the parameters."""
    tokens = directive.tokens
    whole = Stream(tokens, [], [])
    body, parameters = 3, frozenset[str]()
    if whole.text(3) == "(" and whole.touches(2):
        body = whole.after_group(3)
        parameters = frozenset(token.text for token in tokens[4:body] if token.kind == "word")
        parameters |= {"__VA_ARGS__"} if "..." in whole.texts(4, body) else set()
    inside = Scope("code", device=False, head=0, opened=-1, parent=None)
    count = max(len(tokens) - body, 0)
    return Stream(tokens[body:], [inside] * count, [True] * count, macro=True, parameters=parameters)


def callee(stream: Stream, end: int) -> int | None:
    """The first token of the expression that ends before `end`: `ns::f<A<1, 2>>`, `(*pointer)`, `table[i]`, `get()`."""
    start, index = None, end - 1
    while index >= 0:
        text = stream.text(index)
        if text in (")", "]"):
            start = stream.opening(index)
            if start is None or not _is_applied(stream, start - 1):
                return start
            index = start - 1
        elif text == ">":
            start = stream.angle_opening(index)
            if start is None or not stream.is_word(start - 1):
                return None
            index = start - 1
        elif stream.is_word(index) and text not in _NO_CALL:
            start = index - 1 if stream.text(index - 1) == "template" else index
            if stream.text(start - 1) == stream.text(start - 2) == "#":  # two names glued into one
                index = start - 3
                continue
            if stream.text(start - 1) not in ("::", ".", "->"):
                return start
            start -= 1
            if stream.text(start) == "::" and not _is_qualifier(stream, start - 1):
                return start  # a name that starts with ::
            index = start - 1
        else:
            return start
    return start


def _is_applied(stream: Stream, index: int) -> bool:
    """Whether brackets behind this token are a call's or a subscript's."""
    text = stream.text(index)
    if text == ")":
        opening = stream.opening(index)
        return opening is not None and stream.text(opening - 1) not in _NO_CALL
    if text == ">":
        opening = stream.angle_opening(index)
        return opening is not None and stream.is_word(opening - 1)
    return text == "]" or (stream.is_word(index) and text not in _NO_CALL)


def _is_qualifier(stream: Stream, index: int) -> bool:
    if stream.text(index) == ")":
        return stream.text((stream.opening(index) or 0) - 1) == "decltype"
    return stream.text(index) == ">" or (stream.is_word(index) and stream.text(index) not in _NO_CALL)


def is_idle_inline(stream: Stream, index: int) -> bool:
    """Whether this `inline` is one of a local variable: to nvcc it says nothing there."""
    if stream.macro or stream.text(index) not in _INLINE or stream.scopes[index].kind != "code":
        return False
    before = stream.text(index - 1)
    in_for = before == "(" and stream.text(index - 2) == "for"
    return in_for or before in (";", "{", "}", "static", "const", "constexpr", "volatile", "__shared__")


def is_idle(stream: Stream, index: int) -> bool:
    """Whether this word says nothing: such an `inline`, a memory's name before a parameter, and `__noinline__` of a
    declaration, for the definition has its own.
    """
    if stream.text(index) == "__noinline__":
        bracket = stream.enclosing(index)
        return (bracket is None or stream.text(bracket) == "{") and _is_prototype(stream, index)
    return is_idle_inline(stream, index) or (stream.text(index) in _MEMORY and _is_of_parameter(stream, index))


def _is_prototype(stream: Stream, index: int) -> bool:
    while index < len(stream.tokens) and stream.text(index) not in ("{", ";"):
        index = stream.after_group(index)
    return stream.text(index) == ";"


def _is_of_parameter(stream: Stream, index: int) -> bool:
    """Of a function, whose name stands behind a type: not of what a macro is given."""
    first = index - (stream.text(index - 1) == "const")
    opening = stream.enclosing(first) if stream.text(first - 1) in ("(", ",") else None
    if opening is None or stream.text(opening) != "(" or not stream.is_word(opening - 1):
        return False
    return stream.is_word(opening - 2) or stream.text(opening - 2) in ("*", "&", ">")


def is_launch(stream: Stream, index: int) -> bool:
    """Whether `<<<`, also written `<< <`, starts at this token."""
    if stream.text(index) != "<" or stream.texts(index, index + 3) != ["<"] * 3:
        return False
    joined = stream.touches(index) or stream.touches(index + 1)
    return joined and stream.text(index - 1) not in ("<", "operator")


def launch_end(stream: Stream, index: int) -> int | None:
    """The first token of the `>>>` that closes a launch whose configuration starts at `index`.

    In `k<<<1, size<int>>>>()` the last three of the four close the launch.
    """
    while index < len(stream.tokens):
        text = stream.text(index)
        if text in CLOSING or text == ";" or is_launch(stream, index):  # the next one's, as of a `//` that divides
            return None
        run = 0
        while stream.text(index + run) == ">":
            run += 1
        if run >= 3:
            return index + run - 3
        index = index + run if run else stream.after_group(index)
    return None
