"""The calls of the CUDA runtime that grading needs, through ctypes: in the judge and, after the fork, in the worker.

Not `torch.cuda`: a worker then starts no second allocator, and what it does between two events is in plain sight.
"""

from __future__ import annotations

import ctypes
import functools
from ctypes import byref, c_float, c_int, c_size_t, c_uint, c_void_p

_L2_BYTES = 38  # cudaDevAttrL2CacheSize
_NON_BLOCKING = 1


class CudaError(RuntimeError):
    """A call that failed: `code` is the cudaError_t, the message its name and what CUDA says about it."""

    def __init__(self, code: int, name: str, text: str):
        super().__init__(f"{text} ({name})")
        self.code = code
        self.name = name


class Runtime:
    """libcudart, as torch has loaded it. Raises OSError if torch is built without CUDA."""

    def __init__(self) -> None:
        import torch

        if torch.version.cuda is None:
            raise OSError("this torch is built without CUDA")
        self._lib = ctypes.CDLL(f"libcudart.so.{torch.version.cuda.partition('.')[0]}")
        for name in ("cudaGetErrorName", "cudaGetErrorString"):
            getattr(self._lib, name).restype = ctypes.c_char_p  # not _lib[name], which is another object each time

    def check(self, code: int) -> None:
        """Raises CudaError unless the code says success."""
        if code:
            name, text = self._lib.cudaGetErrorName(code), self._lib.cudaGetErrorString(code)
            raise CudaError(code, name.decode(), text.decode())

    def l2_bytes(self) -> int:
        value = c_int()
        self.check(self._lib.cudaDeviceGetAttribute(byref(value), _L2_BYTES, 0))
        return value.value

    # ---- memory ----

    def malloc(self, size: int) -> int:
        pointer = c_void_p()
        self.check(self._lib.cudaMalloc(byref(pointer), c_size_t(size)))
        return pointer.value or 0

    def free(self, address: int) -> None:
        self.check(self._lib.cudaFree(c_void_p(address)))

    def copy(self, target: int, source: int, size: int) -> None:
        """Between any two of host and device; comes back when it is done."""
        self.check(self._lib.cudaMemcpy(c_void_p(target), c_void_p(source), c_size_t(size), 4))  # cudaMemcpyDefault

    def fill(self, address: int, size: int, stream: int) -> None:
        """Zero bytes, on a stream."""
        self.check(self._lib.cudaMemsetAsync(c_void_p(address), 0, c_size_t(size), c_void_p(stream)))

    def forget_persisting_lines(self) -> None:
        """Gives the lines that an access-policy window keeps in L2 back to everybody."""
        self._lib.cudaCtxResetPersistingL2Cache()  # an error says that this card has no such lines

    # ---- order ----

    def last_error(self) -> int:
        """The code of the last failed call or launch, which is forgotten thereby; 0 if there was none."""
        return self._lib.cudaGetLastError()

    def synchronize(self) -> int:
        """Waits for everything on the device, and returns the code of what went wrong."""
        return self._lib.cudaDeviceSynchronize()

    def stream(self) -> int:
        """A stream that does not wait for the default stream: work that a submission puts there is no part of it."""
        handle = c_void_p()
        self.check(self._lib.cudaStreamCreateWithFlags(byref(handle), c_uint(_NON_BLOCKING)))
        return handle.value or 0

    def event(self) -> int:
        handle = c_void_p()
        self.check(self._lib.cudaEventCreate(byref(handle)))
        return handle.value or 0

    def record(self, event: int, stream: int) -> None:
        self.check(self._lib.cudaEventRecord(c_void_p(event), c_void_p(stream)))

    def elapsed_us(self, start: int, stop: int) -> float:
        """Microseconds between two events that have happened."""
        milliseconds = c_float()
        self.check(self._lib.cudaEventElapsedTime(byref(milliseconds), c_void_p(start), c_void_p(stop)))
        return 1000.0 * milliseconds.value


@functools.cache
def runtime() -> Runtime:
    """The process's own. Not to be called before a fork: CUDA does not survive one."""
    return Runtime()
