"""What nvcc asks of a kernel's declaration, of the types it is made for, and of builtins in it, and clang does not."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

from grader.devices.build.constants import CLASSES
from grader.devices.build.cursors import children_of, kind_of, size_of

FUNCTIONS = {"FUNCTION_DECL", "FUNCTION_TEMPLATE", "CXX_METHOD", "CONSTRUCTOR", "DESTRUCTOR", "CONVERSION_FUNCTION"}
SIDES = {"CUDAGLOBAL_ATTR": "kernel", "CUDADEVICE_ATTR": "device", "CUDAHOST_ATTR": "host"}
BOTH = {"device", "host"}
MEMORY = {"CUDADEVICE_ATTR", "CUDACONSTANT_ATTR", "CUDASHARED_ATTR"}
LAMBDA = "(lambda at"
NO_LAMBDAS = "without nvcc's --extended-lambda: write a struct with a `__device__` operator()"
NEVER = {  # in device code
    "CXX_DYNAMIC_CAST_EXPR": "a kernel cannot use dynamic_cast",
    "ADDR_LABEL_EXPR": "a kernel cannot take a label's address: write a `switch`",
}
NO_ADDRESS = (
    "the address of `{name}` that host code has is none on the GPU: let a kernel take it, or a variable, "
    "`__device__ auto pointer = {name};`"
)
# glibc has functions of these names, which it keeps to itself.
_APPROXIMATE = ("sin", "cos", "sincos", "tan", "tanh", "exp", "exp10", "log", "log2", "log10", "pow")
OF_GLIBC = {f"__{name}f" for name in _APPROXIMATE}
MOST_PARAMETERS = 32764  # bytes, as is what follows
MOST_SHARED = 232448  # of a block
NO_BLOCK = "shared memory belongs to a block, and host code has none: declare the __shared__ variable in a kernel"
_GRID_CONSTANT = "grid_constant"  # sides.h
# g++'s builtins that nvcc has for the host alone, and what a kernel writes instead.
_BUILTINS = {
    "__builtin_ctz": "__ffs(x) - 1",
    "__builtin_ctzl": "__ffsll(x) - 1",
    "__builtin_ctzll": "__ffsll(x) - 1",
    "__builtin_clzl": "__clzll(x)",
    "__builtin_ffsl": "__ffsll(x)",
    "__builtin_popcountl": "__popcll(x)",
    "__builtin_parity": "__popc(x) & 1",
    "__builtin_parityl": "__popcll(x) & 1",
    "__builtin_parityll": "__popcll(x) & 1",
    "__builtin_bswap32": "__byte_perm(x, 0, 0x0123)",
    "__builtin_trap": "__trap()",
    "__builtin_abort": "__trap()",
    "__builtin_memcmp": "a loop",
    "__builtin_memmove": "a loop",
    "__builtin_strlen": "a loop",
    "__builtin_strcmp": "a loop",
}
_HOST_ALONE = re.compile(
    r"__builtin_(clrsb|bswap|isnormal|isinf_sign|signbitf|is(greater|less)|isunordered|fpclassify|prefetch|constant_p|"
    r"s?(add|sub|mul)_overflow|return_address|frame_address|free|exit|object_size|ia32_)\w*|__sync_\w+"
)


# Functions of CUDA's own headers, which a file can declare no more: old names, and those of a float.
_OF_A_BLOCK = ("syncthreads_count", "syncthreads_and", "syncthreads_or")
_TAKEN = {f"{name}(bool)" for name in ("any", "all", "ballot", *_OF_A_BLOCK)}
_TAKEN |= {f"{name}(float)" for name in ("y0", "y1", "j0", "j1", "cyl_bessel_i0", "cyl_bessel_i1", "rcbrt", "rsqrt")}
_TAKEN |= {f"{name}(float)" for name in ("erfinv", "erfcinv", "erfcx", "normcdf", "normcdfinv", "sinpi", "cospi")}
_TAKEN |= {"exp10(float)"}


def sides_of(children: Iterable[Any]) -> frozenset[str]:
    """The sides of a function, which are among its children: "kernel", "device", "host"."""
    return frozenset(SIDES[kind] for kind in map(kind_of, children) if kind in SIDES)


def is_of_host(variable: Any) -> bool:
    """Whether it stands outside of functions, or is a static one of a class, without a word of CUDA's."""
    outside = kind_of(variable.lexical_parent) in {"TRANSLATION_UNIT", "NAMESPACE", *CLASSES}
    return outside and not {kind_of(child) for child in children_of(variable)} & MEMORY


def may_not_be_vector(kind: str, around: Any) -> bool:
    """Whether nvcc looks here for one: in a kernel, in a device function that is no method, and at all parameters."""
    return (around.on_device and around.key[0] == "") or (kind == "PARM_DECL" and "device" in around.sides)


def has_vector(type_: Any, deeper: int = 4) -> bool:
    """Whether g++'s own vectors are in a type, `__attribute__((vector_size(16)))`: nvcc has them in host code alone."""
    type_ = type_.get_canonical()
    while type_.kind.name in ("POINTER", "LVALUEREFERENCE", "RVALUEREFERENCE") or "ARRAY" in type_.kind.name:
        type_ = (type_.element_type if "ARRAY" in type_.kind.name else type_.get_pointee()).get_canonical()
    if type_.kind.name == "FUNCTIONPROTO":
        return any(map(has_vector, [*type_.argument_types(), type_.get_result()]))
    if type_.kind.name == "RECORD" and deeper:
        fields = children_of(type_.get_declaration())
        return any(has_vector(field.type, deeper - 1) for field in fields if kind_of(field) == "FIELD_DECL")
    return type_.kind.name in ("VECTOR", "EXTVECTOR")


def of_name(cursor: Any) -> Iterator[str]:
    """What is wrong with a function's name."""
    if kind_of(cursor.semantic_parent) != "TRANSLATION_UNIT":
        return
    if cursor.spelling == "main" and sides_of(children_of(cursor)) & {"kernel", "device"}:
        yield "`main` is the host's alone: take the `__device__` or `__global__` before it out"
    if cursor.displayname in _TAKEN:
        yield f"`{cursor.displayname}` is a function of CUDA's own headers: give yours another name, or a namespace"


def of_declaration(cursor: Any, head: bytes) -> Iterator[str]:
    """What is wrong with a kernel; `head` is its text up to its name."""
    name = cursor.spelling
    if kind_of(cursor.semantic_parent) in CLASSES:
        yield f"the kernel `{name}` cannot be a member of a class: write it outside, as a function"
    elif kind_of(cursor.lexical_parent) in CLASSES and cursor.is_definition():
        yield f"the kernel `{name}` cannot be defined in a class: declare it there as a friend, and define it outside"
    if b"constexpr" in head:
        yield f"the kernel `{name}` cannot be constexpr: take the word out"
    if cursor.type.spelling.endswith(("(...)", ", ...)")):
        yield f"the kernel `{name}` cannot take `...`: give it the parameters that it needs"
    parameters = [child for child in children_of(cursor) if kind_of(child) == "PARM_DECL"]
    types = [child.type.get_canonical().spelling for child in parameters]
    yield from of_parameters(cursor)
    if any(re.match(r"(std::)?initializer_list<", type_) for type_ in types):
        yield f"the kernel `{name}` cannot take a list of values: give it an array in device memory"
    for parameter in parameters:
        if parameter.type.get_canonical().kind.name == "RVALUEREFERENCE":
            yield f"the kernel `{name}` cannot take `&&`: hand `{parameter.spelling}` over as a value, without it"
        if parameter.type.get_canonical().get_pointee().kind.name == "FUNCTIONPROTO" and _is_of_member(parameter.type):
            yield f"the kernel `{name}` cannot take a pointer to a method: make it a template's parameter"
    if cursor.result_type.kind.name == "AUTO":
        yield f"the kernel `{name}` returns void: write void in the place of auto"
    if cursor.exception_specification_kind.name not in ("NONE", "UNEVALUATED", "UNINSTANTIATED"):
        yield f"the kernel `{name}` cannot be noexcept: take the word out"
    if b"__launch_bounds__" in head and b"__maxnreg__" in head:
        yield f"the kernel `{name}` takes __launch_bounds__ or __maxnreg__, and not both"
    packs = [is_pack(child) for child in children_of(cursor) if kind_of(child).startswith("TEMPLATE_")]
    if any(packs[:-1]):
        yield f"the kernel `{name}` can have one parameter pack, as the last of its template's parameters"
    for parameter in filter(is_grid_constant, parameters):
        if not parameter.type.is_const_qualified():
            yield f"`{parameter.spelling}` is __grid_constant__, and so it must be a const value: write const before it"


def of_parameters(cursor: Any) -> Iterator[str]:
    """Of a kernel's parameters: whether they are too many bytes."""
    if (
        sum(max(size_of(child.type), 0) for child in children_of(cursor) if kind_of(child) == "PARM_DECL")
        > MOST_PARAMETERS
    ):
        message = f"the parameters of `{cursor.spelling}` have more than {MOST_PARAMETERS} bytes"
        yield f"{message}: hand over a pointer to device memory"


def of_function(cursor: Any, head: bytes) -> Iterator[str]:
    """What is wrong with a function that is no kernel."""
    for word in (b"__shared__", b"__constant__", b"__managed__"):
        if word in head.split(b"(")[0].split():
            yield f"{word.decode()} is for variables: write `__global__` for a kernel, `__device__` for a function"
    for word in (b"__launch_bounds__", b"__cluster_dims__", b"__maxnreg__"):
        if word in head:
            yield f"only a kernel has {word.decode()}, and `{cursor.spelling}` is none: take them out"
    if any(is_grid_constant(child) for child in children_of(cursor) if kind_of(child) == "PARM_DECL"):
        yield f"only a kernel has __grid_constant__ parameters, and `{cursor.spelling}` is none: take the word out"


def is_grid_constant(parameter: Any) -> bool:
    """Whether a parameter has the word."""
    return any(
        kind_of(child) == "ANNOTATE_ATTR" and child.spelling == _GRID_CONSTANT for child in children_of(parameter)
    )


def _is_of_member(type_: Any) -> bool:
    return bool(type_.get_canonical().kind.name == "MEMBERPOINTER")


def is_pack(parameter: Any) -> bool:
    """Whether a template's parameter stands for any number of arguments."""
    words = [token.spelling for token in parameter.get_tokens()]
    return any(word == "..." and after not in (">", ",") for word, after in pairwise([*words, ""]))


def of_argument(type_: Any) -> str:
    """Why nvcc, which must name a kernel's template arguments outside of the function, cannot name this one."""
    while type_.kind.name in ("POINTER", "LVALUEREFERENCE", "RVALUEREFERENCE"):
        type_ = type_.get_pointee()
    if LAMBDA in type_.spelling:
        return f"a lambda cannot be handed to a kernel {NO_LAMBDAS}"
    declared = type_.get_declaration()
    no_argument = f"`{type_.spelling}` {{}}, and cannot be a kernel's template argument: {{}}"
    if kind_of(declared.semantic_parent) in FUNCTIONS:
        return no_argument.format("is defined inside a function", "define it outside")
    if "(unnamed " in type_.spelling or "(anonymous " in type_.spelling.replace("(anonymous namespace)", ""):
        return "a type without a name cannot be a kernel's template argument: give it a name"
    if declared.access_specifier.name in ("PRIVATE", "PROTECTED"):
        return no_argument.format(f"is {declared.access_specifier.name.lower()} in its class", "make it public")
    arguments = [
        type_.get_template_argument_type(number) for number in range(max(type_.get_num_template_arguments(), 0))
    ]
    return next(filter(None, map(of_argument, arguments)), "")


def of_value(argument: Any) -> str:
    """Why nvcc cannot name this value of a launched kernel's template: it has the device's variables by other names."""
    used = argument
    while kind_of(used) in ("UNARY_OPERATOR", "UNEXPOSED_EXPR", "PAREN_EXPR") and (children := children_of(used)):
        used = children[0]
    variable: Any = used.referenced if kind_of(used) == "DECL_REF_EXPR" else None
    is_method = kind_of(variable) == "CXX_METHOD" and not variable.is_static_method()
    if kind_of(variable) == "FIELD_DECL" or is_method:
        return f"a pointer to the member `{variable.spelling}` cannot be a kernel's template argument: hand it over"
    by_address = used != argument or "ARRAY" in used.type.kind.name or not used.type.is_const_qualified()
    if kind_of(variable) == "VAR_DECL" and by_address and not MEMORY.isdisjoint(map(kind_of, children_of(variable))):
        return f"`{variable.spelling}` is in the GPU's memory, and its address cannot be a kernel's template argument"
    return ""


def of_builtin(name: str) -> str:
    """Why a kernel cannot call a builtin of g++'s; "" if it can."""
    if instead := _BUILTINS.get(name):
        return f"`{name}` is a builtin of the host, which a kernel cannot call: write {_quoted(instead)}"
    if name.startswith(("__sync_", "__atomic_")):
        return f"`{name}` is a builtin of the host, which a kernel cannot call: use `atomicAdd` and its kin"
    return f"`{name}` is a builtin of the host, which a kernel cannot call" if _HOST_ALONE.fullmatch(name) else ""


def _quoted(instead: str) -> str:
    return instead if instead == "a loop" else f"`{instead}`"
