"""`ladder bench` for real: a quick run of lesson 01."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from grader.faces import cli

ROOT = Path(__file__).parents[2]


@pytest.fixture
def found(tmp_path, monkeypatch):
    monkeypatch.setenv("LADDER_COURSE", str(ROOT))
    assert cli.run(["bench", "01", "--quick", "--out", str(tmp_path)]) == 0
    return json.loads((tmp_path / "01_vector_add.json").read_text())


def test_every_contender_of_lesson_01_is_right_and_timed(found):
    for case in found["tasks"][0]["cases"]:
        assert [each["status"] for each in case["results"]] == ["passed"] * len(case["results"])
        assert all(each["median_us"] > 0 and each["samples"] >= 3 for each in case["results"])
        names = [each["name"] for each in case["results"]]
        assert {"1_one_element", "3_float4", "torch.add", "torch.compile", "openmp", "sequential"} <= set(names)
        assert case["limit"]["name"] == "copy" and set(case["ceilings"]) >= {"copy", "read", "fp32", "bf16"}
    assert found["versions"]["torch"] and found["state"]["after"]
