"""Which guard is told as missing where a kernel of two or three dimensions leaves its array; else nothing."""

import pytest

from grader.devices.evidence import Finding
from grader.report.advice import on_finding
from grader.report.guards import ends_at_another_size, guard_of_axes, guard_of_index

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


@pytest.mark.parametrize(
    ("text", "index", "told"),
    [
        ("if (i <= n) a[i] = 1;", 100, "the index 99: line 3 asks `<=`"),
        ("for (int j = 0; j <= n; ++j) a[j] = 1;", 100, "line 3 asks `<=`"),
        ("if (i > n) return; a[i] = 1;", 100, "line 3 asks `>`, where `>=` belongs"),
        ("if (i > n) { return; } a[i] = 1;", 100, "line 3 asks `>`, where `>=` belongs"),
        ("if (i >= n) return; a[i + 1] = 1;", 100, ""),
        ("if (i > 0) return; a[n] = 1;", 100, ""),
        ("int most = 3; if (i > most) return; a[n] = 1;", 100, ""),
        ("if (i <= n) a[i + 1] = 1;", 101, ""),  # further than that goes
        ("if (i <= n - 1) a[i + 1] = 1;", 100, ""),
        ("if (i < n) a[i + 1] = 1;", 100, ""),
    ],
)
def test_one_too_many_is_told_with_its_line(text, index, told):
    source = ["__global__ void k(float* a, int n) {", "    int i = threadIdx.x;", f"    {text}", "}"]
    details = {"array": "a", "space": "global", "index": index, "elements": 100}
    message = f"thread (100, 0, 0) of block (0, 0, 0) writes element {index} of a, past its end"
    finding = Finding(
        "out_of_bounds", message, line=3, kernel="k", block=(0, 0, 0), thread=(100, 0, 0), details=details
    )
    said = on_finding(finding, source)
    assert told in said and (bool(told) == ("asks `" in said))


@pytest.mark.parametrize(
    ("type_", "said"),
    [("double*", "each element has 8 bytes"), ("float**", "each element has 8 bytes"), ("float2*", "whole vectors")],
)
def test_an_element_across_the_end_is_told_by_the_pointers_type(type_, said):
    source = [f"__global__ void k(const {type_} a, int n) {{", "    a[0];", "}"]
    message = "thread (0, 0, 0) of block (0, 0, 0) reads a[0], across its end (8 bytes at once): a has 1 element"
    details = {"array": "a", "space": "global", "index": 0, "elements": 1}
    finding = Finding("out_of_bounds", message, line=2, kernel="k", block=(0, 0, 0), thread=(0, 0, 0), details=details)
    assert said in on_finding(finding, source)


def test_a_lambda_that_captures_by_reference_is_told_so():
    message = "thread (0, 0, 0) of block (0, 0, 0) reads address 0x7f00, which is no device memory: a host pointer"
    finding = Finding("out_of_bounds", message, line=1, kernel="k", block=(0, 0, 0), thread=(0, 0, 0))
    assert "`[=]`" in on_finding(finding, ["each<<<1, 32>>>(a, [&] __device__(float x) { return s * x; });"])
    assert "`[=]`" not in on_finding(finding, ["each<<<1, 32>>>(a, [=] __device__(float x) { return s[0] * x; });"])


@pytest.mark.parametrize(
    ("line", "launch", "said"),
    [
        ("if (i < n) a[i][i] = 1;", "add<<<1, 32>>>((float**)a, n);", "What lies in the array is taken for pointers"),
        ("if (i < n) a[i][i] = 1;", "add<<<1, 32>>>(rows, n);", "For rows, better one array"),
        ("if (i < v->n) v->data[i] += 1;", "add<<<1, 128>>>(&v);", "A kernel reaches no variable of host code."),
        ("if (i < n) a[i] = 1;", "cudaMalloc((void**)&a, 4); add<<<1, 32>>>(a, n);", "was this pointer ever set"),
    ],
)
def test_an_address_that_no_cudamalloc_gave(line, launch, said):
    message = "thread (0, 0, 0) of block (0, 0, 0) reads address 0x10, which is no device memory: a host pointer"
    finding = Finding("out_of_bounds", message, line=1, thread=(0, 0, 0), block=(0, 0, 0))
    assert said in on_finding(finding, [line, launch])


def test_a_guard_of_the_thread_alone():
    finding = Finding("out_of_bounds", "reads x[257], past its end", line=2, thread=(1, 0, 0), block=(1, 0, 0))
    kernel = ["int i = blockIdx.x * blockDim.x + threadIdx.x;", "if (threadIdx.x < n) z[i] = x[i] + y[i];"]
    assert "ask for the index itself, `if (i < n)`" in on_finding(finding, kernel)
    assert "the index itself" not in on_finding(finding, [kernel[0], "if (threadIdx.x < n) z[n] = 0;"])


HEAD = "__global__ void k(const float* x, float* y, int rows, int cols, int batch) {"


@pytest.mark.parametrize(
    ("loop", "index", "said"),
    [
        ("int i = 0; i < rows; ++i", "row * cols + i", "up to rows in line 2, and stands in the place of one of cols"),
        ("int i = 0; i < rows; ++i", "(b * cols + i) * rows + c", "let the loop end at cols"),
        ("int i = 0; i < cols; ++i", "row * cols + i", ""),
        ("int i = 0; i < kTile; ++i", "row * cols + i", ""),
        ("int i = 0; i < rows; ++i", "row * cols + i * batch", ""),
        ("int i = 0; i < rows; ++i", "row * 4 + i", ""),
        ("int i = 0; i < rows; ++i", "i * cols + c", ""),
    ],
)
def test_a_loop_that_ends_at_another_size(loop, index, said):
    text = [HEAD, f"    for ({loop}) {{", f"        sum += x[{index}];", "    }", "}"]
    found = ends_at_another_size(text, 3)
    assert said in found if said else found == ""


ROW = "    long long id = (long long)blockIdx.x * blockDim.x + threadIdx.x;"


@pytest.mark.parametrize(
    ("before", "use", "says"),
    [
        ("", "y[id * 8 + c] = 0;", True),
        ("if (id >= rows) return;", "y[id * 8 + c] = 0;", False),
        ("for (; id < rows; id += 8)", "y[id * 8 + c] = 0;", False),
        ("int row = min(id, rows - 1);", "y[id * 8 + c] = 0;", False),
        ("int other = blockIdx.x * 2 + threadIdx.y;", "y[id * 8 + c] = 0;", False),
        ("", "y[row * cols + c] = id;", False),
    ],
)
def test_an_index_that_nothing_asks_for(before, use, says):
    text = [HEAD, ROW, f"    {before}", f"    {use}", "}"]
    found = guard_of_index(text, 4)
    assert ("nothing here asks for `id`: let those do nothing, `if (id < ...)`" in found) == says == bool(found)
