"""The second run, with other bytes in memory that nothing has written, sees nothing of the first."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from jobs import ADD, ENTRY, SIZES, job_of, results

from grader.devices.buffers import Arena
from grader.devices.worker.fresh import Fresh
from tests.shared import long_tail

# Each element takes up what lies in scratch memory that nothing has written, if it `uses` it: then the result is right
# by luck in the first run, with the bytes that are there, and wrong in the second. Else the load is mere padding.
SOURCE = f"""
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <unistd.h>
__device__ int launches;
static int calls;
STATE
__global__ void add(const float* x, const float* y, float* z, const int* scratch, int n, int uses) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    volatile int noise = scratch[i];
    z[i] = x[i] + y[i] + (uses & (noise != -1));
}}
{ENTRY} {{
    int* scratch;
    cudaMalloc(&scratch, 4 * n);
    ++calls;
    int uses = USES;
    add<<<(n + 255) / 256, 256, 0, stream>>>(x, y, z, scratch, n, uses);
    cudaFree(scratch);
    AFTER
}}
"""
NAME = 'static char* name(int n) { static char s[9]; snprintf(s, 9, "N%d", n); return s; }'


def kernel(uses: str, state: str = "", after: str = "") -> str:
    return SOURCE.replace("USES", uses).replace("STATE", state).replace("AFTER", after)


def severities(found) -> dict[str, list[str]]:
    """Those of the uninitialised reads, by case."""
    return {case.name: [f.severity for f in case.findings if f.kind == "uninitialized_read"] for case in found.cases}


def expect(found, errors: tuple[int, ...] = SIZES) -> None:
    assert (found.problem, found.build.message) == (None, "")
    assert severities(found) == {f"n={n}": ["error" if n in errors else "note"] for n in SIZES}


@pytest.mark.parametrize(
    ("uses", "state", "after", "errors"),
    [
        pytest.param("1", "", "", SIZES, id="always"),
        pytest.param("0", "", "", (), id="never", marks=pytest.mark.slow),
        pytest.param("calls == 1", "", "", (1,), id="at first", marks=pytest.mark.slow),
        pytest.param("calls > 1", "", "", (31, 1000), id="later", marks=pytest.mark.slow),
        pytest.param("calls == 3", "", "", (1000,), id="in the third call", marks=pytest.mark.whole),
        # Each is well behaved once it has seen a case before.
        pytest.param(
            "!seen[n]", "static bool seen[2000];", "seen[n] = true;", SIZES, id="static flags", marks=pytest.mark.slow
        ),
        pytest.param(
            "!getenv(name(n))", NAME, 'setenv(name(n), "1", 1);', SIZES, id="the environment", marks=pytest.mark.whole
        ),
        pytest.param(
            "late != n",
            "static volatile int late;",
            "std::thread([n] { late = n; for (;;) pause(); }).detach(); while (late != n) {}",
            SIZES,
            id="threads",
            marks=pytest.mark.whole,
        ),
    ],
)
def test_state_of_the_first_run_is_not_there_in_the_second(run, uses, state, after, errors):
    expect(run(kernel(uses, state, after)), errors)


@pytest.mark.slow
def test_a_run_that_leaves_files_has_no_second_one(run):
    """Whether what it read matters cannot be asked in a folder that is another; so it does."""
    expect(run(kernel("access(name(n), F_OK) != 0", NAME, 'fclose(fopen(name(n), "w"));')))


@pytest.mark.slow
def test_device_variables_are_as_they_were(run):
    source = kernel("1").replace("(uses &", "((launches % 2 == 0) &")
    source = source.replace("cudaFree(scratch);", "count<<<1, 1, 0, stream>>>(); cudaFree(scratch);")
    source = source.replace("__global__", "__global__ void count() { ++launches; }\n__global__", 1)
    expect(run(source), (1, 1000))


@pytest.mark.whole
def test_a_second_run_does_not_know_that_it_is_one(run, arena):
    """The first case's output looks as it did, when the case that is run again has its second run."""
    looks = "    if (i == 0 && n == 1) is_new = z[0] != z[0];\n    if (i >= n) return;"
    source = kernel("1", "__device__ int is_new = 1;").replace("    if (i >= n) return;", looks)
    found = severities(run(source.replace("(uses &", "(is_new &")))
    assert "error" in found["n=31"] and "error" in found["n=1000"]
    assert results(arena) == [True] * len(SIZES)


@pytest.mark.whole
def test_what_is_set_up_once_makes_no_error_of_padding(run, arena):
    once = "if (calls == 1) cudaFuncSetAttribute(add, cudaFuncAttributePreferredSharedMemoryCarveout, 50);"
    expect(run(kernel("0", after=once)), ())
    assert results(arena) == [True] * len(SIZES)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("end", "errors"),
    long_tail([("_exit(0);", (31, 1000)), ("abort();", (31,)), ("for (;;) pause();", (31, 1000))], every=6),
)
def test_a_second_run_that_does_not_come_back_counts_as_different(run, end, errors):
    """Its standard output leads nowhere."""
    second = "static bool is_second() { char s[9] = {}; readlink(STDOUT, s, 8); return s[1] == 'd'; }"
    second = second.replace("STDOUT", '"/proc/self/fd/1"')
    expect(run(kernel("0", second, f"if (n == 31 && is_second()) {end}"), seconds=0.5), errors)


@pytest.mark.slow
def test_what_is_printed_is_printed_once(run):
    found = run(kernel("1", after='puts("here");'))
    assert found.output == "here\n" * len(SIZES)


# ---- the processes ----


def ask_all(fresh: Fresh, numbers: range) -> list[object]:
    if fresh.number is not None:
        fresh.answer({"number": fresh.number, "pid": os.getpid()} if fresh.number < 3 else os._exit(1))
    return [fresh.ask(number) for number in numbers]


def test_each_run_has_a_process_of_its_own(tmp_path: Path):
    inherited: list[bool] = []
    fresh = Fresh(tmp_path, SimpleNamespace(inherit=inherited.append))
    answers = ask_all(fresh, range(4))
    assert [answer and answer["number"] for answer in answers] == [0, 1, 2, None]
    assert len({answer["pid"] for answer in answers[:3]} | {os.getpid(), fresh.pid}) == 5
    (tmp_path / "left_behind").touch()
    assert ask_all(fresh, range(1)) == [None]
    fresh.close()
    assert not Path(f"/proc/{fresh.pid}").exists()
    assert fresh.ask(0) is None
    assert inherited == [True, False]


@pytest.mark.whole
def test_what_has_mattered_in_three_cases_is_not_asked_again(server, cache):
    """The file fails already, and each second run takes as long as all cases before it."""
    sizes, ran = range(1, 6), Counter()
    with Arena([(ADD, {name: (n,) for name in "xyz"}) for n in sizes]) as arena:
        job = replace(job_of(arena, cache, kernel("1")), cases=[(f"n={n}", {"n": n}) for n in sizes])
        found = server.run(job, lambda event: ran.update([event["case"]] if event["event"] == "running" else []))
    assert severities(found) == {f"n={n}": ["error"] for n in sizes}
    assert ran == {f"n={n}": 2 if n <= 3 else 1 for n in sizes}
