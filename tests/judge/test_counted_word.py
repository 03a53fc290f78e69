"""Where the word in which blocks count is why a case is wrong, that is told; where it is not, nothing is."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from grader.devices.evidence import COUNTED_WORD, Finding
from grader.grade import grade
from grader.judge.causes.counted_word import name_counted_words
from grader.judge.verdict import CaseGrade
from grader.report.advice import advice
from tests.shared import long_tail

SUM = """
__device__ float partial[1024];
__device__ unsigned ticket;
__global__ void reduce(const float* x, float* out, int n) {
    __shared__ float warps[8];
    __shared__ bool last;
    float s = 0;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) s += x[i];
    for (int o = 16; o; o /= 2) s += __shfl_down_sync(~0u, s, o);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x == 0) {
        s = 0;
        for (int w = 0; w < 8; ++w) s += warps[w];
        partial[blockIdx.x] = s;
        __threadfence();
        TICKET
    }
    __syncthreads();
    if (!last || threadIdx.x >= 32) return;
    __threadfence();
    s = 0;
    for (int i = threadIdx.x; i < gridDim.x; i += 32) s += partial[i];
    for (int o = 16; o; o /= 2) s += __shfl_down_sync(~0u, s, o);
    if (threadIdx.x == 0) out[0] = s;
    END
}
extern "C" void sum(const float* x, float* out, int n, cudaStream_t stream) {
    reduce<<<min((n + 255) / 256, 256), 256, 0, stream>>>(x, out, n);
}
"""
OF_SUM = [
    ("last = atomicInc(&ticket, gridDim.x) == gridDim.x - 1;", "", "the limit in line 17 must be one less than"),
    ("last = atomicInc(&ticket, gridDim.x - 2) == gridDim.x - 1;", "", "the limit in line 17 must be one less than"),
    ("last = atomicAdd(&ticket, 1u) == gridDim.x - 1;", "", "`ticket` begins here with"),
    ("last = atomicAdd(&ticket, 1u) == gridDim.x;", "if (threadIdx.x == 0) ticket = 0;", "as the last one: ask for 0"),
    ("last = atomicInc(&ticket, gridDim.x - 1) == gridDim.x - 2;", "", "asks for -1 as the last one: ask for 0"),
    (
        "last = atomicAdd(&ticket, 1u) % gridDim.x == 0;",
        "if (threadIdx.x == 0) ticket = 0;",
        "asks for 0 as the last one: ask for 1",
    ),
]
RIGHT = [
    ("last = atomicInc(&ticket, gridDim.x - 1) == gridDim.x - 1;", ""),
    ("last = atomicAdd(&ticket, 1u) == gridDim.x - 1;", "if (threadIdx.x == 0) ticket = 0;"),
    ("unsigned b = ticket; last = (atomicAdd(&ticket, 1u << 16) >> 16) == gridDim.x - 1; (void)b;", "ticket = 0;"),
]
ADD = """
__device__ unsigned next_tile;
__global__ void add(const float* x, const float* y, float* z, int n) {
    __shared__ unsigned tile;
    while (true) {
        __syncthreads();
        if (threadIdx.x == 0) tile = atomicAdd(&next_tile, STEP);
        __syncthreads();
        const unsigned i = USE + threadIdx.x;
        if (i - threadIdx.x >= n) return;
        if (i < n) z[i] = x[i] + y[i];
    }
}
extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    void* counter;
    cudaGetSymbolAddress(&counter, next_tile);
    RESET
    add<<<16, 256, 0, stream>>>(x, y, z, n);
}
"""
RESET = "cudaMemsetAsync(counter, 0, 4, stream);"
OF_ADD = [
    ("1u", "tile * 256", "", "`next_tile` begins here with"),
    ("2u", "tile * 256", RESET, "with 1 in the place of 2 nothing would be left out"),
    ("512u", "tile", RESET, "with 256 in the place of 512 nothing would be left out"),
    ("1u", "tile * 512", RESET, ""),
    ("1u", "tile * 256", "cudaMemsetAsync(counter, 0, 4, stream); bump<<<1, 1, 0, stream>>>();", "begins with 1"),
]
BUMP = "__global__ void bump() { next_tile = 1; }\nextern"


def graded(tmp_path, lesson: str, text: str):
    file = tmp_path / "kernel.cu"
    file.write_text(text)
    found = grade(lesson, file, device="emulator", seed=4).tasks[0]
    told = next((case for case in found.cases if COUNTED_WORD in (case.details.get("pattern"), *case.details)), None)
    return found, told and (told.details.get(COUNTED_WORD) or told.details["pattern_message"])


@pytest.mark.parametrize(("ticket", "end", "said"), long_tail(OF_SUM, every=6))
def test_a_last_block_that_comes_too_early_or_never(tmp_path, ticket, end, said):
    found, told = graded(tmp_path, "05", SUM.replace("TICKET", ticket).replace("END", end))
    assert found.status in ("race", "not_written")
    assert said in told if said else told is None


@pytest.mark.slow
@pytest.mark.parametrize(("ticket", "end"), RIGHT)
def test_a_last_block_that_is_right(tmp_path, ticket, end):
    found, told = graded(tmp_path, "05", SUM.replace("TICKET", ticket).replace("END", end))
    assert (found.status, found.stars, told) == ("passed", 2, None)


@pytest.mark.slow
@pytest.mark.parametrize(("step", "use", "reset", "said"), long_tail(OF_ADD, every=6))
def test_tickets_that_leave_tiles_out(tmp_path, step, use, reset, said):
    text = ADD.replace("STEP", step).replace("USE", use).replace("RESET", reset).replace("extern", BUMP)
    found, told = graded(tmp_path, "01", text)
    assert found.status == "not_written"
    assert said in told if said else told is None


def test_a_right_case_is_told_nothing():
    grades = [
        CaseGrade("n=1", "passed", findings=[Finding(COUNTED_WORD, "it began with 3", "note")]),
        CaseGrade("n=2", "race", findings=[Finding(COUNTED_WORD, "it began with 3", "note"), Finding("race", "two")]),
        CaseGrade("n=3", "not_written", findings=[Finding(COUNTED_WORD, "it began with 3", "note")]),
        CaseGrade("n=4", "not_written", details={"pattern": "tail"}),
        CaseGrade("n=5", "race", findings=[Finding(COUNTED_WORD, "it began with 3", "note")]),
    ]
    name_counted_words(grades, lambda number, _: None if number < 4 else False)
    assert grades[0].findings == [] and grades[0].details == {}
    assert [each.kind for each in grades[1].findings] == ["race"]
    assert advice("race", grades[1], []) == "it began with 3"
    assert grades[2].details["pattern_message"] == "it began with 3"
    assert grades[3].details == {"pattern": "tail"}
    assert grades[4].details == {}, "that run was wrong, too"


@pytest.mark.slow
def test_floats_that_are_added_up_from_call_to_call(tmp_path):
    text = """
    __device__ float total;
    __global__ void add(const float* x, float* out, int n) {
        for (int i = threadIdx.x; i < n; i += 256) atomicAdd(&total, x[i]);
        __syncthreads();
        if (threadIdx.x == 0) out[0] = total;
    }
    extern "C" void sum(const float* x, float* out, int n, cudaStream_t stream) {
        add<<<1, 256, 0, stream>>>(x, out, n);
    }
    """
    found, told = graded(tmp_path, "05", text)
    assert found.status == "wrong_result"
    assert told.startswith("`total` begins here with ") and "(`total = 0.0;`)" in told


@pytest.mark.slow
def test_variables_that_hold_what_earlier_calls_have_left(tmp_path):
    """Sums of blocks that are added to what was there; and a table that the first call has filled is no cause."""
    text = SUM.replace("= s;\n        __threadfence", "+= s;\n        __threadfence").replace("END", "")
    text = text.replace("TICKET", RIGHT[0][0])
    found, told = graded(tmp_path, "05", text)
    assert found.status == "wrong_result" and "set all of" in told and "`partial`" in told
    once = "static bool filled; if (!filled) fill<<<1, 1, 0, stream>>>(); filled = true;\n    reduce<<<"
    table = "__device__ float one; __global__ void fill() { one = 1; }\n"
    wrong = SUM.replace("TICKET", RIGHT[0][0]).replace("END", "").replace("out[0] = s", "out[0] = s * one + 1")
    found, told = graded(tmp_path, "05", table + wrong.replace("reduce<<<", once))
    assert (found.status, told) == ("wrong_result", None)


def test_what_no_run_tells():
    """No word, no try."""
    from grader.devices.emulator.counted_words import CountedWords

    code = SimpleNamespace(symbols=[], line_of=lambda pc: pc)
    words = CountedWords(SimpleNamespace(code=code, library=None), None, lambda *_: pytest.fail("it was called"))
    assert words.why((None, {}, {}, 1.0, None), {"counted_words": [], "findings": []}, [], []) == []
