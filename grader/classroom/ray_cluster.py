"""Nodes of a Ray cluster that grade a class: each kernel is a task, which Ray gives to a node that has room for it.

Ray runs a task again when its node or its process is lost. This process alone writes the ledger, each result once.
Moritz et al., "Ray: A Distributed Framework for Emerging AI Applications" (OSDI 2018).
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from grader.classroom.executors import GRADING, Grading
from grader.classroom.ledger import NOT_GRADED, Notes, Result, Submitted, version
from grader.course import catalog
from grader.course.catalog import UsageError

CORES, BYTES = 1, 2 << 30  # of one task
_MOST_AHEAD = 2  # tasks that are handed to Ray, for each that can run: a node that is done finds the next one there
_MOST_TRIES = 5  # beyond the first, where nodes are lost
_LOST = "it was begun {} times, and its node was lost each time ({}): grade it again"
_OTHER = "the node {} has another grader or another course: install the same on all nodes"


@dataclass(frozen=True)
class Order:
    """What a node needs to know of one kernel."""

    submitted: Submitted
    seed: int
    hidden: str
    timeout: float | None
    options: dict[str, Any]
    command: Sequence[str] | None  # None: the node's own


def grade_on_ray(
    ledger: Notes,
    address: str | None,
    jobs: int,
    timeout: float | None,
    options: dict[str, Any],
    tell: Callable[[Submitted, Result], None],
    command: Sequence[str] | None = None,
) -> None:
    """Grades what has no grade yet on the nodes of this cluster, and notes each as it is done. Raises UsageError.

    Without an address Ray starts on this machine, for so many jobs. Arguments besides are those of `grade_here`.
    """
    with _connected(address, jobs) as ray:
        demands = {"num_cpus": CORES, "memory": BYTES, "num_gpus": 1 if options.get("device") == "cuda" else 0}
        _check_room(ray, demands)
        task = ray.remote(_graded).options(max_retries=_MOST_TRIES, scheduling_strategy="SPREAD", **demands)
        waiting = ledger.to_grade()[::-1]
        running: dict[Any, Submitted] = {}
        here = version(ledger.hidden)
        while waiting or running:
            room = _MOST_AHEAD * max(int(ray.cluster_resources().get("CPU", 0)) // CORES, 1)
            while waiting and len(running) < room:
                submitted = ledger.submitted(waiting.pop())
                order = Order(submitted, ledger.seed, ledger.hidden, timeout, options, command)
                running[task.remote(order)] = submitted
            (done,), _ = ray.wait([*running])
            submitted, result = running.pop(done), _result(ray, done, here)
            ledger.note(submitted, result)
            tell(submitted, result)


@contextlib.contextmanager
def _connected(address: str | None, jobs: int) -> Iterator[Any]:
    """Ray, until all is done. Raises UsageError."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # it asks no other host
    try:
        import ray
    except ImportError:
        raise UsageError("--on ray needs Ray: type `pip install 'kernel-ladder[class]'` on all nodes") from None
    own = {} if address else {"num_cpus": jobs * CORES, "include_dashboard": False}
    course = {"env_vars": {"LADDER_COURSE": str(catalog.course_root())}}
    try:
        ray.init(address or "local", log_to_driver=False, logging_level="ERROR", runtime_env=course, **own)
    except Exception as error:  # of any class
        where = f"at {address}" if address else "on this machine, and none can be started"
        raise UsageError(f"there is no Ray cluster {where} ({_first_line(error)})") from None
    try:
        yield ray
    finally:
        ray.shutdown()


def _check_room(ray: Any, demands: dict[str, int]) -> None:
    """Refuses what Ray would wait for in vain. Raises UsageError."""
    names = {"num_cpus": "CPU", "memory": "memory", "num_gpus": "GPU"}
    nodes = [node["Resources"] for node in ray.nodes() if node["Alive"]]
    if not any(all(node.get(names[name], 0) >= wanted for name, wanted in demands.items()) for node in nodes):
        needed = f"{CORES} core and {BYTES >> 30} GB of memory{' and a GPU' if demands['num_gpus'] else ''}"
        raise UsageError(f"no node of the Ray cluster has {needed}, which a kernel needs")


def _result(ray: Any, done: Any, here: str) -> Result:
    try:
        there, node, result = ray.get(done)
    except ray.exceptions.RayError as error:
        return Result(NOT_GRADED, message=_LOST.format(_MOST_TRIES + 1, _first_line(error)))
    return result if there == here else Result(NOT_GRADED, message=_OTHER.format(node))


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0][:200]


# ---- on a node ----

_version = cache(version)  # a node's files are read once
_kept: dict[str, Grading] = {}  # the process that grades for this process of Ray's, by the GPU that it was given


def _graded(order: Order) -> tuple[str, str, Result]:
    """Of this node's grader its version, the node's name, and what has come of a kernel."""
    here = _version(order.hidden)
    card = os.environ.get("CUDA_VISIBLE_DEVICES", "")
    for other in [each for each in _kept if each != card]:
        _kept.pop(other).end()
    grading = _kept.setdefault(card, Grading(order.command or GRADING, order.options))
    grading.begin(order.submitted, order.seed, order.hidden)
    return here, os.uname().nodename, grading.finish(order.timeout)
