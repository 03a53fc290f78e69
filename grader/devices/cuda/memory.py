"""How much GPU memory a call takes beside the buffers it is given."""

from __future__ import annotations

from ctypes import byref, c_ulonglong, c_void_p

import torch

from grader.devices.cuda.runtime import CudaError, runtime

CODE_BYTES = 4 << 20  # by which memory may grow as a kernel's code is loaded, at its first launch
_RESERVED, _USED, _USED_HIGH = 5, 7, 8  # cudaMemPoolAttrReservedMemCurrent, ...UsedMemCurrent, ...UsedMemHigh


class Memory:
    """Watches what is allocated within a `with` block.

    `peak_bytes`: the most that torch's allocator and the pool of cudaMallocAsync held above what they held before.
    `kept_bytes`: what other ways (cudaMalloc) have taken and not given back, by cudaMemGetInfo, if it is more than
    code. What cudaMalloc takes and cudaFree gives back inside the block is not seen.
    """

    peak_bytes = 0
    kept_bytes = 0

    def __enter__(self) -> Memory:
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
        self._pool = Pool()
        self._torch, self._elsewhere = torch.cuda.memory_allocated(), self._held_elsewhere()
        return self

    def __exit__(self, *_: object) -> None:
        self.peak_bytes = torch.cuda.max_memory_allocated() - self._torch + self._pool.peak_bytes()
        kept = self._held_elsewhere() - self._elsewhere
        self.kept_bytes = kept if kept > CODE_BYTES else 0

    def _held_elsewhere(self) -> int:
        free, total = torch.cuda.mem_get_info()
        return total - free - torch.cuda.memory_reserved() - self._pool.reserved()


class Pool:
    """The device's default pool, from which cudaMallocAsync takes; all zeros on a card without one."""

    def __init__(self) -> None:
        self._handle: c_void_p | None = c_void_p()
        try:
            runtime().call("cudaDeviceGetDefaultMemPool", byref(self._handle), 0)
            runtime().call("cudaMemPoolSetAttribute", self._handle, _USED_HIGH, byref(c_ulonglong(0)))  # begins anew
        except (CudaError, AttributeError):  # no pools, or a runtime that does not know of them
            self._handle = None
        self._before = self._get(_USED)

    def peak_bytes(self) -> int:
        """The most that was in use since this object was made, above what was in use then."""
        return max(self._get(_USED_HIGH) - self._before, 0)

    def reserved(self) -> int:
        return self._get(_RESERVED)

    def _get(self, attribute: int) -> int:
        value = c_ulonglong()
        if self._handle:
            runtime().call("cudaMemPoolGetAttribute", self._handle, attribute, byref(value))
        return value.value
