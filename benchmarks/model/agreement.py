"""Modelled times beside measured ones: benchmarks/results/h200/model.json, and the tables and picture of docs/model.md.

    python -m benchmarks.model.agreement KEEP      samples every rung at every measured size; what is in KEEP is kept

With --kept nothing is sampled: points that KEEP lacks are left out. It needs no GPU. The measured times are those that
`ladder bench` has written.
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from benchmarks.model.points import CARD, RESULTS, ROOT, Point, points
from benchmarks.model.reasons import REASONS
from grader.model.cause import WORDS
from grader.modelled import RESULTS as NAME

PAGE, PICTURE = ROOT / "docs" / "model.md", ROOT / "docs" / "model.svg"
BEGIN, END = "<!-- begin agreement -->", "<!-- end agreement -->"
NEAR, FAR = 1.25, 1.5  # factors; a timed case beyond the second needs a reason
EQUAL = 1.1  # rungs whose measured times differ by less have no order
LONG_US = 20.0


@dataclass(frozen=True)
class Figures:
    """How well modelled times agree with measured ones."""

    count: int
    near: float  # share within a quarter
    twice: float  # within a factor of two
    error: float  # mean absolute error, as a share
    factor: float  # exp(mean |ln ratio|)
    low: float  # the ratio at the 10th percentile
    high: float  # and at the 90th
    pairs: int  # of rungs of one task at one case, measured apart
    ordered: int  # of these: modelled in the same order

    @property
    def order(self) -> float:
        return self.ordered / max(self.pairs, 1)


def figures(some: Sequence[Point]) -> Figures:
    """Of these points; raises ValueError for none."""
    if not some:
        raise ValueError("there is nothing to compare")
    logs = [abs(math.log(point.ratio)) for point in some]
    ratios = sorted(point.ratio for point in some)
    groups: dict[tuple[str, str], list[Point]] = defaultdict(list)
    for point in some:
        groups[point.task, point.case].append(point)
    apart = [
        (a, b)
        for group in groups.values()
        for a, b in combinations(group, 2)
        if max(a.measured, b.measured) > EQUAL * min(a.measured, b.measured)
    ]
    return Figures(
        count=len(some),
        near=sum(log <= math.log(NEAR) for log in logs) / len(some),
        twice=sum(log <= math.log(2) for log in logs) / len(some),
        error=sum(abs(ratio - 1) for ratio in ratios) / len(some),
        factor=math.exp(sum(logs) / len(some)),
        low=ratios[len(ratios) // 10],
        high=ratios[-1 - len(ratios) // 10],
        pairs=len(apart),
        ordered=sum((a.modelled - b.modelled) * (a.measured - b.measured) > 0 for a, b in apart),
    )


GROUPS: tuple[tuple[str, Callable[[Point], bool]], ...] = (
    ("timed cases", lambda point: point.timed),
    ("… rungs by which constants were chosen", lambda point: point.timed and point.chooses),
    ("… the other rungs", lambda point: point.timed and not point.chooses),
    ("all sizes above 20 µs", lambda point: point.measured > LONG_US),
    ("… the other rungs", lambda point: point.measured > LONG_US and not point.chooses),
    ("all sizes", lambda point: True),
)


def summary(every: Sequence[Point]) -> str:
    head = "| | points | within 25 % | within 2× | mean error | typical factor | P10–P90 | pairs in order |\n"
    rows = [head + "|---|--:|--:|--:|--:|--:|--:|--:|\n"]
    for name, belongs in GROUPS:
        found = figures([point for point in every if belongs(point)])
        rows.append(
            f"| {name} | {found.count} | {found.near:.0%} | {found.twice:.0%} | {found.error:.0%} | "
            f"{found.factor:.2f} | {found.low:.2f}–{found.high:.2f} | "
            f"{found.ordered} of {found.pairs} ({found.order:.1%}) |\n"
        )
    return "".join(rows)


def table(every: Iterable[Point]) -> str:
    rows = ["| task | rung | measured | modelled | ratio | bound by |\n|---|---|--:|--:|--:|---|\n"]
    for point in every:
        if point.timed:
            near = f"{point.ratio:.2f}" if 1 / NEAR <= point.ratio <= NEAR else f"**{point.ratio:.2f}**"
            mark = "" if point.chooses else " °"
            rows.append(
                f"| {point.task} | {point.rung}{mark} | {_time(point.measured)} | {_time(point.modelled)} | {near} | "
                f"{WORDS[point.found.bound]} |\n"
            )
    return "".join(rows)


def outliers(every: Iterable[Point]) -> list[Point]:
    """Timed cases that are off by more than FAR, the worst first."""
    far = [point for point in every if point.timed and abs(math.log(point.ratio)) > math.log(FAR)]
    return sorted(far, key=lambda point: -abs(math.log(point.ratio)))


def explained(every: Iterable[Point]) -> str:
    lines = [
        f"- {point.task} / {point.rung}, {point.ratio:.2f}: {REASONS.get((point.task, point.rung), 'not explained.')}\n"
        for point in outliers(every)
    ]
    return "".join(lines) or "None.\n"


def _time(us: float) -> str:
    for size, unit in ((1e6, "s"), (1e3, "ms")):
        if us >= size:
            return f"{us / size:.3g} {unit}"
    return f"{us:.3g} µs"


def draw(every: Sequence[Point], file: Path) -> None:
    """The scatter plot: measured time across, modelled time up."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 5.6), layout="constrained")
    axes = figure.add_subplot(xscale="log", yscale="log", xlabel="measured, µs", ylabel="modelled, µs")
    ends = (min(point.measured for point in every), max(point.measured for point in every))
    axes.plot(ends, ends, color="0.4", linewidth=1)
    for factor in (NEAR, 1 / NEAR):
        axes.plot(ends, [factor * end for end in ends], color="0.7", linewidth=0.7, linestyle="--")
    for timed, size, colour in ((False, 6, "0.6"), (True, 16, "#1f77b4")):
        some = [point for point in every if point.timed == timed]
        label = "timed cases" if timed else "other sizes"
        axes.scatter([p.measured for p in some], [p.modelled for p in some], s=size, color=colour, label=label)
    axes.legend(loc="upper left")
    axes.set_title(f"{CARD.name}: every rung at every measured size; dashed: 25 %")
    figure.savefig(file, metadata={"Date": None})


def write(every: Sequence[Point]) -> None:
    """model.json, the page's generated part, and the picture."""
    rungs: dict[str, dict[str, dict[str, float]]] = defaultdict(lambda: defaultdict(dict))
    for point in every:
        rungs[point.task][point.rung][point.case] = round(point.modelled, 3)
    of_timed = figures([point for point in every if point.timed])
    band = [round(of_timed.low, 2), round(of_timed.high, 2)]
    (RESULTS / NAME).write_text(json.dumps({"card": CARD.label, "band": band, "rungs": rungs}, indent=1) + "\n")
    draw(every, PICTURE)
    text = f"{BEGIN}\n{summary(every)}\n### Timed cases\n\n{table(every)}\n### The worst\n\n{explained(every)}{END}"
    PAGE.write_text(re.sub(f"{BEGIN}.*{END}", lambda _: text, PAGE.read_text(), flags=re.DOTALL))


def main() -> None:
    folder, *rest = sys.argv[1:] or [""]
    if not folder or rest not in ([], ["--kept"]):
        raise SystemExit("say where samples are kept: python -m benchmarks.model.agreement FOLDER [--kept]")
    every = list(points(Path(folder), new=not rest))
    write(every)
    print(summary(every))


if __name__ == "__main__":
    main()
