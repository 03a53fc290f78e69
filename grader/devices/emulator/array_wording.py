"""How an array that a finding is about is called, and which of its elements was touched."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

IN_KERNELS = ("malloc", "new")  # that gave a kernel memory


class Where:
    """The array of a finding, in the learner's terms: its name, the index touched, its number of elements."""

    def __init__(self, fact: dict[str, Any], element_bytes: Mapping[str, int]):
        array = fact["array"]
        known = element_bytes.get(array)
        self.element = known or fact["bytes"] or 4
        self.index = fact["offset"] // self.element
        self.elements = fact["array_bytes"] // self.element
        self.known_element = known is not None
        self.name = _array_name(fact)
        unnamed = array in IN_KERNELS or array.startswith(("cuda", "a tensor"))
        self.at = f"element {self.index} of {self.name}" if unnamed else f"{self.name}[{self.index}]"
        self.size = f"{self.elements} element{'' if self.elements == 1 else 's'}"
        if not self.known_element:
            self.size += f" of {self.element} byte{'' if self.element == 1 else 's'}"


def _array_name(fact: dict[str, Any]) -> str:
    array = fact["array"]
    if fact["array_line"] and (array in IN_KERNELS or array.startswith(("cudaMalloc", "cudaHostRegister"))):
        return f"the memory from the {array} in line {fact['array_line']}"
    if fact["space"] == "shared" and not array:
        return fact["reading"].dynamic_array or "the dynamic shared memory"
    return array.rpartition("::")[2] or "memory"
