"""`ladder init`: writes the course into a folder of the learner's, and `ladder init --update` brings a newer one."""

from __future__ import annotations

import importlib.util
import re
import shlex
import sys
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

import click

from grader.course import content, editor, unpack
from grader.course.catalog import UsageError
from grader.course.unpack import Manifest, Plan
from grader.devices.build.toolchain import missing_compiler

DEFAULT = Path("kernel-ladder")
OWN_FILES = Path(__file__).parent / "fresh_course"
# Files that only a learner's folder has: where they go, and what they are called here.
OWN = {
    "README.md": "README.md",
    ".gitignore": "gitignore",
    ".vscode/extensions.json": "extensions.json",
    ".vscode/settings.json": "settings.json",
}


def init(folder: Path | None, update: bool = False, offline: bool = False) -> None:
    """Writes the course into `folder`, or brings it up to date, and prints what it did. Raises UsageError."""
    folder = folder or _default()
    _refuse_checkout([folder.absolute()])
    texts = course_files()
    fresh = Manifest.of(content.version(), texts)
    try:
        click.echo(_bring(folder, texts, fresh, update).replace("this folder holds", "This folder holds"))
        editor.write(folder / editor.NAME)
    except OSError as error:
        raise UsageError(_failed(folder, error)) from None
    _fetch_torch(offline)
    if missing := missing_compiler():
        click.echo(f"To build your kernels, one thing is missing: {missing}.")
    click.echo(f"Next: {_next_step(folder)}")


def course_files() -> dict[str, bytes]:
    """All that `ladder init` writes, by name, but .clangd, which is not the same everywhere. Raises UsageError."""
    home = content.home()
    texts = {name: (home / name).read_bytes() for name in content.names(home)}
    return texts | {name: (OWN_FILES / file).read_bytes() for name, file in OWN.items()}


def _default() -> Path:
    """The course around this folder; outside one, a new folder. Raises UsageError."""
    if found := unpack.course_around(Path.cwd()):
        return found
    _refuse_checkout([Path.cwd(), *Path.cwd().parents])
    return DEFAULT


def _refuse_checkout(folders: Sequence[Path]) -> None:
    for folder in folders:
        if content.is_checkout(folder):
            said = f"{folder} is a checkout of Kernel Ladder, which has the course in it"
            raise UsageError(f"{said}: type `ladder start 00` there, or name another folder: `ladder init FOLDER`")


# ---- the files ----


def _bring(folder: Path, texts: dict[str, bytes], fresh: Manifest, update: bool) -> str:
    """Does it, and returns what to print. Raises UsageError and OSError."""
    old = unpack.read_manifest(folder)
    steps = unpack.plan(folder, old, fresh)
    if old and _number(old.version) > _number(fresh.version):
        newer = f"{_shown(folder)} holds the course {old.version}, and this program has {fresh.version}"
        raise UsageError(f"{newer}: install the newer program, or name another folder")
    if update and not old and not (folder / "lessons").exists():
        raise UsageError(f"there is no course in {_shown(folder)} to update: type `ladder init`, or `cd` into yours")
    if not update:
        _refuse_to_change(folder, old, fresh, steps)
    if not folder.exists():
        unpack.create(folder.absolute(), texts, fresh)
        return _welcome(folder, fresh)
    aside = unpack.carry_out(folder, steps, texts, fresh, old.version if old else "")
    return _what_was_done(folder, steps, fresh, old, aside) if old or update else _welcome(folder, fresh)


def _refuse_to_change(folder: Path, old: Manifest | None, fresh: Manifest, steps: Plan) -> None:
    """Without --update, files are only added, and only to a course or where none is in the way. Raises UsageError."""
    command = f"`ladder init {shlex.quote(str(folder))} --update`"
    if old and (steps.changed or steps.gone or steps.kept):
        theirs = f"the course {old.version}, and this program has {fresh.version}"
        if old.version == fresh.version:
            theirs = f"an earlier state of the course {old.version}"
        raise UsageError(f"{_shown(folder)} holds {theirs}: type {command}")
    in_the_way = [*steps.kept, *(["lessons/"] if (folder / "lessons").exists() else [])]
    if not old and in_the_way:
        raise UsageError(
            f"{_shown(folder)} holds files of its own where the course's go ({_some(in_the_way)}): "
            f"name another folder: `ladder init FOLDER`"
            + (f", or type {command}, which moves them aside" if "lessons/" in in_the_way else "")
        )


def _number(text: str) -> list[int]:
    """`0.10.2` as numbers; what follows them, as in 0.10.2rc1, does not count."""
    return [int(part) for part in re.findall(r"\d+", text)[:3]]


# ---- PyTorch ----


def _fetch_torch(offline: bool) -> None:
    """Installs PyTorch into this environment if it is not there. Raises UsageError if that fails."""
    if importlib.util.find_spec("torch") is not None:
        return
    from grader.faces.download import InstallError
    from grader.faces.install import install

    try:
        install(Path(sys.executable), _torch_requirements(), content.home() / "constraints.txt", offline)
    except InstallError as error:
        raise UsageError(f"the course is there, but PyTorch is not: {error}") from error


def _torch_requirements() -> list[str]:
    """`torch>=2.11`, as this program's metadata says it."""
    needed = metadata.requires("kernel-ladder") or []
    return sorted({each.partition(";")[0].strip() for each in needed if each.startswith("torch")})  # of every extra


# ---- words ----


def _welcome(folder: Path, fresh: Manifest) -> str:
    lessons = sum(name.startswith("lessons/") and name.endswith("/lesson.py") for name in fresh.files)
    return f"{_shown(folder)} holds the course now: {lessons} lessons, with their notebooks and kernels."


def _what_was_done(folder: Path, steps: Plan, fresh: Manifest, old: Manifest | None, aside: Path) -> str:
    counts = {"new": steps.new, "changed": steps.changed, "gone": steps.gone}
    files = ", ".join(f"{len(names)} {what}" for what, names in counts.items() if names)
    before = f" (before: {old.version})" if old and old.version != fresh.version else ""
    done = f"Its files: {files}; work/ is as it was." if files else "Nothing had to be changed."
    said = [f"{_shown(folder)} holds the course {fresh.version}{before}. {done}"]
    if steps.kept:
        said.append(f"What you had changed, and is another now, is kept in {aside.name}/: {_some(steps.kept)}.")
    if steps.stay:
        said.append(f"What you have changed, and the course has not, stays: {_some(steps.stay)}.")
    return "\n".join(said)


def _failed(folder: Path, error: OSError) -> str:
    file = str(error.filename or "")
    where = "" if not file or unpack.STAGING in file else f" ({file})"
    return f"the course cannot be written to {_shown(folder)}: {error.strerror}{where}; mend that and type it again"


def _next_step(folder: Path) -> str:
    inside = folder.absolute() in (Path.cwd(), *Path.cwd().parents)
    begun = (folder / "work").exists()
    what = "type `ladder`, which shows where you are" if begun else "type `ladder start 00`"
    return what if inside else f"`cd {shlex.quote(str(folder))}`, then {what}"


def _shown(folder: Path) -> str:
    """`kernel-ladder/`, from here if it lies below this folder."""
    absolute, here = folder.absolute(), Path.cwd()
    if absolute == here:
        return "this folder"
    return f"{absolute.relative_to(here) if absolute.is_relative_to(here) else absolute}/"


def _some(names: Sequence[str], most: int = 3) -> str:
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest} more" if rest > 0 else "")
