"""What a notebook's cell names: lessons, tasks, kernels, their functions, and rows of what was measured."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.course import catalog
from grader.course.catalog import Entry, UsageError

if TYPE_CHECKING:
    from grader.course.lesson import Task

TEXT_FILE = Path("cell.cu")  # what a kernel given as text is called
Kernel = Path | str | None


def find_lesson(lesson: str | int) -> Entry:
    """The lesson of this number or name. Raises UsageError."""
    return catalog.find(str(lesson))


def task_of(entry: Entry, name: str | None) -> Task:
    """The task of this name; the first one for None. Raises UsageError."""
    from grader.course.choose import choose_tasks

    return choose_tasks(entry, [name] if name else None)[0]


def kernel_of(entry: Entry, kernel: Kernel) -> tuple[Path, str]:
    """The file that is meant, and its text. Raises UsageError."""
    from grader.course.work import read_kernel

    if isinstance(kernel, str) and "\n" in kernel:
        return TEXT_FILE, kernel
    file = _named_file(entry, kernel) if isinstance(kernel, str) else kernel or entry.reference
    return file, read_kernel(file, entry)


def _named_file(entry: Entry, name: str) -> Path:
    if name == "work":
        return entry.work_file
    files = {"/".join(filter(None, (entry.task_of(file), file.stem))): file for file in entry.rungs}
    files["starter"] = entry.starter
    others = [*(mistake.whole for mistake in entry.mistakes), *entry.rivals]
    files |= {f"{file.parent.name}/{file.stem}": file for file in others}
    if name not in files:
        raise UsageError(f"lesson {entry.name} has no kernel `{name}`: it has {', '.join(files)}")
    return files[name]


def shown_in(entry: Entry, file: Path) -> str:
    """A file's path as seen from the course."""
    return str(file.relative_to(entry.root) if file.is_relative_to(entry.root) else file.name)


def committed(root: Path, name: str) -> Path:
    """A file of the H200's results. Raises UsageError if it is not there."""
    from grader.report.bench import CARD

    place = Path("benchmarks", "results", CARD, name)
    if not (root / place).is_file():
        raise UsageError(f"nothing has been measured for this yet: there is no {place}")
    return root / place


def row_named(rows: Sequence[Any], name: str, named: Callable[[Any], str] = itemgetter("name")) -> Any:
    """The row of this name. Raises UsageError."""
    found = next((row for row in rows if named(row) == name), None)
    if found is None:
        raise UsageError(f"`{name}` has not been measured: there are {', '.join(map(named, rows))}")
    return found


def check_metrics(names: Iterable[str], counters: Mapping[str, Any]) -> None:
    from grader.judge.targets import METRICS

    for name in names:
        if name not in METRICS and name not in counters:
            raise UsageError(f"`{name}` is not counted: there are {', '.join([*METRICS, *counters])}")


def function_text(source: str, name: str, file: Path) -> str:
    """A function's text, or a struct's, from the comment above it to its last brace. Raises UsageError."""
    lines = source.splitlines()
    # at the left edge, or alone under its __launch_bounds__; a call ends with a semicolon
    named = re.compile(rf"([^\s/#].*\b|\s+){re.escape(name)}\((?!.*;$)|struct\b.*\b{re.escape(name)} \{{$")
    starts = [
        i for i, line in enumerate(lines) if named.match(line) and (line[0] != " " or lines[i - 1].startswith("__"))
    ]
    if not starts:
        raise UsageError(f"{file.name} has no function or struct `{name}`")
    first = starts[0]
    while first and lines[first - 1].startswith(("//", "template", "__")):
        first -= 1
    is_last = (line.startswith("}") or (i == starts[0] and line.endswith("}")) for i, line in enumerate(lines))
    last = next(i for i, found in enumerate(is_last) if found and i >= starts[0])
    return "\n".join(lines[first : last + 1])
