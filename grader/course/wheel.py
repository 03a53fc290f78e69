"""Puts the course into the wheel: grader/data/ is a copy of lessons/, kernels/ and so on, made while it is built.

The repository has them once, at its root, where an editable installation finds them. setuptools takes the class from
pyproject.toml.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from setuptools.command.build_py import build_py  # type: ignore[import-untyped]

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))  # setuptools loads this file alone

from grader.course import content  # noqa: E402


class BuildWithCourse(build_py):  # type: ignore[misc]
    """As setuptools' own, and the course's files besides."""

    def run(self) -> None:
        if self.editable_mode:
            super().run()
            return
        shutil.rmtree(Path(self.build_lib, "grader"), ignore_errors=True)  # files of an earlier build, gone since
        super().run()
        for file in self.course_files():
            self.mkpath(str(Path(file).parent))
            self.copy_file(str(ROOT / Path(file).relative_to(self.data_folder)), file)

    @property
    def data_folder(self) -> Path:
        return Path(self.build_lib, "grader", "data")

    def course_files(self) -> list[str]:
        return [str(self.data_folder / name) for name in content.names(ROOT)]

    def get_outputs(self, include_bytecode: bool = True) -> list[str]:
        outputs: list[str] = super().get_outputs(include_bytecode)
        return outputs if self.editable_mode else [*outputs, *self.course_files()]

    def get_source_files(self) -> list[str]:
        """What the source distribution has to hold for a wheel to be built from it."""
        return [*super().get_source_files(), *content.names(ROOT)]
