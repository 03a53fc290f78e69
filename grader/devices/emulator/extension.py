"""PyTorch extensions on the emulator: built as torch builds them, for tensors of the CPU.

A `.cu` is translated and watched like any kernel file; a `.cpp` is compiled as it is. Each call of a function of the
extension is a run of its own: its tensors, and those that it makes, are memory that kernels may touch.
"""

from __future__ import annotations

import ctypes
import hashlib
import importlib.machinery
import importlib.util
import json
import os
import re
import subprocess
import sysconfig
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from grader.devices.build.recipe import program_identity
from grader.devices.emulator import library as library_of
from grader.devices.emulator.entry import POISON, Loaded
from grader.devices.emulator.reading import Reading
from grader.devices.emulator.sides import marks
from grader.devices.emulator.symbols import CodeMap
from grader.devices.emulator.translate import rewritten
from grader.devices.emulator.wording import word_findings
from grader.devices.evidence import Finding

FIRST = "ladder_torch.h"
SECONDS = 600.0  # of processor time, for one call
# Lines are all that is asked of an extension's debug information, and most of it would be the types of torch's headers.
WATCHED = [*library_of.COMPILE_FLAGS[1:], "-g1"]
_OF_HEADERS = ("pybind11::", "c10::", "at::", "torch::", "std::", "guard variable", "TLS ")
_MISSING = re.compile(r"not (been )?declared|not a member|does not name|incomplete type|no matching function")
_OLD_QUESTION = re.compile(r"\.type\(\)\s*\.is_cuda\(\)")


@dataclass(frozen=True)
class Source:
    """A file of an extension. `name` is what messages call it."""

    name: str
    text: str

    @property
    def is_cuda(self) -> bool:
        """Whether its functions may be kernels."""
        return Path(self.name).suffix in (".cu", ".cuh")


def build(name: str, sources: Sequence[Source], flags: Sequence[str], cache: Path) -> Path:
    """The library of an extension, from the cache if nothing has changed. Raises RuntimeError with g++'s words."""
    runtime = library_of.runtime_library(cache)
    texts = [_text(source) for source in sources]
    compiling = [*_flags(name, runtime), *flags]
    key = hashlib.sha256("\0".join([*texts, *compiling, *WATCHED, *program_identity("g++"), str(runtime)]).encode())
    for header in sorted(library_of.library_folder().rglob("*")):
        key.update(header.read_bytes() if header.is_file() else b"")
    folder = cache / "extensions" / key.hexdigest()[:32]
    library = folder / f"{name}.so"
    if library.exists():
        return library
    folder.mkdir(parents=True, exist_ok=True)

    def compiled(number: int) -> str:
        file = folder / f"{number}.cpp"
        file.write_text(texts[number])
        command = ["g++", *compiling, *(WATCHED if sources[number].is_cuda else ["-O1"])]
        try:
            _run(command, file, folder)
        except RuntimeError as error:
            if not _MISSING.search(str(error)):
                raise
            _run([*command, "-DLADDER_ALL_OF_TORCH"], file, folder)  # it may be what ladder_torch.h leaves out
        return f"{number}.o"

    with ThreadPoolExecutor(2) as pool:
        objects = list(pool.map(compiled, range(len(sources))))
    unfinished = folder / "unfinished.so"
    _run(["g++", "-shared", *objects, "-o", unfinished.name, *_link_flags(runtime)], None, folder)
    unfinished.replace(library)
    return library


def _text(source: Source) -> str:
    text = _OLD_QUESTION.sub(".is_cpu()", source.text)
    body = rewritten(text, source.name) + marks(text) if source.is_cuda else f'#line 1 "{source.name}"\n{text}'
    return f"#include <{FIRST}>\n{body}\n"


def _flags(name: str, runtime: Path) -> list[str]:
    from torch.utils import cpp_extension

    ours = [
        library_of.library_folder() / "for_torch",
        library_of.library_folder(),
        runtime.parent,
        library_of.include_folder(),
    ]
    places = [*ours, *cpp_extension.include_paths(), sysconfig.get_paths()["include"]]
    macros = [f"-DTORCH_EXTENSION_NAME={name}", "-DTORCH_API_INCLUDE_EXTENSION_H"]
    return [*macros, "-std=c++20", "-fPIC", "-fpermissive", "-w", *(f"-I{place}" for place in places)]


def _link_flags(runtime: Path) -> list[str]:
    from torch.utils import cpp_extension

    wraps = [flag for flag in library_of.link_flags(runtime) if flag != "-Wl,-z,defs"]
    (folder, *_) = cpp_extension.library_paths()
    libraries = [f"-l{name}" for name in ("c10", "torch_cpu", "torch", "torch_python")]
    return [*wraps, "-Wl,-Bsymbolic", f"-L{folder}", f"-Wl,-rpath,{folder}", *libraries]


def _run(command: Sequence[str], file: Path | None, folder: Path) -> None:
    whole = [*command, "-c", file.name, "-o", file.with_suffix(".o").name] if file else list(command)
    done = subprocess.run(whole, cwd=folder, capture_output=True, text=True, errors="replace")
    if done.returncode:
        said = [row for row in done.stderr.splitlines() if "error:" in row or "undefined reference" in row]
        raise RuntimeError("\n".join(said[:20] or [done.stderr[-2000:]]))


class Extension:
    """A built extension in this process. `told` gets what is found in each call."""

    def __init__(self, library: Path, source: Source, cache: Path, told: Callable[[Finding], None]):
        self.source, self.told = source, told
        self.code = CodeMap.load(library, Path(source.name).name)
        # Of variables of a thread's own, a block's shared arrays are the file's.
        self.code.symbols = [
            each for each in self.code.symbols if each.kind != "shared_array" or not each.name.startswith(_OF_HEADERS)
        ]
        spec = importlib.util.spec_from_loader(
            library.stem, importlib.machinery.ExtensionFileLoader(library.stem, str(library))
        )
        assert spec and spec.loader
        self.module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.module)
        self.library = ctypes.CDLL(str(library))
        self.loaded = Loaded(self.library, self.code)
        self.runtime = ctypes.CDLL(str(library_of.runtime_library(cache)))
        self.runtime.ladder_session_report.restype = ctypes.c_char_p
        self.runtime.ladder_session_begin.argtypes = [ctypes.c_double, ctypes.c_double, ctypes.c_int]
        self.runtime.ladder_host_register.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]

    def call(self, function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        """Calls a function of the extension, watched."""
        tensors = list(_tensors([*arguments, *named.values()]))
        inside = ctypes.cast(self.library.ladder_tensors, ctypes.c_void_p)
        count = ctypes.c_size_t(len(self.loaded.symbols))
        self.runtime.ladder_session_module(inside, self.loaded.symbols, count, len(os.sched_getaffinity(0)), 1)
        self.runtime.ladder_session_whole_program(1)
        elements = float(sum(each.numel() for each in tensors))
        self.runtime.ladder_session_begin(SECONDS, 1e9 + elements, POISON)
        for storage in {each.untyped_storage().data_ptr(): each.untyped_storage() for each in tensors}.values():
            self.runtime.ladder_host_register(storage.data_ptr(), storage.nbytes(), 0)
        self.library.ladder_tensors(1)
        try:
            return function(*arguments, **named)
        finally:
            self.library.ladder_tensors(0)
            self.runtime.ladder_session_whole_program(0)
            facts = json.loads(self.runtime.ladder_session_report().decode(errors="replace"))
            for finding in word_findings(facts, self.code, {}, Reading(self.source.text)):
                if finding.kind != "leak":
                    self.told(finding)


def _tensors(values: Iterable[Any]) -> Iterable[Any]:
    import torch

    for value in values:
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from _tensors(value)


def watched(extension: Extension, module: ModuleType) -> ModuleType:
    """A module like this one, and its submodules, whose functions are called watched."""
    made = ModuleType(module.__name__, module.__doc__)
    for name, value in vars(module).items():
        if isinstance(value, ModuleType):
            setattr(made, name, watched(extension, value))
        elif callable(value) and not isinstance(value, type):
            setattr(made, name, _Watched(extension, value))
        elif not name.startswith("__"):
            setattr(made, name, value)
    return made


class _Watched:
    """A function of an extension."""

    def __init__(self, extension: Extension, function: Callable[..., Any]):
        self.extension, self.function = extension, function
        self.__name__, self.__doc__ = getattr(function, "__name__", ""), function.__doc__

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return self.extension.call(self.function, *arguments, **named)
