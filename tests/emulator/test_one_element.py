"""Why two threads write one element is told by what the index and the loop around it do."""

from types import SimpleNamespace

import pytest

from grader.devices.emulator.reading import Reading
from grader.devices.emulator.same_element import why_one_element
from tests.shared import long_tail

LOOP = "for (int i = begin; i < n; i += step) z[i] = x[i];"
ROWS = [
    # index, elements, (block, thread) of the two, what is told, "" for nothing
    (256, 1000, (1, 0), (0, 0), LOOP, "does a loop go on by blockDim.x where `gridDim.x * blockDim.x` belongs"),
    (0, 1000, (1, 0), (0, 0), LOOP, "does each block do all of it again?"),
    (4, 1000, (4, 0), (0, 0), LOOP, "begins at `blockIdx.x` go on by fewer than the grid's blocks, where `gridDim.x`"),
    (5, 256, (1, 5), (0, 5), "z[threadIdx.x] = x[i];", "let blocks add theirs, `atomicAdd(&z[i], ...)`"),
    (5, 1000, (1, 5), (0, 5), "z[threadIdx.x] = x[i];", "is `blockIdx.x * blockDim.x` missing from the index?"),
    (260, 1000, (1, 4), (0, 254), LOOP, "does a loop go on by gridDim.x where"),
    (32, 1000, (0, 32), (0, 0), LOOP, "does a loop go on by fewer than the block's 256 threads"),
    (300, 1000, (1, 7), (0, 3), LOOP, ""),
    (256, 1000, (1, 0), (0, 0), "z[i] = x[i];", ""),
]


def fact(mine, theirs, text):
    place = {"line": 1, "other_line": 1, "access": "write", "other_access": "write", "launch": 1, "text": "same value"}
    threads = {"block": (mine[0], 0, 0), "thread": (mine[1], 0, 0)}
    others = {"other_block": (theirs[0], 0, 0), "other_thread": (theirs[1], 0, 0)}
    launches = [{"kernel": "k", "grid": [6, 1, 1], "block": [256, 1, 1]}]
    return {**place, **threads, **others, "launches": launches, "reading": Reading(text)}


@pytest.mark.parametrize(("index", "elements", "mine", "theirs", "text", "told"), long_tail(ROWS, every=4))
def test_why_two_threads_write_one_element(index, elements, mine, theirs, text, told):
    one = fact(mine, theirs, text)
    why = why_one_element(one, SimpleNamespace(index=index, elements=elements, name="z"))
    assert told in why and bool(told) == bool(why)


@pytest.mark.parametrize(
    ("count", "elements", "told"),
    [
        (1000, 1200, "each block writes the same 200 of the 1,200 elements of z: is `blockIdx.x * 200`"),
        (1000, 200, "let blocks add theirs"),
        (999, 1200, "let blocks add theirs"),
    ],
)
def test_a_row_of_each_block(count, elements, told):
    one = fact((1, 5), (0, 5), "for (int i = threadIdx.x; i < n; i += 256) z[i] = x[i];") | {"text": "", "count": count}
    assert told in why_one_element(one, SimpleNamespace(index=5, elements=elements, name="z"))


@pytest.mark.parametrize(
    ("index", "mine", "theirs", "space", "is_told"),
    [
        (96, 64, 0, "shared", True),
        (0, 32, 0, "shared", True),
        (33, 32, 0, "shared", False),
        (0, 32, 0, "global", False),
    ],
)
def test_a_lane_of_two_warps(index, mine, theirs, space, is_told):
    one = fact((0, mine), (0, theirs), "tile[k][lane] = x[i];") | {"text": "", "space": space}
    why = why_one_element(one, SimpleNamespace(index=index, elements=1000, name="tile"))
    assert ("is the warp's number, `threadIdx.x / 32`, missing" in why) == is_told


@pytest.mark.parametrize(
    ("text", "line", "is_in_one"),
    [
        ("for (int i = 0; i < n; ++i) z[i] = 0;\ny[0] = 1;", 2, False),
        ("for (int i = 0; i < n; ++i) z[i] = 0;\ny[0] = 1;", 1, True),
        ("for (int i = 0; i < n; ++i)\n    if (i) {\n        z[i] = 0;\n    }\ny[0] = 1;", 3, True),
        ("for (int i = 0; i < n; ++i)\n    if (i) {\n        z[i] = 0;\n    }\ny[0] = 1;", 5, False),
        ("while (i < n) {\n    z[i++] = 0;\n}\ny[0] = 1;", 2, True),
        ("while (i < n) {\n    z[i++] = 0;\n}\ny[0] = 1;", 4, False),
        ("do {\n    z[i] = 0;\n} while (++i < n);\ny[0] = 1;", 4, False),
        ("for (i = 0; i < n; ++i)\n    for (j = 0; j < n; ++j)\n        z[i] = f(j);\ny[0] = 1;", 3, True),
    ],
)
def test_a_line_in_a_loop(text, line, is_in_one):
    assert Reading(text).is_in_loop(line) == is_in_one


@pytest.mark.parametrize(
    ("text", "is_set"),
    [
        ("*out = 0;", True),
        ("sum[0] = 0.0f;", True),
        ("int k = 0;", False),
        ("*out = 0.5f;", False),
        ("*p == 0;", False),
    ],
)
def test_what_is_set_to_zero(text, is_set):
    assert Reading(text).sets_to_zero(1) == is_set


@pytest.mark.parametrize("line", [2, 3, 4])
def test_a_statement_over_several_lines_is_read_as_a_whole(line):
    lines = ["int before = 1;", "s[threadIdx.x]", "    = s[threadIdx.x]", "    + s[threadIdx.x + half];", "*out = 0;"]
    reading = Reading("\n".join(lines))
    assert reading.reads_neighbours(line)
    assert not reading.reads_neighbours(1) and not reading.reads_neighbours(5)
    assert reading.sets_to_zero(5) and not reading.sets_to_zero(line)
    assert Reading("for (int i = 0; i < n; ++i)\n    counts[\n        x[i]\n    ]++;").adds(line)
