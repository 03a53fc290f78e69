"""A launch whose blocks and threads look swapped is worth a note, and one that is meant so is not."""

import pytest

from grader.devices.evidence import launch_notes


@pytest.mark.parametrize(
    ("blocks", "threads", "is_odd"),
    [
        (256, 1, True),
        (256, 391, True),
        (256, 4096, True),
        (64, 144, False),
        (128, 100, False),
        (96, 160, False),
        (33, 7, False),
        (4096, 7, False),
    ],
)
def test_a_launch_that_looks_swapped(blocks, threads, is_odd):
    launch = {"kernel": "k", "line": 3, "grid": [blocks, 1, 1], "block": [threads, 1, 1], "given_stream": True}
    notes = launch_notes([launch])
    assert [note.kind for note in notes] == ["swapped_launch"] * is_odd
    assert all("are blocks and threads swapped?" in note.message for note in notes)
