"""The chain that measures a memory's latency, and the table of what came out."""

import json
from pathlib import Path

from grader.faces.hierarchy import FOOTPRINTS, _cycle
from grader.report.memories import memories_table

COMMITTED = Path(__file__).parents[2] / "benchmarks" / "results" / "h200" / "hierarchy.json"


def test_a_chain_visits_every_line_once_and_comes_back():
    chain, at, seen = _cycle(100, 32, "cpu"), 0, set()
    for _ in range(100):
        seen.add(at)
        at = int(chain[at])
    assert at == 0 and seen == {32 * line for line in range(100)}


def test_what_was_measured_makes_sense_and_is_told():
    measured = json.loads(COMMITTED.read_text())
    nanoseconds = list(measured["global_ns"].values())
    assert list(map(int, measured["global_ns"])) == FOOTPRINTS
    assert measured["shared_ns"] < nanoseconds[0] < nanoseconds[6] < nanoseconds[-1]
    told = repr(memories_table(measured))
    assert "132 multiprocessors" in told and "150 GB" in told
    assert [line.split()[-2:] for line in told.splitlines()[3:7]] == [
        [f"{each:.0f}", "ns"] for each in (measured["shared_ns"], nanoseconds[0], nanoseconds[9], nanoseconds[-1])
    ]
