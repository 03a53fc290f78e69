"""Whether bubblewrap holds the workers: with a program that stands for it, and with itself where it is installed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from jobs import KERNEL, SIZES, job_of, results, run_on

from grader.course import catalog
from grader.devices.cache import cache_root
from grader.devices.worker import outside
from grader.devices.worker.server import ForkServer
from grader.grade import grade
from tests.warm import run_python

# Writes down what it is told, and runs the command that follows its options.
STAND_IN = """#!/bin/sh
echo "$@" >> {log}
while :; do
    case "$1" in
        --unshare-*) shift;;
        --ro-bind-try|--bind|--symlink) shift 3;;
        --*) shift 2;;
        *) exec "$@";;
    esac
done
"""


@pytest.fixture
def stand_in(tmp_path, monkeypatch):
    """stand_in(script) puts a program of that name where it is found first; returns what it writes down."""

    def put(script: str) -> Path:
        program, log = tmp_path / "bin" / "bwrap", tmp_path / "log"
        program.parent.mkdir()
        program.write_text(script.format(log=log))
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
        monkeypatch.setattr(outside, "devices_of_a_gpu", list)
        return log

    return put


no_gpu = pytest.mark.skipif(any(Path("/dev").glob("nvidia*")), reason="with a GPU it is not used")


@no_gpu
def test_where_bubblewrap_is_installed_it_holds_the_server(stand_in, arena, cache):
    log = stand_in(STAND_IN)
    with ForkServer(cache=cache) as server:
        found = server.run(job_of(arena, cache, KERNEL))
    assert results(arena) == [True] * len(SIZES)
    assert "bubblewrap" in found.sandbox["held"] and "bubblewrap" not in found.sandbox["lacking"]
    tried, started = log.read_text().splitlines()
    assert tried.endswith(" true") and "grader.devices.worker.server" in started
    options = f" {started}".split(" --")
    assert {"unshare-net", "unshare-pid", "unshare-ipc", f"bind {cache} {cache}"} <= set(options)
    shown = [each.split()[-1] for each in options if each.startswith(("ro-bind-try ", "bind "))]
    assert "/usr" in shown and not {"/", "/home", "/root", str(Path.home())} & set(shown)


@no_gpu
def test_bubblewrap_that_does_not_run_is_told_with_its_reason(stand_in, arena, cache):
    stand_in("#!/bin/sh\necho 'bwrap: No permissions to create a new namespace' >&2; exit 1\n")
    with ForkServer(cache=cache) as server:
        found = run_on(server, arena, cache, KERNEL)
    assert results(arena) == [True] * len(SIZES)
    said = "bubblewrap does not run here (bwrap: No permissions to create a new namespace)"
    assert found.sandbox["lacking"]["bubblewrap"] == said and "bubblewrap" not in found.sandbox["held"]


def test_without_bubblewrap_that_is_told(arena, cache, monkeypatch, tmp_path):
    monkeypatch.setattr(outside, "devices_of_a_gpu", list)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert outside.why_no_bubblewrap(cache) == "bubblewrap is not installed"


def test_a_gpu_s_devices_are_not_hidden(monkeypatch, tmp_path):
    monkeypatch.setattr(outside, "devices_of_a_gpu", lambda: [tmp_path])
    assert outside.why_no_bubblewrap(tmp_path) == "there is a GPU, whose devices it would hide"


@pytest.mark.skipif(bool(outside.why_no_bubblewrap(cache_root())), reason=outside.why_no_bubblewrap(cache_root()))
def test_a_lesson_is_graded_in_bubblewrap():
    """In a process of its own, whose server sees what it needs and nothing else."""
    code = """
from grader.course import catalog
from grader.grade import grade
entry = catalog.find("01")
found = grade(entry, entry.rungs[0], device="emulator")
print(found.status, *found.sandbox["held"])
"""
    done = run_python(code)
    assert done.stdout.split()[0] == "passed" and "bubblewrap" in done.stdout.split(), done.stderr


@pytest.mark.slow
def test_the_grade_s_sandbox_names_all_layers():
    entry = catalog.find("01")
    found = grade(entry, entry.rungs[0], device="emulator").sandbox
    layers = {"files", "calls", "disk", "network", "memory", "processes", "bubblewrap"}
    assert layers <= set(found["held"]) | set(found["lacking"]) and not set(found["held"]) & set(found["lacking"])
