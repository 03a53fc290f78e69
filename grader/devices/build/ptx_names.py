"""Names in the PTX of one function: which of its asm statements' registers and labels are declared, and how often.

A brace opens a scope. What stands outside of all braces is the function's: another asm statement of that function may
use it, and none may declare it again. nvcc makes one function of a kernel and what it calls.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

_DECLARES = re.compile(r"\.(reg|local|shared|const|global|param)\b")
_SPACES = re.compile(r"\.align\s+\d+|\.ptr\b|\.\w+")
_DECLARED = re.compile(r"((?:%%)?[A-Za-z_$][\w$]*)\s*(?:<\s*(\d+)\s*>)?")
_NAME = re.compile(r"(?<![\w$.%])[A-Za-z_$][\w$]*(?![\w$%])")
_AT_ADDRESS = re.compile(r"\[[^]]*\]")  # where the name of one of the file's variables may stand, too
_GUARD = re.compile(r"@\s*!?\s*([A-Za-z_$][\w$]*)?")
_LABEL = re.compile(r"([A-Za-z_$][\w$]*)\s*:(?!:)\s*")
_SPECIAL = re.compile(r"(%%[A-Za-z_$][\w$]*)(\.\w+)?")
_VECTORS = re.compile(r"%%(n?tid|n?ctaid|n?clusterid|cluster_n?ctaid)")  # of x, y, z and w
_NUMBERS = re.compile(
    r"%%(laneid|n?warpid|n?smid|gridid|is_explicit_cluster|cluster_n?ctarank|lanemask_(eq|[lg][et])|clock(_hi|64)?"
    r"|pm[0-7](_64)?|envreg(\d|[12]\d|3[01])|globaltimer(_lo|_hi)?|reserved_smem_offset_(begin|end|cap|[01])"
    r"|(total|aggr|dynamic)_smem_size|current_graph_exec)"
)
_OF_64_BITS = re.compile(r"%%(clock64|pm\d_64|globaltimer|current_graph_exec)")
_TYPE_OF_MOV = re.compile(r"mov\.[usb](32|64)")
_NOT_DECLARED = {"_", "WARP_SZ"}
_NOT_READ = ("call", "brx", ".", "{")  # instructions with operands of another kind
_MOST_NUMBERED = 4096  # `.reg .b32 r<4096>;`


@dataclass
class _Scope:
    """The names that it declares, those that it uses before, and what else is wrong."""

    outer: _Scope | None = None
    declared: set[str] = field(default_factory=set)
    labels: set[str] = field(default_factory=set)
    used: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    inner: list[_Scope] = field(default_factory=list)

    def declares(self, name: str) -> None:
        if name in self.declared | self.labels:
            self.wrong.append(_declared_again(name))
        self.declared.add(name)

    def has_label(self, name: str) -> None:
        self.declares(name)
        self.labels.add(name)

    def use(self, names: Iterable[str]) -> None:
        self.used += [name for name in names if not self.knows(name)]

    def knows(self, name: str) -> bool:
        return name in self.declared or (self.outer is not None and self.outer.knows(name))

    def knows_label(self, name: str) -> bool:
        """Which may come later. Of what other texts declare it is not known when."""
        names = self.labels if self.outer else self.declared
        return name in names or (self.outer is not None and self.outer.knows_label(name))


def of_function(texts: Sequence[str]) -> dict[int, str]:
    """What is wrong with the names in these texts, by the texts' numbers. Nothing where a brace is closed in another
    text than its own.
    """
    function, found = _Scope(), dict[int, str]()
    scopes = [_read(text, function) for text in texts]
    if any(scope is None for scope in scopes):
        return {}
    texts_declare = [scope.declared for scope in scopes if scope]
    for number, scope in enumerate(filter(None, scopes)):
        before, after = texts_declare[:number], texts_declare[number + 1 :]
        function.declared = set[str]().union(*before, *after)
        again = sorted(scope.declared.intersection(name for names in before for name in names))
        if said := _declared_again(again[0]) if again else _of_scope(scope):
            found[number] = said
    return found


def _declared_again(name: str) -> str:
    return f"`{name}` is declared twice in the PTX of one function: put it into braces, `{{ .reg ...; ... }}`"


def _of_scope(scope: _Scope) -> str:
    if wrong := next(filter(None, scope.wrong), ""):
        return wrong
    for name in scope.used:
        if not scope.knows_label(name):
            return f"`{name}` is not declared in this PTX: a register needs `.reg .u32 {name};`, with its own type"
    return next(filter(None, map(_of_scope, scope.inner)), "")


def _read(text: str, function: _Scope) -> _Scope | None:
    """The names of a text without comments; None where its braces do not match."""
    top = scope = _Scope(function)
    statement, depth = "", 0
    for character in text:
        if character == "{" and not statement.strip():
            scope.inner.append(_Scope(scope))
            scope, depth, statement = scope.inner[-1], depth + 1, ""
        elif character == "}" and not statement.strip():
            if scope.outer is None or not depth:
                return None
            scope, depth, statement = scope.outer, depth - 1, ""
        elif character == ";":
            _statement(statement.strip(), scope)
            statement = ""
        else:
            statement += character
            if character == ":" and (label := _LABEL.fullmatch(statement.strip())):
                scope.has_label(label[1])
                statement = ""
    return None if depth or statement.strip() else top


def _of_special(opcode: str, operands: str, scope: _Scope) -> str:
    """What is wrong with special registers among these operands, as `%%tid.x`."""
    for name, member in _SPECIAL.findall(operands):
        is_vector, whole = _VECTORS.fullmatch(name), f"{name}{member}".replace("%%", "%")
        if scope.knows(name):
            continue
        if not is_vector and (member or not _NUMBERS.fullmatch(name)):
            return f"PTX has no special register `{whole}`"
        if is_vector and member not in (".x", ".y", ".z", ".w") and ".v4" not in opcode:
            return f"`{whole}` has three numbers: write `{whole}.x`, `.y` or `.z`"
        if not opcode.startswith(("mov", "cvt")):
            return f"only `mov` and `cvt` take the special register `{whole}`: move it to a register of your own first"
        bits = _TYPE_OF_MOV.fullmatch(opcode)
        if bits and name != "%%gridid" and (bits[1] == "64") != bool(_OF_64_BITS.fullmatch(name)):
            return f"the special register `{whole}` has {96 - int(bits[1])} bits: `mov.u{96 - int(bits[1])}` takes it"
    return ""


def _statement(statement: str, scope: _Scope) -> None:
    if _DECLARES.match(statement):
        for name, number in _DECLARED.findall(_SPACES.sub(" ", re.sub(r"\[[^]]*\]|=.*", "", statement))):
            for each in [f"{name}{n}" for n in range(min(int(number), _MOST_NUMBERED))] if number else [name]:
                scope.declares(each)
        return
    if not statement:
        return
    if guard := _GUARD.match(statement):
        scope.use([guard[1]] if guard[1] else [])
        statement = statement[guard.end() :].strip()
    opcode, *operands = statement.split(None, 1) or [""]
    if opcode.startswith(_NOT_READ) or "%" in opcode:
        return
    values = _AT_ADDRESS.sub(" ", "".join(operands))
    scope.wrong.append(_of_special(opcode, values, scope))
    scope.use(name for name in _NAME.findall(values) if name not in _NOT_DECLARED)
