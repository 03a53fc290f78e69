"""What is run on both sides: the micro-kernels of this folder, and every rung of every lesson at its counted case."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.course import catalog
from grader.course.call import Call
from grader.course.inline import inlined
from grader.course.lesson import Task
from grader.course.prototype import Prototype, parse_prototype
from grader.devices.build.lexer import lex
from grader.faces.authoring import SEED

if TYPE_CHECKING:
    from torch import Tensor

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[1]
MICRO_KERNELS = (
    "global.cu",
    "shared.cu",
    "atomics.cu",
    "control.cu",
    "functions.cu",
    "pipeline.cu",
    "libcuxx.cu",
    "matrix.cu",
    "wmma.cu",
)
THREADS = 1024
ELEMENTS = 40 * THREADS

# ENTRY(name, type, ...), the macro that each file defines, or the launcher written out.
_ENTRY = re.compile(r'^(?:ENTRY\((\w+), ([\w ]+),|extern "C" (void \w+\([^)]*\)))', re.MULTILINE)


@dataclass(frozen=True, eq=False)
class Case:
    """One call of one entry point. A micro-kernel launches once; a rung launches what it likes."""

    name: str
    source: Path
    prototype: Prototype
    prototypes: tuple[Prototype, ...]  # of all entry points of the file, which share one build
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
    texts = [
        written_out or f"void {name}(const {type_}* x, {type_}* out, int n, cudaStream_t stream)"
        for name, type_, written_out in _ENTRY.findall(source.read_text())
    ]
    prototypes = tuple(parse_prototype(text) for text in texts)
    shapes = {"x": (ELEMENTS,), "out": (ELEMENTS,)}
    return [
        Case(
            name=f"{source.stem}/{prototype.name}",
            source=source,
            prototype=prototype,
            prototypes=prototypes,
            sizes={"n": THREADS},
            shapes=shapes,
            draw=partial(whole_numbers, prototype),
            is_rung=False,
        )
        for prototype in prototypes
    ]


def whole_numbers(prototype: Prototype) -> dict[str, Tensor]:
    """Pseudo-random whole numbers, below 128 in a char or bfloat16, else below 1024: sums of them are exact.

    numpy promises that RandomState draws the same numbers for ever (NEP 19).
    """
    import numpy as np
    import torch

    type_ = prototype.inputs[0].type
    is_brain = type_.torch == "bfloat16"  # which numpy lacks
    numbers = np.random.RandomState(SEED).randint(0, 128 if type_.bytes == 1 or is_brain else 1024, ELEMENTS)
    x = torch.from_numpy(numbers.astype("float32" if is_brain else type_.numpy))
    return {"x": x.to(torch.bfloat16) if is_brain else x}


def rungs() -> list[Case]:
    found = []
    for entry in catalog.entries(ROOT):
        for rung in entry.rungs:
            tasks = [task for task in entry.lesson.tasks if re.search(rf"\bvoid\s+{task.name}\s*\(", inlined(rung))]
            found += [_rung(entry, rung, task) for task in tasks]
    return found


def _rung(entry: catalog.Entry, source: Path, task: Task) -> Case:
    tasks = entry.lesson.tasks
    case = task.judged_cases[-1]  # the counted one
    call = Call(task, case)

    def draw() -> Mapping[str, Tensor]:
        from grader.devices.buffers import Arena
        from grader.judge.inputs import fill

        with Arena.of([call]) as arena:
            return fill(call, arena.cases[0], SEED)

    return Case(
        name=f"{entry.name}/{source.stem}" + (f"/{task.name}" if len(tasks) > 1 else ""),
        source=source,
        prototype=task.signature,
        prototypes=tuple(each.signature for each in tasks),
        sizes=case.sizes,
        shapes=call.shapes,
        draw=draw,
        is_rung=True,
    )


def source_name(case: Case) -> str:
    """The file's path as the results name it."""
    return case.source.relative_to(ROOT).as_posix()


def file_digest(source: Path) -> str:
    """Of the code: comments and white space may change."""
    tokens = lex(inlined(source))
    texts = [token.text for part in (tokens.code, *(line.tokens for line in tokens.directives)) for token in part]
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:16]


def digest(tensors: Iterable[Tensor]) -> str:
    """Tells whether two machines hold the same bytes."""
    import torch

    sha = hashlib.sha256()
    for tensor in tensors:
        sha.update(tensor.cpu().reshape(-1).view(torch.uint8).numpy().tobytes())
    return sha.hexdigest()[:16]
