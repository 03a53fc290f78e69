"""The calls of the CUDA runtime that grading needs, through ctypes: in the judge and, after the fork, in the worker.

Not `torch.cuda`: a worker then starts no second allocator, and what it does between two events is in plain sight.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
from ctypes import byref, c_float, c_int, c_size_t, c_uint, c_ulonglong, c_void_p
from typing import Any

_L2_BYTES = 38  # cudaDevAttrL2CacheSize
_NON_BLOCKING = 1
_THIS_THREAD = 1  # cudaStreamCaptureModeThreadLocal: forbids cudaMalloc and the like meanwhile


class CudaError(RuntimeError):
    """A call that failed: `code` is the cudaError_t, the message its name and what CUDA says about it."""

    def __init__(self, code: int, name: str, text: str):
        super().__init__(f"{text} ({name})")
        self.code = code
        self.name = name


class Runtime:
    """libcudart, by its file's name. Raises OSError if it is not there."""

    def __init__(self, library: str) -> None:
        self._lib = ctypes.CDLL(library)
        for name in ("cudaGetErrorName", "cudaGetErrorString"):
            getattr(self._lib, name).restype = ctypes.c_char_p  # not _lib[name], which is another object each time

    def check(self, code: int) -> None:
        """Raises CudaError unless the code says success."""
        if code:
            name, text = self._lib.cudaGetErrorName(code), self._lib.cudaGetErrorString(code)
            raise CudaError(code, name.decode(), text.decode())

    def call(self, name: str, *arguments: Any) -> None:
        """Calls a function of the runtime. Raises CudaError, or AttributeError if this version does not have it."""
        self.check(getattr(self._lib, name)(*arguments))

    def attribute(self, number: int) -> int:
        """Of the device, by its cudaDeviceAttr."""
        value = c_int()
        self.call("cudaDeviceGetAttribute", byref(value), number, 0)
        return value.value

    def l2_bytes(self) -> int:
        return self.attribute(_L2_BYTES)

    # ---- memory ----

    def malloc(self, size: int) -> int:
        pointer = c_void_p()
        self.call("cudaMalloc", byref(pointer), c_size_t(size))
        return pointer.value or 0

    def free(self, address: int) -> None:
        self.call("cudaFree", c_void_p(address))

    def copy(self, target: int, source: int, size: int) -> None:
        """Between any two of host and device; comes back when it is done."""
        self.call("cudaMemcpy", c_void_p(target), c_void_p(source), c_size_t(size), 4)  # cudaMemcpyDefault

    def pin(self, address: int, size: int) -> None:
        """Keeps host memory where it is, so that copies of it are several times as fast; where the system allows it."""
        with contextlib.suppress(CudaError):
            self.call("cudaHostRegister", c_void_p(address), c_size_t(size), c_uint(0))
        self.last_error()

    def unpin(self, address: int) -> None:
        with contextlib.suppress(CudaError):
            self.call("cudaHostUnregister", c_void_p(address))
        self.last_error()

    def fill(self, address: int, size: int, stream: int) -> None:
        """Zero bytes, on a stream."""
        self.call("cudaMemsetAsync", c_void_p(address), 0, c_size_t(size), c_void_p(stream))

    def forget_persisting_lines(self) -> None:
        """Gives the lines that an access-policy window keeps in L2 back to everybody."""
        self._lib.cudaCtxResetPersistingL2Cache()  # an error says that this card has no such lines

    # ---- order ----

    def last_error(self) -> int:
        """The code of the last failed call or launch, which is forgotten thereby; 0 if there was none."""
        code: int = self._lib.cudaGetLastError()
        return code

    def synchronize(self) -> int:
        """Waits for everything on the device, and returns the code of what went wrong."""
        code: int = self._lib.cudaDeviceSynchronize()
        return code

    def stream(self) -> int:
        """A stream that does not wait for the default stream: work that a submission puts there is no part of it."""
        handle = c_void_p()
        self.call("cudaStreamCreateWithFlags", byref(handle), c_uint(_NON_BLOCKING))
        return handle.value or 0

    # ---- graphs ----

    def begin_capture(self, stream: int) -> None:
        """From here on, what is put on the stream is noted down instead of done."""
        self.call("cudaStreamBeginCapture", c_void_p(stream), _THIS_THREAD)

    def end_capture(self, stream: int) -> int:
        """A graph of what was noted down, ready for `launch`. Raises CudaError if some of it cannot be captured."""
        graph, ready = c_void_p(), c_void_p()
        self.call("cudaStreamEndCapture", c_void_p(stream), byref(graph))
        self.call("cudaGraphInstantiateWithFlags", byref(ready), graph, c_ulonglong(0))
        self.call("cudaGraphDestroy", graph)
        return ready.value or 0

    def launch(self, graph: int, stream: int) -> None:
        self.call("cudaGraphLaunch", c_void_p(graph), c_void_p(stream))

    def forget(self, graph: int) -> None:
        self.call("cudaGraphExecDestroy", c_void_p(graph))

    # ---- time ----

    def event(self) -> int:
        handle = c_void_p()
        self.call("cudaEventCreate", byref(handle))
        return handle.value or 0

    def record(self, event: int, stream: int) -> None:
        self.call("cudaEventRecord", c_void_p(event), c_void_p(stream))

    def elapsed_us(self, start: int, stop: int) -> float:
        """Microseconds between two events that have happened."""
        milliseconds = c_float()
        self.call("cudaEventElapsedTime", byref(milliseconds), c_void_p(start), c_void_p(stop))
        return 1000.0 * milliseconds.value


@functools.cache
def runtime() -> Runtime:
    """The one that torch has loaded. Not to be called before a fork: CUDA does not survive one.

    Raises OSError if torch is built without CUDA.
    """
    import torch

    if torch.version.cuda is None:
        raise OSError("this torch is built without CUDA")
    return Runtime(f"libcudart.so.{torch.version.cuda.partition('.')[0]}")
