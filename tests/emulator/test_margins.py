"""Pointers that leave the local array that they were made from: found when what lies there is used."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from tests.emulator.checked_kernel import run

KERNELS = Path(__file__).parent / "kernels"
RIGHT, WRONG = ((KERNELS / f"lent_{kind}.cu").read_text() for kind in ("right", "wrong"))


def names_in(source: str) -> list[str]:
    """Those of the kernels in a file's list."""
    return re.findall(r"\w+", source.split("kernels[] = {")[1].split("}")[0])


@pytest.mark.parametrize("name", names_in(WRONG))
def test_a_pointer_leaves_its_array(run_kernel, name):
    _, _, findings = run(run_kernel, WRONG, names_in(WRONG).index(name))
    assert [(finding.kind, finding.severity) for finding in findings] == [("own_array", "error")]
    assert re.search(r"uses [ab]\[-?\d+\], (past its end|before its start): [ab] has \d elements", findings[0].message)


@pytest.mark.parametrize("name", names_in(RIGHT))
def test_a_right_pointer_is_left_alone(run_kernel, name):
    x, z, findings = run(run_kernel, RIGHT, names_in(RIGHT).index(name))
    assert findings == [] and np.allclose(z, x)
