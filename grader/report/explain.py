"""`ladder explain`: the source with what the emulator counted at each line, and first the lines that waste most.

With a GPU also what its hardware counted in the same call, by `devices.cuda.profile`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.text import Text

from grader.judge.advice import LANES, Way, active_lanes, advise, all_sectors, cost, digits, ideal_sectors, reuse
from grader.judge.blame import blame, wastes_a_little
from grader.judge.verdict import Grade, TargetResult, TaskGrade
from grader.report.json_ import SCHEMA
from grader.report.messages import TITLES
from grader.report.terminal import BAD, DIM, GOOD, HEAD, mark, print_safely
from grader.report.words import call, is_counted, percent, target_words

if TYPE_CHECKING:
    from grader.devices.nvidia.profile import Profile

    Profiles = Mapping[str, Profile]  # by task

Counters = Mapping[str, Any]
NONE: Mapping[str, Any] = {}
LAUNCHES = 4  # of which the hardware's facts are shown
WORST = 3  # lines that get advice
AROUND = 3  # lines without counts that are shown above and below one with counts


def could_run(grade: Grade) -> bool:
    """Whether every task got as far as being counted."""
    return all(task.lines for task in grade.tasks)


def show_explanation(console: Console, grade: Grade, source: str, profiles: Profiles = NONE,
                     most: int | None = None) -> None:  # fmt: skip
    """Prints advice and annotated source for each task that was counted; for the others, why there is none.

    `most` is how many lines with counts are shown, the costliest; None for all.
    """
    print_safely(console, _parts(grade, source.split("\n"), profiles, most))


def to_json(grade: Grade, source: str, profiles: Profiles = NONE) -> dict[str, Any]:
    """The counters by kernel and line, and all advice, the most wasteful line first; `gpu` where there is a profile."""
    tasks = [
        {
            "name": task.name,
            "status": task.status,
            "message": _what_failed(task),
            "case": _counted_case(task),
            "lines": task.lines,
            "advice": [asdict(advice) for advice in advise(task.lines, task.kernels, source.split("\n"))],
            "reuse": reuse(task.counters),
            "missed_targets": [
                asdict(each) for each in blame(_missed(task), task.lines, task.kernels, source.split("\n"))
            ],
            **_gpu_json(task, profiles),
        }
        for task in grade.tasks
    ]
    head = {"schema": SCHEMA, "lesson": grade.lesson, "kernel": grade.kernel, "device": grade.device}
    return head | {"status": grade.status, "seed": grade.seed, "tasks": tasks}


def dumps(grade: Grade, source: str, profiles: Profiles = NONE) -> str:
    """The explanation as one JSON object."""
    return json.dumps(to_json(grade, source, profiles), ensure_ascii=False)


def _gpu_json(task: TaskGrade, profiles: Profiles) -> dict[str, Any]:
    profile = profiles.get(task.name)
    if not profile:
        return {}
    counters = {
        name: {"emulator": task.counters.get(name), "gpu": counted} for name, counted in profile.counters.items()
    }
    return {"gpu": {"counters": counters, "launches": profile.launches, "lines": profile.lines}}


# ---- for people ----


def _parts(grade: Grade, source: Sequence[str], profiles: Profiles, most: int | None) -> Iterator[RenderableType]:
    title = (TITLES[grade.status], f"{HEAD} {GOOD if grade.passed else BAD}")
    head = Text.assemble(mark(grade.passed), (f"{grade.lesson}: ", HEAD), title, (f"  {grade.kernel}", DIM))
    yield _one_line(head)
    for task in grade.tasks:
        profile = profiles.get(task.name)
        yield from _task(task, source, profile, most)
        if profile:
            yield from _gpu(task.counters, profile)
    yield Text("\nEmulated: counts, no times. What caches and nvcc's optimiser save is not seen.", DIM)


def _task(
    task: TaskGrade, source: Sequence[str], profile: Profile | None, most: int | None
) -> Iterator[RenderableType]:
    if failed := _what_failed(task):
        yield Text(f"{task.name}: {failed}", BAD)
    if not task.lines:
        return
    yield Text(f"\n{call(task, task.cases[-1])}", HEAD)
    advice = advise(task.lines, task.kernels, source)
    worst = advice[:WORST]
    for message in dict.fromkeys(each.message for each in worst):
        lines = [str(each.line) for each in worst if each.message == message]
        where = f"line{'s' if len(lines) > 1 else ''} {', '.join(lines)}: "
        yield Padding(Text.assemble((where, HEAD), message), (0, 0, 0, 2), expand=False)
    if not advice and any(map(wastes_a_little, by_line(task.lines, None).values())):
        yield Text("  What lines waste is less than 2 % of what all cost.", GOOD)
    elif not advice:
        yield Text("  No line wastes sectors, wavefronts or lanes.", GOOD)
    if again := reuse(task.counters):
        yield Padding(Text(again), (0, 0, 0, 2), expand=False)
    yield from _missed_targets(task, source)
    yield Text()
    yield from _listing(by_line(task.lines, profile), source, {each.line for each in worst}, most)


def _missed(task: TaskGrade) -> list[TargetResult]:
    """The targets that the emulator judges and that are missed; without those of a case that did not run."""
    counted = (target for target in task.targets if is_counted(target) and not (target.case and target.value is None))
    return [target for target in counted if not target.met]


def _missed_targets(task: TaskGrade, source: Sequence[str]) -> Iterator[RenderableType]:
    """For each of them the line that adds most to it, and why it matters: what `check` says, with a place."""
    missed = _missed(task)
    for found in blame(missed, task.lines, task.kernels, source):
        target = next(target for target in missed if target.metric == found.metric)
        title, value, goal = target_words(target)
        text = f"{title} {value}, {goal}, line {found.line}: "
        message = f"{found.message}; {target.why}" if target.why else found.message
        yield Padding(Text.assemble(mark(False), (text, HEAD), message), (0, 0, 0, 2), expand=False)


def _what_failed(task: TaskGrade) -> str:
    """One sentence; "" for a task that passed."""
    said = (case.message for case in task.cases if case.status == task.status != "passed")
    return "" if task.status == "passed" else task.message or next(said, TITLES[task.status])


def _counted_case(task: TaskGrade) -> str:
    """The case whose counters these are: the last one, if all ran."""
    return task.cases[-1].name if task.lines else ""


# ---- beside a GPU ----


def _gpu(counters: Counters, profile: Profile) -> Iterator[RenderableType]:
    """The same counters from both, where one of them is not 0, and what the hardware alone can tell of each launch."""
    used = {name: gpu for name, gpu in profile.counters.items() if gpu or counters.get(name)}
    yield Text()
    yield _one_line(Text(f"  {'counted':<28}{'emulator':>14}{'GPU':>14}  GPU/emulator", DIM))
    for name, gpu in used.items():
        ours = counters.get(name, 0)
        theirs = "–" if gpu is None else f"{gpu:,}"
        ratio = f"{gpu / ours:.2f}" if gpu is not None and ours else "–"
        same = DIM if gpu == ours else ""
        yield _one_line(Text(f"  {name.replace('_', ' '):<28}{ours:>14,}{theirs:>14}{ratio:>14}", same))
    if "warp_instructions" in used:
        yield Text("  Instructions are those of two compilers, and alike in order of magnitude only.", DIM)
    for launch in profile.launches[:LAUNCHES]:
        yield Padding(Text(_launch(launch)), (0, 0, 0, 2), expand=False)
    if len(profile.launches) > LAUNCHES:
        yield Text(f"  ... and {len(profile.launches) - LAUNCHES} more launches", DIM)


def _launch(launch: Mapping[str, Any]) -> str:
    """`add: 16 registers, occupancy 81 %, at most 100 %, L1 hits 0 %, ...`: what this card knows of it."""
    facts = {
        "registers": "{:,} registers",
        "occupancy_pct": "occupancy {:.0f} %",
        "occupancy_limit_pct": "at most {:.0f} %",
        "l1_hit_pct": "L1 hits {:.0f} %",
        "dram_read_bytes": "{:,} bytes read from memory",
    }
    return f"{launch['kernel']}: " + ", ".join(
        words.format(launch[name]) for name, words in facts.items() if launch.get(name) is not None
    )


# ---- the listing ----


@dataclass(frozen=True)
class Column:
    """A column of counts. `cell` gives "" where the line has none; a column that is empty everywhere is left out."""

    title: str
    meaning: str
    cell: Callable[[Counters, int], str]  # a line's counters, and the sectors of all lines


def _listing(by_line: Mapping[int, Counters], source: Sequence[str], worst: set[int],
             most: int | None) -> Iterator[Text]:  # fmt: skip
    """The source around the lines with counts, beside these counts; what they mean stands below."""
    sectors = sum(map(all_sectors, by_line.values()))
    costliest = sorted(by_line, key=lambda line: (line not in worst, -cost(by_line[line]), line))[:most]
    by_line = {line: by_line[line] for line in costliest}
    cells = {column: {line: column.cell(counts, sectors) for line, counts in by_line.items()} for column in COLUMNS}
    used = {column: shown for column, shown in cells.items() if any(shown.values())}
    widths = {column: max(len(column.title), *map(len, shown.values())) for column, shown in used.items()}
    yield _one_line(Text("  ".join(column.title.rjust(widths[column]) for column in used), DIM))
    before, blank, room = 0, " " * (sum(widths.values()) + 2 * (len(used) - 1)), len(str(len(source)))
    for line in _lines_to_show({*by_line, *worst}, len(source)):
        if line > before + 1:
            yield Text(f"{blank}  {'⋮':>{room + 2}}", DIM)
        before = line
        counts = "  ".join(shown.get(line, "").rjust(widths[column]) for column, shown in used.items())
        yield _source_line(counts, line, room, source[line - 1].expandtabs(4), line in worst)
    yield Text()
    yield from (Text(f"{column.title}: {column.meaning}", DIM) for column in used)


def _source_line(counts: str, line: int, room: int, code: str, bad: bool) -> Text:
    number = f"  {'❱' if bad else ' '} {line:>{room}} │ "
    return _one_line(Text.assemble(counts, (number, BAD if bad else DIM), (code, HEAD if bad else "")))


def _lines_to_show(counted: Iterable[int], last: int) -> list[int]:
    near = {line + offset for line in counted for offset in range(-AROUND, AROUND + 1)}
    return sorted(line for line in near if 1 <= line <= last)


def by_line(lines: Sequence[Counters], profile: Profile | None) -> dict[int, dict[str, Any]]:
    """Counters of all kernels that share a line (templates, device functions), added up; beside them the GPU's."""
    merged: dict[int, dict[str, Any]] = {}
    for record in lines:
        into = merged.setdefault(record["line"], {})
        for name, value in record.items():
            if name.endswith("_max_multiplicity"):
                into[name] = max(into.get(name, 0), value)
            elif name not in ("line", "kernel"):
                into[name] = into.get(name, 0) + value
    counted = [line for line in profile.lines if line["global_sectors"]] if profile else []
    for line in counted:
        into = merged.setdefault(int(line["line"]), dict.fromkeys(lines[0], 0))
        into["gpu_share"] = line["global_sectors"] / sum(each["global_sectors"] for each in counted)
    return merged


def _one_line(text: Text) -> Text:
    text.no_wrap = True
    return text


# ---- the columns ----


def _sectors(way: Way) -> Callable[[Counters, int], str]:
    def cell(line: Counters, _: int) -> str:
        requests = line[f"global_{way}_requests"]
        if not requests:
            return ""
        return f"{digits(line[f'global_{way}_sectors'] / requests)}/{digits(ideal_sectors(line, way) / requests)}"

    return cell


def _traffic(line: Counters, sectors: int) -> str:
    return percent(all_sectors(line) / sectors) if all_sectors(line) else ""


def _on_gpu(line: Counters, _: int) -> str:
    return percent(line["gpu_share"]) if "gpu_share" in line else ""


def _shared(line: Counters, _: int) -> str:
    ideal = line["shared_load_ideal_wavefronts"] + line["shared_store_ideal_wavefronts"]
    return f"{digits((line['shared_load_wavefronts'] + line['shared_store_wavefronts']) / ideal)}×" if ideal else ""


def _atomics(line: Counters, _: int) -> str:
    requests = line["global_atomic_requests"] + line["shared_atomic_requests"]
    most = max(line["global_atomic_max_multiplicity"], line["shared_atomic_max_multiplicity"])
    return f"{requests}×{most}" if requests else ""


def _special(line: Counters, _: int) -> str:
    return f"{line['special_functions']:,}" if line.get("special_functions") else ""


def _local(line: Counters, _: int) -> str:
    return str(line["local_requests"] or "")


def _lanes(line: Counters, _: int) -> str:
    lanes = digits(active_lanes(line))
    return lanes if line["warp_instructions"] and lanes != str(LANES) else ""


COLUMNS = (
    Column("loads", "sectors that a load request touches / that it needs", _sectors("load")),
    Column("stores", "the same for stores", _sectors("store")),
    Column("traffic", "share of all sectors of global memory", _traffic),
    Column("GPU", "the same share, as the GPU counted it", _on_gpu),
    Column("shared", "wavefronts, as a multiple of those without bank conflicts", _shared),
    Column("atomics", "requests × the most lanes of one request that update the same address", _atomics),
    Column(
        "special", "exponentials, roots, divisions, ... by all threads: work of the special-function unit", _special
    ),
    Column("local", "requests to arrays of a thread's own, unless nvcc can keep them in registers", _local),
    Column("lanes", "at work of 32, where not all are; counted where a basic block begins", _lanes),
)
