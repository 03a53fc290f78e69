"""What a lesson asks: its tasks, the cases they are judged at, and the targets that earn stars."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from grader.course.prototype import Parameter, Prototype, parse_prototype

if TYPE_CHECKING:
    from torch import Tensor

Tensors = Mapping[str, "Tensor"]  # by parameter name; torch is imported only by those who compute
SPEED_AGAINST, FRACTION_OF = "x_", "fraction_of_"  # how the metrics of timed targets begin


@dataclass(frozen=True, init=False)
class Case:
    """One set of sizes, `Case(rows=3, cols=5)`. `variant` is handed to make_inputs, for special data."""

    sizes: Mapping[str, Any]
    variant: str | None

    def __init__(self, *, variant: str | None = None, **sizes: Any):
        object.__setattr__(self, "sizes", sizes)
        object.__setattr__(self, "variant", variant)

    @cached_property
    def name(self) -> str:
        """`rows=3 cols=5`, `n=33 (one bin)`"""
        sizes = " ".join(f"{name}={value}" for name, value in self.sizes.items())
        return f"{sizes} ({self.variant})" if self.variant else sizes


@dataclass(frozen=True)
class Tolerance:
    """Error model, per element: |out - ref| <= c * sqrt(terms) * eps * magnitude.

    `terms` is the number of values summed, as an expression over the sizes ("cols"); `eps` is the unit roundoff of the
    output's type (2^-24 for float); `magnitude` computes the sum of |terms| of each output element (a dict like the
    reference's); without it, |ref|. Higham, "Accuracy and Stability of Numerical Algorithms", 2nd ed., section 4.2,
    with the statistical sqrt instead of the worst case.
    """

    c: float = 4.0
    terms: str = "1"
    magnitude: Callable[..., Tensors] | None = None


@dataclass(frozen=True)
class Counted:
    """A goal for something the emulator counts. `metric` is a name of judge.targets.METRICS or a counter's own."""

    metric: str
    at_least: float | None = None
    at_most: float | None = None
    stars: int = 2
    why: str = ""
    case: Case | None = None  # one of the task's cases to count at, instead of its counted case


@dataclass(frozen=True)
class Timed:
    """A goal for a ratio measured on a GPU: "x_torch.add" (times as fast as that baseline) or "fraction_of_" a ceiling.

    Ceilings are measured in the same run: copy and read (bytes of all buffers), fp32 and bf16 (matrix products; the
    task's `flops`) and special (special functions; its `specials`).
    """

    metric: str
    at_least: float
    stars: int = 2
    why: str = ""


@dataclass(frozen=True)
class Task:
    """One C entry point to write.

    make_inputs(draw, variant, **sizes) returns the const buffers by name (draw: judge.inputs.Draw);
    reference(**inputs, **scalars) gets floating inputs in float64 and returns the outputs in float64.
    """

    prototype: str
    shapes: Mapping[str, str]  # of every buffer, as expressions over the scalars: "n", "rows, cols", "2 * n"
    cases: Sequence[Case]
    make_inputs: Callable[..., Tensors]
    reference: Callable[..., Tensors]
    tolerance: Tolerance = Tolerance()
    counted_case: Case | None = None  # where counted targets are measured; without it, the last of `cases`
    timed_case: Case | None = None
    baselines: Mapping[str, Callable[..., None]] = field(
        default_factory=dict
    )  # f(**buffers, **scalars), writes outputs
    targets: Sequence[Counted | Timed] = ()
    bench_cases: Sequence[Case] = ()  # sizes that `ladder bench` sweeps, besides the timed case
    rivals: Mapping[str, Callable[..., None]] = field(default_factory=dict)  # as baselines, for `ladder bench` alone
    flops: str = ""  # arithmetic operations, as an expression over the sizes: "2 * m * n * k"
    specials: str = ""  # exp, log, sin and their kin, likewise
    scratch: Sequence[str] = ()  # outputs for the kernel's own use: poisoned and guarded, neither compared nor counted
    prints: Callable[..., Sequence[str]] | None = None  # prints(**inputs, **scalars): lines that the kernels must print
    inexact: Mapping[str, str] = field(default_factory=dict)  # rung -> why it errs at sizes of the bench
    bonus: bool = False  # for who wants more: may be left out, and its stars stand beside the lesson's

    @cached_property
    def signature(self) -> Prototype:
        return parse_prototype(self.prototype)

    @property
    def name(self) -> str:
        return self.signature.name

    @cached_property
    def results(self) -> list[Parameter]:
        """The outputs that the reference returns: all but scratch memory."""
        return [output for output in self.signature.outputs if output.name not in self.scratch]

    @property
    def judged_cases(self) -> list[Case]:
        """All cases, the counted one last and once."""
        counted = self.counted_case or self.cases[-1]
        return [case for case in self.cases if case != counted] + [counted]

    @property
    def timed_cases(self) -> list[Case]:
        """What `ladder bench` measures: the sweep, and last, once, the case of the timed targets."""
        timed = [self.timed_case] if self.timed_case else []
        return [case for case in self.bench_cases if case not in timed] + timed


@dataclass(frozen=True)
class Lesson:
    """What a lessons/NN_name/lesson.py defines as `lesson`. Its stars are those of its weakest task, bonus aside."""

    title: str
    tasks: Sequence[Task]
    summary: str = ""  # one line for `ladder` and the README's table
    next_step: str = ""  # what to try after passing

    def task(self, name: str) -> Task:
        return next(task for task in self.tasks if task.name == name)
