"""Of what is not written, the index that stands in the place of the right one is named, and no other."""

from functools import partial

import pytest
import torch

from grader.judge.causes.indices import index_of
from grader.judge.causes.written import Written


def line(count, blocks, threads, index, each=1):
    """What so many blocks and threads write of `count` elements, with `each` neighbours at `index` of the two."""
    written = torch.zeros(count, dtype=torch.bool)
    for block in range(blocks):
        for thread in range(threads):
            first = index(block, thread)
            written[first : max(first, 0) + each] = True
    return Written(written, [blocks, 1, 1], [threads, 1, 1], ["n"])


def said(index, each=1, blocks=lambda n: -(-n // 64)):
    cases = [line(n, blocks(n), 64, partial(index, grid=blocks(n)), each) for n in (1, 64, 130, 515)]
    found = index_of(cases)
    return found.said(cases[-1]) if found else ""


@pytest.mark.parametrize(
    ("index", "each", "words"),
    [
        (lambda b, t, grid: b * 32 + t, 1, "with `blockIdx.x * 32 + threadIdx.x`"),
        (lambda b, t, grid: b * 128 + t, 1, "with `blockIdx.x * 128 + threadIdx.x`"),
        (lambda b, t, grid: b * 128 + t, 2, "with `2 * blockIdx.x * blockDim.x + threadIdx.x` and the next one"),
        (lambda b, t, grid: t * 64 + b, 1, "with `threadIdx.x * blockDim.x + blockIdx.x`"),
        (lambda b, t, grid: b * grid + t, 1, "with `blockIdx.x * gridDim.x + threadIdx.x`"),
        (lambda b, t, grid: b + 64 + t, 1, "with `blockIdx.x + blockDim.x + threadIdx.x`"),
        (
            lambda b, t, grid: b,
            1,
            "one element for each block, and 9 blocks of 64 threads for 515 elements: give each element",
        ),
        (lambda b, t, grid: (b * 64 + t) // 32, 1, "A warp writes each element"),
    ],
)
def test_an_index_is_named(index, each, words):
    assert words in said(index, each)


def test_a_block_number_times_the_other_side_of_a_block():
    def written(rows):
        reached = torch.zeros(rows, dtype=torch.bool)
        blocks = -(-rows // 6)
        places = torch.arange(blocks)[:, None] * 32 + torch.arange(6)
        reached[places[places < rows]] = True
        return Written(reached, [blocks, 1, 1], [32, 6, 1], ["rows"])

    cases = [written(n) for n in (3, 40, 129)]
    told = index_of(cases).said(cases[-1])
    assert "multiplied with blockDim.x, which is 32 here, where blockDim.y belongs" in told


def test_blocks_that_overlap_where_each_thread_writes_two_elements_a_block_apart():
    def written(n):
        blocks = -(-n // 128)
        places = torch.arange(blocks)[:, None, None] * 64 + torch.arange(2)[:, None] * 64 + torch.arange(64)
        reached = torch.zeros(n, dtype=torch.bool)
        reached[places[places < n]] = True
        return Written(reached, [blocks, 1, 1], [64, 1, 1], ["n"])

    cases = [written(n) for n in (1, 64, 130, 515)]
    told = index_of(cases).said(cases[-1])
    assert "each takes 128 elements and begins 64 behind the one before" in told
    assert "begin at `blockIdx.x * blockDim.x * 2 + threadIdx.x`" in told


def test_an_index_that_would_not_reach_all_is_not_called_the_right_one():
    told = said(lambda b, t, grid: b * 128 + t, blocks=lambda n: -(-n // 128))
    assert "one round of it, and there are 515 elements: let each thread go on to others in a loop" in told


def test_what_lacks_for_another_reason_gets_no_index():
    assert not said(lambda b, t, grid: b * 64 + t, blocks=lambda n: max(1, n // 64))  # too few blocks
    assert not said(lambda b, t, grid: b * 64 + t if (b + t) % 3 else 0)
    assert not said(lambda b, t, grid: b * 64 + t)  # nothing lacks


@pytest.mark.parametrize(
    ("is_written", "words"),
    [
        (lambda i, n: i < n - 1, "as `i < n - 1` does where `i < n` belongs?"),
        (lambda i, n: i > 0, "leave i = 0 out?"),
        (lambda i, n: i % 64 < 32, "In each block of 64, threads 32 to 63 write nothing"),
        (lambda i, n: i % 24 < 8, "Of every 24 elements only the first 8 are written"),
        (lambda i, n: i % 64 != 0, "In each block of 64, thread 0 writes nothing"),
    ],
)
def test_elements_that_a_condition_leaves_out(is_written, words):
    sizes = (1, 64, 130, 515)
    cases = [Written(is_written(torch.arange(n), n), [-(-n // 64), 1, 1], [64, 1, 1], ["n"]) for n in sizes]
    assert words in index_of(cases).said(cases[-1])


def test_threads_that_write_several_elements_are_not_said_to_write_nothing():
    cases = [Written(torch.arange(n) % 64 < 48, [-(-n // 128), 1, 1], [64, 1, 1], ["n"]) for n in (64, 130, 515)]
    found = index_of(cases)
    assert found is None or "write nothing" not in found.said(cases[-1])


def test_single_elements_behind_vectors_are_left_over():
    cases = [Written(torch.arange(n) < n // 4 * 4, [1, 1, 1], [256, 1, 1], ["n"]) for n in (31, 32, 257)]
    assert "The last 3 of 31 elements are not written, what is left over behind whole groups of 4" in index_of(
        cases
    ).said(cases[0])


@pytest.mark.parametrize(
    ("names", "grid", "words"),
    [
        (["batch", "cols"], [2, 1, 1], "give the grid blocks for the others, `dim3 blocks(..., batch)`"),
        (["batch", "cols"], [2, 3, 1], "is blockIdx.y missing"),
    ],
)
def test_one_of_many_matrices(names, grid, words):
    case = Written(torch.arange(3)[:, None].expand(3, 40) == 0, grid, [32, 1, 1], names)
    assert "Only batch 0 is written, and there are 3" in index_of([case]).said(case)
    assert words in index_of([case]).said(case)


@pytest.mark.parametrize(
    ("block", "step", "words"),
    [
        (
            (32, 8),
            32,
            "`blockIdx.y * blockDim.x + threadIdx.y` reaches, which steps by blockDim.x, 32, and a block has 8",
        ),
        ((16, 16), 8, "`blockIdx.y * 8 + threadIdx.y`"),
        ((32, 8), 0, "`threadIdx.y` reaches, without the block"),
    ],
)
def test_one_axis_of_two(block, step, words):
    cases = []
    for rows, cols in ((70, 90), (33, 20)):
        grid = [-(-cols // block[0]), -(-rows // block[1]), 1]
        places = torch.tensor([b * step + t for b in range(grid[1]) for t in range(block[1])])
        written = torch.isin(torch.arange(rows), places)[:, None].expand(rows, cols)
        cases.append(Written(written, grid, [*block, 1], ["rows", "cols"]))
    assert words in index_of(cases).said(cases[0])


def test_matrices_along_z_have_a_grid_too_small_or_none():
    written = (torch.arange(40)[:, None] < 16).expand(3, 40, 50)
    case = Written(written, [4, 1, 3], [16, 16, 1], ["batch", "n", "p"])
    said = index_of([case]).said(case)
    assert "The grid has 1 block of 16 threads in y for 40 rows: it takes `dim3 blocks((p - 1) / 16 + 1," in said
    assert said.endswith("(n - 1) / 16 + 1, batch)`.")
    first = Written(
        (torch.arange(3) == 0)[:, None, None].expand(3, 40, 50), [4, 3, 1], [16, 16, 1], ["batch", "n", "p"]
    )
    assert "let blockIdx.z stand in the index for it" in index_of([first]).said(first)


def written_by(row, col, grid_of, sizes=((70, 90), (33, 20), (90, 33)), block=(32, 8)):
    """What a kernel writes whose row and column are these of (bx, by, tx, ty)."""
    cases = []
    for rows, cols in sizes:
        grid = [*grid_of(rows, cols), 1]
        bx, by = torch.arange(grid[0])[:, None, None, None], torch.arange(grid[1])[:, None, None]
        tx, ty = torch.arange(block[0])[:, None], torch.arange(block[1])
        r, c = torch.broadcast_tensors(row(bx, by, tx, ty), col(bx, by, tx, ty))
        inside = (r < rows) & (c < cols)
        written = torch.zeros(rows, cols, dtype=torch.bool)
        written[r[inside], c[inside]] = True
        cases.append(Written(written, grid, [*block, 1], ["m", "n"]))
    return cases


ROW, COL = lambda bx, by, tx, ty: by * 8 + ty, lambda bx, by, tx, ty: bx * 32 + tx
PLANES = [
    (
        ROW,
        COL,
        lambda rows, cols: (-(-cols // 32), 1),
        "The grid has 1 block of 8 threads in y for 70 rows: it takes `dim3 blocks((n - 1) / 32 + 1, (m - 1) / 8 + 1)`",
    ),
    (ROW, COL, lambda rows, cols: (1, 2), "1 block of 32 threads in x for 90 columns and 2 blocks of 8 threads in y"),
    (
        lambda bx, by, tx, ty: bx * 8 + ty,
        COL,
        lambda rows, cols: (-(-cols // 32), -(-rows // 8)),
        "where blockIdx.x makes the row and the column, and blockIdx.y neither",
    ),
    (
        lambda bx, by, tx, ty: by * 8 + tx,
        COL,
        lambda rows, cols: (-(-cols // 32), -(-rows // 8)),
        "and threadIdx.y neither: let one of them be `blockIdx.y * blockDim.y + threadIdx.y`",
    ),
]


@pytest.mark.parametrize(("row", "col", "grid_of", "words"), PLANES)
def test_a_grid_too_small_in_one_direction_or_an_axis_that_serves_twice(row, col, grid_of, words):
    cases = written_by(row, col, grid_of)
    assert words in index_of(cases).said(cases[0])
