"""Renews the measured numbers in texts (`make readme`), from what `ladder bench` has committed. A test compares them.

In Markdown (the lessons' pages and hints, the notebooks) a number stands between two comments, which no page shows; the
first says which it is:

    <!-- 01; 3_float4 -->739 µs<!-- -->                    the time at the deciding case
    <!-- 03/row_sum; 4_shuffles; rows=2¹⁸ cols=256 -->     at another case, named as the tables of results name it
    <!-- 01; 3_float4; share -->103%<!-- -->               of the limit; `rate` is bytes or operations a second
    <!-- 02; 1_even_odd : 2_both -->1.98<!-- -->           how many times as long the first one takes
    <!-- 01; copy; rate -->4.23 TB/s<!-- -->               a ceiling, measured in the same run
    <!-- cublaslt; 4096; best -->470 Tflop/s<!-- -->       cuBLASLt's best with mma.sync; `share` of mma.sync alone
    <!-- published -->37 ms<!-- -->, <!-- tried -->737 µs<!-- -->   no number of ours; an experiment that no file holds

No line begins with such a comment, which Markdown would take for a block of HTML: the word before it comes along.

In the head of a rung a line like this is renewed as a whole; the names are those of the results, the case is in ASCII:

    // On an H200, n=2^28: 1_one_element 938 us, 3_float4 739 us, torch.add 741 us.
    // On an H200, m=4096 n=4096 k=4096: 3_mma_sync 257 Tflop/s, 4_swizzle 280 Tflop/s.

Experiments that no file holds stand there behind the words `What did not help` or `Tried`, to the end of the paragraph.
"""

from __future__ import annotations

import functools
import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import nbformat

from grader.course import catalog
from grader.course.catalog import Entry, UsageError
from grader.faces.lookup import row_named
from grader.report.bench import case_text, deciding_case, rate_text, standings, three_digits, time_text
from grader.report.words import percent

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "h200"
LIBRARY = "cublaslt"
MARKED = re.compile(r"<!-- ([^>]*?;[^>]*?) -->(.*?)<!-- -->", re.DOTALL)
OTHERS = re.compile(r"<!-- (?:published|tried) -->(.*?)<!-- -->", re.DOTALL)
AT_THE_BEGINNING = re.compile(r"(?<=\S) ([^\s<>]+)\n([ \t]*)(?=<!-- (?:[^>]*?;[^>]*?|published|tried) -->)")
HEAD = re.compile(r"^// On an H200, (.+?): (.+)\.$", re.MULTILINE)
IN_HEAD = re.compile(r"([^ ,][^,]*?) [\d.,]+ (us|ms|s|Tflop/s)(?:, |$)")
# What a number of ours looks like; outside of markers it was typed by hand.
TYPED = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)? ?(?:µs|us|ms|[KMGT]B/s|T[Ff][Ll][Oo][Pp]/s)\b")
HEAD_OF_FILE = re.compile(r"(?://.*\n)+")
EXPERIMENT = re.compile(r"(?:What did not help|Tried).*?(?=^//$|^// On an H200|\Z)", re.DOTALL | re.MULTILINE)
POWER = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")


def main() -> None:
    for file in texts():
        before = file.read_text()
        if (after := renewed_text(before)) != before:
            file.write_text(after)
    for file in notebooks():
        notebook = nbformat.read(file, as_version=4)
        if (after := renewed_notebook(notebook)) != nbformat.read(file, as_version=4):
            nbformat.write(after, file)
    for entry in catalog.entries(ROOT):
        for file in entry.rungs:
            before = file.read_text()
            if (after := renewed_head(before, entry, entry.task_of(file))) != before:
                file.write_text(after)


def texts() -> list[Path]:
    """The lessons' pages and hints."""
    return [file for entry in catalog.entries(ROOT) for file in sorted(entry.folder.glob("*.md"))]


def notebooks() -> list[Path]:
    return sorted((ROOT / "notebooks").glob("*.ipynb"))


def renewed_text(text: str) -> str:
    """Markdown with its numbers made anew. Raises UsageError for a marker that means nothing."""
    text = AT_THE_BEGINNING.sub(r"\n\2\1 ", text)
    return MARKED.sub(lambda found: f"<!-- {found[1]} -->{value(found[1])}<!-- -->", text)


def renewed_notebook(notebook: Any) -> Any:
    """The same notebook with the numbers in its text made anew."""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = renewed_text(cell.source)
    return notebook


def renewed_head(source: str, entry: Entry, task: str | None) -> str:
    """A kernel with the times in its head made anew. Raises UsageError for a case or a name that is not there."""

    def line(found: re.Match[str]) -> str:
        where = f"{entry.label}/{task}" if task else entry.label
        case = _case(where, lambda text: in_ascii(text) == found[1], found[1])
        rows = [(row_named(standings(case), name, _name), unit) for name, unit in IN_HEAD.findall(found[2])]
        said = [rate_text(row.rate, row.unit) if "/" in unit else in_ascii(time_text(row.us)) for row, unit in rows]
        named = (f"{row.name} {text}" for (row, _), text in zip(rows, said, strict=True))
        return f"// On an H200, {found[1]}: {', '.join(named)}."

    return HEAD.sub(line, source)


def value(marker: str) -> str:
    """What the marker `01; 3_float4; share` stands for. Raises UsageError."""
    where, name, *rest = (part.strip() for part in marker.split(";"))
    if where == LIBRARY:
        return _of_library(name, *rest)
    wanted = next((part for part in rest if "=" in part), "")
    what = next((part for part in rest if "=" not in part), "time")
    case = _case(where, lambda text: text == wanted, wanted)
    if name in case["ceilings"]:
        return rate_text(case["ceilings"][name]["rate"], case["ceilings"][name]["unit"])
    first, _, second = name.partition(" : ")
    found = row_named(standings(case), first, _name)
    if second:
        return three_digits(found.us / row_named(standings(case), second, _name).us)
    said = {
        "time": time_text(found.us),
        "rate": rate_text(found.rate, found.unit),
        "share": percent(found.fraction or 0),
    }
    if what not in said:
        raise UsageError(f"`{marker}`: there is no `{what}`, but {', '.join(said)}")
    return said[what]


def _of_library(size: str, what: str) -> str:
    """What benchmarks/cublaslt.py found at a size. Raises UsageError."""
    rows = {str(row["size"]): row for row in json.loads((RESULTS / f"{LIBRARY}.json").read_text())["sizes"]}
    if size not in rows:
        raise UsageError(f"{LIBRARY} is not measured at {size}, but at {', '.join(rows)}")
    row = rows[size]
    said = {
        "best": rate_text(row["best_flops"], "flop/s"),
        "share": percent(row["share"]),
        "configurations": str(row["configurations"]),
    }
    if what not in said:
        raise UsageError(f"`{LIBRARY}; {size}; {what}`: there is no `{what}`, but {', '.join(said)}")
    return said[what]


def typed(text: str) -> Iterator[str]:
    """The times and rates in a Markdown text that no marker holds; code is left out."""
    prose = re.sub(r"```.*?```|`[^`]*`|\$\$.*?\$\$", "", text, flags=re.DOTALL)
    yield from TYPED.findall(OTHERS.sub("", MARKED.sub("", prose)))


def typed_in_head(source: str) -> Iterator[str]:
    """The times and rates in a kernel's head that no command renews and no experiment gave."""
    head = HEAD_OF_FILE.match(source)
    yield from TYPED.findall(HEAD.sub("", EXPERIMENT.sub("\n", head[0]))) if head else ()


def in_ascii(text: str) -> str:
    """`n=2^28`, `739 us`"""
    return POWER.sub(lambda found: f"^{found[0].translate(DIGITS)}", text).replace("µ", "u")


def _case(where: str, fits: Callable[[str], bool], wanted: str) -> Any:
    lesson, _, task = where.partition("/")
    tasks = _tasks(catalog.find(lesson, ROOT).name)
    found = row_named(tasks, task) if task else tasks[0]
    if not wanted:
        return deciding_case(found)
    case = next((case for case in found["cases"] if fits(case_text(case))), None)
    if case is None:
        raise UsageError(f"lesson {where} is not measured at {wanted}: at {'; '.join(map(case_text, found['cases']))}")
    return case


@functools.cache
def _tasks(name: str) -> Any:
    file = RESULTS / f"{name}.json"
    if not file.is_file():
        raise UsageError(f"{name} is not timed yet: there is no {file.relative_to(ROOT)}")
    return json.loads(file.read_text())["tasks"]


def _name(standing: Any) -> str:
    return str(standing.name)


if __name__ == "__main__":
    try:
        main()
    except UsageError as error:
        sys.exit(f"make: {error}")
