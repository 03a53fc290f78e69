"""Runs of which nothing but the results is wanted: no access is looked at, which is many times as fast.

What a kernel does wrong besides is not seen here. So what is wrong in such a run is a reason to look, or is held
against the reference by itself.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from grader.course.prototype import Prototype
from grader.devices.emulator.entry import POISON, View, size_of_data
from grader.devices.emulator.looking import silence
from grader.devices.emulator.session import Session
from grader.devices.evidence import CaseRun

SECONDS = 4.0  # of processor time, for a case


@contextmanager
def unwatched(session: Session, only: Sequence[int] = ()) -> Iterator[None]:
    """What the session calls meanwhile is neither counted nor checked; of a launch that has these blocks, `only` they
    run, in ascending order.
    """
    before, session.counting = session.counting, False
    session.runtime.ladder_session_unwatched(1)
    session.runtime.ladder_session_only_blocks((ctypes.c_uint64 * len(only))(*only), ctypes.c_size_t(len(only)))
    try:
        with silence():
            yield
    finally:
        session.runtime.ladder_session_only_blocks(None, ctypes.c_size_t(0))
        session.runtime.ladder_session_unwatched(0)
        session.counting = before


def run_unwatched(
    session: Session,
    name: str,
    task: Prototype,
    buffers: Mapping[str, View],
    scalars: Mapping[str, int | float],
    mapping: tuple[int, int] | None,
    only: Sequence[int] = (),
) -> CaseRun:
    """Calls the task's entry point. The run is `alone` if it came to its end: its outputs are those of all blocks, or
    of these `only`.
    """
    with unwatched(session, only):
        session.begin(task, session.build, session.threads, SECONDS, size_of_data(task, buffers, scalars), POISON)
        if mapping:
            session.runtime.ladder_session_mapping(*mapping)
        for each, view in buffers.items():
            session.runtime.ladder_session_buffer(each.encode(), view.address, view.bytes, int(view.writable))
        facts, took = session.enter(task, session.build, buffers, scalars)
    ended = all(finding["note"] for finding in facts["findings"])
    return CaseRun(name=name, launches=facts["launches"], seconds=took, alone=ended)
