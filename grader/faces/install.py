"""Sets up an environment: torch, in the build that suits this machine, and all other packages.

`make` runs this (`python -m grader.faces.install`), `ladder init` imports it. It runs before anything is installed:
Python 3.11 is all that it and its two neighbours need.

Without an NVIDIA driver torch's CUDA libraries, nine tenths of the download, are of no use. Its CPU build then comes
from PyTorch's own index of CPU builds, and torch alone does: what torch needs comes from where packages always come
from. uv does the work if it is there, else pip. What was fetched is kept, in ~/.cache/kernel-ladder/wheels and in uv's
own cache, so that the next environment needs no network.
"""

from __future__ import annotations

import argparse
import ast
import collections
import contextlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import unquote

from grader.faces import download, torch_build
from grader.faces.download import DownloadError, InstallError, Wheel
from grader.faces.torch_build import Target, is_torch, version_of

# MB to fetch with the versions of constraints.txt on Linux, x86-64, Python 3.11; the sizes stand in the indexes.
CPU_MB, CUDA_MB = 192, 2730
# By a package that stands for the base, or for an extra.
OTHERS_MB = {"ninja": 80, "ruff": 24, "jupyterlab": 45, "sphinx": 20}

FAILED = "the packages could not be installed, for the reason above: mend it and try again"
LAST_LINES = 20  # of pip's, to show if it fails
RAW_BARS = (24, 1)  # the first pip that says in plain numbers how far it is

UV_PLACES = ("UV_INDEX", "UV_DEFAULT_INDEX", "UV_INDEX_URL", "UV_EXTRA_INDEX_URL", "UV_FIND_LINKS", "UV_CONFIG_FILE")


@dataclass(frozen=True)
class Job:
    """One installation: what, into which environment, and with what."""

    target: Target
    requirements: tuple[str, ...]
    constraints: Path | None
    kept: Path  # the folder of wheels that were fetched earlier
    uv: str | None  # the program; without it, pip does the work
    configured: dict[str, str]  # what the user has told pip: {"find-links": "/wheels"}
    cpu: bool  # whether torch is to be its CPU build, if that can be had

    @property
    def wanted(self) -> str:
        """What may be torch's version."""
        return torch_build.torch_wanted(self.requirements, self.constraints)


def install(python: Path, requirements: Sequence[str], constraints: Path | None = None, offline: bool = False) -> None:
    """Installs the requirements into the environment of `python`, and prints what is fetched and how large it is.

    What was fetched earlier is taken first; if it is enough, no connection is made. Raises InstallError.
    """
    target = look_at(python)
    configured = pip_configuration(python) if target.pip else {}
    if uv := choose_uv(target, configured):
        configured = {}
    cpu = torch_build.wants_cpu() and not has_chosen(configured, uv)
    with _kept_wheels("cpu" if cpu else "default") as kept:
        job = Job(target, tuple(requirements), constraints, kept, uv, configured, cpu)
        complaint = install_kept(job) if offline or not (cpu and lacks_torch(job)) else "torch"
        if complaint and offline:
            raise InstallError(_what_is_missing(complaint))
        if complaint:
            fetch_and_install(job)


def has_chosen(configured: dict[str, str], uv: str | None) -> bool:
    """Whether the user has told pip or uv where torch comes from, or to fetch nothing."""
    places = configured.get("index-url", "") + configured.get("extra-index-url", "")
    return "pytorch" in places or "no-index" in configured or bool(uv and "UV_TORCH_BACKEND" in os.environ)


@contextlib.contextmanager
def _kept_wheels(kind: str) -> Iterator[Path]:
    """The folder where wheels are kept, under $XDG_CACHE_HOME; one for this time only if that cannot be written."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    folder = Path(cache, "kernel-ladder", "wheels", kind)
    with contextlib.ExitStack() as stack:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            stack.enter_context(tempfile.TemporaryFile(dir=folder))
        except OSError:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        yield folder


def _say(line: str) -> None:
    print(line, flush=True)


# ---- what is here ----

# What Python says of itself and its environment.
LOOK = """
import importlib.metadata, importlib.util, json, platform, re, sys, sysconfig
def version_of(package):
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""
def numbers(version):
    return [int(each) for each in re.findall("[0-9]+", version)]
tag = "cp%d%d" % sys.version_info[:2]
abi = tag + ("t" if sysconfig.get_config_var("Py_GIL_DISABLED") else "")
library, glibc = platform.libc_ver()
print(json.dumps([
    f"{tag}-{abi}",
    platform.machine(),
    numbers(glibc) if library == "glibc" else [],
    numbers(version_of("pip")) if importlib.util.find_spec("pip") else [],
    version_of("torch"),
]))
"""


def look_at(python: Path) -> Target:
    """What is known of an environment. Raises InstallError if its Python does not run."""
    try:
        said = subprocess.run([python, "-c", LOOK], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise InstallError(f"{python} does not run ({download.reason(error)}): make its environment anew") from error
    tags, machine, glibc, pip, torch = json.loads(said)
    return Target(python, tags, machine, tuple(glibc), tuple(pip), torch)


def pip_configuration(python: Path) -> dict[str, str]:
    """What files and environment tell pip, with all that they say of one thing in one line."""
    said = subprocess.run([python, "-m", "pip", "config", "list"], capture_output=True, text=True).stdout
    found: dict[str, str] = {}
    for key, value in re.findall(r"^[:\w]+\.([\w-]+)=(.+)$", said, re.MULTILINE):
        found[key] = f"{found.get(key, '')} {ast.literal_eval(value)}".strip()
    return found


def choose_uv(target: Target, configured: dict[str, str]) -> str | None:
    """uv, if it is there and knows the places that pip is told to take packages from. Raises InstallError."""
    uv = shutil.which("uv")
    if uv is None and not target.pip:
        raise InstallError(f"{target.python} has neither pip nor uv: type `{target.python} -m ensurepip`")
    own = {"index-url", "extra-index-url", "find-links", "no-index"} & configured.keys()
    settings = Path(os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config"), "uv", "uv.toml")
    if uv and own and not any(name in os.environ for name in UV_PLACES) and not settings.exists():
        _say(f"pip does the work and not uv, because pip alone is told about {', '.join(sorted(own))}")
        return None
    return uv


def torch_here(job: Job) -> str | None:
    """The best wheel of torch in the folders of this machine: ours, and those where pip is told to look."""
    configured = job.configured.get("find-links", "").split()
    folders = [str(job.kept), *(unquote(place.removeprefix("file://")) for place in configured)]
    names = [name for folder in folders if os.path.isdir(folder) for name in os.listdir(folder)]
    return torch_build.best_torch(names, job.target, job.wanted)


def has_torch(job: Job) -> bool:
    """Whether a torch that suits is installed already."""
    return bool(job.target.torch) and torch_build.suits(job.target.torch, job.wanted)


def lacks_torch(job: Job) -> bool:
    """Whether torch is asked for, and is neither installed nor in a folder here."""
    return any(map(is_torch, job.requirements)) and not has_torch(job) and torch_here(job) is None


# ---- what is fetched ----


def fetch_and_install(job: Job) -> None:
    """Prints what is to be fetched, fetches it and installs all. Raises InstallError."""
    wheel = find_torch(job) if job.cpu and lacks_torch(job) else None
    _say("to fetch, once:")
    if wheel:
        size, begun = download.size_of(wheel), download.begun(wheel, job.kept)
        here = f", of which {begun / 1e6:.0f} MB are here" if begun else ""
        _say(f"  torch {version_of(wheel.name)}: {f'{size / 1e6:.0f}' if size else f'about {CPU_MB}'} MB{here}")
    elif lacks_torch(job):
        _say(f"  torch with its CUDA libraries: about {CUDA_MB / 1000:.1f} GB")
    others = sum(size for name, size in OTHERS_MB.items() if any(each.startswith(name) for each in job.requirements))
    _say(f"  the other packages{f': about {others} MB' if others else ''}, less what is here")
    if wheel:
        try:
            download.fetch(wheel, job.kept)
        except DownloadError as error:
            raise InstallError(f"torch did not arrive ({error}): try again, and it goes on from there") from error
    install_from_index(job)


def find_torch(job: Job) -> Wheel | None:
    """torch's CPU build in PyTorch's index. If it cannot be had: None, said in a line, or InstallError if it must."""
    try:
        return torch_build.find_cpu_build(job.target, job.wanted)
    except DownloadError as error:
        if os.environ.get("LADDER_TORCH") == "cpu":
            raise InstallError(f"{error}: try again, or set LADDER_TORCH=default") from error
        _say(f"{error}: it comes with its CUDA libraries instead")
        return None


def install_from_index(job: Job) -> None:
    """Fetches what is missing, keeps it, and installs all. Raises InstallError."""
    if job.uv:
        return _run([*_installer(job), *_packages(job)])
    # In a folder of its own, so that what is kept is whole; pip fetches no file that it finds there.
    with tempfile.TemporaryDirectory(dir=job.kept, prefix="new-") as new:
        for wheel in job.kept.glob("*.whl"):
            with contextlib.suppress(OSError):  # a file system without links
                os.link(wheel, Path(new, wheel.name))
        asked = tuple(each for each in job.requirements if not (is_torch(each) and has_torch(job)))
        _fetch_with_pip(job, [*_pip(job), "wheel", "--wheel-dir", new, *_packages(replace(job, requirements=asked))])
        for wheel in Path(new).glob("*.whl"):
            os.replace(wheel, job.kept / wheel.name)
    _say("installing what was fetched")
    _run([*_installer(job), "--no-index", "--quiet", *_packages(job)])


def install_kept(job: Job) -> str:
    """Installs what is here from an earlier time, with no connection. Returns "", or the complaint of uv or pip."""
    command = [*_installer(job), "--offline" if job.uv else "--no-index", *_packages(job)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return (done.stdout or f"exit code {done.returncode}") if done.returncode else ""


# The words of pip 23 and 26 and of uv 0.13
MISSING = r"\(constraint\) (\S+)|distribution found for (\S+)|download `(\S+)`|Because (\S+) was not found"


def _what_is_missing(complaint: str) -> str:
    """One sentence from what uv or pip complain about; prints it if it is about something else."""
    if match := re.search(MISSING, complaint):
        return f"{next(filter(None, match.groups()))} is not here from an earlier time: do this once with a network"
    print(complaint.strip(), file=sys.stderr)
    return "the packages could not be installed offline, for the reason above"


# ---- uv and pip ----


def _pip(job: Job) -> list[str]:
    return [str(job.target.python), "-m", "pip"]


def _installer(job: Job) -> list[str]:
    return [job.uv, "pip", "install", "--python", str(job.target.python)] if job.uv else [*_pip(job), "install"]


def _packages(job: Job) -> list[str]:
    """Where to look beside the index, and what for: torch in the very version that is here, if one is."""
    here = torch_here(job) if job.cpu and not has_torch(job) else None
    asked = [f"torch=={version_of(here)}" if here and is_torch(each) else each for each in job.requirements]
    return ["--find-links", str(job.kept), *(["--constraint", str(job.constraints)] if job.constraints else []), *asked]


def _run(command: Sequence[str]) -> None:
    """Runs uv or pip, which print for themselves. Raises InstallError."""
    if subprocess.run(command).returncode:
        raise InstallError(FAILED)


def _fetch_with_pip(job: Job, command: Sequence[str]) -> None:
    """Runs pip; prints a line for each file that it fetches, how far it is, and its last words if it fails."""
    bars = sys.stdout.isatty() and job.target.pip >= RAW_BARS
    words = collections.deque[str](maxlen=LAST_LINES)
    with subprocess.Popen([*command, *(["--progress-bar", "raw"] if bars else [])],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:  # fmt: skip
        for line in process.stdout or ():
            if match := re.match(r"Progress (\d+) of (\d+)", line):
                here, total = (int(each) / 1e6 for each in match.groups())
                print(f"\r    {here:.0f} of {total:.0f} MB" if here < total else "\r", end="\033[K", flush=True)
                continue
            words.append(line)
            if match := re.match(r"\s*Downloading (?:\S+/)?(?!\S+\.metadata)(\S+ \(.+\))", line):
                _say(f"  {match[1]}")
    if process.returncode:
        print("".join(words), end="", file=sys.stderr)
        raise InstallError(FAILED)


# ---- make ----


def main(arguments: Sequence[str] | None = None) -> int:
    """Makes .venv from the interpreter that runs this, and installs the project there. Returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m grader.faces.install", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--venv", type=Path, default=Path(".venv"), help="the environment's folder")
    parser.add_argument("--extra", action="append", default=[], help="an extra of pyproject.toml; may be repeated")
    parser.add_argument("--offline", action="store_true", help="make no connection: take what was fetched before")
    chosen = parser.parse_args(arguments)
    root = Path(__file__).resolve().parents[2]
    try:
        python = make_environment(chosen.venv)
        install(python, project_requirements(root, chosen.extra), root / "constraints.txt", chosen.offline)
        install_project(python, root)
    except InstallError as error:
        print(f"make: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("make: interrupted: try again, and it goes on from there", file=sys.stderr)
        return 130
    return 0


def make_environment(folder: Path) -> Path:
    """The environment's Python. One that does not run, or that has no installer, is made anew. Raises InstallError."""
    python, uv = folder.absolute() / "bin" / "python", shutil.which("uv")
    with contextlib.suppress(OSError):
        if subprocess.run([python, "-c", "" if uv else "import pip"], capture_output=True).returncode == 0:
            return python
    _say(f"setting up {folder}, once")
    if importlib.util.find_spec("ensurepip") and importlib.util.find_spec("venv"):
        command = [sys.executable, "-m", "venv", "--clear", str(folder)]
    elif uv:
        command = [uv, "venv", "--quiet", "--clear", "--python", sys.executable, str(folder)]
    else:
        install_it = "install it, for example with `sudo apt install python3-venv`"
        raise InstallError(f"{sys.executable} has no venv module: {install_it}")
    _run(command)
    return python


def project_requirements(root: Path, extras: Sequence[str]) -> list[str]:
    """What pyproject.toml asks for: to build it, to run it, torch, and these extras."""
    project = tomllib.loads((root / "pyproject.toml").read_text())
    optional = project["project"]["optional-dependencies"]
    asked = [project["build-system"]["requires"], project["project"]["dependencies"], optional["torch"]]
    return [line for each in (*asked, *(optional[extra] for extra in extras)) for line in each]


def install_project(python: Path, root: Path) -> None:
    """Installs the project itself, so that its files can be edited. All that it needs is there. Raises InstallError."""
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--editable", str(root)]
    uv = shutil.which("uv")
    if look_at(python).pip or not uv:
        return _run([str(python), "-m", "pip", "install", "--no-index", *options])
    _run([uv, "pip", "install", "--python", str(python), "--offline", *options])


if __name__ == "__main__":
    sys.exit(main())
