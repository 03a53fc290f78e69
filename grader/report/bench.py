"""What `ladder bench` has measured, as tables for people. Everything is read from the JSON that it writes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from grader.report.messages import TITLES
from grader.report.terminal import BAD, DIM, HEAD
from grader.report.words import percent

Json = Mapping[str, Any]
CARD = "h200"  # whose committed results the course shows
NOISY = 0.03  # noise that is worth a remark
KERNELS = ("rung", "yours")


@dataclass(frozen=True)
class Standing:
    """One contender at one case; None where there is nothing to say it from.

    `rate` is work / time in `unit`, `fraction` its share of the limit, and `ratio` the time of the fastest baseline,
    `rival`, over its own.
    """

    name: str
    kind: str
    us: float | None
    rate: float | None
    fraction: float | None
    ratio: float | None
    unit: str = ""
    limit: str = ""
    rival: str = ""
    remark: str = ""


def deciding_case(task: Json) -> Json | None:
    """The case that a task is summed up by: the timed one, else the last that could be measured."""
    measured = [case for case in task["cases"] if case["results"]]
    return next((case for case in measured if case["is_timed_case"]), measured[-1] if measured else None)


def standings(case: Json) -> list[Standing]:
    """Everybody at this case, in the order of the JSON: rungs first."""
    return [_standing(result, case) for result in case["results"]]


def _standing(result: Json, case: Json) -> Standing:
    us, limit, rival = result["median_us"], case["limit"], fastest_baseline(case)
    return Standing(
        name=result["name"],
        kind=result["kind"],
        us=us,
        rate=1e6 * limit["work"] / us if us and limit else None,
        fraction=limit["us"] / us if us and limit else None,
        ratio=rival["median_us"] / us if us and rival else None,
        unit=limit["unit"] if limit else "",
        limit=limit["name"] if limit else "",
        rival=rival["name"] if rival else "",
        remark=_remark(result),
    )


def _remark(result: Json) -> str:
    if result["status"] != "passed":
        status: str = result["status"]
        return TITLES.get(status, status)
    if result["samples"] < 2:
        return "one run" if result["samples"] else "not timed"
    noise = f"noise {result['noise']:.0%}" if result["noise"] > NOISY else ""
    return ", ".join(filter(None, [result["message"], noise]))


def fastest_baseline(case: Json) -> Json | None:
    """Of torch's functions, the one to beat."""
    timed = [each for each in case["results"] if each["kind"] == "baseline" and each["median_us"]]
    return min(timed, key=lambda each: each["median_us"], default=None)


# ---- numbers as people read them ----


def time_text(us: float | None) -> str:
    """`734 µs`, `3.05 ms`; three digits."""
    if us is None:
        return "–"
    value, unit = (us, "µs") if us < 1000 else (us / 1e3, "ms") if us < 1e6 else (us / 1e6, "s")
    return f"{three_digits(value)} {unit}"


def rate_text(rate: float | None, unit: str) -> str:
    """`4.39 TB/s`, `51.2 Tflop/s`."""
    if rate is None:
        return "–"
    value, prefix = (rate / 1e12, "T") if rate >= 1e12 else (rate / 1e9, "G")
    return f"{three_digits(value)} {prefix}{unit}"


def bytes_text(size: int | None) -> str:
    """`0`, `768 B`, `1.61 GB`."""
    if size is None:
        return "–"
    if size < 1000:
        return f"{size:.0f} B" if size else "0"
    value, unit = (size / 1e9, "GB") if size >= 1e9 else (size / 1e6, "MB") if size >= 1e6 else (size / 1e3, "kB")
    return f"{three_digits(value)} {unit}"


def three_digits(value: float) -> str:
    return f"{value:,.{0 if value >= 99.95 else 1 if value >= 9.995 else 2 if value >= 0.0995 else 4}f}"


def size_text(value: int) -> str:
    """`2²⁸` for a large power of two, `10 M`, `4000`."""
    if value >= 1 << 14 and value & (value - 1) == 0:
        return "2" + str(value.bit_length() - 1).translate(_SUPERSCRIPT)
    return f"{value // 10**6} M" if value >= 10**6 and value % 10**6 == 0 else str(value)


_SUPERSCRIPT = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def case_text(case: Json) -> str:
    """`n=2²⁸`, `rows=2¹⁸ cols=256`, with the variant behind it."""
    sizes = {name: value for name, value in case["sizes"].items() if name != "variant"}
    said = " ".join(f"{name}={size_text(v) if isinstance(v, int) else v}" for name, v in sizes.items())
    return f"{said} ({case['sizes']['variant']})" if "variant" in case["sizes"] else said


# ---- tables ----


def show_results(console: Console, results: Json) -> None:
    """Prints every task: its deciding case in full, then the times over all cases."""
    for part in _parts(results, console.width):
        console.print(part)


def _parts(results: Json, width: int) -> Iterator[RenderableType]:
    versions = ", ".join(f"{name} {version}" for name, version in results["versions"].items())
    yield Text(f"{results['lesson']} on {results['device']['name']}, {results['date']}", HEAD)
    yield Text(versions, DIM)
    for task in results["tasks"]:
        yield Text()
        yield from _task(task, width)


def _task(task: Json, width: int) -> Iterator[RenderableType]:
    case = deciding_case(task)
    if case is None:
        yield Text(f"{task['name']} could not be measured", BAD)
    else:
        yield Text(f"{task['name']}({case_text(case)})", HEAD)
        yield _ranking(case)
        rates = [f"{name} {rate_text(each['rate'], each['unit'])}" for name, each in case["ceilings"].items()]
        yield Text(f"ceilings in the same run: {', '.join(rates)}; memory: beside the buffers", DIM)
        if len([each for each in task["cases"] if each["results"]]) > 1:
            yield Text("\nover all sizes; in brackets without the launch, in a CUDA graph", DIM)
            yield from _sweeps(task, width)
    for case in task["cases"]:
        if case["message"]:
            yield Text(f"{case_text(case)} {case['message']}", BAD)
        for result in case["results"]:
            if result["message"] and (result["kind"] in KERNELS or result["status"] == "failed"):
                yield Text(f"{result['name']} at {case_text(case)}: {result['message']}", BAD)


def cells(case: Json) -> tuple[list[str], list[list[str]]]:
    """The titles of a table of everybody at this case, and its rows: first the name, last a remark."""
    rival = fastest_baseline(case)
    limit = f"of {case['limit']['name']}" if case["limit"] else ""
    titles = ["", "time", "rate", limit, f"x {rival['name']}" if rival else "", "memory", ""]
    rows = [
        [
            each.name,
            time_text(each.us),
            rate_text(each.rate, each.unit),
            percent(each.fraction) if each.fraction else "",
            three_digits(each.ratio) if each.ratio else "",
            bytes_text(result["extra_bytes"]),
            each.remark,
        ]
        for each, result in zip(standings(case), case["results"], strict=True)
    ]
    return titles, rows


def _ranking(case: Json) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    titles, rows = cells(case)
    for title in titles:
        table.add_column(title, justify="right" if title else "left", no_wrap=True)
    for (name, *numbers, remark), result in zip(rows, case["results"], strict=True):
        table.add_row(
            Text(name, "" if result["kind"] in KERNELS else DIM),
            *numbers,
            Text(remark, DIM if result["status"] == "passed" else BAD),
        )
    return table


def _sweeps(task: Json, width: int) -> Iterator[Table]:
    """Everybody's times at every size, in as many tables below each other as a terminal of this width needs."""
    cases = [case for case in task["cases"] if case["results"]]
    names = list(dict.fromkeys(result["name"] for case in cases for result in case["results"]))
    columns = []
    for case in cases:
        found = {result["name"]: result for result in case["results"]}
        columns.append((case_text(case).replace(" ", "\n"), [_cell(found.get(name)) for name in names]))
    while columns:
        room = width - max(map(len, names)) - 2
        needed = [2 + max(*map(len, title.split()), *map(len, times)) for title, times in columns]
        fit = max(sum(total <= room for total in accumulate(needed)), 1)
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
        for title in ["", *(title for title, _ in columns[:fit])]:
            table.add_column(title, justify="right" if title else "left", no_wrap=True)
        for name, *times in zip(names, *(times for _, times in columns[:fit]), strict=True):
            table.add_row(name, *times)
        columns = columns[fit:]
        yield table


def _cell(result: Json | None) -> Text:
    if result is None or result["median_us"] is None:
        return Text("✗" if result else "", BAD)
    text = Text(time_text(result["median_us"]))
    return text.append(f" ({three_digits(result['graph_us'])})", DIM) if result["graph_us"] else text


# ---- for the README ----


ALIKE = 1.02  # times as fast as the rung below: less is no difference


def results_table(every: Sequence[Json]) -> str:
    """The rungs of all lessons at their deciding cases, as a Markdown table.

    Top rungs that make no difference there follow at the size where the highest of them makes the largest.
    """
    rows = ["| lesson | rung | time | rate | of the limit | beside torch |", "|---|---|--:|--:|--:|--:|"]
    for results in every:
        for task in results["tasks"]:
            if case := deciding_case(task):
                number = results["lesson"].partition("_")[0]
                rows += _rung_rows(f"{number} `{task['name']}`, {case_text(case)}", _rungs(case))
                other, rungs = _where_they_differ(task, _alike(_rungs(case)))
                rows += _rung_rows(f"likewise, {case_text(other)}" if other else "", rungs)
    return "\n".join(rows) + "\n"


def _rungs(case: Json) -> list[Standing]:
    return [each for each in standings(case) if each.kind == "rung"]


def _rung_rows(first: str, rungs: Sequence[Standing]) -> list[str]:
    return [_markdown("" if number else first, each) for number, each in enumerate(rungs)]


def _alike(rungs: Sequence[Standing]) -> list[str]:
    """The highest rungs of which none is faster than the one below, and that one; nothing if the top rung is."""
    names = [each.name for each in rungs[-1:]]
    for below, above in reversed(list(pairwise(rungs))):
        if not below.us or not above.us or below.us > ALIKE * above.us:
            break
        names.insert(0, below.name)
    return names if len(names) > 1 else []


def _where_they_differ(task: Json, names: Sequence[str]) -> tuple[Json | None, list[Standing]]:
    """Of these rungs the lowest beside the highest: the case where it is slowest, and all of them there."""
    found: tuple[float, Json | None, list[Standing]] = (ALIKE, None, [])
    for case in task["cases"]:
        rungs = [each for each in _rungs(case) if each.name in names]
        if len(rungs) == len(names) > 0 and (low := rungs[0].us) and (high := rungs[-1].us) and low / high > found[0]:
            found = (low / high, case, rungs)
    return found[1], found[2]


def rivals_table(every: Sequence[Json]) -> str:
    """The highest rung beside everybody else at every size, as a Markdown table; in brackets where it is slower."""
    rows = ["| lesson | highest rung | how many times as fast as |", "|---|--:|---|"]
    for results in every:
        for task in results["tasks"]:
            first = f"{results['lesson'].partition('_')[0]} `{task['name']}`, "
            for case in task["cases"]:
                us, leads = _leads(case)
                if leads:
                    beside = ", ".join(_lead_text(name, lead) for name, lead in leads.items())
                    rows.append(f"| {first}{case_text(case)} | {time_text(us)} | {beside} |")
                    first = ""
    return "\n".join(rows) + "\n"


def _leads(case: Json) -> tuple[float | None, dict[str, float]]:
    """Microseconds of the highest rung that is right at this case, and the others' times over its own."""
    timed = [(each, each.us) for each in standings(case) if each.us]
    rungs = [us for each, us in timed if each.kind == "rung"]
    others = {each.name: us for each, us in timed if each.kind not in KERNELS}
    return (rungs[-1], {name: us / rungs[-1] for name, us in others.items()}) if rungs else (None, {})


def _lead_text(name: str, lead: float) -> str:
    text = f"{three_digits(lead)} × {name}"
    return text if lead >= 1 else f"({text})"


def _markdown(first: str, each: Standing) -> str:
    limit = f"{percent(each.fraction)} of {each.limit}" if each.fraction else "–"
    ratio = f"{three_digits(each.ratio)} × {each.rival}" if each.ratio else each.remark or "–"
    cells = (first, each.name, time_text(each.us), rate_text(each.rate, each.unit), limit, ratio)
    return f"| {' | '.join(cells)} |"
