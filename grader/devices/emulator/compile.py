"""Compiles a translated kernel file for the emulator, with g++ and torch's `load_inline`. For build.py."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from grader.devices import diagnostics
from grader.devices.recipe import LIBRARY, STRICT_LINK, for_ninja, hash_of

_QUIET = ["-fno-diagnostics-show-caret", "-fdiagnostics-color=never", f"-fmax-errors={diagnostics.MOST}"]


@dataclass(frozen=True)
class EmulatorRecipe:
    """A translated file as text, with all flags."""

    text: str
    include: Path
    compile_flags: list[str]
    link_flags: list[str]

    def key(self) -> str:
        headers = sorted(path for path in self.include.rglob("*") if path.is_file())
        named = [part for path in headers for part in (str(path.relative_to(self.include)), path.read_bytes())]
        return hash_of([self.text, *self.compile_flags, *self.link_flags, *STRICT_LINK, *named], "g++")

    def run(self, folder: Path) -> Path:
        """As recipe.Recipe says."""
        from torch.utils import cpp_extension

        # Not torch's libraries, for the rest of this worker's short life: cblas_sgemm is in there, and much else.
        cpp_extension._prepare_ldflags = lambda flags, *_, **__: flags
        folder.mkdir()
        return Path(
            cpp_extension.load_inline(
                LIBRARY.removesuffix(".so"),
                cpp_sources=[self.text],
                extra_cflags=[for_ninja(flag) for flag in [*self.compile_flags, *_QUIET]],
                extra_ldflags=[for_ninja(flag) for flag in [*self.link_flags, *STRICT_LINK]],
                build_directory=str(folder),
                is_python_module=False,
                no_implicit_headers=True,
                with_cuda=False,
                with_pytorch_error_handling=False,
            )
        )


def emulator_recipe(text: str, cache: Path) -> EmulatorRecipe:
    """The recipe of a translated file. Compiles the runtime first, once for a cache; raises as `runtime_library`."""
    from grader.devices.emulator import session

    runtime = session.runtime_library(cache)
    return EmulatorRecipe(text, session.include_folder(), session.compile_flags(runtime), session.link_flags(runtime))
