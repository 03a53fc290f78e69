"""How long a learner waits in `ladder watch`, from a save to its verdict: median of 20 saves (`make bench-watch`).

The real command, in a process of its own with its output piped. Each save is a text that was never built before, put
in place as editors do it, under the file's name in one step.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from grader.course import catalog
from grader.course.catalog import Entry
from grader.course.inline import inlined

WATCH = [sys.executable, "-c", "from grader.faces.cli import main; main()", "watch"]
PAUSE_SECONDS = 2.0  # in which a right save is modelled, which the next one would call off
GOALS = {"01": 0.5, "04": 1.8}  # seconds, on the emulator


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--saves", type=int, default=20)
    parser.add_argument("--rung", type=int, help="save this rung instead of the highest, where a lesson has it")
    parser.add_argument("--device", default="emulator", choices=["emulator", "cuda"])
    options = parser.parse_args()
    for number, goal in GOALS.items():
        entry = catalog.find(number)
        if options.rung and not 1 <= options.rung <= len(entry.rungs):
            continue
        rung = entry.rungs[options.rung - 1] if options.rung else entry.reference
        rounds = measure(entry, inlined(rung), options.saves, options.device)
        waits, builds, runs = zip(*rounds, strict=True)
        parts = f"building {statistics.median(builds):.1f} s, running {statistics.median(runs):.1f} s"
        aim = f"; goal {goal:g} s" if options.device == "emulator" else ""
        print(
            f"lesson {number}, {rung.stem}: save to verdict {statistics.median(waits):.2f} s "
            f"({min(waits):.2f} to {max(waits):.2f}, {parts}){aim}"
        )


def measure(entry: Entry, kernel: str, saves: int, device: str) -> list[tuple[float, float, float]]:
    """For each save: seconds until the verdict, and those of them that building and running took."""
    with tempfile.TemporaryDirectory() as folder:
        course = Path(folder)
        for name in ("lessons", "kernels", "cards", "benchmarks"):  # with the last two, stars are held against a model
            (course / name).symlink_to(entry.root / name)
        (course / "work").mkdir()
        file = course / "work" / entry.work_file.name
        save(file, kernel)
        with watching(entry, course, device) as output:
            verdict(output)  # the first one waits for torch
            found = []
            for number in range(saves):
                start = time.perf_counter()
                save(file, f"{kernel}\n// save {number}, {time.time_ns()}\n")
                build, run = verdict(output)
                found.append((time.perf_counter() - start, build, run))
                time.sleep(PAUSE_SECONDS)
    return found


def save(file: Path, text: str) -> None:
    unfinished = file.with_suffix(".unfinished")
    unfinished.write_text(text)
    unfinished.replace(file)


@contextmanager
def watching(entry: Entry, course: Path, device: str) -> Iterator[IO[str]]:
    environment = {**os.environ, "LADDER_COURSE": str(course)}
    command = [*WATCH, entry.name, "--device", device]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment, cwd=course)
    try:
        yield process.stdout
    finally:
        process.terminate()
        process.wait()


def verdict(output: IO[str]) -> tuple[float, float]:
    """Reads one verdict to its end; seconds of building and of running."""
    passed = False
    for line in output:
        passed = passed or line.startswith("✓")
        if times := re.search(r"built in ([\d.]+) s, ran in ([\d.]+) s", line):
            assert passed, "the kernel does not pass"
            return float(times[1]), float(times[2])
    raise AssertionError("`ladder watch` has ended")


if __name__ == "__main__":
    main()
