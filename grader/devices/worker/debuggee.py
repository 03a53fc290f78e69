"""The program that runs in a debugger: one case of one kernel file, whose build has all that a debugger wants to know.

    gdb --args python -m grader.devices.worker.debuggee ORDER

Without torch, whose libraries a debugger would read for seconds. As in a worker, the submission writes nowhere but into
its own folder.
"""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from grader.course.prototype import Prototype, parse_prototype
from grader.devices.buffers import WorkerMemory
from grader.devices.build.build import entry_points
from grader.devices.build.recipe import STRICT_LINK, Library
from grader.devices.emulator import session
from grader.devices.emulator.checked import Facts
from grader.devices.emulator.sides import marks
from grader.devices.emulator.symbols import CodeMap
from grader.devices.emulator.translate import translate

# A variable keeps its place and its value, and a line its own instructions.
_FLAGS = {"-O1": "-O0", "-fno-var-tracking": "-g3"}


def build(source: str, filename: str, prototypes: Sequence[Prototype], runtime: Path, folder: Path) -> Path:
    """The library of a file that can be built. `folder` then holds the source, too, for the debugger to show.

    Raises CalledProcessError.
    """
    (folder / filename).write_text(source)
    text, library = folder / "translated.cpp", folder / "kernel.so"
    text.write_text(translate(source, filename) + marks(source) + entry_points(prototypes))
    flags = [_FLAGS.get(flag, flag) for flag in session.compile_flags(runtime)]
    lenient = ["-fpermissive", "-Wno-narrowing"]  # what CUDA does not allow, the grade has told
    compile_ = ["g++", "-c", "-fPIC", *flags, *lenient, str(text), "-o", f"{text}.o"]
    link = ["g++", "-shared", f"{text}.o", "-o", str(library), *session.link_flags(runtime), *STRICT_LINK]
    for command in (compile_, link):
        subprocess.run(command, check=True, capture_output=True, text=True, cwd=folder)
    return library


def main(order: Mapping[str, Any]) -> None:
    """Runs the case of the order; what comes of it is not told, as a grade has told it before."""
    from grader.devices.worker.confine import Sandbox

    library, runtime = Path(order["library"]), Path(order["runtime"])
    with Path(order["memory"]).open("r+b") as file:
        memory = WorkerMemory(file.fileno(), order["layout"])
    os.chdir(library.parent)
    sandbox = Sandbox("basic", library.parent)
    sandbox.enter([runtime.parent], alone=False)
    code = CodeMap.load(library, order["filename"])  # by programs
    code.begin_to_read()
    sandbox.shut()
    loaded = Library(library, ctypes.CDLL(str(library)), Facts(code))
    run = session.Session(loaded, threads=1, runtime=runtime)
    run.runtime.ladder_debug_thread(order["block"], order["thread"])
    mapping = (memory.address, memory.bytes)
    run.run(order["case"], parse_prototype(order["task"]), memory.cases[0], order["scalars"], 1e6, mapping)


if __name__ == "__main__":
    main(json.loads(Path(sys.argv[1]).read_text()))
