"""Modelled times beside measured ones: benchmarks/results/h200/model.json, and the tables and picture of docs/model.md.

    python -m benchmarks.model.agreement KEEP      samples every rung at every measured size; what is in KEEP is kept
    python -m benchmarks.model.agreement           renews the page alone, after new times were measured

With --kept nothing is sampled: points that KEEP lacks stay as they were; with --timed only the timed cases are. It
needs no GPU; where nvcc and nvdisasm are installed, the model is tried with them, too (`benchmarks.model.keep` fills
KEEP with many jobs at once). The measured times are those that `ladder bench` has written.
"""

from __future__ import annotations

import json
import lzma
import math
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from benchmarks.model.points import CARD, RESULTS, ROOT, Point, Row, measured, points
from benchmarks.model.reasons import REASONS, REASONS_OF_CODE
from grader.model.cause import WORDS
from grader.model.times import RESULTS as NAME

PAGE, PICTURE = ROOT / "docs" / "model.md", ROOT / "docs" / "model.svg"
BEGIN, END = "<!-- begin agreement -->", "<!-- end agreement -->"
SAMPLES = RESULTS / "samples.json.xz"
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


def figures(some: Sequence[Row]) -> Figures:
    """Of these points; raises ValueError for none."""
    if not some:
        raise ValueError("there is nothing to compare")
    logs = [abs(math.log(point.ratio)) for point in some]
    ratios = sorted(point.ratio for point in some)
    groups: dict[tuple[str, str], list[Row]] = defaultdict(list)
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


GROUPS: tuple[tuple[str, Callable[[Row], bool]], ...] = (
    ("timed cases", lambda point: point.timed),
    ("… rungs by which constants were chosen", lambda point: point.timed and point.chooses),
    ("… the other rungs", lambda point: point.timed and not point.chooses),
    ("all sizes above 20 µs", lambda point: point.measured > LONG_US),
    ("… the other rungs", lambda point: point.measured > LONG_US and not point.chooses),
    ("all sizes", lambda point: True),
)


def summary(estimated: Sequence[Row], compiled: Sequence[Row]) -> str:
    head = "| | points | within 25 % | within 2× | mean error | typical factor | P10–P90 | pairs in order |\n"
    rows = [head + "|---|--:|--:|--:|--:|--:|--:|--:|\n"]
    for title, every in (("with nvcc: ", compiled), ("without: ", estimated)):
        for name, belongs in GROUPS:
            if some := [row for row in every if belongs(row)]:
                rows.append(f"| {title}{name} | {_figures_in_words(figures(some))} |\n")
    return "".join(rows)


def _figures_in_words(found: Figures) -> str:
    return (
        f"{found.count} | {found.near:.0%} | {found.twice:.0%} | {found.error:.0%} | {found.factor:.2f} | "
        f"{found.low:.2f}–{found.high:.2f} | {found.ordered} of {found.pairs} ({found.order:.1%})"
    )


def table(estimated: Iterable[Row], compiled: Iterable[Row]) -> str:
    """The timed cases."""
    head = "| task | rung | measured | with nvcc | ratio | bound by | without | ratio |\n"
    rows = [head + "|---|---|--:|--:|--:|---|--:|--:|\n"]
    by_code = {(row.task, row.rung): row for row in compiled if row.timed}
    known = json.loads((RESULTS / NAME).read_text())["bounds"]
    for row in estimated:
        if row.timed:
            code = by_code.get((row.task, row.rung))
            with_nvcc = f"{_time(code.modelled)} | {_ratio(code)}" if code else " | "
            mark = "" if row.chooses else " °"
            rows.append(
                f"| {row.task} | {row.rung}{mark} | {_time(row.measured)} | {with_nvcc} | "
                f"{WORDS[known[row.task][row.rung]]} | {_time(row.modelled)} | {_ratio(row)} |\n"
            )
    return "".join(rows)


def _ratio(row: Row) -> str:
    return f"{row.ratio:.2f}" if 1 / NEAR <= row.ratio <= NEAR else f"**{row.ratio:.2f}**"


def outliers(every: Iterable[Row]) -> list[Row]:
    """Timed cases that are off by more than FAR, the worst first."""
    far = [row for row in every if row.timed and abs(math.log(row.ratio)) > math.log(FAR)]
    return sorted(far, key=lambda row: -abs(math.log(row.ratio)))


def explained(estimated: Iterable[Row], compiled: Iterable[Row]) -> str:
    parts = (("With nvcc", compiled, REASONS_OF_CODE), ("Without", estimated, REASONS))
    return "\n".join(f"{title}:\n\n{_listed(rows, reasons)}" for title, rows, reasons in parts)


def _listed(rows: Iterable[Row], reasons: Mapping[tuple[str, str], str]) -> str:
    lines = [
        f"- {row.task} / {row.rung}, {row.ratio:.2f}: {reasons.get((row.task, row.rung), 'not explained.')}\n"
        for row in outliers(rows)
    ]
    return "".join(lines) or "None.\n"


def _time(us: float) -> str:
    for size, unit in ((1e6, "s"), (1e3, "ms")):
        if us >= size:
            return f"{us / size:.3g} {unit}"
    return f"{us:.3g} µs"


def draw(every: Sequence[Row], compiled: Sequence[Row], file: Path) -> None:
    """The scatter plot: measured time across, modelled time up."""
    from matplotlib import rcParams
    from matplotlib.figure import Figure

    rcParams["svg.hashsalt"] = "kernel-ladder"  # the same numbers make the same file
    figure = Figure(figsize=(6.4, 5.6), layout="constrained")
    axes = figure.add_subplot(xscale="log", yscale="log", xlabel="measured, µs", ylabel="modelled, µs")
    ends = (min(point.measured for point in every), max(point.measured for point in every))
    axes.plot(ends, ends, color="0.4", linewidth=1)
    for factor in (NEAR, 1 / NEAR):
        axes.plot(ends, [factor * end for end in ends], color="0.7", linewidth=0.7, linestyle="--")
    shown = (
        ("other sizes, without nvcc", 6, "0.6", [row for row in every if not row.timed]),
        ("timed cases, without nvcc", 12, "#ff7f0e", [row for row in every if row.timed]),
        ("timed cases, with nvcc", 16, "#1f77b4", [row for row in compiled if row.timed]),
    )
    for label, size, colour, some in shown:
        axes.scatter([p.measured for p in some], [p.modelled for p in some], s=size, color=colour, label=label)
    axes.legend(loc="upper left")
    axes.set_title(f"{CARD.name}: every rung at every measured size; dashed: 25 %")
    figure.savefig(file, metadata={"Date": None})


def recorded(kind: str) -> list[Row]:
    """The rows that model.json holds, "estimated" ones or those by nvcc's machine code, "compiled"."""
    known = measured()
    rungs = json.loads((RESULTS / NAME).read_text())[kind]["rungs"]
    rows = ((key, rungs.get(key[0], {}).get(key[1], {}).get(key[2]), *facts) for key, facts in known.items())
    return [Row(*key, timed, us, modelled) for key, modelled, us, timed in rows if modelled]


def samples() -> dict[str, Any]:
    """What was sampled of the timed cases, by "task/rung": the committed times without nvcc are those of these."""
    return dict(json.loads(lzma.decompress(SAMPLES.read_bytes()))) if SAMPLES.exists() else {}


def write(every: Sequence[Point]) -> None:
    """model.json, in which sizes stay that were not sampled now, and the samples of the timed cases."""
    timed = {f"{point.task}/{point.rung}": point.sample for point in every if point.timed}
    SAMPLES.write_bytes(lzma.compress(json.dumps(samples() | timed, sort_keys=True).encode()))
    kept = json.loads((RESULTS / NAME).read_text())
    for point in every:
        of_task = kept.setdefault("bounds", {}).setdefault(point.task, {})
        if point.timed and (point.by_code or point.rung not in of_task):
            of_task[point.rung] = (point.by_code or point.found).bound
    parts = {"estimated": every, "compiled": [row for point in every if (row := point.compiled)]}
    for kind, rows in parts.items():
        rungs = kept.setdefault(kind, {"rungs": {}})["rungs"]
        for row in rows:
            rungs.setdefault(row.task, {}).setdefault(row.rung, {})[row.case] = round(row.modelled, 3)
    (RESULTS / NAME).write_text(json.dumps(kept, indent=1) + "\n")


def renew() -> None:
    """The band in model.json, the page's generated part and the picture, by what is committed."""
    kept = json.loads((RESULTS / NAME).read_text())
    for kind in ("estimated", "compiled"):
        kept[kind]["band"] = band(kind)
    (RESULTS / NAME).write_text(json.dumps(kept, indent=1) + "\n")
    draw(recorded("estimated"), recorded("compiled"), PICTURE)
    PAGE.write_text(re.sub(f"{BEGIN}.*{END}", lambda _: part(), PAGE.read_text(), flags=re.DOTALL))


def band(kind: str) -> list[float]:
    """The ratio at the 10th and the 90th percentile of timed cases."""
    found = figures([row for row in recorded(kind) if row.timed])
    return [round(found.low, 2), round(found.high, 2)]


def part() -> str:
    """The page's generated part, with its marks."""
    rows = recorded("estimated"), recorded("compiled")
    timed, worst = table(*rows), explained(*rows)
    return f"{BEGIN}\n{summary(*rows)}\n### Timed cases\n\n{timed}\n### The worst\n\n{worst}{END}"


def main() -> None:
    folder, *rest = sys.argv[1:] or [""]
    if folder.startswith("-") or not {*rest} <= {"--kept", "--timed"}:
        raise SystemExit("say where samples are kept: python -m benchmarks.model.agreement FOLDER [--kept] [--timed]")
    if folder:
        write(list(points(Path(folder), timed="--timed" in rest, new="--kept" not in rest)))
    renew()
    print(summary(recorded("estimated"), recorded("compiled")))


if __name__ == "__main__":
    main()
