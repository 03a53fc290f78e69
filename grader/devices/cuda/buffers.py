"""The judge's sets of buffers for timing, in GPU memory that the worker maps, too.

Each set is one allocation of its own, with guard bands around every buffer as in `devices/buffers.py`: what is shared
is a whole allocation, so nothing that is secret (the expected outputs) may lie in it.

Where two processes cannot share the GPU's memory (WSL), each has sets of its own, and their content goes to and fro
through host memory that they share.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from grader.course.prototype import Prototype
from grader.devices.buffers import Breach, Slot, guard_bytes, poison, shared_file, slot_at
from grader.devices.cuda.orders import Do
from grader.devices.cuda.runtime import CudaError, runtime
from grader.devices.cuda.shared_memory import SharedMemory

if TYPE_CHECKING:
    from types import TracebackType

DEVICE = "cuda"  # torch's first


class DeviceMemory:
    """GPU memory as a tensor of bytes, shared with a worker where that is possible: then there is a `descriptor`.

    No tensor of it may be used after `close`.
    """

    def __init__(self, size: int):
        try:
            self._shared: SharedMemory | None = SharedMemory(size)
            self.tensor: Tensor = torch.as_tensor(self, device=DEVICE)
        except (CudaError, OSError, AttributeError):  # not supported; no such library; no such function in it
            self._shared = None
            self.tensor = torch.empty(size, dtype=torch.uint8, device=DEVICE)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """How torch learns where the memory lies (CUDA Array Interface, version 3)."""
        if self._shared is None:
            raise AttributeError("the memory is a tensor's already")
        address, size = self._shared.address, self._shared.size
        return {"shape": (size,), "typestr": "|u1", "data": (address, False), "version": 3}

    @property
    def descriptor(self) -> int | None:
        return self._shared.descriptor if self._shared else None

    def close(self) -> None:
        if self._shared:
            self._shared.close()


class HostMemory:
    """Host memory that is shared with a worker, as a tensor of bytes."""

    def __init__(self, size: int):
        self.descriptor = shared_file(size)
        self.tensor = torch.frombuffer(mmap.mmap(self.descriptor, size), dtype=torch.uint8)
        if torch.cuda.is_initialized():
            runtime().pin(self.tensor.data_ptr(), size)

    def close(self) -> None:
        if torch.cuda.is_initialized():
            runtime().unpin(self.tensor.data_ptr())
        os.close(self.descriptor)


class DeviceSet:
    """The buffers of one timed case, once."""

    def __init__(self, slots: Sequence[Slot], memory: DeviceMemory):
        self.slots = {slot.name: slot for slot in slots}
        self.memory = memory
        self._guards = [edge for slot in slots for edge in (slot.left_guard, slot.right_guard)]
        self._pattern = torch.cat([_bytes(guard_bytes(*edge)) for edge in self._guards])
        self._poison = {slot.name: _bytes(poison(slot.type)).view(_dtype(slot)) for slot in slots if slot.writable}
        self._sums: dict[str, Tensor] = {}

    def read(self, name: str) -> Tensor:
        """The buffer as a tensor that shares its memory."""
        slot = self.slots[name]
        flat = self.memory.tensor[slot.offset : slot.offset + slot.bytes]
        return flat.view(_dtype(slot)).reshape(slot.shape)

    def fill(self, name: str, values: Tensor) -> None:
        """Copies an input in, and remembers what it sums up to."""
        self.read(name).copy_(values)
        self._sums[name] = self._sum(name)

    def poison(self) -> None:
        """Marks every output element as unwritten and renews the guards; before each run."""
        for name, pattern in self._poison.items():
            bits = _bits(self.read(name))
            bits.copy_(_bits(pattern).expand_as(bits))
        self._edges(write=True)

    def broken_guard(self) -> Breach | None:
        """The first guard band that was written into, if any."""
        found = self._edges() != self._pattern
        if not bool(found.any()):
            return None
        first = int(found.nonzero()[0])
        names = [(slot, side) for slot in self.slots for side in ("before", "after")]
        for (start, end), (name, side) in zip(self._guards, names, strict=True):
            if first < end - start:
                return Breach(name, side, end - start - first if side == "before" else first)
            first -= end - start
        return None

    def is_unwritten(self, name: str, index: int) -> bool:
        """Whether the poison is still in this element of an output; `index` is flat."""
        pattern = self._poison[name]
        return bool(_bits(self.read(name))[index] == _bits(pattern)[0])

    def changed_input(self) -> str | None:
        """The name of an input whose bits no longer add up to what they did."""
        return next((name for name, then in self._sums.items() if int(self._sum(name)) != int(then)), None)

    def _edges(self, write: bool = False) -> Tensor:
        parts = [self.memory.tensor[start:end] for start, end in self._guards]
        if write:
            torch._foreach_copy_(parts, list(self._pattern.split([len(part) for part in parts])))
            return self._pattern
        return torch.cat(parts)

    def _sum(self, name: str) -> Tensor:
        return _bits(self.read(name)).sum(dtype=torch.int64)


class DeviceSets:
    """Several sets of the same buffers, so that no run finds in the L2 what the one before it left there."""

    def __init__(self, prototype: Prototype, shapes: Mapping[str, Sequence[int]], count: int):
        self.slots = lay_out(prototype, shapes)
        self.memories: list[DeviceMemory] = []
        self.staging: HostMemory | None = None
        try:
            for _ in range(count):
                self.memories.append(DeviceMemory(self.slots[-1].end))
        except BaseException:
            self.close()
            raise
        self.sets = [DeviceSet(self.slots, memory) for memory in self.memories]

    @property
    def can_be_shared(self) -> bool:
        return all(memory.descriptor is not None for memory in self.memories)

    def share(self) -> dict[str, Any]:
        """The order that tells a worker to map all sets."""
        descriptors = [memory.descriptor for memory in self.memories]
        return {"do": Do.OPEN, **self._facts, "descriptors": descriptors}

    def copy(self, count: int) -> dict[str, Any]:
        """The order that tells a worker to make copies of the first sets; from here on there are no others."""
        for memory in self.memories[count:]:
            memory.close()
        del self.memories[count:], self.sets[count:]
        self.staging = HostMemory(self.slots[-1].end)
        return {"do": Do.COPIES, **self._facts, "sets": len(self.sets), "descriptors": [self.staging.descriptor]}

    @property
    def _facts(self) -> dict[str, Any]:
        return {"bytes": self.slots[-1].end, "layout": [slot.to_json() for slot in self.slots]}

    def to_staging(self, number: int) -> None:
        """Copies a set to the host, for the worker to take it."""
        if self.staging:
            self.staging.tensor.copy_(self.memories[number].tensor[: len(self.staging.tensor)])

    def from_staging(self, number: int) -> None:
        """Copies to a set what the worker left on the host."""
        if self.staging:
            self.memories[number].tensor[: len(self.staging.tensor)].copy_(self.staging.tensor)

    def close(self) -> None:
        for memory in self.memories:
            memory.close()
        if self.staging:
            self.staging.close()

    def __enter__(self) -> DeviceSets:
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def lay_out(prototype: Prototype, shapes: Mapping[str, Sequence[int]]) -> list[Slot]:
    """Where the buffers of one set lie, from offset 0 on."""
    slots: list[Slot] = []
    for parameter in prototype.buffers:
        slots.append(slot_at(parameter, shapes[parameter.name], slots[-1].end if slots else 0))
    return slots


def _bytes(data: bytes) -> Tensor:
    return torch.frombuffer(bytearray(data), dtype=torch.uint8).to(DEVICE)


def _dtype(slot: Slot) -> torch.dtype:
    dtype: torch.dtype = getattr(torch, slot.type.torch)
    return dtype


def _bits(values: Tensor) -> Tensor:
    """The same memory as whole numbers, flat: a NaN is copied bit for bit, and sums are exact."""
    words = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
    return values.reshape(-1).view(words[values.element_size()])
