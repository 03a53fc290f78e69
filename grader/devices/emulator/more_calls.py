"""Calls of small cases once more, behind all others (second_calls.py says which, and what they may show)."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from grader.devices.emulator import second_calls
from grader.devices.emulator.checking_runs import MOST_CHECKED_ELEMENTS, put
from grader.devices.emulator.entry import POISON, Call, Loaded, View, bytes_of, size_of_data, written_types
from grader.devices.emulator.looking import silence
from grader.devices.emulator.reading import Reading
from grader.devices.evidence import CaseRun, Finding

Kept = tuple[str, Call, list[View], list[np.ndarray]]


class MoreCalls:
    """`call` makes one call of the entry point, of which it gets the case and what fresh memory is filled with."""

    def __init__(
        self, build: Loaded, runtime: ctypes.CDLL, reading: Reading, call: Callable[..., tuple[dict[str, Any], float]]
    ):
        self._build, self._runtime, self._reading, self._call = build, runtime, reading, call
        self._small: Kept | None = None
        self._quick: Kept | None = None
        self._all: list[Kept] = []  # of a file with variables on the device
        self._has_variables = any(each.kind in ("named_variable", "managed") for each in build.code.symbols)
        self._chances = second_calls.chances(())

    def keep(self, run: CaseRun, case: Kept) -> None:
        """A case, if it is short and nothing was wrong in its first call, this `run`. The more blocks it has, the more
        a second call shows; for many calls the smallest that is one.
        """
        size = size_of_data(*case[1][:3])
        if any(finding.severity == "error" for finding in run.findings):
            return
        if self._has_variables and size <= MOST_CHECKED_ELEMENTS:
            self._all.append(case)
        if size > second_calls.MOST_ELEMENTS:
            return
        if not self._small or size >= size_of_data(*self._small[1][:3]):
            self._small = case
        is_quicker = not self._quick or size < size_of_data(*self._quick[1][:3])
        if size >= second_calls.FEWEST_ELEMENTS and is_quicker:
            self._quick = case

    def find(self) -> list[Finding]:
        """What is wrong in more calls of the largest small case in which nothing was wrong: in the second of two, in a
        third on another GPU, if it asks for that, in many more, if it may count or asks for chance. No case follows.
        """
        if not self._small:
            return []
        kept = second_calls.Kept(self._build, f"ladder_entry_{self._small[1][0].name}", self._reading)
        before = kept.state()
        asks_for_chance = self._runtime.ladder_session_asked_for_chance() or self._reading.asks_for_chance()
        self._chances = second_calls.chances(self._reading.whole_numbers() if asks_for_chance else ())
        self._runtime.ladder_session_multiprocessors(0)
        found = self._again(2, second_calls.AGAIN, *self._small)  # in a row, for who remembers one call
        if before != kept.state() or self._reading.may_keep_elsewhere():
            states = [kept.state()]
            for _ in range(second_calls.MORE_CALLS):
                found = found or self._again(1, second_calls.LATER, *self._small)
                states.append(kept.state())
            for calls in second_calls.FURTHER:
                if not found and kept.set_counters(states[-3:], calls):
                    found = self._again(1, second_calls.LATER, *self._small)
            found = found or (self._on_and_on() if states[-1] != states[-2] else [])
        elif asks_for_chance:
            found = found or self._on_and_on()
        found = found or self._behind_larger_ones()
        if found or not self._reading.asks_how_many_multiprocessors():
            return found
        self._runtime.ladder_session_multiprocessors(second_calls.MORE_MULTIPROCESSORS)
        words = second_calls.CAPTURED if self._reading.asks_for_a_capture() else second_calls.ELSEWHERE
        return self._again(1, words, *self._small)

    def _behind_larger_ones(self) -> list[Finding]:
        """From the largest case to the smallest: what a larger one has left in the file's variables, a smaller one may
        read. In the order of the lesson, zeros lie there.
        """
        found: list[Finding] = []
        for case in sorted(self._all, key=lambda case: -size_of_data(*case[1][:3])):
            found = found or self._again(1, second_calls.BEHIND_LARGER, *case)
        return found

    def _on_and_on(self) -> list[Finding]:
        """The same for a while: where a file's variables are others after every call, or it asks for chance, one call
        of many may be left out.
        """
        found: list[Finding] = []
        case = self._quick or self._small
        assert case
        end, calls = time.process_time() + second_calls.A_WHILE, second_calls.MANY_CALLS
        while not found and calls and time.process_time() < end:
            found, calls = self._again(1, second_calls.LATER, *case), calls - 1
        return found

    def _again(
        self, calls: int, words: str, name: str, what: Call, outputs: list[View], untouched: list[np.ndarray]
    ) -> list[Finding]:
        """What the last of so many calls of a case does otherwise than the first, that of two on the default stream."""
        task, buffers, *_ = what
        first = [bytes_of(view) for view in outputs]
        for number in range(calls):
            put(self._runtime, outputs, untouched)
            self._runtime.ladder_session_chance(*map(ctypes.c_int64, next(self._chances)), int(number > 0))
            with silence():
                facts, _took = self._call(*what, POISON)
        second = [bytes_of(view) for view in outputs]
        put(self._runtime, outputs, first)
        ended = all(finding["note"] for finding in facts["findings"])
        told = second_calls.told(f"{name} {words}", written_types(task, buffers), untouched, first, second)
        return told if ended else []
