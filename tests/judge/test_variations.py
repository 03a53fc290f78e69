"""What explains wrong results is found, and is not claimed where one case contradicts it."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace

import pytest
import torch

from grader.judge.causes.all_threads import causes_of_large
from grader.judge.causes.variations import Case, _scaled_rows, cause, worth_asking
from grader.judge.inputs import Draw


def case(rows: int, cols: int, got, threads: int = 64) -> Case:
    """A sum of each row of x, and what `got` makes of x in its place."""
    x = Draw(rows * cols).normal(rows * cols).double().view(rows, cols)
    call = SimpleNamespace(scalars={"rows": rows, "cols": cols}, terms=cols)
    launch = {"kernel": "k", "grid": [1, 1, 1], "block": [threads, 1, 1]}
    right = x.sum(1)
    return Case(call, sums, {"x": x}, "out", got(x), right, 1e-6 * x.abs().sum(1), [launch])


def folded(x, kind, steps=(16, 8, 4, 2, 1), adds=True):
    """What shuffles of one warp leave in lane 0, whose lanes add every 32nd column."""
    lanes = torch.arange(32)
    sums = torch.stack([x[:, lane::32].sum(1) for lane in lanes], 1)
    for step in steps:
        origin = {"up": lanes - step, "down": lanes + step, "xor": lanes ^ step, "one": 0 * lanes + step}[kind]
        taken = sums[:, torch.where((origin < 0) | (origin > 31), lanes, origin)]
        sums = sums + taken if adds else taken
    return sums[:, 0]


def kept(x, threads, steps, of_others=False):
    """The sum of those columns whose thread has none of these steps in its number; of the others."""
    return x[:, ((torch.arange(x.shape[1]) % threads & steps) != 0) == of_others].sum(1)


def looped(x, threads, step):
    """The sum of what each thread has from its own column on, in steps."""
    return sum(x[:, thread::step].sum(1) for thread in range(min(threads, x.shape[1])))


def rounds(x, line, rest=True, each=4):
    """Sums of 32 lanes' rounds of `each` columns, with `line` in the place of x in a round, and of the rest."""
    width = x.shape[1]
    total = 0 * x[:, 0]
    for lane in range(32):
        at = lane
        while at + (each - 1) * 32 < width:
            total = total + sum(line(x, at, part * 32) for part in range(each))
            at += each * 32
        total = total + (x[:, at::32].sum(1) if rest else 0)
    return total


def sums(inputs):
    return {"out": inputs["x"].sum(1)}


@pytest.mark.parametrize(
    ("got", "threads", "said"),
    [
        (lambda x: x[:, 1:].sum(1), 64, "out lacks the first column of x"),
        (lambda x: x[:, ::2].sum(1), 64, "out lacks every second column of x"),
        (lambda x: x[:, : x.shape[1] // 16 * 16].sum(1), 64, "behind steps of 16: round the number of steps up"),
        (lambda x: x[:, torch.arange(x.shape[1]) % 128 < 64].sum(1), 128, "does the sum over threads begin with"),
        (lambda x: x[:, [c for c in range(x.shape[1]) if c % 6 % 3 < 2]].sum(1), 6, "a tree that halves 6 threads"),
        (lambda x: x[0].sum().expand(x.shape[0]), 64, "the first row of x in the place of every row"),
        (lambda x: x.reshape(x.shape[::-1]).sum(0), 64, "x read down its columns"),
        (lambda x: folded(x, "up"), 64, "what __shfl_up_sync leaves in lane 0"),
        (lambda x: folded(x, "one"), 64, "by which all lanes take the value of the one lane"),
        (lambda x: folded(x, "down", steps=(16, 4, 2, 1)), 64, "the step by 8 is missing"),
        (lambda x: folded(x, "xor", steps=(8, 4, 2)), 64, "are the steps by 16 and 1 missing?"),
        (lambda x: folded(x, "down", steps=(16, 4, 1)), 64, "are the steps by 8 and 2 missing?"),
        (lambda x: kept(x, 128, 32), 128, "is the step by 32 missing?"),
        (lambda x: kept(x, 128, 33), 128, "are the steps by 32 and 1 missing?"),
        (lambda x: kept(x, 64, 8, of_others=True), 64, "is it `=` where `+=` belongs in the step by 8?"),
        (lambda x: x[:, torch.arange(x.shape[1]) % 96 < 64].sum(1), 96, "leave the last warp out?"),
        (lambda x: x[:, torch.arange(x.shape[1]) % 32 < 16].sum(1), 64, "or does a loop go on by 32 where 16 threads"),
        (lambda x: 32 * x[:, 31::32].sum(1), 64, "lane 0 has the sum, so let that one write"),
        (lambda x: 64 * x[:, ::64].sum(1), 64, "let each begin at its own number"),
        (lambda x: folded(x, "xor", steps=(16, 8, 4, 4, 1)), 64, "none is by 2, and another distance is there twice"),
        (lambda x: folded(x, "down", adds=False), 64, "has `=` and not `+=`"),
        (lambda x: looped(x, 64, 32), 64, "64 threads share them, and the loop in which each goes on steps by 32"),
        (
            lambda x: looped(x, 64, 128),
            64,
            "what comes next begins 128 further: go on by `blockDim.x`, or let each thread take 2",
        ),
        (lambda x: x.sum(1) - x[:, 3::4].sum(1) + x[:, 2::4].sum(1), 64, "out has .z twice and lacks .w of each 4"),
        (
            lambda x: x[:, torch.arange(x.shape[1]) // 32 * 32 + torch.arange(x.shape[1]) % 16].sum(1),
            64,
            "right for the first 16 of each 32 columns of x again in the place of those behind",
        ),
        (
            lambda x: x[:, torch.arange(x.shape[1]) // 32 + torch.arange(x.shape[1]) % 32].sum(1),
            64,
            "right for column t + j of x in the place of column t * 32 + j",
        ),
        (
            lambda x: 2 * x.sum(1) - x[:, :16].sum(1),
            64,
            "out has most columns of x 2 times: a loop goes on by 16, and takes 32",
        ),
        (lambda x: x.sum(1) + x[:, ::64].sum(1), 64, "has each 64th column of x, from the first on, twice"),
        (
            lambda x: sum(x[:, c] * (1 + (c % 64).bit_count()) for c in range(x.shape[1])),
            64,
            "all that a tree leaves in the places of 64 threads, added up: the first place alone has the sum of x",
        ),
        (lambda x: x.abs().sum(1), 64, "|x| in the place of x: what loses the sign"),
        (lambda x: (x * x).sum(1), 64, "x * x in the place of x: is it multiplied with itself?"),
        (lambda x: x.trunc().sum(1), 64, "x cut down to whole numbers"),
        (lambda x: x.amax(1), 64, "What out holds is the largest of x, and a sum is asked for"),
        (lambda x: torch.log(x.sum(1)), 64, "the logarithm of what it should be"),
    ],
)
def test_the_cause_is_found(got, threads, said):
    cases = [case(3, 210, got, threads), case(5, 77, got, threads)]
    found = cause(cases)
    assert found and said in found.message(cases[0])


@pytest.mark.parametrize(
    ("got", "said"),
    [
        (lambda shares: shares.amax(1).sum(), "the largest of 64 threads' sums of x, and a sum is asked for"),
        (
            lambda shares: shares.view(-1, 2, 32).amax(1).sum(),
            "of 64 threads' sums of x the larger of each two, down to 32, and their sum, and a sum is asked for",
        ),
        (lambda shares: shares.sum(1).amax(), ""),
        (lambda shares: shares[:, :32].sum(), ""),
    ],
)
def test_a_tree_of_a_block_that_takes_the_larger_one(got, said):
    cases = []
    for count, blocks in ((50, 1), (300, 3), (500, 4)):
        x = Draw(count).normal(count).double()
        padded = torch.zeros(blocks * 128, dtype=torch.float64)
        padded[:count] = x
        shares = padded.view(blocks, 2, 64).sum(1)
        call = SimpleNamespace(scalars={"n": count}, terms=count)
        launch = {"kernel": "k", "grid": [blocks, 1, 1], "block": [64, 1, 1]}
        right = x.sum().view(1)
        allowed = torch.full((1,), 1e-6, dtype=torch.float64)
        sums = lambda inputs: {"out": inputs["x"].sum().view(1)}  # noqa: E731
        cases.append(Case(call, sums, {"x": x}, "out", got(shares).view(1), right, allowed, [launch]))
    found = cause(cases)
    told = found.message(cases[-1]) if found else ""
    assert said in told and ("fmaxf" in told) == bool(said)


@pytest.mark.parametrize(
    ("got", "block", "said"),
    [
        (lambda x: looped(x, 32, 64), [32, 8, 1], "32 threads share them, and what comes next begins 64 further"),
        (lambda x: looped(x, 32, 256), [32, 8, 1], "begins blockDim.x * blockDim.y further, 256 here"),
        (lambda x: looped(x, 32, 256), [256, 1, 1], "begins blockDim.x further, 256 here: go on by `32`"),
    ],
)
def test_where_a_block_has_several_rows_a_part_of_it_shares_one(got, block, said):
    cases = [case(rows, cols, got) for rows, cols in ((33, 210), (37, 77))]
    cases = [dataclasses.replace(each, launches=[{"kernel": "k", "grid": [5, 1, 1], "block": block}]) for each in cases]
    assert said in cause(cases).message(cases[0])
    other = [
        dataclasses.replace(each, launches=[{"kernel": "k", "grid": [33, 1, 1], "block": block}]) for each in cases
    ]
    assert said not in cause(other).message(other[0])


@pytest.mark.parametrize(
    ("line", "rest", "said"),
    [
        (lambda x, at, by: x[:, at + by - 32 * (by == 64)], True, "has `[i + 32]` twice and lacks `[i + 64]` of each"),
        (lambda x, at, by: x[:, at + by] * (by != 96), True, "out lacks `[i + 96]` of each round of 4"),
        (lambda x, at, by: 2 * x[:, at + by], True, "of whole rounds of 128 twice"),
        (lambda x, at, by: x[:, at + by], False, "left over behind whole rounds of 128"),
    ],
)
def test_a_line_of_an_unrolled_loop_is_told(line, rest, said):
    cases = [case(rows, cols, lambda x: rounds(x, line, rest)) for rows, cols in ((3, 240), (5, 300))]
    found = cause(cases)
    assert found and said in found.message(cases[0])


def test_nothing_is_claimed_that_one_case_contradicts():
    first, other = case(3, 210, lambda x: x[:, 1:].sum(1)), case(5, 77, lambda x: x.sum(1) + torch.arange(5))
    assert cause([first]) and cause([first, other]) is None and cause([other]) is None


def test_what_comes_behind_all_threads_of_a_large_sum():
    def total(inputs):
        return {"out": inputs["x"].sum().reshape(1)}

    x = Draw(5).normal(200_003).double()
    launch = {"kernel": "k", "grid": [100, 1, 1], "block": [256, 1, 1]}
    call = SimpleNamespace(scalars={"n": 200_003}, terms=200_003)
    got = x[:51_200].sum().reshape(1)
    large = Case(call, total, {"x": x}, "out", got, total({"x": x})["out"], 1e-3 * torch.ones(1).double(), [launch])
    assert "behind the first 51,200 elements of x, as there are 25,600 threads, 2 for each" in cause(
        [large], causes_of_large
    ).message(large)


def product(inputs):
    return {"out": inputs["x"] * inputs["y"].exp()}


def scaled_case(size: float, got, room: float = 1e-6) -> Case:
    x, y = (Draw(seed).normal(600).double().view(20, 30) * size for seed in (1, 2))
    call = SimpleNamespace(scalars={"rows": 20, "cols": 30}, terms=1)
    right = product({"x": x, "y": y})["out"]
    return Case(call, product, {"x": x, "y": y}, "out", got(x, y), right, room * right.abs().amax() + 0 * right)


def test_an_input_that_is_not_multiplied_with_is_told():
    assert "right for 1 in the place of all of x" in cause([scaled_case(1, lambda x, y: y.exp())]).message(
        scaled_case(1, lambda x, y: y.exp())
    )


def test_what_grows_out_of_all_bounds_is_told_though_a_float_rounds_it():
    def steep(inputs):
        return {"out": inputs["x"] * (8 * inputs["y"] - 20).exp()}

    x, y = (Draw(seed).normal(600).double().view(20, 30) for seed in (1, 2))
    right, turned = steep({"x": x, "y": y + 3})["out"], steep({"x": x, "y": -y - 3})["out"]
    right, turned = turned, right
    inputs = {"x": x, "y": -y - 3}
    rounded = turned * (1 + 1e-4 * torch.sin(100 * x))
    call = SimpleNamespace(scalars={"rows": 20, "cols": 30}, terms=1)
    case = Case(call, steep, inputs, "out", rounded, right, 1e-6 * right.abs())
    assert "right for -y in the place of y" in cause([case]).message(case)


def test_a_case_of_which_everything_is_true_is_not_asked():
    loose = scaled_case(1, lambda x, y: x, room=10.0)
    assert worth_asking([loose]) == []
    assert worth_asking([loose, told := scaled_case(1, lambda x, y: x)]) == [told]


def test_of_two_columns_no_shuffles_are_told():
    cases = [case(1, 1, lambda x: 2 * x[:, 0]), case(1, 2, lambda x: 2 * x[:, 0])]
    found = cause(cases)
    assert found is None or "shuffle" not in found.message(cases[0])


def shares(x, y, factor=1.0):
    return torch.exp(factor * (x - y)).sum(1)


@pytest.mark.parametrize(
    ("factor", "said"), [(0.6931471805599453, "2^x in the place of exp(x)"), (-1.0, "exp(-x) in the place of exp(x)")]
)
def test_a_wrong_exponent_of_several_inputs_is_told(factor, said):
    x, y = (Draw(seed).normal(600).double().view(20, 30) for seed in (1, 2))
    call = SimpleNamespace(scalars={"rows": 20, "cols": 30}, terms=30)
    right = shares(x, y)
    reference = lambda inputs: {"out": shares(inputs["x"], inputs["y"])}  # noqa: E731
    wrong = Case(call, reference, {"x": x, "y": y}, "out", shares(x, y, factor), right, 1e-6 * right)
    assert said in cause([wrong]).message(wrong)


def test_of_rows_with_factors_of_their_own_the_wrong_ones_are_named():
    right = Draw(8).normal(5 * 9).double().view(5, 9)
    factors = torch.tensor([1.0, 1.0, 0.5, 1.0, 3.0], dtype=torch.float64)
    wrong = case(5, 9, lambda x: x.sum(1), 64)
    wrong = dataclasses.replace(wrong, got=right * factors[:, None], expected=right, allowed=1e-6 + 0 * right)
    assert "a factor of its own, 0.5 in row 2 and 3 in row 4:" in _scaled_rows(wrong)
