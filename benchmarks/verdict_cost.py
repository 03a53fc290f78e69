"""What rules and checks add to the build of a kernel file, which is most of a verdict's growth.

    python -m benchmarks.verdict_cost 01 03 05 --rounds 5

Builds the top rung of each lesson, with everything and without one part, in turns, and prints the medians of the
differences within a pair, in seconds on the clock and of processor time (of this process and its compilers). The parts:
clang's reading (`devices/build/frontend.py`), the second build with checks (`emulator/checked.py`), and what is read
from g++'s dump (`emulator/seen.py`: calls, accesses without a callback). Nothing comes from a cache.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from unittest import mock

from grader.course import catalog
from grader.course.inline import inlined
from grader.course.prototype import Prototype, parse_prototype
from grader.devices.build import frontend
from grader.devices.cache import cache_root
from grader.devices.emulator import checked, seen
from grader.devices.emulator.compile import build_for_emulator
from grader.devices.evidence import Build

Cost = tuple[float, float]  # seconds on the clock, of processor time


class NoOpinion:
    """In clang's place: it has none."""

    failed = False

    def __init__(self, source: str, cache: Path):
        pass

    def begin(self) -> None:
        pass

    def weigh(self, build: Build) -> Build:
        return build


class Open:
    """A gate that keeps nothing."""

    def confine(self, folder: Path) -> None:
        pass

    def vouch(self, key: str, hashes: object) -> None:
        pass


PARTS = {
    "clang's reading": lambda: mock.patch("grader.devices.emulator.compile.ClangsOpinion", NoOpinion),
    "the second build": lambda: mock.patch.object(checked, "finds_more", lambda text: False),
    # whose last argument waits for the linker
    "reading g++'s dump": lambda: mock.patch.object(seen, "check_built", lambda *ignored: ignored[-1]()),
}


@contextmanager
def without(parts: list[str]) -> Iterator[None]:
    with ExitStack() as stack:
        for part in parts:
            stack.enter_context(PARTS[part]())
        yield


def cost(source: str, name: str, prototypes: list[Prototype], parts: list[str]) -> Cost:
    """Of one build without these parts."""
    frontend.prepare(cache_root())  # another checkout may have taken its place in the cache
    with tempfile.TemporaryDirectory(dir=cache_root()) as folder, without(parts):
        wall, before = time.perf_counter(), sum(os.times()[:4])
        build, library = build_for_emulator(source, name, prototypes, cache_root(), Path(folder), Open())
        took = time.perf_counter() - wall, sum(os.times()[:4]) - before
    if library is None:
        raise SystemExit(f"{name} does not build: {build.message}")
    return took


def growth(build: Callable[[list[str]], Cost], parts: list[str], rounds: int) -> list[Cost]:
    """Of pairs: with everything, and without these parts; whichever comes first changes."""
    pairs = []
    for number in range(rounds):
        orders = [[], parts] if number % 2 else [parts, []]
        found = {bool(left_out): build(left_out) for left_out in orders}
        pairs.append((found[False][0] - found[True][0], found[False][1] - found[True][1]))
    return pairs


def told(pairs: list[Cost]) -> str:
    return "".join(f"{statistics.median(each):+8.2f} s" for each in zip(*pairs, strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("lessons", nargs="*", default=["01", "03", "04", "05", "06"])
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    print(f"{'':34}{'clock':>10}{'processor':>10}   medians of {options.rounds} pairs")
    everything: list[Cost] = []
    for number in options.lessons:
        entry = catalog.find(number)
        kernel = entry.rungs[-1]
        text = inlined(kernel)
        prototypes = [parse_prototype(task.prototype) for task in entry.lesson.tasks if f"{task.name}(" in text]

        def build(parts: list[str], text: str = text, prototypes: list[Prototype] = prototypes) -> Cost:
            return cost(f"{text}\n// {time.time_ns()}\n", "kernel.cu", prototypes, parts)

        build([])
        for part in PARTS:
            print(f"{entry.label} {part:31}{told(growth(build, [part], options.rounds))}", flush=True)
        both = growth(build, list(PARTS), options.rounds)
        everything += both
        print(f"{entry.label} {'all of them':31}{told(both)}", flush=True)
    print(f"{'all lessons, all of them':34}{told(everything)}")


if __name__ == "__main__":
    main()
