"""Where a thread was that a program's end by time or Ctrl-C has met: in which loop, by the text, or in a line."""

from __future__ import annotations

import pytest

from grader.devices.emulator.reading import Reading
from grader.devices.emulator.timeouts import MANY_STEPS, never_ended

KERNEL = """__global__ void k(float* x, int n) {
    int i = threadIdx.x;
    for (int r = 0; r < n; ++r) {
        x[i] += r;
        for (int s = 0; s < 4; ++s)
            x[i] *= s;
    }
    x[i] = 0;
}
"""


@pytest.mark.parametrize(
    ("line", "steps", "place"),
    [
        (8, 12, "was in line 8, with"),
        (4, 12, "was in the loop in lines 3 to 7, with"),
        (8, MANY_STEPS, "was in the loop in lines 2 to 8, with"),  # what so many steps tell
    ],
)
def test_a_thread_is_in_a_loop_where_there_is_one(line, steps, place):
    fact = {
        "text": "stopped",
        "line": line,
        "loop": [2, 8],
        "steps": steps,
        "threads": 1,
        "blocks": 3,
        "blocks_done": 1,
    }
    said = never_ended({**fact, "reading": Reading(KERNEL)}, "thread (0, 0, 0)")
    assert place in said and ("does this loop end?" in said) == (steps >= MANY_STEPS)
