"""`ladder check NN --debug`: where it stops, what gdb is told, and, where there is a gdb, what a learner sees there."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from grader.course.catalog import UsageError
from grader.devices.evidence import Finding
from grader.faces import debug
from grader.faces.debug import Stop, commands, first_line, linear, parse
from grader.judge.verdict import CaseGrade, TaskGrade

ROOT = Path(__file__).parents[2]
needs_gdb = pytest.mark.skipif(shutil.which("gdb") is None, reason="there is no gdb here")

OUT_OF_BOUNDS = """\
__device__ float half(const float* x, int at) {
    return x[at] / 2;
}
__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = 2 * half(x, i);
    z[i] = a + y[i];
}
extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<(n + 255) / 256, 256, 0, stream>>>(x, y, z, n);
}
"""
RACE = """\
template <class T> __global__ void add(const T* x, const T* y, T* z, int n) {
    __shared__ T tile[64];
    int i = blockIdx.x * 64 + threadIdx.x;
    tile[threadIdx.x] = i < n ? x[i] : 0;
    T other = tile[threadIdx.x ^ 33];
    __syncthreads();
    T mine = tile[threadIdx.x];
    if (i < n) z[i] = mine + y[i] + 0 * other;
}
extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<float><<<(n + 63) / 64, 64, 0, stream>>>(x, y, z, n);
}
"""


# ---- where to stop ----


@pytest.mark.parametrize(("text", "found"), [("", None), ("3,17", (3, 17)), ("0,0", (0, 0))])
def test_a_thread_is_two_numbers(text, found):
    assert parse(text) == found


@pytest.mark.parametrize("text", ["3", "3,", "3,-1", "a,b", "01", "3 17", "1,2,3"])
def test_anything_else_is_one_sentence(text):
    with pytest.raises(UsageError, match="as in `--debug 3,17`"):
        parse(text)


def test_threads_are_counted_x_first():
    assert [linear(index, (4, 3, 2)) for index in ((1, 0, 0), (0, 1, 0), (3, 2, 1))] == [1, 4, 23]


def test_the_first_line_is_that_of_the_kernels_definition():
    source = "// add(1)\n__global__ void add(int);\ntemplate <int n>\n__global__ void\ntile(int i) {\n}\n"
    source += "void f() { tile<3><<<1, 1>>>(2); }"
    assert first_line(source, "tile<3>") == 5
    assert first_line(source, "none") == 1


LAUNCHES = [
    {"kernel": "first", "grid": [1, 1, 1], "block": [32, 1, 1]},
    {"kernel": "second", "grid": [4, 2, 1], "block": [8, 8, 1]},
]
SOURCE = "__global__ void first() {}\n__global__ void second() {\n}\n"


def where(finding: Finding | None, wanted=None, **details) -> Stop:
    case = CaseGrade(
        "n=5", finding.kind if finding else "wrong_result", findings=[finding] if finding else [], details=details
    )
    return debug._where(TaskGrade("f", case.status, 0, cases=[case]), "n=5", LAUNCHES, SOURCE, wanted)


def test_it_stops_in_the_thread_of_the_finding():
    found = Finding("race", "two", line=3, kernel="second", block=(1, 1, 0), thread=(2, 1, 0))
    assert where(found) == Stop("n=5", "second", 5, 10, 3)
    found.kind = "out_of_bounds"
    assert where(found).at_finding
    asked_for = Stop("n=5", "second", 2, 3, 2, asked_for=True)
    assert where(found, (2, 3)) == asked_for, "the thread that was asked for, from its beginning"


def test_of_a_finding_of_the_timed_size_it_stops_in_its_line_in_another_case():
    found = Finding("race", "two", line=3, kernel="second", block=(1024, 0, 0), thread=(2, 1, 0))
    grade = TaskGrade("f", "race", 0, cases=[CaseGrade("n=268435456", "race", findings=[found])])
    assert debug._where(grade, "n=5", LAUNCHES, SOURCE, None) == Stop("n=5", "second", 0, 0, 3)


def test_without_a_finding_it_stops_where_the_kernel_begins():
    assert where(None) == Stop("n=5", "first", 0, 0, 1)
    assert where(None, block=[3, 0, 0], thread=[7, 0, 0]) == Stop("n=5", "first", 3, 7, 1)
    host = Finding("leak", "memory", line=9)
    assert where(host) == Stop("n=5", "first", 0, 0, 1)


def test_gdb_is_told_where(tmp_path):
    told = commands(tmp_path, "my.cu", Stop("n=5", "k", 3, 17, 8))
    assert "('my.cu:8', '*(int*)&ladder_debug_here == 1')" in told and f"directory {tmp_path}" in told
    compile(told.partition("python\n")[2].rpartition("end\n")[0], "commands", "exec")
    assert "('ladder_debug_stop', '')" in commands(tmp_path, "my.cu", Stop("n=5", "k", 3, 17, 8, True))


# ---- the command ----


def ladder(tmp_path: Path, source: str, *arguments: str, typed: str = "", path: str | None = None, timeout=120):
    file = tmp_path / "kernel.cu"
    file.write_text(source)
    environment = {**os.environ, "LADDER_COURSE": str(ROOT), "LADDER_SERVER": "0", "TERM": "dumb"}
    if path is not None:
        environment["PATH"] = path
    main = [sys.executable, "-c", "from grader.faces.standby import main; main()"]
    command = [*main, "check", "01", str(file), "--seed", "7", *arguments]
    return subprocess.run(
        command, input=typed, capture_output=True, text=True, env=environment, cwd=tmp_path, timeout=timeout
    )


def test_without_gdb_it_says_what_to_install_before_anything_is_graded(tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(UsageError, match="sudo apt install gdb"):
        debug.ready("auto", "")
    with pytest.raises(UsageError, match="leave out --device cuda"):
        debug.ready("cuda", "")


FAKE = """#!/bin/sh
for argument; do echo "$argument" >> RECORD/arguments; done
while [ "$1" != -x ]; do shift; done
cp "$2" RECORD/commands; cp "$(dirname "$2")/order.json" "$(dirname "$2")/kernel.cu" RECORD/
"""


@pytest.mark.slow
def test_gdb_gets_the_file_that_was_graded_and_the_thread_to_stop_in(tmp_path):
    """A gdb that notes what it was told."""
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "gdb").write_text(FAKE.replace("RECORD", str(tmp_path / "tools")))
    (tools / "gdb").chmod(0o755)
    done = ladder(tmp_path, OUT_OF_BOUNDS, "--debug", path=f"{tools}:{os.environ['PATH']}")
    assert done.returncode == 1 and "add, n=1: block 0, thread 1" in done.stdout, done.stderr
    order = json.loads((tools / "order.json").read_text())
    assert (order["case"], order["block"], order["thread"], order["scalars"]) == ("n=1", 0, 1, {"n": 1})
    assert "ladder_debug_stop" in (tools / "commands").read_text()
    assert (tools / "kernel.cu").read_text() == OUT_OF_BOUNDS
    arguments = (tools / "arguments").read_text().splitlines()
    assert arguments[arguments.index("--args") + 1] == sys.executable
    assert not Path(arguments[-1]).exists(), "nothing is left behind"


@pytest.mark.slow
def test_a_file_that_does_not_build_is_not_debugged(tmp_path):
    done = ladder(tmp_path, OUT_OF_BOUNDS.replace("float a", "flaot a"), "--debug", path=None)
    assert done.returncode in (1, 2)
    assert "nothing to debug" in done.stdout or "gdb" in done.stderr


@pytest.mark.whole
@needs_gdb
def test_at_a_finding_the_learner_stands_in_the_own_line(tmp_path):
    done = ladder(tmp_path, OUT_OF_BOUNDS, "--debug", typed="print at\nup\ninfo locals\nquit\n")
    said = done.stdout.partition("block 0, thread 1\n")[2]
    assert "at kernel.cu:2" in said and "return x[at] / 2;" in said, done.stdout + done.stderr
    assert "{x = 1, y = 0, z = 0}" in said
    assert "= 1\n" in said and "at kernel.cu:6" in said and "i = 1" in said


@pytest.mark.slow
@needs_gdb
def test_a_race_stops_at_its_line_in_its_thread_and_steps_over_a_barrier(tmp_path):
    done = ladder(tmp_path, RACE, "--debug", typed="next\nnext\nnext\nprint threadIdx.x\nprint i\ncontinue\n")
    said = done.stdout.partition("block 0, thread ")[2]
    thread = said.partition("\n")[0]
    assert "at kernel.cu:5" in said and f"x = {thread}," in said, done.stdout + done.stderr
    assert f"= {thread}\n(gdb) $3 = {thread}" in said and "exited normally" in said, done.stdout + done.stderr


@needs_gdb
@pytest.mark.whole
def test_it_stops_in_the_thread_that_is_asked_for_in_a_case_that_has_it(tmp_path):
    right = RACE.replace("    T other = tile[threadIdx.x ^ 33];\n", "    T other = 0;\n")
    done = ladder(tmp_path, right, "--debug", "3,17", typed="next\nprint i\nprint blockIdx\nquit\n")
    said = done.stdout
    assert "block 3, thread 17" in said and "at kernel.cu:3" in said and f"= {3 * 64 + 17}\n" in said, (
        said + done.stderr
    )
    none = ladder(tmp_path, right, "--debug", "999999,0")
    assert "no case has a thread 0 in a block 999999" in none.stderr and none.returncode == 2


@needs_gdb
@pytest.mark.whole
def test_a_thread_behind_the_one_that_ends_the_run_is_told_to_come_too_late(tmp_path):
    said = ladder(tmp_path, OUT_OF_BOUNDS, "--debug", "0,40", typed="quit\n").stdout
    late = "Thread 40 of block 0 has not come to line 4: another one ended the run before. `--debug` alone stops there."
    assert late in said
