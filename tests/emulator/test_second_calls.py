"""A small case is called again with the same buffers: each call must do all of its work."""

from __future__ import annotations

import pytest

from grader.course.catalog import find
from grader.grade import grade
from grader.report.words import call
from tests.shared import long_tail

SOURCE = """
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <vector>
__device__ float total;
static int calls, last;
__global__ void add(const float* x, float* out, int n) {
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += 32) sum += x[i];
    for (int half = 16; half; half /= 2) sum += __shfl_down_sync(~0u, sum, half);
    if (threadIdx.x == 0) total += sum, *out = total;
}
__global__ void reset() { total = 0; }
extern "C" void sum(const float* x, float* out, int n, cudaStream_t stream) {
    CALL
}
"""
CARVEOUT = "cudaFuncAttributePreferredSharedMemoryCarveout"
ADD, RESET = "add<<<1, 32, 0, stream>>>(x, out, n);", "reset<<<1, 1, 0, stream>>>();"
RIGHT = {
    "begins with zero": f"{RESET} {ADD}",
    "leaves zero": f"{ADD} {RESET}",
    "counts its calls": f"++calls; {ADD} {RESET}",
    "waits by asking": f"{RESET} {ADD} while (cudaStreamQuery(stream) == cudaErrorNotReady) ;",
    "times itself": f"auto a = std::chrono::steady_clock::now(); {RESET} {ADD} cudaStreamSynchronize(stream);"
    "std::chrono::duration<double> took = std::chrono::steady_clock::now() - a; if (took.count() > 1e6) exit(1);",
    "keeps memory of the host": f"static auto* kept = new std::vector<int>; kept->push_back(n); {RESET} {ADD}",
    "throws dice that nothing hangs on": f"srand(time(nullptr)); volatile int die = rand() % 6; {RESET} {ADD}",
    "is set up once": f"if (!calls++) cudaFuncSetAttribute(add, {CARVEOUT}, 50); {ADD} {RESET}",
}
LATER = {
    "stops after four calls": f"if (++calls > 20 && n < 4096) return; {ADD} {RESET}",
    "leaves every 29th out": f"if (++calls % 29 == 0) return; {ADD} {RESET}",
    "counts in memory of the host": f"static auto* c = new int(0); if (++*c % 45 == 44) return; {ADD} {RESET}",
    "throws dice": f"if (rand() % 7000 == 123) return; {ADD} {RESET}",
    "ends with a year": f"static auto y = time(nullptr) >> 25; if (time(nullptr) >> 25 != y) return; {ADD} {RESET}",
    "ends with a year of C++": f"using C = std::chrono::system_clock; static auto first = C::now();"
    f" if (C::now() - first > std::chrono::hours(24)) return; {ADD} {RESET}",
}
POOL = "cudaMemPool_t pool; cudaDeviceGetDefaultMemPool(&pool, 0);"
# Where CUDA keeps what host code sets: each call leaves one more there.
KEPT_BY_CUDA = {
    "threshold": f"{POOL} unsigned long long was; cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &was);"
    "unsigned long long next = was + 1; cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &next);",
    "reuse": f"{POOL} int was; cudaMemPoolGetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &was);"
    "int next = was + 1; cudaMemPoolSetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &next);",
    "limit": "size_t was; cudaDeviceGetLimit(&was, cudaLimitDevRuntimeSyncDepth);"
    "cudaDeviceSetLimit(cudaLimitDevRuntimeSyncDepth, was + 1);",
}
AFTER_FORTY = f"static auto first = was; if (was > first + 40) return; {ADD} {RESET}"
WRONG = {
    "knows the size": (f"if (n == last) return; last = n; {ADD} {RESET}", "is not written"),
    "begins anew for another size": (f"if (n != last) {{ {RESET} }} last = n; {ADD}", "is another"),
}


@pytest.fixture
def graded(tmp_path):
    def grade_it(call: str):
        file = tmp_path / "kernel.cu"
        file.write_text(SOURCE.replace("CALL", call))
        return grade("05", file, device="emulator", seed=1, tasks=["sum"])

    return grade_it


@pytest.mark.parametrize("what", long_tail(list(WRONG), every=4))
def test_what_goes_by_the_call_before(graded, what):
    call, how = WRONG[what]
    found = graded(call)
    assert found.status in ("not_written", "wrong_result") and found.stars == 0
    (told,) = [case.message for case in found.tasks[0].cases if case.status != "passed"]
    assert f"out[0] {how} when the case" in told and "is called a second time, with the same buffers" in told


@pytest.mark.slow
@pytest.mark.parametrize("what", KEPT_BY_CUDA)
def test_what_is_counted_where_cuda_keeps_it(graded, what):
    found = graded(f"{KEPT_BY_CUDA[what]} {AFTER_FORTY}")
    assert (found.status, found.stars) == ("not_written", 0)


@pytest.mark.parametrize("what", long_tail(list(LATER), every=3))
def test_what_goes_by_the_number_of_calls(graded, what):
    found = graded(LATER[what])
    assert found.status == "not_written" and found.stars == 0
    (told,) = [case.message for case in found.tasks[0].cases if case.status != "passed"]
    assert "out[0] is not written when the case" in told


@pytest.mark.parametrize("what", long_tail(list(RIGHT), every=8))
def test_what_is_right(graded, what):
    found = graded(RIGHT[what])
    assert all(case.status == "passed" for case in found.tasks[0].cases), found.tasks[0].cases[-1].message


# ---- on a GPU of another size ----

PARTS = """
__global__ void add(const float* x, float* parts, int n) {
    int share = (n + gridDim.x - 1) / gridDim.x, begin = blockIdx.x * share;
    float sum = 0;
    for (int i = begin + threadIdx.x; i < min(n, begin + share); i += 32) sum += x[i];
    for (int half = 16; half; half /= 2) sum += __shfl_down_sync(~0u, sum, half);
    if (threadIdx.x == 0) parts[blockIdx.x] = sum;
}
__global__ void finish(const float* parts, float* out, int count) {
    float sum = 0;
    for (int k = 0; k < count; ++k) sum += parts[k];
    *out = sum;
}
extern "C" void sum(const float* x, float* out, int n, cudaStream_t stream) {
    int count;
    cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0);
    float* parts;
    cudaMallocAsync(&parts, count * sizeof(float), stream);
    add<<<count, 32, 0, stream>>>(x, parts, n);
    finish<<<1, 1, 0, stream>>>(parts, out, COUNT);
    cudaFreeAsync(parts, stream);
}
"""


@pytest.mark.slow
@pytest.mark.parametrize("count", long_tail(["16", "count"], every=4))
def test_how_many_multiprocessors_there_are(tmp_path, count):
    file = tmp_path / "kernel.cu"
    file.write_text(PARTS.replace("COUNT", count))
    found = grade("05", file, device="emulator", seed=1, tasks=["sum"])
    told = [case.message for case in found.tasks[0].cases if case.status != "passed"]
    if count == "count":
        assert found.passed and not told
    else:
        assert found.status == "wrong_result" and "runs on a GPU of 20 multiprocessors" in told[0]


def test_a_case_says_how_many_multiprocessors_there_are(tmp_path):
    """The kernel is right where it is told of 4."""
    folder = tmp_path / "lessons" / "01_told"
    folder.mkdir(parents=True)
    (folder / "lesson.py").write_text(TOLD)
    file = tmp_path / "kernel.cu"
    file.write_text(TELLS)
    (task,) = grade(find("01", tmp_path), file, device="emulator", seed=1).tasks
    assert [case.status for case in task.cases] == ["passed", "passed", "wrong_result"]
    assert task.cases[2].details["pattern"] == "square"  # 16
    assert call(task, task.cases[1]) == "told(n=9), where emulated, on 4 multiprocessors"


TOLD = """
from grader.course.lesson import Case, Lesson, Task
import torch

lesson = Lesson(title="Told", tasks=[Task(
    prototype="void told(int* y, int n, cudaStream_t stream)",
    shapes={"y": "n"},
    cases=[Case(n=5, multiprocessors=4), Case(n=9, multiprocessors=4), Case(n=7)],
    make_inputs=lambda draw, variant, n: {},
    reference=lambda n: {"y": torch.full((n,), 4)},
)])
"""
TELLS = """
__global__ void fill(int* y, int n, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = count;
}
extern "C" void told(int* y, int n, cudaStream_t stream) {
    cudaDeviceProp of;
    cudaGetDeviceProperties(&of, 0);
    fill<<<1, 32, 0, stream>>>(y, n, of.multiProcessorCount);
}
"""


ADD = """
ABOVE
__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    KERNEL
    if (i < n) z[i] = x[i] + y[i];
}
extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    HOST
    add<<<(n - 1) / 256 + 1, 256, 0, stream>>>(x, y, z, n);
}
"""
NUMBER = 'unsigned m; asm volatile("mov.u32 %0, %smid;" : "=r"(m)); '
GRID = 'unsigned long long g; asm volatile("mov.u64 %0, %gridid;" : "=l"(g)); '
PROPERTIES = "cudaDeviceProp p; cudaGetDeviceProperties(&p, 0); "
GO_BY = [  # above, in the kernel, in host code; whether it is right
    ("", NUMBER + "if (m >= 16) return;", "", False),
    ("__device__ unsigned runs[132];", NUMBER + "if (!threadIdx.x) atomicAdd(runs + m, 1u);", "", True),
    ("", GRID + "if (g > 100) return;", "", False),
    ("", "if (x > z) return;", "", False),
    ("", "if ((size_t)x % 512) return;", "", False),
    ("", "if ((size_t)x % 256) return;", "", True),
    ("", "", PROPERTIES + "if (p.l2CacheSize > 48 << 20) n /= 2;", False),
    ("", "", PROPERTIES + "if (p.l2CacheSize < 1 << 20) n /= 2;", True),
    ("", "", PROPERTIES + "if (p.name[0] == 'N') n /= 2;", False),
    ("", "", "size_t a, b; cudaMemGetInfo(&a, &b); if (b > size_t(100) << 30) n /= 2;", False),
    (
        "",
        "",
        "size_t a, b; void* half; cudaMemGetInfo(&a, &b); if (cudaMalloc(&half, a / 2)) n /= 2; cudaFree(half);",
        True,
    ),
    ("#include <random>", "", "static std::minstd_rand dice; if (dice() % 100 == 1) n /= 2;", False),
    ("#include <random>", "", "static std::minstd_rand dice; if (dice() == 0) n /= 2;", True),
]


@pytest.mark.parametrize(("above", "kernel", "host", "is_right"), long_tail(GO_BY, every=16, slow=3))
def test_a_kernel_must_not_go_by_where_it_runs(above, kernel, host, is_right, tmp_path):
    file = tmp_path / "kernel.cu"
    file.write_text(ADD.replace("ABOVE", above).replace("KERNEL", kernel).replace("HOST", host))
    found = grade("01", file, device="emulator", seed=1)
    assert (found.status == "passed") == is_right
    if is_right:
        assert found.stars == 2
