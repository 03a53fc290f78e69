"""The whole story on one page: build a kernel, run it, judge what it left, weigh that into a grade.

inputs from a secret seed -> shared memory -> worker (builds and runs, gives evidence) -> judge -> Grade

On a GPU the worker goes on, once all is right: the judge has it run the kernel again and again, and times it, while the
emulator looks for faults that do not show (second_look.py).
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.course import catalog
from grader.course.call import Call, graded_calls
from grader.course.catalog import Entry, UsageError
from grader.course.choose import choose_tasks, count_at, is_there
from grader.course.files import shown_path
from grader.course.lesson import Task
from grader.course.work import read_kernel, tasks_in
from grader.devices.build.lexer import hidden_numbers, whole_numbers
from grader.devices.evidence import Evidence
from grader.devices.submission import Device as Device
from grader.devices.submission import Progress, Submission, choose_card, run, second_server, start_server
from grader.judge.targets import unknown_metric
from grader.judge.verdict import Grade, Speed, TaskGrade, sum_up

if TYPE_CHECKING:
    from torch import Tensor

    from grader.devices.buffers import Arena
    from grader.devices.worker.job import Cancel, Dialogue, Gpu, Level
    from grader.judge.compare import Expected, Prepared
    from grader.judge.second_look import SecondLook
    from grader.judge.timing.speed import SpeedTest
    from grader.judge.timing.turn import Turn


def grade(
    lesson: str | Entry,
    kernel: Path | None = None,
    *,
    reference: bool = False,
    device: Device = "auto",
    tasks: Sequence[str] | None = None,
    counted: str | None = None,
    alone: bool = False,
    with_checks: bool = True,
    seed: int | None = None,
    source: str | None = None,
    emulator: bool = True,
    print_threads: bool = False,
    sandbox: Level | None = None,
    by_counts: bool = False,
    samples: dict[str, Any] | None = None,
    on_progress: Progress = lambda what: None,
    cancel: Cancel | None = None,
) -> Grade:
    """Grades one kernel file: `kernel`, else the lesson's reference if asked for, else the learner's work file.

    `tasks` names those to grade, by default all of them, or the one that a kernel of the course is about; `counted`
    names the case whose counters are kept, instead of the lesson's choice; if it is to run `alone`, no other case does.
    Without `with_checks` the emulator makes no checking build: for who wants counters, and no verdict.
    The same `seed` draws the same inputs again.
    `source` is the file's text, if the caller has it. Without the `emulator` a GPU's word is all there is. With
    `print_threads` each line that an emulated kernel prints begins with its block and thread. `sandbox` says how far
    the kernel is confined (None: as LADDER_SANDBOX says, else "basic"). Stars are `by_counts` alone where that is asked
    for, or one case is looked at; else a card's model may withhold some (withheld.py), and what was sampled for that is
    put into `samples`, by task. Raises UsageError, one sentence, if there is nothing to grade, and Cancelled once
    `cancel` is set; whatever is wrong with the kernel itself is in the Grade.
    """
    start = time.perf_counter()
    entry = lesson if isinstance(lesson, Entry) else catalog.find(lesson)
    file = kernel or (entry.reference if reference else entry.work_file)
    source = read_kernel(file, entry) if source is None else source
    chosen = _chosen(entry, file, source, tasks, counted, alone)
    server = start_server()  # gets ready while this process imports torch
    card = choose_card(device)
    _check_options(card is not None, emulator, print_threads)
    submission = Submission(
        source, file, entry.lesson.tasks, server, secrets.randbits(31) if seed is None else seed, on_progress, card,
        cancel, second_server() if card and emulator else None, print_threads, with_checks, sandbox,
    )  # fmt: skip
    if card or by_counts or counted or alone:
        results = [grade_task(task, submission) for task in chosen]
    else:
        results = _graded_with_a_model(entry, chosen, submission, {} if samples is None else samples)
    return _in_all(entry, submission, results, start)


def _chosen(
    entry: Entry, file: Path, source: str, named: Sequence[str] | None, counted: str | None, alone: bool
) -> list[Task]:
    """The tasks to grade, with the case that is to be counted. Raises UsageError."""
    named = named or tasks_in(file, entry)
    chosen = [count_at(task, counted) if counted else task for task in choose_tasks(entry, named)]
    if alone:
        chosen = [replace(task, cases=(), counted_case=task.judged_cases[-1], drawn={}) for task in chosen]
    chosen = [task for task in chosen if named or not task.bonus or is_there(task, source)]
    if unknown := next(filter(None, map(unknown_metric, chosen)), ""):
        raise UsageError(f"{entry.folder.name}/lesson.py: {unknown}")
    return chosen


def _check_options(on_gpu: bool, emulator: bool, print_threads: bool) -> None:
    """Raises UsageError where two options do not go together."""
    if not on_gpu and not emulator:
        raise UsageError("--no-emulator is for a grade on a GPU: leave it out, as there is none or you want none")
    if on_gpu and print_threads:
        raise UsageError("--print-threads is for the emulator, which knows who prints: add --device emulator")


def _graded_with_a_model(
    entry: Entry, tasks: Sequence[Task], submission: Submission, samples: dict[str, Any]
) -> list[Result]:
    """Grades without those stars that a card's model withholds, and notes what was sampled for that."""
    from grader.model.withheld import Ahead, withhold

    with Ahead(entry, tasks, submission) as ahead:
        submission = replace(submission, on_late=ahead.begin)
        results = [grade_task(task, submission) for task in tasks]
        for task, result in zip(tasks, results, strict=True):
            sample = withhold(entry, task, submission, result.grade, result.evidence, ahead)
            if sample is not None:
                samples[task.name] = sample
    return results


def _in_all(entry: Entry, submission: Submission, results: Sequence[Result], start: float) -> Grade:
    """The grade of all tasks together, begun at the time `start`."""
    card, evidence = submission.card, [result.evidence for result in results]
    status, stars = sum_up([result.grade for result in results])
    return Grade(
        lesson=entry.name,
        kernel=shown_path(submission.file),
        device=card.to_json() if card else {"kind": "emulator", "name": "emulated GPU"},
        status=status,
        stars=stars,
        seed=submission.seed,
        tasks=[result.grade for result in results],
        sandbox=next((each.sandbox for each in evidence if each.sandbox), {}),
        seconds={
            "build": sum(each.build.seconds for each in evidence if each.build),
            "run": sum(run.seconds for each in evidence for run in each.cases),
            "total": time.perf_counter() - start,
        },
        several=len(entry.lesson.tasks) > 1,
    )


# ---- one task ----


@dataclass(frozen=True)
class Result:
    """A task's grade, and the evidence it was formed from."""

    grade: TaskGrade
    evidence: Evidence


def grade_task(task: Task, submission: Submission) -> Result:
    """Runs one task in a worker of its own, so that its crash takes no other task along, and judges it.

    What imports torch is imported in the thread, or later: that takes as long as a build, which goes on beside it.
    """
    from grader.devices.buffers import Arena
    from grader.devices.build.conditions import conditions_of

    source = submission.source
    numbers = whole_numbers(source) | hidden_numbers(source)
    calls = graded_calls(task, submission.seed, numbers, conditions_of(source))
    with Arena.of(calls) as arena, second_look(calls, submission) as look, ThreadPoolExecutor(1) as thread:
        inputs = thread.submit(_fill, calls, arena, submission.seed)  # while the worker builds
        expected = thread.submit(lambda: _expect(calls, inputs.result()))

        def prepared() -> list[Prepared]:
            from grader.judge.compare import Prepared

            return [
                Prepared(*each) for each in zip(calls, arena.cases, inputs.result(), expected.result(), strict=True)
            ]

        with turn_of(submission) as turn, speed_test(task, submission, turn, thread) as speed:

            def begin() -> None:
                inputs.result()
                if turn:
                    turn.take()

            def deserves_timing(found: Evidence) -> bool:
                from grader.judge.weigh import judge_cases

                submission.on_progress(f"timing {task.name}")
                grades = judge_cases(prepared(), found, on_gpu=True)
                if any(grade.status != "passed" for grade in grades):
                    return False
                if look:
                    look.begin()
                return speed is None or speed.is_prepared()

            gpu = gpu_job(submission, speed, deserves_timing, turn)
            enough = None if gpu else lambda found: _is_any_wrong(prepared(), found)
            evidence = run(calls, arena, submission, gpu, inputs=begin, enough=enough)
        from grader.judge.weigh import judge_task

        result = judge_task(task, prepared(), evidence, speed_of(submission, speed))
        result.bonus = task.bonus
        if look:
            look.conclude(result)
        return Result(result, evidence)


def _is_any_wrong(prepared: Sequence[Prepared], found: Evidence) -> bool:
    from grader.judge.weigh import is_any_wrong

    return is_any_wrong(prepared, found)


def _fill(calls: Sequence[Call], arena: Arena, seed: int) -> list[dict[str, Tensor]]:
    from grader.judge.inputs import fill_all

    return fill_all(calls, arena, seed)


def _expect(calls: Sequence[Call], inputs: Sequence[dict[str, Tensor]]) -> list[dict[str, Expected]]:
    from grader.judge.compare import expect_all

    return expect_all(calls, inputs)


@contextmanager
def turn_of(submission: Submission) -> Iterator[Turn | None]:
    """The submission's turn on its GPU, to be taken once there is something to run; None for the emulator."""
    if not submission.card:
        yield None
        return
    from grader.judge.timing.turn import turn_on

    with turn_on(submission.card, submission.on_progress, submission.cancel) as turn:
        yield turn


@contextmanager
def speed_test(task: Task, submission: Submission, turn: Turn | None, thread: Executor) -> Iterator[SpeedTest | None]:
    """The judge's part in timing a task on a GPU, prepared in this thread; None where there is nothing to time.

    Frees the GPU's memory.
    """
    if not submission.card or not turn or not task.timed_case:
        yield None
        return
    from grader.judge.timing.speed import SpeedTest

    test = SpeedTest(task, submission.card, submission.seed)
    preparing = test.begin(thread, turn.take)
    try:
        yield test
    finally:
        turn.give_up()
        wait([preparing])
        test.close()


@contextmanager
def second_look(calls: Sequence[Call], submission: Submission) -> Iterator[SecondLook | None]:
    """The emulator's part in a grade on a GPU; None where the emulator is all that there is."""
    if not submission.card:
        yield None
        return
    from grader.judge.second_look import SecondLook

    look = SecondLook(calls, submission)
    try:
        yield look
    finally:
        look.close()


def speed_of(submission: Submission, test: SpeedTest | None) -> Speed | None:
    """What timing has found, nothing if the lesson times nothing; None for the emulator, which cannot time."""
    if not submission.card:
        return None
    return test.speed if test else Speed()


def gpu_job(
    submission: Submission, speed: SpeedTest | None, is_right: Callable[[Evidence], bool], turn: Turn | None
) -> Gpu | None:
    """What a job needs to run on the submission's GPU; None for the emulator."""
    from grader.devices.worker.job import Gpu

    if not submission.card or not turn:
        return None
    take_turn = None if turn.take_if_free() else turn.take
    if not speed:
        return Gpu(submission.card.architecture, take_turn=take_turn)

    def dialogue(found: Evidence) -> Dialogue:
        return speed.dialogue(lambda: is_right(found))

    return Gpu(submission.card.architecture, speed.call.name, speed.call.scalars, dialogue, take_turn)
