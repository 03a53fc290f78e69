"""What a tensor core rounds: mma.sync as an H200 does it, bit by bit (benchmarks/fidelity/tensor_sums.py)."""

from __future__ import annotations

import json

import numpy as np
import pytest

from benchmarks.fidelity import tensor_sums
from benchmarks.fidelity.agreement import RESULTS
from benchmarks.fidelity.cases import file_digest

MEASURED = json.loads((RESULTS.parent / "tensor_sums.json").read_text())
PROTOTYPES = {name: f"void {name}(const int* x, int* out, int n, cudaStream_t stream)" for name in tensor_sums.KINDS}


@pytest.mark.parametrize("name", tensor_sums.KINDS)
def test_sums_are_those_of_the_gpu(run_kernel, name):
    assert MEASURED["source"] == file_digest(tensor_sums.SOURCE), "tensor_sums.cu was changed: measure again"
    kind = tensor_sums.KINDS[name]
    x = tensor_sums.registers(kind, *tensor_sums.drawn(kind)).view(np.int32)
    out = np.zeros((len(x), 4, 32), np.int32)
    values = {"x": x, "out": out, "n": len(x)}
    outputs, run = run_kernel(tensor_sums.SOURCE.read_text(), PROTOTYPES[name], among=PROTOTYPES.values(), **values)
    assert [finding.message for finding in run.findings if finding.severity == "error"] == []
    found, wanted = (
        tensor_sums.sums_of(kind, outputs["out"].view(np.uint32)),
        tensor_sums.unpacked(MEASURED["sums"][name]),
    )
    wrong = np.argwhere(found != wanted)
    assert len(wrong) == 0, f"{len(wrong)} of {wanted.size} sums, such as {hex(found[tuple(wrong[0])])} at {wrong[0]}"
    assert run.counters["tensor_instructions"] == len(x) * (2 if kind.k == 32 else 1)
