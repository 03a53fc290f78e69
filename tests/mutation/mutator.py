"""Small wrong edits of a CUDA kernel, one at a time: what a tired programmer does, and a grader has to notice.

There is no parser here. The edits lean on the spacing of the reference kernels, in which a binary operator has a space
on each side, and a template's brackets, pointers and unary operators do not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from grader.devices.build.lexer import Token, lex

OPERATORS = re.compile(r"<<<|>>>|[-+*/%&|^=!]=|&&|\|\||<<|>>|\+\+|--")
BEFORE_TERM = ("(", "[", "{", ",", ";", "=", "return", "||", "?", ":")
AFTER_TERM = (")", "]", "}", ",", ";", "&&", "||", "?", ":")
COMMUTATIVE = ("min", "max", "fminf", "fmaxf")
FULL_MASK = "0xffffffff"  # of all lanes of a warp
STEPS = ("++", "+=", "/=", "*=")
LINES_ABOVE = 6
CLOSING = {"(": ")", "[": "]", "{": "}"}


@dataclass(frozen=True)
class Edit:
    """Replaces source[start:end] by `text`."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Mutant:
    """One wrong kernel: `was` is the edited line without its comment and needless space, `now` what became of it."""

    kind: str
    line: int
    was: str
    now: str
    above: str  # the lines before it
    source: str


@dataclass(frozen=True)
class Code:
    """A file's tokens, those apart that say nothing about what runs: template heads and static assertions."""

    source: str
    tokens: list[Token]

    def text(self, at: int) -> str:
        return self.tokens[at].text if 0 <= at < len(self.tokens) else ""

    def is_binary(self, at: int) -> bool:
        token = self.tokens[at]
        return self.source[token.start - 1].isspace() and self.source[token.end].isspace()

    def closing(self, at: int) -> int:
        """The place of the bracket that closes the one at `at`."""
        depth = 0
        for place in range(at, len(self.tokens)):
            depth += (self.text(place) in CLOSING) - (self.text(place) in CLOSING.values())
            if depth == 0:
                return place
        raise ValueError(f"line {self.tokens[at].line}: {self.text(at)} is not closed")

    def opening(self, at: int) -> int:
        """The place of the innermost bracket that is open at `at`; -1 outside of all."""
        depth = 0
        for place in range(at - 1, -1, -1):
            depth += (self.text(place) in CLOSING.values()) - (self.text(place) in CLOSING)
            if depth < 0:
                return place
        return -1

    def edit(self, first: int, last: int, text: str) -> Edit:
        """Replaces the tokens first to last, and what lies between."""
        return Edit(self.tokens[first].start, self.tokens[last].end, text)

    def written(self, first: int, last: int) -> str:
        return self.source[self.tokens[first].start : self.tokens[last].end]


def mutants(source: str) -> list[Mutant]:
    """Every small wrong edit of the kernels in `source`, in the order of the file."""
    code = Code(source, _tokens(source))
    edits = {edit: kind for kind, rule in RULES.items() for edit in rule(code)}  # one found twice is told once
    ordered = sorted(edits.items(), key=lambda item: (item[0].start, item[0].end, item[0].text))
    return [_mutant(source, kind, edit) for edit, kind in ordered]


def _mutant(source: str, kind: str, edit: Edit) -> Mutant:
    start, end = source.rfind("\n", 0, edit.start) + 1, source.find("\n", edit.end)
    before, after = source[start : edit.start], source[edit.end : end].partition("//")[0]
    return Mutant(
        kind=kind,
        line=source.count("\n", 0, edit.start) + 1,
        was=" ".join(f"{before}{source[edit.start : edit.end]}{after}".split()),
        now=" ".join(f"{before}{edit.text}{after}".split()),
        above="\n".join(source[:start].splitlines()[-LINES_ABOVE:]),
        source=source[: edit.start] + edit.text + source[edit.end :],
    )


def _tokens(source: str) -> list[Token]:
    """The code's tokens with signs that touch joined to operators; template heads and static_asserts left out."""
    joined: list[Token] = []
    skip_to = 0
    for token in lex(source).code:
        if token.start < skip_to:
            continue
        operator = OPERATORS.match(source, token.start) if token.kind == "sign" else None
        if operator:
            skip_to = operator.end()
            token = Token("sign", operator[0], token.start, operator.end(), token.line)
        elif token.text == "template" and source[token.end :].lstrip().startswith("<"):
            skip_to = _template_head_end(source, token.end)
            continue
        elif token.text == "static_assert":
            skip_to = source.index(";", token.end)
            continue
        joined.append(token)
    return joined


def _template_head_end(source: str, at: int) -> int:
    depth = 0
    for place in range(source.index("<", at), len(source)):
        depth += (source[place] == "<") - (source[place] == ">")
        if depth == 0:
            return place + 1
    return len(source)


# ---- the kinds of edits ----


def barrier_removed(code: Code) -> Iterator[Edit]:
    """One that asks all threads a question, too: only the own answer is left of it."""
    for at, token in enumerate(code.tokens):
        if token.text in ("__syncthreads", "__syncwarp"):
            yield code.edit(at, code.closing(at + 1), "")
        elif token.text == "__syncthreads_or":
            yield code.edit(at, at, "")
        elif token.text == "this_grid" and code.text(at + 4) == "sync":
            yield code.edit(at, at + 6, "this_grid()")


def wait_removed(code: Code) -> Iterator[Edit]:
    """What was copied asynchronously is used without waiting for it."""
    for at, token in enumerate(code.tokens):
        if token.text == "__pipeline_wait_prior":
            yield code.edit(at, code.closing(at + 1), "")


def bound_off_by_one(code: Code) -> Iterator[Edit]:
    """`<` to `<=` and so on; and a name on the right, `n`, to `n - 1`."""
    other = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
    for at, token in enumerate(code.tokens):
        if token.text in other and code.is_binary(at):
            yield code.edit(at, at, other[token.text])
            if code.tokens[at + 1].kind == "word" and code.text(at + 2) in (")", ";", "?", "&&"):
                yield code.edit(at + 1, at + 1, f"{code.text(at + 1)} - 1")


def index_swapped(code: Code) -> Iterator[Edit]:
    """`[a][b]` to `[b][a]`, thread for block, the next member of a vector, two neighbouring arguments."""
    member = {"x": "y", "y": "x", "z": "w", "w": "z"}
    number = {"threadIdx": "blockIdx", "blockIdx": "threadIdx"}
    for at, token in enumerate(code.tokens):
        if token.text in number:
            yield code.edit(at, at, number[token.text])
        elif token.text in member and code.text(at - 1) == "." and not code.text(at - 2).endswith(("Idx", "Dim")):
            yield code.edit(at, at, member[token.text])
        elif token.text == "]" and code.text(at + 1) == "[" and code.opening(at) > 0:
            yield from _swapped_subscripts(code, at)
        elif token.text == "," and code.text(code.opening(at)) == "(":
            names = {code.text(at - 1), code.text(at + 1)}
            words = code.tokens[at - 1].kind == code.tokens[at + 1].kind == "word" and len(names) == 2
            whole = code.text(at - 2) in ("(", ",") and code.text(at + 2) in (")", ",")
            if words and whole and code.text(code.opening(at) - 1) not in COMMUTATIVE:
                yield code.edit(at - 1, at + 1, f"{code.text(at + 1)}, {code.text(at - 1)}")


def _swapped_subscripts(code: Code, close: int) -> Iterator[Edit]:
    start, end = code.opening(close), code.closing(close + 1)
    if close > start + 1 and end > close + 2:  # neither is empty
        first, second = code.written(start + 1, close - 1), code.written(close + 2, end - 1)
        if first != second:
            yield code.edit(start, end, f"[{second}][{first}]")


def initial_value_changed(code: Code) -> Iterator[Edit]:
    """`= 0;` to `= 1;`, and `{}`, which is zero, to `{1}`."""
    for at, token in enumerate(code.tokens):
        if _is_initial(code, at):
            yield code.edit(at, at, _plus_one(token.text))
        elif token.text == "{" and code.text(at + 1) == "}" and code.text(at - 1) != ")":
            yield code.edit(at, at + 1, "{1}")


def guard_removed(code: Code) -> Iterator[Edit]:
    """The condition of an `if` or of a `?` becomes true; and each part of a condition of several."""
    for at, token in enumerate(code.tokens):
        if token.text == "if" and code.text(at + 1) == "(":
            yield code.edit(at + 2, code.closing(at + 1) - 1, "true")
        elif token.text == "?":
            yield code.edit(_start_of_term(code, at), at - 1, "true")
        elif token.text == "&&":
            yield code.edit(_start_of_term(code, at, "&&"), at - 1, "true")
            yield code.edit(at + 1, _end_of_term(code, at), "true")


def _start_of_term(code: Code, at: int, *more: str) -> int:
    """The first token of the expression that ends before `at`."""
    while True:
        at -= 1
        if code.text(at) in CLOSING.values():
            at = code.opening(at)
        if code.text(at - 1) in (*BEFORE_TERM, *more):
            return at


def _end_of_term(code: Code, at: int) -> int:
    """The last token of the part of a condition that begins after `at`."""
    while True:
        at += 1
        if code.text(at) in CLOSING:
            at = code.closing(at)
        if code.text(at + 1) in AFTER_TERM:
            return at


def operator_changed(code: Code) -> Iterator[Edit]:
    # fmt: off
    other = {"+": "-", "-": "+", "*": "+", "/": "*", "%": "/", "&&": "||", "||": "&&", "&": "|", "|": "&", "^": "|",
             ">>": "<<", "<<": ">>", "==": "!=", "!=": "==", "+=": "-=", "-=": "+=", "|=": "&=", "^=": "|="}
    # fmt: on
    names = {"min": "max", "max": "min"}
    steps = _steps(code)
    for at, token in enumerate(code.tokens):
        if token.text in other and code.is_binary(at) and at not in steps:
            yield code.edit(at, at, other[token.text])
        elif token.text in names and code.text(at + 1) == "(":
            yield code.edit(at, at, names[token.text])


def stride_changed(code: Code) -> Iterator[Edit]:
    """The step of a loop: `++i` to `i += 2`, `i += step` to `i += 1 + step`, `d /= 2` to `d /= 4`."""
    for at in _steps(code):
        if code.text(at) == "++":
            yield code.edit(at, at + 1, f"{code.text(at + 1)} += 2")
        elif code.text(at) == "+=":
            yield code.edit(at, at, "+= 1 +")
        elif code.text(at) in ("/=", "*="):
            yield code.edit(at, at, f"{code.text(at)} 2 *")


def _steps(code: Code) -> set[int]:
    """Where the third part of a `for` changes its variable."""
    found = set()
    for at, token in enumerate(code.tokens):
        if token.text == "for" and code.text(at + 1) == "(":
            inside = range(at + 2, code.closing(at + 1))
            ends = [place for place in inside if code.text(place) == ";"]
            found |= {place for place in inside if ends and place > ends[-1] and code.text(place) in STEPS}
    return found


def constant_off_by_one(code: Code) -> Iterator[Edit]:
    inside_launch = False
    for at, token in enumerate(code.tokens):
        inside_launch = token.text == "<<<" or (inside_launch and token.text != ">>>")
        # the 0 of a launch is shared memory beyond the declared: a byte more of that wrongs nobody
        if token.kind == "number" and not inside_launch and not _is_initial(code, at) and token.text != FULL_MASK:
            yield code.edit(at, at, _plus_one(token.text))


def shuffle_changed(code: Code) -> Iterator[Edit]:
    """Upwards instead of downwards or across; one lane further; a mask without the last lane."""
    for at, token in enumerate(code.tokens):
        if re.fullmatch(r"__shfl_(xor|down)_sync", token.text):
            yield code.edit(at, at, "__shfl_up_sync")
            last = code.closing(at + 1) - 1
            yield code.edit(last, last, f"{code.text(last)} + 1")
        elif token.text == FULL_MASK:
            yield code.edit(at, at, "0x7fffffff")


def atomic_made_plain(code: Code) -> Iterator[Edit]:
    """`atomicAdd(p, v)` to `*(p) += (v)`."""
    for at, token in enumerate(code.tokens):
        if token.text == "atomicAdd":
            end = code.closing(at + 1)
            comma = next(place for place in range(at, end) if code.text(place) == "," and code.opening(place) == at + 1)
            pointer, value = code.written(at + 2, comma - 1), code.written(comma + 1, end - 1)
            yield code.edit(at, end, f"*({pointer}) += ({value})")


RULES: dict[str, Callable[[Code], Iterator[Edit]]] = {
    "barrier removed": barrier_removed,
    "wait removed": wait_removed,
    "atomic made plain": atomic_made_plain,
    "shuffle changed": shuffle_changed,
    "bound off by one": bound_off_by_one,
    "index swapped": index_swapped,
    "initial value changed": initial_value_changed,
    "guard removed": guard_removed,
    "operator changed": operator_changed,
    "stride changed": stride_changed,
    "constant off by one": constant_off_by_one,
}


def _is_initial(code: Code, at: int) -> bool:
    """A number alone on the right of `=`, but not the value of a constant."""
    if code.tokens[at].kind != "number" or code.text(at - 1) != "=" or code.text(at + 1) not in (";", ","):
        return False
    start = next((place for place in range(at, -1, -1) if code.text(place) in (";", "{", "}", "(")), -1)
    return not any(code.text(place) == "constexpr" for place in range(start + 1, at))


def _plus_one(number: str) -> str:
    match = re.fullmatch(r"(0[xX][0-9a-fA-F]+|[\d.]+?)([pP][-+]?\d+f?|f|u|ull|\.0f)?", number)
    assert match, number
    digits, suffix = match[1], match[2] or ""
    if "." in digits:
        return f"{float(digits) + 1}{suffix}"
    return (hex(int(digits, 16) + 1) if digits[:2].lower() == "0x" else str(int(digits) + 1)) + suffix
