"""Whose file it is: names as Moodle, Canvas, Blackboard and Gradescope write them into the files that they export.

Moodle      First Last_4711_assignsubmission_file_/kernel.cu, or without folders …_assignsubmission_file_kernel.cu;
            where people are anonymous, Participant_4711_…
Canvas      lastfirst_LATE_4711_123456_kernel-1.cu: name, person, file; the last number counts the tries
Blackboard  Homework 1_login_attempt_2026-11-20-23-05-12_kernel.cu, and beside it …-12.txt
Gradescope  assignment_1_export/submission_4711/kernel.cu, and submission_metadata.yml, which says whose that is
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import PurePosixPath

METADATA = "submission_metadata.yml"
_MOODLE = re.compile(
    r"^(?P<name>.+?)_(?:(?P<id>\d+)_(?:assignsubmission_)?|assignsubmission_)(?:file|onlinetext)_?(?P<file>.*)$"
)
_CANVAS = re.compile(r"^(?P<name>[^_\W]+)(?P<late>_LATE)?_(?P<id>\d+)_\d+_(?P<file>.+)$")
_BLACKBOARD = re.compile(r"^.*_(?P<id>[^_]+)_attempt_(?P<time>\d{4}-\d\d-\d\d-\d\d-\d\d-\d\d)(?:_(?P<file>.+)|\.txt)$")
_GRADESCOPE = re.compile(r"^submission_\d+$")
_KEY = re.compile(r"""^(?P<indent>[ -]*):?(?P<key>[\w]+):\s*(?P<quote>['"]?)(?P<value>.*?)(?P=quote)\s*$""")


@dataclass(frozen=True)
class Owner:
    """Whose file it is: a name, the system's number or login of that person, and the file's name as it was given.

    `written` is in seconds since 1970, where the export says when it was handed in; `late` where it says so.
    """

    name: str
    id: str = ""
    file: str = ""
    written: float | None = None
    late: bool = False


def owner_of(path: PurePosixPath, gradescope: Mapping[str, Owner]) -> Owner | None:
    """None for what no such system has written. `gradescope` has the owners of an export's folders."""
    for part in path.parts:
        if part in gradescope:
            return gradescope[part]
        if found := _MOODLE.match(part):
            anonymous = found["name"] == "Participant"  # then the number is all that there is
            name = f"Participant {found['id']}" if anonymous else found["name"]
            return Owner(name, found["id"] or "", found["file"])
    if found := _BLACKBOARD.match(path.name):
        when = datetime.strptime(found["time"], "%Y-%m-%d-%H-%M-%S").timestamp()
        return Owner(found["id"], found["id"], found["file"] or "", when)
    if found := _CANVAS.match(path.name):
        return Owner(found["name"], found["id"], found["file"], late=bool(found["late"]))
    return None


def is_note(path: PurePosixPath) -> bool:
    """Whether a system has written this file itself, about what was handed in."""
    return path.name == METADATA or (path.suffix == ".txt" and bool(_BLACKBOARD.match(path.name)))


def gradescope_owners(metadata: str) -> dict[str, Owner]:
    """Of each folder the owner, of a group all of them: all that is read of submission_metadata.yml."""
    owners: dict[str, Owner] = {}
    folder, names, ids, written, history = "", [""], [""], None, False
    for line in [*metadata.splitlines(), "end:"]:
        if not (found := _KEY.match(line)):
            continue
        if not found["indent"]:
            if _GRADESCOPE.match(folder) and any(names):
                owners[folder] = Owner(", ".join(filter(None, names)), ", ".join(filter(None, ids)), "", written)
            folder, names, ids, written, history = found["key"], [], [], None, False
        elif history := history or found["key"] == "history":  # earlier tries, which are not in the export
            continue
        elif found["key"] == "name":
            names.append(found["value"])
        elif found["key"] == "sid":
            ids.append(found["value"])
        elif found["key"] == "created_at":
            written = _time(found["value"])
    return owners


def _time(text: str) -> float | None:
    """Of 2026-11-20 23:05:12.123456789 Z, or with an offset."""
    found = re.match(r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.\d+)? ?(Z|UTC|[+-]\d\d:?\d\d)?$", text)
    if not found:
        return None
    when = datetime.fromisoformat(f"{found[1]}T{found[2]}")
    offset = found[3] if found[3] and found[3][0] in "+-" else "+00:00"
    zone = datetime.fromisoformat(f"2000-01-01T00:00:00{offset}").tzinfo or UTC
    return when.replace(tzinfo=zone).timestamp()
