"""What host code launches for each of many sizes, where no kernel runs: a call takes a moment then.

A file may work out by its host code, in loops and tables, for which sizes it does something else. To tell which sizes
differ it is enough to ask what is launched.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Mapping, Sequence

from grader.course.prototype import Prototype
from grader.devices.emulator.entry import POISON, View, size_of_data
from grader.devices.emulator.looking import silence
from grader.devices.emulator.session import Session
from grader.devices.evidence import CaseRun

SECONDS = 0.7  # of processor time, for all calls
_OF_A_CALL = 0.5


def host_ways(
    session: Session,
    name: str,
    task: Prototype,
    buffers: Mapping[str, View],
    scalars: Sequence[Mapping[str, int | float]],
    mapping: tuple[int, int] | None,
) -> CaseRun:
    """Calls the entry point with each of these scalars, with the same buffers; the run's `launches` say for each, as
    long as there was time, what was launched.
    """
    runtime, build, ways, begun = session.runtime, session.build, list[dict[str, str]](), time.process_time()
    runtime.ladder_session_noted.restype = ctypes.c_char_p
    with silence():
        for each in scalars:
            if time.process_time() - begun > SECONDS:
                break
            whole = [int(value) & 0xFFFFFFFF for value in each.values() if isinstance(value, int)]
            runtime.ladder_session_only_launches((ctypes.c_uint32 * len(whole))(*whole), ctypes.c_size_t(len(whole)))
            session.begin(task, build, 1, _OF_A_CALL, size_of_data(task, buffers, each), POISON)
            if mapping:
                runtime.ladder_session_mapping(*mapping)
            for buffer, view in buffers.items():
                runtime.ladder_session_buffer(buffer.encode(), view.address, view.bytes, int(view.writable))
            session.call(task, build, buffers, each)
            ways.append({"way": runtime.ladder_session_noted().decode(errors="replace")})
    return CaseRun(name=name, launches=ways)
