"""What lies between the variables of a translated file: a thread that reads or writes there has left an array."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Collection

from grader.devices.build.syntax import Stream
from grader.devices.emulator.declarations import Declaration

# Wide enough that one row too many of a 32-wide tile still ends in the gap.
GAP_BYTES = 512
NAME = "ladder_gap_"
MARK = "ladder_declared_"  # memory.cpp reads it
_OF_NO_MEMBER = ("static", "inline", "__inline__", "__forceinline__", "__shared__")


def is_constant(specifiers: Collection[str]) -> bool:
    """Whether a variable that is declared by these words may be a constant, or points to one."""
    return "const" in specifiers or "constexpr" in specifiers


def declared(stream: Stream, shared: Declaration) -> str:
    """What stands behind a kernel's own shared array, and says how nvcc aligns it; "" where that is not certain.

    It is a constant of so many bytes, by a name that memory.cpp reads: g++ aligns each of these arrays to 16.
    """
    specifiers = stream.texts(shared.start, shared.name)
    of_kernel = any(
        "__global__" in stream.texts(each.head, each.opened) and each.opened < shared.start < (each.closed or 0)
        for each in stream.functions
    )
    if not of_kernel or stream.macro or shared.commas or not {"{", "auto"}.isdisjoint(specifiers):
        return ""
    places = (at for at in range(shared.start, shared.end) if stream.text(at) not in _OF_NO_MEMBER)
    member = stream.spelled(places).replace("{", "{{").replace("}", "}}")
    kind, variable = "ladder_as_{number}", f"{MARK}{{number}}_{stream.text(shared.name)}"
    bytes_ = f"static const char {variable}[alignof({kind})] __attribute__((used)) = {{{{}}}};"
    return f" struct {kind} {{{{ {member}; }}}}; {bytes_}"


def of_file(filename: str, source: str) -> str:
    """A part of names that no other file of a program has."""
    return f"{zlib.crc32(f'{filename} {source}'.encode(errors='surrogateescape')):x}_"


class Gaps:
    """Their declarations, each by names of its own: `file` tells them from those of other files that are included."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._count = 0

    def of(self, specifiers: Collection[str]) -> Callable[[], str]:
        """What makes those around a variable outside of functions that is declared by these words."""
        if "__constant__" in specifiers:
            return self._constant
        return self._constant_of_device if is_constant(specifiers) else self._device

    def shared(self, mark: str = "") -> str:
        """Behind a shared array; `mark` is what declared() gives."""
        return f" static thread_local __attribute__((used)) {self._array()};{mark.format(number=self._count)}"

    def _array(self) -> str:
        self._count += 1
        return f"char {NAME}{self._file}{self._count}[{GAP_BYTES}]"

    def _device(self) -> str:
        """Where g++ puts variables that begin with zeros, where it puts static ones of these, and where the others."""
        here = '__attribute__((used, section(".bss")))'
        zeros, others = f" static {here} {self._array()};", "static __attribute__((used))"
        return f"{zeros} {others} {self._array()}; {others} {self._array()} = {{1}}; "

    def table(self) -> str:
        """Where it puts constants: three, so that one begins right behind any number of bytes, and one ends at a
        multiple of 64.
        """
        each = (f"static __attribute__((used, aligned({to}))) const {self._array()} = {{1}}; " for to in (1, 64, 1))
        return " " + "".join(each)

    def _constant_of_device(self) -> str:
        return self._device() + self.table()

    def _constant(self) -> str:
        return f" static __constant__ {self._array()} = {{1}}; "
