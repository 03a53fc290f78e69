"""What the checking build (checked.py) finds, in the learner's words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from grader.devices.emulator.array_wording import Where
from grader.devices.emulator.barrier_wording import thread_of

Fact = dict[str, Any]


def _own_array(fact: Fact, where: Where) -> str:
    array, index, elements = where.name, fact["offset"], fact["array_bytes"]
    side = "before its start" if index < 0 else "past its end"
    if fact["space"] == "variable":
        is_one = f"which is no array: it has {elements} byte{'' if elements == 1 else 's'}"
        return f"{thread_of(fact)} {fact['access']}s memory {side.replace('its', 'the')} of {array}, {is_one}"
    message = (
        f"{thread_of(fact)} uses {array}[{index}], {side}: {array} has {elements} element{'' if elements == 1 else 's'}"
    )
    if fact["note"]:
        message += "; a GPU goes on into what lies there in memory, but C++ does not promise that"
    return message


def _cast(fact: Fact, where: Where) -> str:
    value, type_, on_a_gpu = fact["text"].split("|")
    return (
        f"{thread_of(fact)} converts {value} to {type_}, which cannot hold it: a GPU gives {on_a_gpu}, a CPU something"
        " else, and C++ promises nothing: clamp it first"
    )


def _shift(fact: Fact, where: Where) -> str:
    bits, distance = fact["text"].split("|")
    return (
        f"{thread_of(fact)} shifts a number of {bits} bits by {distance}: a GPU shifts all bits out, a CPU takes"
        f" {int(distance) % int(bits)}, and C++ promises nothing: ask first whether the distance is less than {bits}"
    )


def _never_set(fact: Fact, where: Where) -> str:
    (name, _), *others = fact["locals"]
    if fact["text"] == "gone":
        return f"a pointer leads to `{name}`, which is no longer there: its block, or its function, has ended"
    named = f"`{name}`" + "".join(f" or `{other}` (line {line})" for other, line in others)
    if fact["text"] == "sure":
        return f"{named} is read before it is set: nothing gives it a value before that"
    if fact["text"] == "for nothing":
        return f"{named} is read before it is set, as the compiler has it; no output of this case shows it"
    return f"{named} is read before it is set: other results come out when other bytes lie in it"


CHECKED: Mapping[str, Callable[[Fact, Where], str]] = {
    "own_array": _own_array,
    "cast": _cast,
    "shift": _shift,
    "never_set": _never_set,
}
