"""A program on a pseudo-terminal: types, reads, and keeps the page that a person would see."""

from __future__ import annotations

import codecs
import contextlib
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
from pathlib import Path

PATIENCE = 180.0  # seconds; a busy machine is slow, and only a hang is a fault
TOKEN = re.compile(r"\x1b\[([?0-9;]*)([A-Za-z])|\x1b.|[\r\n]|[^\x1b\r\n]+", re.DOTALL)


class Terminal:
    """Runs a command on a terminal of its own. A context manager: on the way out the command has ended."""

    def __init__(self, command: list[str], columns: int = 80, lines: int = 24, **options):
        self.columns, self.lines = columns, lines
        self.ours, self.theirs = pty.openpty()
        self.resize(columns, lines)
        self.before = termios.tcgetattr(self.theirs)
        self.page = Page(columns, lines)
        self.said = ""  # all of it, as it came
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")  # a character may come in two parts
        self.process = subprocess.Popen(
            command, stdin=self.theirs, stdout=self.theirs, stderr=self.theirs, preexec_fn=self._own, **options
        )

    def _own(self) -> None:
        """In the child: a session of its own, so that Ctrl-C at this terminal is for it."""
        os.setsid()
        fcntl.ioctl(self.theirs, termios.TIOCSCTTY, 0)

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.ours)
        os.close(self.theirs)

    def resize(self, columns: int, lines: int) -> None:
        fcntl.ioctl(self.theirs, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def type(self, text: str) -> None:
        os.write(self.ours, text.encode())

    def read(self, seconds: float = 0.05) -> bool:
        """Takes what has come; whether anything has."""
        ready, _, _ = select.select([self.ours], [], [], seconds)
        data = b""
        with contextlib.suppress(OSError):
            data = os.read(self.ours, 1 << 16) if ready else b""
        text = self.decoder.decode(data)
        self.said += text
        self.page.feed(text)
        return bool(data)

    def until(self, *words: str, gone: str = "") -> str:
        """Reads until the page shows all these words, and no longer `gone`; the page's text."""
        end = time.monotonic() + PATIENCE
        while not (all(word in self.page.text for word in words) and (not gone or gone not in self.page.text)):
            assert time.monotonic() < end, f"{words} never came:\n{self.page.text}"
            self.read()
        return self.page.text

    def end(self) -> int:
        """Reads until the command has ended; its exit code."""
        end = time.monotonic() + PATIENCE
        while self.process.poll() is None:
            assert time.monotonic() < end, f"it does not end:\n{self.page.text}"
            self.read()
        while self.read():
            pass
        return self.process.returncode

    @property
    def restored(self) -> bool:
        """Whether echo, line editing, cursor and page are as they were."""
        return termios.tcgetattr(self.theirs) == self.before and self.page.cursor and not self.page.second


class Page:
    """As much of a terminal as `ladder` uses: text, line ends, and to clear, to go home, to hide and to show."""

    def __init__(self, columns: int, lines: int):
        self.columns, self.height = columns, lines
        self.rows, self.row, self.column = [""] * lines, 0, 0
        self.cursor, self.second, self.overflown = True, False, False
        self.rest = ""

    @property
    def text(self) -> str:
        return "\n".join(row.rstrip() for row in self.rows)

    def feed(self, text: str) -> None:
        text, self.rest = self.rest + text, ""
        if cut := re.search(r"\x1b(\[[?0-9;]*)?$", text):
            text, self.rest = text[: cut.start()], text[cut.start() :]
        for token in TOKEN.finditer(text):
            if token[2]:
                self._control(token[1], token[2])
            elif token[0] == "\r":
                self.column = 0
            elif token[0] == "\n":
                self._down()
            elif not token[0].startswith("\x1b"):
                self._write(token[0])

    def _control(self, numbers: str, letter: str) -> None:
        if letter == "H":
            self.row, self.column = 0, 0
        elif letter == "K":
            self.rows[self.row] = self.rows[self.row][: self.column]
        elif letter == "J":
            self.rows[self.row + 1 :] = [""] * (self.height - self.row - 1)
        elif numbers == "?25":
            self.cursor = letter == "h"
        elif numbers == "?1049":
            self.second = letter == "h"
            self.rows, self.row, self.column = [""] * self.height, 0, 0

    def _down(self) -> None:
        self.row += 1
        if self.row == self.height:
            self.rows, self.row, self.overflown = [*self.rows[1:], ""], self.height - 1, True

    def _write(self, text: str) -> None:
        line = self.rows[self.row].ljust(self.column)
        self.rows[self.row] = line[: self.column] + text + line[self.column + len(text) :]
        self.column += len(text)
        self.overflown = self.overflown or self.column > self.columns


def course(folder: Path, root: Path) -> Path:
    """A course of its own in `folder`, with this one's lessons."""
    for name in ("lessons", "kernels"):
        (folder / name).symlink_to(root / name)
    (folder / "work").mkdir()
    return folder
