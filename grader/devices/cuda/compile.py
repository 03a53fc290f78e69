"""How nvcc is called, through torch's `load_inline`. Only a worker may run this: it loads what it built."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from grader.devices.build import LIBRARY, STRICT_LINK, for_ninja, hash_of

# torch forbids arithmetic on half and bfloat16 in its own files; a learner's file and the emulator allow it
_TORCH_FORBIDS = ("HALF_OPERATORS", "HALF_CONVERSIONS", "BFLOAT16_CONVERSIONS", "HALF2_OPERATORS")
_FLAGS = ["-O3", "-std=c++17", "-lineinfo", *(f"-U__CUDA_NO_{name}__" for name in _TORCH_FORBIDS)]


def cuda_home() -> Path | None:
    """The folder of the CUDA toolkit: where the environment says, torch looks, the PATH leads or people put it."""
    from torch.utils import cpp_extension

    named = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), cpp_extension.CUDA_HOME]
    nvcc = shutil.which("nvcc")
    homes = [*map(Path, filter(None, named)), *([Path(nvcc).resolve().parents[1]] if nvcc else [])]
    homes += [Path("/usr/local/cuda"), *sorted(Path("/usr/local").glob("cuda-*"), reverse=True)]
    return next(
        (home for home in homes if (home / "bin/nvcc").exists() and (home / "include/cuda_runtime.h").exists()), None
    )


def missing_cuda_tool() -> str | None:
    """One sentence if there is no nvcc."""
    if cuda_home() is None:
        return "there is no CUDA compiler: install the CUDA toolkit, or set CUDA_HOME to the folder that holds bin/nvcc"
    return None


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
        return hash_of([self.text, *self.flags], str(_home() / "bin" / "nvcc"))

    def run(self, folder: Path) -> Path:
        """As build.Recipe says."""
        from torch.utils import cpp_extension

        _use_cuda_alone(_home())
        folder.mkdir()
        return Path(
            cpp_extension.load_inline(
                LIBRARY.removesuffix(".so"),
                cpp_sources=[],
                cuda_sources=[self.text],
                extra_cuda_cflags=self.flags,
                extra_ldflags=[for_ninja(flag) for flag in STRICT_LINK],
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

    folder = next((home / name for name in ("lib64", "lib") if (home / name).is_dir()), home)
    link = [for_ninja(f"-L{folder}"), "-lcudart"]
    cpp_extension.CUDA_HOME = str(home)
    cpp_extension.include_paths = lambda *_, **__: [str(home / "include")]
    cpp_extension._prepare_ldflags = lambda flags, *_, **__: [*flags, *link]
