"""Outputs of which no kernel knows: changed although no store was seen, or computed by the host.

Each byte that a kernel writes must be announced before.

A store by a variable's name and an index has no callback (announced.py), and it is the checking build that finds an
index which leaves its array (checked.py). In the build that counts, host code which knows one from the other could let
kernels write whatever they like in this way. What they write into outputs then lies there, and no store has marked it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from grader.devices.emulator.entry import View, bytes_of
from grader.devices.emulator.host_wording import BY_THE_HOST
from grader.devices.emulator.kinds import EVENTS, LOADS, SPACES
from grader.devices.evidence import Finding


def unseen_stores(facts: dict[str, Any], buffers: Mapping[str, View], untouched: Sequence[np.ndarray]) -> list[Finding]:
    """An error for the first output of which more bytes have changed than were written, or if all inputs go to the host
    and no kernel loads anything; none beside other errors.

    Nothing is said where not all launches were counted.
    """
    counted = all(kernel["counted_launches"] == kernel["launches"] for kernel in facts["kernels"])
    if not counted or any(not finding["note"] for finding in facts["findings"]):
        return []
    if facts["inputs_to_host"] and not any(map(_loads, facts["kernels"])):
        return [Finding("host_access", BY_THE_HOST)]
    written = {region["name"]: region["stored"] for region in facts["regions"] if region["of_task"]}
    outputs = ((name, view) for name, view in buffers.items() if view.writable)
    for (name, view), was in zip(outputs, untouched, strict=True):
        unseen = int(np.count_nonzero(bytes_of(view) != was)) - written[name]
        if unseen > 0:
            message = (
                f"{unseen:,} bytes of {name} have changed, and no store of a kernel was seen to write them: "
                "does an index leave an array of its own?"
            )
            return [Finding("out_of_bounds", message, line=next((each["line"] for each in facts["launches"]), None))]
    return []


def _loads(kernel: Mapping[str, Any]) -> bool:
    sites = (site for site in kernel["sites"] if SPACES[site["space"]] in ("global", "constant"))
    return any(EVENTS[site["kind"]] in (*LOADS, "part_read") for site in sites)
