"""Parts of one `extern __shared__` array, by pointers into it, that overlap: no barrier is missing there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import takewhile
from typing import Any

from grader.devices.build.lexer import Token
from grader.devices.emulator.reading import Reading

_OVERLAP = (
    "`{first}` and `{second}` are parts of {array}, and both reach this element: let each begin behind the last element"
    " of the one before, or, if one is to take the other's place, type __syncthreads() between the two"
)
_SIGNS = set("=+-*/%&|^<>")
_SETS = re.compile(r"(?:[-+*/%&|^]|<<|>>)?=(?!=)")  # behind what gets another value
_MOVES = re.compile(r"[-+]?=(?!=)|\+\+|--")  # behind a pointer that leads elsewhere from then on


def overlapping_parts(fact: Mapping[str, Any], name: str) -> str:
    """What to say where two accesses of `name`, by other names of parts of it, meet; "" if it is no such array."""
    reading: Reading = fact["reading"]
    array = reading.dynamic_array(fact.get("kernel", ""), fact.get("line", 0))
    if fact.get("space") != "shared" or not array or name != array:
        return ""
    parts = _parts(reading.tokens, array)
    if len(set(parts.values())) < 2:
        return ""
    mine, theirs = (_touched(reading.tokens, parts, fact[f"{of}line"], fact[f"{of}access"]) for of in ("", "other_"))
    if fact["line"] == fact["other_line"] and fact["access"] == fact["other_access"] == "write":
        mine, theirs = mine[:1], [each for each in theirs if parts[each] != parts[mine[0]]]
    if not mine or not theirs or {parts[each] for each in mine} & {parts[each] for each in theirs}:
        return ""
    first, second = sorted((mine[0], theirs[0]), key=list(parts).index)
    return _OVERLAP.format(first=first, second=second, array=array)


def _parts(tokens: list[Token], array: str) -> dict[str, str]:
    """Names that lead into the array, each with the name of the part that it means: of those that are never moved."""
    parts = {array: array}
    for at, name in enumerate(tokens):
        if not name.text.isidentifier() or at < 2 or _next(tokens, at) != "=":
            continue
        value = [token.text for token in _value(tokens, at + 2)]
        of = next((each for each in value if each in parts), "")
        if tokens[at - 1].text == "*" and of and name.text not in parts:
            is_all_of_it = not {"+", "&", "["} & set(value)
            parts[name.text] = parts[of] if is_all_of_it else name.text
    moved = [each for each in parts if each != array and _is_moved(tokens, each)]
    return {} if moved else parts


def _value(tokens: list[Token], begin: int) -> Iterator[Token]:
    """What a pointer begins with: up to the `;` or the next pointer of the declaration."""
    depth = 0
    for token in tokens[begin : begin + 40]:
        depth += (token.text in ("(", "[")) - (token.text in (")", "]"))
        if token.text == ";" or (token.text == "," and depth == 0) or depth < 0:
            return
        yield token


def _is_moved(tokens: list[Token], name: str) -> bool:
    places = [at for at, token in enumerate(tokens) if token.text == name]
    set_again = [at for at in places if tokens[at - 1].text != "*" and _MOVES.match(_signs(tokens, at + 1))]
    swapped = [at for at in places if any(token.text == "swap" for token in tokens[max(at - 4, 0) : at])]
    before = [at for at in places if "".join(token.text for token in tokens[max(at - 2, 0) : at]) in ("++", "--")]
    return bool(set_again or swapped or before)


def _touched(tokens: list[Token], parts: Mapping[str, str], line: int, access: str) -> list[str]:
    """The names by which this line reads or writes elements, in their order."""
    found = []
    for at, token in enumerate(tokens):
        if token.line == line and token.text in parts and _next(tokens, at) == "[":
            signs = _signs(tokens, _end_of_index(tokens, at + 1) + 1)
            is_set = _SETS.match(signs)
            if is_set if access == "write" else not is_set or signs[0] != "=":
                found.append(token.text)
    return found


def _end_of_index(tokens: list[Token], bracket: int) -> int:
    depth = 0
    for at in range(bracket, len(tokens)):
        depth += (tokens[at].text == "[") - (tokens[at].text == "]")
        if depth == 0:
            return at
    return len(tokens)


def _signs(tokens: list[Token], begin: int) -> str:
    """The operators from there on, which the lexer takes apart."""
    texts = (token.text for token in tokens[begin : begin + 3])
    return "".join(takewhile(lambda text: set(text) <= _SIGNS, texts))


def _next(tokens: list[Token], at: int) -> str:
    return tokens[at + 1].text if at + 1 < len(tokens) else ""
