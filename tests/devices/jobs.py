"""One small job to vary, and ways to look for what it left behind."""

from __future__ import annotations

import os
from pathlib import Path

import torch

from grader.course.prototype import parse_prototype
from grader.devices.buffers import Arena
from grader.devices.evidence import Evidence
from grader.devices.worker.job import Job
from grader.devices.worker.server import ForkServer

ENTRY = 'extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream)'
ADD = parse_prototype(ENTRY)
SIZES = (1, 31, 1000)
KERNEL = f"""
__global__ void add(const float* x, const float* y, float* z, int n) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}}

{ENTRY} {{
    add<<<(n + 255) / 256, 256, 0, stream>>>(x, y, z, n);
}}
"""


def run_on(
    server: ForkServer, arena: Arena, cache: Path, source: str, prototypes=(ADD,), on_event=None, **options
) -> Evidence:
    """Runs a job, and checks what holds after every one: nothing is left, neither process nor folder."""
    evidence = server.run(job_of(arena, cache, source, prototypes, **options), on_event)
    assert descendants(server._process.pid) == []
    assert list((cache / "jobs").iterdir()) == []
    return evidence


def job_of(arena: Arena, cache: Path, source: str, prototypes=(ADD,), **options) -> Job:
    """A kernel file at all of SIZES."""
    cases = [(f"n={n}", {"n": n}) for n in SIZES]
    return Job(source, "work/01_vector_add.cu", prototypes, "vector_add", arena, cases, cache=cache, **options)


def results(arena: Arena) -> list[bool]:
    """Which cases hold the right sum."""
    return [torch.equal(case.read("z"), case.read("x") + case.read("y")) for case in arena.cases]


def descendants(pid: int) -> list[int]:
    """All living processes below `pid`."""
    parents = {}
    for entry in Path("/proc").iterdir():
        try:
            facts = (entry / "stat").read_text().rpartition(")")[2].split() if entry.name.isdecimal() else []
        except OSError:
            continue
        if facts and facts[0] != "Z":
            parents[int(entry.name)] = int(facts[1])
    below = [child for child, parent in parents.items() if parent == pid]
    return below + [deeper for child in below for deeper in descendants(child)]


def working_in(folder: Path) -> list[int]:
    """All processes whose current folder lies in `folder`."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdecimal() and Path(os.readlink(entry / "cwd")).is_relative_to(folder):
                found.append(int(entry.name))
        except OSError:
            continue
    return found
