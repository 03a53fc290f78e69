"""`ladder run`: what host code does with memory of its own, and of the GPU's, in calls that no callback sees into."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.warm import run_ladder

PROGRAM = Path(__file__).with_name("programs") / "host_memory.cu"


def findings(folder: Path, name: str, text: str) -> list[tuple[int, str, str]]:
    (folder / name).write_text(text)
    found = json.loads(run_ladder(folder, "run", name, "--json").stdout)["findings"]
    return [(each["line"], each["kind"], each["message"]) for each in found]


def test_copies_that_leave_host_memory_are_told_and_those_beside_them_are_right(tmp_path):
    text = PROGRAM.read_text()
    rows = enumerate(text.split("\n"), start=1)
    wrong = {number: said for number, row in rows if (said := row.partition("  // wrong: ")[2])}
    wrong[text[: text.index("up(const void* from")].count("\n") + 1] = "host memory of 100 bytes"  # `up(zeroes, 104)`
    found = findings(tmp_path, "host_memory.cu", text)
    assert {line for line, *_ in found} == set(wrong)
    assert not [each for line, kind, each in found if kind != "wrong_call" or wrong[line] not in each], found


STRUCTURE = """
struct Numbers { float* x; int n; };
__global__ void ones(Numbers* v) { if (threadIdx.x < v->n) v->x[threadIdx.x] = 1; }
int main() {
    Numbers host{nullptr, 32}, *d;
    cudaMalloc(&d, sizeof(Numbers));
    ALLOCATE(&WHERE, 128);
    cudaMemcpy(d, &host, sizeof host, cudaMemcpyHostToDevice);
    ones<<<1, 32>>>(d);
    cudaDeviceSynchronize();
}
"""


@pytest.mark.parametrize("allocate", ["cudaMalloc", "cudaMallocManaged"])
def test_a_pointer_that_an_allocation_writes_into_the_devices_memory(tmp_path, allocate):
    text = STRUCTURE.replace("ALLOCATE", allocate)
    assert not findings(tmp_path, "structure.cu", text.replace("WHERE", "host.x"))
    (line, kind, told), *_ = findings(tmp_path, "structure.cu", text.replace("WHERE", "d->x"))
    assert (line, kind) == (7, "host_access") and f"{allocate} writes the new pointer into element 0 of d" in told
