"""Fragments of tensor cores whose lanes have other elements than theirs are told by what they have."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import torch

from grader.judge.causes.asked import Case
from grader.judge.causes.variations import cause
from grader.judge.inputs import Draw

SIZES = ((33, 24, 20), (17, 40, 51))  # rows of a, of b, and columns of both


def product(inputs):
    return {"c": inputs["a"] @ inputs["b"].mT}


def case(got, m, n, k, threads=32):
    draw = Draw(m * n + k)
    a, b = (draw.normal(rows, k).double() for rows in (m, n))
    buffers = [SimpleNamespace(name=name, type=SimpleNamespace(bytes=2)) for name in "ab"]
    task = SimpleNamespace(shapes={"a": "m, k", "b": "n, k", "c": "m, n"}, signature=SimpleNamespace(buffers=buffers))
    call = SimpleNamespace(scalars={"m": m, "n": n, "k": k}, terms=k, task=task)
    right = product({"a": a, "b": b})["c"]
    launches = [{"kernel": "k", "grid": [1, 1, 1], "block": [threads, 1, 1]}]
    return Case(call, product, {"a": a, "b": b}, "c", got(a, b), right, torch.full_like(right, 1e-6), launches)


def as_lanes_have_it(values, by_eights):
    """The matrix in whole tiles of 8 x 8, as lanes load it, each by its own row and pair."""
    rows, cols = values.shape
    whole = torch.nn.functional.pad(values, (0, -cols % 16, 0, -rows % 16))
    found = torch.zeros_like(whole)
    for row in range(0, len(whole), 8):
        for col in range(0, whole.shape[1], 8):
            for lane in range(32):
                has = (lane % 8, lane // 8 * 2) if by_eights else (lane // 4, lane % 4 * 2)
                to, at = (row + lane // 4, col + lane % 4 * 2), (row + has[0], col + has[1])
                found[to[0], to[1] : to[1] + 2] = whole[at[0], at[1] : at[1] + 2]
    return found[:rows]


def both_by_eights(a, b):
    return as_lanes_have_it(a, True) @ as_lanes_have_it(b, True).mT


def a_by_eights(a, b):
    return as_lanes_have_it(a, True) @ as_lanes_have_it(b, False).mT


def stored_by_eights(a, b):
    right = a @ b.mT
    r, c = torch.meshgrid(*map(torch.arange, right.shape), indexing="ij")
    lane = r % 8 + c % 8 // 2 * 8
    row, col = r // 8 * 8 + lane // 4, c // 8 * 8 + lane % 4 * 2 + c % 2
    known = (row < len(right)) & (col < right.shape[1])
    return torch.where(known, right[row.clamp(max=len(right) - 1), col.clamp(max=right.shape[1] - 1)], 0.0)


def swizzled_once(a, b):
    """b's pieces of 8 lie in the order `piece ^ row / 2 % 4`, and are read as if they lay in theirs."""
    k = -(-b.shape[1] // 64) * 64
    a, b = (torch.nn.functional.pad(each, (0, k - each.shape[1])) for each in (a, b))
    r, c = torch.meshgrid(*map(torch.arange, b.shape), indexing="ij")
    piece = c // 8
    return a @ b[r, (piece // 4 * 4 + (piece % 4 ^ r // 2 % 4)) * 8 + c % 8].mT


def columns_by_rows(a, b):
    """Lanes name a column of a by the half of their row."""
    whole = torch.nn.functional.pad(a, (0, -a.shape[1] % 16, 0, -a.shape[0] % 16))
    r, c = torch.meshgrid(*map(torch.arange, whole.shape), indexing="ij")
    return (whole[r, c // 16 * 16 + r % 16 // 8 * 8 + c % 8] @ torch.nn.functional.pad(b, (0, -b.shape[1] % 16)).mT)[
        : len(a)
    ]


def second_and_third_swapped(a, b):
    right = torch.nn.functional.pad(a @ b.mT, (0, 1, 0, 8))
    got = right.clone()
    for row in (row for row in range(len(a)) if row % 16 < 8):
        got[row, 1::2], got[row + 8, 0:-1:2] = right[row + 8, 0:-1:2], right[row, 1::2]
    return got[: len(a), : len(b)]


def by_warps(a, b):
    """Four warps of a block have 16 x 16 each, two down and two across, and each stores in another one's place."""
    right = a @ b.mT
    r, c = torch.meshgrid(*map(torch.arange, right.shape), indexing="ij")
    warp = c % 64 // 16 * 2 + r % 32 // 16  # that stores here
    row, col = r // 32 * 32 + warp // 4 * 16 + r % 16, c // 64 * 64 + warp % 4 * 16 + c % 16
    known = (row < len(right)) & (col < right.shape[1])
    return torch.where(known, right[row.clamp(max=len(right) - 1), col.clamp(max=right.shape[1] - 1)], 0.0)


def packed_the_other_way(a, b):
    even = torch.nn.functional.pad(a, (0, a.shape[1] % 2))
    return even[:, torch.arange(even.shape[1]) ^ 1] @ torch.nn.functional.pad(b, (0, b.shape[1] % 2)).mT


def last_step_alone(a, b):
    """What is left where each step of 16 columns, of tiles of 64, begins the sum again."""
    begin = -(-a.shape[1] // 64) * 64 - 16
    return a[:, begin:] @ b[:, begin:].mT


@pytest.mark.parametrize(
    ("got", "said"),
    [
        (both_by_eights, "right for a and b with row lane % 8 and pair lane / 8"),
        (a_by_eights, "right for a with row lane % 8 and pair lane / 8"),
        (stored_by_eights, "What a lane has of c is stored with row lane % 8 and pair lane / 8"),
        (swizzled_once, "right for b with the pieces of 8 columns of each row in the order `piece ^ row / 2 % 4`"),
        (columns_by_rows, "16 x 16 of a is that of row i and column i: which row and column does each lane name"),
        (second_and_third_swapped, "The second and the third number that a lane has of c are stored in each other's"),
        (packed_the_other_way, "a with the two of each pair of columns swapped"),
        (last_step_alone, "but the last 16 of its last whole tile: is the sum begun again with each step of 16"),
    ],
)
def test_what_lanes_have_is_told(got, said):
    cases = [case(got, *sizes) for sizes in SIZES]
    assert said in cause(cases).message(cases[0])


def test_tiles_of_other_warps_are_told():
    cases = [case(by_warps, *sizes, threads=256) for sizes in ((60, 70, 9), (32, 64, 5))]
    told = cause(cases).message(cases[0])
    assert (
        "The tiles of 16 x 16 that a block's 8 warps have of c" in told
        and "`warp / 4` and its column `warp % 4`" in told
    )


def test_rows_of_a_tile_that_follow_one_another_too_soon():
    def leading(a, b):
        """a's whole tiles, of rows that begin after 16 elements each."""
        found, flat = a.clone(), a.flatten()
        for row in range(0, len(a) - 15, 16):
            for col in range(0, a.shape[1] - 15, 16):
                begin = row * a.shape[1] + col
                found[row : row + 16, col : col + 16] = flat[begin : begin + 256].view(16, 16)
        return found @ b.mT

    cases = [case(leading, 33, 24, 40), case(leading, 48, 9, 24)]
    assert "the rows of each 16 x 16 tile of a follow one another after 16" in cause(cases).message(cases[0])
