"""Modelled times of lesson 09 beside measured ones: a part of docs/model.md.

    python -m benchmarks.model.tensor_cores KEEP      samples its rungs at their timed sizes; what is in KEEP is kept

No constant of the model was chosen by a rung of that lesson: what stands there is what came out. The measured times are
those of `python -m benchmarks.tensor_cores`. It needs no GPU.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.model.agreement import PAGE, figures
from benchmarks.model.points import CARD, RESULTS, ROOT, Row, samples
from grader.course import catalog
from grader.model.cause import WORDS
from grader.model.predict import predict

MEASURED = RESULTS / "tensor_cores.json"
BEGIN, END = "<!-- begin tensor cores -->", "<!-- end tensor cores -->"


def rows(kept: Path) -> Iterator[tuple[Row, str]]:
    """Each rung at its timed size, and what the model says that binds it."""
    entry = catalog.find("09", ROOT)
    for of_task in json.loads(MEASURED.read_text())["tasks"]:
        task = entry.lesson.task(of_task["name"])
        (case,) = (case for case in of_task["cases"] if case["is_timed_case"])
        us = {result["name"]: result["median_us"] for result in case["results"] if result["kind"] == "rung"}
        for file in entry.rungs_of(task.name):
            assert task.timed_case
            for sample in samples(entry, task, file, [task.timed_case], kept, new=True).values():
                found = predict(sample, CARD)
                row = Row(task.name, file.stem, case["name"], True, us[file.stem], found.seconds * 1e6)
                yield row, WORDS[found.bound]


def table(every: Sequence[tuple[Row, str]]) -> str:
    found = figures([row for row, _ in every])
    shares = f"{found.near:.0%} of {found.count} rungs within 25 %, {found.twice:.0%} within a factor of two"
    text = [
        f"Without nvcc: {shares}, mean error {found.error:.0%}, {found.ordered} of {found.pairs} pairs in order.\n\n",
        "| task | rung | measured | modelled | ratio | bound by |\n|---|---|--:|--:|--:|---|\n",
    ]
    for row, bound in every:
        times = f"{row.measured:,.0f} µs | {row.modelled:,.0f} µs | {row.ratio:.2f}"
        text.append(f"| {row.task} | {row.rung} | {times} | {bound} |\n")
    return "".join(text)


def main() -> None:
    if len(sys.argv) != 2:
        raise SystemExit("say where samples are kept: python -m benchmarks.model.tensor_cores FOLDER")
    text = table(list(rows(Path(sys.argv[1]))))
    print(text)
    whole = f"{BEGIN}\n{text}{END}"
    PAGE.write_text(re.sub(f"{BEGIN}.*{END}", lambda _: whole, PAGE.read_text(), flags=re.DOTALL))


if __name__ == "__main__":
    main()
