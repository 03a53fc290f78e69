"""What nvcc has made of a kernel, as far as the model needs it: instructions that run, what they keep busy, spills."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grader.model.flow import Counts, Flow, Instruction

Json = Mapping[str, Any]

# Done by 64 lanes a clock on a multiprocessor, and not by 128 as a multiplication is (CUDA programming guide,
# "Arithmetic Instructions", 9.0): integers, comparisons and choices.
INTEGER = frozenset(
    [
        "IADD3",
        "IADD",
        "VIADD",
        "LOP3",
        "PLOP3",
        "ISETP",
        "FSETP",
        "FMNMX",
        "FMNMX3",
        "IMNMX",
        "VIMNMX",
        "SEL",
        "FSEL",
        "LEA",
        "SHF",
        "PRMT",
        "IABS",
        "FSET",
        "BMSK",
        "SGXT",
        "IMAD",
        "FLO",
        "VOTE",
        "R2P",
        "P2R",
    ]
)
# And by 16: conversions besides special functions.
SPECIAL = frozenset(["MUFU", "I2F", "F2I", "F2F", "I2FP", "F2FP", "POPC", "FRND", "BREV"])


@dataclass(frozen=True)
class MachineCode:
    """Of a launch; instructions are those of warps, over all of its blocks."""

    registers: int
    stack: int  # bytes a thread of local memory
    counts: Counts  # those that `_count` names
    lines: Mapping[int, Counts]
    flow: Flow


def machine_code(data: Json, lines: Mapping[int, Counts], warps: float) -> MachineCode:
    """From what a worker read of a kernel (devices/cuda/machine_code.py). Raises KeyError, TypeError, ValueError."""
    code = [Instruction(*each) for each in data["instructions"]]
    flow = Flow(code, lines, warps)
    by_line: defaultdict[int, defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
    for part in flow.parts:
        for each in code[part.begin : part.end]:
            _count(by_line[each.line], each, part.runs)
    return MachineCode(
        registers=int(data["registers"]),
        stack=int(data["stack"]),
        counts=_sum(list(by_line.values())),
        lines={line: dict(counts) for line, counts in by_line.items()},
        flow=flow,
    )


def _count(counts: defaultdict[str, float], each: Instruction, runs: float) -> None:
    counts["compiled"] += runs
    counts["compiled_integer"] += runs * (each.name in INTEGER)
    counts["compiled_special"] += runs * (each.name in SPECIAL)
    counts["compiled_shared_loads"] += runs * (each.name == "LDS")
    if each.name in ("LDL", "STL"):
        counts["local_words"] += runs * each.words


def _sum(some: Sequence[Counts]) -> Counts:
    whole: defaultdict[str, float] = defaultdict(float)
    for counts in some:
        for name, number in counts.items():
            whole[name] += number
    return dict(whole)
