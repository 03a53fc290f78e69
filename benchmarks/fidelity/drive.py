"""The program that Nsight Compute watches: calls every case once on the GPU, in one process.

Memory comes and goes by copies only, so that every kernel it launches is a case's own.
"""

from __future__ import annotations

import ctypes
import json
import sys
from collections.abc import Collection
from pathlib import Path

from benchmarks.fidelity.cases import Case, all_cases, digest, source_name
from grader.course.prototype import elements


def library_name(case: Case) -> str:
    return source_name(case).replace("/", "-").removesuffix(".cu") + ".so"


def main(libraries: Path, names: Collection[str]) -> None:
    """Calls the cases of these names. Writes digests.json, {case: [inputs, outputs]}, beside the libraries."""
    marker = ctypes.CDLL(str(libraries / "marker.so"))
    digests = {}
    for case in all_cases():
        if case.name not in names:
            continue
        if case.is_rung:
            marker.mark()
        digests[case.name] = call(case, libraries / library_name(case))
    (libraries / "digests.json").write_text(json.dumps(digests))


def call(case: Case, library: Path) -> tuple[str, str]:
    """Digests of the inputs and of the outputs, which start as zeros."""
    import torch

    inputs = case.inputs()
    buffers = {name: tensor.cuda() for name, tensor in inputs.items()}
    for parameter in case.prototype.outputs:
        size = elements(case.shapes[parameter.name]) * parameter.type.bytes
        buffers[parameter.name] = torch.zeros(size, dtype=torch.uint8).cuda()
    arguments = []
    for parameter in case.prototype.parameters:
        if parameter.is_buffer:
            arguments.append(ctypes.c_void_p(buffers[parameter.name].data_ptr()))
        elif parameter.role == "scalar":
            arguments.append(parameter.type.ctypes(case.sizes[parameter.name]))
        else:
            arguments.append(ctypes.c_void_p(None))  # the default stream
    entry = ctypes.CDLL(str(library))[case.prototype.name]
    entry.restype = None
    entry(*arguments)
    torch.cuda.synchronize()
    return digest(inputs.values()), digest(buffers[parameter.name] for parameter in case.prototype.outputs)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
