"""Lessons are found by whatever a person is likely to type, and a slip gets one sentence."""

import subprocess
import sys
from pathlib import Path

import pytest

from grader.course.catalog import UsageError, course_root, entries, exercises, find

LESSON = """
from grader.course.lesson import Case, Counted, Lesson, Rung, Task, Timed

lesson = Lesson(
    title="A lesson",
    tasks=[
        Task(
            prototype="void f(const float* x, float* y, int n, cudaStream_t stream)",
            shapes={"x": "n", "y": "2 * n"},
            cases=[Case(n=1), Case(n=33)],
            make_inputs=None,
            reference=None,
            ladder=[Rung("naive", "as it is"), Rung("second", "better", [Counted("sectors", at_most=1)])],
            stars={2: "second"},
        )
    ],
)
"""

HINTS = """# Hints

## f

### Hint 1

Think.

### Hint 2

```c
int i = 0;
```

### Hint 3

Read.

## g

### Hint 1
Other.
"""


@pytest.fixture
def course(tmp_path):
    for name in ("01_vector_add", "02_warp_divergence", "03_vector_scale"):
        folder = tmp_path / "lessons" / name
        (folder / "mistakes").mkdir(parents=True)
        (folder / "lesson.py").write_text(LESSON)
        (folder / "hints.md").write_text(HINTS)
        kernels = tmp_path / "kernels" / name
        kernels.mkdir(parents=True)
        for rung in ("10_last.cu", "2_second.cu", "1_naive.cu"):
            (kernels / rung).touch()
    (tmp_path / "lessons" / "README.md").touch()
    return tmp_path


@pytest.mark.parametrize(
    "text", ["1", "01", "vector_add", "01_vector_add", "01_vec", "vector_a", "lessons/01_vector_add/"]
)
def test_names_of_a_lesson(course, text):
    assert find(text, course).name == "01_vector_add"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("vektor_add", "there is no lesson `vektor_add`, did you mean 01_vector_add"),
        ("9", "there is no lesson `9`: `ladder` lists them all"),
        ("vector", "`vector` could be 01_vector_add, 03_vector_scale"),
        ("", "there is no lesson"),
        ("../..", "there is no lesson"),
    ],
)
def test_a_wrong_name_is_explained(course, text, said):
    with pytest.raises(UsageError) as error:
        find(text, course)
    assert said in str(error.value)


def test_what_an_entry_knows(course):
    entry = find("1", course)
    assert (entry.number, entry.slug) == (1, "vector_add")
    assert [rung.name for rung in entry.rungs] == ["1_naive.cu", "2_second.cu", "10_last.cu"]
    assert entry.reference.name == "10_last.cu"
    assert entry.rung_file("f", "second").name == "2_second.cu"
    with pytest.raises(UsageError, match="has no kernel for rung third of f: kernels/01_vector_add/ holds no N_third"):
        entry.rung_file("f", "third")
    assert entry.work_file == course / "work" / "01_vector_add.cu"
    assert entry.starter == course / "lessons" / "01_vector_add" / "starter.cu"
    assert entry.lesson.tasks[0].name == "f"
    assert [e.number for e in entries(course)] == [1, 2, 3]


def test_hints_are_one_list_a_task(course):
    assert find("1", course).hints("f") == ["Think.", "```c\nint i = 0;\n```", "Read."]
    with pytest.raises(UsageError, match="no section `## h`"):
        find("1", course).hints("h")


def test_no_reference_kernel_is_said(course):
    for rung in find("2", course).rungs:
        rung.unlink()
    with pytest.raises(UsageError, match="lesson 02_warp_divergence has no reference kernel"):
        _ = find("2", course).reference


def test_each_task_may_have_a_ladder_in_a_folder_of_its_own(course):
    entry = find("1", course)
    for name in ("f/1_small.cu", "f/2_large.cu", "g/1_small.cu"):
        (entry.kernels / name).parent.mkdir(exist_ok=True)
        (entry.kernels / name).write_text("")
    (entry.kernels / "h").mkdir()  # a folder without a rung

    def names(files):
        return [file.relative_to(entry.kernels).as_posix() for file in files]

    assert names(entry.rungs_of("f")) == ["f/1_small.cu", "f/2_large.cu"] and names(entry.rungs_of("h")) == []
    assert names(entry.rungs_of("others")) == ["1_naive.cu", "2_second.cu", "10_last.cu"]
    assert names(entry.rungs)[:3] == ["1_naive.cu", "f/1_small.cu", "g/1_small.cu"]
    assert entry.rung_file("g", "small").parent.name == entry.task_of(entry.rung_file("g", "small")) == "g"
    assert entry.task_of(entry.kernels / "1_naive.cu") is None and entry.task_of(entry.work_file) is None
    with pytest.raises(UsageError, match="no kernel for rung large of g: kernels/01_vector_add/g/ holds no N_large"):
        entry.rung_file("g", "large")
    with pytest.raises(UsageError, match="rung small of h: kernels/01_vector_add/h/ holds no N_small"):
        entry.rung_file("h", "small")
    with pytest.raises(UsageError, match=r"no reference kernel: write kernels/01_vector_add/all.cu, which includes"):
        _ = entry.reference
    (entry.kernels / "all.cu").write_text("")
    assert names([entry.reference]) == ["all.cu"]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('title="A lesson",', 'title="A lesson"', "lessons/01_vector_add/lesson.py is broken, line 5: SyntaxError"),
        ("Case(n=1)", "Cose(n=1)", "is broken, line 10: NameError"),
        ("lesson = Lesson", "lection = Lesson", "AttributeError"),
        ("float* y", "flout* y", "unknown type `flout`"),
        ('"y": "2 * n"', '"z": "n"', "`shapes` does not say the shape of y"),
        ('"2 * n"', '"2 * m"', "m is no integer size"),
        ("Case(n=33)", "Case(m=33)", "Case(m=33) gives no value for n"),
        ('"second", "better"', '"naive", "better"', "two rungs are called naive"),
        (', [Counted("sectors", at_most=1)]', "", "rung 2, second, has no goal, and only the first needs none"),
        ('{2: "second"}', '{}, floor=[Timed("x_torch", 0.1)]', "timed against torch, which is none of its baselines"),
        ('{2: "second"}', '{}, floor=Timed("fraction_of_copy", 0.1)', "is broken: TypeError"),
        ('{2: "second"}', '{2: "third"}', "is no star 2 or 3 of a rung of its ladder"),
        ('{2: "second"}', '{4: "second"}', "is no star 2 or 3 of a rung of its ladder"),
        ('{2: "second"}', '{2: "naive"}', "every right kernel would earn 2 stars, as rung naive has no goal"),
        ('{2: "second"}', '{3: "naive", 2: "second"}', "every right kernel would earn 3 stars"),
    ],
)
def test_a_broken_lesson_is_one_sentence(course, old, new, said):
    file = course / "lessons" / "01_vector_add" / "lesson.py"
    file.write_text(LESSON.replace(old, new))
    with pytest.raises(UsageError) as error:
        _ = find("1", course).lesson
    assert said in str(error.value)
    assert "\n" not in str(error.value)


@pytest.fixture
def ladders(course):
    """The first lesson's ladder in a file beside lesson.py."""
    folder = course / "lessons" / "01_vector_add"
    rungs = LESSON[LESSON.index("[Rung(") : LESSON.index("\n            stars")].rstrip(",")
    text = LESSON.replace("ladder=" + rungs, "ladder=F").replace("\nlesson =", "from .ladders import F\n\nlesson =", 1)
    (folder / "lesson.py").write_text(text)
    (folder / "ladders.py").write_text(f"from grader.course.lesson import Counted, Rung\n\nF = {rungs}\n")
    return folder / "ladders.py"


def test_a_lesson_may_have_several_files(course, ladders):
    entry = find("1", course)
    assert [rung.name for rung in entry.lesson.tasks[0].ladder] == ["naive", "second"]
    before = entry.lesson_text
    ladders.write_text(ladders.read_text().replace("naive", "simple"))
    again = find("1", course)
    assert again.lesson.tasks[0].ladder[0].name == "simple" and again.lesson_text != before


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("F = (\n", "lessons/01_vector_add/ladders.py is broken, line 1: SyntaxError"),
        ("\nF = [Rang()]\n", "lessons/01_vector_add/ladders.py is broken, line 2: NameError"),
        ("G = 1\n", "lessons/01_vector_add/lesson.py is broken, line 3: ImportError"),
    ],
)
def test_the_file_that_is_broken_is_named(course, ladders, text, said):
    ladders.write_text(text)
    with pytest.raises(UsageError) as error:
        _ = find("1", course).lesson
    assert said in str(error.value) and "\n" not in str(error.value)


def test_the_root_is_the_nearest_parent_with_lessons(course, monkeypatch):
    monkeypatch.delenv("LADDER_COURSE", raising=False)
    monkeypatch.chdir(course / "lessons" / "01_vector_add")
    assert course_root() == course


def test_lessons_of_something_else_are_passed_by(course, monkeypatch):
    monkeypatch.delenv("LADDER_COURSE", raising=False)
    (course / "school" / "lessons" / "biology").mkdir(parents=True)
    monkeypatch.chdir(course / "school")
    assert course_root() == course


def test_the_root_can_be_chosen(course, monkeypatch, tmp_path_factory):
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    monkeypatch.setenv("LADDER_COURSE", str(course))
    assert course_root() == course
    monkeypatch.setenv("LADDER_COURSE", str(course / "kernels"))
    with pytest.raises(UsageError, match="LADDER_COURSE"):
        course_root()


def test_the_course_is_read_without_torch():
    code = "import sys; from grader.course import catalog, progress, lesson; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[2]).returncode == 0


def test_rivals_are_cuda_and_cpu_code(course):
    folder = course / "lessons" / "01_vector_add" / "rivals"
    folder.mkdir()
    for name in ("openmp.cpp", "cub.cu", "README.md"):
        (folder / name).touch()
    assert [rival.name for rival in find("1", course).rivals] == ["cub.cu", "openmp.cpp"]
    assert find("2", course).rivals == []


def test_timed_cases_are_checked_and_end_with_the_timed_one(course):
    file = course / "lessons" / "01_vector_add" / "lesson.py"
    file.write_text(
        LESSON.replace("make_inputs=None", "make_inputs=None, timed_case=Case(n=9), bench_cases=[Case(n=9), Case(n=4)]")
    )
    assert [case.name for case in find("1", course).lesson.tasks[0].timed_cases] == ["n=4", "n=9"]
    file.write_text(LESSON.replace("make_inputs=None", "make_inputs=None, bench_cases=[Case(m=9)]"))
    with pytest.raises(UsageError, match=r"Case\(m=9\) gives no value for n"):
        _ = find("1", course).lesson


# ---- puzzles ----


@pytest.fixture
def puzzles(course):
    """A fourth lesson, of puzzles."""
    folder = course / "lessons" / "04_steps"
    (folder / "starters").mkdir(parents=True)
    task = 'Task("void {}(float* z, int n, cudaStream_t stream)", {{"z": "n"}}, [Case(n=1)], None, None)'
    tasks = ", ".join(task.format(name) for name in ("map", "zip"))
    (folder / "lesson.py").write_text(
        f"from grader.course.lesson import Case, Lesson, Task\nlesson = Lesson(title='Steps', tasks=[{tasks}])\n"
    )
    for name in ("01_map", "02_zip", "10_later"):
        (folder / "starters" / f"{name}.cu").write_text(f"// Puzzle 1 of 3, {name[3:]}: what it is about.\n\nint x;\n")
    return course


@pytest.mark.parametrize(
    "text", ["04.2", "4.02", "04.zip", "04.02_zip", "04.2_zip", "02_zip.cu", "work/04_steps/02_zip.cu"]
)
def test_names_of_a_puzzle(puzzles, text):
    assert find(text, puzzles).name == "04.2_zip"


@pytest.mark.parametrize("text", ["04.3", "04.vip", "04.", "04.2.1"])
def test_a_wrong_puzzle_is_explained(puzzles, text):
    with pytest.raises(UsageError, match=r"there is no puzzle `04\..*`: type 04.1 to 04.10, or 04 for the next one"):
        find(text, puzzles)


def test_what_a_puzzle_knows(puzzles):
    entry = find("04", puzzles)
    assert [puzzle.label for puzzle in entry.puzzles] == ["04.1", "04.2", "04.10"] and entry.rungs == []
    assert [each.name for each in exercises(puzzles)][2:] == ["03_vector_scale", "04.1_map", "04.2_zip", "04.10_later"]
    puzzle = entry.puzzles[1]
    assert puzzle.work_file == puzzles / "work" / "04_steps" / "02_zip.cu" and not puzzle.begun
    assert puzzle.reference == puzzles / "kernels" / "04_steps" / "02_zip.cu"
    assert puzzle.lesson.title == "zip: what it is about" and [task.name for task in puzzle.lesson.tasks] == ["zip"]
    with pytest.raises(UsageError, match=r"10_later\.cu: lesson\.py has no task `later`: rename the file"):
        _ = entry.puzzles[2].lesson
    puzzle.work_file.parent.mkdir(parents=True)
    puzzle.work_file.write_text(puzzle.starter.read_text())
    assert not puzzle.begun
    puzzle.work_file.write_text("mine")
    assert puzzle.begun
