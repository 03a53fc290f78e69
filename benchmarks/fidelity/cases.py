"""What is run on both sides: the micro-kernels of this folder, and every rung of every lesson at its counted case."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.course import catalog
from grader.course.lesson import Task
from grader.course.prototype import Prototype, elements, parse_prototype

if TYPE_CHECKING:
    from torch import Tensor

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[1]
MICRO_KERNELS = ("global.cu", "shared.cu", "atomics.cu", "control.cu")
THREADS = 1024
ELEMENTS = 40 * THREADS
SEED = 20

# ENTRY(name, type, ...), the macro that each file defines, or the launcher written out.
_ENTRY = re.compile(r'^(?:ENTRY\((\w+), ([\w ]+),|extern "C" (void \w+\([^)]*\)))', re.MULTILINE)


@dataclass(frozen=True)
class Case:
    """One call of one entry point. A micro-kernel launches once; a rung launches what it likes."""

    name: str
    source: Path
    prototype: Prototype
    sizes: Mapping[str, Any]
    shapes: Mapping[str, tuple[int, ...]]
    draw: Callable[[], Mapping[str, Tensor]]
    is_rung: bool

    def inputs(self) -> dict[str, Tensor]:
        """The const buffers by name, on the CPU, the same at every call and on every machine."""
        drawn = self.draw()
        return {parameter.name: drawn[parameter.name].contiguous() for parameter in self.prototype.inputs}


def all_cases() -> list[Case]:
    return [case for file in MICRO_KERNELS for case in micro_kernels(FOLDER / file)] + rungs()


def micro_kernels(source: Path) -> list[Case]:
    """The entry points of one file, in its order."""
    cases = []
    for name, type_, written_out in _ENTRY.findall(source.read_text()):
        text = written_out or f"void {name}(const {type_}* x, {type_}* out, int n, cudaStream_t stream)"
        prototype = parse_prototype(text)
        shapes = {"x": (ELEMENTS,), "out": (ELEMENTS,)}
        draw = partial(whole_numbers, prototype)
        case = Case(f"{source.stem}/{prototype.name}", source, prototype, {"n": THREADS}, shapes, draw, is_rung=False)
        cases.append(case)
    return cases


def whole_numbers(prototype: Prototype) -> dict[str, Tensor]:
    """Pseudo-random whole numbers, below 128 in a char, else below 1024: every sum of them is exact in every type.

    numpy promises that RandomState draws the same numbers for ever (NEP 19).
    """
    import numpy as np
    import torch

    type_ = prototype.inputs[0].type
    numbers = np.random.RandomState(SEED).randint(0, 128 if type_.bytes == 1 else 1024, ELEMENTS)
    return {"x": torch.from_numpy(numbers.astype(type_.numpy))}


def rungs() -> list[Case]:
    found = []
    for entry in catalog.entries(ROOT):
        for rung in entry.rungs:
            text = rung.read_text()
            tasks = [task for task in entry.lesson.tasks if re.search(rf"\bvoid\s+{task.name}\s*\(", text)]
            for task in tasks:
                suffix = f"/{task.name}" if len(entry.lesson.tasks) > 1 else ""
                found.append(_rung(f"{entry.name}/{rung.stem}{suffix}", rung, task))
    return found


def _rung(name: str, source: Path, task: Task) -> Case:
    case = task.judged_cases[-1]  # the counted one
    shapes = {buffer.name: task.shape(buffer.name, case) for buffer in task.signature.buffers}

    def draw() -> Mapping[str, Tensor]:
        from grader.judge.inputs import Draw, case_seed

        drawn = task.make_inputs(Draw(case_seed(SEED, task.name, case.name)), case.variant, **case.sizes)
        return {buffer: tensor.reshape(shapes[buffer]) for buffer, tensor in drawn.items()}

    return Case(name, source, task.signature, case.sizes, shapes, draw, is_rung=True)


def source_name(case: Case) -> str:
    return case.source.relative_to(ROOT).as_posix()


def digest(*tensors: Tensor) -> str:
    """Tells whether two machines hold the same bytes."""
    import torch

    sha = hashlib.sha256()
    for tensor in tensors:
        sha.update(tensor.cpu().reshape(-1).view(torch.uint8).numpy().tobytes())
    return sha.hexdigest()[:16]


def file_digest(source: Path) -> str:
    return hashlib.sha256(source.read_bytes()).hexdigest()[:16]


__all__ = ["ROOT", "Case", "all_cases", "digest", "elements", "file_digest", "source_name"]
