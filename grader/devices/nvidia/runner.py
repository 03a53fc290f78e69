"""The program that NVIDIA's tools watch: calls a built library once for each case, and launches nothing of its own.

    python -m grader.devices.nvidia.runner ORDER EVENTS       (two files; tool.py writes the one and reads the other)

Without torch, whose kernels and memory would be watched, too. Each buffer is an allocation of its own, of its very
size, so that a tool sees where it ends; outputs hold nothing, so that it sees who reads them before he writes.
"""

from __future__ import annotations

import ctypes
import json
import mmap
import os
import resource
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from grader.course.prototype import Prototype, bind, parse_prototype
from grader.devices.cuda.runtime import CudaError, Runtime
from grader.devices.worker.confine import forbid_new_rights, landlock_version
from grader.devices.worker.confine_files import DEVICES, devices_of_a_gpu, restrict_files

LARGEST_FILE_BYTES = 256 << 20
Tell = Callable[..., object]


def main(order: Mapping[str, Any], tell: Tell) -> None:
    """Runs case by case, up to the first of which the tool has something to say, or after which CUDA has no more."""
    cuda = Runtime(order["runtime"])
    cuda.free(0)  # starts CUDA and the tool's part in this process, while both may still write where they like
    stream = cuda.stream()
    memory = _Memory(Path(order["memory"]))
    _isolate(Path(order["folder"]))
    tell(event="ready")
    task = parse_prototype(order["task"])
    call = _entry(order["library"], task)
    log = Path(order["log"])
    for case, slots in zip(order["cases"], order["layout"], strict=True):
        said = log.stat().st_size
        addresses = {slot["name"]: cuda.malloc(slot["bytes"]) for slot in slots}
        for slot in slots:
            if not slot["writable"]:
                cuda.copy(addresses[slot["name"]], memory.address + slot["offset"], slot["bytes"])
        sizes = {slot["name"]: slot["bytes"] for slot in slots}
        tell(event="case", name=case["name"], addresses=addresses, bytes=sizes)
        call([{**addresses, **case["scalars"]}.get(each.name, stream) for each in task.parameters])
        code = cuda.last_error() or cuda.synchronize()
        tell(event="ran", name=case["name"], cuda_error=code)
        if code or log.stat().st_size > said:
            return
        for address in addresses.values():
            cuda.free(address)
    cuda.call("cudaStreamDestroy", ctypes.c_void_p(stream))
    cuda.call("cudaDeviceReset")  # when the tool looks for memory that was not freed


class _Memory:
    """The file that holds all inputs, mapped."""

    def __init__(self, file: Path):
        with file.open("rb") as opened:
            self._map = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_COPY)
        self._export = ctypes.c_char.from_buffer(self._map)
        self.address = ctypes.addressof(self._export)


def _isolate(folder: Path) -> None:
    """Gives away the right to write anywhere but below the folder, and large files even there."""
    if landlock_version():  # a tool reads where it likes, and starts programs: neither is forbidden here
        forbid_new_rights()
        restrict_files(folder, None, [*DEVICES, *devices_of_a_gpu()])
    for what, limit in ((resource.RLIMIT_FSIZE, LARGEST_FILE_BYTES), (resource.RLIMIT_CORE, 0)):
        resource.setrlimit(what, (limit, limit))


def _entry(library: str, task: Prototype) -> Callable[[list[Any]], None]:
    """Loads the submission, whose constructors run here, and returns its entry point."""
    function = ctypes.CDLL(library)[task.name]
    bind(function, task.parameters)
    return lambda arguments: function(*arguments)


def _teller(file: str) -> Tell:
    """Writes events, one JSON line each; what the submission prints goes nowhere from here on."""
    events = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    return lambda **event: os.write(events, json.dumps(event).encode() + b"\n")


if __name__ == "__main__":
    _tell = _teller(sys.argv[2])
    try:
        main(json.loads(Path(sys.argv[1]).read_text()), _tell)
    except (CudaError, OSError) as error:
        _tell(event="failed", message=str(error))
        sys.exit(1)
