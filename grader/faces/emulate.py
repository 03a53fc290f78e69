"""`import grader.emulate` lets a script with a PyTorch CUDA extension run without a GPU.

It comes before other imports. `torch.utils.cpp_extension.load` and `load_inline` build for the emulator then, "cuda"
means the CPU wherever torch takes a device, and what the emulator finds while a function of an extension runs is a
Python warning at the line of the `.cu`.

    import grader.emulate
    from torch.utils.cpp_extension import load_inline

    module = load_inline("scale", cpp_sources, cuda_sources, functions=["scale"])
    module.scale(torch.ones(1000, device="cuda"), 2.0)
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils import cpp_extension

from grader.devices.cache import cache_root
from grader.devices.emulator.extension import Extension, Source, build, watched
from grader.devices.evidence import Finding
from grader.faces import emulated_cuda

_CUDA = ("cuda", "cuda:0")


class EmulatorWarning(UserWarning):
    """What the emulator has found in a kernel, at the line of its file."""


class _OnTheCPU(TorchFunctionMode):
    """Wherever a function of torch's is told to use a CUDA device, it uses the CPU."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is torch.Tensor.cuda:
            return args[0]
        if func == torch.Tensor.is_cuda.__get__:  # type: ignore[attr-defined]
            return True
        return func(*map(_device, args), **{name: _device(value) for name, value in (kwargs or {}).items()})


def _device(value: Any) -> Any:
    is_cuda = value in _CUDA if isinstance(value, str) else isinstance(value, torch.device) and value.type == "cuda"
    return torch.device("cpu") if is_cuda else value


def load_inline(
    name: str,
    cpp_sources: str | Sequence[str] = (),
    cuda_sources: str | Sequence[str] | None = None,
    sycl_sources: Any = None,
    functions: Sequence[str] | Mapping[str, str] | None = None,
    extra_cflags: Sequence[str] | None = None,
    extra_cuda_cflags: Sequence[str] | None = None,
    extra_sycl_cflags: Any = None,
    extra_ldflags: Any = None,
    extra_include_paths: Sequence[str] | None = None,
    *_: Any,
    **__: Any,
) -> ModuleType:
    """As torch's own, for the emulator. Raises RuntimeError if the sources do not compile."""
    cpp = [each for each in ([cpp_sources] if isinstance(cpp_sources, str) else cpp_sources) if each.strip()]
    cuda = [cuda_sources] if isinstance(cuda_sources, str) else list(cuda_sources or ())
    if functions is not None:
        named = functions if isinstance(functions, Mapping) else {each: each for each in functions}
        rows = [f'm.def("{each}", torch::wrap_pybind_function({each}), "{said}");' for each, said in named.items()]
        cpp.append("PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {\n" + "\n".join(rows) + "\n}\n")
    sources = [Source(f"{name}.cu", "\n".join(cuda))] if cuda else []
    sources += [Source(f"{name}.cpp", "\n".join(cpp))] if cpp else []
    return _loaded(name, sources, [*(extra_cflags or ()), *(extra_cuda_cflags or ())], extra_include_paths)


def load(
    name: str,
    sources: str | Sequence[str],
    extra_cflags: Sequence[str] | None = None,
    extra_cuda_cflags: Sequence[str] | None = None,
    extra_sycl_cflags: Any = None,
    extra_ldflags: Any = None,
    extra_include_paths: Sequence[str] | None = None,
    *_: Any,
    **__: Any,
) -> ModuleType:
    """As torch's own, for the emulator. Raises RuntimeError if the sources do not compile, or OSError."""
    files = [Path(sources)] if isinstance(sources, str) else [Path(each) for each in sources]
    folders = [str(folder.resolve()) for folder in {file.parent for file in files}]
    return _loaded(
        name,
        [Source(str(file), file.read_text()) for file in files],
        [*(extra_cflags or ()), *(extra_cuda_cflags or ())],
        [*(extra_include_paths or ()), *folders],
    )


def _loaded(name: str, sources: list[Source], flags: list[str], folders: Sequence[str] | None) -> ModuleType:
    kept = [flag for flag in flags if flag.startswith(("-D", "-U"))]  # all else says how nvcc makes code for a GPU
    library = build(name, sources, [*kept, *(f"-I{folder}" for folder in folders or ())], cache_root())
    first = next((source for source in sources if source.is_cuda), sources[0])

    def told(finding: Finding) -> None:
        said = f"{finding.kind.replace('_', ' ')}: {finding.message}"
        warnings.warn_explicit(said, EmulatorWarning, first.name, finding.line or 0, registry={})

    extension = Extension(library, first, cache_root(), told)
    return watched(extension, extension.module)


def _install() -> None:
    cpp_extension.load, cpp_extension.load_inline = load, load_inline
    emulated_cuda.install()
    _OnTheCPU().__enter__()  # type: ignore[no-untyped-call]


_install()
