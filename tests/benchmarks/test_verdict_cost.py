"""What rules and checks cost a build can be measured."""

from __future__ import annotations

import re

import pytest

from benchmarks import verdict_cost


@pytest.mark.whole
def test_each_part_can_be_left_out(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["verdict_cost", "01", "--rounds", "1"])
    verdict_cost.main()
    rows = capsys.readouterr().out.splitlines()[1:]
    assert [re.match(r"01 (.*?)  ", row)[1] for row in rows[:-1]] == [*verdict_cost.PARTS, "all of them"]
    assert all(len(re.findall(r"[+-]\d\.\d\d s", row)) == 2 for row in rows)
