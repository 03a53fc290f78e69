"""The access that wastes most, in five lines of a terminal: sectors of global memory, or banks of shared memory.

line 24, a load of x: 32 lanes, 32 sectors move where 4 would do
  lane    0        1        2        3        4        5
  sector  ■······· ■······· ■······· ■······· ■······· ■······· … 26 more
  byte    0        512      1,024    1,536    2,048    2,560
  ■ is asked for, · moves for nothing; `ladder view 03` shows more
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.text import Text

from grader.devices.emulator.kinds import SPACES
from grader.devices.emulator.recording import BANKS, LANES, SECTOR, WORD, Array, Step, short_name
from grader.judge.verdict import Grade, TaskGrade
from grader.report.terminal import BAD, DIM

WAYS = {
    "global_load_efficiency": "global_load",
    "global_store_efficiency": "global_store",
    "sectors_per_load": "global_load",
    "sectors_per_store": "global_store",
    "loads_per_byte": "global_load",
    "shared_bank_conflicts": "shared_load shared_store",
    "shared_load_efficiency": "shared_load",
    "shared_store_efficiency": "shared_store",
}  # of a metric, the requests that show why it is missed
SHOWN_SECTORS, SHOWN_WAVEFRONTS = 6, 3
ASKED, IDLE = "■", "·"


def worst_access(grade: Grade, asked: str, has_tasks: bool) -> list[Text]:
    """The picture of the first missed counted goal of the next rung that has one; none for most grades.

    `asked` is what people type after `ladder check`, `has_tasks` whether they have to say which task they mean.
    """
    for task in grade.tasks:
        if task.status in ("passed", "below_target") and (request := _request(task)):
            of_task = f" --task {task.name}" if has_tasks and "--task" not in asked else ""
            return _picture(request, f"`ladder view {asked}{of_task}` shows more")
    return []


def _request(task: TaskGrade) -> Mapping[str, Any] | None:
    """Of the goals that are missed for the next rung, the first that an access explains: that access."""
    missed = [target for target in task.targets if not target.met and target.rung <= task.position.rung + 1]
    ways = [way for target in missed for way in WAYS.get(target.metric, "").split()]
    return next((each for way in ways for each in task.requests if each["way"] == way), None)


def _picture(request: Mapping[str, Any], shown_by: str) -> list[Text]:
    space, _, way = request["way"].partition("_")
    data, mask = request["array"], request["mask"]
    array = Array(short_name(data["name"], SPACES[data["space"]]), space, data["bytes"], data["start"])
    lanes = tuple(lane for lane in range(LANES) if mask >> lane & 1)
    step = Step(0, request["line"], way, lanes, array, request["bytes"], tuple(request["places"]))
    rows = _banks(step) if space == "shared" else _sectors(step)
    lines = [Text(rows[0], BAD), *(Text(f"  {row}") for row in rows[1:-1]), Text(f"  {rows[-1]}; {shown_by}", DIM)]
    for line in lines[:-1]:
        line.no_wrap = True
    return lines


def _head(step: Step, cost: int, best: int, unit: str) -> str:
    lanes = f"{len(step.lanes)} lane{'' if len(step.lanes) == 1 else 's'}"
    to = "of" if step.kind == "load" else "to"
    return f"line {step.line}, a {step.kind} {to} {step.touched.name}: {lanes}, {cost} {unit} where {best} would do"


def _sectors(step: Step) -> list[str]:
    at = sorted(zip(step.addresses, step.lanes, strict=True))
    asked = {word for first, _ in at for word in range(first // WORD, (first + step.bytes - 1) // WORD + 1)}
    best = -(-len({byte for first, _ in at for byte in range(first, first + step.bytes)}) // SECTOR)
    shown, width = step.sectors[:SHOWN_SECTORS], SECTOR // WORD
    words = ["".join(ASKED if width * s + word in asked else IDLE for word in range(width)) for s in shown]
    lanes = [
        next((str(lane) for first, lane in at if first < SECTOR * (s + 1) and first + step.bytes > SECTOR * s), "")
        for s in shown
    ]
    bytes_ = [f"{SECTOR * s - step.touched.start:,}" for s in shown]
    more = f" … {len(step.sectors) - len(shown)} more" if len(step.sectors) > len(shown) else ""
    return [
        _head(step, len(step.sectors), best, "sectors move"),
        _row("lane", lanes),
        _row("sector", words) + more,
        _row("byte", bytes_),
        f"{ASKED} is asked for, {IDLE} moves for nothing",
    ]


def _row(title: str, cells: list[str]) -> str:
    return f"{title:<8}" + " ".join(f"{cell:<8}" for cell in cells).rstrip()


def _banks(step: Step) -> list[str]:
    wavefronts = []
    for phase in step.rounds:
        by_bank = step.words_by_bank(phase)
        depth = max(map(len, by_bank.values()))
        taken = [len(by_bank.get(bank, ())) for bank in range(BANKS)]
        wavefronts += ["".join(ASKED if words > d else IDLE for words in taken) for d in range(depth)]
    best = len(step.rounds)
    shown = wavefronts[:SHOWN_WAVEFRONTS]
    rows = [f"{f'wavefront {number}':<13}{row}" for number, row in enumerate(shown, start=1)]
    rows[-1] += f" … {len(wavefronts) - len(shown)} more" if len(wavefronts) > len(shown) else ""
    head = _head(step, len(wavefronts), best, "wavefronts")
    return [
        head,
        f"{'bank':<13}0       8       16      24",
        *rows,
        f"{ASKED} is at work; what comes after wavefront {best} had to wait",
    ]
