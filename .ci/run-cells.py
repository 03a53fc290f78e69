"""Runs a notebook's cells one after another in this environment's IPython; ends with 1 at the first that fails.

Not nbclient, which Colab lacks, and which would bring its own versions of what is to be tried.
"""

import json
import sys

from IPython.core.interactiveshell import InteractiveShell

SKIPPED = {"colab", "gpu"}


def main(path: str) -> None:
    with open(path) as file:
        cells = [cell for cell in json.load(file)["cells"] if cell["cell_type"] == "code"]
    shell, ran = InteractiveShell.instance(), 0
    for number, cell in enumerate(cells, start=1):
        tags = set(cell["metadata"].get("tags", ()))
        if tags & SKIPPED:
            continue
        source = "".join(cell["source"])
        result = shell.run_cell(source)
        if not result.success and "raises-exception" not in tags:
            sys.exit(f"{path}: cell {number} fails: {source[:200]}")
        ran += 1
    print(f"{path}: {ran} of {len(cells)} cells ran, in IPython {sys.modules['IPython'].__version__}")


main(sys.argv[1])
