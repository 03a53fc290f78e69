"""How each load and store must be aligned, where the callback that g++ puts before it does not say so.

`__tsan_read16 (p)` stands before a load of a float4, which lies at a multiple of sixteen, and before one of a structure
of two doubles, which need not. Where g++ knows the address, as of `*(float4*)(s + 4 * i + 1)` with an array `s`, it
tells of the load as of four floats: `__tsan_read_range (_15, 16)`. Its dump has the type of each, and the callbacks of
a function in the order in which they stand in the machine code; its list of classes has how a type is aligned.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from grader.devices.build.elf import Elf
from grader.devices.emulator.calls import PLACE, Function, functions_in
from grader.devices.emulator.machine_code import Instruction
from grader.devices.emulator.sides import may_pack

ANY, ITS_SIZE = 0, -1  # what an access wants: not known to be anything; what its callback says

_NUMBERS = {"char": 1, "short": 2, "int": 4, "long": 8, "longlong": 8}
_NUMBERS |= {f"u{name}": each for name, each in _NUMBERS.items()} | {"float": 4, "double": 8}
_OF_TWO = {f"{name}2": 2 * each for name, each in _NUMBERS.items()}
_OF_THREE = {f"{name}3": each for name, each in _NUMBERS.items()}
_OF_FOUR = {f"{name}4": min(4 * each, 16) for name, each in _NUMBERS.items()}
_HALVES = {"half": 2, "__half": 2, "__nv_bfloat16": 2, "half2": 4, "__half2": 4, "__nv_bfloat162": 4}
_PLAIN = {"float": 4, "double": 8, "int": 4, "unsigned int": 4, "short int": 2, "short unsigned int": 2, "long int": 8}
_PLAIN |= {"long unsigned int": 8, "long long int": 8, "long long unsigned int": 8, "__int128": 16}
_WHOLE = {"Words": ITS_SIZE}  # of vector_types.h: by which an assignment to a vector goes
_KNOWN = {**_OF_TWO, **_OF_THREE, **_OF_FOUR, **_HALVES, **_PLAIN, **_WHOLE}

_CALLBACK = re.compile(r"__tsan_(?:volatile_)?(?:read|write)(?:\d+|_range)\b")
_TOLD = re.compile(rf"^ +(?P<name>{_CALLBACK.pattern}) \((?P<place>.*?)(?:, (?P<bytes>\d+))?\);")
_WIDE = re.compile(r"__tsan_(?:read|write)(?:16|_range) \(")
_ANY = re.compile(r"__tsan_(?:read|write)(?:\d+|_range) \(")
_WHOLE_VARIABLE = re.compile(r"&[\w.$]+$")  # which lies where it should
_VALUE = r"[\w.$]*_\d+(?:\(D\))?"
_IN_REGISTER = re.compile(rf"(?:{_VALUE}|-?[\d.]+(?:e[-+]\d+)?)$")
_ADDRESS = re.compile(rf"^ +(?:#|{_VALUE} = (?:\([^()]*\) )?(?:&|{_VALUE}(?: [-+*&|] .*)?;))")  # that is worked out
_STATEMENT = re.compile(r"^ +(?P<target>[^\"=]+?) =(?:\{v\})? (?P<source>.*?);")
_MEMORY = re.compile(r"^MEM(?: <(?P<type>.*)> )?\[\((?P<cast>[^()]*(?:\([^()]*\))?[^()]*)\).*?\](?P<part>[.\[].*)?$")
_CONVERTED = re.compile(r"^VIEW_CONVERT_EXPR<.*?>\((?P<memory>.*)\)$")  # of bit_cast
_PART = re.compile(r"^[\w.$()*]+(?:->|\.|\[)|\][.\[]")
_MADE = re.compile(r"^ +(?:# )?(?P<name>[\w.$]+) = (?P<source>[^;\n]*)", re.MULTILINE)
_BESIDE_NAMES = re.compile(  # casts, types, members and numbers
    r"\((?:D|\d+|[a-z][^()&]*)\)|\bMEM\b|\bPHI\b|<(?:struct|union|float|unsigned|char|int)[^>]*>"
    r"|(?:->|\.)[A-Za-z]\w*|(?<![\w.])\d\w*"
)
_MEMBER = re.compile(r"(?:->|\.)[A-Za-z]")
_LOADED = re.compile(r"[\w.$]+ \(|\*|MEM|[\w.$()]+(?:->|\[|\.[A-Za-z])")  # it is what a call gives, or lies there
_NAME = re.compile(r"[A-Za-z_][\w.$]*")
_PLAIN_BESIDES = {"char", "unsigned char", "signed char", "bool", "sizetype", "ssizetype"}
_FOLLOWED = re.compile(r"^\*(?P<name>[\w.$]+?)(?:\(D\))?$")
_VARIABLE = re.compile(r"^(?P<name>[\w.$]+?)(?:\(D\))?$")
_WITHOUT = re.compile(r"\b(?:const|volatile|struct|class|union|static|restrict|__restrict__)\b|<.*>|[\w ]+::")
CLASS = re.compile(r"^Class (?P<name>.+)\n   size=(?P<bytes>\d+) align=(?P<alignment>\d+)$", re.MULTILINE)
_BEHIND_POINTER = re.compile(r"(?:(?<=[*& ])(?:const|volatile|restrict|__restrict__)|\s)+$")
_VECTOR = re.compile(r"vector\((?P<count>\d+)\) (?P<type>.+)")


class Callback(NamedTuple):
    """One of a function's, and the alignment that the access behind it wants."""

    name: str
    wants: int


class Types:
    """How types are aligned, by their last names and sizes; `classes` is what g++ told of a file's own. With `packs` a
    file may have structures whose members lie anywhere.
    """

    def __init__(self, classes: str, packs: bool):
        self.packs, self._own = packs, dict[tuple[str, int], int]()
        self.of_interest = _ANY if packs else _WIDE
        for each in CLASS.finditer(classes):
            name = _last_name(each["name"]), int(each["bytes"])
            self._own[name] = min(int(each["alignment"]), self._own.get(name, 1 << 20))

    def alignment(self, type_: str, size: int) -> int:
        """ANY of a type that is not known; the least of those by this name."""
        plain = _WITHOUT.sub("", type_).strip()
        if plain.endswith(("*", "&")):
            return 8
        if vector := _VECTOR.match(plain):
            return int(vector["count"]) * self.alignment(vector["type"], 0)
        if not plain:
            return ANY
        own, known = self._own.get((plain, size)), _KNOWN.get(plain)
        return min(filter(None, (own, known)), default=ANY)


def _last_name(name: str) -> str:
    """`Local` of `f(int)::Local`, `Pair` of `Pair<int, float>`."""
    depth, found = 0, list[str]()
    for letter in reversed(name):
        depth += (letter in ")>") - (letter in "(<")
        if letter == ":" and depth == 0:
            break
        found += letter if depth == 0 and letter not in "(<" else ""
    return "".join(reversed(found)).strip()


def callbacks_in(dump: str, types: Types) -> dict[str, list[Callback]]:
    """Those of each function that has one whose access wants another alignment than it says."""
    found = {}
    for name, function in functions_in(dump).items() if types.of_interest.search(dump) else ():
        if types.of_interest.search(function.body):
            told = list(_callbacks(function, types))
            if any(each.wants != ITS_SIZE for each in told):
                found[name] = told
    return found


def of_interest(dump: str) -> str:
    """The functions of a dump that tell of such an access, or assign a vector as a whole."""
    functions = re.split("(?=^;; Function )", dump, flags=re.MULTILINE)
    return "".join(each for each in functions if _WIDE.search(each) or any(f"({name} *)" in each for name in _WHOLE))


def _callbacks(function: Function, types: Types) -> Iterator[Callback]:
    waiting: list[re.Match[str]] = []  # a store is told of before the load that it stores
    for with_places in function.body.split("\n"):
        is_callback = "__tsan_" in with_places
        if is_callback and not waiting and not types.of_interest.search(with_places):
            if called := _CALLBACK.search(with_places):
                yield Callback(called[0], ITS_SIZE)
        elif is_callback or waiting:
            row = PLACE.sub("", with_places)
            if told := _TOLD.match(row):
                waiting.append(told)
            elif not _ADDRESS.match(row):
                statement = _STATEMENT.match(row)
                for each in waiting:
                    yield Callback(each["name"], _wanted(each, statement, function, types))
                waiting = []


def _wanted(told: re.Match[str], statement: re.Match[str] | None, function: Function, types: Types) -> int:
    is_range = told["name"].endswith("_range")
    memory, other = "", ""
    if statement:
        sides = statement["target"], statement["source"]
        memory, other = sides if "write" in told["name"] else reversed(sides)
    if types.packs and _moves_whole(memory) and _may_be_member(told["place"], function):
        return ANY
    if not _WIDE.match(f"{told['name']} (") or (is_range and _WHOLE_VARIABLE.match(told["place"])):
        return ITS_SIZE
    size = int(told["bytes"] or 16)
    wanted = _alignment(memory, other, size, function, types) if statement else ANY
    wanted = size if wanted == ITS_SIZE else wanted
    if is_range:
        return wanted if wanted > 1 else ITS_SIZE
    return ITS_SIZE if wanted >= 16 else 8 if wanted == 8 else ANY


def _moves_whole(memory: str) -> bool:
    """Whether it is what an assignment to a vector stores, or takes."""
    found = _MEMORY.match(memory)
    return bool(found and any(found["cast"].removeprefix("const ").startswith(each) for each in _WHOLE))


def _may_be_member(place: str, function: Function) -> bool:
    """Whether an address may be one of a structure's member: whatever it was made from has, or is, or leads to one."""
    made = {each["name"]: each["source"] for each in _MADE.finditer(PLACE.sub("", function.body))}
    waiting, seen = [place], set[str]()
    while waiting:
        address = waiting.pop()
        if "&" in address and _MEMBER.search(address):
            return True
        for name in set(_NAME.findall(_BESIDE_NAMES.sub("", address))) - seen:
            seen.add(name)
            source, type_ = made.get(name, ""), _declared(name, function)
            if not _is_plain(type_) and ("struct" in type_ or not source):
                return True
            if not _LOADED.match(source):  # a pointer from memory has a type of its own
                waiting.append(source)
    return False


def _is_plain(type_: str) -> bool:
    """Whether it is a number or a vector of CUDA's, or leads to one; not so if it is not known."""
    name = _WITHOUT.sub("", type_).strip(" *&")
    return name in _KNOWN or name in _PLAIN_BESIDES


def _alignment(memory: str, other: str, size: int, function: Function, types: Types) -> int:
    """What an access of `memory`, a value of the other side's type and of this size, wants."""
    if converted := _CONVERTED.match(memory):
        memory, other = converted["memory"], ""
    if (found := _MEMORY.match(memory)) and not found["part"]:
        pointee = _pointee(found["cast"])
        return (
            types.alignment(pointee and found["type"], size) if found["type"] else _by_name(pointee, other, size, types)
        )
    followed = _FOLLOWED.match(memory)
    if type_ := _pointee(_declared(followed["name"], function)) if followed else _type_of(memory, function):
        return _by_name(type_, other, size, types)
    return types.alignment(_type_of(other, function), size) if _PART.search(memory) and not types.packs else ANY


def _by_name(type_: str, other: str, size: int, types: Types) -> int:
    """What a type wants, also by the name of a typedef, as uint32_t: what goes through a register is a number."""
    known = types.alignment(type_, size)
    is_number = type_ and _IN_REGISTER.match(other) and size in _NUMBERS.values()
    return size if is_number and not known else known


def _pointee(pointer: str) -> str:
    """What it leads to, "" if that may be another type, as in memcpy."""
    if "{ref-all}" in pointer:
        return next((each for each in _WHOLE if pointer.startswith(each)), "")
    pointer = _BEHIND_POINTER.sub("", pointer)
    return pointer[:-1] if pointer.endswith(("*", "&")) else ""


def _type_of(value: str, function: Function) -> str:
    if found := _VARIABLE.match(value.strip()):
        return _declared(found["name"], function)
    if (memory := _MEMORY.match(value)) and not memory["part"] and (pointee := _pointee(memory["cast"])):
        return memory["type"] or pointee
    return ""


def _declared(name: str, function: Function) -> str:
    """The type of a variable, or of a value of it; a parameter's ends in its name."""
    variable = name if name in function.types else re.sub(r"_\d+$", "", name)
    return function.types.get(variable, "").removesuffix(variable)


def alignments(
    elf: Elf, code: Callable[[], Iterable[Instruction]], dumps: Iterable[str], classes: str
) -> Iterator[tuple[int, int]]:
    """The return addresses of the callbacks before accesses that want another alignment than these say, and which.
    `dumps` are those of the library's sources, `code` gives its machine code, if that is needed.
    """
    types = Types(classes, any(may_pack(each.name) for each in elf.symbols))
    told = [callbacks_in(dump, types) for dump in dumps]  # a name may stand for a function in each of several
    if any(told):
        yield from _alignments(elf, code(), told)


def _alignments(
    elf: Elf, code: Iterable[Instruction], told: Sequence[Mapping[str, Sequence[Callback]]]
) -> Iterator[tuple[int, int]]:
    names: dict[int, list[str]] = {}
    for each in elf.symbols:
        names.setdefault(each.value, []).append(each.name)
    for start, calls in _calls(code):
        known = [one[name] for name in names.get(start, ()) for one in told if name in one]
        called = [name for name, _ in calls]
        fitting = [[each.wants for each in one] for one in known if [each.name for each in one] == called]
        fitting += [] if fitting or not known else [[ANY if name.endswith("16") else ITS_SIZE for name in called]]
        for (_, pc), *wants in zip(calls, *fitting, strict=True) if fitting else ():
            if set(wants) != {ITS_SIZE}:
                yield pc, wants[0] if len(set(wants)) == 1 else ANY


def _calls(code: Iterable[Instruction]) -> Iterator[tuple[int, list[tuple[str, int]]]]:
    """Where each function begins, its callbacks before accesses, and their return addresses."""
    start, begins, calls, called = 0, False, list[tuple[str, int]](), ""
    for address, operation, operands in code:
        if not operation:
            if calls:
                yield start, calls
            begins, calls, called = True, [], ""
            continue
        start, begins = (address, False) if begins else (start, False)
        if called:
            calls.append((called, address))
        told = _CALLBACK.search(operands) if "__tsan_" in operands and operation.startswith(("call", "bl")) else None
        called = told[0] if told else ""
    if calls:
        yield start, calls
