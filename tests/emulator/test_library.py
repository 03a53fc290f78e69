"""The runtime as a library that g++ makes once."""

from __future__ import annotations

import pytest

from grader.devices.emulator import library


@pytest.mark.parametrize(("processors", "parts"), [(1, 2), (2, 2), (3, 2), (4, 4), (64, 4), (None, 2)])
def test_each_file_is_in_one_part_and_parts_are_of_about_one_size(monkeypatch, processors, parts):
    monkeypatch.setattr("os.cpu_count", lambda: processors)
    sources = library._sources()
    found = library._parts(sources)
    assert len(found) == parts and sorted(file for part in found for file in part) == sources
    sizes = [sum(file.stat().st_size for file in part) for part in found]
    assert max(sizes) < 1.1 * min(sizes)


def test_files_that_meet_where_there_are_few_processors_meet_nowhere_else(monkeypatch):
    """Their names are tried together on both kinds of machine."""
    of = {}
    for processors in (2, 4):
        monkeypatch.setattr("os.cpu_count", lambda processors=processors: processors)
        of[processors] = library._parts(library._sources())
    assert all(any({*part} <= {*pair} for pair in of[2]) for part in of[4])
