"""`ladder bench` without a GPU: what it says, what it writes and where. Measuring itself is replaced or played."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from grader.course import catalog
from grader.course.catalog import UsageError
from grader.devices.cuda.card import Card
from grader.faces import bench, cli
from grader.judge.timing.contest import Broken

sys.path.append(str(Path(__file__).parents[1] / "report"))
from measured import contender, results, sweep

ROOT = Path(__file__).parents[2]
LESSONS = [entry for entry in catalog.entries(ROOT) if not entry.puzzles]  # those are not timed
CARD = Card("NVIDIA H200", "90a", 132, l2_bytes=1 << 26, uuid="")


@pytest.fixture
def measured(monkeypatch):
    """Replaces the GPU and the measuring: what it is called with, and what it finds."""
    fake = SimpleNamespace(calls=[], found=results(("vector_add", sweep(4096, 1 << 28))))

    def measure(entry, tasks, files, card, quick):
        fake.calls.append(([task.name for task in tasks], list(files), quick))
        if isinstance(fake.found, Exception):
            raise fake.found
        return fake.found

    monkeypatch.setattr("grader.devices.cuda.card.find_card", lambda: (CARD, ""))
    monkeypatch.setattr(bench, "measure", measure)
    return fake


def test_without_a_gpu_it_is_one_sentence(course, monkeypatch, capsys):
    monkeypatch.setattr("grader.devices.cuda.card.find_card", lambda: (None, "torch finds no GPU"))
    assert cli.run(["bench", "01"]) == 2
    said = capsys.readouterr().err
    assert "`ladder bench` needs an NVIDIA GPU (torch finds no GPU)" in said and "--replot" in said
    assert said.count("\n") == 1


@pytest.mark.slow
def test_a_full_run_is_told_written_down_and_drawn(course, measured, capsys):
    assert cli.run(["bench", "01"]) == 0
    folder = course / "benchmarks" / "results" / "h200"
    assert sorted(file.name for file in folder.iterdir()) == [
        "01_vector_add.json", "01_vector_add.vector_add.png", "01_vector_add.vector_add.svg"
    ]  # fmt: skip
    assert json.loads((folder / "01_vector_add.json").read_text()) == measured.found
    said = capsys.readouterr().out
    assert "2_good" in said and "wrote benchmarks/results/h200/01_vector_add.json" in said


@pytest.mark.slow
def test_a_part_of_it_overwrites_nothing(course, measured, capsys, tmp_path):
    assert cli.run(["bench", "01", "--quick", "--task", "vector_add"]) == 0
    assert measured.calls == [(["vector_add"], [], True)]
    assert not (course / "benchmarks").exists() and "Nothing is written" in capsys.readouterr().out
    assert cli.run(["bench", "01", "--quick", "--out", "here"]) == 0
    assert (course / "here" / "01_vector_add.json").exists()


def test_where_nothing_can_be_written_nothing_is_measured(course, measured, capsys):
    (course / "file").touch()
    assert cli.run(["bench", "01", "--out", "file/here"]) == 2
    assert "file/here cannot be written to (Not a directory): name another folder" in capsys.readouterr().err
    assert measured.calls == []


@pytest.mark.whole
def test_the_pictures_can_be_drawn_again_anywhere(course, measured, capsys):
    cli.run(["bench", "01"])
    picture = course / "benchmarks" / "results" / "h200" / "01_vector_add.vector_add.svg"
    before = picture.read_bytes()
    picture.unlink()
    assert cli.run(["bench", "01", "--replot"]) == 0
    assert picture.read_bytes() == before
    assert len(measured.calls) == 1, "nothing is measured for that"


def test_what_cannot_be_drawn_again_is_said(course, capsys):
    assert cli.run(["bench", "01", "--replot"]) == 2
    assert "nothing has been measured for 01_vector_add: type `ladder bench 01`" in capsys.readouterr().err
    folder = course / "benchmarks" / "results" / "h200"
    folder.mkdir(parents=True)
    for text in ("{", '{"schema": 0}'):
        (folder / "01_vector_add.json").write_text(text)
        assert cli.run(["bench", "01", "--replot"]) == 2
        assert "measure again with `ladder bench`" in capsys.readouterr().err
    assert cli.run(["bench", "01", "--replot", "--quick"]) == 2


def test_without_matplotlib_the_numbers_are_there_all_the_same(course, measured, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.delitem(sys.modules, "grader.report.plots", raising=False)
    monkeypatch.delattr("grader.report.plots", raising=False)
    assert cli.run(["bench", "01"]) == 0
    assert "matplotlib is missing: install it and type `ladder bench 01 --replot`" in capsys.readouterr().out
    assert (course / "benchmarks" / "results" / "h200" / "01_vector_add.json").exists()


def test_a_learners_file_is_graded_before_it_runs_here(course, measured, monkeypatch, capsys):
    mine, passed = course / "mine.cu", []
    mine.touch()
    monkeypatch.setattr(bench, "grade", lambda entry, file, **_: SimpleNamespace(passed=bool(passed)))
    assert cli.run(["bench", "01", "mine.cu"]) == 2
    assert "mine.cu does not pass, so it is not timed: type `ladder check 01 mine.cu`" in capsys.readouterr().err
    assert measured.calls == []
    passed.append(True)
    assert cli.run(["bench", "01", "mine.cu"]) == 0
    assert measured.calls == [(["vector_add"], [Path("mine.cu")], False)]


@pytest.mark.slow
def test_a_wrong_rung_is_no_success(course, measured, capsys):
    case = measured.found["tasks"][0]["cases"][0]
    case["results"][0] = contender("1_naive", "rung", None, status="wrong_result", noise=None)
    assert cli.run(["bench", "01"]) == 1
    measured.found = Broken("after 1_naive this process can use the GPU no more")
    assert cli.run(["bench", "01"]) == 1
    assert "after 1_naive" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("NVIDIA H200", "h200"),
        ("Tesla T4", "t4"),
        ("NVIDIA GeForce RTX 4090", "rtx_4090"),
        ("NVIDIA A100-SXM4-80GB", "a100_sxm4_80gb"),
        ("", "gpu"),
    ],
)
def test_a_card_has_a_folder_of_its_own(name, folder):
    assert bench.slug(name) == folder


def test_who_enters(tmp_path):
    entry = catalog.find("01", ROOT)
    task, mine = entry.lesson.tasks[0], tmp_path / "3_float4.cu"
    libraries = dict.fromkeys([*entry.rungs, mine, *entry.rivals], bench_error := RuntimeError("no compiler"))
    found = bench.enter(task, entry, [mine], libraries)
    assert [(each.name, each.kind) for each in found] == [
        ("1_one_element", "rung"),
        ("2_grid_stride", "rung"),
        ("3_float4", "rung"),
        ("3_float4 (2)", "yours"),
        ("torch.add", "baseline"),
        ("torch.compile", "rival"),
        ("openmp", "cpu"),
        ("sequential", "cpu"),
    ]
    with pytest.raises(RuntimeError) as raised:
        found[0].call(x=1, n=2)
    assert raised.value is bench_error, "a file that cannot be built fails when it is called"


@pytest.mark.parametrize("entry", LESSONS, ids=lambda entry: entry.name)
def test_every_rival_in_a_file_has_an_entry_point_of_the_lesson(entry):
    for file in entry.rivals:
        text = re.sub(r"\s+", "", file.read_text())
        tasks = [task.signature.declaration for task in entry.lesson.tasks]
        without_stream = [f"{said.removesuffix(', cudaStream_t stream)')})" for said in tasks]
        expected = [re.sub(r"\s+", "", said) for said in (without_stream if file.suffix == ".cpp" else tasks)]
        assert any(f'extern"C"{said}' in text for said in expected), file.name


def test_a_quick_run_takes_the_timed_case_and_one_other():
    task = catalog.find("01", ROOT).lesson.tasks[0]
    assert len(bench.chosen_cases(task, quick=False)) == len(task.bench_cases) + 1
    quick = bench.chosen_cases(task, quick=True)
    assert len(quick) == 2 and quick[-1] == task.timed_case


@pytest.mark.parametrize("entry", LESSONS, ids=lambda entry: entry.name)
def test_what_is_committed_can_be_read_and_fits_the_lesson(entry):
    for file in bench.stored(entry):
        found = bench.read(file)
        assert found["lesson"] == entry.name and not found["quick"]
        assert bench.wrong_kernels(found) == []
        known = {task.name for task in entry.lesson.tasks}
        assert {task["name"] for task in found["tasks"]} <= known
        rungs = {each["name"] for task in found["tasks"] for case in task["cases"] for each in case["results"]
                 if each["kind"] == "rung"}  # fmt: skip
        assert rungs == {rung.stem for rung in entry.rungs}, f"type `ladder bench {entry.number:02d}`"


def test_the_command_line_starts_without_torch_and_matplotlib():
    code = "import sys, grader.faces.cli, grader.faces.bench; "
    code += "sys.exit(any(m in sys.modules for m in ('torch', 'matplotlib')))"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT).returncode == 0


def test_a_lesson_that_times_nothing_says_so(course, measured, monkeypatch):
    entry = catalog.find("01", ROOT)
    monkeypatch.setattr(bench, "choose_tasks", lambda *_: [SimpleNamespace(timed_cases=[])])
    with pytest.raises(UsageError, match="times nothing"):
        bench.bench(None, entry)
