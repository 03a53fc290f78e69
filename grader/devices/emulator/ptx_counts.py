"""Inline PTX as the runtime counts it (runtime/ptx): basic blocks, and instructions that compute."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from grader.devices.emulator.prices import Price
from grader.devices.emulator.ptx_prices import exponentials_of, price_of
from grader.devices.emulator.symbols import Block

Statements = Sequence[Mapping[str, Any]]  # as the runtime reports them, each text that ran
Arithmetic = tuple[Price, int]  # of an instruction: its price, and how many values it raises to a power

COUNTED = 127  # instructions of a text with places of their own: `counted_instructions` of runtime/ptx/program.h


def blocks_of(statements: Statements) -> dict[int, Block]:
    """The basic blocks of these texts, by place."""
    return dict(block for each in statements for block in _blocks(each))


def _blocks(statement: Mapping[str, Any]) -> Iterator[tuple[int, Block]]:
    names, guarded = statement["instructions"], statement["guarded"]
    begins = [number for number, begins in enumerate(statement["begins"]) if begins]
    for first, end in pairwise([*begins, len(names)]):
        leaves = guarded[end - 1] and names[end - 1].startswith("bra")
        branch = statement["pc"] + 2 * min(end - 1, COUNTED) + 1 if leaves else 0
        yield statement["pc"] + 2 * first, Block(end - first, branch)


def arithmetic_of(statements: Statements) -> dict[int, Arithmetic]:
    """The instructions of these texts that cost something, by place; of those that share one, the dearest."""
    found: dict[int, Arithmetic] = {}
    for each in statements:
        for number, name in enumerate(each["instructions"]):
            place = each["pc"] + min(2 * number + 1, 2 * COUNTED)
            found[place] = max(found.get(place, ((0, 0, 0), 0)), (price_of(name), exponentials_of(name)))
    return found
