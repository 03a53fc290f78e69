"""The judge's watch over a job: everything that a submission's process does ends as Evidence.

The judge reads JSON lines and plain text, never a pickle; lines that are too long, or that lack the job's token, are
dropped. What the submission prints is cut short, and the clock runs on whatever it does.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import re
import secrets
import selectors
import signal
import socket
import struct
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO

from grader.devices.evidence import ENDLESS, Build, CaseRun, Evidence, build_from_json, case_from_json
from grader.devices.worker.job import LONG, LOST, ON_THE_CLOCK, SPARE_SECONDS, Dialogue, Job
from grader.devices.worker.reaping import KEEP

MOST_OUTPUT_BYTES = 64 * 1024
MOST_LINE_BYTES = 16 << 20
BEGIN = b"B"
STOP_SECONDS = 10.0  # for the server to end a worker, or itself
# The C library has found its memory damaged, and says so before it calls abort().
_DAMAGE = re.compile(
    r"^(?:double free|(?:free|malloc|realloc|calloc|munmap_chunk)\(\)|malloc_consol\w+|corrupted )", re.M
)


class RunningJob:
    """One job in a worker: collects events and output, watches the clock, and puts the worker's end into a sentence."""

    def __init__(self, job: Job, folder: Path, on_event: Callable[[dict[str, Any]], None]):
        self.job = job
        self.folder = folder
        self.on_event = on_event
        self.token = secrets.token_hex(16)
        self.found = Evidence()
        self.lines = EventLines(self.token)
        self.output = bytearray()
        self.where = "before it began"
        self.finished = False
        self.building = False  # the compiler is at work
        self.theirs = False  # whether anything of the submission may have run
        self.broken = ""
        self.meddled = False
        self.timed_out = False
        self.cancelled = False
        self.look_from = self.look_at = math.inf  # when the judge is asked whether that is enough: at first, and next
        self.status: int | None = None  # the worker's wait status; None if the server ended before it
        self.deadline = time.monotonic() + job.build_seconds
        self.last_deadline = time.monotonic() + job.longest  # whatever the events say
        self.server: socket.socket | None = None
        self.orders: socket.socket | None = None
        self.dialogue: Dialogue | None = None
        self.talked = False
        self.begun = self.has_turn = False  # may run the cases; may use the card
        self.failed: Exception | None = None  # the judge's own fault, to be raised when all is cleared away

    def follow(self, server: socket.socket, replies: TextIO) -> None:
        """Sends the job and fills `found`; comes back when the worker and everything below it have ended."""
        start, self.server = time.monotonic(), server
        events, output = os.pipe(), os.pipe()
        self.orders, theirs = socket.socketpair()
        self.orders.setblocking(False)  # a worker that does not read its orders gets none
        try:
            try:
                self._send(server, [self.job.arena.fd, events[1], output[1], theirs.fileno()])
            finally:
                theirs.close()
                os.close(events[1])
                os.close(output[1])
            self.status = self._listen(server, replies, {events[0]: self._take_events, output[0]: self._take_output})
        except ConnectionError:
            pass  # the server has ended
        finally:
            if self.dialogue:
                self.dialogue.close()
            self.orders.close()
            os.close(events[0])
            os.close(output[0])
        if self.failed:
            raise self.failed
        self._conclude()
        self.found.seconds = time.monotonic() - start

    def _send(self, server: socket.socket, descriptors: list[int]) -> None:
        payload = json.dumps(self.job.to_json(self.folder, self.token)).encode()
        socket.send_fds(server, [b"J"], descriptors)
        server.sendall(struct.pack("!Q", len(payload)) + payload)

    def _listen(self, server: socket.socket, replies: TextIO, takers: dict[int, Callable[[bytes], None]]) -> int | None:
        """Reads until the server reports the worker's wait status; None if the server itself has ended."""
        with selectors.DefaultSelector() as selector:
            selector.register(server, selectors.EVENT_READ)
            for pipe in takers:
                os.set_blocking(pipe, False)
                selector.register(pipe, selectors.EVENT_READ)
            if cancel := self.job.cancel:
                selector.register(cancel.fd, selectors.EVENT_READ)
            while True:
                until = min(self.deadline, self.look_at)
                ready = {key.fd for key, _ in selector.select(max(until - time.monotonic(), 0))}
                if time.monotonic() > self.look_at:
                    self._ask_if_enough()
                if cancel and cancel.fd in ready:
                    selector.unregister(cancel.fd)
                    self.cancelled = True
                    self.deadline = self.deadline if self.timed_out else 0.0  # as if its time were up
                if time.monotonic() > self.deadline:
                    if self.timed_out:
                        return None  # the server has been stopped, too
                    self.timed_out, self.deadline = True, time.monotonic() + STOP_SECONDS
                    server.sendall(b"S")
                for pipe in ready & set(takers):
                    data = _read(pipe)
                    takers[pipe](data or b"")
                    if data == b"":
                        selector.unregister(pipe)
                if server.fileno() in ready:
                    reply = read_reply(replies)
                    for pipe, take in takers.items():
                        while data := _read(pipe):
                            take(data)
                    return reply["ended"] if reply else None

    def _take_output(self, data: bytes) -> None:
        self.output += data[: MOST_OUTPUT_BYTES + 1 - len(self.output)]

    def _take_events(self, data: bytes) -> None:
        for event in self.lines.feed(data):
            try:
                self._note(event)
            except (TypeError, KeyError, ValueError, AttributeError):
                continue  # not from our worker
            self.on_event(event)

    def _note(self, event: dict[str, Any]) -> None:
        limit = self.job.build_seconds
        match event["event"]:
            case "preparing":
                self.where, limit = "while the emulator was prepared", 2 * self.job.build_seconds
            case "building":
                self.building, self.where = True, "while the file was built and loaded"
            case "compiled":
                self.building, self.where = False, "while CUDA started"
                if self.job.gpu and not self.has_turn:
                    self.has_turn = True
                    self._let_on_after(self.job.gpu.take_turn)
            case "loading":
                if not self.theirs:  # what comes later may be the submission's word
                    self.found.sandbox = event["sandbox"]
                if self.server and not self.theirs:
                    self.server.sendall(KEEP)
                self.building, self.theirs, self.where = False, True, "while the file was loaded"
            case "built":
                self.building, self.found.build = False, build_from_json(event["build"])
                self.where = "after the build"
                if not self.begun:
                    self.begun = True
                    self._let_on_after(self.job.inputs)
            case "running":
                self.where = f"in case {event['case']}"
                if self.job.enough and self.look_from == math.inf:
                    self.look_from = self.look_at = time.monotonic() + LONG * self.job.seconds
                limit = (1.0 if self.job.gpu else ON_THE_CLOCK) * self.job.seconds + SPARE_SECONDS
            case "again":  # an earlier case is called once more: were that cut, its outputs would be half of each call
                self.look_from = self.look_at = math.inf
                limit = ON_THE_CLOCK * self.job.seconds + SPARE_SECONDS
            case "case":
                self._take_case(case_from_json(event["case"]))
                self.where = f"after case {event['case']['name']}"
            case "ready" | "answer":
                self.where = "while it was timed"
                limit = self.job.seconds + SPARE_SECONDS
                self._talk(event)
            case "broken":
                self.broken = f"the grader failed {self.where}: {event['message']}"
            case "unsafe":
                self.broken = str(event["message"])
            case "end":
                if event["stopped"]:
                    self.found.problem, self.found.ended = event["stopped"]["problem"], event["stopped"]["ended"]
                self.finished = True
        if not self.timed_out:
            self.deadline = min(time.monotonic() + limit, self.last_deadline)

    def _take_case(self, run: CaseRun) -> None:
        """Keeps a case in its turn. One that comes too often, or too early, is the submission's invention."""
        number = len(self.found.cases)
        if number < len(self.job.cases) and run.name == self.job.cases[number][0]:
            self.found.cases.append(run)
            self.look_at = self.look_from
        else:
            self.meddled = True

    def _ask_if_enough(self) -> None:
        """Ends the worker if a case that ran is wrong; if none is, the next one that has run is looked at, too."""
        self.look_at = math.inf
        if self.job.enough and not (self.timed_out or self.finished) and self.job.enough(self.found):
            self.found.cut, self.deadline = True, 0.0  # as if its time were up

    def _let_on_after(self, wait: Callable[[], object] | None) -> None:
        """Once this has come back. If that fails, the worker is not to wait for it, either."""
        if self.orders is None:
            return
        start = time.monotonic()
        try:
            if wait:
                wait()
        except Exception as error:
            self.failed = error
            self.orders.close()
            return
        self.last_deadline += time.monotonic() - start  # that time was not the submission's
        with contextlib.suppress(OSError):  # the worker is gone; its end will be told
            self.orders.send(BEGIN)

    def _talk(self, event: dict[str, Any]) -> None:
        """Hands the worker's answer to the dialogue, and the dialogue's next order to the worker."""
        from grader.devices.cuda.orders import Do

        gpu = self.job.gpu
        answer: dict[str, Any] | None = event
        if event["event"] == "ready" and gpu and gpu.dialogue and not self.talked:
            self.dialogue, self.talked, answer = gpu.dialogue(self.found), True, None
        if self.dialogue is None or self.orders is None:
            return  # there is nothing to order
        try:
            order = next(self.dialogue) if answer is None else self.dialogue.send(answer)
        except Exception as error:
            self.dialogue, order = None, {"do": Do.END}
            self.failed = None if isinstance(error, StopIteration) else error
        descriptors = order.pop("descriptors", [])
        with contextlib.suppress(OSError):  # the worker is gone; its end will be told
            socket.send_fds(self.orders, [json.dumps(order).encode() + b"\n"], descriptors)

    def _conclude(self) -> None:
        cut = len(self.output) > MOST_OUTPUT_BYTES
        text = self.output[:MOST_OUTPUT_BYTES].decode(errors="replace")
        self.found.output = text + "\n[the rest is cut]\n" if cut else text
        if self.meddled:
            self.found.cases.clear()  # any of them may be invented
            self.found.problem, self.found.ended = "crash", "the host code wrote into the grader's own files"
        if self.found.cut or (self.finished and self.status == 0):
            return
        if self.timed_out and self.building:
            limit = f"the compiler did not finish within {self.job.build_seconds:g} s and was stopped"
            self.found.build = Build("build_error", f"{limit}: {ENDLESS} Or is the machine busy?")
            return
        is_ours = not self.theirs or (self.status is None and not self.timed_out)
        self.found.problem = "not_graded" if is_ours else "timeout" if self.timed_out else "crash"
        if self.timed_out:
            self.found.ended = self._timeout()
        elif self.status is None:
            self.found.ended = f"the grader's own helper process was killed {self.where}: try it again"
        elif self.broken:
            self.found.ended = self.broken
        else:
            self.found.ended = f"{_cause(self.status, text)} {self.where}{'' if is_ours else _advice(self.status)}"

    def _timeout(self) -> str:
        if "prepared" in self.where:
            minutes = 2 * self.job.build_seconds / 60
            return f"preparing the emulator took more than {minutes:g} minutes: try again when the machine is less busy"
        if self.found.build is None:
            said = f"loading the file took more than {self.job.build_seconds:g} s and was stopped"
            return f"{said}: look at what its global variables do to get their first values"
        if self.talked and self.job.gpu:
            call = f"{self.job.task}({self.job.gpu.timed_case})"
            return f"a timed run of {call} took more than {self.job.seconds:g} s and was stopped: that is far too slow"
        who = "the kernel, or the host code," if self.job.gpu else "the host code"
        said = f"{who} did not come back within {self.job.seconds:g} s {self.where}"
        return f"{said}: look for a loop that never ends, or for something that it waits for"


class EventLines:
    """Cuts a byte stream into the events of one job. What lacks its token, or is too long, is dropped."""

    def __init__(self, token: str):
        self.start = f"{token} ".encode()
        self.rest = b""

    def feed(self, data: bytes) -> list[dict[str, Any]]:
        *lines, self.rest = (self.rest + data).split(b"\n")
        if len(self.rest) > MOST_LINE_BYTES:
            self.rest = b"too long"
        return [event for line in lines if line.startswith(self.start) and (event := self._event(line)) is not None]

    def _event(self, line: bytes) -> dict[str, Any] | None:
        try:
            event = json.loads(line[len(self.start) :])
        except (ValueError, RecursionError):
            return None
        return event if isinstance(event, dict) else None


def _read(pipe: int) -> bytes | None:
    """What is there now: empty at the end, None if nothing has come yet."""
    try:
        return os.read(pipe, 1 << 16)
    except BlockingIOError:
        return None


def read_reply(replies: TextIO) -> dict[str, Any] | None:
    """The server's next word; None if it has ended."""
    try:
        line = replies.readline()
    except OSError:
        return None
    return json.loads(line) if line else None


def _cause(status: int, output: str) -> str:
    """How a process ended, from its wait status, as the beginning of a sentence."""
    if os.WIFEXITED(status):
        if os.WEXITSTATUS(status) == LOST:
            return "the host code closed files that are the grader's"
        return f"the process ended by itself with exit code {os.WEXITSTATUS(status)}"
    number = os.WTERMSIG(status)
    if number == signal.SIGABRT and "terminate called" in output:
        return "the host code threw an exception that it does not catch"
    if number == signal.SIGABRT and _DAMAGE.search(output):
        return "the host code wrote past the end of what malloc or new gave it, or freed that twice"
    causes: dict[int, str] = {
        signal.SIGSEGV: "the host code crashed with a segmentation fault",
        signal.SIGBUS: "the host code crashed with a bus error",
        signal.SIGFPE: "the host code divided an integer by zero",
        signal.SIGILL: "the host code ran into an illegal instruction",
        signal.SIGABRT: "the host code called abort (a failed assert, perhaps)",
        signal.SIGKILL: "the process was killed by the system, most likely for want of memory,",
        signal.SIGXFSZ: "the host code wrote a file larger than it may",
    }
    return causes.get(number, f"the process was ended by signal {number} ({signal.strsignal(number)})")


def _advice(status: int) -> str:
    if os.WIFEXITED(status) and os.WEXITSTATUS(status) != LOST:
        return ": remove the call of exit()"
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGSEGV, signal.SIGBUS):
        return ": look for a null or freed pointer, an index outside an array, or a malloc that failed"
    return ""
