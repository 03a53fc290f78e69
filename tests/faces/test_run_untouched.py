"""`ladder run`: launches of too few threads, which leave elements as host code has set them."""

from __future__ import annotations

import json
from pathlib import Path

from tests.warm import run_ladder

PROGRAM = Path(__file__).with_name("programs") / "untouched.cu"


def test_elements_that_a_launch_leaves_out_are_told_and_no_others(tmp_path):
    text = PROGRAM.read_text()
    rows = enumerate(text.split("\n"), start=1)
    wrong = {number: said for number, row in rows if (said := row.partition("  // wrong: ")[2])}
    (tmp_path / "untouched.cu").write_text(text)
    done = run_ladder(tmp_path, "run", "untouched.cu", "--json")
    notes = [each for each in json.loads(done.stdout)["notes"] if each["kind"] == "untouched"]
    assert sorted(each["line"] for each in notes) == sorted(wrong), notes
    assert not [each for each in notes if wrong[each["line"]] not in each["message"]], notes
