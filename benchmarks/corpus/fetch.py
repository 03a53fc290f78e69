"""Fetches the programs of other people's that `ladder run` is tried on: `python -m benchmarks.corpus.fetch`.

The lists beside this file say which: repositories of GitHub, their commits, and the files in question. Each goes to a
folder of its own below benchmarks/corpus/files, which git ignores: no line of these programs belongs to this project.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
FILES = HERE / "files"
LISTS = ("list", "first_sight")  # .toml; the results of each have its name


def repositories(listed: str) -> list[dict[str, Any]]:
    """Those of one list: `name`, `commit`, `files` and, for some of them, `options`."""
    file = HERE / f"{listed}.toml"
    return tomllib.loads(file.read_text())["repository"] if file.is_file() else []


def main() -> int:
    """Fetches what is not there yet. Returns 1 if something could not be fetched, or lacks a file of the list."""
    wanted = [each for listed in LISTS for each in repositories(listed)]
    missing = [line for each in wanted for line in _fetch(each["name"], each["commit"], each["files"])]
    print(*missing, sep="\n", file=sys.stderr)
    return 1 if missing else 0


def _fetch(name: str, commit: str, files: list[str]) -> list[str]:
    """What is missing of one repository, a line each."""
    folder = FILES / name.replace("/", "+")
    git = ["git", "-C", str(folder)]
    if not (folder / ".git").is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run([*git, "init", "--quiet"], check=True)
    if subprocess.run([*git, "rev-parse", "--verify", "--quiet", "HEAD"], capture_output=True).returncode:
        print(name, flush=True)
        for step in (["fetch", "--quiet", "--depth=1", f"https://github.com/{name}", commit],
                     ["checkout", "--quiet", "--detach", "FETCH_HEAD"]):  # fmt: skip
            done = subprocess.run([*git, *step], capture_output=True, text=True)
            if done.returncode:
                return [f"{name} cannot be fetched: {done.stderr.strip()}"]
    return [f"{name} has no file {file}" for file in files if not (folder / file).is_file()]


if __name__ == "__main__":
    sys.exit(main())
