"""Plants one bug each in right programs of the corpus, and says how many `ladder run` finds, at which lines.

    python -m benchmarks.corpus.planted [--seconds 60] [--jobs 2] [TEXT ...]

planted.toml names the bugs. A bug is found if a finding, or the other access of a race, is at one of its lines. What
came of all of them, if no TEXT is given, goes into benchmarks/results/emulator/corpus_list.json.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks.corpus.fetch import HERE, LISTS
from benchmarks.corpus.run import COMMAND, RESULTS, Program, must_be_here, programs, run_command, split

BUILD_SECONDS = 300


def planted_bugs() -> list[dict[str, Any]]:
    """Those of planted.toml."""
    bugs: list[dict[str, Any]] = tomllib.loads((HERE / "planted.toml").read_text())["planted"]
    return bugs


def planted(bug: Mapping[str, Any], program: Program, seconds: float) -> set[int]:
    """The lines that findings name in the changed file."""
    source = program.folder / program.file
    changed = source.with_name(bug.get("file", source.name))
    options, arguments = split(program.options)
    with tempfile.TemporaryDirectory() as folder:
        for file in {source, changed}:
            text = file.read_text(errors="surrogateescape")
            if file == changed:
                text = with_bug(text, bug)
            Path(folder, file.name).write_text(text, errors="surrogateescape")
        beside = [str(source.parent / word) if (source.parent / word).is_file() else word for word in options]
        command = [*COMMAND, "--timeout", f"{seconds:g}", source.name, "-I", str(source.parent)]
        command += [*program.folders(), *beside, *(["--", *arguments] if arguments else [])]
        _, out, said = run_command(command, Path(folder), seconds + BUILD_SECONDS)
    try:
        findings = json.loads(out.strip().splitlines()[-1])["findings"]
    except (ValueError, IndexError):
        sys.exit(f"{program.name} with its bug cannot be run: {said.strip() or 'it said nothing'}")
    there = [each for each in findings if each["file"] and Path(each["file"]).name == changed.name]
    return {line for each in there for line in (each["line"], each["details"].get("other_line")) if line}


def with_bug(text: str, bug: Mapping[str, Any]) -> str:
    """A file's text with the bug in its line."""
    lines = text.split("\n")
    at = bug["line"] - 1
    if lines[at].count(bug["was"]) != 1:
        sys.exit(f"{bug['program']}: line {bug['line']} has no `{bug['was']}`")
    lines[at] = lines[at].replace(bug["was"], bug["now"])
    return "\n".join(lines)


def main() -> int:
    """Prints a line for each bug and a table of the kinds. Returns 1 if fewer than 95 % are found at their lines."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", nargs="*")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--jobs", type=int, default=2)
    asked = parser.parse_args()
    known = {each.name: each for each in programs(LISTS[0])}
    bugs = [each for each in planted_bugs() if not asked.texts or any(text in each["program"] for text in asked.texts)]
    must_be_here(known[each["program"]] for each in bugs)

    def one(bug: Mapping[str, Any]) -> dict[str, Any]:
        lines = planted(bug, known[bug["program"]], asked.seconds)
        right = bool(lines & set(bug["at"]))
        print("found " if right else "MISSED", bug["bug"], bug["program"], bug["line"], sorted(lines), flush=True)
        return {key: bug[key] for key in ("bug", "program", "line")} | {"found": right, "told": sorted(lines)}

    with ThreadPoolExecutor(asked.jobs) as pool:
        rows = list(pool.map(one, bugs))
    if not asked.texts:
        file = RESULTS / f"corpus_{LISTS[0]}.json"
        file.write_text(json.dumps(json.loads(file.read_text()) | {"planted": rows}, indent=1) + "\n")
    found = Counter(each["bug"] for each in rows if each["found"])
    for kind, count in Counter(each["bug"] for each in bugs).items():
        print(f"{found[kind]:3} of {count:3}  {kind}")
    print(f"{found.total()} of {len(bugs)} found at their lines")
    return 0 if found.total() >= 0.95 * len(bugs) else 1


if __name__ == "__main__":
    sys.exit(main())
