"""Measures the page of `ladder view` in a headless Chromium: `python -m benchmarks.viewer [LESSON:TASK ...]`.

For the top rung of each, as it is and with its steps repeated up to 100,000: milliseconds from the navigation to the
first paint and to the first step that is shown; then, for one step further and for a jump of the slider, the page's
processor time (at most 16.7 for 60 frames a second), of which script, and the median between two frames.
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

from grader.course import catalog
from grader.devices.emulator.recording import Steps
from grader.faces import view
from tests.browser import Browser
from tests.walks import settled

LESSONS = ("01", "03:row_sum", "04", "08:attention", "09:matmul_bf16")
STEPS, LONG = 120, 100_000
FURTHER = "document.querySelector('[data-go=on]').click()"
JUMP = """const slider = document.querySelector('.slider');
    slider.value = (left * 7919 * 13) % slider.max, slider.dispatchEvent(new Event('input'))"""
PAINT = """new Promise((done) => new PerformanceObserver((seen) => done(seen.getEntries()[0].startTime))
    .observe({ type: 'paint', buffered: true }))"""
FRAMES = """new Promise((done) => {
    let left = %d, last = performance.now();
    const between = [];
    const next = (now) => {
        between.push(now - last), last = now;
        if (left-- <= 0) return done(between.sort((a, b) => a - b)[between.length >> 1]);
        %s;
        requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
})"""


def longer(side: Any) -> Any:
    """The same steps again and again, as if the kernel had a longer loop."""
    part = side.parts[0]
    steps, times = part.steps, -(-LONG // len(part.steps.table))
    table = np.tile(steps.table, (times, 1))
    return replace(side, parts=[replace(part, steps=Steps(table, np.tile(steps.places, times), steps.arrays, False))])


def pages(name: str) -> list[tuple[str, str]]:
    """A lesson's page as it is, and with 100,000 steps."""
    lesson, _, task = name.partition(":")
    made: list[int] = []
    record = view._side

    def recorded(*what: Any) -> tuple[Any, str]:
        side, case = record(*what)
        made.append(len(side.parts[0].steps.table))
        return longer(side) if len(made) > 1 else side, case

    with mock.patch.object(view, "_side", recorded):
        short, long = (view.view(catalog.find(lesson), task=task or None, reference=True).html for _ in range(2))
    return [(f"{made[0]:,}", short), (f"{LONG:,}", long)]


def spent(browser: Browser) -> dict[str, float]:
    """Seconds of the page's main thread since it began."""
    return {each["name"]: each["value"] for each in browser.ask("Performance.getMetrics")["metrics"]}


def waited(browser: Browser, promise: str) -> float:
    """What the page promises."""
    found = browser.ask("Runtime.evaluate", expression=promise, awaitPromise=True, returnByValue=True)
    return float(found["result"]["value"])


def moving(browser: Browser, how: str) -> str:
    """Milliseconds for one such move."""
    before = spent(browser)
    frame = waited(browser, FRAMES % (STEPS, how))
    after = spent(browser)
    task, script = (1000 * (after[each] - before[each]) / STEPS for each in ("TaskDuration", "ScriptDuration"))
    return f"{task:7.1f} {script:7.1f} {frame:7.1f}"


def measure(browser: Browser, file: Path) -> str:
    """A row of the table."""
    browser.ask("Performance.enable", timeDomain="threadTicks")
    browser.open(file, 1200, 900)
    settled(browser)
    shown = browser.value("performance.now()")
    paint = waited(browser, PAINT)
    return f"{paint:7.0f} {shown:7.0f} {moving(browser, FURTHER)} {moving(browser, JUMP)}"


def main() -> None:
    columns = ("paint", "shown", "a step", "script", "frame", "a jump", "script", "frame")
    print(f"{'milliseconds':24}{'steps':>9}", *(f"{each:>7}" for each in columns))
    with Browser() as browser, tempfile.TemporaryDirectory() as folder:
        for name in sys.argv[1:] or LESSONS:
            for steps, html in pages(name):
                file = Path(folder) / "page.html"
                file.write_text(html)
                print(f"{name:24}{steps:>9} {measure(browser, file)}")


if __name__ == "__main__":
    main()
