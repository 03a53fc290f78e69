"""A mistake is a whole file, or what it changes in one of the course's kernels: read, applied, made, and refused."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from grader.course.catalog import Entry, UsageError, entries, find
from grader.course.mistake import Mistake, difference
from grader.course.work import read_kernel

ROOT = Path(__file__).parents[2]
BASE = "kernels/01_add/1_plain.cu"
KERNEL = """\
// Rung 1 of 1: plain.
//
// It says more.

constexpr int kBlock = 256;

__global__ void add(int n) {
    if (i < n) {
        work();
    }
}

void run(int n) {
    add<<<n, kBlock>>>(n);
}
"""
HEAD = "// No guard.\n// Expect: out_of_bounds\n"
FILES = f"--- {BASE}\n+++ {BASE}\n"
HUNK = "@@ -7,5 +7,3 @@\n __global__ void add(int n) {\n-    if (i < n) {\n-        work();\n-    }\n+    work();\n }\n"
WHOLE = HEAD + "\nconstexpr int kBlock = 256;\n\n__global__ void add(int n) {\n    work();\n}\n\nvoid run(int n) {\n"
WHOLE += "    add<<<n, kBlock>>>(n);\n}\n"


@pytest.fixture
def entry(tmp_path: Path) -> Entry:
    """A course with one lesson, whose mistakes are still to be written."""
    (tmp_path / "kernels" / "01_add").mkdir(parents=True)
    (tmp_path / BASE).write_text(KERNEL)
    folder = tmp_path / "lessons" / "01_add"
    (folder / "mistakes").mkdir(parents=True)
    (folder / "starter.cu").write_text("// Lesson 01.\n\nvoid run(int n) {\n}\n")
    return Entry(tmp_path, "01_add")


def mistake(entry: Entry, text: str, name: str = "no_guard.diff") -> Mistake:
    file = entry.folder / "mistakes" / name
    file.write_bytes(text.encode())
    return next(each for each in entry.mistakes if each.file == file)


def refusal(entry: Entry, text: str) -> str:
    with pytest.raises(UsageError) as error:
        mistake(entry, text).text()
    said = str(error.value)
    assert said.startswith("lessons/01_add/mistakes/no_guard.diff: ") and "\n" not in said
    assert said.endswith(": make it again with `ladder new-mistake 01 no_guard FILE`")
    return said


# ---- the whole file ----


def test_the_whole_file_is_the_base_with_the_difference_under_the_mistakes_head(entry):
    made = mistake(entry, HEAD + FILES + HUNK)
    assert made.text() == WHOLE
    assert (made.name, made.sentence, made.base) == ("no_guard", "No guard.", entry.root / BASE)
    assert made.whole == entry.folder / "mistakes" / "no_guard.cu"


def test_a_whole_file_is_a_mistake_too(entry):
    made = mistake(entry, WHOLE, "no_guard.cu")
    assert made.text() == WHOLE and made.base is None and made.head == HEAD.splitlines()


def test_windows_line_ends_make_no_difference(entry):
    (entry.root / BASE).write_bytes(KERNEL.replace("\n", "\r\n").encode())
    assert mistake(entry, (HEAD + FILES + HUNK).replace("\n", "\r\n")).text() == WHOLE


def test_a_base_whose_lines_have_moved_still_fits(entry):
    (entry.root / BASE).write_text(KERNEL.replace("// It says more.", "// It says more.\n// And more.\n// And more."))
    assert mistake(entry, HEAD + FILES + HUNK).text() == WHOLE


def test_of_equal_places_the_nearest_to_the_line_number_is_meant(entry):
    (entry.root / BASE).write_text("// Head.\n" + "a\nb\nc\n" * 3)
    changed = "@@ -5,3 +5,3 @@\n a\n-b\n+B\n c\n@@ -8,3 +8,3 @@\n a\n-b\n+BB\n c\n"
    assert mistake(entry, HEAD + FILES + changed).text() == HEAD + "a\nb\nc\na\nB\nc\na\nBB\nc\n"


def test_an_empty_line_may_lack_its_blank_and_a_hunk_may_only_add(entry):
    changed = (
        "@@ -5,2 +5,3 @@\n constexpr int kBlock = 256;\n+constexpr int kMore = 1;\n\n@@ -12,0 +14,1 @@\n+// here\n"
    )
    made = mistake(entry, HEAD + FILES + changed).text()
    assert "kBlock = 256;\nconstexpr int kMore = 1;\n\n__global__" in made and "}\n\n// here\nvoid run" in made


# ---- what is no difference ----


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (HEAD + FILES + HUNK.replace("work()", "play()"), f"hunk 1 does not fit {BASE}"),
        (HEAD + FILES + HUNK + HUNK, f"hunk 2 does not fit {BASE}"),
        (HEAD + FILES.replace("1_plain", "2_gone") + HUNK, "there is no kernel kernels/01_add/2_gone.cu"),
        (HEAD + FILES.replace("kernels/", "kernels/../../") + HUNK, "is no file of kernels/ or lessons/"),
        (HEAD + FILES.replace("kernels/", "/etc/") + HUNK, "is no file of kernels/ or lessons/"),
        (HEAD + FILES.replace("kernels/", "work/") + HUNK, "is no file of kernels/ or lessons/"),
        (HEAD + FILES.replace("1_plain.cu", "") + HUNK, "there is no kernel kernels/01_add"),
        ("", "below its head should stand `--- kernels/…`"),
        (HEAD, "below its head should stand `--- kernels/…`"),
        (WHOLE, "below its head should stand `--- kernels/…`"),
        (HEAD + FILES, "it changes nothing"),
        (HEAD + FILES + "@@ -8,1 +8,1 @@\n     if (i < n) {\n", "it changes nothing"),
        (HEAD + FILES + "-    if (i < n) {\n", "`-    if (i < n) {` belongs to no hunk"),
        (HEAD + FILES + HUNK + "and so on\n", "`and so on` belongs to no hunk"),
        (
            HEAD + FILES + HUNK.replace("-7,5 +7,3", "seven"),
            "`@@ seven @@` belongs to no hunk, which begins as `@@ -12,5 +12,4 @@`",
        ),
        (HEAD + FILES + HUNK.replace("-7,5", "-7,6"), "hunk 1 has not as many lines as its line `@@` says"),
    ],
)
def test_what_is_wrong_with_a_difference_is_one_sentence(entry, text, says):
    assert says in refusal(entry, text)


def test_a_file_that_is_no_text(entry):
    (entry.folder / "mistakes" / "no_guard.diff").write_bytes(b"// \xff\n")
    with pytest.raises(UsageError, match="is no UTF-8"):
        entry.mistakes[0].text()


# ---- made from a whole file ----


def test_a_difference_is_made_from_the_nearest_base(entry):
    made = difference(entry.root, [entry.starter, entry.root / BASE], WHOLE.replace("\n", "\r\n"))
    assert made == HEAD + FILES + HUNK
    assert mistake(entry, made).text() == WHOLE


def test_a_header_that_the_base_includes_is_no_part_of_the_difference(entry):
    """As `ladder mistake` shows it: with the header's text in place of its name."""
    header = entry.root / "kernels/01_add/block.cuh"
    header.write_text("#pragma once\nconstexpr int kBlock = 256;\n\nconstexpr int kGrid = 8;\n")
    (entry.root / BASE).write_text(KERNEL.replace("constexpr int kBlock = 256;", '#include "block.cuh"'))
    made = mistake(entry, HEAD + FILES + HUNK)
    assert "kGrid = 8" in made.text() and "#include" not in made.text()
    assert difference(entry.root, [entry.root / BASE], made.text()) == HEAD + FILES + HUNK
    changed = made.text().replace("kGrid = 8", "kGrid = 9")  # not the header's any more
    assert "+constexpr int kGrid = 9;" in difference(entry.root, [entry.root / BASE], changed)


@pytest.mark.parametrize("program", [("patch", "-p0", "-i"), ("git", "apply", "-p0")], ids=lambda program: program[0])
def test_other_programs_apply_it_and_take_it_back(entry, program):
    if not shutil.which(program[0]):
        pytest.skip(f"there is no {program[0]} here")
    written, base = mistake(entry, HEAD + FILES + HUNK), (entry.root / BASE).read_text()
    subprocess.run([*program, str(written.file)], cwd=entry.root, check=True, capture_output=True)
    assert (entry.root / BASE).read_text().endswith(WHOLE.partition("\n\n")[2])
    subprocess.run([*program, str(written.file), "-R"], cwd=entry.root, check=True, capture_output=True)
    assert (entry.root / BASE).read_text() == base


# ---- where it has the name of the whole file ----


def test_a_kernel_is_read_by_the_whole_files_name(entry, monkeypatch):
    made = mistake(entry, HEAD + FILES + HUNK)
    assert read_kernel(made.whole, entry) == WHOLE
    monkeypatch.chdir(entry.root)
    assert read_kernel(Path("lessons/01_add/mistakes/no_guard.cu"), entry) == WHOLE
    with pytest.raises(UsageError, match=r"no_guard.diff is a difference: its whole file is .*no_guard.cu, `ladder ch"):
        read_kernel(Path("lessons/01_add/mistakes/no_guard.diff"), entry)
    with pytest.raises(UsageError, match="there is no file"):
        read_kernel(Path("lessons/01_add/mistakes/no_gard.cu"), entry)


def test_the_command_shows_the_whole_file_or_the_difference(ladder):
    entry = find("04", ROOT)
    made = next(each for each in entry.mistakes if each.name == "no_padding")
    assert ladder("mistake", "04", "no_padding") == (0, made.text(), "")
    assert ladder("mistake", "04", "no_padding", "--diff") == (0, made.file.read_text(), "")
    code, out, _ = ladder("mistake", "04")
    assert code == 0 and f"no_padding: {made.sentence}\n" in out
    code, _, said = ladder("mistake", "04", "no_paddin")
    assert code == 2 and "04_tiled_matmul has no mistake `no_paddin`: there are adds_to_c, " in said


def test_of_a_whole_file_there_is_no_difference_to_show(ladder, course):
    (course / "lessons").unlink()
    folder = shutil.copytree(ROOT / "lessons" / "01_vector_add", course / "lessons" / "01_vector_add")
    (folder / "mistakes" / "another_way.cu").write_text(WHOLE)
    assert ladder("mistake", "01", "another_way") == (0, WHOLE, "")
    code, _, said = ladder("mistake", "01", "another_way", "--diff")
    assert code == 2 and "leave out --diff" in said


def test_every_mistake_of_the_course_changes_at_most_ten_lines():
    """A whole file is not among them: a learner who hunts it could only write another one."""
    mistakes = [each for course in (ROOT, ROOT / "examples") for entry in entries(course) for each in entry.mistakes]
    assert [each.name for each in mistakes if not each.is_difference] == []
    hunks = {each.file: each.file.read_text().partition("\n@@ ")[2].splitlines()[1:] for each in mistakes}
    changed = {str(file): sum(line[:1] in ("+", "-") for line in lines) for file, lines in hunks.items()}
    assert len(changed) > 200 and {file: count for file, count in changed.items() if not 1 <= count <= 10} == {}
