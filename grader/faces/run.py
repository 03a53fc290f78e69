"""`ladder run prog.cu`: any CUDA program, built with its main() and run on the emulator, which tells what it sees."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from grader.course.catalog import UsageError
from grader.devices.build.toolchain import missing_compiler
from grader.devices.cache import cache_root
from grader.faces.exit import INTERRUPTED, NOT_PASSED, WRONG_USAGE

if TYPE_CHECKING:
    from rich.console import Console

    from grader.devices.emulator.program import Program
    from grader.devices.worker.program import Ended, How, Progress
    from grader.faces.run_view import Asked
    from grader.report.program import Run

TIMED_OUT = 124  # as `timeout` has it
STANDARDS = ("c++03", "c++11", "c++14", "c++17", "c++20", "c++23")  # and gnu++; older ones are built as C++17


_SOONER = (
    "to end sooner: a smaller size (by the program's arguments, or --set NAME=VALUE), --launches first,"
    " or --no-counters --no-races"
)


@dataclass(frozen=True)
class Options:
    """How to run a program, and how to tell of it."""

    folders: tuple[Path, ...] = ()
    definitions: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    standard: str = "c++17"
    arrays: bool | None = None
    kernel: str = ""
    launches: str = "all"
    no_counters: bool = False
    no_races: bool = False
    devices: int | None = None
    timeout: float | None = None
    exit_zero: bool = False
    notes: bool = False
    as_json: bool = False
    html: Path | None = None
    junit: Path | None = None
    view: str | None = None  # the kernel; empty: any
    launch: int | None = None
    blocks: tuple[int, ...] = ()
    out: Path | None = None


def run(files: Sequence[Path], arguments: Sequence[str], options: Options) -> int:
    """Builds and runs the program of these files and tells of it. Returns the exit code; raises UsageError."""
    from grader.devices.worker.program import run_program
    from grader.faces.ran import described
    from grader.report.graded import check_writable
    from grader.report.program import tell

    _check(files, options)
    how = _how(options)
    page = None if options.view is None else options.out or Path(f"{files[0].stem}.view.html")
    check_writable([file for file in (options.html, options.junit, page) if file])
    program = _built(files, options)
    if program is None:
        return WRONG_USAGE
    out = sys.stderr.fileno() if options.as_json else None
    console = _console()
    with _Shown(console) as shown:
        name = str(files[0].with_suffix(""))
        ended = run_program(program, [name if "/" in name else f"./{name}", *arguments], how, out, shown)
    found = described(program, ended, str(files[0]), how)
    if options.as_json:
        print(json.dumps(found.to_json()))
    else:
        tell(found, console, options.notes)
        if ended.stopped:
            console.print(_SOONER, highlight=False)
    _write(found, options)
    if page and (asked := _asked(options)):
        _view(program, ended, found, asked, page)
    if ended.stopped:
        return TIMED_OUT if ended.stopped == "timeout" else INTERRUPTED
    if options.kernel and not any(each["counted_launches"] for each in found.kernels) and not options.no_counters:
        launched = " and ".join(f"`{each['name']}`" for each in found.kernels) or "none"
        raise UsageError(f"{found.program} launched no kernel `{options.kernel}` to count, but {launched}")
    return NOT_PASSED if found.findings and not options.exit_zero else found.exit_code


def _check(files: Sequence[Path], options: Options) -> None:
    from grader.devices.emulator.program import is_source

    if options.view is None and (options.launch or options.blocks or options.out):
        raise UsageError("--launch, --block and --out say what --view shows: add --view")
    if options.view and is_source(Path(options.view)):
        raise UsageError(f"--view takes a kernel's name: let {options.view} stand before it")
    if options.standard.replace("gnu", "c") not in STANDARDS:
        raise UsageError(f"-std is one of {', '.join(STANDARDS)}, and not `{options.standard}`")
    if not files:
        raise UsageError("name the program's files, as in `ladder run prog.cu`")
    if missing := missing_compiler():
        raise UsageError(missing)
    for file in files:
        if not file.is_file():
            raise UsageError(f"there is no file {file}")
        if not is_source(file):
            raise UsageError(f"{file} is no source file: name .cu, .cpp or .c files (headers are found by themselves)")


def _named(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    if not name.isidentifier() or not value.strip():
        raise UsageError(f"--set takes a name and its value, as in --set N=64, and not `{text}`")
    return name, value


def _how(options: Options) -> How:
    from grader.devices.worker.program import How

    launches = {"first": 1, "last": None, "all": None}
    if options.launches not in launches and not (options.launches.isdecimal() and int(options.launches) > 0):
        raise UsageError(f"--launches is `first`, `last`, `all` or a number from 1, and not `{options.launches}`")
    first = launches[options.launches] if options.launches in launches else int(options.launches)
    return How(
        counters=not options.no_counters,
        races=not options.no_races,
        kernel=options.kernel,
        launches=first,
        last=options.launches == "last",
        devices=options.devices,
        timeout=options.timeout,
        to_record=asked.to_record if (asked := _asked(options)) else None,
    )


def _built(files: Sequence[Path], options: Options) -> Program | None:
    """The program; None if it cannot be built, which has been told. Raises UsageError."""
    from grader.devices.emulator.program import NotBuilt, Wanted, build_program

    try:
        values = dict(_named(each) for each in options.values)
        wanted = Wanted(files, options.folders, options.definitions, options.standard, values, options.arrays)
        return build_program(wanted, cache_root())
    except NotBuilt as error:
        for each in error.build.diagnostics:
            print(each.message, *([f"    {each.source.strip()}"] if each.source else []), sep="\n", file=sys.stderr)
        for folder in (each for each in options.folders if not each.exists()):
            print(f"ladder: -I {folder}: there is no such folder", file=sys.stderr)
        print(f"ladder: {files[0].name} cannot be built for the emulator", file=sys.stderr)
    except subprocess.CalledProcessError as error:
        first = next((line for line in error.stderr.splitlines() if "error" in line), "no reason given")
        raise UsageError(f"the emulator does not compile with this g++ ({first})") from error
    return None


def _asked(options: Options) -> Asked | None:
    """What is to be viewed."""
    if options.view is None:
        return None
    from grader.faces.run_view import Asked

    return Asked(options.view, options.launch, options.blocks)


def _view(program: Program, ended: Ended, found: Run, asked: Asked, page: Path) -> None:
    """Writes the page of `--view`. Raises UsageError if there is nothing to show."""
    from grader.faces.run_view import view_of
    from grader.report.graded import write

    html, about = view_of(program, ended, found, asked)
    write(page, html)
    print(f"{page} shows {' '.join(about)}\nNext: open it in a browser; it needs no network", file=sys.stderr)


def _write(found: Run, options: Options) -> None:
    from grader.report import program_files
    from grader.report.graded import write

    if options.html:
        write(options.html, program_files.html(found))
    if options.junit:
        write(options.junit, program_files.junit(found))


class _Shown:
    """On a terminal, a line that says what a program is busy with, as long as it prints nothing itself."""

    def __init__(self, console: Console):
        self.shown = console.is_terminal and sys.stdout.isatty()
        self.looks, self.written = 0, False

    def __enter__(self) -> _Shown:
        return self

    def __exit__(self, *_: object) -> None:
        self._clear()

    def __call__(self, now: Progress) -> None:
        """As worker.program.run_program wants it."""
        self.looks += 1
        if not self.shown or self.looks < 6 or not now.blocks:
            return
        self._clear()
        sys.stderr.write(f"launch {now.launch:,}, {now.kernel}: {now.done:,} of {now.blocks:,} blocks")
        sys.stderr.flush()
        self.written = True

    def _clear(self) -> None:
        if self.written:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self.written = False


def _console() -> Console:
    from rich.console import Console

    console = Console(stderr=True, soft_wrap=True, highlight=False)
    console.width = max(console.width, 110)  # a table of numbers is no prose
    return console
