"""Fetches the programs of other people's that `ladder run` is tried on: `python -m benchmarks.corpus.fetch`.

list.toml says which: repositories of GitHub, their commits, and the files in question. Each goes to a folder of its own
below benchmarks/corpus/files, which git ignores: no line of these programs belongs to this project.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).parent
FILES = HERE / "files"


def main() -> int:
    """Fetches what is not there yet. Returns 1 if something could not be fetched, or lacks a file of the list."""
    listed = tomllib.loads((HERE / "list.toml").read_text())["repository"]
    missing = [line for each in listed for line in _fetch(each["name"], each["commit"], each["files"])]
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
