"""Who grades a class: processes of this machine, or an array job of Slurm's.

Each process grades one kernel after the other: a line of JSON comes in, a line of JSON goes out. This process alone
writes the ledger, so whatever ends, at whatever moment, what was noted stays and the rest is still to do.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from grader.classroom.ledger import NOT_GRADED, Ledger, Result, Submitted

GRADING = [sys.executable, "-P", "-m", "grader.classroom.grading"]
_OVER = "grading took longer than {:g} s, which --timeout allows"
_GONE = "the process that graded it was ended from outside, perhaps for want of memory: grade it again"


class Grading:
    """One process that grades, started when there is something to do."""

    def __init__(self, command: Sequence[str], options: dict[str, Any]):
        self._command, self._options = command, options
        self._process: subprocess.Popen[bytes] | None = None
        self._answer = b""
        self.submitted: Submitted | None = None  # what it is at work on
        self.begun = 0.0

    def begin(self, submitted: Submitted, seed: int) -> None:
        """Hands it a kernel."""
        if self._process is None or self._process.poll() is not None:
            self.end()
            pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
            self._process = subprocess.Popen(self._command, start_new_session=True, bufsize=0, **pipes)  # type: ignore[call-overload]
        self.submitted, self.begun, self._answer = submitted, time.monotonic(), b""
        order = {"lesson": submitted.lesson, "source": submitted.text, "seed": seed, **self._options}
        assert self._process and self._process.stdin
        with contextlib.suppress(OSError):  # it has ended: `take` tells
            self._process.stdin.write(json.dumps(order).encode() + b"\n")

    @property
    def output(self) -> int:
        assert self._process and self._process.stdout
        return self._process.stdout.fileno()

    def take(self) -> Result | None:
        """What has come of it; None if that is not known yet. To be called when there is output."""
        part = os.read(self.output, 1 << 16)
        self._answer += part
        if not part:
            self.end()
            return Result(NOT_GRADED, message=_GONE, seconds=time.monotonic() - self.begun)
        if not self._answer.endswith(b"\n"):
            return None
        try:
            return Result(**json.loads(self._answer))
        except (ValueError, TypeError):
            self.end()
            return Result(NOT_GRADED, message=_GONE, seconds=time.monotonic() - self.begun)

    def end(self) -> None:
        """Ends the process at once, and so whatever it has started."""
        if self._process:
            self._process.kill()
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                if pipe:
                    pipe.close()
        self._process = None


def grade_here(
    ledger: Ledger,
    jobs: int,
    timeout: float | None,
    options: dict[str, Any],
    tell: Callable[[Submitted, Result], None],
    command: Sequence[str] = GRADING,
) -> None:
    """Grades what has no grade yet, by so many processes at a time, and notes each as it is done.

    `options` are those of grading.py. What takes longer than the timeout, in seconds, has the status `timeout`.
    """
    waiting = ledger.to_grade()[::-1]
    crew = [Grading(command, options) for _ in range(min(jobs, len(waiting)))]
    try:
        with selectors.DefaultSelector() as selector:

            def next_for(each: Grading) -> None:
                each.submitted = None
                if waiting:
                    each.begin(waiting.pop(), ledger.seed)
                    selector.register(each.output, selectors.EVENT_READ, each)

            for each in crew:
                next_for(each)
            while busy := [each for each in crew if each.submitted]:
                for each, result in _finished(busy, selector, timeout):
                    submitted = each.submitted
                    assert submitted
                    ledger.note(submitted, result)
                    tell(submitted, result)
                    next_for(each)
    finally:
        for each in crew:
            each.end()


def _finished(
    busy: Sequence[Grading], selector: selectors.BaseSelector, timeout: float | None
) -> Iterator[tuple[Grading, Result]]:
    """Those that are done, or whose time is up, once there are some."""
    until = min(each.begun for each in busy) + timeout if timeout else None
    ready = {key.data for key, _ in selector.select(None if until is None else max(until - time.monotonic(), 0))}
    for each in busy:
        output = each.output
        result = each.take() if each in ready else None
        took = time.monotonic() - each.begun
        if result is None and timeout and took > timeout:
            each.end()
            result = Result("timeout", message=_OVER.format(timeout), seconds=took)
        if result:
            selector.unregister(output)
            yield each, result


# ---- on a cluster ----


def slurm_script(ledger: Path, parts: int, command: Sequence[str]) -> str:
    """An array job: each of its tasks grades one part of the class, and writes it beside the ledger."""
    grade = shlex.join([*command, "--ledger", str(ledger.absolute())])
    return f"""\
#!/bin/bash
#SBATCH --job-name=ladder-class
#SBATCH --array=1-{parts}
#SBATCH --cpus-per-task=2
#SBATCH --mem=8G
#SBATCH --requeue
# A task that is ended and queued again goes on where it was. When all are done: {grade} --merge
cd {shlex.quote(os.getcwd())}
{grade} --part "$SLURM_ARRAY_TASK_ID/{parts}"
"""


class Part:
    """One part of a class, as `grade_here` sees a ledger: it reads that, and writes a file of its own beside it."""

    def __init__(self, ledger: Ledger, file: Path, number: int, parts: int):
        self.seed = ledger.seed
        self._file = part_file(file, number)
        self._file.parent.mkdir(exist_ok=True)
        done = {key for key, _ in read_part(self._file)}
        mine = [each for each in ledger.to_grade() if int(each.source[:8], 16) % parts == number - 1]
        self._todo = [each for each in mine if key_of(each) not in done]

    def to_grade(self) -> list[Submitted]:
        return self._todo

    def note(self, found: Submitted, result: Result) -> None:
        with self._file.open("a") as file:
            file.write(json.dumps({"key": key_of(found), "result": asdict(result)}) + "\n")


def merge(ledger: Ledger, file: Path) -> int:
    """Notes what the parts have found; returns how many grades that are."""
    found = {
        key: result for part in sorted(part_file(file, 0).parent.glob("*.jsonl")) for key, result in read_part(part)
    }
    todo = [each for each in ledger.to_grade() if key_of(each) in found]
    for each in todo:
        ledger.note(each, found[key_of(each)])
    return len(todo)


def part_file(ledger: Path, number: int) -> Path:
    return ledger.with_name(f"{ledger.name}.parts") / f"{number}.jsonl"


def key_of(found: Submitted) -> str:
    return json.dumps([found.learner, found.lesson, found.source])


def read_part(file: Path) -> Iterator[tuple[str, Result]]:
    """What stands in it; a line that was not finished does not count."""
    for line in file.read_text().splitlines() if file.exists() else ():
        try:
            row = json.loads(line)
            yield row["key"], Result(**row["result"])
        except (ValueError, TypeError, LookupError):
            continue
