"""`ladder watch` on a real terminal and through a pipe: what it shows, what keys do, and that it leaves no trace."""

import os
import re
import signal
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import pytest
from terminal import PATIENCE, Terminal, course

from grader.course import catalog
from grader.course.files import shown_path
from grader.course.inline import inlined
from grader.devices.evidence import Diagnostic, Finding
from grader.faces import watch
from grader.faces.authoring import SEED
from grader.grade import grade
from grader.judge.verdict import STATUSES, CaseGrade, Grade, TaskGrade
from grader.report.messages import TITLES
from grader.report.screen import Bell
from tests.lessons.tiers import MISTAKES, a_mistake_is_fast, a_mistake_is_slow, is_first_of_its_status, named
from tests.shared import long_tail

ROOT = Path(__file__).parents[2]
LADDER = [sys.executable, "-c", "from grader.faces.cli import main; main()"]
WATCH = [*LADDER, "watch", "01", "--device", "emulator"]
RIGHT = (ROOT / "kernels" / "01_vector_add" / "1_one_element.cu").read_text() + "// mine\n"
WRONG = RIGHT.replace("x[i] + y[i]", "x[i] - y[i]")
UNGUARDED = re.sub(r"if \(i < n\)", "if (true)", RIGHT)
SLOW = RIGHT.replace("if (i < n)", "for (; i < n; i += gridDim.x * blockDim.x)").replace("<<<blocks", "<<<16")
ENDLESS = RIGHT.replace("if (i < n)", "while (i < n)")
FRAME = ("0 of ", "h hint", "q quit")


@pytest.fixture
def folder(tmp_path):
    return course(tmp_path, ROOT)


@pytest.fixture
def file(folder):
    return folder / "work" / "01_vector_add.cu"


def environment(folder, **extra):
    known = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES", "NO_COLOR")}
    return {**known, "LADDER_COURSE": str(folder), "PYTHONPATH": str(ROOT), "TERM": "xterm-256color", **extra}


def watching(folder, **extra):
    """`ladder watch 01` on a terminal of 80 x 24."""
    return Terminal(WATCH, env=environment(folder, **extra), cwd=folder)


def replace(file, text):
    """Saves as most editors do: a new file takes the name."""
    new = file.with_suffix(".new")
    new.write_text(text)
    new.replace(file)


# ---- what a save leads to ----


@pytest.mark.slow
def test_a_morning_of_a_learner(folder, file):
    with watching(folder) as terminal:
        terminal.until("There is no file work/01_vector_add.cu", "ladder start 01", "y/n", *FRAME)
        terminal.type("y")
        terminal.until("01_vector_add: output not written", "emulated")
        assert file.read_text() == (ROOT / "lessons" / "01_vector_add" / "starter.cu").read_text()
        replace(file, UNGUARDED)
        page = terminal.until("out of bounds", "❱", "z[i] = x[i] + y[i]", "emulated")
        assert page.startswith("✗ 01_vector_add: out of bounds")
        file.write_text(RIGHT)  # in place, this time
        terminal.until("✓ 01_vector_add: passed  ★★☆", "1 of ", "rung 1 of 3: one element ✓ · next: grid stride")
        file.unlink()
        terminal.until("There is no file work/01_vector_add.cu")
        replace(file, "")
        terminal.until("the file is empty")
        assert not terminal.page.overflown
        terminal.type("q")
        assert (terminal.end(), terminal.restored) == (0, True)
    assert '"01_vector_add"' in (folder / "work" / "progress.json").read_text()


@pytest.mark.slow
def test_keys(folder, file):
    file.write_text(WRONG)
    with watching(folder) as terminal:
        terminal.type("h")  # before there is anything at all
        terminal.until("Hint 1 of 3 for vector_add, rung 1: one element (2 more")
        terminal.type("h")
        terminal.until("Hint 2 of 3", "esc verdict")
        terminal.type("\x1b")
        terminal.until("wrong result", "emulated")
        terminal.type("l")
        terminal.until("05_atomics", "started")
        terminal.type("s")
        terminal.until("See the solution all the same? y/n")
        terminal.type("n")
        terminal.until("05_atomics", gone="y/n")
        terminal.type("sy")
        page = terminal.until("3_float4.cu", "more: ↓")
        terminal.type("\x1b[B \x1b[6~")
        assert terminal.until("the end", gone="more: ↓") != page
        terminal.type("e")
        terminal.until("traffic")
        terminal.type("n")
        terminal.until("not passed yet. Go on all the same? y/n")
        terminal.type("y")
        terminal.until("02_warp_divergence: ", "emulated")
        assert (folder / "work" / "02_warp_divergence.cu").exists()
        terminal.type("\x04")
        assert (terminal.end(), terminal.restored) == (0, True)


@pytest.mark.slow
def test_a_save_during_grading_restarts_it_and_keys_are_kept(folder, file):
    file.write_text(ENDLESS)
    with watching(folder) as terminal:
        terminal.until("running vector_add(n=1)")
        terminal.type("e")
        terminal.until("explain: as soon as the verdict is there")
        file.write_text(RIGHT)
        terminal.until("No line wastes sectors")  # the explanation, of the new text
        terminal.type("\x1b")
        terminal.until("✓ 01_vector_add: passed")
        assert "time is up" not in terminal.said
        terminal.type("v")
        terminal.until("work/views/01_vector_add.html shows it step by step: open it in a browser")
        assert (folder / "work" / "views" / "01_vector_add.html").read_text().startswith("<!doctype html>")
        replace(file, ENDLESS)
        terminal.until("running vector_add(n=1)", "load efficiency")  # below stands the last verdict
        terminal.type("q")
        assert (terminal.end(), terminal.restored) == (0, True)


@pytest.mark.whole
def test_other_files_do_not_matter(folder, file):
    file.write_text(RIGHT)
    with watching(folder) as terminal:
        seed = re.search(r"seed \d+", terminal.until("✓ 01_vector_add: passed", "emulated"))[0]
        (file.parent / "02_warp_divergence.cu").write_text("int x;\n")
        (file.parent / "01_vector_add.cu~").write_text("int x;\n")
        file.chmod(0o600)
        terminal.type("h")
        terminal.until("Hint 1 of 2")
        terminal.type("\x1b")
        terminal.until("✓ 01_vector_add: passed", seed, gone="esc verdict")
        os.utime(file)  # saved as it is
        terminal.until("✓ 01_vector_add: passed", "seed ", gone=seed)
        terminal.type("q")
        assert terminal.end() == 0


# ---- the terminal ----


@pytest.mark.parametrize(
    ("end", "code"),
    [("\x03", 130)]
    + [
        pytest.param(number, 128 + number, marks=pytest.mark.slow)
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
    ],
)
@pytest.mark.slow
def test_however_it_ends_the_terminal_is_as_it_was(folder, file, end, code):
    file.write_text(ENDLESS)
    with watching(folder) as terminal:
        terminal.until("running vector_add(n=1)")
        assert not terminal.page.cursor and terminal.page.second
        assert not terminal.page.overflown
        terminal.type(end) if isinstance(end, str) else terminal.process.send_signal(end)
        assert terminal.end() == code
        assert terminal.restored and "Traceback" not in terminal.said


@pytest.mark.whole
def test_a_fault_leaves_the_terminal_as_it_was(folder):
    code = """
from grader.faces import cli, watch
def broken(self): raise ZeroDivisionError("oh")
watch.Watcher.press_list = broken
raise SystemExit(cli.run(["watch", "01"]))
"""
    with Terminal([sys.executable, "-c", code], env=environment(folder), cwd=folder) as terminal:
        terminal.until("There is no file")
        terminal.type("nl")
        assert terminal.end() == 2
        assert terminal.restored and "ZeroDivisionError: oh" in terminal.said and "Traceback" not in terminal.said
    os.unlink(re.search(r"(\S+\.log)", terminal.said.replace("\r\n", ""))[1])


@pytest.mark.whole
def test_it_can_be_put_to_sleep(folder):
    with watching(folder) as terminal:
        terminal.until("There is no file")
        terminal.type("\x1a")
        while "T" not in Path(f"/proc/{terminal.process.pid}/stat").read_text().rpartition(")")[2].split()[0]:
            terminal.read()
        terminal.read()
        assert terminal.restored
        terminal.process.send_signal(signal.SIGCONT)
        terminal.until("There is no file", "q quit")
        terminal.type("q")
        assert (terminal.end(), terminal.restored) == (0, True)


def test_it_follows_the_size_of_the_terminal(folder):
    with watching(folder) as terminal:
        terminal.until("There is no file", "q quit")
        terminal.resize(60, 12)
        for _ in range(2):  # the first page may have been begun for the old size
            terminal.page.__init__(60, 12)
            terminal.process.send_signal(signal.SIGWINCH)
            page = terminal.until("There is no file", "q quit")
        assert page.splitlines()[11].startswith("h hint")
        assert not terminal.page.overflown


@pytest.mark.whole
def test_colour_is_optional(folder, file):
    file.write_text(WRONG)
    with watching(folder) as coloured, watching(folder, NO_COLOR="1") as plain:
        for terminal in (coloured, plain):
            terminal.until("✗ 01_vector_add: wrong result", "emulated")
        colours = [set(re.findall(r"\x1b\[(?:\d;)*3[0-7]m", terminal.said)) for terminal in (coloured, plain)]
        assert colours[0] and not colours[1]


# ---- without a terminal ----


@pytest.mark.whole
def test_piped_it_prints_plain_verdicts(folder, file):
    for name in ("cards", "benchmarks"):
        (folder / name).symlink_to(ROOT / name)
    file.write_text(WRONG)
    process = subprocess.Popen(
        WATCH, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, env=environment(folder), cwd=folder
    )
    said = []

    def until(word):
        end = time.monotonic() + PATIENCE
        while not any(word in line for line in said):
            assert time.monotonic() < end, said
            said.append(process.stdout.readline())

    try:
        until("watching work/01_vector_add.cu")
        until("✗ 01_vector_add: wrong result")
        until("emulated")
        file.unlink()
        until("There is no file")
        replace(
            file,
            f"#include <cstdio>\n{RIGHT}".replace(
                "if (i < n)", 'if (i == 3000) printf("i is %d\\n", i);\n    if (i < n)'
            ),
        )
        until("✓ 01_vector_add: passed")
        until("What your program printed")
        until("i is 3000")
        until("modelled on an H200: ")  # after the verdict, which did not wait for it
        assert not any("right save" in line for line in said)
        replace(file, SLOW)
        until(" times as slow as the last right save")
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    assert process.returncode == 130
    assert "\x1b" not in "".join(said) + rest


# ---- the page itself ----


def page_of(folder, monkeypatch, grade, source):
    """The lines that `ladder watch` draws for this grade on a terminal of 80 x 24."""
    monkeypatch.setenv("LADDER_COURSE", str(folder))
    entry = catalog.find(grade.lesson, folder)
    with Bell() as bell:
        watcher = watch.Watcher(entry, "emulator", bell)
        watcher.screen = SimpleNamespace(size=os.terminal_size((80, 24)))
        watcher.last = watch.Run(entry, "emulator", bell.ring)
        watcher.last.grade, watcher.last.source = grade, source
        lines = watcher.lines()
        watcher.close()
    return lines


def fits(lines):
    """Whether the page shows all there is to say, its end included."""
    return len(lines) == 24 and max(map(len, lines)) <= 80 and not any("more: ↓" in line for line in lines)


@pytest.mark.parametrize("status", [status for status in STATUSES if status != "passed"])
def test_a_failing_page_of_every_status_fits(folder, file, monkeypatch, status):
    file.write_text(WRONG)
    finding = Finding(status, f"{'a sentence of the usual length, ' * 5}and its end", line=9, kernel="add_elements",
                      block=(0, 0, 0), thread=(31, 0, 0), details={"other_line": 4})  # fmt: skip
    case = CaseGrade("m=641 n=516 k=8", status, finding.message, findings=[finding])
    task = TaskGrade("vector_add", status, 0, cases=[case, case], message=finding.message)
    if status == "build_error":
        found = Diagnostic(f"{'an error as long as g++ likes them, ' * 4}and its end", 9, 5, "    z[i] = x[i] + y[i]")
        task = TaskGrade("vector_add", status, 0, diagnostics=[found, found, found])
    if status in ("crash", "timeout"):
        task.output = "printed\n"
    device = {"kind": "emulator", "name": "emulated GPU"}
    failed = Grade("01_vector_add", "work/01_vector_add.cu", device, status, 0, 7, [task])
    lines = page_of(folder, monkeypatch, failed, RIGHT)
    assert fits(lines) and TITLES[status] in lines[0] and any("seed 7" in line for line in lines)


@pytest.mark.parametrize("status", ["passed", "wrong_result"])
def test_what_a_kernel_prints_is_on_the_page(folder, file, monkeypatch, status):
    file.write_text(RIGHT)
    case = CaseGrade("n=5", status, "z[1] is 3")
    task = TaskGrade("vector_add", status, 0, cases=[case], output="[block 0, thread 1] first\nsecond\n")
    device = {"kind": "emulator", "name": "emulated GPU"}
    grade = Grade("01_vector_add", "work/01_vector_add.cu", device, status, 0, 7, [task])
    lines = [line.strip() for line in page_of(folder, monkeypatch, grade, RIGHT)]
    assert lines[lines.index("What your program printed:") + 1 :][:2] == ["[block 0, thread 1] first", "second"]


def test_a_fault_of_the_model_is_a_sentence_beside_the_verdict(folder, file, monkeypatch):
    """It is Ladder's own: the kernel stays right, and no thread ends in a traceback."""
    file.write_text(RIGHT)
    device = {"kind": "emulator", "name": "emulated GPU"}
    right = Grade("01_vector_add", str(file), device, "passed", 1, 7, [TaskGrade("vector_add", "passed", 1)])
    monkeypatch.setattr("grader.faces.watch_run.grade", lambda entry, **how: right)
    import_module("grader.model.withheld")  # which would keep what it imports now
    monkeypatch.setattr("grader.model.times.sampled", lambda *asked: {}["no such key"])
    (folder / "cards").symlink_to(ROOT / "cards")
    run = watch.Run(catalog.find("01", folder), "emulator", lambda: None)
    run.run()
    assert run.grade is right and not run.problem
    assert "KeyError" in run.pace and "fault in Kernel Ladder" in run.pace and len(run.pace.splitlines()) == 1


LONGEST = f"thread (63, 0, 0) of block (1562, 0, 0) {'says what no lesson has said at greater length, ' * 4}and ends"
PATTERN = "Every element is close, but not close enough: too few bits somewhere, or a sum that loses small terms."


def worst(entry, status):
    """A grade of this lesson that fails with the longest call there is, and with sentences of the greatest length."""
    asked, name = max(
        ((task, case.name) for task in entry.lesson.tasks for case in task.judged_cases), key=lambda pair: len(pair[1])
    )
    finding = Finding(status, LONGEST, line=20, kernel="a_kernel_whose_name_says_it_all", block=(1562, 0, 0),
                      thread=(63, 0, 0), details={"other_line": 40})  # fmt: skip
    case = CaseGrade(name, status, LONGEST, findings=[finding])
    if status in ("wrong_result", "not_written"):  # what the judge has seen, and not the emulator
        details = {"allowed": 1.2e-7, "total": 1000, "pattern": "p", "pattern_message": PATTERN, "block": [1562, 0, 0]}
        case = CaseGrade(name, status, LONGEST[:100], details=details | {"thread": [63, 0, 0]})
    task = TaskGrade(asked.name, status, 0, cases=[case, case])
    if status == "missing_entry_point":
        task = TaskGrade(asked.name, status, 0, f"there is no such function: the file must define `{asked.prototype}`")
    others = [TaskGrade(other.name, status, 0) for other in entry.lesson.tasks if other is not asked]
    device = {"kind": "emulator", "name": "emulated GPU"}
    return Grade(entry.name, shown_path(entry.work_file), device, status, 0, 7, [task, *others], {"build": 1, "run": 1})


@pytest.mark.parametrize(
    "lesson", long_tail([entry.name for entry in catalog.entries(ROOT) if not entry.puzzles], every=4)
)
def test_the_longest_failing_page_of_every_lesson_fits(folder, monkeypatch, lesson):
    monkeypatch.chdir(folder)
    entry = catalog.find(lesson, folder)
    for status in STATUSES[1:]:
        lines = page_of(folder, monkeypatch, worst(entry, status), inlined(entry.reference))
        assert fits(lines), "\n".join([status, *lines])
        assert TITLES[status] in lines[0] and any("seed 7" in line for line in lines)


FAILING = [(entry, mistake) for entry, mistake in MISTAKES if mistake.expected[0] != "passed"]
SHOWN = [pair for pair in FAILING if pair[1].tasks is None or is_first_of_its_status(*pair)]


def is_graded(entry, mistake) -> bool:
    """By tests/lessons, in all of its tasks."""
    return mistake.tasks is None and (a_mistake_is_fast(entry, mistake) or a_mistake_is_slow(entry, mistake))


@pytest.mark.parametrize(("entry", "mistake"), **named(SHOWN, lambda *each: False, is_graded))
def test_the_page_of_a_real_mistake_fits(folder, monkeypatch, graded_lessons, entry, mistake):
    found = grade(entry, mistake.whole, device="emulator", seed=SEED)
    assert not found.passed and fits(page_of(folder, monkeypatch, found, mistake.text()))
