"""What kernels call, seen in what g++ makes of a file before it writes machine code (`-fdump-tree-optimized`).

g++ announces every load and store that a statement makes, but not what is done by a call whose code it does not see: by
a function of the C library, or by a machine instruction under the name of a builtin. So a kernel may call its own
file's functions, the runtime's, and functions of numbers; nothing else gets an address.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property, lru_cache

from grader.devices.build.refused import Refusal
from grader.devices.emulator.announced import unannounced
from grader.devices.emulator.outside import (
    WRAPPED,
    declared_functions,
    device_functions,
    is_callback,
    is_compilers,
    is_math,
)
from grader.devices.emulator.words import NO_PTX

_FUNCTION = re.compile(r"^;; Function .*? \((\S+), funcdef_no=.*$", re.MULTILINE)
PLACE = re.compile(r"\[(?P<file>[^\]\[:]*):(?P<line>\d+):\d+(?: discrim \d+)?\] ?")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_CALL = re.compile(
    r"^\s+(?:[^=\"]*? = )?(?P<name>[\w.]+|OBJ_TYPE_REF\(.*?\)|[\w.]+\(D\)) \((?P<arguments>.*)\);(?: \[[a-z ]*\])*$"
)
_ASM = re.compile(r"^\s+__asm__\b")
_ROOM = re.compile(r'__asm__ __volatile__\("\.(nops 256|fill 64, 4, 0xd503201f)" : +: +: "memory"\);')  # of ptx.h
_PLAIN_OPERANDS = re.compile(r'[\s:,]|"[^"]*"|\[\w+\]|[\w.]+(?:\(D\))?|-?\d[\w.]*')
_DECLARED = re.compile(r"^  (?P<static>static )?(?P<type>[^;=]*?)(?P<name>[\w.$]+)(?:\[[^];]*\])*(?: = [^;]*)?;$")
_WORD = re.compile(r"[\w.$]+")
_VALUE = re.compile(r"([\w.$]+?)(?:_\d+)?(?:\(D\))?")
_UNSEEN = (
    "`{}` in a kernel would reach memory out of the emulator's sight: "
    "use one of CUDA's functions, or plain loads and stores"
)
_BY_CALL = (
    "this call copies a structure to or from memory by itself, out of the emulator's sight: "
    "use a variable of your own in between, as in `float4 value = x[i]; f(value);` or `Pair p = f(i); z[i] = p;`"
)
_HIDDEN = "this line would read or write memory out of the emulator's sight: use plain loads and stores"
_OF_THE_HOST = "this function of the runtime API is the host's: a kernel cannot call it"
_THROWS = "a kernel cannot throw here, as the standard library's `at` and `value` do: use `[]`, `*` or `get_if`"
_HEAP = re.compile(r"_Zn[wa]m|_Zd[la]Pv")
_NO_HEAP = "`{}` in a kernel is not emulated: use a local variable, or allocate with cudaMalloc before the launch"
_THROW = re.compile(r"_ZSt\d+__throw_")
_NO_KERNEL = "what is launched here is no __global__ function of this file: launch one that is"
_STORES = re.compile(r"  (\*|MEM)[^=;]* = |  [^=;(]*->[^=;(]* = ")
_LAUNCH_HEADER = "/ladder/launch.h:"
_KERNEL = {"flatten", "noclone", "noinline"}
_SECOND_NAME = re.compile(r"([CD])1(?=[EI])")
_RUNS = re.compile(r"_ZZN6ladder5startI")  # what calls a kernel, once for each thread (launch.h)
_LAUNCHES = re.compile(r"6ladder|UlDpT_E")  # our part of a launch, on the learner's line
_THROUGH_A_POINTER = re.compile(r"(?<![\w)] )\*[\w.]+|->|MEM ?[\[<]")
_RUNTIME = frozenset(WRAPPED) | {"__builtin_" + name for name in ("printf", "puts", "putchar", "vprintf")}
# Builtins that get addresses and leave alone what lies there, but for the stack's own.
_HARMLESS = re.compile(
    r"__builtin_(return_address|frame_address|eh_\w+|unwind_resume|unreachable|trap|va_start|va_end|va_copy|alloca\w*|"
    r"stack_save|stack_restore|assume_aligned|prefetch|constant_p|object_size|dwarf_\w+|cxa_end_cleanup|expect\w*|nanf?l?)"
)


class Function:
    """One function of a dump. Its `body` has a row for each statement, with places in it; `plain` has none."""

    def __init__(self, text: str):
        self.head, _, self.body = text.partition("\n{\n")

    @cached_property
    def plain(self) -> list[str]:
        return PLACE.sub("", self.body).split("\n")

    @cached_property
    def attributes(self) -> set[str]:
        found = re.search(r"__attribute__\(\((.*)\)\)", self.head)
        return set(_WORD.findall(found[1])) if found else set()

    @cached_property
    def is_seen(self) -> bool:
        """Whether it has callbacks: where it runs is known, at least."""
        return "__sanitizer_cov_trace_pc (" in self.body or "__tsan_func_entry (" in self.body

    @cached_property
    def hides(self) -> bool:
        """Whether it loads or stores, and no callback says so."""
        return "__tsan_" not in self.body and any(_THROUGH_A_POINTER.search(row) for row in self.plain)

    @cached_property
    def declared(self) -> list[re.Match[str]]:
        rows = PLACE.sub("", f"\n{self.body}".partition("\n  <bb ")[0]).split("\n")
        return [match for match in map(_DECLARED.match, rows) if match]

    @cached_property
    def types(self) -> dict[str, str]:
        """Of its parameters and variables."""
        parameters = self.head.rpartition("\n")[2].partition(" (")[2].removesuffix(")").split(",")
        named = {words[-1]: each for each in parameters if (words := _WORD.findall(each))}
        return named | {match["name"]: match["type"] for match in self.declared}

    @cached_property
    def own(self) -> set[str]:
        """Variables on its stack."""
        return {match["name"] for match in self.declared if not match["static"]}

    @cached_property
    def unannounced(self) -> list[tuple[int, bool]]:
        """As announced.py says; none where no callback is, for then its code is part of another's or is hidden."""
        if not self.is_seen:
            return []
        variables = self.own | (set(self.types) - {each["name"] for each in self.declared})
        return list(unannounced(self.plain, variables, declared_functions()))

    @cached_property
    def calls(self) -> list[tuple[int, str, str]]:
        """The row, the name or pointer, and the arguments of each call, but for callbacks."""
        found = []
        for number, row in enumerate(self.plain):
            if " (" in row and (match := _CALL.match(row)):
                name = match["name"].removesuffix(".localalias")
                if not is_callback(name):
                    found.append((number, name, match["arguments"]))
        return found


def refused_calls(dump: str, filename: str) -> Refusal | None:
    """The first call in a kernel of something that would read or write memory unseen, if there is one."""
    functions = functions_in(dump)
    if mine := next((name for name in functions if name.startswith("__builtin_")), None):
        return f"`{mine}` is a name of the compiler's own: choose another one", line_of_use(dump, mine, filename) or 1
    for name in reached_by_kernels(functions):
        function = functions[name]
        if function.hides and f"[{filename}:" in function.body and not _LAUNCHES.search(name):
            return "this function's code would be hidden from the emulator", _line(function, 0, filename)
        for sentence, line in _refused_in(function, functions, filename):
            return sentence, line or line_of_use(dump, name, filename) or 1
    for name, function in functions.items():
        if _RUNS.match(name) and _stores_by_itself(function) and not _runs_what_is_seen(function, functions):
            return _NO_KERNEL, _line(function, 0, filename) or 1
    return None


def host_functions(dump: str) -> list[str]:
    """Functions that no kernel may enter, not even through a pointer: they make such calls."""
    functions = functions_in(dump)
    return [name for name, each in functions.items() if each.is_seen and any(_refused_in(each, functions, ""))]


def _stores_by_itself(run: Function) -> bool:
    """Whether it has stores, but for those that a launch itself makes, of `{a, b}` as an argument."""
    rows = zip(run.body.split("\n"), run.plain, strict=True)
    return any(_STORES.match(plain) for row, plain in rows if _LAUNCH_HEADER not in row)


def _runs_what_is_seen(run: Function, functions: dict[str, Function]) -> bool:
    """Whether the kernel is a function of its own, and not a part of what calls it."""
    called = [name for _, name, _ in run.calls]
    within = [functions[name] for name in called if name in functions]
    return any(_is_pointer(name, run) or (name in functions and functions[name].is_seen) for name in called) or any(
        _runs_what_is_seen(each, functions) for each in within if each is not run and not each.is_seen
    )


def line_of_use(dump: str, symbol: str, filename: str) -> int | None:
    """The first of the file's lines that names this function, or else the line before an inlined call that does."""
    used = re.compile(rf"\b{re.escape(symbol)}\b")
    before, near = None, None
    for row in dump.splitlines():
        own = next((int(place["line"]) for place in PLACE.finditer(row) if place["file"] == filename), None)
        if own and used.search(row):
            return own
        before = None if row == "}" else own or before  # a function ends
        near = near or (before if used.search(row) else None)
    return near


def is_used_by_headers(dump: str, symbol: str, filename: str) -> bool:
    """Whether all that takes the address of this function is written in a header: `std::to_string` does."""
    taken = re.compile(rf"(?:{PLACE.pattern})?(?<![\w.$]){re.escape(symbol)}(?![\w.$]| \()")
    uses = list(taken.finditer(dump))
    return bool(uses) and all(use["file"] and use["file"] != filename for use in uses)


def own_variables(dump: str, word: str) -> Iterator[tuple[str, set[str]]]:
    """The body of each function that has this word in it, and the variables on its stack. None of one that has become a
    part of all that call it: nothing but its own text names it.
    """
    for name, each in functions_in(dump).items():
        if word in each.body and (each.attributes >= _KERNEL or dump.count(name) > each.body.count(name) + 1):
            yield each.body, each.own


@lru_cache(maxsize=2)
def functions_in(dump: str) -> dict[str, Function]:
    """By the names that the linker has for them."""
    heads = list(_FUNCTION.finditer(dump))
    ends = [head.start() for head in heads[1:]] + [len(dump)]
    return {head[1]: Function(dump[head.end() : end]) for head, end in zip(heads, ends, strict=True)}


def _kernels(functions: dict[str, Function]) -> list[str]:
    return [name for name, each in functions.items() if each.attributes >= _KERNEL or _RUNS.match(name)]


def reached_by_kernels(functions: dict[str, Function]) -> list[str]:
    """The kernels' names, and those of what they call, directly or not."""
    roots = _kernels(functions)
    reached = dict.fromkeys(roots)
    queue = list(roots)
    while queue:
        for _, called, _ in functions[queue.pop()].calls:
            name = _body(called, functions)
            if name in functions and name not in reached:
                reached[name] = None
                queue.append(name)
    return list(reached)


def _body(name: str, functions: dict[str, Function]) -> str:
    """The function whose code a call runs: g++ writes a constructor or destructor once, and gives it a second name."""
    return name if name in functions else _SECOND_NAME.sub(r"\g<1>2", name)


def _is_pointer(name: str, function: Function) -> bool:
    if name.startswith("OBJ_TYPE_REF") or name.endswith("(D)") or re.fullmatch(r"_\d+", name):
        return True
    return name in function.types or _base(name) in function.types


def _refused_in(function: Function, functions: dict[str, Function], filename: str) -> Iterator[Refusal]:
    for number, row in enumerate(function.plain if "__asm__" in function.body else ()):
        if _ASM.match(row) and not _asks_nothing(row):
            yield NO_PTX, _line(function, number, filename)
    for number, by_call in function.unannounced:
        yield _BY_CALL if by_call else _HIDDEN, _line(function, number, filename)
    for number, name, arguments in function.calls:
        known = _body(name, functions) in functions or name in device_functions() or name in _RUNTIME
        if known or _is_pointer(name, function) or is_compilers(name) or _HARMLESS.fullmatch(name):
            continue
        of_numbers = name.startswith(("__builtin_", ".")) or is_math(name)
        if not of_numbers or _gets_an_address(arguments, function):
            said = _OF_THE_HOST if name.startswith("ladder_") else _UNSEEN.format(_plain(name))
            said = _THROWS if _THROW.match(name) else _NO_HEAP.format(_plain(name)) if _HEAP.match(name) else said
            yield said, _line(function, number, filename)


def _plain(name: str) -> str:
    name = name.removeprefix("__builtin_") if is_math(name.removeprefix("__builtin_")) else name
    return "new" if name in ("_Znwm", "_Znam") else "delete" if name.startswith(("_ZdlPv", "_ZdaPv")) else name


def _gets_an_address(arguments: str, function: Function) -> bool:
    """Of what is not on this function's own stack."""
    for argument in _STRING.sub("0", arguments).split(","):
        argument = argument.strip()
        if local := re.fullmatch(r"&([\w$]+)(?:[.\[].*)?", argument):
            if local[1] not in function.own:
                return True
        elif "&" in argument or re.fullmatch(r"\d+B", argument):
            return True
        elif value := _VALUE.fullmatch(argument):
            type_ = function.types.get(argument.removesuffix("(D)")) or function.types.get(value[1], "")
            if "*" in type_ or "&" in type_:
                return True
    return False


def _base(name: str) -> str:
    match = _VALUE.fullmatch(name)
    return match[1] if match else name


def _asks_nothing(row: str) -> bool:
    """Assembly without instructions, or with ours, whose operands are values: none of them lies in memory."""
    if _ROOM.fullmatch(row.strip()):
        return True
    inside = row[row.index("(") + 1 : row.rindex(")")]
    first, _, rest = inside.partition(":")
    return first.strip() == '""' and not _PLAIN_OPERANDS.sub("", rest).strip()


def _line(function: Function, number: int, filename: str) -> int:
    """The learner's line of a row, or of the nearest before it; 0 if the function is a header's."""
    rows = function.body.split("\n")
    for row in [*reversed(rows[: number + 1]), *rows[number:]]:
        for place in PLACE.finditer(row):
            if place["file"] == filename:
                return int(place["line"])
    return 0
