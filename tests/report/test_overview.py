from pathlib import Path

from grades import PASSED, UNGRADED, WRONG, as_graded
from rich.console import Console

from grader.course.catalog import Entry, entries
from grader.course.progress import LessonProgress, Progress
from grader.judge.again import Again
from grader.report.overview import Row, progress_bar, show_course, show_table


def printed(show, *arguments) -> list[str]:
    console = Console(width=80, highlight=False)
    with console.capture() as capture:
        show(console, *arguments)
    return capture.get().splitlines()


def row(name, **extra):
    state = {"title": "Title", "stars": 0, "started": False, "passed": False, **extra}
    return Row(Entry(Path("."), name), **state)


def test_one_line_for_each_grade():
    head, *lines = printed(show_table, [as_graded(PASSED), as_graded(WRONG), UNGRADED])
    assert "verdict" in head and "hand-in" not in head and "not graded" in lines[2]
    assert ["✓" in lines[0], "passed" in lines[0], "★★☆" in lines[0]] == [True] * 3
    assert "wrong result" in lines[1] and "✗" in lines[1]
    assert "rung" in head and "1/3" in lines[0] and "/" not in lines[1]


def test_hand_ins_have_a_column_of_their_own():
    stands, falls = as_graded(PASSED, again=Again()), as_graded(PASSED, again=Again(("stars",)))
    head, *lines = printed(show_table, [stands, falls, as_graded(PASSED)])
    assert "hand-in" in head and "✓" in lines[0] and "✗ " in lines[1]
    assert ["stands" in lines[0], "does not stand" in lines[1], "stand" in lines[2]] == [True, True, False]


def test_the_progress_bar_fills_with_the_lessons_that_are_passed(tmp_path):
    done = Progress({"01_a": LessonProgress(2, "2025-01-31"), "02_b": LessonProgress(3, "2025-01-31")})
    done.lessons["00.2_zip"] = LessonProgress(1, "2025-01-31")
    for name in ("01_a", "02_b", "03_c", "04_d", "00_first"):
        (tmp_path / "lessons" / name / "starters").mkdir(parents=True)
        (tmp_path / "lessons" / name / "lesson.py").touch()
    for name in ("01_map", "02_zip"):
        (tmp_path / "lessons" / "00_first" / "starters" / f"{name}.cu").touch()
    first, lesson, *_ = entries(tmp_path)
    words = " 2 of 4 lessons · 5 of 12 stars"
    assert progress_bar(lesson, done, len(words) + 8).plain == "━━━━────" + words
    assert progress_bar(lesson, done, 10).plain == words
    assert progress_bar(first.puzzles[0], done, 23).plain == "━━━━──── 1 of 2 puzzles"


def test_puzzles_are_counted_and_have_no_stars():
    begun = row("00_first_steps", started=True, puzzles=(3, 16))
    *_, line, _, said = printed(show_course, [begun])
    assert "3 of 16 puzzles" in line and "☆" not in line and said == "Next: `ladder watch 00`"
    right = row("00_first_steps", started=True, passed=True, puzzles=(16, 16))
    assert printed(show_course, [right])[-1] == "All lessons are passed."


def test_the_course_says_what_is_next():
    passed = row("01_vector_add", stars=3, passed=True, started=True)
    assert printed(show_course, [passed, row("02_polar")])[-1] == "Next: `ladder start 02`"
    assert printed(show_course, [passed, row("02_polar", started=True)])[-1] == "Next: `ladder watch 02`"
    assert printed(show_course, [passed])[-1] == "All lessons are passed."
    assert "▮" not in printed(show_course, [row("02_polar", ladders=((0, 4),), passed=True)])[1]


def test_the_course_draws_the_rungs_of_each_task():
    some = row("03_coalescing", stars=1, passed=True, ladders=((1, 4), (0, 4)))
    begun = row("04_tiled_matmul", started=True, ladders=((2, 6),))
    lines = printed(show_course, [some, begun, row("05_atomics", started=True, ladders=((0, 3),))])
    assert lines[1].endswith("★☆☆ ▮▯▯▯ ▯▯▯▯") and lines[2].endswith("  ▮▮▯▯▯▯       ")
    assert lines[3].rstrip().endswith("started")


def test_who_has_passed_all_can_earn_more_stars():
    better = row("01_vector_add", stars=1, passed=True)
    assert "more stars" in printed(show_course, [better])[-1]


def test_predictions_are_shown_where_some_were_made():
    lines = printed(show_course, [row("01_a", predicted=(2, 3, 5)), row("02_b", predicted=(0, 0, 4))])
    assert "predictions 2 of 3" in lines[1] and "predictions" not in lines[2]
