"""Attacks beside honest kernels in one run of `ladder class`, on a terminal: a small form of `benchmarks.classroom`."""

from __future__ import annotations

import pytest

from benchmarks import hostile_class, synthetic_class


@pytest.mark.slow
def test_attacks_change_no_honest_verdict_nothing_outside_and_not_the_terminal():
    found = hostile_class.run(attacks=6, honest=4, folder=None, jobs=2, lessons=("01",))
    assert found.wrong == []
    assert found.said[0].startswith("4 honest: ") and "no grade" not in found.said[1]


def test_what_is_none_of_ours_on_a_terminal_is_seen():
    bar = "\x1b[?25l\x1b[2K━━━━━━╸━━ 3/6 0:00:12 honest 3, 01_vector_add: passed\r\x1b[1A\x1b[2K"
    last = "6 kernels were to grade, 0 are left\r\n01_vector_add: 6 of 6 people: 4 with ★★★, 2 with none (race 1)\r\n"
    assert hostile_class.foreign(bar + last) == []
    for foreign in ("FORGED: 01_vector_add: passed\r\n", "\x1b]0;title\x07", "\x1b[2J01"):
        assert hostile_class.foreign(bar + foreign + last)


def test_a_class_is_made_of_all_kinds_and_the_same_again():
    made = [*synthetic_class.whole_class(300, ["01", "02"], 7, "x")]
    assert {each.kind for each in made} == set(synthetic_class.SHARES)
    assert len({each.submitted.source for each in made}) == 300
    assert made == [*synthetic_class.whole_class(300, ["01", "02"], 7, "x")]


def test_a_folder_that_was_touched_is_seen(tmp_path):
    hostile_class.victim(tmp_path / "outside")
    before = hostile_class.snapshot(tmp_path)
    (tmp_path / "outside" / "victim" / "file").chmod(0)
    assert hostile_class.snapshot(tmp_path) != before
