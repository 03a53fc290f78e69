"""For those who write lessons: the promises that every lesson keeps, and `ladder check-course`.

A rule is a function that looks at a lesson and yields a sentence for each promise it breaks: where, what, what to do.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from difflib import SequenceMatcher
from pathlib import Path

from grader.course import predictions
from grader.course.catalog import Entry, Puzzle, UsageError, rung_name
from grader.course.inline import inlined
from grader.course.lesson import Task
from grader.course.mistake import Mistake, expectation
from grader.course.work import tasks_in
from grader.faces import drafts
from grader.judge.ladder import is_told, most_stars
from grader.judge.targets import unknown_metric
from grader.judge.verdict import STATUSES, Grade, TaskGrade, falls_behind
from grader.report.story import as_read, story
from grader.report.words import is_counted

SEED = 20  # any, but always the same: with these inputs the rungs were counted on a GPU, too (benchmarks/fidelity)
HINTS = 3  # at most, of a rung; exactly, of a task without a ladder
ENOUGH_MISTAKES = 4
PUZZLE_HINTS, MOST_LINES, YOUR_TURN = 2, 5, "// your turn"
SAYS = re.compile(r"^// Says: (.+)$", re.MULTILINE)
BEGIN, END = "// >>> write your kernel here", "// <<<"

Rule = Callable[[Entry], Iterator[str]]


# ---- what is read ----


def one_place_to_write(entry: Entry) -> Iterator[str]:
    """The starter marks one place, from BEGIN to END."""
    lines = entry.starter.read_text().splitlines() if entry.starter.is_file() else []
    places = [number for number, line in enumerate(lines) if line in (BEGIN, END)]
    if [lines[number] for number in places] != [BEGIN, END]:
        yield f"{_path(entry.starter)}: one place to write is marked, from a line `{BEGIN}` to a line `{END}`"


def hints_for_every_rung(entry: Entry) -> Iterator[str]:
    """Each rung has one to three hints, and none is for a rung that is not there; a task without rungs has three,
    a puzzle two.
    """
    where, wanted = _path(entry.folder / "hints.md"), PUZZLE_HINTS if isinstance(entry, Puzzle) else HINTS
    for task in entry.lesson.tasks:
        names = [rung.name for rung in task.ladder]
        try:
            for name in names:
                if not 1 <= len(hints := entry.hints(task.name, name)) <= HINTS or not all(hints):
                    yield f"{where}: {name} of {task.name} wants `#### Hint 1`, and no more than {HINTS} hints"
            alone = [] if names else [text for text in entry.hints(task.name) if text]
            if not names and len(alone) != wanted:
                yield f"{where}: {task.name} has no ladder: write `### Hint 1` to `### Hint {wanted}`"
            elif not names and not isinstance(entry, Puzzle) and len(alone[-1]) <= len(alone[0]):
                yield f"{where}: the last hint for {task.name} is shorter than the first: it should say the most"
            for name in entry.hint_sections(task.name) if names else ():
                if name not in names:
                    yield f"{where}: {task.name} has no rung `{name}`: its ladder has {', '.join(names)}"
        except UsageError as error:
            yield str(error)


def one_prototype(entry: Entry) -> Iterator[str]:
    """Starter, rungs, README and mistakes declare each task as lesson.py does; but a mistake may lack it on purpose.

    A bonus task is declared where it begins, and in the README. One sentence tells all files that do not.
    """
    readme = entry.folder / "README.md"
    files = [file for file in (entry.starter, *entry.rungs, readme) if file.is_file()]
    sources = [(file, inlined(file), tasks_in(file, entry)) for file in files]
    whole = [(mistake.whole, mistake.text(), mistake.tasks) for mistake in _readable(entry)]
    sources += [each for each in whole if expectation(each[1])[0] != "missing_entry_point"]
    for task in entry.lesson.tasks:
        prototype, without = f'extern "C" {task.prototype}', []
        for file, source, meant in sources:
            if task.name not in (meant or [task.name]) or (task.bonus and file != readme and task.name not in source):
                continue
            if re.sub(r"\s+", "", prototype) not in re.sub(r"\s+", "", source):
                without.append(_path(file))
        if without:
            yield f"{', '.join(without)}: here should stand, as in lesson.py, `{prototype}`"


def rungs_are_numbered(entry: Entry) -> Iterator[str]:
    """Files and their first lines count 1, 2, 3 without a gap, in each folder."""
    if not entry.rungs:
        yield f"kernels/{entry.name}: there is no rung: write 1_name.cu, the simplest kernel that is right"
    for folder in dict.fromkeys(rung.parent for rung in entry.rungs):
        rungs = [rung for rung in entry.rungs if rung.parent == folder]
        for number, rung in enumerate(rungs, start=1):
            head = f"// Rung {number} of {len(rungs)}: "
            if not rung.name.startswith(f"{number}_"):
                yield f"{_path(rung)}: this is rung {number}: call it {number}_{rung.name.partition('_')[2]}"
            if not rung.read_text().startswith(head):
                yield f"{_path(rung)}: the first line should begin with `{head}` and name the idea"


def ladders_and_files_agree(entry: Entry) -> Iterator[str]:
    """Each rung of a ladder has a kernel, in the order of the files, and each kernel is a rung of some task."""
    where, known = _path(entry.folder / "lesson.py"), {task.name: task for task in entry.lesson.tasks}
    for task in known.values():
        files = [rung_name(rung) for rung in entry.rungs_of(task.name)]
        names = [rung.name for rung in task.ladder]
        place = f"kernels/{entry.name}/{f'{task.name}/' if (entry.kernels / task.name).is_dir() else ''}"
        for name in names:
            if name not in files:
                yield f"{where}: rung {name} of {task.name} has no kernel: write {place}N_{name}.cu"
        if (there := [name for name in names if name in files]) != sorted(there, key=files.index):
            yield f"{where}: the rungs of {task.name} stand in another order than their files"
    for rung in entry.rungs:
        only, name = entry.task_of(rung), rung_name(rung)
        if only and only not in known:
            yield f"{_path(rung)}: lesson.py has no task `{only}`, as the folder says: it has {', '.join(known)}"
        elif not any(rung in entry.rungs_of(task.name) and task.highest([name]) for task in known.values()):
            yield f"{_path(rung)}: no ladder in lesson.py has a rung {name}"


def reference_holds_the_top_rungs(entry: Entry) -> Iterator[str]:
    """Where tasks have folders, all.cu includes the highest rung of each."""
    tops = [rungs[-1] for task in entry.lesson.tasks if task.ladder and (rungs := entry.rungs_of(task.name))]
    whole = entry.reference
    for top in tops if whole.name == "all.cu" else ():
        include = f'#include "{top.relative_to(entry.kernels).as_posix()}"'
        if include not in whole.read_text().splitlines():
            yield f"{_path(whole)}: here should stand `{include}`, the highest rung, in a namespace of its own"


def goals_are_counted(entry: Entry) -> Iterator[str]:
    """Each counted goal asks for something that the emulator counts."""
    for task in entry.lesson.tasks:
        if unknown := unknown_metric(task):
            yield f"{_path(entry.folder / 'lesson.py')}: {unknown}"


def readme_names_every_rung(entry: Entry) -> Iterator[str]:
    """The page of the lesson names each rung's file, with the task's folder if there is one."""
    readme = entry.folder / "README.md"
    if not readme.is_file():
        yield f"{_path(readme)}: there is none: write what the lesson is about"
        return
    text = readme.read_text()
    for rung in entry.rungs:
        name = rung.relative_to(entry.kernels).as_posix() if entry.task_of(rung) else rung.name
        if f"`{name}`" not in text:
            yield f"{_path(readme)}: say what `{name}` does"


def mistakes_fit_their_base(entry: Entry) -> Iterator[str]:
    """Each difference can be made a whole file, and no two mistakes have one name."""
    names = [mistake.name for mistake in entry.mistakes]
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"{_path(entry.folder / 'mistakes')}: {name} is there twice: remove the .cu file or the .diff"
    for mistake in entry.mistakes:
        try:
            mistake.text()
        except UsageError as error:
            yield str(error)


def _readable(entry: Entry) -> Iterator[Mistake]:
    """The mistakes that `mistakes_fit_their_base` has nothing to say about."""
    for mistake in entry.mistakes:
        with suppress(UsageError):
            mistake.text()
            yield mistake


def mistakes_say_what_they_are(entry: Entry) -> Iterator[str]:
    """Two lines at the head: a sentence, and the status to expect."""
    if not entry.mistakes:
        yield f"{_path(entry.folder / 'mistakes')}: there is none: write down what people get wrong, each in a file"
    for mistake in entry.mistakes:
        first, second, *_ = [*mistake.head, "", ""]
        if not re.fullmatch(r"// [A-Z0-9a-z].*\.", first):
            yield f"{_path(mistake.file)}: the first line is a comment, one sentence that says what is wrong"
        if not second.startswith("// Expect: ") or expectation(second)[0] not in STATUSES:
            yield f"{_path(mistake.file)}: the second line is `// Expect: ` and a status, as `race` or `passed, 1 star`"


def one_hole(puzzle: Entry) -> Iterator[str]:
    """The solution fills a hole of the starter, and is the starter otherwise; both begin with the same line."""
    starter, solution = (file.read_text().splitlines() for file in (puzzle.starter, puzzle.reference))
    if not re.match(rf"// Puzzle {puzzle.number} of \d+, {puzzle.slug}: ", starter[0]) or starter[0] != solution[0]:
        begin = f"`// Puzzle {puzzle.number} of …, {puzzle.slug}: `"
        yield f"{_path(puzzle.starter)}: starter and solution begin with one line, {begin} and what it is about"
    before, after = ([line for line in lines if not line.startswith("//")] for lines in (starter, solution))
    edits = [edit for edit in SequenceMatcher(None, before, after, autojunk=False).get_opcodes() if edit[0] != "equal"]
    removed = before[edits[0][1] : edits[-1][2]] if edits else []
    added = after[edits[0][3] : edits[-1][4]] if edits else []
    if not any(YOUR_TURN in line for line in removed) or not 0 < len(added) <= MOST_LINES:
        yield f"{_path(puzzle.starter)}: one hole with a line `{YOUR_TURN}: …` should become 1 to {MOST_LINES} lines"


def there_is_a_mistake(puzzle: Entry) -> Iterator[str]:
    """At least one, with what must be said of it."""
    if not puzzle.mistakes:
        yield f"{_path(puzzle.folder / 'mistakes')}: there is none for {puzzle.slug}: `// Expect: … in {puzzle.slug}`"


FORM: tuple[Rule, ...] = (
    one_place_to_write,
    hints_for_every_rung,
    one_prototype,
    rungs_are_numbered,
    ladders_and_files_agree,
    reference_holds_the_top_rungs,
    goals_are_counted,
    readme_names_every_rung,
    mistakes_fit_their_base,
    mistakes_say_what_they_are,
    predictions.faults,
)


FORM_OF_PUZZLES: tuple[Rule, ...] = (
    one_hole,
    there_is_a_mistake,
    hints_for_every_rung,
    one_prototype,
    goals_are_counted,
    readme_names_every_rung,
)


def form(entry: Entry) -> tuple[Rule, ...]:
    """The rules for what is read of a lesson, of a puzzle, or of a lesson with puzzles."""
    if isinstance(entry, Puzzle):
        return FORM_OF_PUZZLES
    return (mistakes_fit_their_base, mistakes_say_what_they_are, predictions.faults) if entry.puzzles else FORM


def wishes(entry: Entry) -> Iterator[str]:
    """What a finished lesson has, and a young one may lack."""
    if len(entry.mistakes) < ENOUGH_MISTAKES:
        yield f"lessons/{entry.name}/mistakes: {ENOUGH_MISTAKES} are better than {len(entry.mistakes)}"
    yield from drafts.unwritten(entry)
    if not entry.notebook.is_file() and not entry.puzzles:
        yield f"{_path(entry.notebook)}: there is no notebook yet"


# ---- what is graded, on the emulator ----


def starter_does_not_pass(entry: Entry) -> Iterator[str]:
    """It builds, and something is left to do."""
    result = _grade(entry, entry.starter)
    if result.status in ("passed", "build_error", "missing_entry_point", "not_emulated"):
        yield f"a starter should build and not pass\n{story(result)}"


def reference_earns_all_stars(entry: Entry) -> Iterator[str]:
    """All that can be counted, those of a bonus task as well."""
    result = _grade(entry, entry.reference)
    earned = {task.name: task.stars for task in result.tasks}
    short = [task.name for task in entry.lesson.tasks if task.bonus and earned.get(task.name, 0) < most_stars(task)]
    if (result.status, result.stars) != ("passed", full_stars(entry)) or short:
        yield f"the highest rung should pass with {full_stars(entry)} stars, and a bonus with its own\n{story(result)}"


def rungs_are_reached(entry: Entry) -> Iterator[str]:
    """All of them."""
    for rung in entry.rungs:
        yield from rung_is_reached(entry, rung)


def rung_is_reached(entry: Entry, file: Path) -> Iterator[str]:
    """It passes, and in each task it reaches its own rung and not the next one."""
    result = _grade(entry, file)
    if not result.passed:
        yield f"every rung should pass\n{story(result)}"
        return
    for found in result.tasks:
        task = entry.lesson.task(found.name)
        if file in entry.rungs_of(task.name) and (number := task.highest([rung_name(file)])):
            yield from _stands_on(_path(file), task, found, number)


def _stands_on(where: str, task: Task, found: TaskGrade, number: int) -> Iterator[str]:
    """What is wrong if a rung's kernel does not stand where it should: on its rung, or below if none can tell it."""
    here, should = found.position.rung, told_as(task, number)
    kernel = f"{where}: rung {number} of {task.name}, {task.ladder[number - 1].name},"
    if here < should:
        missed = [goal for goal in found.targets if goal.rung == here + 1 and is_counted(goal) and not goal.met]
        said = "; ".join(f"{goal.metric} is {goal.value}, {goal.goal} is asked" for goal in missed)
        yield f"{kernel} misses rung {here + 1}, {task.ladder[here].name}: {said}"
    elif here > should:
        goals = ", ".join(goal.metric for goal in found.targets if goal.rung == here and is_counted(goal))
        yield f"{kernel} meets all goals of rung {here}, {task.ladder[here - 1].name}, too: {goals}"


def told_as(task: Task, number: int) -> int:
    """The highest rung up to this number that the emulator can tell from the one below it; the first is right alone."""
    return max(at for at, rung in enumerate(task.ladder[:number], start=1) if at == 1 or is_told(rung, on_gpu=False))


def untold(entry: Entry) -> Iterator[str]:
    """The rungs that only a GPU can tell from the ones below: no broken promise, but nothing is proven of them."""
    for task in entry.lesson.tasks:
        for number, rung in enumerate(task.ladder, start=1):
            if told_as(task, number) != number:
                yield f"rung {number} of {task.name}, {rung.name}: told apart on a GPU only"


def mistakes_are_told(entry: Entry) -> Iterator[str]:
    """All of them."""
    for mistake in _readable(entry):
        yield from mistake_is_told(entry, mistake)


def mistake_is_told(entry: Entry, mistake: Mistake) -> Iterator[str]:
    """It gets the status and the stars of its head, what that promises is said, and if it passes, its base does better.

    Raises UsageError.
    """
    text = mistake.text()
    status, stars = expectation(text)
    result = _grade(entry, mistake.whole, mistake.tasks, text)
    if (result.status, result.stars) != (status, stars):
        yield f"its head says `{status}`, {stars} stars\n{story(result)}"
    elif (says := SAYS.search(text)) and says[1] not in as_read(result, text):
        yield f"{_path(mistake.file)}: its head promises that `{says[1]}` is said\n{as_read(result, text)}"
    elif result.passed and mistake.base:
        base = _grade(entry, mistake.base, mistake.tasks, by_counts=True)  # whose targets are all that is looked at
        if not falls_behind(result, base):
            yield f"it meets all targets that {base.kernel} meets, so it is no mistake\n{story(result)}"


GRADED: tuple[Rule, ...] = (starter_does_not_pass, reference_earns_all_stars, rungs_are_reached, mistakes_are_told)


def graded(entry: Entry) -> tuple[Rule, ...]:
    """The rules for what is graded. Of a lesson with puzzles all solutions together, for that takes one build."""
    if isinstance(entry, Puzzle):
        return starter_does_not_pass, mistakes_are_told
    return (reference_earns_all_stars,) if entry.puzzles else GRADED


def problems(entry: Entry, rules: tuple[Rule, ...] | None = None) -> Iterator[str]:
    """Every broken promise. Of a lesson that cannot be read at all, the one sentence that says why."""
    try:
        for rule in form(entry) + graded(entry) if rules is None else rules:
            yield from rule(entry)
    except (UsageError, OSError, UnicodeError) as error:
        yield str(error)


def check(entry: Entry, tell: Callable[[str], None], *, only_form: bool = False) -> bool:
    """Tells what is wrong with a lesson, and what it lacks; True if it keeps all promises.

    Nothing is graded until all is well that can be read: it would say the same once more.
    """
    parts = [entry, *entry.puzzles]
    found = list(dict.fromkeys(said for part in parts for said in problems(part, form(part))))
    if is_graded := not (found or only_form):
        found = [said for part in parts for said in problems(part, graded(part))]
    steps = f"puzzles: {len(entry.puzzles)}" if entry.puzzles else f"rungs: {len(entry.rungs)}"
    counts = f"{steps}, mistakes: {len(entry.mistakes)}"
    tell(f"{entry.name}: {len(found)} to mend" if found else f"{entry.name}: all is well ({counts})")
    for sentence in found:
        tell(f"  {sentence}".replace("\n", "\n    "))
    if not (is_graded or only_form):
        tell("  No kernel was graded: mend this first.")
    for sentence in [*([] if found else untold(entry)), *(f"to come: {said}" for said in wishes(entry))]:
        tell(f"  {sentence}")
    return not found


def full_stars(entry: Entry) -> int:
    """The most that the emulator can give: a lesson's stars are those of its weakest task, bonus tasks apart."""
    return min(most_stars(task) for task in entry.lesson.tasks if not task.bonus)


def _grade(
    entry: Entry, file: Path, tasks: list[str] | None = None, source: str | None = None, by_counts: bool = False
) -> Grade:
    from grader.grade import grade

    return grade(entry, file, device="emulator", seed=SEED, tasks=tasks, source=source, by_counts=by_counts)


def _path(file: Path) -> str:
    """From the course's root on: lessons/01_vector_add/hints.md."""
    parts = file.parts
    start = max((at for at, part in enumerate(parts) if part in ("lessons", "kernels", "notebooks")), default=0)
    return "/".join(parts[start:])
