"""The page of `ladder view` on a phone: nothing is wider than the screen, and fingers do what keys do."""

from __future__ import annotations

import pytest

from grader.devices.evidence import Finding
from tests.browser import Browser, find
from tests.report.test_viewer import page, recorded, row, waited_for
from tests.test_site import violations
from tests.walks import settled

pytestmark = pytest.mark.skipif(not find(), reason="needs Chromium")
WIDTH, HEIGHT = 390, 844  # pixels
FINGER, LINE = 44, 24  # pixels: WCAG 2.2, 2.5.5 and 2.5.8
SMALL = """[...document.querySelectorAll('button, select, input, .timeline, .source .ran')].map((each) => {
    const { width, height } = each.getBoundingClientRect();
    return [each.className || each.textContent, width, height, each.matches('.ran, .timeline') ? %d : %d];
}).filter(([, width, height, least]) => Math.min(width, height) < least)"""
MIDDLE = """(() => { const each = document.querySelector('%s'); each.scrollIntoView({ block: 'center' });
    const { left, top, width, height } = each.getBoundingClientRect(); return [left, top, width, height]; })()"""


@pytest.fixture
def shown(tmp_path):
    """A page with a race, in a long source with long lines, and 400 further steps."""
    places = [128 * lane for lane in range(32)]
    loads = [row("load", line=5, array=0, size=4, places=places) for _ in range(400)]
    store = row("store", line=3, array=1, size=4, places=places)
    data = recorded(row("block", line=1), store, row("barrier", line=2, warp=-1, mask=0), *loads)
    race = {"other_line": 5, "other_thread": [0, 0, 0], "other_block": [0, 0, 0]}
    found = Finding("race", "x is written twice", line=3, block=(0, 0, 0), thread=(1, 0, 0), details=race)
    file = tmp_path / "page.html"
    file.write_text(page(data, [found], source="    int a_long_line = 1 + 2 + 3 + 4 + 5 + 6 + 7 + 8 + 9 + 10;\n" * 60))
    return file


def middle(browser: Browser, selector: str, at: float = 0.5) -> tuple[float, float]:
    """Where a thing is on the screen, once it is scrolled there: half down, and so far along its width."""
    for _ in range(2):  # what the last touch has changed is laid out; then what scrolling changes
        settled(browser)
        left, top, width, height = browser.value(MIDDLE % selector)
    return left + at * width, top + height / 2


def tap(browser: Browser, selector: str, at: float = 0.5) -> None:
    browser.swipe(middle(browser, selector, at))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_fits_is_large_enough_for_a_finger_and_axe_is_content(browser, shown, scheme):
    browser.open(shown, WIDTH, HEIGHT, scheme, touch=True)
    waited_for(browser, "stores to")
    assert browser.value("matchMedia('(pointer: coarse)').matches && devicePixelRatio === 3")
    assert browser.value("document.documentElement.scrollWidth") <= WIDTH
    assert browser.value(SMALL % (LINE, FINGER)) == []
    assert violations(browser, {"target-size": {"enabled": True}}) == []
    assert (browser.complaints, browser.requests) == ([], [shown.as_uri()])
    browser.open(shown, WIDTH, HEIGHT, scheme)  # by a mouse the buttons are smaller, which the look above would tell
    waited_for(browser, "stores to")
    assert browser.value(SMALL % (LINE, FINGER)) != []


def test_fingers_do_what_keys_do(browser, shown):
    browser.open(shown, WIDTH, HEIGHT, touch=True)
    waited_for(browser, "stores to")
    tap(browser, ".timeline canvas", 0.25)
    assert abs(waited_at(browser, 100) - 100) < 5
    tap(browser, ".looks .finding")
    waited_for(browser, "stores to")
    tap(browser, ".found button")
    assert "loads x" in waited_for(browser, "loads x")
    tap(browser, "[data-go=before]")
    assert "stores to" in waited_for(browser, "stores to")
    tap(browser, "[data-go=first]")
    waited_for(browser, "goes on")
    tap(browser, "[data-go=after]")
    waited_for(browser, "stores to")
    (x, y), (to, _) = middle(browser, ".slider", 0.01), middle(browser, ".slider", 0.75)
    browser.swipe((x, y), (x + 40, y), (to, y))
    waited_for(browser, "loads x")
    assert 280 < int(browser.value("document.querySelector('.slider').value")) < 330
    top = browser.value("scrollTo(0, 0), scrollY")
    browser.ask("Input.synthesizeScrollGesture", x=WIDTH / 2, y=HEIGHT / 2, yDistance=-300)
    assert browser.value("scrollY") > top


def waited_at(browser: Browser, step: int) -> int:
    """Where the slider is, once it is near this step."""
    promise = f"""new Promise((done) => {{
        const look = () => {{ const at = Number(document.querySelector('.slider').value);
            Math.abs(at - {step}) < 5 ? done(at) : setTimeout(look, 30); }};
        setTimeout(() => done(-1), 20000);
        look();
    }})"""
    answer = browser.ask("Runtime.evaluate", expression=promise, awaitPromise=True, returnByValue=True)
    return answer["result"]["value"]
