"""What warps with an element each leave out, what a loop reaches that begins anew, and what is left behind vectors."""

from __future__ import annotations

import pytest
import torch

from grader.judge.causes.indices import index_of, rest_of
from grader.judge.causes.written import Written


def written(count, places, blocks, threads, launches=1):
    reached = torch.zeros(count, dtype=torch.bool)
    reached[[place for place in places if place < count]] = True
    return Written(reached, [blocks, 1, 1], [threads, 1, 1], ["rows"], launches)


def by_warps(number, each=8, counts=(1, 8, 31, 257)):
    """Launches of as many blocks as it takes, whose warps have the element `number` of block and warp."""
    found = []
    for count in counts:
        blocks = -(-count // each)
        places = [number(block, warp) for block in range(blocks) for warp in range(each)]
        found.append(written(count, [place for place in places if place is not None], blocks, 32 * each))
    return found


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (lambda block, warp: block + warp, "just what `blockIdx.x + threadIdx.x / 32` reaches"),
        (lambda block, warp: warp, "just what `threadIdx.x / 32` reaches"),
        (lambda block, warp: block * 256 + warp, "`blockIdx.x * blockDim.x + threadIdx.x / 32` reaches, with a warp"),
        (
            lambda block, warp: None if warp else 8 * block,
            "Of every 8 elements, one for each warp of a block, only the",
        ),
    ],
)
def test_the_number_of_a_warp(number, said):
    cases = by_warps(number)
    assert said in index_of(cases).said(cases[-1])


def test_warps_that_reach_all_are_not_told():
    assert index_of(by_warps(lambda block, warp: 8 * block + warp)) is None


def test_a_loop_of_the_grid_that_begins_at_the_threads_of_the_block():
    cases = [
        written(count, [i for i in range(count) if i % (64 * blocks) < 64], blocks, 64)
        for count, blocks in ((30, 1), (130, 3), (900, 3))
    ]
    assert "begins at `threadIdx.x`, so that all 3 blocks do the same" in index_of(cases).said(cases[-1])


@pytest.mark.parametrize(
    ("few", "said"), [(23, "begin too close to each other?"), (24, "go on by 64 where 24 belongs?")]
)
def test_what_no_loop_goes_on_by_is_not_called_its_step(few, said):
    cases = [written(count, [i for i in range(count) if i % 64 < few], 1, 96) for count in (64, 700, 900)]
    assert said in index_of(cases).said(cases[-1])


def test_the_rest_behind_vectors_that_a_second_launch_leaves_out():
    cases = [written(count, range(count // 4 * 4 if count > 8 else count), 2, 32, 2) for count in (1, 3, 31, 32, 103)]
    assert "and with pointers that begin there, `+ 28`?" in rest_of(cases).said(cases[2])
    assert rest_of([*cases, written(30, range(30), 2, 32, 2)]) is None
