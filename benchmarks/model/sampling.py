"""What modelling costs.

    python -m benchmarks.model.sampling [--only TEXT]     prints it
    python -m benchmarks.model.sampling --page            and writes the sum of it into docs/model.md

Every rung is sampled at its timed case, by a build that is kept. Prints, for each, the processor seconds and the peak
memory of the worker that samples it, and how many of its blocks ran; last, which took most. It needs no GPU.
"""

from __future__ import annotations

import argparse
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.model.points import CARD, ROOT, SEED
from docs import blocks
from grader.course import catalog
from grader.course.catalog import Entry
from grader.course.inline import inlined
from grader.course.lesson import Task
from grader.devices.submission import Submission
from grader.devices.worker.server import ForkServer
from grader.model.times import sampled

PAGE = ROOT / "docs" / "model.md"
MOST_SECONDS, MOST_BYTES = 3.0, 2 << 30  # that a lesson's timed case may take


@dataclass(frozen=True)
class Cost:
    """Of sampling a rung."""

    name: str
    seconds: float  # of processor time
    bytes: int  # at the most
    ran: str  # blocks, launch by launch: "1 of 512"


class Watched:
    """The processes below this one's only child, which starts them and waits for them."""

    def __init__(self) -> None:
        self.peak = 0
        threading.Thread(target=self._watch, daemon=True).start()

    def seconds(self) -> float:
        """Processor time of those that have ended."""
        (server,) = _children("self")
        fields = Path(f"/proc/{server}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[13:15])) / _TICKS

    def _watch(self) -> None:
        while True:
            for server in _children("self"):
                for worker in _children(server):
                    self.peak = max(self.peak, _peak(worker))
            time.sleep(0.02)


_TICKS = 100  # of a second, as Linux tells times of processes


def _children(process: str) -> list[str]:
    try:
        lists = [file.read_text().split() for file in Path(f"/proc/{process}/task").glob("*/children")]
    except OSError:  # it has ended
        return []
    return [each for some in lists for each in some]


def _peak(process: str) -> int:
    """Bytes that a process has had in memory at the most, but for what it shares with files."""
    try:
        rows = dict(row.split(":", 1) for row in Path(f"/proc/{process}/status").read_text().splitlines())
        return int(rows["VmHWM"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        return 0


def costs(only: str) -> Iterator[Cost]:
    """Of all rungs with this in LESSON/TASK/RUNG."""
    with ForkServer() as server:
        watched = Watched()
        for entry in catalog.entries(ROOT):
            for task in entry.lesson.tasks:
                for file in entry.rungs_of(task.name) if task.timed_case else ():
                    if only in f"{entry.name}/{task.name}/{file.stem}":
                        yield cost(entry, task, file, server, watched)


def cost(entry: Entry, task: Task, file: Path, server: ForkServer, watched: Watched) -> Cost:
    """Of one: the second time, when it is built."""
    assert task.timed_case
    submission = Submission(inlined(file), file, entry.lesson.tasks, server, SEED, lambda what: None)
    sampled(task, task.timed_case, CARD, submission)
    watched.peak, before = 0, watched.seconds()
    sample = sampled(task, task.timed_case, CARD, submission) or {"launches": []}
    ran = (f"{len(each['ran'])} of {each['blocks']:,}" for each in sample["launches"])
    return Cost(f"{task.name}/{file.stem}", watched.seconds() - before, watched.peak, ", ".join(ran))


def summary(found: Sequence[Cost]) -> str:
    """All of them in a paragraph."""
    longest, largest = max(found, key=lambda each: each.seconds), max(found, key=lambda each: each.bytes)
    slow = [each.name for each in found if each.seconds > MOST_SECONDS or each.bytes > MOST_BYTES]
    average = sum(each.seconds for each in found) / len(found)
    return (
        f"{len(found)} rungs at their timed cases: {average:.2f} s of processor time on average, at most "
        f"{longest.seconds:.2f} s ({longest.name}), and {largest.bytes / 1e6:.0f} MB "
        f"({largest.name}). More than {MOST_SECONDS:.0f} s or {MOST_BYTES >> 30} GB: {', '.join(slow) or 'none'}.\n"
    )


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--only", default="", help="rungs with this in LESSON/TASK/RUNG")
    asked.add_argument("--page", action="store_true")
    given, found = asked.parse_args(), []
    if given.only and given.page:
        raise SystemExit("the page is of all rungs: leave --only out")
    for each in costs(given.only):
        found.append(each)
        print(f"{each.name:45}{each.seconds:6.2f} s {each.bytes / 1e6:7.0f} MB   {each.ran}", flush=True)
    if not found:
        raise SystemExit(f"no rung has {given.only} in LESSON/TASK/RUNG")
    print(summary(found))
    if given.page:
        PAGE.write_text(blocks.renewed(PAGE.read_text(), {"sampling": summary(found)}))


if __name__ == "__main__":
    main()
