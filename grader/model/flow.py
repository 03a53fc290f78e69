"""How often each instruction of nvcc's machine code runs: its loops, filled with the work that the emulator saw.

nvcc unrolls loops, joins loads and leaves work out, so that an instruction runs more seldom than its line. What remains
is the work itself: so many words loaded, so many multiplications, at a line. A loop's body has a part of that work, and
the loop runs as often as makes up the whole.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

Json = Mapping[str, Any]
Counts = Mapping[str, float]
Work = tuple[int, str]  # a line, and what is done there: one of the words that `work_of` gives

NONE = 7  # the number of no barrier, of six
FLOATS = {"FADD": 1, "FMUL": 1, "FFMA": 2}  # operations
MUCH = 4.0  # times the instructions of a CPU: so much code for a line is several rounds of it
JUMPS = ("BRA", "EXIT", "RET", "BRX", "JMP", "CALL", "BREAK", "WARPSYNC", "KILL")
LOADED = {
    "LDG": "global_load",
    "LDGSTS": "global_load",
    "STG": "global_store",
    "LDS": "shared_load",
    "LDSM": "shared_load",
    "STS": "shared_store",
}
# Multiplications of small matrices: m x n x k stands in the name, as in HMMA.16816.F32.BF16.
PRODUCT = re.compile(r"[A-Z]MMA\.(16|8)(8)(4|8|16|32|64|128|256)(?:\.|$)")
UPDATED = {"ATOMG": "global_atomic", "RED": "global_atomic", "ATOMS": "shared_atomic", "ATOM": "global_atomic"}


@dataclass(frozen=True)
class Instruction:
    """One of the machine code's, with the learner's line, and what its control bits say to the scheduler."""

    line: int
    text: str  # as nvdisasm writes it, `@!P0 LDG.E.128 R4, [R2.64]`
    stall: int  # clocks until the next one of this warp may begin
    sets: int  # the barrier that it lifts when its result is there, NONE: it sets none
    reads: int  # and when it has read its operands
    waits: int  # barriers that must be lifted before it begins, as bits
    target: int = -1  # where a branch leads

    @cached_property
    def predicate(self) -> str:
        return self.text.split(" ", 1)[0] if self.text.startswith("@") else ""

    @cached_property
    def operation(self) -> str:
        """`LDG.E.128`"""
        return self.text.removeprefix(self.predicate).split()[0].rstrip(";")

    @cached_property
    def name(self) -> str:
        """`LDG`"""
        return self.operation.partition(".")[0]

    @cached_property
    def words(self) -> int:
        """Of 4 bytes that a lane loads or stores."""
        if self.name == "LDSM":
            return int(self.operation[-1]) if self.operation[-1] in "24" else 1
        return 4 if ".128" in self.operation else 2 if ".64" in self.operation else 1

    @cached_property
    def operations(self) -> int:
        """Of a warp's product of matrices, each multiplication and each addition one; 0: it is none."""
        product = PRODUCT.match(self.operation)
        return 2 * math.prod(map(int, product.groups())) if product else 0

    @cached_property
    def amount(self) -> float:
        """How much of its `work` it does."""
        return self.operations or (self.words if self.name in LOADED else FLOATS.get(self.name, 1))

    @cached_property
    def work(self) -> str:
        """What it does of the work that the emulator counts; "" if nothing."""
        if self.name in FLOATS:
            return "floats"
        if self.operations:
            return "tensor"
        return LOADED.get(self.name) or UPDATED.get(self.name) or ("special" if self.name == "MUFU" else "")


@dataclass
class Part:
    """A basic block, or one run of instructions that only its first one is jumped to."""

    begin: int
    end: int
    runs: float = 0.0


@dataclass
class Loop:
    """From the target of a jump back to the jump; loops within it are not its own."""

    begin: int
    end: int
    parent: Loop | None = None
    runs: float = 0.0  # of its body, over all warps
    depth: int = 0
    own: list[Part] = field(default_factory=list)


def loops_of(code: Sequence[Instruction]) -> list[Loop]:
    """The whole code first, and then its loops, each behind that around it; with their parts."""
    backward: dict[int, int] = {}
    for at, each in enumerate(code[: end_of(code)]):  # what stands behind only leads back from where a warp was divided
        if 0 <= each.target < at and each.name == "BRA":
            backward[each.target] = max(backward.get(each.target, 0), at + 1)
    found = [Loop(0, len(code))]
    for begin, end in sorted(backward.items(), key=lambda loop: (loop[0], -loop[1])):
        around = [loop for loop in found if loop.begin <= begin and end <= loop.end]
        found.append(Loop(begin, end, around[-1], depth=len(around)))
    for part in parts_of(code, found):
        innermost = [loop for loop in found if loop.begin <= part.begin and part.end <= loop.end][-1]
        innermost.own.append(part)
    return found


def end_of(code: Sequence[Instruction]) -> int:
    """Of the kernel's own code: behind the last place that leaves it for good."""
    return max((at + 1 for at, each in enumerate(code) if each.name == "EXIT"), default=len(code))


def parts_of(code: Sequence[Instruction], loops: Sequence[Loop]) -> list[Part]:
    """Basic blocks."""
    starts = {0, *(loop.begin for loop in loops), *(loop.end for loop in loops)}
    for at, each in enumerate(code):
        if each.target >= 0:
            starts.add(each.target)
        if each.name in JUMPS:
            starts.add(at + 1)
    ordered = sorted(start for start in starts if start < len(code))
    return [Part(begin, end) for begin, end in zip(ordered, [*ordered[1:], len(code)], strict=True)]


class Flow:
    """The runs of each part of a kernel's code in a launch; `lines` has the emulator's counts, by source line."""

    def __init__(self, code: Sequence[Instruction], lines: Mapping[int, Counts], warps: float):
        self.code, self.lines, self.warps = code, lines, warps
        self.loops = loops_of(code)
        self._work = {id(loop): self._work_of(loop.own) for loop in self.loops}
        self._end = end_of(code)
        self._rare: list[tuple[int, int]] = []  # code that never runs
        self.loops[0].runs = warps
        for loop in sorted(self.loops[1:], key=lambda loop: loop.depth):
            loop.runs = 0.0 if self._is_rare(loop.begin) or self._is_unusual(loop) else self._runs_of(loop)
            if not loop.runs:
                self._rare.append(self._around(loop))
        told = [part for loop in self.loops for part in loop.own if self._spread(loop, part)]
        for loop in self.loops:
            for part in loop.own:
                if part not in told:
                    part.runs = self._as_around(loop, part, told)

    @property
    def parts(self) -> list[Part]:
        return [part for loop in self.loops for part in loop.own]

    def done(self, work: Work) -> float:
        """How much of it the emulator has seen, in words or operations of warps; 0: it cannot tell."""
        line, what = work
        counts = self.lines.get(line, {})
        if what == "floats":
            own = counts.get("sums", 0.0) + counts.get("products", 0.0) + 2 * counts.get("fused", 0.0)
            return own + counts.get("in_functions", 0.0)
        return counts.get({"special": "special", "tensor": "tensor_operations"}.get(what, f"{what}_words"), 0.0)

    def _work_of(self, parts: Sequence[Part]) -> dict[Work, float]:
        found: dict[Work, float] = defaultdict(float)
        for part in parts:
            for each in self.code[part.begin : part.end]:
                if each.work:
                    found[each.line, each.work] += each.amount
        return found

    def _runs_of(self, loop: Loop) -> float:
        """Of a loop whose parent's are known."""
        assert loop.parent
        mine, inner = self._work[id(loop)], self._within(loop)
        within = {work for other in inner for work in self._work[id(other)]}  # of which it may only do what is left
        told = {work: amount for work, amount in mine.items() if self.done(work) and work not in within}
        alone = {work: amount for work, amount in told.items() if len(self._with(work)) == 1}
        if told:
            return _middle([(self._share(loop, work), amount) for work, amount in (alone or told).items()])
        if any(map(self._has_not_run, mine)):
            return 0.0
        lines = self._lines_of(loop.own) - self._lines_of([part for other in inner for part in other.own])
        return max([loop.parent.runs, *(self._of_line(loop, line) for line in lines if line in self.lines)])

    def _of_line(self, loop: Loop, line: int) -> float:
        """What the line's own runs say of a loop that it stands in, and perhaps in others, perhaps several times."""
        others = [each for each in self.loops[1:] if line in self._lines_of(each.own)]
        whole = sum(each.parent.runs for each in others if each.parent)
        share = loop.parent.runs / whole if loop.parent and whole else 1.0
        code = [each for part in loop.own for each in self.code[part.begin : part.end]]
        again = self.code[loop.end - 1].line  # of an unrolled loop each copy of the body asks whether to go on
        copies = sum(each.name == "BRA" and bool(each.predicate) and each.line == again for each in code)
        runs = self.lines[line].get("runs", 0.0)
        # Or it asks once for all: then there is many times the code that a CPU has for one round.
        of_a_round = self.lines[line].get("instructions", 0.0) / runs if runs else 0.0
        made = sum(each.line == line for each in code)
        unrolled = made / of_a_round if of_a_round and made > MUCH * of_a_round else 1.0
        return runs * share / max(copies, unrolled)

    def _within(self, loop: Loop) -> list[Loop]:
        return [each for each in self.loops if loop.begin <= each.begin and each.end <= loop.end and each is not loop]

    def _lines_of(self, parts: Sequence[Part]) -> set[int]:
        return {each.line for part in parts for each in self.code[part.begin : part.end]}

    def _with(self, work: Work) -> list[Loop]:
        """Loops that do some of it; straight code that does, too, only does what is left."""
        return [loop for loop in self.loops[1:] if work in self._work[id(loop)]]

    def _share(self, loop: Loop, work: Work) -> float:
        """Of several loops with the same work the one that does most in a round runs first; the others, what is left.

        None of them runs if the straight code around it can have done all of the work.
        """
        assert loop.parent
        around = (
            other for other in self.loops if other.begin <= loop.begin and loop.end <= other.end and other is not loop
        )
        if sum(self._work[id(other)].get(work, 0.0) * other.runs for other in around) >= self.done(work):
            return 0.0
        amounts = sorted((self._work[id(each)][work] for each in self._with(work)), reverse=True)
        entries = max(loop.parent.runs, 1e-9)
        left = self.done(work) / entries  # for each time that the loops are come to
        for amount in dict.fromkeys(amounts):
            rounds = left / amount if amount == amounts[-1] else float(int(left / amount + 1e-6))
            if amount == self._work[id(loop)][work]:
                return rounds * entries / amounts.count(amount)  # copies of one loop, as of a function in two places
            left -= rounds * amount
        return 0.0

    def _spread(self, loop: Loop, part: Part) -> bool:
        """A part runs as often as its loop, but seldomer where its work says so. False if it has none that tells."""
        shares = []
        for work in self._work_of([part]):
            if done := self.done(work):
                inner = sum(self._work[id(each)][work] * each.runs for each in self._with(work) if each is not loop)
                shares.append(max(done - inner, 0.0) / self._work[id(loop)][work])
            elif self._has_not_run(work):
                shares.append(0.0)
        never = (not shares and self._calls(part)) or part.begin >= self._end or self._is_rare(part.begin)
        part.runs = 0.0 if never else min(loop.runs, max(shares, default=0.0))
        return never or bool(shares)

    def _as_around(self, loop: Loop, part: Part, told: Sequence[Part]) -> float:
        """Of a part without work: as often as what the same jump leads past."""
        for begin, end in self._jumps:
            if begin <= part.begin and part.end <= end:
                beside = [each.runs for each in told if begin <= each.begin and each.end <= end]
                if beside:
                    return min(loop.runs, max(beside))
        return loop.runs

    @cached_property
    def _jumps(self) -> list[tuple[int, int]]:
        """What conditional jumps lead past, the shortest first."""
        jumps = ((at + 1, each.target) for at, each in enumerate(self.code) if each.predicate)
        return sorted((jump for jump in jumps if jump[0] < jump[1] < self._end), key=lambda jump: jump[1] - jump[0])

    def _has_not_run(self, work: Work) -> bool:
        return work[1] in LOADED.values() and work[0] not in self.lines

    def _calls(self, part: Part) -> bool:
        """What is left to call are functions for unusual arguments; all else is inlined."""
        return any(each.name in ("CALL", "RET") for each in self.code[part.begin : part.end])

    def _is_unusual(self, loop: Loop) -> bool:
        """A loop in a function of CUDA's without the arithmetic that the function mostly does."""
        lines = {each.line for each in self.code[loop.begin : loop.end]}
        in_functions = all(self.lines.get(line, {}).get("in_functions") for line in lines)
        work = self._work_of([Part(loop.begin, loop.end)])
        return in_functions and not any(what in ("floats", "special") for _, what in work)

    def _around(self, loop: Loop) -> tuple[int, int]:
        """From the nearest jump over the loop to where it leads, if little else lies in between."""
        over = (jump for jump in self._jumps if jump[0] <= loop.begin and loop.end <= jump[1])
        begin, end = next(over, (loop.begin, loop.end))
        return (begin, end) if end - begin <= 4 * (loop.end - loop.begin) else (loop.begin, loop.end)

    def _is_rare(self, place: int) -> bool:
        return any(begin <= place < end for begin, end in self._rare)


def _middle(weighted: Sequence[tuple[float, float]]) -> float:
    """The weighted median."""
    half, seen = sum(weight for _, weight in weighted) / 2, 0.0
    for value, weight in sorted(weighted):
        seen += weight
        if seen >= half:
            return value
    return 0.0
