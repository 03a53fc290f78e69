"""A card that the model has not seen: predicted first, then measured.

    python -m benchmarks.model.second_card predict KEEP    every rung at its timed size; no GPU, from what KEEP holds
    python -m benchmarks.model.second_card measure [FILE]  those that were not yet, on the H100 that is here; each time
                                                           goes at once into the round's measured.json, or into FILE
    python -m benchmarks.model.second_card model KEEP      renews model.json beside the rounds, and docs/model.md
    python -m benchmarks.model.second_card table           renews docs/model.md alone, after something was measured

Predictions lie in benchmarks/results/h100/ROUND/predicted.json, and were committed before anything was measured in that
round: `first` two rungs of each task, `second` the others, with the constants of later and lesson 09. model.json has
the model of now, with the constants that `ladder bench --card` has measured since.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

from benchmarks.model.agreement import PAGE, Figures, figures
from benchmarks.model.points import ROOT, Row, points
from grader.course import catalog
from grader.course.catalog import Entry, UsageError
from grader.course.lesson import Task
from grader.model.card import load_card
from grader.model.times import RESULTS as NAME

LABEL = "h100"
FOLDER = ROOT / "benchmarks" / "results" / LABEL
ROUNDS = ("first", "second")
PREDICTED, MEASURED = "predicted.json", "measured.json"
LATEST = FOLDER / ROUNDS[-1]
BEGIN, END = "<!-- begin second card -->", "<!-- end second card -->"


def predict(kept: Path) -> None:
    """Writes what the model says of every rung on that card."""
    every = points(kept, timed=True, new=False, card=load_card(ROOT / "cards" / f"{LABEL}.toml"))
    rows = [
        {
            "task": point.task,
            "rung": point.rung,
            "case": point.case,
            "estimated": round(point.modelled, 2),
            "compiled": round(point.compiled.modelled, 2) if point.compiled else None,
        }
        for point in every
    ]
    LATEST.mkdir(parents=True, exist_ok=True)
    (LATEST / PREDICTED).write_text(json.dumps(rows, indent=1) + "\n")
    print(f"{len(rows)} rungs in {LATEST.relative_to(ROOT)}")


def to_measure(rows: list[dict[str, Any]]) -> Iterator[tuple[Entry, Task, Path]]:
    """Every rung that neither an earlier round nor these rows have measured, the newest lessons first."""
    earlier = [row for each in ROUNDS[:-1] for row in json.loads((FOLDER / each / MEASURED).read_text())]
    known = {(row["task"], row["rung"]) for row in earlier + rows if row["us"]}
    for entry in reversed(catalog.entries(ROOT)):
        for task in entry.lesson.tasks:
            rungs = entry.rungs_of(task.name) if task.ladder and task.timed_case else []
            yield from ((entry, task, rung) for rung in rungs if (task.name, rung.stem) not in known)


def measure(into: Path) -> None:
    """Times them on the GPU that is here; each time is written at once."""
    from grader.devices.cuda.card import find_card
    from grader.grade import grade

    card, reason = find_card()
    if card is None:
        raise SystemExit(f"there is no GPU to measure, as {reason}")
    if LABEL not in card.name.lower():
        raise SystemExit(f"this is an {card.name}: times of another card than an {LABEL.upper()} do not belong there")
    rows: list[dict[str, Any]] = json.loads(into.read_text()) if into.exists() else []
    rows = [row for row in rows if row["us"]]
    for entry, task, rung in to_measure(list(rows)):
        try:
            done = grade(entry, rung, device="cuda", tasks=[task.name], emulator=False, seed=1).tasks[0]
            us, noise = done.timings.get("median_us"), done.timings.get("noise")
        except (UsageError, OSError, RuntimeError) as error:
            us = noise = None
            print(f"{task.name} {rung.stem}: {error}", flush=True)
        what = {"task": task.name, "rung": rung.stem, "us": us, "noise": noise, "card": card.name}
        rows.append(what | {"date": date.today().isoformat()})
        into.write_text(json.dumps(rows, indent=1) + "\n")
        print(task.name, rung.stem, us, flush=True)


def compare(folder: Path) -> str:
    """Both of a round as a table, with how far they agree."""
    predicted = {(row["task"], row["rung"]): row for row in json.loads((folder / PREDICTED).read_text())}
    measured = json.loads((folder / MEASURED).read_text())
    both = [(row, predicted[row["task"], row["rung"]]) for row in measured if row["us"]]
    text = [f"The {folder.name} round:\n\n"]
    for kind, title in (("compiled", "With nvcc"), ("estimated", "Without")):
        rows = [Row(m["task"], m["rung"], p["case"], True, m["us"], p[kind]) for m, p in both if p[kind]]
        text.append(_figures(title, figures(rows)))
    text.append("\n| task | rung | measured | with nvcc | ratio | without | ratio |\n|---|---|--:|--:|--:|--:|--:|\n")
    for m, p in both:
        shown = [
            f"{p[kind]:,.0f} µs | {p[kind] / m['us']:.2f}" if p[kind] else " | " for kind in ("compiled", "estimated")
        ]
        text.append(f"| {m['task']} | {m['rung']} | {m['us']:,.0f} µs | {' | '.join(shown)} |\n")
    return "".join(text)


def model(kept: Path) -> None:
    """Writes model.json, as benchmarks/results/h200 has it, from what KEEP holds."""
    every = list(points(kept, timed=True, new=False, card=load_card(ROOT / "cards" / f"{LABEL}.toml")))
    known: dict[str, Any] = json.loads((FOLDER / NAME).read_text())
    for kind in ("compiled", "estimated"):
        for point in every:
            if row := point.compiled if kind == "compiled" else point:
                known[kind]["rungs"].setdefault(row.task, {})[row.rung] = {row.case: round(row.modelled, 3)}
    (FOLDER / NAME).write_text(json.dumps(known, indent=1) + "\n")


def recorded(kind: str) -> list[Row]:
    """The model of now beside all that was measured."""
    rounds = [row for each in ROUNDS for row in json.loads((FOLDER / each / MEASURED).read_text())]
    us = {(row["task"], row["rung"]): row["us"] for row in rounds if row["us"]}
    rungs = json.loads((FOLDER / NAME).read_text())[kind]["rungs"]
    each = ((task, rung, *cases.items()) for task, known in rungs.items() for rung, cases in known.items())
    return [
        Row(task, rung, case, True, us[task, rung], modelled)
        for task, rung, (case, modelled) in each
        if (task, rung) in us
    ]


def band(kind: str) -> list[float]:
    """The ratio at the 10th and the 90th percentile."""
    found = figures(recorded(kind))
    return [round(found.low, 2), round(found.high, 2)]


def part() -> str:
    """The page's generated part, with its marks."""
    kinds = (("compiled", "With nvcc"), ("estimated", "Without"))
    now = "".join(_figures(title, figures(recorded(kind))) for kind, title in kinds)
    text = f"The model of now, with the constants that this card's own micro-kernels gave:\n\n{now}"
    return f"{BEGIN}\n" + "\n".join([text, *(compare(FOLDER / each) for each in ROUNDS)]) + END


def renew() -> None:
    """The band in model.json, and the page's generated part."""
    known = json.loads((FOLDER / NAME).read_text())
    for kind in ("compiled", "estimated"):
        known[kind]["band"] = band(kind)
    (FOLDER / NAME).write_text(json.dumps(known, indent=1) + "\n")
    PAGE.write_text(re.sub(f"{BEGIN}.*{END}", lambda _: part(), PAGE.read_text(), flags=re.DOTALL))


def _figures(title: str, found: Figures) -> str:
    return (
        f"- {title}: {found.near:.0%} of {found.count} rungs within 25 %, mean error {found.error:.0%}, "
        f"{found.ordered} of {found.pairs} pairs in order ({found.order:.1%}).\n"
    )


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("what", choices=("predict", "measure", "model", "table"))
    asked.add_argument("folder", type=Path, nargs="?")
    given = asked.parse_args()
    if given.what == "predict":
        predict(given.folder)
    elif given.what == "measure":
        measure(given.folder or LATEST / MEASURED)
    else:
        if given.what == "model":
            model(given.folder)
        renew()


if __name__ == "__main__":
    main()
