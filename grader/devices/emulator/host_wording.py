"""Findings about host code that touches the GPU's memory and variables, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grader.devices.emulator.array_wording import Where

_INSTEAD_OF_ADDRESS = {
    "a launch": "name it in the kernel itself",
    "a copy": "use cudaMemcpyToSymbol or cudaMemcpyFromSymbol",
}
_BY_NAME = {
    "read": "cudaMemcpyFromSymbol(&value, {name}, sizeof value)",
    "write": "cudaMemcpyToSymbol({name}, &value, sizeof value)",
}
_OF_BOTH_SIDES = ("cudaMallocManaged", "cudaMallocHost")

_FAR = 1 << 28  # bytes beyond an array: such an address was not meant for it
_DAMAGE = "damaged memory"  # and what the C library says of it
_CRASHES = {
    _DAMAGE: "it has written past the end of what malloc or new gave it, or freed that twice",
    "a full stack": "a function calls itself without end, or its local arrays are too large for a stack (8 MB, as a"
    " rule): make large ones with new, malloc or std::vector",
    "a segmentation fault at a null pointer": "it was never given memory, or the call that should have done so failed",
    "a segmentation fault": "by a pointer that was never set, or by an index far outside its array",
}


def kind_of(fact: Mapping[str, Any]) -> str:
    """What host code may touch has an end, and is no device memory."""
    past = fact["kind"] == "host_access" and fact["array"] in _OF_BOTH_SIDES and not fact["text"].startswith("copy")
    return "out_of_bounds" if past else str(fact["kind"])


def copy_out_of_bounds(fact: Mapping[str, Any], where: Where) -> str:
    """What leaves its array, if it is a copy or memset; "" otherwise."""
    if fact["text"].startswith("null"):
        return f"the {fact['text'].removeprefix('null ')} of a copy or memset is a null pointer: it does nothing"
    verb = "reads" if fact["access"] == "read" else "writes"
    called = fact["reading"].library_call(fact["line"]) if fact["text"] == "copy" else ""
    if fact["text"] == "copy" and not (fact["array"] and 0 <= fact["offset"] <= fact["array_bytes"] + _FAR):
        if called:
            return (
                f"{called} {verb} memory of the host, as of a std::vector or malloc, where it wants memory of the"
                " device: copy it there first, and hand over what cudaMalloc gave"
            )
        side = "source" if fact["access"] == "read" else "destination"
        return f"the {side} of this copy is no device memory, but its kind says that it is: is the direction right?"
    if called:
        return (
            f"{called} {verb} past the end of {where.name}, which has {fact['array_bytes']:,} bytes: allocate as"
            " many as the sizes and leading dimensions of this call ask for"
        )
    if fact["text"] == "copy":
        return (
            f"a copy or memset of {fact['bytes']:,} bytes leaves {where.name}, which has {fact['array_bytes']:,} bytes"
            f" (it starts at byte {fact['offset']})"
        )
    if fact["text"] == "freed by its kernel":
        return (
            "what a kernel copies or sets in this line comes when the kernel has ended, and the kernel has freed"
            f" {where.name} by then: free it in a kernel that it launches behind that"
        )
    return ""


def brought_unset(line: int) -> str:
    """Of what a kernel reads: how it came there, by the copy in this line, if it is not 0."""
    copy = f"the copy in line {line}" if line else "a copy"
    return f", but {copy} has brought it from host memory that nothing has set: fill that before the copy"


BY_THE_HOST = "the inputs go to the host, and the results come back from there: a kernel should compute them"


def host_access(fact: Mapping[str, Any], where: Where) -> str:
    """What host code does with memory or a variable that is the GPU's."""
    if fact["text"].startswith("copy"):
        side = "destination" if "to" in fact["text"] else "source"
        return f"the {side} of a copy is device memory, but its kind says that it is host memory"
    if fact["text"] == "computed by the host":
        return BY_THE_HOST
    if fact["text"].startswith("result of "):
        call = fact["text"].removeprefix("result of ")
        return (
            f"{call} writes the new pointer into {where.at}, but it is host code, which cannot reach device memory:"
            " let it fill a variable of the host, and copy that to the device with cudaMemcpy"
        )
    if fact["text"] == "address":
        use = "a launch" if fact["kernel"] else "a copy"
        return (
            f"{use} is given the address that {where.name}, a variable of the GPU, has in host code, which is no device"
            f" memory: {_INSTEAD_OF_ADDRESS[use]}, or ask cudaGetSymbolAddress(&pointer, {where.name})"
        )
    verb = {"write": "writes", "read": "reads"}.get(fact["access"], "touches")
    if fact["text"] == "variable":
        return (
            f"host code {verb} {where.name}, a variable of the GPU, which is another one there: copy it,"
            f" {_BY_NAME[fact['access']].format(name=where.name)}"
        )
    if fact["array"] in _OF_BOTH_SIDES:  # host code may touch that, while it is there
        if 0 <= fact["offset"] < fact["array_bytes"]:
            return f"host code {verb} {where.at} after it was freed"
        side = "before its start" if fact["offset"] < 0 else f"past its end: it has {where.size}"
        return f"host code {verb} {where.at}, {side}; sizes are in bytes, as `n * sizeof(float)`"
    target = where.at if fact["array"] else "device memory"
    told = f"host code {verb} {target}, which is device memory"
    if fact["line"] and fact["reading"].calls_thrust(fact["line"]):
        return f"{told}, for thrust takes a plain pointer for one of the host: write `thrust::device_pointer_cast(p)`"
    return f"{told}: only a kernel can do that"


def cause_of_crash(fact: Mapping[str, Any]) -> str:
    """What host code ends with usually comes of this; "" in a kernel, or if it is not known."""
    text = _DAMAGE if fact["text"].startswith(_DAMAGE) else fact["text"]
    cause = "" if fact.get("thread") else _CRASHES.get(text)
    return f": {cause}" if cause else ""
