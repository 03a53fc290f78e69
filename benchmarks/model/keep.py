"""Fills the folder of samples that the other commands here take theirs from, many at once; no GPU is needed.

    python -m benchmarks.model.keep KEEP [--jobs 16] [--timed] [--without-nvcc]

For every rung: what is sampled of it at every measured size, and nvcc's machine code, where nvcc and nvdisasm are
installed; of every slow kernel its timed case. What KEEP holds already stays: it is for one version of the emulator and
of the kernels. With --timed there are no other sizes; --without-nvcc leaves the machine code out.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

from benchmarks.model.held_back import kernels
from benchmarks.model.points import ROOT, machine_code, measured, samples
from benchmarks.model.stars import slow_place, slow_sample
from grader.course import catalog

Piece = tuple[str, str, str]  # lesson, task, and the rung or slow kernel


def pieces() -> Iterator[Piece]:
    """Those that take longest are among the last lessons: they come first."""
    entries = list(reversed(catalog.entries(ROOT)))
    for entry in entries:
        for task in entry.lesson.tasks:
            yield from ((entry.name, task.name, file.stem) for file in entry.rungs_of(task.name))
    yield from ((entry.name, task.name, f"slow/{slow.name}") for entry, task, slow in kernels())


def fill(piece: Piece, kept: Path, timed: bool, nvcc: bool) -> str:
    """Does one; returns what it was, and how long it took."""
    start, (lesson, name, kernel) = time.perf_counter(), piece
    try:
        _fill(piece, kept, timed, nvcc)
        took = f"{time.perf_counter() - start:.1f} s"
    except Exception as error:  # the others go on
        took = f"failed: {error}"
    return f"{lesson}/{name}/{kernel}: {took}"


def _fill(piece: Piece, kept: Path, timed: bool, nvcc: bool) -> None:
    lesson, name, kernel = piece
    if kernel.startswith("slow/"):
        entry, task, slow = next(
            each for each in kernels() if (each[0].name, each[1].name, f"slow/{each[2].name}") == piece
        )
        slow_sample(entry, task, slow, slow_place(kept, entry, task, slow))
        return
    entry = next(each for each in catalog.entries(ROOT) if each.name == lesson)
    task = entry.lesson.task(name)
    file = next(each for each in entry.rungs_of(name) if each.stem == kernel)
    known = measured()
    cases = [case for case in task.timed_cases if (name, kernel, case.name) in known]
    samples(entry, task, file, [case for case in cases if case == task.timed_case or not timed], kept, new=True)
    if nvcc:
        machine_code(entry, file, kept, new=True)


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("kept", type=Path)
    asked.add_argument("--jobs", type=int, default=1)
    asked.add_argument("--timed", action="store_true")
    asked.add_argument("--without-nvcc", action="store_true")
    given = asked.parse_args()
    given.kept.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(given.jobs, mp_context=get_context("spawn")) as pool:
        how = given.kept, given.timed, not given.without_nvcc
        for done in as_completed([pool.submit(fill, piece, *how) for piece in pieces()]):
            print(done.result(), flush=True)


if __name__ == "__main__":
    main()
