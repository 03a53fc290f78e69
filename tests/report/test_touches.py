"""Who touches what, drawn from recordings that are made by hand here."""

from __future__ import annotations

from grader.course.call import Call
from grader.course.lesson import Case, Task
from grader.devices.emulator.recording import Array, Recording, Step
from grader.report.touches import touches


def nothing(*_: object) -> dict:
    return {}


VECTOR = Task(
    "void f(const float* x, float* z, int n, cudaStream_t stream)", {"x": "n", "z": "n"}, [], nothing, nothing
)
MATRIX = Task(
    "void f(const float* x, float* z, int rows, int cols, cudaStream_t stream)",
    {"x": "rows", "z": "rows, cols"},
    [],
    nothing,
    nothing,
)
TILE = Array("tile", "shared", 256, 0)


def step(kind: str, array: str | Array, elements: dict[int, int], *, block: int = 0, bytes: int = 4) -> Step:
    """`elements` are the lanes', by lane."""
    where = Array(array, "global", 40, 0) if isinstance(array, str) else array
    return Step(0, 1, kind, tuple(elements), where, bytes, tuple(4 * each for each in elements.values()), block)


def drawn(task: Task, steps: list[Step], *, grid=(1, 1, 1), threads=(8, 1, 1), cut=False, **sizes: int) -> list[str]:
    recording = Recording("k", "", grid, threads, None, "", tuple(steps), cut)
    lines = [line.plain for line in touches(recording, Call(task, Case(**sizes)))]
    assert all(len(line) <= 80 for line in lines), lines
    return lines


def same(count: int) -> dict[int, int]:
    return {lane: lane for lane in range(count)}


def test_what_lies_outside_is_marked_behind_the_end():
    steps = [
        step("bad load", "x", {6: 6}),
        step("bad load", "x", {7: 7}),
        step("load", "x", same(6)),
        step("store", "z", same(6)),
    ]
    assert drawn(VECTOR, steps, n=6) == [
        "Who touches what: n=6, 1 block of 8 threads; a number is a thread",
        "  element        0   1   2   3   4   5   6   7",
        "  x read by      0   1   2   3   4   5  │6✗  7✗",
        "  z written by   0   1   2   3   4   5  │",
        "  ✗ outside: x has 6 elements, x[6] is not one of them",
    ]


def test_what_no_thread_touches_and_threads_that_touch_nothing():
    steps = [step("load", "x", {0: 0, 1: 1}), step("store", "z", {0: 0, 1: 0})]
    assert drawn(VECTOR, steps, n=3) == [
        "Who touches what: n=3, 1 block of 8 threads; a number is a thread",
        "  element        0    1    2",
        "  x read by      0    1    –",
        "  z written by   0-1  –    –",
        "  threads 2-7 touch nothing",
    ]
    assert drawn(VECTOR, [], n=1, threads=(1, 1, 1))[-1] == "  thread 0 touches nothing"


def test_blocks_are_named_and_many_threads_are_counted():
    steps = [
        step("load", "x", {0: 0, 1: 0, 3: 0}),
        step("load", "x", same(2), block=1),
        step("store", "z", same(4)),
        step("store", "z", same(4), block=1),
    ]
    lines = drawn(VECTOR, steps, grid=(2, 1, 1), threads=(4, 1, 1), n=4)
    assert lines[0].endswith("2 blocks of 4 threads; 1:3 is block 1, thread 3")
    assert lines[2].split()[3:] == ["x4", "1:1", "–", "–"]
    assert lines[3].split()[3:] == ["0-1:0", "0-1:1", "0-1:2", "0-1:3"]


def test_a_matrix_has_rows_and_threads_two_numbers():
    lanes = {thread: thread for thread in range(6)}
    steps = [step("load", "x", {lane: lane // 3 for lane in range(6)}), step("store", "z", lanes)]
    assert drawn(MATRIX, steps, threads=(3, 2, 1), rows=2, cols=3) == [
        "Who touches what: rows=2 cols=3, 1 block of 3 x 2 threads; 3,1: x is 3, y is 1",
        "  element     0      1",
        "  x read by   0-2,0  0-2,1",
        "  z written by  col 0  col 1  col 2",
        "    row 0       0,0    1,0    2,0",
        "    row 1       0,1    1,1    2,1",
    ]


def test_shared_memory_shows_what_is_used_of_it_and_wide_loads_their_elements():
    wide = {0: 0, 1: 4}
    steps = [
        step("load", "x", wide, bytes=16),
        step("store", TILE, {0: 1, 1: 2}),
        step("load", TILE, {0: 0, 1: 1}),
        step("store", "z", wide, bytes=16),
    ]
    lines = drawn(VECTOR, steps, threads=(2, 1, 1), n=8)
    assert [line.split()[3:] for line in lines if " tile " in line] == [["–", "0", "1"], ["0", "1", "–"]]
    assert lines[2].split()[3:] == list("00001111")


def test_a_wild_recording_stays_small():
    steps = [step("bad store", "x", {0: 3}), step("store", "z", {lane: 9 * lane for lane in range(8)})]
    steps += [step("bad load", "x", {1: -1}), step("bad load", "x", {2: 5000})]
    lines = drawn(VECTOR, steps, n=100, cut=True)
    assert len(lines) <= 9 and lines[-1] == "  this is the beginning: there was more than can be drawn"
    assert "x[-1] is not one of them" in "\n".join(lines)
    refused = drawn(VECTOR, [step("bad store", "x", {0: 3})], n=8)
    assert "  ✗ refused: x[3]" in refused and "  x written by   –   –   –   0✗  –   –   –   –" in refused
