"""The process that worker/program.py starts, and that becomes the program. Each run waits for its imports."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from grader.devices.emulator.c_symbols import c_symbols

_PR_SET_PDEATHSIG = 1


def main(order: dict[str, Any]) -> None:
    """Loads the program and becomes it; never returns. It ends with the process that has started it."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != order["parent"]:
        os._exit(1)  # that was gone before it could take this one along
    os.close(order["order"])
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python has changed them
        signal.signal(number, signal.SIG_DFL)
    for number in (order["report"], order["progress"]):
        os.set_inheritable(number, False)
    runtime = ctypes.CDLL(order["runtime"])
    runtime.ladder_session_begin.argtypes = [ctypes.c_double, ctypes.c_double, ctypes.c_int]
    runtime.ladder_program_prepare(order["report"], order["progress"])
    library = ctypes.CDLL(order["library"])
    symbols, inside = c_symbols(order["symbols"]), ctypes.cast(library.main, ctypes.c_void_p)
    runtime.ladder_session_module(inside, symbols, ctypes.c_size_t(len(symbols)), order["threads"], 1)
    counters, races, kernel, first, last = order["watched"]
    runtime.ladder_program_watch(counters, races, kernel.encode(), ctypes.c_uint64(first), last)
    runtime.ladder_session_begin(1e9, 1e30, order["poison"])
    if order["record"]:
        from grader.devices.emulator.recording import BlockToRecord, begin_recording  # numpy, and a fifth of a second

        begin_recording(runtime, BlockToRecord(**order["record"]))
    texts = [os.fsencode(each) for each in order["arguments"]]
    arguments = (ctypes.c_char_p * (len(texts) + 1))(*texts, None)
    runtime.ladder_program_run(inside, len(texts), arguments)


if __name__ == "__main__":
    main(json.loads(Path(sys.argv[1]).read_text()))
