"""`ladder run` refuses what nvcc or its assembler does; what is right beside it runs."""

from __future__ import annotations

import pytest

from tests.shared import long_tail
from tests.warm import run_ladder

ARRAY = """#include <cstdio>
__global__ void k(int* z, int n) {
    const int most = 4;
    int own[SIZE];
    for (int i = 0; i < most; ++i) own[i] = i;
    z[0] = own[n - 1];
}
int main(int count, char**) {
    int *z, host[count + 1];
    host[count] = 4;
    cudaMallocManaged(&z, sizeof(int));
    k<<<1, 1>>>(z, host[count]);
    cudaDeviceSynchronize();
    printf("%d\\n", *z);
    cudaFree(z);
}
"""
CONSTANT = """#include <cstdio>
__constant__ float table[COUNT];
__device__ float more[70000];
__global__ void k(float* z) { z[0] = table[threadIdx.x] + more[threadIdx.x]; }
int main() {
    float* z;
    cudaMallocManaged(&z, sizeof(float));
    k<<<1, 1>>>(z);
    cudaDeviceSynchronize();
    printf("%g\\n", *z);
    cudaFree(z);
}
"""


@pytest.mark.parametrize(
    ("text", "told"),
    long_tail(
        [
            (ARRAY.replace("SIZE", "n"), "p.cu:4: the size of an array in a kernel must be a constant"),
            (ARRAY.replace("SIZE", "most"), ""),
            (CONSTANT.replace("COUNT", "16385"), "65,540 bytes of __constant__ variables: a GPU has 65,536"),
            (CONSTANT.replace("COUNT", "16384"), ""),
            (
                CONSTANT.replace("COUNT", "2").replace("70000", "5ull << 28"),
                "arrays of gigabytes are allocated with cudaM",
            ),
        ],
        every=4,
        slow=2,
    ),
)
def test_what_nvcc_refuses(tmp_path, text, told):
    (tmp_path / "p.cu").write_text(text)
    done = run_ladder(tmp_path, "run", "p.cu")
    said = done.stdout + done.stderr
    assert (told in said and "cannot be built" in said) if told else "no findings in 1 kernel" in said, said
