"""How nvcc is called, through torch's `load_inline`. Only a worker may run this: it loads what it built."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from grader.devices.cuda.launches import LINK, WATCH
from grader.devices.cuda.toolkit import cuda_home, runtime_library
from grader.devices.recipe import LIBRARY, STRICT_LINK_FOR_GPU, for_ninja, hash_of

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

    def key(self) -> str:
        return hash_of([self.text, WATCH, *self.flags, *_LINK], str(_home() / "bin" / "nvcc"))

    def run(self, folder: Path) -> Path:
        """As recipe.Recipe says."""
        from torch.utils import cpp_extension

        _use_cuda_alone(_home())
        folder.mkdir()
        return Path(
            cpp_extension.load_inline(
                LIBRARY.removesuffix(".so"),
                cpp_sources=[],
                cuda_sources=[self.text + WATCH],
                extra_cuda_cflags=self.flags,
                extra_ldflags=[for_ninja(flag) for flag in _LINK],
                build_directory=str(folder),
                is_python_module=False,
                no_implicit_headers=True,
                with_cuda=True,
                with_pytorch_error_handling=False,
            )
        )


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
