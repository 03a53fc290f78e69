"""Reads through the read-only cache of what the same launch writes, in words."""

from __future__ import annotations

from typing import Any

from grader.devices.emulator.array_wording import Where
from grader.devices.emulator.barrier_wording import thread_of

_BY_THE_CACHE = "through the read-only cache (__ldg, ld.global.nc)"
_BY_RESTRICT = "by a pointer that is `const` and `__restrict__`"
_UNRESTRICTED = "nvcc may take what lay there before, whatever barrier comes between; take the `__restrict__` away"
_BY_A_FETCH = "by a texture or surface"
_UNFETCHED = "what lay there before may be read, whatever barrier comes between; let a launch behind this one read it"
_PROMISED = "that promises nvcc that nothing writes there in this launch, and it may read later"
_UNCACHED = "what lay there before may be read, whatever barrier comes between; read it without __ldg"
_MENDS = {_BY_RESTRICT: _UNRESTRICTED, _BY_A_FETCH: _UNFETCHED, _BY_THE_CACHE: _UNCACHED}


def uncached(fact: dict[str, Any]) -> tuple[str, str]:
    """By what a line has read what its launch had written before, past all stores, and what to do."""
    by = _by(fact, fact["line"])
    return by, _MENDS[by]


def written_restricted(fact: dict[str, Any], where: Where) -> str:
    """What is said where a launch writes what a line has read before, through the read-only cache."""
    by = _by(fact, fact["other_line"])
    mended = "take the `__restrict__` away" if by == _BY_RESTRICT else "read it without __ldg"
    whose = thread_of(fact, "other_")
    reader = "it" if whose == thread_of(fact) else whose
    read = f"{reader} has read that in line {fact['other_line']} {by}: {_PROMISED}"
    return f"{thread_of(fact)} writes {where.at} in line {fact['line']}, and {read}; {mended}, or use two arrays"


def _by(fact: dict[str, Any], line: int) -> str:
    if fact["reading"].fetches(line):
        return _BY_A_FETCH
    return _BY_RESTRICT if fact["reading"].reads_restricted(line) else _BY_THE_CACHE
