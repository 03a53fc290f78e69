"""`ladder run`: calls of CUDA, wrong ones, too, return what they return on an H200: api/*.cu say it, call by call."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import pytest

from tests.shared import long_tail
from tests.warm import run_ladder

API = Path(__file__).with_name("api")
PROGRAMS = sorted(API.glob("*.cu"))
AFTER_A_FAULT = """
#include <cstdio>
#include <cuda_runtime.h>
__global__ void bad(int* x) { WRONG; }
__global__ void right() {}
int main() {
    int *a, *b;
    cudaMalloc(&a, 64), cudaMalloc(&b, 64);
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaEvent_t e;
    cudaEventCreate(&e);
    cudaEventRecord(e);
    void* more;
    int h[16], count;
    bad<<<1, 1>>>(a);
    cudaError_t said = CALL;
    printf("%s", cudaGetErrorName(said));
    for (int i = 0; i < 2; ++i) printf(" %s", cudaGetErrorName(cudaGetLastError()));
    printf(" %s", cudaGetErrorName(cudaDeviceSynchronize()));
    for (int i = 0; i < 2; ++i) printf(" %s", cudaGetErrorName(cudaGetLastError()));
    printf(" %s", cudaGetErrorName(cudaMalloc(&more, 64)));
}
"""
WAITS = (  # they wait for the kernel, or ask whether it is over
    "cudaMemcpy(h, b, 64, cudaMemcpyDeviceToHost)",
    "cudaFree(b)",
    "cudaStreamSynchronize(s)",
    "cudaStreamQuery(s)",
    "cudaEventSynchronize(e)",
    "cudaEventQuery(e)",
)
DO_NOT = (
    "cudaGetLastError()",
    "cudaPeekAtLastError()",
    "cudaMalloc(&more, 64)",
    "cudaEventRecord(e)",
    "cudaGetDeviceCount(&count)",
    "cudaStreamCreate(&s)",
    "cudaMemset(b, 0, 64)",
    "(right<<<1, 1>>>(), cudaGetLastError())",
    "cudaMemcpyAsync(a, b, 64, cudaMemcpyDeviceToDevice, s)",
    "cudaMallocHost(&more, 64)",
    "cudaFree(nullptr)",
)
FAULTS = {
    "*(x + (1 << 28)) = 1": "cudaErrorIllegalAddress",
    "*(int*)((char*)x + 1) = 1": "cudaErrorMisalignedAddress",
    "if (threadIdx.x == 0) __trap()": "cudaErrorLaunchFailure",
}


def returned(folder: Path, text: str, name: str = "p.cu") -> str:
    (folder / name).write_text(text)
    return run_ladder(folder, "run", name).stdout


@pytest.mark.parametrize("program", long_tail(PROGRAMS, every=12, slow=3), ids=lambda path: path.stem)
def test_calls_return_what_an_h200_says(program, tmp_path):
    (tmp_path / "said.h").write_text((API / "said.h").read_text())
    rows = enumerate(program.read_text().split("\n"), start=1)
    expected = {number: row.partition("  // ")[2].split() for number, row in rows if re.match(r"    .*  // ", row)}
    said = defaultdict(list)
    for line in returned(tmp_path, program.read_text()).splitlines():
        number, value = line.split()
        said[int(number)].append(value.replace("cudaError", "").replace("cudaSuccess", "Success"))
    assert said == expected and len(said) > 8


@pytest.mark.parametrize("call", long_tail([*WAITS, *DO_NOT], every=24, slow=4))
def test_a_fault_is_known_once_the_host_has_waited(call, tmp_path):
    fault = "cudaErrorIllegalAddress"
    text = AFTER_A_FAULT.replace("WRONG", next(iter(FAULTS))).replace("CALL", call)
    first = f"{fault} {fault}" if call in WAITS else "cudaSuccess cudaSuccess"
    assert returned(tmp_path, text) == f"{first} cudaSuccess {fault} {fault} cudaSuccess {fault}"


@pytest.mark.parametrize("wrong", long_tail(FAULTS, every=4))
def test_a_fault_has_the_error_of_its_kind(wrong, tmp_path):
    text = AFTER_A_FAULT.replace("WRONG", wrong).replace("CALL", "cudaDeviceSynchronize()")
    assert returned(tmp_path, text).split()[0] == FAULTS[wrong]
