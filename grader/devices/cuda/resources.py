"""What the compiler gave each kernel: registers, stack (spills live there) and static shared memory, by cuobjdump."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

_USAGE = re.compile(r"Function (?P<name>\S+?):\s+REG:(?P<registers>\d+) STACK:(?P<stack>\d+) SHARED:(?P<shared>\d+)")


def resources_of(library: Path, home: Path) -> list[dict[str, Any]]:
    """For each kernel of a library: kernel, registers (a thread), stack_bytes (a thread), shared_bytes (a block).

    Empty where the toolkit in `home` lacks cuobjdump.
    """
    try:
        command = [str(home / "bin" / "cuobjdump"), "-res-usage", str(library)]
        said = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return []
    return read_usage(said.stdout + said.stderr)


def read_usage(text: str) -> list[dict[str, Any]]:
    """cuobjdump's text as rows. The name is that of the source, for a function that is no template."""
    return [
        {
            "kernel": _plain_name(match["name"]),
            "registers": int(match["registers"]),
            "stack_bytes": int(match["stack"]),
            "shared_bytes": int(match["shared"]),
        }
        for match in _USAGE.finditer(text)
    ]


def _plain_name(mangled: str) -> str:
    """`add` from `_Z3addPKfS0_Pfi` (Itanium C++ ABI, "Mangling": the length, then the name); others as they are."""
    match = re.match(r"_Z(\d+)", mangled)
    return mangled[match.end() : match.end() + int(match[1])] if match else mangled
