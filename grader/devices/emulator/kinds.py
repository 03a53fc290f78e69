"""The enumerations that Python and the C++ runtime tell each other by number, read from their C++ declarations.

Python calls a value by its name in the header, in small letters: `SharedArray` is "shared_array". Its number is its
place in the tuple.
"""

from __future__ import annotations

import re
from pathlib import Path

_HERE = Path(__file__).parent


def names_of(enumeration: str, header: Path) -> tuple[str, ...]:
    """The names of an `enum class` in the order of their numbers. Raises ValueError if the header declares none.

    The declaration must count from 0 without gaps, as C++ does where no number is given.
    """
    text = re.sub(r"//.*", "", header.read_text())
    declared = re.search(rf"\benum class {enumeration}\b[^{{;]*{{([^}}]*)}}", text)
    if not declared or "=" in declared[1]:
        raise ValueError(f"{header.name} declares no `enum class {enumeration}` that counts from 0")
    return tuple(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower() for name in re.findall(r"\w+", declared[1]))


SPACES = names_of("Space", _HERE / "include/ladder/abi.h")
WAITED = names_of("Waited", _HERE / "include/ladder/abi.h")
ATOMICS = names_of("Atomic", _HERE / "include/ladder/abi.h")
TYPES = tuple(name.replace("_", "") for name in names_of("Type", _HERE / "include/ladder/abi.h"))
EVENTS = names_of("Event", _HERE / "runtime/trace.h")
LOADS = ("read", "volatile_read", "atomic_load")
TENSOR_SHAPES = names_of("TensorShape", _HERE / "runtime/trace.h")
TENSOR_RATES = names_of("TensorRate", _HERE / "runtime/trace.h")
STEPS = names_of("Kind", _HERE / "runtime/recorder.h")
SYMBOLS = names_of("SymbolKind", _HERE / "runtime/memory.h")
