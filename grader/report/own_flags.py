"""A variable of each thread that one thread sets, and all ask for: a flag or a sum that should be shared."""

from __future__ import annotations

import re
from collections.abc import Sequence

OWN_FLAG = (
    "`{name}` is each thread's own variable, and line {line} sets that of thread 0 alone, while all threads ask for it"
    " in line {asked}: declare it `__shared__ {type} {name};`, and let a __syncthreads() stand between the two."
)
_DECLARED = re.compile(
    r"^\s*(?:volatile\s+)?(?P<type>bool|int|unsigned(?:\s+int)?|float|double)\s+(?P<name>\w+)\s*(?:=[^;,]*|\{[^;,]*\})?;",
    re.MULTILINE,
)
_OF_THREAD_0 = re.compile(r"\bif\s*\(\s*(?:!\s*threadIdx\.x|threadIdx\.x\s*==\s*0|t(?:id|x)?\s*==\s*0|!\s*tid)\s*\)\s*")


def own_flag(source: Sequence[str]) -> str:
    """A sentence on such a variable, set under `if (threadIdx.x == 0)` and asked behind a barrier; else ""."""
    text = re.sub(r"//[^\n]*", "", "\n".join(source))
    for declared in _DECLARED.finditer(text):
        name, scope = declared["name"], _scope(text, declared.end())
        sets = [each for each in re.finditer(rf"\b{name}\s*=(?!=)", text) if each.start() in scope]
        guards = [_statement(text, each.end()) for each in _OF_THREAD_0.finditer(text, scope.start, scope.stop)]
        if not sets or not all(any(each.start() in guard for guard in guards) for each in sets):
            continue
        asks = re.compile(rf"\bif\s*\(\s*!?\s*{name}\b")
        asked = next((each.start() for each in asks.finditer(text, sets[-1].end(), scope.stop)), None)
        is_between = asked is not None and "__syncthreads" in text[sets[-1].end() : asked]
        if asked is not None and is_between and not any(asked in guard for guard in guards):
            lines = [text.count("\n", 0, at) + 1 for at in (sets[0].start(), asked)]
            return OWN_FLAG.format(name=name, line=lines[0], asked=lines[1], type=" ".join(declared["type"].split()))
    return ""


def _scope(text: str, begin: int) -> range:
    """Up to the end of the `{ }` around this place; empty outside of any."""
    depth = 0
    for at in range(begin, len(text)):
        depth += (text[at] == "{") - (text[at] == "}")
        if depth < 0:
            return range(begin, at)
    return range(begin, begin)


def _statement(text: str, begin: int) -> range:
    """The `{ }` that begins there, or the statement up to its `;`."""
    if text[begin : begin + 1] == "{":
        return range(begin, _scope(text, begin + 1).stop)
    return range(begin, text.find(";", begin) + 1)
