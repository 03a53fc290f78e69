"""`ladder run`: what thousands of atomics hand on between hundreds of blocks takes neither all memory nor minutes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.warm import run_ladder

PROGRAM = Path(__file__).with_name("programs") / "frontier.cu"


@pytest.mark.slow
def test_a_search_by_frontiers_takes_no_more_memory_than_its_blocks_ask_for():
    """A copy of what each block has acquired, at each release, was 4.3 GB for these 400 blocks."""
    command = [sys.executable, "-m", "grader.faces.cli", "run", str(PROGRAM), "--", "400"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        told = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0 and "right" in told and "no findings" in told
    assert used.ru_maxrss < 1 << 20  # KB


def test_a_fence_that_is_missing_there_is_told(tmp_path):
    text, fence = PROGRAM.read_text(), "        __threadfence();\n        if (atomicAdd"
    assert fence in text
    wrong = tmp_path / "frontier.cu"
    wrong.write_text(text.replace(fence, "        if (atomicAdd"))
    done = run_ladder(tmp_path, "run", wrong, "--", "30")
    assert done.returncode == 1 and "data race" in done.stderr and "queues[level % 2][i]" in done.stderr
