"""The walks of docs/view.md lead where that page says, and its pictures are there and small."""

from __future__ import annotations

import re

import pytest

from tests.browser import Browser, find
from tests.walks import MOST_BYTES, PICTURES, ROOT, WALKS, gone


def test_each_walk_has_a_picture_of_at_most_60_kb():
    shown = re.findall(r"!\[[^\]]{20,}\]\(walks/(\w+)\.png\)", (ROOT / "docs" / "view.md").read_text())
    assert sorted(shown) == sorted(walk.name for walk in WALKS) == sorted(file.stem for file in PICTURES.iterdir())
    for file in PICTURES.iterdir():
        assert file.read_bytes().startswith(b"\x89PNG") and file.stat().st_size <= MOST_BYTES, file.name


@pytest.mark.slow
@pytest.mark.skipif(not find(), reason="needs Chromium")
def test_the_keys_of_each_walk_lead_to_the_step(tmp_path):
    with Browser() as browser:
        for walk in WALKS:
            assert len(walk.stops) <= 3
            for (key, line, words), (found, said) in zip(walk.stops, gone(walk, browser, tmp_path), strict=True):
                assert line in found and words in said, (walk.name, key)
