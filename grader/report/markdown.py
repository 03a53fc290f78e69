"""Hints, which are written in Markdown, on a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.markdown import Markdown
from rich.theme import Theme


def show_markdown(console: Console, text: str) -> None:
    """Prints Markdown in the terminal's own colours, wrapped to its width."""
    with console.use_theme(Theme({"markdown.code": "bold", "markdown.code_block": "default"})):
        console.print(Markdown(text, code_theme="ansi_dark", inline_code_theme=None))
