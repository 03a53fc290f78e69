"""CUDA's rules that clang does not have, or has otherwise than nvcc: a look at the syntax tree that it has made.

A cursor is libclang's word for a place in the tree; its kind is a name such as CALL_EXPR (clang's `CursorKind`).
"""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import Any

from grader.devices.build import asm_rules, kernel_rules
from grader.devices.build.around import Around
from grader.devices.build.branches import IF_CONSTEXPR, branches, left_out
from grader.devices.build.class_rules import (
    has_host_destructor,
    inherits_destructor,
    is_temporary,
    lacks_default,
    of_host_twin,
)
from grader.devices.build.constants import (
    CLASSES,
    is_constant,
    is_constexpr,
    is_held,
    is_pointed_to,
    is_worked_out_by,
    needs_memory,
    reads_local,
)
from grader.devices.build.cursors import (
    Key,
    children_of,
    instances,
    is_declaration,
    is_expression,
    is_in,
    is_template,
    key_of,
    namespace_of,
    place_of,
    size_of,
    written,
)
from grader.devices.build.cursors import kind_of as _kind
from grader.devices.build.kernel_rules import BOTH, FUNCTIONS, LAMBDA, MEMORY, MOST_SHARED, NO_LAMBDAS, sides_of
from grader.devices.build.narrowing import is_strict
from grader.devices.build.places import Places
from grader.devices.build.statics import INDICES, starts_at_run_time

_HOST_DESTRUCTOR = "the virtual destructor of `{}` is the host's: write `__device__` before it"
_NO_VECTOR = "a kernel cannot use g++'s vectors (vector_size): `float4` and its kin are CUDA's"
_NO_SIZE = re.compile(rb"(?:::)?\s*new\b[\w\s:<>*]*\[\s*\]")
_INLINE = {b"inline", b"__inline__", b"__forceinline__"}
_OF_TEMPLATE = "type-parameter-"  # in what clang calls a type that hangs on a template's argument
_ATOMIC = re.compile(rb"__atomic_\w+")
_OPERATORS = {"UNARY_OPERATOR", "BINARY_OPERATOR", "COMPOUND_ASSIGNMENT_OPERATOR"}
_ASSIGNS = re.compile(rb"\s*(=(?!=)|[-+*/%&|^]=|<<=|>>=|\+\+|--)")


class Tree(Places):
    """The syntax tree of the learner's own text.

    `broken` has places and what is wrong there; `accepted` are the places (line, column) of errors that nvcc has not.
    """

    def __init__(self, unit: Any, file: str, source: str, side: str):
        super().__init__()
        self.unit, self.file, self.source, self.side = unit, file, source.encode(errors="surrogateescape"), side
        self._virtual, self._atomic = b"virtual" in self.source, b"__atomic_" in self.source
        self._vectors = b"vector_size" in self.source
        self._made = instances(unit, file)
        self.broken: list[tuple[Any, str]] = []
        self.accepted: set[tuple[int, int]] = set()
        self.kernels: set[str] = set()
        self.of_no_side: set[str] = set()  # destructors
        self.on_both: set[int] = set()  # lines of functions that nvcc takes on both sides: constexpr, or defaulted
        # The sides of functions that are declared in these lines, without that of the device, which comes later.
        self.of_device_later: dict[int, frozenset[str]] = {}
        self.suspicious: list[tuple[Any, str]] = []
        self._declared: dict[Key, tuple[frozenset[str], int]] = {}  # the sides, and the line
        self._defined: dict[Key, tuple[frozenset[str], int]] = {}
        self._device_variables: set[Key] = set()
        self._undefined: dict[Key, Any] = {}
        self._in_lambdas: dict[int, list[tuple[Any, str]]] = {}  # what is wrong with one if it runs on the GPU
        self._run: set[int] = set()  # lambdas that do: not every call has a value that the compiler knows
        self._dynamic: dict[Key, str] = {}  # of what each extern __shared__ array is
        self._dynamic_of: dict[Key, tuple[int, Key]] = {}  # which template argument that is in a kernel, and its array
        for cursor in written(unit, file):
            self._visit(cursor, Around())
        for offset in self._run & self._in_lambdas.keys():
            self.broken += self._in_lambdas[offset]
        for key, use in self._undefined.items():
            if key not in self._defined:
                self._say(use, f"`{use.spelling}` is declared and used, but nowhere defined")

    def _visit(self, cursor: Any, around: Around) -> None:
        kind = _kind(cursor)
        children = children_of(cursor)
        if kind in FUNCTIONS:
            around = self._function(cursor, sides_of(children), children, around.unmade)
        elif kind in CLASSES and inherits_destructor(cursor):
            self.of_no_side.add(f"~{cursor.spelling}")
        elif kind == "FRIEND_DECL":
            self._friends |= {child.spelling for child in children if _kind(child) in FUNCTIONS}
        elif kind == "LAMBDA_EXPR":
            self._lambda(cursor)
            if is_held(around.above):
                around = around._replace(lambda_=cursor.extent.start.offset, constant=False)
        elif kind == "VAR_DECL":
            around = self._variable(cursor, {_kind(child) for child in children}, around)
        elif kind in ("DECL_REF_EXPR", "MEMBER_REF_EXPR"):
            if around.name and (used := cursor.referenced) is not None:
                self._use(cursor, used, around)
                self._write(cursor, used, around)
        elif kind == "UNEXPOSED_EXPR" and self._atomic and around.on_device:
            if called := _ATOMIC.match(self.source, cursor.extent.start.offset):
                self._say(cursor, kernel_rules.of_builtin(called[0].decode()))
        elif kind == "CALL_EXPR" and self._virtual and around.on_device and is_temporary(cursor, around.above):
            if has_host_destructor(cursor.type):
                self._say(cursor, _HOST_DESTRUCTOR.format(cursor.type.get_canonical().spelling))
        elif kind == "INIT_LIST_EXPR":
            strict = is_strict(cursor, around.above)
            self._braces.append((cursor.extent.start.offset, cursor.extent.end.offset, strict))
        elif kind in kernel_rules.NEVER and around.on_device:
            self._say(cursor, kernel_rules.NEVER[kind])
        elif kind == "ASM_STMT":
            for message in asm_rules.of_statement(cursor, children, self.source, around, self.side):
                self._say(cursor, message)
        elif kind in ("CXX_UNARY_EXPR", "STATIC_ASSERT", "CASE_STMT", "ENUM_CONSTANT_DECL"):
            around = around._replace(constant=True)
        elif kind in ("IF_STMT", "CONDITIONAL_OPERATOR", "BINARY_OPERATOR"):
            out, surely = left_out(cursor, children, self.source)
            self.branches += branches(children, out, surely)
            children = [child for child in children if not (surely and child in out)]
        elif kind == "CXX_NEW_EXPR" and _NO_SIZE.match(self.source, cursor.extent.start.offset):
            self._say(cursor, "`new T[]` needs the number of elements in C++17: write it in the brackets")
        if self._vectors and kernel_rules.may_not_be_vector(kind, around) and kernel_rules.has_vector(cursor.type):
            self._say(cursor, _NO_VECTOR)
        around = Around(*around[:-1], (cursor, around.above)) if children else around  # a third of _replace's time
        for number, child in enumerate(children):
            early = not around.constant and self._is_computed_early(kind, cursor, child, number)
            self._visit(child, around._replace(constant=True) if early else around)

    def _is_computed_early(self, kind: str, cursor: Any, child: Any, number: int) -> bool:
        """Whether a child is a template's argument, the bound of a type, or the condition of an `if constexpr`."""
        if kind == "IF_STMT":
            return number == 0 and bool(IF_CONSTEXPR.match(self.source, cursor.extent.start.offset))
        if is_declaration(cursor) and is_expression(child):
            at = child.extent.start.offset
            while self.source[at - 1 : at].isspace():
                at -= 1
            is_bound = self.source[at - 1 : at] == b"["
            return is_bound or kind in FUNCTIONS or child.extent.end.offset <= cursor.location.offset
        return kind == "DECL_REF_EXPR"

    def _say(self, cursor: Any, message: str) -> None:
        self.broken.append((cursor.location, message))

    # ---- functions ----

    def _function(self, cursor: Any, sides: frozenset[str], children: list[Any], unmade: bool) -> Around:
        key = key_of(cursor)
        head = self.source[cursor.extent.start.offset : cursor.location.offset]
        rules = kernel_rules.of_declaration if "kernel" in sides else kernel_rules.of_function
        self.kernels |= {cursor.spelling} if "kernel" in sides else set()
        if sides in ({"device"}, {"host"}) and (b"constexpr" in head or cursor.is_default_method()):
            self.on_both.add(cursor.location.line)
        for message in [*kernel_rules.of_name(cursor), *rules(cursor, head)]:
            self._say(cursor, message)
        if cursor.is_definition():
            words = sides | ({"template"} if _kind(cursor) == "FUNCTION_TEMPLATE" else set())
            self._functions.append((cursor.extent.start.offset, cursor.extent.end.offset, words))
            self._of_name.append((cursor.extent.start.offset, cursor.extent.end.offset, cursor.spelling))
            if self._declared.get(key, (sides,))[0] != sides and cursor.lexical_parent != cursor.semantic_parent:
                self.accepted.add(place_of(cursor))
            self._twice(cursor, key, sides)
        first, line = self._declared.setdefault(key, (sides, cursor.location.line))
        if "device" in sides and "device" not in first:
            self.of_device_later[line] = first | sides
        parameters = tuple(child.spelling for child in children if _kind(child).startswith("TEMPLATE_"))
        unmade = unmade or (cursor.location.offset not in self._made and is_template(cursor))
        emitted = _kind(cursor) == "FUNCTION_DECL" and cursor.linkage.name == "EXTERNAL"
        emitted = emitted and not (_INLINE | {b"constexpr"}) & set(head.split())
        return Around(cursor.spelling, sides, (key[0], cursor.spelling), parameters, emitted=emitted, unmade=unmade)

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
                return self._say(cursor, f"a lambda takes no {token.spelling} {NO_LAMBDAS}")

    # ---- variables ----

    def _variable(self, cursor: Any, attributes: set[str], around: Around) -> Around:
        """Of device code, and in memory of the device. What a constexpr comes from is computed by the compiler."""
        name, static = cursor.spelling, cursor.storage_class.name == "STATIC"
        if around.on_device:
            if self._virtual and has_host_destructor(cursor.type):
                self._say(cursor, _HOST_DESTRUCTOR.format(cursor.type.get_canonical().spelling))
            if cursor.tls_kind.name != "NONE":
                self._say(
                    cursor, f"the thread_local variable `{name}`: a kernel's variables are each thread's own anyway"
                )
            if cursor.type.kind.name == "CONSTANTARRAY" and cursor.type.element_count == 0:
                self._say(cursor, f"the array `{name}` has no elements, which a kernel cannot have: give it a size")
            if static and "CUDASHARED_ATTR" not in attributes and starts_at_run_time(cursor):
                self._say(
                    cursor, f"the static variable `{name}` of a kernel must start with a constant: assign it later"
                )
        if _kind(cursor.lexical_parent) in CLASSES and attributes & MEMORY:
            self._say(
                cursor, f"`{name}` is a class's, and cannot be in the GPU's memory: write it outside of the class"
            )
        if "CUDASHARED_ATTR" in attributes and around.name:
            self._shared(cursor, around)
        if attributes & {"CUDADEVICE_ATTR", "CUDACONSTANT_ATTR"}:
            self._in_device_memory(cursor, around)
            if key_of(cursor) in self._device_variables and not around.name:
                self._say(cursor, f"`{name}` is defined twice: without separate compilation, extern defines it, too")
            self._device_variables.add(key_of(cursor))
        by_address = cursor.type.kind.name in ("POINTER", "LVALUEREFERENCE")
        head = self.source[cursor.extent.start.offset : cursor.location.offset]
        constant = bool(around.name) and not by_address and b"constexpr" in head
        return around._replace(constant=around.constant or constant)

    def _in_device_memory(self, cursor: Any, around: Around) -> None:
        name, offset = cursor.spelling, cursor.location.offset
        words = set(re.split(rb"[;{}]", self.source[:offset])[-1].split())
        if LAMBDA in cursor.type.spelling:
            self._say(cursor, f"`{name}` is a lambda, which cannot be in the GPU's memory: write it in the kernel")
        if around.on_host:
            self._say(cursor, f"`{name}` is in the GPU's memory: write it outside of the host's function")
        if self._vectors and kernel_rules.has_vector(cursor.type):
            self._say(cursor, _NO_VECTOR)
        if words & _INLINE and cursor.linkage.name == "EXTERNAL":
            self._say(cursor, f"`{name}` cannot be inline: write `static` in the place of it")
        if b"__managed__" in words and (cursor.type.is_const_qualified() or b"__constant__" in words):
            self._say(
                cursor, f"`{name}` is __managed__, and so it cannot be const: write `__constant__` alone for that"
            )
        is_shadowed = cursor.storage_class.name != "EXTERN" and b"__managed__" not in words
        if is_shadowed and (message := of_host_twin(cursor, self.file)):
            self._say(cursor, message)
        for each in cursor.walk_preorder():
            used = each.referenced if _kind(each) == "DECL_REF_EXPR" else None
            if used is not None and self._is_of_host_alone(used):
                self._say(each, f"`{used.spelling}` is a function of the host: write `__device__` before it")

    def _is_of_host_alone(self, used: Any) -> bool:
        of_file = _kind(used) == "FUNCTION_DECL" and is_in(used, self.file)
        return of_file and not sides_of(children_of(used)) and not is_constexpr(used)

    def _shared(self, cursor: Any, around: Around) -> None:
        name, type_ = cursor.spelling, cursor.type.spelling
        if cursor.storage_class.name == "STATIC" and not (around.on_device or around.unmade):
            self._say(cursor, kernel_rules.NO_BLOCK)
        if size_of(cursor.type) > MOST_SHARED:
            self._say(cursor, f"`{name}` has more than {MOST_SHARED} bytes, the most shared memory of a block")
        if cursor.storage_class.name == "EXTERN":
            array, made = (namespace_of(cursor), name), cursor.type.get_canonical().spelling
            if (element := type_.removesuffix("[]").strip()) in around.parameters:
                self._dynamic_of[around.key] = around.parameters.index(element), array
            elif _OF_TEMPLATE not in made and (first := self._other(array, made.removesuffix("[]").strip())):
                message = f"`{name}` is an array of `{first}` in another kernel, and all of a name must have one type"
                self.broken.append((cursor.location, f"{message}: give it another name"))
            return
        if type_.endswith("[]"):
            self._say(cursor, f"the shared array `{name}` needs a size, or extern before `__shared__`")
        element = cursor.type
        while "ARRAY" in element.kind.name:
            element = element.element_type
        behind = self.source[cursor.location.offset + len(name.encode()) :].partition(b";")[0]
        is_made = set(b"={(") & set(behind) or lacks_default(element, self.file)
        if not element.is_const_qualified() and not is_made:
            self.accepted.add(place_of(cursor))  # its constructor, which nvcc does not call

    def _other(self, array: Key, element: str) -> str:
        """What another extern __shared__ array of this name is of; "" if it is the same."""
        first = self._dynamic.setdefault(array, element)
        return "" if first == element else first

    def _use(self, cursor: Any, used: Any, around: Around) -> None:
        if is_pointed_to(around.above) and used.spelling in INDICES:
            self._say(cursor, f"`{used.spelling}` has no address: copy it, `uint3 copy = {used.spelling};`")
        elif _kind(used) in FUNCTIONS:
            self._call(cursor, used, around)
        elif _kind(used) == "VAR_DECL" and self.side == "device" and around.may_read:
            self._read(cursor, used, around)

    def _read(self, cursor: Any, used: Any, around: Around) -> None:
        """Device code reads a variable."""
        if self._in_lambdas and LAMBDA in used.type.spelling and not is_worked_out_by(around.above):
            self._run.add(used.type.get_canonical().get_declaration().location.offset)
        if kernel_rules.is_of_host(used) and (reason := needs_memory(cursor, used, around.above)):
            message = f"`{used.spelling}` is memory of the host, {reason}: write `__constant__` or `__device__` before "
            where = "" if is_in(used, self.file) else f" of {PurePath(used.location.file.name).name}"
            told = cursor.location, f"{message}it in line {used.location.line}{where}"
            (self._in_lambdas.setdefault(around.lambda_, []) if around.lambda_ else self.broken).append(told)

    def _write(self, cursor: Any, used: Any, around: Around) -> None:
        """To nvcc a __constant__ number is const, and no object of a class, nor an array's elements."""
        if self.side != ("host" if around.on_host else "device") or around.unmade or _kind(used) != "VAR_DECL":
            return
        constant = "CUDACONSTANT_ATTR" in {_kind(child) for child in children_of(used)}
        kind = used.type.get_canonical().kind.name
        if constant and "ARRAY" not in kind and kind != "RECORD" and self._is_written(cursor, around):
            message = f"`{used.spelling}` is __constant__, and host code cannot assign to it: copy a value there, "
            message += f"`cudaMemcpyToSymbol({used.spelling}, &value, sizeof value)`"
            if not around.on_host:
                message = f"`{used.spelling}` is __constant__, and the GPU cannot assign to it: write `__device__` in "
                message += f"its place in line {used.location.line}"
            self.broken.append((cursor.location, message))

    def _is_written(self, cursor: Any, around: Around) -> bool:
        if not around.above or _kind(around.above[0]) not in _OPERATORS:
            return False  # `*pointer = 1`: what it points to
        before = self.source[: cursor.extent.start.offset].rstrip()
        return before.endswith((b"++", b"--")) or bool(_ASSIGNS.match(self.source, cursor.extent.end.offset))

    # ---- calls ----

    def _call(self, cursor: Any, used: Any, around: Around) -> None:
        sides, name = sides_of(children_of(used)), used.spelling
        if sides == {"device"} and used.location.line in self.on_both and is_in(used, self.file):
            if self.source[cursor.extent.end.offset :].lstrip().startswith(b"<<<"):
                self._say(cursor, f"`{name}` is launched, but is no kernel: write `__global__` before it")
            return
        if around.sides == BOTH and (sides == {"device"} or name in kernel_rules.OF_GLIBC) and self.side == "host":
            if self.branch_at(cursor.extent.start.offset):
                return
            message = f"`{around.name}` is for the host, too, and calls `{name}`, which is for the GPU alone: write "
            self._say(cursor, f"{message}`__device__` alone before `{around.name}`")
        elif around.on_host and (name in kernel_rules.OF_GLIBC or (self._added(used) or sides) == {"device"}):
            self._from_host(cursor, name, sides, around)
        elif "kernel" in sides:
            self._launch(cursor, used)
        elif name == "strlen" and around.on_device and reads_local(around.call()):
            self._say(cursor, "`strlen` of a variable is a function of the host: make it constexpr, or write a loop")
        elif name == "operator()" and not around.constant and self._is_launched(cursor):
            self._say(cursor, "what is launched here is an object, and no kernel: keep a pointer to the kernel in it")
        elif around.on_device and not sides and (message := kernel_rules.of_builtin(name)):
            if not is_constant(around.call()):
                self._say(cursor, message)
        elif sides == {"device"} and self._is_missing(used):
            self._undefined.setdefault(key_of(used), cursor)

    def _added(self, used: Any) -> frozenset[str] | None:
        return self.of_device_later.get(used.location.line) if is_in(used, self.file) else None

    def _is_launched(self, cursor: Any) -> bool:
        return self.source[: cursor.extent.start.offset].rstrip().endswith(b">>>")

    def _from_host(self, cursor: Any, name: str, sides: frozenset[str], around: Around) -> None:
        """A function of the GPU in host code: it cannot be called, though its address may be taken."""
        if self.source[cursor.extent.end.offset :].lstrip()[:1] == b"(":
            if self.side == "host":
                self._say(cursor, f"`{name}` is a function of the GPU, which host code cannot call")
        elif sides == {"device"} and not around.constant:
            self.accepted.add(place_of(cursor))
            self.suspicious.append((cursor.location, kernel_rules.NO_ADDRESS.format(name=name)))

    def _is_missing(self, function: Any) -> bool:
        is_abstract = _kind(function) == "CXX_METHOD" and function.is_pure_virtual_method()
        return is_in(function, self.file) and function.get_definition() is None and not is_abstract

    def _launch(self, cursor: Any, kernel: Any) -> None:
        """nvcc must be able to name a kernel's template arguments outside of the function."""
        if kernel.storage_class.name == "STATIC" and kernel.get_definition() is None:
            self._say(cursor, f"`{kernel.spelling}` is launched and declared, but nowhere defined")
        arguments = range(max(kernel.get_num_template_arguments(), 0))
        for number in arguments:
            if message := kernel_rules.of_argument(kernel.get_template_argument_type(number)):
                self._say(cursor, message)
        by_address = any(kernel.get_template_argument_kind(number).name == "DECLARATION" for number in arguments)
        for value in filter(is_expression, children_of(cursor) if by_address else ()):
            if message := kernel_rules.of_value(value):
                self._say(cursor, message)
        key = (kernel.semantic_parent.get_usr(), kernel.spelling)
        if key in self._dynamic_of:
            number, array = self._dynamic_of[key]
            element = kernel.get_template_argument_type(number).get_canonical().spelling
            if _OF_TEMPLATE not in element and (first := self._other(array, element)):
                message = f"the extern __shared__ array `{array[1]}` would be of `{first}` in one launch and of "
                message += f"`{element}` in another: declare it as unsigned char, and cast its address"
                self.broken.append((cursor.location, message))
