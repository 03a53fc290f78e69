"""The runs of a session's cases on the checking build (checked.py), beside the one that counts."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from grader.devices.emulator.checked import Checked
from grader.devices.emulator.counters import order_sensitive_place
from grader.devices.emulator.entry import Call, Loaded, View, bytes_of, size_of_data, written_types
from grader.devices.emulator.looking import Contents, Fact, Look, silence
from grader.devices.emulator.turned import ends_well

MOST_CHECKED_ELEMENTS = 16384  # of all buffers: a second run of such a case takes milliseconds
FEW_BLOCKS, A_LOOK = 8, 0.25  # of each launch of a larger case, and the seconds that they get
MOST_COMPARED = 20_000  # steps of warps in cases that are run again though g++ warns of no variable: milliseconds


def put(runtime: ctypes.CDLL, outputs: list[View], contents: list[np.ndarray]) -> None:
    """Has outputs hold this."""
    runtime.ladder_session_open()
    for view, content in zip(outputs, contents, strict=True):
        ctypes.memmove(view.address, content.ctypes.data, view.bytes)
    runtime.ladder_session_show()


def is_small(what: Call) -> bool:
    """Whether the case runs on a checking build with all of its blocks."""
    return size_of_data(*what[:3]) <= MOST_CHECKED_ELEMENTS


class CheckingRuns:
    """`call` makes one call of an entry point of a build: the runtime's facts, and the seconds that it took. It counts,
    unless it is told otherwise. `asks_for_chance`: the file reads a clock, or random numbers, so that two runs of one
    case may differ.
    """

    def __init__(
        self,
        checked: Checked,
        runtime: ctypes.CDLL,
        call: Callable[..., tuple[dict[str, Any], float]],
        asks_for_chance: bool = False,
    ):
        self._checked, self._runtime, self._call, self._asks_for_chance = checked, runtime, call, asks_for_chance
        self.code = checked.code
        self._looking_at_few: Loaded | None = None
        self._has_turned_blocks = False  # of a launch with several
        self._all_clean = True  # so far; if not, there is enough to tell
        self._compared = 0  # steps of warps in those cases that were run with other bytes there, or might have been
        self.ahead: Callable[[], Fact | None] | None = None  # what another process has told of its next look, if it has

    @cached_property
    def _looking(self) -> list[Loaded]:
        """The checking build, and those with other bytes in variables that are not set."""
        builds = [self._checked.library, *self._checked.others]
        return [Loaded(ctypes.CDLL(each), self.code) for each in builds]

    def look(self, what: Call, outputs: list[View], untouched: list[np.ndarray]) -> Look | None:
        """What the checking build finds. All is as before then, but for what the look has printed."""
        if self._checked.is_copy:
            return None
        told = self.ahead() if self.ahead else None
        if told is None:
            self.ahead = None
        elif (look := self._told(what, **told)) is None or look.is_sure:
            return look
        return self._look_here(what, outputs, untouched)

    def _look_here(self, what: Call, outputs: list[View], untouched: list[np.ndarray]) -> Look | None:
        if not is_small(what):
            return self._look_at_few(what, outputs, untouched) if self._all_clean else None
        look = self._look_with(self._looking[0], what, outputs, untouched)
        if self._asks_for_chance and look.is_clean:
            with silence():
                look.vary(self._look_with(self._looking[0], what, outputs, untouched))
        if self._checked.elements and not look.decides:
            self._runtime.ladder_session_turn_elements(1)
            with silence():
                self._call(what, self._looking[0])
            self._runtime.ladder_session_turn_elements(0)
            look.turned = [bytes_of(view) for view in outputs]
            put(self._runtime, outputs, untouched)
        self._all_clean = self._all_clean and look.is_clean
        if look.is_clean and not look.varies:
            self._compare(what, look, outputs, untouched)
        return look

    def look_alone(self, what: Call) -> Fact | None:
        """The same of a case that does not run in this process, for `ahead` of another."""
        outputs = [view for view in what[1].values() if view.writable]
        look = self.look(what, outputs, [bytes_of(view) for view in outputs])
        return look.to_json() if look else None

    def _told(self, what: Call, look: Fact | None, printed: str) -> Look | None:
        """A look of another process. What it printed is wanted if the case is not to run here."""
        found = Look.from_json(self._checked, look, [*written_types(*what[:2]).values()]) if look else None
        if found and found.decides and found.is_sure:
            os.write(1, printed.encode())
        return found

    def _look_with(
        self, build: Loaded, what: Call, outputs: list[View], untouched: list[np.ndarray], counting: bool = True
    ) -> Look:
        """One run on such a build. All is as before then."""
        facts, took = self._call(what, build, counting)
        types = [*written_types(*what[:2]).values()]
        look = Look(self._checked, facts, took, [bytes_of(view) for view in outputs], types)
        put(self._runtime, outputs, untouched)
        return look

    def _look_at_few(self, what: Call, outputs: list[View], untouched: list[np.ndarray]) -> Look | None:
        """What the checking build finds in a few blocks of a large case, which the runtime draws at random.

        Their threads may read what other blocks should have written before: if an index leaves an array, the case runs
        again with all blocks. None if no index leaves one then.
        """
        if not self._looking_at_few:
            self._looking_at_few = Loaded(ctypes.CDLL(self._checked.few), self.code)
        task, buffers, scalars, seconds, mapping = what
        short = task, buffers, scalars, min(A_LOOK, seconds), mapping
        self._runtime.ladder_session_few_blocks(ctypes.c_size_t(FEW_BLOCKS))
        with silence():
            look = self._look_with(self._looking_at_few, short, outputs, untouched, counting=False)
        self._runtime.ladder_session_few_blocks(ctypes.c_size_t(0))
        if look.leaves_an_array:
            look = self._look_with(self._looking_at_few, what, outputs, untouched)
        return look if look.leaves_an_array else None

    def place_of_order(self, what: Call, facts: dict[str, Any], seconds: float) -> int:
        """A place for whose sake the case is to run in another order, too; 0: none. A larger one, which took so long,
        does where no smaller one had several blocks.
        """
        if not is_small(what) and (self._has_turned_blocks or seconds > A_LOOK):
            return 0
        place = order_sensitive_place(facts)
        several = any(each["blocks"] != each["launches"] for each in facts["kernels"])
        self._has_turned_blocks = self._has_turned_blocks or bool(place and several)
        return place if is_small(what) or several else 0

    def in_other_order(
        self, what: Call, outputs: list[View], untouched: list[np.ndarray]
    ) -> tuple[Contents, Contents | None, dict[str, Any] | None]:
        """The outputs of this run, and of one in which the last block begins first; None if that did not end well, and
        then its facts if the order is to blame. All is as before then, but for a kernel's own variables: what is wrong
        in a run in order that comes after it, too, comes of what lies in those.
        """
        runs: list[dict[str, Any]] = []
        first = [bytes_of(view) for view in outputs]
        task, buffers, scalars, seconds, mapping = what
        short = task, buffers, scalars, min(seconds, 1), mapping
        for turned in (1, 0):
            put(self._runtime, outputs, untouched)
            self._runtime.ladder_session_turn_blocks(turned)
            with silence():
                runs += self._call(short, self._looking[0])[:1]
            if ends_well(runs[0]):
                break
        self._runtime.ladder_session_turn_blocks(0)
        second = [bytes_of(view) for view in outputs] if len(runs) == 1 else None
        put(self._runtime, outputs, first)
        return first, second, runs[0] if len(runs) == 2 and ends_well(runs[1]) else None

    def _compare(self, what: Call, look: Look, outputs: list[View], untouched: list[np.ndarray]) -> None:
        """With runs in which other bytes lie in variables that are not set: of all small cases where g++ warns of one,
        else of the first.
        """
        self._compared += look.steps
        if not self._checked.unset and self._compared > MOST_COMPARED:
            return
        for other in self._looking[1:]:
            with silence():
                facts, _ = self._call(what, other)
            look.compare(facts, [bytes_of(view) for view in outputs])
            put(self._runtime, outputs, untouched)
