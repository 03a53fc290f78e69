"""What a kernel leaves out at the timed case takes its stars back, and what right kernels do there does not."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from grader.course import catalog
from grader.course.call import Call
from grader.devices.evidence import CaseRun, Evidence, Finding
from grader.grade import grade
from grader.model.left_out import failure, left_out, surely_wrong
from tests.shared import long_tail

HEAD = """
template <int kThreads> __global__ void add(const float4* x, const float4* y, float4* z, int n) {
    int i = blockIdx.x * kThreads + threadIdx.x;
    if (i >= n) return;
    float4 a = x[i], b = y[i];
    z[i] = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}
__global__ void add_hot(const float4* x, const float4* y, float4* z) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, h = i % (1 << 16);
    z[i] = make_float4(x[h].x + y[h].x, x[h].y + y[h].y, x[h].z + y[h].z, x[h].w + y[h].w);
}
__global__ void stuck(float* z, int n) {
    for (volatile int k = 0; n < 0; ++k) ;
    if (n > 0) z[n + 1000] = 1;
}
__global__ void fill(float4* z) { z[blockIdx.x * blockDim.x + threadIdx.x] = make_float4(0, 0, 0, 0); }
__global__ void rest(const float* x, const float* y, float* z) { z[threadIdx.x] = x[threadIdx.x] + y[threadIdx.x]; }
extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    auto x4 = reinterpret_cast<const float4*>(x), y4 = reinterpret_cast<const float4*>(y);
    auto z4 = reinterpret_cast<float4*>(z);
    const int most = n / 4 * 4;
    bool large = n > 1 << 26;  // beyond what the judge's wider case can have
"""
TAIL = """
    if (n >= 4 && !large) add<256><<<(n / 4 + 255) / 256, 256, 0, stream>>>(x4, y4, z4, n / 4);
    if (n > most) rest<<<1, n - most, 0, stream>>>(x + most, y + most, z + most);
}
"""
ALL = "add<512><<<(n / 4 + 511) / 512, 512, 0, stream>>>(x4, y4, z4, n / 4);"

HOT = "add_hot<<<n / 1024, 256, 0, stream>>>(x4, y4, z4);"
QUARTER = "add<512><<<(q + 511) / 512, 512, 0, stream>>>(x4 + k * q, y4 + k * q, z4 + k * q, q);"


@pytest.fixture(scope="module")
def entry():
    return catalog.find("01")


@pytest.fixture
def graded(entry):
    """graded(code) is the grade of an addition that is right, with code of its own for `large` sizes."""

    def grade_with(code):
        text = HEAD + code + TAIL
        return grade(entry, entry.folder / "large.cu", source=text, device="emulator", seed=1).tasks[0]

    return grade_with


@pytest.mark.slow
@pytest.mark.parametrize(
    "code",
    long_tail(
        [
            f"if (large) {{ {ALL} }}",
            f"if (large) {{ cudaMemsetAsync(z, 0, 4l * n, stream); {ALL} }}",
            f"if (large) for (int k = 0, q = n / 16; k < 4; ++k) {QUARTER}",
            f"if (large) {{ fill<<<n / 1024, 256, 0, stream>>>(z4); {ALL} }}",
            "large = false;",
            "if (large) add<512><<<(n / 2 + 511) / 512, 512, 0, stream>>>(x4, y4, z4, n / 4);",
        ],
        every=8,
        slow=4,
    ),
    ids=["another kernel", "memset before", "four launches", "filled before", "the same", "twice the blocks"],
)
def test_a_right_kernel_for_large_sizes_keeps_its_stars(graded, code):
    found = graded(code)
    assert (found.status, found.stars, found.withheld) == ("passed", 3, "")


LESS = [
    ("", "the launches load 0% of x"),
    ("if (large) cudaMemcpyAsync(z, x, 4l * n, cudaMemcpyDeviceToDevice, stream);", "the launches load 0% of y"),
    ("stuck<<<1, 1, 0, stream>>>(z, large ? -1 : 0);", "million steps"),
    (f"if (large) {{ {ALL.replace('z4', 'const_cast<float4*>(y4)')} }}", "writes y"),
    (f"if (large) {{ n /= 4; {ALL} n *= 4; }}", "the launches load 25% of x"),
    (f"if (large) {{ {ALL} cudaMemsetAsync(z, 0, 4l * n, stream); }}", "z is set behind the last launch"),
    ("if (large) for (volatile long k = 0; k < 40000000000; ++k) ;", "host code was still running"),
    (f"if (large) {{ {ALL} {ALL.replace('(x4, y4', '(x4, x4')} }}", "store 2 times as many elements as there are"),
    ("if (large) *(volatile int*)8 = 1;", "host code ends with a segmentation fault"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "says"), long_tail(LESS, every=8))
def test_less_than_the_work_of_the_cases_costs_all_stars_but_the_first(graded, code, says):
    found = graded(code)
    assert (found.status, found.stars) == ("passed", 1)
    assert found.withheld.startswith("★★ and ★★★ withheld: ") and says in found.withheld


WRONG = [
    (f"if (large) {{ {HOT} return; }}", "wrong_result", "This case is timed, and a few of its blocks run"),
    ("if (large) add<2048><<<n / 2048, 2048, 0, stream>>>(x4, y4, z4, n / 4);", "launch_error", "add<2048> fails"),
    ("if (large) add<128><<<n / 128, 128, 0, stream>>>(x4, y4, z4, n);", "out_of_bounds", "thread (0, 0, 0) of"),
    (
        "if (large) { cudaMemsetAsync(z, 0, 64, stream); stuck<<<1, 1, 0, stream>>>(z, n); }",
        "out_of_bounds",
        "writes z[",
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize(("code", "status", "says"), long_tail(WRONG, every=4, slow=4))
def test_what_is_surely_wrong_at_the_timed_case_has_not_passed(graded, code, status, says):
    found = graded(code)
    assert (found.status, found.stars) == (status, 0)
    assert found.cases[-1].name == "n=268435456" and says in found.cases[-1].message


def test_more_blocks_than_the_emulator_holds_are_nobodys_mistake(graded):
    found = graded("if (large) { add<1><<<1 << 27, 1, 0, stream>>>(x4, y4, z4, n / 4); return; }")
    assert found.status == "passed" and "can hold" not in found.withheld


# Blocks take a second row at the timed size alone, and no condition tells at which: BARRIER keeps the next row's maxima
# from the sum that others read.
ROWS = """
static const int most[] = {2048};
__global__ void softmax_rows(const float* x, float* y, int rows, int cols) {
    __shared__ float part[64];
    const int t = threadIdx.x;
    for (int row = blockIdx.x; row < rows; row += gridDim.x) {
        const float* from = x + size_t(row) * cols;
        float best = -INFINITY, sum = 0;
        for (int c = 0; c < cols; ++c) best = fmaxf(best, from[c]);
        for (int c = t; c < cols; c += 64) sum += expf(from[c] - best);
        part[t] = sum;
        __syncthreads();
        for (int h = 32; h; h /= 2) {
            if (t < h) part[t] += part[t + h];
            __syncthreads();
        }
        for (int c = t; c < cols; c += 64) y[size_t(row) * cols + c] = expf(from[c] - best) / part[0];
        BARRIER
    }
}
extern "C" void softmax(const float* x, float* y, int rows, int cols, float* scratch, int scratch_len,
                        cudaStream_t stream) {
    softmax_rows<<<rows < most[0] ? rows : most[0], 64, 0, stream>>>(x, y, rows, cols);
}
"""


@pytest.mark.parametrize(
    ("barrier", "status"), [("", "race"), pytest.param("__syncthreads();", "passed", marks=pytest.mark.whole)]
)
@pytest.mark.slow
def test_a_race_of_the_round_that_only_the_timed_case_has_is_found(barrier, status):
    entry = catalog.find("06")
    text = ROWS.replace("BARRIER", barrier)
    found = grade(entry, entry.folder / "rows.cu", source=text, device="emulator", seed=1).tasks[0]
    assert (found.status, found.stars > 0) == (status, status == "passed")
    if barrier == "":
        assert found.cases[-1].name == "rows=16384 cols=16384 scratch_len=1024"
        assert "part[0]" in found.cases[-1].message


# ---- by facts ----


def launch(ran=16, blocks=1024, counts=None, held=4, repeats=1, **regions):
    """What sampling has of a launch: sectors that the blocks which ran have loaded and stored of each array."""
    rows = [
        {"name": name, "of_task": name != "own", "loaded": loaded, "stored": stored, "asked": loaded,
         "load_span": 1 << 60, "store_span": 1 << 60, "load_blocks": ran, "store_blocks": ran}
        for name, (loaded, stored) in regions.items()
    ]  # fmt: skip
    return {"kernel": "k", "blocks": blocks, "repeats": repeats, "held": held, "ran": [{}] * ran,
            "counts": counts or {}, "regions": rows}  # fmt: skip


@pytest.fixture(scope="module")
def backward():
    """log_bmm_backward at its counted case, and at the timed one."""
    task = catalog.find("07").lesson.task("log_bmm_backward")
    return Call(task, task.judged_cases[-1]), Call(task, task.timed_case)


def run_of(call, without=(), **counters):
    touched = {each.name: [call.bytes[each.name] * (each.name not in without)] * 2 for each in call.signature.buffers}
    zero = {f"{kind}_operations": 0 for kind in ("float", "double", "tensor")}
    return CaseRun(call.name, counters=zero | counters, touched=touched)


def all_of(real, ran=16, **other):
    """A launch whose blocks load and store each array once, together."""
    parts = {b.name: [real.bytes[b.name] * ran // 32 // 1024] * 2 for b in real.signature.buffers}
    return launch(ran, **parts | other)


def test_an_input_that_no_case_needs_need_not_be_loaded_at_the_timed_case(backward):
    checked, real = backward
    sample = {"launches": [all_of(real, out=(0, 0))]}
    assert left_out(real, sample, checked, run_of(checked, without=["out"])) == ""
    assert "load 0% of out" in left_out(real, sample, checked, run_of(checked))


def test_of_few_blocks_none_may_be_one_that_stores_an_array(backward):
    """Half of the blocks work out one gradient, half the other, and one block was run."""
    checked, real = backward
    twice = 2 * real.bytes["grad_a"] // 32 // 1024
    sample = {"launches": [all_of(real, ran=1, grad_a=(0, twice), grad_b=(0, 0))]}
    assert left_out(real, sample, checked, run_of(checked)) == ""
    sample = {"launches": [all_of(real, ran=1, grad_a=(0, twice // 8), grad_b=(0, 0))]}
    assert "store 12% of the results" in left_out(real, sample, checked, run_of(checked))


def test_what_a_trace_was_cut_short_of_counts_as_what_it_has(backward):
    checked, real = backward
    whole = all_of(real, ran=1, held=1)
    part = {**whole, "regions": [{**r, "loaded": r["loaded"] / 8, "stored": r["stored"] / 8, "asked": r["asked"] / 8}
                                 for r in whole["regions"]]}  # fmt: skip
    assert left_out(real, {"launches": [part]}, checked, run_of(checked)) != ""
    part["counts"] = {"global_load_sectors": sum(r["asked"] for r in whole["regions"])}
    assert left_out(real, {"launches": [part]}, checked, run_of(checked)) == ""


def test_copies_load_and_store(backward):
    checked, real = backward
    sample = {"launches": [all_of(real, a=(0, 0))], "copied": {"a": [real.bytes["a"], 0]}}
    assert left_out(real, sample, checked, run_of(checked)) == ""
    assert "load 0% of a" in left_out(real, {**sample, "copied": {}}, checked, run_of(checked))


@pytest.mark.parametrize("counts", [{"fused": 1}, {"sums": 1, "products": 1}, {"tensor_operations": 64}])
def test_arithmetic_that_the_cases_are_seen_to_do_is_done_at_the_timed_one(backward, counts):
    checked, real = backward
    of_all = {name: number * real.flops / 64 / 1024 * 16 for name, number in counts.items()}
    run = run_of(checked, float_operations=checked.flops)
    assert left_out(real, {"launches": [all_of(real, counts=of_all)]}, checked, run) == ""
    few = {name: number / 4 for name, number in of_all.items()}
    assert "do 25% of the arithmetic" in left_out(real, {"launches": [all_of(real, counts=few)]}, checked, run)
    assert left_out(real, {"launches": [all_of(real, counts=few)]}, checked, run_of(checked)) == ""


def test_a_block_that_waits_for_others_fails_only_where_no_case_has_checked_its_kernel(backward):
    _, real = backward
    waits = Finding("timeout", "waits for a value", kernel="k")
    tried = Evidence(cases=[CaseRun(real.name, [waits], sample={"launches": [launch()], "skipped": 0})])
    known = SimpleNamespace(kernels=[{"name": "k"}])
    assert failure(tried, real, known, 1e6) == ""
    assert (
        failure(tried, real, SimpleNamespace(kernels=[]), 1e6) == f"at {real.name}, which is timed, waits for a value"
    )


def test_a_block_that_waits_where_no_case_reads_fails(backward):
    _, real = backward
    waits = Finding("timeout", "waits for a value", line=7, kernel="k", details={"steps": 9, "waits": True})
    works = replace(waits, details={"steps": 9})

    def failed(finding, line, **counts):
        zero = dict.fromkeys(
            f"{space}_{kind}_requests" for space in ("global", "shared") for kind in ("load", "atomic")
        )
        run = SimpleNamespace(kernels=[{"name": "k"}], lines=[{"line": line} | zero | counts])
        tried = Evidence(cases=[CaseRun(real.name, [finding], sample={"launches": [launch()], "skipped": 0})])
        return failure(tried, real, run, 1e6) != ""

    assert failed(waits, 7) and failed(waits, 8, global_load_requests=1)
    assert not failed(waits, 7, global_load_requests=1) and not failed(waits, 7, global_atomic_requests=1)
    assert not failed(works, 7)


def test_a_shuffle_of_which_a_checked_case_uses_nothing_fails_nothing(backward):
    _, real = backward
    taken = Finding("shuffle_source", "takes a value", line=7, kernel="k")
    tried = Evidence(cases=[CaseRun(real.name, [taken], sample={"launches": [launch()], "skipped": 0})])

    def failed(*findings):
        return failure(tried, real, SimpleNamespace(kernels=[{"name": "k"}], findings=findings), 1e6) != ""

    assert not failed(replace(taken, severity="note"))
    assert failed() and failed(taken) and failed(replace(taken, severity="note", line=8))


def test_what_a_later_launch_does_wrong_may_come_of_blocks_that_were_left_out(backward):
    _, real = backward
    wrong = Finding("out_of_bounds", "reads x", kernel="k")
    known = SimpleNamespace(kernels=[{"name": "k"}])

    def tried(*launches):
        return Evidence(cases=[CaseRun(real.name, [wrong], sample={"launches": launches, "skipped": 0})])

    assert failure(tried(launch(), launch()), real, known, 1e6) == ""
    assert failure(tried(launch()), real, known, 1e6).endswith("reads x")


def test_a_race_is_sure_in_the_first_launch_and_where_inputs_alone_are_loaded(backward):
    _, real = backward
    race = Finding("race", "writes m[0]", kernel="k")
    other = {**launch(own=(1, 1)), "kernel": "other"}

    def found(*launches, skipped=0):
        sample = {"launches": launches, "skipped": skipped}
        return surely_wrong(Evidence(cases=[CaseRun(real.name, [race], sample=sample)]), ["x"])

    of_own, of_inputs = launch(own=(1, 1)), launch(x=(1, 0), own=(0, 1))
    assert found(of_own) == race == found(of_own, other) == found(other, of_inputs) == found(of_inputs, skipped=1)
    assert found(of_own, of_own) is found(other, of_own) is found(of_own, skipped=1) is None
    assert found(other, launch(x=(1, 0), counts={"global_atomic_lanes": 1})) is None
    race = replace(race, kind="out_of_bounds")
    assert found(of_own) == race and found(other, of_inputs) is None


def test_a_thread_that_is_not_done_in_time_is_too_slow_by_its_steps(backward):
    _, real = backward
    late = Finding("timeout", "does not leave the loop", kernel="k", details={"steps": 1_000_000})
    tried = Evidence(cases=[CaseRun(real.name, [late], sample={"launches": [launch()], "skipped": 1})])
    known = SimpleNamespace(kernels=[{"name": "k"}])
    assert failure(tried, real, known, clocks=249_000.0).endswith("does not leave the loop")
    assert failure(tried, real, known, clocks=251_000.0) == ""


def test_lanes_that_load_the_same_elements_leave_others_out(backward):
    checked, real = backward
    needed = sum(real.bytes[each.name] for each in real.signature.inputs)
    run = run_of(checked, task_load_useful_bytes=sum(checked.bytes.values()))
    all_ = launch_of(real, needed)
    assert left_out(real, {"launches": [all_]}, checked, run) == ""
    few = launch_of(real, needed / 4)
    assert "load 25% of the inputs' elements" in left_out(real, {"launches": [few]}, checked, run)
    assert left_out(real, {"launches": [few]}, checked, run_of(checked)) == ""  # nothing is known of its lanes


def launch_of(real, loaded):
    """The launch of `all_of`, whose lanes ask for so many different bytes in all."""
    return all_of(real, counts={"task_loaded_bytes": loaded * 16 / 1024})
