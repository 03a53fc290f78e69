"""What the lines of a kernel cost in a whole case, in words, and which are worth a look."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from grader.devices.emulator.recording import SECTOR

Json = dict[str, Any]

MOST_LINES = 3
WORTH = 1.1  # times what would do
# What is asked for, the counter of its cost, what it is counted in, and the memory and kind of step where it shows
WAYS = (
    ("global_load", "sectors", "load", "global", ("load", "bad load")),
    ("global_store", "sectors", "store", "global", ("store", "bad store")),
    ("shared_load", "wavefronts", "load", "shared", ("load",)),
    ("shared_store", "wavefronts", "store", "shared", ("store",)),
)


def worst_lines(lines: Sequence[Json], recorded: Collection[int]) -> list[Json]:
    """The lines that cost most beyond what would do, the worst first; if none does, the one that moves most.

    Each as the page has it: its line, a sentence, and of which memory and kinds the steps are that show it.
    """
    found = [cost for row in lines for cost in _costs(row) if row["line"] in recorded]
    wasteful = [cost for cost in found if cost["cost"] > WORTH * cost["best"]]
    wasteful.sort(key=lambda cost: cost["best"] - cost["cost"])
    most = sorted(found, key=lambda cost: -cost["cost"])[:1]
    return [_look(cost) for cost in wasteful[:MOST_LINES] or most]


def _costs(row: Json) -> list[Json]:
    costs = []
    for name, unit, one, space, kinds in WAYS:
        if requests := row[f"{name}_requests"]:
            best = row[f"{name}_ideal_wavefronts"] if space == "shared" else -(-row[f"{name}_useful_bytes"] // SECTOR)
            costs.append({
                "line": row["line"], "requests": requests, "cost": row[f"{name}_{unit}"], "best": best,
                "unit": unit, "one": one, "space": space, "kinds": kinds,
            })  # fmt: skip
    return costs


def _look(cost: Json) -> Json:
    each, best = cost["cost"] / cost["requests"], cost["best"] / cost["requests"]
    unit = cost["unit"][:-1] if each == 1 else cost["unit"]
    says = f"line {cost['line']}: {each:.3g} {unit} a {cost['one']}"
    says += f", {best:.3g} would do" if cost["cost"] > WORTH * cost["best"] else ", the least there can be"
    return {"line": cost["line"], "says": says, "space": cost["space"], "kinds": cost["kinds"]}


def sums_in_words(row: Json, whole: str) -> str:
    """What a line did in the whole case or program; empty for a line that touched no memory."""
    parts = [
        f"{cost['requests']:,} {cost['one']}{'' if cost['requests'] == 1 else 's'} of {cost['space']} memory: "
        f"{cost['cost']:,} {cost['unit']}"
        for cost in _costs(row)
    ]
    return f"Line {row['line']} in the whole {whole}: {'; '.join(parts)}." if parts else ""
