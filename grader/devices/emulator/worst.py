"""The accesses that waste most, one for each way to touch memory: which lanes touch which addresses, for a picture."""

from __future__ import annotations

from typing import Any

from grader.devices.emulator.kinds import EVENTS, LOADS, SPACES
from grader.devices.emulator.symbols import CodeMap

Json = dict[str, Any]


def worst_requests(facts: Json, code: CodeMap) -> list[Json]:
    """Of loads and stores of global and of shared memory, the worst request at the place that wastes most in all.

    Each with "way" ("global_load", ...), its line, and what the runtime tells of it (runtime/executor.h). `facts` is
    the runtime's report. What wastes nothing is left out.
    """
    worst: dict[str, tuple[int, Json]] = {}
    for kernel in facts["kernels"]:
        for site in kernel["sites"]:
            if not site.get("waste"):
                continue
            space = SPACES[site["space"]]
            way = f"{space}_{'load' if EVENTS[site['kind']] in LOADS else 'store'}"
            ideal = site["useful"] // 32 if space == "global" else site["ideal"]
            wasted = (site["sectors"] if space == "global" else site["wavefronts"]) - ideal
            if wasted > worst.get(way, (0, {}))[0]:
                worst[way] = (wasted, _told(site, way, code))
    return [told for _, (_, told) in sorted(worst.items()) if told["line"]]


def _told(site: Json, way: str, code: CodeMap) -> Json:
    kept = {name: site[name] for name in ("array", "bytes", "mask", "places")}
    return {"way": way, "line": code.line_of(site["pc"]) or 0} | kept
