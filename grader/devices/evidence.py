"""What a device reports about a run: facts, never a verdict. Plain data that travels as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

Json = dict[str, Any]
Severity = Literal["error", "note"]


@dataclass
class Finding:
    """One thing that went wrong (severity "error") or is worth knowing ("note"), where it happened, in a sentence."""

    kind: str  # out_of_bounds, misaligned, race, ... : the keys of judge.verdict.STATUS_OF
    message: str
    severity: Severity = "error"
    file: str | None = None
    line: int | None = None
    kernel: str | None = None
    block: tuple[int, int, int] | None = None
    thread: tuple[int, int, int] | None = None
    details: Json = field(default_factory=dict)  # array, index, size, the other access of a race, ...


@dataclass
class Diagnostic:
    """One compiler message on the learner's own line (column is 1-based; `source` is that line's text)."""

    message: str
    line: int | None = None
    column: int | None = None
    source: str | None = None
    level: str = "error"


# A note on the word in which blocks count, where that is why a case is wrong: the judge tells it.
COUNTED_WORD = "counted_word"
# A warning that explains what a kernel's fault is not called by.
NO_RETURN = "this function does not return a value on every way"
FAULTS = ("crash", "stack_overflow")  # what becomes of it, in a kernel
# A build that takes more time or memory than it may have.
ENDLESS = "do templates or macros use each other again and again?"


def for_missing_return(message: str, place: str) -> str:
    """A function that ends without its value goes on anywhere, here: what a kernel's fault then is called misleads."""
    return f"the function that ends in {place} does not return a value on every way: {message}"


@dataclass
class Build:
    """How building went. `problem` is None, "build_error", "missing_entry_point", "not_emulated" or "not_graded" (this
    machine's)."""

    problem: str | None = None
    message: str = ""  # one sentence
    diagnostics: list[Diagnostic] = field(default_factory=list)
    seconds: float = 0.0
    cached: bool = False


@dataclass
class CaseRun:
    """One case as it ran: `counters` are the totals, `lines` the same counters by source line, `kernels` by kernel."""

    name: str
    findings: list[Finding] = field(default_factory=list)
    counters: Json = field(default_factory=dict)
    lines: list[Json] = field(default_factory=list)
    kernels: list[Json] = field(default_factory=list)
    launches: list[Json] = field(default_factory=list)  # kernel, grid, block, given_stream, shared_bytes, ...
    timings: Json = field(default_factory=dict)
    seconds: float = 0.0
    recording: Json | None = None  # of one block, where it was asked for (emulator/recording.py)
    sample: Json | None = None  # of its launches at the real size, where that was asked for (emulator/sampled.py)
    requests: list[Json] = field(default_factory=list)  # those that waste most (emulator/worst.py)
    alone: bool = False  # a few blocks of a wide case ran, and what they wrote must be right
    printed_signs: int | None = None  # by kernels, spaces aside; None: it is not known
    touched: dict[str, list[int]] = field(default_factory=dict)  # different bytes loaded and stored, by buffer


@dataclass
class Evidence:
    """All that is known of a worker's life. `ended` is "normally" or one sentence that says how it died."""

    build: Build | None = None
    cases: list[CaseRun] = field(default_factory=list)
    ended: str = "normally"
    problem: str | None = None  # what ended the process: "crash", "timeout", a kernel's fault on a GPU, or "not_graded"
    output: str = ""  # what the submission printed (cut short)
    sandbox: Json = field(default_factory=dict)  # which layers held it (worker/confine.py); {} if it never ran
    seconds: float = 0.0
    cut: bool = False  # the judge ended it: a case that ran is wrong, and the others take long

    def to_json(self) -> Json:
        return asdict(self)

    @property
    def not_graded(self) -> str:
        """Why this says nothing about the kernel: one sentence; empty if it does."""
        if self.build and self.build.problem == "not_graded":
            return self.build.message
        return self.ended if self.problem == "not_graded" else ""


SWAPPED = "are blocks and threads swapped? It is kernel<<<blocks, threads>>>"


def looks_swapped(launch: Json) -> bool:
    """Whether a launch has as many blocks as others have threads, and threads in a number that blocks have.

    One of 100 or 144 threads is meant, as is every multiple of 4; what blocks come to is none in three of four sizes.
    """
    (blocks, *grid), (threads, *block) = launch["grid"], launch["block"]
    are_blocks = threads % 4 != 0 or threads > 1024
    return [*grid, *block] == [1, 1, 1, 1] and are_blocks and blocks % 32 == 0 and 32 <= blocks <= 1024


def launch_notes(launches: Sequence[Json]) -> list[Finding]:
    """What is odd about the launches of a case."""
    return [*stream_notes(launches), *_swapped_notes(launches)]


def _swapped_notes(launches: Iterable[Json]) -> list[Finding]:
    for launch in filter(looks_swapped, launches):
        (blocks, *_), (threads, *_), kernel = launch["grid"], launch["block"], launch["kernel"]
        s = "" if threads == 1 else "s"
        message = f"the launch of {kernel} has {blocks} blocks of {threads} thread{s}: {SWAPPED}"
        return [Finding("swapped_launch", message, "note", line=launch.get("line"), kernel=kernel)]
    return []


def stream_notes(launches: Iterable[Json]) -> list[Finding]:
    """A launch that ignores the stream it was given is right here and wrong in a program with several streams.

    One on a stream of the file's own is told by how that is joined to the given one.
    """
    for launch in launches:
        if not launch["given_stream"] and not launch.get("own_stream"):
            message = (
                f"the launch of {launch['kernel']} does not use the stream it was given; "
                f"write {launch['kernel']}<<<grid, block, shared, stream>>>(...)"
            )
            return [Finding("other_stream", message, "note", line=launch.get("line"), kernel=launch["kernel"])]
    return []


_LAUNCH = {"kernel": str, "grid": list, "block": list, "given_stream": bool}
_RESOURCES = {"registers": int, "local_bytes": int, "shared_bytes": int, "occupancy": float}


def launches_from_json(data: Any) -> list[Json]:
    """Launches on a GPU with the resources of their kernels. What has another form, the worker has not written."""
    rows = [row for row in data if isinstance(row, dict)] if isinstance(data, list) else []
    return [row for row in rows if all(isinstance(row.get(k), t) for k, t in (_LAUNCH | _RESOURCES).items())]


def build_from_json(data: Json) -> Build:
    """What asdict made of a Build. Raises TypeError, KeyError or AttributeError if it is none."""
    return Build(**{**data, "diagnostics": [Diagnostic(**d) for d in data.get("diagnostics", [])]})


def case_from_json(data: Json) -> CaseRun:
    """The same for a CaseRun."""
    return CaseRun(**{**data, "findings": [finding_from_json(finding) for finding in data.get("findings", [])]})


def finding_from_json(data: Json) -> Finding:
    """The same for a Finding."""
    finding = Finding(**data)
    finding.block, finding.thread = _index(finding.block), _index(finding.thread)
    return finding


def _index(numbers: Sequence[int] | None) -> tuple[int, int, int] | None:
    """JSON knows no tuples."""
    if not numbers:
        return None
    x, y, z = numbers
    return x, y, z
