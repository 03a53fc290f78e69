"""Executes the notebooks in place (`make notebooks`): all of them, or those named, `make notebooks LESSON=01`.

They run in a course of their own, so that the learner's files in work/ stay as they are, and print the same everywhere.
The badge and the cell for Colab, which they have once the project has an address (docs/address.py), and the metadata
are the same in all of them and are written here. So is what a learner finds in a cell `%%kernel 04 --rung 3`: rung 2.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from docs import address
from grader.devices.build.toolchain import compiler_version
from grader.faces import exercises, magics

if TYPE_CHECKING:
    from nbformat import NotebookNode

ROOT = Path(__file__).parents[1]
INSTALL = """\
# On Google Colab only: fetch the course, g++ 12 (Colab's own is 11), and install it.
import os

if os.getenv("COLAB_RELEASE_TAG") and not os.path.isdir("../lessons"):
    !git clone -q --depth 1 {page} kernel-ladder
    %cd -q kernel-ladder/notebooks
    !apt-get -qq install -y g++-12 > /dev/null && ln -sf /usr/bin/g++-12 /usr/local/bin/g++
    %pip install -q .."""
METADATA = {
    "accelerator": "GPU",
    "colab": {"gpuType": "T4", "provenance": []},
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
# Of a course, what its notebooks read. Of the cards, the one that sliders need: for a measured one each kernel would be
# modelled, too.
PARTS = ("lessons", "kernels", "notebooks", "benchmarks", "docs", "examples", "cards/h100.toml")
GPP = "12"  # whose counts are committed: how many instructions a warp runs hangs on what a compiler makes of a kernel


def main(wanted: str = "") -> None:
    files = sorted((ROOT / "notebooks").glob(f"{wanted}*.ipynb"))
    if not files:
        sys.exit(f"make: there is no notebook {wanted}: look into notebooks/")
    with own_course():
        for file in files:
            start = time.perf_counter()
            execute(file)
            print(f"{file.relative_to(ROOT)}: {time.perf_counter() - start:.0f} s")


@contextmanager
def own_course() -> Iterator[Path]:
    """For kernels that start meanwhile, the course is a copy of this one with an empty work/."""
    with tempfile.TemporaryDirectory(prefix="course-") as folder:
        copy_course(Path(folder))
        before = os.environ.get("LADDER_COURSE")
        os.environ["LADDER_COURSE"] = folder
        try:
            yield Path(folder)
        finally:
            os.environ.pop("LADDER_COURSE")
            if before is not None:
                os.environ["LADDER_COURSE"] = before


def counts_alike() -> bool:
    """Whether the g++ that is here makes of kernels what that one made."""
    return (compiler_version() or "").partition(".")[0] == GPP


def copy_course(folder: Path) -> None:
    """Fills an empty folder with links to what the notebooks read of this course: all but work/."""
    (folder / "cards").mkdir()
    for name in PARTS:
        Path(folder, name).symlink_to(ROOT / name)


def framed(notebook: NotebookNode, name: str) -> NotebookNode:
    """The notebook with its badge above the title, the cell for Colab below it, the metadata, and the course's code in
    the cells where learners write.

    Badge and cell lead to the repository: while the project has no address they are left out.
    """
    from nbformat import from_dict
    from nbformat.v4 import new_code_cell

    title, *rest = notebook.cells
    badge, heading = address.colab_badge(name), title.source.partition("# ")[2]
    title.source = f"{badge}\n\n# {heading}" if badge else f"# {heading}"
    install = INSTALL.format(page=address.page())
    cells = [new_code_cell(install, id="colab", metadata={"tags": ["colab"]})] if badge else []
    notebook.cells = [title, *cells, *(cell for cell in rest if cell.id != "colab")]
    notebook.metadata = from_dict(METADATA)
    for cell in notebook.cells:
        if "your-turn" in cell.metadata.get("tags", ()):
            cell.source = handed_out(cell.source.partition("\n")[0])
    return notebook


def handed_out(magic: str) -> str:
    """The cell of a learner who begins: `%%kernel 04 --rung 3` and rung 2; without --rung, the starter. UsageError."""
    entry, asked = magics.asked(magic.removeprefix("%%kernel"))
    text = exercises.starting_point(entry, *asked) if asked else entry.starter.read_text()
    return f"{magic}\n{text.rstrip()}"


def reframed(file: Path) -> NotebookNode:
    """The notebook in its frame, without running a cell: numbered as a run from top to bottom numbers them.

    The cell for Colab counts as run: anywhere else it does nothing.
    """
    import nbformat

    notebook = framed(nbformat.read(file, as_version=4), file.stem)
    for number, cell in enumerate((cell for cell in notebook.cells if cell.cell_type == "code"), 1):
        cell.execution_count = number
        for output in cell.outputs:
            if "execution_count" in output:
                output.execution_count = number
    return notebook


def execute(file: Path, *, draft: bool = False) -> None:
    """Runs all cells and writes their outputs, without what differs from run to run. Cells of a draft may fail."""
    import nbformat
    from nbclient import NotebookClient

    notebook = framed(nbformat.read(file, as_version=4), file.stem)
    client = NotebookClient(
        notebook,
        timeout=300,
        kernel_name="python3",
        record_timing=False,
        coalesce_streams=True,  # how a cell's prints are cut into pieces depends on the clock
        allow_errors=draft,
        resources={"metadata": {"path": str(file.parent)}},
    )
    client.execute()
    notebook.metadata = nbformat.from_dict(METADATA)
    nbformat.write(notebook, file)


if __name__ == "__main__":
    main(*sys.argv[1:])
