"""Attacks and honest kernels in one run of `ladder class` on a terminal, beside a folder that is none of theirs."""

from __future__ import annotations

import hashlib
import os
import pty
import random
import re
import select
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from benchmarks import synthetic_class
from benchmarks.synthetic_class import Made
from grader.classroom.ledger import Ledger
from grader.course import catalog

LADDER = [sys.executable, "-P", "-c", "from grader.faces.standby import main; main()"]  # as the console script does
SECRET = "the-words-of-a-private-key"
# What the progress bar sends besides text, and every line that this command may print.
_COLOUR, _MOVE = re.compile(r"\x1b\[[0-9;]*m"), re.compile(r"\x1b\[(?:\d*[AK]|\?25[lh])|\r")
_OURS = re.compile(
    r"\s*|\d+ kernels were to grade, \d+ are left|0\d_\w+: \d+ of \d+ people: [\w ★,()]+"
    r"|\d+ kernels were held by [\w ,;]+"
    r"|[━╸╺ ]+\d+/\d+ [\d:…-]+( (hostile|honest) \d+[\w ]*, 0\d_\w+: [a-z_]+)?…?\s*"
)


@dataclass(frozen=True)
class Found:
    """Sentences, and those of them that should not be."""

    said: list[str]
    wrong: list[str]


def run(attacks: int, honest: int, folder: Path | None, jobs: int, lessons: tuple[str, ...] = ("01", "02")) -> Found:
    """Grades so many of each, in a mixed order, and looks at verdicts, files and the terminal."""
    with tempfile.TemporaryDirectory(prefix="ladder-hostile-") as name:
        place, file = Path(name) / "outside", Path(name) / "class.sqlite"
        victim(place)
        made = synthetic_class.hostile(attacks, folder, place) + synthetic_class.honest(honest, lessons, 7)
        random.Random(7).shuffle(made)
        with Ledger(file, new=True) as ledger:
            ledger.add_all(each.submitted for each in made)
        before = [snapshot(place), snapshot(catalog.course_root() / "lessons"), snapshot(Path.home(), depth=1)]
        screen = on_a_terminal([*LADDER, "class", "grade", "--ledger", str(file), "--jobs", str(jobs)])
        after = [snapshot(place), snapshot(catalog.course_root() / "lessons"), snapshot(Path.home(), depth=1)]
        leaked = any(SECRET.encode() in each.read_bytes() for each in Path(name).glob("class.sqlite*"))
        with Ledger(file) as ledger:
            statuses = {row.key.learner: row.result.status if row.result else "no grade" for row in ledger.rows()}
    return _told(made, statuses, before == after, leaked, screen)


def victim(place: Path) -> None:
    """A folder as an attack wants one: a key, a program, what may not be changed."""
    (place / "victim" / "folder").mkdir(parents=True)
    for name in ("id_test", "victim/file", "victim/folder/file", "pts"):
        (place / name).write_text(SECRET)


def snapshot(place: Path, depth: int = 9) -> list[tuple[object, ...]]:
    """All that can be seen of its files: name, rights, owner, times and content."""
    found: list[tuple[object, ...]] = []
    for path in sorted(place.rglob("*") if depth > 1 else place.glob("*")):
        facts = path.lstat()
        if "__pycache__" in path.parts or (path.name.startswith(".") and depth == 1):
            continue
        content = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() and depth > 1 else ""
        found.append((str(path), facts.st_mode, facts.st_uid, facts.st_mtime_ns if content else 0, content))
    return found


def on_a_terminal(command: list[str]) -> str:
    """Runs a program on a terminal of its own; returns all that was written there."""
    ours, theirs = pty.openpty()
    wide = {**os.environ, "COLUMNS": "200"}
    run = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True, env=wide)
    os.close(theirs)
    written = b""
    while True:
        ready = select.select([ours], [], [], 1.0)[0]
        try:
            part = os.read(ours, 1 << 16) if ready else b""
        except OSError:  # closed by all
            part = b""
        written += part
        if not part and run.poll() is not None:
            break
    os.close(ours)
    return written.decode("utf-8", "replace")


def foreign(screen: str) -> list[str]:
    """Lines on the screen that are none of ours."""
    lines = _MOVE.sub("\n", _COLOUR.sub("", screen)).split("\n")
    return [line for line in lines if not _OURS.fullmatch(line)]


def _told(made: list[Made], statuses: dict[str, str], untouched: bool, leaked: bool, screen: str) -> Found:
    honest = [each for each in made if each.kind != "hostile"]
    attacks = [each for each in made if each.kind == "hostile"]
    wrong = [
        f"{each.submitted.learner} ({each.submitted.file}) is {statuses[each.submitted.learner]}, not {each.statuses}"
        for each in honest
        if each.statuses and statuses[each.submitted.learner] not in each.statuses
    ]
    wrong += [] if untouched else ["something outside was changed"]
    wrong += ["something secret was read"] if leaked else []
    wrong += [f"on the terminal: {line!r}" for line in foreign(screen)[:20]]
    said = [f"{len(honest)} honest: {dict(Counter(statuses[each.submitted.learner] for each in honest))}"]
    said += [f"{len(attacks)} hostile: {dict(Counter(statuses[each.submitted.learner] for each in attacks))}"]
    other = [each for each in attacks if each.statuses and statuses[each.submitted.learner] not in each.statuses]
    said += [f"{each.submitted.file} is {statuses[each.submitted.learner]}, not {each.statuses}" for each in other]
    return Found([*said, *(wrong or ["no honest verdict changed, nothing outside was touched or read"])], wrong)
