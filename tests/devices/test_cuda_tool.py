"""The runner under a tool, without a GPU: `libcudart` and the kernel are C here, and the tool is a script."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from grader.course.prototype import parse_prototype
from grader.devices.buffers import Arena
from grader.devices.nvidia import tool
from grader.devices.nvidia.tool import Subject, watch
from grader.devices.worker.confine import landlock_version

TASK = parse_prototype("void twice(const float* x, float* y, int n, cudaStream_t stream)")
CUDART = r"""
#include <stdlib.h>
#include <string.h>
int failed;  // what the next call reports
int cudaFree(void* p) { free(p); return 0; }
int cudaMalloc(void** p, size_t n) { *p = malloc(n); return 0; }
int cudaMemcpy(void* to, const void* from, size_t n, int kind) { memcpy(to, from, n); return 0; }
int cudaStreamCreateWithFlags(void** s, unsigned flags) { *s = (void*)7; return 0; }
int cudaStreamDestroy(void* s) { return 0; }
int cudaDeviceReset(void) { return 0; }
int cudaGetLastError(void) { int code = failed; failed = 0; return code; }
int cudaDeviceSynchronize(void) { return 0; }
const char* cudaGetErrorName(int code) { return "cudaErrorOfTest"; }
const char* cudaGetErrorString(int code) { return "said by a test"; }
"""
# Writes what it finds to a file of its own and to one that is none of its business; complains in the log at n == 3.
KERNEL = r"""
#include <stdio.h>
#include <stdlib.h>
extern int failed;
void twice(const float* x, float* y, int n, void* stream) {
    printf("printed by the submission\n");
    FILE* file = fopen("%(out)s", "w");
    if (file) fclose(file);
    float sum = 0;
    for (int i = 0; i < n; ++i) sum += (y[i] = 2 * x[i]);
    if (n == 3) %(what)s
}
"""
TOOL = """#!/bin/sh
# The tool: --log-file LOG PROGRAM..., after its own options
[ "$1" = --log-file ] || exit 1
export TEST_LOG=$2
echo '========= HEAD' > "$2"
echo "printed by the tool"
shift 2
exec "$@"
"""


def compile_c(file: Path, source: str, *flags: str) -> Path:
    command = ["gcc", "-shared", "-fPIC", "-x", "c", "-", "-o", str(file), *flags]
    subprocess.run(command, input=source, text=True, check=True)
    return file


@pytest.fixture
def home(tmp_path, monkeypatch):
    folder = tmp_path / "home"
    (folder / "lib").mkdir(parents=True)
    compile_c(folder / "lib" / "libcudart.so", CUDART)
    monkeypatch.setattr(tool, "cuda_home", lambda: folder)
    return folder


@pytest.fixture
def watched(home, tmp_path):
    """Runs the cases n = 1, 3, 5 of a kernel that does `what` at n == 3; the events and the rest."""
    program = tmp_path / "tool"
    program.write_text(TOOL)
    program.chmod(0o755)

    def run(what: str = ";", seconds: float = 30.0):
        source = KERNEL % {"out": tmp_path / "stray", "what": what}
        libraries = f"-L{home / 'lib'}", "-lcudart", f"-Wl,-rpath,{home / 'lib'}"
        library = compile_c(tmp_path / "kernel.so", source, *libraries)
        sizes = (1, 3, 5)
        with Arena([(TASK, {"x": (n,), "y": (n,)}) for n in sizes]) as arena:
            cases = [(f"n={n}", {"n": n}) for n in sizes]
            return watch([str(program)], Subject(library, TASK, cases, arena.layout, bytes(arena.bytes)), seconds)

    return run


def names(found, event: str) -> list[str]:
    return [each["name"] for each in found.events if each["event"] == event]


def test_all_cases_run_once_and_buffers_are_of_their_very_size(watched):
    found = watched()
    assert names(found, "case") == names(found, "ran") == ["n=1", "n=3", "n=5"]
    assert found.case["bytes"] == {"x": 20, "y": 20} and set(found.case["addresses"]) == {"x", "y"}
    assert found.started and not found.timed_out and found.complaint == "" and found.log == "========= HEAD\n"
    assert found.printed == "printed by the tool\n"  # what the submission prints goes nowhere


def test_a_failed_launch_ends_the_run(watched):
    found = watched("failed = 9;")
    assert names(found, "ran") == ["n=1", "n=3"] and found.events[-1]["cuda_error"] == 9


def test_a_crash_names_the_case_that_was_begun(watched):
    found = watched("abort();")
    assert names(found, "ran") == ["n=1"] and found.case["name"] == "n=3"


@pytest.mark.slow
def test_a_run_that_hangs_is_stopped(watched):
    found = watched("for (volatile int i = 0;; ++i) ;", seconds=2.0)
    assert found.timed_out and found.case["name"] == "n=3"


@pytest.mark.skipif(landlock_version() == 0, reason="this kernel has no Landlock")
def test_the_submission_writes_nowhere_but_in_its_own_folder(watched, tmp_path):
    watched()
    assert not (tmp_path / "stray").exists()


def test_what_a_submission_writes_among_the_events_is_no_event(tmp_path):
    file = tmp_path / "events"
    file.write_text('{"event": "case"}\nnonsense\n[1]\n' + json.dumps({"event": "ran"}) + "\n")
    assert [event["event"] for event in tool._read_events(file)] == ["case", "ran"]
