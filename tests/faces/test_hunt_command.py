"""`ladder hunt` as a learner types it: repairs, answers, rewrites, giving up; graded on the emulator."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from grader.course import hunt, progress
from grader.course.catalog import find
from grader.course.handout import Handout
from grader.course.hunt import Handed
from grader.course.inline import inlined


@pytest.fixture
def hand_out(course, ladder):
    """hand_out("01", "no_guard") hands that mistake out, as the lesson's last; its handout and the learner's file."""

    def hand_out(lesson: str, name: str) -> tuple[Handout, Path]:
        entry = find(lesson, course)
        with hunt.changing(course) as state:
            for mistake in entry.mistakes:
                state.handed[state.key(entry, mistake)] = Handed(0, "", open=mistake.name == name)
        code, out, _ = ladder("hunt", lesson)
        handout, handed = hunt.load(course).open(entry)
        assert (code, handout.mistake.name) == (0, name) and f"work/hunt/{lesson}_{handed.number}.cu" in out
        return handout, hunt.file_of(entry, handed.number)

    return hand_out


def test_a_mistake_is_handed_out_answered_and_mended(hand_out, ladder, course):
    handout, file = hand_out("01", "guard_off_by_one")
    assert file.read_text() == handout.text and "if (i <= n) {" in handout.text
    line = handout.text.splitlines().index("    if (i <= n) {") + 1

    code, out, _ = ladder("hunt")  # goes on where it was
    assert code == 0 and "which is as it was handed out" in out and "`ladder hunt 01 --give-up`" in out
    assert "0 of 36 points, 17 of 18 mistakes" in out and "out_of_bounds, slow" in out

    for answer, says in {
        (str(line + 5), "race"): "`race` is no kind of this lesson: say host_access, ",
        ("some", "slow"): "`some` is no line of work/hunt/01_19.cu: say a number from 1 to ",
        ("0", "slow"): "`0` is no line",
        ("999", "slow"): "`999` is no line",
    }.items():
        code, _, said = ladder("hunt", "01", "--answer", *answer)
        assert code == 2 and says in said
    for answer, says in {
        (str(line + 5), "slow"): f"not at line {line + 5}, and it is not `slow`",
        (str(line + 5), "OUT-OF-BOUNDS"): f"The kind is `out_of_bounds`, but the mistake is not at line {line + 5}",
        ("wrong result", str(line)): f"at line {line}, but it is not `wrong_result`",
    }.items():
        code, out, _ = ladder("hunt", "01", "--answer", *answer)
        assert code == 1 and says in out
    assert "0 of 36 points, 17 of 18 mistakes, 3 wrong answers" in out
    code, out, _ = ladder("hunt", "--answer", str(line), "out")
    assert code == 0 and f"✓ found, 1 point: {handout.mistake.sentence}" in out and "mend it for 1 point more" in out

    file.write_text(handout.text.replace("y[i];", "x[i];"))
    code, out, _ = ladder("hunt", "01")
    assert code == 1 and "out of bounds" in out and "It is not mended yet." in out
    file.write_text(handout.text.replace("i <= n", "i < n"))
    code, out, _ = ladder("hunt", "01")
    assert code == 0 and f"✓ mended, 2 points: {handout.mistake.sentence}" in out
    assert "2 of 36 points, 18 of 18 mistakes, 3 wrong answers" in out and "Next: type `ladder hunt`\n" in out
    assert "hunt: 2 of 36" in ladder()[1]
    assert not progress.load(course).lessons  # the kernel was the course's

    code, out, _ = ladder("hunt", "01")
    assert code == 0 and "No mistake is left here." in out
    code, _, said = ladder("hunt", "01", "--answer", "1", "slow")
    assert code == 2 and "no mistake of lesson 01 in hand: `ladder hunt 01` hands one out" in said
    assert "02_1.cu" in ladder("hunt")[1]


def test_a_check_of_what_was_handed_out_earns_no_stars(hand_out, ladder, course):
    handout, file = hand_out("01", "reads_z")
    file.write_text(handout.mended)
    code, out, _ = ladder("check", "01", str(file))
    assert code == 0 and "passed" in out and not progress.load(course).lessons


@pytest.mark.slow
def test_what_is_slow_is_mended_when_it_meets_what_its_rung_meets_and_not_by_a_rewrite(hand_out, ladder, course):
    handout, file = hand_out("01", "one_block")
    file.write_text(handout.text.replace("blocks = 1;", "blocks = 2;"))  # each adds all
    code, out, _ = ladder("hunt", "01")
    assert code == 1 and "✓ 01_vector_add: passed" in out
    assert "a target is missed that a repair meets: loads of each byte, stores of each byte, working blocks" in out

    file.write_text((course / "kernels" / "01_vector_add" / "3_float4.cu").read_text())
    code, out, _ = ladder("hunt", "01")
    most = handout.most_changes
    assert code == 1 and "it is a rewrite: " in out and f"a repair has {most} at most" in out
    assert "Without work/hunt/01_19.cu, `ladder hunt 01` writes it again" in out
    file.unlink()
    assert ladder("hunt", "01")[0] == 0 and file.read_text() == handout.text

    file.write_text(inlined(handout.mistake.base))  # its head, too: comments are no changes
    code, out, _ = ladder("hunt", "01")
    assert code == 0 and "mended, 2 points" in out


def test_giving_up_shows_what_mends_it_and_keeps_the_point_for_a_name(hand_out, ladder):
    handout, file = hand_out("04", "no_first_barrier")
    line = next(at for at, text in enumerate(handout.text.splitlines(), start=1) if "Bs[y][x] =" in text)
    assert ladder("hunt", "04", "--answer", str(line), "race")[0] == 0
    file.write_text(handout.text + "int more;\n")
    out = ladder("hunt", "04", "--answer", str(line), "race")[1]
    assert "or leave it and type `ladder hunt 04 --give-up`" in out
    code, out, _ = ladder("hunt", "04", "--give-up")
    assert code == 0 and f"{handout.mistake.sentence} (race)" in out and "+        __syncthreads();" in out
    assert "1 of 26 points, 13 of 13 mistakes" in out and "wrong" not in out.partition("points")[2]
    code, _, said = ladder("hunt", "04", "--give-up")
    assert code == 2 and "no mistake of lesson 04 in hand" in said


def test_what_was_named_and_is_left_as_it_is_gives_way_to_the_next(ladder, course):
    ladder("hunt", "02")
    entry = find("02", course)
    handout, _ = hunt.load(course).open(entry)
    line = next(line for line in range(4, 99) if handout.is_at(line, handout.text))
    for _ in range(2):
        kind = "slow" if handout.mistake.expected[0] == "passed" else handout.mistake.expected[0]
        assert ladder("hunt", "02", "--answer", str(line), kind)[0] == 0
    code, out, _ = ladder("hunt", "02")
    assert code == 0 and "work/hunt/02_2.cu" in out and "1 of 24 points, 1 of 12 mistakes" in out


def test_wrong_usage_and_a_damaged_file_are_told(ladder, course):
    assert "not both" in ladder("hunt", "01", "--give-up", "--answer", "1", "race")[2]
    assert "no lesson `99`" in ladder("hunt", "99")[2]
    assert "`ladder hunt 03` hands one out" in ladder("hunt", "03", "--give-up")[2]
    (course / "work").mkdir(exist_ok=True)
    (course / "work" / "hunt.json").write_text("{")
    code, out, said = ladder("hunt", "01")
    assert code == 0 and "is now hunt.json.damaged" in said and "work/hunt/01_1.cu" in out
    assert json.loads((course / "work" / "hunt.json").read_text())["schema"] == 1
    (course / "work" / "hunt.json").write_text("{")
    assert "hunt.json.damaged-2" in ladder()[1]


@pytest.mark.slow
def test_a_whole_file_is_mended_by_another_kernel_and_named_by_any_of_its_lines(course, hand_out, ladder):
    shipped = find("01", course)
    slow = next(each for each in shipped.mistakes if each.name == "one_block").text()
    shutil.copytree(shipped.folder, course / "own" / shipped.name)
    (course / "lessons").unlink()
    (course / "own").rename(course / "lessons")
    (course / "lessons" / shipped.name / "mistakes" / "another_way.cu").write_text(slow)

    handout, file = hand_out("01", "another_way")
    assert handout.mended is None
    line = handout.text.splitlines().index("constexpr int kBlock = 256;") + 1
    code, out, _ = ladder("hunt", "01", "--answer", str(line), "slow")
    assert code == 0 and "found" in out
    file.write_text(handout.text.replace("kBlock = 256", "kBlock = 128"))
    code, out, _ = ladder("hunt", "01")
    assert code == 1 and "it earns no more stars than what was handed out" in out
    file.write_text(inlined(find("01", course).reference))
    assert "mended, 2 points" in ladder("hunt", "01")[1]
