"""The worker's side of a GPU: runs the small cases on copies of the shared memory, then whatever the judge orders.

The orders of the timing are those of `devices/cuda/orders.py`.
"""

from __future__ import annotations

import ctypes
import json
import socket
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from grader.course.prototype import Prototype, bind
from grader.devices.buffers import WorkerMemory, spans
from grader.devices.cuda.clock import FLUSHES
from grader.devices.cuda.errors import ends_the_context, finding_of
from grader.devices.cuda.launches import Launches
from grader.devices.cuda.orders import Do
from grader.devices.cuda.runtime import CudaError, Runtime, runtime
from grader.devices.cuda.shared_memory import SharedMemory
from grader.devices.evidence import CaseRun, Finding, launch_notes

MOST_DESCRIPTORS = 253  # that one message can carry (Linux, SCM_MAX_FD)
Tell = Callable[..., None]
Slots = Sequence[Mapping[str, Any]]


class Session:
    """A built library on the GPU. Every run ends with a device-wide wait, whatever stream the work was put on."""

    def __init__(self, library: ctypes.CDLL, task: Prototype):
        self.cuda = runtime()
        self.task = task
        self.stream = self.cuda.stream()
        self.launches = Launches(library, self.cuda, self.stream)
        self._entry = bind(library[task.name], task.parameters)

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
    parts = spans(job["layout"], memory.bytes)
    for case, slots, (first, end) in zip(job["cases"], job["layout"], parts, strict=True):
        tell("running", case=case["name"])
        addresses = {slot["name"]: device + slot["offset"] for slot in slots}
        start = time.perf_counter()
        with session.launches.watched():
            finding = _fault(session, session.arguments(addresses, case["scalars"]))
        run = CaseRun(case["name"], [finding] if finding else [], seconds=time.perf_counter() - start)
        fatal = finding if finding and ends_the_context(finding.details["cuda_error"]) else None
        if not fatal:
            run.launches = session.launches.facts()
            run.findings += launch_notes(run.launches)
            cuda.copy(memory.address + first, device + first, end - first)
        tell("case", case=run)
        if fatal:
            problem = fatal.kind if fatal.kind in ("out_of_bounds", "misaligned", "timeout") else "crash"
            return {"problem": problem, "ended": f"{fatal.message} (case {case['name']})"}
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
                case Do.OPEN | Do.COPIES:
                    sets = _shared(order, descriptors) if order["do"] == Do.OPEN else _own(order, descriptors[0])
                    clock = Clock(session, sets, order["layout"], scalars)
                    tell("answer")
                case Do.END:
                    return
                case _ if clock:
                    tell("answer", **clock.obey(order))
        except CudaError as error:
            session.cuda.last_error()
            tell("answer", failed=finding_of(error.code, error.name, str(error)))


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


@dataclass(frozen=True)
class Sets:
    """Sets of buffers on the GPU, by address; `staging` is the host memory through which they are filled and read."""

    addresses: Sequence[int]
    bytes: int
    staging: int = 0
    keep: Sequence[object] = ()  # what must live as long as the addresses are used


def _shared(order: Mapping[str, Any], descriptors: Sequence[int]) -> Sets:
    memories = [SharedMemory(order["bytes"], descriptor) for descriptor in descriptors]
    return Sets([memory.address for memory in memories], order["bytes"], keep=memories)


def _own(order: Mapping[str, Any], descriptor: int) -> Sets:
    staging = WorkerMemory(descriptor, [])
    runtime().pin(staging.address, staging.bytes)
    addresses = [runtime().malloc(order["bytes"]) for _ in range(order["sets"])]
    return Sets(addresses, order["bytes"], staging.address, [staging])


class Clock:
    """Runs the kernel on the judge's sets of buffers between two CUDA events."""

    def __init__(self, session: Session, sets: Sets, layout: Slots, scalars: Mapping[str, int | float]):
        self.session, self.sets = session, sets
        self.cuda: Runtime = session.cuda
        places = [{slot["name"]: address + slot["offset"] for slot in layout} for address in sets.addresses]
        self.calls = [session.arguments(addresses, scalars) for addresses in places]
        self.start, self.stop = self.cuda.event(), self.cuda.event()
        self.flush_bytes = 2 * self.cuda.l2_bytes()
        self.flush = self.cuda.malloc(self.flush_bytes)
        self.graph = 0

    def obey(self, order: Mapping[str, Any]) -> dict[str, Any]:
        """Carries out an order; what to answer."""
        match order["do"]:
            case Do.PUT:
                self.cuda.copy(self.sets.addresses[order["set"]], self.sets.staging, self.sets.bytes)
            case Do.GET:
                self.cuda.copy(self.sets.staging, self.sets.addresses[order["set"]], self.sets.bytes)
            case Do.LOOK:
                with self.session.launches.watched():
                    us = self._timed([order["set"]])
                return {"us": us, "launches": self.session.launches.facts()}
            case Do.ONCE:
                self._flush()
                return {"us": self._timed([order["set"]])}
            case Do.MANY:
                self._flush()
                return {"us": self._timed(order["sets"])}
            case Do.CAPTURE:
                self._capture(order["sets"])
            case Do.REPLAY:
                self._flush()
                return {"us": self._replayed(order["times"])}
        return {}

    def _flush(self) -> None:
        """Takes out of the L2 whatever it holds, and keeps the GPU busy until the host has launched what comes next."""
        self.cuda.forget_persisting_lines()
        for _ in range(FLUSHES):
            self.cuda.fill(self.flush, self.flush_bytes, self.session.stream)

    def _timed(self, numbers: Sequence[int]) -> float:
        """Microseconds of a run on each of these sets, one after the other."""
        with self._between_events() as microseconds:
            for number in numbers:
                self.session.call(self.calls[number])
        return microseconds[0]

    def _capture(self, numbers: Sequence[int]) -> None:
        """Notes down a run on each of these sets, and waits for what runs nevertheless."""
        stream = self.session.stream
        self.cuda.begin_capture(stream)
        try:
            for number in numbers:
                self.session.call(self.calls[number])
        finally:
            graph = self.cuda.end_capture(stream)
        if self.graph:
            self.cuda.forget(self.graph)
        self.graph = graph
        self.session.finish()

    def _replayed(self, times: int) -> float:
        with self._between_events() as microseconds:
            for _ in range(times):
                self.cuda.launch(self.graph, self.session.stream)
        return microseconds[0]

    @contextmanager
    def _between_events(self) -> Iterator[list[float]]:
        """Holds the microseconds of what was put on the stream, once it is left."""
        microseconds: list[float] = []
        self.cuda.record(self.start, self.session.stream)
        yield microseconds
        self.cuda.record(self.stop, self.session.stream)
        self.session.finish()
        microseconds.append(self.cuda.elapsed_us(self.start, self.stop))
