"""What a learner reads: complete, short, and safe for a terminal."""

from dataclasses import replace

import pytest
from grades import BROKEN, CRASHED, OUT_OF_BOUNDS, PASSED, POSITION, SOURCE, TARGETS, TIMED, WRONG, failed
from rich.console import Console

from grader.devices.evidence import Finding
from grader.judge.verdict import STATUSES, CaseGrade, Position, TargetResult, TaskGrade
from grader.report.messages import ADVICE, TITLES, read_about
from grader.report.terminal import make_console, show


def text_of(grade, width=80, source=SOURCE, **extra) -> str:
    console = Console(width=width, highlight=False, markup=False, emoji=False)
    with console.capture() as capture:
        show(console, grade, source=source, **extra)
    return capture.get()


def words(text: str) -> str:
    """The text on one line, wherever it was wrapped."""
    return " ".join(text.split())


@pytest.mark.parametrize("status", [status for status in STATUSES if status != "passed"])
def test_a_failure_fits_a_small_terminal_and_says_the_verdict_first(status):
    text = text_of(failed(status, targets=TARGETS))
    lines = text.splitlines()
    assert lines[0] == f"✗ 01_vector_add: {TITLES[status]}  work/01_vector_add.cu"
    assert len(lines) <= 24 and max(map(len, lines)) <= 80
    assert "ladder hint 01" in lines[-1]
    assert words(ADVICE[status]) in words(text) or status == "build_error"
    assert f"Read: {read_about(status)}" in lines


def test_a_pass_shows_stars_cases_targets_and_the_next_step():
    text = text_of(PASSED, next_step="try float4.")
    assert text.startswith("✓ 01_vector_add: passed  ★★☆  work/01_vector_add.cu\n")
    assert "right in all 2 cases, largest error 10% of what is allowed" in text
    assert words(text).endswith("Next: meet the targets marked ✗ for the next rung, or go on: try float4.")
    assert words(text_of(replace(PASSED, tasks=[]), next_step="try float4.")).endswith("Next: try float4.")


def test_a_pass_says_which_rung_is_reached_and_which_is_next():
    lines = text_of(PASSED).splitlines()
    assert lines[2:4] == [
        "    ▮▯▯ rung 1 of 3: one element ✓ · next: grid stride",
        "      `ladder hint 01 --rung 2`: several elements a thread",
    ]
    task = PASSED.tasks[0]
    untold = replace(task, position=replace(POSITION, next_is_told=False, told=3))
    said = words(text_of(replace(PASSED, tasks=[untold], several=True)))
    assert (
        "thread (told apart on a GPU only; from there go on with `ladder hint 01 --task vector_add --rung 3`)" in said
    )
    top = replace(task, position=Position(3, 3, "float4", "16 bytes a load"))
    text = words(text_of(replace(PASSED, tasks=[top]), next_step="polar."))
    assert "▮▮▮ rung 3 of 3: float4 ✓ · the top" in text and text.endswith("Next: polar.")
    below = replace(task, position=Position(0, 3, next="one_element", next_idea="a thread for each element"))
    assert "▯▯▯ rung 1 of 3, not reached yet · next: one element" in text_of(replace(PASSED, tasks=[below]))


def test_each_of_several_tasks_has_its_rung():
    second = replace(PASSED.tasks[0], name="other", position=replace(POSITION, rung=2, name="grid_stride"))
    text = text_of(replace(PASSED, tasks=[PASSED.tasks[0], second], several=True))
    assert "✓ other       ★★☆  rung 2 of 3: grid stride" in text
    assert "`ladder hint 01 --task vector_add --rung 2`" in words(text)


def test_one_case_alone_is_not_called_all():
    task = replace(PASSED.tasks[0], cases=PASSED.tasks[0].cases[:1])
    assert "vector_add: right in the one case that ran, largest error 10%" in text_of(replace(PASSED, tasks=[task]))
    task = replace(OUT_OF_BOUNDS.tasks[0], cases=OUT_OF_BOUNDS.tasks[0].cases[1:])
    assert "vector_add(n=31)\n" in text_of(replace(OUT_OF_BOUNDS, tasks=[task]))


def test_special_inputs_are_named_beside_the_call():
    case = replace(OUT_OF_BOUNDS.tasks[0].cases[1], name="n=31 m=2 (one bin)")
    assert "vector_add(n=31, m=2), inputs: one bin  (1 of 2 cases fails)" in text_of(failed("out_of_bounds", case))


def test_targets_show_value_goal_and_why_a_missed_one_matters():
    lines = text_of(PASSED).splitlines()
    missed = next(line for line in lines if "load efficiency" in line)
    assert "✗" in missed and "50 %" in missed and ">= 97 %" in missed
    assert any("neighbouring threads should read neighbours" in line for line in lines)
    assert "    · 1 timed target needs a GPU" in lines


def test_the_footer_says_that_it_was_emulated_and_with_which_seed():
    text = text_of(PASSED)
    assert "emulated" in text and "seed 123" in text and "built in 0.4 s" in text


def test_a_finding_shows_the_call_the_place_and_the_line():
    text = text_of(OUT_OF_BOUNDS)
    assert "vector_add(n=31)  (1 of 2 cases fails)" in text
    assert "work/01_vector_add.cu:3, in kernel add, thread (31, 0, 0) of block (0, 0, 0)" in words(text)
    assert "❱    3 │     z[i] = x[i] + y[i];" in text
    assert "     2 │     int i" in text
    assert "This thread reads x[31], but x has 31 elements." in text
    assert "worth knowing" not in text


def test_a_finding_without_a_line_or_beyond_the_file_is_still_told():
    for line in (None, 0, 99):
        finding = replace(OUT_OF_BOUNDS.tasks[0].cases[1].findings[1], line=line)
        case = replace(OUT_OF_BOUNDS.tasks[0].cases[1], findings=[finding])
        assert "This thread reads x[31]" in text_of(failed("out_of_bounds", case))


def test_both_lines_of_a_race_are_shown():
    finding = replace(OUT_OF_BOUNDS.tasks[0].cases[1].findings[1], kind="race", line=3, details={"other_line": 1})
    case = replace(OUT_OF_BOUNDS.tasks[0].cases[1], status="race", findings=[finding])
    lines = [line for line in text_of(failed("race", case)).splitlines() if "│" in line]
    assert [line[:8] for line in lines] == ["  ❱    1", "       2", "  ❱    3", "       4"]


def test_a_wrong_result_shows_got_expected_allowed_pattern_and_thread():
    text = text_of(WRONG)
    assert "z[7] is 0, but should be 0.25" in text
    assert "The error may be 1.2e-07 here." in text
    assert "Everything from z[7] on is wrong" in text
    assert "With one thread an element, that is thread (7, 0, 0) of block (0, 0, 0)." in text


def test_the_case_that_tells_most_is_shown():
    numbers = failed("wrong_result").tasks[0].cases[1]
    pattern = replace(numbers, details={"pattern": "tail", "pattern_message": "All of it.", "total": 1})
    told = WRONG.tasks[0].cases[1]
    for first in (numbers, pattern):
        cases = [replace(first, name="n=1"), replace(told, name="n=257"), replace(told, name="n=999")]
        task = TaskGrade("vector_add", "wrong_result", 0, cases=cases)
        assert "vector_add(n=257)" in text_of(replace(WRONG, tasks=[task]))


def test_large_numbers_are_not_called_imprecise_where_another_case_is_far_off():
    details = {"pattern": "imprecise", "pattern_message": "Every element is close.", "total": 31}
    near = CaseGrade("n=31", "wrong_result", "z[0] is 16473.7", max_error=0.7, allowed_error=0.03, details=details)
    for error, shown in ((0.7, "z[0] is 6.28"), (1e-3, "Every element is close.")):
        far = CaseGrade("n=33", "wrong_result", "z[0] is 6.28", max_error=error, allowed_error=1e-5)
        task = TaskGrade("vector_add", "wrong_result", 0, cases=[near, far])
        assert shown in text_of(replace(WRONG, tasks=[task]))


def test_a_long_line_of_source_is_cut_and_not_wrapped():
    source = SOURCE.replace("z[i] = ", "z[i] = 0 + " + "0 + " * 30)
    marked = next(line for line in text_of(OUT_OF_BOUNDS, source=source).splitlines() if "❱" in line)
    assert marked.endswith("…") and len(marked) <= 80


def test_compiler_messages_point_at_the_learners_line():
    text = text_of(BROKEN)
    lines = text.splitlines()
    at = lines.index("  ❱    3 │     z[i] = x[i] + y[i]")
    assert lines[at - 1] == "work/01_vector_add.cu:3:23: expected ';' before '}' token"
    assert lines[at + 1].index("^") == lines[at].index("│") + 2 + 22
    assert "zz" in text and "third" not in text and "and 1 more" in text
    assert "warning: line 2: unused variable 'k'" in text
    assert ADVICE["build_error"] in words(text)


def test_a_value_just_short_of_its_goal_does_not_look_like_it():
    target = replace(TARGETS[0], metric="branch_uniformity", value=0.99996, goal=">= 1")
    task = replace(PASSED.tasks[0], targets=[target])
    line = next(line for line in text_of(replace(PASSED, tasks=[task])).splitlines() if "uniform" in line)
    assert "99.996 %" in line and ">= 100 %" in line


def test_a_less_urgent_finding_does_not_stand_for_the_verdict():
    leak = replace(OUT_OF_BOUNDS.tasks[0].cases[1].findings[1], kind="leak", message="64 bytes leak")
    case = replace(OUT_OF_BOUNDS.tasks[0].cases[1], findings=[leak], message="Memory beside z was overwritten.")
    text = text_of(failed("out_of_bounds", case))
    assert "Memory beside z was overwritten." in text and "64 bytes" not in text


def test_nothing_that_is_shown_can_move_the_cursor():
    source = SOURCE.replace("z[i] =", "z[i] /*\x1b[2J\x9b*/ =")
    finding = replace(OUT_OF_BOUNDS.tasks[0].cases[1].findings[1], message="assert `\x1b]0;x\x07`")
    case = replace(OUT_OF_BOUNDS.tasks[0].cases[1], findings=[finding])
    assert not set("\x1b\x9b\x07") & set(text_of(failed("out_of_bounds", case), source=source))
    note = replace(finding, severity="note")
    task = replace(PASSED.tasks[0], cases=[replace(case, status="passed", findings=[note])])
    text = text_of(replace(PASSED, tasks=[task]))
    assert "note: line 3: assert" in text and "\x1b" not in text


def test_what_a_submission_prints_cannot_move_the_cursor():
    text = text_of(CRASHED)
    assert "The program ended with exit code 3." in text
    assert "hello [2Jthere" in text and "\x1b" not in text


def test_text_in_brackets_is_not_taken_for_markup():
    case = replace(WRONG.tasks[0].cases[1], message="z[bold] is [red]wrong[/red] :smile:")
    assert "z[bold] is [red]wrong[/red] :smile:" in text_of(failed("wrong_result", case))


def test_several_tasks_are_listed_and_the_failing_one_is_explained():
    good = TaskGrade("row_sum", "passed", 2, cases=PASSED.tasks[0].cases)
    text = text_of(replace(WRONG, tasks=[good, WRONG.tasks[0]]))
    assert "✓ row_sum" in text and "✗ vector_add" in text and "z[7] is 0" in text
    assert len(text.splitlines()) <= 24


def test_no_colour_and_eighty_columns_when_piped(capsys):
    console = make_console()
    show(console, OUT_OF_BOUNDS, source=SOURCE)
    out = capsys.readouterr().out
    assert "\x1b" not in out and max(map(len, out.splitlines())) <= 80


def test_colour_on_a_terminal_unless_no_color(monkeypatch):
    def output():
        console = Console(force_terminal=True, width=80, markup=False, color_system="standard")
        with console.capture() as capture:
            show(console, PASSED)
        return capture.get()

    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[1;32m" in output()
    monkeypatch.setenv("NO_COLOR", "1")
    assert "32m" not in output()


@pytest.mark.parametrize("width", [40, 80, 200])
def test_any_width_will_do(width):
    for grade in (PASSED, OUT_OF_BOUNDS, WRONG, BROKEN, CRASHED):
        assert max(map(len, text_of(grade, width).splitlines())) <= width


def test_on_a_gpu_times_are_shown_and_counted_targets_are_not():
    targets = [
        TargetResult("fraction_of_copy", 1.027, ">= 0.97", 3, True),
        TargetResult("x_torch.add", 1.0027, ">= 1", 3, True),
        TargetResult("global_load_efficiency", None, ">= 0.97", 2, False),
    ]
    kernel = {"kernel": "add", "registers": 22, "local_bytes": 64, "shared_bytes": 1024, "occupancy": 0.75}
    task = TaskGrade("vector_add", "passed", 3, timings=TIMED, targets=targets, kernels=[kernel])
    text = text_of(replace(PASSED, device={"kind": "cuda", "name": "NVIDIA H200"}, tasks=[task]))
    for said in (
        "738 µs at n=268435456, median of 223 runs, noise 0.2%",
        "torch.add 740 µs, copy 4.25 TB/s",
        "add: 22 registers, 1,024 bytes shared, 64 bytes local, occupancy 75%",
        "fraction of copy",
        "103 %",
        "speed against torch.add",
        "1.003 x",
        "1 counted target needs the emulator",
        "NVIDIA H200",
    ):
        assert said in text
    assert "load efficiency" not in text and "for more stars" not in text


def test_what_the_emulator_finds_in_a_case_that_failed_on_a_gpu_is_shown_with_its_line():
    fault = Finding("out_of_bounds", "a thread read an address that belongs to no buffer")
    line = Finding("out_of_bounds", "thread 5 reads x[5]", line=3, kernel="add", details={"emulated": True})
    case = CaseGrade("n=5", "out_of_bounds", fault.message, findings=[fault, line])
    text = text_of(failed("out_of_bounds", case))
    assert text.index(fault.message) < text.index("The emulator, on the same input") < text.index(line.message)
    assert "work/01_vector_add.cu:3, in kernel add" in text


def test_the_case_that_the_emulator_was_asked_about_is_the_one_that_is_shown():
    fault = Finding("launch_error", "a launch asks for the impossible")
    line = Finding("launch_error", "the block has 512 threads", line=3, details={"emulated": True})
    asked = CaseGrade("n=1", "launch_error", fault.message, findings=[fault, line])
    pattern = {"pattern": "nothing", "pattern_message": "Nothing was written.", "total": 31}
    other = CaseGrade("n=31", "launch_error", fault.message, findings=[fault], details=pattern)
    grade = failed("launch_error", asked)
    grade.tasks[0].cases.append(other)
    text = text_of(grade)
    assert "vector_add(n=1)" in text and "The emulator, on the same input" in text and line.message in text


def test_what_a_task_prints_is_shown_though_another_one_is_told_first():
    wrong = failed("wrong_result").tasks[0]
    other = replace(wrong, name="twice", output="sum of block 0: 7\n")
    text = text_of(replace(failed("wrong_result"), tasks=[wrong, other]))
    assert "What your program printed in twice:\n    sum of block 0: 7" in text
