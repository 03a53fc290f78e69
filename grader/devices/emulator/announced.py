"""Which statements of a function load or store, and no callback says so before.

g++ puts `__tsan_read4 (p)` right before the statement that loads from p, and machine code has no access that its last
dump has not, but for spills and constants. It says nothing of a function's own variables whose address nothing else
has, nor of constants. It says nothing either of what a call does by itself, with a structure that it is given or gives
back: that is what is looked for here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator, Sequence
from functools import cached_property

_CALLBACK = re.compile(r"__tsan_(?:unaligned_)?(?:volatile_)?(?:vptr_)?(read|write|update)\w*$")
_CALL = re.compile(r"(?P<name>[\w.$]+|OBJ_TYPE_REF\(.*?\))(?:\(D\))? \((?P<arguments>.*)\)$")
_STATEMENT = re.compile(r"^\s+(?:(?P<target>[^\"]+?) =(?:\{v\})? +)?(?P<source>\S.*);(?: \[[a-z ]*\])*$")
_PHI = re.compile(r"^\s+# (?P<target>\S+) = PHI <(?P<sources>.*)>$")
_NO_ACCESS = ("  if (", "  # ", "  goto ", "  <bb ", "  return", "  switch (", "  __builtin_")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_TEXT = "&$text"  # stands for each: an address, of none of the function's own variables
_CAST = re.compile(r"\((?:[^()]|\([^()]*\))*[*&](?: const| volatile| restrict|\s*\{ref-all\})*\) ?")
_WRAPPED = re.compile(r"^(?:\w+_EXPR|BIT_FIELD_REF)(?:<(?:[^<>]|<[^<>]*>)*>)? ?[<(](.*?)(?:, \d+, \d+)?[>)]$")
_THROUGH = re.compile(r"^\(?\*|^MEM ?(?:<(?:[^<>]|<[^<>]*>)*> )?\[|->")
_AS_ANOTHER = re.compile(r"MEM ?\[[^\]]*\][.\[]")  # `((const Other&)table).a[i]`: nothing says where that ends
_TABLE = re.compile(r"^\*\.LC\d+$")  # constants that a variable begins with, copied as a whole: no file can name it
_NAME = re.compile(r"(&?)([A-Za-z_$<][\w.$>]*)(?:\(D\))?")
_VARIABLE = re.compile(r"(?P<name>[A-Za-z_$](?:[\w$]|\.\d)*)(?:(?:\.[A-Za-z_]|\[)[^ ]*)?$")
_VALUE = re.compile(r"[\w.$]*_\d+(?:\(D\))?$")
_MADE_FROM = re.compile(r"(?:\([^()]*\) ?)?(&?[\w.$]+)(?:\(D\))?(?: [-+] (&?[\w.$]+)(?:\(D\))?)?$")
_ADDRESS_OF = re.compile(r"(?:\([^()]*\) ?)?&(?:MEM.*?&)?(?P<name><retval>|[A-Za-z_$](?:[\w$]|\.\d)*)")
_RESULT = "<retval>"  # which the caller has room for, on its own stack: it may not let a call write elsewhere
_OURS = (".", "__builtin_", "__tsan_", "ladder_")  # which tell what they read and write, or are refused elsewhere


def unannounced(rows: Sequence[str], own: set[str], constants: Container[str] = ()) -> Iterator[tuple[int, bool]]:
    """The number of each such row of g++'s dump, and whether a call makes the access.

    `own` are the variables on the function's stack, `constants` some that every call may be given.
    """
    places = _Places(rows, own, constants)
    said: set[str] = set()
    for number, row in enumerate(rows):
        if row.startswith("  <bb "):
            said = set()
        if row.startswith(_NO_ACCESS) or "CLOBBER" in row or not (match := _STATEMENT.match(row)):
            continue
        target, source = match["target"] or "", _STRING.sub(_TEXT, match["source"])
        call = _CALL.match(source)
        if call and (callback := _CALLBACK.match(call["name"])):
            said.add("read" if callback[1] == "read" else "write")
        elif call:
            used = [target, *re.split(r", (?![^<(\[]*[>)\]])", call["arguments"])]
            if not call["name"].startswith(_OURS) and any(map(places.is_elsewhere, used)):
                yield number, True
        else:
            # A variable that is read unannounced is a constant: g++ announces all others.
            reads = "read" not in said and not places.is_variable(source) and places.is_elsewhere(source)
            if reads or ("write" not in said and places.is_elsewhere(target)):
                yield number, False
            if said and (places.is_memory(source) or places.is_memory(target)):
                said = set()


class _Places:
    """What the operands of a function's statements stand for."""

    def __init__(self, rows: Sequence[str], own: set[str], constants: Container[str]):
        self._rows, self._own, self._constants = rows, own | {_RESULT}, constants

    @cached_property
    def _leads(self) -> set[str]:
        return _pointers_to(self._rows, lambda name: name in self._own) | {_RESULT}

    @cached_property
    def _lead_elsewhere(self) -> set[str]:
        return _pointers_to(self._rows, lambda name: name not in self._own)

    def is_memory(self, operand: str) -> bool:
        """Whether this is no value in a register, and no address."""
        operand = _unwrapped(operand)
        if operand.startswith("&") or _VALUE.match(operand) or _TABLE.match(operand):
            return False
        return bool(_THROUGH.search(operand) or _VARIABLE.match(operand))

    def is_through_pointer(self, operand: str) -> bool:
        """Whether a pointer leads to it; if not, a variable's name does."""
        return bool(_THROUGH.search(_unwrapped(operand)))

    def is_variable(self, operand: str) -> bool:
        """Whether a variable's name leads to it: alone, or as g++ has it in loops and for what a function refers to."""
        if not self.is_through_pointer(operand):
            return True
        operand = _unwrapped(operand)
        named = (
            (address and name not in self._own) or name in self._lead_elsewhere for address, name in _names(operand)
        )
        return not _AS_ANOTHER.match(_CAST.sub("", operand)) and any(named)

    def is_elsewhere(self, operand: str) -> bool:
        """Whether it is memory, and not the function's own."""
        if not self.is_memory(operand):
            return False
        operand = _unwrapped(operand)
        if self.is_through_pointer(operand):
            return not any(name in (self._own if address else self._leads) for address, name in _names(operand))
        variable = _VARIABLE.match(operand)
        return variable is not None and variable["name"] not in self._own and variable["name"] not in self._constants


def _unwrapped(operand: str) -> str:
    while match := _WRAPPED.match(operand):
        operand = match[1]
    return operand


def _names(operand: str) -> list[tuple[str, str]]:
    """Those in what a pointer leads to, each with the `&` before it or ""."""
    return _NAME.findall(_CAST.sub("", re.sub(r"^MEM ?(<(?:[^<>]|<[^<>]*>)*> )?", "", operand)))


def _pointers_to(rows: Sequence[str], wanted: Callable[[str], bool]) -> set[str]:
    """Values that are addresses of variables with such names, and of nothing else."""
    sums: dict[str, list[str]] = {}
    choices: dict[str, list[str]] = {}
    for row in rows:
        if match := _PHI.match(row):
            choices[match["target"]] = [
                re.sub(r"(?:\(D\))?\(\d+\)$", "", each) for each in match["sources"].split(", ")
            ]
        elif (match := _STATEMENT.match(row)) and match["target"] and _VALUE.match(match["target"]):
            if address := _ADDRESS_OF.match(match["source"]):
                sums[match["target"]] = [f"&{address['name']}"]
            elif made := _MADE_FROM.match(match["source"]):
                sums[match["target"]] = [each for each in made.groups() if each]
    leads = {*sums, *choices}

    def leads_there(value: str) -> bool:
        return wanted(value[1:]) if value.startswith("&") else value in leads

    while True:
        left = {name for name in sums.keys() & leads if any(leads_there(each) for each in sums[name])}
        left |= {name for name in choices.keys() & leads if all(leads_there(each) for each in choices[name])}
        if left == leads:
            return leads
        leads = left
