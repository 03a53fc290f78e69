"""A kernel file on its way: where it is graded, and how a worker runs one of its tasks.

What every grade, recording and tool needs, whatever it makes of the evidence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from grader.course.call import Call
from grader.course.catalog import UsageError
from grader.course.lesson import Task
from grader.devices.evidence import Evidence

if TYPE_CHECKING:
    from grader.devices.buffers import Arena
    from grader.devices.cuda.card import Card
    from grader.devices.worker.job import Cancel, Gpu, Job, Level
    from grader.devices.worker.server import ForkServer

Device = Literal["auto", "emulator", "cuda"]  # where to grade: on a GPU, emulated, or as there is a GPU or none
Progress = Callable[[str], None]  # is told in a few words what happens now
WORDS = {"preparing": "preparing the emulator, once for this machine", "building": "building"}  # by the worker's event


class NotGraded(UsageError):
    """This machine, or the grader itself, kept a kernel from being graded: one sentence, which blames neither."""


@dataclass(frozen=True)
class Submission:
    """A kernel file on its way through the tasks of its lesson."""

    source: str
    file: Path
    tasks: Sequence[Task]
    server: ForkServer
    seed: int
    on_progress: Progress
    card: Card | None = None  # None: the emulator
    cancel: Cancel | None = None
    second_server: ForkServer | None = None  # for the emulator beside a GPU; None: it is left out, or all there is
    print_threads: bool = False  # the emulator says who prints
    with_checks: bool = True  # the emulator runs small cases on a checking build, too
    sandbox: Level | None = None  # None: as LADDER_SANDBOX says
    on_late: Callable[[str], None] = lambda task: None  # three of four cases of the task have ended

    @property
    def filename(self) -> str:
        """The file's name, fit for a #line."""
        return re.sub(r"[^\w.-]", "_", self.file.name)


def start_server() -> ForkServer:
    """What starts the workers, whichever device they use. Raises UsageError."""
    from grader.devices.build.toolchain import missing_compiler
    from grader.devices.worker.server import server

    if missing := missing_compiler():
        raise UsageError(missing)
    return server()


def second_server() -> ForkServer:
    """What starts the workers that run beside those on a GPU."""
    from grader.devices.worker.server import second_server

    return second_server()


def spare_server() -> ForkServer | None:
    """The second one, if there is one already."""
    from grader.devices.worker.server import spare_server

    return spare_server()


def device_named(text: str) -> Device:
    """The device of this name. Raises UsageError."""
    names: tuple[Device, ...] = get_args(Device)
    found = next((name for name in names if name == text), None)
    if found is None:
        raise UsageError(f"there is no device `{text}`: choose {', '.join(names[:-1])} or {names[-1]}")
    return found


def choose_card(device: Device) -> Card | None:
    """The GPU to grade on, None for the emulator; "auto" takes a GPU where there is one. Raises UsageError."""
    if device_named(device) == "emulator":
        return None
    from grader.devices.worker.confine_files import devices_of_a_gpu

    if device == "auto" and not any(path.exists() for path in devices_of_a_gpu()):
        return None  # without torch, which takes a second to import
    from grader.devices.cuda.card import find_card

    card, reason = find_card()
    if card is None and device == "cuda":
        raise UsageError(f"there is no GPU to grade on, as {reason}; without --device the kernel is emulated")
    return card


def run(
    calls: Sequence[Call],
    arena: Arena,
    submission: Submission,
    gpu: Gpu | None,
    to_record: Mapping[str, Any] | None = None,
    threads: int | None = None,
    inputs: Callable[[], object] | None = None,
    enough: Callable[[Evidence], bool] | None = None,
) -> Evidence:
    """Has a worker build the file and run calls of one task, on a GPU or emulated, by so many threads.

    `inputs` comes back once the inputs are in the arena, if they are not there yet: they are drawn during the build.
    `enough` says whether a case that ran is wrong, so that those which would take long need not run.
    There a block that is `to_record` (devices/emulator/recording.py) is recorded besides. Raises NotGraded if what
    went wrong is not the submission's.
    """
    job = _job(calls, arena, submission)
    job = replace(
        job, gpu=gpu, to_record=to_record, threads=threads, print_threads=submission.print_threads, inputs=inputs,
        enough=enough, with_checks=submission.with_checks and to_record is None,
    )  # fmt: skip
    return _followed(job, submission)


def run_few(call: Call, arena: Arena, submission: Submission) -> Evidence:
    """The same, emulated, with a few blocks of each launch, drawn at random. The arena holds the inputs."""
    return _followed(replace(_job([call], arena, submission), few_blocks=True), submission)


def run_unwatched(call: Call, arena: Arena, submission: Submission, only_blocks: Sequence[int] = ()) -> Evidence:
    """The same with all blocks, of which nothing but the results is wanted (devices/emulator/unwatched.py).

    Of a launch that has these blocks, in ascending order, `only_blocks` run.
    """
    job = replace(_job([call], arena, submission), unwatched=True, only_blocks=only_blocks)
    return _followed(job, submission)


def run_host_ways(call: Call, scalars: Sequence[Mapping[str, Any]], arena: Arena, submission: Submission) -> Evidence:
    """What host code launches for each of these scalars, with the call's buffers (devices/emulator/host_ways.py)."""
    return _followed(replace(_job([call], arena, submission), ways_of=scalars), submission)


def run_sampled(
    calls: Sequence[Call],
    arena: Arena,
    submission: Submission,
    multiprocessors: int,
    l1_bytes: int,
    architecture: str = "",
    seconds: float | None = None,
    tile_bytes: int | None = None,
) -> Evidence:
    """The same, emulated, for calls at their real size, of which only some blocks run (devices/emulator/sampled.py).

    The arena holds examples of their inputs. `l1_bytes` of a multiprocessor include its shared memory. With an
    architecture ("90a") nothing is run: what comes back is nvcc's machine code for it, where nvcc and nvdisasm are
    installed. `seconds` of processor time are for each call; by default as many as sampling needs at most. Inputs
    repeat behind `tile_bytes`, if these are given.
    """
    card = {"multiprocessors": multiprocessors, "l1_bytes": l1_bytes, "architecture": architecture}
    card |= {"tile_bytes": tile_bytes} if tile_bytes else {}
    to_sample = {"bytes": [call.bytes for call in calls], **card} | ({"seconds": seconds} if seconds else {})
    return _followed(replace(_job(calls, arena, submission), to_sample=to_sample), submission)


def run_whole(call: Call, arena: Arena, submission: Submission, seconds: float, tile_bytes: int) -> Evidence:
    """The same, with one block of each launch, drawn at random, and all of its warps; told is what these have written.

    The arena holds what the inputs repeat behind so many bytes.
    """
    card = {"multiprocessors": 0, "l1_bytes": 0, "architecture": "", "whole": True, "seconds": seconds}
    card["tile_bytes"] = tile_bytes
    return _followed(replace(_job([call], arena, submission), to_sample={"bytes": [call.bytes], **card}), submission)


def _job(calls: Sequence[Call], arena: Arena, submission: Submission) -> Job:
    from grader.devices.worker.job import Job

    return Job(
        source=submission.source,
        filename=submission.filename,
        prototypes=[each.signature for each in submission.tasks],
        task=calls[0].task.name,
        arena=arena,
        cases=[(call.name, call.scalars) for call in calls],
        multiprocessors=[call.case.multiprocessors for call in calls],
        cancel=submission.cancel,
        sandbox=submission.sandbox,
    )


def _followed(job: Job, submission: Submission) -> Evidence:
    seen, (late, _) = ["starting"], job.cases[3 * len(job.cases) // 4]

    def on_event(event: Mapping[str, Any]) -> None:
        seen.append(event["event"])
        if event["event"] in WORDS:
            submission.on_progress(WORDS[event["event"]])
        elif event["event"] == "running":
            submission.on_progress(f"running {job.task}({event.get('case')})")
            if not (job.to_sample or job.few_blocks or job.unwatched or job.ways_of) and event.get("case") == late:
                submission.on_late(job.task)

    evidence = submission.server.run(job, on_event)
    if reason := evidence.not_graded:
        raise NotGraded(reason if "building" in seen else f"{reason}; `ladder doctor` says what is missing")
    return evidence
