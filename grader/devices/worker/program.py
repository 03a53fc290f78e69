"""Runs a program that was built for the emulator, in a process of its own, to whatever end it comes.

    run_program  --order-->  python -m grader.devices.worker.become ORDER  --report, over a pipe-->

The process has the terminal as any program has: what it prints comes as it comes. It is not confined, for it is the
user's own program and not a submission.
"""

from __future__ import annotations

import json
import math
import os
import select
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from grader.devices.emulator.entry import POISON
from grader.devices.emulator.program import Program
from grader.devices.emulator.recording import BlockToRecord, add_numbers

MOST = 2**64 - 1
LOOK_SECONDS = 0.5  # between two looks at what it does
GRACE_SECONDS = 10.0  # for a program that was told to stop, to say where it stands


@dataclass(frozen=True)
class How:
    """How to run it: what is looked at, and of which launches. Bad accesses are seen in all of them."""

    threads: int | None = None  # None: as many as there are cores
    counters: bool = True
    races: bool = True
    kernel: str = ""  # the only one that is counted and searched for races; empty: all are
    launches: int | None = None  # so many of each kernel; None: all
    last: bool = False  # only the last one's counters are kept
    devices: int | None = None  # that it sees; None: as many as LADDER_DEVICES says, or one
    timeout: float | None = None  # seconds
    to_record: BlockToRecord | None = None  # its launch and blocks are written down, step by step


@dataclass
class Ended:
    """What came of it: the runtime's facts (None if the process could not tell), and its exit code, < 0 by a signal.

    Where something was `to_record`, `recording.describe` takes these facts; "recorded_launch" is the launch's number in
    the program, if it came to that launch.
    """

    facts: dict[str, Any] | None
    code: int
    stopped: str = ""  # "interrupted", "timeout" or ""


@dataclass(frozen=True)
class Progress:
    """What a running program does now: the launch's number, its kernel, and how many of its blocks are done."""

    launch: int
    kernel: str
    blocks: int
    done: int


_PROGRESS = struct.Struct("QQQQ232s")  # ProgressOfProgram of runtime/program.h


def run_program(
    program: Program,
    arguments: Sequence[str],
    how: How,
    stdout: int | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> Ended:
    """Runs it to its end. `arguments` begin with its name; its standard output goes to `stdout` if that is given.

    `on_progress` is called again and again while it runs.
    """
    reading, writing = os.pipe()
    shared = os.memfd_create("progress")
    os.ftruncate(shared, _PROGRESS.size)
    told = os.memfd_create("order")
    with os.fdopen(os.dup(told), "w") as order:
        json.dump({**_order(program, arguments, how), "report": writing, "progress": shared, "order": told}, order)
    root = str(Path(__file__).parents[3])
    path = os.pathsep.join(part for part in (root, os.environ.get("PYTHONPATH", "")) if part)
    command = [sys.executable, "-P", "-m", "grader.devices.worker.become", f"/proc/self/fd/{told}"]
    watch = _Watch(how.timeout)
    environment = os.environ | {"PYTHONPATH": path} | ({"LADDER_DEVICES": str(how.devices)} if how.devices else {})
    process = subprocess.Popen(command, pass_fds=[writing, shared, told], stdout=stdout, env=environment)
    os.close(writing)
    os.close(told)
    watch.begin(process)
    with os.fdopen(reading, "rb") as pipe:
        text = _read(pipe.fileno(), shared, watch, on_progress)
    code = watch.wait()
    os.close(shared)
    report, _, numbers = bytes(text).partition(b"\n")
    try:
        facts = json.loads(report.decode(errors="replace"))
        add_numbers(facts, numbers)
    except ValueError:
        facts = None
    return Ended(facts, code, watch.stopped)


class _Watch:
    """Passes Ctrl-C and the end of the time on to the program; a second Ctrl-C, or one that it ignores, ends it.

    Until main() is called nothing can be passed on, so it is tried again. The time begins with main().
    """

    def __init__(self, seconds: float | None):
        self.seconds, self.stopped = seconds, ""
        self.process: subprocess.Popen[bytes] | None = None
        self._deadline = self._patience = math.inf
        self._before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # also for the new process, to begin with

    def begin(self, process: subprocess.Popen[bytes]) -> None:
        """The process is there."""
        self.process = process
        signal.signal(signal.SIGINT, self._interrupted)

    def look(self, started: bool) -> None:
        """To be called again and again."""
        now = time.monotonic()
        if started and self.seconds and self._deadline == math.inf:
            self._deadline = now + self.seconds
        if now > self._deadline and not self.stopped:
            self._stop("timeout")
        if self.stopped and self.process:
            self.process.send_signal(signal.SIGINT if now < self._patience else signal.SIGKILL)

    def _interrupted(self, number: int, frame: FrameType | None) -> None:
        if self.stopped and self.process:
            self.process.kill()
        self._stop("interrupted")

    def _stop(self, why: str) -> None:
        self.stopped = self.stopped or why
        self._patience = min(self._patience, time.monotonic() + GRACE_SECONDS)

    def wait(self) -> int:
        """The program's exit code."""
        assert self.process
        try:
            return self.process.wait()
        finally:
            signal.signal(signal.SIGINT, self._before)


def _read(pipe: int, shared: int, watch: _Watch, on_progress: Callable[[Progress], None] | None) -> bytearray:
    """The report, once there is one."""
    text = bytearray()  # a program of half a million launches has 200 MB to say
    while True:
        if not select.select([pipe], [], [], LOOK_SECONDS)[0]:
            started, launch, blocks, done, kernel = _PROGRESS.unpack(os.pread(shared, _PROGRESS.size, 0))
            watch.look(bool(started))
            if on_progress:
                on_progress(Progress(launch, kernel.partition(b"\0")[0].decode(errors="replace"), blocks, done))
        elif part := os.read(pipe, 1 << 16):
            text += part
        else:
            return text


def _order(program: Program, arguments: Sequence[str], how: How) -> dict[str, Any]:
    return {
        "parent": os.getpid(),
        "library": str(program.library),
        "runtime": str(program.runtime),
        "symbols": [(each.value, each.bytes, each.kind, each.name) for each in program.code.symbols],
        "poison": POISON,
        "arguments": [os.fsencode(each).decode(errors="surrogateescape") for each in arguments],
        "threads": how.threads or len(os.sched_getaffinity(0)),
        "watched": [how.counters, how.races, how.kernel, MOST if how.launches is None else how.launches, how.last],
        "record": how.to_record and asdict(how.to_record),
    }
