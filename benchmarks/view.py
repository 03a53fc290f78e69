"""How long `ladder view` takes for each rung: `python -m benchmarks.view [LESSON[:TASK] ...]`, all of them by default.

Each rung's text is new to the caches, as after an edit, and one that is not measured came before: torch is loaded, and
the emulator built. Seconds until the page is there, and the processor time of this process and all that it started.

With `--recording`: what recording costs beside counting, by the seconds in which a rung's counted case runs,
the least of three each, in turns.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from grader.course import catalog
from grader.course.catalog import Entry
from grader.course.inline import inlined
from grader.course.lesson import Task
from grader.faces.record import run_recorded
from grader.faces.view import first_look, view

GOAL = 3.0  # seconds
ROUNDS = 3
TICKS = os.sysconf("SC_CLK_TCK")


def main() -> None:
    names = [each for each in sys.argv[1:] if each != "--recording"]
    wanted = names or [entry.label for entry in catalog.entries() if entry.number]
    rungs = [each for name in wanted for each in rungs_of(*name.partition(":")[::2])]
    if len(names) < len(sys.argv) - 1:
        return recording_beside_counting(rungs)
    measure(*rungs[0])
    print(f"{'lesson, task, rung':52}{'seconds':>9}{'of processors':>15}")
    took = []
    for entry, task, rung in rungs:
        seconds, processors = measure(entry, task, rung)
        took.append(seconds)
        print(f"{f'{entry.label} {task} {rung.stem}':52}{seconds:9.2f}{processors:15.2f}", flush=True)
    late = sum(each > GOAL for each in took)
    print(
        f"{len(took)} rungs, {sum(took) / len(took):.2f} s on average, at most {max(took):.2f}; {late} over {GOAL:g} s"
    )


def rungs_of(lesson: str, task: str) -> Iterator[tuple[Entry, str, Path]]:
    """The rungs of a task, or of all tasks of a lesson."""
    entry = catalog.find(lesson)
    for name in [task] if task else [each.name for each in entry.lesson.tasks]:
        yield from ((entry, name, rung) for rung in entry.rungs_of(name))


def measure(entry: Entry, task: str, rung: Path) -> tuple[float, float]:
    """Seconds until its page is made, and those of processors."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / rung.name
        file.write_text(f"{inlined(rung)}\n// {time.time_ns()}\n")
        used, start = processor_seconds(), time.perf_counter()
        view(entry, file, task=task)
        return time.perf_counter() - start, processor_seconds() - used


def recording_beside_counting(rungs: Sequence[tuple[Entry, str, Path]]) -> None:
    print(f"{'lesson, task, rung':52}{'counted, ms':>12}{'recorded, ms':>14}{'more':>7}")
    all_counted = all_recorded = 0.0
    for entry, name, rung in rungs:
        task = next(each for each in entry.lesson.tasks if each.name == name)
        took = [(seconds(entry, task, rung, False), seconds(entry, task, rung, True)) for _ in range(ROUNDS)]
        counted, recorded = map(min, zip(*took, strict=True))
        all_counted, all_recorded = all_counted + counted, all_recorded + recorded
        more = f"{recorded / counted - 1:7.0%}"
        print(f"{f'{entry.label} {name} {rung.stem}':52}{1e3 * counted:12.1f}{1e3 * recorded:14.1f}{more}", flush=True)
    print(f"all together: recording takes {all_recorded / all_counted - 1:.0%} more than counting")


def seconds(entry: Entry, task: Task, rung: Path, recorded: bool) -> float:
    """What the emulator takes for the counted case, with the blocks of `ladder view` written down or none."""
    case = task.judged_cases[-1]
    blocks = first_look(case.name if recorded else "no such case")
    return run_recorded(entry, task, rung, inlined(rung), [case], blocks).cases[-1].seconds


def processor_seconds() -> float:
    """Of this process, those that it has started, and theirs; those that have ended are in what their parents have."""
    children, used = defaultdict(list), {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        number = int(stat.parent.name)
        children[int(fields[1])].append(number)
        used[number] = sum(map(int, fields[11:15]))
    todo, sum_ = [os.getpid()], 0
    while todo:
        each = todo.pop()
        sum_ += used.get(each, 0)
        todo += children[each]
    return sum_ / TICKS


if __name__ == "__main__":
    main()
