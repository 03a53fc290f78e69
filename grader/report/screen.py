"""A terminal taken over for a while: one page that is drawn again and again, keys at once, and all of it given back."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import termios
import tty
from collections.abc import Iterator, Sequence
from types import TracebackType

# Control sequences of ECMA-48 and xterm, which every terminal of the last decades understands.
ENTER, LEAVE = "\x1b[?1049h\x1b[?25l", "\x1b[0m\x1b[?25h\x1b[?1049l"  # the second page, without a cursor; and back
HOME, TO_LINE_END, TO_PAGE_END = "\x1b[H", "\x1b[0m\x1b[K", "\x1b[J"
NAMED_KEYS = {
    b"\x1b[A": "up",
    b"\x1bOA": "up",
    b"\x1b[B": "down",
    b"\x1bOB": "down",
    b"\x1b[5~": "page up",
    b"\x1b[6~": "page down",
    b" ": "page down",
    b"\x1b": "escape",
    b"\r": "enter",
    b"\n": "enter",
    b"\x04": "q",  # Ctrl-D
}
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGTSTP, signal.SIGWINCH)
WOKEN = 0  # what `Bell.ring` writes; signals write their number


class Bell:
    """Wakes the loop that waits for it: threads ring it, and so does every signal, which thus waits for its turn.

    So Ctrl-C never strikes in the middle of anything, such as giving the terminal back. Also a context manager.
    """

    def __enter__(self) -> Bell:
        self._reading, self._writing = os.pipe()
        os.set_blocking(self._reading, False)
        os.set_blocking(self._writing, False)
        caught = [number for number in SIGNALS if signal.getsignal(number) != signal.SIG_IGN]  # nohup's wish counts
        self._handlers = {number: signal.signal(number, _nothing) for number in caught}
        self._before = signal.set_wakeup_fd(self._writing, warn_on_full_buffer=False)
        return self

    def __exit__(self, *_: object) -> None:
        signal.set_wakeup_fd(self._before)
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        os.close(self._reading)
        os.close(self._writing)
        self._writing = -1

    def ring(self) -> None:
        with contextlib.suppress(OSError):  # full: it rings already; closed: no reader is left
            os.write(self._writing, bytes([WOKEN]))

    def wait(self, seconds: float | None, keyboard: int | None = None) -> tuple[set[int], bytes | None]:
        """Waits for a ring, a signal or a key: the signals, and the bytes typed (None if none, empty at the end)."""
        watched = [self._reading] if keyboard is None else [self._reading, keyboard]
        ready, _, _ = select.select(watched, [], [], seconds)
        rung = os.read(self._reading, 1024) if self._reading in ready else b""
        return set(rung) - {WOKEN}, _typed(keyboard) if keyboard in ready else None


def _nothing(number: int, frame: object) -> None:
    """Python calls a handler late and anywhere; the byte in the pipe is what counts."""


def _typed(keyboard: int) -> bytes:
    try:
        return os.read(keyboard, 1024)
    except OSError:  # the terminal is gone
        return b""


class Screen:
    """The terminal on stdin and stdout. A context manager: on the way out, everything is as it was."""

    def __enter__(self) -> Screen:
        self.keyboard = sys.stdin.fileno()
        self._saved = termios.tcgetattr(self.keyboard)
        self._take()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._give_back()

    def _take(self) -> None:
        tty.setcbreak(self.keyboard, termios.TCSANOW)  # what was typed before counts, too
        self._write(ENTER)

    def _give_back(self) -> None:
        with contextlib.suppress(OSError, termios.error):  # the terminal itself may be gone
            self._write(LEAVE)
            termios.tcsetattr(self.keyboard, termios.TCSAFLUSH, self._saved)

    @property
    def size(self) -> os.terminal_size:
        with contextlib.suppress(OSError):
            size = os.get_terminal_size(sys.stdout.fileno())
            if size.columns and size.lines:
                return size
        return os.terminal_size((80, 24))

    def draw(self, lines: Sequence[str]) -> None:
        """Shows the lines from the top; what does not fit is not shown. They must be no wider than the screen."""
        page = f"{TO_LINE_END}\r\n".join(lines[: self.size.lines])
        self._write(f"{HOME}{page}{TO_LINE_END}{TO_PAGE_END}")

    def suspend(self) -> None:
        """What Ctrl-Z asks for: gives the terminal back until `fg`."""
        self._give_back()
        os.kill(os.getpid(), signal.SIGSTOP)
        self._take()

    def _write(self, text: str) -> None:
        """Past sys.stdout, whose buffer would keep half a page for the next writer."""
        data = text.encode(sys.stdout.encoding or "utf-8", "replace")
        while data:
            data = data[os.write(sys.stdout.fileno(), data) :]


def keys(typed: bytes) -> Iterator[str]:
    """What was pressed: "h", "up", "escape". Sequences of keys that have no name here are skipped."""
    while typed:
        length = _length(typed)
        key, typed = typed[:length], typed[length:]
        if key in NAMED_KEYS:
            yield NAMED_KEYS[key]
        elif length == 1 and 32 < key[0] < 127:
            yield key.decode()


def _length(typed: bytes) -> int:
    """Bytes of the first key: 1, or the whole of an escape sequence."""
    if typed[:2] not in (b"\x1b[", b"\x1bO"):
        return 1
    for end, byte in enumerate(typed[2:], 3):
        if 0x40 <= byte <= 0x7E:
            return end
    return len(typed)
