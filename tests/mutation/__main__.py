"""`python -m tests.mutation [NN ...] [--all]`: how many mutants of the reference kernels the grader notices."""

from __future__ import annotations

import argparse
import time

from grader.course.catalog import find
from tests.mutation.equivalents import reason
from tests.mutation.hunt import Outcome, hunt, mutants_of
from tests.mutation.tally import LESSONS, Tally, per_kind


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("lessons", nargs="*", default=LESSONS, metavar="NN")
    drawn = parser.add_mutually_exclusive_group()
    drawn.add_argument("--most", type=int, metavar="N", help="at most N mutants of each kind and lesson")
    drawn.add_argument("--all", action="store_true", help="every mutant, not a sample: thousands")
    parser.add_argument("--part", default="1/1", metavar="K/N", help="every Nth mutant, from the Kth on")
    options = parser.parse_args()
    part, parts = map(int, options.part.split("/"))
    start = time.monotonic()
    tally = Tally()
    wanted = []
    for entry in map(find, options.lessons):
        wanted += mutants_of(entry, None if options.all else options.most or per_kind(entry))
    wanted = wanted[part - 1 :: parts]
    graded = [(entry, mutant) for entry, mutant in wanted if not reason(entry, mutant)]
    for outcome in hunt(graded):
        tally.add(outcome)
        if options.all or outcome.survived:
            print(described(outcome), flush=True)
    print(f"\n{tally.table()}\n\n{len(graded)} mutants in {time.monotonic() - start:.0f} s; ", end="")
    print(f"{len(wanted) - len(graded)} more are listed as equivalent")


def described(outcome: Outcome) -> str:
    mutant, status = outcome.mutant, "NOT NOTICED" if outcome.survived else outcome.status
    return f"{outcome.entry.name}, line {mutant.line}, {mutant.kind}: {status}\n- {mutant.was}\n+ {mutant.now}"


if __name__ == "__main__":
    main()
