"""A kernel of the course, shown: the reference to those who have passed, or a mistake."""

from __future__ import annotations

from rich.console import Console
from rich.syntax import Syntax
from rich.text import Text

from grader.report.terminal import DIM


def show_solution(console: Console, source: str, name: str, language: str = "cuda") -> None:
    """The source, coloured on a terminal; piped, exactly the file's text, so that it can be saved and graded."""
    if not console.is_terminal:
        print(source, end="")
        return
    console.print(Text(name, DIM))
    console.print(Syntax(source.rstrip("\n"), language, theme="ansi_dark", background_color="default", word_wrap=True))
