import pytest
import torch

from grader.grade import grade
from grader.judge.inputs import Draw, case_seed
from tests.shared import ROOT


def test_the_same_seed_draws_the_same_data():
    one, two = Draw(7), Draw(7)
    assert torch.equal(one.normal(3, 5), two.normal(3, 5))
    assert torch.equal(one.integers(0, 9, 20), two.integers(0, 9, 20))
    assert not torch.equal(Draw(7).normal(20), Draw(8).normal(20))


def test_every_case_has_a_seed_of_its_own():
    seeds = {case_seed(seed, task, case) for seed in (1, 2) for task in ("a", "b") for case in ("n=1", "n=2")}
    assert len(seeds) == 8
    assert all(0 <= seed < 2**63 for seed in seeds)


def test_normal_is_not_centred_on_zero():
    assert 0.4 < float(Draw(1).normal(10000).mean()) < 0.6


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
def test_types_and_shapes(dtype):
    assert Draw(1).normal(2, 3, dtype=dtype).dtype == getattr(torch, dtype)
    assert Draw(1).uniform(-1, 1, 2, 3, dtype=dtype).shape == (2, 3)


@pytest.mark.parametrize("dtype", ["uint8", "int32", "uint32", "int64"])
def test_integers_stop_before_high(dtype):
    values = Draw(1).integers(3, 6, 1000, dtype=dtype)
    assert values.dtype == getattr(torch, dtype)
    assert set(values.tolist()) == {3, 4, 5}


def test_choice_and_uniform_stay_in_their_sets():
    assert set(Draw(1).choice([-1.0, 4.0], 100).tolist()) == {-1.0, 4.0}
    values = Draw(1).uniform(-2, 3, 1000)
    assert -2 <= float(values.min()) < -1.9 and 2.9 < float(values.max()) < 3


@pytest.mark.parametrize(
    ("size", "count", "planted"), [(1, None, 1), (5000, None, 5), (10, 3, 3), (2, 9, 2), (0, None, 0)]
)
def test_outliers_are_planted_in_place(size, count, planted):
    tensor = torch.ones(size)
    assert Draw(1).plant_outliers(tensor, count, scale=50.0) is tensor
    assert int((tensor == 50).sum()) == planted


TURNS = "out[std::int64_t{col} * rows + row] = x[std::int64_t{row} * cols + col];"


@pytest.mark.parametrize("read", ["fminf(X, 1e5f)", "isfinite(X) ? X : 0.0f", "isnan(X) ? 0.0f : X"])
def test_a_transpose_moves_numbers_of_any_size(read, tmp_path):
    text = (ROOT / "kernels/03_coalescing/transpose/1_one_thread.cu").read_text()
    to, _, of = TURNS.removesuffix(";").partition(" = ")
    assert TURNS in text
    (tmp_path / "kernel.cu").write_text(text.replace(TURNS, f"{to} = {read.replace('X', of)};"))
    found = grade("03", tmp_path / "kernel.cu", device="emulator", seed=1, tasks=["transpose"])
    assert found.status == "wrong_result"


def test_a_place_that_is_drawn_twice_is_planted_once(monkeypatch):
    """Of several numbers for one place, torch's threads leave any: inputs of one seed would differ."""
    draw, counts = Draw(1), []
    monkeypatch.setattr(draw, "integers", lambda *_: torch.tensor([3, 700, 3, 3]))
    monkeypatch.setattr(draw, "choice", lambda values, count: counts.append(count) or torch.full((count,), 1e9))
    x = torch.zeros(1000)
    draw.plant_extremes(x)
    assert counts == [2]
    assert x.nonzero().flatten().tolist() == [3, 700]
