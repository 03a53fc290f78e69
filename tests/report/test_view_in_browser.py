"""The page of `ladder view` in Chromium: pixels, two sides, who wants less motion, who sees fewer colours."""

from __future__ import annotations

import io
import itertools

import numpy as np
import pytest

from grader.devices.emulator.recording import steps_from_json
from grader.report.viewer.page import Side, dumps
from grader.report.viewer.places import Part
from tests.browser import Browser, find
from tests.report.test_viewer import SHAPE, page, recorded, row, waited_for
from tests.test_site import violations

pytestmark = pytest.mark.skipif(not find(), reason="needs Chromium")
STRIDED = [128 * lane for lane in range(32)]
CELL = """(() => { const { left, top, width, height } = document.querySelector('%s').getBoundingClientRect();
    return [left + scrollX, top + scrollY, width, height]; })()"""
COLOUR = "getComputedStyle(document.documentElement).getPropertyValue('--%s').trim()"
# Those that stand beside each other in a picture and mean different things.
PAIRS = [("asked", "wasted"), ("asked", "conflict"), ("asked", "shared"), ("asked", "ground"), ("conflict", "ground"),
         ("shared", "ground"), ("wasted", "ground"), ("shared", "copy")]  # fmt: skip
# Viénot, Brettel and Mollon 1999: what is left of linear red, green and blue without the long, or the middle, cones.
LACKING = {"protanopia": [[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]],
           "deuteranopia": [[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]]}  # fmt: skip
APART = 20  # of CIELAB's units: neighbours in a picture of which a look shows that they differ


@pytest.fixture
def shown(tmp_path):
    loads = [row("load", line=2, array=0, size=4, places=STRIDED) for _ in range(60)]
    file = tmp_path / "page.html"
    file.write_text(page(recorded(row("block", line=1), *loads)))
    return file


def pixels(browser: Browser) -> np.ndarray:
    """The whole page, [row, column, channel]."""
    from PIL import Image  # matplotlib brings it

    return np.asarray(Image.open(io.BytesIO(browser.picture())).convert("RGB"))


def rgb(colour: str) -> tuple[int, ...]:
    return tuple(int(colour[at : at + 2], 16) for at in (1, 3, 5))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_lane_that_works_and_its_turn_in_the_strip_have_their_colour(browser, shown, scheme):
    browser.open(shown, 1200, scheme=scheme)
    waited_for(browser)
    browser.value("document.querySelector('[data-go=after]').click()")
    waited_for(browser, "loads x")
    picture, asked = pixels(browser), rgb(browser.value(COLOUR % "asked"))
    wasted, ground = rgb(browser.value(COLOUR % "wasted")), rgb(browser.value(COLOUR % "ground"))
    left, top, width, height = map(int, browser.value(CELL % ".panel path.asked"))
    first = picture[top : top + height, left : left + width // 32]
    assert (first == asked).all(axis=2).mean() > 0.5  # the rest is the lane's number
    left, top, width, height = map(int, browser.value(CELL % ".panel path.wasted"))
    assert (picture[top : top + height, left : left + width] == wasted).all(axis=2).any()
    left, top, width, height = map(int, browser.value(CELL % ".timeline canvas"))
    strip = (picture[top : top + height, left : left + width] == asked).all(axis=2)
    assert strip.any(axis=0).mean() > 0.9  # loads from the second step to the end
    assert tuple(picture[2, 2]) == ground


def test_keys_go_to_the_side_that_was_used_last(browser, tmp_path):
    data = [recorded(row("block", line=1), row("load", line=line, array=0, size=4, places=STRIDED)) for line in (2, 3)]
    sides = [Side(f"{name}.cu", "", "a\nb\nc\n", [Part(0, "k", SHAPE, steps_from_json(each))], [], [])
             for name, each in zip(("mine", "rung"), data, strict=True)]  # fmt: skip
    file = tmp_path / "two.html"
    file.write_text(dumps(sides, "Two", "two"))
    browser.open(file, 1400)
    waited_for(browser)
    counts = "[...document.querySelectorAll('.count')].map((each) => each.textContent[0])"
    boxes = "[...document.querySelectorAll('.side')].map((each) => each.getBoundingClientRect().left)"
    assert browser.value(counts) == ["1", "1"] and len(set(browser.value(boxes))) == 2  # beside each other
    for side, after in ((1, ["1", "2"]), (0, ["2", "2"])):
        browser.value(f"document.querySelectorAll('.side')[{side}].focus()")
        for kind in ("keyDown", "keyUp"):
            browser.ask("Input.dispatchKeyEvent", type=kind, key="ArrowRight")
        frames = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
        browser.ask("Runtime.evaluate", expression=frames, awaitPromise=True)
        assert browser.value(counts) == after
    assert violations(browser) == [] and browser.complaints == []


def test_it_plays_slowly_where_the_system_asks_for_less_motion(browser, shown):
    went = {}
    for motion in ("no-preference", "reduce"):
        browser.open(shown, 1200)
        asked = [{"name": "prefers-reduced-motion", "value": motion}]
        browser.ask("Emulation.setEmulatedMedia", features=asked)
        browser.ask("Page.reload")
        waited_for(browser, "goes on")
        browser.value("document.querySelector('[data-go=play]').click()")
        wait = "new Promise((done) => setTimeout(done, 2600))"
        browser.ask("Runtime.evaluate", expression=wait, awaitPromise=True)
        went[motion] = int(browser.value("document.querySelector('.slider').value"))
    assert went["reduce"] - 1 <= 6 < went["no-preference"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_neighbours_stay_apart_for_the_colour_blind(browser, shown, scheme):
    browser.open(shown, 1200, scheme=scheme)
    found = {name: np.array(rgb(browser.value(COLOUR % name))) for name in {*itertools.chain(*PAIRS)}}
    close = [
        (lacking, *pair)
        for (lacking, matrix), pair in itertools.product(LACKING.items(), PAIRS)
        if np.linalg.norm(lab(found[pair[0]], matrix) - lab(found[pair[1]], matrix)) < APART
    ]
    assert close == []
    red, green = (np.array(each) for each in ((200, 60, 60), (90, 90, 60)))  # which this look does not let through
    assert np.linalg.norm(lab(red, LACKING["protanopia"]) - lab(green, LACKING["protanopia"])) < APART


def lab(colour: np.ndarray, matrix: list[list[float]]) -> np.ndarray:
    """CIELAB of what someone sees of a colour, 0 to 255, D65."""
    part = colour / 255
    linear = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
    seen = np.clip(np.array(matrix) @ linear, 0, 1)
    xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]) @ seen
    x, y, z = np.cbrt(np.maximum(xyz / np.array([0.9505, 1, 1.089]), 1e-9))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])
