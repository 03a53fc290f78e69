"""The emulator as the worker uses it: a session that runs cases.

A session owns one built kernel file. `run` calls an entry point on the judge's buffers and returns what the runtime
saw, with program counters turned into the learner's lines (symbols.py) and findings into sentences (wording.py).
"""

from __future__ import annotations

import ctypes
import json
import math
import os
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from grader.course.prototype import Prototype
from grader.devices.build.recipe import Library
from grader.devices.emulator.checked import Facts, beside
from grader.devices.emulator.checking_runs import FEW_BLOCKS, MOST_CHECKED_ELEMENTS, CheckingRuns
from grader.devices.emulator.counted_words import CountedWords
from grader.devices.emulator.counters import add_up, stands_alone
from grader.devices.emulator.entry import (
    OTHER_POISONS,
    POISON,
    Call,
    Loaded,
    View,
    bytes_of,
    element_bytes,
    load_runtime,
    size_of_data,
    written_types,
)
from grader.devices.emulator.library import compile_flags, include_folder, link_flags, runtime_content, runtime_library
from grader.devices.emulator.looking import is_only_uninitialised, of_order, silence
from grader.devices.emulator.more_calls import MoreCalls
from grader.devices.emulator.reading import Reading
from grader.devices.emulator.recording import BlockToRecord, begin_recording, describe, numbers_of
from grader.devices.emulator.symbols import CodeMap
from grader.devices.emulator.turned import word_turned
from grader.devices.emulator.unseen_stores import unseen_stores
from grader.devices.emulator.wording import word_findings
from grader.devices.emulator.worst import worst_requests
from grader.devices.evidence import CaseRun, Finding, launch_notes

FEW_SECONDS = 0.2  # of processor time, for a few blocks of a wide case
ENOUGH_CASES = 3  # that came out otherwise by what they read at one place: no more are asked
MOST_OF_A_FRAME, ABOVE_KERNELS = 4096, 1024  # bytes of a stack that are filled: a kernel's variables, and calls above


def open_library(path: Path, source_name: str, checked: bool = False) -> Library:
    """Loads a library that is trusted; if `checked`, cases run on the checking build beside it, too. Raises OSError."""
    facts = Facts(CodeMap.load(path, Path(source_name).name), beside(path, source_name) if checked else None)
    return Library(path, ctypes.CDLL(str(path)), facts)


class Session:
    """One built kernel file, ready to run cases. `threads` OS threads run blocks; the counters do not depend on it.

    The file's `text`, if it is given, makes what is said of findings more exact. With `print_threads` each line that a
    kernel prints begins with its block and thread.
    """

    def __init__(
        self,
        library: Library,
        threads: int | None = None,
        *,
        runtime: Path,
        counting: bool = True,
        text: str = "",
        print_threads: bool = False,
    ):
        facts: Facts = library.facts
        self.build, self.checked = Loaded(library.loaded, facts.code), facts.checked
        self.runtime = load_runtime(runtime)
        self.runtime.ladder_session_print_threads(int(print_threads))
        self.threads = threads or len(os.sched_getaffinity(0))
        self._mattered: Counter[int] = Counter()  # cases that read there what was never written, and came out otherwise
        self.counting = counting
        self.other_poison = OTHER_POISONS[0]  # of second runs
        self.until = math.inf  # time.monotonic(): calls are given up then
        self.reading = Reading(text)
        chance = self.reading.asks_for_chance()
        self.checking = (
            CheckingRuns(facts.checked, self.runtime, self._call_to_check, chance) if facts.checked else None
        )
        self._counted_words = CountedWords(self.build, self.runtime, self._call_to_check)
        self._more_calls = MoreCalls(self.build, self.runtime, self.reading, self._call)
        self._multiprocessors: int | None = None  # None: as many as the emulated GPU has

    def on_multiprocessors(self, count: int | None) -> None:
        """From the next case on the GPU has so many, as far as host code is told; None: its own."""
        self._multiprocessors = count
        self.runtime.ladder_session_multiprocessors(count or 0)

    def run(
        self,
        name: str,
        task: Prototype,
        buffers: Mapping[str, View],
        scalars: Mapping[str, int | float],
        seconds: float,
        mapping: tuple[int, int] | None = None,
        to_record: BlockToRecord | None = None,
        again: Callable[[], Any] | None = None,
    ) -> CaseRun:
        """Calls the task's entry point once. `mapping` (address, bytes) holds the buffers and is shut to host code.

        A block that is `to_record` is recorded besides (recording.py). `again` does in another process what `run_again`
        does, and returns that, or None if it could not; without it, it is done in this one.
        """
        checking = None if to_record else self.checking  # who asks for a picture has had the verdict
        to_record = to_record if to_record and to_record.case in ("", name) else None
        outputs = [view for view in buffers.values() if view.writable]
        untouched = [bytes_of(view) for view in outputs]
        what = (task, buffers, scalars, seconds, mapping)
        look = checking.look(what, outputs, untouched) if checking else None
        if look and look.decides:
            return self._describe(name, task, look.facts, look.seconds, None, look.code)
        self._counted_words.begin(what)
        with silence() if look and look.has_printed else nullcontext():
            facts, took = self._call(*what, POISON, to_record)
        unseen = [] if to_record else unseen_stores(facts, buffers, untouched)
        again = again or partial(self.run_again, *what)
        matters = partial(self._poison_matters, facts, outputs, untouched, again)
        if is_only_uninitialised(facts["findings"]):
            places = {finding["pc"] for finding in facts["findings"]}
            if all(self._mattered[place] >= ENOUGH_CASES for place in places) or matters():
                self._mattered.update(places)
            else:
                for finding in facts["findings"]:
                    finding["note"] = True
        if look:
            facts["findings"] += look.findings(facts, [bytes_of(view) for view in outputs])
        turned = None
        if checking and (place := checking.place_of_order(what, facts, took)):
            first, second, turned = checking.in_other_order(what, outputs, untouched)
            facts["findings"] += of_order(place, written_types(task, buffers), first, second)
        run = self._describe(name, task, facts, took, to_record, self.build.code)
        if checking and turned:
            run.findings += word_turned(turned, checking.code, element_bytes(task), self.reading)
        run.findings += unseen + (self._counted_words.why(what, facts, outputs, untouched) if checking else [])
        if not to_record and not self._multiprocessors:
            self._more_calls.keep(run, (name, what, outputs, untouched))
        return run

    def call_again(self) -> list[Finding]:
        """What is wrong in more calls of small cases. No case follows."""
        self.on_multiprocessors(None)
        return self._more_calls.find()

    def run_few(
        self,
        name: str,
        task: Prototype,
        buffers: Mapping[str, View],
        scalars: Mapping[str, int | float],
        mapping: tuple[int, int] | None,
    ) -> CaseRun:
        """Calls the task's entry point with a few blocks of each launch, whichever. What they write must be right if
        they are `alone`. Of findings it has the launches that are refused: what else is wrong may come of the others.
        """
        told = self.reading.compared_numbers()
        self.runtime.ladder_session_told_numbers((ctypes.c_uint64 * len(told))(*told), ctypes.c_size_t(len(told)))
        self.runtime.ladder_session_few_blocks(ctypes.c_size_t(FEW_BLOCKS))
        with silence():
            facts, took = self._call(task, buffers, scalars, FEW_SECONDS, mapping, POISON)
        run = CaseRun(name=name, launches=facts["launches"], seconds=took, alone=stands_alone(facts))
        facts["findings"] = [each for each in facts["findings"] if each["kind"] == "launch_error"]
        run.findings = word_findings(facts, self.build.code, element_bytes(task), self.reading)
        return run

    def _bytes_to_fill(self, build: Loaded, size: float) -> int:
        """Of a thread's stack, where variables lie that the checking build has filled with other bytes; 0: none."""
        unset = self.checked and (self.checked.unset or self.checked.never_set)
        if not unset or build is not self.build or size > MOST_CHECKED_ELEMENTS:
            return 0
        frames = [symbol.bytes for symbol in build.code.symbols if symbol.kind == "frame"]
        return min(max(frames, default=0), MOST_OF_A_FRAME) + ABOVE_KERNELS

    def run_again(
        self,
        task: Prototype,
        buffers: Mapping[str, View],
        scalars: Mapping[str, Any],
        seconds: float,
        mapping: tuple[int, int] | None,
        poison: int | None = None,
    ) -> Any:
        """Calls the entry point with other bytes in memory that was never written. Returns what must be the same."""
        poison = self.other_poison if poison is None else poison
        return _comparable(self._call(task, buffers, scalars, seconds, mapping, poison)[0])

    def _call_to_check(self, what: Call, build: Loaded, counting: bool = True) -> tuple[dict[str, Any], float]:
        """One call of the entry point of such a build: the runtime's facts, and the seconds it took."""
        before, self.counting = self.counting, counting
        try:
            return self._call(*what, POISON, build=build)
        finally:
            self.counting = before

    def _call(
        self,
        task: Prototype,
        buffers: Mapping[str, View],
        scalars: Mapping[str, Any],
        seconds: float,
        mapping: tuple[int, int] | None,
        poison: int,
        to_record: BlockToRecord | None = None,
        build: Loaded | None = None,
    ) -> tuple[dict[str, Any], float]:
        """One call of the entry point: the runtime's facts, and the seconds it took."""
        build = build or self.build
        threads = 1 if to_record and to_record.block is None else self.threads  # a recorder has no locks
        size, runtime = size_of_data(task, buffers, scalars), self.runtime
        self.begin(task, build, threads, seconds, size, poison)
        runtime.ladder_session_fill_stacks(ctypes.c_size_t(self._bytes_to_fill(build, size)))
        if to_record:
            begin_recording(runtime, to_record)
        if mapping:
            runtime.ladder_session_mapping(*mapping)
        for each, view in buffers.items():
            runtime.ladder_session_buffer(each.encode(), view.address, view.bytes, int(view.writable))
        return self.enter(task, build, buffers, scalars)

    def begin(self, task: Prototype, build: Loaded, threads: int, seconds: float, size: float, poison: int) -> None:
        """Before each call; its buffers come next, and then `enter`."""
        entry = ctypes.cast(getattr(build.library, f"ladder_entry_{task.name}"), ctypes.c_void_p)
        count = ctypes.c_size_t(len(build.symbols))
        self.runtime.ladder_session_module(entry, build.symbols, count, threads, int(self.counting))
        self.runtime.ladder_session_begin(seconds, size, poison)
        self.runtime.ladder_session_wall_limit(min(self.until - time.monotonic(), 1e9))

    def enter(
        self, task: Prototype, build: Loaded, buffers: Mapping[str, View], scalars: Mapping[str, Any]
    ) -> tuple[dict[str, Any], float]:
        """Calls the entry point: the runtime's facts, and the seconds it took."""
        start = time.perf_counter()
        self.call(task, build, buffers, scalars)
        took = time.perf_counter() - start
        facts = json.loads(self.runtime.ladder_session_report().decode(errors="replace"))
        for number, part in enumerate(facts.get("recording", ())):
            part |= numbers_of(self.runtime, number)
        return facts, took

    def call(self, task: Prototype, build: Loaded, buffers: Mapping[str, View], scalars: Mapping[str, Any]) -> None:
        """The same, without the facts."""
        arguments = self._arguments(task, buffers, scalars)
        places = [ctypes.cast(ctypes.pointer(argument), ctypes.c_void_p).value for argument in arguments]
        pointers = (ctypes.c_void_p * len(arguments))(*places)
        self.runtime.ladder_session_run(getattr(build.library, f"ladder_entry_{task.name}"), pointers)

    def _poison_matters(
        self,
        before: dict[str, Any],
        outputs: list[View],
        untouched: list[np.ndarray],
        again: Callable[[], Any],
    ) -> bool:
        """Runs again with another value in uninitialised memory: does anything come out differently?

        A value that is loaded and never used (padding) changes nothing. The first run's outputs are put back.
        """
        first = [bytes_of(view) for view in outputs]
        self.runtime.ladder_session_open()
        for view in outputs:
            ctypes.memset(view.address, self.other_poison, view.bytes)
        matters = bool(_comparable(before) != again())
        self.runtime.ladder_session_open()
        for view, was, content in zip(outputs, untouched, first, strict=True):
            second = bytes_of(view)
            unwritten = (content == was) & (second == self.other_poison)
            matters = matters or bool(np.any((content != second) & ~unwritten))
            ctypes.memmove(view.address, content.ctypes.data, view.bytes)
        self.runtime.ladder_session_show()
        return matters

    def _arguments(self, task: Prototype, buffers: Mapping[str, View], scalars: Mapping[str, Any]) -> list[Any]:
        values: list[Any] = []
        for parameter in task.parameters:
            if parameter.role == "stream":
                values.append(ctypes.c_void_p(self.runtime.ladder_session_stream()))
            elif parameter.role == "scalar":
                values.append(parameter.type.ctypes(scalars[parameter.name]))
            else:
                values.append(ctypes.c_void_p(buffers[parameter.name].address))
        return values

    def _describe(
        self,
        name: str,
        task: Prototype,
        facts: dict[str, Any],
        seconds: float,
        to_record: BlockToRecord | None,
        code: CodeMap,
    ) -> CaseRun:
        findings = word_findings(facts, code, element_bytes(task), self.reading)
        findings += launch_notes(facts["launches"])
        requests = worst_requests(facts, code)
        totals, kernels, lines = add_up(facts, code)
        return CaseRun(
            name=name,
            findings=findings,
            counters=totals,
            lines=lines,
            kernels=kernels,
            launches=facts["launches"],
            seconds=seconds,
            recording=describe(facts, to_record, code.line_of) if to_record else None,
            requests=requests,
            printed_signs=facts["printed_signs"],
            touched={each["name"]: [each["loaded"], each["stored"]] for each in facts["regions"] if each["of_task"]},
        )


def _comparable(facts: dict[str, Any]) -> list[Any]:
    """What was counted and what was found: the same in two runs between which nothing has changed."""
    return [facts["kernels"], sorted([finding["kind"], finding["pc"]] for finding in facts["findings"])]


__all__ = ["Session", "compile_flags", "include_folder", "link_flags", "open_library"]
__all__ += ["runtime_content", "runtime_library"]
