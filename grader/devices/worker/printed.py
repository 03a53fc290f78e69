"""What a process of a job prints, and where that goes."""

from __future__ import annotations

import ctypes
import os
import sys

MOST_PRINTED = 1 << 16  # bytes that are taken of it: a report shows a few lines


def flush() -> None:
    """Has all that was printed leave the process."""
    sys.stdout.flush()
    ctypes.CDLL(None).fflush(None)


def be_silent() -> None:
    """What is printed from now on is lost: a first run has printed it."""
    _send_to(os.open(os.devnull, os.O_WRONLY))


def collect() -> int:
    """A file without a name, which all goes to that is printed from now on."""
    sys.stdout.flush()
    file = os.memfd_create("printed ahead")
    kept = os.dup(file)
    _send_to(file)
    return kept


def take(file: int) -> str:
    """What is in such a file, its first bytes; it is empty then."""
    flush()
    printed = os.pread(file, MOST_PRINTED, 0)
    os.ftruncate(file, 0)
    os.lseek(file, 0, os.SEEK_SET)
    return printed.decode(errors="replace")


def _send_to(file: int) -> None:
    for number in (1, 2):
        os.dup2(file, number)
    os.close(file)
