"""`ladder`: what it prints, where, and its exit codes. Grading itself is replaced, but for the files it refuses."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from terminal import Terminal

from grader.course.files import shown_path
from grader.devices.evidence import Diagnostic
from grader.judge.verdict import CaseGrade, Grade, TaskGrade

ROOT = Path(__file__).parents[2]
LESSON = """
from grader.course.lesson import Case, Lesson, Task

lesson = Lesson(
    title="{title}",
    summary="in one line",
    next_step="go on",
    tasks=[
        Task(
            prototype="void {name}(const float* x, float* y, int n, cudaStream_t stream)",
            shapes={{"x": "n", "y": "n"}},
            cases=[Case(n=1)],
            make_inputs=lambda draw, variant, n: {{"x": draw.normal(n)}},
            reference=lambda x, n: {{"y": x}},
        )
        for name in {names}
    ],
)
"""
HINTS = "## {0}\n\n### Hint 1\n\nLook.\n\n### Hint 2\n\nLook closer.\n\n### Hint 3\n\nType it.\n"


@pytest.fixture
def course(tmp_path, monkeypatch):
    """Two lessons, the second with two tasks, and nothing done yet; the current folder is the course."""
    for number, names in (("01", ["copy"]), ("02", ["first", "second"])):
        folder = tmp_path / "lessons" / f"{number}_{names[0]}"
        folder.mkdir(parents=True)
        text = LESSON.replace("in {names}", f"in {names}").replace("void {name}", 'void " + name + "')
        (folder / "lesson.py").write_text(text.format(title=f"Title of {number}"))
        (folder / "starter.cu").write_text(f"// the starter of {number}\n")
        (folder / "hints.md").write_text("".join(HINTS.format(name) for name in names))
    kernels = tmp_path / "kernels" / "01_copy"
    kernels.mkdir(parents=True)
    (kernels / "1_naive.cu").write_text("// the reference\n")
    monkeypatch.setenv("LADDER_COURSE", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def graded(monkeypatch):
    """Replaces grading: every kernel gets `graded.status`; the calls are kept in `graded.calls`."""

    class Fake:
        status, stars, calls, error = "passed", 2, [], None
        looks = ()  # whether the emulator looks besides, and says who prints

        def __call__(self, entry, file, *, device, tasks=None, counted=None, seed, source, on_progress,
                     emulator=True, print_threads=False, sandbox=None, by_counts=False, samples=None):  # fmt: skip
            self.calls.append((entry.name, file.name, device, tasks, seed))
            self.looks, self.by_counts = (emulator, print_threads, sandbox), by_counts
            if self.error:
                raise self.error
            case = CaseGrade("n=1", self.status, "it is so")
            task = TaskGrade("copy", self.status, self.stars, cases=[case])
            device = {"kind": "emulator", "name": "emulated GPU"}
            return Grade(entry.name, shown_path(file), device, self.status, self.stars, seed or 7, [task])

    fake = Fake()
    fake.calls = []
    monkeypatch.setattr("grader.grade.grade", fake)
    return fake


def is_one_sentence(text):
    return text.startswith("ladder: ") and text.count("\n") == 1 and "Traceback" not in text


# ---- the course ----


def test_without_a_command_the_course_is_shown(ladder):
    code, out, err = ladder()
    assert (code, err) == (0, "")
    assert "01_copy" in out and "Title of 02" in out
    assert out.rstrip().endswith("Next: `ladder start 01`")


def test_a_broken_lesson_does_not_hide_the_others(ladder, course):
    (course / "lessons" / "02_first" / "lesson.py").write_text("lesson = 1 / 0\n")
    code, out, _ = ladder()
    assert code == 0 and "Title of 01" in out and "is broken" in " ".join(out.split())


def test_start_copies_the_starter_and_never_overwrites(ladder, course):
    code, out, _ = ladder("start", "1")
    file = course / "work" / "01_copy.cu"
    assert code == 0 and file.read_text() == "// the starter of 01\n"
    assert "work/01_copy.cu is yours now" in out and "`ladder check 01`" in out
    file.write_text("mine")
    code, out, _ = ladder("start", "copy")
    assert code == 0 and "stays as it is" in out and file.read_text() == "mine"


def test_a_starter_that_is_not_there_is_one_sentence(ladder, course):
    (course / "lessons" / "01_copy" / "starter.cu").unlink()
    code, out, err = ladder("start", "01")
    assert (code, out) == (2, "") and is_one_sentence(err) and "starter.cu" in err
    assert not (course / "work" / "01_copy.cu").exists()


def test_a_file_where_the_work_folder_belongs_is_said(ladder, course):
    (course / "work").touch()
    code, out, err = ladder("start", "01")
    assert (code, out) == (2, "") and is_one_sentence(err) and "cannot be copied to work/01_copy.cu: File exists" in err
    assert "Hint 1 of 3" in ladder("hint", "01")[1]
    assert ladder()[0] == 0


def test_hints_come_one_at_a_time(ladder):
    shown = [ladder("hint", "01")[1] for _ in range(4)]
    assert ["Look." in shown[0], "Look closer." in shown[1], "Type it." in shown[2]] == [True] * 3
    assert shown[3] == shown[2] and "Hint 3 of 3" in shown[3]
    assert "left: `ladder hint 01`" in shown[0] and "left" not in shown[2]


def test_hints_say_how_many_are_left_and_are_there_after_passing(ladder, graded):
    ladder("start", "01")
    ladder("check", "01")
    assert "2 hints left: `ladder hint 01`" in ladder("hint", "copy")[1]
    assert "1 hint left" in ladder("hint", "01")[1]
    assert "That was the last hint" in ladder("hint", "01")[1]
    assert "`ladder hint 02 --task second`" in ladder("hint", "02", "--task", "second")[1]


def test_the_solution_is_for_those_who_have_passed(ladder, graded):
    code, out, err = ladder("solution", "01")
    assert (code, out) == (2, "") and is_one_sentence(err) and "`ladder solution 01 --reveal`" in err
    assert ladder("solution", "01", "--reveal") == (0, "// the reference\n", "")
    ladder("start", "01")
    ladder("check", "01")
    assert ladder("solution", "01") == (0, "// the reference\n", "")


def test_reset_asks_and_keeps_what_was_there(ladder, course, monkeypatch):
    file = course / "work" / "01_copy.cu"
    assert ladder("reset", "01")[0] == 2
    ladder("start", "01")
    assert "already" in ladder("reset", "01", "--yes")[1]
    for number, text in enumerate(("first", "second"), 1):
        file.write_text(text)
        monkeypatch.setattr("click.confirm", lambda question: False)
        assert ladder("reset", "01")[0] == 0 and file.read_text() == text
        monkeypatch.setattr("click.confirm", lambda question: True)
        assert f"work/01_copy.backup-{number}.cu" in ladder("reset", "01")[1]
        assert file.read_text() == "// the starter of 01\n"
        assert (course / "work" / f"01_copy.backup-{number}.cu").read_text() == text


def test_reset_without_anybody_to_ask_says_what_to_type(course, ladder):
    ladder("start", "01")
    (course / "work" / "01_copy.cu").write_text("mine")
    done = python("-c", "import sys; from grader.faces import cli; sys.exit(cli.run(['reset', '01']))", input="")
    assert done.returncode == 2 and "type `ladder reset 01 --yes`" in done.stderr and "fault" not in done.stderr
    assert (course / "work" / "01_copy.cu").read_text() == "mine"


def test_a_hint_for_one_of_several_tasks(ladder):
    code, _, err = ladder("hint", "02")
    assert code == 2 and is_one_sentence(err) and "--task first" in err
    assert "Hint 1 of 3 for second" in ladder("hint", "02", "--task", "second")[1]
    assert "Hint 1 of 3 for first" in ladder("hint", "02", "--task", "first")[1]
    assert ladder("hint", "02", "--task", "third")[0] == 2


# ---- check ----


@pytest.mark.parametrize(
    ("status", "code"), [("passed", 0), ("wrong_result", 1), ("build_error", 1), ("below_target", 1)]
)
def test_the_exit_code_is_the_verdict(ladder, graded, course, status, code):
    ladder("start", "01")
    graded.status = status
    got, out, err = ladder("check", "01")
    assert (got, err) == (code, "")
    assert "01_copy" in out


def test_json_is_one_object_and_nothing_else(ladder, graded, course):
    ladder("start", "01")
    graded.status = "race"
    code, out, err = ladder("check", "01", "--json", "--seed", "12")
    grade = json.loads(out)
    assert (code, err) == (1, "")
    assert (grade["schema"], grade["lesson"], grade["status"], grade["seed"]) == (1, "01_copy", "race", 12)


def test_options_reach_the_grader(ladder, graded, course):
    (course / "mine.cu").write_text("// mine\n")
    code, _, _ = ladder("check", "02", "mine.cu", "--task", "second", "--device", "emulator", "--seed", "5")
    assert code == 0
    assert graded.calls == [("02_first", "mine.cu", "emulator", ("second",), 5)]
    assert graded.looks == (True, False, None) and not graded.by_counts
    ladder("check", "02", "mine.cu", "--no-emulator", "--print-threads", "--sandbox", "strict", "--no-model")
    assert graded.looks == (False, True, "strict") and graded.by_counts


@pytest.mark.parametrize("arguments", [["check", "01"], ["submit", "01"], ["check", "--all"]])
def test_stars_that_cannot_be_remembered_are_said(ladder, graded, course, arguments):
    ladder("start", "01")
    (course / "work" / "progress.json").write_text("{")
    code, out, err = ladder(*arguments)
    assert code == 0 and "01_copy" in out
    assert is_one_sentence(err) and "progress.json.damaged" in err


def test_passing_is_remembered(ladder, graded):
    ladder("start", "01")
    ladder("check", "01")
    assert "★★☆" in ladder()[1] and "Next: `ladder start 02`" in ladder()[1]


def test_only_a_complete_grade_of_the_learners_own_file_is_remembered(ladder, graded, course, monkeypatch):
    ladder("start", "01")
    (course / "elsewhere.cu").write_text("// mine, or somewhere found")
    ladder("check", "01", "elsewhere.cu")
    (course / "work" / "link.cu").symlink_to(course / "kernels" / "01_copy" / "1_naive.cu")
    ladder("check", "01", "work/link.cu")
    monkeypatch.chdir(course / "work")
    ladder("check", "01", "../kernels/01_copy/1_naive.cu")
    ladder("submit", "01", "../kernels/01_copy/1_naive.cu")
    monkeypatch.chdir(course)
    ladder("check", "01", "--reference")
    ladder("check", "01", "--task", "copy")
    ladder("check", "01", "kernels/01_copy/1_naive.cu")
    graded.status, graded.stars = "wrong_result", 0
    ladder("check", "01")
    assert "★" not in ladder()[1]


def test_another_file_in_work_counts_too(ladder, graded, course):
    ladder("start", "01")
    (course / "work" / "second_try.cu").write_text("// mine")
    ladder("check", "01", "work/second_try.cu")
    assert "★★☆" in ladder()[1]


def test_all_grades_every_reference_in_one_table(ladder, graded, course):
    kernels = course / "kernels" / "02_first"
    kernels.mkdir()
    (kernels / "1_naive.cu").write_text("")
    code, out, err = ladder("check", "--all", "--reference")
    assert (code, err) == (0, "")
    assert [call[:2] for call in graded.calls] == [("01_copy", "1_naive.cu"), ("02_first", "1_naive.cu")]
    assert out.count("passed") == 2 and "★" not in ladder()[1]


def test_all_grades_a_folder(ladder, graded, course):
    (course / "hand-ins").mkdir()
    (course / "hand-ins" / "02_first.cu").write_text("")
    graded.status = "timeout"
    code, out, _ = ladder("check", "--all", "hand-ins", "--json")
    answer = json.loads(out)
    assert code == 1 and answer["schema"] == 1
    assert [grade["lesson"] for grade in answer["grades"]] == ["02_first"]


def test_a_lesson_that_cannot_be_graded_does_not_stop_the_others(ladder, course):
    code, _, err = ladder("check", "--all", "--reference", "--device", "cuda")
    assert code == 2 and err.count("ladder: ") == 2 and "Traceback" not in err


# ---- wrong usage ----


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["chek"], "Did you mean 'check'? Type `ladder --help`"),
        (["check"], "ladder check 01"),
        (["check", "7"], "`ladder` lists them all"),
        (["check", "01"], "`ladder start 01`"),
        (["check", "01", "no/such.cu"], "there is no file no/such.cu"),
        (["check", "01", "lessons"], "lessons is a folder"),
        (["check", "work/01_copy.cu"], "`ladder check 01 work/01_copy.cu`"),
        (["check", "01", "a.cu", "--reference"], "not both"),
        (["check", "02", "--reference"], "reference kernel"),
        (["check", "01", "--task", "nothing"], "--task copy"),
        (["check", "01", "--reference", "--device", "cuda"], "GPU"),
        (["check", "01", "--device", "tpu"], "tpu"),
        (["check", "01", "--seed", "-1"], "--seed"),
        (["check", "01", "--seed", "x"], "--seed"),
        (["check", "01", "--nonsense"], "--nonsense"),
        (["check", "01", "--debug", "7"], "as in `--debug 3,17`"),
        (["check", "01", "--device", "cuda", "--debug"], "cuda-gdb"),
        (["check", "a.handin.json", "--debug"], "not for a hand-in"),
        (["check", "--all", "--debug"], "--debug is for one kernel"),
        (["check", "--all"], "`ladder start 00`"),
        (["check", "--all", "no_folder"], "NN_name.cu"),
        (["check", "--all", "lessons"], "01_copy.cu"),
        (["check", "--all", "--task", "copy"], "--all"),
        (["start"], "LESSON"),
        (["start", "x"], "`ladder` lists them all"),
        (["hint"], "LESSON"),
        (["hint", "02", "--task", "third"], "type --task first or --task second"),
    ],
)
def test_wrong_usage_is_one_sentence_and_exit_code_2(ladder, arguments, words):
    code, out, err = ladder(*arguments)
    assert (code, out) == (2, "")
    assert is_one_sentence(err) and words in err


def test_an_unreadable_file_is_one_sentence(ladder, course, monkeypatch):
    (course / "locked.cu").write_text("")
    opened = Path.open

    def refuse(self, *arguments, **options):
        if self.name == "locked.cu":
            raise PermissionError(13, "Permission denied")
        return opened(self, *arguments, **options)

    monkeypatch.setattr(Path, "open", refuse)
    code, _, err = ladder("check", "01", "locked.cu")
    assert code == 2 and is_one_sentence(err) and "Permission denied" in err


def test_outside_a_course(ladder, course, monkeypatch):
    monkeypatch.setenv("LADDER_COURSE", str(course / "lessons"))
    code, _, err = ladder()
    assert code == 2 and is_one_sentence(err) and "LADDER_COURSE" in err


def test_a_fault_in_the_grader_is_one_sentence_and_a_log(ladder, graded):
    ladder("start", "01")
    graded.error = ValueError("first line\nsecond line")
    code, out, err = ladder("check", "01")
    assert (code, out) == (2, "")
    assert is_one_sentence(err) and "ValueError: first line" in err
    log = Path(err.split("see ")[1].strip())
    assert "Traceback" in log.read_text()
    log.unlink()


def test_an_interrupt_is_one_sentence_and_exit_code_130(ladder, graded):
    ladder("start", "01")
    graded.error = KeyboardInterrupt()
    code, out, err = ladder("check", "01")
    assert (code, out) == (130, "") and is_one_sentence(err.removeprefix("\n"))  # after the terminal's own ^C


# ---- the process ----


def python(*arguments, **options):
    options = {"capture_output": True, "text": True, "timeout": 60} | options
    return subprocess.run([sys.executable, *arguments], **options)


def test_looking_at_the_course_imports_nothing_heavy(course):
    code = "import sys; from grader.faces import cli; cli.run({}); print({} & {{*sys.modules}}, file=sys.stderr)"
    heavy = {"torch", "numpy", "matplotlib", "http.client"}
    for arguments in ([], ["hint", "01"], ["start", "01"], ["check", "9"], ["submit", "9"], ["check", "a.json"]):
        named = heavy if not arguments else heavy | {"rich"}
        assert python("-c", code.format(arguments, named)).stderr.splitlines()[-1] == "set()", arguments


def test_a_closed_pipe_is_nothing_to_talk_about(course):
    code = "import sys; from grader.faces import cli; sys.exit(cli.run([]))"
    reading, writing = os.pipe()
    os.close(reading)
    done = python("-c", code, stdout=writing, stderr=subprocess.PIPE, capture_output=False)
    os.close(writing)
    assert done.stderr == ""


@pytest.mark.parametrize(("closing", "said"), [("2>&-", ""), ("> /dev/full", "No space left on device: free some")])
def test_nowhere_to_print_to_is_no_fault(course, closing, said):
    code = "import sys; from grader.faces import cli; sys.exit(cli.run(['hint', '01']))"
    done = subprocess.run(
        ["sh", "-c", f'exec "$0" -c "$1" {closing}', sys.executable, code], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, "Hint 1" in done.stdout) == ((2, False) if said else (0, True))
    assert said in done.stderr and len(done.stderr.splitlines()) == bool(said) and "fault" not in done.stderr


def test_a_terminal_without_stars_gets_question_marks(course):
    code = "from grader.faces import cli; cli.run(['check', '9']); cli.run(['start', '01']); print('★')"
    done = python("-c", code, env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0 and done.stdout.endswith("?\n")


def test_nvcc_is_asked_besides(ladder, graded, monkeypatch):
    said = []
    monkeypatch.setattr("grader.devices.cuda.nvcc.missing_nvcc", lambda: None)
    monkeypatch.setattr("grader.devices.cuda.nvcc.refusals", lambda source: said)
    ladder("start", "01")
    code, _, err = ladder("check", "01", "--nvcc")
    assert code == 0 and "nvcc compiles work/01_copy.cu, too" in err
    said.append(Diagnostic('"x" is undefined', 3))
    code, _, err = ladder("check", "01", "--nvcc")
    assert code == 1 and 'nvcc refuses work/01_copy.cu:3: "x" is undefined' in err
    monkeypatch.setattr("grader.devices.cuda.nvcc.missing_nvcc", lambda: "there is no nvcc here to ask")
    code, _, err = ladder("check", "01", "--nvcc")
    assert code == 2 and is_one_sentence(err) and "no nvcc" in err


def test_doctor_says_what_there_is(ladder):
    code, out, _ = ladder("doctor")
    assert code in (0, 2)
    for name in ("Python", "g++", "libclang", "ninja", "torch", "cache", "nvcc", "GPU", "Landlock"):
        assert name in out


def test_doctor_says_what_to_type_without_a_compiler(ladder, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    code, out, _ = ladder("doctor")
    assert code == 2 and "apt install g++" in out and "cannot grade" in out


def test_a_hint_on_a_terminal_is_wrapped_to_it(course):
    code = "from grader.faces.cli import main; main()"
    hints = course / "lessons" / "01_copy" / "hints.md"
    hints.write_text(HINTS.format("copy").replace("Look.", "word " * 40))
    with Terminal([sys.executable, "-c", code, "hint", "01"], columns=60, env=process_environment(course)) as terminal:
        assert terminal.end() == 0
        assert "2 hints left" in terminal.page.text and not terminal.page.overflown


def process_environment(course):
    known = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    return {**known, "LADDER_COURSE": str(course), "PYTHONPATH": str(ROOT), "TERM": "xterm-256color"}
