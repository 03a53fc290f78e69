"""Addresses that functions, methods and lambdas get: right ones are left alone, also those one past an array, and an
element that is not there is found.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from tests.emulator.checked_kernel import run

KERNELS = Path(__file__).parent / "kernels"
RIGHT, WRONG = ((KERNELS / f"addresses_{kind}.cu").read_text() for kind in ("right", "wrong"))


def names_in(source: str) -> list[str]:
    """Those of the kernels in a file's list."""
    return re.findall(r"\w+", source.split("kernels[] = {")[1].split("}")[0])


@pytest.mark.parametrize("name", names_in(RIGHT))
def test_a_right_address_is_left_alone(run_kernel, name):
    x, z, findings = run(run_kernel, RIGHT, names_in(RIGHT).index(name))
    assert findings == [] and np.allclose(z, x)


@pytest.mark.parametrize("name", names_in(WRONG))
def test_an_element_that_is_not_there_is_found(run_kernel, name):
    _, _, findings = run(run_kernel, WRONG, names_in(WRONG).index(name))
    assert any(finding.kind in ("own_array", "out_of_bounds") for finding in findings)
