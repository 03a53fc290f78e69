"""What is told where an access leaves its array behind a guard: of the guard's size, the index or an offset."""

from __future__ import annotations

import re
from collections.abc import Sequence

SIZE = (
    "Line {line} asks `{name} < {size}`, and {array} has fewer elements here: is `{size}` the size of this very array, "
    "and does the launch hand it over for `{size}`?"
)
INDEX = (
    "Line {line} asks `{name} < {size}`, and `{index}` goes further: is this the index that you mean, and does the "
    "guard ask for the same one?"
)
DERIVED = (
    "Line {line} keeps threads without an element away, `{name} < {size}`: so what is worked out from `{name}` goes "
    "too far, the index in line {here}, or where the pointer begins."
)
OFFSET = (
    "Line {line} asks `{name} < {size}`, and the launch in line {launch} hands over `{array} + {offset}`, behind which "
    "fewer elements are left: hand over `{size} - {offset}`, too."
)
_HEAD = re.compile(r"\s*(?:#[^\n]*\n\s*)*(?:if|for|while)\s*\(")
_NUMBER = re.compile(r"\b(\w+)\s*=(?=[^;,=\[]*\+)[^;,=\[]*\b(?:blockIdx|threadIdx)\s*\.\s*x")
_VALUE = re.compile(r"\b(\w+)\s*=(?!=)\s*([^;,=]*)")
MOST_STEPS = 2
_STAYS = re.compile(r"\bif\s*\(\s*(?P<name>\w+)\s*<\s*(?P<size>[A-Za-z_][\w.]*)\s*\)(?!\s*\{?\s*return)")
_LEAVES = re.compile(r"\bif\s*\(\s*(?P<name>\w+)\s*>=\s*(?P<size>[A-Za-z_(][^;{}&|]*?)\s*\)\s*\{?\s*return\b")
_LOOPS = re.compile(r"\bfor\s*\([^;]*;\s*(?P<name>\w+)\s*<\s*(?P<size>[A-Za-z_][\w.]*)\s*;")


def behind_a_guard(source: Sequence[str], line: int | None, array: str, kernel: str) -> str:
    """A sentence if a guard for a thread's number stands before this line, so that it does not lack one; else ""."""
    text = re.sub(r"//.*", "", "\n".join(source[: line or 0]))
    start = text.rfind("__global__")
    if start < 0 or not line or "\n}" in text[start:]:
        return ""
    code, here = text[start:], text[text.rfind("\n") + 1 :]
    numbers = set(_NUMBER.findall(code)) | set(re.findall(r"\bfor\s*\([^;]*?(\w+)\s*=[^;]*threadIdx", code))
    for _ in range(MOST_STEPS):  # what is worked out from a thread's number, as its row is
        numbers |= {name for name, value in _VALUE.findall(code) if numbers & set(re.findall(r"\w+", value))}
    found = [each for by in (_STAYS, _LEAVES, _LOOPS) for each in by.finditer(code) if each["name"] in numbers]
    found = [each for each in found if each.re is _LEAVES or _is_open(code, each.start())]
    if not found:
        return ""
    guard = max(found, key=re.Match.start)
    name, size = guard["name"], guard["size"]
    said = {"line": line - code.count("\n", guard.start()), "name": name, "size": size, "array": array, "here": line}
    indexes = [each.strip() for each in re.findall(rf"\b{re.escape(array)}\)?\s*\[([^][]*)\]", here)]
    if name in indexes:
        if offset := _offset(source, array, kernel, size):
            return OFFSET.format(**said, launch=offset[0], offset=offset[1])
        return SIZE.format(**said)
    if index := next((each for each in indexes if re.search(rf"\b{name}\b", each)), ""):
        return INDEX.format(**said, index=index)
    derived = {name}
    for _ in range(MOST_STEPS):
        derived |= {each for each, value in _VALUE.findall(code) if derived & set(re.findall(r"\w+", value))}
    # An index of which nothing follows from what the guard asks for is none that it could keep.
    return DERIVED.format(**said) if not indexes or derived & set(re.findall(r"\w+", " ".join(indexes))) else ""


def _is_open(code: str, at: int) -> bool:
    """Whether the `if` or loop that begins there has the last line of the code in its statement."""
    last = code.rfind("\n") + 1
    while head := _HEAD.match(code, at):
        at, depth = head.end(), 1
        while depth and at < len(code):
            depth += {"(": 1, ")": -1}.get(code[at], 0)
            at += 1
    depth = 0
    for place in range(at, len(code)):
        depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(code[place], 0)
        if depth <= 0 and code[place] in ";}":
            return place >= last
    return True


def _offset(source: Sequence[str], array: str, kernel: str, size: str) -> tuple[int, str] | None:
    """The line of a launch that hands over the array behind an offset, and a size without it; with the offset."""
    text = re.sub(r"//.*", "", "\n".join(source))
    name = kernel.partition("<")[0]
    for launch in re.finditer(rf"\b{re.escape(name)}\b[^;{{}}]*<<<[^;{{}}]*>>>\s*\(([^;{{}}]*)\)\s*;", text):
        offset = re.search(rf"\b{re.escape(array)}\s*\+\s*(\w+)\s*[,)]", launch[1])
        if offset and not re.search(rf"-\s*{offset[1]}\b", launch[1]) and re.search(rf"\b{size}\b", launch[1]):
            return text.count("\n", 0, launch.start()) + 1, offset[1]
    return None
