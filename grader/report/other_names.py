"""Where a kernel's pointer is another array of the task's than its name says: handed over in that one's place."""

from __future__ import annotations

import re
from collections.abc import Sequence

from grader.devices.evidence import Finding

KINDS = ("out_of_bounds", "input_modified", "uninitialized_read", "misaligned")
OTHER = "What line {line} calls `{name}` is {array}, which {launch} hands over in its place: are the two swapped there?"
_ENTRY = re.compile(r'extern\s+"C"[^;{]*?\(([^)]*)\)')
_POINTER = re.compile(r"\*\s*(?:const\s+|__restrict__\s+|__restrict\s+)*(\w+)\s*(?:,|$)")
_STORED = re.compile(r"(?<![\w.\])])(\w+)\s*\[[^=;]*\]\s*(?:[-+*/|&^]|<<|>>)?=(?!=)")


def called_otherwise(finding: Finding, source: Sequence[str]) -> str:
    """A sentence if the line that is told has this array by the name of another array of the task's; else ""."""
    array, line = str(finding.details.get("array")), finding.line
    if finding.kind not in KINDS or not finding.thread or not line or line > len(source):
        return ""
    code = re.sub(r"//.*", "", "\n".join(source))
    arrays = {name for entry in _ENTRY.findall(code) for name in _POINTER.findall(" ".join(entry.split()))}
    text = source[line - 1].partition("//")[0]
    if array not in arrays or re.search(rf"\b{re.escape(array)}\b", text):
        return ""
    names = _names(text, finding.details.get("access") == "write") & arrays & _parameters_at(source, line)
    if len(names) != 1:
        return ""
    return OTHER.format(line=line, name=names.pop(), array=array, launch=_launch(finding, source, array))


def _names(text: str, writes: bool) -> set[str]:
    """The arrays that a line writes to, or reads from."""
    stored = set(_STORED.findall(text))
    return stored if writes else set(re.findall(r"(?<![\w.])(\w+)\s*\[", text)) - stored


def _parameters_at(source: Sequence[str], line: int) -> set[str]:
    """The pointers that the kernel around this line takes."""
    text = re.sub(r"//.*", "", "\n".join(source[:line]))
    head = text[text.rfind("__global__") :].partition("{")[0] if "__global__" in text else ""
    return set(_POINTER.findall(" ".join(head.rpartition(")")[0].split())))


def _launch(finding: Finding, source: Sequence[str], array: str) -> str:
    """Where the kernel gets the array, if just one launch in the text hands it over."""
    name = (finding.kernel or "").partition("<")[0]
    launches = [
        number
        for number, text in enumerate(source, 1)
        if re.search(rf"\b{re.escape(name)}\b.*<<<.*>>>\s*\(.*\b{re.escape(array)}\b", text)
    ]
    return f"the launch in line {launches[0]}" if name and len(launches) == 1 else "the launch"
