"""`#ifdef __CUDA_ARCH__` in a function for both sides: which side runs is asked while it runs: g++ compiles it once.

Of a program alone: nvcc compiles such a function twice, and host code gets what stands behind the `#else`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import eq, ge, gt, le, lt, ne

from grader.devices.build.lexer import Directive
from grader.devices.build.syntax import CLOSING, OPENING, Scope, Stream
from grader.devices.emulator.first_lines import architecture

_ARCH = "__CUDA_ARCH__"
_PART = re.compile(
    rf"\(?(?:(?P<no>!?)(?P<defined>defined)\(?{_ARCH}\)?|{_ARCH}(?:(?P<sign>[<>]=?|[=!]=)(?P<number>\d+))?)\)?"
)  # `defined(__CUDA_ARCH__)` and `(__CUDA_ARCH__ >= 600)`, which `&&` may join
_COMPARED = {"<": lt, "<=": le, ">": gt, ">=": ge, "==": eq, "!=": ne}
_BEGINS = {";", "{", "}"}  # what a statement may stand behind
_NO_DECLARATION = {
    "return", "throw", "if", "for", "while", "do", "switch", "asm", "delete", "break", "continue", "printf", "assert",
}  # fmt: skip
_NAMED = {"=", ";", "(", "[", "{", ","}  # what may follow the name of a variable
_ON_THE_DEVICE, _ON_THE_HOST = "if (::ladder_in_kernel()) {", "if (!::ladder_in_kernel()) {"


@dataclass
class _Group:
    """`#if`, `#else` and `#endif`: the directives, or None for an `#else` that is not there."""

    first: Directive
    is_device: bool
    other: Directive | None = None
    last: Directive | None = None
    is_plain: bool = True


def edits(source: str, code: Stream, directives: Sequence[Directive]) -> Iterator[tuple[int, int, str]]:
    """What becomes of these lines: from here to there in the text this one."""
    for group in _groups(directives, architecture(source)):
        if group.last and group.is_plain and _can_be_statements(code, group):
            parts = [(group.first, _ON_THE_DEVICE if group.is_device else _ON_THE_HOST)]
            parts += [(group.other, "} else {")] if group.other else []
            spans = [(each.tokens[0].start, each.tokens[-1].end, text) for each, text in [*parts, (group.last, "}")]]
            if not any("\n" in source[begin:end] for begin, end, _ in spans):  # each line keeps its number
                yield from spans


def _groups(directives: Sequence[Directive], here: int) -> Iterator[_Group]:
    """Those whose condition is true of one side alone."""
    opened: list[_Group | None] = []
    for directive in directives:
        if directive.name in ("if", "ifdef", "ifndef"):
            device, host = (_holds(directive, arch) for arch in (here, None))
            opened.append(None if device is host or None in (device, host) else _Group(directive, bool(device)))
        elif opened and (group := opened[-1]) and directive.name in ("elif", "else"):
            group.is_plain = group.is_plain and directive.name == "else" and group.other is None
            group.other = directive
        elif directive.name == "endif" and opened and (group := opened.pop()):
            group.last = directive
            yield group


def _holds(directive: Directive, arch: int | None) -> bool | None:
    """Whether the condition is true where the macro has this value, or none; None if it is about more than that."""
    text = "".join(token.text for token in directive.tokens[2:])
    if directive.name != "if":
        return None if text != _ARCH else (arch is not None) == (directive.name == "ifdef")
    parts = [_PART.fullmatch(part) for part in text.split("&&")]
    return all(_is_true(part, arch) for part in parts if part) if all(parts) else None


def _is_true(part: re.Match[str], arch: int | None) -> bool:
    if part["defined"]:
        return (arch is not None) != bool(part["no"])
    return bool(_COMPARED[part["sign"] or "!="](arch or 0, int(part["number"] or 0)))


def _can_be_statements(code: Stream, group: _Group) -> bool:
    """Whether both parts are statements of a function for both sides, and declare nothing that is needed behind."""
    assert group.last
    first, last = group.first.code_before, group.last.code_before
    middle = group.other.code_before if group.other else last
    function = _function(code, first)
    if function is None or function.device or not function.closed or last > function.closed:
        return False
    head = code.texts(function.head, function.opened)
    if "constexpr" in head or "__global__" in head or code.text(first - 1) not in _BEGINS:
        return False
    behind = set(code.texts(last, function.closed))
    return all(_is_whole(code.texts(begin, end), behind) for begin, end in ((first, middle), (middle, last)))


def _function(code: Stream, at: int) -> Scope | None:
    scope: Scope | None = code.scopes[at] if at < len(code.scopes) else None
    while scope and not scope.is_function:
        scope = scope.parent
    return scope


def _is_whole(texts: list[str], behind: set[str]) -> bool:
    depth, begins = 0, True
    for at, text in enumerate(texts):
        if depth == 0 and begins:
            if text in ("case", "default", "else"):
                return False
            names = _declared(texts[at:]) if text not in _NO_DECLARATION else set()
            if names & behind:
                return False
        depth += (text in OPENING) - (text in CLOSING)
        if depth < 0:
            return False
        begins = text in _BEGINS
    return depth == 0 and (not texts or texts[-1] in _BEGINS)


def _declared(texts: list[str]) -> set[str]:
    """What the statement may declare, if it is a declaration."""
    end = next((at for at, text in enumerate(texts) if text == ";"), len(texts))
    words = [at for at in range(1, end) if re.match(r"[A-Za-z_]", texts[at]) and texts[at + 1 : at + 2][0] in _NAMED]
    return {texts[at] for at in words if texts[at - 1] not in (".", "->", "(", "=", "+", "-")}
