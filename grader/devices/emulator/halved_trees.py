"""Trees in shared memory that halve a block which is no power of 2: some of its values are added to nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

KIND = "halved_tree"
_SAID = (
    "this tree halves the {threads:,} threads of a block, which is no power of 2, so it leaves some of their values"
    " out: launch blocks of {less:,} or {more:,} threads"
)
_HALF = r"(?P<step>\w+)\s*=\s*(?P<of>blockDim\.x|[A-Z]\w*)\s*(?:/\s*2u?|>>\s*1u?)\s*;\s*"
_HALVED = r"(?P=step)\s*(?:>>=\s*1|/=\s*2|=\s*(?P=step)\s*(?:/\s*2|>>\s*1))"
_LOOP = re.compile(
    rf"(?:\bfor\s*\([^;=]*?\b{_HALF}(?P=step)\s*(?:>=?|!=)\s*[\w]+\s*;\s*{_HALVED}\s*\)"
    rf"|\b{_HALF.replace('step', 'by').replace('of>', 'all>')}while\s*\(\s*(?P=by)\s*(?:>|!=)\s*0u?\s*\))"
)
_KERNEL = re.compile(
    r"__global__(?:(?!__global__|__device__)[^;{])*?\b(?P<name>\w+)\s*\((?:[^(){};]|\([^()]*\))*\)\s*\{"
)
_FUNCTION = re.compile(r"__(?:global|device)__")
_REST = re.compile(r"%\s*2\b|&\s*1\b|\+\s*1\s*\)\s*(?:/\s*2|>>\s*1)")  # what an odd number leaves is seen to
_BODY = 300  # signs behind the loop's head, in which a step is done
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def halved_trees(texts: Sequence[str], launches: Iterable[Mapping[str, Any]]) -> Iterator[tuple[int, int, str]]:
    """The text's number from 1, the line and a sentence for each such tree in a kernel that was launched so."""
    threads: dict[str, int] = {}
    for launch in launches:
        width = launch["block"][0]
        if width > 2 and width & (width - 1):
            threads.setdefault(launch["kernel"].partition("<")[0].rpartition("::")[2], width)
    for number, whole in enumerate(texts if threads else (), start=1):
        text = _COMMENT.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), whole)
        for loop in _LOOP.finditer(text):
            kernel, step = _kernel_around(text, loop.start()), loop["step"] or loop["by"]
            width = threads.get(kernel, 0)
            body = text[loop.end() : loop.end() + _BODY]
            adds = re.search(rf"\w\s*\[[^\]]*\]\s*\+?=[^;=]*\[[^\]]*\+\s*{step}\s*\]", body)
            if width and adds and not _REST.search(body) and _is_width(text, loop["of"] or loop["all"], width):
                less = 1 << (width.bit_length() - 1)
                said = _SAID.format(threads=width, less=less, more=2 * less if less < 1024 else less)
                yield number, text.count("\n", 0, loop.start()) + 1, said


def _kernel_around(text: str, at: int) -> str:
    """The name of the kernel whose body has this place; "" of another function's."""
    found = [each for each in _KERNEL.finditer(text, 0, at)]
    if not found or _FUNCTION.search(text, found[-1].end(), at):
        return ""
    return found[-1]["name"]


def _is_width(text: str, name: str, width: int) -> bool:
    """Whether it is as large as a block is wide."""
    return name == "blockDim.x" or bool(re.search(rf"\b{name}\s*=?\s*{width}\b", text))
