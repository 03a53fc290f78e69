"""The worker's side of a GPU: runs the small cases on copies of the shared memory, then whatever the judge orders.

The orders of the timing, as JSON lines, and what each is answered with (`judge/speed.py` gives them):

    {"do": "open", "bytes": 4096, "layout": [slots]}    maps the judge's sets of buffers, whose descriptors come along
    {"do": "once", "set": 2}          flushes the L2, runs the kernel on a set      -> {"us": by CUDA events}
    {"do": "many", "sets": [0, 1]}    runs it on each in turn, without a pause      -> {"us": of all together}
    {"do": "end"}
"""

from __future__ import annotations

import ctypes
import json
import socket
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from grader.course.prototype import Prototype
from grader.devices.buffers import GUARD_BYTES, WorkerMemory
from grader.devices.cuda.clock import FLUSHES
from grader.devices.cuda.errors import ends_the_context, finding_of
from grader.devices.cuda.runtime import CudaError, Runtime, runtime
from grader.devices.cuda.shared_memory import SharedMemory
from grader.devices.evidence import CaseRun, Finding

MOST_DESCRIPTORS = 253  # that one message can carry (Linux, SCM_MAX_FD)
Tell = Callable[..., None]
Slots = Sequence[Mapping[str, Any]]


class Session:
    """A built library on the GPU. Every run ends with a device-wide wait, whatever stream the work was put on."""

    def __init__(self, library: Path, task: Prototype):
        self.cuda = runtime()
        self.task = task
        self.stream = self.cuda.stream()
        self._entry = ctypes.CDLL(str(library))[task.name]
        self._entry.restype = None
        self._entry.argtypes = [
            ctypes.c_void_p if parameter.is_buffer else parameter.type.ctypes for parameter in task.parameters
        ]

    def arguments(self, addresses: Mapping[str, int], scalars: Mapping[str, int | float]) -> list[Any]:
        """The values of a call, in the order of the prototype."""
        values = {**addresses, **scalars}
        return [values.get(parameter.name, self.stream) for parameter in self.task.parameters]

    def call(self, arguments: Sequence[Any]) -> None:
        """Calls the entry point; its launches may still be running. Raises CudaError if one of them failed."""
        self._entry(*arguments)
        self.cuda.check(self.cuda.last_error())

    def finish(self) -> None:
        """Waits for the device. Raises CudaError if a kernel failed."""
        self.cuda.check(self.cuda.synchronize())


def run_cases(session: Session, memory: WorkerMemory, job: Mapping[str, Any], tell: Tell) -> dict[str, str] | None:
    """Runs case by case, each on a copy of its part of the shared memory, guards included, that is copied back.

    Stops where the GPU can go on no more, and returns why.
    """
    cuda = session.cuda
    device = cuda.malloc(memory.bytes)
    cuda.copy(device, memory.address, memory.bytes)
    ends = [slots[0]["offset"] - GUARD_BYTES for slots in job["layout"][1:]] + [memory.bytes]
    for case, slots, end in zip(job["cases"], job["layout"], ends, strict=True):
        tell("running", case=case["name"])
        addresses = {slot["name"]: device + slot["offset"] for slot in slots}
        start = time.perf_counter()
        finding = _fault(session, session.arguments(addresses, case["scalars"]))
        run = CaseRun(case["name"], [finding] if finding else [], seconds=time.perf_counter() - start)
        over = finding is not None and ends_the_context(finding.details["cuda_error"])
        if not over:
            first = slots[0]["offset"] - GUARD_BYTES
            cuda.copy(memory.address + first, device + first, end - first)
        tell("case", case=asdict(run))
        if over:
            problem = finding.kind if finding.kind in ("out_of_bounds", "misaligned", "timeout") else "crash"
            return {"problem": problem, "ended": f"{finding.message} (case {case['name']})"}
    return None


def _fault(session: Session, arguments: Sequence[Any]) -> Finding | None:
    """Calls and waits; what went wrong, if anything did."""
    try:
        session.call(arguments)
        session.finish()
    except CudaError as error:
        session.cuda.last_error()  # one that is not sticky is forgotten, the next case has another chance
        return finding_of(error.code, error.name, str(error))
    return None


def obey(session: Session, scalars: Mapping[str, int | float], orders_fd: int, tell: Tell) -> None:
    """Carries out the judge's orders until it says end, or is gone. Each is answered, if only with what failed."""
    clock: Clock | None = None
    for order, descriptors in _orders(orders_fd):
        try:
            match order["do"]:
                case "open":
                    memories = [SharedMemory(order["bytes"], descriptor) for descriptor in descriptors]
                    clock = Clock(session, memories, order["layout"], scalars)
                    tell("answer")
                case "once" if clock:
                    tell("answer", us=clock.once(order["set"]))
                case "many" if clock:
                    tell("answer", us=clock.many(order["sets"]))
                case _:
                    return
        except CudaError as error:
            tell("answer", failed=asdict(finding_of(error.code, error.name, str(error))))


def _orders(fd: int) -> Iterator[tuple[dict[str, Any], list[int]]]:
    """The judge's orders, each with the file descriptors that came along."""
    rest, descriptors = b"", []
    with socket.socket(fileno=fd) as judge:
        while True:
            data, received, _, _ = socket.recv_fds(judge, 1 << 16, MOST_DESCRIPTORS)
            if not data:
                return
            descriptors += received
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                yield json.loads(line), descriptors
                descriptors = []


class Clock:
    """Runs the kernel on the judge's sets of buffers between two CUDA events."""

    def __init__(
        self, session: Session, memories: Sequence[SharedMemory], layout: Slots, scalars: Mapping[str, int | float]
    ):
        self.session = session
        self.cuda: Runtime = session.cuda
        self.memories = memories
        places = [{slot["name"]: memory.address + slot["offset"] for slot in layout} for memory in memories]
        self.calls = [session.arguments(addresses, scalars) for addresses in places]
        self.start, self.stop = self.cuda.event(), self.cuda.event()
        self.flush_bytes = 2 * self.cuda.l2_bytes()
        self.flush = self.cuda.malloc(self.flush_bytes)

    def once(self, number: int) -> float:
        """Microseconds of one run whose data the L2 does not hold."""
        self.cuda.forget_persisting_lines()
        for _ in range(FLUSHES):
            self.cuda.fill(self.flush, self.flush_bytes, self.session.stream)
        return self._timed([number])

    def many(self, numbers: Sequence[int]) -> float:
        """Microseconds of all these runs in a row."""
        return self._timed(numbers)

    def _timed(self, numbers: Sequence[int]) -> float:
        self.cuda.record(self.start, self.session.stream)
        for number in numbers:
            self.session.call(self.calls[number])
        self.cuda.record(self.stop, self.session.stream)
        self.session.finish()
        return self.cuda.elapsed_us(self.start, self.stop)
