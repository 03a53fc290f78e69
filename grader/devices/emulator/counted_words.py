"""Why a case is wrong whose blocks count in a word of the submission's own, as by tickets: it is run once more as if
that word had begun, or gone on, otherwise (runtime/counted_words.h).

Only a run in which nothing is wrong, and where no output has fewer elements, tells that the word is to blame.
"""

from __future__ import annotations

import ctypes
import struct
from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from grader.course.prototype import CType
from grader.devices.emulator.checking_runs import is_small
from grader.devices.emulator.entry import Call, Loaded, View, bytes_of, written_types
from grader.devices.emulator.kinds import ATOMICS, TYPES
from grader.devices.emulator.looking import Contents, Fact, are_close, silence
from grader.devices.emulator.second_calls import begin_of
from grader.devices.evidence import COUNTED_WORD, Finding

MOST_TRIES, MOST_SECONDS = 10, 0.5  # of all cases together, and of each
_MOST_BYTES = 1 << 22  # of the file's variables, which are put back after each try
_OF_FLOATS = {"f32": "<f", "f64": "<d"}

KEPT = (
    "`{name}` begins here with {found}, which the launch before has left, and not with {first} as the first time: a "
    "`__device__` variable keeps its value, so set it back, by the last block that uses it ({store}) or by a "
    "{reset} before each launch."
)
KEPT_BY_LIMIT = (
    "`{name}` begins here with {found}, which the launch before has left, and not with {first} as the first time: "
    "atomicInc goes back to 0 with the call behind its limit, so the limit in line {line} must be one less than the "
    "calls of a launch, {most} here and not {step}{of_blocks}."
)
LIMIT = (
    "atomicInc goes back to 0 with the call behind its limit, and this launch makes {calls} calls: the limit in line "
    "{line} must be {most} and not {step}{of_blocks}."
)
STEP = (
    "Each ticket from line {line} takes `{name}` on by {step}, and what lies between two is no thread's: with {right} "
    "in the place of {step} nothing would be left out."
)
BEGIN = (
    "`{name}`, from which line {line} takes tickets, begins with {found}, and what belongs to the one before is no "
    "thread's: with {before} in the place of {found} nothing would be left out."
)
OTHER_TICKET = (
    "The tickets that line {line} takes from `{name}` are {found} to {last} in this launch, and the kernel asks for "
    "{asked} as the last one: ask for {last}{of_blocks}."
)
LEFT = (
    "This is right if the file's own variables hold what they did at first, and not what earlier calls have left: let "
    "each call set all of `{names}` that it reads, or read no more than it has set."
)
OF_BLOCKS = " (gridDim.x - 1, as each block takes one)"


@dataclass(frozen=True)
class Try:
    """How else a word might begin, and go on (None: as it does), and how much more its atomics might give. `said` if
    that is what is wrong.
    """

    said: str
    begin: int | None = None
    step: int | None = None
    more: int = 0
    anew: bool = False  # the file's variables hold what they did before the first case


class CountedWords:
    """`call` makes one call of an entry point of a build."""

    def __init__(self, build: Loaded, runtime: ctypes.CDLL, call: Callable[..., tuple[Fact, float]]):
        self._build, self._runtime, self._call = build, runtime, call
        self._line_of = build.code.line_of
        self._kept = [each for each in build.code.symbols if each.kind in ("variable", "named_variable", "managed")]
        self._places: list[tuple[int, int]] = []
        self._before: list[bytes] = []
        self._at_first: list[bytes] = []
        self._outputs: Contents = []
        self._left = MOST_TRIES if sum(each.bytes for each in self._kept) <= _MOST_BYTES else 0

    def begin(self, what: Call) -> None:
        """Before a case, in whose further runs the file's variables hold what they do now."""
        if self._left > 0 and self._kept:
            base = begin_of(self._build.library, f"ladder_entry_{what[0].name}")
            self._places = [(base + each.value, each.bytes) for each in self._kept if base]
            self._before = self._held()
            self._at_first = self._at_first or self._before

    def why(self, what: Call, facts: Fact, outputs: list[View], untouched: list[np.ndarray]) -> list[Finding]:
        """A note on what is wrong with such a word. All is as before then."""
        has_any = facts["counted_words"] or self._before != self._at_first
        if not has_any or self._left <= 0 or not is_small(what):
            return []
        if any(each["kind"] == "crash" for each in facts["findings"]):
            return []
        types = [*written_types(*what[:2]).values()]
        lacking = _lacking([bytes_of(view) for view in outputs], untouched, types)
        tries = [(each, word) for word in facts["counted_words"] for each in self._tries(word, facts, lacking)]
        if self._before != self._at_first:
            names = dict.fromkeys(each.name for each in self._kept if each.kind != "variable")
            tries.append((Try(LEFT.format(names="`, `".join(names)), anew=True), {"word": 0, "pc": 0}))
        for each, word in tries:
            if self._left > 0 and self._is_right(each, word, what, facts, outputs, untouched):
                return [self._told(each, word, what)]
        return []

    def _told(self, right: Try, word: Fact, what: Call) -> Finding:
        """With the outputs of that run, for the judge alone knows whether they are right."""
        held = {
            name: b64encode(each.tobytes()).decode()
            for name, each in zip(written_types(*what[:2]), self._outputs, strict=True)
        }
        line = self._line_of(word["pc"])
        return Finding(COUNTED_WORD, right.said, "note", line=line, details={"outputs": held})

    def _tries(self, word: Fact, facts: Fact, lacking: list[int]) -> Iterator[Try]:
        words = _words(word, facts, self._line_of(word["pc"]))
        by_limit = words["op"] == "increment" and word["is_alike"]
        fits = by_limit and word["step"] == word["calls"] - 1
        if word["named"] and word["found"] != word["first"]:
            said = KEPT_BY_LIMIT if by_limit and not fits else KEPT
            yield Try(said.format(**words), begin=word["first"])
        if not any(lacking) and all(each["note"] for each in facts["findings"]):
            return
        if by_limit and not fits:
            yield Try(LIMIT.format(**words), step=word["calls"] - 1)
        is_ticket = word["is_alike"] and words["is_whole"] and words["op"] in ("add", "increment")
        if is_ticket and any(lacking):
            yield from self._other_steps(word, words, facts)
        if is_ticket and any(lacking) and word["found"]:
            yield Try(BEGIN.format(**words), begin=word["found"] - 1)
        for more in ((1, -1) if any(lacking) else (-1,)) if is_ticket else ():
            yield Try(OTHER_TICKET.format(**words, asked=words["last"] + more), more=more)

    def _other_steps(self, word: Fact, words: dict[str, Any], facts: Fact) -> Iterator[Try]:
        block = facts["launches"][-1]["block"]
        steps = {1, word["step"] // 2, block[0] * block[1] * block[2]}
        for step in sorted((each for each in steps if words["op"] == "add" and 0 < each < word["step"]), reverse=True):
            yield Try(STEP.format(**words, right=step), step=step)

    def _is_right(
        self, other: Try, word: Fact, what: Call, facts: Fact, outputs: list[View], untouched: list[np.ndarray]
    ) -> bool:
        types = [*written_types(*what[:2]).values()]
        first = [bytes_of(view) for view in outputs]
        with self._put_back(outputs, untouched, first, other.anew), silence():
            self._otherwise(word, other)
            found, _ = self._call((*what[:3], min(what[3], MOST_SECONDS), *what[4:]), self._build)
            second = self._outputs = [bytes_of(view) for view in outputs]
        is_clean = all(each["note"] for each in found["findings"])
        self._left -= 4 if any(each["kind"] == "timeout" for each in found["findings"]) else 1
        was_clean = all(each["note"] for each in facts["findings"])
        before, after = (_lacking(each, untouched, types) for each in (first, second))
        none_more = all(now <= was for now, was in zip(after, before, strict=True))
        gained = any(was and not now for now, was in zip(after, before, strict=True))
        differs = not all(map(are_close, first, second, types))
        is_right = is_clean and none_more and (gained or not was_clean or (differs and after == before))
        self._left += is_right  # others of its kind are told, too
        return is_right

    def _otherwise(self, word: Fact, other: Try) -> None:
        begins, steps = other.begin is not None, other.step is not None
        self._runtime.ladder_session_count_otherwise(
            ctypes.c_void_p(word["word"]),
            int(begins),
            ctypes.c_uint64((other.begin or 0) % 2**64),
            int(steps),
            ctypes.c_uint64(other.step or 0),
            ctypes.c_int64(other.more),
        )

    @contextmanager
    def _put_back(self, outputs: list[View], untouched: Contents, first: Contents, anew: bool) -> Iterator[None]:
        """The file's variables, and what outputs held; in the meantime, what both held before it, or before all."""
        held = self._held()
        self._fill(outputs, untouched)
        self._set(self._at_first if anew else self._before)
        try:
            yield
        finally:
            self._runtime.ladder_session_count_otherwise(
                None, 0, ctypes.c_uint64(0), 0, ctypes.c_uint64(0), ctypes.c_int64(0)
            )
            self._fill(outputs, first)
            self._set(held)

    def _held(self) -> list[bytes]:
        return [ctypes.string_at(*place) for place in self._places]

    def _set(self, contents: Sequence[bytes]) -> None:
        for (address, size), content in zip(self._places, contents, strict=True):
            ctypes.memmove(address, content, size)

    def _fill(self, outputs: list[View], contents: Contents) -> None:
        self._runtime.ladder_session_open()
        for view, content in zip(outputs, contents, strict=True):
            ctypes.memmove(view.address, content.ctypes.data, view.bytes)
        self._runtime.ladder_session_show()


def _lacking(now: Contents, untouched: Contents, types: Sequence[CType]) -> list[int]:
    """Of each output, how many elements are not written."""
    same = [(each == was).reshape(-1, kind.bytes) for each, was, kind in zip(now, untouched, types, strict=True)]
    return [int(each.all(axis=1).sum()) for each in same]


def _words(word: Fact, facts: Fact, line: int | None) -> dict[str, Any]:
    kind, op = TYPES[word["type"]], ATOMICS[word["op"]]
    size = 8 if kind in ("i64", "u64", "f64") else 4
    values = {name: _value(word[name], kind, size) for name in ("first", "found", "step")}
    is_one = word["region_bytes"] == size
    name = word["name"] if is_one else f"{word['name']}[{word['offset'] // size}]"
    blocks = [launch["grid"] for launch in facts["launches"]]
    of_blocks = any(x == word["calls"] and y == z == 1 for x, y, z in blocks)
    return values | {
        "op": op,
        "is_whole": kind not in _OF_FLOATS,
        "name": name,
        "line": line,
        "calls": word["calls"],
        "before": word["found"] - 1,
        "most": word["calls"] - 1,
        "last": word["found"] + word["calls"] - 1,
        "of_blocks": OF_BLOCKS if of_blocks else "",
        "store": f"`{name} = {values['first']};`",
        "reset": "cudaMemcpyToSymbolAsync" if values["first"] else "cudaMemsetAsync",
    }


def _value(bits: int, kind: str, size: int) -> int | float:
    raw = (bits & (2 ** (8 * size) - 1)).to_bytes(size, "little")
    if form := _OF_FLOATS.get(kind):
        number: float = struct.unpack(form, raw)[0]
        return float(f"{number:.6g}")
    return int.from_bytes(raw, "little", signed=kind[0] == "i")
