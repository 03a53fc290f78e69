"""The runtime, preempted where it hurts most: every pattern between blocks comes out as ever."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
TESTS = "on_any_number_of_executors or a_block_that_fails or executors_share or meet or same_step"


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("left_out", ["whole", pytest.param("gpu", marks=pytest.mark.whole)])  # nothing is for a GPU
def test_patterns_between_blocks(left_out):
    pytest_ = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "-k", TESTS]
    pytest_ += ["-m", f"not {left_out}"]
    files = ["test_between_blocks.py", "test_executors.py", "test_looks_at_once.py"]
    program = [*pytest_, *(str(HERE / each) for each in files)]
    environment = os.environ | {"LADDER_JITTER": "1"}
    done = subprocess.run(program, env=environment, cwd=HERE.parents[1], capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stdout[-4000:]
