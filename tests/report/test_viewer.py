"""The page of `ladder view`: its JavaScript works out what the emulator's definitions say, and it needs no network."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from base64 import b64encode
from hashlib import sha256

import numpy as np
import pytest

from grader.devices.emulator import fragments
from grader.devices.emulator.kinds import SPACES, STEPS
from grader.devices.emulator.recording import BlockToRecord, describe, from_json, steps_from_json
from grader.devices.evidence import Finding
from grader.report.viewer.page import HERE, MOST_BYTES, Side, dumps
from grader.report.viewer.places import Part, Shape, place
from tests.browser import Browser, find

NODE = shutil.which("node")
with_node = pytest.mark.skipif(not NODE, reason="needs node, which runs the page's JavaScript here")
FULL, LOW = 0xFFFFFFFF, 0x0000FFFF
SHAPE = Shape((2, 1, 1), (64, 1, 1))
ARRAYS = [{"name": "x", "space": SPACES.index("global"), "bytes": 1 << 20, "start": 32},
          {"name": "k()::s", "space": SPACES.index("shared"), "bytes": 8192, "start": 16}]  # fmt: skip
FIRST = BlockToRecord()


def row(kind, line=1, warp=0, array=-1, size=0, mask=FULL, places=(), block=0):
    return [block, warp, 0, line, STEPS.index(kind), array, size, mask, len(places)], list(places)


def recorded(*rows, arrays=ARRAYS):
    """The way that a recording takes from the runtime to the judge."""
    steps, places = zip(*rows, strict=True)
    part = {"cut": False, "arrays": arrays, "steps": np.array(steps, np.int64).ravel()}
    part["places"] = np.array([each for step in places for each in step], np.int64)
    launches = [{"kernel": "k", "grid": SHAPE.grid, "block": SHAPE.threads}]
    return describe({"launches": launches, "recording": [part]}, FIRST, lambda pc: None)


def page(data, findings=(), source="a\nb\nc\n"):
    side = Side("mine.cu", "Case n=1.", source, [Part(0, "k", SHAPE, steps_from_json(data))], findings, [])
    return dumps([side], "A lesson: k", "`mine.cu`")


def in_node(html, expression):
    """What an expression gives once `side` is the page's first one."""
    data = re.search(r'id="data">([^<]*)<', html)[1]
    scripts = "\n".join((HERE / name).read_text() for name in ("decode.js", "touches.js", "layout.js", "draw.js"))
    show = f"(({{ sides: [side] }}) => console.log(JSON.stringify({expression})))"
    program = f"{scripts}\ndecode({json.dumps(data)}).then{show};"
    done = subprocess.run([NODE, "-"], input=program, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def accesses():
    """Loads, stores and atomics of all sizes, with strides, at one place, at places drawn by chance."""
    draw = np.random.default_rng(7)
    for array in (0, 1):
        for kind in ("load", "store", "atomic"):
            for size in (1, 4, 8, 16):
                for stride in (0, 1, 2, 33):
                    yield row(kind, array=array, size=size, places=[size * stride * lane % 8000 for lane in range(32)])
                some = draw.integers(0, 500, 16).tolist()
                yield row(kind, array=array, size=size, mask=LOW, places=[size * place for place in some])


@with_node
def test_sectors_and_banks_are_those_of_the_emulator():
    data = recorded(*accesses())
    steps = from_json(data, "n=1", FIRST, "").steps
    found = in_node(page(data), """Array.from({ length: side.steps }, (_, i) => {
        const step = stepAt(side, i), shared = step.space === 'shared';
        return { lanes: step.lanes, offsets: step.offsets, sectors: plainSectors(step), cost: costOf(step).cost,
                 phases: shared ? phases(step) : null };
    })""")  # fmt: skip
    assert len(found) == len(steps) > 100
    for step, seen in zip(steps, found, strict=True):
        assert (tuple(seen["lanes"]), tuple(seen["offsets"])) == (step.lanes, step.offsets)
        assert seen["sectors"] == len(step.sectors)
        if step.space == "shared":
            assert [tuple(lanes) for lanes in seen["phases"]] == list(step.rounds)
            assert seen["cost"] == step.wavefronts


@with_node
def test_who_waits_copies_and_sums():
    even = 0x55555555
    data = recorded(
        row("block", line=1),
        row("block", line=2, mask=LOW),
        row("load", line=3, array=0, size=4, mask=even & LOW, places=[4 * lane for lane in range(8)]),
        row("block", line=5, mask=LOW),
        row("copy", line=6, array=1, size=4, places=[4 * lane for lane in range(32)]),
        row("landed", line=7, array=1, size=4, places=[4 * lane for lane in range(32)]),
        row("load", line=3, array=0, size=4, places=[128 * lane for lane in range(32)]),
    )
    tree, copies, sums, said = in_node(
        page(data),
        """[divergence(side, 2), copiesIn(side, inScope(side, 0, null)),
        (() => { const sums = running(side); sums.run(7); return [sums.at(2), sums.at(6)]; })(),
        words(side, stepAt(side, 6))]""",
    )
    assert [(level["line"], level["mask"]) for level in tree] == [(1, FULL), (2, LOW), (3, even & LOW)]
    assert tree[0]["waiting"] == [{"line": 6, "mask": FULL - LOW}]
    assert tree[1]["waiting"] == [{"line": 5, "mask": LOW & ~even}]
    assert [(copy["start"], copy["end"]) for copy in copies] == [(4, 5)]
    assert sums == [{"requests": 1, "cost": 1, "best": 1}, {"requests": 2, "cost": 33, "best": 5}]
    assert said.endswith("32 lanes, 4 bytes each. It takes 32 sectors, where 4 would do.")


@with_node
def test_a_product_shows_the_lanes_that_hold_it_and_own_variables_cost_nothing():
    own = [{"name": "", "space": SPACES.index("local"), "bytes": 64, "start": 0}]
    data = recorded(row("product", places=(1, 2, 1, 16, 2)), row("product"), row("matrices"),
                    row("load", array=0, size=4, places=[4 * lane for lane in range(32)]), arrays=own)  # fmt: skip
    held, pictures, said, cost = in_node(page(data), """[fragments(16, 2), [0, 1, 2, 3].map((i) =>
        PICTURES.filter((each) => each.when(stepAt(side, i))).map((each) => each.draw(stepAt(side, i)) && each.title)),
        [0, 1, 2, 3].map((i) => words(side, stepAt(side, i))), costOf(stepAt(side, 3)).cost]""")  # fmt: skip
    lanes = {name: table[:, :, 0] for name, table in fragments.places().items()}
    for name, columns in (("a", lanes["a"][:, ::2]), ("b", lanes["b"][::2]), ("c", lanes["c"])):
        assert held[name] == columns.tolist()
    assert [len(each) for each in pictures] == [2, 1, 1, 1] and pictures[0][1].startswith("Tensor core")
    assert said[0].endswith("on a tensor core: 16 × 16 by 16 × 16, added to 16 × 16 in 2 instructions.")
    assert said[1].endswith("multiplies on a tensor core.") and "pieces of matrices" in said[2]
    assert said[3].endswith("On a GPU they are registers, where nvcc knows each index.") and cost == 0


def test_both_sides_of_a_race_and_of_none():
    data = recorded(
        row("store", line=2, array=1, size=4, places=[4 * lane for lane in range(32)]),
        row("load", line=3, warp=1, array=1, size=4, places=[4 * lane for lane in range(32)]),
        row("store", line=2, array=1, size=4, places=[4 * lane for lane in range(32)]),
    )
    steps = steps_from_json(data)
    details = {"index": 5, "element_bytes": 4, "access": "write", "other_access": "read", "other_line": 3,
               "other_block": [0, 0, 0], "other_thread": [37, 0, 0]}  # fmt: skip
    race = Finding("race", "", line=2, block=(0, 0, 0), thread=(5, 0, 0), details=details)
    assert place(race, steps, SHAPE) == (2, 1)
    assert place(Finding("race", "", line=2, block=(1, 0, 0), thread=(5, 0, 0)), steps, SHAPE) == (-1, -1)
    assert place(Finding("leak", ""), steps, SHAPE) == (-1, -1)


def test_the_page_lets_itself_use_its_own_script_and_nothing_else():
    html = page(recorded(*accesses()), source='</script><script>alert("x")</script>')
    assert "alert" not in html
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', html)[1]
    script, style = (re.search(rf"<{tag}>(.*?)</{tag}>", html, re.DOTALL)[1] for tag in ("script", "style"))
    for what in (script, style):
        assert f"'sha256-{b64encode(sha256(what.encode()).digest()).decode()}'" in policy
    assert policy.startswith("default-src 'none';") and "unsafe" not in policy
    assert re.findall(r"https?://|url\(|@import|src=|<link", html) == []


@pytest.mark.slow
def test_a_long_recording_is_cut_and_the_page_says_so():
    draw = np.random.default_rng(1)
    rows = [row("load", array=0, size=4, places=draw.integers(0, 1 << 18, 32).tolist()) for _ in range(40_000)]
    html = page(recorded(*rows))
    assert len(html) < MOST_BYTES + 100_000
    if NODE:
        facts, steps = in_node(html, "[side.facts, side.steps]")
        assert "These are its first steps" in facts and 1000 < steps < 40_000


@pytest.mark.parametrize("spoil", [
    {"steps": "no base64"}, {"steps": "AAAA"}, {"places": ""}, {"arrays": []}, {"arrays": [{"name": "x"}]},
])  # fmt: skip
def test_what_is_no_recording(spoil):
    data = recorded(*accesses())
    data["parts"][0] |= spoil
    with pytest.raises((ValueError, KeyError, IndexError)):
        steps_from_json(data)


@pytest.mark.skipif(not find(), reason="needs Chromium")
def test_in_a_browser(tmp_path):
    strides = [row("load", line=3, array=0, size=4, places=[128 * lane for lane in range(32)])]
    data = recorded(
        row("block", line=1), *strides, row("barrier", line=2, warp=-1, mask=0), row("shuffle", places=range(32))
    )
    details = {"other_line": 1, "other_thread": [0, 0, 0], "other_block": [0, 0, 0]}
    race = Finding("race", "x is written twice", line=3, block=(0, 0, 0), thread=(1, 0, 0), details=details)
    file = tmp_path / "page.html"
    file.write_text(page(data, [race]))
    with Browser() as browser:
        for width, scheme in ((1200, "light"), (360, "dark")):
            browser.open(file, width, scheme=scheme)
            said = waited_for(browser)
            assert "where 4 would do" in said  # it opens at the finding
            assert "x is written twice" in browser.value("document.querySelector('.found').textContent")
            for key, words in (
                ("o", "goes on"),
                ("o", "32 sectors"),
                ("ArrowRight", "barrier"),
                ("End", "shuffle"),
                ("Home", "goes on"),
            ):
                browser.ask("Input.dispatchKeyEvent", type="keyDown", key=key)
                browser.ask("Input.dispatchKeyEvent", type="keyUp", key=key)
                assert words in waited_for(browser, words), key
            assert browser.value("document.documentElement.scrollWidth <= innerWidth")
            assert (browser.complaints, browser.requests) == ([], [file.as_uri()])


def waited_for(browser: Browser, words: str = "") -> str:
    """What the page says, once it says this (or for the first time)."""
    promise = f"""new Promise((done) => {{
        const look = () => {{
            const said = document.querySelector('.words')?.textContent;
            if (said && said.includes({json.dumps(words)})) done(said); else requestAnimationFrame(look);
        }};
        setTimeout(() => done('nothing'), 60000);
        look();
    }})"""
    answer = browser.ask("Runtime.evaluate", expression=promise, awaitPromise=True, returnByValue=True)
    return answer["result"]["value"]
