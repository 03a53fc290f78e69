"""The standby server: holds torch, listens for some minutes, and forks a process for each command that comes.

    server  --fork-->  usher  --fork-->  command  --fork-->  server of its workers (devices/worker/server.py)

It never reads what a command is about. The server of the workers is forked before the command learns it, so that
neither holds what a submission must not see; the usher ends the command if the process that has asked for it ends.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import importlib
import io
import json
import os
import select
import signal
import socket
import struct
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any, NoReturn

from grader.devices.worker.server import ForkServer, adopt, has_gpu, import_torch, warm
from grader.faces.exit import INTERRUPTED
from grader.faces.standby import NOT_BEGUN
from grader.faces.standby_place import Place, may_ask, standing, version

STAY_SECONDS = 600.0  # after the last command
REQUEST_SECONDS = 10.0  # for a command to come, once there is a connection
STREAMS = 3
_PR_SET_PDEATHSIG = 1

# What a verdict imports, besides torch.
_NEEDED = (
    "grader.faces.cli",
    "grader.grade",
    "grader.devices.build.conditions",
    "grader.devices.cuda.machine_code",
    "grader.judge.added_up",
    "grader.judge.inputs",
    "grader.judge.fewer_elements",
    "grader.judge.one_block",
    "grader.judge.one_value",
    "grader.judge.real_size",
    "grader.judge.weigh",
    "grader.judge.wide",
    "grader.model.withheld",
    "grader.report.json_",
    "grader.report.modelled",
    "grader.report.sass",
    "grader.report.terminal",
    "grader.report.worst",
)


def main() -> None:
    """Serves. Arguments: its name, the descriptor of the sockets' folder, and for how many seconds it stays unused."""
    name, place = sys.argv[1], Place(int(sys.argv[2]))
    stay = float(sys.argv[3]) if len(sys.argv) > 3 else STAY_SECONDS
    before = version()
    os.chdir("/")
    listener = place.listen(name)
    if listener is None:
        return
    ours = place.facts(name)

    def is_reachable() -> bool:
        now = place.facts(name)
        return now is not None and ours is not None and os.path.samestat(now, ours)

    try:
        _prepare()
        serve(listener, place, lambda: is_reachable() and version() == before, stay)
    finally:
        if is_reachable():
            place.forget(name)


def _prepare() -> None:
    """Imports what commands wait for. Raises RuntimeError where a fork would not be safe."""
    import_torch(to_build=has_gpu())
    for module in _NEEDED:
        importlib.import_module(module)
    warm()
    if len(os.listdir("/proc/self/task")) > 1:
        raise RuntimeError("a library has started threads, which a fork would lack")
    gc.freeze()  # as import_torch does


def serve(listener: socket.socket, place: Place, is_current: Callable[[], bool], stay: float) -> None:
    """Forks an usher for each process that may ask, until none has come for so many seconds, or files have changed."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the ushers are not waited for
    ours, last = standing("self"), time.monotonic()
    while (left := last + stay - time.monotonic()) > 0:
        if not select.select([listener], [], [], left)[0]:
            return
        connection, _ = listener.accept()
        with connection:
            if not is_current():
                return
            if may_ask(connection, ours) and not _has_left(connection):
                last = time.monotonic()
                if os.fork() == 0:
                    listener.close()
                    os.close(place.fd)
                    _usher(connection)


def _has_left(connection: socket.socket) -> bool:
    """Whether the other end was closed at once: `ladder doctor` only looks who is there."""
    try:
        return connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
    except OSError:
        return False


# ---- one command ----


def _usher(connection: socket.socket) -> NoReturn:
    """Forks the command, tells how it ends, and ends it if the process that waits for it is gone."""
    status = 1
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        usher, command = os.getpid(), os.fork()
        if command == 0:
            _become_command(connection, usher)
        _say(connection, {"process": command})
        ended = os.pidfd_open(command)
        waiting = select.poll()
        waiting.register(connection, 0)  # hears when the other end is closed
        waiting.register(ended, select.POLLIN)
        if ended not in dict(waiting.poll()):
            with contextlib.suppress(OSError):
                os.killpg(command, signal.SIGKILL)
        _say(connection, {"status": os.waitpid(command, 0)[1]})
        status = 0
    finally:
        os._exit(status)


def _become_command(connection: socket.socket, usher: int) -> NoReturn:
    code = NOT_BEGUN
    try:
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() == usher:
            os.setpgid(0, 0)
            workers = ForkServer(forked=True), ForkServer(forked=True)  # before anything is known
            _take_place(*_receive(connection), lambda: _say(connection, {"prints": True}))
            for each in workers:
                each.settle()
            code = 1
            code = _command(*workers)
    except Exception:
        if code != NOT_BEGUN:
            traceback.print_exc()
    finally:
        os._exit(code)


def _command(workers: ForkServer, others: ForkServer) -> int:
    """Its exit code."""
    from grader.faces import cli

    with workers, others, adopt(workers, others):
        try:
            code = cli.run(sys.argv[1:])
        except SystemExit as ended:  # click's, after a closed pipe
            code = ended.code if isinstance(ended.code, int) else 1
        except KeyboardInterrupt:
            code = INTERRUPTED
        return code if _flushed() else 120  # Python's own exit code for that


def _receive(connection: socket.socket) -> tuple[dict[str, Any], list[int]]:
    """What is asked for, and the asking process's streams and current folder."""
    connection.settimeout(REQUEST_SECONDS)
    _, descriptors, _, _ = socket.recv_fds(connection, 1, STREAMS + 1)
    (left,) = struct.unpack("!Q", connection.recv(8, socket.MSG_WAITALL))
    data = b""
    while len(data) < left:
        part = connection.recv(left - len(data))
        if not part:
            raise ConnectionError("the asking process has ended")
        data += part
    connection.settimeout(None)
    return json.loads(data), descriptors


def _take_place(request: dict[str, Any], descriptors: list[int], on_print: Callable[[], None]) -> None:
    """Becomes to all intents the process that asks, but for its number. Raises OSError where that does not go."""
    *streams, folder = descriptors
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    os.fchdir(folder)
    for descriptor in descriptors:
        os.close(descriptor)
    os.umask(request["umask"])
    os.environ.clear()
    os.environ.update(request["environment"])
    time.tzset()
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM, signal.SIGTSTP):
        signal.signal(number, signal.SIG_IGN if number in request["ignored"] else signal.SIG_DFL)
    if signal.SIGINT not in request["ignored"]:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.argv = ["ladder", *request["arguments"]]
    sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, closefd=False)), sys.stdin.encoding, sys.stdin.errors)
    output, errors = io.BufferedWriter(_Output(on_print)), io.BufferedWriter(io.FileIO(2, "w", closefd=False))
    sys.stdout = _text(output, sys.stdout, line_buffering=os.isatty(1))
    sys.stderr = _text(errors, sys.stderr, line_buffering=True)


def _text(buffer: Any, like: Any, line_buffering: bool) -> io.TextIOWrapper:
    return io.TextIOWrapper(buffer, like.encoding, like.errors, line_buffering=line_buffering)


class _Output(io.FileIO):
    """The standard output; says when something comes out of it for the first time."""

    def __init__(self, on_print: Callable[[], None]):
        super().__init__(1, "w", closefd=False)
        self._on_print: Callable[[], None] | None = on_print

    def write(self, data: Any) -> int:
        if self._on_print:
            self._on_print()
            self._on_print = None
        return super().write(data)


def _flushed() -> bool:
    try:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
    except (OSError, ValueError):
        return False
    return True


def _say(connection: socket.socket, reply: dict[str, Any]) -> None:
    with contextlib.suppress(OSError):  # the caller has gone; the usher hears of it
        connection.sendall(json.dumps(reply).encode() + b"\n")


if __name__ == "__main__":
    main()
    os._exit(0)  # nothing is left to be cleared away, and torch would take its time
