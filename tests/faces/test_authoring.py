"""A new lesson's skeleton keeps the promises of a lesson, and each rule notices when its promise is broken."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from grader.course.catalog import Entry, UsageError, find, rung_name
from grader.course.mistake import expectation, meant_for
from grader.faces import authoring, drafts
from grader.faces.cli import run
from grader.judge.ladder import position
from grader.judge.targets import judge_goals
from grader.judge.verdict import TaskGrade

ROOT = Path(__file__).parents[2]


@pytest.fixture
def entry(tmp_path: Path) -> Entry:
    """The skeleton as the only lesson of a course."""
    (tmp_path / "lessons").mkdir()
    drafts.new_lesson(tmp_path, "prefix_sum")
    return find("prefix_sum", tmp_path)


def said(entry: Entry, rule: authoring.Rule) -> str:
    return "\n".join(authoring.problems(entry, (rule,)))


# ---- the skeleton ----


def test_the_skeleton_has_every_part_of_a_lesson(entry: Entry):
    assert entry.name == "01_prefix_sum"
    assert list(authoring.problems(entry, authoring.FORM)) == []
    assert [rung.name for rung in entry.rungs] == ["1_one_element.cu", "2_four_elements.cu"]
    assert "$" not in "".join(file.read_text() for file in entry.root.rglob("*.cu"))


def test_the_skeleton_is_a_lesson_that_grades(entry: Entry):
    assert list(authoring.problems(entry, authoring.GRADED)) == []


def test_the_next_lesson_has_the_next_number(entry: Entry):
    drafts.new_lesson(entry.root, "scan")
    drafts.new_lesson(entry.root, "07_sort")
    assert [find(name, entry.root).name for name in ("scan", "sort")] == ["02_scan", "07_sort"]


@pytest.mark.parametrize(
    ("name", "says"), [("Prefix-Sum", "small letters"), ("prefix_sum", "there already"), ("01_other", "there already")]
)
def test_a_name_that_will_not_do(entry: Entry, name: str, says: str):
    before = sorted(entry.root.rglob("*"))
    with pytest.raises(UsageError, match=says):
        drafts.new_lesson(entry.root, name)
    assert sorted(entry.root.rglob("*")) == before


def test_a_place_that_cannot_be_written_to(tmp_path: Path):
    (tmp_path / "lessons").mkdir()
    (tmp_path / "kernels").write_text("no folder")
    with pytest.raises(UsageError, match=r"kernels/01_scan.* cannot be written \(Not a directory\)"):
        drafts.new_lesson(tmp_path, "scan")


# ---- the rules, each with its promise broken ----


def test_a_second_place_to_write(entry: Entry):
    entry.starter.write_text(2 * entry.starter.read_text())
    assert "starter.cu: one place to write" in said(entry, authoring.one_place_to_write)


def test_a_rung_without_hints(entry: Entry):
    hints = entry.folder / "hints.md"
    hints.write_text(hints.read_text().replace("### four_elements", "### five_elements"))
    said_of = said(entry, authoring.hints_for_every_rung)
    assert "no hints for rung four_elements of prefix_sum" in said_of


def test_hints_for_a_rung_that_is_not_there_and_too_many_for_one(entry: Entry):
    hints = entry.folder / "hints.md"
    hints.write_text(
        hints.read_text() + "\n#### Hint 2\n\na\n\n#### Hint 3\n\nb\n\n#### Hint 4\n\nc\n\n### more\n\nd\n"
    )
    said_of = said(entry, authoring.hints_for_every_rung)
    assert "four_elements of prefix_sum wants `#### Hint 1`, and no more than 3 hints" in said_of
    assert "prefix_sum has no rung `more`: its ladder has one_element, four_elements" in said_of


def test_no_hints_at_all(entry: Entry):
    (entry.folder / "hints.md").unlink()
    assert "no hints for prefix_sum" in said(entry, authoring.hints_for_every_rung)


def test_a_prototype_that_drifted(entry: Entry):
    entry.reference.write_text(entry.reference.read_text().replace("int n, cuda", "long n, cuda"))
    drifted = "kernels/01_prefix_sum/2_four_elements.cu, lessons/01_prefix_sum/mistakes/no_guard.cu: here should stand"
    assert drifted in said(entry, authoring.one_prototype)  # one sentence, though the mistake is made from the rung


def test_a_rung_that_was_not_renumbered(entry: Entry):
    shutil.copy(entry.reference, entry.reference.with_name("3_copy.cu"))
    assert "3_copy.cu: the first line should begin with `// Rung 3 of 3: `" in said(entry, authoring.rungs_are_numbered)
    assert "say what `3_copy.cu` does" in said(entry, authoring.readme_names_every_rung)


def test_rungs_that_leave_a_number_out(entry: Entry):
    entry.reference.rename(entry.reference.with_name("3_four_elements.cu"))
    assert "this is rung 2: call it 2_four_elements.cu" in said(entry, authoring.rungs_are_numbered)


def in_folders(entry: Entry) -> Path:
    """Moves the skeleton's ladder into a folder of its task, and returns what is now the reference."""
    own = entry.kernels / entry.lesson.tasks[0].name
    own.mkdir()
    for file in [*entry.rungs, entry.folder / "README.md", *(mistake.file for mistake in entry.mistakes)]:
        place = own / file.name if file.parent == entry.kernels else file
        text = file.read_text().replace(f"kernels/{entry.name}/", f"kernels/{entry.name}/{own.name}/")
        file.rename(place).write_text(text if place.suffix == ".cu" else text.replace("`1_", f"`{own.name}/1_"))
    readme = entry.folder / "README.md"
    readme.write_text(readme.read_text().replace("`2_", f"`{own.name}/2_"))
    whole = entry.kernels / "all.cu"
    whole.write_text(f'namespace top {{\n#include "{own.name}/2_four_elements.cu"\n}}\n')
    return whole


def test_a_ladder_in_a_folder_of_its_task(entry: Entry):
    whole = in_folders(entry)
    assert list(authoring.problems(entry, authoring.FORM)) == [] and entry.reference == whole
    assert {tuple(mistake.tasks or ()) for mistake in entry.mistakes if mistake.is_difference} == {("prefix_sum",)}
    assert list(authoring.problems(entry, (authoring.reference_earns_all_stars,))) == []
    whole.write_text(whole.read_text().replace("2_four_elements", "1_one_element"))
    asked = 'kernels/01_prefix_sum/all.cu: here should stand `#include "prefix_sum/2_four_elements.cu"`'
    assert asked in said(entry, authoring.reference_holds_the_top_rungs)
    whole.write_text('#include "gone.cu"\n')
    sentences = said(entry, authoring.reference_earns_all_stars)
    assert 'kernels/01_prefix_sum/all.cu: `#include "gone.cu"` names no file' in sentences and "\n" not in sentences
    whole.unlink()
    assert "write kernels/01_prefix_sum/all.cu" in said(entry, authoring.reference_holds_the_top_rungs)


def test_folders_that_do_not_fit_the_tasks(entry: Entry):
    in_folders(entry)
    (entry.kernels / "prefix_sum").rename(entry.kernels / "prefixsum")
    sentences = said(entry, authoring.ladders_and_files_agree)
    assert "kernels/01_prefix_sum/prefixsum/1_one_element.cu: lesson.py has no task `prefixsum`" in sentences
    (entry.kernels / "prefix_sum").mkdir()  # without a rung
    sentences = said(entry, authoring.ladders_and_files_agree)
    assert "has no kernel: write kernels/01_prefix_sum/prefix_sum/N_one_element.cu" in sentences


def with_lesson(entry: Entry, *changes: tuple[str, str]) -> Entry:
    """The lesson with these replacements in its lesson.py, read again."""
    file = entry.folder / "lesson.py"
    text = file.read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    file.write_text(text)
    return Entry(entry.root, entry.name)


def test_a_ladder_whose_rungs_have_no_kernel_or_another_order(entry: Entry):
    other = with_lesson(entry, ('"one_element"', '"none"'))
    said_of = said(other, authoring.ladders_and_files_agree)
    assert "lesson.py: rung none of prefix_sum has no kernel: write kernels/01_prefix_sum/N_none.cu" in said_of
    assert "1_one_element.cu: no ladder in lesson.py has a rung one_element" in said_of
    swapped = [("one_element", "first"), ("four_elements", "one_element"), ("first", "four_elements")]
    again = with_lesson(with_lesson(entry, ('"none"', '"one_element"')), *swapped)
    assert "stand in another order than their files" in said(again, authoring.ladders_and_files_agree)


@pytest.mark.slow
def test_a_goal_that_the_rung_below_meets_and_one_that_the_rung_misses(entry: Entry):
    loose = with_lesson(entry, ("at_least=12", "at_least=3"))
    (below,) = authoring.problems(loose, (authoring.rungs_are_reached,))
    assert "1_one_element.cu: rung 1 of prefix_sum, one_element, meets all goals of rung 2, four_elements, too" in below
    assert "sectors_per_load" in below
    strict = with_lesson(entry, ("at_least=3", "at_least=99"))
    (missed,) = authoring.problems(strict, (authoring.rungs_are_reached,))
    assert "2_four_elements.cu: rung 2 of prefix_sum, four_elements, misses rung 2, four_elements: sectors_" in missed
    assert ", >= 99 is asked" in missed


@pytest.mark.slow
def test_a_rung_that_only_a_gpu_can_tell_is_accepted_and_said(entry: Entry, capsys):
    counted = '                        Counted("sectors_per_load", at_least=12, why="and what the best do"),\n'
    timed = with_lesson(entry, (counted, ""), (', 3: "four_elements"', ""))
    assert run_course(timed, capsys) == (0, "rung 2 of prefix_sum, four_elements: told apart on a GPU only")


def test_a_goal_for_what_is_not_counted(entry: Entry):
    wrong = with_lesson(entry, ('Counted("sectors_per_load", at_least=12', 'Counted("sector_per_load", at_least=12'))
    said_of = said(wrong, authoring.goals_are_counted)
    assert "lesson.py: prefix_sum: no metric is called `sector_per_load`: perhaps `sectors_per_load`" in said_of


def run_course(entry: Entry, capsys) -> tuple[int, str]:
    """The exit code of `ladder check-course`, and the line that it says of rungs."""
    kept = authoring.check(entry, print)
    return int(not kept), next(line.strip() for line in capsys.readouterr().out.splitlines() if "  rung" in line)


def test_a_mistake_that_does_not_say_what_is_wrong(entry: Entry):
    file = entry.mistakes[0].file
    file.write_text(file.read_text().partition("\n")[2])
    assert "one sentence that says what is wrong" in said(entry, authoring.mistakes_say_what_they_are)


def test_a_mistake_without_its_status(entry: Entry):
    file = entry.mistakes[0].file
    file.write_text(file.read_text().replace("out_of_bounds", "no_such_status"))
    assert "the second line is `// Expect: `" in said(entry, authoring.mistakes_say_what_they_are)


def test_a_mistake_that_is_none(entry: Entry):
    entry.mistakes[0].whole.with_name("none.cu").write_text(
        "// Nothing.\n// Expect: race\n" + entry.reference.read_text()
    )
    right = entry.reference.read_text().partition("\n\n")[2].replace("rest < n && i < 4", "i < 4 && rest < n")
    copy = entry.root / "copy.cu"
    copy.write_text(f"// Right.\n// Expect: passed, {authoring.full_stars(entry)} stars\n\n{right}")
    drafts.new_mistake(entry, "right", copy)
    told = said(entry, authoring.mistakes_are_told)
    assert "says `race`" in told and "meets all targets that" in told and "meets, so it is no mistake" in told


def test_a_mistake_may_name_the_task_it_is_about():
    heads = {"race in scan": ("race", 0), "passed, 1 star in scan": ("passed", 1), "race": ("race", 0)}
    for expect, promised in heads.items():
        text = f"// Nothing.\n// Expect: {expect}\n"
        assert expectation(text) == promised
        assert meant_for(text) == (["scan"] if "in scan" in expect else None)


def test_a_rung_that_changes_names_the_mistakes_that_no_longer_fit(entry: Entry):
    entry.reference.write_text(entry.reference.read_text().replace("rest < n && i < 4", "i < 4 && rest < n"))
    says = "mistakes/no_guard.diff: hunk 1 does not fit kernels/01_prefix_sum/2_four_elements.cu: make it again with "
    assert says in said(entry, authoring.mistakes_fit_their_base)
    assert said(entry, authoring.mistakes_say_what_they_are) == said(entry, authoring.one_prototype) == ""


def test_a_mistake_that_is_there_twice(entry: Entry):
    entry.mistakes[0].whole.write_text(entry.mistakes[0].text())
    assert "no_guard is there twice: remove the .cu file or the .diff" in said(entry, authoring.mistakes_fit_their_base)


def test_a_mistake_is_kept_as_what_it_changes(entry: Entry, monkeypatch, capsys):
    monkeypatch.chdir(entry.root)
    kept = entry.mistakes[0]
    text, written = kept.text(), kept.file.read_text()
    Path("mine.cu").write_text(text)
    kept.file.unlink()
    assert run(["new-mistake", "01", "no_guard", "mine.cu"]) == 0
    assert "no_guard.diff\nNext: type `ladder check-course 01`" in capsys.readouterr().out
    assert kept.file.read_text() == written and entry.mistakes == [kept]


@pytest.mark.parametrize(
    ("name", "file", "says"),
    [
        ("No-Guard", "mine.cu", "cannot name a mistake"),
        ("no_guard", "nothing.cu", "there is no file nothing.cu"),
        ("no_guard", "lessons/01_prefix_sum/starter.cu", "is one of the lesson's own kernels"),
    ],
)
def test_what_is_no_new_mistake(entry: Entry, monkeypatch, capsys, name: str, file: str, says: str):
    monkeypatch.chdir(entry.root)
    Path("mine.cu").write_text(entry.mistakes[0].text())
    before = entry.mistakes[0].file.read_text()
    assert run(["new-mistake", "01", name, file]) == 2
    assert says in capsys.readouterr().err and entry.mistakes[0].file.read_text() == before


def test_a_starter_that_passes(entry: Entry):
    shutil.copy(entry.reference, entry.starter)
    assert "build and not pass" in said(entry, authoring.starter_does_not_pass)


def test_a_reference_that_earns_too_little(entry: Entry):
    lesson = entry.folder / "lesson.py"
    lesson.write_text(lesson.read_text().replace("at_least=12", "at_least=99"))
    fresh = Entry(entry.root, entry.name)
    assert "should pass with 3 stars" in said(fresh, authoring.reference_earns_all_stars)


def test_a_lesson_that_cannot_be_read_is_one_sentence(entry: Entry):
    (entry.folder / "lesson.py").write_text("lesson = 1 / 0\n")
    (told,) = authoring.problems(Entry(entry.root, entry.name))
    assert "lessons/01_prefix_sum/lesson.py is broken, line 1" in told


# ---- the commands ----


def test_new_lesson_and_check_course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture):
    (tmp_path / "lessons").mkdir()
    monkeypatch.setenv("LADDER_COURSE", str(tmp_path))
    assert run(["new-lesson", "scan"]) == 0
    assert "ladder check-course 01_scan" in capsys.readouterr().out
    assert run(["check-course", "--form"]) == 0
    assert "01_scan: all is well (rungs: 2, mistakes: 1)" in capsys.readouterr().out
    (tmp_path / "lessons" / "01_scan" / "README.md").unlink()
    assert run(["check-course", "scan", "--form"]) == 1
    out = capsys.readouterr().out
    assert "01_scan: 1 to mend" in out and "README.md: there is none: write what the lesson is about" in out
    assert run(["new-lesson", "scan"]) == 2
    assert capsys.readouterr().err.startswith("ladder: 01_scan is there already")


def test_a_course_of_ones_own_begins_where_it_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
):
    monkeypatch.delenv("LADDER_COURSE", raising=False)
    monkeypatch.chdir(tmp_path)
    assert run(["new-lesson", "scan", "--course", "mine"]) == 0
    assert "type `cd mine && ladder check-course 01_scan`" in capsys.readouterr().out
    assert run(["new-lesson", "sort", "--course", "mine"]) == 0
    assert (tmp_path / "mine" / "kernels" / "02_sort" / "1_one_element.cu").is_file()
    (tmp_path / "file").write_text("")
    assert run(["new-lesson", "sort", "--course", "file"]) == 2
    capsys.readouterr()
    (tmp_path / "empty" / "lessons").mkdir(parents=True)
    assert run(["check-course", "mine/lessons/01_scan"]) == 2  # here is another course: the package's own
    assert "`mine/lessons/01_scan` is a lesson of another course: type `cd mine` first" in capsys.readouterr().err
    monkeypatch.chdir(tmp_path / "mine")
    assert run(["check-course", "lessons/01_scan", "--form"]) == 0
    out = capsys.readouterr().out
    assert "to come: lessons/01_scan/hints.md: write what stands for `A question that points where to look. No" in out
    monkeypatch.chdir(tmp_path / "empty")
    assert run(["new-lesson", "scan"]) == 0 and (tmp_path / "empty" / "lessons" / "01_scan").is_dir()


def test_one_cause_is_told_once(entry: Entry):
    """A prototype that has changed is told of all files in one sentence, and no kernel is graded."""
    file = entry.folder / "lesson.py"
    file.write_text(file.read_text().replace("int n, cudaStream_t", "long long n, cudaStream_t"))
    told: list[str] = []
    assert not authoring.check(entry, told.append)
    assert [line.strip().partition(",")[0] for line in told[:3]] == [
        "01_prefix_sum: 1 to mend",
        "lessons/01_prefix_sum/starter.cu",
        "No kernel was graded: mend this first.",
    ]


def test_rungs_are_graded_on_a_gpu_and_kept(monkeypatch, capsys, tmp_path):
    def graded(entry, file, *, device, tasks, emulator):
        assert (device, emulator) == ("cuda", False)
        task = entry.lesson.task(tasks[0])
        number = task.highest([rung_name(file)])
        found = TaskGrade(task.name, "passed" if number < 3 else "wrong_result", 1, "1 element is wrong")
        found.position = position(task, number, on_gpu=True)
        found.targets = judge_goals(task, {}, {"fraction_of_copy": 0.8})
        return SimpleNamespace(tasks=[found])

    out = tmp_path / "rungs.json"
    assert run(["check-course", "01", "--device", "cuda", "--form"]) == 2 and "leave one out" in capsys.readouterr().err
    monkeypatch.setattr("grader.devices.cuda.card.find_card", lambda: (None, "torch finds no GPU"))
    assert (
        run(["check-course", "01", "--device", "cuda"]) == 2 and "needs an NVIDIA GPU (torch" in capsys.readouterr().err
    )
    card = SimpleNamespace(name="a card", to_json=lambda: {"name": "a card"})
    monkeypatch.setattr("grader.devices.cuda.card.find_card", lambda: (card, ""))
    monkeypatch.setattr("grader.grade.grade", graded)
    assert run(["check-course", "01", "--device", "cuda", "--out", str(out)]) == 1
    said = capsys.readouterr().out
    assert "rung 1 of vector_add, one_element: ★" in said
    assert "rung 2 of vector_add, " in said and "stands on rung 1 instead of 2: fraction_of_copy 0.8" in said
    assert "rung 3 of vector_add, float4, is wrong_result: 1 element is wrong" in said
    assert [row["reached"] for row in json.loads(out.read_text())["rungs"]] == [1, 2, 3]
    for text, said in (
        ("{", "was not written by"),
        ('{"device": {"name": "b"}, "rungs": []}', "on an b, and this is an a card"),
    ):
        out.write_text(text)
        assert run(["check-course", "01", "--device", "cuda", "--out", str(out)]) == 2
        assert said in capsys.readouterr().err and out.read_text() == text
