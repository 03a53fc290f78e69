"""What is not the learner's fault is not told as theirs: no status of a kernel, and no stars."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import threading

import pytest
from jobs import KERNEL, SIZES, results, run_on, working_in

from grader.devices.build.own_faults import complaint, lacking, own_fault, used_up_memory
from grader.devices.worker import confine, confine_calls, confine_files
from grader.devices.worker.server import ForkServer

SLOW_TO_COMPILE = "#include <regex>\n#include <functional>\n" + "".join(
    f'static std::regex r{i}("a{i}*");\n' for i in range(60)
)


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("as: main.o: No space left on device", "no space left"),
        ("k.cpp:1:1: fatal error: error writing to /tmp/cc.s: No space left on device", "no space left"),
        ("g++: fatal error: Killed signal terminated program cc1plus\ncompilation terminated.", "was killed"),
        ("nvcc error   : 'cicc' died due to signal 9 (Kill signal)", "was killed"),
        ("ninja: error: build.ninja:9: bad $-escape (literal $ must be written as $$)", "XDG_CACHE_HOME"),
        ("File size limit exceeded (core dumped)", "ulimit -f"),
        ("g++: fatal error: cannot execute: Too many open files", "ulimit -n"),
        ("sh: 1: Cannot fork", "ulimit -u"),
    ],
)
def test_what_keeps_a_compiler_from_its_work_is_known(output, said):
    assert said in own_fault(output, "kernel.cu")


@pytest.mark.parametrize(
    "output",
    [
        "kernel.cu:3:2: error: #error No space left on device",
        'kernel.cu(3): error: #error directive: "Killed"',
        "kernel.cu:1:10: fatal error: nothing.h: No such file or directory\ncompilation terminated.",
        "kernel.cu:4:1: error: 'Killed' was not declared in this scope",
    ],
)
def test_what_the_learner_writes_is_the_learners(output):
    assert own_fault(output, "kernel.cu") is None


def test_a_compiler_that_is_killed_before_it_can_say_so():
    done = subprocess.run(["sh", "-c", "kill -9 $$"], capture_output=True, text=True)
    assert "was killed" in own_fault(complaint(done), "kernel.cu")
    assert complaint(subprocess.CompletedProcess([], 0, "", "a warning")) == ""


@pytest.mark.slow
def test_a_file_that_uses_up_the_compilers_memory_is_to_blame():
    with_limit = "ulimit -v 300000; exec g++ -x c++ -c -o /dev/null -"
    text = "template <int d, int n> struct T { static const int s = T<d - 1, 2 * n>::s + T<d - 1, 2 * n + 1>::s; };"
    text += "template <int n> struct T<0, n> { static const int s = n; }; int all = T<24, 0>::s;"
    done = subprocess.run(["sh", "-c", with_limit], input=text, capture_output=True, text=True)
    assert used_up_memory(complaint(done), "kernel.cu") and own_fault(complaint(done), "kernel.cu") is None
    assert not used_up_memory("kernel.cu:3:2: error: #error std::bad_alloc", "kernel.cu")


def kill_when_there(cache, is_it, number=signal.SIGKILL):
    """Kills, in the background, the first process working in the cache of which this is true."""

    def look():
        while True:
            for pid in working_in(cache):
                try:
                    if is_it(pid):
                        return os.kill(pid, number)
                except OSError:
                    continue

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    return thread


def name_of(pid: int) -> str:
    with open(f"/proc/{pid}/comm") as file:
        return file.read().strip()


@pytest.mark.slow
@pytest.mark.parametrize(("program", "said"), [("cc1plus", "was killed"), ("python", "killed by the system")])
def test_a_process_that_is_killed_while_the_file_is_built(cache, arena, program, said):
    with ForkServer() as server:
        thread = kill_when_there(cache, lambda pid: name_of(pid).startswith(program))
        found = run_on(server, arena, cache, SLOW_TO_COMPILE + KERNEL)
        thread.join()
        assert said in found.not_graded
        assert run_on(server, arena, cache, KERNEL).not_graded == ""
        assert results(arena) == [True] * len(SIZES)


@pytest.fixture
def forked(monkeypatch):
    """A server that is a copy of this process, with what a test has changed in it."""
    servers = []

    def start() -> ForkServer:
        servers.append(ForkServer(forked=True))
        servers[-1].settle()
        return servers[-1]

    yield start
    for server in servers:
        server.close()


def refused(*_):
    raise OSError(errno.EPERM, "Operation not permitted")


def test_landlock_that_refuses(cache, arena, forked, monkeypatch):
    for room in (confine, confine_files):
        monkeypatch.setattr(room, "landlock_version", lambda: 3)
    monkeypatch.setattr(confine_files, "_call", lambda *arguments: -1)
    found = run_on(forked(), arena, cache, KERNEL)
    assert found.problem == "not_graded" and "Landlock refuses" in found.not_graded


def test_a_strict_sandbox_that_cannot_hold(cache, arena, forked, monkeypatch):
    monkeypatch.setattr(confine, "landlock_version", lambda: 0)
    monkeypatch.setattr(confine_calls, "available", lambda: False)
    server = forked()
    found = run_on(server, arena, cache, KERNEL, sandbox="strict")
    assert found.not_graded.startswith("--sandbox strict cannot hold here, as this kernel has no Landlock")
    assert found.sandbox == {}
    found = run_on(server, arena, cache, KERNEL, sandbox="basic")
    assert found.not_graded == "" and results(arena) == [True] * len(SIZES)
    assert {"files", "calls"} <= set(found.sandbox["lacking"]) and found.sandbox["level"] == "basic"


@pytest.mark.slow
def test_a_system_that_refuses_pidfd(cache, arena, forked, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(os, "pidfd_open", refused)
        server = forked()
    assert run_on(server, arena, cache, KERNEL).not_graded == ""
    assert results(arena) == [True] * len(SIZES)
    endless = KERNEL.replace("    add<<<", "    for (volatile int i = 0;; i = i + 1) {}\n    add<<<")
    assert run_on(server, arena, cache, endless, seconds=0.3).problem == "timeout"


def test_an_emulator_that_is_not_ready_in_time_is_no_fault_of_the_kernel_s(server, arena, tmp_path):
    found = run_on(server, arena, tmp_path, KERNEL, build_seconds=0.1)
    assert found.problem == "not_graded" and "try again when the machine is less busy" in found.not_graded


@pytest.mark.parametrize("error", [ImportError("libx.so: failed to map segment from shared object"), MemoryError()])
def test_a_limit_of_memory_is_no_fault(error):
    assert lacking(error) == "there is too little memory: close other programs, or raise the limit, `ulimit -v`"
    assert lacking(ImportError("No module named 'x'")) is None
