"""A committed notebook as a page of Markdown: its cells, and their outputs as they are stored."""

from __future__ import annotations

import base64
import json
import re
from html import escape
from pathlib import Path
from typing import Any

from grader.report.pages import COLOURS

Json = dict[str, Any]
TERMINAL = re.compile(r' style="color: ?(#\w+)[^"]*?(font-weight: bold)?"')
CLASSES = {"#7f7f7f": "dim", "#228b54": "good", "#90c5a9": "good", "#d64541": "bad", "#eaa2a0": "bad",
           "#bf8700": "warn", "#dfc37f": "warn"}  # fmt: skip  # as rich writes them, for white paper
CLASSES |= {colour: kind for kind, colour in COLOURS.items()}  # and those of source code
SOURCE = re.compile(r'<pre style="[^"]*background:#[^"]*"')  # which has a light ground of its own in a notebook
# A folded solution, whose kernel the lesson's page has, too: a page with all of them twice would be a megabyte.
SOLUTION = re.compile(
    r"(<details><summary>.*?</summary>\n<div[^>]*>)kernels/([\w/.]+)(</div>\n)<pre.*?</pre>", re.DOTALL
)
LONG = 40  # lines: a cell that begins with a whole rung is folded, and plain
KERNEL = "%%kernel"  # the cell magic: what follows is CUDA


def page(file: Path, pictures: Path) -> str:
    """The notebook's text; its pictures are written to the folder `pictures`, which lies beside the page."""
    cells = json.loads(file.read_text())["cells"]
    return "\n\n".join(part for cell in cells for part in _cell(cell, pictures))


def _cell(cell: Json, pictures: Path) -> list[str]:
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        return [source]
    language = "cuda" if source.startswith(KERNEL) else "ipython3"
    outputs = [_output(output, f"{cell['id']}-{i}.png", pictures) for i, output in enumerate(cell["outputs"])]
    if source.startswith(KERNEL) and (lines := source.count("\n")) > LONG:
        folded = f"<details><summary>{escape(source.partition(chr(10))[0])}: {lines} lines to begin with</summary>"
        return [folded, fenced(source, "text"), "</details>", *outputs]
    return [fenced(source, language), *outputs]


def fenced(text: str, language: str) -> str:
    """A block of code, in a fence that is longer than any within it."""
    fence = "`" * max(3, *(len(each) + 1 for each in re.findall(r"^`+", text, re.MULTILINE)), 3)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def html(text: str) -> str:
    """HTML that Markdown leaves alone, blank lines and all."""
    return fenced(text, "{raw} html")


def _output(output: Json, name: str, pictures: Path) -> str:
    data = output.get("data", {"text/plain": output.get("text", "")})
    plain = "".join(data.get("text/plain", ""))
    if "image/png" in data:
        pictures.mkdir(exist_ok=True)
        (pictures / name).write_bytes(base64.b64decode("".join(data["image/png"])))
        said = "a figure made by the code above" if plain.startswith("<Figure") else plain
        return f"```{{image}} {pictures.name}/{name}\n:alt: {json.dumps(said, ensure_ascii=False)}\n:class: output\n```"
    if "text/markdown" in data:
        return "".join(data["text/markdown"])
    if "text/html" in data:
        made = SOLUTION.sub(_on_the_lessons_page, _recoloured("".join(data["text/html"])))
        scrolls = ' wide" tabindex="0' if "<table" in made else ""
        return html(f'<div class="output{scrolls}">{made}</div>')
    return html(f'<div class="output"><pre>{escape(plain)}</pre></div>')


def _recoloured(text: str) -> str:
    """Colours of a terminal and of source code as classes, so that they can be read on dark pages, too."""

    def made(match: re.Match[str]) -> str:
        known = CLASSES.get(match[1])
        return f' class="{known}{" strong" if match[2] else ""}"' if known else match[0]

    return TERMINAL.sub(made, SOURCE.sub('<pre class="source"', text))


def _on_the_lessons_page(match: re.Match[str]) -> str:
    lesson, *task, file = match[2].removesuffix(".cu").split("/")
    number, _, name = file.partition("_")
    anchor = "-".join([*task, "rung", number, name]).replace("_", "-")
    link = f'<a href="../lessons/{lesson}.html#{anchor}">kernels/{match[2]}</a>'
    return f"{match[1]}{link}{match[3]}"
