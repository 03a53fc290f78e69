"""compute-sanitizer on a submission: its four tools, and what they report as findings with the learner's line.

racecheck sees shared memory only, initcheck global memory only; the emulator sees both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grader.course.catalog import UsageError
from grader.course.prototype import Prototype
from grader.devices.cuda.errors import ends_the_context, finding_of
from grader.devices.cuda.launches import plain_name
from grader.devices.evidence import Finding
from grader.devices.nvidia.tool import Subject, Watched, watch

SECONDS = 60.0  # for all cases of a task with one tool
HANGING_SECONDS = 10.0  # for a kernel that is known not to end: a tool that has not spoken by then hangs, too
# Without padding, what lies past the end of one buffer is mostly another buffer, which memcheck would not mind.
TOOLS: Mapping[str, tuple[str, ...]] = {
    "memcheck": ("--padding", "32768", "--leak-check", "full"),
    # Warnings are of lanes of one warp, which a shuffle between them may well keep in step.
    "racecheck": ("--racecheck-report", "hazard", "--racecheck-detect-level", "error", "--print-limit", "1000"),
    "initcheck": (),
    "synccheck": (),
}

_INVALID = re.compile(r"Invalid __(?P<space>\w+)__ (?P<access>\w+) of size (?P<bytes>\d+)")
_UNINITIALIZED = re.compile(r"Uninitialized __(?P<space>\w+)__ memory (?P<access>\w+) of size (?P<bytes>\d+)")
_RACE = re.compile(r"Error: .*hazard detected at __shared__ \w+ in block \((?P<block>[\d,]+)\)")
_SIDE = re.compile(r"(?P<access>Read|Write) Thread \((?P<thread>[\d,]+)\) (?P<where>at .*)")
_BARRIER = re.compile(r"Barrier error detected\. (?P<text>.*)")
_LEAK = re.compile(r"Leaked (?P<bytes>[\d,]+) bytes")
_CALL = re.compile(
    r'Program hit (?P<name>\w+) \(error (?P<code>\d+)\) due to "(?P<text>.*)" on CUDA API call to (?P<call>\w+)'
)
_FREE = re.compile(r"Malloc/Free error encountered ?: (?P<text>.*)")
_WHERE = re.compile(r"at (?P<kernel>.+?)\+0x[0-9a-f]+(?: in (?P<file>.+):(?P<line>\d+))?$", re.MULTILINE)
_WHO = re.compile(r"by thread \((?P<thread>[\d,]+)\) in block \((?P<block>[\d,]+)\)")
_ADDRESS = re.compile(r"(?:Access to|Address) (?P<address>0x[0-9a-f]+)")


@dataclass
class Sanitized:
    """What one tool found: `case` is the first one with findings, after which the tool was stopped."""

    tool: str
    findings: list[Finding] = field(default_factory=list)
    case: str | None = None


def sanitize(program: Path, subject: Subject, seconds: float = SECONDS) -> list[Sanitized]:
    """Runs all four tools at once. Raises UsageError, one sentence, if one of them cannot work here."""
    with ThreadPoolExecutor(len(TOOLS)) as pool:
        return list(pool.map(lambda tool: _run(program, tool, subject, seconds), TOOLS))


def _run(program: Path, tool: str, subject: Subject, seconds: float) -> Sanitized:
    command = [str(program), "--tool", tool, "--show-backtrace", "no", "--demangle", "no", *TOOLS[tool]]
    watched = watch(command, subject, seconds)
    if not watched.started:
        raise UsageError(
            f"compute-sanitizer cannot work here ({watched.complaint or 'it does not say why'}): type `ladder doctor`"
        )
    case = watched.case
    if case is None:  # the submission ended the process before its first case, as grading has found, too
        return Sanitized(tool)
    findings = [*read_log(_own_lines(watched.log, subject.filename), subject.task, case), *_end(watched, tool, seconds)]
    for finding in findings:
        finding.details["tool"] = tool
    return Sanitized(tool, findings, case["name"] if findings else None)


def _end(watched: Watched, tool: str, seconds: float) -> Iterator[Finding]:
    if watched.timed_out:
        said = f"{tool} was not done with this case after {seconds:.0f} s: a kernel runs far slower while it watches"
        yield Finding("timeout", said, severity="note")


# ---- the log ----


def _own_lines(log: str, filename: str) -> str:
    """The log without line numbers of other files, such as CUDA's headers, whose functions are inlined."""
    return re.sub(
        r" in ([^\s:]+):\d+$", lambda where: where[0] if where[1] == filename else "", log, flags=re.MULTILINE
    )


def read_log(log: str, task: Prototype, case: Mapping[str, Any]) -> list[Finding]:
    """The errors in a tool's log, one for each kind and line. `case` is the runner's event: where the buffers lie."""
    found: dict[tuple[Any, ...], Finding] = {}
    for head, body in _reports(log):
        finding = _finding(head, body, _Buffers(task, case))
        if finding:
            key = finding.kind, finding.kernel, finding.line, finding.details.get("other_line")
            count = found[key].details["count"] if key in found else 0
            if not count or _place(finding) < _place(found[key]):
                found[key] = finding
            found[key].details["count"] = count + 1
    findings = [finding for finding in found.values() if finding.kind != "leak"]
    # A fault ends the CUDA context: later calls fail for no other reason, and nothing is freed any more.
    own = [finding for finding in findings if not ends_the_context(finding.details.get("cuda_error", 0))]
    return own or findings or list(found.values())


def _place(finding: Finding) -> tuple[int, ...]:
    """Blocks and threads in the order of their numbers; a report comes in any order."""
    return (*reversed(finding.block or ()), *reversed(finding.thread or ()))


def _reports(log: str) -> Iterator[tuple[str, str]]:
    """(first line, the indented lines below it) of each report."""
    head, body = "", []
    for line in log.splitlines():
        text = line.lstrip("=")
        if text.startswith("     "):
            body.append(text.strip())
        elif text.strip():
            yield head, "\n".join(body)
            head, body = text.strip(), []
    yield head, "\n".join(body)


def _finding(head: str, body: str, buffers: _Buffers) -> Finding | None:
    if match := _INVALID.match(head):
        return _invalid(match, body, buffers)
    if match := _UNINITIALIZED.match(head):
        what = buffers.at(_address(body))
        return _device("uninitialized_read", body, f"reads {what} before anything was written there")
    if match := _RACE.match(head):
        return _race(match, body)
    if match := _BARRIER.match(head):
        said = match["text"].rstrip(".").lower()
        return _device("barrier_divergence", body, f"is at a barrier that others do not reach ({said})")
    if match := _LEAK.match(head):
        said = f"{match['bytes']} bytes from an allocation are never freed: each call loses them"
        return Finding("leak", said)
    if _FREE.match(head):
        return Finding("invalid_free", "a pointer is freed that cudaMalloc did not return, or that was freed before")
    if match := _CALL.match(head):
        finding = finding_of(int(match["code"]), match["name"], match["text"])
        finding.message += f", in a call of {match['call']}"
        return finding
    return None


def _invalid(match: re.Match[str], body: str, buffers: _Buffers) -> Finding:
    verb = {"read": "reads", "write": "writes"}.get(match["access"], "updates")
    if "is misaligned" in body:
        said = f"{verb} {match['bytes']} bytes at an address that is no multiple of {match['bytes']}"
        said += f" ({buffers.at(_address(body))})" if match["space"] == "global" else ""
        return _device("misaligned", body, said)
    if match["space"] != "global":
        return _device("out_of_bounds", body, f"{verb} {match['space']} memory out of its bounds")
    return _device("out_of_bounds", body, f"{verb} {buffers.at(_address(body), around=True)}")


def _race(match: re.Match[str], body: str) -> Finding | None:
    """Two threads of a block, the first access first."""
    found = [(side, _WHERE.search(side["where"])) for side in _SIDE.finditer(body)]
    sides = [(side, where) for side, where in found if where]
    if len(found) != 2 or len(sides) != 2:
        return None
    block, (mine, theirs) = _triple(match["block"]), [_triple(side["thread"]) for side, _ in sides]
    verbs = [f"{side['access'].lower()}s" for side, _ in sides]
    line, other = [int(where["line"] or 0) or None for _, where in sides]
    # Not which comes first: racecheck saw one order, and the other may be the one that was meant.
    mend = (
        "a __syncthreads() is missing between the two" if line != other else "use an atomic, or one writer an element"
    )
    return Finding(
        "race",
        f"thread {mine} of block {block} {verbs[0]} shared memory in line {line} while thread {theirs} {verbs[1]} it "
        f"in line {other}, in any order: {mend}",
        line=line,
        kernel=plain_name(sides[0][1]["kernel"]),
        block=block,
        thread=mine,
        details={"other_line": other, "other_thread": theirs, "other_block": block},
    )


def _device(kind: str, body: str, said: str) -> Finding:
    """A finding of something that a thread does."""
    where, who = _WHERE.search(body), _WHO.search(body)
    thread, block = (_triple(who["thread"]), _triple(who["block"])) if who else (None, None)
    return Finding(
        kind,
        f"thread {thread} of block {block} {said}" if who else f"a thread {said}",
        line=int(where["line"]) if where and where["line"] else None,
        kernel=plain_name(where["kernel"]) if where else None,
        block=block,
        thread=thread,
    )


def _triple(text: str) -> tuple[int, int, int]:
    x, y, z = map(int, text.split(","))
    return x, y, z


def _address(body: str) -> int | None:
    match = _ADDRESS.search(body)
    return int(match["address"], 16) if match else None


class _Buffers:
    """Where the buffers of a case lie, to say `x[31]` of an address."""

    def __init__(self, task: Prototype, case: Mapping[str, Any]):
        element = {parameter.name: parameter.type.bytes for parameter in task.buffers}
        self._buffers = [
            (case["addresses"][name], case["bytes"][name], element[name], name) for name in case["addresses"]
        ]

    def at(self, address: int | None, around: bool = False) -> str:
        """`x[31]`; with `around`, also for an address beside the buffer, which is then said: `x[31], past its end`."""
        near = self._nearest(address, 32768 if around else 0) if address else None
        if address is None or near is None:
            return "memory that is none of the task's buffers"
        start, size, element, name = near
        what, elements = f"{name}[{(address - start) // element}]", size // element
        if not around:
            return what
        side = (
            "past its end" if address >= start + size else "before its start" if address < start else "across its end"
        )
        return f"{what}, {side}: {name} has {elements:,} element{'' if elements == 1 else 's'}"

    def _nearest(self, address: int, beyond: int) -> tuple[int, int, int, str] | None:
        def distance(buffer: tuple[int, int, int, str]) -> int:
            start, size, *_ = buffer
            return max(start - address, address - (start + size) + 1, 0)

        nearest = min(self._buffers, key=distance, default=None)
        return nearest if nearest and distance(nearest) <= beyond + nearest[2] else None
