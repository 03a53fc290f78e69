"""What the judge orders a worker on a GPU to do while it times a kernel: JSON lines, each with one of these under "do".

Each is answered, with {"failed": finding} if it went wrong. `judge/timing/speed.py` gives the orders in this sequence:

    open | copies -> look -> once (all sets: warm up) -> capture?
    rounds:   put?  capture? -> replay | once   get?
    batches:  put?  capture? -> replay | many   get?
    end
"""

from __future__ import annotations

from enum import StrEnum


class Do(StrEnum):
    """An order, with what comes along and what is answered."""

    OPEN = "open"  # bytes, layout, descriptors: maps the judge's sets of buffers -> {}
    COPIES = "copies"  # the same, and sets: where GPU memory cannot be shared, has sets of its own -> {}
    PUT = "put"  # set: copies the shared host memory to a set -> {}
    GET = "get"  # set: copies a set to the shared host memory -> {}
    LOOK = "look"  # set: runs the kernel and watches its launches -> {"us", "launches"}
    ONCE = "once"  # set: flushes the L2, runs the kernel on a set -> {"us": by CUDA events}
    MANY = "many"  # sets: the same on each in turn, without a pause -> {"us": of all together}
    CAPTURE = "capture"  # sets: notes down the runs on these sets as a graph -> {}
    REPLAY = "replay"  # times: flushes the L2, runs the graph so many times -> {"us": of all together}
    END = "end"  # -> no answer
