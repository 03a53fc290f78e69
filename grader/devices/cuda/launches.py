"""Which kernels a submission launches, and what each of them takes of a multiprocessor.

The linker leads every launch of the file through a function of ours (`WATCH`), which tells the worker while it listens.
So it is seen whether the submission launches any kernel of its own, on which stream, and in blocks of what size.
"""

from __future__ import annotations

import ctypes
import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import POINTER, byref, c_char_p, c_int, c_size_t, c_uint, c_void_p
from typing import Any

from grader.devices.cuda.runtime import CudaError, Runtime

# What nvcc turns <<<...>>> into (CUDA 13; CUDA 12), and what a file may call itself: all take the same arguments.
_LAUNCHES = {
    "__cudaLaunchKernel": "cudaKernel_t",
    "cudaLaunchKernel": "const void*",
    "cudaLaunchCooperativeKernel": "const void*",
}
LINK = [f"-Wl,--wrap={name}" for name in (*_LAUNCHES, "cudaLaunchKernelExC")]

# `weak`: not every version of CUDA has each of them.
_WRAPPER = """
extern "C" __attribute__((weak)) cudaError_t __real_{name}({kernel}, dim3, dim3, void**, size_t, cudaStream_t);
extern "C" cudaError_t __wrap_{name}(
    {kernel} kernel, dim3 grid, dim3 block, void** arguments, size_t shared, cudaStream_t stream) {{
    if (ladder_watch) ladder_watch(kernel, &grid.x, &block.x, shared, stream);
    return __real_{name}(kernel, grid, block, arguments, shared, stream);
}}
"""
WATCH = """
extern "C" {
using LadderWatch = void (*)(const void*, const unsigned*, const unsigned*, size_t, cudaStream_t);
LadderWatch ladder_watch = nullptr;
cudaError_t __real_cudaLaunchKernelExC(const cudaLaunchConfig_t*, const void*, void**);
cudaError_t __wrap_cudaLaunchKernelExC(const cudaLaunchConfig_t* launch, const void* kernel, void** arguments) {
    if (ladder_watch)
        ladder_watch(kernel, &launch->gridDim.x, &launch->blockDim.x, launch->dynamicSmemBytes, launch->stream);
    return __real_cudaLaunchKernelExC(launch, kernel, arguments);
}
}
""" + "".join(_WRAPPER.format(name=name, kernel=kernel) for name, kernel in _LAUNCHES.items())

_Triple = POINTER(c_uint)
_Watch = ctypes.CFUNCTYPE(None, c_void_p, _Triple, _Triple, c_size_t, c_void_p)
_MOST_LAUNCHES = 1000  # that are remembered of one call
_THREADS_OF_MULTIPROCESSOR = 39  # cudaDevAttrMaxThreadsPerMultiProcessor
_BLOCKS_THAT_FIT = "cudaOccupancyMaxActiveBlocksPerMultiprocessor"
_WARP = 32


class _Attributes(ctypes.Structure):
    """The beginning of cudaFuncAttributes, and room for the rest of it, whichever version."""

    _fields_ = (
        ("shared_bytes", c_size_t),
        ("constant_bytes", c_size_t),
        ("local_bytes", c_size_t),
        ("most_threads", c_int),
        ("registers", c_int),
        ("rest", c_int * 64),
    )


class Launches:
    """Listens to the launches of a loaded library."""

    def __init__(self, library: ctypes.CDLL, cuda: Runtime, stream: int):
        self._cuda, self._stream = cuda, stream
        self._seen: list[tuple[int, tuple[int, int, int], tuple[int, int, int], int, bool]] = []
        self._callback = _Watch(self._note)
        self._switch = c_void_p.in_dll(library, "ladder_watch")

    @contextmanager
    def watched(self) -> Iterator[None]:
        self._seen.clear()
        self._switch.value = ctypes.cast(self._callback, c_void_p).value
        try:
            yield
        finally:
            self._switch.value = None

    def _note(self, kernel: int, grid: Any, block: Any, shared: int, stream: int | None) -> None:
        if len(self._seen) < _MOST_LAUNCHES:
            self._seen.append((kernel, tuple(grid[:3]), tuple(block[:3]), shared, stream == self._stream))

    def facts(self) -> list[dict[str, Any]]:
        """Of each launch, in order: kernel, grid, block, given_stream and what `_resources` says of the kernel."""
        return [
            {
                "kernel": self._name(kernel),
                "grid": grid,
                "block": block,
                "given_stream": given,
                **self._resources(kernel, math.prod(block), shared),
            }
            for kernel, grid, block, shared, given in self._seen
        ]

    def _resources(self, kernel: int, threads: int, shared: int) -> dict[str, Any]:
        """registers and local_bytes (a thread), shared_bytes (a block) and occupancy, the share of a multiprocessor's
        threads that can be there at once; nothing for a launch that is impossible. Local memory holds spilled registers
        and arrays that are indexed at run time.
        """
        found, blocks, handle = _Attributes(), c_int(), c_void_p(kernel)
        try:
            self._cuda.call("cudaFuncGetAttributes", byref(found), handle)
            self._cuda.call(_BLOCKS_THAT_FIT, byref(blocks), handle, threads, c_size_t(shared))
        except CudaError:
            self._cuda.last_error()
            return {}
        most = self._cuda.attribute(_THREADS_OF_MULTIPROCESSOR)
        return {
            "registers": found.registers,
            "local_bytes": found.local_bytes,
            "shared_bytes": found.shared_bytes + shared,
            "occupancy": blocks.value * -(-threads // _WARP) * _WARP / most,
        }

    def _name(self, kernel: int) -> str:
        name = c_char_p()
        try:
            self._cuda.call("cudaFuncGetName", byref(name), c_void_p(kernel))
        except (CudaError, AttributeError):  # before CUDA 12.3
            self._cuda.last_error()
        return plain_name((name.value or b"a kernel").decode())


def plain_name(mangled: str) -> str:
    """`add` from `_Z3addILi4EEvPKfPfi`: as in the source, without namespaces, template arguments and parameters."""
    demangle, free = ctypes.CDLL("libstdc++.so.6")["__cxa_demangle"], ctypes.CDLL(None).free
    demangle.restype = c_void_p
    demangled = demangle(mangled.encode(), None, None, None)
    if not demangled:  # extern "C"
        return mangled
    full = ctypes.string_at(demangled).decode()
    free(c_void_p(demangled))
    found = re.search(r"\w+(?=[<(])", full.replace("(anonymous namespace)::", ""))
    return found[0] if found else full
