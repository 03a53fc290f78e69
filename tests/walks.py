"""The walks of docs/view.md: what opens, which keys are pressed, and what the page then says.

`python -m tests.walks` goes them in a browser and draws the pictures of that page, docs/walks/*.png.
"""

from __future__ import annotations

import io
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grader.course import catalog
from grader.faces.view import view
from tests.browser import Browser

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs" / "walks"
WIDTH, HEIGHT = 1120, 960  # pixels
COLOURS = 64
MOST_BYTES = 60_000  # of a picture

Stop = tuple[str, str, str]  # the key that leads there ("" for none), a part of the source's line, what the page says


@dataclass(frozen=True)
class Walk:
    """A page of `ladder view`, and its stops one after another. The picture shows the one with the number `drawn`."""

    name: str
    lesson: str
    stops: tuple[Stop, ...]
    drawn: int = 0
    asked: dict[str, Any] = field(default_factory=dict)
    mistake: str = ""

    def page(self) -> str:
        """As `ladder view` makes it."""
        entry = catalog.find(self.lesson, ROOT)
        whole = next((each.whole for each in entry.mistakes if each.name == self.mistake), None)
        return view(entry, whole, **self.asked).html


ROWS = "loads x (global memory): 32 lanes, 4 bytes each. It takes 32 sectors, where 4 would do."
ROUNDS = "stores to As (shared memory): 32 lanes, 4 bytes each. It takes 2 wavefronts, where 1 would do."
WRITES, READS = "stores to As (shared memory)", "loads As (shared memory)"
WALKS = (
    Walk("slow_rows", "03", (("", "sum += x[", ROWS), ("ArrowDown", "sum += x[", ROWS)),
         asked={"task": "row_sum", "rung": 1}),
    Walk("bank_conflict", "04", (("", "As[a_col][a_row] =", ROUNDS), ("n", "As[a_col + 1][a_row] =", ROUNDS)),
         asked={"rung": 6}),
    Walk("race", "04", (("", "As[y][x] = at(", WRITES), ("o", "sum += As[", READS), ("o", "As[y][x] = at(", WRITES)),
         drawn=1, mistake="no_second_barrier"),
)  # fmt: skip


def gone(walk: Walk, browser: Browser, folder: Path) -> Iterator[tuple[str, str]]:
    """Goes a walk; at each stop the source's line where the page stands, and what it says of that step."""
    file = folder / f"{walk.name}.html"
    file.write_text(walk.page())
    browser.open(file, WIDTH, HEIGHT)
    for key, _, _ in walk.stops:
        for kind in ("keyDown", "keyUp") if key else ():
            browser.ask("Input.dispatchKeyEvent", type=kind, key=key)
        settled(browser)
        line = browser.value("document.querySelector('.source .here span').textContent")
        yield line, browser.value("document.querySelector('.words').textContent")


def settled(browser: Browser) -> None:
    """Waits until a step is shown, and what was asked for since is drawn, too."""
    shown = """new Promise((done) => {
        const look = () => (document.querySelector('.words')?.textContent
            ? requestAnimationFrame(() => requestAnimationFrame(done)) : setTimeout(look, 50));
        look();
    })"""
    browser.ask("Runtime.evaluate", expression=shown, awaitPromise=True)


def smaller(picture: bytes) -> bytes:
    """A screenshot as far as it fits, as a PNG of few colours, which keeps those of small places."""
    from PIL import Image  # matplotlib brings it

    image = Image.open(io.BytesIO(picture)).convert("RGB").crop((0, 0, WIDTH, HEIGHT))
    small = io.BytesIO()
    image.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, kmeans=2).save(small, "PNG", optimize=True)
    return small.getvalue()


def main() -> None:
    PICTURES.mkdir(exist_ok=True)
    with Browser() as browser, tempfile.TemporaryDirectory() as folder:
        for walk in WALKS:
            for number, (line, words) in enumerate(gone(walk, browser, Path(folder))):
                print(f"{walk.name}, {number}: {line.strip()}: {words}")
                if number == walk.drawn:
                    (PICTURES / f"{walk.name}.png").write_bytes(smaller(browser.picture()))


if __name__ == "__main__":
    main()
