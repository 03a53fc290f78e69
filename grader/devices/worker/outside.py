"""What holds a server of workers, and so all that its workers do, from before its first instruction on.

| layer | what it holds back |
|---|---|
| bubblewrap | files, processes, sockets and the network of all others: they are not there (`bwrap`, if installed) |
| memory | more memory than a limit, for all processes of a job together (`control_group.py`) |
| processes | more processes and threads than a limit |
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from grader.devices.worker import control_group
from grader.devices.worker.confine import readable
from grader.devices.worker.confine_files import devices_of_a_gpu

Report = dict[str, Any]  # "held": the layers' names; "lacking": why the others do not hold, by name

BUBBLEWRAP = "bubblewrap"
_FORKED = "the standby server's workers do without it: type `LADDER_SERVER=0` before the command"
_NOT_INSTALLED = "bubblewrap is not installed"
_GPU = "there is a GPU, whose devices it would hide"
_ALONE = ("--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts")


def why_no_bubblewrap(cache: Path | None) -> str:
    """Why it cannot hold a server that works with this cache, None for a fork; "" if it can. Tries it."""
    if any(device.exists() for device in devices_of_a_gpu()):
        return _GPU
    if cache is None or not shutil.which("bwrap"):
        return _FORKED if shutil.which("bwrap") else _NOT_INSTALLED
    try:
        tried = subprocess.run([*wrapping(cache), "true"], capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bubblewrap does not run here ({error})"
    lines = tried.stderr.strip().splitlines() or [f"exit code {tried.returncode}"]
    return f"bubblewrap does not run here ({lines[0]})" if tried.returncode else ""


def run(command: Sequence[str], cache: Path, descriptor: int) -> None:
    """Runs a server in bubblewrap, and comes back when it has ended."""
    subprocess.run([*wrapping(cache), *command], pass_fds=[descriptor])


def wrapping(cache: Path) -> list[str]:
    """What to put before a command, so that it finds what workers need and nothing else, and no other processes."""
    found = ["bwrap", *_ALONE, "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]
    links = [each.resolve() for each in cache.iterdir() if each.is_symlink()]
    paths = [path for path in dict.fromkeys([*readable(), *links, cache]) if path.is_absolute()]
    for folder in dict.fromkeys(parent for path in paths for parent in reversed(path.parents)):
        if folder == folder.resolve():
            found += ["--perms", "0755", "--dir", str(folder)]  # else another user than root may not enter them
    for path in paths[:-1]:
        if path.is_symlink():  # as /lib: compilers look from there for what lies beside /usr/lib
            found += ["--symlink", os.readlink(path), str(path)]
            path = path.resolve()
        if not path.is_relative_to("/proc"):
            found += ["--ro-bind-try", str(path), str(path)]
    return [*found, "--bind", str(cache), str(cache), "--chdir", "/"]


@contextlib.contextmanager
def in_a_group(no_bubblewrap: str) -> Iterator[Report]:
    """Holds this process, and what it starts, in a control group of its own, and tells what holds it.

    `no_bubblewrap` is why that does not, "" if it is about to.
    """
    group = control_group.make_group()
    lacking = {**group.lacking, **({BUBBLEWRAP: no_bubblewrap} if no_bubblewrap else {})}
    layers = ([] if no_bubblewrap else [BUBBLEWRAP]) + [*group.folders]
    for layer in [layer for layer in group.lacking if control_group.limit_of(layer)]:
        layers.append(layer)  # by the group in which all of this was started
        del lacking[layer]
    try:
        yield {"held": layers, "lacking": lacking}
    finally:
        group.leave()
