"""The bug hunt without its grades: what is handed out, which line and which repair is right, and what is remembered."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from grader.course import hunt
from grader.course.catalog import Entry, UsageError, entries
from grader.course.handout import SLOW, Handout, changes, kind_of, kinds
from grader.course.hunt import Handed, Hunt
from grader.course.inline import inlined
from grader.course.mistake import COMMENT

ROOT = Path(__file__).parents[2]
MISTAKES = [(entry, mistake) for entry in entries(ROOT) for mistake in entry.mistakes]
BASES = {1: "kernels/01_add/1_plain.cu", 2: "kernels/01_add/2_fast.cu"}
KERNEL = """\
// Rung 1 of 2: plain.

constexpr int kBlock = 256;

__global__ void add(float* z, int n) {
    int i = blockIdx.x * kBlock + threadIdx.x;  // of all blocks
    if (i < n) {
        z[i] = 1;
    }
    __syncthreads();
}
"""
HUNKS = {
    "counts_from_one": (
        1,
        "wrong_result",
        "@@ -6,1 +6,2 @@\n-{2}\n+    // wrong\n+    int i = threadIdx.x + 1;  // bad\n",
    ),
    "no_guard": (1, "out_of_bounds", '@@ -7,1 +7,1 @@\n-    if (i < n) {{\n+    if ("//"[0]) {{ /* no guard */\n'),
    "no_barrier": (2, "race", "@@ -10,1 +10,1 @@\n-    __syncthreads();\n+    // __syncthreads() is missing\n"),
    "one_block": (2, "passed, 1 star", "@@ -3,1 +3,1 @@\n-constexpr int kBlock = 256;\n+constexpr int kBlock = 1;\n"),
}


@pytest.fixture
def entry(tmp_path: Path) -> Entry:
    """A course with one lesson of four mistakes, two in each of its rungs."""
    made = Entry(tmp_path, "01_add")
    for base in BASES.values():
        (tmp_path / base).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / base).write_text(KERNEL)
    (made.folder / "mistakes").mkdir(parents=True)
    for name, (rung, expect, hunk) in HUNKS.items():
        files = f"--- {BASES[rung]}\n+++ {BASES[rung]}\n"
        text = f"// It is {name}.\n// Expect: {expect}\n{files}{hunk.format(0, 1, KERNEL.splitlines()[5])}"
        (made.folder / "mistakes" / f"{name}.diff").write_text(text)
    return made


def handout(entry: Entry, name: str) -> Handout:
    return Handout.of(entry, next(mistake for mistake in entry.mistakes if mistake.name == name))


def right_lines(made: Handout, mine: str = "") -> list[int]:
    text = mine or made.text
    return [line for line in range(1, len(text.splitlines()) + 1) if made.is_at(line, text)]


# ---- the mistakes of the course ----


def test_every_mistake_is_handed_out_with_nothing_that_gives_it_away():
    for entry, mistake in MISTAKES:
        made = Handout.of(entry, mistake)
        head, body = made.text.splitlines()[:3], made.text.splitlines()[3:]
        assert f"`ladder hunt {entry.number:02d}`" in head[0] and kind_of(mistake) in head[2] and not body[0], mistake
        assert not re.search(rf"\b{mistake.name}\b", "\n".join(body)), mistake
        said = [
            {found[0] for found in COMMENT.finditer(text) if not found[1]} for text in (made.text, made.mended or "")
        ]
        assert said[0] <= said[1] or made.mended is None, mistake


@pytest.mark.slow
def test_a_rungs_own_lines_are_a_repair_and_other_rungs_are_a_rewrite():
    for entry, mistake in MISTAKES:
        made = Handout.of(entry, mistake)
        if made.mended is None:
            assert mistake.base is None and made.most_changes is None and kind_of(mistake) == SLOW, mistake
            continue
        most = made.most_changes
        assert 0 < changes(made.text, inlined(mistake.base)) < most, mistake
        near = [rung for rung in entry.rungs if rung != mistake.base and changes(made.text, inlined(rung)) <= most]
        assert not near or kind_of(mistake) == SLOW, (mistake, near)


def test_every_mistake_can_be_named_and_not_by_any_line():
    for entry, mistake in MISTAKES:
        made = Handout.of(entry, mistake)
        code = len([line for line in made.text.splitlines()[3:] if line])
        assert made.places and min(made.places) > 3, mistake
        assert len(made.places) < code or made.mended is None, mistake


# ---- one mistake ----


def test_comments_of_changed_lines_go_and_others_stay(entry):
    body = handout(entry, "counts_from_one").text.splitlines()[3:]
    assert "    int i = threadIdx.x + 1;" in body and not any("wrong" in line for line in body)
    body = handout(entry, "no_guard").text.splitlines()[3:]
    assert '    if ("//"[0]) {' in body and "    int i = blockIdx.x * kBlock + threadIdx.x;  // of all blocks" in body
    assert kinds(entry) == ["out_of_bounds", "race", "slow", "wrong_result"]


def test_the_changed_line_is_right_and_those_next_to_it(entry):
    assert right_lines(handout(entry, "counts_from_one")) == [7, 8, 9]


def test_what_is_missing_is_between_two_lines(entry):
    made = handout(entry, "no_barrier")
    lines = made.text.splitlines()
    assert [lines[line - 1] for line in right_lines(made)] == ["    }", "}"]


def test_a_line_is_counted_in_the_file_as_it_is_now(entry):
    made = handout(entry, "counts_from_one")
    mine = made.text.replace("__global__", "// look\n// here\n\n__global__")
    assert right_lines(made, mine) == [10, 11, 12]
    replaced = made.text.replace("    int i = threadIdx.x + 1;", "    int i = 7;\n    i += 2;")
    assert set(right_lines(made, replaced)) >= {8, 9}
    assert not made.is_at(99, made.text)


def test_layout_and_comments_are_no_changes(entry):
    made = handout(entry, "counts_from_one")
    mine = (
        made.text.replace("    ", "\t")
        .replace("{\n", "{  // why?\n\n")
        .replace("z[i] = 1;", "z[i]=1; /* one\nand more */")
    )
    assert changes(made.text, mine) == 0
    assert changes(made.text, made.text.replace("z[i] = 1;", "z[i] = 2;")) == 2


# ---- what is handed out, and remembered ----


def all_handed_out(entry: Entry) -> list[str]:
    names = []
    while True:
        with hunt.changing(entry.root) as state:
            found = state.hand_out(entry)
            if found is None:
                return names
            found[1].open = False
            names.append(found[0].mistake.name)


def test_each_mistake_comes_once_lower_rungs_first_and_in_an_order_of_the_learners_own(entry):
    orders = set()
    for seed in range(8):
        with hunt.changing(entry.root) as state:
            state.seed, state.handed = seed, {}
        names = all_handed_out(entry)
        assert {*names[:2]} == {"counts_from_one", "no_guard"} and {*names[2:]} == {"no_barrier", "one_block"}
        orders.add(tuple(names))
    assert len(orders) > 1


def test_what_is_written_gives_nothing_away_and_overwrites_nothing(entry):
    file = hunt.file_of(entry, 2)
    file.parent.mkdir(parents=True)
    file.write_text("mine")
    all_handed_out(entry)
    assert file.read_text() == "mine"
    assert sorted(each.name for each in file.parent.iterdir()) == [f"01_{number}.cu" for number in range(1, 6)]
    remembered = (entry.root / "work" / "hunt.json").read_text()
    assert not any(name in remembered for name in HUNKS) and len(json.loads(remembered)["mistakes"]) == 4


def test_what_is_in_hand_stays_until_the_course_changes_it(entry):
    with hunt.changing(entry.root) as state:
        made, handed = state.hand_out(entry)
        handed.wrong = 2
    again = hunt.load(entry.root).open(entry)
    assert again == (made, handed)
    base = made.mistake.base
    base.write_text(KERNEL.replace("z[i] = 1;", "z[i] = 3;"))
    with hunt.changing(entry.root) as state:
        assert state.open(entry) is None
        for _ in range(2):  # it comes again, beside the other one of its rung
            state.hand_out(entry)[1].open = False
        assert sorted(one.wrong for one in state.handed.values()) == [0, 2]
        assert sorted(one.number for one in state.handed.values()) == [2, 3]


def test_a_lesson_keeps_its_points_under_another_number(entry):
    state = Hunt(entry.root, 7)
    state.handed[state.key(entry, entry.mistakes[0])] = Handed(1, "", points=2, open=False)
    moved = Entry(entry.root, "03_add")
    entry.folder.rename(moved.folder)
    score = state.score(moved)
    assert (score.points, score.most, score.done, score.mistakes) == (2, 8, 1, 4)
    assert state.score(Entry(entry.root, "04_other")) is None


def test_the_hunt_goes_on_where_it_was_and_then_with_the_next_lesson():
    lessons = entries(ROOT)
    state = Hunt(ROOT, 7)
    assert state.goes_on(lessons) == lessons[0]
    for mistake in lessons[4].mistakes:
        assert state.goes_on(lessons) in (lessons[0], lessons[4])
        state.handed[state.key(lessons[4], mistake)] = Handed(1, "", open=False)
    assert state.goes_on(lessons) == lessons[5]
    for entry in [*lessons[5:], *lessons[:4]]:
        for mistake in entry.mistakes:
            state.handed[state.key(entry, mistake)] = Handed(1, "", open=False)
    assert state.goes_on(lessons) is None


DAMAGED = [
    "",
    "{",
    "[]",
    '{"schema": 2, "seed": 1, "mistakes": {}}',
    '{"schema": 1, "seed": "1", "mistakes": {}}',
    '{"schema": 1, "seed": 1, "mistakes": {"a": {"number": 1}}}',
    '{"schema": 1, "seed": 1, "mistakes": {"a": {"number": 1, "digest": "", "points": 1000}}}',
    '{"schema": 1, "seed": 1, "mistakes": {"a": {"number": "1", "digest": ""}}}',
    '{"schema": 1, "seed": 1, "mistakes": {"a": {"number": 1, "digest": "", "open": 1}}}',
    "[" * 100_000,
    "\udcff",
]


def test_a_damaged_file_is_set_aside(entry):
    file = entry.root / "work" / "hunt.json"
    file.parent.mkdir()
    for number, text in enumerate(DAMAGED, start=1):
        file.write_text(text, errors="surrogateescape")
        state = hunt.load(entry.root)
        assert "was damaged: it is now hunt.json.damaged" in state.message and not state.handed
        assert not file.exists() and len([*file.parent.glob("hunt.json.damaged*")]) == number
    assert hunt.load(entry.root).message == ""


def test_what_cannot_be_read_or_written_is_said_in_a_sentence(entry):
    file = entry.root / "work" / "hunt.json"
    file.mkdir(parents=True)
    with pytest.raises(UsageError, match=r"hunt\.json cannot be read"):
        hunt.load(entry.root)
    file.rmdir()
    (entry.root / "work" / "hunt").write_text("a file")
    with pytest.raises(UsageError, match=r"nothing can be handed out to .*hunt"), hunt.changing(entry.root) as state:
        state.hand_out(entry)
    assert not file.exists()
