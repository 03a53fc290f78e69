"""`ladder check NN --debug [BLOCK,THREAD]`: the emulated kernel in gdb, stopped in one CUDA thread at one line.

    grade ──► what to stop at ──► build for a debugger ──► gdb ──► devices/worker/debuggee.py runs the case

Each CUDA thread has a stack of its own in one process, so gdb sees its frames, its variables and threadIdx.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import prod
from pathlib import Path
from typing import Any

import click

from grader.course.call import Call, calls_of
from grader.course.catalog import Entry, UsageError
from grader.course.lesson import Task
from grader.devices.cache import cache_root
from grader.devices.evidence import Finding
from grader.devices.submission import Submission, run, start_server
from grader.judge.verdict import CaseGrade, Grade, TaskGrade, decisive
from grader.report.words import telling_case

MISSING = "--debug needs gdb, which is not installed: type `sudo apt install gdb`, or ask --print-threads instead"
# Findings that are made while their thread stands where they happen; all others are told when others have run on.
AT_ONCE = {"out_of_bounds", "misaligned", "input_modified", "crash", "assert", "trap", "stack_overflow", "invalid_free"}
HERE = "*(int*)&ladder_debug_here == 1"
HELP = """\
Now you are in gdb. Type `info locals`, `print threadIdx`, `next`, `continue` or `quit`; docs/debugging.md says more.
"""


@dataclass(frozen=True)
class Stop:
    """Where to stop: in this thread (numbers in the grid and in the block), at this line or at its finding."""

    case: str
    kernel: str
    block: int
    thread: int
    line: int
    at_finding: bool = False
    asked_for: bool = False  # by its numbers


def parse(text: str) -> tuple[int, int] | None:
    """`3,17` as two numbers; None of an empty text. Raises UsageError."""
    if not text:
        return None
    if not (found := re.fullmatch(r"(\d+),(\d+)", text)):
        raise UsageError(
            f"--debug takes a block and a thread, as in `--debug 3,17`, or nothing at all: `{text}` is neither"
        )
    return int(found[1]), int(found[2])


def ready(device: str, asked: str) -> Callable[[Entry, Grade, str], None]:
    """What debugs a grade's kernel, given its text. Quick: to be called before a grade. Raises UsageError."""
    wanted = parse(asked)
    if device == "cuda":
        raise UsageError("--debug stops in an emulated kernel: leave out --device cuda (cuda-gdb is for a GPU)")
    if not (program := shutil.which("gdb")):
        raise UsageError(MISSING)
    return partial(debug, program, wanted)


def debug(program: str, wanted: tuple[int, int] | None, entry: Entry, grade: Grade, source: str) -> None:
    """Runs the case that fails, or else the first, in gdb, and comes back when that ends. Raises UsageError."""
    result = next((task for task in grade.tasks if task.status != "passed"), grade.tasks[0])
    if result.build_errors or result.status in ("build_error", "missing_entry_point", "not_emulated"):
        return click.echo("There is nothing to debug yet, as the file cannot be built: mend that first.")
    task = next(task for task in entry.lesson.tasks if task.name == result.name)
    submission = Submission(
        source, Path(grade.kernel), entry.lesson.tasks, start_server(), grade.seed, lambda what: None
    )
    call, launches = _choose(task, result, submission, wanted)
    stop = _where(result, call.name, launches, source, wanted)
    with tempfile.TemporaryDirectory(prefix="ladder-debug-") as folder:
        command = prepare(program, Path(folder), task, call, submission, stop)
        click.echo(f"{stop.kernel}, {call.name}: block {stop.block}, thread {stop.thread}")
        before = signal.signal(signal.SIGINT, lambda *_: None)  # Ctrl-C is gdb's
        try:
            subprocess.run(command, env={**os.environ, "DEBUGINFOD_URLS": ""}, check=False)
        finally:
            signal.signal(signal.SIGINT, before)


# ---- where to stop ----


Launch = dict[str, Any]


def _choose(
    task: Task, result: TaskGrade, submission: Submission, wanted: tuple[int, int] | None
) -> tuple[Call, list[Launch]]:
    """The case that shows best what is wrong, else the first one; in which the wanted thread is. And its launches.

    Raises UsageError if there is none.
    """
    from grader.devices.buffers import Arena
    from grader.judge.inputs import fill_all

    calls = calls_of(task)
    with Arena.of(calls) as arena:
        fill_all(calls, arena, submission.seed)
        evidence = run(calls, arena, submission, None)
    launches = {ran.name: ran.launches for ran in evidence.cases}
    failed = {case.name for case in result.cases if case.status != "passed"}
    first = telling_case(result) if failed else None
    by_interest = sorted(calls, key=lambda call: (first is None or call.name != first.name, call.name not in failed))
    for call in by_interest:
        if found := [launch for launch in launches.get(call.name, []) if wanted is None or _holds(launch, wanted)]:
            return call, found
    if not any(launches.values()):
        raise UsageError("there is no thread to stop in, as no kernel is launched")
    raise UsageError(f"no case has a thread {wanted[1]} in a block {wanted[0]}" if wanted else "no case was run")


def _holds(launch: Launch, wanted: tuple[int, int]) -> bool:
    return wanted[0] < prod(launch["grid"]) and wanted[1] < prod(launch["block"])


def _where(
    result: TaskGrade,
    case: str,
    launches: Sequence[Launch],
    source: str,
    wanted: tuple[int, int] | None,
) -> Stop:
    """The finding's thread and line, or the first line of the kernel in the wanted thread, else in the first one."""
    failed = telling_case(result)
    finding = decisive(failed.findings) if failed else None
    is_there = failed is not None and failed.name == case  # what the timed size alone shows is in no other case
    named = finding.kernel if finding and finding.kernel else ""
    launch = next((each for each in launches if each["kernel"] == named), launches[0])
    kernel, grid, block = str(launch["kernel"]), launch["grid"], launch["block"]
    if wanted is None and is_there and finding and finding.block and finding.thread and finding.line and named:
        return Stop(
            case,
            kernel,
            linear(finding.block, grid),
            linear(finding.thread, block),
            finding.line,
            finding.kind in AT_ONCE,
        )
    first = first_line(source, kernel)
    block_and_thread = wanted or _thread_of(failed, grid, block)
    return Stop(case, kernel, *block_and_thread, _line_of(finding, wanted) or first, asked_for=wanted is not None)


def _line_of(finding: Finding | None, wanted: tuple[int, int] | None) -> int | None:
    """Of a finding without a thread."""
    return finding.line if finding and finding.kernel and wanted is None else None


def _thread_of(failed: CaseGrade | None, grid: Sequence[int], block: Sequence[int]) -> tuple[int, int]:
    """The one whose element is wrong, where a pattern says so."""
    details = failed.details if failed else {}
    try:
        return linear(details["block"], grid), linear(details["thread"], block)
    except (KeyError, TypeError, ValueError):
        return 0, 0


def linear(index: Sequence[int], size: Sequence[int]) -> int:
    """The number of a block in its grid or a thread in its block, x first, as CUDA counts."""
    (x, y, z), (width, height, _) = index, size
    return x + width * (y + height * z)


def first_line(source: str, kernel: str) -> int:
    """The line that a kernel's name stands in where it is defined; a debugger takes the first statement behind it."""
    name = re.escape(kernel.partition("<")[0].rpartition("::")[2])
    lines = source.split("\n")
    for number, line in enumerate(lines, start=1):
        if re.search(rf"\b{name}\s*\(", line) and "<<<" not in line and not line.lstrip().startswith("//"):
            before = " ".join(lines[max(number - 4, 0) : number])
            if "__global__" in before:
                return number
    return 1


# ---- gdb ----


def prepare(program: str, folder: Path, task: Task, call: Call, submission: Submission, stop: Stop) -> list[str]:
    """Builds the file, writes inputs, order and gdb's commands into the folder. Returns what to run.

    Raises UsageError.
    """
    from grader.devices.buffers import Arena
    from grader.devices.emulator.session import runtime_library
    from grader.devices.worker import debuggee
    from grader.judge.inputs import fill

    runtime = runtime_library(cache_root())
    prototypes = [each.signature for each in submission.tasks]
    try:
        library = debuggee.build(submission.source, submission.filename, prototypes, runtime, folder)
    except subprocess.CalledProcessError as error:
        first = next((line for line in error.stderr.splitlines() if "error" in line), "g++ gives no reason")
        raise UsageError(f"the file could not be built for a debugger ({first})") from None
    with Arena.of([call]) as arena:
        fill(call, arena.cases[0], submission.seed)
        (folder / "memory").write_bytes(os.pread(arena.fd, arena.bytes, 0))
        layout = arena.layout
    order = {
        "library": str(library),
        "runtime": str(runtime),
        "filename": submission.filename,
        "memory": str(folder / "memory"),
        "layout": layout,
        "case": call.name,
        "task": task.signature.declaration,
        "scalars": dict(call.scalars),
        "block": stop.block,
        "thread": stop.thread,
    }
    (folder / "order.json").write_text(json.dumps(order))
    (folder / "commands.gdb").write_text(commands(folder, submission.filename, stop))
    debuggee_command = [sys.executable, "-P", "-m", "grader.devices.worker.debuggee", str(folder / "order.json")]
    return [program, "-q", "-iex", "set auto-load no", "-x", str(folder / "commands.gdb"), "--args", *debuggee_command]


def commands(folder: Path, filename: str, stop: Stop) -> str:
    """For gdb: to the stop, then up to the learner's own line."""
    at = ("ladder_debug_stop", "") if stop.at_finding else (f"{filename}:{stop.line}", HERE)
    why = ": another one ended the run before. `--debug` alone stops there" if stop.asked_for else ""
    missed = f"Thread {stop.thread} of block {stop.block} has not come to line {stop.line}{why}.\n"
    return f"""\
python
import gdb

def stop_at(place, condition=""):
    gdb.execute("tbreak " + place, to_string=True)
    point = gdb.breakpoints()[-1]
    point.silent = True
    point.condition = condition or None

def own(frame):
    table = frame.find_sal().symtab
    return table is not None and table.filename.endswith({filename!r})

for setting in ("confirm off", "pagination off", "breakpoint pending on", "startup-with-shell off",
                "print thread-events off", "print inferior-events off"):
    gdb.execute("set " + setting)
gdb.execute("directory {folder}", to_string=True)
try:
    stop_at("ladder_debug_thread")
    gdb.execute("run", to_string=True)
    stop_at(*{at!r})
    gdb.execute("continue", to_string=True)
    frame = gdb.newest_frame()
    while frame is not None and not own(frame):
        frame = frame.older()
    if frame is not None:
        frame.select()
    gdb.execute("frame")
    gdb.execute("print threadIdx")
    gdb.write({HELP!r})
except gdb.error:
    gdb.write({missed!r})
end
"""
