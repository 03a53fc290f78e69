"""CUDA's rules that clang does not have, or has otherwise than nvcc: a look at the syntax tree that it has made.

A cursor is libclang's word for a place in the tree; its kind is a name such as CALL_EXPR (clang's `CursorKind`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from grader.devices.build.constants import CLASSES, Above, is_constexpr, needs_memory
from grader.devices.build.constants import kind_of as _kind

FUNCTIONS = {"FUNCTION_DECL", "FUNCTION_TEMPLATE", "CXX_METHOD", "CONSTRUCTOR", "DESTRUCTOR", "CONVERSION_FUNCTION"}
SIDES = {"CUDAGLOBAL_ATTR": "kernel", "CUDADEVICE_ATTR": "device", "CUDAHOST_ATTR": "host"}
MEMORY = {"CUDADEVICE_ATTR", "CUDACONSTANT_ATTR", "CUDASHARED_ATTR"}
BOTH = {"device", "host"}
# glibc has functions of these names, which it keeps to itself.
_OF_GLIBC = {"__sinf", "__cosf", "__tanf", "__expf", "__exp10f", "__logf", "__log2f", "__log10f", "__powf"}
_LAMBDA = "(lambda at"
_HOST_ASSEMBLY = "asm in a function of the host is no PTX but the CPU's own assembly: a kernel file has no use for it"
_EMPTY_TEXT = re.compile(rb'\w+[\w\s]*\(\s*(""\s*)+(:|\)|$)')
_IF_CONSTEXPR = re.compile(rb"if\s+constexpr\b")
_ASSIGNS = re.compile(rb"\s*(=(?!=)|[-+*/%&|^]=|<<=|>>=|\+\+|--)")
_NO_LAMBDAS = "without nvcc's --extended-lambda: write a struct with a `__device__` operator()"
Key = tuple[str, str]


@dataclass(frozen=True)
class Around:
    """What a cursor stands in: the innermost function, its sides as they are written, and more."""

    name: str = ""
    sides: frozenset[str] = frozenset()
    key: Key = ("", "")
    parameters: tuple[str, ...] = ()  # of the template
    constant: bool = False  # it is computed by the compiler
    above: Above = None  # the cursors above it

    @property
    def on_device(self) -> bool:
        return self.sides in ({"kernel"}, {"device"})

    @property
    def on_host(self) -> bool:
        return bool(self.name) and not self.sides & {"kernel", "device"}


class Tree:
    """The syntax tree of the learner's own text.

    `broken` has places and what is wrong there; `accepted` are the places (line, column) of errors that nvcc has not.
    """

    def __init__(self, unit: Any, file: str, source: str, side: str):
        self.file, self.source, self.side = file, source.encode(), side
        self.broken: list[tuple[Any, str]] = []
        self.accepted: set[tuple[int, int]] = set()
        self._functions: list[tuple[int, int, frozenset[str]]] = []  # from and to which byte, and the sides
        self._declared: dict[Key, frozenset[str]] = {}
        self._defined: dict[Key, tuple[frozenset[str], int]] = {}
        self._device_variables: set[Key] = set()
        self._undefined: dict[Key, Any] = {}
        self._dynamic: dict[str, str] = {}  # the type of each extern __shared__ array
        self._dynamic_of: dict[Key, int] = {}  # which template argument is the type of a kernel's
        self._launched: dict[Key, str] = {}  # and what it was
        for cursor in _written(unit, file):
            self._visit(cursor, Around())
        for key, use in self._undefined.items():
            if key not in self._defined:
                self._say(use, f"`{use.spelling}` is declared and used, but nowhere defined")

    def sides_at(self, offset: int) -> frozenset[str]:
        """The sides of the innermost function around a byte of the file, and "template" if it is one.

        A lambda has those of its function.
        """
        around = [each for each in self._functions if each[0] <= offset < each[1]]
        return min(around, key=lambda each: each[1] - each[0])[2] if around else frozenset()

    def _visit(self, cursor: Any, around: Around) -> None:
        kind = _kind(cursor)
        children = list(cursor.get_children())
        if kind in FUNCTIONS:
            around = self._function(cursor, _sides(children), children)
        elif kind == "LAMBDA_EXPR":
            self._lambda(cursor)
        elif kind == "VAR_DECL":
            around = self._variable(cursor, {_kind(child) for child in children}, around)
        elif kind in ("DECL_REF_EXPR", "MEMBER_REF_EXPR"):
            self._use(cursor, around)
            self._write(cursor, around)
        elif kind == "CXX_DYNAMIC_CAST_EXPR" and around.on_device:
            self._say(cursor, "a kernel cannot use dynamic_cast")
        elif kind == "ASM_STMT" and around.on_host and not self._asks_nothing(cursor):
            self._say(cursor, _HOST_ASSEMBLY)
        elif kind in ("CXX_UNARY_EXPR", "STATIC_ASSERT", "CASE_STMT", "ENUM_CONSTANT_DECL"):
            around = replace(around, constant=True)
        around = replace(around, above=(cursor, around.above)) if children else around
        for number, child in enumerate(children):
            constant = around.constant or self._is_computed_early(kind, cursor, child, number)
            self._visit(child, around if constant == around.constant else replace(around, constant=constant))

    def _is_computed_early(self, kind: str, cursor: Any, child: Any, number: int) -> bool:
        """Whether a child is a template's argument, the bound of a type, or the condition of an `if constexpr`."""
        if kind == "IF_STMT":
            return number == 0 and bool(_IF_CONSTEXPR.match(self.source, cursor.extent.start.offset))
        if kind == "VAR_DECL":
            is_bound = self.source[: child.extent.start.offset].rstrip().endswith(b"[")
            return is_bound or child.extent.end.offset <= cursor.location.offset
        return kind == "DECL_REF_EXPR"

    def _say(self, cursor: Any, message: str) -> None:
        self.broken.append((cursor.location, message))

    def _asks_nothing(self, cursor: Any) -> bool:
        """asm volatile("" ::: "memory") only holds the compiler back."""
        return bool(_EMPTY_TEXT.match(self.source[cursor.extent.start.offset : cursor.extent.end.offset]))

    # ---- functions ----

    def _function(self, cursor: Any, sides: frozenset[str], children: list[Any]) -> Around:
        key = _key(cursor)
        if "kernel" in sides:
            self._kernel(cursor)
        if cursor.is_definition():
            words = sides | ({"template"} if _kind(cursor) == "FUNCTION_TEMPLATE" else set())
            self._functions.append((cursor.extent.start.offset, cursor.extent.end.offset, words))
            if self._declared.get(key, sides) != sides and cursor.lexical_parent != cursor.semantic_parent:
                self.accepted.add(_place(cursor))
            self._twice(cursor, key, sides)
        self._declared.setdefault(key, sides)
        parameters = tuple(child.spelling for child in children if _kind(child).startswith("TEMPLATE_"))
        return Around(cursor.spelling, sides, key=(key[0], cursor.spelling), parameters=parameters)

    def _kernel(self, cursor: Any) -> None:
        name = cursor.spelling
        if _kind(cursor.semantic_parent) in CLASSES:
            self._say(cursor, f"the kernel `{name}` cannot be a member of a class: write it outside, as a function")
        if cursor.type.spelling.endswith(("(...)", ", ...)")):
            self._say(cursor, f"the kernel `{name}` cannot take `...`: give it the parameters that it needs")
        types = [child.type.get_canonical().spelling for child in cursor.get_children() if _kind(child) == "PARM_DECL"]
        if any(re.match(r"(std::)?initializer_list<", type_) for type_ in types):
            self._say(cursor, f"the kernel `{name}` cannot take a list of values: give it an array in device memory")
        if cursor.result_type.kind.name == "AUTO":
            self._say(cursor, f"the kernel `{name}` returns void: write void in the place of auto")

    def _twice(self, cursor: Any, key: Key, sides: frozenset[str]) -> None:
        """To clang a function of the host and one of the device may have the same name and parameters."""
        if _kind(cursor) == "FUNCTION_TEMPLATE":
            return
        first, line = self._defined.setdefault(key, (sides, cursor.location.line))
        if first != sides:
            message = f"`{cursor.spelling}` is already defined in line {line}, and nvcc takes one function of a name "
            self._say(cursor, f"{message}and parameters: write one with `__host__ __device__`, or another name")

    def _lambda(self, cursor: Any) -> None:
        extent = cursor.extent
        self._functions.append((extent.start.offset, extent.end.offset, self.sides_at(extent.start.offset)))
        for token in cursor.get_tokens():
            if token.spelling == "{":
                return
            if token.spelling in ("__device__", "__host__"):
                return self._say(cursor, f"a lambda takes no {token.spelling} {_NO_LAMBDAS}")

    # ---- variables ----

    def _variable(self, cursor: Any, attributes: set[str], around: Around) -> Around:
        """Of device code, and in memory of the device. What a constexpr comes from is computed by the compiler."""
        name, static = cursor.spelling, cursor.storage_class.name == "STATIC"
        if around.on_device:
            if cursor.tls_kind.name != "NONE":
                self._say(
                    cursor, f"the thread_local variable `{name}`: a kernel's variables are each thread's own anyway"
                )
            if cursor.type.kind.name == "CONSTANTARRAY" and cursor.type.element_count == 0:
                self._say(cursor, f"the array `{name}` has no elements, which a kernel cannot have: give it a size")
            if static and "CUDASHARED_ATTR" not in attributes and _uses_variables(cursor):
                self._say(
                    cursor, f"the static variable `{name}` of a kernel must start with a constant: assign it later"
                )
        if _kind(cursor.lexical_parent) in CLASSES and attributes & MEMORY:
            self._say(
                cursor, f"`{name}` is a class's, and cannot be in the GPU's memory: write it outside of the class"
            )
        if "CUDASHARED_ATTR" in attributes and around.name:
            self._shared(cursor, around)
        if "CUDADEVICE_ATTR" in attributes:
            if _key(cursor) in self._device_variables:
                self._say(cursor, f"`{name}` is defined twice: without separate compilation, extern defines it, too")
            if cursor.storage_class.name == "EXTERN":
                self._device_variables.add(_key(cursor))
        by_address = cursor.type.kind.name in ("POINTER", "LVALUEREFERENCE")
        constant = bool(around.name) and is_constexpr(cursor) and not by_address
        return replace(around, constant=around.constant or constant)

    def _shared(self, cursor: Any, around: Around) -> None:
        name, type_ = cursor.spelling, cursor.type.spelling
        if cursor.storage_class.name == "EXTERN":
            if self._dynamic.setdefault(name, type_) != type_:
                message = f"`{name}` is `{self._dynamic[name]}` in another kernel, and all of a name must have one type"
                self._say(cursor, f"{message}: give it another name")
            if (element := type_.removesuffix("[]").strip()) in around.parameters:
                self._dynamic_of[around.key] = around.parameters.index(element)
            return
        if type_.endswith("[]"):
            self._say(cursor, f"the shared array `{name}` needs a size, or extern before `__shared__`")
        element = cursor.type
        while "ARRAY" in element.kind.name:
            element = element.element_type
        behind = self.source[cursor.location.offset + len(name.encode()) :].partition(b";")[0]
        if not element.is_const_qualified() and not set(b"={(") & set(behind):
            self.accepted.add(_place(cursor))  # its constructor, which nvcc does not call

    def _use(self, cursor: Any, around: Around) -> None:
        used = cursor.referenced
        if used is None or not around.name:
            return
        if _kind(used) in FUNCTIONS:
            self._call(cursor, used, around)
        elif _kind(used) == "VAR_DECL" and self.side == "device" and not (around.constant or around.on_host):
            self._read(cursor, used, around)

    def _read(self, cursor: Any, used: Any, around: Around) -> None:
        """Device code reads a variable."""
        if _is_of_host(used) and (reason := needs_memory(cursor, used, around.above)):
            message = (
                f"`{used.spelling}` is memory of the host, {reason}: write `__constant__` or `__device__` before it"
            )
            self._say(cursor, f"{message} in line {used.location.line}")

    def _write(self, cursor: Any, around: Around) -> None:
        """To nvcc a __constant__ number is const in host code; of an array's elements and of members it only warns."""
        used = cursor.referenced
        if self.side != "host" or not around.on_host or used is None or _kind(used) != "VAR_DECL":
            return
        constant = "CUDACONSTANT_ATTR" in {_kind(child) for child in used.get_children()}
        if constant and "ARRAY" not in used.type.kind.name and self._is_written(cursor):
            message = f"`{used.spelling}` is __constant__, and host code cannot assign to it: copy a value there, "
            self._say(cursor, f"{message}`cudaMemcpyToSymbol({used.spelling}, &value, sizeof value)`")

    def _is_written(self, cursor: Any) -> bool:
        before = self.source[: cursor.extent.start.offset].rstrip()
        return before.endswith((b"++", b"--")) or bool(_ASSIGNS.match(self.source, cursor.extent.end.offset))

    # ---- calls ----

    def _call(self, cursor: Any, used: Any, around: Around) -> None:
        sides, name = _sides(used.get_children()), used.spelling
        if around.sides == BOTH and sides == {"device"} and self.side == "host":
            message = f"`{around.name}` is for the host, too, and calls `{name}`, which is for the GPU alone: write "
            self._say(cursor, f"{message}`__device__` alone before `{around.name}`")
        elif around.on_host and (name in _OF_GLIBC or sides == {"device"}) and self.side == "host":
            if self.source[cursor.extent.end.offset :].lstrip()[:1] not in b">,;)":  # its address is no call
                self._say(cursor, f"`{name}` is a function of the GPU, which host code cannot call")
        elif "kernel" in sides:
            self._launch(cursor, used)
        elif sides == {"device"} and _is_in(used, self.file) and used.get_definition() is None:
            self._undefined.setdefault(_key(used), cursor)

    def _launch(self, cursor: Any, kernel: Any) -> None:
        """nvcc must be able to name a kernel's template arguments outside of the function."""
        for number in range(max(kernel.get_num_template_arguments(), 0)):
            type_ = kernel.get_template_argument_type(number)
            if _LAMBDA in type_.spelling:
                self._say(cursor, f"a lambda cannot be handed to a kernel {_NO_LAMBDAS}")
            elif _kind(type_.get_declaration().semantic_parent) in FUNCTIONS:
                message = f"`{type_.spelling}` is defined inside a function, and cannot be a kernel's template argument"
                self._say(cursor, f"{message}: define it outside")
        key = (kernel.semantic_parent.get_usr(), kernel.spelling)
        if (number := self._dynamic_of.get(key, -1)) >= 0:
            type_name = kernel.get_template_argument_type(number).spelling
            if (first := self._launched.setdefault(key, type_name)) != type_name:
                message = f"its extern __shared__ array would be `{first}` in one launch and `{type_name}` in another"
                self._say(cursor, f"{message}: declare it as unsigned char, and cast its address")


def _is_of_host(variable: Any) -> bool:
    """A variable outside of functions, or a static one of a class, without a word of CUDA's."""
    outside = _kind(variable.lexical_parent) in {"TRANSLATION_UNIT", "NAMESPACE", *CLASSES}
    return outside and not {_kind(child) for child in variable.get_children()} & MEMORY


def _uses_variables(cursor: Any) -> bool:
    if _kind(cursor) == "DECL_REF_EXPR" and cursor.referenced is not None:
        used = cursor.referenced
        return _kind(used) in ("PARM_DECL", "VAR_DECL") and not used.type.is_const_qualified()
    return any(_uses_variables(child) for child in cursor.get_children())


def _written(unit: Any, file: str) -> Iterator[Any]:
    """What the file declares, each once: libclang tells of a template's instances, too, at the template's own place."""
    seen: set[tuple[int, str]] = set()
    for cursor in unit.cursor.get_children():
        place = cursor.location.offset, cursor.spelling
        if _is_in(cursor, file) and place not in seen and _kind(cursor.lexical_parent) == "TRANSLATION_UNIT":
            seen.add(place)
            yield cursor


def _key(cursor: Any) -> Key:
    return cursor.semantic_parent.get_usr(), cursor.displayname


def _place(cursor: Any) -> tuple[int, int]:
    return cursor.location.line, cursor.location.column


def _sides(children: Any) -> frozenset[str]:
    return frozenset(SIDES[kind] for kind in map(_kind, children) if kind in SIDES)


def _is_in(cursor: Any, file: str) -> bool:
    place = cursor.location
    return bool(place.file) and place.file.name == file
