"""Runs one of NVIDIA's tools on a built library, in a process of its own that has little to lose.

The tool itself (ncu, compute-sanitizer) is trusted and writes its log where the submission can't; the program that it
watches, `runner.py`, gives its rights away before it loads the submission.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grader.course.catalog import UsageError
from grader.course.prototype import Prototype
from grader.devices.cuda.toolkit import INSTALL, cuda_home, find_tool, runtime_library
from grader.devices.worker.job import GPU_VARIABLES

_PACKAGE_ROOT = Path(__file__).parents[3]
_KEPT_VARIABLES = ("PATH", "LD_LIBRARY_PATH", *GPU_VARIABLES)


@dataclass(frozen=True)
class Subject:
    """What a tool watches: one task of a built library, at some cases.

    `layout` says where the buffers of each case lie in `memory` (both as devices.buffers.Arena has them).
    """

    library: Path
    task: Prototype
    cases: Sequence[tuple[str, Mapping[str, int | float]]]  # name, scalars by name
    layout: Sequence[Sequence[Mapping[str, Any]]]
    memory: bytes
    filename: str = ""  # of the submission, as lines of the library name it


@dataclass
class Watched:
    """What is left of a run: the runner's events, the tool's log and what else it printed."""

    events: list[dict[str, Any]] = field(default_factory=list)
    log: str = ""
    printed: str = ""
    timed_out: bool = False

    @property
    def started(self) -> bool:
        """Whether CUDA and the tool were up; what comes after is the submission's doing."""
        return any(event.get("event") == "ready" for event in self.events)

    @property
    def case(self) -> dict[str, Any] | None:
        """The last case that was begun: its name, and its buffers' addresses and bytes."""
        return next((event for event in reversed(self.events) if event.get("event") == "case"), None)

    @property
    def complaint(self) -> str:
        """What the log, or else the tool's output or the runner, says is wrong; "" if none does."""
        for line in [*self.log.splitlines(), *self.printed.splitlines()]:
            said = line.replace("==ERROR==", "").strip("= ")
            if line != said and line.startswith(("==ERROR==", "========= Error:")) and not said.endswith(":"):
                return said
            if line.startswith(("compute-sanitizer:", "ncu:")):
                return said
        return next((str(e["message"]) for e in self.events if e.get("event") == "failed"), "")


def require(name: str) -> Path:
    """The tool's path. Raises UsageError, with what to type, if it is not here."""
    if found := find_tool(name):
        return found
    where = {
        "compute-sanitizer": f"{INSTALL}, which brings it",
        "ncu": "install NVIDIA Nsight Compute (https://developer.nvidia.com/nsight-compute) and put it on the PATH",
    }
    raise UsageError(f"{name} is not installed: {where[name]}")


def watch(tool: Sequence[str], subject: Subject, seconds: float) -> Watched:
    """Runs the subject's cases under a tool, whose command line gets `--log-file` and the runner's added."""
    with tempfile.TemporaryDirectory(prefix="ladder-") as name:
        folder = Path(name)
        own = folder / "own"
        own.mkdir()
        files = {each: folder / each for each in ("order", "events", "log", "memory", "printed")}
        files["log"].touch()
        files["memory"].write_bytes(subject.memory)
        files["order"].write_text(json.dumps(_order(subject, own, files)))
        runner = [sys.executable, "-P", "-S", "-m", "grader.devices.nvidia.runner"]
        command = [*tool, "--log-file", str(files["log"]), *runner, str(files["order"]), str(files["events"])]
        timed_out = _run(command, own, files["printed"], seconds)
        log, printed = (files[each].read_text(errors="replace") for each in ("log", "printed"))
        return Watched(_read_events(files["events"]), log, printed, timed_out)


def _order(subject: Subject, own: Path, files: Mapping[str, Path]) -> dict[str, Any]:
    home = cuda_home()
    if home is None:
        raise UsageError(f"there is no CUDA toolkit: {INSTALL}")
    return {
        "library": str(subject.library),
        "runtime": str(runtime_library(home)),
        "task": subject.task.declaration,
        "cases": [{"name": name, "scalars": dict(scalars)} for name, scalars in subject.cases],
        "layout": list(subject.layout),
        "memory": str(files["memory"]),
        "log": str(files["log"]),
        "folder": str(own),
    }


def _run(command: Sequence[str], own: Path, printed: Path, seconds: float) -> bool:
    """Whether it had to be stopped. In any case nothing of it is left running."""
    kept = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
    folders = dict.fromkeys(("HOME", "TMPDIR"), str(own))
    with printed.open("wb") as output:
        process = subprocess.Popen(
            command,
            cwd=own,
            env={**kept, **folders, "PYTHONPATH": str(_PACKAGE_ROOT), "LANG": "C.UTF-8"},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        process.wait(seconds)
        return False
    except subprocess.TimeoutExpired:
        return True
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _read_events(file: Path) -> list[dict[str, Any]]:
    """The runner's events. A submission can write there, too, so that whatever is no event is left out."""
    events = []
    for line in file.read_text(errors="replace").splitlines() if file.exists() else []:
        with contextlib.suppress(ValueError):
            event = json.loads(line)
            if isinstance(event, dict):
                events.append(event)
    return events
