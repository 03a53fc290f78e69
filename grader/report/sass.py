"""`ladder explain --sass`: each line of the source, and what nvcc has made of it, with how often a warp runs that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from grader.model.flow import Part
from grader.model.sampled import Launch
from grader.report.words import percent


def sass_words(launch: Launch, source: Sequence[str]) -> Iterator[str]:
    """Lines for a launch whose machine code is known; like instructions of a line are put together."""
    flow = launch.flow
    if flow is None:
        return
    stack = f", {launch.stack:,} bytes of local memory" if launch.stack else ""
    whole = sum(_of_part(part) for part in flow.parts)
    made = f"{whole / flow.warps:,.0f} instructions a warp"
    yield f"{launch.kernel}: {launch.registers} registers a thread{stack}, {made}"
    room = len(str(len(source)))
    lines = _by_line(launch)
    for line in sorted(line for line in lines if 1 <= line <= len(source)):
        share = sum(runs * count for (_, runs), count in lines[line].items()) / whole if whole else 0.0
        yield f"  {line:>{room}} │ {source[line - 1].expandtabs(4).rstrip()}  ({percent(share)})"
        for (operation, runs), count in lines[line].items():
            several = f"{count} " if count > 1 else ""
            yield f"  {'':>{room}} │ {_number(runs / flow.warps):>10}×  {several}{operation}"


def _of_part(part: Part) -> float:
    return part.runs * (part.end - part.begin)


def _by_line(launch: Launch) -> dict[int, Counter[tuple[str, float]]]:
    """Of each line its operations with their runs, and how many there are, in the order of the machine code."""
    assert launch.flow
    found: dict[int, Counter[tuple[str, float]]] = {}
    for part in sorted(launch.flow.parts, key=lambda part: part.begin):
        for each in launch.flow.code[part.begin : part.end]:
            if each.name != "NOP":
                found.setdefault(each.line, Counter())[each.operation, part.runs] += 1
    return found


def _number(runs: float) -> str:
    """`0.25`, `1`, `4,096`"""
    return f"{runs:,.0f}" if runs >= 10 or runs == int(runs) else f"{runs:.2g}"
