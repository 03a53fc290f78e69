"""What stars of the emulator are worth on a card: their limits in modelled time, and the table of docs/model.md.

    python -m benchmarks.model.stars limits KEEP     writes stars.json; samples are kept in KEEP (benchmarks.model.keep)
    python -m benchmarks.model.stars rungs KEEP      models every rung that has two stars by its counts
    python -m benchmarks.model.stars slow KEEP       the same of slow kernels
    python -m benchmarks.model.stars table           renews docs/model.md

The last three go by withheld.json, and by what the card said (rungs.json, slow.json), all in benchmarks/results/h200/.
A star's limit is the modelled time of the rung that earns it on the card, times what its timed goals leave beyond what
the rung was measured at (`ladder check-course --device cuda --out`). None of it needs a GPU.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks.model.agreement import PAGE
from benchmarks.model.held_back import kernels
from benchmarks.model.points import CARD, RESULTS, ROOT, SEED, measured, samples
from grader.course import catalog
from grader.course.catalog import Entry
from grader.course.lesson import Task, Timed
from grader.course.mistake import Mistake
from grader.devices.submission import Submission, start_server
from grader.judge.ladder import star_rungs, stars_earned
from grader.model.predict import predict
from grader.model.times import sampled
from grader.model.withheld import LIMITS, earned, limits

GRADED, SLOW, FOUND = RESULTS / "rungs.json", RESULTS / "slow.json", RESULTS / "withheld.json"
BEGIN, END = "<!-- begin stars -->", "<!-- end stars -->"
TWICE = 2.0

Json = dict[str, Any]


def tasks() -> Iterator[tuple[Entry, Task]]:
    """Those whose rungs the card has graded."""
    known = {task for task, _ in graded()}
    for entry in catalog.entries(ROOT):
        yield from ((entry, task) for task in entry.lesson.tasks if task.name in known and task.timed_case)


def graded() -> dict[tuple[str, str], Json]:
    """What the card said of each rung, by task and rung."""
    return {(row["task"], row["rung"]): row for row in json.loads(GRADED.read_text())["rungs"]}


# ---- the limits ----


def left(task: Task, rung: int, values: Mapping[str, float]) -> float:
    """How many times as long as it took a rung may take before it misses one of its timed goals, or of those below."""
    goals = [goal for each in task.ladder[:rung] for goal in each.reached if isinstance(goal, Timed)]
    return min(values[goal.metric] / goal.at_least for goal in goals)


def rung_us(entry: Entry, task: Task, rung: int, kept: Path) -> float:
    """The modelled time of a rung at its timed case."""
    case = task.timed_case
    assert case
    sample = samples(entry, task, entry.rungs_of(task.name)[rung - 1], [case], kept, new=True)[case.name]
    return predict(sample, CARD).seconds * 1e6


def worked_out(kept: Path) -> Json:
    """The limits of every task, by star."""
    found: Json = {}
    values = graded()
    for entry, task in tasks():
        stars = {}
        for star, rung in star_rungs(task, on_gpu=True).items():
            us = rung_us(entry, task, rung, kept)
            beyond = left(task, rung, values[task.name, task.ladder[rung - 1].name]["values"])
            stars[star] = {"rung": rung, "modelled_us": round(us, 2), "left": round(beyond, 3)}
            stars[star]["us"] = round(us * beyond, 2)
            print(task.name, star, stars[star], flush=True)
        found[task.name] = {"case": task.timed_case.name if task.timed_case else "", "stars": stars}
    return found


# ---- what has stars by its counts ----


def model_rungs(kept: Path) -> Json:
    """Modelled µs and counted stars of each rung that has more than one by its counts."""
    found: Json = {}
    for entry, task in tasks():
        told = star_rungs(task, on_gpu=False)
        for number, rung in enumerate(task.ladder, start=1):
            counted = stars_earned(task, number, on_gpu=False)
            if counted > 1 and number >= told[2]:
                us = round(rung_us(entry, task, number, kept), 2)
                found[f"{task.name}/{number}_{rung.name}"] = {"counted": counted, "us": us}
                print(task.name, number, counted, us, earned(us, counted, limits(ROOT, CARD, task)), flush=True)
    return found


def model_slow(kept: Path) -> Json:
    """The same of slow kernels; no µs where one cannot be sampled."""
    found: Json = {}
    known = json.loads(SLOW.read_text())
    for entry, task, slow in kernels():
        name = f"{entry.name}/{task.name}/{slow.name}"
        counted = known.get(name, {}).get("emulator", {}).get("stars", 0)
        if counted > 1:
            sample = slow_sample(entry, task, slow, slow_place(kept, entry, task, slow))
            us = round(predict(sample, CARD).seconds * 1e6, 2) if sample else None
            found[name] = {"counted": counted, "us": us}
            print(name, counted, us, us and earned(us, counted, limits(ROOT, CARD, task)), flush=True)
    return found


def slow_place(kept: Path, entry: Entry, task: Task, slow: Mistake) -> Path:
    """The file of a slow kernel's sample."""
    return kept / f"slow__{entry.name}__{task.name}__{slow.name}.json"


def slow_sample(entry: Entry, task: Task, slow: Mistake, place: Path) -> Mapping[str, Any] | None:
    """What a grade would sample of it, kept in a file."""
    case = task.timed_case
    if case and not place.exists():
        submission = Submission(slow.text(), slow.whole, entry.lesson.tasks, start_server(), SEED, lambda what: None)
        write(place, dict(sampled(task, case, CARD, submission) or {}))
    return json.loads(place.read_text()) or None


# ---- the table ----


@dataclass(frozen=True)
class Stars:
    """A right kernel's: by counts, with those that the model withholds, and on the card."""

    name: str
    counted: int
    emulator: int
    card: int
    lost: float = 0.0  # if it has more on the emulator: times as long, on the card, as the highest of them allows there
    us: float | None = None  # modelled; None: not asked, or it could not be sampled
    slow: bool = False  # made to be slow

    @property
    def agrees(self) -> bool:
        """No star on the emulator that the card refuses by a factor of two."""
        return self.emulator <= self.card or self.lost < TWICE


@dataclass(frozen=True)
class Agreement:
    """Of all kernels that were graded on both."""

    rows: Sequence[Stars]

    @property
    def share(self) -> float:
        return sum(row.agrees for row in self.rows) / len(self.rows)

    def equal(self, slow: bool) -> int:
        return sum(row.emulator == row.card for row in self.rows if row.slow == slow)

    def count(self, slow: bool) -> int:
        return sum(row.slow == slow for row in self.rows)


def agreement(by_counts: bool = False) -> Agreement:
    """What is committed: every rung, and every slow kernel that the card has found right; or all `by_counts` alone."""
    known: Json = {"rungs": {}, "slow": {}} if by_counts else json.loads(FOUND.read_text())
    return Agreement([*_rungs(known["rungs"]), *_slow(known["slow"])])


def _rungs(modelled: Json) -> Iterator[Stars]:
    card, us = graded(), measured()
    for _, task in tasks():
        case = task.timed_case.name if task.timed_case else ""
        for number, rung in enumerate(task.ladder, start=1):
            name = f"{number}_{rung.name}"
            counted = stars_earned(task, number, on_gpu=False)
            time = us[task.name, name, case][0]
            yield _stars(task, name, counted, card[task.name, rung.name]["stars"], time, modelled)


def _slow(modelled: Json) -> Iterator[Stars]:
    """Those that are below the floor have the star for right on both: the emulator has seen that their kernels work."""
    known = json.loads(SLOW.read_text())
    for entry, task, slow in kernels():
        name = f"{entry.name}/{task.name}/{slow.name}"
        row = known.get(name, {})
        if row.get("cuda", {}).get("status") in ("passed", "below_target"):
            of_task = {f"{task.name}/{slow.name}": modelled.get(name, {})}
            stars, card = row["emulator"]["stars"], row["cuda"]
            yield replace(_stars(task, slow.name, stars, max(card["stars"], 1), card["us"], of_task), slow=True)


def _stars(task: Task, kernel: str, counted: int, card: int, time: float, modelled: Json) -> Stars:
    """`time` is the card's, in µs."""
    name = f"{task.name}/{kernel}"
    us = modelled.get(name, {}).get("us")
    stars = earned(us, counted, limits(ROOT, CARD, task)) if us else counted
    return Stars(name, counted, stars, card, _lost(task, time, stars) if stars > card else 0.0, us)


def _lost(task: Task, us: float, star: int) -> float:
    """How many times as long a kernel takes on the card as the timed goals of a star allow; 0 if it has none."""
    rung = star_rungs(task, on_gpu=True).get(star)
    if not rung or not task.timed_case:
        return 0.0
    name = task.ladder[rung - 1].name
    rung_us = measured()[task.name, f"{rung}_{name}", task.timed_case.name][0]
    return us / (rung_us * left(task, rung, graded()[task.name, name]["values"]))


def table() -> str:
    """Sums of both kinds, then a row for each slow kernel, and for each rung whose stars differ."""
    found = agreement()
    rungs, slow = found.equal(slow=False), found.equal(slow=True)
    fewer = sum(row.emulator < row.card for row in found.rows)
    text = [
        f"Of {found.count(slow=False)} rungs and {found.count(slow=True)} slow kernels, {found.share:.1%} have no star "
        f"on the emulator that the card refuses by a factor of two. Exactly as many stars have {rungs + slow}: {rungs} "
        f"rungs and {slow} slow kernels; {fewer} have fewer on the emulator. By counts alone it would be "
        f"{agreement(by_counts=True).share:.1%}.\n",
        "\n| kernel | by counts | emulator | H200 | time there, of what its stars allow | agrees |\n",
        "|---|:-:|:-:|:-:|--:|:-:|\n",
    ]
    for row in found.rows:
        if row.slow or row.emulator != row.card:
            stars = " | ".join("★" * each for each in (row.counted, row.emulator, row.card))
            lost = f"{row.lost:.2f} ×" if row.lost else ""
            text.append(f"| {row.name} | {stars} | {lost} | {'yes' if row.agrees else '**no**'} |\n")
    return "".join(text)


def part() -> str:
    """The page's generated part, with its marks."""
    return f"{BEGIN}\n{table()}{END}"


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("what", choices=("limits", "rungs", "slow", "table"))
    asked.add_argument("kept", type=Path, nargs="?")
    given = asked.parse_args()
    if given.what != "table" and not given.kept:
        raise SystemExit(f"say where samples are kept: python -m benchmarks.model.stars {given.what} FOLDER")
    if given.what == "limits":
        write(RESULTS / LIMITS, {"card": CARD.label, "tasks": worked_out(given.kept)})
    elif given.what in ("rungs", "slow"):
        known = json.loads(FOUND.read_text()) if FOUND.exists() else {}
        rows = model_slow(given.kept) if given.what == "slow" else model_rungs(given.kept)
        write(FOUND, known | {given.what: rows})
    else:
        PAGE.write_text(re.sub(f"{BEGIN}.*{END}", lambda _: part(), PAGE.read_text(), flags=re.DOTALL))


def write(file: Path, data: Json) -> None:
    file.write_text(json.dumps(data, indent=1) + "\n")


if __name__ == "__main__":
    main()
