"""What the learner's built library says about itself: shared arrays, functions, the source line of every instruction.

Read (elf.py), and asked of binutils (objdump, addr2line), once per build and kept beside the library.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grader.devices.build.elf import Elf
from grader.devices.build.recipe import Refused
from grader.devices.emulator.alignments import alignments
from grader.devices.emulator.call_places import call_places
from grader.devices.emulator.calls import host_functions
from grader.devices.emulator.flags import blind_exchanges, empty_loops, flag_reads, overwrites, updates
from grader.devices.emulator.gaps import MARK, NAME
from grader.devices.emulator.lines import Way, WayReader, by_the_cache, own_lines, ways_to
from grader.devices.emulator.loops import barrier_loops
from grader.devices.emulator.machine_code import Instruction, is_call
from grader.devices.emulator.prices import dearest, is_choice, is_through_pointer, priced
from grader.devices.emulator.sides import (
    functions_of_the_device,
    host_variables,
    is_mark,
    last_name,
    managed_variables,
    named_variables,
    shared_arrays,
)
from grader.devices.emulator.sides import host_functions as functions_of_the_host
from grader.devices.emulator.unmade import MEMORY

_SIZES_OF_A_HEAD = {"ladder_bound": "launch_bound", "ladder_blocks": "launch_blocks", "ladder_cluster": "cluster_size"}
_INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\s+(\S+)\s*(.*)$")
_FRAME = re.compile(r"\$(0x[0-9a-f]+),%rsp|sp, sp, #(0x[0-9a-f]+|\d+)")
_UNLIKE_OWNERS = re.compile(rf"^void |\.localalias$| \[clone [^]]*\]$|(?<=::){MEMORY}")
_NOT_THEIRS = ("completed.", "guard variable", "std::", "__gnu_cxx::", "DW.ref", "vtable", "typeinfo", "ladder::")
_LINKERS = {"__dso_handle", "__TMC_END__", "__bss_start", "__data_start", "_edata", "_end"}
_READ_ONLY = (".rodata", ".data.rel.ro")
_SYSTEM_CALLS = ("syscall", "sysenter", "int", "sysret", "svc")
_OVERHEAD = ("nop", "endbr64", "push", "pop", "data16", "xchg")


@dataclass
class Symbol:
    """A variable of the built library."""

    value: int  # offset in the file's image, or in the TLS block for shared arrays
    bytes: int
    kind: str  # one of kinds.SYMBOLS
    name: str


MOST_CONSTANT_BYTES = 65536  # CUDA programming guide, "Technical Specifications per Compute Capability"


def too_much_constant(symbols: Iterable[Symbol]) -> str:
    """One sentence if a file has more `__constant__` variables than a GPU has room for; "" if not."""
    needed = sum(symbol.bytes for symbol in symbols if symbol.kind == "constant")
    if needed <= MOST_CONSTANT_BYTES:
        return ""
    return f"the file has {needed:,} bytes of __constant__ variables: a GPU has {MOST_CONSTANT_BYTES:,}"


@dataclass
class Block:
    """A basic block: how many instructions it does apart from the instrumentation, and where it branches."""

    weight: int
    branch: int = 0  # one byte into its conditional jump, as `ways_to` takes return addresses; 0: it has none
    work: list[tuple[int, str, int]] = field(default_factory=list)  # line, name in prices.py, how often
    choices: int = 0  # comparisons, minima, maxima and conversions of floats
    assembly: int = 0  # statements of inline PTX; most instructions around them carry operands there, which no GPU does


@dataclass
class CodeMap:
    """What addresses in a built library stand for: variables, the learner's lines, basic blocks."""

    symbols: list[Symbol] = field(default_factory=list)
    lines: dict[int, int] = field(default_factory=dict)  # return address of a callback, or branch -> learner's line
    blocks: dict[int, Block] = field(default_factory=dict)
    library: str = ""
    source_name: str = ""

    def __post_init__(self) -> None:
        self._reader: WayReader | None = None
        self._ways: dict[int, Way] = {}

    @staticmethod
    def load(library: Path, source_name: str) -> CodeMap:
        """Reads the map kept beside the library, or makes it. To be called before anything in the library runs."""
        kept = place_of_map(library)
        try:
            return _from_json(json.loads(kept.read_text()), library, source_name)
        except (OSError, ValueError, KeyError, TypeError):
            made = _make(library, source_name)
        with suppress(OSError):  # a read-only cache: make it again next time
            kept.write_text(json.dumps(made, default=vars))
        return made

    def line_of(self, pc: int) -> int | None:
        """The learner's line of a program counter; None where there is none (the C library, a header's own code)."""
        if pc == 0:
            return None
        if pc not in self.lines:
            self.lines[pc] = next(iter(own_lines(self._way_to(pc), self.source_name)), 0)
        return self.lines[pc] or None

    def lines_to(self, pc: int) -> list[int]:
        """The learner's line of a program counter, that of the call where its function was inlined, and so on."""
        return own_lines(self._way_to(pc), self.source_name)

    def _way_to(self, pc: int) -> Way:
        if pc not in self._ways:
            self._ways[pc] = self._reader.way_to(pc) if self._reader else ways_to(Path(self.library), [pc])[pc]
        return self._ways[pc]

    def begin_to_read(self) -> None:
        """Starts what tells further lines: later, this process may be allowed to start nothing. Raises OSError."""
        self._reader = WayReader(Path(self.library))


def place_of_map(library: Path) -> Path:
    """Where the map of a library is kept."""
    return library.with_suffix(".map.json")


def _from_json(data: dict[str, Any], library: Path, source_name: str) -> CodeMap:
    if data["source_name"] != source_name:
        raise ValueError("made for another file name")
    return CodeMap(
        symbols=[Symbol(**symbol) for symbol in data["symbols"]],
        lines={int(pc): line for pc, line in data["lines"].items()},
        blocks={int(pc): Block(**block) for pc, block in data["blocks"].items()},
        library=str(library),
        source_name=source_name,
    )


def _make(library: Path, source_name: str) -> CodeMap:
    code = disassembled(library)
    refuse_system_calls(code)
    blocks, calls = blocks_and_calls(code)
    branches = [block.branch for block in blocks.values() if block.branch]
    elf = Elf(library)
    work = _work(elf, code, blocks)
    ways = ways_to(library, calls + branches + [pc for pc, *_ in work])
    lines = {pc: next(iter(own_lines(way, source_name)), 0) for pc, way in ways.items()}
    _put_work(work, blocks, lines)
    dump, of_program, classes = (_text(library.with_suffix(each)) for each in (".gimple", ".accesses", ".classes"))
    symbols = read_symbols(elf) + host_only(elf, dump)
    symbols += [Symbol(pc, 1, "flag_read", "") for pc in flag_reads(code)]
    restricted = set(json.loads(_text(library.with_suffix(".restricted")) or "[]"))  # of a whole program
    cached = [pc for pc, way in ways.items() if by_the_cache(way) or (way and way[0][1] in restricted)]
    symbols += [Symbol(pc, 1, "cached_read", "") for pc in cached]
    symbols += [Symbol(pc, 1, "overwrite", "") for pc in overwrites(code)]
    symbols += [Symbol(pc, what, "update", "") for pc, what in updates(code)]
    symbols += [Symbol(pc, 1, "blind_exchange", "") for pc in blind_exchanges(code)]
    symbols += [Symbol(pc, 1, "empty_loop", "") for pc in empty_loops(code)]
    wanted = alignments(elf, lambda: code, [dump] if dump else of_program.split("\f"), classes)
    symbols += [Symbol(pc, each, "alignment", "") for pc, each in wanted]
    for first, jump, last in barrier_loops(code, blocks):
        symbols += [Symbol(first, jump - first, "loop", ""), Symbol(last, 0, "loop_end", "")]
    symbols += [Symbol(pc, first, "call_place", "") for pc, first in [(0, 0), *call_places(library, code, ways)]]
    symbols += [Symbol(start, size, "frame", "") for start, size in frames(code)]
    return CodeMap(symbols, lines, blocks, str(library), source_name)


def frames(code: list[Instruction]) -> list[tuple[int, int]]:
    """Where functions begin that take room on the stack, and the bytes."""
    found: dict[int, int] = {}
    begins, start = False, 0
    for address, operation, operands in code:
        start = address if begins else start
        begins = not operation
        if operation == "sub" and (match := _FRAME.match(operands)):
            found[start] = max(found.get(start, 0), int(match[1] or match[2], 0))
    return list(found.items())


def refuse_system_calls(code: list[Instruction]) -> None:
    """Raises Refused if there is an instruction that asks the system for something past the C library."""
    for _, operation, _ in code:
        if operation in _SYSTEM_CALLS:
            raise Refused(f"the machine code of this file holds `{operation}`: only the C library makes system calls")


def read_symbols(elf: Elf) -> list[Symbol]:
    """Variables and functions of a library that was built just now."""
    symbols, marked = [], []
    for entry, name in elf.named:
        if is_mark(name):
            marked.append(name)
        kind = _kind(entry.section, name)
        if kind is not None and (entry.bytes or kind == "function"):
            symbols.append(Symbol(entry.value, entry.bytes, kind, _plain(name)))
    variables = [each for each in symbols if each.kind == "variable"]
    names = [each.name for each in variables]
    hosts, managed = host_variables(names, marked), managed_variables(names, marked)
    named = named_variables(names, marked)
    for each in variables:
        of_gpu = "named_variable" if each.name in named else "variable"
        each.kind = "host_variable" if each.name in hosts else "managed" if each.name in managed else of_gpu
    symbols += _uncounted(elf)
    of_host = functions_of_the_host([each.name for each in symbols if each.kind == "function"], marked)
    symbols += [Symbol(each.value, each.bytes, "host_only", each.name) for each in symbols if each.name in of_host]
    symbols += [*_of_each_side(elf, symbols, marked)]
    shared = shared_arrays([each.name for each in symbols if each.kind == "shared_array"], marked)
    return [each for each in symbols if each.kind != "shared_array" or each.name in shared]


def _of_each_side(elf: Elf, symbols: list[Symbol], marked: list[str]) -> Iterator[Symbol]:
    """Functions that a kernel may run, tables of virtual functions, and texts, in the order of their addresses."""
    functions = [each for each in symbols if each.kind == "function"]
    names = functions_of_the_device([each.name for each in functions], marked)
    found = {(each.value, 1, each.name) for each in functions if each.name in names}
    found |= {(each.value, each.bytes, name) for each, name in elf.named if name.startswith("vtable for ")}
    found |= {(start, size, "") for start, size in _nameless(elf)}
    yield from (Symbol(value, size, "of_each_side", name) for value, size, name in sorted(found))


def _nameless(elf: Elf) -> Iterator[tuple[int, int]]:
    """What lies between named constants: texts, above all."""
    for section in elf.sections:
        if section.name == ".rodata":
            named = {(each.value, each.bytes) for each, _ in elf.named if each.section == section.name and each.bytes}
            at = section.address
            for start, size in [*sorted(named), (section.address + section.bytes, 0)]:
                if at < start:
                    yield at, start - at
                at = max(at, start + size)


def _uncounted(elf: Elf) -> Iterator[Symbol]:
    """Read-only memory, but for the gaps around tables of constants; each table before a gap by its name."""
    for section in elf.sections:
        if section.name not in _READ_ONLY:
            continue
        inside = [
            (each.value, each.bytes, name) for each, name in elf.named if each.section == section.name and each.bytes
        ]
        gaps = {start for start, _, name in inside if NAME in name}
        at = section.address
        for start, size, name in sorted(set(inside)):
            if start not in gaps and start + size not in gaps:
                continue
            if at < start:
                yield Symbol(at, start - at, "uncounted", section.name)
            if start not in gaps:
                yield Symbol(start, size, "uncounted", _plain(name))
            at = max(at, start + size)
        if left := section.address + section.bytes - at:
            yield Symbol(at, left, "uncounted", section.name)


def tables(elf: Elf) -> set[str]:
    """The constants that lie in read-only memory: their names to the linker, and their last names, if no other variable
    has such a one.
    """
    constant, linked, others = set[str](), set[str](), set[str]()
    for entry, name in elf.named:
        if entry.section in _READ_ONLY and entry.bytes:
            constant.add(last_name(name))
            linked.add(entry.name)
        elif entry.section not in ("", ".text") and entry.bytes:
            others.add(last_name(name))
    return constant - others | linked


def host_only(elf: Elf, dump: str) -> list[Symbol]:
    """Those that no kernel may enter; `dump` is what g++ told of the library's code, if it did."""
    names = set(host_functions(dump)) if dump else set()
    places = {(each.value, each.bytes) for each in elf.symbols if each.name in names}
    return [Symbol(start, size, "host_only", "") for start, size in sorted(places) if size]


def _kind(section: str, name: str) -> str | None:
    if NAME in name:
        return None
    if section in (".tbss", ".tdata"):
        return None if name.startswith("__tls_guard") else "shared_array"
    if section == ".text":
        return "function"
    if section.startswith("ladder_constant"):
        return "constant"
    if section == ".rodata" and (size := _SIZES_OF_A_HEAD.get(name.rpartition("::")[2])):
        return size
    if section == ".rodata" and f"::{MARK}" in name:
        return "declared"
    if section in (".bss", ".data") and not name.startswith(_NOT_THEIRS) and name not in _LINKERS:
        return "variable"
    return None


def _plain(name: str) -> str:
    """A function named as the variables in it name it: `void tile<32>(float*)` is `tile<32>(float*)`."""
    return _UNLIKE_OWNERS.sub("", name)


def disassembled(library: Path) -> list[Instruction]:
    """All instructions; an operation "" stands where a function begins."""
    code = []
    command = ["objdump", "-d", "--no-show-raw-insn", "-j", ".text", str(library)]
    said = subprocess.run(command, check=True, capture_output=True, text=True, errors="replace").stdout
    for row in said.splitlines():
        if match := _INSTRUCTION.match(row):
            code.append((int(match[1], 16), match[2], match[3]))
        elif row.endswith(">:"):
            code.append((0, "", ""))
    return code


def blocks_and_calls(code: list[Instruction]) -> tuple[dict[int, Block], list[int]]:
    """Basic blocks by the return address of their callback, and the return addresses of all calls."""
    blocks: dict[int, Block] = {}
    calls: list[int] = []
    current: Block | None = None
    pending: str | None = None  # a call whose return address is the next instruction's
    for address, operation, operands in code:
        if not operation:
            current, pending = None, None
            continue
        if pending is not None:
            calls.append(address)
            if "__sanitizer_cov_trace_pc" in pending:
                current = blocks[address] = Block(0)
            pending = None
        if is_call(operation):
            pending = operands
            if current:
                current.choices += is_choice(operation, operands)
                # The instruction that put the address into place; the access itself still counts.
                current.weight -= "__tsan_" in operands
                current.assembly += "<ladder_ptx@" in operands
            continue
        if current is None or operation in _OVERHEAD:
            continue
        current.weight += 1
        current.choices += is_choice(operation, operands)
        if _is_conditional(operation):
            current.branch = address + 1
    for block in blocks.values():
        block.weight = max(block.weight, 1)
    return blocks, calls


def _work(elf: Elf, code: list[Instruction], blocks: dict[int, Block]) -> list[tuple[int, int, str]]:
    """Each instruction that prices.py knows: one byte into it, its basic block, and its name there.

    A call through a pointer costs as much as the dearest function that it may lead to.
    """
    found = []
    through_pointer = ""
    if any(is_through_pointer(operation, operands) for _, operation, operands in code):
        through_pointer = dearest(elf.pointed_to())
    block = 0
    for address, operation, operands in code:
        if not operation:
            block = 0
        elif address in blocks:
            block = address
        name = through_pointer if is_through_pointer(operation, operands) else priced(operation, operands)
        if block and name:
            found.append((address + 1, block, name))
    return found


def _text(file: Path) -> str:
    """ "" where there is none."""
    return file.read_text(errors="replace") if file.exists() else ""


def _put_work(work: list[tuple[int, int, str]], blocks: dict[int, Block], lines: dict[int, int]) -> None:
    for (block, line, name), times in Counter((block, lines[pc], name) for pc, block, name in work).items():
        blocks[block].work.append((line, name, times))


def _is_conditional(operation: str) -> bool:
    return (operation.startswith("j") and not operation.startswith("jmp")) or operation.startswith(("b.", "cb", "tb"))
