"""A few blocks of a case that has more work than blocks which go round do in one round."""

from __future__ import annotations

import pytest

from grader.course import catalog
from grader.devices.build.conditions import conditions_of
from grader.devices.evidence import CaseRun
from grader.grade import grade
from grader.judge.wide import wider
from tests.shared import long_tail

# 2,048 blocks at most: no checked case has as many rows, and no condition tells where the number begins to count.
SOFTMAX = """
static const int most[] = {{2048}};
__global__ void part(const float* x, float* y, int cols) {{
    for (int c = threadIdx.x; c < cols; c += 64) y[(size_t)blockIdx.x * cols + c] = x[(size_t)blockIdx.x * cols + c];
}}
__device__ float largest(float v) {{
    for (int half = 16; half; half /= 2) v = fmaxf(v, __shfl_xor_sync(~0u, v, half));
    return v;
}}
__device__ float total(float v) {{
    for (int half = 16; half; half /= 2) v += __shfl_xor_sync(~0u, v, half);
    return v;
}}
__device__ unsigned rounds;
__global__ void all(const float* x, float* y, int rows, int cols) {{
    const int lane = threadIdx.x;
    float sum = 0;
    for (int row = blockIdx.x; row < rows; row += gridDim.x) {{
        const float* from = x + (size_t)row * cols;
        {first}
        float most = -INFINITY;
        for (int c = lane; c < cols; c += 32) most = fmaxf(most, from[c]);
        most = largest(most);
        for (int c = lane; c < cols; c += 32) sum += expf(from[c] - most);
        sum = total(sum);
        for (int c = lane; c < cols; c += 32) y[(size_t)row * cols + c] = expf(from[c] - most) / sum;
    }}
}}
extern "C" void softmax(const float* x, float* y, int rows, int cols, float* scratch, int n, cudaStream_t stream) {{
    {before}
    all<<<rows < most[0] ? rows : most[0], 32, 0, stream>>>(x, y, rows, cols);
}}
"""
COPY = "part<<<rows, 64, 0, stream>>>(x, y, cols);"


@pytest.fixture
def graded(tmp_path):
    def grade_it(first: str, before: str = ""):
        file = tmp_path / "kernel.cu"
        file.write_text(SOFTMAX.format(first=first, before=before))
        return grade("06", file, device="emulator", seed=1)

    return grade_it


@pytest.mark.whole
def test_what_only_the_second_round_gets_wrong(graded):
    found = graded("")
    assert (found.status, found.stars) == ("wrong_result", 0)
    case = found.tasks[0].cases[-1]
    assert case.name.startswith("rows=66001") and "a few blocks run" in case.message
    assert case.details["index"][0] >= 2048, "the first round is right"
    assert all(other.status == "passed" for other in found.tasks[0].cases[:-1])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("first", "before"),
    long_tail(
        [
            ("sum = 0;", ""),
            ("sum = 0;", COPY),  # what it leaves where no block of the second launch runs
            ("sum = 0; if (lane == 0) atomicAdd(&rounds, 1);", ""),
            ("sum = 0;", "cudaMemsetAsync(y, 0, sizeof(float) * rows * cols, stream);"),
        ],
        every=4,
        slow=2,
    ),
)
def test_what_is_right(graded, first, before):
    found = graded(first, before)
    assert found.status == "passed", found.tasks[0].cases[-1].message
    assert not any(case.name.startswith("rows=66001") for case in found.tasks[0].cases)


# ---- rounds that the checked cases do not come to ----

UNROLLED = """
__global__ void add(const float* x, const float* y, float* z, int n) {
    const int stride = gridDim.x * blockDim.x;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (; i + 7 * stride < n; i += STEP * stride)
        for (int u = 0; u < 8; ++u) z[i + u * stride] = x[i + u * stride] + y[i + u * stride];
    for (; i < n; i += stride) z[i] = x[i] + y[i];
}
extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    int blocks = (n - 1) / 256 + 1;
    add<<<blocks < 52 ? blocks : 52, 256, 0, stream>>>(x, y, z, n);
}
"""


@pytest.mark.slow
@pytest.mark.parametrize(("step", "status"), [(9, "not_written"), (8, "passed")])
def test_what_a_second_round_leaves_out(step, status, tmp_path):
    file = tmp_path / "kernel.cu"
    file.write_text(UNROLLED.replace("STEP", str(step)))
    found = grade("01", file, device="emulator", seed=1)
    assert found.status == status
    assert status == "passed" or "larger than the lesson's" in found.tasks[0].cases[-1].message


# ---- a case beyond the numbers of a file ----

ADD = """
__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + WHAT;
}
extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<(n - 1) / 256 + 1, 256, 0, stream>>>(x, y, z, n);
}
"""
BEYOND = [
    ("(n > 1000000 ? y[i] / 2 : y[i])", "wrong_result"),
    ("(n > 1000000 ? 1.0f * y[i] : y[i])", "passed"),
    ("(blockIdx.x > 20000 ? 0 : y[i])", "wrong_result"),
    ("y[i & 0x3fffff]", "wrong_result"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("what", "status"), long_tail(BEYOND, every=8))
def test_what_is_done_beyond_a_number_that_no_case_reaches(what, status, tmp_path):
    file = tmp_path / "kernel.cu"
    file.write_text(ADD.replace("WHAT", what))
    found = grade("01", file, device="emulator", seed=1)
    assert found.status == status
    if status != "passed":
        assert "goes beyond a number that the file names" in found.tasks[0].cases[-1].message


def test_a_case_is_widened_as_far_as_memory_goes():
    task = catalog.find("01").lesson.tasks[0]
    runs = [CaseRun("n=100003", launches=[{"grid": [391, 1, 1], "block": [256, 1, 1]}])]
    assert wider(task, [16, 256, 390], runs) is None
    assert 2_000_000 <= wider(task, [1_000_000], runs).sizes["n"] < 30_000_000
    assert wider(task, [1 << 30], runs) is None
    wide = [CaseRun("n=100003", launches=[{"grid": [98, 1, 1], "block": [256, 1, 1]}])]
    sizes = [wider(task, [30_000], wide, seed=seed).sizes["n"] for seed in range(9)]  # of blocks they would be too many
    assert len(set(sizes)) > 5 and all(task.judged_cases[-1].sizes["n"] < size < 30_000_000 for size in sizes)
    assert wider(task, [1_000_000], []) is None  # as of a file that the emulator cannot build


@pytest.mark.parametrize(
    ("asked", "least", "most"),
    [
        ("n > 300 * 1000 && n < 1 << 27", 300_000, 1 << 27),
        ("n / 1000 > 300 && n / 1000 < 400", 301_000, 400_000),
        ("!(n < 300 * 1000 || n >> 27)", 300_000, 1 << 27),
    ],
)
def test_a_case_is_widened_to_what_a_file_asks_of_a_size(asked, least, most):
    task = catalog.find("01").lesson.tasks[0]
    runs = [CaseRun("n=100003", launches=[{"grid": [391, 1, 1], "block": [256, 1, 1]}])]
    assert least <= wider(task, [], runs, conditions_of(f"bool a = {asked};")).sizes["n"] < most
    assert wider(task, [], runs, conditions_of("bool a = n > 1 << 20, b = n >= 1024, c = n % 4 == 3;")) is None


@pytest.mark.parametrize(
    ("asked", "rows", "cols"),
    [
        ("rows > 300 && rows < 16000 && cols > 500", range(301, 16_000), range(1510, 1511)),
        ("cols > 1200 && cols < 9000", range(1500, 1501), range(1201, 9000)),
    ],
)
def test_each_size_of_a_matrix_is_widened_to_what_a_file_asks_of_it(asked, rows, cols):
    task = next(each for each in catalog.find("03").lesson.tasks if each.name == "transpose")
    runs = [CaseRun("rows=288 cols=416", launches=[{"grid": [35, 1, 1], "block": [256, 1, 1]}])]
    case = wider(task, [], runs, conditions_of(f"bool a = {asked};"))
    assert case.sizes["rows"] in rows and case.sizes["cols"] in cols


@pytest.mark.slow
@pytest.mark.parametrize("where", ["on the host", "in the kernel"])
def test_what_leaves_out_sizes_beyond_the_cases_has_not_passed(where, tmp_path):
    text = (catalog.find("03").root / "kernels/03_coalescing/transpose/1_one_thread.cu").read_text()
    at = "unsigned across =" if where == "in the kernel" else "// A grid of one dimension"
    assert text.count(at) == 1
    (tmp_path / "kernel.cu").write_text(text.replace(at, f"if (rows > 300 && rows < 16000) return;\n{at}"))
    found = grade("03", tmp_path / "kernel.cu", device="emulator", seed=1, tasks=["transpose"])
    assert (found.status, found.stars) == ("not_written", 0)
