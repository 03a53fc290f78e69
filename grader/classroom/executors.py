"""Processes of this machine that grade a class (slurm.py and ray_cluster.py use others').

Each process grades one kernel after the other: a line of JSON comes in, a line of JSON goes out. This process alone
writes the ledger, so whatever ends, at whatever moment, what was noted stays and the rest is still to do.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import cycle
from typing import Any

from grader.classroom.ledger import NOT_GRADED, Notes, Result, Submitted

GRADING = [sys.executable, "-P", "-m", "grader.classroom.grading"]
JOBS_A_CARD = 3  # one at a time is on it, for a few seconds (judge/timing/turn.py); the others build meanwhile
_OVER = "grading took longer than {:g} s, which --timeout allows"
_GONE = "the process that graded it was ended from outside, perhaps for want of memory: grade it again"


class Grading:
    """One process that grades, started when there is something to do, on these cores (on all, if none are named)."""

    def __init__(self, command: Sequence[str], options: dict[str, Any], cores: Collection[int] = (), card: str = ""):
        """`card` is what CUDA_VISIBLE_DEVICES is to say; as it says now, if empty."""
        self._command, self._options, self._cores = command, options, cores
        self._environment = {**os.environ, "CUDA_VISIBLE_DEVICES": card} if card else None
        self._process: subprocess.Popen[bytes] | None = None
        self._answer = b""
        self.submitted: Submitted | None = None  # what it is at work on
        self.begun = 0.0

    def begin(self, submitted: Submitted, seed: int, hidden: str) -> None:
        """Hands it a kernel, to be graded with this seed and these hidden cases."""
        if self._process is None or self._process.poll() is not None:
            self.end()
            pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
            self._process = subprocess.Popen(  # type: ignore[call-overload]
                self._command, start_new_session=True, bufsize=0, env=self._environment, **pipes
            )
            if self._cores:
                with contextlib.suppress(OSError):  # a container may not allow that
                    os.sched_setaffinity(self._process.pid, self._cores)
        self.submitted, self.begun, self._answer = submitted, time.monotonic(), b""
        order = {"lesson": submitted.lesson, "source": submitted.text, "seed": seed, "hidden": hidden, **self._options}
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

    def finish(self, timeout: float | None) -> Result:
        """Waits for what comes of it, or until its seconds are over."""
        with selectors.DefaultSelector() as selector:
            selector.register(self.output, selectors.EVENT_READ)
            while True:
                left = None if timeout is None else max(self.begun + timeout - time.monotonic(), 0)
                if not selector.select(left):
                    return self.too_late(timeout or 0)
                if result := self.take():
                    return result

    def too_late(self, timeout: float) -> Result:
        """Ends the process, whose time is over."""
        self.end()
        return Result("timeout", message=_OVER.format(timeout), seconds=time.monotonic() - self.begun)

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
    ledger: Notes,
    jobs: int,
    timeout: float | None,
    options: dict[str, Any],
    tell: Callable[[Submitted, Result], None],
    command: Sequence[str] = GRADING,
) -> None:
    """Grades what has no grade yet, by so many processes at a time, and notes each as it is done.

    `options` are those of grading.py. On GPUs there are at most JOBS_A_CARD processes for each. What takes longer than
    the timeout, in seconds, has the status `timeout`.
    """
    waiting = ledger.to_grade()[::-1]
    cards = cards_here() if options.get("device") in ("auto", "cuda") else []
    jobs = min(jobs, len(waiting), JOBS_A_CARD * len(cards) or jobs)
    each_has = zip(shares(os.sched_getaffinity(0), jobs), cycle(cards or [""]), strict=False)
    crew = [Grading(command, options, cores, card) for cores, card in each_has]
    try:
        with selectors.DefaultSelector() as selector:

            def next_for(each: Grading) -> None:
                each.submitted = None
                if waiting:
                    each.begin(ledger.submitted(waiting.pop()), ledger.seed, ledger.hidden)
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


def cards_here() -> list[str]:
    """The GPUs that jobs may use, as CUDA_VISIBLE_DEVICES names them; none where that is not known."""
    if (said := os.environ.get("CUDA_VISIBLE_DEVICES")) is not None:
        return [card for card in said.split(",") if card]
    try:
        asked = ["nvidia-smi", "--query-gpu=uuid", "--format=csv,noheader"]
        return subprocess.run(asked, capture_output=True, text=True, timeout=20, check=True).stdout.split()
    except (OSError, subprocess.SubprocessError):
        return []


def shares(cores: Collection[int], jobs: int) -> list[list[int]]:
    """Which cores each job has: its own, for one job costs more on two, and two jobs would be in each other's way."""
    each = sorted(cores)
    if jobs > len(each):
        return [[each[number % len(each)]] for number in range(jobs)]
    return [each[number * len(each) // jobs : (number + 1) * len(each) // jobs] for number in range(jobs)]


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
            result = each.too_late(timeout)
        if result:
            selector.unregister(output)
            yield each, result
