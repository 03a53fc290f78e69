"""How `pytest --nbval notebooks` runs them: without a GPU its cells are skipped, and nobody's work/ is touched."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from docs.notebooks import own_course

until_the_end = ExitStack()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Cells that need a GPU, by their tag: where there is one they run, and what they print is not compared."""
    until_the_end.enter_context(own_course())  # nbval's items know no fixtures
    cells = [item for item in items if "gpu" in getattr(item, "cell", {}).get("metadata", {}).get("tags", [])]
    reason = why_no_gpu() if cells else ""
    for cell in cells:
        cell.options["check"] = False
        if reason:
            cell.add_marker(pytest.mark.skip(reason=reason))


def pytest_unconfigure() -> None:
    until_the_end.close()


def why_no_gpu() -> str:
    """One sentence; empty where there is a GPU."""
    from grader.devices.cuda.card import find_card

    card, reason = find_card()
    return "" if card else f"needs a GPU: {reason}"
