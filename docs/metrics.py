"""Renews the table of metrics in docs/authoring.md (`make readme`), from judge/targets.py. A test compares it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from docs import blocks
from grader.judge.targets import METRICS

PAGE = Path(__file__).parent / "authoring.md"
UNITS = {"%": "share, 0 to 1", "x": "times", "": "number"}


def main() -> None:
    PAGE.write_text(renewed(PAGE.read_text()))


def renewed(text: str) -> str:
    """The page with its table made anew."""
    return blocks.renewed(text, {"metrics": "".join(f"{row}\n" for row in table())})


def table() -> Iterator[str]:
    """Markdown: a row for each metric."""
    yield "| metric | what it is | unit |"
    yield "|---|---|---|"
    for name, metric in METRICS.items():
        yield f"| `{name}` | {metric.meaning} | {UNITS[metric.unit]} |"


if __name__ == "__main__":
    main()
