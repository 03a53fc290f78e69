"""A second build of a kernel file, beside the one that counts: it looks where an index leaves its own array, and it
fills local variables that the file does not set.

Its checks are instructions of their own, so that nothing is counted on it. What g++ made of the file says which arrays
are local: past such an array lies another variable, while shared and global arrays lie in memory, where each access is
checked for itself.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from grader.devices.build.diagnostics import plain
from grader.devices.build.elf import Elf
from grader.devices.build.reading import Reading
from grader.devices.emulator.alignments import alignments
from grader.devices.emulator.calls import own_variables
from grader.devices.emulator.first_values import unset_locals
from grader.devices.emulator.linking import link_command
from grader.devices.emulator.margins import HIDDEN
from grader.devices.emulator.subscripts import with_used_indexes
from grader.devices.emulator.symbols import CodeMap, Symbol, disassembled, host_only, read_symbols, tables

NAME, FACTS = "checked.so", "checked.json"
OTHERS = ("more.so", "less.so", "none.so")  # the same with other bytes in variables that are not set, if it has any
FEW = "few.so"  # the same again: what a few blocks of a large case leave in a kernel's own variables stays there
_AS_WRITTEN, _OPTIMIZED, _CLASSES, _SAID = "checked.gimple", "checked.optimized", "checked.classes", "said"
_TEXT, _LESS, _PLAIN = "text.cpp", "less.cpp", "plain.cpp"  # each takes the place of the first if that does not compile


def dumps(as_written: str, optimized: str) -> list[str]:
    """g++'s flags to write what it makes of a file into these two."""
    return [f"-fdump-tree-gimple-lineno={as_written}", f"-fdump-tree-optimized-asmname-lineno={optimized}"]


CHECKS_INDEXES, CHECKS_CASTS = "-fsanitize=bounds-strict", "-fsanitize=float-cast-overflow"
CHECKS_SHIFTS = "-fsanitize=shift-exponent"  # constants have none
_ORDERS = "constexpr bool has_two_orders = "  # wmma.h
# The -fno-tree passes would take a value that was never set for whatever suits them, without -flifetime-dse=1 what lies
# in an object before its constructor begins would be thrown away, and without -fdisable-rtl-combine and max-cse-insns
# g++ would answer comparisons with what it has put there. The others of the last rows come after
# all that is read here, and cost a build more time than they save the few small cases that run on it.
_FLAGS = [
    "-fno-tree-ccp", "-fno-tree-fre", "-fno-tree-copy-prop", "-fno-tree-dominator-opts", "-fno-tree-phiprop",
    CHECKS_INDEXES, CHECKS_CASTS, CHECKS_SHIFTS, "-flifetime-dse=1", "-ftrivial-auto-var-init=pattern",
    "-Wuninitialized", "-Wmaybe-uninitialized", "-Wdangling-pointer=1", "-Wno-narrowing",
    *dumps(_AS_WRITTEN, _OPTIMIZED), f"-fdump-lang-class={_CLASSES}",
    "-fno-if-conversion", "-fno-if-conversion2", "-fno-dce", "-fno-dse", "-fno-forward-propagate",
    "-fno-cprop-registers", "-fno-ivopts", "-fno-move-loop-invariants",
    "-fdisable-rtl-combine", "--param", "max-cse-insns=1", "-fira-region=one", "--param", "max-cse-path-length=1",
]  # fmt: skip

# What -ftrivial-auto-var-init writes, as far as it is of four bytes, and a NaN of any width.
_MASKS = re.compile(r"fefe|0101", re.IGNORECASE)  # a file's own bytes may look like this
_PATTERN, _NO_NUMBER = re.compile(rb"(?:\xfe{4})+"), b"\xfe\xfe\xfe\xff"
_FILLS = (b"\x00\x00\x80\x7f", b"\x00\x00\x80\xff", bytes(4))  # of the others: infinity, its opposite, and 0
_IS_CHECK, _HANDLER = ".UBSAN_BOUNDS", "__ubsan_handle"
_BODY = re.compile(r"^(?P<head>\S.*\))\n\{\n(?P<body>(?:[ \n].*\n|\n)*)\}", re.MULTILINE)
_CHECK = re.compile(r"^ *\[(?P<place>[^\]\[]+:\d+:\d+)\] \.UBSAN_BOUNDS \(0B, (?P<index>.+), \d+\);$", re.MULTILINE)
_PLACE = r"\[[^\]\[\s]+:\d+:\d+(?: discrim \d+)?\] "
_PLACE_OF = re.compile(r"\[([^\]\[\s]+:\d+:\d+)[ \]]")
_DECLARED = re.compile(r"^ +(?P<static>static )?[\w:<>, *&.]*?[ *&](?P<name>[\w.]+)(?:\[\d*\])*;$", re.MULTILINE)
_PARAMETER = re.compile(r"(\w+)[,)]")
_BASE = r'(?P<base>\(?\*?(?:D\.\d+|\w+)\)?|"(?:[^"\\]|\\.)*")'
_INDEXED = _BASE + r"(?P<parts>(?:->\w+|\.[a-zA-Z_]\w*)*(?:\[[^\]:]*\](?:\.[a-zA-Z_]\w*)*)+)"
_INDEXED_HERE = re.compile(rf"(?:{_PLACE})+{_INDEXED}")
_ADDRESS = re.compile(rf"&(?:{_PLACE})*$")
_PART = re.compile(r"->\w+|\.\w+|\[[^\]]*\]")
_OBJECT = re.compile(r"&(\w+)|(?<=\] )(?!MEM\b)(\w+)[.\[]")
_WARNED = re.compile(
    r"^(?P<file>.+?):(?P<line>\d+):\d+: warning: ['\u2018](?P<name>\w+)\S*['\u2019] (?P<how>may be|is) used uninit",
    re.MULTILINE,
)
_GONE = re.compile(
    r"^(?P<file>.+?):(?P<line>\d+):\d+: warning: using (?:a )?dangling pointer .*?to ['\u2018](?P<name>\w+)",
    re.MULTILINE,
)
_REFUSED = re.compile(r"^.+?:(?P<line>\d+):\d+: error: (?P<text>.*)", re.MULTILINE)
# As `cudaGetDevice(&device)` does: most set what they get, but for those that margins.h calls.
_HANDED_OVER = re.compile(rf"(?<!_margins )[(,] ?(?:{_PLACE})?&(?:{HIDDEN})?(\w+)(?:\.at)?[,)]")
_NEAR = 1000  # characters of a dump: a few rows
_NEVER_SET = re.compile(r'\.DEFERRED_INIT \(.*\[(?P<file>[^\]\[:]+):(?P<line>\d+):\d+\] &"(?P<name>\w+)"')


# A declaration: its type, its first name, and what follows that.
_DECLARATION = re.compile(
    r"(?:(?:const|volatile|unsigned|signed|long|short|struct|typename|register)\s+)*[A-Za-z_:][\w:]*(?:\s*<[^=;{}]*>)?"
    r"(?:\s+|\s*[*&]+\s*)(?:(?:const|volatile|int|long|char|__restrict__)\b\s*)*[A-Za-z_]\w*\s*(?P<next>[\[,=]|$)(?P<rest>.*)",
    re.DOTALL,
)
_NO_DECLARATION = re.compile(
    r"(?:return|goto|using|typedef|delete|throw|template|namespace|extern|class|enum|constexpr)\b|"
    r".*\b(?:static|thread_local)\b",
    re.DOTALL,
)
_ROWS = re.compile(r"\w ?\[[^\[\]]*\] ?\[")  # an array of more than one dimension
_BEFORE = re.compile(r"(?:(?:else|do|(?:public|private|protected) ?:|(?:for|if|switch) ?\() ?)*")
# The variables that something gets the address of: `&v`, `&v.x`, `reinterpret_cast<int&>(v)`, `(int&)v`.
_LENT = re.compile(r"(?:(?<![\w\])& ])\s*&|\breturn\s*&|&\s*>\s*\(|&\s*\))\s*\(?\s*([A-Za-z_]\w*)\b(?!\s*(?:\[|->|\())")
_PARAMETERS = re.compile(r"[\w>] ([A-Za-z_]\w*) ?(?=[,)])")  # that are no pointers and no references
_BINDINGS = re.compile(r"\bauto\s*\[([\w\s,]*)\]\s*=")  # auto [a, b] = ...;
_OF_LIBRARY = re.compile(r"\barray\s*<")
_NAMED = re.compile(r"([A-Za-z_]\w*)\s*(?=[=,]|$)")
_INDEXED_TEXT = re.compile(r'"[\s)]*\[|\[[\s(]*"')  # "0123456789abcdef"[i]
_MORE_NAMES = re.compile(r",[*& ]*[A-Za-z_]\w* ?(?:[\[,]|$)")


def finds_more(code: str) -> bool:
    """Whether such a build may find anything in a file: it has an array that is not shared, or that has rows, or a
    variable without a first value or whose address is taken, or it indexes a text. `code` is its own, preprocessed.
    """
    lent = set(_LENT.findall(code))
    bound = re.findall(r"\w+", " ".join(_BINDINGS.findall(code))) if lent else ()
    if not lent.isdisjoint(_PARAMETERS.findall(code)) or not lent.isdisjoint(bound):
        return True
    if _INDEXED_TEXT.search(code):
        return True
    for piece, end in re.findall(r"([^;{}]*)([;{}])", code):
        text = _BEFORE.sub("", " ".join(piece.split()), count=1)
        if "thread_local" in text and _ROWS.search(text):
            return True
        found = None if _NO_DECLARATION.match(text) else _DECLARATION.match(text)
        if found and (found["next"] in ("[", ",") or _MORE_NAMES.search(found["rest"])):
            return True
        if found and not found["next"] and end == ";":
            return True
        if found and (_OF_LIBRARY.search(text) or not lent.isdisjoint(_NAMED.findall(text))):
            return True
    return False


@dataclass
class Checked:
    """What a session knows of such a build. Places are `file:line:column`, as g++ tells them."""

    library: str = ""
    few: str = ""  # the same, for a few blocks of large cases
    others: list[str] = field(default_factory=list)  # builds with other bytes in variables that are not set
    code: CodeMap = field(default_factory=CodeMap)
    arrays: dict[str, str] = field(default_factory=dict)  # what is indexed at a place: "s[0]"
    unset: list[tuple[str, int]] = field(default_factory=list)  # locals that may be read first: name and line of use
    never_set: list[tuple[str, int]] = field(default_factory=list)  # others that may be, with the line of declaration
    certain: list[tuple[str, int]] = field(default_factory=list)  # of the first, those of which g++ is certain
    # Those that nothing sets first, with the line of use and the range of the lines around it.
    sure: list[tuple[str, int, int, int]] = field(default_factory=list)
    gone: list[tuple[str, int]] = field(default_factory=list)  # those that a pointer outlives: name and line of use
    elements: list[int] = field(default_factory=list)  # lines that name an element of a fragment
    is_plain: bool = False  # g++ did not take what subscripts.py and margins.py make of the text
    why_plain: str = ""  # what it said then first, of this line
    plain_line: int = 0
    is_copy: bool = False  # the library that counts, once more: it checks nothing


@dataclass
class Facts:
    """What a session wants to know of a build: its code, and the checking build beside it, if there is one."""

    code: CodeMap
    checked: Checked | None = None


class CheckedBuild:
    """g++ at work on the checking build, in a folder of its own; another process reads what it tells of the file."""

    def __init__(
        self,
        text: str,
        source_name: str,
        folder: Path,
        flags: Sequence[str],
        link_flags: Sequence[str],
        elements: Sequence[int] = (),
        written: str = "",
    ):
        """`text` is the preprocessed one, `elements` the lines that name an element of a fragment, `written` the file's
        own lines before.
        """
        folder.mkdir()
        text = text.replace(f"{_ORDERS}false", f"{_ORDERS}true") if elements else text
        for name, each in zip((_TEXT, _LESS, _PLAIN), (*with_used_indexes(text, source_name), text), strict=True):
            (folder / name).write_text(each)
        self._folder, self._source_name, self._elements, self._written = folder, source_name, elements, written
        compile_ = ["g++", "-std=c++20", "-fPIC", *(flag for flag in flags if flag != "-w"), *_FLAGS, "-fpreprocessed"]
        first = shlex.join([*compile_, "-c", _TEXT, "-o", "text.o"])
        others = " || ".join(f"{{ mv {each} {_TEXT} && {first}; }}" for each in (_LESS, _PLAIN))
        link = shlex.join(link_command("text.o", NAME, link_flags))
        both = f"{{ {first} || {others}; }} && {link}"
        ended, held = os.pipe()
        with (folder / _SAID).open("w") as said:
            self._compiler = subprocess.Popen(["sh", "-c", both], cwd=folder, stderr=said, pass_fds=[held])
        os.close(held)
        self._reading = Reading(lambda: os.read(ended, 1) or self._read())  # which is nothing, once g++ has ended
        os.close(ended)

    def stop(self) -> None:
        """Ends g++: the file cannot be built."""
        self._reading.stop()
        self._compiler.kill()
        self._compiler.wait()

    def finish(self, library: Path) -> None:
        """Puts the checking build beside the library, where that one's dump is. Raises OSError if there is none."""
        if self._compiler.wait() != 0:
            self._reading.stop()
            raise OSError(f"g++ could not build {self._source_name} a second time, with checks")
        found = self._reading.result() or self._read()
        dump = library.with_suffix(".gimple").read_text(errors="replace")
        found["code"]["symbols"][:0] = map(vars, host_only(Elf(self._folder / NAME), dump))
        for name in (NAME, *OTHERS):
            with suppress(FileNotFoundError):
                (self._folder / name).replace(library.parent / name)
        shutil.copyfile(library.parent / NAME, library.parent / FEW)
        (library.parent / FACTS).write_text(json.dumps(found))

    def _read(self) -> dict[str, Any]:
        """What is to be known of the build, as JSON has it, but for what the other one's dump says."""
        files = (self._folder / name for name in (_AS_WRITTEN, _OPTIMIZED, _CLASSES, _SAID))
        told = (each.read_text(errors="replace") if each.exists() else "" for each in files)  # of no class, it is none
        as_written, optimized, classes, said = told
        elf = Elf(self._folder / NAME)
        wanted = alignments(elf, lambda: disassembled(self._folder / NAME), [optimized], classes)
        checked = _facts(as_written, optimized, said, Path(self._source_name).name, tables(elf))
        if not _MASKS.search(self._written):
            self._fill(elf, bool(checked.unset or checked.never_set))
        checked.elements = list(self._elements)
        (unset,) = unset_locals([self._written])
        checked.sure = [(each.name, each.used, each.block.start, each.block.stop) for each in unset]
        checked.is_plain = not (self._folder / _LESS).exists()
        if checked.is_plain and (refused := _REFUSED.search(said)):
            why = re.sub("[‘’]", "'", refused["text"]).replace(HIDDEN, "")
            checked.why_plain, checked.plain_line = plain(why), int(refused["line"])
        checked.code.symbols[:0] = [*read_symbols(elf), *(Symbol(pc, each, "alignment", "") for pc, each in wanted)]
        return asdict(checked)

    def _fill(self, elf: Elf, with_others: bool) -> None:
        """Has what g++ puts into variables that are not set be no number: -1.7e38 is one, and nothing is left of it in
        `0 * v`. The same bytes make integers and pointers that are as wrong as before. What a maximum or a comparison
        makes of such a variable, the others show.
        """
        for name, word in zip((NAME, *OTHERS), (_NO_NUMBER, *_FILLS), strict=True):
            if name == NAME or with_others:
                (self._folder / name).write_bytes(_filled(elf, word))


def _filled(elf: Elf, word: bytes) -> bytearray:
    """The library with this word in variables that are not set."""
    data = bytearray(elf.data)
    for section in elf.sections:
        if section.name in (".rodata", ".text"):
            part = slice(section.offset, section.offset + section.bytes)
            data[part] = _PATTERN.sub(lambda found: word * (len(found[0]) // 4), data[part])
    return data


def beside(library: Path, source_name: str) -> Checked | None:
    """What is known of the checking build beside this library; None if there is none."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        data = json.loads((library.parent / FACTS).read_text())
        symbols = [Symbol(**symbol) for symbol in data["code"]["symbols"]]
        path = str(library.parent / NAME)
        code = CodeMap(symbols, library=path, source_name=Path(source_name).name)
        lists = [[(name, line) for name, line in data[key]] for key in ("unset", "never_set", "certain", "gone")]
        why = data["is_plain"], data["why_plain"], data["plain_line"]
        unset, never_set, certain, gone = lists
        locals_ = unset, never_set, certain, data["sure"], gone
        others = [str(each) for name in OTHERS if (each := library.parent / name).exists()]
        return Checked(path, str(library.parent / FEW), others, code, data["arrays"], *locals_, data["elements"], *why)
    return None


def indexed_arrays(
    as_written: str, optimized: str, source_name: str = "", constants: Set[str] = frozenset()
) -> tuple[list[Symbol], dict[str, str]]:
    """What g++'s dumps tell of each place, `file:line:column`, that indexes an array: a symbol for the runtime, and
    the array as it is written there. Of one file, if its name is given. A table of `constants` counts as local: no
    access to it is checked for itself.
    """
    arrays: dict[str, str] = {}
    indexes: dict[str, Symbol] = {}
    rows = [row for row in _indexed(as_written, constants) if row[0].startswith(f"{source_name}:") or not source_name]
    own = _own_places({place for place, _, is_local, _ in rows if is_local is None}, optimized, constants)
    for place, array, is_local, is_address in rows:
        name = place.rpartition("/")[2]
        arrays[name] = array
        known = indexes.setdefault(name, Symbol(1, int(is_address), "index", name))
        known.value &= place in own if is_local is None else is_local
    return list(indexes.values()), arrays


def name_array(finding: dict[str, Any], arrays: Mapping[str, str]) -> None:
    """Has a finding name the array that an index has left at its place; the runtime knows that of a pointer."""
    if place := finding["text"]:
        finding["array"], finding["text"] = arrays.get(place, "an array"), ""


def _facts(as_written: str, optimized: str, said: str, source_name: str, constants: Set[str]) -> Checked:
    found = Checked()
    found.code.symbols, found.arrays = indexed_arrays(as_written, optimized, source_name, constants)
    found.unset, found.gone = (_named(each.finditer(said), source_name) for each in (_WARNED, _GONE))
    found.certain = _named((each for each in _WARNED.finditer(said) if each["how"] == "is"), source_name)
    never_set, handed_over = _named(_NEVER_SET.finditer(optimized), source_name), _HANDED_OVER.findall(optimized)
    found.never_set = [each for each in never_set if each[0] not in handed_over] or never_set
    return found


def _indexed(dump: str, constants: Set[str]) -> Iterator[tuple[str, str, bool | None, bool]]:
    """The place of each check, the array there, whether it is local (None if a pointer leads to it), and whether it is
    an address that is taken, not a value.
    """
    for function in _BODY.finditer(dump):
        body = function["body"]
        if _IS_CHECK not in body:
            continue
        declared = list(_DECLARED.finditer(body))
        names = {each["name"] for each in declared if not each["static"]} | set(_PARAMETER.findall(function["head"]))
        names -= {each["name"] for each in declared if each["static"]}
        for check in _CHECK.finditer(body):
            if access := _access(body, check):
                base, parts = access["base"], _PART.findall(access["parts"])
                through = "*" in base or parts[0].startswith("->")
                captured = _captured(body, base.strip("(*)"))
                array = _spelled(captured or base, parts, f"[{check['index']}]")
                is_local = None if through else base in names | constants or base.startswith('"')
                is_local = True if captured or base == "__closure" else is_local  # statics need no capture
                yield check["place"], array, is_local, _is_address(body, access.start())


def _access(body: str, check: re.Match[str]) -> re.Match[str] | None:
    """What is indexed where this check is: its place's first mention that says so, or the next row (of an argument)."""
    mark = f"[{check['place']}] "
    at = body.find(mark, check.end())
    while at >= 0 and not (access := _INDEXED_HERE.match(body, at)):
        at = body.find(mark, at + 1)
    if at >= 0:
        return access
    found = _INDEXED_HERE.finditer(body, check.end() + 1, body.find("\n", check.end() + 1))
    return next((each for each in found if f"[{check['index']}]" in each["parts"]), None)


def _is_address(body: str, at: int) -> bool:
    """Whether the address is taken of what the dump names here."""
    return bool(_ADDRESS.search(body, body.rfind("\n", 0, at) + 1, at))


def _captured(body: str, name: str) -> str | None:
    """The variable that a lambda has captured under this name."""
    if "__closure->__" not in body:
        return None
    found = re.search(rf"^.* {name} = .*__closure->__(\w+)", body, re.MULTILINE)
    return found[1] if found else None


def _spelled(base: str, parts: list[str], index: str) -> str:
    """An array as the learner would write it: "a", "tile[...]", "pair.first"."""
    indexes = [number for number, part in enumerate(parts) if part.startswith("[")]
    end = parts.index(index) if index in parts else indexes[-1] if indexes else len(parts)
    text = base.strip("(*)") + "".join(re.sub(r"\[(?!\d+\]).*\]", "[...]", part) for part in parts[:end])
    text = re.sub(r"^(this->|__closure->__|_\d+->|D\.\d+(->|\.))", "", text)
    return "an array" if re.match(r"_\d|D\.\d", text) else text


def _own_places(places: set[str], optimized: str, constants: Set[str]) -> set[str]:
    """Those where what is indexed turns out to be a function's own variable, or a table, once g++ has put functions
    together. One is enough: no access to it is checked for itself.
    """
    found: dict[str, set[bool]] = {}
    follows: dict[str, set[bool]] = {}
    for body, own in own_variables(optimized, _HANDLER) if places else ():
        for place in _PLACE_OF.finditer(body):
            if place[1] not in places:
                continue
            row, _, after = body[place.end() - 1 : place.end() + _NEAR].partition("\n")
            is_check = _HANDLER in row
            objects = _on_the_line(place[1], after) if is_check else _OBJECT.findall(row)
            if objects:
                name = objects[0][0] or objects[0][1]
                (follows if is_check else found).setdefault(place[1], set()).add(name in own or name in constants)
    return {place for place, is_own in (follows | found).items() if True in is_own}


def _on_the_line(place: str, rows: str) -> list[tuple[str, str]]:
    """What the first row names that belongs to this place's line and names an object: a loop has a place of its own."""
    mark = f"[{place.rpartition(':')[0]}:"
    return next((objects for row in rows.split("\n") if mark in row and (objects := _OBJECT.findall(row))), [])


def _named(matches: Iterable[re.Match[str]], source_name: str) -> list[tuple[str, int]]:
    own = ((each["name"].removeprefix(HIDDEN), int(each["line"])) for each in matches if each["file"] == source_name)
    return list(dict.fromkeys(each for each in own if not each[0].startswith("ladder_")))
