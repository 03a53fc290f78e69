"""Whether outputs are right in another order of blocks, too: a small case was run once more, its last block first."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterable, Mapping

from grader.devices.buffers import CaseBuffers
from grader.devices.evidence import Finding
from grader.judge.compare import Expected, Output, compare

BLOCK_ORDER = "block_order"  # a kind of finding


def settle_orders(
    findings: list[Finding], buffers: CaseBuffers, expected: Mapping[str, Expected], is_right: bool
) -> None:
    """Of outputs that came out otherwise nothing is said if they are right as well, or if the first ones are wrong."""
    for finding in [each for each in findings if each.kind == BLOCK_ORDER]:
        if is_right and are_right(finding, buffers, expected) is False:
            finding.severity = "error"
        else:
            findings.remove(finding)


def are_right(finding: Finding, buffers: CaseBuffers, expected: Mapping[str, Expected]) -> bool | None:
    """Whether the outputs that go along with a finding are right; None if there are none. They are taken out."""
    contents = _contents(finding, buffers, expected)
    if not contents:
        return None
    found = buffers.left(expected, contents)
    left = {name: Output(values, ~unwritten) for name, (values, unwritten) in found.items()}
    return compare(expected, left).status == "passed"


def _contents(finding: Finding, buffers: CaseBuffers, names: Iterable[str]) -> dict[str, bytes]:
    """What each output held then; {} if the finding does not say that, for a submission may have made it up."""
    held = finding.details.pop("outputs", None)
    try:
        contents = {name: b64decode(held[name]) for name in names}
    except (KeyError, TypeError, ValueError):
        return {}
    return contents if all(len(contents[name]) == buffers.slots[name].bytes for name in contents) else {}
