"""What compute-sanitizer says (version 2025.3, on an H200) as findings: kind, line, kernel, thread, array and index."""

from __future__ import annotations

import pytest

from grader.course.catalog import UsageError
from grader.course.prototype import parse_prototype
from grader.devices.nvidia import sanitize
from grader.devices.nvidia.sanitize import read_log
from grader.devices.nvidia.tool import Subject, Watched

TASK = parse_prototype("void go(const float* x, float* y, int n, cudaStream_t stream)")
X, Y = 0x7F457CA00000, 0x7F457CA08200
READY = {"event": "ready"}
CASE = {"event": "case", "name": "n=31", "addresses": {"x": X, "y": Y}, "bytes": {"x": 124, "y": 124}}


def read(text: str):
    """The findings in a log; `text` without the prefix of each line."""
    return read_log(
        "\n".join(f"========= {line}" for line in ["COMPUTE-SANITIZER", *text.splitlines(), ""]), TASK, CASE
    )


def invalid(access: str, address: int, thread: str = "31,0,0", why: str = "out of bounds", size: int = 4) -> str:
    return f"""Invalid __global__ {access} of size {size} bytes
    at _Z3addPKfPfi+0x90 in add.cu:4
    by thread ({thread}) in block (2,0,0)
    Access to {address:#x} is {why}
    and is 1 bytes after the nearest allocation at 0x7f457ca00000 of size 124 bytes

"""


FAULT = (
    'Program hit cudaErrorLaunchFailure (error 719) due to "unspecified launch failure" on CUDA API call to '
    "cudaDeviceSynchronize.\n\nERROR SUMMARY: 3 errors\n"
)


def test_out_of_bounds_names_the_array():
    (found,) = read(invalid("read", X + 124) + FAULT)
    assert (found.kind, found.line, found.kernel) == ("out_of_bounds", 4, "add")
    assert (found.thread, found.block) == ((31, 0, 0), (2, 0, 0))
    assert found.message == "thread (31, 0, 0) of block (2, 0, 0) reads x[31], past its end: x has 31 elements"


def test_far_before_and_nowhere():
    assert "writes y[4096], past its end" in read(invalid("write", Y + 4 * 4096))[0].message
    assert "reads x[-2], before its start" in read(invalid("read", X - 8))[0].message
    assert "reads memory that is none of the task's buffers" in read(invalid("read", 0x10))[0].message


def test_many_threads_are_one_finding():
    (found,) = read(invalid("read", X + 124) + invalid("read", X + 128, "32,0,0"))
    assert found.thread == (31, 0, 0) and found.details["count"] == 2


def test_misaligned():
    (found,) = read(invalid("read", X + 4, "0,0,0", "misaligned", 16))
    assert found.kind == "misaligned"
    assert "reads 16 bytes at an address that is no multiple of 16 (x[1])" in found.message


def test_shared_memory():
    text = """Invalid __shared__ write of size 4 bytes
    at void tiles<(int)3>(const float *, float *, int)+0x1f0 in add.cu:18
    by thread (225,0,0) in block (0,0,0)
    Access to 0x800 is out of bounds
"""
    (found,) = read(text)
    assert (found.kind, found.line) == ("out_of_bounds", 18)
    assert "writes shared memory out of its bounds" in found.message


def test_uninitialized_read():
    text = f"""Uninitialized __global__ memory read of size 4 bytes
    at _Z3addPKfPfi+0xe0 in add.cu:10
    by thread (3,0,0) in block (0,0,0)
    Address {Y + 12:#x}
"""
    (found,) = read(text)
    assert (found.kind, found.line) == ("uninitialized_read", 10)
    assert found.message.endswith("reads y[3] before anything was written there")


def hazard(level: str = "Error: ", reads: int = 13) -> str:
    return f"""{level}Potential RAW hazard detected at __shared__ 0x47c in block (2,0,0) :
    Write Thread (31,0,0) at _Z4racePKfPfi+0x200 in add.cu:12
    Read Thread (224,0,0) at _Z4racePKfPfi+0x210 in add.cu:{reads}
    Current Value : 0

"""


def test_race_has_both_lines_and_threads():
    (found,) = read(hazard() + hazard())
    assert (found.kind, found.line, found.kernel) == ("race", 12, "race")
    assert (found.block, found.thread) == ((2, 0, 0), (31, 0, 0))
    assert found.details["other_line"] == 13 and found.details["other_thread"] == (224, 0, 0)
    assert "writes shared memory in line 12 while thread (224, 0, 0) reads it in line 13" in found.message
    assert found.message.endswith("a __syncthreads() is missing between the two")
    assert read(hazard(reads=12))[0].message.endswith("use an atomic, or one writer an element")


def test_lanes_of_one_warp_may_be_in_step():
    assert read(hazard("Warning: (Warp Level Programming) ")) == []


def test_divergent_barrier():
    text = """Barrier error detected. Divergent thread(s) in warp.
    at _Z4halfPKfPfi+0x80 in add.cu:7
    by thread (16,0,0) in block (0,0,0)
"""
    (found,) = read(text)
    assert (found.kind, found.line, found.thread) == ("barrier_divergence", 7, (16, 0, 0))


def test_a_call_that_failed():
    said = 'Program hit cudaErrorInvalidValue (error 1) due to "invalid argument" on CUDA API call to cudaLaunchKernel.'
    (found,) = read(said)
    assert found.kind == "launch_error" and found.message.endswith(
        "(cudaErrorInvalidValue), in a call of cudaLaunchKernel"
    )
    (found,) = read(FAULT)  # nothing else is said: then it is all we have
    assert found.kind == "crash"


def test_a_leak_counts_only_if_the_rest_is_well():
    leak = "Leaked 400 bytes at 0x7f457ca10000\n\nLEAK SUMMARY: 400 bytes leaked in 1 allocations\n"
    (found,) = read(leak)
    assert found.kind == "leak" and "400 bytes" in found.message
    assert [each.kind for each in read(invalid("read", X + 124) + FAULT + leak)] == ["out_of_bounds"]


def test_nothing_is_found_in_a_clean_log():
    assert read("ERROR SUMMARY: 0 errors\n") == read("RACECHECK SUMMARY: 0 hazards displayed\n") == []


# ---- running the tools ----


@pytest.fixture
def sanitized(monkeypatch, tmp_path):
    """What `sanitize` makes of a log; the command lines are kept in `sanitized.commands`."""

    def run(watched: Watched):
        run.commands = []
        monkeypatch.setattr(sanitize, "watch", lambda command, *_: run.commands.append(command) or watched)
        return sanitize.sanitize(tmp_path / "compute-sanitizer", Subject(tmp_path, TASK, [], [], b"", "add.cu"))

    return run


def test_four_tools_run_and_name_the_case(sanitized):
    log = "=========     \n" + "\n".join(f"========= {line}" for line in invalid("read", X + 124).splitlines())
    results = sanitized(Watched([READY, CASE], log))
    assert [result.tool for result in results] == ["memcheck", "racecheck", "initcheck", "synccheck"]
    assert all(result.case == "n=31" for result in results)
    assert results[1].findings[0].details["tool"] == "racecheck"
    assert len(sanitized.commands) == 4 and "--padding" in next(c for c in sanitized.commands if "memcheck" in c)


def test_a_line_of_a_header_is_no_line_of_the_submission(sanitized):
    text = invalid("read", X + 124)
    log = "\n".join(f"========= {line}" for line in (text + text.replace("add.cu:4", "cuda_fp16.hpp:99")).splitlines())
    lines = [finding.line for finding in sanitized(Watched([READY, CASE], log))[0].findings]
    assert lines == [4, None]


def test_a_tool_that_was_stopped_blames_nobody(sanitized):
    for result in sanitized(Watched([READY, CASE], "", timed_out=True)):
        (found,) = result.findings
        assert found.severity == "note" and "was not done" in found.message


def test_a_tool_that_does_not_work_here_is_one_sentence(sanitized):
    with pytest.raises(UsageError, match=r"cannot work here \(Error: Device not supported\): type `ladder doctor`"):
        sanitized(Watched([], "========= COMPUTE-SANITIZER\n========= Error: Device not supported\n"))


def test_a_submission_that_ends_before_its_first_case_leaves_nothing_to_find(sanitized):
    assert all(not result.findings for result in sanitized(Watched([READY])))
