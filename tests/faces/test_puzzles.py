"""The way of a newcomer through the puzzles: start, check, hint, solution, and what they type wrong."""

from __future__ import annotations

import json

import pytest

from grader.course import catalog, progress
from grader.course.catalog import UsageError
from grader.faces import puzzles
from grader.faces.watch_run import Run
from grader.report.terminal import console_in_memory, printed

PICTURE = """\
Who touches what: n=6, 1 block of 8 threads; a number is a thread
  element        0   1   2   3   4   5   6   7
  x read by      0   1   2   3   4   5  │6✗  7✗
  z written by   0   1   2   3   4   5  │
  ✗ outside: x has 6 elements, x[6] is not one of them
"""


@pytest.fixture
def entry(course):
    return catalog.find("00", course)


@pytest.fixture
def begun(entry, ladder):
    """The lesson after `ladder start 00`."""
    assert ladder("start", "00")[0] == 0
    return entry


def solve(puzzle) -> None:
    puzzle.work_file.write_text(puzzle.reference.read_text())


def test_the_course_begins_with_them(ladder, entry):
    assert ladder()[1].rstrip().endswith("Next: `ladder start 00`")
    code, said, _ = ladder("start", "00")
    assert code == 0 and "work/00_first_steps/ holds 16 puzzles, which are yours now" in said
    assert "Next: edit work/00_first_steps/01_map.cu, then type `ladder check 00`" in said
    assert len(list((entry.root / "work" / entry.name).glob("*.cu"))) == 16
    assert "0 of 16 puzzles" in ladder()[1]


def test_starting_again_keeps_what_is_there(ladder, begun):
    first, second = begun.puzzles[:2]
    first.work_file.write_text("mine")
    assert "is already there and stays" in ladder("start", "00.2")[1]
    second.work_file.unlink()
    assert "Those that were there stay as they are." in ladder("start", "00")[1]
    assert first.work_file.read_text() == "mine" and second.work_file.exists()


def test_from_the_first_puzzle_to_the_next(ladder, graded_lessons, begun):
    """Nothing begun: the first is graded. One right, one begun: both are, and the one that is wrong is told of."""
    first, _, third, *_ = begun.puzzles
    code, said, _ = ladder("check", "00")
    assert code == 1 and "✗ 00.1_map: output not written" in said and "threads 0-7 touch nothing" in said
    assert "☆" not in said and "stuck? \n`ladder hint 00.1`" in said

    solve(first)
    code, said, _ = ladder("check", "00")
    assert code == 0 and "✓ 1 of 16 are right: map" in said and "☆" not in said
    assert "  z written by   0  1  2  3  4  5  6  7" in said
    assert "Next: edit work/00_first_steps/02_zip.cu, then type `ladder check 00`" in said
    assert "1 of 16 puzzles" in ladder()[1] and "`ladder watch 00`" in ladder()[1]

    third.work_file.write_text(third.starter.read_text() + "\n")
    code, said, _ = ladder("check", "00")
    assert code == 1 and "✓ 1 of 16 are right: map" in said and PICTURE in said
    code, said, _ = ladder("check", "00", "--json")
    assert code == 1 and [each["lesson"] for each in json.loads(said)["grades"]] == ["00.1_map", "00.3_guard"]


@pytest.mark.parametrize(
    "how",
    [
        ("00.3",),
        ("00", "--task", "guard"),
        ("00", "work/00_first_steps/03_guard.cu"),
        ("work/00_first_steps/03_guard.cu",),
    ],
    ids=" ".join,
)
def test_one_of_them(ladder, graded_lessons, begun, how):
    code, said, _ = ladder("check", *how, "--seed", "7")
    assert code == 1 and "✗ 00.3_guard: out of bounds  work/00_first_steps/03_guard.cu" in said and PICTURE in said
    assert "Next: change the file and type `ladder check 00.3`" in said


def test_all_the_rest_of_the_commands(ladder, graded_lessons, begun):
    first, second, *_ = begun.puzzles
    assert "Hint 1 of 2 for map" in ladder("hint", "00")[1] and "Hint 1 of 2 for zip" in ladder("hint", "00.2")[1]
    code, _, said = ladder("solution", "00")
    assert code == 2 and "lesson 00.1_map is not passed yet: try `ladder hint 00.1`" in said
    assert "add_pairs" in ladder("solution", "00.2", "--reveal")[1]
    progress.record(begun.root, first.name, 1, passed=True)
    assert "times_ten" in ladder("solution", "00.1")[1] and "for zip" in ladder("hint", "00")[1]
    assert "zip_x_twice" in ladder("mistake", "00")[1] and "guard" not in ladder("mistake", "00.2")[1]
    second.work_file.write_text("mine")
    assert "work/00_first_steps/02_zip.cu is the starter again" in ladder("reset", "00", "--yes")[1]
    assert second.work_file.with_name("02_zip.backup-1.cu").read_text() == "mine"


def test_a_lesson_is_no_puzzle(ladder, course):
    assert puzzles.start(catalog.find("01", course)) is False
    assert ladder("start", "01")[1].startswith("work/01_vector_add.cu is yours now.")


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["check", "00"], "there is no file work/00_first_steps/01_map.cu: type `ladder start 00`"),
        (["check", "00.2"], "there is no file work/00_first_steps/02_zip.cu: type `ladder start 00`"),
        (["check", "00.17"], "there is no puzzle `00.17`: type 00.1 to 00.16, or 00 for the next one"),
        (["hint", "00.nothing"], "there is no puzzle `00.nothing`"),
        (["check", "01.3"], "there is no lesson `01.3`"),
        (["check", "00", "mine.cu"], "say which puzzle mine.cu is for: type `ladder check 00.1 mine.cu`"),
        (["check", "00", "--task", "mine"], "lesson 00_first_steps has no task `mine`: type --task map, or another"),
        (["check", "mine.cu"], "say for which lesson mine.cu is meant"),
        (["bench", "00"], "lesson 00_first_steps times nothing"),
        (["check", "--all"], "holds no kernel of any lesson: name your files 01_vector_add.cu or 02_"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_is_typed_wrong(ladder, course, monkeypatch, typed, said):
    monkeypatch.setattr("grader.faces.bench._card", lambda: None)
    (course / "work").mkdir()
    code, _, told = ladder(*typed)
    assert code == 2 and said in told


def test_all_kernels_of_a_folder_are_without_untouched_puzzles(ladder, graded_lessons, begun):
    solve(begun.puzzles[0])
    code, said, _ = ladder("check", "--all")
    assert code == 0 and "00.1_map" in said and "00.2_zip" not in said


def test_a_kernel_that_prints_is_told_so(begun):
    puzzle = begun.puzzles[12]
    assert puzzle.slug == "print" and puzzle.lesson.title == "print: ask a thread what it sees"
    assert puzzles.to_grade(begun) == begun.puzzles[:1]
    solve(puzzle)
    assert puzzles.to_grade(begun) == [puzzle]


def test_when_all_are_right_the_lesson_says_where_to_go(begun):
    for puzzle in begun.puzzles:
        progress.record(begun.root, puzzle.name, 1, passed=True)
    assert puzzles.words_for_next(begun).startswith("`ladder start 01`")
    assert puzzles.one(begun) == begun.puzzles[-1] and puzzles.next_to_do(begun) is None
    with pytest.raises(UsageError, match="say which puzzle"):
        puzzles.one(begun, begun.root / "kernel.cu")


def test_a_puzzle_that_is_renumbered_stays_right(course):
    progress.record(course, "00.5_guard", 1, passed=True)
    assert progress.load(course).passed("00.3_guard")


def test_the_hunt_is_one_for_all_puzzles(ladder, graded_lessons, course):
    said = ladder("hunt", "00.3")[1]
    assert "work/hunt/00_1.cu" in said and "`ladder check 00 work/hunt/00_1.cu --task map`" in said
    code, said, _ = ladder("check", "00", "work/hunt/00_1.cu", "--task", "map")
    assert code == 1 and "✗ 00.1_map: " in said and "Who touches what: n=8" in said
    hunted = course / "work" / "hunt" / "00_1.cu"
    hunted.write_text(catalog.find("00.1").reference.read_text())
    assert "✓ mended, 2 points" in ladder("hunt", "00")[1]
    assert not progress.load(course).passed("00.1_map")


def test_watching_one_draws_it_too_and_goes_on_in_their_order(begun):
    third = begun.puzzles[2]
    run = Run(third, "emulator", lambda: None)
    run.run()
    console = console_in_memory(80, color_system=None)
    run.show(console)
    assert "✗ 00.3_guard: out of bounds" in printed(console) and PICTURE in printed(console)
    done = progress.Progress()
    assert progress.to_do(catalog.exercises(begun.root), done, begun.puzzles[8]).name == "00.10_dot"
    assert progress.to_do(catalog.exercises(begun.root), done, begun.puzzles[15]).name == "01_vector_add"


def test_a_notebook_draws_it_too(course):
    from grader.faces.notebook import grade

    result = grade("00.3", "starter")
    assert result.status == "out_of_bounds" and PICTURE in repr(result)
