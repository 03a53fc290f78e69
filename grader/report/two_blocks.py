"""What a teacher says of two blocks that race: of a lock that is taken or given back without order, else of blocks."""

from __future__ import annotations

import re
from collections.abc import Sequence

LOCKED = (
    "Where the lock of line {line} guards this, it needs two fences: a __threadfence() right behind the loop that "
    "takes it, and one right before the store or atomicExch() that gives it back."
)
GIVEN_BACK = (
    "Line {line} gives the lock back by a plain store, which no other block has to see in order: write "
    "`__threadfence(); atomicExch({lock}, 0);` there, and a __threadfence() behind the loop that takes the lock."
)
READ_ELSEWHERE = (
    "No barrier orders two blocks: let a second launch read what the first has written. Where a flag or counter hands "
    "it over, the writer calls __threadfence() before the atomic that raises it, and the reader behind the atomic that "
    "looks at it."
)
TWO_BLOCKS = (
    "No barrier orders two blocks. Let each element belong to one block (is a part of blockIdx missing from the "
    "index?), or use an atomic."
)
OF_ONE_AXIS = (
    "No barrier orders two blocks. These differ in blockIdx.{axis} alone: let that{named} have its share in the index "
    "that is written, as it has in those that are read; or, if blocks add to one element, use an atomic."
)
COUNTED_BLOCKS = (
    "What other blocks wrote is there once a counter says so, which each raises behind a __threadfence(). `{counter}` "
    "keeps its value until the next launch: is it compared with the right number, and set back to 0 by the last block?"
)
BLOCK_ORDER = (
    "Which block comes first is up to the GPU, and so is each place that atomicAdd gives out. Let places follow from "
    "indices: count first, a prefix sum of the counts then tells each block where it begins."
)
SWAPS_ONCE = (
    "An atomicCAS that finds another value than the one it compares with changes nothing, and another thread may have"
    " come in between: repeat it with the value that it gave, until that is the one it compared with."
)
_BOTH_WRITE = re.compile(r"\bwrites \S+ in line \d+ while thread [^;:]* writes it in line \d+, in any order")
_TAKES = re.compile(r"\bwhile\s*\(.*\batomic(?:CAS\(\s*(?P<cas>.*?),\s*0u?\s*,|Exch\(\s*(?P<exch>.*?),)\s*1u?\s*\)")


def of_two_blocks(message: str, source: Sequence[str], space: str = "global") -> str:
    """Of a race in that space, by its message; "" if it is none of two blocks."""
    named = set(re.findall(r"of block (\([^)]*\))", message)) if space == "global" else set()
    both_write = "two blocks" in message or (len(named) > 1 and _BOTH_WRITE.search(message) is not None)
    if not (both_write or "blocks run in no order" in message or len(named) > 1):
        return ""
    if said := of_lock(source):
        return said
    if both_write:
        return _of_one_axis(message, source) or TWO_BLOCKS
    counter = _counter(source)
    return COUNTED_BLOCKS.format(counter=counter) if counter else READ_ELSEWHERE


def of_order(text: str) -> str:
    """Of outputs that depend on who comes first to the atomic of this line."""
    return SWAPS_ONCE if "atomicCAS" in text else BLOCK_ORDER


def _of_one_axis(message: str, source: Sequence[str]) -> str:
    """Of one thread's place in two blocks of a grid with several axes, which differ in one alone; "" of others."""
    pairs = re.findall(r"thread (\([^)]*\)) of block \(([^)]*)\)", message)[:2]
    if len(pairs) < 2 or pairs[0][0] != pairs[1][0]:
        return ""
    blocks = [[int(each) for each in block.split(",")] for _, block in pairs]
    axes = [axis for axis, one, two in zip("xyz", *blocks, strict=True) if one != two]
    text = "\n".join(source)
    if len(axes) != 1 or len(set(re.findall(r"\bblockIdx\.([xyz])", text))) < 2:
        return ""
    named = re.search(rf"\b(\w+)\s*=\s*blockIdx\.{axes[0]}\s*[,;]", text)
    return OF_ONE_AXIS.format(axis=axes[0], named=f", `{named[1]}` here," if named else "")


def of_lock(source: Sequence[str]) -> str:
    """Of a loop that waits until it has turned a 0 into 1; "" if there is none, or nothing to say of it."""
    takes = next(((number, found) for number, text in enumerate(source, 1) if (found := _TAKES.search(text))), None)
    if not takes:
        return ""
    line, found = takes
    if not any("__threadfence" in text.split("//")[0] for text in source):
        return LOCKED.format(line=line)
    lock = (found["cas"] or found["exch"]).strip()
    variable = re.escape(lock[1:].strip()) if lock.startswith("&") else rf"\*\s*{re.escape(lock)}"
    store = re.compile(rf"(?:^|[;{{}})\s]){variable}\s*=\s*0u?\s*;")
    plain = next((number for number, text in enumerate(source, 1) if store.search(text.split("//")[0])), 0)
    return GIVEN_BACK.format(line=plain, lock=lock) if plain else ""


def _counter(source: Sequence[str]) -> str:
    """A `__device__` variable that is counted up; "" if there is none."""
    text = "\n".join(source)
    names = re.findall(r"__device__\s+(?:static\s+)?(?:volatile\s+)?(?:unsigned(?:\s+int)?|int)\s+(\w+)\s*[;={]", text)
    return next((name for name in names if re.search(rf"atomic(?:Add|Inc)\(\s*&\s*{name}\b", text)), "")
