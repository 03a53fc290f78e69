"""How `pytest --nbval notebooks` runs them: without a GPU its cells are skipped, and work/ is left alone.

nbval compares what is text; pictures are compared here, with a tolerance (docs/pictures.py).
"""

from __future__ import annotations

import functools
import re
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from docs import pictures
from docs.notebooks import copy_course, counts_alike

until_the_end = ExitStack()  # nbval's items know no fixtures


FAST = (0,)  # the notebooks of the fast tests; the emulator takes seconds for what the others count
SLOW = (1,)  # that of the long tail; all of them are for SLOW=2


# What the tests of such a file share takes long to make: builds of kernels, above all.
TOGETHER = re.compile(r"tests/(emulator|kernels)/.*|.*(\.ipynb|/test_site\.py|/test_structure\.py|/test_wheel\.py)")


MEASURED_HERE = "measured-here"  # the tag of a cell whose picture shows times of the machine that runs it


def tags(item: Any) -> list[str]:
    """Those of a notebook's cell; none of any other test."""
    found: list[str] = getattr(item, "cell", {}).get("metadata", {}).get("tags", [])
    return found


def with_pictures(item: Any) -> None:
    """Lets a cell's outputs be different where its pictures are."""
    texts = item.compare_outputs

    def compare(test: Any, ref: Any, skip_compare: Any = None) -> bool:
        if not texts(test, ref, skip_compare):
            return False
        item.comparison_traceback += pictures.differences(ref, test)
        return not item.comparison_traceback

    item.compare_outputs = compare


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Cells that need a GPU, by their tag: where there is one they run, and what they print is not compared."""
    for item in items:
        if item.path.suffix == ".ipynb" and (number := int(item.path.name[:2])) not in FAST:
            item.add_marker(pytest.mark.slow)
            if number not in SLOW:
                item.add_marker(pytest.mark.whole)
        if hasattr(item, "cell") and not counts_alike():
            item.options["check"] = False
        elif hasattr(item, "cell") and MEASURED_HERE not in tags(item):
            with_pictures(item)
    cells = [item for item in items if "gpu" in tags(item)]
    reason = why_no_gpu() if cells else ""
    for cell in cells:
        cell.options["check"] = False
        if reason:
            cell.add_marker(pytest.mark.skip(reason=reason))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """With -n N: a process that is free gets the next test, or all of the next notebook, whose cells share a kernel, or
    of a file whose tests share what takes long to build: another process would wait for it, or build it once more. The
    files with the most tests come first.

    xdist's own `--dist loadgroup` would do the same by marks, but xdist 3.8 cannot set them for pytest 9.2.
    """
    if config.getoption("dist") != "load":
        return None
    from xdist.scheduler.loadscope import LoadScopeScheduling

    class NextTestOrNotebook(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = nodeid.partition("::")[0]
            return file if TOGETHER.fullmatch(file) else nodeid

    return NextTestOrNotebook(config, log)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup() -> Iterator[None]:
    """A notebook's kernel starts here, in a course with an empty work/. For the notebooks alone, as this file is."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LADDER_COURSE", str(empty_course()))
        return (yield)


@functools.cache
def empty_course() -> Path:
    folder = Path(until_the_end.enter_context(tempfile.TemporaryDirectory(prefix="course-")))
    copy_course(folder)
    return folder


def pytest_unconfigure() -> None:
    until_the_end.close()


def why_no_gpu() -> str:
    """One sentence; empty where there is a GPU."""
    from grader.devices.cuda.card import find_card

    card, reason = find_card()
    return "" if card else f"needs a GPU: {reason}"
