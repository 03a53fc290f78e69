"""What a lesson asks: its tasks, the cases they are judged at, and the ladder of each."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from grader.course.prototype import Parameter, Prototype, check_shapes, parse_prototype

if TYPE_CHECKING:
    from torch import Tensor

SPEED_AGAINST, FRACTION_OF = "x_", "fraction_of_"  # how the metrics of timed goals begin
Tensors = Mapping[str, "Tensor"]  # by parameter name; torch is imported only by those who compute


@dataclass(frozen=True, init=False)
class Case:
    """One set of sizes, `Case(rows=3, cols=5)`. `variant` is handed to make_inputs, for special data.

    With `multiprocessors` the emulated GPU has so many: a kernel that chooses by their number takes for few blocks,
    which are soon emulated, what it takes for many elsewhere.
    """

    sizes: Mapping[str, Any]
    variant: str | None
    multiprocessors: int | None

    def __init__(self, *, variant: str | None = None, multiprocessors: int | None = None, **sizes: Any):
        object.__setattr__(self, "sizes", sizes)
        object.__setattr__(self, "variant", variant)
        object.__setattr__(self, "multiprocessors", multiprocessors)

    @cached_property
    def name(self) -> str:
        """`rows=3 cols=5`, `n=33 (one bin)`, `n=33 [where emulated, on 4 multiprocessors]`"""
        sizes = " ".join(f"{name}={value}" for name, value in self.sizes.items())
        variant = f" ({self.variant})" if self.variant else ""
        where = f" [where emulated, on {self.multiprocessors} multiprocessors]" if self.multiprocessors else ""
        return sizes + variant + where


@dataclass(frozen=True)
class Counted:
    """A goal for something the emulator counts. `metric` is a name of judge.targets.METRICS or a counter's own."""

    metric: str
    at_least: float | None = None
    at_most: float | None = None
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
    why: str = ""


Goal = Counted | Timed


@dataclass(frozen=True)
class Rung:
    """One step of a ladder. `name` is that of its file, kernels/NN_name/K_NAME.cu, which may serve several tasks.

    A right kernel has reached a rung when it meets the goals of this rung and of all rungs below. So a goal must hold
    for every rung above it, too: one that a later idea makes moot belongs nowhere, or needs a wider bound. Each device
    judges its own goals, the emulator `Counted` ones and a GPU `Timed` ones. A rung without a goal for a device is not
    claimed there: a kernel is taken to stand below it until it reaches a rung above it. Only rung 1 needs no goal, as a
    kernel that is right has reached it then.
    """

    name: str
    idea: str  # a few words, as they stand behind `next:`
    reached: Sequence[Goal] = ()

    @property
    def title(self) -> str:
        """`register tile`"""
        return self.name.replace("_", " ")


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
    counted_case: Case | None = None  # where counted goals are measured; without it, the last of `cases`
    drawn: Mapping[str, Sequence[int]] = field(default_factory=dict)  # of one more small case: a seed takes one each
    timed_case: Case | None = None
    wide_case: Case | None = None  # more work than blocks that may be resident have in one round: a few of them run it
    baselines: Mapping[str, Callable[..., None]] = field(
        default_factory=dict
    )  # f(**buffers, **scalars), writes outputs
    ladder: Sequence[Rung] = ()  # from the simplest kernel that is right to the best
    stars: Mapping[int, str] = field(default_factory=dict)  # {2: rung, 3: rung}: those that earn them; 1 is for right
    floor: Sequence[Goal] = ()  # without these a right kernel has not passed: a time far below rung 1's own, or a count
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

    @property
    def goals(self) -> list[Goal]:
        """Those of all rungs, from the lowest rung to the highest."""
        return [goal for rung in self.ladder for goal in rung.reached]

    def highest(self, names: Collection[str]) -> int:
        """The number of the highest rung among these names, from 1; 0 if the ladder has none of them."""
        return max((number for number, rung in enumerate(self.ladder, start=1) if rung.name in names), default=0)

    @cached_property
    def results(self) -> list[Parameter]:
        """The outputs that the reference returns: all but scratch memory."""
        return [output for output in self.signature.outputs if output.name not in self.scratch]

    @property
    def judged_cases(self) -> list[Case]:
        """All cases, the counted one last and once."""
        counted = self.counted_case or self.cases[-1]
        return [case for case in self.cases if case != counted] + [counted]

    def draw(self, choose: Callable[[Sequence[int]], int]) -> list[Case]:
        """The case of drawn sizes, if the task has one."""
        sizes: dict[str, Any] = {size: choose(values) for size, values in self.drawn.items()}
        return [Case(**sizes)] if sizes else []

    @property
    def timed_cases(self) -> list[Case]:
        """What `ladder bench` measures: the sweep, and last, once, the case of the timed goals."""
        timed = [self.timed_case] if self.timed_case else []
        return [case for case in self.bench_cases if case not in timed] + timed


def either(these: Sequence[int], those: Sequence[int]) -> list[int]:
    """For `drawn`: sizes of two kinds, each kind as likely as the other, however many sizes it has."""
    most = max(len(these), len(those))
    return [size for kind in (these, those) for size in most // len(kind) * list(kind)]


@dataclass(frozen=True)
class Lesson:
    """What a lessons/NN_name/lesson.py defines as `lesson`. Its stars are those of its weakest task, bonus aside."""

    title: str
    tasks: Sequence[Task]
    summary: str = ""  # one line for `ladder` and the README's table
    next_step: str = ""  # what to try after passing

    def task(self, name: str) -> Task:
        return next(task for task in self.tasks if task.name == name)


def check_lesson(lesson: Lesson) -> None:
    """Parses every prototype and computes every shape once, so that a slip shows here and not inside a grade.

    Raises ValueError, or what parsing raises.
    """
    if not lesson.tasks:
        raise ValueError("the lesson has no task")
    for task in lesson.tasks:
        if not task.cases:
            raise ValueError(f"{task.name} has no case")
        names = [buffer.name for buffer in task.signature.buffers]
        if unsaid := next((name for name in names if name not in task.shapes), None):
            raise ValueError(f"{task.name}: `shapes` does not say the shape of {unsaid}")
        scalars = [scalar.name for scalar in task.signature.scalars]
        drawn = task.draw(lambda values: values[0])
        cases = [*task.judged_cases, *task.timed_cases, *filter(None, [task.wide_case]), *drawn]
        for case in cases:
            missing = [name for name in scalars if name not in case.sizes]
            if missing:
                raise ValueError(f"{task.name}: Case({case.name}) gives no value for {', '.join(missing)}")
        check_shapes(task.shapes, names, [case.sizes for case in cases])
        _check_ladder(task)


def _check_ladder(task: Task) -> None:
    """Refuses rungs that could be neither found nor reached, and stars for none of them."""
    for goal in (*task.goals, *task.floor):
        against = goal.metric.removeprefix(SPEED_AGAINST)
        if isinstance(goal, Timed) and against != goal.metric and against not in task.baselines:
            raise ValueError(f"{task.name}: a goal is timed against {against}, which is none of its baselines")
    names = [rung.name for rung in task.ladder]
    for number, rung in enumerate(task.ladder, start=1):
        if names.count(rung.name) > 1:
            raise ValueError(f"{task.name}: two rungs are called {rung.name}")
        if number > 1 and not rung.reached:
            raise ValueError(f"{task.name}: rung {number}, {rung.name}, has no goal, and only the first needs none")
    for star, name in task.stars.items():
        if star not in (2, 3) or name not in names:
            raise ValueError(f"{task.name}: stars={{{star}: {name!r}}} is no star 2 or 3 of a rung of its ladder")
        if not task.ladder[names.index(name)].reached:
            raise ValueError(f"{task.name}: every right kernel would earn {star} stars, as rung {name} has no goal")
    if [*task.stars] != sorted(task.stars, key=lambda star: (task.highest([task.stars[star]]), star)):
        raise ValueError(f"{task.name}: the rung that earns more stars stands below the one that earns fewer")
