"""Which of a file's variables are the GPU's, and which functions the host's. To g++ all are alike, so a translated file
ends in their names.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Set
from itertools import pairwise

from grader.devices.build.lexer import Directive, Tokens, lex
from grader.devices.build.syntax import Stream, code_stream, macro_stream

_SIDE = "ladder_side_"  # and no name of the runtime's begins so: `seconds` is a program's, ladder_host_seconds is not
_MARK, _MANAGED = f"{_SIDE}device_", f"{_SIDE}managed_"
_GLUED, _GLUED_MANAGED = f"{_SIDE}any", f"{_SIDE}any_managed"  # a macro glues names: they could be any
_OF_A_GPU = frozenset({"__device__", "__constant__", "__managed__", "__shared__"})
_NAMED = f"{_SIDE}named_"  # a variable that is the GPU's for certain, if the library has one of that name alone
_OF_THE_HOST = f"{_SIDE}host_"
_PACKS = f"{_SIDE}packs"
_MAY_PACK = re.compile(r"\bpack|_pack|##")  # `packed`, `#pragma pack`: members that lie anywhere
_WITH_ARGUMENTS = frozenset({"alignas", "__align__", "__attribute__", "decltype"})
_RUN_BY_KERNELS = frozenset({"__device__", "__global__", "constexpr", "consteval", "operator"})


def marks(source: str) -> str:
    """What to append to a translated file: a constant for each name in a declaration with `__device__` or its kin."""
    found = []
    for words, mark, glued in ((_OF_A_GPU, _MARK, _GLUED), ({"__managed__"}, _MANAGED, _GLUED_MANAGED)):
        names = _names(source, words)
        found += [glued] if names is None else [mark + name for name in sorted(names)]
    found += [_NAMED + name for name in sorted(_variables_of_a_gpu(source))]
    found += [_OF_THE_HOST + name for name in sorted(_functions_of_the_host(source))]
    found += [_PACKS] if _MAY_PACK.search(source) else []
    return "".join(f"\nstatic const char {name} __attribute__((used)) = 0;" for name in found)


def is_mark(symbol: str) -> bool:
    """Whether a symbol of the library is such a constant."""
    return symbol.startswith(_SIDE)


def may_pack(symbol: str) -> bool:
    """Whether a symbol of the library, by the linker's name, is there for a file that may have packed structures."""
    return symbol.endswith(_PACKS)


def managed_variables(variables: list[str], symbols: list[str]) -> set[str]:
    """Those of the variables that were declared for both sides."""
    return {name for name in variables if _GLUED_MANAGED in symbols or _MANAGED + last_name(name) in symbols}


def host_variables(variables: list[str], symbols: list[str]) -> set[str]:
    """Those of the variables, by their demangled names, that were declared for the host. A function's own are none."""
    marked = {symbol.removeprefix(_MARK) for symbol in symbols if is_mark(symbol)}
    if _GLUED in symbols:
        return set()
    return {name for name in variables if "(" not in name and last_name(name) not in marked}


def named_variables(variables: list[str], symbols: list[str]) -> set[str]:
    """Those of the variables that are the GPU's for certain: host code knows them by their names alone."""
    named = {symbol.removeprefix(_NAMED) for symbol in symbols if symbol.startswith(_NAMED)}
    times = Counter(map(last_name, variables))
    return {name for name in variables if "(" not in name and last_name(name) in named and times[last_name(name)] == 1}


def host_functions(functions: list[str], symbols: list[str]) -> set[str]:
    """Those of the functions that no kernel can run: they were defined without `__device__`, under all their names."""
    of_host = _of_the_host(symbols)
    return {name for name in functions if of_host and _name_of(name) in of_host}


def functions_of_the_device(functions: list[str], symbols: list[str]) -> set[str]:
    """Those of the functions that a kernel may run; `__device__` may stand before others of the same name, too."""
    marked = {each.removeprefix(_MARK) for each in symbols if each.startswith(_MARK)}
    return {name for name in functions if _name_of(name) in marked}


def functions_of_the_host(text: str) -> set[str]:
    """The same by their last names, as the marks in a preprocessed text say."""
    return _of_the_host(re.findall(rf"^static const char ({_SIDE}\w+)", text, re.MULTILINE))


def _of_the_host(symbols: list[str]) -> set[str]:
    of_host = {each.removeprefix(_OF_THE_HOST) for each in symbols if each.startswith(_OF_THE_HOST)}
    return of_host - {each.removeprefix(_MARK) for each in symbols if each.startswith(_MARK)}


def _name_of(function: str) -> str:
    """Its last name; "" of a constructor, which a class may have without a word, and of what is inside a function."""
    plain = re.sub(r"<.*>", "", re.sub(r"\[abi:\w+\]", "", function)).partition("(")
    *owners, name = plain[0].split("::")
    return "" if "{" in function or ")::" in plain[2] or name in owners else name


def shared_arrays(variables: list[str], symbols: list[str]) -> set[str]:
    """Those of the thread-local variables that were declared `__shared__`: the others are the host's own."""
    marked = {symbol.removeprefix(_MARK) for symbol in symbols if is_mark(symbol)}
    return {name for name in variables if _GLUED in symbols or last_name(name) in marked}


def last_name(name: str) -> str:
    """`w` of a demangled `f(float*)::w`."""
    plain = re.sub(r"<.*>", "", re.sub(r"\[abi:\w+\]", "", name))
    return plain.rpartition("::")[2].strip()


def _functions_of_the_host(source: str) -> set[str]:
    """The names of functions that are defined for the host alone; not of one whose macros come from elsewhere, and not
    if a kernel, or what kernels run, has this name, too.
    """
    lexed = lex(source)
    defines = _defines(lexed)
    known = {each.tokens[2].text for each in defines}
    words, glued = _with_macros(_RUN_BY_KERNELS, defines)
    stream = code_stream(lexed)
    found, others = set(), set(_declared(stream, words & known))  # a macro may be given a kernel's name
    for function in () if glued else stream.functions:
        head = stream.texts(function.head, function.opened)
        capitals = {word for word in head if word.isidentifier() and word.isupper() and len(word) > 1}
        if function.device or capitals - known or words.intersection(head):
            others.update(word for word, after in pairwise(head) if after == "(")
        elif "(" in head:
            found.add(head[head.index("(") - 1])
    return {name for name in found - others if name.isidentifier()}


def _variables_of_a_gpu(source: str) -> set[str]:
    """The names of variables that are declared `__device__` or `__constant__` outside of functions."""
    lexed = lex(source)
    words, glued = _with_macros({"__device__", "__constant__"}, _defines(lexed))
    stream = code_stream(lexed)
    found: set[str] = set()
    start = 0
    for index in range(0 if glued else len(stream.tokens)):
        if stream.text(index) in (";", "{", "}"):
            statement = range(start, index + 1)
            start = index + 1
            in_namespace = stream.scopes[statement.start].kind == "namespace"
            if in_namespace and words.intersection(stream.text(each) for each in statement):
                found.update(_variables_in(stream, statement))
    return found


def _variables_in(stream: Stream, statement: range) -> Iterator[str]:
    """The names that a declaration gives to variables; none of a function's, or under an #if."""
    texts = [stream.text(index) for index in statement]
    if "__managed__" in texts or stream.conditional[statement.start]:
        return
    index, depth, is_value = statement.start, 0, False
    while index < statement.stop:
        text, after = stream.text(index), stream.text(index + 1)
        depth += (text == "<") - (text == ">")
        is_value = (is_value or text in ("=", "{")) and text != ","
        named = stream.is_word(index) and not is_value and depth == 0 and index > statement.start
        if named and after == "(" and text not in _WITH_ARGUMENTS:
            return
        if named and after in (";", "=", "[", ",", "{"):
            yield text
        index = stream.after_group(index) if text in ("(", "[", "{") else index + 1


def _defines(lexed: Tokens) -> list[Directive]:
    return [each for each in lexed.directives if each.name == "define" and len(each.tokens) > 2]


def _with_macros(words: Set[str], defines: list[Directive]) -> tuple[set[str], bool]:
    """The words and the macros that stand for one, and whether one of these glues names."""
    wanted = set(words)
    for _ in range(4):  # a macro may name another one
        for each in defines:
            body = [token.text for token in each.tokens[3:]]
            if wanted.intersection(body):
                if ("#", "#") in pairwise(body):
                    return wanted, True
                wanted.add(each.tokens[2].text)
    return wanted, False


def _names(source: str, words: Set[str]) -> set[str] | None:
    """Those in declarations with one of the words, or with a macro that stands for one; None if it glues names."""
    lexed = lex(source)
    defines = _defines(lexed)
    wanted, glued = _with_macros(words, defines)
    if glued:
        return None
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
