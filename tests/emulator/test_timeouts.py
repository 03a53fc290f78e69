"""What is said of host code that launches again and again until its time is up depends on what it launches."""

from __future__ import annotations

import pytest

from grader.devices.emulator.timeouts import never_ended


@pytest.mark.parametrize(
    ("kernel", "blocks", "said"),
    [
        ("add", 1, "launches add again and again in line 7, 300 times so far, each with 1 block of 64 threads"),
        ("add", 1, "one launch waits for the one before: launch it once, without the loop"),
        ("step", 100, "one launch waits for the one before: do fewer rounds of this loop do?"),
        ("thrust::find_if", 1, "calls thrust::find_if again and again in line 7"),
        ("thrust::find_if", 1, "call it once, for the whole range"),
    ],
)
def test_launches_for_each_element_are_not_steps_in_time(kernel, blocks, said):
    launch = {"line": 7, "kernel": kernel, "grid": [blocks, 1, 1], "block": [64, 1, 1]}
    assert said in never_ended({"text": "host", "line": 7, "loop": [], "launches": [launch] * 300}, "host code")


@pytest.mark.parametrize(("line", "said"), [(7, "that line 7 calls had not come"), (None, "that host code calls had")])
def test_a_call_that_has_not_come_back_is_told_with_its_line(line, said):
    assert said in never_ended({"text": "library", "line": line, "loop": []}, "host code")
