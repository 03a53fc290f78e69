"""What the builds for both devices share: their name in the cache, and what a submission may not link against."""

from __future__ import annotations

import hashlib
import shlex
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

LIBRARY = "kernel.so"

# What a kernel has no use for, and a file that wants to reach around the grader has: other libraries' code, the rights
# of pages, the emulator's own controls. `wrap` makes the linker look for a __wrap_dlopen, which is nowhere defined, and
# would give the name __real_dlopen to what it replaces.
_CONTROLS = ("begin", "buffer", "mapping", "module", "open", "report", "run", "show")
REFUSED = (
    *("dlopen", "dlmopen", "dlsym", "dlvsym", "mmap", "mmap64", "mremap", "mprotect", "pkey_mprotect", "syscall"),
    *("ptrace", "process_vm_readv", "process_vm_writev", *(f"ladder_session_{control}" for control in _CONTROLS)),
)
# On a GPU, besides: what could go on working when the clock stands still.
_THREAD = "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE"  # std::thread's
REFUSED_ON_GPU = (
    *(
        _THREAD,
        "pthread_create",
        "thrd_create",
        "fork",
        "vfork",
        "clone",
        "posix_spawn",
        "posix_spawnp",
        "system",
        "popen",
    ),
    *("signal", "sigaction", "alarm", "setitimer", "timer_create", "timer_settime"),
)
# as-needed: a kernel needs none of the libraries that torch puts on every link line. nodynamic-undefined-weak: a weak
# name that is nowhere defined is null, and not what python, whose process it is, happens to have under that name.
STRICT_LINK = ["-Wl,-z,defs", "-Wl,--as-needed", "-Wl,-z,nodynamic-undefined-weak"]
STRICT_LINK += [f"-Wl,--wrap={prefix}{name}" for name in REFUSED for prefix in ("", "__real_")]
STRICT_LINK_FOR_GPU = [*STRICT_LINK, *(f"-Wl,--wrap={name}" for name in REFUSED_ON_GPU)]


class Recipe(Protocol):
    """All that a build depends on, and how it is done."""

    def key(self) -> str:
        """A hash of it all, the name of the build in the cache."""

    def run(self, folder: Path) -> Path:
        """Builds and loads; the library's path. Raises RuntimeError with ninja's output, OSError if it cannot load."""


def hash_of(parts: Iterable[str | bytes], compiler: str) -> str:
    """A hash of the parts, of torch's version and of the compiler of that name."""
    import torch

    program = Path(shutil.which(compiler) or "").resolve()
    facts = program.stat()
    digest = hashlib.sha256()
    for part in [*parts, torch.__version__, str(program), str(facts.st_size), str(facts.st_mtime_ns)]:
        digest.update((part if isinstance(part, bytes) else part.encode()) + b"\0")
    return digest.hexdigest()[:32]


def for_ninja(flag: str) -> str:
    """A flag as it must stand in a ninja file, which a shell then reads."""
    return shlex.quote(flag).replace("$", "$$")
