"""What a notebook asks of its learner, and what it answers: predictions, and the rungs that one writes in a cell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.course import predictions, progress, work
from grader.course.catalog import Entry, UsageError
from grader.course.choose import choose_rung, choose_tasks
from grader.course.inline import inlined
from grader.course.predictions import Prediction
from grader.faces.lookup import find_lesson

if TYPE_CHECKING:
    from grader.course.lesson import Task
    from grader.judge.verdict import Grade
    from grader.report.pages import Page, Prose

# ---- predictions ----


def predict(question: str, choice: str | None = None) -> Prose:
    """Asks a question of the lesson, `predict("01.3")`, or notes what you answer, `predict("01.3", "b")`.

    The first answer counts. Raises UsageError.
    """
    from grader.report.pages import Prose

    entry, asked = predictions.find(question)
    done = progress.load(entry.root)
    if choice is not None:
        letter = choice.strip().lower() if isinstance(choice, str) else choice
        if letter not in asked.choices:
            last = list(asked.choices)[-1]
            raise UsageError(f'`{choice}` is no answer to {asked.label}: type a letter from "a" to "{last}"')
        done = progress.predict(entry.root, entry.name, asked.number, letter)
    said = done.predictions(entry.name).get(asked.number)
    lines = [f"- **{letter}** · {text}{' ←' if letter == said else ''}" for letter, text in asked.choices.items()]
    parts = [f"**Predict {asked.label}.** {asked.ask}", "\n".join(lines), _noted(asked, said, choice), done.message]
    return Prose("\n\n".join(filter(None, parts)))


def _noted(asked: Prediction, said: str | None, choice: str | None) -> str:
    if said is None:
        return f'*Write your letter into the cell, `predict("{asked.label}", "a")`, and run it again.*'
    kept = choice is not None and choice.strip().lower() != said
    return f"*Your first answer counts: **{said}**.*" if kept else f"*Your answer is noted: **{said}**.*"


def answer(question: str) -> Prose:
    """What is right, and why: beside your prediction, or folded if there is none. Raises UsageError."""
    from grader.report.pages import Prose

    entry, asked = predictions.find(question)
    done = progress.load(entry.root)
    said = done.predictions(entry.name).get(asked.number)
    why = f"**{asked.right}** · {asked.choices[asked.right]}\n\n{asked.why}"
    if said is None:
        summary = f"Answer to {asked.label}: predict first, your prediction counts"
        return Prose(f"<details><summary>{summary}</summary>\n\n{why}\n\n</details>")
    right, told, every = predictions.score(entry, done)
    verdict = "you were right." if said == asked.right else f"not **{said}**, as you said."
    tally = f"*Predictions in lesson {entry.label}: {right} of {told} right so far; it asks {every}.*"
    return Prose(f"**Answer to {asked.label}:** {verdict}\n\n{why}\n\n{tally}")


# ---- rungs ----


def solution(lesson: str | int, rung: int, task: str | None = None) -> Page:
    """The course's kernel for a rung, folded until you have reached it. Raises UsageError."""
    from grader.report.pages import code, folded

    entry = find_lesson(lesson)
    asked = _task(entry, task, rung)
    step = asked.ladder[choose_rung(asked, rung, ()) - 1]
    file = entry.rung_file(asked.name, step.name)
    reached = asked.highest(progress.load(entry.root).rungs(entry.name, asked.name)) >= rung
    title = f"The course's rung {rung}, {step.title}: {step.idea}"
    return folded(title, code(inlined(file), str(file.relative_to(entry.root)), "cuda"), is_open=reached)


def _task(entry: Entry, name: str | None, rung: int) -> Task:
    names = [task.name for task in entry.lesson.tasks if not task.bonus]
    if name is None and len(names) > 1:
        call = f'solution("{entry.label}", {rung}, task="{names[0]}")'
        raise UsageError(f"say for which task: `{call}` (or {', '.join(names[1:])})")
    return choose_tasks(entry, [name or names[0]])[0]


def starting_point(entry: Entry, task: Task, rung: int) -> str:
    """The text from which a learner writes a rung: the rung below, or the starter for the first. Raises UsageError."""
    return inlined(work.below(entry, task, rung))


def turn(entry: Entry, task: Task, rung: int) -> Page:
    """What a rung asks for, to those whose cell is as they found it."""
    from grader.judge.targets import judge_goal
    from grader.report.assignment import show_assignment
    from grader.report.pages import page

    goals = [judge_goal(goal, {}, None) for goal in task.ladder[rung - 1].reached]
    stuck = f"%hint {entry.label}{_task_option(entry, task)} --rung {rung}"
    return page(lambda console: show_assignment(console, task, rung, goals, stuck))


def after(entry: Entry, task: Task, rung: int, grade: Grade) -> str:
    """What to do after a cell for a rung was graded."""
    from grader.judge.ladder import is_told
    from grader.report.words import is_timed

    options, step = f"{_task_option(entry, task)} --rung {rung}", task.ladder[rung - 1]
    stuck = f"stuck? `%hint {entry.label}{options}`"
    if not grade.passed:
        return f"change the cell and run it again; {stuck}"
    if grade.tasks[0].position.rung >= rung:
        return f"rung {rung} is reached: the course's is folded below, compare yours with it"
    if not is_told(step, is_timed(grade)):
        device = "emulator" if is_timed(grade) else "cuda"
        there = "the emulator" if is_timed(grade) else "a GPU"
        return (
            f"rung {rung}, {step.title}, is told on {there} only, `%%kernel {entry.label}{options} --device {device}`"
        )
    return f"the ✗ say what rung {rung}, {step.title}, still lacks; {stuck}"


def _task_option(entry: Entry, task: Task) -> str:
    return f" --task {task.name}" if len(entry.lesson.tasks) > 1 else ""
