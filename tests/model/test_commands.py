"""What the commands of benchmarks/model write and refuse."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

from benchmarks.model import matrices, second_card
from benchmarks.model.keep import pieces
from benchmarks.model.points import RESULTS, measured
from benchmarks.model.sampling import Cost, summary
from grader.devices.emulator.prices import TENSOR_CLOCKS


def test_the_sum_of_what_sampling_takes_names_what_takes_too_much():
    found = [Cost("t/1_a", 3.5, 70_000_000, "1 of 9"), Cost("t/2_b", 0.5, 90_000_000, "16 of 99")]
    assert summary(found) == (
        "2 rungs at their timed cases: 2.00 s of processor time on average, at most 3.50 s (t/1_a), and 90 MB (t/2_b). "
        "More than 3 s or 2 GB: t/1_a.\n"
    )
    assert summary(found[1:]).endswith("GB: none.\n")


def test_times_of_another_card_are_not_taken_for_the_second_card_s(monkeypatch, tmp_path):
    monkeypatch.setattr("grader.devices.cuda.card.find_card", lambda: (SimpleNamespace(name="NVIDIA H200"), ""))
    with pytest.raises(SystemExit, match="this is an NVIDIA H200"):
        second_card.measure(tmp_path / "measured.json")
    assert not (tmp_path / "measured.json").exists()


def test_samples_are_kept_of_every_rung_that_was_measured():
    kept = {(task, kernel) for _, task, kernel in pieces()}
    assert {(task, rung) for task, rung, _ in measured()} <= kept
    assert ("matmul", "slow/serial_steps") in kept


def test_every_instruction_on_matrices_is_timed_by_a_kernel_of_its_own():
    text, names = matrices.source()
    assert len(set(names)) == len(names) == text.count("template <> __global__ void some<")
    assert {name.partition(".")[0] for name in names} == {"mma", "ldmatrix", "stmatrix"}
    assert all(f"{name} " in text for name in names)


def test_products_of_matrices_have_the_prices_that_were_measured():
    rates = {"bf16": "half", "f16": "half", "f64": "half", "tf32": "tf32", "s8": "integer", "e4m3": "small_float"}
    seen = set()
    for name, clocks in json.loads((RESULTS / "matrices.json").read_text())["clocks"].items():
        if name.startswith("mma."):
            *_, shape, _, _, _, of, _, _ = name.split(".")
            if of == "e4m3":  # ptxas makes two instructions of it
                shape, clocks = "m16n8k16", clocks / 2
            seen.add((shape, rates[of]))
            assert TENSOR_CLOCKS[shape, rates[of]] == pytest.approx(clocks, rel=0.02)
    assert seen == set(TENSOR_CLOCKS)
