"""The memory that judge and worker share: every buffer of a run, between guard bands, in one anonymous file.

    | guard | x, padded to pages with guard bytes | guard | guard | y ... | guard |

The judge allocates, fills, poisons and reads; the worker maps the same file and hands out addresses. A buffer starts
on a page of its own, so that the emulator may take away the host's right to touch it: on the page's first byte in some
cases, and in the others as cudaMalloc() may place it, too, with the buffers in the opposite order. A kernel must not go
by where they lie.

A worker on a GPU runs on a copy of this memory, and copies it back. Only the large buffers that are timed lie on the
GPU from the beginning (`cuda/buffers.py`), placed and guarded in the same way.
"""

from __future__ import annotations

import ctypes
import fcntl
import math
import mmap
import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from grader.course.prototype import CType, Parameter, Prototype

if TYPE_CHECKING:
    from torch import Tensor

    from grader.course.call import Call

PAGE = mmap.PAGESIZE
ALIGNMENT = 256  # bytes, of what cudaMalloc() returns, and no more (CUDA C++ Programming Guide, Device Memory Accesses)
GUARD_BYTES = max(16 * 1024, PAGE)  # wide enough for a block that runs past the end: 1024 threads x 16 bytes
_MAYMOVE, _FIXED = 1, 2  # mremap(2)
GUARD_PATTERN = b"\xf5\x7f"  # read by mistake it is a NaN in every floating type, so the result shows it


def poison(ctype: CType) -> bytes:
    """What an element of an output holds until it is written.

    For floats a *signalling* NaN: arithmetic on it gives a quiet NaN, so an output that was read and updated differs
    from one that was never touched. For integers the bytes 0xA5, which an honest answer may hold by chance; `bool`,
    whose bytes are 0 and 1, never does.
    """
    patterns = {"float32": 0x7FA5A5A5, "float64": 0x7FF5A5A5A5A5A5A5, "float16": 0x7DA5, "bfloat16": 0x7FA5}
    if ctype.torch in patterns:
        return patterns[ctype.torch].to_bytes(ctype.bytes, "little")
    return b"\xa5" * ctype.bytes


@dataclass(frozen=True)
class View:
    """A buffer as the worker sees it. `writable` is False for a const input."""

    name: str
    address: int
    bytes: int
    writable: bool


@dataclass(frozen=True)
class Slot:
    """Where a buffer lies in the shared file: data at [offset, offset + bytes), guards on both sides."""

    name: str
    type: CType
    writable: bool
    shape: tuple[int, ...]
    offset: int

    @property
    def elements(self) -> int:
        return math.prod(self.shape)

    @property
    def bytes(self) -> int:
        return self.elements * self.type.bytes

    @property
    def left_guard(self) -> tuple[int, int]:
        return self.offset - GUARD_BYTES, self.offset

    @property
    def right_guard(self) -> tuple[int, int]:
        return self.offset + self.bytes, self.end

    @property
    def end(self) -> int:
        return self.offset + _whole_pages(self.bytes) + GUARD_BYTES

    def to_json(self) -> dict[str, Any]:
        return {"name": self.name, "offset": self.offset, "bytes": self.bytes, "writable": self.writable}


@dataclass(frozen=True)
class Breach:
    """A guard band that was written: `side` is "before" or "after", `byte` counts from that edge of the buffer."""

    buffer: str
    side: str
    byte: int


class Arena:
    """All buffers of a run. `layout` tells the worker what lies where; `fd` is the file to send along."""

    def __init__(self, cases: Iterable[tuple[Prototype, Mapping[str, Sequence[int]]]]):
        """`cases`: for each, the prototype and the shape of every buffer by name."""
        offset = 0
        placed: list[list[Slot]] = []
        wanted = list(cases)
        for number, (prototype, shapes) in enumerate(wanted):
            otherwise = (len(wanted) - 1 - number) % 2 == 1  # never the last one, which is counted
            buffers, shift = (prototype.buffers[::-1], ALIGNMENT) if otherwise else (prototype.buffers, 0)
            slots = []
            for parameter in buffers:
                slots.append(slot_at(parameter, shapes[parameter.name], offset, shift))
                offset = _whole_pages(slots[-1].end)
            placed.append(slots[::-1] if otherwise else slots)
        self.bytes = max(offset, PAGE)
        self.fd = shared_file(self.bytes)
        self._map = mmap.mmap(self.fd, self.bytes)
        self.cases = [CaseBuffers(self._map, slots) for slots in placed]

    @classmethod
    def of(cls, calls: Iterable[Call]) -> Arena:
        """The buffers of these calls."""
        return cls([call.memory for call in calls])

    def poison(self) -> None:
        """`CaseBuffers.poison` of every case."""
        for buffers in self.cases:
            buffers.poison()

    @property
    def layout(self) -> list[list[dict[str, Any]]]:
        """JSON: for each case, its buffers; see `WorkerMemory`."""
        return [[slot.to_json() for slot in case.slots.values()] for case in self.cases]

    def close(self) -> None:
        """Closes the file; tensors that were read stay valid, and the memory goes with the last of them."""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1

    def __enter__(self) -> Arena:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class CaseBuffers:
    """The judge's side of one case. Fill the inputs, poison, run, then ask the questions, in the order below."""

    def __init__(self, memory: mmap.mmap, slots: Sequence[Slot]):
        self._memory = memory
        self.slots = {slot.name: slot for slot in slots}
        self._given: dict[str, Tensor] = {}

    def fill(self, name: str, values: Tensor) -> None:
        """Copies an input in. `values` must keep its content until `changed_input` was asked."""
        slot = self.slots[name]
        if tuple(values.shape) != slot.shape or values.dtype != _dtype(slot.type):
            said = f"{_dtype(slot.type)} of shape {slot.shape}"
            raise ValueError(f"{name} must be {said}, not {values.dtype} of shape {tuple(values.shape)}")
        self._given[name] = values.contiguous()
        self.read(name).copy_(values)

    def poison(self) -> None:
        """Renews all guards and marks every output element as unwritten; to be called before each run."""
        for slot in self.slots.values():
            for start, end in (slot.left_guard, slot.right_guard):
                self._memory[start:end] = guard_bytes(start, end)
            if slot.writable:
                self._memory[slot.offset : slot.offset + slot.bytes] = poison(slot.type) * slot.elements

    def broken_guard(self) -> Breach | None:
        """The first guard band that was written into, the byte nearest to its buffer; None if there is none."""
        for slot in self.slots.values():
            before, after = slot.left_guard, slot.right_guard
            hit = _first_difference(self._memory[before[0] : before[1]][::-1], guard_bytes(*before)[::-1])
            if hit is not None:
                return Breach(slot.name, "before", hit + 1)
            hit = _first_difference(self._memory[after[0] : after[1]], guard_bytes(*after))
            if hit is not None:
                return Breach(slot.name, "after", hit)
        return None

    def changed_input(self) -> tuple[str, int] | None:
        """(name, flat index) of the first input element whose bits changed, or None."""
        import torch

        for name, given in self._given.items():
            now, then = _bits(self.read(name)), _bits(given)
            if not torch.equal(now, then):
                return name, int((now != then).nonzero()[0])
        return None

    def damage(self) -> tuple[str, int] | Breach | None:
        """What a run may never do: the first `changed_input`, or else the first `broken_guard`."""
        return self.changed_input() or self.broken_guard()

    def left(
        self, names: Iterable[str], contents: Mapping[str, bytes] | None = None
    ) -> dict[str, tuple[Tensor, Tensor]]:
        """What these outputs hold, or held in another run (`contents`), and where they are `unwritten`, by name."""
        held = {name: self.read(name, (contents or {}).get(name)) for name in names}
        return {name: (values, self.unwritten(name, values)) for name, values in held.items()}

    def unwritten(self, name: str, values: Tensor | None = None) -> Tensor:
        """A bool tensor of the output's shape: True where the poison is still there, bit for bit.

        An integer answer can equal the poison by chance: leave out the elements that are right anyway.
        """
        import torch

        slot = self.slots[name]
        pattern = torch.frombuffer(bytearray(poison(slot.type)), dtype=_dtype(slot.type))
        values = self.read(name) if values is None else values
        return (_bits(values) == _bits(pattern)).reshape(slot.shape)

    def read_all(self, names: Iterable[str]) -> dict[str, Tensor]:
        """`read` of each of these buffers, by name."""
        return {name: self.read(name) for name in names}

    def read(self, name: str, content: bytes | None = None) -> Tensor:
        """The buffer as a tensor of its shape and type that shares the memory (no copy), or one of this content."""
        import torch

        slot = self.slots[name]
        dtype = _dtype(slot.type)
        if slot.elements == 0:
            return torch.empty(slot.shape, dtype=dtype)
        if content is not None:
            return torch.frombuffer(bytearray(content), dtype=dtype).reshape(slot.shape)
        flat = torch.frombuffer(self._memory, dtype=dtype, count=slot.elements, offset=slot.offset)
        return flat.reshape(slot.shape)


class WorkerMemory:
    """The worker's side: maps the file of an `Arena` by its `layout`. Keep it as long as the addresses are used."""

    def __init__(self, fd: int, layout: Sequence[Sequence[Mapping[str, Any]]]):
        self.bytes = os.fstat(fd).st_size
        self._map = mmap.mmap(fd, self.bytes)
        self.inherit(False)  # a child of the submission's would work there unseen
        self._export = ctypes.c_char.from_buffer(self._map)
        self.address = ctypes.addressof(self._export)
        self.cases = [{slot["name"]: self._view(slot) for slot in case} for case in layout]

    def inherit(self, so: bool) -> None:
        """Says whether processes that are forked from now on have this memory, too."""
        self._map.madvise(mmap.MADV_DOFORK if so else mmap.MADV_DONTFORK)

    def detach(self) -> None:
        """Makes a copy of it, in its place: what this process writes from now on, no other sees. Raises OSError."""
        libc = ctypes.CDLL(None, use_errno=True)
        libc.mremap.restype = ctypes.c_void_p
        libc.mremap.argtypes = [*3 * [ctypes.c_size_t], ctypes.c_int, ctypes.c_size_t]
        self._copy = mmap.mmap(-1, self.bytes, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)  # kept: else it would be unmapped
        there = ctypes.addressof(ctypes.c_char.from_buffer(self._copy))
        ctypes.memmove(there, self.address, self.bytes)
        if libc.mremap(there, self.bytes, self.bytes, _MAYMOVE | _FIXED, self.address) != self.address:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))

    def _view(self, slot: Mapping[str, Any]) -> View:
        return View(slot["name"], self.address + slot["offset"], slot["bytes"], slot["writable"])


def spans(layout: Sequence[Sequence[Mapping[str, Any]]], size: int) -> list[tuple[int, int]]:
    """Where each case of an arena's `layout` lies in its bytes: from its first guard up to that of the next case."""
    firsts = [min(slot["offset"] for slot in slots) - GUARD_BYTES for slots in layout]
    return list(pairwise([*firsts, size]))


def slot_at(parameter: Parameter, shape: Sequence[int], start: int, shift: int = 0) -> Slot:
    """The slot of a buffer whose front guard begins so many bytes behind byte `start`."""
    begin = start + shift + GUARD_BYTES
    return Slot(parameter.name, parameter.type, parameter.role == "output", tuple(shape), begin)


def _whole_pages(size: int) -> int:
    return -(-size // PAGE) * PAGE


def _dtype(ctype: CType) -> Any:
    import torch

    return getattr(torch, ctype.torch)


def _bits(values: Tensor) -> Tensor:
    """The elements in a row, as whole numbers of their size."""
    import torch

    whole = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
    return values.reshape(-1).view(whole[values.element_size()])


def guard_bytes(start: int, end: int) -> bytes:
    """The guard bytes of [start, end); the pattern's phase follows the offset."""
    half = start % len(GUARD_PATTERN)
    return (GUARD_PATTERN * ((end - start) // len(GUARD_PATTERN) + 2))[half : half + end - start]


def _first_difference(found: bytes, expected: bytes) -> int | None:
    if found == expected:
        return None
    return next(index for index, (a, b) in enumerate(zip(found, expected, strict=True)) if a != b)


def shared_file(size: int) -> int:
    """A file without a name, zero-filled, that cannot be cut short while the judge reads it (where seals exist)."""
    try:
        fd = os.memfd_create("ladder-buffers", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    except (AttributeError, OSError):
        with tempfile.TemporaryFile() as file:
            fd = os.dup(file.fileno())
        os.ftruncate(fd, size)
        return fd
    os.ftruncate(fd, size)
    fcntl.fcntl(fd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL)
    return fd
