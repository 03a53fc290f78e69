"""`ladder check` and `ladder submit`: what is graded, and in which forms the grades are told."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from shlex import quote
from types import ModuleType
from typing import TYPE_CHECKING, Any

import click

from grader.course import catalog
from grader.course.catalog import Entry, Puzzle, UsageError
from grader.course.files import shown_path
from grader.course.work import read_kernel
from grader.devices.submission import NotGraded, Submission, start_server
from grader.faces import debug, puzzles
from grader.faces.exit import NOT_PASSED, PASSED, WRONG_USAGE
from grader.faces.handover import pass_on
from grader.faces.remember import remember_own

if TYPE_CHECKING:
    from grader.course.lesson import Task
    from grader.devices.submission import Device, Progress
    from grader.devices.worker.job import Level
    from grader.judge.verdict import Grade
    from grader.report.graded import Graded

HAND_IN = ".json"  # how the name of a file ends that `ladder submit` wrote, whatever it is called now


@dataclass(frozen=True)
class Options:
    """How to grade."""

    tasks: tuple[str, ...] = ()
    device: Device = "auto"
    seed: int | None = None
    reference: bool = False
    sanitize: bool = False
    counted: str | None = None  # `ladder explain --case`
    nvcc: bool = False  # is asked, too
    print_threads: bool = False  # block and thread before each line that a kernel prints
    debug: str | None = None  # in gdb: "", or a block and a thread
    emulator: bool = True  # looks, too, at what is graded on a GPU
    model: bool = False  # says how long a right kernel would take on other cards
    by_counts: bool = False  # stars are for counts alone, whatever the model of a card says
    sandbox: Level | None = None  # None: as LADDER_SANDBOX says


@dataclass(frozen=True)
class Reports:
    """The forms that were asked for, beside the text for people or instead of it."""

    as_json: bool = False
    junit: Path | None = None
    gradescope: Path | None = None
    html: Path | None = None

    def prepare(self) -> None:
        """Raises UsageError if a file cannot be written: before anybody has waited for a grade."""
        if files := self._files():
            from grader.report.graded import check_writable

            check_writable([file for file, _ in files])

    def write(self, graded: Sequence[Graded], people: Sequence[str] = ()) -> None:
        """Writes the files; one of Gradescope's for each person, if there are several. Raises UsageError."""
        for file, form in self._files():
            from grader.report.graded import write

            for name, theirs in _by_person(file, graded, people if file == self.gradescope else ()).items():
                write(name, form.dumps(theirs))

    def _files(self) -> list[tuple[Path, ModuleType]]:
        """Each with the module that makes its text."""
        if not (self.junit or self.gradescope or self.html):
            return []
        from grader.report import gradescope, html, junit

        asked = ((self.junit, junit), (self.gradescope, gradescope), (self.html, html))
        return [(file, form) for file, form in asked if file]


def _by_person(file: Path, graded: Sequence[Graded], people: Sequence[str]) -> Mapping[Path, Sequence[Graded]]:
    """All under this name, or under `results.anna.json` those of each person, if there is more than one."""
    if len({*people}) < 2:
        return {file: graded}
    found: dict[Path, list[Graded]] = {}
    for each, person in zip(graded, people, strict=True):
        name = file.with_name(f"{file.stem}.{person}{file.suffix}") if person else file
        found.setdefault(name, []).append(each)
    return found


GradePuzzles = Callable[[Entry, Options, Reports], int]


# ---- one kernel ----


def check(lesson: str, file: Path | None, options: Options, reports: Reports, of_puzzles: GradePuzzles) -> int:
    """Grades one kernel, or one hand-in, and tells of it. Returns the exit code; raises UsageError.

    A lesson of puzzles, if no file says which one, is left to `of_puzzles` (check_many.check_puzzles).
    """
    reports.prepare()
    if Path(lesson).suffix == HAND_IN:
        return _check_hand_in(Path(lesson), file, options, reports)
    if Path(lesson).suffix == ".cu" and file is None and puzzles.is_named(lesson):
        file = Path(lesson)
    elif Path(lesson).suffix == ".cu":
        raise UsageError(f"say for which lesson {lesson} is meant: type `ladder check 01 {lesson}`")
    if file and file.suffix == HAND_IN:
        raise UsageError(f"{file} looks like a hand-in, which names its lesson itself: type `ladder check {file}`")
    if options.reference and file is not None:
        raise UsageError("give either a file or --reference, not both")
    if options.nvcc:
        _need_nvcc()
    debugger = debug.ready(options.device, options.debug) if options.debug is not None else None
    entry = catalog.find(lesson)
    if entry.puzzles and not options.reference:
        if not (file or options.tasks or options.nvcc or debugger):
            return of_puzzles(entry, options, reports)
        entry = puzzles.one(entry, file, options.tasks)
    try:
        graded = _graded_alone(entry, file, options)
    except NotGraded as error:
        return _tell_why_not(entry, file, options, reports, str(error))
    if not options.reference:
        remember_own(entry, graded, complete=not options.tasks)
    modelled = model(entry, graded) if options.model else iter(())
    if reports.as_json or reports.html:
        modelled = iter([*modelled])  # which notes them in the grade
    _tell(graded, reports, _next_step(entry, file, options), entry, _asked(entry, file, options))
    if not reports.as_json:
        for line in modelled:  # worked out only now: the verdict comes first
            click.echo(line)
    if debugger:
        debugger(entry, graded.verdict, graded.source)
    accepted = not options.nvcc or _nvcc_accepts(graded)
    return PASSED if graded.good and accepted else NOT_PASSED


def _tell_why_not(entry: Entry, file: Path | None, options: Options, reports: Reports, problem: str) -> int:
    """Tells that there is no grade, in every form that was asked for. Returns the exit code."""
    from grader.report.graded import Graded

    file = file or (entry.reference if options.reference else entry.work_file)
    graded = Graded(entry.name, shown_path(file), problem=problem, title=entry.lesson.title)
    if reports.as_json:
        from grader.report.json_ import dumps_problem

        click.echo(dumps_problem(graded))
    reports.write([graded])
    click.echo(f"ladder: {graded.kernel} is not graded: {problem}", err=True)
    return WRONG_USAGE


def submit(lesson: str, file: Path | None, options: Options) -> int:
    """Grades a kernel and writes a hand-in, whatever the grade. Returns the exit code; raises UsageError."""
    from grader.classroom import handin as submit

    entry = puzzles.find(lesson, file)
    folder = entry.root / "submissions"
    submit.prepare(folder)
    graded = _graded_alone(entry, file, options)
    remember_own(entry, graded, complete=True)
    _tell(graded, Reports(), None)
    written = shown_path(submit.write(submit.make(entry, graded.source, graded.verdict), folder))
    click.echo(f"Hand in {written}\nIt holds your kernel, its grade, and what it takes to grade it again.")
    if not graded.good:
        click.echo(f"It has not passed yet: type `ladder submit {entry.label}` again when it has.")
    return PASSED if graded.good else NOT_PASSED


def _check_hand_in(file: Path, kernel: Path | None, options: Options, reports: Reports) -> int:
    if kernel or options.reference or options.tasks or options.sanitize or options.seed is not None:
        raise UsageError("a hand-in says itself what to grade: give it alone, or with --device")
    with progress_line(file.name) as tell:
        graded = grade_hand_in(file, options, tell)
    _tell(graded, reports, None)
    return PASSED if graded.good else NOT_PASSED


def _need_nvcc() -> None:
    from grader.devices.cuda.nvcc import missing_nvcc

    if message := missing_nvcc():
        raise UsageError(message)


def need_disassembler() -> None:
    """Raises UsageError if nvcc's machine code cannot be read here."""
    from grader.devices.cuda.machine_code import tools
    from grader.devices.cuda.toolkit import INSTALL

    if not tools():
        raise UsageError(f"--sass needs nvcc and nvdisasm, which are not both here: {INSTALL}")


def _nvcc_accepts(graded: Graded) -> bool:
    """Says, on stderr, what nvcc thinks of the file."""
    from grader.devices.cuda.nvcc import refusals

    with progress_line("nvcc") as tell:
        tell("compiling")
        refused = refusals(graded.source)
    for said in refused:
        place = f"{graded.kernel}:{said.line}: " if said.line else ""
        click.echo(f"nvcc refuses {place or graded.kernel + ': '}{said.message}", err=True)
    if not refused:
        click.echo(f"nvcc compiles {graded.kernel}, too", err=True)
    return not refused


def _graded_alone(entry: Entry, file: Path | None, options: Options) -> Graded:
    with progress_line(entry.name) as tell:
        return grade_kernel(entry, file, options, tell)


def _asked(entry: Entry, file: Path | None, options: Options) -> str:
    """What a command named besides the lesson, to be typed again: ` mine.cu --task row_sum`."""
    other = file and file.absolute() != entry.work_file
    files = [quote(shown_path(file))] if file and other else ["--reference"] if options.reference else []
    tasks = [] if isinstance(entry, Puzzle) else [f"--task {task}" for task in options.tasks]
    return "".join(f" {word}" for word in [*files, *tasks])


def _next_step(entry: Entry, file: Path | None, options: Options) -> str:
    """The lesson's word for those who passed; before that, to grade the tasks of their file that were left out."""
    if options.tasks and not (file or options.reference):
        left_out = [task.name for task in entry.lesson.tasks if not task.bonus and task.name not in options.tasks]
        if left_out:
            return f"`ladder check {entry.label}` grades {' and '.join(left_out)}, too"
    return entry.lesson.next_step


def _tell(graded: Graded, reports: Reports, next_step: str | None, entry: Entry | None = None, asked: str = "") -> None:
    if reports.as_json:
        from grader.report.json_ import dumps

        click.echo(dumps(graded.verdict, graded.again))
    else:
        _show(graded, next_step, entry, asked)
    reports.write([graded])


def _show(graded: Graded, next_step: str | None, entry: Entry | None, asked: str) -> None:
    from grader.report.terminal import make_console, show, show_again

    console, drawn, verdict = make_console(), [], graded.verdict
    if isinstance(entry, Puzzle):
        drawn, next_step = puzzles.picture(entry, verdict, graded.source), puzzles.words_for_next(entry.of)
    elif entry and _is_missed(verdict):
        from grader.report.worst import worst_access

        drawn = worst_access(verdict, f"{entry.label}{asked}", len(entry.lesson.tasks) > 1)
    show(console, verdict, source=graded.source, next_step=next_step, asked=asked, picture=drawn)
    if graded.again:
        show_again(console, graded.again)


def _is_missed(verdict: Grade) -> bool:
    """Whether any goal that this device can tell is missed."""
    return any(goal.value is not None and not goal.met for task in verdict.tasks for goal in task.targets)


# ---- grading ----


def grade_kernel(entry: Entry, file: Path | None, options: Options, tell: Progress) -> Graded:
    """Grades the file, else the reference if that is asked for, else the learner's own. Raises UsageError."""
    from grader.course.choose import choose_tasks
    from grader.grade import grade
    from grader.report.graded import Graded

    choose_tasks(entry, options.tasks)  # a slip of the fingers is told first
    file = file or (entry.reference if options.reference else entry.work_file)
    source = read_kernel(file, entry)
    samples: dict[str, Any] = {}
    pass_on()
    chosen = partial(
        grade,
        entry,
        file,
        on_progress=tell,
        tasks=options.tasks or None,
        seed=options.seed,
        source=source,
        counted=options.counted,
        emulator=options.emulator,
        print_threads=options.print_threads,
        sandbox=options.sandbox,
        by_counts=options.by_counts,
        samples=samples,
    )
    found = _sanitized(entry, options, tell, chosen) if options.sanitize else chosen(device=options.device)
    return Graded(entry.name, found.kernel, source, found, title=entry.lesson.title, samples=samples)


def grade_hand_in(file: Path, options: Options, tell: Progress) -> Graded:
    """Grades a hand-in's source again, with its seed and where it was graded. Raises UsageError."""
    from grader.classroom import handin as submit
    from grader.grade import grade
    from grader.judge.again import environment
    from grader.report.graded import Graded

    handin = submit.read(file)
    entry = catalog.find(handin.lesson)
    device = handin.device if options.device == "auto" else options.device
    pass_on()
    kernel = Path(handin.kernel)  # read from the hand-in, never from there
    chosen = partial(grade, entry, kernel, device=device, seed=handin.grade.seed, source=handin.source)
    found = chosen(on_progress=tell, emulator=options.emulator, sandbox=options.sandbox)
    again = submit.compare(file, handin, found, environment(entry))
    return Graded(entry.name, shown_path(file), handin.source, found, title=entry.lesson.title, again=again)


def _sanitized(entry: Entry, options: Options, tell: Progress, chosen: partial[Grade]) -> Grade:
    from grader.faces import nvidia_tools

    if options.device == "emulator":
        raise UsageError("compute-sanitizer watches a GPU: leave out --device emulator (or --sanitize)")
    sanitizer = nvidia_tools.ready("compute-sanitizer")
    found = chosen(device="cuda")
    nvidia_tools.sanitize(sanitizer, entry, found, tell)
    return found


# ---- how long it would take ----


def model(entry: Entry, graded: Graded, split: bool = False, sass: bool = False) -> Iterator[str]:
    """Notes the modelled times of an emulated grade's right tasks in it, and says each in a line.

    If `split`, by parts of the card; with `sass`, beside nvcc's machine code.
    """
    from grader.model.times import modelled_times
    from grader.model.withheld import BRIEFLY, in_one_block
    from grader.report.modelled import doubt_words, modelled_words, split_words
    from grader.report.sass import sass_words

    grade, codes = graded.verdict, dict[str, Any]()
    timed = {task.name: task for task in entry.lesson.tasks if task.timed_case}
    right = [task for task in grade.tasks if task.status == "passed" and task.name in timed]
    if grade.device["kind"] != "emulator" or not right:
        return
    with progress_line(entry.name) as tell:
        submission = Submission(graded.source, Path(grade.kernel), entry.lesson.tasks, start_server(), grade.seed, tell,
                                sandbox=grade.sandbox.get("level"))  # fmt: skip
        for task in right:
            tell(f"modelling {task.name}")
            known, seconds = graded.samples.get(task.name), BRIEFLY if in_one_block(task.kernels) else None
            try:
                times = [*modelled_times(entry, timed[task.name], submission, split, known, seconds, codes)]
            except UsageError as error:  # the grade stands, whatever is wrong here
                yield f"not modelled: {error}"
                return
            for number, time in enumerate(times):
                if time.measured:
                    task.modelled.append(time.to_json())
                if number and not split:
                    continue  # one card is told, and all are in the JSON
                yield f"{task.name}: " * (len(grade.tasks) > 1) + modelled_words(time, task.position)
                if number:
                    continue  # what it is made of is told of the first
                if time.measured:
                    yield from (f"  not sure: {said}" for said in time.unsure)
                    doubted = doubt_words(time, task.stars, rung_of(timed[task.name], task.stars))
                    yield from [f"  {doubted}"] * bool(doubted)
                if split and time.measured:
                    yield from (f"  {line}" for line in split_words(time))
                if sass and time.measured and time.main:
                    yield from sass_words(time.main, graded.source.split("\n"))


def rung_of(task: Task, stars: int) -> int:
    """The number of the rung that earns so many stars; 0 if none is named for them."""
    return task.highest([task.stars[stars]]) if stars in task.stars else 0


# ---- while it takes ----


@contextlib.contextmanager
def progress_line(name: str) -> Iterator[Progress]:
    """A line on stderr that says what is being done and disappears; nothing at all unless stderr is a terminal."""
    if not sys.stderr.isatty():
        yield lambda what: None
        return
    from grader.report.terminal import make_console

    with make_console(stderr=True).status(f"{name}: starting") as status:
        yield lambda what: status.update(f"{name}: {what}")
