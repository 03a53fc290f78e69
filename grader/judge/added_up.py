"""The timed case of a task that adds up: what a few blocks have added, held against what they have loaded.

A sum or a histogram of all elements hangs on every one of them: no part of it can be asked for (real_size.py).
But of the blocks that ran it is known how many elements they have loaded. Where all inputs are one number, or counters
add up to the elements that were counted, that alone says what these blocks must have left.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import torch
from torch import Tensor

from grader.course.call import Call
from grader.course.lesson import Case, Task
from grader.devices.evidence import Finding
from grader.judge.compare import results
from grader.judge.inputs import Filled
from grader.judge.real_size import drawn

ONE = 0.625  # which all elements are where it is known what they add up to: sums of it are exact for long
FACTOR, _SURE = 2.0, 10_000  # of a counter that should be so large: another part of the input has more or less of it
SHARE = 0.01  # of what is expected that results may be away from it: what edges load, and what floats lose
_TRIED = 48  # elements with which a reference is asked whether it adds up
_LOADED_ONCE = (0.98, 1.02)  # times the inputs' bytes, by all blocks together
_WHY = "This case is timed, and a few of its blocks run: what they have added is compared"
Sample = Mapping[str, Any]


def is_sum(task: Task) -> bool:
    """Whether it adds all elements of its one input of floats up, whatever their places."""
    if not _is_of_all(task) or not task.signature.inputs[0].type.is_floating:
        return False
    return all(math.isclose(value, _TRIED * ONE) for value in _tried(task, torch.full((_TRIED,), ONE).double()))


def is_count(task: Task) -> bool:
    """Whether it counts all elements of its one input of whole numbers."""
    if not _is_of_all(task) or task.signature.inputs[0].type.is_floating:
        return False
    return all(sum(_tried(task, torch.full((_TRIED,), value, dtype=torch.uint8))) == _TRIED for value in (0, 7))


def _is_of_all(task: Task) -> bool:
    """Whether it has one input, of one size, and one result, of none."""
    (drawn, *more), outputs = list(task.drawn) or [""], task.results
    inputs = task.signature.inputs
    if more or len(inputs) != 1 or len(outputs) != 1 or len(task.signature.outputs) != 1:
        return False
    return task.shapes[inputs[0].name] == drawn and task.shapes[outputs[0].name].isdecimal()


def _tried(task: Task, values: Tensor) -> list[float]:
    (size,), name = task.drawn, task.signature.inputs[0].name
    with suppress(Exception):  # whatever a lesson's author can get wrong
        sizes: dict[str, Any] = {size: len(values)}
        found = results(Call(task, Case(**sizes)), {name: values})
        return found[task.results[0].name].double().flatten().tolist()
    return [math.nan]


def fill_with_one(call: Call, buffers: Filled) -> None:
    """The inputs of a call whose task is_sum: all of them ONE."""
    for each in call.signature.inputs:
        buffers.fill(each.name, torch.full(call.shapes[each.name], ONE, dtype=getattr(torch, each.type.torch)))


def wrong_total(real: Call, example: Call, seed: int, sample: Sample, counted: Mapping[str, float]) -> Finding | None:
    """What is wrong with what the blocks that ran have added; None if nothing, or it is not known what it should be.

    `counted` are the counters of the case in which all blocks ran. The inputs, of `example` as `seed` draws it, are all
    ONE in the sample of a task that is_sum.
    """
    task = real.task
    if not (is_sum(task) or is_count(task)) or not (loaded := _loaded(real, sample, counted)):
        return None
    output = task.results[0]
    held = sample.get("held", {}).get(output.name, "")
    values = torch.frombuffer(bytearray.fromhex(held), dtype=getattr(torch, output.type.torch)) if held else None
    if values is None or values.numel() != real.facts["output_elements"]:
        return None
    elements = loaded / real.signature.inputs[0].type.bytes
    shares = torch.ones(1).double() * ONE if is_sum(task) else _shares(real, example, seed)
    for place, (share, found) in enumerate(zip(shares.tolist(), values.double().tolist(), strict=True)):
        expected = elements * share
        if expected >= _SURE and not expected / FACTOR <= found <= expected * FACTOR:
            return _finding(f"{output.name}[{place}]", found / expected)
    expected, total = elements * float(shares.sum()), float(values.double().sum())
    return (
        None if abs(total - expected) <= SHARE * expected else _finding(f"the sum of {output.name}", total / expected)
    )


def _finding(what: str, times: float) -> Finding:
    digits = 3 if abs(times - 1) < 0.1 else 2
    return Finding(
        "wrong_result",
        f"{what} is {times:.{digits}g} times what it should be, by the elements that these blocks load. {_WHY}",
    )


def _shares(real: Call, example: Call, seed: int) -> Tensor:
    """How many of the example's elements each of the counters counts, as a share."""
    counted: Tensor = results(example, drawn(example, seed))[real.task.results[0].name].double().flatten()
    return counted / counted.sum()


def _loaded(real: Call, sample: Sample, counted: Mapping[str, float]) -> float:
    """Bytes of the input that the blocks of the only launch have loaded, each once, and added to the result by atomics
    alone; 0 where that is not sure.
    """
    launches: Sequence[Mapping[str, Any]] = sample["launches"]
    if len(launches) != 1 or launches[0]["repeats"] != 1 or sample["skipped"] or sample.get("thins", True):
        return 0.0
    (launch,), inputs = launches, real.facts["input_bytes"]
    counts, (least, most) = launch["counts"], _LOADED_ONCE
    of_input = {each.name for each in real.signature.inputs}
    others = [each for each in launch["regions"] if not each["of_task"]]
    loaded = float(counts.get("task_loaded_bytes", 0.0))
    all_ = loaded * launch["blocks"] / max(len(launch["ran"]), 1)
    is_added = counts.get("global_atomic_lanes", 0.0) > 0 and not counts.get("global_store_requests")
    is_read_once = counted.get("task_load_useful_bytes") == counted.get("input_bytes")
    other_loads = any(each["loaded"] and each["name"] not in of_input for each in launch["regions"])
    if others or other_loads or not is_added or not is_read_once or not least * inputs <= all_ <= most * inputs:
        return 0.0
    return loaded
