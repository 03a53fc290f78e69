"""`ladder bench`: every rung of a lesson beside what people use otherwise, measured, written down, told and drawn."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.course.catalog import Entry, UsageError
from grader.course.choose import choose_tasks
from grader.course.files import make_folder, shown_path
from grader.grade import grade

if TYPE_CHECKING:
    from rich.console import Console

    from grader.course.lesson import Case, Task
    from grader.devices.cuda.card import Card
    from grader.devices.cuda.own_code import BuildError
    from grader.judge.timing.contest import Contender, Effort, Kind

SCHEMA = 1
Json = dict[str, Any]
Advance = Callable[[str], None]  # is told which case is next

SAMPLES, QUICK_SAMPLES = 40, 10
CASE_SECONDS = 4.0  # of measuring, at most
LESSON_SECONDS, QUICK_SECONDS = 50.0, 8.0  # that all cases of a lesson share
METHOD = {
    "median_us": "CUDA events around one run, the L2 cache flushed before it; the median of `samples` runs. All "
    "contenders and ceilings take turns in random order, in one process. CPU code: afterwards, by the wall clock, "
    "the second of two runs in a row.",
    "state": "of the card by nvidia-smi: before and after it all, and for each case right after its timing",
    "noise": "the distance between the quartiles, over the median",
    "graph_us": "runs in a row in one CUDA graph, on the same buffers: no launch shows, and the L2 holds what fits",
    "extra_bytes": "the most GPU memory beside the buffers: peaks of torch's allocator (torch.cuda."
    "max_memory_allocated) and of cudaMallocAsync's pool, and what cudaMalloc has kept (cudaMemGetInfo)",
    "status": "before and after the timing, against the reference in float64; a rung that is wrong is not timed",
    "limit": "the ceiling, measured in the same rounds, under which the case's bytes (each buffer once) or operations "
    "take longest",
}


def bench(console: Console, entry: Entry, files: Sequence[Path] = (), *, tasks: Sequence[str] = (),
          quick: bool = False, out: Path | None = None) -> bool:  # fmt: skip
    """Measures a lesson and prints a table; False if a kernel was wrong. Raises UsageError.

    A full run goes to benchmarks/results/<gpu>/, as JSON and pictures; any other only to `out`, if that is given.
    """
    from grader.report.bench import show_results

    card = _card()
    chosen = [task for task in choose_tasks(entry, tasks or None) if task.timed_cases]
    if not chosen:
        raise UsageError(f"lesson {entry.name} times nothing: its lesson.py has no timed_case and no bench_cases")
    full = not (files or tasks or quick)
    folder = out or (entry.root / "benchmarks" / "results" / slug(card.name) if full else None)
    if folder:
        _prepare(folder)
    for file in files:
        _must_pass(entry, file, tasks)
    from grader.judge.timing.contest import Broken

    try:
        results = measure(entry, chosen, files, card, quick)
    except Broken as broken:
        console.print(f"{entry.name}: {broken}", style="red")
        return False
    show_results(console, results)
    if folder is None:
        console.print("Nothing is written down: only a full run is, or one with --out FOLDER.")
    else:
        _tell(console, write(results, folder))
    return not wrong_kernels(results)


def replot(console: Console, entry: Entry, folder: Path | None = None) -> None:
    """Prints the table and draws the pictures again from what was measured before. Raises UsageError."""
    from grader.report.bench import show_results

    found = sorted(folder.glob(f"{entry.name}.json") if folder else stored(entry))
    if not found:
        raise UsageError(f"nothing has been measured for {entry.name}: type `ladder bench {entry.number:02d}`")
    for file in found:
        results = read(file)
        show_results(console, results)
        _tell(console, _draw(results, file.parent))


def stored(entry: Entry) -> Iterator[Path]:
    """The lesson's committed results, one file for each GPU."""
    return (entry.root / "benchmarks" / "results").glob(f"*/{entry.name}.json")


def read(file: Path) -> Json:
    """What was measured. Raises UsageError."""
    try:
        results: Json = json.loads(file.read_text())
    except (OSError, ValueError) as error:
        raise UsageError(f"{shown_path(file)} cannot be read ({error}): measure again with `ladder bench`") from None
    if results.get("schema") != SCHEMA:
        raise UsageError(f"{shown_path(file)} is of another version: measure again with `ladder bench`")
    return results


def _prepare(folder: Path) -> None:
    """Raises UsageError if results could not be written there: before a minute goes into measuring."""
    try:
        make_folder(folder)
    except OSError as error:
        raise UsageError(f"{shown_path(folder)} cannot be written to ({error.strerror}): name another folder") from None


def write(results: Json, folder: Path) -> list[Path | str]:
    """Writes the JSON and draws the pictures; the files, or a sentence for what could not be had."""
    file = folder / f"{results['lesson']}.json"
    file.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n")
    return [file, *_draw(results, folder)]


def _draw(results: Json, folder: Path) -> list[Path | str]:
    try:
        from grader.report import plots
    except ImportError:
        number = results["lesson"].partition("_")[0]
        return [
            f"There are no pictures, as matplotlib is missing: install it and type `ladder bench {number} --replot`."
        ]
    return list(plots.draw(results, folder))


def _tell(console: Console, written: Sequence[Path | str]) -> None:
    for each in written:
        console.print(each if isinstance(each, str) else f"wrote {shown_path(each)}", style="dim", soft_wrap=True)


def slug(name: str) -> str:
    """A GPU's name as a folder: "NVIDIA H200" is h200, "NVIDIA GeForce RTX 4090" rtx_4090."""
    words = re.findall(r"[a-z0-9]+", name.lower())
    return "_".join(word for word in words if word not in ("nvidia", "tesla", "geforce", "quadro")) or "gpu"


def wrong_kernels(results: Json) -> list[str]:
    """Names of the rungs, and of the learner's kernels, that failed anywhere, but where their lesson expects it."""
    every = (each for task in results["tasks"] for case in task["cases"] for each in case["results"])
    ours = [each for each in every if each["kind"] in ("rung", "yours")]
    return sorted({each["name"] for each in ours if each["status"] not in ("passed", "inexact")})


# ---- before ----


def _card() -> Card:
    from grader.devices.cuda.card import find_card

    card, reason = find_card()
    if card is None:
        raise UsageError(f"`ladder bench` needs an NVIDIA GPU ({reason}); --replot shows what was measured before")
    return card


def _must_pass(entry: Entry, file: Path, tasks: Sequence[str]) -> None:
    """Grades a learner's file, for it will run in this process. Raises UsageError unless it passes."""
    if not grade(entry, file, device="cuda", tasks=tasks or None).passed:
        name = shown_path(file)
        raise UsageError(f"{name} does not pass, so it is not timed: type `ladder check {entry.number:02d} {name}`")


# ---- measuring ----


def ceilings_for(tasks: Sequence[Task], architecture: str) -> list[str]:
    """What is measured beside these tasks on a card of this architecture ("90a"): also what they count, alone.

    Floats of two bytes are held against mma.sync, which takes bfloat16 from 80 on, other ones against multiply-adds.
    """
    narrow = any(task.signature.is_narrow for task in tasks)
    also = {
        "special": any(task.specials for task in tasks),
        "fma": any(task.flops for task in tasks) and not narrow,
        "mma": narrow and int(architecture.rstrip("a")) >= 80,
    }
    return ["copy", "read", "fp32", "bf16", *(name for name, wanted in also.items() if wanted)]


def measure(entry: Entry, tasks: Sequence[Task], files: Sequence[Path], card: Card, quick: bool) -> Json:
    """Everything about one lesson on one card, as plain data. Raises contest.Broken if a kernel breaks the GPU."""
    import torch

    from grader.devices.cuda import ceilings, own_code
    from grader.devices.cuda.card import state_of
    from grader.judge.timing.turn import turn_on

    before = state_of(card)
    cases = [(task, case) for task in tasks for case in chosen_cases(task, quick)]
    limits = ceilings.wanted(ceilings_for(tasks, card.architecture), torch.cuda.mem_get_info()[0] // 16)
    effort = _effort(len(cases), quick)
    with tempfile.TemporaryDirectory() as folder, _progress(entry, len(cases)) as advance:
        libraries = own_code.build_all([*entry.rungs, *files, *entry.rivals], Path(folder), card.architecture)
        contenders = {task.name: enter(task, entry, files, libraries) for task in tasks}
        with turn_on(card, partial(print, file=sys.stderr)) as turn:
            turn.take()
            measured = _measure_cases(cases, contenders, advance, ceilings=limits, card=card, effort=effort)
    return {
        "schema": SCHEMA,
        "lesson": entry.name,
        "title": entry.lesson.title,
        "device": card.to_json(),
        "date": date.today().isoformat(),
        "versions": versions(entry.root),
        "state": {"before": before, "after": state_of(card)},
        "method": METHOD,
        "quick": quick,
        "tasks": measured,
    }


def chosen_cases(task: Task, quick: bool) -> list[Case]:
    """All timed cases; if it must be quick, the last one and the one in the middle."""
    cases = task.timed_cases
    return [*cases[len(cases) // 2 : -1][:1], *cases[-1:]] if quick else cases


def _effort(cases: int, quick: bool) -> Effort:
    from grader.judge.timing.contest import Effort

    seconds = (QUICK_SECONDS if quick else LESSON_SECONDS) / max(cases, 1)
    return Effort(QUICK_SAMPLES if quick else SAMPLES, min(seconds, CASE_SECONDS))


def _measure_cases(cases: Sequence[tuple[Task, Case]], contenders: Mapping[str, Sequence[Contender]], advance: Advance,
                   **how: Any) -> list[Json]:  # fmt: skip
    """The results by task; `how` as contest.hold takes it. Raises contest.Broken."""
    from grader.judge.timing.contest import hold

    found: dict[str, list[Json]] = {task.name: [] for task, _ in cases}
    for task, case in cases:
        advance(f"{task.name}({case.name})")
        found[task.name].append(hold(task, case, contenders[task.name], **how).to_json())
    return [{"name": name, "cases": measured} for name, measured in found.items()]


def enter(task: Task, entry: Entry, files: Sequence[Path],
          libraries: Mapping[Path, Path | BuildError]) -> list[Contender]:  # fmt: skip
    """Everybody who can do a task: the rungs, the learner's files, then torch's functions, then other libraries."""
    from grader.judge.timing.contest import Contender

    def native(source: Path, kind: Kind) -> Iterator[Contender]:
        if call := _call(libraries[source], task, on_host=kind == "cpu"):
            yield Contender(source.stem, kind, call)

    found = [each for file in entry.rungs_of(task.name) for each in native(file, "rung")]
    found += [each for file in files for each in native(file, "yours")]
    found += [Contender(name, "baseline", call, is_native=False) for name, call in task.baselines.items()]
    found += [Contender(name, "rival", call, is_native=False) for name, call in task.rivals.items()]
    found += [each for file in entry.rivals for each in native(file, "cpu" if file.suffix == ".cpp" else "rival")]
    return _unique(found)


def _call(library: Path | BuildError, task: Task, on_host: bool) -> Callable[..., None] | None:
    """The entry point; for a file that could not be built, what says so; None if the file does not have this task."""
    from grader.devices.cuda import own_code

    return (
        partial(_fail, library)
        if isinstance(library, Exception)
        else own_code.load(library, task.signature, on_host=on_host)
    )


def _fail(error: Exception, **_: Any) -> None:
    raise error


def _unique(contenders: Sequence[Contender]) -> list[Contender]:
    """With names that differ: a learner's file may be called like a rung."""
    seen: dict[str, int] = {}
    result = []
    for each in contenders:
        seen[each.name] = seen.get(each.name, 0) + 1
        result.append(each if seen[each.name] == 1 else replace(each, name=f"{each.name} ({seen[each.name]})"))
    return result


@contextmanager
def _progress(entry: Entry, cases: int) -> Iterator[Advance]:
    """A bar on stderr that disappears at the end; nothing at all unless stderr is a terminal."""
    if not sys.stderr.isatty():
        yield lambda what: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from grader.report.terminal import make_console

    columns = (
        TextColumn(entry.name),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
    )
    with Progress(*columns, console=make_console(stderr=True), transient=True) as bar:
        row = bar.add_task("building", total=cases, completed=-1)

        def advance(what: str) -> None:
            bar.update(row, description=what, advance=1)

        yield advance


def versions(root: Path) -> Json:
    """What the numbers depend on: torch, the driver, nvcc, the course's revision; what is not known is left out."""
    import platform

    import torch

    from grader.devices.cuda.toolkit import cuda_home, nvcc_version

    home = cuda_home()
    found = {
        "torch": torch.__version__,
        "python": platform.python_version(),
        "nvcc": "{}.{}".format(*nvcc_version(home)) if home else "",
        "driver": _said("nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader", "--id=0"),
        "revision": _said("git", "-C", str(root), "describe", "--always", "--dirty"),
    }
    return {name: version for name, version in found.items() if version}


def _said(*command: str) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=10, check=True).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""
