"""The cases of a job on the emulator, one by one: those of the worker itself, of a second run, and of the looker."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.course.prototype import Prototype
from grader.devices.buffers import WorkerMemory
from grader.devices.build.recipe import Library
from grader.devices.worker.fresh import Fresh, SecondRuns
from grader.devices.worker.job import ON_THE_CLOCK
from grader.devices.worker.looker import Looker
from grader.devices.worker.printed import flush

if TYPE_CHECKING:
    from grader.devices.emulator.entry import View
    from grader.devices.emulator.session import Session

MOST_PROCESSOR_SECONDS = 20.0  # of a case: on a busy machine they take longer, but are no more

Cases = Sequence[tuple[dict[str, Any], Mapping[str, "View"]]]


def is_checked(job: Mapping[str, Any]) -> bool:
    """Whether its cases run on a checking build, too, where there is one."""
    return bool(job["with_checks"]) and not any(
        job[each] for each in ("to_sample", "to_record", "few_blocks", "unwatched", "ways_of")
    )


def run_cases(
    job: dict[str, Any],
    library: Library,
    task: Prototype,
    memory: WorkerMemory,
    tell: Callable[..., None],
    fresh: Fresh | None,
    looker: Looker | None,
) -> dict[str, str] | None:
    """Runs case by case, or the one whose second run this process is for, or looks at each.

    Stops after a crash, when nothing is sure any more, or a time-out, and returns which.
    """
    from grader.devices.emulator.session import Session, runtime_library

    runtime = runtime_library(Path(job["cache"]))
    if job["to_sample"]:
        from grader.devices.emulator.sampled import sample_cases

        return sample_cases(job, library, task, memory.cases, runtime, tell)
    session = Session(library, job["threads"], runtime=runtime, text=job["source"], print_threads=job["print_threads"])
    mapping = (memory.address, memory.bytes)
    cases = list(zip(job["cases"], memory.cases, strict=True))
    if job["few_blocks"] or job["unwatched"] or job["ways_of"]:
        _run_for_results(job, session, task, cases, mapping, tell)
        return None
    if looker and looker.is_here:
        looker.look_at(partial(_look, session, task, *each, job["seconds"], mapping) for each in cases)
    if fresh and fresh.number is not None:
        fresh.answer(_run_last_again(session, task, cases[: fresh.number + 1], job["seconds"], mapping))
    second = SecondRuns(fresh, memory, lambda number: tell("running", case=cases[number][0]["name"])) if fresh else None
    if looker and session.checking:
        looker.begin()
        session.checking.ahead = looker
    return _run(job, session, task, cases, mapping, tell, second)


def _run_for_results(
    job: dict[str, Any],
    session: Session,
    task: Prototype,
    cases: Cases,
    mapping: tuple[int, int],
    tell: Callable[..., None],
) -> None:
    """Runs of which nothing is counted: of a few blocks, of all, or of none, where it is asked what is launched."""
    from grader.devices.emulator.host_ways import host_ways
    from grader.devices.emulator.unwatched import run_unwatched

    for case, buffers in cases:
        name, scalars = case["name"], case["scalars"]
        tell("running", case=name)
        if job["few_blocks"]:
            session.on_multiprocessors(case["multiprocessors"])
            tell("case", case=session.run_few(name, task, buffers, scalars, mapping))
        elif job["unwatched"]:
            tell("case", case=run_unwatched(session, name, task, buffers, scalars, mapping, job["only_blocks"]))
        else:
            tell("case", case=host_ways(session, name, task, buffers, job["ways_of"], mapping))


def _run(
    job: dict[str, Any],
    session: Session,
    task: Prototype,
    cases: Cases,
    mapping: tuple[int, int],
    tell: Callable[..., None],
    second: SecondRuns | None,
) -> dict[str, str] | None:
    from grader.devices.emulator.entry import OTHER_POISONS
    from grader.devices.emulator.recording import BlockToRecord

    to_record = BlockToRecord(**job["to_record"]) if job["to_record"] else None
    seconds = min(job["seconds"], MOST_PROCESSOR_SECONDS)
    for number, (case, buffers) in enumerate(cases):
        tell("running", case=case["name"])
        again = partial(second, number, job["seconds"]) if second else None
        session.other_poison = OTHER_POISONS[number % 2]
        session.until = time.monotonic() + ON_THE_CLOCK * job["seconds"]
        session.on_multiprocessors(case["multiprocessors"])
        run = session.run(case["name"], task, buffers, case["scalars"], seconds, mapping, to_record, again)
        if number == len(cases) - 1:
            tell("again")
            run.findings += session.call_again()
        flush()
        tell("case", case=run)
        fatal = next((finding for finding in run.findings if finding.kind in ("crash", "timeout")), None)
        if fatal:
            return {"problem": fatal.kind, "ended": f"{fatal.message} (case {case['name']})"}
    return None


def _look(
    session: Session,
    task: Prototype,
    case: dict[str, Any],
    buffers: Mapping[str, View],
    seconds: float,
    mapping: tuple[int, int],
) -> dict[str, Any] | None:
    """A look at a case, as JSON."""
    if not session.checking:
        return None
    session.until = time.monotonic() + ON_THE_CLOCK * seconds
    session.on_multiprocessors(case["multiprocessors"])
    most = min(seconds, MOST_PROCESSOR_SECONDS)
    return session.checking.look_alone((task, buffers, case["scalars"], most, mapping))


def _run_last_again(session: Session, task: Prototype, cases: Cases, seconds: float, mapping: tuple[int, int]) -> Any:
    """What must be the same in a second run of the last case, behind those before it."""
    from grader.devices.emulator.entry import OTHER_POISONS, POISON

    session.other_poison = OTHER_POISONS[(len(cases) - 1) % 2]
    most = min(seconds, MOST_PROCESSOR_SECONDS)
    for number, (case, buffers) in enumerate(cases, 1):
        session.counting = number == len(cases)
        session.on_multiprocessors(case["multiprocessors"])
        poison = None if session.counting else POISON
        found = session.run_again(task, buffers, case["scalars"], most, mapping, poison)
    return found
