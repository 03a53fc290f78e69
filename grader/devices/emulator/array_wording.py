"""How an array that a finding is about is called, and which of its elements was touched."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grader.devices.emulator.reading import Reading

IN_KERNELS = ("malloc", "new", "kernel's cudaMalloc")  # that gave a kernel memory
_WORD = 4
_BYTES = {
    **dict.fromkeys(("char", "int8_t", "uint8_t", "bool", "byte"), 1),
    **dict.fromkeys(("short", "int16_t", "uint16_t", "half", "__half", "__nv_bfloat16"), 2),
    **dict.fromkeys(("float", "int", "unsigned", "uint32_t", "int32_t", "half2", "__half2", "__nv_bfloat162"), _WORD),
    **dict.fromkeys(("double", "size_t", "uint64_t", "int64_t", "float2", "int2", "uint2"), 2 * _WORD),
    **dict.fromkeys(("float4", "int4", "uint4", "double2", "longlong2", "ulonglong2"), 4 * _WORD),
}


class Where:
    """The array of a finding, in the learner's terms: its name, the index touched, its number of elements."""

    def __init__(self, fact: dict[str, Any], element_bytes: Mapping[str, int]):
        array = fact["array"]
        known = element_bytes.get(array)
        self.element = known or _declared_bytes(fact) or fact["bytes"] or 4
        self.index = fact["offset"] // self.element
        self.elements = fact["array_bytes"] // self.element
        self.known_element = known is not None
        self.name = _array_name(fact)
        unnamed = array in IN_KERNELS or array.startswith(("cuda", "a tensor"))
        self.at = f"element {self.index} of {self.name}" if unnamed else f"{self.name}[{self.index}]"
        self.size = f"{self.elements} element{'' if self.elements == 1 else 's'}"
        if not self.known_element:
            self.size += f" of {self.element} byte{'' if self.element == 1 else 's'}"


def bytes_of_element(fact: dict[str, Any], widths: Mapping[int, int], reading: Reading) -> int:
    """How many bytes an element of a race's array has, as far as its two accesses and the text tell.

    The runtime knows of words. `widths` are the bytes of each access, by its program counter.
    """
    if declared := _declared_bytes({**fact, "reading": reading}):
        return declared
    touched = [bytes_ for each in ("pc", "other_pc") if (bytes_ := widths.get(fact[each]))]
    least = min(touched, default=0)
    return least if least <= 2 * _WORD else _WORD  # else often four numbers at once


def _declared_bytes(fact: Mapping[str, Any]) -> int:
    """Of an element of an array in a kernel, as its declaration says; 0 if the text does not tell.

    A fragment of a tensor core is read word by word, and a vector four numbers at once.
    """
    reading = fact.get("reading")
    if not reading or fact.get("space", "shared") not in ("shared", "local"):
        return 0
    dynamic = reading.dynamic_array(fact.get("kernel", ""), fact.get("line", 0))
    declared = reading.types_of_array(fact["array"].rpartition("::")[2] or dynamic)
    known = {bytes_ for type_ in declared if (bytes_ := _BYTES.get(type_))}
    return known.pop() if len(known) == 1 else 0


def _array_name(fact: dict[str, Any]) -> str:
    array = fact["array"]
    if fact["array_line"] and (array in IN_KERNELS or array.startswith(("cudaMalloc", "cudaHostRegister"))):
        return f"the memory from the {array} in line {fact['array_line']}"
    if fact["space"] == "shared" and not array:
        return fact["reading"].dynamic_array(fact.get("kernel", ""), fact.get("line", 0)) or "the dynamic shared memory"
    return array.rpartition("::")[2] or "memory"


def shared_layout(text: str, name: str) -> str:
    """Where nvcc puts a shared array, if that is why an access of it is misaligned."""
    if not text.startswith("behind "):
        return ""
    told = f"nvcc puts {name} {int(text.split()[1]):,} bytes into the block's shared memory"
    return f", and {told}, right behind what is declared before it"
