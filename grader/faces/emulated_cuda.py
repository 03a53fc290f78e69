"""Streams and events of torch.cuda for scripts that run without a GPU: the CPU does all work at once, in order."""

from __future__ import annotations

import time
from contextlib import nullcontext
from typing import Any

import torch


class Event:
    """As torch.cuda.Event. Times are the CPU's, of the emulator's work."""

    def __init__(self, enable_timing: bool = False, *_: Any, **__: Any):
        self.enable_timing, self._recorded = enable_timing, 0.0

    def record(self, stream: Stream | None = None) -> None:
        """The work so far is done already."""
        self._recorded = time.perf_counter()

    def elapsed_time(self, end: Event) -> float:
        """Milliseconds from this event to `end`. Raises RuntimeError as torch does."""
        if not (self.enable_timing and end.enable_timing):
            raise RuntimeError("Both events must be created with argument 'enable_timing=True'.")
        if not (self._recorded and end._recorded):
            raise RuntimeError("Both events must be recorded before calculating elapsed time.")
        return 1000 * (end._recorded - self._recorded)

    def query(self) -> bool:
        """Whether its work is done."""
        return True

    def synchronize(self) -> None:
        """Nothing to wait for."""

    def wait(self, stream: Stream | None = None) -> None:
        """Nothing to wait for."""


class Stream(nullcontext[None]):
    """As torch.cuda.Stream."""

    device, cuda_stream = torch.device("cpu"), 0

    def __init__(self, *_: Any, **__: Any):
        super().__init__()

    def record_event(self, event: Event | None = None) -> Event:
        """The event, recorded."""
        event = event or Event()
        event.record(self)
        return event

    def query(self) -> bool:
        """Whether its work is done."""
        return True

    def synchronize(self) -> None:
        """Nothing to wait for."""

    def wait_event(self, event: Event) -> None:
        """Nothing to wait for."""

    def wait_stream(self, stream: Stream) -> None:
        """Nothing to wait for."""


def install() -> None:
    """Puts them, and what a script asks of its one device, in the place of torch's."""
    default = Stream()
    cuda: Any = torch.cuda
    cuda.Event, cuda.Stream = Event, Stream
    cuda.stream = lambda stream: stream or default
    cuda.current_stream = cuda.default_stream = lambda device=None: default
    cuda.is_available = lambda: True
    cuda.device_count = lambda: 1
    cuda.current_device = lambda: 0
    cuda.set_device = cuda.synchronize = lambda device=None: None
    cuda.get_device_name = lambda device=None: "Kernel Ladder emulator"
    cuda.get_device_capability = lambda device=None: (7, 5)
