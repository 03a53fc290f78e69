"""A job for a worker: one task of one kernel file, its cases, and what to do besides on a GPU."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import Any, Literal

from grader.course.catalog import UsageError
from grader.course.prototype import Prototype
from grader.devices.buffers import Arena
from grader.devices.cache import cache_root
from grader.devices.evidence import Evidence

# The emulator ends a case itself when its processor time is up, or half as long again has passed on the clock; beyond
# that, the process may take this, to tell of it.
SPARE_SECONDS = 2.0
ON_THE_CLOCK = 1.5
LONG = 0.3  # of a case's seconds: once all cases together take longer, one that is wrong is enough
LONGEST_TIMING_SECONDS = 180.0
LOST = 97  # exit code of a worker: the pipe to the judge is gone
# Of the environment, what says which card there is, and where its compiler is.
GPU_VARIABLES = ("CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "CUDA_HOME", "CUDA_PATH")

Level = Literal["none", "basic", "strict"]  # of a sandbox: nothing; what this machine has; all, or no grade
LEVELS: tuple[Level, ...] = ("none", "basic", "strict")

Order = dict[str, Any]  # JSON, but for "descriptors": files to send along
Answer = dict[str, Any]
Dialogue = Generator[Order, Answer, None]  # yields orders for the worker, is sent its answers


@dataclass(frozen=True)
class Gpu:
    """What a job on a GPU needs besides: what to compile for, and the judge's part in timing the kernel, if any.

    `dialogue` is started with the cases as they ran when the last of them has; it ends the worker by returning.
    Where others grade on the card, the worker leaves it alone until its file is compiled and `take_turn` comes back.
    """

    architecture: str
    timed_case: str = ""  # its name
    scalars: Mapping[str, int | float] = field(default_factory=dict)  # of the timed case
    dialogue: Callable[[Evidence], Dialogue] | None = None
    take_turn: Callable[[], object] | None = None  # None: the card is free, and CUDA may start beside the build


class Cancelled(Exception):
    """The job was called off."""


class Cancel:
    """Calls a job off, from any thread, whether it has begun or not; for good."""

    def __init__(self) -> None:
        self.fd = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)  # readable from then on, so that `select` sees it

    def set(self) -> None:
        """Calls the job off."""
        os.eventfd_write(self.fd, 1)

    def __del__(self) -> None:
        os.close(self.fd)


def seconds_for_a_case() -> float:
    """Whole seconds for a case: 10, and up to 60 where others are at work and leave a kernel little of a core."""
    busy = os.getloadavg()[0] / (os.cpu_count() or 1)
    return 10.0 * min(max(round(busy), 1), 6)


def default_level() -> Level:
    """What LADDER_SANDBOX says, "basic" if it says nothing. Raises UsageError."""
    asked = os.environ.get("LADDER_SANDBOX") or "basic"
    found = next(filter(asked.__eq__, LEVELS), None)
    if found is None:
        raise UsageError(f"LADDER_SANDBOX names no sandbox `{asked}`: choose {', '.join(LEVELS[:-1])} or {LEVELS[-1]}")
    return found


@dataclass
class Job:
    """One task of one kernel file. `cases` are (name, scalars by name), as many as the arena has, in its order.

    `prototypes` are those of all tasks of the file, so that all of them share one build, which the cache keeps.
    """

    source: str
    filename: str
    prototypes: Sequence[Prototype]
    task: str
    arena: Arena
    cases: Sequence[tuple[str, Mapping[str, int | float]]]
    multiprocessors: Sequence[int | None] = ()  # of the emulated GPU in each case; None, or (): as many as it has
    seconds: float = field(default_factory=seconds_for_a_case)  # for each case
    build_seconds: float = 120.0
    threads: int | None = None
    cache: Path = field(default_factory=cache_root)
    gpu: Gpu | None = None  # None: the emulator
    cancel: Cancel | None = None
    inputs: Callable[[], object] | None = None  # comes back once they are in the arena; the worker builds meanwhile
    # Whether a case that ran is wrong: then those that take long need not run.
    enough: Callable[[Evidence], bool] | None = None
    with_checks: bool = True  # the emulator runs small cases on a checking build, too (emulator/checked.py)
    print_threads: bool = False  # the emulator puts block and thread before each line that a kernel prints
    to_record: Mapping[str, Any] | None = None  # on the emulator (recording.BlockToRecord)
    to_sample: Mapping[str, Any] | None = None  # there, too (sampled.ToSample): then cases are sampled, and not run
    few_blocks: bool = False  # there, too: of each launch a few run, and nothing is counted
    unwatched: bool = False  # there, too: all run, and nothing is counted or checked
    only_blocks: Sequence[int] = ()  # with `unwatched`: of a launch that has them all, these alone run
    ways_of: Sequence[Mapping[str, int | float]] = ()  # there, too: what is launched for each of these scalars
    sandbox: Level | None = None  # None: as LADDER_SANDBOX says, else "basic"

    @property
    def longest(self) -> float:
        """Seconds after which a worker is ended, even if it goes on telling of progress."""
        each = ON_THE_CLOCK * self.seconds + SPARE_SECONDS
        return 2 * self.build_seconds + each * len(self.cases) + (LONGEST_TIMING_SECONDS if self.gpu else 0.0)

    def to_json(self, folder: Path, token: str) -> dict[str, Any]:
        """For a worker. Raises UsageError."""
        return {
            "source": self.source,
            "filename": self.filename,
            "prototypes": [prototype.declaration for prototype in self.prototypes],
            "task": self.task,
            "layout": self.arena.layout,
            "cases": [
                {"name": name, "scalars": dict(scalars), "multiprocessors": count}
                for (name, scalars), count in zip_longest(self.cases, self.multiprocessors)
            ],
            "seconds": self.seconds,
            "threads": self.threads,
            "device": "cuda" if self.gpu else "emulator",
            "architecture": self.gpu.architecture if self.gpu else None,
            "waits_for_card": bool(self.gpu and self.gpu.take_turn),
            "timed": {"scalars": dict(self.gpu.scalars)} if self.gpu and self.gpu.dialogue else None,
            "to_record": dict(self.to_record) if self.to_record else None,
            "to_sample": dict(self.to_sample) if self.to_sample else None,
            "few_blocks": self.few_blocks,
            "unwatched": self.unwatched,
            "only_blocks": list(self.only_blocks),
            "ways_of": [dict(each) for each in self.ways_of],
            "with_checks": self.with_checks,
            "print_threads": self.print_threads,
            "sandbox": self.sandbox or default_level(),
            "cache": str(self.cache),
            "folder": str(folder),
            "token": token,
        }
