"""`ladder read`: what a lesson's notebook or README says under a heading, in the terminal or on the site."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from grader.course import catalog, reading
from grader.course.catalog import Entry, UsageError
from grader.course.choose import choose_rung, choose_task
from grader.course.content import is_checkout
from grader.course.files import shown_path
from grader.course.reading import Section


@click.command("read")
@click.argument("place", metavar="LESSON[#HEADING]")
@click.option("--rung", type=int, metavar="N", help="What is said about a rung of the lesson's ladder, from 1.")
@click.option("--task", metavar="NAME", help="The task that is meant, if the lesson has several.")
@click.option("--browser", is_flag=True, help="Open the site there, which `make site` builds.")
def command(place: str, rung: int | None, task: str | None, browser: bool) -> None:
    """Read a section of a lesson's notebook or README; answers and solutions stay folded.

    \b
    ladder read 01                     the lesson's README
    ladder read '01#The guard'         a section; 01#The-guard, and the path that a verdict names, will do
    ladder read 04 --rung 3            what is said about rung 3
    """
    name, _, heading = place.partition("#")
    entry = _lesson(name)
    if heading and rung is not None:
        raise UsageError("give either a heading or --rung, not both")
    if task and rung is None:
        raise UsageError("--task says whose rung is meant: add --rung, or leave it out")
    if rung is not None:
        section, address = _rung(entry, task, rung)
    else:
        section = reading.section(entry, heading) if heading else reading.readme(entry)
        address = section.address
    if browser:
        _browse(entry, address)
    else:
        _show(entry, section)


def _lesson(name: str) -> Entry:
    """`01`, or the page's path as a verdict names it: notebooks/01_vector_add.ipynb. Raises UsageError."""
    path = Path(name)
    if path.suffix != ".ipynb":
        return catalog.find(str(path.parent) if path.name == "README.md" else name)
    return catalog.find(path.stem.partition("_")[0])


def _rung(entry: Entry, name: str | None, number: int) -> tuple[Section, str]:
    """What is said about a rung, and the rung's own place on the site. Raises UsageError."""
    task = choose_task(entry, name, f"ladder read {entry.label} --rung {number}")
    chosen = choose_rung(task, number, ())
    address = f"lessons/{entry.name}.html#{reading.anchor(reading.rung_title(entry, task, chosen))}"
    return reading.about_rung(entry, task, chosen), address


def _show(entry: Entry, section: Section) -> None:
    if not sys.stdout.isatty():
        click.echo(section.text, nl=False)
        return
    from grader.report.markdown import show_markdown
    from grader.report.terminal import make_console

    console = make_console()
    show_markdown(console, section.text)
    console.print(f"\n{shown_path(section.page)}; `ladder check {entry.label}` grades your kernel", style="dim")


def _browse(entry: Entry, address: str) -> None:
    page = entry.root / "build" / "site" / address.partition("#")[0]
    if not page.is_file():
        how = "type `make site` first, or leave out --browser" if is_checkout(entry.root) else "leave out --browser"
        raise UsageError(f"{shown_path(page)} is not there: {how}")
    click.launch(f"{page.absolute().as_uri()}#{address.partition('#')[2]}")
    click.echo(f"opened {shown_path(page)}")
