"""A case at its real size without the time and memory of it: host code runs dry, and of each launch a few blocks.

What they did is added up by source line, in the terms that the model (grader/model) needs.
"""

from __future__ import annotations

import ctypes
import mmap
from bisect import bisect
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.course.prototype import Prototype
from grader.devices.build.recipe import Library
from grader.devices.emulator.counters import stands_alone, tensor_kind, tensor_operations
from grader.devices.emulator.entry import POISON, TILE_BYTES, View
from grader.devices.emulator.kinds import EVENTS, LOADS, SPACES
from grader.devices.emulator.prices import PRICES, tensor_work
from grader.devices.emulator.ptx_prices import price_of
from grader.devices.emulator.session import Session
from grader.devices.emulator.symbols import Block, CodeMap
from grader.devices.emulator.unwatched import unwatched
from grader.devices.emulator.wording import word_findings
from grader.devices.emulator.written import written
from grader.devices.evidence import CaseRun

Json = dict[str, Any]

MEMORY_BYTES = 64 << 30  # that host code may allocate
MOST_HELD = 4096  # of an output, that are told as a whole
WORD = 4
SECONDS = 12.0  # of processor time, for a case


@dataclass(frozen=True)
class ToSample:
    """What to sample: the bytes of each case's buffers by name, and what of the card decides which blocks run."""

    bytes: list[dict[str, int]]
    multiprocessors: int
    l1_bytes: int  # of a multiprocessor, with its shared memory
    architecture: str = ""  # if nvcc is to compile for it, where that is installed, and nothing is to run
    seconds: float = SECONDS  # of processor time, for each case
    whole: bool = False  # one block of each launch runs with all of its warps, and nothing but what it stores is wanted
    tile_bytes: int = TILE_BYTES  # of an input's values, whole pages; behind these it repeats
    steps: int = 2_000_000  # of warps, basic blocks and accesses, that a case needs at most, if its blocks let it


@dataclass
class _SampledView:
    address: int
    bytes: int
    writable: bool


def sample_cases(
    job: Mapping[str, Any],
    library: Library,
    task: Prototype,
    memory: Sequence[Mapping[str, Any]],
    runtime: Path,
    tell: Callable[..., None],
) -> dict[str, str] | None:
    """Samples each case of a job, whose buffers hold examples of the inputs. Returns what ended it early."""
    session = Session(library, job["threads"], runtime=runtime, text=job["source"])
    what = ToSample(**job["to_sample"])
    for case, tiles, sizes in zip(job["cases"], memory, what.bytes, strict=True):
        tell("running", case=case["name"])
        if what.architecture:
            run = CaseRun(name=case["name"], sample={"launches": [], "code": job["machine_code"]})
        elif what.whole:
            run = whole(session, case["name"], task, tiles, sizes, case["scalars"], what)
        else:
            run = sample(session, case["name"], task, tiles, sizes, case["scalars"], what)
        tell("case", case=run)
    return None


def sample(
    session: Session,
    name: str,
    task: Prototype,
    tiles: Mapping[str, View],
    sizes: Mapping[str, int],
    scalars: Mapping[str, int | float],
    what: ToSample,
) -> CaseRun:
    """One case. `tiles` hold example values of the inputs, `sizes` the bytes of all buffers as they are to be."""
    element_bytes = {p.name: p.type.bytes for p in task.buffers}
    for thins in (True, False):
        facts, seconds = _entered(session, task, tiles, sizes, scalars, what, thins)
        findings = word_findings(facts, session.build.code, element_bytes)
        findings = [finding for finding in findings if finding.severity == "error"]
        # What is wrong may be so for warps that stopped (runtime/thinning.cpp), but races are told of before only, and
        # if that takes too long, all warps take longer.
        is_sure = all(finding.kind == "race" or finding.details.get("slow") for finding in findings)
        if not facts["thins"] or is_sure:
            break
    code, inline = session.build.code, _inline(facts["statements"], session.build.code)
    launches = [_launch(each, facts["kernels"][each["kernel"]], code, inline) for each in facts["samples"]]
    kept = ("sets", "set_bytes", "skipped", "thins", "copied", "set_last", "written", "held", "tells")
    found = {"launches": launches, **{name: facts[name] for name in kept}}
    return CaseRun(name=name, findings=findings, seconds=seconds, sample=found)


def whole(
    session: Session,
    name: str,
    task: Prototype,
    tiles: Mapping[str, View],
    sizes: Mapping[str, int],
    scalars: Mapping[str, int | float],
    what: ToSample,
) -> CaseRun:
    """One case with one block of each launch, drawn at random: what it has written by itself, no warp for another.

    Nothing is counted or checked, which is many times as fast. What it does wrong besides, `sample` looks for.
    """
    set_up, few = session.runtime.ladder_session_sample, session.runtime.ladder_session_few_blocks
    set_up.argtypes = [ctypes.c_int, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_uint64, ctypes.c_int]
    set_up(0, 0, MEMORY_BYTES, 0, 0)
    few(ctypes.c_size_t(1))
    with unwatched(session):
        session.begin(task, session.build, session.threads, what.seconds, 0.0, POISON)
        kept = {p.name: _tile(tiles[p.name], what.tile_bytes) for p in task.inputs}
        buffers = {p.name: _placed(session, p.name, sizes[p.name], kept.get(p.name)) for p in task.buffers}
        facts, took = session.enter(task, session.build, buffers, scalars)
    ended = all(finding["note"] for finding in facts["findings"])
    return CaseRun(name=name, seconds=took, sample={"written": _left(session, task, buffers) if ended else {}})


def _entered(
    session: Session,
    task: Prototype,
    tiles: Mapping[str, View],
    sizes: Mapping[str, int],
    scalars: Mapping[str, int | float],
    what: ToSample,
    thins: bool,
) -> tuple[Json, float]:
    """The runtime's facts of one call, and the seconds that it took."""
    set_up = session.runtime.ladder_session_sample
    set_up.argtypes = [ctypes.c_int, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_uint64, ctypes.c_int]
    set_up(what.multiprocessors, what.l1_bytes, MEMORY_BYTES, what.steps, thins)
    try:
        session.begin(task, session.build, session.threads, what.seconds, 0.0, POISON)
        kept = {p.name: _tile(tiles[p.name], what.tile_bytes) for p in task.inputs}  # as long as they are mapped
        buffers = {p.name: _placed(session, p.name, sizes[p.name], kept.get(p.name)) for p in task.buffers}
        facts, seconds = session.enter(task, session.build, buffers, scalars)
        multiplies, tells = _multiplies_matrices(facts), _tells(facts)
        facts["tells"] = tells
        facts["written"] = _left(session, task, buffers) if tells and not facts["thins"] and not multiplies else {}
        facts["held"] = {} if multiplies else _held(session, task, buffers)
        return facts, seconds
    finally:
        set_up(0, 0, 0, 0, 0)


def _tells(facts: Json) -> bool:
    """Whether a run of all blocks would leave what these few have written, too."""
    return not facts["skipped"] and stands_alone({**facts, "launched": 1})  # of several: left_out.py


def _left(session: Session, task: Prototype, buffers: Mapping[str, View]) -> Json:
    """Some elements of the outputs that were written."""
    session.runtime.ladder_session_open()
    return written({p.name: (p, buffers[p.name]) for p in task.buffers if p.role == "output"})


def _multiplies_matrices(facts: Json) -> bool:
    """Whether tensor cores do: their products are not worked out (runtime/matrices.cpp)."""
    return any(EVENTS[site["kind"]] == "tensor" for kernel in facts["kernels"] for site in kernel["sites"])


def _held(session: Session, task: Prototype, buffers: Mapping[str, View]) -> dict[str, str]:
    """What small outputs hold, in hexadecimal."""
    session.runtime.ladder_session_open()
    few = [p.name for p in task.buffers if p.role == "output" and buffers[p.name].bytes <= MOST_HELD]
    return {name: ctypes.string_at(buffers[name].address, buffers[name].bytes).hex() for name in few}


def _placed(session: Session, name: str, bytes_: int, tile: mmap.mmap | None) -> View:
    """A buffer of this size: an input that repeats its tile, or else an output. Raises MemoryError."""
    place = session.runtime.ladder_session_sampled_buffer
    place.restype = ctypes.c_void_p
    place.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t]
    start = ctypes.addressof(ctypes.c_char.from_buffer(tile)) if tile else None
    address = place(name.encode(), bytes_, tile is None, start, len(tile) if tile else 0)
    if address is None:
        raise MemoryError(f"there is no room for {name}, {bytes_:,} bytes")
    return _SampledView(address, bytes_, tile is None)


def _tile(view: View, size: int) -> mmap.mmap:
    """Whole pages of shared memory that hold the view's values, again and again if they are few."""
    values = ctypes.string_at(view.address, min(view.bytes, size)) or b"\0"
    values *= mmap.PAGESIZE // len(values) + 1
    tile = mmap.mmap(-1, size)
    for start in range(0, size, len(values)):
        tile[start : start + len(values)] = values[: size - start]
    return tile


# ---- what the blocks that ran did, by source line ----

Counts = defaultdict[str, float]
Inline = Mapping[int, Sequence[tuple[int, str]]]  # instructions of inline PTX, with their lines, by their basic blocks


def _inline(statements: Sequence[Json], code: CodeMap) -> Inline:
    """Those of the statements that ran; `pc` is where each stands."""
    begins = sorted(code.blocks)
    found: defaultdict[int, list[tuple[int, str]]] = defaultdict(list)
    for each in statements:
        if at := bisect(begins, each["pc"]):
            line = code.line_of(each["pc"]) or 0
            found[begins[at - 1]] += [(line, name) for name in each["instructions"]]
    return found


def _launch(sample: Json, kernel: Json, code: CodeMap, inline: Inline) -> Json:
    """A sampled launch with its counts, all of them sums over the blocks that ran."""
    lines: defaultdict[int, Counts] = defaultdict(lambda: defaultdict(float))
    for site in kernel["sites"]:
        kind, space = EVENTS[site["kind"]], SPACES[site["space"]]
        if kind == "block":
            _count_block(site, code, inline, lines)
        elif kind == "tensor":
            counts = lines[code.line_of(site["pc"]) or 0]
            counts["tensor_instructions"] += site["warps"]
            counts["tensor_operations"] += site["warps"] * tensor_operations(site)
            counts["tensor_work"] += site["warps"] * tensor_work(*tensor_kind(site))
        else:
            _count_access(lines[code.line_of(site["pc"]) or 0], site, kind, space)
    totals: Counts = defaultdict(float)
    for counts in lines.values():
        for name, number in counts.items():
            totals[name] += number
    return {
        **sample,
        "kernel": kernel["name"],
        "line": kernel["line"],
        "counts": dict(totals),
        "lines": {str(line): dict(counts) for line, counts in sorted(lines.items())},
    }


def _count_access(counts: Counts, site: Json, kind: str, space: str) -> None:
    atomic = kind == "atomic"
    way = "atomic" if atomic else "load" if kind in LOADS else "store"
    words = max(site["bytes"] / WORD, 1)  # of a lane: so many loads of 4 bytes would do the same
    if space == "global":
        counts["task_stored_bytes"] += site["task_useful"] * (way != "load")
        counts["task_loaded_bytes"] += site["task_useful"] * (way == "load")
        counts[f"global_{way}_requests"] += site["requests"]
        counts[f"global_{way}_sectors"] += site["sectors"]
        counts[f"global_{way}_lines"] += site["lines"]
        counts[f"global_{way}_words"] += site["requests"] * words
        counts["global_atomic_lanes"] += site["threads"] * atomic
        counts["global_atomic_float_lanes"] += site["float_lanes"]
    elif space == "shared":
        counts[f"shared_{way}_requests"] += site["requests"]
        counts[f"shared_{way}_wavefronts"] += site["wavefronts"]
        counts[f"shared_{way}_words"] += site["requests"] * words
        counts["joined_load_requests"] += site["joined"]
        counts["joined_load_wavefronts"] += site["joined_wavefronts"]


def _count_block(site: Json, code: CodeMap, inline: Inline, lines: defaultdict[int, Counts]) -> None:
    block = code.blocks.get(site["pc"]) or Block(1)
    here = lines[code.line_of(site["pc"]) or 0]
    here["basic_blocks"] += site["warps"]
    here["runs"] = max(here["runs"], site["warps"])  # of the line's own code, mostly
    here["instructions"] += site["warps"] * (block.assembly or block.weight)
    here["choices"] += site["warps"] * block.choices
    for line, what, times in block.work:
        special, floats, doubles = PRICES[what]
        counts = lines[line]
        counts["special"] += site["warps"] * times * special
        counts["doubles"] += site["warps"] * times * doubles
        if what in ("float +", "float *"):
            counts["sums" if what == "float +" else "products"] += site["warps"] * times
        elif (special, floats) == (0, 2):
            counts["fused"] += site["warps"] * times
        else:
            counts["in_functions"] += site["warps"] * times * floats
    for line, name in inline.get(site["pc"], ()):
        special, floats, doubles = price_of(name)
        lines[line]["special"] += site["warps"] * special
        lines[line]["doubles"] += site["warps"] * doubles
        lines[line]["in_functions"] += site["warps"] * floats
