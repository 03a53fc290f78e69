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
