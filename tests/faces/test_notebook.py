"""The notebooks' face: magics and functions, as a notebook uses them."""

from __future__ import annotations

import json
import shutil
import sysconfig
from pathlib import Path

import pytest
import torch
from IPython.core.interactiveshell import InteractiveShell

from docs import notebooks
from grader.course import predictions, progress
from grader.course.catalog import UsageError
from grader.faces import bench, magics, notebook
from grader.report.overview import course_rows, show_course
from grader.report.pages import page

ADD = """
__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}
extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<(n + 255) / 256, 256, 0, stream>>>(x, y, z, n);
}
"""

IMPORT = "from grader.faces.notebook import *"


@pytest.fixture
def shell(course):
    """A notebook's Python, with the extension."""
    shell = InteractiveShell()
    shell.run_line_magic("load_ext", "grader.faces.notebook")
    magics._typed.clear()
    yield shell
    InteractiveShell.clear_instance()


def run(shell, text):
    return shell.run_cell(text, store_history=False)


def test_a_cell_finds_what_lies_beside_python(course, monkeypatch):
    """torch looks for ninja by its name, and an environment need not be active."""
    monkeypatch.setenv("PATH", "/usr/bin")
    notebook.load_ipython_extension(InteractiveShell.instance())
    InteractiveShell.clear_instance()
    assert shutil.which("ninja") == str(Path(sysconfig.get_path("scripts"), "ninja"))
    assert shutil.which("sh") == "/usr/bin/sh"


def test_a_cell_becomes_the_work_file_and_is_graded(shell, course):
    found = run(shell, f"%%kernel 01\n{ADD}").result
    assert (found.status, found.stars) == ("passed", 2)
    assert (course / "work" / "01_vector_add.cu").read_text() == ADD
    done = progress.load(course)
    assert (done.stars("01_vector_add"), done.rungs("01_vector_add", "vector_add")) == (2, ["one_element"])
    assert "rung 1 of 3: one element ✓ · next: grid stride" in repr(found) and "Next: the next rung, or" in repr(found)
    assert repr(run(shell, "%hint 01").result).startswith("Hint 1 of 2 for vector_add, rung 2: grid stride")
    assert "work/01_vector_add.cu" in repr(found) and "load efficiency" in repr(found)
    assert "load efficiency" in found._repr_html_()
    assert "emulated · seed 7\n" in repr(found), "and no seconds"


def test_a_cell_for_a_rung_says_what_it_asks_for_and_then_whether_it_is_reached(shell, course):
    begun = run(shell, notebooks.handed_out("%%kernel 01 --rung 2")).result
    assert repr(begun).startswith("Your turn: rung 2 of 3, grid stride: several elements for each thread\n")
    assert "working threads <= 65,536" in repr(begun) and "on a GPU: fraction of copy >= 84 %" in repr(begun)
    assert not (course / "work").exists(), "a cell that is as it was found changes nothing"
    missed = run(shell, f"%%kernel 01 --rung 2\n{ADD}").result
    assert "Next: the ✗ say what rung 2, grid stride, still lacks; stuck? `%hint 01 --rung 2`" in repr(missed)
    assert "<details><summary>" in notebook.solution("01", 2).html, "folded"
    reached = run(shell, f"%%kernel 01 --rung 1\n{ADD}").result
    assert "Next: rung 1 is reached: the course's is folded below" in repr(reached)
    assert progress.load(course).stars("01_vector_add") == 2, "a lesson's only task is all of it"
    opened = notebook.solution(1, 1)
    assert "<details open>" in opened.html and "blockIdx" in opened.html
    assert repr(opened) == "The course's rung 1, one element: a thread for each element"


def test_a_rung_of_one_of_several_tasks(shell, course):
    cell = notebooks.handed_out("%%kernel 05 --task sum --rung 2")
    assert "Rung 1 of 5" in cell and "histogram" not in cell
    assert "stuck? `%hint 05 --task sum --rung 2`" in repr(run(shell, cell).result)
    wrong = run(shell, "%%kernel 05 --task sum --rung 2\n// nothing").result
    assert wrong.status == "missing_entry_point" and "stuck? `%hint 05 --task sum --rung 2`" in repr(wrong)
    assert not progress.load(course).passed("05_atomics")


def test_predictions_are_asked_noted_and_scored(shell, course):
    entry, first = predictions.find("01.1")
    wrong = next(letter for letter in first.choices if letter != first.right)
    assert f'predict("{first.label}", "a")' in repr(notebook.predict("01.1"))
    assert repr(notebook.answer("01.1")).startswith("<details><summary>Answer to 01.1: predict first")
    assert f"Your answer is noted: **{wrong}**" in repr(notebook.predict("01.1", f" {wrong.upper()} "))
    assert f"Your first answer counts: **{wrong}**" in repr(notebook.predict("01.1", first.right))
    told = repr(notebook.answer("01.1"))
    assert f"not **{wrong}**, as you said" in told and first.why in told and "0 of 1 right so far" in told
    progress.predict(course, entry.name, "2", predictions.find("01.2")[1].right)
    assert "you were right" in repr(notebook.answer("01.2"))
    assert (
        "predictions 1 of 2"
        in page(lambda console: show_course(console, course_rows(course, progress.load(course)))).text
    )


@pytest.mark.parametrize(("sign", "status"), [("+", "passed"), ("-", "wrong_result")])
def test_what_a_cell_prints_is_shown_below_it(shell, course, sign, status):
    print_it = 'if (i == 3000) printf("element %d\\n", i);\n'
    cell = "#include <cstdio>\n" + ADD.replace("if (i < n)", f"{print_it}    if (i < n)").replace(
        "+ y[i]", f"{sign} y[i]"
    )
    found = run(shell, f"%%kernel 01\n{cell}").result
    assert found.status == status
    for shown in (repr(found), found._repr_html_()):
        assert "What your program printed" in shown and "element 3000" in shown
    found = run(shell, "grade(1, 'work')" if run(shell, IMPORT).success else "").result
    assert "element 3000" in repr(found)


def test_what_somebody_else_wrote_is_kept_and_what_a_cell_wrote_is_not(shell, course, capsys):
    own = course / "work" / "01_vector_add.cu"
    own.parent.mkdir()
    own.write_text("// mine\n")
    run(shell, f"%%kernel 01\n{ADD}")
    assert "kept" in capsys.readouterr().out
    run(shell, f"%%kernel 01\n{ADD}// again\n")
    assert run(shell, "%view 01 --case n=1").result._repr_html_().startswith('<iframe srcdoc="&lt;!doctype html&gt;')
    kept = sorted(file.name for file in own.parent.glob("*.cu"))
    assert kept == ["01_vector_add.backup-1.cu", "01_vector_add.cu"]
    assert (own.parent / kept[0]).read_text() == "// mine\n"


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("%%kernel\n.", "type `%%kernel 03 [--task NAME] [--rung NAME] [--device NAME]`"),
        ("%%kernel 01 --tusk x\n.", "is not understood"),
        ("%%kernel 01 --device gpu\n.", "there is no device `gpu`: choose auto, emulator or cuda"),
        ("%%kernel 99\n.", "there is no lesson `99`"),
        ("%hint", "type `%hint 03 [--task NAME] [--rung NAME]`"),
        ("%hint 01 --rung two", "`two` is no number of a rung: type `%hint 01 --rung 2`"),
        ("%hint 01 --rung 99", "vector_add has no rung 99"),
        ("%explain 01", "there is no file"),
        ("%view 01 --rung two", "`two` is no number of a rung: type `%view 01 --rung 2`"),
        ("%view 03", "say for which task: `ladder view 03 --task row_sum`"),
        (
            f'{IMPORT}; grade("01", "4_nothing")',
            "it has 1_one_element, 2_grid_stride, 3_float4",
        ),
        pytest.param(f'{IMPORT}; grade("03").counters', 'grade(..., task="row_sum" or', marks=pytest.mark.slow),
        (f'{IMPORT}; grade("01", "3_float4", device="GPU")', "there is no device `GPU`"),
        (f'{IMPORT}; rungs("01", "beauty")', "`beauty` is not counted: there are"),
        ("%%kernel 01 --rung two\n.", "`two` is no number of a rung: type `%%kernel 01 --rung 2`"),
        ("%%kernel 01 --rung 4\n.", "vector_add has no rung 4"),
        ("%%kernel 03 --rung 2\n.", "say for which task: `%%kernel 03 --rung 2 --task row_sum`"),
        (f'{IMPORT}; predict("01.1", "z")', '`z` is no answer to 01.1: type a letter from "a" to "'),
        (f'{IMPORT}; predict("01.1", 2)', "`2` is no answer to 01.1"),
        (f'{IMPORT}; predict("01.99")', "lesson 01_vector_add has no question `01.99`"),
        (f"{IMPORT}; answer(1.1)", '`1.1` is no question: type the lesson and its number, predict("01.1")'),
        (f'{IMPORT}; solution("01", 9)', "vector_add has no rung 9"),
        (f'{IMPORT}; solution("03", 2)', 'say for which task: `solution("03", 2, task="row_sum")`'),
        (f'{IMPORT}; results("01", case="n=3")', "nothing has been measured for this yet"),
    ],
)
def test_wrong_usage_is_one_sentence(shell, capsys, cell, said):
    assert run(shell, cell).error_in_exec
    shown = "".join(capsys.readouterr())
    assert said in shown and len(shown.strip().splitlines()) == 1


def test_hints_come_one_at_a_time(shell):
    first, second = (run(shell, "%hint 01").result for _ in range(2))
    assert repr(first).startswith("Hint 1 of 3 for vector_add") and repr(second).startswith("Hint 2 of 3")
    assert first._repr_markdown_() == repr(first)
    assert repr(run(shell, "%hint 01 --rung 3").result).startswith("Hint 1 of 2 for vector_add, rung 3: float4")


def test_a_grade_says_the_same_again_and_never_where_it_ran(course):
    first, second = (notebook.grade("01", ADD) for _ in range(2))
    assert repr(first) == repr(second)
    wrong = notebook.grade("01", "mistakes/no_guard")
    assert wrong.status == "out_of_bounds" and wrong.findings
    assert "lessons/01_vector_add/mistakes/no_guard.cu:8" in repr(wrong)
    assert str(course) not in repr(wrong) + wrong._repr_html_()


def test_rungs_are_a_table_of_numbers(course):
    table = notebook.rungs("01", ["sectors_per_load", "global_load_requests"])
    assert list(table) == ["1_one_element", "2_grid_stride", "3_float4"]
    assert table["3_float4"]["sectors_per_load"] > 15 and table["1_one_element"]["global_load_requests"] == 6252
    assert "sectors per load request" in repr(table) and "<td" in table._repr_html_()
    assert not [line for line in repr(table).splitlines() if line != line.rstrip()]
    assert notebook.count("01", "1_one_element")["global_load_requests"] == 6252


def test_times_are_modelled_of_rungs_and_of_any_other_kernel(course):
    with pytest.raises(UsageError, match="nothing can be modelled for 01_vector_add"):
        notebook.modelled("01")
    for name in ("cards", "benchmarks"):
        (course / name).symlink_to(Path(__file__).parents[2] / name)
    table = notebook.modelled("01")
    assert list(table) == ["1_one_element", "2_grid_stride", "3_float4"]
    assert "modelled on an H200" in repr(table) and "docs/model.md" in repr(table)
    source = (course / "kernels/01_vector_add/1_one_element.cu").read_text()
    own = notebook.modelled("01", source, "3_float4")
    assert own["cell"] == pytest.approx(table["1_one_element"], rel=0.3) and own["3_float4"] == table["3_float4"]
    with pytest.raises(UsageError, match="cannot be modelled: see what grade"):
        notebook.modelled("01", source.replace("z[i] =", "z[i + n] ="))


def test_code_is_shown_from_the_file(course):
    assert notebook.show("01", "1_one_element").text in (course / "kernels/01_vector_add/1_one_element.cu").read_text()
    only = notebook.show("01", "1_one_element", only="add").text
    assert only.startswith("__global__ void add(") and only.endswith("}") and 'extern "C"' not in only
    kernel = notebook.show("01", "struct Pair {\n    float at[2];\n};\n\nstruct Other {\n};\n", only="Pair").text
    assert kernel == "struct Pair {\n    float at[2];\n};"
    with pytest.raises(UsageError, match="no function or struct `sub`"):
        notebook.show("01", "1_one_element", only="sub")


def test_a_command_of_ladder_is_shown_in_a_notebook(shell, capsys):
    run(shell, "%ladder start 01")
    assert "work/01_vector_add.cu is yours now" in capsys.readouterr().out
    run(shell, "%ladder check 77")
    assert capsys.readouterr().out == "ladder: there is no lesson `77`: `ladder` lists them all\n"


@pytest.mark.parametrize("kernel", ["2_grid_stride", "rivals/openmp", ADD])
def test_kernels_become_functions(course, kernel):
    x, y, z = torch.arange(100.0), torch.ones(100), torch.empty(100)
    notebook.load("01", kernel).vector_add(x, y, z, 100)
    assert torch.equal(z, x + y)


def test_measurements_are_those_that_are_committed(course):
    (course / "benchmarks").symlink_to(notebook.catalog.Path(__file__).parents[2] / "benchmarks")
    table = notebook.results("01")
    assert "committed, not measured here" in repr(table) and table["3_float4"].us > 0
    assert notebook.bench_figure("01")._repr_png_().startswith(b"\x89PNG")
    assert repr(notebook.bench_figure("01")).startswith("vector_add on an H200, right and fastest at n: 4096 ")
    assert notebook.hierarchy()["multiprocessors"] == 132


def test_a_task_that_was_never_measured_is_one_sentence(course):
    results = course / "benchmarks" / "results" / "h200"
    results.mkdir(parents=True)
    nothing = {"schema": bench.SCHEMA, "tasks": [{"name": "vector_add", "cases": [{"results": []}]}]}
    (results / "01_vector_add.json").write_text(json.dumps(nothing))
    with pytest.raises(UsageError, match="nothing is measured of vector_add: type `ladder bench 01`"):
        notebook.results("01")


def test_explains_the_costliest_lines(course):
    told = repr(notebook.explain("01", "mistakes/runs_of_elements", top=1))
    assert "31.9 sectors a request" in told and told.count("❱") == 1


def test_a_rung_of_a_lessons_second_task_becomes_a_function(course):
    x, columns = torch.ones(2, 40, 3), torch.empty(2, 3)
    source = notebook.show("03", "column_sum/1_one_thread").text
    notebook.load("03", f"{source}\n// never built before: {course}\n").column_sum(x, columns, 2, 40, 3)
    assert torch.equal(columns, x.sum(1))
