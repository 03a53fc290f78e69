"""Values that stand where they do not belong, and inputs that are read where they do not begin, are told as that."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch

from grader.judge.causes.asked import Case, Output
from grader.judge.causes.places import causes_of_places
from grader.judge.causes.variations import cause
from grader.judge.inputs import Draw
from grader.judge.why import parts_of
from tests.shared import long_tail


def random(*shape, seed=1):
    numbers = 1
    for size in shape:
        numbers *= size
    return Draw(seed + numbers).normal(numbers).double().view(shape)


def case(x, reference, got, **scalars):
    """A function of x alone, and what `got` makes of it."""
    right = reference(x)
    call = SimpleNamespace(scalars=scalars, terms=x.shape[-1])
    launch = {"kernel": "k", "grid": [1, 1, 1], "block": [16, 16, 1]}
    return Case(
        call, lambda inputs: {"y": reference(inputs["x"])}, {"x": x}, "y", got(x), right, 1e-6 * right.abs(), [launch]
    )


def tiles(rows_of, cols_of):
    """Each element of 3 x that one of the same tile of 16 should be."""

    def got(x):
        r, c = torch.meshgrid(torch.arange(x.shape[0]), torch.arange(x.shape[1]), indexing="ij")
        rows, cols = rows_of(r, c), cols_of(r, c)
        known = (rows < x.shape[0]) & (cols < x.shape[1])
        return torch.where(known, 3 * x[rows.clamp(max=x.shape[0] - 1), cols.clamp(max=x.shape[1] - 1)], 0.0)

    return got


def whole(moved):
    """Of tiles that hang over no edge alone."""

    def of(r, c):
        inside = (r < (int(r.max()) + 1) // 16 * 16) & (c < (int(c.max()) + 1) // 16 * 16)
        return torch.where(inside, moved(r, c)[0], r), torch.where(inside, moved(r, c)[1], c)

    return (lambda r, c: of(r, c)[0]), (lambda r, c: of(r, c)[1])


def turned(r, c):
    return r // 16 * 16 + c % 16, c // 16 * 16 + r % 16


MATRICES = [
    (*whole(turned), "Each whole 16 x 16 tile of y is turned round"),
    (
        lambda r, c: r // 32 * 32 + c % 32 // 16 * 16 + r % 16,
        lambda r, c: c // 32 * 32 + r % 32 // 16 * 16 + c % 16,
        "Of each 2 x 2 tiles of 16 x 16 y has that of row i and column j where",
    ),
    (lambda r, c: r // 16 * 16 + c % 16, lambda r, c: c // 16 * 16 + r % 16, "Each 16 x 16 tile of y is turned round"),
    (lambda r, c: r, lambda r, c: c // 16 * 16 + r % 16, "all columns of a row of y hold what belongs in one of them"),
    (lambda r, c: r // 16 * 16 + c % 16, lambda r, c: c, "all rows of a column of y hold what belongs in one of them"),
]


@pytest.mark.parametrize(("rows_of", "cols_of", "words"), long_tail(MATRICES, every=2))
def test_tiles_of_an_output(rows_of, cols_of, words):
    got = tiles(rows_of, cols_of)
    cases = [case(random(*shape), lambda x: 3 * x, got) for shape in ((60, 45), (35, 50), (1, 33))]
    cases = [each for each in cases if bool((each.got - each.expected).any())]
    assert words in cause(cases).message(cases[0])


def test_a_column_of_another():
    first, second = (case(random(n, 2), lambda x: x.sin(), lambda x: x[:, :1].sin().expand_as(x)) for n in (30, 7))
    assert "Column 1 of y holds what belongs in column 0" in cause([first, second]).message(first)


def test_a_sign_that_is_lost():
    first, second = (case(random(n), lambda x: x.sin(), lambda x: x.sin().abs()) for n in (30, 17))
    assert "loses the sign" in cause([first, second]).message(first)


@pytest.mark.parametrize(("axis", "noun"), [(0, "rows"), (1, "columns")])
def test_elements_of_a_thread_that_are_stored_apart(axis, noun):
    def dealt(x):
        at = torch.arange(x.shape[axis])
        return 3 * x.index_select(axis, at // 32 * 32 + at % 16 * 2 + at % 32 // 16)

    wrong = [case(random(*shape), lambda x: 3 * x, dealt) for shape in ((64, 96), (32, 64))]
    told = cause(wrong).message(wrong[0])
    assert f"The {noun} that a thread has of y lie side by side" in told and "`2 * t + i` or `t + 16 * i`" in told


def test_two_of_four_that_are_swapped():
    wrong = [
        case(random(*shape), lambda x: 3 * x, lambda x: 3 * x[:, torch.arange(x.shape[1]).view(-1, 2, 2).mT.flatten()])
        for shape in ((64, 96), (32, 64))
    ]
    assert "Of each four columns of y the second and the third are in each" in cause(wrong).message(wrong[0])


def test_tiles_of_which_nothing_is_wrong_are_not_said_to_be_in_each_others_place():
    def first_rows_right(x):
        got = 3 * x
        got[94:] += torch.sin(1000 * x[94:])
        return got

    wrong = case(random(100, 64), lambda x: 3 * x, first_rows_right)
    found = cause([wrong])
    assert found is None or "tiles" not in found.message(wrong)


def of_odd_rows(wrong):
    def got(x):
        found = 3 * x
        found[1::2] = wrong(x)[1::2]
        return found

    return [case(random(n, 9), lambda x: 3 * x, got) for n in (30, 16)]


def test_what_is_wrong_in_some_rows_alone_is_asked_for_itself():
    whole = of_odd_rows(lambda x: 3 * x[:, [*range(1, 9), 8]])
    assert cause(whole) is None
    parts = parts_of(whole)
    assert "the next column of x in the place of each" in cause(parts).message(parts[0])


def test_what_is_0_in_part_or_wrong_nearly_everywhere_is_not():
    assert parts_of(of_odd_rows(lambda x: 0 * x)) == []
    everywhere = case(random(30, 9), lambda x: 3 * x, lambda x: 3 * x.roll(1, 0))
    assert parts_of([everywhere]) == []


def test_a_sign_that_a_root_has_lost_with_some_digits():
    def by_a_root(x):
        return (1 - x.cos().square()).float().sqrt().double() * (1 + 3e-6)

    first, second = (case(random(n), lambda x: x.sin(), by_a_root) for n in (30, 17))
    assert "loses the sign" in cause([first, second]).message(first)


def test_numbers_of_pairs_that_lanes_take_from_the_wrong_one():
    def pairs(x):
        return torch.stack([x.cos(), x.sin()], 1)

    def taken(x):
        return torch.stack([pairs(x)[o // 32 * 16 + o % 16, o % 2] for o in range(2 * len(x))]).view(-1, 2)

    first, second = (case(random(n), pairs, taken) for n in (48, 32))
    assert "shuffle from lane `lane / 2`" in cause([first, second]).message(first)


def test_rows_of_a_tile_that_hold_the_first_ones_beside_infinities():
    def again(x):
        return x[torch.arange(len(x)) // 32 * 32 + torch.arange(len(x)) % 8]

    x = random(60, 9)
    x[5, :] = torch.inf
    wrong = case(x, lambda x: x.clone(), again)
    assert list(causes_of_places(wrong)), "no number comes of inf - inf"


def test_what_is_0_in_the_place_of_little_has_not_lost_its_sign():
    x = random(30)
    x[3] = 1e-9
    wrong = case(x, lambda x: x.sin(), lambda x: x.sin().masked_fill(x.abs() < 1e-8, 0.0))
    found = cause([wrong])
    assert found is None or "sign" not in found.message(wrong)


def test_what_is_added_to_all_is_told():
    first, second = (case(random(n, 9), lambda x: x.sin(), lambda x: x.sin() + 1) for n in (30, 17))
    assert "Every element of y is 1 more than it should be" in cause([first, second]).message(first)
    other = case(random(17, 9), lambda x: x.sin(), lambda x: x.sin() + 2)
    assert cause([first, other]) is None


def test_an_output_that_holds_another_one():
    def both(inputs):
        return {"y": inputs["x"].sin(), "z": inputs["x"].cos()}

    first, second = (case(random(n, 9), lambda x: x.sin(), lambda x: x.cos()) for n in (30, 17))
    task = SimpleNamespace(results=[1, 2], shapes={})
    cases = [
        replace(each, reference=both, call=SimpleNamespace(scalars={}, terms=9, task=task)) for each in (first, second)
    ]
    assert "y holds what belongs in z: are the two swapped" in cause(cases).message(first)


def test_one_of_four_statements():
    places = lambda x: torch.arange(len(x)) - (torch.arange(len(x)) % 4 == 2).long()  # noqa: E731
    first, second = (case(random(n), lambda x: 3 * x + 1, lambda x: 3 * x[places(x)] + 1) for n in (41, 17))
    said = cause([first, second]).message(first)
    assert "right for x[i - 1] in the place of x[i] where i % 4 is 2" in said


def test_matrices_that_begin_elsewhere():
    cases = [
        case(
            random(*shape), lambda x: x.sum(1), lambda x: moved(x).sum(1), batch=shape[0], rows=shape[1], cols=shape[2]
        )
        for shape in ((3, 7, 20), (2, 5, 11))
    ]
    assert "right where matrix i of x begins at i * rows, and it begins at i * 140" in cause(cases).message(cases[0])


def test_matrices_that_begin_a_square_further():
    def far(x):
        return x.flatten().as_strided(x.shape, (x.shape[1] ** 2, x.shape[2], 1)).sum(1)

    cases = [
        case(random(n, rows, cols), lambda x: x.sum(1), far, batch=n, rows=rows, cols=cols)
        for n, rows, cols in ((3, 7, 20), (2, 5, 11))
    ]
    assert "matrix i of x begins at i * rows * rows, and it begins at i * 140" in cause(cases).message(cases[0])


def moved(x):
    return x.flatten().as_strided(x.shape, (x.shape[1], x.shape[2], 1))


@pytest.mark.parametrize(
    ("moved_by", "words"),
    [
        (lambda r, c: (r, c ^ 8), "with columns 0 to 7 and 8 to 15 of each 16 swapped"),
        (lambda r, c: (r ^ 8, c), "with rows 0 to 7 and 8 to 15 of each 16 swapped"),
        (lambda r, c: (r & ~8 | c & 8, c & ~8 | r & 8), "with two 8 x 8 quarters of each 16 x 16 tile swapped"),
    ],
)
def test_registers_of_a_fragment_in_another_order(moved_by, words, monkeypatch):
    monkeypatch.setattr(Case, "is_of_16_bits", lambda self, name: True)

    def got(x):
        rows, cols = moved_by(*torch.meshgrid(torch.arange(x.shape[0]), torch.arange(x.shape[1]), indexing="ij"))
        return x[rows, cols] @ torch.arange(x.shape[1]).double()

    cases = [
        case(random(*shape), lambda x: x @ torch.arange(x.shape[1]).double(), got) for shape in ((32, 48), (16, 80))
    ]
    assert words in cause(cases).message(cases[0])


@pytest.mark.parametrize(
    ("held", "words"),
    [
        ("yxz", "x holds what belongs in y, and y what belongs in x: the two are swapped"),
        ("yzx", "x holds what belongs in y, y what belongs in z, z what belongs in x: in which order"),
        ("yyz", "x holds what belongs in y, and y is right: is its value stored in both?"),
    ],
)
def test_outputs_in_each_others_places(held, words):
    def all_three(inputs):
        return {"x": inputs["a"].sin(), "y": inputs["a"].cos(), "z": inputs["a"].exp()}

    task = SimpleNamespace(results=[1, 2, 3], shapes={})
    cases = []
    for n in (30, 17):
        each = case(random(n, 9), lambda a: a.sin(), lambda a: a.cos())
        a = each.inputs["x"]
        right, allowed = all_three({"a": a}), torch.full_like(a, 1e-6)
        outputs = {name: Output(right[other], right[name], allowed) for name, other in zip("xyz", held, strict=True)}
        call = SimpleNamespace(scalars={}, terms=9, task=task)
        cases.append(replace(each, reference=all_three, call=call, inputs={"a": a}, buffer="x", outputs=outputs))
    assert words in cause(cases).message(cases[0])
