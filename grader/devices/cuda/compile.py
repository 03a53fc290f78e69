"""Builds a kernel file for a GPU, by nvcc through torch's `load_inline`. Only a worker may: it loads what it built."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.course.prototype import Prototype
from grader.devices.build.build import (
    Built,
    Gate,
    build_error,
    cached_or_built,
    entry_points,
    explain_failure,
    place_in_cache,
    timed,
    unreadable,
)
from grader.devices.build.diagnostics import Message
from grader.devices.build.lexer import lex
from grader.devices.build.line_numbers import with_own_numbers
from grader.devices.build.recipe import STRICT_LINK_FOR_GPU, build_inline, for_ninja, hash_of
from grader.devices.build.refused import refusal
from grader.devices.build.toolchain import missing_tool
from grader.devices.cuda.launches import LINK, WATCH
from grader.devices.cuda.toolkit import cuda_home, missing_cuda_tool, runtime_library
from grader.devices.evidence import Build

# torch forbids arithmetic on half and bfloat16 in its own files; a learner's file and the emulator allow it
_TORCH_FORBIDS = ("HALF_OPERATORS", "HALF_CONVERSIONS", "BFLOAT16_CONVERSIONS", "HALF2_OPERATORS")
_FLAGS = ["-O3", "-std=c++17", "-lineinfo", *(f"-U__CUDA_NO_{name}__" for name in _TORCH_FORBIDS)]
_LINK = [*STRICT_LINK_FOR_GPU, *LINK]


def architecture(major: int, minor: int) -> str:
    """What to compile for on a card of this compute capability: (9, 0) is "90a", with the features of that card alone.

    From Hopper on these are the warpgroup instructions (PTX ISA, "Target directives"), which later lessons use.
    """
    return f"{major}{minor}{'a' if major >= 9 else ''}"


@dataclass(frozen=True)
class CudaRecipe:
    """A `.cu` as text, for one architecture. The library needs the CUDA runtime and nothing else."""

    text: str
    architecture: str

    @property
    def flags(self) -> list[str]:
        number = self.architecture
        return [*_FLAGS, f"-gencode=arch=compute_{number},code=sm_{number}"]

    @property
    def inputs(self) -> list[str]:
        """All that decides what is built, but for which nvcc it is."""
        return [self.text, WATCH, *self.flags, *_LINK]

    def key(self) -> str:
        return hash_of(self.inputs, str(_home() / "bin" / "nvcc"))

    def run(self, folder: Path) -> Path:
        """As recipe.Recipe says."""
        _use_cuda_alone(_home())
        return build_inline(
            folder,
            cpp_sources=[],
            cuda_sources=[self.text + WATCH],
            extra_cuda_cflags=self.flags,
            extra_ldflags=[for_ninja(flag) for flag in _LINK],
            with_cuda=True,
        )

    def facts(self, library: Path) -> tuple[None, list[Path]]:
        """A GPU's session asks the driver."""
        return None, []


def _home() -> Path:
    home = cuda_home()
    if home is None:
        raise RuntimeError("there is no CUDA toolkit")  # missing_cuda_tool has said so before
    return home


def _use_cuda_alone(home: Path) -> None:
    """Takes torch's headers and libraries off the compiler's command line, for the rest of this worker's short life.

    So a submission that calls a library instead of being a kernel does not compile, and the link needs no search.
    """
    from torch.utils import cpp_extension

    link = for_ninja(str(runtime_library(home)))
    cpp_extension.CUDA_HOME = str(home)
    cpp_extension.include_paths = lambda *_, **__: [str(home / "include")]
    cpp_extension._prepare_ldflags = lambda flags, *_, **__: [*flags, link]


@timed
def build_for_cuda(
    source: str,
    filename: str,
    prototypes: Sequence[Prototype],
    cache: Path,
    folder: Path,
    gate: Gate,
    architecture: str,
) -> Built:
    """Builds the learner's own text for a GPU of one architecture ("90a"): as `build.cached_or_built` says."""
    if problem := unreadable(source) or missing_tool() or missing_cuda_tool():
        return Build("build_error", problem), None
    if found := refusal(source, lex(source), emulated=False):
        return build_error([Message(*found)], source), None
    text = _numbered(source, filename)

    def explain(output: str) -> Build:
        return explain_failure(output, source, filename, text, prototypes)

    recipe = recipe_for(source, filename, prototypes, architecture)
    return cached_or_built(recipe, cache, folder, gate, explain)


def cuda_library(source: str, filename: str, prototypes: Sequence[Prototype], cache: Path, architecture: str) -> Path:
    """Where the cache keeps the build of this text for an architecture, if it was built."""
    return place_in_cache(recipe_for(source, filename, prototypes, architecture).key(), cache)


def recipe_for(source: str, filename: str, prototypes: Sequence[Prototype], architecture: str) -> CudaRecipe:
    """What nvcc gets of a learner's file."""
    return CudaRecipe(_numbered(source, filename) + entry_points(prototypes), architecture)


def _numbered(source: str, filename: str) -> str:
    """The text, whose lines the compiler counts from its beginning."""
    return f'#line 1 "{filename}"\n{with_own_numbers(source)}'
