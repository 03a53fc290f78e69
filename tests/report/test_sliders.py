"""The sliders of notebooks and site say what the emulator's definitions and NVIDIA's limits give, in both languages."""

from __future__ import annotations

import json
import re
import shutil
import subprocess

import pytest

from docs.site.sources import ROOT, SLIDERS
from grader.course.catalog import UsageError
from grader.report.sliders import asked, bundle, machines, slider

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(not NODE, reason="needs node, which runs the page's JavaScript here")
CARD = {
    "copy": 4e12,
    "read": 4e12,
    "fp32": 5e13,
    "bf16": 8e14,
    "latency": 4e-7,
    "multiprocessors": 100,
    "measured": True,
}
CARDS = {"H200": CARD, "H100": CARD | {"copy": 3e12, "read": 3e12, "measured": False}}


def said(*wanted):
    """What sliders say in a browser: for each (name, inputs) a sentence, which is the one that Python says."""
    script = re.search(r"<script>(.*)</script>", bundle(CARDS), re.DOTALL)[1].strip().removesuffix("}")
    program = (
        f"self = {{}};{script}; console.log(JSON.stringify({json.dumps(wanted)}.map((one) => looked(...one).says)));}}"
    )
    done = subprocess.run([NODE, "-"], input=program, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    for (name, given), sentence in zip(wanted, found, strict=True):
        assert slider(name, CARDS, given).text.endswith(f"\n{sentence}"), (name, given)
    return found


def test_sectors_and_banks():
    pushed, wanted = [], []
    for stride in (0, 1, 2, 8, 32):
        for offset in (0, 4, 32):
            for width in (4, 8, 16):
                pushed.append(("sectors", {"stride": stride, "offset": offset, "width": width}))
                starts = {offset + lane * stride * width for lane in range(32)}
                wanted.append(len({byte // 32 for start in starts for byte in range(start, start + width)}))
    for pitch in (32, 33, 34, 40):
        for swizzle in ("no", "yes"):
            pushed.append(("banks", {"pitch": pitch, "swizzle": swizzle, "column": 5}))
            words = [row * pitch + (5 ^ row if swizzle == "yes" else 5) for row in range(32)]
            wanted.append(max(sum(word % 32 == bank for word in words) for bank in range(32)))
    sentences = said(*pushed)
    found = [int(re.search(r"(\d+) (?:sector|wavefront)", each)[1]) for each in sentences]
    assert found == wanted


def test_the_others_say_what_can_be_worked_out_by_hand():
    held, by_registers, by_memory, tiles, waves, law = said(
        ("occupancy", {}),
        ("occupancy", {"registers": 128}),
        ("occupancy", {"shared": 56}),  # as notebook 03 has it: 50 %
        ("roofline", {"m": 1024, "n": 1024, "k": 1024, "tile": 1}),
        ("waves", {"m": 1000, "n": 1000, "tile": 128, "resident": 1}),
        ("little", {"warps": 64, "loads": 1, "width": 4}),
    )
    assert held == "8 blocks, 64 warps of 64: an occupancy of 100 %, limited by threads and registers."
    assert by_registers == "2 blocks, 16 warps of 64: an occupancy of 25 %, limited by registers."
    assert by_memory == "4 blocks, 32 warps of 64: an occupancy of 50 %, limited by shared memory."
    assert tiles.startswith("0.250 flop a byte") and tiles.endswith("Memory sets the pace.")
    assert waves.startswith("64 blocks in 1 wave of 100: 95 % of the tiles") and "64 % of the places" in waves
    assert "8.19 KB are on their way" in law and "16.0 KB would do" in law and "51 %" in law


def test_every_choice_says_the_same_in_python_and_in_the_browser():
    known = asked()["sliders"]
    assert set(known) == set(SLIDERS)
    every = [(name, {key: choice}) for name in known for key, (_, choices, _) in known[name]["inputs"].items()
             for choice in choices]  # fmt: skip
    slow = ("roofline", {"m": 16384, "n": 16384, "k": 16384, "tile": 1})
    assert said(*every, slow)[-1].endswith("memory takes 8.80 s, arithmetic 176 ms. Memory sets the pace.")


def test_a_slider_says_what_it_begins_with_and_its_script_is_small():
    page = slider("banks", CARDS, {"pitch": 33, "swizzle": "no"})
    assert page.text.splitlines()[1] == "words from row to row: 33, column: 0, swizzle (column xor row): no"
    assert page.html.count("1 wavefront, where 1 would do") == 1 and len(page.html) < 1000
    script = bundle(CARDS)
    assert len(script) < 16_000 and "http" not in script and script.count("</script>") == 1


@pytest.mark.parametrize(("name", "given", "why"), [
    ("bank", {}, "there is no slider `bank`: there are sectors, banks, "),
    ("banks", {"row": 1}, "the slider banks has no input `row`: it has pitch, column, swizzle"),
    ("banks", {"pitch": 31}, "pitch of the slider banks is one of 32, 33, 34, 36, 40, 48, 64, not 31"),
])  # fmt: skip
def test_wrong_questions(name, given, why):
    with pytest.raises(UsageError) as error:
        slider(name, CARDS, given)
    assert str(error.value).startswith(why)


def test_a_card_that_is_not_measured_is_told_as_a_range():
    half = {"m": 1024, "n": 1024, "k": 1024, "card": "H100"}
    memory, either, law, enough = said(
        ("roofline", half | {"tile": 1}),
        ("roofline", half | {"tile": 32}),
        ("little", {"warps": 64, "loads": 1, "width": 4, "card": "H100"}),
        ("little", {"warps": 64, "loads": 8, "width": 16, "card": "H100"}),
    )
    assert "memory takes 1.43 ms to 5.73 ms, arithmetic 21.5 µs to 85.9 µs. Memory sets the pace. This card" in memory
    assert "memory takes 45.4 µs to 182 µs" in either and "Either may set the pace." in either
    assert law.startswith(
        "8.19 KB are on their way to each multiprocessor: at most 34 % to 100 % of what memory gives."
    )
    assert "multiprocessor: at most 100 % of what memory gives." in enough
    assert "6.00 KB to 24.0 KB would do. This card is not measured" in law and "TB/s" not in law


def test_the_cards_are_those_of_the_course():
    cards = machines(ROOT)
    choices = asked()["sliders"]["roofline"]["inputs"]["card"][1]
    assert list(cards) == choices == asked()["sliders"]["little"]["inputs"]["card"][1]
    assert {name: card["measured"] for name, card in cards.items()} == {"H200": True, "H100": True}
    h200, h100 = cards.values()
    assert set(h200) == set(h100) == set(CARD) and h200["multiprocessors"] == h100["multiprocessors"] == 132
    assert 4e12 < h200["copy"] < 4.8e12 and 3e-7 < h200["latency"] < 4e-7
    assert 2e12 < h100["copy"] < 3.35e12 and 3e-7 < h100["latency"] < 4e-7
