"""The commands of those who write lessons: `ladder new-lesson`, `new-mistake` and `check-course`."""

from __future__ import annotations

from pathlib import Path

import click

from grader.course import catalog
from grader.course.files import shown_path
from grader.faces.exit import NOT_PASSED, PASSED

FILE = click.Path(path_type=Path)


@click.command("new-lesson")
@click.argument("name")
@click.option("--course", type=FILE, metavar="FOLDER", help="A course of your own, which begins there if need be.")
def new_lesson(name: str, course: Path | None) -> None:
    """Write the skeleton of a lesson, for those who teach: it explains itself."""
    from grader.faces import drafts

    files = drafts.new_lesson(drafts.begin_course(course), name)
    click.echo("\n".join(shown_path(file) for file in files))
    check = f"ladder check-course {files[0].parent.name}"
    where = f"cd {course} && {check}" if course else check
    click.echo(f"Next: make them yours, docs/authoring.md helps, then type `{where}`")


@click.command("new-mistake")
@click.argument("lesson")
@click.argument("name")
@click.argument("file", type=FILE)
def new_mistake(lesson: str, name: str, file: Path) -> None:
    """Keep FILE, a kernel with a mistake, as what it changes in the lesson's nearest kernel: mistakes/NAME.diff."""
    from grader.faces import drafts

    entry = catalog.find(lesson)
    click.echo(shown_path(drafts.new_mistake(entry, name, file)))
    click.echo(f"Next: type `ladder check-course {entry.label}`")


@click.command("check-course")
@click.argument("lessons", nargs=-1)
@click.option("--form", is_flag=True, help="Only what can be read; nothing is graded.")
@click.option("--device", type=click.Choice(["emulator", "cuda"]), default="emulator", show_default=True,
              help="cuda: by its times on this GPU, does every rung stand where it should?")  # fmt: skip
@click.option("--out", type=FILE, metavar="FILE.json", help="With --device cuda: keep what was measured.")
@click.pass_context
def check_course(context: click.Context, lessons: tuple[str, ...], form: bool, device: str, out: Path | None) -> None:
    """Prove that lessons keep their promises: starters, references, rungs, mistakes, hints."""
    from grader.faces import authoring, on_gpu

    entries = [catalog.find(lesson) for lesson in lessons] or catalog.entries()
    if (form and device == "cuda") or (out and device != "cuda"):
        raise catalog.UsageError("--form grades nothing, and --out keeps what --device cuda measured: leave one out")
    if device == "cuda":
        context.exit(PASSED if on_gpu.check(entries, click.echo, out) else NOT_PASSED)
    kept = [authoring.check(entry, click.echo, only_form=form) for entry in entries]
    context.exit(PASSED if all(kept) else NOT_PASSED)


commands = [new_lesson, new_mistake, check_course]
