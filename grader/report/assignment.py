"""What a rung asks of those who begin it: the goals that tell it from the rung below."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from grader.course.lesson import Task
from grader.judge.verdict import TargetResult
from grader.report.terminal import DIM, HEAD
from grader.report.words import is_counted, target_words


def show_assignment(console: Console, task: Task, rung: int, goals: Sequence[TargetResult], stuck: str) -> None:
    """Prints what rung number `rung` asks for, and where one begins; `goals` are its own, not yet measured."""
    step = task.ladder[rung - 1]
    console.print(Text(f"Your turn: rung {rung} of {len(task.ladder)}, {step.title}: {step.idea}", HEAD))
    below = f"rung {rung - 1}, {task.ladder[rung - 2].title}" if rung > 1 else "the starter"
    first = "What it asks for:" if rung == 1 else f"What it asks for, besides all that rung {rung - 1} does:"
    console.print(f"The cell holds {below}: go on from there.")
    console.print(first)
    for counted, where in ((True, ""), (False, "on a GPU: ")):
        for goal in goals:
            if is_counted(goal) == counted:
                title, _, bound = target_words(goal)
                console.print(Text(f"  · {where}{title} {bound}"))
                console.print(Padding(Text(goal.why, DIM), (0, 0, 0, 4), expand=False))
    if not goals:
        console.print("  · right results")
    console.print(
        Text(f"Next: change the cell and run it; stuck? `{stuck}`. The course's kernel is folded below.", HEAD)
    )
