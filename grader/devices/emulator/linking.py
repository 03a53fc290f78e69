"""How g++'s object of a kernel file becomes a library.

ld reads the 6,000 names of libstdc++ at every link, which is two thirds of its time, and a kernel file needs ten of
them. So the runtime's folder has a library that says it is libstdc++ and has these few names: it is linked with first.
A file that needs others is linked with libstdc++ itself. Both ways make the same library, which loads the real one.
"""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Sequence
from pathlib import Path

from grader.devices.build.recipe import STRICT_LINK

NAME = "libladder_few.so"
FEW = (
    r"__gxx_personality_v0|__cxa_\w+|_Zn[wa]m\w*|_Zd[la]Pv\w*|_ZSt\d+__throw_\w+|_ZSt9terminatev|_ZSt7nothrow"
    r"|_ZTVN10__cxxabiv1\w+|_ZT[IS][a-z]|_ZT[IS]P?K?[a-z]|_ZT[ISV]St9exception|_ZNSt9exceptionD[012]Ev"
)
FIRST = ["-nodefaultlibs", f"-l:{NAME}", "-lm", "-lgcc_s", "-lc", "-lgcc_s"]  # g++'s own, but for libstdc++


def link_command(object_: str, library: str, flags: Sequence[str]) -> list[str]:
    """Makes the library of this object, in the folder where it lies; `flags` are library.link_flags."""
    linked = ["g++", "-shared", object_, "-o", library, *flags, *STRICT_LINK]
    return ["sh", "-c", f"{shlex.join([*linked, *FIRST])} 2> /dev/null || exec {shlex.join(linked)}"]


def make_few_names(folder: Path, compiler: str) -> None:
    """Makes the library of few names in this folder. Raises CalledProcessError or OSError."""
    real = _said([compiler, "-print-file-name=libstdc++.so"])
    soname = re.search(r"\(SONAME\).*\[(.+)\]", _said(["readelf", "-dW", real]))
    versions: dict[str, list[str]] = {}
    for row in _said(["readelf", "--dyn-syms", "-W", real]).splitlines():
        name, _, version = row.rpartition(" ")[2].partition("@@")
        if version and re.fullmatch(FEW, name):
            versions.setdefault(version, []).append(name)
    if not soname or not versions:
        return
    names = [name for each in versions.values() for name in each]
    script, code = folder / "few.map", folder / "few.s"
    script.write_text("".join(f"{version} {{ global: {'; '.join(each)}; }};\n" for version, each in versions.items()))
    code.write_text("".join(f".globl {name}\n.type {name}, %object\n{name}:\n" for name in names))
    flags = ["-shared", "-nostdlib", f"-Wl,-soname,{soname[1]}", f"-Wl,--version-script={script}"]
    _said([compiler, *flags, str(code), "-o", str(folder / NAME)])


def _said(command: Sequence[str]) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
