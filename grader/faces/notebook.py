"""The notebooks' face: `%load_ext grader.faces.notebook` for the magics, and functions to import from it.

Everything prints the same each time: inputs come from a fixed seed, and nothing tells a time that was not committed.
`lesson` is a number or a name ("03"); `kernel` is a Path, the name of a rung ("2_tile"), another file of the lesson
("starter", "mistakes/no_guard"), "work" for the learner's own, a kernel's text, or None for the reference. Wrong usage
raises UsageError (LoadError if a kernel cannot be built here): one sentence, which a notebook shows as such.
"""

from __future__ import annotations

import io
import json
import os
import sys
import sysconfig
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from grader.course import catalog
from grader.course.catalog import Entry, UsageError
from grader.faces.cell_times import modelled as modelled
from grader.faces.cells import SEED, counted
from grader.faces.cells import Result as Result
from grader.faces.cells import explain as explain
from grader.faces.cells import grade as grade
from grader.faces.exercises import answer as answer
from grader.faces.exercises import predict as predict
from grader.faces.exercises import solution as solution
from grader.faces.lookup import (
    Kernel,
    check_metrics,
    committed,
    find_lesson,
    function_text,
    kernel_of,
    row_named,
    shown_in,
    task_of,
)
from grader.report.calculator import calculator as calculator

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell
    from matplotlib.figure import Figure

    from grader.devices.emulator.recording import Recording
    from grader.report.figures.measured import Committed
    from grader.report.pages import Page, Table

# ---- what notebooks call ----


def show(lesson: str | int, kernel: Kernel = None, only: str | Sequence[str] | None = None) -> Page:
    """The code of a kernel; `only` names the functions to show, with the comments above them."""
    from grader.report.pages import code

    entry = find_lesson(lesson)
    file, source = kernel_of(entry, kernel)
    names = [only] if isinstance(only, str) else only or ()
    text = "\n\n".join(function_text(source, name, file) for name in names) or source
    return code(text, shown_in(entry, file), "cuda" if file.suffix == ".cu" else "cpp")


def count(
    lesson: str | int, kernel: Kernel = None, *, task: str | None = None, case: str | None = None
) -> dict[str, Any]:
    """What the emulator counts of a kernel at one case, the counted one by default, whether it is right or not.

    Raises UsageError if it does not come to its end.
    """
    entry = find_lesson(lesson)
    file, source = kernel_of(entry, kernel)
    found = counted(entry, file, source, task_of(entry, task).name, case)
    if not found.tasks[0].counters:
        raise UsageError(f"there is nothing to count, see grade(...): {file.name} has the status {found.status}")
    return found.tasks[0].counters


def rungs(lesson: str | int, metrics: str | Iterable[str], *, task: str | None = None) -> Table:
    """What the emulator counts for every rung at the counted case: metrics of judge.targets.METRICS, or counters.

    `table[rung][metric]` is a number, or None where the metric does not apply.
    """
    from grader.judge.targets import measure
    from grader.report.pages import Table
    from grader.report.words import metric_title, quantity_text

    entry, names = find_lesson(lesson), [metrics] if isinstance(metrics, str) else list(metrics)
    asked = task_of(entry, task)
    values = {}
    for file in entry.rungs_of(asked.name):
        found = count(lesson, file, task=asked.name)
        check_metrics(names, found)
        values[file.stem] = {name: measure(name, found) for name in names}
    rows = [[rung, *(quantity_text(name, found[name]) for name in names)] for rung, found in values.items()]
    title = f"{asked.name} at {asked.judged_cases[-1].name}, emulated"
    return Table(title, ["", *map(metric_title, names)], rows, numbers=values)


def load(lesson: str | int, kernel: Kernel = None) -> SimpleNamespace:
    """The entry points of a kernel as Python functions: each takes the prototype's values without the stream.

    Tensors of the prototype's types, contiguous, on the CPU (emulated) or on a GPU; results go to the output tensors.
    A rival in C++ ("rivals/openmp") runs on the CPU itself.
    """
    from grader.devices.load import ReferenceKernel

    entry = find_lesson(lesson)
    source = kernel_of(entry, kernel)
    if source[0].suffix == ".cpp":
        return _native(entry, source[0])
    names = [task.name for task in entry.lesson.tasks]
    return SimpleNamespace(**{name: ReferenceKernel(entry.root, entry.name, name, source) for name in names})


def _native(entry: Entry, file: Path) -> SimpleNamespace:
    from grader.devices.cuda import own_code

    functions = {}
    with tempfile.TemporaryDirectory() as folder:
        library = own_code.build_all([file], Path(folder), "")[file]
        if isinstance(library, own_code.BuildError):
            raise UsageError(f"{file.name} cannot be built: {library}")
        for task in (task.signature for task in entry.lesson.tasks):
            if call := own_code.load(library, task, on_host=True):
                names = [each.name for each in task.parameters[:-1]]
                functions[task.name] = lambda *v, call=call, names=names: call(**dict(zip(names, v, strict=True)))
    return SimpleNamespace(**functions)


def record(lesson: str | int, kernel: Kernel = None, *, task: str | None = None, case: str | None = None,
           launch: int = 0, block: tuple[int, int, int] = (0, 0, 0)) -> Recording:  # fmt: skip
    """What the emulator sees one block do, for the figures of grader.report.figures."""
    from grader.faces import record as recorder

    entry = find_lesson(lesson)
    file, source = kernel_of(entry, kernel)
    return recorder.record(entry, file, source=source, task=task, case=case, launch=launch, block=block, seed=SEED)


def results(lesson: str | int, task: str | None = None, case: str | None = None) -> Table:
    """What was measured on the H200 and is committed, at the timed case or at `case`: a name as the table's title.

    `table[name]` is a report.bench.Standing: `.us`, `.rate`, `.fraction`, `.ratio`.
    """
    from grader.faces import bench
    from grader.report import bench as words
    from grader.report.pages import Table

    entry = find_lesson(lesson)
    measured = bench.read(committed(entry.root, f"{entry.name}.json"))
    asked = row_named(measured["tasks"], task_of(entry, task).name)
    at = row_named(asked["cases"], case, words.case_text) if case else words.deciding_case(asked)
    if at is None:
        raise UsageError(f"nothing is measured of {asked['name']}: type `ladder bench {entry.number:02d}`")
    title = f"{asked['name']} at {words.case_text(at)}"
    note = f"Measured on an {measured['device']['name']}, {measured['date']}; committed, not measured here."
    return Table(title, *words.cells(at), note, {each.name: each for each in words.standings(at)})


def bench_figure(lesson: str | int, task: str | None = None) -> Committed:
    """The committed plot of the H200's measurements over all sizes."""
    from grader.report.figures import measured

    entry = find_lesson(lesson)
    return measured.committed(entry, task_of(entry, task).name)


def hierarchy(*, here: bool = False) -> Table:
    """The H200's memories, their sizes and latencies, as committed; those of this machine's GPU if asked for `here`.

    `table[...]` is what devices.cuda.hierarchy has measured.
    """
    from grader.devices.cuda import card
    from grader.faces.hierarchy import measure
    from grader.report.memories import memories_table

    if not here:
        return memories_table(json.loads(committed(catalog.course_root(), "hierarchy.json").read_text()))
    found, reason = card.find_card()
    if found is None:
        raise UsageError(f"there is no GPU to measure, as {reason}; hierarchy() shows the H200's")
    return memories_table(measure(found))


def slider(name: str, **given: int | str) -> Page:
    """Numbers to push: "sectors", "banks", "occupancy", "roofline", "waves" or "little", beginning as `given`.

    The script of all sliders goes with the first one of a notebook; on Colab, where each output is a page, with each.
    """
    from grader.report import sliders

    cards = sliders.machines(catalog.course_root())
    page = sliders.slider(name, cards, given)
    if "google.colab" in sys.modules or _first_slider.setdefault("", page) == page:
        return replace(page, html=f"{sliders.bundle(cards)}\n{page.html}")
    return page


_first_slider: dict[str, Page] = {}  # of this kernel: shown again, it brings the script again


def has_gpu() -> bool:
    """Whether kernels can be graded on a GPU here: for cells that show `results` otherwise."""
    from grader.devices.cuda.card import find_card

    return find_card()[0] is not None


# ---- in IPython ----


def load_ipython_extension(ipython: InteractiveShell) -> None:
    """%load_ext grader.faces.notebook. Makes the course's kernels/ and examples/ importable, too, and what lies beside
    python known to cells by its name, as ninja, by which torch builds: an environment need not be active.
    """
    from grader.devices.load import LoadError
    from grader.faces import magics

    magics.register(ipython)
    assert ipython.display_formatter is not None  # each shell makes one as it starts
    images = ipython.display_formatter.formatters["image/png"]
    images.for_type_by_name("matplotlib.figure", "Figure", _png)  # also those that pyplot knows nothing of
    ipython.set_custom_exc((UsageError, LoadError), _complain)
    if (root := str(catalog.course_root())) not in sys.path:
        sys.path.append(root)
    if (scripts := sysconfig.get_path("scripts")) not in (paths := os.get_exec_path()):
        os.environ["PATH"] = os.pathsep.join([scripts, *paths])


def _complain(shell: InteractiveShell, kind: type, error: Exception, trace: Any, tb_offset: int | None = None) -> None:
    """Shows an error as its sentence. The cell has failed all the same, and those below it do not run."""
    shell._showtraceback(kind, error, [str(error)])


def _png(figure: Figure) -> bytes:
    if hasattr(figure, "_repr_png_"):  # those of grader.report.figures
        png: bytes = figure._repr_png_()
        return png
    file = io.BytesIO()
    figure.savefig(file, format="png")
    return file.getvalue()
