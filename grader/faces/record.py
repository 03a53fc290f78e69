"""What the emulator saw one block of a kernel do, for figures and `ladder view`: a case is run, and written down."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from grader.course import catalog
from grader.course.call import Call
from grader.course.catalog import Entry, UsageError
from grader.course.choose import choose_tasks, count_at
from grader.course.files import shown_path
from grader.course.lesson import Case, Task
from grader.course.work import read_kernel
from grader.devices.submission import Submission, run, start_server

if TYPE_CHECKING:
    from grader.devices.emulator.recording import BlockToRecord, Recording
    from grader.devices.evidence import Evidence, Json


def record(
    lesson: str | Entry,
    kernel: Path | None = None,
    *,
    source: str | None = None,
    task: str | None = None,
    case: str | None = None,
    launch: int = 0,
    block: tuple[int, int, int] | None = (0, 0, 0),
    seed: int = 0,
) -> Recording:
    """Runs one case of a kernel file on the emulator and returns what one block of one launch did, step by step.

    All of the launch's blocks, if `block` is None.

    `kernel` is a file, None for the lesson's reference; `source` is its text, if it is in no file yet. `task` is the
    lesson's first by default, `case` the one whose counters are shown. Raises UsageError, one sentence, if the kernel
    does not build or does not come to the block, or if there is no such case.
    """
    from grader.devices.emulator.recording import BlockToRecord, from_json

    entry = lesson if isinstance(lesson, Entry) else catalog.find(lesson)
    chosen = choose_tasks(entry, [task] if task else None)[0]
    file = kernel or entry.reference
    text = read_kernel(file, entry) if source is None else source
    to_record = BlockToRecord(launch, block)
    counted = (count_at(chosen, case) if case else chosen).judged_cases[-1]
    evidence = run_recorded(entry, chosen, file, text, [counted], to_record, seed)
    name = shown_path(file) if kernel else "the kernel"
    recording = _recorded(evidence, name, to_record)
    with readable(name):
        return from_json(recording, counted.name, to_record, text)


def run_recorded(
    entry: Entry, task: Task, file: Path, text: str, cases: Sequence[Case], to_record: BlockToRecord, seed: int = 0
) -> Evidence:
    """Runs cases of a task on the emulator, and has them recorded, or the one that `to_record` names."""
    from grader.devices.buffers import Arena

    submission = Submission(text, file, entry.lesson.tasks, start_server(), seed, lambda what: None)
    calls = [Call(task, case) for case in cases]

    def fill() -> None:
        from grader.judge.inputs import fill_all

        fill_all(calls, arena, seed)

    with Arena.of(calls) as arena, ThreadPoolExecutor(1) as thread:
        inputs = thread.submit(fill)  # while the worker builds
        return run(calls, arena, submission, None, asdict(to_record), inputs=inputs.result)


@contextlib.contextmanager
def readable(name: str) -> Iterator[None]:
    """Around what reads a recording: raises UsageError if it has no sense."""
    try:
        yield
    except (KeyError, TypeError, ValueError, IndexError):
        raise UsageError(f"{name} cannot be recorded: its host code wrote into the grader's own files") from None


def recording_of(evidence: Evidence, name: str) -> Json:
    """What came back of the last case. Raises UsageError, with the reason, if nothing was recorded."""
    build = evidence.build
    if build is None or build.problem or not evidence.cases:
        raise UsageError(f"{name} cannot be recorded: {build.message if build and build.problem else evidence.ended}")
    recording = evidence.cases[-1].recording
    if not recording:
        raise UsageError(f"{name} cannot be recorded: {evidence.ended}")
    return recording


def _recorded(evidence: Evidence, name: str, to_record: BlockToRecord) -> Json:
    """What came back. Raises UsageError if it says nothing of the block."""
    recording = recording_of(evidence, name)
    launches, launch = recording["launches"], to_record.launch
    if launch >= launches:
        raise UsageError(f"{name} launches {launches} kernels in this case: launch {launch} is not among them")
    if to_record.block and any(index >= size for index, size in zip(to_record.block, recording["grid"], strict=True)):
        raise UsageError(
            f"{recording['kernel']} has a grid of {recording['grid']} blocks: block {to_record.block} is none"
        )
    return recording
