"""Which of a file's variables are the GPU's. To g++ all are alike, so a translated file ends in their names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from itertools import pairwise

from grader.devices.build.lexer import lex
from grader.devices.build.syntax import Stream, code_stream, macro_stream

_MARK, _MANAGED = "ladder_device_", "ladder_device_and_host_"
_GLUED, _GLUED_MANAGED = "ladder_device_any", "ladder_device_any_and_host"  # a macro glues names: they could be any
_OF_A_GPU = frozenset({"__device__", "__constant__", "__managed__", "__shared__"})


def marks(source: str) -> str:
    """What to append to a translated file: a constant for each name in a declaration with `__device__` or its kin."""
    found = []
    for words, mark, glued in ((_OF_A_GPU, _MARK, _GLUED), ({"__managed__"}, _MANAGED, _GLUED_MANAGED)):
        names = _names(source, words)
        found += [glued] if names is None else [mark + name for name in sorted(names)]
    return "".join(f"\nstatic const char {name} __attribute__((used)) = 0;" for name in found)


def is_mark(symbol: str) -> bool:
    """Whether a symbol of the library is such a constant."""
    return symbol.startswith(_MARK)


def managed_variables(variables: list[str], symbols: list[str]) -> set[str]:
    """Those of the variables that were declared for both sides."""
    return {name for name in variables if _GLUED_MANAGED in symbols or _MANAGED + _last(name) in symbols}


def host_variables(variables: list[str], symbols: list[str]) -> set[str]:
    """Those of the variables, by their demangled names, that were declared for the host. A function's own are none."""
    marked = {symbol.removeprefix(_MARK) for symbol in symbols if is_mark(symbol)}
    if _GLUED in symbols:
        return set()
    return {name for name in variables if "(" not in name and _last(name) not in marked}


def shared_arrays(variables: list[str], symbols: list[str]) -> set[str]:
    """Those of the thread-local variables that were declared `__shared__`: the others are the host's own."""
    marked = {symbol.removeprefix(_MARK) for symbol in symbols if is_mark(symbol)}
    return {name for name in variables if _GLUED in symbols or _last(name) in marked}


def _last(name: str) -> str:
    plain = re.sub(r"<.*>", "", re.sub(r"\[abi:\w+\]", "", name))
    return plain.rpartition("::")[2].strip()


def _names(source: str, words: Set[str]) -> set[str] | None:
    """Those in declarations with one of the words, or with a macro that stands for one; None if it glues names."""
    lexed = lex(source)
    defines = [each for each in lexed.directives if each.name == "define" and len(each.tokens) > 2]
    wanted = set(words)
    for _ in range(4):  # a macro may name another one
        for each in defines:
            body = [token.text for token in each.tokens[3:]]
            if wanted.intersection(body):
                if ("#", "#") in pairwise(body):
                    return None
                wanted.add(each.tokens[2].text)
    streams = [code_stream(lexed), *map(macro_stream, defines)]
    return {name for stream in streams for name in _declared(stream, wanted)}


def _declared(stream: Stream, words: set[str]) -> Iterator[str]:
    """The names in declarations with one of the words; of a function, those before its body."""
    for index, token in enumerate(stream.tokens):
        if token.text not in words:
            continue
        start = index
        while start > 0 and stream.text(start - 1) not in (";", "{", "}"):
            start -= 1
        at = start
        while at < len(stream.tokens) and stream.text(at) != ";":
            if stream.text(at) == "{" and (stream.text(at - 1) == ")" or at < index):
                break
            if stream.is_word(at):
                yield stream.text(at)
            at = stream.after_group(at) if stream.text(at) == "{" else at + 1
