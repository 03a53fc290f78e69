"""From one rung to the next: `ladder start`, `hint` and `solution` with --rung, and what a check remembers."""

from __future__ import annotations

import json

import pytest

from grader.course import progress
from grader.course.catalog import find
from grader.course.inline import inlined

COPY = "// mine\n"


def is_one_sentence(text):
    return text.startswith("ladder: ") and text.count("\n") == 1 and "Traceback" not in text


@pytest.fixture
def file(course):
    return course / "work" / "04_tiled_matmul.cu"


def rung(course, lesson, name):
    entry = find(lesson, course)
    return inlined(entry.rung_file(entry.lesson.tasks[0].name, name))


def test_start_at_a_rung_puts_the_one_below_there_and_keeps_what_was_there(ladder, course, file):
    code, out, err = ladder("start", "04", "--rung", "4")
    assert (code, err) == (0, "") and file.read_text() == rung(course, "04", "shared_tile")
    assert "is rung 3 now: tiles of a and b in shared memory" in out and "backup" not in out
    assert "rung 4 of 13: 8 x 8 outputs a thread" in out and "`ladder hint 04 --rung 4`" in out
    file.write_text(COPY)
    assert "work/04_tiled_matmul.backup-1.cu" in ladder("start", "04", "--rung", "2")[1]
    assert file.read_text() == rung(course, "04", "down_the_rows")
    assert (course / "work" / "04_tiled_matmul.backup-1.cu").read_text() == COPY
    assert "the starter now" in ladder("start", "04", "--rung", "1")[1]
    assert file.read_text() == (course / "lessons" / "04_tiled_matmul" / "starter.cu").read_text()
    assert "backup" not in ladder("start", "04", "--rung", "6")[1]  # the starter is kept in lessons/
    assert "stays as it is" in ladder("start", "04")[1]


def test_a_hint_without_a_number_is_for_the_rung_that_was_started_at(ladder, course, file):
    assert "matmul, rung 1:" in ladder("hint", "04")[1]
    ladder("start", "04", "--rung", "4")
    file.write_text(COPY)
    assert "matmul, rung 4:" in ladder("hint", "04")[1] and "matmul, rung 2:" in ladder("hint", "04", "--rung", "2")[1]
    reached = [rung.name for rung in find("04", course).lesson.tasks[0].ladder[:7]]
    progress.record(course, "04_tiled_matmul", 2, True, rungs={"matmul": reached})
    assert "matmul, rung 8:" in ladder("hint", "04")[1]
    ladder("reset", "04", "--yes")
    (course / "work" / "progress.json").unlink()
    assert "matmul, rung 1:" in ladder("hint", "04")[1]


TWO_RUNGS = """
from dataclasses import replace
lesson = replace(lesson, tasks=[replace(task, ladder=task.ladder[:2], stars={}) for task in lesson.tasks[::2]])
"""


@pytest.fixture
def together(course):
    """Lesson 03 without folders: its row sum and its transpose, whose two rungs are files that hold both."""
    own = {part: course / "own" / part / "03_coalescing" for part in ("lessons", "kernels")}
    for part, folder in own.items():
        folder.mkdir(parents=True)
        home = course / part
        texts = {each.name: each.read_text() for each in (home / "03_coalescing").iterdir() if each.is_file()}
        if part == "kernels":
            texts = {
                f"{name}.cu": "#include <cstdint>\n"
                + "".join(
                    f"namespace of_{task} {{\n{(home / '03_coalescing' / task / f'{name}.cu').read_text()}}}\n"
                    for task in ("row_sum", "transpose")
                )
                for name in ("1_one_thread", "2_tile")
            }
        for name, text in texts.items():
            (folder / name).write_text(text + TWO_RUNGS if name == "lesson.py" else text)
        home.unlink()
        home.symlink_to(folder.parent)


def test_a_file_of_several_tasks_needs_no_task_where_they_climb_alike(ladder, course, together):
    assert "rung 2 of 2" in ladder("start", "03", "--rung", "2")[1]
    assert (course / "work" / "03_coalescing.cu").read_text() == rung(course, "03", "one_thread")
    assert "turn the corner" in ladder("start", "03", "--rung", "2", "--task", "transpose")[1]


@pytest.mark.slow
def test_a_ladder_of_one_task_is_gone_on_with_alone(ladder, course):
    code, out, err = ladder("start", "05", "--task", "histogram", "--rung", "2")
    own = course / "work" / "05_atomics.cu"
    text = own.read_text()
    assert (code, err) == (0, "") and "rung 2 of" in out and "`ladder check 05 --task histogram`" in out
    assert "It holds histogram alone, with empty functions for sum.\n" in out
    assert text.startswith(inlined(find("05", course).rung_file("histogram", "every_element")))
    assert 'extern "C" void sum(const float* x, float* out, int n, cudaStream_t stream) {' in text
    code, out, err = ladder("check", "05", "--task", "histogram", "--device", "emulator")
    assert code == 0 and "rung 1 of" in out and "1_every_element.cu: it is not noted as yours" in err
    assert progress.load(course).rungs("05_atomics", "histogram") == []
    own.write_text(text + COPY)
    code, out, _ = ladder("check", "05", "--device", "emulator")
    assert code == 1 and "sum" in out
    assert progress.load(course).rungs("05_atomics", "histogram") == ["every_element"]
    assert progress.load(course).rungs("05_atomics", "sum") == []
    out = ladder("start", "05", "--task", "histogram", "--rung", "2")[1]
    assert "What you had written of sum is in work/05_atomics.backup-1.cu: copy it from there." in out
    said = ladder("start", "05", "--rung", "2")[2]
    assert is_one_sentence(said) and "say for which task: `ladder start 05 --rung 2 --task sum`" in said
    out = ladder("solution", "05", "--task", "sum", "--rung", "1", "--reveal")[1]
    assert out.startswith("// Rung 1 of") and "void sum(" in out and "histogram" not in out
    assert "#include" not in ladder("solution", "05", "--reveal")[1].replace("#include <", "")


LAST = "type --rung and a number, 1 (down the rows) to 13 (split k)"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["start", "04", "--rung", "99"], f"matmul has no rung 99: {LAST}"),
        (["start", "04", "--rung", "0"], f"matmul has no rung 0: {LAST}"),
        (["start", "04", "--rung", "-1"], f"matmul has no rung -1: {LAST}"),
        (["start", "04", "--rung", "four"], "'four' is not a valid integer"),
        (["start", "04", "--task", "matmul"], "add --rung"),
        (["start", "03", "--rung", "2", "--task", "matmul"], "lesson 03_coalescing has no task `matmul`"),
        (["start", "08", "--rung", "9", "--task", "attention_backward"], "1 (thread a row) to 6 (keys by size)"),
        (["hint", "04", "--rung", "14"], f"matmul has no rung 14: {LAST}"),
        (["hint", "04", "--rung", "0"], f"matmul has no rung 0: {LAST}"),
        (["solution", "04", "--rung", "99"], f"matmul has no rung 99: {LAST}"),
        (["solution", "04", "--task", "matmul"], "add --rung"),
        (["solution", "04", "--rung", "4"], "type `ladder solution 04 --rung 4 --reveal`"),
        (["solution", "03", "--task", "transpose", "--rung", "2"], "`ladder hint 03 --task transpose --rung 2`"),
    ],
)
def test_wrong_rungs_are_one_sentence_and_change_nothing(ladder, course, file, arguments, said):
    file.parent.mkdir()
    file.write_text(COPY)
    code, out, err = ladder(*arguments)
    assert (code, out) == (2, "") and is_one_sentence(err) and said in err
    assert [each.name for each in file.parent.iterdir()] == [file.name] and file.read_text() == COPY


def test_a_rung_without_its_kernel_is_one_sentence(ladder, course):
    (course / "kernels").unlink()
    (course / "kernels").mkdir()
    for command in (["start", "04", "--rung", "3"], ["solution", "04", "--rung", "3", "--reveal"]):
        code, out, err = ladder(*command)
        assert (code, out) == (2, "") and is_one_sentence(err) and "has no kernel for rung" in err


def test_hints_help_with_the_next_rung(ladder, course):
    assert "Hint 1 of 1 for matmul, rung 1: down the rows" in ladder("hint", "04")[1]
    progress.record(course, "04_tiled_matmul", 0, False, rungs={"matmul": ["down_the_rows", "shared_tile"]})
    shown = [ladder("hint", "04")[1] for _ in range(3)]
    assert "Hint 1 of 3 for matmul, rung 4: register tile" in shown[0] and "2 hints left: `ladder hint 04`" in shown[0]
    assert "Hint 3 of 3" in shown[2] and "`ladder solution 04 --rung 4 --reveal`" in shown[2]
    assert "Hint 1 of 3 for matmul, rung 5" in ladder("hint", "04", "--rung", "5")[1]
    progress.record(course, "04_tiled_matmul", 3, True, rungs={"matmul": ["split_k"]})
    assert "rung 13: split k" in ladder("hint", "04")[1]


def test_a_rungs_solution_is_for_those_who_have_reached_it(ladder, course):
    assert ladder("solution", "04", "--rung", "2", "--reveal")[1] == rung(course, "04", "along_the_rows")
    progress.record(course, "04_tiled_matmul", 0, False, rungs={"matmul": ["along_the_rows"]})
    for number, code in ((1, 0), (2, 0), (3, 2)):
        assert ladder("solution", "04", "--rung", str(number))[0] == code
    assert ladder("solution", "04")[0] == 2


def test_where_tasks_climb_by_other_files_the_task_must_be_named(ladder, course):
    for number, command in (("3", "start"), ("4", "start"), ("3", "solution")):
        code, out, err = ladder(command, "03", "--rung", number)
        assert (code, out) == (2, "") and is_one_sentence(err)
        assert f"say for which task: `ladder {command} 03 --rung {number} --task row_sum`" in err
    assert ladder("solution", "03", "--rung", "3", "--task", "transpose", "--reveal")[0] == 0


def test_a_solution_of_several_tasks_is_for_those_who_have_reached_it_in_all(ladder, course, together):
    progress.record(course, "03_coalescing", 0, False, rungs={"row_sum": ["one_thread", "tile"]})
    assert ladder("solution", "03", "--rung", "2")[0] == 2
    assert ladder("solution", "03", "--rung", "2", "--task", "row_sum")[0] == 0


def test_a_damaged_progress_costs_the_rungs_and_no_command(ladder, course):
    (course / "work").mkdir()
    (course / "work" / "progress.json").write_text("{")
    assert "rung 1" in ladder("hint", "04")[1]
    assert (course / "work" / "progress.json.damaged").read_text() == "{"


def test_a_check_says_the_rung_and_remembers_it_but_not_the_courses_own(ladder, course, graded_lessons):
    own = course / "work" / "01_vector_add.cu"
    ladder("start", "01", "--rung", "3")
    code, out, err = ladder("check", "01", "--device", "emulator")
    assert code == 0 and "▮▮▯ rung 2 of 3: grid stride ✓ · next: float4\n" in out
    assert is_one_sentence(err) and "the course's own 2_grid_stride.cu" in err
    assert progress.load(course).lessons == {}
    own.write_text(own.read_text() + COPY)
    task = json.loads(ladder("check", "01", "--device", "emulator", "--json")[1])["tasks"][0]
    assert (task["position"]["rung"], task["position"]["rungs"], task["position"]["next"]) == (2, 3, "float4")
    assert progress.load(course).rungs("01_vector_add", "vector_add") == ["one_element", "grid_stride"]
    assert "★★☆ ▮▮▯" in ladder()[1]


def test_one_task_of_several_keeps_its_rung_though_the_lesson_is_not_passed(ladder, course, graded_lessons, together):
    ladder("start", "03", "--rung", "2")
    own = course / "work" / "03_coalescing.cu"
    own.write_text(own.read_text() + COPY)
    assert ladder("check", "03", "--task", "transpose", "--device", "emulator")[0] == 0
    done = progress.load(course)
    assert (done.passed("03_coalescing"), done.rungs("03_coalescing", "transpose")) == (False, ["one_thread"])
    assert done.rungs("03_coalescing", "row_sum") == []
