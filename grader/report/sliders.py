"""Sliders for notebooks and the site: numbers that one can push, each with a sentence and a picture of what follows.

A browser draws them (viewer/sliders.js). The sentence that each begins with is worked out here, too: it is what a
reader without JavaScript has, and what nbval compares.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from decimal import ROUND_HALF_UP, Context
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from grader.course.catalog import UsageError
from grader.model.card import load_card
from grader.report.pages import Page

VIEWER = Path(__file__).with_name("viewer")
THREE_DIGITS = Context(prec=3, rounding=ROUND_HALF_UP)  # as JavaScript's toPrecision(3) rounds
MOUNT = "(self.ladderSliders ??= []).push(document.currentScript.previousElementSibling)"
# The script itself mounts those that wait for it, and then each that comes: a notebook's outputs have no order.
LOADED = "const wait = self.ladderSliders || []; self.ladderSliders = { push: mount }; wait.forEach(mount);"
WARP, SECTOR, WORD, BANKS = 32, 32, 4, 32

Machine = Mapping[str, float]
Machines = Mapping[str, Machine]
UNMEASURED = " This card is not measured: each range is from half to twice an estimate."
Inputs = Mapping[str, Any]


@cache
def asked() -> dict[str, Any]:
    """`sliders`: of each its title and its inputs, as [label, choices, first]; `holds`: of a multiprocessor of 9.0."""
    found: dict[str, Any] = json.loads((VIEWER / "sliders.json").read_text())
    return found


def machines(root: Path) -> dict[str, Machine]:
    """By the names of cards: rates in bytes and operations a second, a load's latency in seconds, and whether the card
    was measured. Of the H200 all is measured; the H100 has the same chip, so its arithmetic is the H200's.
    """
    results = root / "benchmarks" / "results" / "h200"
    matmul, memory = (json.loads((results / name).read_text()) for name in ("04_tiled_matmul.json", "hierarchy.json"))
    rates = next(case["ceilings"] for case in matmul["tasks"][0]["cases"] if case["is_timed_case"])
    found = {name: rates[name]["rate"] for name in ("copy", "read", "fp32", "bf16")}
    latency = 1e-9 * list(memory["global_ns"].values())[-1]
    h200 = found | {"latency": latency, "multiprocessors": memory["multiprocessors"], "measured": True}
    h100 = load_card(root / "cards" / "h100.toml")
    of_memory = {"copy": h100.dram_rate, "read": h100.dram_rate, "latency": h100.dram_latency / h100.clock}
    return {"H200": h200, "H100": h200 | of_memory | {"measured": h100.measured}}


def slider(name: str, known: Machines, given: Inputs | None = None) -> Page:
    """A slider that begins with the values `given`: its place on a page that has `bundle`, and what it says as text.

    Raises UsageError for a name or a value that is not among its choices.
    """
    given = given or {}
    values = _checked(name, given)
    title, says = asked()["sliders"][name]["title"], SAYS[name](values, known)
    left = ", ".join(f"{label}: {values[key]}" for key, (label, *_) in asked()["sliders"][name]["inputs"].items())
    what = f'data-slider="{name}" data-given="{escape(json.dumps(given))}"'
    words = f'<p>{escape(title)}</p><p>{escape(left)}</p><p class="says">{escape(says)}</p>'
    return Page(f"{title}\n{left}\n{says}", f'<div class="slider" {what}>{words}</div><script>{MOUNT}</script>')


def bundle(known: Machines) -> str:
    """What draws all sliders of a page, as HTML, without what only authors read. It may come twice."""
    constants = f"const ASKED = {json.dumps(asked(), separators=(',', ':'))}, MACHINES = {json.dumps(known)};"
    scripts = [(VIEWER / each).read_text() for each in ("touches.js", "sliders.js")]
    lines = (line.strip() for part in [constants, *scripts, LOADED] for line in part.splitlines())
    script = "\n".join(line for line in lines if line and not line.startswith("//"))
    return f"<style>\n{(VIEWER / 'sliders.css').read_text()}</style><script>\n{{\n{script}\n}}\n</script>"


def _checked(name: str, given: Inputs) -> dict[str, Any]:
    known = asked()["sliders"]
    if name not in known:
        raise UsageError(f"there is no slider `{name}`: there are {', '.join(known)}")
    inputs = known[name]["inputs"]
    for key, value in given.items():
        if key not in inputs:
            raise UsageError(f"the slider {name} has no input `{key}`: it has {', '.join(inputs)}")
        if value not in inputs[key][1]:
            raise UsageError(f"{key} of the slider {name} is one of {', '.join(map(str, inputs[key][1]))}, not {value}")
    return {key: first for key, (_, _, first) in inputs.items()} | dict(given)


# ---- what each says: the same sentences as LOOKS of sliders.js ----


def _sectors(given: Inputs, known: Machines) -> str:
    width = given["width"]
    starts = {given["offset"] + lane * given["stride"] * width for lane in range(WARP)}
    sectors = len({byte // SECTOR for start in starts for byte in range(start, start + width, WORD)})
    useful = len(starts) * width
    return (
        f"The lanes ask for {useful} bytes. {_several(sectors, 'sector')} of 32 bytes move{'s' * (sectors == 1)}, "
        f"{math.ceil(useful / SECTOR)} would do: {_percent(useful / (SECTOR * sectors))} of what moves was asked for."
    )


def _banks(given: Inputs, known: Machines) -> str:
    column, turned = given["column"], given["swizzle"] == "yes"
    banks = [(row * given["pitch"] + (column ^ row if turned else column)) % BANKS for row in range(WARP)]
    used, wavefronts = len(set(banks)), max(map(banks.count, banks))
    where = f"The 32 words lie in {_several(used, 'bank')}"
    return f"Lane r reads row r. {where}: {_several(wavefronts, 'wavefront')}, where 1 would do."


def _roofline(given: Inputs, known: Machines) -> str:
    m, n, k, tile = (given[name] for name in ("m", "n", "k", "tile"))
    size = {"fp32": 4, "bf16": 2}[given["precision"]]
    moved, flops = size * (k * (m * math.ceil(n / tile) + n * math.ceil(m / tile)) + m * n), 2 * m * n * k
    card = known[given["card"]]
    memory, arithmetic, by = moved / card["copy"], flops / card[given["precision"]], _factor(card)
    slower = "Arithmetic sets" if by * by * memory <= arithmetic else "Either may set"
    pace = "Memory sets" if memory > by * by * arithmetic else slower
    return (
        f"{_three(flops / moved)} flop a byte, if no cache helped: memory takes {_ranged(memory, by, _time)}, "
        f"arithmetic {_ranged(arithmetic, by, _time)}. {pace} the pace."
        f"{'' if by == 1 else UNMEASURED}"
    )


def _occupancy(given: Inputs, known: Machines) -> str:
    holds, warps = asked()["holds"], given["threads"] // WARP
    each = 256 * math.ceil(given["registers"] / 8)  # a warp's registers are given 256 at a time
    by_registers = holds["partitions"] * (holds["registers"] // holds["partitions"] // each)
    limits = {
        "threads": holds["threads"] // given["threads"],
        "blocks": holds["blocks"],
        "registers": by_registers // warps,
        "shared memory": holds["sharedKB"] // (given["shared"] + holds["keptKB"]),
    }
    blocks = min(limits.values())
    by = " and ".join(name for name, most in limits.items() if most == blocks)
    return (
        f"{_several(blocks, 'block')}, {_several(blocks * warps, 'warp')} of {holds['warps']}: an occupancy of "
        f"{_percent(blocks * warps / holds['warps'])}, limited by {by}."
    )


def _waves(given: Inputs, known: Machines) -> str:
    m, n, tile = given["m"], given["n"], given["tile"]
    blocks, slots = math.ceil(m / tile) * math.ceil(n / tile), int(known["H200"]["multiprocessors"]) * given["resident"]
    waves = math.ceil(blocks / slots)
    inside, busy = m * n / (blocks * tile * tile), blocks / (waves * slots)
    return (
        f"{_several(blocks, 'block')} in {_several(waves, 'wave')} of {slots}: {_percent(inside)} of the tiles lies in "
        f"the matrix, {_percent(busy)} of the places in the waves are taken; together {_percent(inside * busy)}."
    )


def _little(given: Inputs, known: Machines) -> str:
    card = known[given["card"]]
    flying = given["warps"] * given["loads"] * given["width"] * WARP
    needed, by = card["read"] * card["latency"] / card["multiprocessors"], _factor(card)
    share = dict.fromkeys(_percent(min(1, flying / (each * needed))) for each in (by, 1 / by))
    rate = min(1, flying / needed) * card["read"] / 1e12
    takes = f", and a load takes {_whole(1e9 * card['latency'])} ns: at most {_three(rate)} TB/s, "
    return (
        f"{_kb(flying)} are on their way to each multiprocessor{takes if by == 1 else ': at most '}"
        f"{' to '.join(share)} of what memory gives. {_ranged(needed, by, _kb)} would do."
        f"{'' if by == 1 else UNMEASURED}"
    )


SAYS: dict[str, Callable[[Inputs, Machines], str]] = {
    "sectors": _sectors,
    "banks": _banks,
    "roofline": _roofline,
    "occupancy": _occupancy,
    "waves": _waves,
    "little": _little,
}


def _several(count: int, one: str) -> str:
    return f"{count:,} {one}{'' if count == 1 else 's'}"


def _whole(value: float) -> int:
    return math.floor(value + 0.5)


def _percent(share: float) -> str:
    return f"{_whole(100 * share)} %"


def _three(value: float) -> str:
    return f"{float(THREE_DIGITS.create_decimal_from_float(value)):#.3g}".rstrip(".")


def _factor(card: Machine) -> int:
    """How far a number of this card may be off: a card that is not measured is told as a range."""
    return 1 if card["measured"] else 2


def _ranged(value: float, by: int, said: Callable[[float], str]) -> str:
    return said(value) if by == 1 else f"{said(value / by)} to {said(value * by)}"


def _kb(count: float) -> str:
    return f"{_three(count / 1000)} KB"


def _time(seconds: float) -> str:
    if seconds >= 1:
        return f"{_three(seconds)} s"
    return f"{_three(1e6 * seconds)} µs" if seconds < 1e-3 else f"{_three(1e3 * seconds)} ms"
