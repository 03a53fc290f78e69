"""The files that make a course, and where this program has them: a wheel in grader/data/, a checkout at its root.

wheel.py puts them into the wheel; `ladder init` writes them into the learner's folder.
"""

from __future__ import annotations

from pathlib import Path

from grader.course.catalog import UsageError

PACKAGE = Path(__file__).parents[1]
DATA = PACKAGE / "data"
# benchmarks/ holds what notebooks show of a GPU, and what they name.
PATTERNS = (
    *("lessons/**/*", "kernels/**/*", "notebooks/*.ipynb"),
    *("examples/*.py", "examples/*.cu", "examples/lessons/**/*", "examples/kernels/**/*"),
    *("docs/*.md", "docs/model.svg", "docs/walks/*.png"),
    *(
        "benchmarks/*.cu",
        "benchmarks/two_streams.py",
        "benchmarks/results/h200/*.json",
        "benchmarks/results/h200/*.png",
    ),
    *("cards/*.toml", "constraints.txt", "LICENSE"),
)


def home() -> Path:
    """The folder that holds the course's files. Raises UsageError if this program came without them."""
    for folder in (DATA, PACKAGE.parent):
        if any(folder.glob("lessons/*/lesson.py")):
            return folder
    raise UsageError(f"{PACKAGE} came without the course: install Kernel Ladder again, from a wheel or a checkout")


def is_checkout(folder: Path) -> bool:
    """Whether a folder holds this program's sources, and so the course, too."""
    return (folder / "grader" / "course").is_dir() and (folder / "pyproject.toml").is_file()


def version() -> str:
    """Of this program, and of the course that it has."""
    from importlib import metadata  # takes longer than `ladder` has

    return metadata.version("kernel-ladder")


def names(root: Path) -> list[str]:
    """The course's files as "lessons/01_vector_add/lesson.py", without what programs leave behind there."""
    found = (file for pattern in PATTERNS for file in root.glob(pattern) if file.is_file())
    paths = (file.relative_to(root) for file in found)
    return sorted(path.as_posix() for path in paths if not any(map(_is_left_behind, path.parts)))


def _is_left_behind(part: str) -> bool:
    return part.startswith(".") or part == "__pycache__"
