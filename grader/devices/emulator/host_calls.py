"""Findings about host code's calls of CUDA, in words: launches, allocations, errors that nothing asks for."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from grader.devices.evidence import SWAPPED, looks_swapped

Fact = dict[str, Any]
_ERRORS = Path(__file__).parent / "include/ladder/errors.h"


def _launch_error(fact: Fact) -> str:
    return f"the launch of {fact['kernel']} fails: {fact['text']}{_on_launch(fact)}"


def _on_launch(fact: Fact) -> str:
    """What is behind a launch that failed, if it is one of the usual mistakes."""
    if "the grid has 0 blocks" in fact["text"]:
        return "; whole-number division rounds down, so round up: (n - 1) / threads + 1; of 0 elements, launch nothing"
    of_it = [
        launch for launch in fact["launches"] if (launch["kernel"], launch["line"]) == (fact["kernel"], fact["line"])
    ]
    return f"; {SWAPPED}" if any(map(looks_swapped, of_it)) else ""


def _leak(fact: Fact) -> str:
    if fact["text"] == "kept":
        return f"line {fact['line']} uses memory of an earlier call: free it there, and allocate it anew in each call"
    if fact["text"] == "heap":
        return (
            f"{fact['array_bytes']:,} bytes that kernels take from their heap in line {fact['line']} are never given"
            " back: each call loses them, and the heap has 8 MB; write `free` for `malloc`, or `delete` for `new`"
        )
    if fact["text"].endswith(" of a loop"):
        what = fact["text"].split("s ")[0]
        return (
            f"the {what} that line {fact['line']} creates is never destroyed, and each round of its loop makes another:"
            f" type cuda{what.title()}Destroy in the loop, or create one in front of it"
        )
    once = fact["note"]  # of a program, whose end frees it
    if not fact["array_bytes"]:
        lost = f"the stream created in line {fact['line']} is never destroyed"
        return lost if once else f"{lost}: each call loses one"
    lost = f"{fact['array_bytes']:,} bytes from the allocation in line {fact['line']} are never freed"
    if fact["text"] == "loop":
        return (
            f"{lost}, and each round of its loop takes as many: free them in the loop, or allocate once in front of it"
        )
    return lost if once else f"{lost}: free them in the call that allocates them"


def _invalid_free(fact: Fact) -> str:
    if fact["text"] == "pinned":
        return "cudaFree of memory from cudaMallocHost: cudaFreeHost gives that back"
    if fact["text"] == "device":
        return "cudaFreeHost of memory that cudaMallocHost did not return: cudaFree gives that back"
    if fact["text"] == "by the C library":
        return "free() or delete of memory from CUDA: cudaFree gives that back, and cudaFreeHost that of cudaMallocHost"
    if fact["text"].startswith("launch "):
        return (
            f"cudaFree of memory that the {fact['text'].replace(' ', ' in line ')} has freed: does the kernel call"
            " cudaFree, which is the host's? or a launch copies its arguments, and the end of such a copy runs the"
            " destructor; give the kernel the pointer, not the object"
        )
    if fact["text"] == "again":
        return "cudaFree of memory that was freed before"
    if fact["text"] == "heap":
        return "cudaFree of memory that a kernel has allocated: only a kernel can give that back"
    if fact["text"] == "given":
        return "cudaFree of memory that you were given, and the grader gives that back: take this line out"
    if fact["text"] == "inside":
        return "cudaFree of a pointer into an array: hand over the one that cudaMalloc gave"
    return "cudaFree of a pointer that cudaMalloc did not return"


def _out_of_memory(fact: Fact) -> str:
    return f"cudaMalloc of {int(fact['text']):,} bytes fails: the emulated GPU has 4 GB of memory, for all arrays"


OTHER_STREAM = (
    "this copy or memset is on the default stream, which need not wait for the stream that was given, nor that for it; "
    "write cudaMemcpyAsync or cudaMemsetAsync, with `stream` as the last argument"
)
_WRONG_CALLS = {
    "pitch": "a row of {:,} bytes is more than a pitch of {:,}, so this call fails and does nothing: widths and pitches"
    " are in bytes, `columns * sizeof(float)`",
    "texture row": "a row of {:,} bytes is more than the texture's pitch of {:,}, so this call fails and makes no"
    " texture: pitchInBytes is in bytes, width in elements",
    "texture pitch": "a texture's rows begin every 32 bytes, and a pitch of {:,} is no multiple of that, so this call"
    " fails and makes no texture: allocate by cudaMallocPitch, and take its pitch",
    "destroyed": "the stream of this work was destroyed before: call cudaStreamDestroy when nothing uses it any more",
    "host function": "a function that CUDA calls (cudaLaunchHostFunc, cudaStreamAddCallback) calls CUDA, which fails"
    " there: make this call after the host has waited for the stream",
    "overlap": "source and destination of this copy have {:,} bytes in common, and a GPU copies in any order: copy to"
    " another array first",
    "capture waits": "host code cannot wait for a stream or the device while work is captured into a graph, so this"
    " call fails, and cudaStreamEndCapture gives no graph: wait behind that",
    "capture default": "the default stream, which is that of cudaMemcpy and cudaMemset, takes no work while a stream is"
    " captured that waits for it, so this call fails, and cudaStreamEndCapture gives no graph: use the captured stream",
    "capture unjoined": "a stream that was forked from the captured one has work that this does not wait for, so this"
    " call fails and gives no graph: record an event behind that work, and cudaStreamWaitEvent of the captured stream",
    "capture memory": "memory is neither allocated nor freed while a stream is captured, so this call fails, and"
    " cudaStreamEndCapture gives no graph: do it above cudaStreamBeginCapture",
    "no pointer": "cudaMalloc is to write the new pointer where there is no memory: hand over the address of your"
    " pointer, `cudaMalloc(&p, bytes)`",
    "direction to": "cudaMemcpyToSymbol copies to a variable of the GPU, and the last argument of this call says"
    " otherwise, so it fails: leave that argument out",
    "direction from": "cudaMemcpyFromSymbol copies from a variable of the GPU, and the last argument of this call says"
    " otherwise, so it fails: leave that argument out",
    "symbol": "this call names no variable of the GPU, so it fails: hand over the variable itself, without quotes and"
    " without &, as `cudaMemcpyToSymbol(name, &value, sizeof value)`",
    "too early": "host code asks for the time of an event that the GPU may not have come to yet, so this call fails"
    " with cudaErrorNotReady and gives no time: call cudaEventSynchronize for the last event first",
    "no time": "one of these two events has no time, for no cudaEventRecord has met it, or it was made with"
    " cudaEventDisableTiming, so this call fails: record both, one before the work and one behind it",
    "returned": "a launch of the graph copies this, which is a variable of a function that has returned: a graph keeps"
    " the address alone, so what it copies must live as long as its launches; take a static array, or one of main's",
    "argument": "a kernel's argument {} (the first is 0) is read from the memory of the GPU that its pointer leads to,"
    " which host code cannot do: hand over the address of the variable that holds the pointer, `&x` and not `x`",
    "told fewer": "cub is told that its temporary memory has {:,} bytes, and this call needs {:,}, so it fails and"
    " does nothing: ask for this algorithm and so many elements, with nullptr, and hand over what it has answered",
    "temporary of": "cub's temporary memory has {:,} bytes, and this call is told that it has {:,}: allocate as many as"
    " the first call, with nullptr, has answered",
    "temporary freed": "cub's temporary memory was freed before this call: free it behind the last call that uses it",
    "temporary": "cub's temporary memory is no memory of the GPU: take it from cudaMalloc",
    "reset": "cudaDeviceReset() gives back all memory of the process, the caller's, too: leave it out",
    "heap": "host code cannot copy or set memory from a kernel's malloc or new: let a kernel copy it to memory from"
    " cudaMalloc",
}


# What has so many bytes, if all that the compiler knows is the variable itself.
_ITS_MEMORY = {
    8: "a pointer `p` is handed over as p, not as &p",
    24: "of a std::vector `v`, hand over v.data(), not &v",
}


def _leaves_host_memory(fact: Fact) -> str:
    side, *numbers = fact["text"].split()
    asked, left = map(int, numbers)
    end = "writes past the end of its destination" if side == "into" else "reads past the end of its source"
    told = f"this copy of {asked:,} bytes {end}, which is host memory of {left:,} bytes from there on"
    return f"{told}: {_ITS_MEMORY.get(left, 'make that array larger, or copy less; sizes are in bytes')}"


_SAID = "said "  # and then what a library's header says of its call


def _texture_type(fact: Fact) -> str:
    gives, asked, instead = {
        "floats": ("holds floats", "a whole number", "fetch a float"),
        "fractions": ("is read as fractions, by cudaReadModeNormalizedFloat", "a whole number", "fetch a float"),
        "whole": (
            "holds whole numbers",
            "a float",
            "fetch their own type, or let bytes and shorts be read as fractions, `readMode ="
            " cudaReadModeNormalizedFloat`",
        ),
    }[fact["text"]]
    told = f"this texture {gives}, and the fetch takes {asked}"
    return f"{told}: a GPU hands over bits that mean another number; {instead}"


def _same_sequence(fact: Fact) -> str:
    return (
        "threads of different blocks, or all of one, begin the same sequence of random numbers here, so each draws what"
        " the others draw: hand over the thread's own number as the second argument, `curand_init(seed, i, 0, &state)`"
    )


def _texture_coordinates(fact: Fact) -> str:
    if fact["text"] == "elements":
        return (
            "fetches ask for as many elements as sizeInBytes says, which counts bytes, and get 0 for those behind: type"
            " the elements times the size of one, `res.linear.sizeInBytes = n * sizeof(float)`"
        )
    if fact["text"] == "places":
        return (
            "this texture has normalizedCoords = 1, by which its whole width is 1, and all fetches ask for places of"
            " texels, up to 2 and more: divide these by width and height, or type `normalizedCoords = 0`"
        )
    return (
        "this texture counts coordinates in texels, and all fetches ask for fractions, in [-1, 1]: type"
        " `normalizedCoords = 1`, or multiply these by width and height"
    )


def _wrong_call(fact: Fact) -> str:
    if fact["text"].startswith(("into ", "from ")):
        return _leaves_host_memory(fact)
    if fact["text"].startswith(_SAID):
        return str(fact["text"]).removeprefix(_SAID)
    which = next(each for each in _WRONG_CALLS if fact["text"].startswith(each))
    return _WRONG_CALLS[which].format(*map(int, fact["text"].removeprefix(which).split()))


def _unchecked_error(fact: Fact) -> str:
    name = _name_of_error(fact["offset"])
    what = "this call" if fact["line"] else "a CUDA call or a launch"
    return (
        f"{what} failed ({name}), and nothing has asked for that error since: look at what each call"
        " returns, and at cudaGetLastError() after each launch"
    )


@lru_cache
def _name_of_error(number: int) -> str:
    """As `cudaErrorInvalidValue`: as host code would read it."""
    found = re.search(rf"error\((\w+), {number}, ", _ERRORS.read_text(encoding="utf-8"))
    return found[1] if found else f"error {number}"


_OF_EIGHT_BYTES = "write %llu for `(unsigned long long)value`, or %lld for `(long long)value`"


def _lost_output(fact: Fact) -> str:
    return (
        f"the program ends without waiting for {fact['kernel']}, so what that prints is lost on a GPU:"
        " call cudaDeviceSynchronize() behind the launch"
    )


def _times_nothing(fact: Fact) -> str:
    return (
        f"the time between these two events has nothing to do with the work of line {fact['text']}, which runs on"
        " another stream and need not be over at the second one: record both on that stream,"
        " `cudaEventRecord(event, stream)`"
    )


def _unknown_format(fact: Fact) -> str:
    written = fact["text"]
    *_, size = re.findall(r"hh|[jztLq]", written) or [""]
    instead = {"hh": "write %d or %u", "L": "write %f", "": "leave it out", **dict.fromkeys("jztq", _OF_EIGHT_BYTES)}
    how = "write the number of digits itself" if ".*" in written else instead[size]
    return (
        f"a GPU's printf does not know `{written}`: it prints these characters as they are, and values behind them may"
        f" come out wrong; {how}"
    )


def _crowd(fact: Fact) -> str:
    room, multiprocessors = map(int, fact["text"].split())
    return (
        f"blocks of {fact['kernel']} wait for others that have not begun, and an H200 has room for {room:,} at once,"
        f" {room // multiprocessors} on each of {multiprocessors} multiprocessors: those that wait make no"
        " room, so all would wait for ever there; launch no more, and let each block do several parts of the work"
    )


CALLS: Mapping[str, Callable[[Fact], str]] = {
    "launch_error": _launch_error,
    "other_stream": lambda _: OTHER_STREAM,
    "leak": _leak,
    "invalid_free": _invalid_free,
    "out_of_memory": _out_of_memory,
    "wrong_call": _wrong_call,
    "refused_call": lambda fact: str(fact["text"]),
    "texture_type": _texture_type,
    "same_sequence": _same_sequence,
    "texture_coordinates": _texture_coordinates,
    "times_nothing": _times_nothing,
    "unchecked_error": _unchecked_error,
    "harmless_error": _unchecked_error,
    "lost_output": _lost_output,
    "unknown_format": _unknown_format,
    "crowd": _crowd,
}
