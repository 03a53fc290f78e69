"""The badges of README.md, files of our own in docs/badges/: what they say is read from the tree (`make readme`)."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from html import escape
from pathlib import Path

from docs import address
from grader.course import catalog

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "badges"

WIDE = 6.4  # pixels that a letter takes; `textLength` makes it so in every font
PICTURE = """\
<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" role="img" aria-label="{name}: {value}">
<title>{name}: {value}</title>
<clipPath id="round"><rect width="{width}" height="20" rx="3"/></clipPath>
<g clip-path="url(#round)"><rect width="{width}" height="20" fill="#555"/>
<rect x="{split}" width="{width}" height="20" fill="#0072b2"/></g>
<g fill="#fff" font-family="Verdana, DejaVu Sans, sans-serif" font-size="11">
<text x="{left}" y="14" textLength="{name_length}">{name}</text>
<text x="{right}" y="14" textLength="{value_length}">{value}</text>
</g>
</svg>
"""


@dataclass(frozen=True)
class Badge:
    """`name` and `value` stand side by side; `file` is its name in docs/badges/, `link` where a click leads."""

    file: str
    name: str
    value: str
    link: str

    def picture(self) -> str:
        """As SVG, which fetches nothing."""
        name_length, value_length = round(WIDE * len(self.name)), round(WIDE * len(self.value))
        split = name_length + 12
        return PICTURE.format(
            width=split + value_length + 12,
            split=split,
            left=6,
            right=split + 6,
            name=escape(self.name),
            value=escape(self.value),
            name_length=name_length,
            value_length=value_length,
        )

    def markdown(self) -> str:
        return f"[![{self.name}: {self.value}](docs/badges/{self.file}.svg)]({self.link})"


def badges() -> list[Badge]:
    """What is true of the tree as it stands."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    entries = catalog.entries(ROOT)
    count = {each: sum(len(getattr(entry, each)) for entry in entries) for each in ("puzzles", "rungs", "mistakes")}
    equal, counted = agreement((ROOT / "docs" / "counters.md").read_text())
    course = ", ".join([f"{len(entries)} lessons", *(f"{number} {each}" for each, number in count.items())])
    return [
        Badge("python", "Python", project["requires-python"].replace(">=", "") + " or newer", "pyproject.toml"),
        Badge("course", "course", course, "#the-lessons"),
        Badge(
            "emulator",
            "counted as on an H200",
            f"{equal} of {counted}",
            "docs/counters.md#how-far-it-agrees-with-a-gpu",
        ),
        Badge("license", "license", project["license"], "LICENSE"),
    ]


def agreement(page: str) -> tuple[int, int]:
    """How many counters of micro-kernels came out as on the GPU, and of how many, by the table of docs/counters.md.

    `benchmarks.fidelity.agreement` makes that table, and tests/emulator/test_fidelity.py keeps it true.
    """
    rows = re.findall(r"^\| [\w ]+ \| `.*?` \| (\d+) of (\d+) \|", page, re.MULTILINE)
    assert rows, "docs/counters.md has no table of agreement"
    return sum(int(equal) for equal, _ in rows), sum(int(counted) for _, counted in rows)


def row() -> str:
    """All badges as Markdown; the first is GitHub's own, of the last run of CI, once the project has an address."""
    shown = [address.ci_badge(), *(badge.markdown() for badge in badges())]
    return "\n".join(filter(None, shown)) + "\n"


def write() -> None:
    """Renews docs/badges/, and removes what is no badge any more."""
    FOLDER.mkdir(exist_ok=True)
    pictures = {FOLDER / f"{badge.file}.svg": badge.picture() for badge in badges()}
    for file in set(FOLDER.glob("*.svg")) - pictures.keys():
        file.unlink()
    for file, picture in pictures.items():
        file.write_text(picture)
