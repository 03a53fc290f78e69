"""`ladder run` as it is typed. What stands behind `--` is the program's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from grader.course.catalog import UsageError
from grader.faces.nvcc_options import without_nvccs


class _WithArguments(click.Command):
    """A command that leaves what stands behind the first `--` alone, and passes over what only nvcc needs before it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keeps those in the context's `meta`."""
        at = args.index("--") if "--" in args else len(args)
        ctx.meta["arguments"] = args[at + 1 :]
        return super().parse_args(ctx, list(without_nvccs(args[:at])))


FILE = click.Path(path_type=Path, dir_okay=False)
FOLDER = click.Path(path_type=Path, file_okay=False)  # as with nvcc, one that is not there has no headers


@click.command("run", cls=_WithArguments, epilog="Behind `--` stand the program's own arguments.")
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
@click.option("-I", "folders", multiple=True, type=FOLDER, metavar="FOLDER", help="Look for headers here, too.")
@click.option("-D", "definitions", multiple=True, metavar="NAME[=V]", help="Define a macro.")
@click.option("--set", "values", multiple=True, metavar="N=V", help="Let a constant of the program's own be V.")
@click.option("-std", "standard", default="c++17", metavar="c++20", help="The C++ standard.")
@click.option("--kernel", default="", metavar="NAME", help="Count and search for races in this kernel only.")
@click.option("--launches", default="all", metavar="first|last|all|N", help="Count so many launches of each kernel.")
@click.option("--no-counters", is_flag=True, help="Count nothing: faster.")
@click.option("--no-races", is_flag=True, help="Search for no races; together with --no-counters much faster.")
@click.option("--arrays/--no-arrays", default=None, help="Hold each index against its own array in all files, or none.")
@click.option("--devices", type=click.IntRange(1, 16), metavar="N", help="So many GPUs, which may be peers.")
@click.option("--timeout", type=click.FloatRange(min=0, min_open=True), metavar="SECONDS", help="Stop it then.")
@click.option("--notes", is_flag=True, help="Tell of leaks and of what is worth knowing, too.")
@click.option("--exit-zero", is_flag=True, help="End with the program's exit code in spite of findings.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object; what the program prints goes to stderr.")
@click.option("--html", type=FILE, metavar="FILE", help="Write a page that shows it all.")
@click.option(
    "--view", is_flag=False, flag_value="", metavar="[KERNEL]", help="Show a launch, step by step, on a page."
)
@click.option(
    "--launch", type=click.IntRange(min=1), metavar="N", help="With --view: the Nth launch, and not the first."
)
@click.option(
    "--block", "blocks", type=click.IntRange(min=0), multiple=True, metavar="N", help="With --view: this block."
)
@click.option("--out", type=FILE, metavar="PAGE.html", help="With --view: where the page goes.")
@click.option("--junit", type=FILE, metavar="FILE", help="Write JUnit's XML.")
@click.pass_context
def command(context: click.Context, /, files: tuple[Path, ...], **asked: Any) -> None:
    """Run any CUDA program on the emulator: FILES (.cu, .cpp, .c) with a main(). Tells what is wrong, and counts.

    A Python script runs, too: what its PyTorch extensions launch is emulated.
    """
    from grader.faces.run import Options, run

    if files and files[0].suffix == ".py":
        from grader.faces.run_script import run_script

        if Options(**asked) != Options(exit_zero=asked["exit_zero"]):
            raise UsageError(f"{files[0].name} is a Python script, which takes no option but --exit-zero")
        context.exit(run_script(files, context.meta["arguments"], asked["exit_zero"]))
    context.exit(run(files, context.meta["arguments"], Options(**asked)))
