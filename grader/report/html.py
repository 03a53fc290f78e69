"""Grades as one page for a browser: verdicts, the source with findings and counters, targets, figures.

The page needs nothing but itself: no script, no network (it forbids itself both), light or dark as the reader's system
is, and as wide or narrow as the window. Whatever comes from a submission passes `text`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from grader.devices.evidence import Finding
from grader.judge.advice import advise, all_sectors, reuse
from grader.judge.verdict import CaseGrade, Grade, TaskGrade, decisive, status_of
from grader.report import charts
from grader.report.advice import advice
from grader.report.explain import COLUMNS, by_line
from grader.report.graded import Graded
from grader.report.messages import TITLES, read_about
from grader.report.tokens import coloured
from grader.report.words import (
    BY_LUCK,
    FULL_MARKS,
    all_right,
    bar,
    call,
    footer,
    harmless,
    has_stars,
    how_many_fail,
    is_counted,
    is_timed,
    lowest_rung,
    next_rung,
    particulars,
    resources,
    rung_words,
    scene,
    target_words,
    telling_case,
    timing,
)

STYLE = Path(__file__).with_name("page.css")
NOTHING_ELSE = "default-src 'none'; style-src 'unsafe-inline'"  # what the page lets itself load
OUTPUT_LINES = 40
WORST = 3  # lines that get advice

Notes = dict[int, list[tuple[str, str]]]  # by line: "bad", "note" or "tip", and what is said


def dumps(graded: Sequence[Graded]) -> str:
    """The whole page."""
    alone = len(graded) == 1
    title = f"Kernel Ladder: {graded[0].lesson}" if alone else "Kernel Ladder: grades"
    sections = [_section(each, number) for number, each in enumerate(graded, start=1)]
    return whole_page(title, sections if alone else [_overview(graded), *sections])


def whole_page(title: str, body: Sequence[str]) -> str:
    """A page of these parts, which are HTML already."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{NOTHING_ELSE}">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{text(title)}</title>\n<style>\n{STYLE.read_text()}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(body)
        + "\n<footer>Made by <code>ladder check</code>. The emulator counts what a GPU would do, "
        "and says nothing about how long that takes; times are a GPU's.</footer>\n</main>\n</body>\n</html>\n"
    )


def text(anything: object) -> str:
    """Any text as HTML that shows it and does nothing."""
    return escape(harmless(str(anything)))


def prose(sentence: str) -> str:
    """The same for a sentence of the grader's, with what stands between backticks as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", text(sentence))


# ---- one kernel ----


def _earned(graded: Graded) -> int:
    return graded.grade.stars if graded.grade else 0


def _overview(graded: Sequence[Graded]) -> str:
    rows = [
        f'<tr><td>{_mark(each.good)}</td><td><a href="#k{number}">{text(each.lesson)}</a></td>'
        f"<td>{text(each.kernel)}</td><td>{text(_verdict(each))}</td><td>{star_row(_earned(each))}</td>"
        f"<td>{text(lowest_rung(each.grade)) if each.grade else ''}</td></tr>"
        for number, each in enumerate(graded, start=1)
    ]
    right, stars = sum(each.good for each in graded), sum(map(_earned, graded))
    said = f"{right} of {len(graded)} kernels pass · {stars} of {FULL_MARKS * len(graded)} stars"
    head = "<tr><th></th><th>lesson</th><th>kernel</th><th>verdict</th><th>stars</th><th>rung</th></tr>"
    table = f'<table class="plain"><thead>{head}</thead><tbody>{"".join(rows)}</tbody></table>'
    return f"<header><h1>Kernel Ladder</h1><p>{said}</p></header>\n{table}"


def _verdict(graded: Graded) -> str:
    if not graded.grade:
        return "not graded"
    return TITLES[graded.grade.status] + (
        ", not as its hand-in claims" if graded.again and not graded.again.stands else ""
    )


def _section(graded: Graded, number: int) -> str:
    """All about one kernel. Its tasks share a file, which stands below them."""
    grade = graded.grade
    stars = star_row(grade.stars) if grade and grade.passed and has_stars(grade) else ""
    head = (
        f'<section class="kernel" id="k{number}"><h2>{_mark(graded.good)} {text(graded.lesson)}: '
        f"{text(_verdict(graded))} {stars}</h2>"
    )
    facts = [text(graded.title)] if graded.title else []
    facts += [f"<code>{text(graded.kernel)}</code>"] + ([text(footer(grade))] if grade else [])
    parts = [head, f'<p class="facts">{" · ".join(facts)}</p>', _claim(graded)]
    if not grade:
        return "".join([*parts, f'<p class="bad">{prose(graded.problem)}</p></section>'])
    parts += [_task(task, grade, graded.source) for task in grade.tasks]
    parts += [_listing(grade, graded.source), "</section>"]
    return "\n".join(filter(None, parts))


def _claim(graded: Graded) -> str:
    """Whether a hand-in's grade stands."""
    if not graded.again:
        return ""
    notes = "".join(f"<p>{text(note)}</p>" for note in graded.again.notes)
    if graded.again.stands:
        return f'<p class="good">Graded again with the seed of the hand-in: the grade stands.</p>{notes}'
    items = "".join(f"<li>{text(each)}</li>" for each in graded.again.differs)
    return f'<div class="box wrong"><p class="bad">The hand-in claims another grade:</p><ul>{items}</ul>{notes}</div>'


def _mark(good: bool) -> str:
    return '<span class="good" title="passed">✓</span>' if good else '<span class="bad" title="not passed">✗</span>'


def star_row(number: int) -> str:
    label = f"{number} of {FULL_MARKS} stars"
    return (
        f'<span class="stars" role="img" aria-label="{label}">{"★" * number}<i>{"★" * (FULL_MARKS - number)}</i></span>'
    )


# ---- one task ----


def _task(task: TaskGrade, grade: Grade, source: str) -> str:
    right = task.status == "passed"
    earned = star_row(task.stars) if right else f'<span class="bad">{text(TITLES[task.status])}</span>'
    parts = [f"<section><h3>{_mark(right)} {text(task.name)}{' (bonus)' if task.bonus else ''} {earned}</h3>"]
    parts += _went_right(task, grade) if right else _went_wrong(task, grade, source.split("\n"))
    parts += [_targets(task, grade), _times(task), _cases(task), _counters(task), "</section>"]
    return "\n".join(filter(None, parts))


def _went_right(task: TaskGrade, grade: Grade) -> Iterator[str]:
    yield f"<p>{all_right(task).capitalize()}.</p>"
    yield _ladder(task, grade)
    if task.message:
        yield f'<p class="bad">{prose(task.message)}</p>'
    if task.emulator:
        yield f"<p>Note: {prose(task.emulator)}</p>"
    if task.withheld:
        yield f'<p class="bad">{prose(task.withheld)}</p>'
    yield from _printed(task)


def _ladder(task: TaskGrade, grade: Grade) -> str:
    """The rung that is reached, and the next one."""
    here, (following, about) = task.position, next_rung(task, grade)
    if not here.rungs:
        return ""
    label, cells = f"{here.rung} of {here.rungs} rungs", bar(here.rung, here.rungs)
    drawn = f'<span class="good" role="img" aria-label="{label}">{cells}</span>'
    above = f" · next: {text(following)}<br>{prose(about)}" if following else " · the top"
    return f"<p>{drawn} {text(rung_words(here))}{above}</p>"


def _went_wrong(task: TaskGrade, grade: Grade, source: Sequence[str]) -> Iterator[str]:
    """What happened, at the case that shows it best, and what a teacher says about it."""
    yield '<div class="box wrong">'
    for diagnostic in task.build_errors:
        where = ":".join(str(part) for part in (grade.kernel, diagnostic.line, diagnostic.column) if part)
        yield f'<p><code>{text(where)}</code><br><span class="bad">{text(diagnostic.message)}</span></p>'
    if task.emulator and task.status == "below_target":
        yield f"<p>Note: {prose(task.emulator)}</p>"
    case = telling_case(task)
    if case and not task.build_errors:
        yield from _case(task, case, grade)
    if task.message and not task.build_errors and not (case and case.message == task.message):
        yield f'<p class="bad">{prose(task.message)}</p>'
    yield f"<p>{prose(advice(task.status, case, source, task.cases))}</p>"
    yield _read(task.status)
    yield from _printed(task)
    yield "</div>"


def _printed(task: TaskGrade) -> Iterator[str]:
    if task.output.strip():
        last = "\n".join(task.output.strip().split("\n")[-OUTPUT_LINES:])
        yield f"<details><summary>What the program printed</summary><pre>{text(last)}</pre></details>"


def _read(about: str) -> str:
    """Where to read more. A path in the course, and no link: a page like this travels without the course."""
    place = read_about(about)
    return f'<div class="why">Read <code>{text(place)}</code></div>' if place else ""


def _case(task: TaskGrade, case: CaseGrade, grade: Grade) -> Iterator[str]:
    yield f"<p><code>{text(call(task, case))}</code> {how_many_fail(task)}</p>"
    finding = decisive(case.findings)
    if finding and status_of(finding) == case.status:
        yield f"<p>{text(BY_LUCK)}</p>" if case.details.get("right_on_gpu") else ""
        yield f"<p><code>{text(scene(finding, grade.kernel))}</code></p>" if scene(finding, grade.kernel) else ""
        yield f'<p class="bad">{prose(finding.message)}</p>'
        return
    yield f'<p class="bad">{prose(case.message)}</p>'
    yield "".join(f"<p>{prose(said)}</p>" for said in particulars(case))


def _targets(task: TaskGrade, grade: Grade) -> str:
    shown = [target for target in task.targets if is_counted(target) != is_timed(grade)]
    rows = []
    for target in shown:
        title, value, goal = target_words(target)
        why = f'<div class="why">{prose(target.why)}</div>' if target.why else ""
        why += _read(target.metric) if not target.met else ""
        rows.append(
            f"<tr><td>{_mark(target.met)}</td><td>{text(title)}{why}</td><td>{text(value)}</td><td>{text(goal)}</td>"
            f'<td class="chart">{charts.goal(target)}</td><td>{target.rung or ""}</td>'
            f"<td>{star_row(target.stars) if target.stars else ''}</td></tr>"
        )
    left = len(task.targets) - len(shown)
    needs = "the emulator" if is_timed(grade) else "a GPU"
    needs = f"{'target needs' if left == 1 else 'targets need'} {needs}"
    more = f'<p class="why">{left} more {needs}.</p>' if left else ""
    head = "<tr><th></th><th>target</th><th>value</th><th>goal</th><th></th><th>rung</th><th>worth</th></tr>"
    table = f'<table class="plain targets"><thead>{head}</thead><tbody>{"".join(rows)}</tbody></table>' if rows else ""
    return table + more


def _times(task: TaskGrade) -> str:
    if not (said := timing(task.timings)):
        return ""
    times = {"your kernel": task.timings["median_us"]} | task.timings["baselines_us"]
    used = "".join(f'<p class="why">{text(each)}</p>' for each in resources(task.kernels))
    return f"<p>{text(said)}</p>{charts.times(times)}{used}"


def _cases(task: TaskGrade) -> str:
    if not task.cases:
        return ""
    rows = [
        f"<tr><td>{_mark(case.status == 'passed')}</td><td><code>{text(case.name)}</code></td>"
        f"<td>{text(TITLES[case.status])}</td>"
        f'<td class="chart">{charts.share(case.max_error, case.allowed_error)}</td></tr>'
        for case in task.cases
    ]
    head = "<tr><th></th><th>case</th><th>verdict</th><th>error, of what is allowed</th></tr>"
    table = f'<table class="plain"><thead>{head}</thead><tbody>{"".join(rows)}</tbody></table>'
    return f"<details><summary>Cases: {len(task.cases)}</summary>{table}</details>"


def _counters(task: TaskGrade) -> str:
    counted = {name: value for name, value in task.counters.items() if value}
    if not counted:
        return ""
    rows = "".join(
        f"<tr><td>{text(name.replace('_', ' '))}</td><td>{value:,}</td></tr>" for name, value in counted.items()
    )
    where = f" at {task.cases[-1].name}" if task.cases else ""
    return (
        f"<details><summary>Counters{text(where)}, those that are not 0</summary>"
        f'<table class="plain counters"><tbody>{rows}</tbody></table></details>'
    )


# ---- the source ----


def _listing(grade: Grade, source: str) -> str:
    """The file with what was found and counted at each line."""
    if not source.strip():
        return ""
    counted = by_line([record for task in grade.tasks for record in task.lines], None)
    cells, notes = _cells(counted), _notes(grade, source.split("\n"))
    rows = [
        _line(number, code, notes.get(number, []), {title: shown.get(number, "") for title, shown in cells.items()})
        for number, code in enumerate(coloured(source, "cuda", 'class="k-{}"'.format), start=1)
    ]
    again = [reuse(task.counters) for task in grade.tasks if task.lines]
    head = "".join(f"<th>{text(title)}</th>" for title in cells)
    legend = "".join(
        f"<dt>{text(column.title)}</dt><dd>{text(column.meaning)}</dd>" for column in COLUMNS if column.title in cells
    )
    return (
        f"<h3>Source</h3>{charts.traffic(counted)}{''.join(f'<p>{text(said)}</p>' for said in again if said)}"
        f'<table class="listing"><thead><tr><th></th><th></th>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table>'
        + (f"<dl>{legend}</dl>" if legend else "")
    )


def _cells(counted: Mapping[int, Mapping[str, Any]]) -> dict[str, dict[int, str]]:
    """What stands in each column that is not empty, by the column's title and the line."""
    sectors = sum(map(all_sectors, counted.values()))
    cells = {
        column.title: {line: column.cell(counts, sectors) for line, counts in counted.items()} for column in COLUMNS
    }
    return {title: shown for title, shown in cells.items() if any(shown.values())}


def _line(number: int, code: str, said: Sequence[tuple[str, str]], counts: Mapping[str, str]) -> str:
    """A line of source, and below it what is said of it."""
    kinds = [kind for kind, _ in said]
    kind = next((kind for kind in ("bad", "tip", "note") if kind in kinds), "")
    cells = "".join(f'<td class="count" data-t="{text(title)}">{text(count)}</td>' for title, count in counts.items())
    row = f'<tr class="{kind}"><td class="no">{number}</td><td class="code">{code or " "}</td>{cells}</tr>'
    span = f'<td></td><td colspan="{1 + len(counts)}">'
    return row + "".join(f'<tr class="said {kind}">{span}{prose(each)}</td></tr>' for kind, each in said)


def _notes(grade: Grade, source: Sequence[str]) -> Notes:
    """What is said of each line: compiler messages, findings, and what wastes most."""
    notes: Notes = defaultdict(list)
    for task in grade.tasks:
        for diagnostic in task.diagnostics:
            if diagnostic.line:
                notes[diagnostic.line].append(("bad" if diagnostic.level == "error" else "note", diagnostic.message))
        for line, finding, cases in _findings(task, grade.kernel):
            again = f" ({cases} cases)" if cases > 1 else ""
            kind = "note" if finding.severity == "note" else "bad"
            notes[line].append((kind, f"{finding.message}{again}"))
            if other := finding.details.get("other_line"):
                notes[other].append((kind, f"takes part in what line {line} does"))
        for tip in advise(task.lines, task.kernels, source)[:WORST] if task.lines else []:  # a GPU counts none
            notes[tip.line].append(("tip", tip.message))
    return {line: [*dict.fromkeys(said)] for line, said in notes.items()}


def _findings(task: TaskGrade, kernel: str) -> Iterable[tuple[int, Finding, int]]:
    """Line, finding and in how many cases it is: of the findings in this file, one of a kind for each line."""
    first: dict[tuple[str, int], Finding] = {}
    cases: dict[tuple[str, int], set[str]] = defaultdict(set)
    for case in task.cases:
        for finding in case.findings:
            if finding.line and finding.file in (None, kernel):
                key = (finding.kind, finding.line)
                first.setdefault(key, finding)
                cases[key].add(case.name)
    return [(key[1], finding, len(cases[key])) for key, finding in first.items()]
