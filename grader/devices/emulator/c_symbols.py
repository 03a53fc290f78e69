"""What is known of a library's symbols, as the runtime reads it. Imports little: each run of a program waits for it."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

from grader.devices.emulator.kinds import SYMBOLS


class CSymbol(ctypes.Structure):
    _fields_ = [
        ("value", ctypes.c_uint64),
        ("bytes", ctypes.c_uint64),
        ("kind", ctypes.c_int),
        ("name", ctypes.c_char_p),
    ]


def c_symbols(symbols: Sequence[tuple[int, int, str, str]]) -> ctypes.Array[CSymbol]:
    """Of (value, bytes, kind, name) rows: see symbols.Symbol."""
    rows = [CSymbol(value, size, SYMBOLS.index(kind), name.encode()) for value, size, kind, name in symbols]
    return (CSymbol * len(rows))(*rows)
