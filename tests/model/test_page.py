"""docs/model.md says what is committed: each of its generated parts is what its command would write now."""

from __future__ import annotations

import json

import pytest

from benchmarks.model import agreement, held_back, second_card, stars

PARTS = {
    "agreement": agreement.part,
    "stars table": stars.part,
    "held_back table": held_back.part,
    "second_card table": second_card.part,
}


@pytest.mark.parametrize("command", PARTS)
def test_a_part_of_the_page_is_of_what_is_committed(command):
    assert PARTS[command]() in agreement.PAGE.read_text(), f"type `python -m benchmarks.model.{command}`"


@pytest.mark.parametrize("kind", ["estimated", "compiled"])
def test_the_bands_that_checks_tell_are_of_what_is_committed(kind):
    for of in (agreement, second_card):
        folder = agreement.RESULTS if of is agreement else second_card.FOLDER
        assert json.loads((folder / agreement.NAME).read_text())[kind]["band"] == of.band(kind)
