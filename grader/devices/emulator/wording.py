"""Findings in words: what is wrong, where, and what to do. One function a kind; each returns one or two sentences."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from grader.devices.emulator.array_wording import IN_KERNELS, Where, bytes_of_element, shared_layout
from grader.devices.emulator.barrier_wording import (
    BARRIERS,
    PassedBarrier,
    calls_to_barriers,
    thread_of,
    too_few_before,
)
from grader.devices.emulator.cached_wording import uncached, written_restricted
from grader.devices.emulator.checked_wording import CHECKED
from grader.devices.emulator.copy_wording import under_way
from grader.devices.emulator.fewer_checks import KIND as FEWER_CHECKS
from grader.devices.emulator.fewer_checks import fewer_checks
from grader.devices.emulator.host_calls import CALLS
from grader.devices.emulator.host_memory import host_memory_at
from grader.devices.emulator.host_wording import brought_unset, cause_of_crash, copy_out_of_bounds, host_access, kind_of
from grader.devices.emulator.mends import mend
from grader.devices.emulator.reading import Reading
from grader.devices.emulator.result_wording import RESULTS
from grader.devices.emulator.same_element import left_as_it_is, why_one_element
from grader.devices.emulator.stream_wording import STREAMS
from grader.devices.emulator.symbols import CodeMap
from grader.devices.emulator.timeouts import WAITS, is_slow, never_ended
from grader.devices.evidence import Finding

Fact = dict[str, Any]
SILENT_LANES = {
    "exited": "has returned",
    "not in mask": "is not named in the mask",
    "not in block": "the block does not have, for its last warp is not whole",
}
WRITERS = re.compile(r"written by (\d+) of (\d+)")


def word_findings(
    report: Fact, code: CodeMap, element_bytes: Mapping[str, int], reading: Reading | None = None
) -> list[Finding]:
    """The runtime's findings with lines and sentences, one for each pair of lines and array.

    `report` is all that the runtime says of the case, `element_bytes` are those of the judge's buffers, by name, and
    `reading` is of the kernel file's text.
    """
    passed_barriers = {kernel["name"]: kernel["passed_barriers"] for kernel in report["kernels"]}
    widths = {site["pc"]: site["bytes"] for kernel in report["kernels"] for site in kernel["sites"]}
    reading = reading or Reading()
    distinct: dict[tuple[object, ...], Fact] = {}
    for fact in report["findings"]:
        if fact["kind"] == "barrier_rounds" and _returns_at_the_end(fact, code, reading):
            continue
        callers = fact.pop("callers")  # where the access is a library's, its caller's line is told
        own = (line for pc in [fact["pc"], *callers] if (line := code.line_of(pc)))
        fact["line"] = next(own, fact["line"]) or _line_of_launch(fact, report["launches"]) or None
        fact["other_line"] = code.line_of(fact["other_pc"]) or fact["other_line"] or None
        if fact["array"] in IN_KERNELS:  # the runtime has no line of these
            fact["array_line"] = code.line_of(fact["array_line"])
        if fact["kind"] in ("race", "shuffle_order"):
            fact["bytes"] = fact["bytes"] or bytes_of_element(fact, widths, reading)
        if fact["kind"] == "race":
            fact["call_line"], fact["other_call_line"] = (_outermost(fact[each], code) for each in ("pc", "other_pc"))
        fact["calls"] = calls_to_barriers(fact, code)
        fact["loop"] = sorted({line for pc in fact.pop("pcs") if (line := code.line_of(pc))})
        fact["passed_barriers"] = [PassedBarrier(*each) for each in passed_barriers.get(fact["kernel"], [])]
        fact["reading"], fact["launches"] = reading, report["launches"]
        lines = frozenset((fact["line"], fact["other_line"])) if fact["kind"] == "race" else fact["line"]
        text = "" if WRITERS.match(fact["text"]) else fact["text"]
        known = distinct.setdefault((fact["kind"], fact["note"], fact["array"], lines, text), fact)
        if known is not fact:
            known["count"] += fact["count"]
    between = {_sides(fact) for fact in distinct.values() if fact["text"] == "other block"}
    for fact in distinct.values():
        fact["other_blocks_too"] = fact["text"] != "other block" and _sides(fact) in between
    return [_word(fact, element_bytes) for fact in distinct.values()]


def _sides(fact: Fact) -> tuple[str, frozenset[int]]:
    """Of a race: the array and both lines."""
    lines = (fact["line"] or 0, fact["other_line"] or 0) if fact["kind"] == "race" else ()
    return fact["array"], frozenset(lines)


def _line_of_launch(fact: Fact, launches: list[Fact]) -> int:
    """Of what a library's kernel does in code of the library's own: where the library was called."""
    number = fact.get("launch", 0) if fact["pc"] else 0
    return int(launches[number - 1]["line"]) if 0 < number <= len(launches) else 0


def _outermost(pc: int, code: CodeMap) -> int:
    """The line of the kernel that leads to a program counter, through calls that g++ has put into it."""
    return next(reversed(code.lines_to(pc)), 0) if pc else 0


def _returns_at_the_end(fact: Fact, code: CodeMap, reading: Reading) -> bool:
    """Of an endless loop's round, which looks in machine code like a loop with a condition there."""
    if not fact["other_pc"]:  # right behind the barrier
        return reading.returns_behind_barrier(fact["other_line"])
    return reading.returns_in(code.line_of(fact["other_pc"]) or 0)


def _word(fact: Fact, element_bytes: Mapping[str, int]) -> Finding:
    where = Where(fact, element_bytes)
    message = _WORDS.get(fact["kind"], _unknown)(fact, where)
    if fact["count"] > 1 and fact["kind"] in ("race", "uninitialized_read"):
        message += f" ({fact['count']:,} times)"
    return Finding(
        kind=kind_of(fact),
        message=message,
        severity="note" if fact["note"] or fact["kind"] == "shuffle_order" else "error",
        line=fact["line"],
        kernel=fact["kernel"] or None,
        block=_index(fact.get("block")),
        thread=_index(fact.get("thread")),
        details=_details(fact, where),
    )


def _index(values: list[int] | None) -> tuple[int, int, int] | None:
    return (values[0], values[1], values[2]) if values else None


def _details(fact: Fact, where: Where) -> dict[str, Any]:
    details = {"count": fact["count"]} | ({"steps": fact["steps"]} if fact["kind"] == "timeout" else {})
    details |= {"waits": True} if fact["kind"] == "timeout" and fact["text"] in WAITS else {}
    details |= {"slow": True} if fact["kind"] == "timeout" and is_slow(fact) else {}
    if launch := fact.get("launch"):  # from 1, among all; what first_values.py finds has none
        details["launch"] = launch
    if fact["array"] or fact["array_bytes"] or fact["space"]:
        details |= {
            "array": where.name,
            "space": fact["space"],
            "access": fact["access"],
            "array_order": fact.get("array_order", 0),
            "index": where.index,
            "elements": where.elements,
            "element_bytes": where.element,
        }
    if fact["other_line"] or "other_block" in fact:
        details |= {"other_line": fact["other_line"], "other_access": fact["other_access"]}
        details |= {"other_block": fact.get("other_block"), "other_thread": fact.get("other_thread")}
    return details | {"outputs": fact["outputs"]} if "outputs" in fact else details


def _verb(access: str) -> str:
    return {"read": "reads", "write": "writes", "atomic": "updates", "free": "frees"}.get(access, access)


MOST_SHARED = 228 << 10  # bytes of a multiprocessor: what is further from a shared array has nothing to do with it
NULLS_OWN = 1 << 16  # bytes: an address below is an element of a null pointer


_HAND_ON = "hand its values on in global memory"


def _out_of_bounds(fact: Fact, where: Where) -> str:
    if told := copy_out_of_bounds(fact, where):
        return told
    who = f"{thread_of(fact)} {_verb(fact['access'])}"
    if fact["text"] == "other block":
        return f"{who} shared memory of another block, or of one that has ended: {_HAND_ON}"
    if fact["text"] in (special := {
        "freed": f"{where.name} after it was freed",
        "constant": f"{where.at}, which is __constant__: a kernel only reads it",
        "host variable": f"{where.name}, a variable of the host, which no kernel can reach: hand over its value, or"
        " copy it to memory from cudaMalloc",
        "other kernel": f"{where.at}, which was shared memory of another kernel's block: {_HAND_ON}",
        "parent": "a local variable of the thread that launched this kernel, which no other kernel can reach: hand over"
        " its value, or put it into memory from malloc() or cudaMalloc",
        "another thread": "a local variable of another thread: pass it on by a shuffle or shared memory",
    }):  # fmt: skip
        return f"{who} {special[fact['text']]}"
    wild = fact["space"] == "shared" and not -MOST_SHARED <= fact["offset"] <= fact["array_bytes"] + MOST_SHARED
    if wild or not (fact["array"] or fact["space"]):
        of_host = " ".join(filter(None, ("a host pointer", host_memory_at(fact["address"]))))
        which = "a null pointer, or" if fact["address"] < NULLS_OWN else f"{of_host}, an index far too large, or"
        what = f"which is no device memory: {which} a pointer that was never set"
        return f"{who} address {fact['address']:#x}, {what}"
    if fact["space"] == "shared" and not fact["array_bytes"]:
        return (
            f"{who} {where.name}, which has 0 bytes: an `extern __shared__` array is as large as the launch says,"
            " `kernel<<<blocks, threads, bytes, stream>>>(...)`"
        )
    side = "before its start" if fact["offset"] < 0 else "past its end"
    if 0 <= fact["offset"] < fact["array_bytes"]:
        side = f"across its end ({fact['bytes']} bytes at once)"
    return f"{who} {where.at}, {side}: {where.name} has {where.size}"


def _misaligned(fact: Fact, where: Where) -> str:
    told = f"{thread_of(fact)} {_verb(fact['access'])} {fact['bytes']} bytes of {where.name} at byte {fact['offset']}"
    told += f": an access of {fact['bytes']} bytes needs an address that is a multiple of {fact['bytes']}"
    return told + shared_layout(fact["text"], where.name)


def _input_modified(fact: Fact, where: Where) -> str:
    if not fact.get("thread"):
        return f"a copy or memset writes {where.name}, which is an input"
    return f"{thread_of(fact)} writes {where.at}, but {where.name} is an input (const)"


def _uninitialized_read(fact: Fact, where: Where) -> str:
    if fact["text"].startswith("cop"):
        return f"this copies to the host what nothing has written, from {where.name}: {_unwritten(fact)}"
    if fact["text"] == "by the host":
        copy = f"the copy in line {fact['other_line']}" if fact["other_line"] else "a copy"
        return f"host code reads {where.at}, as {copy} has brought it, but nothing had written it before"
    told = f"{thread_of(fact)} {_verb(fact['access'])} {where.at}"
    if fact["text"].startswith("unset "):
        return told + brought_unset(int(fact["text"].split()[1]))
    told += " before anything was written there"
    if fact["text"].startswith("filled "):
        line, filled = map(int, fact["text"].split()[1:])
        told += f"; the copy or memset in line {line} has filled {filled:,} of its {fact['array_bytes']:,} bytes"
    if few := too_few_before(fact) if fact["space"] == "shared" else None:
        return f"{told}: {few.told}"
    if writers := WRITERS.match(fact["text"]):
        return f"{told}: only {writers[1]} of the block's {writers[2]} threads stored in {where.name} so far"
    return told


def _unwritten(fact: Fact) -> str:
    if fact["text"] == "copy":
        return "was its kernel launched with it, and do its guards let threads write?"
    written = int(fact["text"].removeprefix("copied "))
    return (
        f"its first {written:,} bytes are written, as much as a launch has threads for: whole-number division rounds"
        " down, so round the number of blocks up, (n - 1) / threads + 1"
    )


def _block_order(fact: Fact, where: Where) -> str:
    return (
        "the outputs come out otherwise if the last block begins first, or each block's last warp, and a GPU promises"
        " no order: what an atomic returns, or leaves behind, depends on who came before"
    )


def _element_place(fact: Fact, where: Where) -> str:
    lines = ", ".join(map(str, fact["lines"]))
    return (
        f"the outputs depend on where a fragment keeps its elements (x[i] in line {lines}), which CUDA leaves"
        " unspecified: another GPU, or a fragment of another type, may keep them elsewhere; treat all elements alike,"
        " or store the fragment to shared memory and pick them there"
    )


def _race(fact: Fact, where: Where) -> str:
    if fact["text"] in STREAMS:
        return STREAMS[fact["text"]].format(
            **fact, at=where.at, name=where.name, does=_verb(fact["access"]), did=_verb(fact["other_access"])
        )
    if fact["text"] == "ended":
        whose = f"{where.at} of block {tuple(fact['other_block'])}, which may have ended by then"
        told = f"{thread_of(fact)} {_verb(fact['access'])} {whose}, and its shared memory with it"
        return f"{told}: a cluster.sync() is missing behind line {fact['line']}"
    if fact["text"] == "unbegun":
        whose = f"{where.at} of block {tuple(fact['other_block'])}, which may not have begun by then"
        return f"{thread_of(fact)} {_verb(fact['access'])} {whose}: a cluster.sync() belongs before line {fact['line']}"
    at = where.name if fact["access"] == "free" else where.at
    mine = f"{thread_of(fact)} {_verb(fact['access'])} {at} in line {fact['line']}"
    theirs = f"{thread_of(fact, 'other_')} {_verb(fact['other_access'])} it in line {fact['other_line']}"
    if fact["text"].startswith(("in flight ", "taken ")):
        return f"{mine} while {under_way(fact)}"
    if fact["text"] == "cached":
        by, mended = uncached(fact)
        return f"{mine} {by}, and {theirs}, in the same launch: {mended}"
    if fact["text"] == "same value":
        return "; ".join(filter(None, (mine, f"{theirs}: the same value, in any order", why_one_element(fact, where))))
    return f"{mine} while {theirs}, in any order: {left_as_it_is(fact) or why_one_element(fact, where) or mend(fact)}"


def _shuffle_order(fact: Fact, where: Where) -> str:
    return (
        f"lines {fact['other_line']} and {fact['line']} exchange {where.name} between lanes with only a shuffle or vote"
        " between them, which does not order memory; add __syncwarp()"
    )


def _shuffle_partner(fact: Fact, where: Where) -> str:
    operation, _, itself = fact["text"].partition(" ")
    mask = f"{fact['offset'] & 0xFFFFFFFF:#010x}"
    if itself:
        return f"{thread_of(fact)} calls {operation} with mask {mask}, which does not name its own lane"
    message = f"{thread_of(fact)} waits in {operation} (mask {mask}) for lanes that never come"
    if fact.get("other_thread"):
        message += f": {thread_of(fact, 'other_')} waits in {fact['other_access']}"
        message += f" in line {fact['other_line']}" if fact["other_line"] else ""
        if "with mask" in fact["other_access"]:
            message += "; all lanes that a mask names must call it with that same mask"
    return message


def _shuffle_source(fact: Fact, where: Where) -> str:
    why = SILENT_LANES[fact["text"]]
    return f"{thread_of(fact)} takes a value from lane {fact['offset']}, which {why}: that value is undefined"


def _shuffle_distance(fact: Fact, where: Where) -> str:
    operation, _, width = fact["text"].partition(" ")
    if width:
        return (
            f"{operation} by {fact['offset']} with a width of {width}: lanes exchange in groups of {width}, so"
            " each gets its own value back; give no width, or keep distances below it"
        )
    return (
        f"{fact['text']} by {fact['offset']}: a GPU uses the lowest five bits only, which makes it"
        f" {fact['offset'] & 31}; keep distances and masks in 0..31"
    )


def _missing_lanes(fact: Fact, where: Where) -> str:
    why = f"{thread_of(fact, 'other_')} has returned" if fact.get("other_thread") else "its block has no more threads"
    return (
        f"{thread_of(fact)} waits in {fact['text']} for all 32 lanes of its warp, and only {fact['offset']} come: {why}"
        "; let every lane of the warp run it"
    )


def _deadlock(fact: Fact, where: Where) -> str:
    if fact["text"] == "grid":
        return f"grid.sync() in line {fact['line']} waits for blocks that have returned"
    come = f": {fact['text']}" if fact["text"] else ""
    return f"{thread_of(fact)} waits for threads that never come{come}"


def _timeout(fact: Fact, where: Where) -> str:
    return never_ended(fact, thread_of(fact))


def _assert(fact: Fact, where: Where) -> str:
    return f"{thread_of(fact)} fails the assertion `{fact['text']}`"


def _stack_overflow(fact: Fact, where: Where) -> str:
    if fact["text"] == "another thread":
        return (
            f"{thread_of(fact)} {_verb(fact['access'])} outside its own stack: by an index past the end of a local"
            " array, or through a pointer to a local variable of another thread, or of one that has ended"
        )
    why = "an index past the end of a local array, too large local arrays, or endless recursion"
    return f"{thread_of(fact)} leaves its stack: {why}"


def _deep_calls(fact: Fact, where: Where) -> str:
    return (
        f"{thread_of(fact)} calls itself in line {fact['line']}, {fact['offset']:,} calls deep: a GPU gives each thread"
        f" a stack of {fact['array_bytes']:,} bytes, and a call that the compiler makes no loop of takes 16 or more;"
        " use a loop, or let host code call cudaDeviceSetLimit(cudaLimitStackSize, bytes) before the launch"
    )


def _crash(fact: Fact, where: Where) -> str:
    return f"{thread_of(fact)} ends with {fact['text']}{cause_of_crash(fact)}"


def _trap(fact: Fact, where: Where) -> str:
    return f"{thread_of(fact)} stops: {fact['text']}"


def _alone(said: Callable[[Fact], str], fact: Fact, where: Where) -> str:
    return said(fact)


def _unknown(fact: Fact, where: Where) -> str:
    return f"{thread_of(fact)}: {fact['kind']} {fact['text']}"


_WORDS: Mapping[str, Callable[[Fact, Where], str]] = {**CHECKED, **RESULTS} | {
    "out_of_bounds": _out_of_bounds,
    FEWER_CHECKS: lambda fact, _: fewer_checks(fact["text"]),
    "block_order": _block_order,
    "element_place": _element_place,
    "misaligned": _misaligned,
    "input_modified": _input_modified,
    "host_access": host_access,
    "uninitialized_read": _uninitialized_read,
    "race": _race,
    "shuffle_order": _shuffle_order,
    "written_restricted": written_restricted,
    "shuffle_partner": _shuffle_partner,
    "shuffle_source": _shuffle_source,
    "shuffle_distance": _shuffle_distance,
    "missing_lanes": _missing_lanes,
    "deadlock": _deadlock,
    "timeout": _timeout,
    "assert": _assert,
    "stack_overflow": _stack_overflow,
    "deep_calls": _deep_calls,
    "crash": _crash,
    "trap": _trap,
    "inline_ptx": lambda fact, _: str(fact["text"]),
    **{kind: partial(_alone, said) for kind, said in [*CALLS.items(), *BARRIERS.items()]},
}
