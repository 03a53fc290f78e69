"""The rooms of the grader and which way imports run between them; draws the picture of docs/architecture.md.

    python -m docs.structure

tests/test_structure.py holds the code to it.
"""

from __future__ import annotations

import ast
import functools
import re
from itertools import product
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "grader"
PAGE = ROOT / "docs" / "architecture.md"
# From the top floor to the bottom. A room imports from lower floors only.
FLOORS = [
    ["emulate"],
    ["faces"],
    ["classroom"],
    ["grade", "report"],
    ["model"],
    ["judge"],
    ["devices.submission", "devices.load", "devices.nvidia"],
    ["devices.worker"],
    ["devices.emulator", "devices.cuda"],
    ["devices.build"],
    ["devices.cache", "devices.buffers"],
    ["devices.evidence"],
    ["course"],
]
FLOOR_OF = {room: number for number, floor in enumerate(FLOORS) for room in floor}


def room(module: str) -> str:
    """The room that a module is in; "" for the package itself."""
    return next((room for room in FLOOR_OF if f"{module}.".startswith(f"grader.{room}.")), "")


def modules() -> dict[str, Path]:
    """Every module of the grader by its dotted name."""
    files = {".".join(file.relative_to(ROOT).with_suffix("").parts): file for file in PACKAGE.rglob("*.py")}
    return {name.removesuffix(".__init__"): file for name, file in files.items()}


@functools.cache
def syntax(file: Path) -> ast.Module:
    return ast.parse(file.read_text())


@functools.cache
def imports(file: Path) -> frozenset[str]:
    """The names of the grader that a file imports, wherever it does: `grader.judge.verdict.Grade`."""
    found = set()
    for node in ast.walk(syntax(file)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return frozenset(name for name in found if name.startswith("grader."))


def arrows() -> set[tuple[str, str]]:
    """Which room imports from which."""
    every = {(room(module), room(name)) for module, file in modules().items() for name in imports(file)}
    return {(above, below) for above, below in every if above and below and above != below}


def drawn(every: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """The arrows without those that follow from others (the transitive reduction)."""
    reached = set(every)
    for middle, above, below in product(FLOOR_OF, repeat=3):
        if (above, middle) in reached and (middle, below) in reached:
            reached.add((above, below))
    by_way = {(a, c) for a, b in every for b2, c in reached if b == b2}
    return every - by_way


def mermaid() -> str:
    """The picture, as GitHub draws it."""
    names = {name: f"{name.replace('.', '_')}_" for name in FLOOR_OF}
    lines = ["```mermaid", "flowchart TD"]
    lines += [f'    {names[name]}["{name.replace(".", "/")}"]' for floor in FLOORS for name in floor]
    order = sorted(drawn(arrows()), key=lambda arrow: (FLOOR_OF[arrow[0]], FLOOR_OF[arrow[1]], arrow))
    return "\n".join([*lines, *(f"    {names[above]} --> {names[below]}" for above, below in order), "```", ""])


def renewed(page: str) -> str:
    """The page with its picture made anew."""
    pattern = r"(<!-- begin picture -->\n).*?(<!-- end picture -->)"
    text, found = re.subn(pattern, lambda match: match[1] + mermaid() + match[2], page, flags=re.DOTALL)
    assert found == 1, f"{PAGE.name} has no place for the picture"
    return text


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text()))
