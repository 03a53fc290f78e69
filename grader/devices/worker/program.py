"""Runs a program that was built for the emulator, in a process of its own, to whatever end it comes.

    run_program  --order-->  python -m grader.devices.worker.program ORDER  --report, over a pipe-->

The process has the terminal as any program has: what it prints comes as it comes. It is not confined, for it is the
user's own program and not a submission.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from grader.devices.emulator.program import Program
from grader.devices.emulator.session import POISON, Loaded
from grader.devices.emulator.symbols import CodeMap, Symbol

GRACE_SECONDS = 10.0  # for a program that was told to stop, to say where it stands


@dataclass(frozen=True)
class How:
    """How to run it: with so many threads (None: as many as there are cores), and whether accesses are put together
    into counters and races at all.
    """

    threads: int | None = None
    counting: bool = True
    timeout: float | None = None  # seconds


@dataclass
class Ended:
    """What came of it: the runtime's facts (None if the process could not tell), and its exit code, < 0 by a signal."""

    facts: dict[str, Any] | None
    code: int
    stopped: str = ""  # "interrupted", "timeout" or ""


def run_program(program: Program, arguments: Sequence[str], how: How, stdout: int | None = None) -> Ended:
    """Runs it to its end. `arguments` begin with its name; its standard output goes to `stdout` if that is given."""
    reading, writing = os.pipe()
    with tempfile.NamedTemporaryFile("w", prefix="ladder-run-", suffix=".json") as order:
        json.dump(_order(program, arguments, how, writing), order)
        order.flush()
        root = str(Path(__file__).parents[3])
        path = os.pathsep.join(part for part in (root, os.environ.get("PYTHONPATH", "")) if part)
        command = [sys.executable, "-P", "-m", "grader.devices.worker.program", order.name]
        process = subprocess.Popen(command, pass_fds=[writing], stdout=stdout, env={**os.environ, "PYTHONPATH": path})
        os.close(writing)
        watch = _Watch(process, how.timeout)
        with os.fdopen(reading, "rb") as pipe:
            text = pipe.read()
        code = watch.wait()
    try:
        facts = json.loads(text.decode(errors="replace"))
    except ValueError:
        facts = None
    return Ended(facts, code, watch.stopped)


class _Watch:
    """Passes Ctrl-C and the end of the time on to the program; a second Ctrl-C, or one that it ignores, ends it."""

    def __init__(self, process: subprocess.Popen[bytes], seconds: float | None):
        self.process, self.stopped = process, ""
        self._timer = threading.Timer(seconds, self._stop, ["timeout"]) if seconds else None
        self._killer = threading.Timer(GRACE_SECONDS, process.kill)
        if self._timer:
            self._timer.daemon = True
            self._timer.start()
        self._killer.daemon = True
        self._before = signal.signal(signal.SIGINT, self._interrupted)

    def _interrupted(self, number: int, frame: FrameType | None) -> None:
        if self.stopped:
            self.process.kill()
        self._stop("interrupted")

    def _stop(self, why: str) -> None:
        if not self.stopped:
            self.stopped = why
            self.process.send_signal(signal.SIGINT)
            self._killer.start()

    def wait(self) -> int:
        """The program's exit code."""
        try:
            return self.process.wait()
        finally:
            signal.signal(signal.SIGINT, self._before)
            for timer in (self._timer, self._killer):
                if timer:
                    timer.cancel()


def _order(program: Program, arguments: Sequence[str], how: How, writing: int) -> dict[str, Any]:
    return {
        "library": str(program.library),
        "runtime": str(program.runtime),
        "symbols": [asdict(symbol) for symbol in program.code.symbols],
        "arguments": [os.fsencode(each).decode(errors="surrogateescape") for each in arguments],
        "threads": how.threads or len(os.sched_getaffinity(0)),
        "counting": how.counting,
        "report": writing,
    }


def main(order: dict[str, Any]) -> None:
    """Loads the program and becomes it; never returns."""
    for number in (signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ):  # Python has changed them
        signal.signal(number, signal.SIG_DFL)
    os.set_inheritable(order["report"], False)
    runtime = ctypes.CDLL(order["runtime"])
    runtime.ladder_session_begin.argtypes = [ctypes.c_double, ctypes.c_double, ctypes.c_int]
    runtime.ladder_program_prepare(order["report"])
    library = ctypes.CDLL(order["library"])
    code = CodeMap([Symbol(**each) for each in order["symbols"]])
    loaded, inside = Loaded(library, code), ctypes.cast(library.main, ctypes.c_void_p)
    count = ctypes.c_size_t(len(loaded.symbols))
    runtime.ladder_session_module(inside, loaded.symbols, count, order["threads"], int(order["counting"]))
    runtime.ladder_session_begin(1e9, 1e30, POISON)
    texts = [os.fsencode(each) for each in order["arguments"]]
    arguments = (ctypes.c_char_p * (len(texts) + 1))(*texts, None)
    runtime.ladder_program_run(inside, len(texts), arguments)


if __name__ == "__main__":
    main(json.loads(Path(sys.argv[1]).read_text()))
