"""Modelled times as commands tell them."""

from __future__ import annotations

import json

import pytest

from grader.course import catalog
from grader.devices.cuda.machine_code import tools
from grader.faces import cli
from grader.faces.notebook import results
from grader.judge.verdict import Position
from grader.model.times import ModelledTime, agreement, example_of, from_sample, measured_cards
from grader.report.bench import time_text
from grader.report.modelled import doubt_words, modelled_words, split_words

TIME = ModelledTime(
    card="h200",
    case="n=4",
    median_us=1000.0,
    low_us=912.0,
    high_us=1234.0,
    bound="shared",
    line=31,
    words="shared memory (16 wavefronts a load, line 31)",
    card_name="H200",
    measured=True,
    rungs_us={"1_one": 2000.0, "2_two": 271.0},
    terms_us={"shared": 900.0, "dram": 300.0, "l2": 2.0},
    lines={31: 0.75, 40: 0.24, 41: 0.01},
    unsure=[],
    main=None,
)


def test_the_line_has_range_cause_and_the_next_rung():
    said = modelled_words(TIME, Position(rung=1, rungs=2))
    assert said == (
        "modelled on an H200: 0.91–1.2 ms, bound by shared memory (16 wavefronts a load, line 31)"
        " · the course's rung 2: 270 µs"
    )
    assert "rung" not in modelled_words(TIME, Position())


def test_stars_are_doubted_where_a_kernel_is_modelled_at_twice_the_rung_s_time():
    assert doubt_words(TIME, stars=3, rung=2) == (
        "★★★ are for what was counted; an H200 would hardly give them: "
        "this is modelled at 3.7 times the course's rung 2"
    )
    assert doubt_words(TIME, stars=2, rung=1) == doubt_words(TIME, stars=1, rung=2) == ""


def test_a_launch_whose_blocks_differ_is_told(tmp_path):
    from tests.model.test_model import H200, launch, sample

    alike = launch(sums=8)
    one = alike["ran"][0]
    differ = alike | {"ran": [one | {"steps": 10}, one | {"steps": 1000}]}
    waits = alike | {"cooperative": True}
    said = [*from_sample(tmp_path, H200, sample(alike, differ, waits)).unsure]
    assert said == [
        "the 2 of 1,048,576 blocks of k that were run differ by so much that its counts are sure to 98 % only",
        "k is a cooperative launch: blocks wait for blocks that were not run",
    ]


def test_what_explain_adds_leaves_out_what_hardly_counts():
    assert split_words(TIME) == [
        "busy, one beside the other: shared memory 900 µs, memory 300 µs",
        "of shared memory: line 31: 75%, line 40: 24%",
    ]


def test_a_check_ends_in_a_modelled_time_and_says_it_to_programs(monkeypatch, capsys):
    """One kernel, both forms; the JSON has every measured card, with the band around the time, the text the first.

    Its three stars hang on that time, too: it is sampled once a check.
    """
    from grader.model import times

    architectures, run_sampled = [], times.run_sampled

    def counted(*what, **limits):
        architectures.append(what[-1])
        return run_sampled(*what, **limits)

    monkeypatch.setattr(times, "run_sampled", counted)
    assert cli.run(["check", "01", "--reference", "--device", "emulator", "--json"]) == 0
    (task,) = json.loads(capsys.readouterr().out)["tasks"]
    for modelled, card in zip(task["modelled"], ("h200", "h100"), strict=True):
        assert set(modelled) == {"card", "case", "median_us", "low_us", "high_us", "bound", "line"}
        assert (modelled["card"], modelled["case"], modelled["bound"]) == (card, "n=268435456", "dram")
        assert modelled["low_us"] < modelled["median_us"] < modelled["high_us"]
    assert task["modelled"][0]["median_us"] < task["modelled"][1]["median_us"], "an H100 has slower memory"
    known = agreement(catalog.find("01").root, measured_cards(catalog.find("01").root)[0], compiled=tools() is not None)
    us = known["rungs"]["vector_add"]["3_float4"]["n=268435456"]
    assert task["modelled"][0]["median_us"] == pytest.approx(us, rel=0.01), "sampling finds what docs/model.md is of"
    assert cli.run(["check", "01", "--reference", "--device", "emulator"]) == 0
    said = capsys.readouterr().out
    assert "modelled on an H200: " in said.splitlines()[-1] and "H100" not in said
    assert architectures.count("") == 2, "each other one is nvcc's machine code alone"


@pytest.mark.whole
def test_explain_tells_every_card_and_the_parts_of_the_first(capsys):
    assert cli.run(["explain", "01", "--reference"]) == 0
    said = capsys.readouterr().out
    assert [said.count(f"modelled on an {card}: ") for card in ("H200", "H100")] == [1, 1]
    assert said.count("busy, one beside the other: ") == 1


def test_a_bench_without_a_gpu_shows_the_ladder(capsys):
    assert cli.run(["bench", "04", "--modelled"]) == 0
    said = capsys.readouterr().out
    measured = next(row for name, row in results("04").items() if name.startswith("4_register_tile"))
    assert "4_register_tile" in said and "modelled" in said and time_text(measured.us) in said
    assert cli.run(["bench", "01", "--modelled"]) == 0
    said = capsys.readouterr().out
    assert said.count("│ 2_grid_stride") == 2 and said.count("on an H100") == 1
    assert not any("–" in row for row in said.splitlines() if "2_grid_stride" in row), "both cards have measured it"
    assert cli.run(["bench", "04", "--modelled", "--quick"]) == 2
    assert "--modelled measures nothing" in capsys.readouterr().err


def test_a_bench_shows_that_by_itself_where_there_is_no_gpu(monkeypatch, capsys):
    monkeypatch.setattr("grader.devices.cuda.card.find_card", lambda: (None, "torch finds no GPU"))
    assert cli.run(["bench", "01"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("Nothing is measured here (torch finds no GPU). What is modelled") and "3_float4" in said


def test_a_card_without_an_agreement_has_a_band_of_two(tmp_path):
    card = measured_cards(catalog.find("01").root)[0]
    assert agreement(tmp_path, card) == {"low": 0.5, "high": 2.0, "rungs": {}}


def test_examples_are_of_the_case_s_own_kind():
    task = catalog.find("05").lesson.task("histogram")
    for case in task.timed_cases:
        assert example_of(task, case).case.variant == case.variant


@pytest.mark.parametrize("us", [0.5, 19.0, 1999.0, 5e6])
def test_two_digits_are_enough(us):
    from dataclasses import replace

    said = modelled_words(replace(TIME, low_us=us, high_us=us), Position())
    assert {0.5: "0.5 µs", 19.0: "19 µs", 1999.0: "2 ms", 5e6: "5 s"}[us] in said


def test_a_card_is_worked_out_from_times(tmp_path):
    """Times as a card would have them that does everything in one clock of 1 GHz, on 10 multiprocessors."""
    from grader.faces.bench_card import dumps, work_out
    from grader.model.card import constants, load_card

    def seconds(kernel: str, floats: int, rounds: int, blocks: int, threads: int) -> float:
        warps = blocks * threads / 32 / min(blocks, 10)
        each = {
            "floats": 8,
            "specials": 8,
            "doubles": 8,
            "products": 2,
            "load_lines": 32,
            "store_lines": 32,
            "shared_turns": 32,
        }
        if kernel in each:
            return rounds * warps * each[kernel] * 1e-9
        return {"nothing": 4e-6 + 2e-6 * rounds, "copy": 8 * floats / 1e12}.get(kernel, rounds * 1e-9)

    found = work_out(seconds, multiprocessors=10, clock=1e9)
    assert found["issue_rate"][0] == found["load_line"][0] == found["shared_atomic"][0] == pytest.approx(1)
    assert found["special_rate"][0] == found["double_rate"][0] == pytest.approx(32)
    assert found["tensor_rate"][0] == pytest.approx(4096)
    assert found["dram_rate"][0] == pytest.approx(1e12)
    assert (found["first_launch"][0], found["next_launch"][0]) == pytest.approx((6e-6, 2e-6))
    assert found["barrier_latency"][0] == pytest.approx(1)
    rest = {name: (1.0, "1", "made up") for name in constants() if name not in found}
    (tmp_path / "mine.toml").write_text(dumps("Mine", "90a", found | rest))
    card = load_card(tmp_path / "mine.toml")
    assert (card.name, card.architecture, card.label, card.measured) == ("Mine", "90a", "mine", False)


def test_a_card_is_measured_where_there_is_one(monkeypatch, capsys):
    monkeypatch.setattr("grader.devices.cuda.card.find_card", lambda: (None, "torch finds no GPU"))
    assert cli.run(["bench", "--card"]) == 2
    assert "needs an NVIDIA GPU (torch finds no GPU)" in capsys.readouterr().err
    assert cli.run(["bench"]) == 2
    assert "say which lesson" in capsys.readouterr().err


@pytest.mark.parametrize("broken", [{"launches": 5}, {"launches": [{}]}, {"launches": [], "sets": "many"}])
def test_evidence_of_another_form_is_no_time(monkeypatch, broken):
    from grader.model import times

    monkeypatch.setattr(times, "sampled", lambda *what: broken)
    monkeypatch.setattr(times, "machine_code", lambda *what: {})
    entry = catalog.find("01")
    assert list(times.modelled_times(entry, entry.lesson.tasks[0], None)) == []


def test_a_file_of_several_tasks_is_compiled_once(monkeypatch):
    from grader.model import times

    compiled, codes = [], {}
    monkeypatch.setattr(times, "sampled", lambda *what: {"launches": []})
    monkeypatch.setattr(times, "machine_code", lambda *what: compiled.append(what) or {})
    entry = catalog.find("03")
    for task in entry.lesson.tasks:
        list(times.modelled_times(entry, task, None, codes=codes))
    assert len(compiled) == 1 and len(entry.lesson.tasks) == 3
