"""Cases are looked at on the checking build in a process of its own: what it finds counts, and all else stays there."""

from __future__ import annotations

import ctypes
import os
from dataclasses import replace

import pytest
from jobs import ENTRY, SIZES, job_of, results

from grader.devices.buffers import WorkerMemory
from grader.devices.worker.looker import Looker

TOKEN = "known to both"
# It has an array of its own, so that there is a checking build.
SOURCE = f"""
#include <cstdio>
#include <unistd.h>
BEFORE
__global__ void add(const float* x, const float* y, float* z, int n) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float both[2] = {{}};
    if (i < n) {{ both[0] = x[i]; both[1] = y[i]; z[i] = both[0] + both[INDEX]; }}
}}
{ENTRY} {{
    printf("case %d\\n", n);
    HOST
    add<<<(n + 255) / 256, 256, 0, stream>>>(x, y, z, n);
}}
"""


def source(index: str = "1", before: str = "", host: str = "") -> str:
    return SOURCE.replace("INDEX", index).replace("BEFORE", before).replace("HOST", host)


@pytest.fixture
def run(server, arena, cache):
    """run(source) -> Evidence, of a file in no folder: of another's arrays nothing is said."""
    return lambda text: server.run(replace(job_of(arena, cache, text), filename="mine.cu"))


def test_what_a_look_finds_counts(run):
    found = run(source("n / 1000 + 1"))
    assert [[each.kind for each in case.findings] for case in found.cases] == [[], [], ["own_array"]]
    assert found.cases[-1].findings[0].line == 8


def test_what_is_printed_stands_there_once(run, arena):
    """Constructors too, which run once for each build that is loaded; and what was printed before a case was left."""
    loud = 'struct Loud { Loud() { puts("made"); } } loud;'
    found = run(source(before=loud))
    assert found.problem is None and results(arena) == [True] * len(SIZES)
    assert found.output == "made\n" + "".join(f"case {n}\n" for n in SIZES)
    left = run(source("n / 1000 + 1", loud))
    assert left.output == found.output, "the last case does not run, as an index has left its array in the look"


@pytest.mark.slow
def test_host_code_that_ends_the_looker_alone_gains_nothing(run):
    """The worker then looks for itself, and prints the second run of a case to a file, too."""
    found = run(source("n / 1000 + 1", host="if (lseek(1, 0, SEEK_CUR) != -1) _exit(0);"))
    assert found.problem == "crash" and "exit code 0" in found.ended


def test_its_memory_is_its_own_and_nobody_tells_in_its_place(arena):
    memory = WorkerMemory(arena.fd, arena.layout)
    looker = Looker(memory, TOKEN)
    output = memory.cases[0]["z"].address

    def look():
        os.write(1, b"printed")
        os.write(looker._socket.fileno(), b'{"look": null, "printed": ""}\n{"look')  # as a submission may
        ctypes.memset(output, 0, 4)
        return {"output": ctypes.string_at(output, 4).hex()}

    if looker.is_here:
        looker.look_at([look, lambda: None])
    looker.begin()
    told = [looker() for _ in range(2)]
    assert told == [{"look": {"output": "00000000"}, "printed": "printed"}, {"look": None, "printed": ""}]
    assert arena.cases[0].unwritten("z").all()
    looker.close()


@pytest.mark.parametrize("last", [b"", f"\n{TOKEN} {{".encode()], ids=["between lines", "in a line"])
def test_a_looker_that_has_ended_tells_nothing(arena, last):
    looker = Looker(WorkerMemory(arena.fd, arena.layout), TOKEN)

    def end():
        os.write(looker._socket.fileno(), last)
        os._exit(0)

    if looker.is_here:
        looker.look_at([end])
    looker.begin()
    assert looker() is None
    looker.close()
