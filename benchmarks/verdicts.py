"""What a learner waits for a verdict, beside an earlier state of this project.

    git worktree add ../before COMMIT
    python -m benchmarks.verdicts ../before 01 03 04 05 --rounds 3

Checks the top rung that the earlier state has of each lesson, as `ladder check` does it, in turns: by a server where
the state has one, and with a line more each time, so that nothing comes from the cache. Prints the medians of both, and
of the differences within a pair: seconds from the start of the command to the verdict's first line. `--cores 4` keeps
all of it on so many.
"""

from __future__ import annotations

import argparse
import itertools
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

OWN = Path(__file__).parents[1]
ENTRIES = ("grader/faces/standby.py", "grader/faces/cli.py", "grader/cli.py")  # where `ladder` begins, newest first
PAUSE = 2.0  # seconds: what a server gets ready for the next command is no part of this one


def top_rung(root: Path, lesson: str) -> str:
    """The text of the last file of the lesson's folder of kernels; the one that has all tasks, if there is one."""
    folder = next((root / "kernels").glob(f"{lesson}_*"), None)
    files = sorted(folder.glob("*.cu")) if folder else []
    if not files:
        raise SystemExit(f"{root} has no kernel of lesson {lesson}")
    return next((file for file in files if file.stem == "all"), files[-1]).read_text()


class State:
    """A checkout, with a cache of its own."""

    def __init__(self, root: Path, place: Path):
        entry = next((each for each in ENTRIES if (root / each).exists()), None)
        if entry is None:
            raise SystemExit(f"{root} is no checkout of this project")
        module = entry.removesuffix(".py").replace("/", ".")
        self._root = root
        self._command = [sys.executable, "-c", f"import sys; from {module} import main; sys.argv[0] = 'ladder'; main()"]
        own = {"PYTHONPATH": str(root), "XDG_CACHE_HOME": str(place / "cache"), "HOME": str(place)}
        self._environment: Mapping[str, str] = os.environ | own
        place.mkdir()

    def seconds(self, lesson: str, file: Path) -> float:
        """From the start of the command to its first line."""
        command = [*self._command, "check", lesson, str(file), "--device", "emulator"]
        start = time.perf_counter()
        with subprocess.Popen(
            command, cwd=self._root, env=self._environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        ) as process:
            assert process.stdout
            first = process.stdout.readline()
            took = time.perf_counter() - start
            rest = process.stdout.read()
        if process.returncode:
            raise SystemExit(f"{self._root} does not pass lesson {lesson}:\n{first}{rest}")
        time.sleep(PAUSE)
        return took


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("before", type=Path, help="a checkout of the earlier state")
    parser.add_argument("lessons", nargs="*", default=["01", "03", "04", "05"])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--cores", type=int, help="keep to the first so many")
    options = parser.parse_args()
    if options.cores:
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: options.cores])
    numbers, grown = itertools.count(), []
    with tempfile.TemporaryDirectory() as folder:
        states = [
            State(root.resolve(), Path(folder) / name) for name, root in (("before", options.before), ("now", OWN))
        ]
        for lesson in options.lessons:
            text, file = top_rung(options.before, lesson), Path(folder) / f"{lesson}.cu"

            def took(state: State, text: str = text, file: Path = file, lesson: str = lesson) -> float:
                file.write_text(f"{text}\n__device__ int one_more_{next(numbers)}() {{ return 1; }}\n")
                return state.seconds(lesson, file)

            for state in states:
                took(state)  # builds what the first one builds
            pairs = []
            for turn in range(options.rounds):
                order = states if turn % 2 else states[::-1]
                found = {state: took(state) for state in order}
                pairs.append([found[state] for state in states])
            before, now = (statistics.median(each) for each in zip(*pairs, strict=True))
            grown.append(statistics.median(later - earlier for earlier, later in pairs))
            print(f"{lesson}  before {before:5.2f} s  now {now:5.2f} s  {grown[-1]:+5.2f} s", flush=True)
    print(f"median of the lessons {statistics.median(grown):+.2f} s")


if __name__ == "__main__":
    main()
