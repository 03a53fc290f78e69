"""How long `ladder run` takes for a naive matrix product: `python -m benchmarks.program_speed [--size 1024] [--plain]`.

Once with --no-races --no-counters, then (but for --plain) with both. Prints seconds on the clock, of the processor, and
peak memory; the program is built before. 1024 makes 2.1 G loads.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = """
#include <cstdio>
#include <cstdlib>
#include <vector>
__global__ void product(const float* a, const float* b, float* c, int n) {
    const int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n || column >= n) return;
    float sum = 0;
    for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}
int main(int, char** arguments) {
    const int n = atoi(arguments[1]), blocks = (n + 15) / 16;
    std::vector<float> ones(n * n, 1);
    float *a, *b, *c;
    for (float** matrix : {&a, &b, &c}) cudaMalloc(matrix, ones.size() * sizeof(float));
    for (float* matrix : {a, b}) cudaMemcpy(matrix, ones.data(), ones.size() * sizeof(float), cudaMemcpyHostToDevice);
    product<<<dim3(blocks, blocks), dim3(16, 16)>>>(a, b, c, n);
    cudaMemcpy(ones.data(), c, ones.size() * sizeof(float), cudaMemcpyDeviceToHost);
    for (const float each : ones)
        if (each != n) return 1;
    puts("right");
}
"""


def ran(file: Path, size: int, options: Sequence[str]) -> tuple[float, float, float]:
    """Seconds on the clock, of the processor, and MB at the peak. Raises CalledProcessError if it is not right."""
    command = [sys.executable, "-m", "grader.faces.cli", "run", *options, str(file), "--json", "--", str(size)]
    begun = time.monotonic()
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdout
    found = json.loads(process.stdout.read())
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode or found["findings"]:
        raise subprocess.CalledProcessError(process.returncode, command, str(found["findings"]))
    return time.monotonic() - begun, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def main() -> None:
    """Prints a row for each way."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=1024)
    parser.add_argument("--plain", action="store_true")
    asked = parser.parse_args()
    ways = {"--no-races --no-counters": ["--no-races", "--no-counters"], "with both": []}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "product.cu")
        file.write_text(SOURCE)
        ran(file, 16, [])
        for name, options in list(ways.items())[: 1 if asked.plain else 2]:
            clock, processor, peak = ran(file, asked.size, options)
            print(
                f"{asked.size}: {clock:6.1f} s, {processor:6.1f} s of the processor, {peak:5.0f} MB  {name}", flush=True
            )


if __name__ == "__main__":
    main()
