"""Slips of what counts: an index of eight bits, and a loop by which each thread does the work of all."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_EIGHT_BITS = r"(?P<type>unsigned\s+char|signed\s+char|char|uchar|u?int8_t)"
_NARROW = _EIGHT_BITS[:-1] + r"|unsigned\s+short|short|ushort|u?int16_t)"
_INDEX = re.compile(rf"(?<![\w:<])(?<!signed ){_NARROW}(?:\s+int)?\s+(?P<name>\w+)\s*[={{]\s*(?P<value>[^;]*)")
_CAST = re.compile(
    rf"(?:\(\s*{_NARROW}\s*\)|\bstatic_cast\s*<\s*{_NARROW.replace('?P<type>', '?P<named>')}\s*>)\s*"
    r"(?P<value>\([^;]*|blockIdx)"
)
_LOOP = re.compile(
    rf"\bfor\s*\(\s*(?:const\s+)?{_EIGHT_BITS}\s+(?P<name>\w+)\s*=[^;]*;\s*(?P=name)\s*(?:<=?|!=)\s*(?P<end>[^;&|]+);"
)
_OF_BLOCKS = re.compile(r"(?=.*\b(?:blockIdx|gridDim)\b)[^\[%&<>]*")
_STEPS_BY_ONE = re.compile(
    r"\bfor\s*\([^;]*\b(?P<name>\w+)\s*=\s*(?P<start>[^;]*);[^;]*;\s*"
    r"(?:\+\+\s*(?P=name)|(?P=name)\s*\+\+|(?P=name)\s*\+=\s*1)\s*\)"
)
_WHO = re.compile(r"\b(?:threadIdx|blockIdx|(?:thread|block|group)_(?:rank|index))\b|%(?:tid|ctaid|laneid)\b")
_ALL_OF_BOTH = re.compile(r"\bblockIdx\b.*\bthreadIdx\b|\bthreadIdx\b.*\bblockIdx\b|\bgrid\w*\s*\.\s*thread_rank\b")
_MOST = 127

NARROW = "`{name}` in line {line} is {a} `{type}`, which holds {range} only and then begins again: let it be an `int`."
CUT = "Line {line} makes a `{type}` of an index, which holds {range} only and then begins again: leave the cast out."
BY_ONE = (
    "The loop in line {line} begins at each thread's own index and goes on by 1, so that each thread does the work of"
    " all behind it: write `{name} += gridDim.x * blockDim.x`."
)
NO_INDEX = (
    "The kernel in line {line} does not ask which thread it is, so that each of its threads does all of the work: let"
    " it take its own part, `i = blockIdx.x * blockDim.x + threadIdx.x`."
)


def narrow_index(source: Sequence[str]) -> Iterator[str]:
    """`short i = blockIdx.x * blockDim.x + threadIdx.x`, a loop's counter that cannot reach its end, or a cast."""
    for number, text in enumerate(source, 1):
        text = text.partition("//")[0]
        index, loop, cast = _INDEX.search(text), _LOOP.search(text), _CAST.search(text)
        of_blocks = index and _OF_BLOCKS.fullmatch(index["value"])
        if found := (index if of_blocks else loop if loop and _is_far(loop["end"].strip()) else None):
            type_ = " ".join(found["type"].split())
            a = "an" if type_.startswith(("unsigned", "int")) else "a"
            yield NARROW.format(name=found["name"], line=number, a=a, type=type_, range=_range(type_))
        elif cast and _OF_BLOCKS.fullmatch(cast["value"]):
            type_ = " ".join((cast["type"] or cast["named"]).split())
            yield CUT.format(line=number, type=type_, range=_range(type_))


def _range(type_: str) -> str:
    most = 255 if re.search("char|8", type_) else 65_535
    return f"0 to {most}" if type_.startswith("u") else f"-{most // 2 + 1} to {most // 2}"


def _is_far(end: str) -> bool:
    """Whether a loop may go beyond eight bits: to a size of the task's, and not to a small number or constant."""
    return int(end) > _MOST if end.isdigit() else end in ("n", "m", "k", "p", "rows", "cols", "N", "M", "K")


_LOOP_BY = re.compile(
    r"\bfor\s*\([^;()]*\b(?P<name>\w+)\s*=\s*(?P<start>blockIdx|threadIdx)\s*\.\s*(?P<axis>[xyz])\s*;[^;]*;\s*"
    r"(?P=name)\s*\+=\s*(?P<step>[^;()]+?)\s*\)"
)
OF_BLOCKS = (
    "The loop in line {line} begins at `{start}.{axis}`, one round for a block, and goes on by `{step}`, so that "
    "blocks leave some out, or do them twice: write `{name} += gridDim.{axis}`."
)
OF_THREADS = (
    "The loop in line {line} begins at `{start}.{axis}`, one round for a thread of the block, and goes on by `{step}`: "
    "write `{name} += blockDim.{axis}`."
)


def by_the_other(source: Sequence[str]) -> Iterator[str]:
    """`row = blockIdx.x; ...; row += blockDim.x`, or `c = threadIdx.x; ...; c += gridDim.x`."""
    for number, text in enumerate(source, 1):
        if not (found := _LOOP_BY.search(text.partition("//")[0])):
            continue
        step, axis = re.sub(r"\s", "", found["step"]), found["axis"]
        said = found.groupdict() | {"line": number, "step": " ".join(found["step"].split())}
        if found["start"] == "blockIdx" and f"blockDim.{axis}" in step.split("*"):
            yield OF_BLOCKS.format(**said)
        elif found["start"] == "threadIdx" and step == f"gridDim.{axis}":
            yield OF_THREADS.format(**said)


_MEMSET = re.compile(r"\bcudaMemset(?:Async)?\s*\(\s*(?P<name>\w+)\s*,\s*0\s*,")
SET_BEHIND = (
    "Line {line} sets `{name}` to 0 behind the launch in line {launch} that works with it, and what that has left is "
    "gone: set it in front of the launch."
)


def set_behind(source: Sequence[str]) -> Iterator[str]:
    """`k<<<...>>>(out); cudaMemsetAsync(out, 0, ...)`, and no launch with it after that."""
    code = [text.partition("//")[0] for text in source]
    for number, text in enumerate(code, 1):
        if not (found := _MEMSET.search(text)):
            continue
        uses = re.compile(rf"<<<.*>>>\s*\(.*\b{found['name']}\b")
        launches = [at for at, other in enumerate(code, 1) if uses.search(other)]
        if launches and max(launches) < number:
            yield SET_BEHIND.format(line=number, name=found["name"], launch=max(launches))


def does_all(source: Sequence[str], line: int | None) -> Iterator[str]:
    """Of the loop in `line` that did not end in time: by which each thread does what others do, too."""
    if not line or line > len(source):
        return
    head = next((at for at in range(line - 1, -1, -1) if "__global__" in source[at]), None)
    if head is None or any(re.match(r"\}", text) for text in source[head : line - 1]):
        return  # in a function of its own
    kernel = [text.partition("//")[0] for text in source[head : _end(source, head)]]
    if not any(_WHO.search(text) for text in kernel):
        # Functions and macros may ask.
        if not any("__device__" in text or (text.lstrip().startswith("#") and _WHO.search(text)) for text in source):
            yield NO_INDEX.format(line=head + 1)
        return
    if (loop := _STEPS_BY_ONE.search(source[line - 1])) and _is_of_all(loop["start"], kernel):
        yield BY_ONE.format(line=line, name=loop["name"])


def _is_of_all(start: str, kernel: Sequence[str]) -> bool:
    """Whether this is a thread's index in the whole grid, or a variable that is."""
    value = start.strip()
    if re.fullmatch(r"\w+", value):
        found = re.search(rf"\b{value}\s*=\s*([^;]*);", "\n".join(kernel))
        value = found[1] if found else ""
    return bool(_ALL_OF_BOTH.search(value)) and "/" not in value and ">>" not in value


def _end(source: Sequence[str], head: int) -> int:
    """Behind the line with the kernel's last `}`, as braces stand in the text."""
    depth, opened = 0, False
    for at in range(head, len(source)):
        text = source[at].partition("//")[0]
        depth += text.count("{") - text.count("}")
        opened = opened or "{" in text
        if opened and depth <= 0:
            return at + 1
    return len(source)
