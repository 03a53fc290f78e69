"""A PyTorch extension as it is written, used by a script as it is written, without a GPU."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAMS = Path(__file__).parent / "programs"


@pytest.mark.long
@pytest.mark.whole
def test_an_extension_runs_on_the_cpus_tensors_and_findings_are_warnings():
    command = [sys.executable, str(PROGRAMS / "use_log_bmm.py"), str(PROGRAMS / "log_bmm.cu")]
    done = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parents[2], timeout=1800)
    assert done.returncode == 0, done.stderr
    right, none, error, *warned = done.stdout.splitlines()
    assert (right, none) == ("right", "0 warnings")
    assert error.startswith("CUDA error: an illegal memory access was encountered")
    source = (PROGRAMS / "log_bmm.cu").read_text().splitlines()
    (line,) = (number for number, row in enumerate(source, start=1) if "+= T(1);" in row)
    (only,) = warned
    assert only.startswith(f"log_bmm.cu:{line}: EmulatorWarning: out of bounds: thread (18, 0, 0) of block (1, 0, 0)")
    assert "element 50 of a tensor, past its end: a tensor has 50 elements of 4 bytes" in only


@pytest.mark.long
@pytest.mark.whole
def test_the_courses_extension_is_right_for_each_type_and_checks_its_inputs():
    command = [sys.executable, "examples/extension.py", "--emulator"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parents[2], timeout=1800)
    assert done.returncode == 0, done.stderr
    *right, refused = done.stdout.splitlines()
    assert [line.rpartition(": ")[2] for line in right] == ["True"] * 3
    assert refused == "refused: a is (batch, n, m), and b must be (batch, m, p)"
    assert "EmulatorWarning" not in done.stderr
