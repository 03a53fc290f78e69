"""`ladder run`: whole programs, as they are typed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

LIMIT = 300  # seconds: the emulator's runtime may have to be compiled first

ADD = """
#include <cstdio>
#include <cstdlib>
__global__ void add(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += x[i];
}
int main(int argc, char** argv) {
    int n = argc > 1 ? atoi(argv[1]) : 100;
    float *x, *y, h[1000] = {3};
    cudaMalloc(&x, n * 4);
    cudaMalloc(&y, n * 4);
    cudaMemcpy(x, h, n * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(y, h, n * 4, cudaMemcpyHostToDevice);
    add<<<(n + 127) / 128, 128>>>(x, y, n);
    if (cudaDeviceSynchronize() != cudaSuccess) exit(5);
    cudaMemcpy(h, y, n * 4, cudaMemcpyDeviceToHost);
    printf("%g of %d\\n", h[0], n);
    cudaFree(x);
    cudaFree(y);
    return 7;
}
"""


@dataclass
class Ran:
    code: int
    out: str
    said: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def ladder_run(tmp_path: Path):
    def run(*arguments: str, **files: str) -> Ran:
        for name, text in files.items():
            place = tmp_path / name.replace("__", "/").replace("_dot_", ".")
            place.parent.mkdir(exist_ok=True)
            place.write_text(text)
        command = [sys.executable, "-m", "grader.faces.cli", "run", *arguments]
        root = str(Path(__file__).parents[2])
        environment = {**os.environ, "PYTHONPATH": root, "COLUMNS": "200"}
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=LIMIT)
        return Ran(done.returncode, done.stdout, done.stderr)

    return run


def test_a_right_program_keeps_its_output_and_its_exit_code(ladder_run):
    ran = ladder_run("add.cu", "--", "300", add_dot_cu=ADD)
    assert (ran.code, ran.out) == (7, "6 of 300\n")
    assert "no findings in 1 kernel" in ran.said and "384" in ran.said


def test_a_finding_comes_before_the_programs_exit(ladder_run):
    ran = ladder_run("add.cu", add_dot_cu=ADD.replace("i < n", "i <= n"))
    assert ran.code == 1 and ran.out == ""
    assert "out of bounds  add.cu:6 in kernel add" in ran.said and "y[i] += x[i]" in ran.said
    ran = ladder_run("add.cu", "--exit-zero", "--json")
    assert ran.code == ran.json["exit_code"] == 5
    assert [(each["kind"], each["file"], each["line"]) for each in ran.json["findings"]] == [
        ("out_of_bounds", "add.cu", 6)
    ]
