"""The emulator's price list, from what Nsight Compute counted of functions.cu.

python3 -m benchmarks.fidelity.prices      renews it in grader/devices/emulator/prices.py
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.fidelity.agreement import MUFU, NOT_MEASURED, RESULTS, operations
from benchmarks.fidelity.cases import FOLDER, ROOT, THREADS
from benchmarks.fidelity.results import Results
from docs import blocks

LIST = ROOT / "grader" / "devices" / "emulator" / "prices.py"
WARPS = THREADS / 32
OPERATORS = {
    "float_add": "float +",
    "float_multiply": "float *",
    "float_divide": "float /",
    "float_divide_by_three": "float / constant",
    "double_add": "double +",
    "double_multiply": "double *",
    "double_divide": "double /",
    "double_divide_by_three": "double / constant",
    "int_divide": "integer /",
}
_ENTRY = re.compile(r"^ENTRY\((\w+), [\w ]+, (.*)\)$", re.MULTILINE)

Price = tuple[int, int, int]  # special functions, operations on floats, on doubles


def main() -> None:
    if not RESULTS.exists():
        sys.exit(NOT_MEASURED)
    LIST.write_text(renewed(LIST.read_text(), Results.read(RESULTS)))


def renewed(text: str, results: Results) -> str:
    """The module with the list made anew."""
    rows = [f'    "{name}": {price},\n' for name, price in sorted(prices(results))]
    return blocks.renewed(text, {"prices": "".join(["PRICES: Mapping[str, Price] = {\n", *rows, "}\n"])})


def prices(results: Results, source: Path = FOLDER / "functions.cu") -> Iterator[tuple[str, Price]]:
    """What each entry of functions.cu adds to its two or three operands, whose own scaling is taken away."""
    for entry, expression in _ENTRY.findall(source.read_text()):
        name = OPERATORS.get(entry) or entry.removeprefix("of_")
        if name == entry:  # stands for none
            continue
        measured = results.cases[f"functions/{entry}"]
        besides = 2 * len(set(re.findall(r"\b[XY]\b", expression)))  # X and Y: an addition and a multiplication each
        besides += expression.count(" + ") if entry not in OPERATORS else 0
        floats, doubles = (round((operations(measured, each) or 0) / THREADS) for each in "fd")
        special = round((measured.total(MUFU) or 0) / WARPS)
        yield name, (special, floats, doubles - besides) if doubles > floats else (special, floats - besides, doubles)


if __name__ == "__main__":
    main()
