"""Runs the programs of a list with `ladder run`, and writes down what came of each.

    python -m benchmarks.corpus.run [--list first_sight] [--seconds 20] [--for 500] [--jobs 2] [--again] [TEXT ...]

Only those whose repository and path hold one of the TEXTs; all, if none is given. What was run with the emulator of
this very state is not run again, unless --again is given, so that a run may be broken off and gone on with; --for ends
it after so many seconds. A program has --seconds for its run. Options stand in the list, under [repository.options];
the folders of its repository that hold the headers it asks for are given by -I. What it says is kept in files/said for
a reader, for no word tells whether a result is right. Then benchmarks/results/emulator/corpus_LIST.json is made anew,
where reasons that a reader has given stay as long as the outcome is the same, and what has changed is printed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from benchmarks.corpus.fetch import FILES, HERE, LISTS, repositories
from grader.devices.cache import cache_root
from grader.devices.emulator import session
from grader.devices.emulator.library import library_folder

ROOT = HERE.parents[1]
RESULTS = HERE.parent / "results" / "emulator"
RAN, SAID = FILES / "ran.json", FILES / "said"
COMMAND = [sys.executable, "-m", "grader.faces.cli", "run", "--json", "--exit-zero"]
BUILD_SECONDS = 120
STATE = ("grader/devices", "grader/faces/run.py", "grader/faces/ran.py")  # what a run's outcome depends on
_SYSTEM = (Path("/usr/include"), session.include_folder())  # whose headers need no -I
_INCLUDED = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.M)
_FAILURE = re.compile(r"fail|error|mismatch|wrong|incorrect|not (?:equal|match|correct)|different|\bnan\b", re.I)
_OWN_FAULT = re.compile(r"this is a fault in Kernel Ladder|Traceback \(most recent call last\)(?s:.)*grader/")
_KEPT = ("why", "note")  # what a reader has said

Result = dict[str, Any]


@dataclass(frozen=True)
class Program:
    """One of the list, with the options it is run with and its arguments behind `--`."""

    repository: str
    file: str
    options: str

    @property
    def name(self) -> str:
        """`owner/name/path`"""
        return f"{self.repository}/{self.file}"

    @property
    def folder(self) -> Path:
        """Its repository's."""
        return FILES / self.repository.replace("/", "+")

    def folders(self) -> list[str]:
        """The -I options for its headers."""
        return [part for each in folders_of_headers(self) for part in ("-I", str(each))]


def must_be_here(wanted: Iterable[Program]) -> None:
    """Ends this process with a sentence if one of them was not fetched."""
    if missing := [each.name for each in wanted if not (each.folder / each.file).is_file()]:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        sys.exit(f"{missing[0]}{more} is not here: type `python -m benchmarks.corpus.fetch`")


def programs(listed: str) -> list[Program]:
    """Those of the list of this name, in its order."""
    return [
        Program(each["name"], file, each.get("options", {}).get(file, ""))
        for each in repositories(listed)
        for file in each["files"]
    ]


def state() -> str:
    """What tells one state of the emulator from another: a hash of its files."""
    files = [path for name in STATE for path in (sorted((ROOT / name).rglob("*")) or [ROOT / name]) if path.is_file()]
    told = hashlib.sha256()
    for file in files:
        if "__pycache__" not in file.parts:
            told.update(str(file.relative_to(ROOT)).encode() + file.read_bytes())
    return told.hexdigest()[:12]


def folders_of_headers(program: Program) -> list[Path]:
    """The folders of its repository with a header that it, or one that it includes, asks for and has not beside it."""
    seen, found, ahead = set(), [], [program.folder / program.file]
    while ahead:
        file = ahead.pop()
        for name in _INCLUDED.findall(file.read_text(errors="replace")):
            if any((folder / name).is_file() for folder in _SYSTEM):
                continue
            if (file.parent / name).is_file():
                header = file.parent / name
            else:
                paths = program.folder.rglob(Path(name).name)
                there = [each for each in paths if str(each).endswith(f"/{name}") and each.is_file()]
                if (library_folder() / name).is_file():  # elsewhere it is another program's
                    there = [each for each in there if each.parent.name.lower() in ("common", "inc")]
                if not there:
                    continue
                header = min(there, key=lambda each: (_apart(each, file), str(each)))
                folder = header.parents[len(Path(name).parts) - 1]
                if folder not in found:
                    found.append(folder)
            if header not in seen:
                seen.add(header)
                ahead.append(header)
    return found


def _apart(one: Path, other: Path) -> int:
    """How many folders lie between two files."""
    common = len(Path(os.path.commonpath([one, other])).parts)
    return len(one.parts) + len(other.parts) - 2 * common


def run(program: Program, seconds: float) -> Result:
    """What came of it: `outcome` and what belongs to that. Its output goes to files/said."""
    file = program.folder / program.file
    options, arguments = split(program.options)
    command = [*COMMAND, "--timeout", f"{seconds:g}", file.name, *program.folders(), *options]
    command += ["--", *arguments] if arguments else []
    begun = time.monotonic()
    code, out, said = run_command(command, file.parent, seconds + BUILD_SECONDS)
    SAID.mkdir(exist_ok=True)
    (SAID / (program.name.replace("/", "+") + ".txt")).write_text(said)
    result = judged(code, out, said)
    return result | {"seconds": round(time.monotonic() - begun, 1)}


def split(options: str) -> tuple[list[str], list[str]]:
    """Options of `ladder run`, and arguments of the program."""
    words = shlex.split(options)
    at = words.index("--") if "--" in words else len(words)
    return words[:at], words[at + 1 :]


def run_command(command: Sequence[str], folder: Path, limit: float) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a command that Ladder's own code is on the path of."""
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
    process = subprocess.Popen(
        command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True,
    )  # fmt: skip
    try:
        out, said = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, said = process.communicate()
    return process.returncode, out, said


def judged(code: int, out: str, said: str) -> Result:
    """The outcome, as far as a program can tell it."""
    if _OWN_FAULT.search(said):
        return {"outcome": "broken", "says": said.strip().splitlines()[-1]}
    try:
        found = json.loads(out.strip().splitlines()[-1])
    except (ValueError, IndexError):
        reasons = [line for line in said.splitlines() if line.strip()]
        return {
            "outcome": "not built" if code == 2 else "broken",
            "says": reasons[0] if reasons else f"exit code {code}",
        }
    result: Result = {"kernels": len(found["kernels"])}
    if found["findings"]:
        places = {f"{each['kind']} {Path(each['file'] or '?').name}:{each['line']}" for each in found["findings"]}
        result["findings"] = sorted(places)
    if all("is not emulated" in each["message"] for each in found["findings"]) and found["findings"]:
        return result | {"outcome": "refused"}
    if code == 124:
        return result | {"outcome": "out of time", "says": found["ended"]}
    if found["findings"]:
        return result | {"outcome": "finding"}
    if found["ended"] or found["exit_code"]:
        return result | {"outcome": "ended", "says": found["ended"] or f"exit code {found['exit_code']}"}
    failures = [line.strip() for line in said.splitlines() if _FAILURE.search(line)]
    return result | {"outcome": "right"} | ({"says": failures[0][:200]} if failures else {})


def _known() -> dict[str, Result]:
    return json.loads(RAN.read_text()) if RAN.is_file() else {}


def main() -> int:
    """Runs what is asked for, and prints what came of it. Returns 1 if a program met a fault of Ladder's own."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", nargs="*")
    parser.add_argument("--list", choices=LISTS, default=LISTS[0], dest="listed")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--for", type=float, default=float("inf"), dest="length")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--again", action="store_true")
    asked = parser.parse_args()
    now, end = state(), time.monotonic() + asked.length
    known = _known()

    def is_due(program: Program) -> bool:
        old = known.get(program.name, {})
        named = not asked.texts or any(text in program.name for text in asked.texts)
        return named and (asked.again or (old.get("state"), old.get("options")) != (now, program.options))

    def run_one(program: Program) -> None:
        if time.monotonic() > end:
            return
        result = run(program, asked.seconds)
        with writing:
            known[program.name] = result | {"state": now, "options": program.options}
            RAN.write_text(json.dumps(known, indent=1))
            print(
                f"{result['outcome']:12} {result['seconds']:5} s  {program.name}  {result.get('says', '')}", flush=True
            )

    writing = Lock()
    due = list(filter(is_due, programs(asked.listed)))
    must_be_here(due)
    session.runtime_library(cache_root())  # once, and not in the time of those that need it first
    with ThreadPoolExecutor(asked.jobs) as pool:
        list(pool.map(run_one, due))
    return tell(asked.listed, known)


def tell(listed: str, known: dict[str, Result]) -> int:
    """Writes the list's results and prints what has changed. Returns 1 if a program met a fault of Ladder's own."""
    file = RESULTS / f"corpus_{listed}.json"
    before = json.loads(file.read_text()) if file.is_file() else {"programs": []}
    old = {f"{each['repository']}/{each['file']}": each for each in before["programs"]}
    each_row = (_row(program, known.get(program.name), old.get(program.name, {})) for program in programs(listed))
    rows = [row for row in each_row if row]
    for line in _changes(rows, old):
        print(line)
    before["programs"] = rows
    before["outcomes"] = dict(Counter(each["outcome"] for each in rows).most_common())
    before["date"] = time.strftime("%Y-%m-%d")
    file.write_text(json.dumps(before, indent=1) + "\n")
    print(before["outcomes"])
    return 1 if "broken" in before["outcomes"] else 0


def _row(program: Program, ran: Result | None, old: Result) -> Result:
    """A program's row: of this run, or the older one where it was not run with these options."""
    if not ran or ran["options"] != program.options:
        return old
    row = {"repository": program.repository, "file": program.file}
    row |= {"options": program.options} if program.options else {}
    row |= {key: ran[key] for key in ("kernels", "outcome", "findings") if key in ran}
    said_by_a_reader = ("no input", "not built", "right") if ran["outcome"] == "ended" else ("no input",)
    if ran["outcome"] in ("ended", "right") and old.get("outcome") in said_by_a_reader:
        row["outcome"] = old["outcome"]  # a reader's word for the same end
    if row["outcome"] == old.get("outcome"):
        row |= {key: old[key] for key in _KEPT if key in old}
    return row


def _changes(rows: Sequence[Result], old: dict[str, Result]) -> Iterator[str]:
    for row in rows:
        was = old.get(f"{row['repository']}/{row['file']}", {})
        for key in ("outcome", "findings"):
            if row.get(key) != was.get(key):
                yield f"{row['repository']}/{row['file']}: {key} {was.get(key)} -> {row.get(key)}"


if __name__ == "__main__":
    sys.exit(main())
