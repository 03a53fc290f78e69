"""Small kernel files with nvcc's verdicts.

`python -m tests.language.snippets` asks nvcc about those that it was not asked about, all in ten minutes, and notes in
`asked_of_nvcc.txt` what it was asked.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from grader.devices.cuda.nvcc import nvcc_flags
from grader.devices.emulator.ptx_texts import refused_ptx
from tests.shared import digest

HERE = Path(__file__).parent
ASKED = HERE / "asked_of_nvcc.txt"  # who was asked, and a line for each file: a hash of its text and verdict
_HEAD = re.compile(r"^//// (ok|refused): (.*)\n", re.MULTILINE)


@dataclass(frozen=True)
class Snippet:
    """`refused` is what nvcc says with the flags of our own GPU build."""

    name: str
    code: str
    refused: bool


def snippets() -> list[Snippet]:
    """All of them, file by file."""
    return [snippet for file in sorted(HERE.glob("*.cu")) for snippet in _in_file(file)]


def _in_file(file: Path) -> Iterator[Snippet]:
    _, *parts = _HEAD.split(file.read_text())
    for verdict, name, code in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        yield Snippet(f"{file.stem}: {name}", code.strip() + "\n", verdict == "refused")


def not_asked(who: str) -> list[Snippet]:
    """Those whose verdict this nvcc has not been asked for, as they stand now."""
    first, *marks = ASKED.read_text().splitlines()
    return [snippet for snippet in snippets() if first != who or _mark(snippet) not in marks]


def asked_today() -> str:
    """Who is asked: nvcc, with its version, g++'s and all flags. Only where there is nvcc."""
    from tests.nvcc import versions

    return " ".join([versions(), *nvcc_flags()])


def _mark(snippet: Snippet) -> str:
    return digest([snippet.code, str(snippet.refused)])[:16]


def record() -> None:
    """Writes nvcc's verdicts into the files, and that it was asked."""
    from tests.nvcc import refusal

    new = {snippet.name for snippet in not_asked(asked_today())}
    with tempfile.TemporaryDirectory() as folder:
        for file in sorted(HERE.glob("*.cu")):
            text = file.read_text()
            for snippet in _in_file(file):
                if snippet.name not in new:
                    continue
                asked = Path(folder, "kernel.cu")
                asked.write_text(snippet.code)
                refused = bool(refusal(asked, nvcc_flags()))
                name = snippet.name.partition(": ")[2]
                head = f"//// {'refused' if refused else 'ok'}: {name}\n"
                if refused != snippet.refused:
                    print(f"{snippet.name}: now {head.strip()}")
                text = re.sub(rf"^//// (ok|refused): {re.escape(name)}\n", lambda _, head=head: head, text, flags=re.M)
            file.write_text(text)
    ASKED.write_text("\n".join([asked_today(), *sorted(map(_mark, snippets()))]) + "\n")


def gpp_refuses(text: str, compile_flags: list[str]) -> str:
    """What g++ has against a translated file; "" if it compiles."""
    command = ["g++", "-fPIC", *compile_flags, "-x", "c++", "-fsyntax-only", "-"]
    command += ["-Wno-attributes"]  # heads.py takes those that are left, once the text is preprocessed
    return subprocess.run(command, input=text, capture_output=True, text=True).stderr


def ptxas_refuses(text: str, compile_flags: list[str]) -> str:
    """What is wrong with the inline PTX of a translated file, to g++ or to ptxas; "" if nothing is."""
    with tempfile.TemporaryDirectory() as folder:
        dump = Path(folder, "dump")
        command = ["g++", "-fPIC", *compile_flags, f"-fdump-tree-optimized-asmname-lineno={dump}", "-x", "c++", "-S"]
        done = subprocess.run([*command, "-o", "/dev/null", "-"], input=text, capture_output=True, text=True)
        found = refused_ptx(dump.read_text()) if done.returncode == 0 else (done.stderr, 0)
    return found[0] if found else ""


if __name__ == "__main__":
    record()
