"""Holds a build to one rule: an access is seen by the emulator's callbacks, or the file is refused.

The file's text is preprocessed once, looked at (words.py) and compiled as it was looked at. What g++ made of it is
looked at next: what kernels call (calls.py), and what the library takes from outside (outside.py).
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Sequence
from math import prod
from pathlib import Path

from grader.devices.build.elf import Elf
from grader.devices.build.own_faults import complaint
from grader.devices.build.refused import Refusal
from grader.devices.emulator.alignments import CLASS
from grader.devices.emulator.calls import PLACE, is_used_by_headers, line_of_use, refused_calls
from grader.devices.emulator.heads import with_sizes
from grader.devices.emulator.outside import host_may_use, may_be_addressed
from grader.devices.emulator.ptx_texts import refused_ptx
from grader.devices.emulator.words import own_parts, refused_words

DUMP, CLASSES = "kernel.gimple", "kernel.classes"  # in the folder in which g++ runs, beside the library
DUMP_FLAGS = [f"-fdump-tree-optimized-asmname-lineno={DUMP}", f"-fdump-lang-class={CLASSES}"]
PREPROCESSED = "-fpreprocessed"
_NAMED = re.compile(r'^#line 1 (".*")$', re.MULTILINE)
_ELEMENT = re.compile(r"(?:\.|->)\s*x\s*\[")
# An index stays within its array, or is found (checked.py): none may have room for all memory between two variables.
_MOST_BYTES, _MOST_ELEMENTS = 1 << 26, 1 << 24
_ARRAY = re.compile(
    r"[(<,](?:const |volatile |struct |unsigned |signed |long )*[\w:]+(?P<sizes>(?:\[\d+\])*\[\d{4,}\](?:\[\d+\])*)"
)
_VAST = "`{}` has {:,} {}: a pointer or reference to it would reach memory out of the emulator's sight"
_TAG = re.compile(r"__attribute__\(\((ladder_[0-9a-f]{20}), no_sanitize")


def preprocessed(text: str, filename: str, folder: Path, flags: Sequence[str]) -> str:
    """What is to be compiled instead of a translated file. Raises RuntimeError with what a compiler would say."""
    source = folder / "text.cpp"
    source.write_text(text)
    command = ["g++", "-std=c++20", "-fPIC", *flags, "-E", "-fpch-preprocess", source.name]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace")
    source.unlink()
    if said := complaint(done):
        raise RuntimeError(said)
    _raise(refused_words(done.stdout, _begins(text), tag_in(text)), filename)
    return with_sizes(done.stdout)


def own_code(text: str, preprocessed: str) -> str:
    """What a preprocessed text has from no header. `text` is what it was before."""
    return "".join(part for _, part in own_parts(preprocessed, _begins(text)))


def own_lines(text: str) -> str:
    """What a translated text has from the file's first line on."""
    named = _NAMED.search(text)
    return text[named.end() + 1 :] if named else text


def fragment_elements(text: str, preprocessed: str) -> list[int]:
    """The lines of a file with wmma's fragments that name an element of what may be one."""
    parts = own_parts(preprocessed, _begins(text)) if "fragment" in text else ()
    found = (line + part.count("\n", 0, each.start()) for line, part in parts for each in _ELEMENT.finditer(part))
    return list(dict.fromkeys(found))


def _begins(text: str) -> str:
    """The line of a preprocessed text before the file's own part."""
    named = _NAMED.search(text)
    assert named, "translation names the file"
    return f"# 1 {named[1]}\n"


def tag_in(translated: str) -> str:
    """What marks translation's own functions in this file; "" if it has put none in."""
    found = _TAG.search(translated)
    return found[1] if found else ""


def check_built(library: Path, dump: Path, filename: str, linked: Callable[[], object] = lambda: None) -> None:
    """Raises RuntimeError, as a compiler would say it, if the library may do what is not seen.

    `linked` comes back once the library is there: its dump is looked at meanwhile.
    """
    text = dump.read_text(errors="replace")
    refused = refused_calls(text, filename) or refused_ptx(text) or _vast(text, dump.with_name(CLASSES), filename)
    linked()
    elf = Elf(library)
    for symbol in sorted(elf.undefined()):
        if not host_may_use(symbol.versioned):
            name = symbol.name
            _raise((f"a kernel file may not use `{name}`", line_of_use(text, name, filename) or 1), filename)
    for symbol, in_a_variable in elf.addressed():
        name = symbol.name
        if symbol.section or may_be_addressed(symbol.versioned):
            continue
        if in_a_variable or not is_used_by_headers(text, name, filename):
            sentence = f"call `{name}` where it is needed: through a pointer, a kernel could call it unseen"
            _raise((sentence, line_of_use(text, name, filename) or 1), filename)
    _raise(refused, filename)


def _vast(dump: str, classes: Path, filename: str) -> Refusal | None:
    """The first type that is larger than any object of a kernel, if there is one."""
    for each in CLASS.finditer(classes.read_text(errors="replace") if classes.exists() else ""):
        if int(each["bytes"]) > _MOST_BYTES:
            name = each["name"].partition("<")[0].rpartition("::")[2]
            return _VAST.format(each["name"], int(each["bytes"]), "bytes"), line_of_use(dump, name, filename) or 1
    for each in _ARRAY.finditer(dump):
        if (elements := prod(map(int, re.findall(r"\d+", each["sizes"])))) > _MOST_ELEMENTS:
            places = (place for place in PLACE.finditer(dump, each.start()) if place["file"] == filename)
            return _VAST.format(each[0][1:], elements, "elements"), next((int(place["line"]) for place in places), 1)
    return None


def _raise(refused: Refusal | None, filename: str) -> None:
    if refused:
        sentence, line = refused
        raise RuntimeError(f"{filename}:{line}:1: error: {sentence}")
