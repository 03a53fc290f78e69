"""A slip in a macro is told at the macro's line, wherever compilers complain; one that means its `;` is left alone."""

from __future__ import annotations

import pytest

from grader.devices.build.macro_slips import of_macro
from tests.shared import long_tail
from tests.warm import run_ladder

PROGRAM = """DEFINE
__global__ void k(float* a) {
    __shared__ float tile[N];
    tile[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = tile[N - 1 - threadIdx.x];
}
int main() {
    float* a;
    cudaMallocManaged(&a, 16 * sizeof(float));
    k<<<1, 16>>>(a);
    cudaDeviceSynchronize();
}
"""


@pytest.mark.parametrize(
    ("define", "told"),
    long_tail(
        [
            ("#define N 16;", "p.cu:1: `#define N 16;` puts its `;` wherever `N` stands: write `#define N 16`"),
            ("#define N = 16", "p.cu:1: `#define N` takes no `=`: write `#define N 16`"),
            ("#define N 16 // a warp's half", ""),
        ],
        every=4,
    ),
)
def test_a_program_is_told_the_line_of_the_macro(tmp_path, define, told):
    (tmp_path / "p.cu").write_text(PROGRAM.replace("DEFINE", define))
    done = run_ladder(tmp_path, "run", "p.cu")
    said = done.stdout + done.stderr
    assert (told in said and said.count("#define") == 3) if told else ("error" not in said and done.returncode == 0)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("#define N 4;\n\nint i = a[N];", 1),
        ("#define N 4;\n#define HALF (N / 2)\nint i = a[HALF];", 1),
        ("#define AT(y, x) ((y) * 4 + (x));\n\nint i = a[AT(1, 2)];", 1),
        ("#define N = 4\n\nint i = N;", 1),
        ("#define N 4;\n\nint i = N;", 0),  # does no harm
        ("#define STEP() i++;\n\nf(STEP());", 0),  # these do something, and may mean their `;`
        ("#define WAIT __syncthreads();\n\nf(WAIT);", 0),
        ("#define LEAVE return;\n\nf(LEAVE);", 0),
        ("#define N 4\n\nint i = a[N;", 0),
    ],
)
def test_the_slip_is_in_the_macro(text, line):
    found = of_macro(text, 3)
    assert (found[1] if found else 0) == line
