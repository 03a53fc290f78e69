"""What of the host lies at an address that a kernel has used, as this process's map tells."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

STACK, HEAP = "to a local variable of host code", "to memory of malloc, new or a std::vector"
_LABELS = {"[stack]": STACK, "[heap]": HEAP}
_LINE = re.compile(r"(?P<start>[0-9a-f]+)-(?P<end>[0-9a-f]+) .*?(?P<label>\[\w+\])$", re.MULTILINE)


def host_memory_at(address: int) -> str:
    """`to a local variable of host code`; "" where it is not known."""
    with suppress(OSError):
        for found in _LINE.finditer(Path("/proc/self/maps").read_text()):
            if int(found["start"], 16) <= address < int(found["end"], 16):
                return _LABELS.get(found["label"], "")
    return ""
