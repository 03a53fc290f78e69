"""The sliders of the site say what the emulator's definitions and NVIDIA's limits give."""

from __future__ import annotations

import json
import re
import shutil
import subprocess

import pytest

from docs.site.sources import SLIDERS, machine
from grader.report.viewer.page import HERE

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(not NODE, reason="needs node, which runs the page's JavaScript here")
CARD = {"copy": 4e12, "read": 4e12, "fp32": 5e13, "bf16": 8e14, "latency": 4e-7, "multiprocessors": 100}


def said(*asked):
    """What sliders say: for each (name, inputs) a sentence."""
    scripts = "\n".join((HERE / name).read_text() for name in ("layout.js", "sliders.js"))
    go = f"{json.dumps(asked)}.map(([name, given]) => looked(name, {json.dumps(CARD)}, given).says)"
    program = f"{scripts}\nconsole.log(JSON.stringify([{go}, SLIDERS]));"
    done = subprocess.run([NODE, "-"], input=program, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_sectors_and_banks():
    asked, wanted = [], []
    for stride in (0, 1, 2, 8, 32):
        for offset in (0, 4, 32):
            for width in (4, 8, 16):
                asked.append(("sectors", {"stride": stride, "offset": offset, "width": width}))
                starts = {offset + lane * stride * width for lane in range(32)}
                wanted.append(len({byte // 32 for start in starts for byte in range(start, start + width)}))
    for pitch in (32, 33, 34, 40):
        for swizzle in ("no", "yes"):
            asked.append(("banks", {"pitch": pitch, "swizzle": swizzle, "column": 5}))
            words = [row * pitch + (5 ^ row if swizzle == "yes" else 5) for row in range(32)]
            wanted.append(max(sum(word % 32 == bank for word in words) for bank in range(32)))
    sentences, _ = said(*asked)
    found = [int(re.search(r"(\d+) (?:sector|round)", each)[1]) for each in sentences]
    assert found == wanted


def test_the_others_say_what_can_be_worked_out_by_hand():
    (held, by_registers, by_memory, tiles, waves, law), sliders = said(
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
    assert set(sliders) == set(SLIDERS)


def test_the_card_is_the_measured_one():
    card = machine()
    assert set(card) == set(CARD) and card["multiprocessors"] == 132
    assert 4e12 < card["copy"] < 4.8e12 and 3e-7 < card["latency"] < 4e-7
