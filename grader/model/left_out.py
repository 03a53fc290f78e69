"""What a kernel leaves out at the timed case, where no results are compared: its work is, with that of a checked case.

Stars hang on counts of small cases and on the modelled time of the timed one. Host code that launches something
cheaper for large sizes would have both. So what a right kernel has done of the task's own work in the counted case it
must do at the timed case, too: load the same inputs, store the results, and do the arithmetic, by half at least. What
several blocks load or store alike counts for each of them, so that a kernel is never told to do less than it does.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from grader.course.call import Call
from grader.course.prototype import Parameter
from grader.devices.evidence import CaseRun, Evidence, Finding
from grader.model.sampled import LANES, SECTOR, takes_turns

Sample = Mapping[str, Any]
Json = Mapping[str, Any]

HALF = 0.5
NEARLY = 0.96  # where what is stored is known: a block more or less, and what a last one has no element for
ONCE = 1.02  # times as much as there is: nothing is stored twice
_TWICE = 1.5  # times: then a launch overwrites what another has left
ALIKE = 0.02  # how far the steps of blocks that do the same may be apart
SMALL = 1 / 16  # of all bytes: a smaller array may be a block's that was not sampled
MANY = 16  # blocks that ran and touch an array: they lie all over the grid, and so over the array
_ALL_RESULTS = "the results' elements"
BEYOND = 2.0  # times as much as from the first that they touch to the last
FEW = 4  # blocks of a launch: of fewer, none may be one that touches an array which others touch
CLOCKS_OF_A_STEP = 0.25  # at least: of what the emulator counts as steps nvcc may join some
# What may look otherwise in a sample than on a GPU: some blocks wait for others, which are not run.
_OF_OTHER_BLOCKS = ("timeout", "deadlock", "race")
_OF_ONE_BLOCK = ("race", "barrier_divergence", "out_of_bounds", "misaligned")  # races in shared memory (sampling.h)


def left_out(real: Call, sample: Sample, checked: Call, run: CaseRun) -> str:
    """The first part of the task's work that the `checked` case shows and the sampled one lacks: words, or ""."""
    set_last = sample.get("set_last", {})
    for each in real.task.results:
        if set_last.get(each.name, 0) >= SMALL * real.bytes[each.name]:
            return f"at {real.name}, which is timed, {each.name} is set behind the last launch: leave that out"
    if (times := _stored_in_vain(real, sample, checked, run)) > _TWICE:
        return (
            f"at {real.name}, which is timed, the launches store {times:.2g} times as many elements as there are"
            " results, and read none of them: launch there what the cases check"
        )
    if name := _filled_behind(real, sample, checked, run):
        return (
            f"at {real.name}, which is timed, {name} stores over results what hangs on no input: launch there what the"
            " cases check"
        )
    for what, name, share in (*_arrays(real, sample, checked, run), *_arithmetic(real, sample, checked, run)):
        if share < (NEARLY if name == _ALL_RESULTS and _do_alike(sample) else HALF):
            return (
                f"at {real.name}, which is timed, the launches {what} {share:.0%} of {name}, and all of it at "
                f"{checked.name}: launch there what the cases check"
            )
    return ""


def failure(tried: Evidence, real: Call, run: CaseRun, clocks: float) -> str:
    """Why a kernel that is right in all checked cases, as in `run`, cannot run at the timed one: words, or "".

    What a kernel does wrong counts in a sample only where nothing before it was left out, or where no case checks it. A
    thread that is not done in time is too slow if its steps take more than so many `clocks`.
    """
    if tried.problem == "crash":
        return tried.ended
    known = {kernel["name"] for kernel in run.kernels}
    for each in tried.cases:
        sample = each.sample or {"launches": (), "skipped": 0}
        is_first = sum(launch["repeats"] for launch in sample["launches"]) < 2 and not sample["skipped"]
        for finding in each.findings:
            if _is_the_emulators(finding) or _is_known_to_change_nothing(finding, run):
                continue
            slow = CLOCKS_OF_A_STEP * finding.details.get("steps", 0) > clocks
            fresh = (finding.kernel and finding.kernel not in known) or _waits_here_alone(finding, run)
            if _is_sure(finding, is_first) or slow or fresh:
                return f"at {real.name}, which is timed, {finding.message}"
    return ""


def _is_known_to_change_nothing(finding: Finding, run: CaseRun) -> bool:
    """Whether it is a value of an undefined shuffle, which a checked case has taken in the same line, and not used."""
    if finding.kind != "shuffle_source":
        return False
    return finding.line in {each.line for each in run.findings if each.kind == finding.kind and each.severity == "note"}


def surely_wrong(tried: Evidence, inputs: Collection[str]) -> Finding | None:
    """What a kernel does wrong at the timed case alone, as where a block does what several do in the checked ones.

    A launch that CUDA refuses, what the first one does, and a race of those that load nothing but the inputs: what
    others find may hang on blocks that were not run.
    """
    for each in tried.cases:
        sample = each.sample or {"launches": (), "skipped": 0}
        launches: Sequence[Json] = sample["launches"]
        later = {launch["kernel"] for launch in launches[not sample["skipped"] :]}
        others = {launch["kernel"] for launch in launches[not sample["skipped"] :] if not _loads_only(inputs, launch)}
        for finding in each.findings:
            if _is_the_emulators(finding):
                continue
            unsure = others if finding.kind == "race" else later
            of_one_block = finding.kind in _OF_ONE_BLOCK and finding.kernel and finding.kernel not in unsure
            if finding.kind == "launch_error" or of_one_block:
                return finding
    return None


def _is_the_emulators(finding: Finding) -> bool:
    """Whether it is a launch that a GPU takes, and the emulator does not: nothing is known of it."""
    return finding.kind == "launch_error" and "more than the emulator can hold" in finding.message


def _loads_only(inputs: Collection[str], launch: Json) -> bool:
    """From global memory. An atomic may load what it updates."""
    others = [each for each in launch["regions"] if not (each["of_task"] and each["name"] in inputs)]
    return not launch["counts"].get("global_atomic_lanes") and not any(each["loaded"] for each in others)


def _waits_here_alone(finding: Finding, run: CaseRun) -> bool:
    """Whether it waits for a value in a line that reads none in the checked case."""
    counts = ("global_load_requests", "global_atomic_requests", "shared_load_requests", "shared_atomic_requests")
    if not finding.details.get("waits"):
        return False
    return not any(line[name] for line in run.lines if line["line"] == finding.line for name in counts)


def _is_sure(finding: Finding, is_first: bool) -> bool:
    of_host = not finding.kernel or finding.kind == "launch_error"
    return of_host or (is_first and finding.kind not in _OF_OTHER_BLOCKS)


def _do_alike(sample: Sample) -> bool:
    """Whether all blocks that ran of each launch do the same, and are enough to say so of the others."""
    for launch in sample["launches"]:
        steps = [block["steps"] for block in launch["ran"]]
        if len(steps) < min(MANY, launch["blocks"]) or max(steps) - min(steps) > ALIKE * max(steps):
            return False
    return not sample["skipped"]


def _filled_behind(real: Call, sample: Sample, checked: Call, run: CaseRun) -> str:
    """The last launch's kernel, if it loads nothing, and stores results that others have stored; else "". In the
    checked case each result is stored once.
    """
    if run.counters.get("task_store_useful_bytes", 0) > ONCE * checked.facts["output_bytes"]:
        return ""
    launches: Sequence[Json] = sample["launches"]
    if len(launches) < 2:
        return ""
    last, results = launches[-1], {each.name for each in real.task.results}
    stores = any(each["of_task"] and each["name"] in results and each["stored"] for each in last["regions"])
    stored = _asked_for(sample, "stored", real.task.results)
    if not stores or not _loads_only((), last) or stored <= ONCE * real.facts["output_bytes"]:
        return ""
    return f"`{last['kernel']}`"


def stores_each_once(real: Call, sample: Sample) -> bool:
    """Whether what a launch stores stays: there is one, or they load inputs alone, and store no more than there is."""
    launches: Sequence[Json] = sample["launches"]
    inputs = [each.name for each in real.signature.inputs]
    if sum(launch["repeats"] for launch in launches) < 2:
        return True
    stored = _asked_for(sample, "stored", real.task.results)
    return stored <= ONCE * real.facts["output_bytes"] and all(_loads_only(inputs, launch) for launch in launches)


def share_stored(real: Call, sample: Sample) -> float:
    """Of the results' bytes, what the launches store if all blocks do as those that ran; 0 where that is not known."""
    return _asked_for(sample, "stored", real.task.results) / real.facts["output_bytes"]


def _stored_in_vain(real: Call, sample: Sample, checked: Call, run: CaseRun) -> float:
    """How often launches that load inputs store the results, where none reads what another has stored and the checked
    case stores each once; 0 if that is not so.
    """
    inputs = [each.name for each in real.signature.inputs]
    once = run.counters.get("task_store_useful_bytes", 0) <= ONCE * checked.facts["output_bytes"]
    if not once or not all(_loads_only(inputs, launch) for launch in sample["launches"]):
        return 0.0
    working = [each["counts"] | {"times": _scale(each)} for each in sample["launches"]]
    stored = sum(
        each["times"] * each.get("task_stored_bytes", 0.0) for each in working if each.get("task_loaded_bytes")
    )
    return float(stored / real.facts["output_bytes"])


# ---- what was moved ----

Part = tuple[str, str, float]  # "load", "x", and the share of it


def _arrays(real: Call, sample: Sample, checked: Call, run: CaseRun) -> Iterator[Part]:
    """Of the arrays that the checked case loads or stores; of all of a kind together where few blocks were sampled."""
    few = any(len(each["ran"]) < min(FEW, each["blocks"]) for each in sample["launches"])
    for number, (what, all_, buffers) in enumerate(
        (("load", "the inputs", real.signature.inputs), ("store", "the results", real.task.results))
    ):
        large = (each.name for each in buffers if real.bytes[each.name] >= SMALL * real.moved_bytes)
        names = [name for name in large if run.touched[name][number] >= HALF * checked.bytes[name]]
        moved = {name: _moved(sample, name, number) for name in names}
        if few and names:
            yield what, all_, sum(moved.values()) / sum(real.bytes[name] for name in names)
        elif not few:
            yield from ((what, name, moved[name] / real.bytes[name]) for name in names)
        if what == "store" and names and (stored := _asked_for(sample, "stored", real.task.results)):
            yield what, _ALL_RESULTS, stored / sum(real.bytes[name] for name in names)
        shown = run.counters.get("task_load_useful_bytes", 0) >= sum(checked.bytes[name] for name in names)
        if what == "load" and names and shown and (loaded := _asked_for(sample, "loaded", real.signature.inputs)):
            yield what, "the inputs' elements", loaded / sum(real.bytes[name] for name in names)


def _asked_for(sample: Sample, way: str, buffers: Sequence[Parameter]) -> float:
    """Bytes that the lanes of requests store or load in the task's buffers, no two the same, and what copies do.

    0 where none is known to: then `_moved` says what is left out. An index that is worked out in too few bits has lanes
    meet in one place, in all sectors for all that.
    """
    copied = sample.get("copied", {})
    by_copies = sum(copied.get(each.name, (0, 0))[way == "stored"] for each in buffers)
    by_launches = sum(_scale(each) * each["counts"].get(f"task_{way}_bytes", 0.0) for each in sample["launches"])
    return float(by_copies + by_launches) if by_launches else 0.0


def _moved(sample: Sample, name: str, number: int) -> float:
    """Bytes of an array that launches and copies load (0) or store (1), at most."""
    regions = ((launch, region) for launch in sample["launches"] for region in launch["regions"])
    own = ((launch, region) for launch, region in regions if region["of_task"] and region["name"] == name)
    copied: Mapping[str, Sequence[int]] = sample.get("copied", {})
    return float(copied.get(name, (0, 0))[number] + sum(_moved_by(*each, number) for each in own))


def _moved_by(launch: Json, region: Json, number: int) -> float:
    """By all blocks of a launch, and its repeats: hardly more than lies between the ends of what scattered ones do."""
    bytes_: float = SECTOR * region[("loaded", "stored")[number]] * _scale(launch) * _cut(launch)
    way = ("load", "store")[number]
    scattered = launch["repeats"] == 1 and region[f"{way}_blocks"] >= MANY and not takes_turns(launch)
    return float(min(bytes_, BEYOND * region[f"{way}_span"])) if scattered else bytes_


def _scale(launch: Json) -> float:
    """From the blocks that ran to all blocks of all launches of the kind.

    Most of those lie side by side in the middle of the grid, where they may have less to do than those all over it: at
    twice as many blocks as it takes, nothing.
    """
    ran, scattered = len(launch["ran"]), launch.get("scattered", 0)
    moved = sum(region["loaded"] + region["stored"] for region in launch["regions"])
    busier = launch["by_scattered"] * ran / (moved * scattered) if scattered and moved else 1.0
    return float(max(busier, 1.0) * launch["blocks"] * launch["repeats"] / ran)


def _cut(launch: Json) -> float:
    """How many times as much was loaded as what a trace has kept of it (sampled.py)."""
    asked = sum(region["asked"] for region in launch["regions"])
    loaded = launch["counts"].get("global_load_sectors", 0.0) * max(launch["held"], 1) / len(launch["ran"])
    return max(loaded / asked, 1.0) if asked else 1.0


# ---- what was worked out ----


def _arithmetic(real: Call, sample: Sample, checked: Call, run: CaseRun) -> Iterator[Part]:
    """Of the task's floating-point operations, where the checked case is seen to do them."""
    seen = sum(run.counters[f"{name}_operations"] for name in ("float", "double", "tensor"))
    if real.flops and checked.flops and seen >= HALF * checked.flops:
        yield "do", "the arithmetic", sum(map(_operations, sample["launches"])) / real.flops


def _operations(launch: Json) -> float:
    """At most: all lanes of a warp are taken to work, and each atomic to be an addition."""

    def count(*names: str) -> float:
        return float(sum(launch["counts"].get(name, 0.0) for name in names))

    of_warps = count("sums", "products", "fused", "fused", "in_functions", "doubles", "shared_atomic_requests")
    lanes = LANES * of_warps + count("global_atomic_lanes", "tensor_operations")
    return float(_scale(launch) * lanes)
