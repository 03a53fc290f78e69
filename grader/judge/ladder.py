"""Where a right kernel stands on its task's ladder: the rung that is reached, and the stars."""

from __future__ import annotations

from collections.abc import Sequence

from grader.course.lesson import Rung, Task, Timed
from grader.judge.verdict import Position, TargetResult


def climb(task: Task, results: Sequence[TargetResult], on_gpu: bool) -> Position:
    """The rung that a right kernel has reached, by the goals that its device judges (grader.course.lesson.Rung).

    Times that could not be taken neither give nor take. Of a task without a ladder: no rungs at all.
    """
    reached = 0
    for number, rung in enumerate(task.ladder, start=1):
        ours = [result for result, goal in zip(_of(number, results), rung.reached, strict=True)
                if isinstance(goal, Timed) == on_gpu]  # fmt: skip
        taken = [result for result in ours if result.value is not None or not on_gpu]
        if not all(result.met for result in taken):
            break
        if taken or (number == 1 and not ours):
            reached = number
    return position(task, reached, on_gpu)


def _of(rung: int, results: Sequence[TargetResult]) -> list[TargetResult]:
    return [result for result in results if result.rung == rung]


def position(task: Task, reached: int, on_gpu: bool) -> Position:
    """Rung number `reached` of the task's ladder, and the one above it."""
    rungs = task.ladder
    found = Position(reached, len(rungs))
    if reached:
        found.name, found.idea = rungs[reached - 1].name, rungs[reached - 1].idea
    if reached < len(rungs):
        following = rungs[reached]
        found.next, found.next_idea = following.name, following.idea
        found.next_is_told = is_told(following, on_gpu)
        above = enumerate(rungs[reached:], start=reached + 1)
        found.told = next((number for number, rung in above if is_told(rung, on_gpu)), 0)
    return found


def is_told(rung: Rung, on_gpu: bool) -> bool:
    """Whether it has a goal that a GPU judges, or the emulator: one that tells it from the rung below."""
    return any(isinstance(goal, Timed) == on_gpu for goal in rung.reached)


def stars_earned(task: Task, rung: int, on_gpu: bool) -> int:
    """Stars of a right kernel that has reached this rung: 1, or more from the rungs that `task.stars` names.

    Where a device cannot tell such a rung, the highest below it will do that it can, but none that earns fewer stars.
    """
    earned = 1
    for star, needed in star_rungs(task, on_gpu).items():
        if rung < needed:
            break
        earned = star
    return earned


def star_rungs(task: Task, on_gpu: bool) -> dict[int, int]:
    """By star, from the second, the number of the rung that earns it on this device; no more where it can tell none."""
    told = [number for number, each in enumerate(task.ladder, start=1) if is_told(each, on_gpu)]
    found: dict[int, int] = {}
    below = 0
    for star, name in sorted(task.stars.items()):
        top = task.highest([name])
        needed = below if top == below else max((number for number in told if below < number <= top), default=None)
        if needed is None:
            break
        found[star], below = needed, top
    return found


def most_stars(task: Task) -> int:
    """The most that the emulator can give for a task."""
    return stars_earned(task, len(task.ladder), on_gpu=False)


def is_below_floor(task: Task, results: Sequence[TargetResult], on_gpu: bool) -> bool:
    """Whether a goal of the task's floor is missed that this device judges. A time that could not be taken is not."""
    ours = [result for result, goal in zip(_of(0, results), task.floor, strict=True)
            if isinstance(goal, Timed) == on_gpu]  # fmt: skip
    return any(not result.met for result in ours if result.value is not None or not on_gpu)
