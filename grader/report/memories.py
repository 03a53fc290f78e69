"""The memories of a GPU as a table: how large they are, and how long they take to answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grader.report.bench import bytes_text
from grader.report.pages import Table


def memories_table(measured: Mapping[str, Any]) -> Table:
    """Of what devices.cuda.hierarchy has measured. Registers have no latency of their own: they are where one works."""
    multiprocessors = measured["multiprocessors"]
    near, l2, far = (f"{measured['global_ns'][str(1 << power)]:.0f} ns" for power in (14, 23, 30))
    own = f"{measured['shared_ns']:.0f} ns"
    registers, shared = measured["registers_bytes"], measured["shared_bytes"]
    rows = [
        ["registers", "one thread", bytes_text(registers), bytes_text(registers * multiprocessors), ""],
        ["shared memory", "one block", bytes_text(shared), bytes_text(shared * multiprocessors), own],
        ["L1 cache", "one multiprocessor", "the same memory", "", near],
        ["L2 cache", "the whole GPU", "", bytes_text(measured["l2_bytes"]), l2],
        ["device memory", "the whole GPU", "", bytes_text(measured["memory_bytes"]), far],
    ]
    threads = measured["threads_per_multiprocessor"]
    title = f"{measured['device']}: {multiprocessors} multiprocessors, each with up to {threads} threads"
    columns = ["", "who sees it", "on a multiprocessor", "in all", "a load takes"]
    return Table(title, columns, rows, f"Measured on {measured['date']}.", measured)
