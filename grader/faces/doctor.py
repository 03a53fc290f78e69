"""`ladder doctor`: what is installed, what is missing, what to type."""

from __future__ import annotations

import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.text import Text

from grader.course import catalog, content
from grader.course.catalog import UsageError
from grader.course.unpack import read_manifest
from grader.devices.build.toolchain import OLDEST_COMPILER, compiler_version, missing_compiler
from grader.devices.cache import bytes_within, cache_root
from grader.devices.cuda.toolkit import INSTALL
from grader.devices.worker import confine_mounts, control_group, outside
from grader.faces.facts import Facts, gather
from grader.faces.standby_place import Place, why_not
from grader.faces.torch_build import has_driver, how_to_get

# What the emulator asks of the compiler: C++20, thread-local variables and the sanitizers' callbacks.
PROBE = """
template <class T> concept Any = true;
thread_local int x;
int add(Any auto y) { return x += y; }
int call() { return add(1); }
"""
PROBE_FLAGS = ["-x", "c++", "-std=c++20", "-fsanitize=thread", "-fsanitize-coverage=trace-pc", "-c"]
COURSE = "course"  # the check's name


@dataclass(frozen=True)
class Check:
    """One line of the report. `fix` is what to type; only what is `needed` stops the emulator."""

    name: str
    ok: bool
    found: str
    fix: str = ""
    needed: bool = True
    bad: str = "missing"  # the word for what is not ok: it may be there, and wrong


def examine() -> Iterator[Check]:
    """All checks, the quick ones first."""
    yield _system()
    yield _python()
    yield _compiler()
    yield _clang()
    yield _ninja()
    yield _cache()
    yield _torch()
    facts = gather()
    yield _sandbox(facts)
    yield _own_spaces()
    yield _bubblewrap()
    yield _limits()
    yield _server()
    yield _course()
    yield from examine_gpu(facts)


def report(console: Console) -> int:
    """Prints every check as it is made; returns 0 if the emulator can grade here, else 2."""
    done = []
    for check in examine():
        done.append(check)
        mark = Text("ok      ", "green") if check.ok else Text(f"{check.bad:<8}", "red" if check.needed else "yellow")
        console.print(mark + f"{check.name:<12}" + Text(check.found))
        if not check.ok and check.fix:
            console.print(Text(f"        {'':<12}{check.fix}", "bold" if check.needed else "dim"))
    console.print()
    ready = all(check.ok or not check.needed for check in done)
    console.print("The emulator can grade here." if ready else "The emulator cannot grade here yet: see above.")
    if any(check.name == COURSE and check.bad == "none" for check in done):
        console.print("There is no course here yet: type `ladder init`.")
    return 0 if ready else 2


def _system() -> Check:
    found = f"{platform.system()} {platform.machine()}"
    ok = platform.system() == "Linux" and platform.machine() in ("x86_64", "aarch64")
    return Check("system", ok, found, "The emulator runs on Linux (x86-64 or aarch64); on Windows, use WSL2.")


def _python() -> Check:
    ok = sys.version_info >= (3, 11)
    return Check("Python", ok, platform.python_version(), f"Install Python 3.11 or newer, then type {how_to_get()}.")


def _compiler() -> Check:
    fix = f"Install g++ {OLDEST_COMPILER} or newer, like `sudo apt install g++`."
    version = compiler_version()
    if version is None:
        return Check("g++", False, "not found", fix)
    if missing := missing_compiler():
        return Check("g++", False, missing.partition(":")[0], fix)
    with tempfile.TemporaryDirectory() as folder:
        ok = _output(["g++", *PROBE_FLAGS, "-o", str(Path(folder) / "probe.o"), "-"], PROBE) is not None
    return Check("g++", ok, version if ok else f"{version} cannot compile what the emulator needs", fix)


def _clang() -> Check:
    from grader.devices.build import frontend

    found = "libclang checks CUDA's rules" if frontend.available() else "CUDA's own rules are not checked"
    return Check("libclang", frontend.available(), found, "Type `pip install libclang`.", needed=False)


def _ninja() -> Check:
    beside = Path(sys.executable).with_name("ninja")  # found by the grader even if .venv is not activated
    program = str(beside) if beside.exists() else shutil.which("ninja")
    version = _output([program, "--version"]) if program else None
    return Check("ninja", version is not None, version or "not found", "Type `pip install ninja`.")


def _torch() -> Check:
    try:
        import torch
    except Exception as error:  # a broken installation raises whatever it likes
        return Check("torch", False, f"cannot be imported ({type(error).__name__})", f"Type {how_to_get()}.")
    kind = "CPU build, enough for the emulator"
    if torch.version.cuda:
        kind = f"built for CUDA {torch.version.cuda}"
        kind += "" if has_driver() else ", which does no harm here; its CPU build would do and is a tenth as large"
    return Check("torch", True, f"{torch.__version__}, {kind}")


def _cache() -> Check:
    fix = "Free some space, or name another folder with the environment variable XDG_CACHE_HOME."
    try:
        folder = cache_root()
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(1 << 20))
    except (OSError, UsageError) as error:
        return Check("cache", False, str(error), fix)
    return Check("cache", True, f"{folder}, {bytes_within(folder) / 1e6:.0f} MB")


def _server() -> Check:
    """What holds torch between two commands (standby_server.py)."""
    if reason := why_not():
        return Check("server", False, f"none, as {reason}: a verdict takes a second longer", needed=False, bad="off")
    try:
        with Place.find() as place:
            processes = [str(process) for _, process in place.servers()]
    except OSError as error:
        return Check("server", False, f"none, as its socket has no place: {error}", needed=False, bad="off")
    if not processes:
        return Check("server", True, "none runs: the next `ladder check` starts one, which holds torch", needed=False)
    found = f"holds torch until ten minutes after the last command; `kill {' '.join(processes)}` ends it now"
    return Check("server", True, found, needed=False)


def _sandbox(facts: Facts) -> Check:
    """What holds a submission: `--sandbox`."""
    held = [f"Landlock {facts.landlock}" if facts.landlock else "", "seccomp" if facts.seccomp else ""]
    found = f"{' and '.join(filter(None, held)) or 'nothing'} can hold a submission"
    if facts.landlock and facts.seccomp:
        found = f"strict, by {' and '.join(held)}: a submission opens its own files and starts no process"
    elif not facts.landlock:
        found += ", without Landlock: it reads and writes what you can"
    fix = "Linux 5.13 or newer has both, unless they are switched off; until then, grade only files that you trust."
    return Check("sandbox", bool(facts.landlock and facts.seccomp), found, fix, needed=False, bad="weak")


def _own_spaces() -> Check:
    """The layers `disk` and `network`."""
    if reason := confine_mounts.why_not():
        found = f"a submission has no mounts and no network of its own ({reason})"
        fix = "Let users have user namespaces: `sudo sysctl kernel.unprivileged_userns_clone=1`, or AppArmor's setting."
        return _optional("namespaces", False, found, fix, "weak")
    size = confine_mounts.MOST_BYTES >> 20
    return _optional("namespaces", True, f"a submission writes {size} MB of files at most, and has no network")


def _bubblewrap() -> Check:
    """The layer of this name."""
    if reason := outside.why_no_bubblewrap(cache_root()):
        return _optional(outside.BUBBLEWRAP, False, reason, "Install it, like `sudo apt install bubblewrap`.", "none")
    return _optional(outside.BUBBLEWRAP, True, "`ladder class` hides other files and processes from submissions")


def _limits() -> Check:
    """Of all that a submission may take, which no limit of one process bounds: the layers `memory`, `processes`."""
    with outside.in_a_group("") as held:
        missing = held["lacking"]
    if not missing:
        bytes_, most = control_group.most_bytes(), control_group.most_processes()
        found = f"{bytes_ / 2**30:.0f} GB of memory and {most} processes at most, for all of a submission's together"
        return _optional("limits", True, found)
    found = "; ".join(f"{layer}: {reason}" for layer, reason in missing.items())
    fix = "Type `systemd-run --user --scope -p Delegate=yes -p MemoryMax=8G -p TasksMax=512 ladder class grade`."
    return _optional("limits", False, found, fix, "weak")


def _course() -> Check:
    """Which course the commands are about; none does not stop the emulator."""
    try:
        root = catalog.course_root()
    except UsageError:
        fix = "Type `ladder init`, which writes one, or `cd` into yours."
        return Check(COURSE, False, "none in this folder or above", fix, needed=False, bad="none")
    found, ours = f"{root}, {len(catalog.entries(root))} lessons", content.version()
    theirs = read_manifest(root)
    if theirs and theirs.version != ours:
        found += f", version {theirs.version}, and this program has {ours}"
        return Check(COURSE, False, found, f"Type `ladder init {shlex.quote(str(root))} --update`.", False, "other")
    return Check(COURSE, True, found)


# ---- the GPU ----


def examine_gpu(facts: Facts) -> Iterator[Check]:
    """Whether kernels run on this machine's GPU, and what to type if not; one line if there is none."""
    if not facts.card:
        yield _no_gpu(facts)
        yield _toolkit(facts)
        return
    major, minor = facts.capability
    yield _optional("GPU", True, f"{facts.name}, compute capability {major}.{minor}")
    yield _driver(facts)
    yield _toolkit(facts)
    if facts.targets:
        yield _architecture(facts)
    yield _torch_on_gpu(facts)
    yield _sharing(facts)
    yield _profiler(facts)
    yield _optional(
        "sanitizer", facts.sanitizer is not None, _tool(facts.sanitizer, "check --sanitize"), _typed(INSTALL)
    )


def _optional(name: str, ok: bool, found: str, fix: str = "", bad: str = "missing") -> Check:
    return Check(name, ok, found, fix, needed=False, bad=bad)


def _wrong(name: str, found: str, fix: str) -> Check:
    return _optional(name, False, found, fix, bad="wrong")


def _no_gpu(facts: Facts) -> Check:
    if facts.smi_problem:
        fix = "Restart the machine; if that does not help, install NVIDIA's driver anew."
        return _wrong("GPU", f"nvidia-smi fails: {facts.smi_problem}", fix)
    return _optional("GPU", False, "kernels are emulated", bad="none")


def _driver(facts: Facts) -> Check:
    """A library of a newer major version does not start; PTX of a newer minor version is refused when it is loaded."""
    ours, theirs = facts.nvcc_version, facts.driver_cuda
    found = f"{facts.driver}, runs CUDA up to {_dotted(theirs)}"
    if ours[0] > theirs[0] > 0:
        said = f"{found}, but nvcc is of CUDA {_dotted(ours)}: no kernel that it builds starts"
        return _wrong("driver", said, f"Update the driver to {_DRIVERS.get(ours[0], 'a newer one')} or newer.")
    if ours > theirs > (0, 0):
        said = (
            f"{found}, and nvcc is of {_dotted(ours)}: machine code, which the grader builds, runs; PTX does not load"
        )
        fix = f"Update the driver, or give nvcc the card's own number: -arch=sm_{_digits(facts.capability)}."
        return _wrong("driver", said, fix)
    return _optional("driver", True, found)


# NVIDIA, CUDA release notes, "CUDA Toolkit and Minimum Required Driver Version for CUDA Minor Version Compatibility"
_DRIVERS = {11: "450", 12: "525", 13: "580"}


def _toolkit(facts: Facts) -> Check:
    if not facts.nvcc:
        needs = "needed to grade on the GPU" if facts.card else "only for a GPU"
        return _optional("nvcc", False, f"not found, {needs}", _typed(INSTALL) if facts.card else "")
    found = f"{_dotted(facts.nvcc_version)}, in {facts.home}"
    if facts.torch_cuda and facts.torch_cuda.partition(".")[0] != str(facts.nvcc_version[0]):
        fix = f"{_typed(INSTALL).rstrip('.')}, or set CUDA_HOME to a toolkit of CUDA {facts.torch_cuda}."
        return _wrong("nvcc", f"{found}, but torch is built for CUDA {facts.torch_cuda}: two runtimes do not mix", fix)
    return _optional("nvcc", True, found)


def _architecture(facts: Facts) -> Check:
    number, oldest, newest = facts.capability, facts.targets[0], facts.targets[-1]
    span = f"nvcc compiles for {_dotted(oldest)} to {_dotted(newest)}"
    if number < oldest:
        major = facts.nvcc_version[0]
        said = f"{span}: this card, {_dotted(number)}, is too old for CUDA {major}"
        fix = f"Use a toolkit of CUDA {major - 1} and a torch built for it: https://pytorch.org"
        return _wrong("nvcc + GPU", said, fix)
    if number > newest:
        return _wrong("nvcc + GPU", f"{span}: it does not know {_dotted(number)} yet", "Install a newer CUDA toolkit.")
    return _optional("nvcc + GPU", True, span)


def _torch_on_gpu(facts: Facts) -> Check:
    get = "Install a torch that suits this driver: https://pytorch.org names the command."
    if facts.torch_cuda is None:
        anew = f"Type `pip uninstall --yes torch`, then {how_to_get()}, which takes the build for CUDA now."
        return _wrong("torch + GPU", "torch is built without CUDA, and does not see the GPU", anew)
    if (0, 0) < facts.driver_cuda < (int(facts.torch_cuda.partition(".")[0]), 0):
        said = f"torch is built for CUDA {facts.torch_cuda}, and the driver runs {_dotted(facts.driver_cuda)}"
        return _wrong("torch + GPU", f"{said} at most", get)
    if not facts.torch_gpu:
        fix = "Look whether CUDA_VISIBLE_DEVICES hides it: `echo $CUDA_VISIBLE_DEVICES`."
        return _wrong("torch + GPU", "torch does not see the GPU, though it is built for CUDA", fix)
    if facts.torch_targets and not _has_code(facts):
        said = f"this torch has no kernels for compute capability {_dotted(facts.capability)}"
        return _wrong("torch + GPU", f"{said}: baselines cannot run", get)
    return _optional("torch + GPU", True, f"torch sees it, and is built for CUDA {facts.torch_cuda}")


def _has_code(facts: Facts) -> bool:
    """Machine code runs on later minor versions of the same major one, PTX on all that are later."""
    major, minor = facts.capability
    for target in facts.torch_targets:
        kind, _, digits = target.partition("_")
        number = divmod(int("".join(filter(str.isdigit, digits))), 10)
        if number <= (major, minor) and (kind == "compute" or number[0] == major):
            return True
    return False


def _sharing(facts: Facts) -> Check:
    if facts.sharing:
        said = f"not between processes here ({facts.sharing}): timed buffers are copied, which takes longer"
        return _optional("GPU memory", False, said, bad="slow")
    return _optional("GPU memory", True, "can be shared between judge and worker")


def _profiler(facts: Facts) -> Check:
    if facts.ncu and facts.only_root_counts:
        fix = "Type `sudo` before `ladder explain`, or see https://developer.nvidia.com/ERR_NVGPUCTRPERM"
        return _wrong("ncu", f"{facts.ncu}, but the driver shows its counters to root alone", fix)
    fix = "Install Nsight Compute: https://developer.nvidia.com/nsight-compute"
    return _optional("ncu", facts.ncu is not None, _tool(facts.ncu, "explain --device cuda"), fix)


def _tool(path: Path | None, use: str) -> str:
    return str(path) if path else f"not found, only for `ladder {use}`"


def _typed(instruction: str) -> str:
    return f"{instruction[0].upper()}{instruction[1:]}."


def _dotted(version: tuple[int, int]) -> str:
    return "{}.{}".format(*version)


def _digits(version: tuple[int, int]) -> str:
    return "{}{}".format(*version)


def _output(command: list[str], text: str = "") -> str | None:
    """What a program prints, or None if it is missing, fails or takes longer than 20 s."""
    try:
        done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None
