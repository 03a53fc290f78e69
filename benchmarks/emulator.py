"""What counting costs on this machine: `make bench-emulator`.

A tiled 256^3 matrix product (38 million shared and global accesses) and a stream of 50 million global accesses, each
with counting, race detection and all checks, and plainly emulated (bounds checks only). Prints seconds and peak memory.
"""

from __future__ import annotations

import mmap
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

import numpy as np

from grader.course.prototype import parse_prototype
from grader.devices.build.build import entry_points
from grader.devices.cache import cache_root
from grader.devices.emulator import session as emulator
from grader.devices.emulator.sides import marks
from grader.devices.emulator.translate import translate

RUNS = 5
PAGE = mmap.PAGESIZE
SOURCE = r"""
constexpr int T = 16;
__global__ void tiled(const float* a, const float* b, float* c, int n) {
    __shared__ float As[T][T], Bs[T][T];
    int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
    float sum = 0;
    for (int t = 0; t < n; t += T) {
        As[threadIdx.y][threadIdx.x] = a[row * n + t + threadIdx.x];
        Bs[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + col];
        __syncthreads();
        for (int k = 0; k < T; ++k) sum += As[threadIdx.y][k] * Bs[k][threadIdx.x];
        __syncthreads();
    }
    c[row * n + col] = sum;
}
extern "C" void matmul(const float* a, const float* b, float* c, int n, cudaStream_t stream) {
    tiled<<<dim3(n / T, n / T), dim3(T, T), 0, stream>>>(a, b, c, n);
}
__global__ void read_on(const float* a, float* c, int n, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int r = 0; r < rounds; ++r) sum += a[(i + r * 32) % n];
    c[i] = sum;
}
extern "C" void stream_of(const float* a, const float* b, float* c, int n, cudaStream_t stream) {
    read_on<<<n / 256, 256, 0, stream>>>(a, c, n, 763);   // 65536 threads: 50 million loads
}
"""
PROTOTYPES = [
    parse_prototype(f"void {name}(const float* a, const float* b, float* c, int n, cudaStream_t stream)")
    for name in ("matmul", "stream_of")
]


class Buffer:
    def __init__(self, count: int, writable: bool):
        memory = np.zeros(count * 4 + 2 * PAGE, np.uint8)
        start = -memory.ctypes.data % PAGE
        self.array = memory[start : start + count * 4].view(np.float32)
        self.array[:] = np.random.default_rng(count).standard_normal(count)
        self.address, self.bytes, self.writable = self.array.ctypes.data, count * 4, writable


def build(folder: Path, runtime: Path) -> Path:
    text, library = folder / "bench.cpp", folder / "bench.so"
    text.write_text(translate(SOURCE, "bench.cu") + marks(SOURCE) + entry_points(PROTOTYPES))
    compile_ = ["g++", "-std=c++20", "-fPIC", *emulator.compile_flags(runtime), "-c", str(text), "-o", f"{text}.o"]
    subprocess.run(compile_, check=True)
    subprocess.run(["g++", "-shared", f"{text}.o", "-o", str(library), *emulator.link_flags(runtime)], check=True)
    return library


def main() -> None:
    runtime = emulator.runtime_library(cache_root())
    with tempfile.TemporaryDirectory() as folder:
        opened = emulator.open_library(build(Path(folder), runtime), "bench.cu")
        print(f"{'':24}{'counting':>12}{'plain':>12}{'ratio':>8}   threads")
        for threads in (1, 2):
            for prototype, size in zip(PROTOTYPES, (256, 65536), strict=True):
                seconds = {}
                for counting in (True, False):
                    session = emulator.Session(opened, threads, runtime=runtime, counting=counting)
                    seconds[counting] = median(time_one(session, prototype, size) for _ in range(RUNS))
                ratio = seconds[True] / seconds[False]
                print(f"{prototype.name:24}{seconds[True]:11.2f}s{seconds[False]:11.2f}s{ratio:8.1f}   {threads}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory of this process: {peak:.0f} MB", file=sys.stdout)


def time_one(session: emulator.Session, prototype, size: int) -> float:
    count = size * size if prototype.name == "matmul" else size
    buffers = {"a": Buffer(count, False), "b": Buffer(count, False), "c": Buffer(count, True)}
    case = session.run(prototype.name, prototype, buffers, {"n": size}, seconds=600)
    assert all(found.severity != "error" for found in case.findings), case.findings[0].message
    return case.seconds


if __name__ == "__main__":
    main()
