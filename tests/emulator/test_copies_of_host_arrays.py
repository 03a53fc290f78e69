"""A copy that leaves an array of host code, of which the compiler knows the size."""

from __future__ import annotations

import pytest

from tests.warm import run_ladder

PROGRAM = """
#include <stdlib.h>
struct Pair { int head[4]; int tail[4]; };
int main(int count, char**) {
    const int n = 4 * count;
    int *x, h[4] = {}, *heap = (int*)malloc(n * sizeof(int)), *made = new int[n]();
    Pair pair = {};
    for (int i = 0; i < n; ++i) heap[i] = i;
    cudaMalloc(&x, 256);
    cudaMemset(x, 0, 256);
    BODY;
    cudaFree(x);
    printf("%d %d %d %d\\n", h[0], heap[1], made[2], pair.tail[0]);
}
"""


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("cudaMemcpy(h, x, sizeof h, cudaMemcpyDeviceToHost)", ""),
        ("cudaMemcpy(x, heap, n * 4, cudaMemcpyHostToDevice)", ""),
        ("cudaMemcpyAsync(made + 2, x, (n - 2) * 4, cudaMemcpyDeviceToHost)", ""),
        ("cudaMemcpy(pair.head, x, sizeof pair, cudaMemcpyDeviceToHost)", ""),
        ("cudaMemcpy(x + 1, x, 3, cudaMemcpyDeviceToDevice)", ""),
        ("cudaMemcpy(h, x, 8 * n, cudaMemcpyDeviceToHost)", "writes 32 bytes to an array of host code that has 16"),
        (
            "cudaMemcpy(x, heap, 2 * n * 4, cudaMemcpyHostToDevice)",
            "reads 32 bytes of an array of host code that has 16",
        ),
        (
            "cudaMemcpyAsync(heap + 2, x, n * 4, cudaMemcpyDeviceToHost)",
            "writes 16 bytes to an array of host code that has 8",
        ),
        (
            "cudaMemcpy(pair.tail, x, sizeof pair, cudaMemcpyDeviceToHost)",
            "writes 32 bytes to an array of host code that has 16",
        ),
    ],
)
def test_a_copy_that_leaves_an_array_of_the_host_is_told(tmp_path, body, told):
    (tmp_path / "p.cu").write_text(PROGRAM.replace("BODY", body))
    done = run_ladder(tmp_path, "run", "p.cu")
    said = " ".join((done.stdout + done.stderr).split())
    assert (told in said and "p.cu:11" in said) if told else "no findings" in said, said
