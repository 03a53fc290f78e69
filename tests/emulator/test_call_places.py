"""Calls that may lead to a barrier, in the machine code of both kinds of processor: through a pointer, too."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.devices.emulator.call_places import call_places
from grader.devices.emulator.machine_code import Instruction
from grader.devices.emulator.symbols import blocks_and_calls

BARRIER = "1060 <ladder_barrier@plt>"
CALLS = {"x86-64": [("call", BARRIER), ("call", "*%rax")], "aarch64": [("bl", BARRIER), ("blr", "x1")]}


def code_of(machine: str) -> list[Instruction]:
    """A kernel that waits, and calls what a pointer leads to."""
    barrier, through_pointer = CALLS[machine]
    rows = [barrier, through_pointer, ("nop", ""), barrier, ("ret", "")]
    return [(0, "", ""), *((0x1000 + 4 * i, *row) for i, row in enumerate(rows))]


@pytest.mark.parametrize("machine", CALLS)
def test_the_way_to_each_call_is_known(machine):
    code = code_of(machine)
    _, calls = blocks_and_calls(code)
    assert calls == [0x1004, 0x1008, 0x1010]
    ways = {pc: ((f"line {pc}", "kernel", pc),) for pc in calls}
    assert call_places(Path("no.so"), code, ways) == []  # each stands for itself, and debug information is not asked
