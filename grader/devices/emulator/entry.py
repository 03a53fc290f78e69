"""What an entry point is called with: a build as the runtime knows it, buffers as they lie in this process."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

import numpy as np

from grader.course.prototype import CType, Prototype
from grader.devices.emulator.c_symbols import c_symbols
from grader.devices.emulator.symbols import CodeMap

POISON = 0xFF  # bytes of memory that was never written: NaN as a float
TILE_BYTES = 61 << 16  # of a sampled input's values: whole pages; beyond that they repeat, not at a power of two
OTHER_POISONS = 0x3F, 0x00  # in second runs, of one case and the next: 0.747, and zeros


Call = tuple[Prototype, Mapping[str, "View"], Mapping[str, int | float], float, tuple[int, int] | None]


class View(Protocol):
    """A buffer as it lies in this process."""

    @property
    def address(self) -> int: ...

    @property
    def bytes(self) -> int: ...

    @property
    def writable(self) -> bool: ...


class Loaded:
    """A library, what is known of its code, and that as the runtime reads it."""

    def __init__(self, library: ctypes.CDLL, code: CodeMap):
        self.library, self.code = library, code
        self.symbols = c_symbols([(each.value, each.bytes, each.kind, each.name) for each in code.symbols])


def load_runtime(path: Path) -> ctypes.CDLL:
    """The emulator's runtime, and what its functions take and give. Raises OSError."""
    runtime = ctypes.CDLL(str(path))
    runtime.ladder_session_report.restype = ctypes.c_char_p
    runtime.ladder_session_stream.restype = ctypes.c_void_p
    runtime.ladder_session_begin.argtypes = [ctypes.c_double, ctypes.c_double, ctypes.c_int]
    runtime.ladder_session_wall_limit.argtypes = [ctypes.c_double]
    runtime.ladder_session_mapping.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    runtime.ladder_session_buffer.argtypes = [ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    return runtime


def size_of_data(task: Prototype, buffers: Mapping[str, View], scalars: Mapping[str, int | float]) -> float:
    """Elements of all buffers, and besides what the whole numbers say: how much work a right kernel may have."""
    elements = sum(buffers[p.name].bytes // p.type.bytes for p in task.buffers if p.name in buffers)
    return float(elements + sum(abs(value) for value in scalars.values() if isinstance(value, int)))


def bytes_of(view: View) -> np.ndarray:
    return np.frombuffer(ctypes.string_at(view.address, view.bytes), dtype=np.uint8)


def written_types(task: Prototype, buffers: Mapping[str, View]) -> dict[str, CType]:
    """What elements the outputs have, in the order of the buffers."""
    types = {p.name: p.type for p in task.buffers}
    return {name: types[name] for name, view in buffers.items() if view.writable}


def element_bytes(task: Prototype) -> dict[str, int]:
    """Of each buffer, by name."""
    return {p.name: p.type.bytes for p in task.parameters if p.role in ("input", "output")}
