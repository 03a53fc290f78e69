"""Which guard is told as missing where a kernel of two or three dimensions leaves its array; else nothing."""

import pytest

from grader.report.guards import guard_of_axes

KERNEL = """__global__ void other(float* a, int n) {
    int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y + threadIdx.y;
    a[x] = y;
}
__global__ void k(const float* a, float* b, int width, int height, int depth) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;  // a column
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    GUARD b[y * width + x] = a[y * width + x];
}
"""


def told(guard: str, *changes: tuple[str, str]) -> str:
    text = KERNEL.replace("GUARD", guard)
    for old, new in [(", int depth", ""), *changes]:
        text = text.replace(old, new)
    return guard_of_axes(text.split("\n"), 8)


@pytest.mark.parametrize(
    ("guard", "missing", "write"),
    [
        ("", "outside in x and y, and nothing here asks for `x` and `y`", "if (x < width && y < height)"),
        ("if (x < width)", "outside in y, and nothing here asks for `y`", "if (x < width && y < height)"),
        ("if (y >= height) return;", "outside in x, and nothing here asks for `x`", "if (x < width && y < height)"),
        ("if (x < width || y < height)", "`||` lets a thread in", "if (x < width && y < height)"),
    ],
)
def test_the_missing_guard_is_named(guard, missing, write):
    said = told(guard)
    assert missing in said and write in said


def test_it_is_named_with_the_kernels_own_sizes():
    assert "if (x < n && y < n)" in told("", ("int width, int height", "int n"), ("width", "n"))
    assert "if (x < w && y < h)" in told("", ("y * width + x", "x + y * width"), ("width", "w"), ("height", "h"))
    assert "if (x < width && y < height && z < depth)" in told(
        "if (x < width && y < height)", ("  // a column", " int z = blockIdx.z * 4 + threadIdx.z;")
    )


@pytest.mark.parametrize(
    ("guard", "changes"),
    [
        ("if (x < width && y < height)", ()),  # its sizes may be wrong, which this does not know
        ("if (!is_inside(x, y)) return;", ()),
        ("if (x >= width || y >= height) return;", ()),
        ("", (("blockIdx.y * blockDim.y + threadIdx.y", "0"),)),  # one dimension
        ("", (("int y = blockIdx.y * blockDim.y", "int y = by * 16"),)),
    ],
)
def test_nothing_is_said_where_it_is_not_known(guard, changes):
    assert told(guard, *changes) == ""


def test_lines_of_no_kernel_have_none():
    assert guard_of_axes([*KERNEL.split("\n"), "int main() {", "    f();"], 12) == guard_of_axes([], None) == ""
