"""`ladder run`: cuFFT's transforms, beside their definition, and with an array too short."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.warm import run_ladder

PROGRAM = Path(__file__).with_name("programs") / "fourier.cu"


@pytest.mark.slow
def test_transforms_are_as_their_definition_says(tmp_path):
    said = run_ladder(tmp_path, "run", str(PROGRAM), "-lcufft")
    assert said.stdout == "near 1\n" and "no findings" in said.stderr, said  # 1: a plan of another type is none


@pytest.mark.slow
def test_an_array_too_short_for_a_transform_is_told_at_its_line(tmp_path):
    line = PROGRAM.read_text().split("// one too many")[0].count("\n") + 1
    found = json.loads(run_ladder(tmp_path, "run", str(PROGRAM), "--json", "--", "short").stdout)["findings"]
    assert [(each["kind"], each["line"]) for each in found] == [("out_of_bounds", line)], found
