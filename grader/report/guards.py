"""Which guard a kernel of two or three dimensions lacks, as its text tells: `x < width && y < height`."""

from __future__ import annotations

import re
from collections.abc import Sequence

MISSING = (
    "Threads come in whole blocks, so some lie outside in {axes}, and nothing here asks for {names}. Let those do "
    "nothing: `if ({guard})`, with the sizes of this very array."
)
UNASKED = (
    "Threads come in whole blocks, so some have no element to work on, and nothing here asks for `{name}`: let those "
    "do nothing, `if ({name} < ...)`, with how many there are."
)
EITHER = (
    "`||` lets a thread in that lies outside in one direction only: both must hold, `if ({guard})`, with the sizes of "
    "this very array."
)
LEAVES = (
    "Line {line} lets those threads go that have an element, `{name} < {size}`, and keeps the others: write "
    "`if ({name} >= {size}) return;`."
)
_LEAVES_BELOW = re.compile(r"\bif\s*\(\s*(?P<name>\w+)\s*<\s*(?P<size>[A-Za-z_]\w*)\s*\)\s*\{?\s*return\b")
_INDEX = re.compile(r"\b(\w+)\s*=(?=[^;,=\[]*\+)[^;,=\[]*\bblockIdx\s*\.\s*([xyz])")
_POINTER = re.compile(r"\*\s*(?:const\s+|__restrict__\s+|__restrict\s+)*(\w+)\s*=(?!=)")
_POINTER_HANDED_OVER = re.compile(r"\*\s*(?:const\s+|__restrict__\s+|__restrict\s+)*(\w+)\s*[,)]")
# A comparison of it, or of it and a step more, `row + i < rows`, also in a function that is asked, or `min(`.
_ASKS = (
    r"\b{name}\b(?:\s*[-+*]\s*[\w.]+)*\s*[<>]|[<>]=?\s*(?:[\w.]+\s*[-+*]\s*)*{name}\b"
    r"|\b(?:if\s*\([^()\n]*\w|min)\s*\([^()\n]*\b{name}\b"
)
_ELEMENT = re.compile(r"\b(?P<row>\w+)\s*\*\s*(?P<width>[A-Za-z_]\w*)\s*\+\s*(?P<col>\w+)\b")
_COLUMN_FIRST = re.compile(r"\b(?P<col>\w+)\s*\+\s*(?P<row>\w+)\s*\*\s*(?P<width>[A-Za-z_]\w*)\b")
_GOES_TO = re.compile(r"\b(?:if|for|while)\b.*<=\s*\w+\s*[;)&|]")
_LEAVES_ABOVE = re.compile(r"\bif\s*\([^()\n]*[^->]>\s*(?P<size>[A-Za-z_]\w*)\s*\)\s*\{?\s*(?:return|continue|break)\b")
_SIZES = {"x": "width", "y": "height", "z": "depth"}
_PARAMETER = re.compile(r"\b(?:int|unsigned|size_t|long|u?int\d+_t)\s+(\w+)\s*[,)]")


def guard_of_axes(source: Sequence[str], line: int | None) -> str:
    """A sentence if the kernel around this line has an index for each of several axes, and one of them, or more, is
    compared with nothing above it; "" if it is not known.
    """
    code = _kernel_up_to(source, line)
    pointers = {*_POINTER.findall(code), *_POINTER_HANDED_OVER.findall(code.partition("{")[0])}
    axes = {name: axis for name, axis in _INDEX.findall(code) if name not in pointers}
    if len(set(axes.values())) < 2 or len(set(axes.values())) < len(axes):
        return ""
    sizes = _sizes(code, axes)
    guard = " && ".join(f"{name} < {sizes[name]}" for name in sorted(axes, key=axes.__getitem__))
    here, below = code[code.rfind("\n") + 1 :], "\n".join(source[line or 0 :]).partition("\n}")[0]
    used = {name for name in axes if re.search(rf"\[[^][]*\b{name}\b", here)}
    unasked = [
        name
        for name in axes  # what this line does not use may be asked for later
        if not re.search(_ASKS.format(name=name), code if name in used else code + below)
    ]
    if unasked:
        missing = " and ".join(sorted(axes[name] for name in unasked))
        return MISSING.format(axes=missing, names=" and ".join(f"`{name}`" for name in unasked), guard=guard)
    asked = re.search(r"\bif\s*\(([^{};]*<[^{};]*)\|\|([^{};]*<[^{};]*)\)", code)
    return EITHER.format(guard=guard) if asked and all(re.search(rf"\b{name}\b", asked[0]) for name in axes) else ""


def guard_of_index(source: Sequence[str], line: int | None) -> str:
    """A sentence if nothing up to the line asks for the kernel's one index over all threads, which it uses; else ""."""
    code = _kernel_up_to(source, line)
    here = code[code.rfind("\n") + 1 :]
    names = {name for name, axis in _INDEX.findall(code) if axis == "x" and name not in _POINTER.findall(code)}
    name = next(iter(names), "")
    is_used = re.search(rf"\[[^][]*\b{name}\b", here) if name else None
    is_known = len(names) != 1 or not is_used or re.search(_ASKS.format(name=name), code)
    return "" if is_known else UNASKED.format(name=name)


def index_from_the_data(source: Sequence[str], line: int | None, array: str) -> str:
    """The index of this array in the line, if it reads another array itself, as `counts[x[i]]`; "" if there is none."""
    code = source[line - 1].partition("//")[0] if line and line <= len(source) else ""
    found = re.search(rf"\b{re.escape(array)}\s*\[([^][]*\b\w+\s*\[[^][]*\][^][]*)\]", code)
    return found[1].strip() if found else ""


def asks_for_one_too_many(source: Sequence[str], line: int | None) -> tuple[int, str, str] | None:
    """The last line of the kernel up to this one where an `if` or a loop asks `i <= n`, or leaves at `i > n` alone:
    with the sign there, and the one that belongs there.
    """
    code = _kernel_up_to(source, line)
    found = [(each.start(), "<=", "<") for each in _GOES_TO.finditer(code)]
    sizes = _PARAMETER.findall(code.partition("{")[0])
    found += [(each.start(), ">", ">=") for each in _LEAVES_ABOVE.finditer(code) if each["size"] in sizes]
    if not found:
        return None
    at, asks, belongs = max(found)
    return (line or 0) - code.count("\n", at), asks, belongs


def leaves_the_wrong_ones(source: Sequence[str], line: int | None) -> str:
    """A sentence if the kernel up to this line lets those threads go that have an element: `if (i < n) return;`."""
    code = _kernel_up_to(source, line)
    found = [
        each for each in _LEAVES_BELOW.finditer(code) if each["size"] in _PARAMETER.findall(code.partition("{")[0])
    ]
    if not found:
        return ""
    at = (line or 0) - code.count("\n", found[-1].start())
    return LEAVES.format(line=at, **found[-1].groupdict())


_COMPARED = re.compile(r"\b([A-Za-z_][\w.]*(?: *\+ *[\w.]+)*) *< *([A-Za-z_][\w.]*)")
_SUM = r"[\w.]+(?: *\+ *[\w.]+)*"
_OF_ROWS = re.compile(
    r"\[ *(?:\((?:size_t|\w*int\w*|long long|long|unsigned) *\))? *(?:[\w:]+[{(]|\()?"
    rf"(?P<row>{_SUM})[)}}]? *\* *(?P<width>[A-Za-z_][\w.]*) *\+ *\(?(?P<col>{_SUM})\)? *\]"
)
SWAPPED = (
    "`{row}` has to be less than {width} here, and is multiplied with {width}, too, but a row stays below how many "
    "rows there are, and is multiplied with how long a row is: swap the sizes in the guard, "
    "`{row} < {other} && {col} < {width}`, or the two in the index, `{first} * {width} + {row}`; or multiply with "
    "{other}."
)


def swapped_guard(source: Sequence[str], line: int | None) -> str:
    """A sentence if the guard of `a[row * width + col]` asks `row < width`, and another size of `col`; else ""."""
    rows = [row.partition("//")[0] for row in source[max(0, (line or 0) - 3) : line or 0]]
    index = _OF_ROWS.search(rows[-1]) if rows else None
    if index is None:
        return ""
    asked = {re.sub(r"\s", "", what): size for what, size in _COMPARED.findall("\n".join(rows))}
    row, col = (re.sub(r"\s", "", index[name]) for name in ("row", "col"))
    other = asked.get(col, index["width"])
    swapped = asked.get(row) == index["width"] != other
    first = f"({index['col']})" if "+" in index["col"] else index["col"]
    return SWAPPED.format(**index.groupdict(), other=other, first=first) if swapped else ""


OR_SWAPPED = " Or are the two indices of {array} swapped, here or where it is written?"


def or_swapped(array: str, source: Sequence[str]) -> str:
    """A question where a shared array has two indices; "" elsewhere."""
    used = re.compile(rf"\b{re.escape(array)}\s*\[([^][]+)\]\s*\[([^][]+)\]")
    return OR_SWAPPED.format(array=array) if any(used.search(row.partition("//")[0]) for row in source) else ""


_THREAD_ALONE = re.compile(r"\bif\s*\(\s*threadIdx\.x\s*<\s*(?P<size>[A-Za-z_]\w*)\s*\)")


def asks_for_the_thread_alone(source: Sequence[str], line: int | None) -> str:
    """What to say where an index counts on over the blocks and `if (threadIdx.x < n)` is its guard; "" elsewhere."""
    rows = [row.partition("//")[0] for row in source[max(0, (line or 0) - 2) : line or 0]]
    guard = next((found for row in rows if (found := _THREAD_ALONE.search(row))), None)
    index = re.search(r"\w\s*\[\s*([A-Za-z_]\w*)\s*\]", rows[-1]) if rows else None
    if not guard or not index or guard["size"] == index[1]:
        return ""
    return (
        f"`threadIdx.x < {guard['size']}` holds in blocks behind the end, too: ask for the index itself,"
        f" `if ({index[1]} < {guard['size']})`."
    )


def of_eight_bytes(source: Sequence[str], line: int | None) -> bool:
    """Whether the kernel around this line has pointers to numbers of 8 bytes, and no vectors of two."""
    code = _kernel_up_to(source, line)
    return bool(re.search(r"\b(?:double|long|u?int64_t|size_t)\s*\*|\*\s*\*", code)) and not re.search(r"\w2\b", code)


OTHER_END = (
    "`{name}` goes up to {end} in line {line}, and stands in the place of one of {size} here, behind `* {size} +`: let "
    "the loop end at {size}, or are the two of this index swapped?"
)
_LOOP = re.compile(r"\bfor\s*\([^;]*\b(?P<name>\w+)\s*=[^;]*;\s*(?P=name)\s*<\s*(?P<end>[A-Za-z_]\w*)\s*;")


def ends_at_another_size(source: Sequence[str], line: int | None) -> str:
    """A sentence if the line has `a[row * cols + i]`, and its loop is `for (i = 0; i < rows; ...)`; "" elsewhere."""
    code = _kernel_up_to(source, line)
    sizes, here = _PARAMETER.findall(code.partition("{")[0]), code[code.rfind("\n") + 1 :]
    for loop in reversed(list(_LOOP.finditer(code))):
        behind = re.findall(rf"\*\s*(\w+)\s*\+\s*{loop['name']}\b(?!\s*[*/%])", here)
        if loop["end"] in sizes and len(set(behind)) == 1 and behind[0] in sizes and behind[0] != loop["end"]:
            at = (line or 0) - code.count("\n", loop.start())
            return OTHER_END.format(name=loop["name"], end=loop["end"], line=at, size=behind[0])
    return ""


def _kernel_up_to(source: Sequence[str], line: int | None) -> str:
    """The text of the kernel that this line is in, up to its end; "" if it is in none."""
    text = re.sub(r"//.*", "", "\n".join(source[: line or 0]))
    start = text.rfind("__global__")
    return text[start:] if start >= 0 and "\n}" not in text[start:] else ""


def _sizes(code: str, axes: dict[str, str]) -> dict[str, str]:
    """What each index is to be less than: by `row * width + col`, and the one parameter that is left for the rows."""
    sizes = {name: _SIZES[axis] for name, axis in axes.items()}
    found = [*_ELEMENT.finditer(code), *_COLUMN_FIRST.finditer(code)]
    element = next((each for each in found if {each["row"], each["col"]} == set(axes)), None)
    if element is None:
        return sizes
    width = element["width"]
    others = [name for name in _PARAMETER.findall(code.partition("{")[0]) if name != width] or [width]
    sizes[element["col"]] = width
    return sizes | ({element["row"]: others[0]} if len(others) == 1 else {})
