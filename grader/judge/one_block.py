"""The timed case once more, where sampling does not tell what blocks write: one block of each launch, whole.

Sampling has one warp of a long block go on for all of them, and multiplies no matrices, so that values are not right,
and its inputs repeat those of a small case: half of a row twice may be as good as the row.
Here one block, drawn at random, runs with all of its warps, and what it has written is held against the reference.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from grader.course.call import Call
from grader.devices.buffers import Arena
from grader.devices.evidence import Finding
from grader.devices.submission import Submission, run_whole
from grader.judge.real_size import Tiled, drawn, repeats_in_one, tile_bytes, wrong_of

SECONDS = 5.0  # of processor time; the course's largest blocks take less than two
MOST_STORED = 256 << 20  # bytes of a block that may be done in this time: the memory alone takes a second


def wrong_in_one_block(real: Call, example: Call, submission: Submission, sample: Mapping[str, Any]) -> Finding | None:
    """The first element that a block leaves wrong at its real size, of which nothing else may decide; None if none is,
    or that cannot be told. Raises UsageError, NotGraded, Cancelled.
    """
    if not all(each.type.is_floating for each in real.signature.inputs):
        return None
    if any(stored_by_a_block(launch) > MOST_STORED for launch in sample["launches"]):
        return None
    if any(sample["written"].values()) and not repeats_in_one(real, example, submission.seed):
        return None
    tile = tile_bytes(real, submission.seed)
    values = mixed(drawn(example, submission.seed), submission.seed, tile)
    shapes = {
        each.name: tuple(values[each.name].shape) if each.name in values else (1,) for each in real.signature.buffers
    }
    with Arena([(real.signature, shapes)]) as arena:
        for name, each in values.items():
            arena.cases[0].fill(name, each)
        evidence = run_whole(real, arena, submission, SECONDS, tile)
    found = (evidence.cases[0].sample if evidence.cases else None) or {}
    return wrong_of(real, submission.seed, found, {name: Tiled.of(each, tile) for name, each in values.items()})


def stored_by_a_block(launch: Mapping[str, Any]) -> float:
    """Bytes of the task's buffers, by those of a sampled launch that ran."""
    return float(launch["counts"].get("task_stored_bytes", 0.0)) / max(len(launch["ran"]), 1)


def mixed(values: Mapping[str, Tensor], seed: int, tile: int) -> dict[str, Tensor]:
    """Of each input so many bytes of elements, drawn from these: so that rows far apart differ."""
    counts = {name: tile // each.element_size() for name, each in values.items()}
    dice, found = torch.Generator().manual_seed(seed), {}
    places = torch.randint(1 << 30, (max(counts.values()) + len(counts),), generator=dice)
    for number, (name, each) in enumerate(values.items()):
        found[name] = each.flatten()[places[number : number + counts[name]] % each.numel()]
    return found
