"""More calls of a small case, after all others, with the buffers that its first call had and what lay in them then.

A program calls a kernel as often as it likes. What remembers a pointer, a size or its inputs, and takes the work for
done, leaves the outputs as they are; what starts from where the last call has ended adds up to something else. What
gives each multiprocessor a part of the work must not have their number written out in another place.
"""

from __future__ import annotations

import ctypes
import itertools
import os
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from grader.course.prototype import CType
from grader.devices.emulator.entry import Loaded
from grader.devices.emulator.looking import Contents, are_close
from grader.devices.emulator.reading import Reading
from grader.devices.evidence import Finding

_KEPT = ("variable", "named_variable", "host_variable", "managed")
_PT_TLS = 7
_MOST_BYTES = 4096  # of a variable that are looked at
_MOST_POINTERS, _OF_A_POINTER = 64, 64  # of variables that are followed, and bytes there
_FIRST_ADDRESS = 1 << 16  # that Linux gives; a Python at a fixed address, as Ubuntu's, has its heap below 4 GB
MOST_ELEMENTS = 4096  # of all buffers: of larger cases more calls might be felt
FEWEST_ELEMENTS = 64  # of the one that is called very often
MORE_MULTIPROCESSORS = 20  # than the emulated GPU has, and no power of two
_POINTED_TO = 2  # times: what pointers point to has pointers, too, as a list's nodes
# Where CUDA's library keeps what host code has set, and may ask for: device.h, transfer.h.
_OF_CUDA = {"_ZN6ladder6limitsE": 56, "_ZN6ladder17release_thresholdE": 8, "_ZN6ladder6reusesE": 12}
# Variables of the C and C++ libraries in which a file can write, by the words that it has for them.
_OF_LIBRARIES = {"cout": ("_ZSt4cout", 272), "cerr": ("_ZSt4cerr", 272), "clog": ("_ZSt4clog", 272)}
_OF_LIBRARIES |= {name: (name, 4) for name in ("optind", "optopt", "opterr")}
AGAIN = (
    "is called a second time, with the same buffers, on the default stream: each call must do all of its work, "
    "whatever earlier ones have done"
)
_YEARS = 10 * 365 * 86400  # seconds that clocks may be ahead
_DICE = (0, -1, 1, 2)  # what a die is to show, besides the numbers of a file
_MOST_A_CALL = 16  # that a variable grows by, and what it may be so far: an address is larger
_MOST_COUNTED = 100_000
FURTHER = (100, 10_000, 1_000_000)  # calls, after which it is looked at again what such a counter leads to
MORE_CALLS = 30  # of a file whose variables are other ones after each call: it may count them
MANY_CALLS, A_WHILE = 600, 1.0  # more, and the processor's seconds for them, if they are others even then
LATER = (
    "is called again and again, with the same buffers: each call must do all of its work, however many there have been"
)
BEHIND_LARGER = (
    "is called behind larger ones, whose numbers the file's own variables still hold: each call must set all that it "
    "reads, or read no more than it has set"
)
ELSEWHERE = (
    f"runs on a GPU of {MORE_MULTIPROCESSORS} multiprocessors, with another name and driver: what goes by what a GPU "
    "is must do so in all places, as the grid and who adds up what its blocks have left"
)
CAPTURED = (
    f"runs on a GPU of {MORE_MULTIPROCESSORS} multiprocessors and is told that a graph is captured: what goes by that "
    "must do all of its work there, too"
)


class Kept:
    """The file's own variables, those of host code and those of the GPU: of each the first bytes, up to 4,096.

    And those of the libraries that it uses, in which it may keep something. The loader finds the file's own library by
    one of its functions, `entry`.
    """

    def __init__(self, build: Loaded, entry: str, reading: Reading) -> None:
        base = begin_of(build.library, entry)
        kept = [each for each in build.code.symbols if each.kind in _KEPT and base]
        self._places = [(base + each.value, min(each.bytes, _MOST_BYTES)) for each in kept]
        self._places += _thread_local(base)
        self._places += _found(build.library, _OF_CUDA.items())
        self._places += _found(build.library, [place for word, place in _OF_LIBRARIES.items() if reading.has(word)])

    def state(self) -> list[bytes]:
        """What they hold, and behind that the first bytes of host memory that they point to."""
        held = [ctypes.string_at(*place) for place in self._places]
        all_ = list(held)
        for _ in range(_POINTED_TO):
            held = _pointed_to(held)
            all_ += held
        return all_

    def set_counters(self, states: Sequence[list[bytes]], calls: int) -> bool:
        """Gives each whole number that has grown by the same in all `states`, a call apart, what it would have after so
        many `calls` more than in the last. Whether there is one.
        """
        found = False
        for (address, _), *values in zip(self._places, *states, strict=False):  # their own alone
            words = np.array([np.frombuffer(each[: len(each) // 4 * 4], np.int32) for each in values], np.int64)
            steps = np.diff(words, axis=0)
            counts = (steps == steps[0]).all(axis=0) & (steps[0] != 0) & (abs(steps[0]) <= _MOST_A_CALL)
            for at in np.flatnonzero(counts & (abs(words[-1]) < _MOST_COUNTED)):
                grown = int(words[-1, at]) + calls * int(steps[0, at])
                ctypes.memmove(address + 4 * int(at), int(np.int32(grown)).to_bytes(4, "little", signed=True), 4)
                found = True
        return found


def _found(library: ctypes.CDLL, named: Iterable[tuple[str, int]]) -> Iterator[tuple[int, int]]:
    """The addresses and bytes of the variables that are there, of this library or of one that it uses."""
    for name, count in named:
        with suppress(ValueError):
            yield ctypes.addressof(ctypes.c_char.in_dll(library, name)), count


def _pointed_to(held: Sequence[bytes]) -> list[bytes]:
    """What lies where these have the address of something, up to 64 bytes each; none of what host code cannot read."""
    words = {int(word) for each in held for word in np.frombuffer(each[: len(each) // 8 * 8], np.uint64)}
    found: list[bytes] = []
    copy, write = os.memfd_create("pointed to"), ctypes.CDLL(None).write
    try:
        for word in sorted(word for word in words if word >= _FIRST_ADDRESS and not word >> 47):
            count = write(copy, ctypes.c_void_p(word), ctypes.c_size_t(_OF_A_POINTER))
            if count > 0:  # the system refuses what may not be read
                found.append(ctypes.string_at(word, count))
            if len(found) == _MOST_POINTERS:
                break
    finally:
        os.close(copy)
    return found


def chances(numbers: Iterable[int]) -> Iterator[tuple[int, int, int, int]]:
    """For one call after another: the seconds that clocks are ahead, what the first die shows and whether it does, and
    whether the stream has work when host code asks first.
    """
    dice, falls = random.Random(), [*_DICE, *sorted(numbers)]
    for call in itertools.count():
        yield dice.randrange(_YEARS), falls[call // 2 % len(falls)], call % 2, call % 2


class _Loaded(ctypes.Structure):
    """dl_phdr_info of <link.h>."""

    _fields_ = (
        ("base", ctypes.c_void_p),
        ("name", ctypes.c_char_p),
        ("headers", ctypes.POINTER(ctypes.c_uint32 * 14)),  # Elf64_Phdr: its type first, p_memsz in the 11th place
        ("count", ctypes.c_uint16),
        ("loaded", ctypes.c_ulonglong),
        ("unloaded", ctypes.c_ulonglong),
        ("number", ctypes.c_size_t),
        ("variables", ctypes.c_void_p),
    )


def _thread_local(base: int) -> list[tuple[int, int]]:
    """Where this thread's own variables (thread_local) of the library there lie, and how many bytes are looked at."""
    found: list[tuple[int, int]] = []

    def look(info: Any, _size: int, _data: Any) -> int:
        library = info.contents
        headers = [library.headers[i] for i in range(library.count)]
        if (library.base or 0) == base and library.variables:
            found.extend((library.variables, min(each[10], _MOST_BYTES)) for each in headers if each[0] == _PT_TLS)
        return 0

    kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Loaded), ctypes.c_size_t, ctypes.c_void_p)
    ctypes.CDLL(None).dl_iterate_phdr(kind(look), None)
    return found


class _Place(ctypes.Structure):
    """Dl_info of <dlfcn.h>."""

    _fields_ = (
        ("file", ctypes.c_char_p),
        ("base", ctypes.c_void_p),
        ("name", ctypes.c_char_p),
        ("at", ctypes.c_void_p),
    )


def begin_of(library: ctypes.CDLL, entry: str) -> int:
    """The address at which this process has loaded the library, found by that of its function `entry`.

    0 if the dynamic loader does not know the function.
    """
    place, function = _Place(), ctypes.cast(library[entry], ctypes.c_void_p)
    return (place.base or 0) if ctypes.CDLL(None).dladdr(function, ctypes.byref(place)) else 0


def told(asked: str, types: Mapping[str, CType], before: Contents, first: Contents, second: Contents) -> list[Finding]:
    """An error for the first output that the second call leaves otherwise. `before`: what each held before a call;
    `asked`: the case, and what is asked of it.
    """
    for (name, ctype), empty, was, now in zip(types.items(), before, first, second, strict=True):
        if not are_close(was, now, ctype):
            wrong = (was != now).reshape(-1, ctype.bytes).any(axis=1)
            unwritten = wrong & (now == empty).reshape(-1, ctype.bytes).all(axis=1)
            found = unwritten if unwritten.any() else wrong
            kind, how = ("not_written", "is not written") if found is unwritten else ("wrong_result", "is another")
            return [Finding(kind, f"{name}[{int(np.argmax(found))}] {how} when the case {asked}")]
    return []
