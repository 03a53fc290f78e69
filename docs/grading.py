"""Renews what docs/grading.md shows of measurements (`make readme`), from benchmarks/results/h200/grader.json.

The block stands between `<!-- begin grader -->` and `<!-- end grader -->`; a test compares it.
"""

from __future__ import annotations

import json
import re
import statistics
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "grading.md"
RESULTS = ROOT / "benchmarks" / "results" / "h200" / "grader.json"


def main() -> None:
    PAGE.write_text(renewed(PAGE.read_text()))


def renewed(text: str) -> str:
    """The page with its block made anew."""
    pattern = r"(<!-- begin grader -->\n).*?(<!-- end grader -->)"
    block = "\n".join(measured(json.loads(RESULTS.read_text()))) + "\n"
    text, found = re.subn(pattern, lambda match: match[1] + block + match[2], text, flags=re.DOTALL)
    assert found == 1, f"{PAGE.name} has no block grader"
    return text


def measured(results: dict[str, Any]) -> Iterator[str]:
    """A table of what benchmarks/gpu_grader.py has found."""
    machine, rounds = results["machine"], len(results["again"])
    walls, builds = ([check[name] for check in results["check"]] for name in ("wall", "build"))
    times, ratios = ([each[name] for each in results["again"]] for name in ("median_us", "ratio"))
    yield f"{machine['device']}, torch {machine['torch']}, {machine['date']}: `python -m benchmarks.gpu_grader`"
    yield ""
    yield "| what | measured | goal |"
    yield "|---|---|---|"
    yield f"| `ladder check 01` of a changed file, as a new process | {statistics.median(walls):.1f} s | below 8 s |"
    yield f"| of that, the build | {statistics.median(builds):.2f} s | below 2 s |"
    yield f"| its kernel graded {rounds} times: the median | {between(times, 1)} µs, {apart(times)} | within 1 % |"
    yield f"| and the ratio to `torch.add` | {between(ratios, 4)}, {apart(ratios)} | within 1 % |"
    for name, clocks in results["clocks"].items():
        ours, theirs = clocks["ours_us"], clocks["triton_us"]
        found = f"{ours:.1f} and {theirs:.1f} µs, {apart((ours, theirs))}"
        yield f"| {name}: our clock and triton's `do_bench` | {found} | within 2 % |"


def between(values: Sequence[float], digits: int) -> str:
    return f"{min(values):.{digits}f} to {max(values):.{digits}f}"


def apart(values: Sequence[float]) -> str:
    return f"{max(values) / min(values) - 1:.2%} apart".replace("%", " %")


if __name__ == "__main__":
    main()
