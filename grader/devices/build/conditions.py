"""Conditions of a kernel file that hang on one unknown number, as those on a size do: `n / 1000 % 10 == 7`.

A small part of C++'s expressions, worked out for many values of the unknown at once. What is in none is left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from grader.devices.build.lexer import lex

Values = NDArray[np.generic]
Condition = tuple[str, Callable[[Values], NDArray[np.bool_]]]  # the unknown's name, and which of its values meet it

MOST_CONDITIONS = 32  # of a file, the first ones
MOST_SIGNS, MOST_HELD = 64, 256  # of one, and of one with what names hold
MOST_READ = 1024  # signs of one with all that its names stand for
_SIGN = re.compile(r"<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^~!<>()]")
_ORDER = [("||",), ("&&",), ("|",), ("^",), ("&",), ("==", "!="), ("<", ">", "<=", ">="), ("<<", ">>"), ("+", "-")]
_ORDER += [("*", "/", "%")]
_COMPARES = {"==", "!=", "<", ">", "<=", ">=", "&&", "||", "!"}
_TYPES = {"int", "unsigned", "long", "short", "float", "double", "size_t", "bool", "const", "int64_t", "uint32_t"}
_NO_NAMES = {"if", "while", "for", "return", "else", "sizeof", "new", "delete", "do", "case", "goto", "this"}
_NUMBER = re.compile(r"(0[xX][\da-fA-F]+|0[bB][01]+|\d+)[uUlLzZ]*|(\d*\.?\d*(?:[eE][-+]?\d+)?)[fFlL]?")
_LONG = 6  # characters of a number that mixes bits, at least
_OF_32_BITS = re.compile(r"unsigned|uint32_t|(?:0[xX][\da-fA-F]+|\d+)[uU]")  # as soon as one number is
_OF_64_BITS = re.compile(r"long|size_t|u?int64_t|(?:0[xX][\da-fA-F]+|\d+)[uU]?[lL]+[uU]?")
_BITS = 32


def _bit_counts(values: Values) -> Values:
    return np.asarray(np.unpackbits(values.astype("<u4").view(np.uint8)).reshape(-1, _BITS).sum(axis=1))


def _bit_lengths(values: Values) -> Values:
    return np.asarray(np.ceil(np.log2(values.astype(np.float64) + 1)).astype(np.int64))


_FUNCTIONS: dict[str, Callable[..., Values]] = {
    "__popc": _bit_counts, "__popcll": _bit_counts, "__builtin_popcount": _bit_counts, "popcount": _bit_counts,
    "has_single_bit": lambda values: _bit_counts(values) == 1, "bit_width": _bit_lengths,
    "__builtin_ctz": lambda values: _bit_lengths(values & -values) - 1,
    "__builtin_clz": lambda values: _BITS - _bit_lengths(values), "__clz": lambda values: _BITS - _bit_lengths(values),
    "__builtin_ffs": lambda values: _bit_lengths(values & -values),
    "__ffs": lambda values: _bit_lengths(values & -values), "sqrt": np.sqrt, "sqrtf": np.sqrt, "abs": np.abs,
    "fabsf": np.abs, "fabs": np.abs, "floorf": np.floor, "floor": np.floor, "min": np.minimum, "max": np.maximum,
    "log2f": np.log2, "log2": np.log2, "__float2int_rd": lambda values: np.floor(values).astype(np.int64),
}  # fmt: skip


@lru_cache(maxsize=8)  # a grade asks for one file's twice for each task
def conditions_of(source: str) -> Sequence[Condition]:
    """Those that hang on one name that has no value in the file, whichever: it may stand for a size."""
    known: dict[str, list[str]] = {}
    tokens = lex(source)
    rows = [[each.text for each in directive.tokens] for directive in tokens.directives]
    defined = [(row[2], _joined(row[3:])) for row in rows if row[1:2] == ["define"] and len(row) > 3]
    known.update(defined)
    texts = _joined([each.text for each in tokens.code])
    known.update(_constants(texts))
    values = [*(value for _, value in defined), *known.values()]  # a macro may have several
    found: dict[tuple[str, ...], Condition] = {}
    rows = [*_expressions(texts), *(part for value in values for part in _expressions(value))]
    of_held = list(_of_what_is_held(texts))
    rows = [*of_held, *rows] if _mixes_bits(texts) else [*rows, *of_held]
    for row in [*_cases(texts), *_limits(texts), *rows]:
        if len(found) == MOST_CONDITIONS:
            break
        if tuple(row) not in found and (condition := _condition(row, known)):
            found[tuple(row)] = condition
    return list(found.values())


def _joined(texts: Sequence[str]) -> list[str]:
    """With signs of two characters, which the lexer takes apart."""
    joined: list[str] = []
    for text in texts:
        two = joined[-1] + text if joined else ""
        if two in ("<<", ">>", "==", "!=", "&&", "||", "<=", ">=") and two not in (">>=", "<<="):
            joined[-1] = two
        elif joined[-1:] == [2 * text] and text in ("<", ">"):
            joined[-1] = ";"  # of a launch: what stands in it is an expression by itself
        else:
            joined.append(text)
    return joined


def _constants(texts: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """`constexpr int N = 8, M = 2 * N;` and `enum { E = 96 }`: names, and what stands for them."""
    for at in range(1, len(texts) - 2):
        if texts[at] != "=" or not re.fullmatch(r"[A-Za-z_]\w*", texts[at - 1]):
            continue
        before, behind = texts[max(at - MOST_SIGNS, 0) : at], texts[at + 1 : at + 1 + MOST_SIGNS]
        if "constexpr" in before or "const" in before or "enum" in before[-16:]:
            end = next((i for i, text in enumerate(behind) if text in (",", ";", "}")), len(behind))
            yield texts[at - 1], list(behind[:end])


def _mixes_bits(texts: Sequence[str]) -> bool:
    return "^" in texts or any(text[0].isdigit() and len(text) >= _LONG for text in texts)


def _of_what_is_held(texts: Sequence[str]) -> Iterator[list[str]]:
    """What is asked of a variable or function that holds something of a size: of `blocks > 96`, of `hash(n) == 3`."""
    if not _mixes_bits(texts) and not _limits_what_is_held(texts):
        return
    from grader.devices.build.straight_lines import replaced

    yield from _expressions(replaced(texts), MOST_HELD)


def _limits_what_is_held(texts: Sequence[str]) -> bool:
    """Whether a name that is given a value is compared with a name, or with a number from 2 on."""
    held = {texts[at - 1] for at, text in enumerate(texts) if text == "="}
    return any(
        texts[at - 1] in held
        and texts[at + 1] not in ("0", "1")
        and (texts[at + 1] in held or texts[at + 1][0].isdigit())
        for at, text in enumerate(texts[:-1])
        if text in ("<", ">", "<=", ">=")
    )


def _cases(texts: Sequence[str]) -> Iterator[list[str]]:
    """Of `switch (n % 64) { case 45: ... }` the condition `(n % 64) == (45)`."""
    for at in (at for at, text in enumerate(texts) if text == "switch"):
        row = list(texts[at + 1 : at + MOST_SIGNS])
        end = row.index("{") if "{" in row else 0
        depth, place = 1, at + 2 + end
        while end and depth and place < len(texts):
            depth += (texts[place] == "{") - (texts[place] == "}")
            if texts[place] == "case" and ":" in texts[place : place + MOST_SIGNS]:
                number = list(texts[place + 1 : texts.index(":", place)])
                yield from _of_row(whole := [*row[:end], "==", "(", *number, ")"], 0, len(whole))
            place += 1


def _limits(texts: Sequence[str]) -> Iterator[list[str]]:
    """Of `min(rows, 1024)` the condition `rows < 1024`."""
    for at in (at for at, text in enumerate(texts) if text in ("min", "max") and texts[at + 1 : at + 2] == ["("]):
        row, depth, commas = list(texts[at + 1 : at + MOST_SIGNS]), 0, list[int]()
        for place, text in enumerate(row):
            depth += (text == "(") - (text == ")")
            if depth == 1 and text == ",":
                commas.append(place)
            if depth == 0 and len(commas) == 1:
                yield [*row[1 : commas[0]], "<", *row[commas[0] + 1 : place]]
            if depth == 0:
                break


def _expressions(texts: Sequence[str], most: int = MOST_SIGNS) -> Iterator[list[str]]:
    """Runs of names, numbers and signs that compare, and what stands in their brackets and beside `&&`; each of so many
    signs at `most`.
    """
    start = 0
    for at in range(len(texts) + 1):
        if at == len(texts) or not _belongs(texts, at):
            yield from _parts(list(texts[start:at]), most)
            start = at + 1


def _belongs(texts: Sequence[str], at: int) -> bool:
    text = texts[at]
    if re.fullmatch(r"[A-Za-z_]\w*", text):
        return text not in _NO_NAMES
    return bool(_SIGN.fullmatch(text)) or text[0].isdigit() or (text[0] == "." and text[1:2].isdigit())


def _parts(row: list[str], most: int) -> Iterator[list[str]]:
    """The run, without brackets that have no other end, and what stands between those that have one."""
    opened, begin = [], 0
    for at, text in enumerate(row):
        if text == "(":
            opened.append(at)
        elif text == ")" and opened:
            yield from _of_row(row, opened.pop() + 1, at, most)
        elif text == ")":
            yield from _of_row(row, begin, at, most)
            begin = at + 1
    yield from _of_row(row, opened[-1] + 1 if opened else begin, len(row), most)


def _of_row(whole: list[str], first: int, end: int, most: int = MOST_SIGNS) -> Iterator[list[str]]:
    row = whole[first:end] if 2 < end - first <= most else []
    if not _COMPARES & set(row):
        return
    yield row
    if row[0] not in ("(", "!") and re.fullmatch(r"[A-Za-z_]\w*", row[0]) and row[1:2] == ["("]:
        return
    depth, start = 0, 0
    pieces = []
    for at, text in enumerate(row):
        depth += (text == "(") - (text == ")")
        if text in ("&&", "||") and depth == 0:
            pieces.append(row[start:at])
            start = at + 1
    pieces += [row[start:]] if pieces else []
    yield from pieces
    yield from _joined_by_name(pieces) if "||" not in row else ()


def _joined_by_name(pieces: Sequence[list[str]]) -> Iterator[list[str]]:
    """Of `rows > 300 && rows < 16000 && cols > 9` what is asked of each name together."""
    of: dict[str, list[list[str]]] = {}
    for piece in pieces:
        names = {text for text in piece if re.fullmatch(r"[A-Za-z_]\w*", text) and text not in _TYPES | set(_FUNCTIONS)}
        if len(names) == 1:
            of.setdefault(names.pop(), []).append(piece)
    for several in of.values():
        if 1 < len(several) < len(pieces):
            yield [text for piece in several for text in ("&&", *piece)][1:]


def _condition(row: Sequence[str], known: Mapping[str, Sequence[str]]) -> Condition | None:
    """The run as a function of its only unknown; None if it has none or several, or more than is known here."""
    names = _Names(known)
    try:
        tree = _Reader(row, names).whole()
    except (ValueError, IndexError, RecursionError):
        return None
    if len(names.unknown) != 1:
        return None

    def holds(values: Values) -> NDArray[np.bool_]:
        with np.errstate(all="ignore"):
            try:
                return np.broadcast_to(np.asarray(tree(values)) != 0, values.shape)
            except (ValueError, TypeError, OverflowError):
                return np.zeros(values.shape, np.bool_)

    return names.unknown.pop(), holds


Tree = Callable[[Values], Values]


@dataclass
class _Names:
    known: Mapping[str, Sequence[str]]  # what they stand for
    unknown: set[str] = field(default_factory=set)  # the others that were read
    left: int = MOST_READ


class _Reader:
    """Reads one expression by the order of C++'s operators. Raises ValueError at what is none of it."""

    def __init__(self, row: Sequence[str], names: _Names):
        self._row, self._names, self._at = list(row), names, 0
        self._wraps = any(map(_OF_32_BITS.fullmatch, row)) and not any(map(_OF_64_BITS.fullmatch, row))
        names.left -= 1 + len(row)
        if names.left < 0:
            raise ValueError("too long")

    def whole(self) -> Tree:
        """All of it."""
        tree = self._binary(0)
        if self._at < len(self._row):
            raise ValueError(self._row[self._at])
        return tree

    def _next(self) -> str:
        return self._row[self._at] if self._at < len(self._row) else ""

    def _binary(self, level: int) -> Tree:
        if level == len(_ORDER):
            return self._unary()
        tree = self._binary(level + 1)
        while self._next() in _ORDER[level]:
            sign = self._row[self._at]
            self._at += 1
            tree = _applied(sign, tree, self._binary(level + 1), self._wraps)
        return tree

    def _unary(self) -> Tree:
        sign = self._next()
        if sign in ("-", "+", "~", "!"):
            self._at += 1
            tree = self._unary()
            signs: dict[str, Callable[[Values], Values]] = {"-": np.negative, "+": np.positive, "~": np.invert}
            return lambda values: signs[sign](tree(values)) if sign in signs else np.asarray(tree(values) == 0)
        if sign == "(" and set(self._row[self._at + 1 : self._at + 2]) <= _TYPES:
            end = self._row.index(")", self._at)
            is_whole = not {"float", "double"} & set(self._row[self._at : end])
            self._at = end + 1
            of = self._unary()
            return lambda values: np.asarray(of(values)).astype(np.int64 if is_whole else np.float64)
        return self._primary()

    def _primary(self) -> Tree:
        text = self._next()
        self._at += 1
        if text == "(":
            tree = self._binary(0)
            self._expect(")")
            return tree
        if text in _FUNCTIONS and self._next() == "(":
            self._at += 1
            inner = self._binary(0)
            self._expect(")")
            return lambda values: _FUNCTIONS[text](inner(values))
        if number := _NUMBER.fullmatch(text):
            value = np.asarray(_whole(number[1]) if number[1] else float(number[2]))
            return lambda values: value
        if not re.fullmatch(r"[A-Za-z_]\w*", text) or self._next() == "(":
            raise ValueError(text)
        if text in self._names.known:
            return _Reader(self._names.known[text], self._names).whole()
        self._names.unknown.add(text)
        return lambda values: values

    def _expect(self, sign: str) -> None:
        if self._next() != sign:
            raise ValueError(sign)
        self._at += 1


def _whole(text: str) -> int:
    """As C++ reads it: 010 is 8. Raises ValueError, as for what has more than 63 bits."""
    value = int(text, 8 if re.fullmatch(r"0\d+", text) else 0)
    if value >> 63:
        raise ValueError(text)
    return value


def _applied(sign: str, left: Tree, right: Tree, wraps: bool) -> Tree:
    both: dict[str, Callable[[Values, Values], Values]] = {
        "||": np.logical_or, "&&": np.logical_and, "|": np.bitwise_or, "^": np.bitwise_xor, "&": np.bitwise_and,
        "==": np.equal, "!=": np.not_equal, "<": np.less, ">": np.greater, "<=": np.less_equal, ">=": np.greater_equal,
        "<<": np.left_shift, ">>": np.right_shift, "+": np.add, "-": np.subtract, "*": np.multiply, "/": _divided,
        "%": np.fmod,
    }  # fmt: skip
    of, is_cut = both[sign], wraps and sign in ("+", "-", "*", "<<")

    def plain(values: Values) -> Values:
        return of(_as_number(left(values)), _as_number(right(values)))

    return (lambda values: _in_32_bits(plain(values))) if is_cut else plain


def _in_32_bits(values: Values) -> Values:
    return np.bitwise_and(values, 0xFFFFFFFF) if np.issubdtype(values.dtype, np.integer) else values


def _as_number(value: Values) -> Values:
    value = np.asarray(value)
    return value.astype(np.int64) if value.dtype == np.bool_ else value


def _divided(a: Values, b: Values) -> Values:
    whole = np.issubdtype(a.dtype, np.integer) and np.issubdtype(b.dtype, np.integer)
    return np.floor_divide(a, b) if whole else np.true_divide(a, b)
