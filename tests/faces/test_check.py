"""`ladder check` in all its forms, for one kernel and for many. Grading itself is replaced where it does not matter."""

import json
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from terminal import PATIENCE, Terminal
from terminal import course as make_course

from grader.judge.verdict import CaseGrade, Grade, TaskGrade

ROOT = Path(__file__).parents[2]
RIGHT = (ROOT / "kernels" / "01_vector_add" / "1_one_element.cu").read_text() + "// mine\n"
WRONG = RIGHT.replace("x[i] + y[i]", "x[i] - y[i]")
LADDER = [sys.executable, "-c", "from grader.faces.cli import main; main()"]


@pytest.fixture
def folder(course):
    """A folder `in` with kernels for the first three lessons."""
    (course / "in").mkdir()
    for name in ("01_vector_add", "02_warp_divergence", "03_coalescing"):
        (course / "in" / f"{name}.cu").write_text("// mine\n")
    return course


@pytest.fixture
def graded(monkeypatch):
    """Replaces grading: `graded[name]` is a status, or an exception to raise."""
    plan = {}

    def fake(entry, file, *, seed, **options):
        status = plan.get(entry.name, "passed")
        if isinstance(status, BaseException):
            raise status
        stars = 2 if status == "passed" else 0
        tasks = [TaskGrade("task", status, stars, cases=[CaseGrade("n=1", status, "so it is")])]
        return Grade(
            entry.name, str(file), {"kind": "emulator", "name": "emulated GPU"}, status, stars, seed or 7, tasks
        )

    monkeypatch.setattr("grader.grade.grade", fake)
    return plan


FORMS = ("--junit", "a.xml", "--gradescope", "a.json", "--html", "a.html")


def counts(folder):
    """How many kernels each of the three files tells of."""
    suites = ElementTree.parse(folder / "a.xml").findall("testsuite")
    tests = json.loads((folder / "a.json").read_text())["tests"]
    return len(suites), len(tests), (folder / "a.html").read_text().count('<section class="kernel"')


def test_one_kernel_in_all_forms(folder, graded, ladder):
    graded["01_vector_add"] = "race"
    code, out, err = ladder("check", "01", "in/01_vector_add.cu", *FORMS)
    assert (code, err) == (1, "") and "data race" in out
    assert counts(folder) == (1, 1, 1)
    code, out, _ = ladder("check", "01", "in/01_vector_add.cu", "--json", "--html", "a.html")
    assert json.loads(out)["status"] == "race"


def test_a_folder_in_all_forms(folder, graded, ladder):
    graded["02_warp_divergence"] = "timeout"
    code, out, err = ladder("check", "--all", "in", *FORMS)
    assert (code, err) == (1, "")
    assert counts(folder) == (3, 3, 3)
    assert out.count("passed") == 2 and "time is up" in out


@pytest.mark.parametrize("option", ["--junit", "--gradescope", "--html"])
def test_a_report_that_cannot_be_written_is_told_before_anything_is_graded(folder, graded, ladder, option):
    graded["01_vector_add"] = AssertionError("graded all the same")
    for what in (["01", "in/01_vector_add.cu"], ["--all", "in"]):
        code, out, err = ladder("check", *what, option, "no/folder/file")
        assert (code, out) == (2, "") and err.startswith("ladder: no/folder/file cannot be written (")


def test_whatever_happens_to_one_the_others_are_graded(folder, graded, ladder):
    graded["01_vector_add"], graded["02_warp_divergence"] = ValueError("odd\nthing"), "crash"
    code, out, err = ladder("check", "--all", "in", "--json", *FORMS)
    assert code == 2 and err.startswith("ladder: in/01_vector_add.cu: ValueError: odd; this is a fault")
    os.unlink(err.split("see ")[1].strip())
    answer = json.loads(out)
    assert [grade["status"] for grade in answer["grades"]] == ["crash", "passed"]
    assert [problem["kernel"] for problem in answer["problems"]] == ["in/01_vector_add.cu"]
    assert counts(folder) == (3, 3, 3)
    assert ElementTree.parse(folder / "a.xml").getroot().get("errors") == "1"


def test_interrupted_it_tells_what_is_done(folder, graded, ladder):
    graded["02_warp_divergence"] = KeyboardInterrupt()
    code, out, err = ladder("check", "--all", "in", *FORMS)
    assert code == 130 and "01_vector_add" in out and "02_warp_divergence" not in out
    assert err == "ladder: interrupted; 1 of 3 kernels are graded\n"
    assert counts(folder) == (1, 1, 1)


def test_hand_ins_of_a_folder_are_graded_too(course, ladder):
    (course / "in" / "ana").mkdir(parents=True)
    (course / "mine.cu").write_text(WRONG)
    ladder("submit", "01", "mine.cu", "--device", "emulator")
    (course / "submissions" / "01_vector_add.handin.json").rename(course / "in" / "ana" / "x.handin.json")
    (course / "in" / "progress.json").write_text("{}")
    (course / "in" / "bad.handin.json").write_text("{")
    code, out, err = ladder("check", "--all", "in", "--device", "emulator")
    assert code == 2 and err.startswith("ladder: in/bad.handin.json: ") and err.count("\n") == 1
    head, wrong, bad = out.splitlines()
    assert "hand-in" in head and "not graded" in bad
    assert "x.handin.json" in wrong and "wrong result" in wrong and "stands" in wrong


def test_several_people_have_a_file_of_gradescope_s_each_and_their_names_are_shown(course, graded, ladder):
    (course / "mine.cu").write_text("// mine\n")
    ladder("submit", "01", "mine.cu", "--device", "emulator")
    text = (course / "submissions" / "01_vector_add.handin.json").read_text()
    for place in ("in/ana maria/01.handin.json", f"in/ben_{'x' * 90}/deep/02.handin.json"):
        (course / place).parent.mkdir(parents=True)
        (course / place).write_text(text)
    code, out, _ = ladder("check", "--all", "in", "--gradescope", "a.json", "--junit", "a.xml")
    assert code == 0 and "ana maria/01.handin.json" in out
    assert out.count("x") == 90 and "…" not in out  # folded where it is too long
    found = sorted(file.name for file in course.glob("a*.json"))
    assert found == ["a.ana maria.json", f"a.ben_{'x' * 90}.json"]
    assert all(len(json.loads((course / name).read_text())["tests"]) == 1 for name in found)


def test_a_terminal_that_takes_no_output_costs_no_report(folder, graded, ladder, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("grader.report.overview.show_table", interrupted)
    assert ladder("check", "--all", "in", *FORMS)[0] == 130
    assert counts(folder) == (3, 3, 3)


# ---- as a process ----


def environment(folder):
    return {**os.environ, "LADDER_COURSE": str(folder), "PYTHONPATH": str(ROOT), "TERM": "xterm-256color"}


@pytest.mark.slow
def test_on_a_terminal_a_bar_says_how_far_it_is_and_ctrl_c_tells_what_is_done(tmp_path):
    folder = make_course(tmp_path, ROOT)
    (folder / "work" / "01_vector_add.cu").write_text(RIGHT)
    (folder / "work" / "03_coalescing.cu").write_text("#include <unistd.h>\nint wait = (pause(), 0);\n")
    command = [*LADDER, "check", "--all", "--device", "emulator"]
    with Terminal(command, env=environment(folder), cwd=folder) as terminal:
        terminal.until("1/2 03_coalescing: ")
        terminal.type("\x03")
        assert terminal.end() == 130
        page = terminal.page.text
    assert "✓   01_vector_add" in page and "interrupted; 1 of 2 kernels are graded" in page
    assert "Traceback" not in terminal.said


@pytest.mark.slow
def test_piped_there_is_no_bar_and_no_colour(tmp_path):
    folder = make_course(tmp_path, ROOT)
    (folder / "work" / "01_vector_add.cu").write_text(RIGHT)
    command = [*LADDER, "check", "--all", "--device", "emulator"]
    options = {"env": environment(folder), "cwd": folder, "timeout": PATIENCE}
    done = subprocess.run(command, capture_output=True, text=True, **options)
    assert (done.returncode, done.stderr) == (0, "")
    assert "✓   01_vector_add" in done.stdout and "\x1b" not in done.stdout
