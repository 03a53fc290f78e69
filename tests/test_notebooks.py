"""The notebooks: what can be seen without running them, and that nbval notices what changes. `make test` runs nbval.

`python -m tests.test_notebooks` says how much of each nbval compares.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import nbformat
import pytest

from docs import notebooks
from grader.course import catalog, predictions
from grader.report.sliders import bundle, machines

ROOT = Path(__file__).parents[1]
FILES = sorted((ROOT / "notebooks").glob("*.ipynb"))
LESSONS = [entry for entry in catalog.entries(ROOT) if not entry.puzzles]  # puzzles are learnt in an editor
NAMES = ["00_setup", *(entry.name for entry in LESSONS)]
TAGS = {"colab", "demo", "gpu", "measured-here", "nbval-ignore-output", "raises-exception", "your-turn"}
COMPARED = {"text/plain", "text/html"}  # of what nbval compares, what is used here; besides streams
FIGURES, CELLS = 3, 8  # that every notebook has at least
FIRST_TURN = 15  # the last cell that may be the first to write in
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="  # a PNG
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FILE = re.compile(r"`((?:lessons|kernels|docs|benchmarks|grader|examples)/[\w./-]*\w/?)`")

Cell = dict[str, Any]
every_lesson = pytest.mark.parametrize("entry", LESSONS, ids=lambda entry: entry.name)
every_notebook = pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)


@cache
def read(file: Path) -> dict[str, Any]:
    return json.loads(file.read_text())


def code(file: Path) -> list[Cell]:
    return [cell for cell in read(file)["cells"] if cell["cell_type"] == "code"]


def prose(file: Path) -> str:
    return "\n\n".join("".join(cell["source"]) for cell in read(file)["cells"] if cell["cell_type"] == "markdown")


def tags(cell: Cell) -> set[str]:
    return set(cell["metadata"].get("tags", []))


def texts(cell: Cell) -> list[str]:
    """What nbval compares of a cell's outputs."""
    found = ["".join(output["text"]) for output in cell["outputs"] if output["output_type"] == "stream"]
    shown = [output["data"] for output in cell["outputs"] if "data" in output]
    return found + ["".join(data[kind]) for data in shown for kind in sorted(COMPARED & data.keys())]


def is_compared(cell: Cell) -> bool:
    """Whether nbval compares something that says something: more than that there is a figure."""
    said = [text for text in texts(cell) if text.strip() and not re.fullmatch(r"<[\w. ]+>", text.strip())]
    return bool(said) and cell["execution_count"] is not None and not tags(cell) & {"gpu", "nbval-ignore-output"}


def compared(file: Path) -> int:
    return sum(map(is_compared, code(file)))


def figures(file: Path) -> int:
    return sum("image/png" in output.get("data", {}) for cell in code(file) for output in cell["outputs"])


def test_there_is_a_notebook_for_every_lesson():
    assert [file.stem for file in FILES] == NAMES


@every_notebook
def test_is_executed_from_top_to_bottom(file):
    counts = [cell["execution_count"] for cell in code(file)]
    assert counts == list(range(1, len(counts) + 1)), "type `make notebooks`: nbval compares only what was executed"
    for cell in code(file):
        failed = any(output["output_type"] == "error" for output in cell["outputs"])
        assert failed == ("raises-exception" in tags(cell))
    ids = [cell["id"] for cell in read(file)["cells"]]
    assert len(set(ids)) == len(ids)


@every_notebook
def test_shows_enough_that_is_real(file):
    assert figures(file) >= FIGURES
    assert compared(file) >= CELLS


@every_notebook
def test_every_figure_says_what_it_shows(file):
    """Its text is what nbval compares of it, and what those read who cannot see it."""
    for cell in code(file):
        for data in (output["data"] for output in cell["outputs"] if "image/png" in output.get("data", {})):
            said = "".join(data["text/plain"])
            assert len(said) > 25 and not said.startswith(("<", "Figure(")), "".join(cell["source"])


@every_notebook
def test_asks_before_it_tells(file):
    assert "redict" in prose(file)
    assert "<details>" in prose(file) and prose(file).count("<details>") == prose(file).count("</details>")


@every_notebook
def test_no_marker_of_a_number_begins_a_line(file):
    """Markdown takes a line that begins with a comment for HTML: the paragraph breaks there."""
    assert not re.findall(r"^[ >]*<!--.*", prose(file), re.MULTILINE)


@every_notebook
def test_has_the_frame_that_the_address_asks_for(file):
    """With an address a badge and a cell for Colab, without one neither; always the same metadata."""
    assert notebooks.reframed(file) == nbformat.read(file, as_version=4), "type `make address`"
    assert read(file)["metadata"] == notebooks.METADATA


@every_notebook
def test_tags_are_known(file):
    assert set().union(*map(tags, code(file))) <= TAGS


@every_notebook
def test_links_lead_somewhere(file):
    targets = [target for target in LINK.findall(prose(file)) if "://" not in target]
    for target in targets:
        path, _, anchor = target.partition("#")
        assert (file.parent / path).exists(), f"{target} is not there"
        if anchor and not path:
            headings = re.findall(r"^#+ (.+)$", prose(file), re.MULTILINE)
            assert anchor in {heading.replace(" ", "-") for heading in headings}, f"there is no heading {anchor}"
    for path in FILE.findall(prose(file)):
        assert (ROOT / path).exists(), f"{path} is not there"


@every_notebook
def test_prints_nothing_of_the_machine_it_ran_on(file):
    for text in (text for cell in code(file) for text in texts(cell)):
        assert not re.search(r"(?<![\w./:<])/(?!/)[\w.-]+/[\w.-]+", text), text
        assert socket.gethostname() not in text
        assert not re.search(r"0x(?!ffffffff)[0-9a-f]{6,}", text), text  # but for a mask of all lanes


@every_notebook
def test_cells_for_a_gpu_feed_no_others(file):
    """They are skipped where there is none: what they assign must not be used by cells that are not."""
    assigned = {
        name
        for cell in code(file)
        if "gpu" in tags(cell)
        for name in re.findall(r"^(\w+)(?:, \w+)* = ", "".join(cell["source"]), re.MULTILINE)
    }
    others = "\n".join("".join(cell["source"]) for cell in code(file) if "gpu" not in tags(cell))
    assert not [name for name in assigned if re.search(rf"\b{name}\b", others)]


@every_notebook
def test_kernels_are_shown_and_not_copied(file):
    """CUDA code stands in kernels/; a cell has it only to demonstrate something, or for the learner to change."""
    for cell in code(file):
        if not tags(cell) & {"demo", "your-turn"}:
            assert not re.search(r"^\s*(template.*)?__global__", "".join(cell["source"]), re.MULTILINE)


@every_notebook
def test_sliders_bring_their_script_once_and_little_else(file):
    sliders = [text for cell in code(file) for text in texts(cell) if 'class="slider"' in text]
    assert sum("self.ladderSliders = {" in text for text in sliders) == bool(sliders)
    assert not sliders or bundle(machines(ROOT)) in "".join(sliders), (
        "type `make notebooks`: the script is an older one"
    )
    assert sum(map(len, sliders)) < 20_000


# ---- where learners write ----


def turns(file: Path) -> list[Cell]:
    return [cell for cell in code(file) if "your-turn" in tags(cell)]


@every_lesson
def test_learners_find_a_cell_that_does_not_pass_yet(entry):
    """What stands in it is the course's: test_has_the_frame_that_the_address_asks_for."""
    assert turns(entry.notebook)
    for cell in turns(entry.notebook):
        assert "".join(cell["source"]).split()[:2] == ["%%kernel", entry.label]
        assert "passed" not in "".join(texts(cell))


@every_lesson
def test_each_rung_is_the_learners_first_and_the_courses_then(entry):
    """In the order of each ladder: a cell to write in, and below it the course's kernel, which nothing shows before."""
    cells = ["".join(cell["source"]) for cell in code(entry.notebook)]
    several = len(entry.lesson.tasks) > 1
    for task in entry.lesson.tasks:
        at = -1
        for number, rung in enumerate(entry.rungs_of(task.name), start=1):
            option, named = (f" --task {task.name}", f', task="{task.name}"') if several else ("", "")
            turn = [
                c
                for c, text in enumerate(cells)
                if text.startswith(f"%%kernel {entry.label}{option} --rung {number}\n")
            ]
            answer = [c for c, text in enumerate(cells) if text == f'solution("{entry.label}", {number}{named})']
            assert len(turn) == len(answer) == 1, f"one cell for rung {number} of {task.name}, and one for the course's"
            assert at < turn[0] < answer[0]
            at = answer[0]
            name = f"{task.name}/{rung.stem}" if several else rung.stem
            shown = [text for text in cells[:at] if re.search(rf'show\("{entry.label}", "{name}"', text)]
            assert not shown, f"{name} is shown before it is the learner's turn"


@every_lesson
def test_the_first_turn_comes_early(entry):
    cells = read(entry.notebook)["cells"]
    assert next(number for number, cell in enumerate(cells, start=1) if "your-turn" in tags(cell)) <= FIRST_TURN


@every_lesson
def test_each_question_is_asked_and_then_answered(entry):
    cells = ["".join(cell["source"]) for cell in code(entry.notebook)]
    asked = [text[9:-2] for text in cells if text.startswith("predict(")]
    assert asked == [question.label for question in predictions.of(entry)]
    for label in asked:
        assert cells.index(f'predict("{label}")') < cells.index(f'answer("{label}")')


@every_lesson
def test_every_exercise_has_a_folded_answer(entry):
    exercises = re.findall(
        r"^\d+\. ", prose(entry.notebook).partition("## Exercises")[2].partition("\n## ")[0], re.MULTILINE
    )
    answers = prose(entry.notebook).partition("## Exercises")[2].partition("\n## ")[0].count("<details>")
    assert len(exercises) == answers > 0


# ---- nbval ----


def validate(folder: Path) -> subprocess.CompletedProcess[str]:
    options = ["--nbval", "--nbval-current-env", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--rootdir", folder]
    command = [sys.executable, "-m", "pytest", *options, "-c", "/dev/null", folder]
    known = os.environ | {"PYTHONPATH": str(ROOT)}  # for the notebooks' conftest.py
    return subprocess.run(map(str, command), capture_output=True, text=True, cwd=folder, timeout=300, env=known)


@pytest.fixture
def short(tmp_path, course) -> Path:
    """What notebook 01 shows of its rungs' counters and of one load, and what this needs, in a folder of its own."""
    file = ROOT / "notebooks" / "01_vector_add.ipynb"
    wanted = ("%load_ext", "table = rungs(", '(record("01", "1_one_element")')
    cells = [cell for cell in code(file) if any(text in "".join(cell["source"]) for text in wanted)]
    assert len(cells) == len(wanted)
    copy = tmp_path / "copy" / file.name
    copy.parent.mkdir()
    copy.write_text(json.dumps(read(file) | {"cells": cells}))
    (copy.parent / "conftest.py").symlink_to(ROOT / "notebooks" / "conftest.py")
    return copy


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.skipif(not notebooks.counts_alike(), reason=f"not g++ {notebooks.GPP}, by which counters are committed")
def test_nbval_passes_what_is_true_and_notices_a_changed_counter_and_a_changed_picture(short):
    done = validate(short.parent)
    assert done.returncode == 0, done.stdout
    text = short.read_text()
    counter = re.search(r"sectors per load request.*?(3\.999)", text)
    text = text[: counter.start(1)] + "3.998" + text[counter.end(1) :]
    (picture,) = re.findall(r'"image/png": "([^"]+)"', text)
    short.write_text(text.replace(picture, PIXEL))
    done = validate(short.parent)
    assert done.returncode == 1 and "2 failed" in done.stdout, done.stdout
    assert "3.998" in done.stdout and "and was 1 × 1" in done.stdout, done.stdout


@pytest.mark.long
@pytest.mark.whole
def test_nbval_notices_a_kernel_whose_padding_was_taken_away(tmp_path):
    """What notebook 03 shows of a padded tile: it passes with the course's kernels, and not with this one changed."""
    file = ROOT / "notebooks" / "03_coalescing.ipynb"
    wanted = ("%load_ext", 'figures.banks(record("03", "row_sum/3_padded_tile"')
    cells = [cell for cell in code(file) if any(text in "".join(cell["source"]) for text in wanted)]
    assert len(cells) == len(wanted)
    other, folder = tmp_path / "course", tmp_path / "copy"
    for made in (other / "cards", folder):
        made.mkdir(parents=True)
    for part in notebooks.PARTS:
        (other / part).symlink_to(ROOT / part)
    (folder / file.name).write_text(json.dumps(read(file) | {"cells": cells}))
    conftest = (ROOT / "notebooks" / "conftest.py").read_text()
    (folder / "conftest.py").write_text(
        f"{conftest}\nfrom docs import notebooks\n\nnotebooks.ROOT = Path({str(other)!r})\n"
    )
    done = validate(folder)
    assert done.returncode == 0, done.stdout

    (other / "kernels").unlink()
    shutil.copytree(ROOT / "kernels", other / "kernels")
    kernel = other / "kernels" / "03_coalescing" / "row_sum" / "3_padded_tile.cu"
    text = kernel.read_text()
    assert text.count("[kTile + 1]") == 1
    kernel.write_text(text.replace("[kTile + 1]", "[kTile]"))
    done = validate(folder)
    assert done.returncode == 1 and "32 wavefronts, 1 wavefront at best" in done.stdout, done.stdout


if __name__ == "__main__":
    for each in FILES:
        print(f"{each.stem}: nbval compares {compared(each)} of {len(code(each))} cells; {figures(each)} figures")
