"""`ladder`, as it is typed. A command that grades is handed to a server that holds torch, for importing torch takes
longer than grading:

    ladder check 01  --arguments, environment, terminal-->  standby server  --fork-->  the same command
                     <--exit code--

The first such command starts the server (standby_server.py), and is its first one; `ladder start` starts it for the
command that will follow. Whatever goes wrong with it, the command does all itself, as every command does that
LADDER_SERVER=0 tells to.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import select
import signal
import socket
import struct
import sys
import time
from collections.abc import Iterator, Sequence
from types import FrameType
from typing import TextIO

from grader.faces.handover import Elsewhere, waiting
from grader.faces.standby_place import Place, key, variables, why_not

COMMANDS = ("check", "explain", "hunt", "submit", "view")
FOLLOWED = ("start", "hint")  # by one of them, as soon as the learner has typed a line
INTERRUPTED, FAILED = 130, 2  # as in exit.py, which imports more than a second command should wait for
NOT_BEGUN = 75  # exit code of a fork that could not take the place of the process that asks
ANSWER_SECONDS = 3.0  # for a server that is there; else it hangs
START_SECONDS = 60.0  # for one that imports torch, from a cold disk at worst
END_SECONDS = 20.0  # for a command to end, once it was interrupted


def main() -> None:
    """The console script: exits with the command's code."""
    arguments = sys.argv[1:]
    code = None
    if _is_movable(arguments) and _has_streams() and why_not() is None:
        with contextlib.suppress(OSError), Place.find() as place:
            code = _elsewhere(arguments, place)
    if code is None:
        code = _here(arguments)
    if code == 0 and arguments[:1] and arguments[0] in FOLLOWED and why_not() is None:
        with contextlib.suppress(OSError), Place.find() as place:
            _get_ready(place)
    sys.exit(code)


def _get_ready(place: Place) -> None:
    """Starts a server for the next command, and does not wait for it."""
    name = key()
    if place.facts(name) is None:
        _Starting(place, name)


def _is_movable(arguments: Sequence[str]) -> bool:
    """Whether a server may do it. A debugger must be in the terminal's foreground, where a server's fork is not."""
    debugs = any(argument.partition("=")[0] == "--debug" for argument in arguments)
    return bool(arguments) and arguments[0] in COMMANDS and not debugs


def _here(arguments: Sequence[str]) -> int:
    gc.set_threshold(100_000, 20)  # nearly all that a command makes is modules, which are no garbage
    from grader.faces import cli

    return cli.run(list(arguments))


def _elsewhere(arguments: Sequence[str], place: Place) -> int | None:
    """The exit code of the command, done by a server as far as it needs one; None if it is to be done here."""
    name = key()
    try:
        server = _reach(place, name)
        if server is None:
            token = waiting.set(_Starting(place, name).wait)
            try:
                return _here(arguments)
            except Elsewhere as found:
                server = found.server
            finally:
                waiting.reset(token)
        return server.carry_out(arguments)
    except KeyboardInterrupt:
        from grader.faces.exit import AFTER_CTRL_C

        print(f"\nladder: {AFTER_CTRL_C}", file=sys.stderr)
        return INTERRUPTED


def _has_streams() -> bool:
    """Whether there is something to hand over (not so after `2>&-`)."""
    try:
        return all(os.fstat(number) for number in range(3))
    except OSError:
        return False


# ---- reaching a server ----


def _reach(place: Place, name: str) -> Server | None:
    """The server of this name, if there is one. Raises TimeoutError if it does not answer, but may be about to."""
    connection = place.connect(name)
    if connection is None:
        return None
    try:
        return _greeted(connection, ANSWER_SECONDS)
    except TimeoutError:
        facts = place.facts(name)
        if not facts or time.time() < facts.st_mtime + START_SECONDS:
            raise
        place.forget(name)  # it hangs
        return None


def _greeted(connection: socket.socket, seconds: float) -> Server | None:
    """The server behind a connection, once it has said which process will do the command; None if it hangs up.

    Raises TimeoutError.
    """
    connection.settimeout(seconds)
    replies = connection.makefile("r")
    line = ""
    try:
        line = replies.readline()
    except ConnectionError:
        pass
    finally:
        if not line:
            connection.close()
    if not line:
        return None
    connection.settimeout(None)
    return Server(connection, replies, json.loads(line)["process"])


class _Starting:
    """A server that gets ready while this process goes on."""

    def __init__(self, place: Place, name: str):
        self.place, self.name = place, name
        import subprocess  # not above: a server is started once, and asked often

        command = [sys.executable, "-P", "-m", "grader.faces.standby_server", name, str(place.fd)]
        nothing = subprocess.DEVNULL
        self.process = subprocess.Popen(
            command,
            stdin=nothing,
            stdout=nothing,
            stderr=nothing,
            env=variables(),
            pass_fds=[place.fd],
            start_new_session=True,
        )

    def wait(self) -> Server | None:
        """The server, when it is ready. None if it will not be."""
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end:
            has_ended = self.process.poll() is not None  # for another one was quicker, say
            if connection := self.place.connect(self.name):
                with contextlib.suppress(TimeoutError):
                    return _greeted(connection, end - time.monotonic())
            if has_ended:
                break
            time.sleep(0.005)
        return None


# ---- a command that another process does ----


class Server:
    """A connection, and the process behind it that waits for a command."""

    def __init__(self, connection: socket.socket, replies: TextIO, process: int):
        self.connection, self.replies, self.process = connection, replies, process

    def carry_out(self, arguments: Sequence[str]) -> int | None:
        """The exit code of the command. None if nothing came of it, and nothing was printed."""
        with contextlib.suppress(OSError), self.connection, self._signals() as interrupted:
            self._send(arguments)
            printed = False
            while line := self._reply(interrupted):
                reply = json.loads(line)
                printed = printed or "prints" in reply
                if "status" in reply:
                    return _exit_code(reply["status"], printed, bool(interrupted))
        return INTERRUPTED if interrupted else None

    def _send(self, arguments: Sequence[str]) -> None:
        request = {
            "arguments": list(arguments),
            "environment": dict(os.environ),
            "umask": _umask(),
            "ignored": [number for number in signal.valid_signals() if signal.getsignal(number) == signal.SIG_IGN],
        }
        payload = json.dumps(request).encode()
        folder = os.open(".", os.O_PATH)  # it may have been removed: it is still the current one
        try:
            socket.send_fds(self.connection, [b"C"], [0, 1, 2, folder])
        finally:
            os.close(folder)
        self.connection.sendall(struct.pack("!Q", len(payload)) + payload)

    def _reply(self, interrupted: list[float]) -> str:
        """The next one, empty at the end. A command that does not end when it is interrupted is killed."""
        while not select.select([self.connection], [], [], 1.0)[0]:
            if interrupted and time.monotonic() > interrupted[0] + END_SECONDS:
                self._tell(signal.SIGKILL)
        return self.replies.readline()

    def _tell(self, number: int) -> None:
        """As a terminal does, to all processes of the command."""
        with contextlib.suppress(OSError):
            os.killpg(self.process, number)

    @contextlib.contextmanager
    def _signals(self) -> Iterator[list[float]]:
        """Ctrl-C and Ctrl-Z are for the command; whatever else ends this process ends it, too. When Ctrl-C came."""
        interrupted: list[float] = []

        def interrupt(number: int, frame: FrameType | None) -> None:
            interrupted.append(time.monotonic())
            self._tell(number)

        def suspend(number: int, frame: FrameType | None) -> None:
            self._tell(signal.SIGSTOP)
            os.kill(os.getpid(), signal.SIGSTOP)
            self._tell(signal.SIGCONT)

        handlers = {signal.SIGINT: interrupt, signal.SIGTSTP: suspend}
        before = {number: signal.getsignal(number) for number in handlers}
        for number, mine in handlers.items():
            if before[number] != signal.SIG_IGN:
                signal.signal(number, mine)
        try:
            yield interrupted
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def _exit_code(status: int, printed: bool, interrupted: bool) -> int | None:
    code = os.waitstatus_to_exitcode(status)
    if code == NOT_BEGUN:
        return None
    if code >= 0:
        return code
    if interrupted:
        return INTERRUPTED
    if not printed:
        return None
    print(f"ladder: the process that graded was ended by signal {-code}: type the command again", file=sys.stderr)
    return FAILED


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
