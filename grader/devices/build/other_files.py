"""A file that is no C++ at all, by the line that it begins with; and the file beside a program that it lacks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

_FIRST_LINES = (
    (r"```|~~~", "this line is Markdown's, not C++: delete it, and the one that closes it"),
    (r"%%?\w", "this line is a notebook's, not C++: delete it"),
    (r"\d+[\s:|]", "the lines begin with their numbers, which are no C++: copy the file without them"),
    (r"<(?:!doctype|html|\?xml)\b", "this is a web page, not C++: save the file itself, as by the page's `raw` link"),
    (r"#!", "this is a script, which a shell or Python runs: a kernel is C++ here"),
    (r'"""|(?:import [\w., ]+|from [\w.]+ import .*[^;\s])\s*(?:#.*)?$', "this is Python: a kernel is C++ here"),
    (r"@cuda\.jit|def \w+\(.*:\s*$", "this is Python: a kernel is C++ here, `__global__ void add(...) { ... }`"),
)


def no_cpp(source: str) -> str | None:
    """One sentence if the file begins as only a file of another kind does."""
    blank = re.match(r"\ufeff?\s*", source)
    start = blank.end() if blank else 0
    if re.match(r'\{\s*"', source[start:]) and '"cells"' in source:
        return "this is a notebook, not C++: save the cell with the kernel in a file of its own"
    first = source[start:].split("\n", 1)[0].rstrip()
    line = source.count("\n", 0, start) + 1
    found = next((said for begins, said in _FIRST_LINES if re.match(begins, first, re.IGNORECASE)), None)
    return found and f"line {line}: {found}"


_SOURCES = (".cu", ".cpp", ".cc", ".cxx", ".c")
_MOST_BYTES = 1 << 20  # larger files are not searched: a program makes such files


def _calls(file: Path, symbol: str) -> bool:
    return bool(re.fullmatch(r"cuda[A-Z]\w+", symbol)) and symbol in file.read_text(errors="replace")


def has_it(symbol: str, given: Sequence[Path]) -> str:
    """What to type if a file beside those of a program defines what the linker misses; "" if none does.

    C++ would not have come so far with a function of CUDA's that is not declared, but C calls what it does not know.
    """
    if in_c := [each for each in given if each.suffix == ".c" and _calls(each, symbol)]:
        return f" in C, and the emulator's CUDA is C++: rename {in_c[0].name} to {in_c[0].stem}.cpp"
    name = symbol.partition("(")[0].partition("<")[0].rpartition("::")[2].split(" ")[-1]
    defines = re.compile(rf"(?<![\w.>]){re.escape(name)}\s*\([^;{{}}]*\)\s*(?:const\s*|noexcept\s*)*\{{")
    known = {each.resolve() for each in given}
    for folder in dict.fromkeys(each.resolve().parent for each in given):
        for file in sorted(folder.glob("*")):
            if file.suffix not in _SOURCES or file in known or not file.is_file() or file.stat().st_size > _MOST_BYTES:
                continue
            if name and defines.search(file.read_text(errors="replace")):
                names = " ".join([*(each.name for each in given), file.name])
                return f": {file.name} has it, so add that file, `ladder run {names}`"
    return ""
