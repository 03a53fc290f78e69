"""How long verdicts take beside an earlier state: what is measured, and what cannot be."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.verdicts import top_rung

ROOT = Path(__file__).parents[2]


def test_the_top_rung_is_the_file_of_all_tasks_or_the_last():
    assert top_rung(ROOT, "03") == (ROOT / "kernels" / "03_coalescing" / "all.cu").read_text()
    assert top_rung(ROOT, "01") == (ROOT / "kernels" / "01_vector_add" / "3_float4.cu").read_text()
    with pytest.raises(SystemExit, match="has no kernel of lesson 77"):
        top_rung(ROOT, "77")


def test_a_folder_that_is_no_checkout_is_named(tmp_path):
    command = [sys.executable, "-m", "benchmarks.verdicts", tmp_path, "01"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (1, f"{tmp_path} is no checkout of this project\n")
