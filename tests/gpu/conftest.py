"""Tests that need an NVIDIA GPU. Elsewhere they are skipped, and say why. They need torch, pytest, click and rich."""

from __future__ import annotations

from pathlib import Path

import pytest

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items):
    from grader.devices.cuda.card import find_card

    here = [item for item in items if item.path.parent == HERE]  # there are no folders below it
    reason = find_card()[1] if here else ""
    for item in here:
        item.add_marker(pytest.mark.gpu)
        if reason:
            item.add_marker(pytest.mark.skip(reason=f"no GPU to grade on: {reason}"))
