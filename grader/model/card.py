"""What a GPU can do: cards/NAME.toml, a file of named constants with their units and where each comes from."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from grader.course.usage import UsageError


@dataclass(frozen=True)
class Card:
    """A card. Rates are of the whole card and in SI units, latencies and costs in clocks of a multiprocessor."""

    multiprocessors: float
    clock: float  # Hz
    l1_bytes: float  # of a multiprocessor, with its shared memory
    l2_bytes: float  # what fits before lines come from memory again
    dram_rate: float  # B/s
    l2_rate: float
    l2_rate_of_one: float  # B/s into one multiprocessor
    issue_rate: float  # instructions of warps that a multiprocessor begins a clock
    integer_rate: float  # operations of single threads a clock on integers, comparisons and choices
    special_rate: float  # operations of single threads a clock on a multiprocessor's special-function units
    double_rate: float  # fused multiply-adds of doubles, likewise
    tensor_rate: float  # multiplications and additions of a multiprocessor's tensor cores a clock, of 16-bit numbers
    load_line: float  # for each 128-byte line of a load
    store_line: float
    l1_sectors: float  # that L1 hands out in a clock
    shared_atomic: float  # for each wavefront of an atomic
    atomic_float: float  # seconds between updates of one word in global memory
    atomic_integer: float
    atomic_rate: float  # sectors a second that are updated where many threads want few words
    l1_latency: float
    l2_latency: float
    dram_latency: float
    shared_latency: float
    barrier_latency: float
    barrier_turn: float  # of the multiprocessor, for each warp that comes to a barrier
    block_start: float  # of the multiprocessor, for each block
    dependent: float  # from one instruction of a warp to the next, if the second needs the first
    independent: float  # the same where most are fused multiply-adds
    first_launch: float  # seconds from one event to the next around a launch that does nothing
    next_launch: float  # seconds that a further launch takes
    name: str = ""
    architecture: str = ""  # what nvcc compiles for: "90a"
    label: str = ""  # the file's name: "h200"
    measured: bool = False


def load_card(file: Path) -> Card:
    """Reads a card's file. Raises UsageError, one sentence, if it is none."""
    try:
        data: dict[str, Any] = tomllib.loads(file.read_text())
        values = {name: float(each["value"]) for name, each in data["constants"].items()}
        return Card(
            **values,
            name=str(data["name"]),
            architecture=str(data["architecture"]),
            label=file.stem,
            measured=bool(data["measured"]),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{file.name} is no card: {_why(error)}") from error


def _why(error: Exception) -> str:
    if isinstance(error, KeyError):
        return f"it has no `{error.args[0]}`"
    return str(error).replace("Card.__init__() ", "")


def cards(folder: Path) -> list[Card]:
    """Every card of a folder, by the names of their files. Raises UsageError."""
    return [load_card(file) for file in sorted(folder.glob("*.toml"))]


def constants() -> list[str]:
    """The names that a card's file must give a value."""
    return [field.name for field in fields(Card) if field.name not in ("name", "architecture", "label", "measured")]


Constants = Mapping[str, float]
