"""What a notebook shows: the same words as text, for those who compare, and as HTML that reads on light and on dark."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

from rich.console import Console
from rich.table import Table as RichTable
from rich.terminal_theme import TerminalTheme

from grader.report.terminal import console_in_memory, printed
from grader.report.tokens import coloured

WIDTH = 100  # columns of text
# Colours that stand out from white and from black alike; dim is halfway between the first two.
THEME = TerminalTheme(
    (255, 255, 255),
    (0, 0, 0),
    [(0, 0, 0), (214, 69, 65), (34, 139, 84), (191, 135, 0), (60, 120, 216), (160, 90, 180), (0, 140, 150), (128,) * 3],
)
COLOURS = {"comment": "#3d7b7b", "key": "#006e00", "literal": "#ba2121"}  # of source code, on a light ground
MONO = "font-family:monospace"  # JupyterLab lets <pre> inherit the text's font: columns would not line up
PRE = f'<pre style="{MONO};line-height:1.35;background:none;border:0;padding:0">{{code}}</pre>'
CELL = "padding:.15em .5em;white-space:{wrap};text-align:{align};border:0;border-bottom:1px solid rgba(128,128,128,.3)"


@dataclass(frozen=True)
class Page:
    """A text, and the same as HTML. Notebooks show the second, nbval compares both."""

    text: str
    html: str

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return self.html


@dataclass(frozen=True)
class Prose:
    """Markdown, which is its own text."""

    text: str

    def __repr__(self) -> str:
        return self.text

    def _repr_markdown_(self) -> str:
        return self.text


def page(show: Callable[[Console], None]) -> Page:
    """What `show` prints on a console, without colour and with it."""
    plain = console_in_memory(WIDTH, color_system=None)
    coloured = console_in_memory(WIDTH, color_system="standard", force_terminal=True, record=True)
    show(plain)
    show(coloured)
    html = coloured.export_html(theme=THEME, code_format=PRE, inline_styles=True)
    return Page(_stripped(printed(plain)), _stripped(html))


def _stripped(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.rstrip().splitlines())


@dataclass(frozen=True)
class Table(Mapping[str, Any]):
    """Rows of words below a heading: the first column names a row, the others hold its numbers.

    `table[...]` is one of `numbers`: the same numbers, for those who compute with them.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""
    numbers: Mapping[str, Any] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Any:
        return self.numbers[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.numbers)

    def __len__(self) -> int:
        return len(self.numbers)

    def __repr__(self) -> str:
        return page(self._print).text

    def _print(self, console: Console) -> None:
        table = RichTable(box=None, pad_edge=False, padding=(0, 2, 0, 0))
        for number, column in enumerate(self.columns):
            table.add_column(column, justify="right" if number else "left", no_wrap=not number)
        for row in self.rows:
            table.add_row(*row)
        for part in (self.title, table, self.note):
            if part:
                console.print(part)

    def _repr_html_(self) -> str:
        head = self._row("th", self.columns)
        rows = "\n".join(self._row("td", row) for row in self.rows)
        note = f'\n<div style="opacity:.75;font-size:.9em">{escape(self.note)}</div>' if self.note else ""
        return f"<div><b>{escape(self.title)}</b></div>\n<table>\n{head}\n{rows}\n</table>{note}"

    @staticmethod
    def _row(tag: str, cells: Sequence[str]) -> str:
        """Words may be broken where a page is narrow, a number stays with its unit."""
        aligned = zip(cells, ["left", *["right"] * (len(cells) - 1)], strict=True)
        shown = []
        for cell, side in aligned:
            style = CELL.format(wrap="nowrap" if cell[:1].isdigit() else "normal", align=side)
            shown.append(f'<{tag} style="{style}">{escape(cell)}</{tag}>')
        return f"<tr>{''.join(shown)}</tr>"


def code(source: str, title: str, language: str) -> Page:
    """Highlighted source on a light ground of its own, below a line that says what it is."""
    source = source.strip("\n")
    ground = (
        f"{MONO};white-space:pre;overflow-x:auto;background:#f7f7f4;color:#1f2328;padding:.6em .8em;line-height:1.35;"
        "border-radius:4px"
    )
    lines = "\n".join(coloured(source, language, lambda kind: f'style="color:{COLOURS[kind]}"'))
    heading = f'<div style="opacity:.75;font-size:.9em">{escape(title)}</div>'
    return Page(source, f'{heading}\n<pre style="{ground}">{lines}</pre>')


def folded(title: str, content: Page, *, is_open: bool = False) -> Page:
    """A page behind its title, which opens it; as text the title alone."""
    state = " open" if is_open else ""
    return Page(title, f"<details{state}><summary>{escape(title)}</summary>\n{content.html}\n</details>")
