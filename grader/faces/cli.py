"""`ladder`, the command line. Exit codes: 0 passed, 1 not passed, 2 wrong usage or broken setup, 130 interrupted.

Heavy imports (torch, rich) stay inside the commands that need them, so that `ladder hint` answers at once.
"""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.course import catalog, hints, progress, work
from grader.course.catalog import UsageError
from grader.course.files import shown_path
from grader.faces import authors, classroom, hunt, puzzles, read, run_command, view
from grader.faces import check as checking
from grader.faces.check import Options, Reports
from grader.faces.check_many import check_all, check_puzzles
from grader.faces.exit import AFTER_CTRL_C, INTERRUPTED, NOT_PASSED, PASSED, WRONG_USAGE, fault

if TYPE_CHECKING:
    from grader.devices.submission import Device
    from grader.devices.worker.job import Level


def main() -> None:
    """Does the command of this process here, as the console script does where no other process can (standby.py)."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Runs one command and returns its exit code. Whatever goes wrong is told in one sentence on stderr."""
    sys.stdout, sys.stderr = (stream or io.StringIO() for stream in (sys.stdout, sys.stderr))  # None if closed: `2>&-`
    for stream in (sys.stdout, sys.stderr):
        if reconfigure := getattr(stream, "reconfigure", None):  # not every replacement of stdout can
            reconfigure(errors="replace")  # a terminal without stars shows question marks
    try:
        _require_folder()
        return ladder.main(arguments, prog_name="ladder", standalone_mode=False) or PASSED
    except UsageError as error:
        return _complain(str(error), WRONG_USAGE)
    except click.ClickException as error:
        said = error.format_message().rstrip(".")
        return _complain(f"{said}{' T' if said.endswith('?') else ': t'}ype `ladder --help`", WRONG_USAGE)
    except (click.Abort, KeyboardInterrupt):
        return _complain(AFTER_CTRL_C, INTERRUPTED)
    except Exception as error:
        _drop_what_cannot_be_written()
        return _complain(fault(error), WRONG_USAGE)


def _drop_what_cannot_be_written() -> None:
    """As on a full disk: else Python 3.12 and newer try once more as they end, and say so in words of their own."""
    try:
        sys.stdout.flush()
    except OSError:
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, sys.stdout.fileno())
        os.close(nothing)


def _require_folder() -> None:
    try:
        os.getcwd()
    except FileNotFoundError:
        raise UsageError("the current folder has been removed: go to another one, with `cd`") from None


def _complain(sentence: str, code: int) -> int:
    print(f"ladder: {sentence}", file=sys.stderr)
    return code


@click.group(invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="kernel-ladder", prog_name="ladder", message="%(prog)s %(version)s")
@click.pass_context
def ladder(context: click.Context) -> None:
    """Learn CUDA: write a kernel, and learn in a second whether it is right and why not.

    Without a command: the course at a glance.
    """
    if context.invoked_subcommand is None:
        _show_course()


def _show_course() -> None:
    from grader.report.overview import course_rows, show_course
    from grader.report.terminal import make_console

    console, root = make_console(), catalog.course_root()
    done, hunted = progress.load(root), hunt.look(root)
    show_course(console, course_rows(root, done, hunted))
    for message in filter(None, (done.message, hunted.message)):
        console.print(message)


@ladder.command()
@click.argument("folder", required=False, type=click.Path(path_type=Path))
@click.option("--update", is_flag=True, help="Bring this program's course to a folder that holds an older one.")
@click.option("--offline", is_flag=True, help="Fetch nothing: take PyTorch from what was fetched before.")
def init(folder: Path | None, update: bool, offline: bool) -> None:
    """Write the course into FOLDER (kernel-ladder/): lessons, kernels, notebooks, and settings for editors."""
    from grader.faces.init import init

    init(folder, update, offline)


RUNG = click.option("--rung", type=int, metavar="N", help="A rung of the lesson's ladder, from 1.")
TASK = click.option("--task", metavar="NAME", help="The task that is meant, if the lesson has several.")


@ladder.command()
@click.argument("lesson")
@RUNG
@TASK
def start(lesson: str, rung: int | None, task: str | None) -> None:
    """Copy a lesson's starter to work/, where you write your kernel; with --rung N the course's rung below it.

    Your own file stays as it is; where --rung replaces it, it is kept beside.
    """
    from grader.faces import rungs

    rungs.start(catalog.find(lesson), task, rung)


DEVICE = click.option("--device", type=click.Choice(["auto", "emulator", "cuda"]), default="auto", show_default=True)
SEED = click.option("--seed", type=click.IntRange(0, 2**31 - 1), help="Draw the inputs of an earlier grade again.")
SANDBOX = click.option("--sandbox", type=click.Choice(["none", "basic", "strict"]),
                       help="How the kernel is confined [basic]; strict: not graded where not all holds.")  # fmt: skip
FILE = click.Path(path_type=Path)


@ladder.command()
@click.argument("lesson", required=False)
@click.argument("file", required=False, type=FILE)
@click.option("--task", "tasks", multiple=True, metavar="NAME", help="Grade only this task; may be repeated.")
@DEVICE
@SEED
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")
@click.option("--junit", type=FILE, metavar="FILE", help="Also write JUnit's XML, for continuous integration.")
@click.option("--gradescope", type=FILE, metavar="FILE", help="Also write Gradescope's results.json.")
@click.option("--html", type=FILE, metavar="FILE", help="Also write a page for a browser.")
@click.option("--reference", is_flag=True, help="Grade the lesson's reference kernel instead of yours.")
@click.option("--all", "everything", is_flag=True, help="Grade every lesson; the argument is the folder of kernels.")
@click.option("--sanitize", is_flag=True, help="On a GPU, also watch the kernel with NVIDIA's compute-sanitizer.")
@click.option(
    "--debug",
    is_flag=False,
    flag_value="",
    metavar="[BLOCK,THREAD]",
    help="Stop in gdb, at the finding or in this thread (numbers in grid and block); docs/debugging.md.",
)
@click.option("--print-threads", is_flag=True, help="Put block and thread before each line that a kernel prints.")
@click.option("--no-emulator", is_flag=True, help="On a GPU, do not have the emulator look, too; the report says so.")
@click.option("--no-model", is_flag=True, help="Model no times: stars are for counts alone.")
@click.option("--nvcc", is_flag=True, help="Also ask nvcc, where it is installed, whether it compiles the file.")
@SANDBOX
@click.pass_context
def check(context: click.Context, /, lesson: str | None, file: Path | None, tasks: tuple[str, ...], device: Device,
          seed: int | None, as_json: bool, junit: Path | None, gradescope: Path | None, html: Path | None,
          reference: bool, everything: bool, sanitize: bool, print_threads: bool, no_emulator: bool,
          debug: str | None, no_model: bool, nvcc: bool, sandbox: Level | None) -> None:  # fmt: skip
    """Grade a kernel: work/NN_name.cu, or FILE; or grade a hand-in again.

    \b
    ladder check 01                     your kernel for lesson 01
    ladder check 01 other.cu            another file
    ladder check 01_vector_add.handin.json   what `ladder submit` wrote
    ladder check --all [FOLDER]         all your kernels, of work/, or all kernels and hand-ins of FOLDER
    ladder check --all --reference      the reference kernels of all lessons
    """
    if debug is not None and device == "auto":
        device = "emulator"
    options = Options(tasks, device, seed, reference, sanitize, nvcc=nvcc, print_threads=print_threads,
                      emulator=not no_emulator, debug=debug, model=not no_model, by_counts=no_model,
                      sandbox=sandbox)  # fmt: skip
    reports = Reports(as_json, junit, gradescope, html)
    if everything:
        if tasks or file or (reference and lesson):
            raise UsageError("--all takes a folder or --reference, and neither --task nor a lesson")
        if nvcc or debug is not None:
            raise UsageError(f"--{'nvcc' if nvcc else 'debug'} is for one kernel: leave out --all")
        context.exit(check_all(Path(lesson) if lesson else None, options, reports))
    if lesson is None:
        raise UsageError("say which lesson: `ladder check 01`, or `ladder check --all`")
    if debug is not None and lesson.endswith(checking.HAND_IN):
        raise UsageError("--debug is for a kernel file, and not for a hand-in: name its lesson and the file")
    context.exit(checking.check(lesson, file, options, reports, check_puzzles))


@ladder.command()
@click.argument("lesson")
@click.argument("file", required=False, type=FILE)
@DEVICE
@SEED
@SANDBOX
@click.pass_context
def submit(context: click.Context, /, lesson: str, file: Path | None, device: Device, seed: int | None,
           sandbox: Level | None) -> None:  # fmt: skip
    """Grade a kernel and write a file to hand in, under submissions/: source, grade, seed and environment."""
    context.exit(checking.submit(lesson, file, Options(device=device, seed=seed, sandbox=sandbox)))


@ladder.command()
@click.argument("lesson")
@click.argument("file", required=False, type=FILE)
@click.option("--task", "tasks", multiple=True, metavar="NAME", help="Explain only this task; may be repeated.")
@click.option("--case", metavar="NAME", help="Count at this case, 'n=31', instead of the lesson's choice.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")
@click.option("--html", type=FILE, metavar="FILE", help="Write the page of `ladder view`, too: step by step.")
@click.option("--reference", is_flag=True, help="Explain the lesson's reference kernel instead of yours.")
@click.option("--sass", is_flag=True, help="Also show nvcc's machine code by line; needs nvcc and nvdisasm.")
@click.option("--device", type=click.Choice(["emulator", "cuda"]), default="emulator", show_default=True,
              help="cuda: with what Nsight Compute counts on the GPU beside it.")  # fmt: skip
@SANDBOX
@click.pass_context
def explain(context: click.Context, /, lesson: str, file: Path | None, tasks: tuple[str, ...], case: str | None,
            as_json: bool, html: Path | None, reference: bool, sass: bool, device: Device,
            sandbox: Level | None) -> None:  # fmt: skip
    """Show what each line of a kernel costs: sectors, bank conflicts, idle lanes, atomics."""
    from grader.faces import nvidia_tools, view
    from grader.report.explain import could_run, dumps, show_explanation
    from grader.report.graded import check_writable
    from grader.report.terminal import make_console, show

    if reference and file is not None:
        raise UsageError("give either a file or --reference, not both")
    if sass:
        checking.need_disassembler()
    entry = puzzles.find(lesson, file)
    if html:
        chosen = view.task_to_view(entry, file, tasks[0] if tasks else None, "ladder explain")
        check_writable([html])
    ncu = nvidia_tools.ready("ncu") if device == "cuda" else None
    options = Options(tasks, "emulator", reference=reference, counted=case, sandbox=sandbox)
    with checking.progress_line(entry.name) as tell:
        graded = checking.grade_kernel(entry, file, options, tell)
        grade, source = graded.verdict, graded.source
        profiles = nvidia_tools.count_on_gpu(ncu, entry, grade, case, tell) if ncu else {}
    if as_json:
        click.echo(dumps(grade, source, profiles))
    elif any(task.lines for task in grade.tasks):
        show_explanation(make_console(widest=200), grade, source, profiles)
        for line in checking.model(entry, graded, split=True, sass=sass) if case is None else ():
            click.echo(line)
    else:
        show(make_console(), grade, source=source)
    if html:
        view.write_page(entry, file, html, task=chosen.name, case=case, reference=reference)
    context.exit(PASSED if could_run(grade) else NOT_PASSED)


@ladder.command()
@click.argument("lesson")
@TASK
@RUNG
def hint(lesson: str, task: str | None, rung: int | None) -> None:
    """Show the next hint for the next rung of a lesson, or for rung N."""
    from grader.faces import rungs

    rungs.hint(puzzles.find(lesson), task, rung)


@ladder.command()
@click.argument("lesson")
@RUNG
@TASK
@click.option("--reveal", is_flag=True, help="Show it although it is not reached, or the lesson not passed.")
@click.option("--half", is_flag=True, help="In half precision instead of bfloat16, for a GPU like the T4.")
def solution(lesson: str, rung: int | None, task: str | None, reveal: bool, half: bool) -> None:
    """Show the highest rung of a lesson you have passed, or a rung that you have reached."""
    from grader.faces import rungs

    rungs.solution(puzzles.find(lesson), task, rung, reveal, half)


@ladder.command()
@click.argument("lesson")
@click.argument("name", required=False)
@click.option("--diff", is_flag=True, help="Only what it changes in one of the lesson's kernels.")
def mistake(lesson: str, name: str | None, diff: bool) -> None:
    """Show one of a lesson's usual mistakes, as the whole kernel; without NAME, what there is."""
    from grader.report.solution import show_solution
    from grader.report.terminal import make_console

    entry = catalog.find(lesson)
    if name is None:
        click.echo("\n".join(f"{each.name}: {each.sentence}" for each in entry.mistakes))
        return
    found = next((each for each in entry.mistakes if each.name == name), None)
    if found is None:
        names = ", ".join(each.name for each in entry.mistakes) or "none yet"
        raise UsageError(f"lesson {entry.name} has no mistake `{name}`: there are {names}")
    if diff and not found.is_difference:
        raise UsageError(f"{name} is no difference but a file of its own: leave out --diff")
    file, text = (found.file, found.file.read_text()) if diff else (found.whole, found.text())
    show_solution(make_console(widest=160), text, shown_path(file), "diff" if diff else "cuda")


@ladder.command()
@click.argument("lesson")
@click.option("--yes", is_flag=True, help="Do not ask.")
def reset(lesson: str, yes: bool) -> None:
    """Begin a lesson again: the starter takes the place of your file, which is kept beside it."""
    entry = puzzles.find(lesson)
    file = shown_path(entry.work_file)
    question = f"Put the starter in place of {file}? What you have is kept in a backup."
    if not yes and entry.work_file.exists() and not _confirmed(question, f"ladder reset {lesson} --yes"):
        click.echo(f"{file} stays as it is.")
        return
    backup = work.reset(entry)
    hints.begin_at(entry, entry.lesson.tasks, 0)
    click.echo(f"{file} is the starter again; what you had is in {shown_path(backup)}." if backup
               else f"{file} is the starter already, so nothing changes.")  # fmt: skip


def _confirmed(question: str, without: str) -> bool:
    """Whether the answer is yes. Raises UsageError with the command that needs none, if there is no answer."""
    try:
        return click.confirm(question)
    except click.Abort:
        if sys.stdin.isatty():
            raise KeyboardInterrupt from None
        raise UsageError(f"nothing was changed, as no answer came: type `{without}`") from None


@ladder.command()
@click.argument("lesson", required=False)
@DEVICE
def watch(lesson: str | None, device: Device) -> None:
    """Grade on every save: your kernel for LESSON, or for the next one you have not passed."""
    from grader.faces import watch

    watch.watch(puzzles.find(lesson) if lesson else None, device)


@ladder.command()
@click.argument("lesson", required=False)
@click.argument("files", nargs=-1, type=FILE)
@click.option("--task", "tasks", multiple=True, metavar="NAME", help="Measure only this task; may be repeated.")
@click.option("--quick", is_flag=True, help="Two sizes and few samples.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Where JSON and pictures go.")
@click.option("--replot", is_flag=True, help="Show and draw what was measured before; needs no GPU.")
@click.option("--modelled", is_flag=True, help="Needs no GPU: modelled times beside those that were measured before.")
@click.option("--card", is_flag=True, help="Write what this GPU can do into cards/, for modelled times. No lesson.")
@click.pass_context
def bench(context: click.Context, /, lesson: str | None, files: tuple[Path, ...], tasks: tuple[str, ...], quick: bool,
          out: Path | None, replot: bool, modelled: bool, card: bool) -> None:  # fmt: skip
    """Time every rung of a lesson, and your FILES, beside PyTorch and what the GPU can do at best."""
    from grader.faces import bench, bench_card, bench_model
    from grader.report.terminal import make_console

    if card:
        return click.echo(f"written: {shown_path(bench_card.bench_card(catalog.course_root()))}")
    if lesson is None:
        raise UsageError("say which lesson: `ladder bench 01`, or `ladder bench --card` for what this GPU can do")
    entry, console = catalog.find(lesson), make_console(widest=140)
    console.width = max(console.width, 100)  # a table of results is no prose
    if replot:
        if files or tasks or quick:
            raise UsageError("--replot takes nothing but --out FOLDER: it shows what was measured before")
        bench.replot(console, entry, out)
    elif modelled or (not (quick or out) and bench_model.is_all_there_is(console, entry)):
        if quick or out:
            raise UsageError("--modelled measures nothing: it takes files and --task")
        bench_model.bench_modelled(console, entry, files, tasks)
    elif not bench.bench(console, entry, files, tasks=tasks, quick=quick, out=out):
        context.exit(NOT_PASSED)


@ladder.command()
@click.pass_context
def doctor(context: click.Context) -> None:
    """Say what is installed, what is missing and what to type."""
    from grader.faces.doctor import report
    from grader.report.terminal import make_console

    context.exit(report(make_console()))


for more in (hunt.command, read.command, run_command.command, view.command, classroom.command, *authors.commands):
    ladder.add_command(more)

if __name__ == "__main__":
    main()
