"""Which copies of a range of bytes are loads and stores of a vector, so that their alignment is asked for.

Where g++ knows an address to be no multiple of eight, as of `*(float4*)(s + 4 * i + 1)` with an array `s`, it tells of
a float4 as it does of four floats: `__tsan_read_range (_15, 16)`. Its dump has the type that it follows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path, PurePath

from grader.devices.emulator.lines import ways_to
from grader.devices.emulator.machine_code import Instruction

_OF_EIGHT = ("float2", "int2", "uint2", "short4", "ushort4")
_OF_SIXTEEN = ("float4", "int4", "uint4", "double2", "long2", "ulong2", "longlong2", "ulonglong2")
_BYTES = dict.fromkeys(_OF_EIGHT, "8") | dict.fromkeys(_OF_SIXTEEN, "16")
_STORES_WHOLE = "vector_types.h"  # by which an assignment to a vector goes
_RANGE = re.compile(
    r"\[(?P<file>[^]:\n]*):(?P<line>\d+):\d+[^]\n]*\] __tsan_(?:read|write)_range \((?P<name>\w+), (?P<bytes>8|16)\);"
)
_NEAR = 200  # characters: the statement that the callback stands before
_CALL = re.compile("__tsan_(read|write)_range")


def vector_copies(library: Path, code: list[Instruction], dump: str) -> Iterator[int]:
    """The return addresses of their callbacks."""
    places = set(_places(dump))
    if not places:
        return
    pcs = [code[at + 1][0] for at, row in enumerate(code[:-1]) if _CALL.search(row[2])]
    for pc, way in ways_to(library, pcs).items():
        if way and (PurePath(way[0][0]).name, way[0][1]) in places:
            yield pc


def _places(dump: str) -> Iterator[tuple[str, int]]:
    """The name of a file and a line, of each."""
    for copy in _RANGE.finditer(dump):
        file, name = PurePath(copy["file"]).name, copy["name"]
        function = dump[dump.rfind("\n;; Function ", 0, copy.start()) + 1 : copy.start()]
        declared = re.search(rf"^  (?:const )?struct (\w+) [*&] {name};$", function, re.MULTILINE)
        followed = re.search(rf"\((?:const )?struct (\w+) [*&][^()\n]*\){name}\b", dump[copy.end() :][:_NEAR])
        types = [each[1] for each in (declared, followed) if each]
        if file == _STORES_WHOLE or copy["bytes"] in map(_BYTES.get, types):
            yield file, int(copy["line"])
