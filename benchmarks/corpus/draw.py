"""Draws programs of repositories at random, as an entry of a list: `python -m benchmarks.corpus.draw FOLDER ...`.

Each FOLDER is a clone that lies in benchmarks/corpus/files, under OWNER+NAME. What is drawn has a kernel and a main(),
and no inline PTX, tensor cores, MPI or graphics; what a list already has, under this name or another, is left out.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

from benchmarks.corpus.fetch import FILES, LISTS, repositories

_MAIN = re.compile(r"\bmain\s*\(")
_LEFT_OUT = re.compile(r"\basm\b|\bmma\.h|\bwmma\b|\bmpi\.h|\bGL/|opencv|\bSDL|glfw|glut", re.I)


def drawn(folder: Path, most: int, seed: int) -> list[str]:
    """At most so many programs of one clone, by their paths."""
    known = {path.read_bytes() for path in _listed() if path.is_file()}
    found: dict[bytes, str] = {}  # of equal files the first one
    for path in sorted(folder.rglob("*.cu")):
        text = path.read_text(errors="replace")
        if "__global__" in text and _MAIN.search(text) and not _LEFT_OUT.search(text):
            found.setdefault(path.read_bytes(), str(path.relative_to(folder)))
    there = [name for content, name in found.items() if content not in known]
    return sorted(random.Random(seed).sample(there, min(most, len(there))))


def _listed() -> Iterator[Path]:
    for each in (repository for listed in LISTS for repository in repositories(listed)):
        yield from (FILES / each["name"].replace("/", "+") / file for file in each["files"])


def main() -> None:
    """Prints an entry for each folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--most", type=int, default=6)
    parser.add_argument("--seed", type=int, default=19)
    asked = parser.parse_args()
    for name in asked.folders:
        folder = FILES / name
        head = ["git", "-C", str(folder), "rev-parse", "HEAD"]
        commit = subprocess.run(head, capture_output=True, text=True, check=True).stdout.strip()
        lines = [f"    {json.dumps(file, ensure_ascii=False)}," for file in drawn(folder, asked.most, asked.seed)]
        print("\n[[repository]]", f'name = "{name.replace("+", "/", 1)}"', f'commit = "{commit}"', sep="\n")
        print("files = [", *lines, "]", sep="\n")


if __name__ == "__main__":
    main()
