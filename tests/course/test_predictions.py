"""The questions of a lesson: what is read, what is refused, and how they are scored."""

import pytest

from grader.course import predictions, progress
from grader.course.catalog import Entry, UsageError

GOOD = """
[1]
ask = "How many?"
choices = ["none", "one"]
right = "b"
why = "One is there."

[2]
ask = "How fast?"
choices = ["slow", "fast", "as before"]
right = "c"
why = "Nothing has changed."
"""


@pytest.fixture
def lesson(tmp_path, monkeypatch):
    """lesson(text) is a lesson that asks this."""
    monkeypatch.setenv("LADDER_COURSE", str(tmp_path))
    folder = tmp_path / "lessons" / "07_sum"
    folder.mkdir(parents=True)
    (folder / "lesson.py").touch()

    def write(text: str) -> Entry:
        (folder / "predictions.toml").write_text(text)
        return Entry(tmp_path, "07_sum")

    return write


def test_questions_are_read_in_their_order(lesson):
    entry = lesson(GOOD)
    first, second = predictions.of(entry)
    assert (first.label, first.number, first.right) == ("07.1", "1", "b")
    assert second.choices == {"a": "slow", "b": "fast", "c": "as before"}
    assert predictions.find("07.2") == (entry, second) and predictions.find("sum.2")[1] == second
    assert [*predictions.faults(entry)] == []


def test_only_right_first_answers_score(lesson, tmp_path):
    entry = lesson(GOOD)
    assert predictions.score(entry, progress.load(tmp_path)) == (0, 0, 2)
    progress.predict(tmp_path, entry.name, "1", "a")
    progress.predict(tmp_path, entry.name, "1", "b")
    assert predictions.score(entry, progress.predict(tmp_path, entry.name, "2", "c")) == (1, 2, 2)


@pytest.mark.parametrize(
    ("label", "said"),
    [
        ("07.3", "lesson 07_sum has no question `07.3`: it asks 07.1 to 07.2"),
        ("07", "`07` is no question: type the lesson and its number"),
        (7.1, "`7.1` is no question"),
        ("99.1", "there is no lesson `99`"),
    ],
)
def test_a_question_that_is_not_there_is_one_sentence(lesson, label, said):
    lesson(GOOD)
    with pytest.raises(UsageError, match=said):
        predictions.find(label)


def test_a_lesson_may_ask_nothing(tmp_path, lesson):
    lesson(GOOD).folder.joinpath("predictions.toml").unlink()
    with pytest.raises(UsageError, match="it asks none"):
        predictions.find("07.1")
    assert predictions.of(Entry(tmp_path, "07_sum")) == []


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("[2]", "[3]", r"the questions are called [1], [2], ... in this order, not 1, 3"),
        ('right = "c"', 'right = "d"', "[2]: right is one of a, b, c, not `d`"),
        ('"fast"', '"slow"', "[2]: choices are two to 6 different texts"),
        ('["none", "one"]', '["none"]', "[1]: choices are two to 6 different texts"),
        ('why = "One is there."', 'why = " "', "[1]: ask, right and why are texts"),
        ('why = "One is there."', "", "[1] has ask, choices, right, why, and nothing else"),
        ("ask = ", "question = ", "[1] has ask, choices, right, why, and nothing else"),
        ("[1]", "[1", "lessons/07_sum/predictions.toml cannot be read: "),
    ],
)
def test_what_is_wrong_with_a_file_is_said(lesson, old, new, said):
    found = [*predictions.faults(lesson(GOOD.replace(old, new, 1)))]
    assert len(found) == 1 and said in found[0] and found[0].startswith("lessons/07_sum/predictions.toml")


def test_a_broken_file_asks_nothing(lesson):
    with pytest.raises(UsageError, match="right is one of"):
        predictions.of(lesson(GOOD.replace('right = "c"', 'right = "C"')))
