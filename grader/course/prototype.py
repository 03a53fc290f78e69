"""The C prototype of a task, read once: argument order, element types, roles and the shape of every buffer."""

from __future__ import annotations

import ast
import ctypes
import math
import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, Literal

Role = Literal["input", "output", "scalar", "stream"]


class PrototypeError(ValueError):
    """A prototype or a shape that cannot be understood; the message is one sentence for the lesson's author."""


@dataclass(frozen=True)
class CType:
    """An element type. `numpy` views bfloat16 as uint16, which numpy lacks; `unit_roundoff` is 0 for integers.

    The unit roundoff of a p-bit significand is 2^-p: Higham, "Accuracy and Stability", 2nd ed., section 2.1.
    """

    name: str  # as C spells it
    bytes: int
    torch: str  # attribute of the torch module
    numpy: str
    ctypes: Any
    unit_roundoff: float = 0.0

    @property
    def is_floating(self) -> bool:
        return self.unit_roundoff > 0


_TYPES = (
    CType("float", 4, "float32", "float32", ctypes.c_float, 2.0**-24),
    CType("double", 8, "float64", "float64", ctypes.c_double, 2.0**-53),
    CType("half", 2, "float16", "float16", ctypes.c_uint16, 2.0**-11),
    CType("__nv_bfloat16", 2, "bfloat16", "uint16", ctypes.c_uint16, 2.0**-8),
    CType("bool", 1, "bool", "bool", ctypes.c_bool),
    CType("char", 1, "int8", "int8", ctypes.c_int8),
    CType("signed char", 1, "int8", "int8", ctypes.c_int8),
    CType("unsigned char", 1, "uint8", "uint8", ctypes.c_uint8),
    CType("short", 2, "int16", "int16", ctypes.c_int16),
    CType("unsigned short", 2, "uint16", "uint16", ctypes.c_uint16),
    CType("int", 4, "int32", "int32", ctypes.c_int32),
    CType("unsigned int", 4, "uint32", "uint32", ctypes.c_uint32),
    CType("long long", 8, "int64", "int64", ctypes.c_int64),
    CType("unsigned long long", 8, "uint64", "uint64", ctypes.c_uint64),
    CType("size_t", 8, "uint64", "uint64", ctypes.c_size_t),
)
STREAM = CType("cudaStream_t", 8, "", "", ctypes.c_void_p)
TYPES: Mapping[str, CType] = {ctype.name: ctype for ctype in (*_TYPES, STREAM)}
_SPELLINGS = {
    "unsigned": "unsigned int",
    "short int": "short",
    "unsigned short int": "unsigned short",
    "long long int": "long long",
    "unsigned long long int": "unsigned long long",
    "__half": "half",
    "nv_bfloat16": "__nv_bfloat16",
}


@dataclass(frozen=True)
class Parameter:
    name: str
    type: CType
    role: Role

    @property
    def declaration(self) -> str:
        """`const float* x`, `float* z`, `int n`."""
        pointer = "*" if self.is_buffer else ""
        return f"{'const ' if self.role == 'input' else ''}{self.type.name}{pointer} {self.name}"

    @property
    def is_buffer(self) -> bool:
        return self.role in ("input", "output")


@dataclass(frozen=True)
class Prototype:
    """`void name(const T* in..., T* out..., scalars..., cudaStream_t stream)`, in the order of the C text."""

    name: str
    parameters: tuple[Parameter, ...]

    @property
    def declaration(self) -> str:
        """The C text in one spelling, without `extern "C"` and semicolon."""
        return f"void {self.name}({', '.join(parameter.declaration for parameter in self.parameters)})"

    @cached_property
    def inputs(self) -> tuple[Parameter, ...]:
        return self._with_role("input")

    @cached_property
    def outputs(self) -> tuple[Parameter, ...]:
        return self._with_role("output")

    @cached_property
    def buffers(self) -> tuple[Parameter, ...]:
        return tuple(parameter for parameter in self.parameters if parameter.is_buffer)

    @cached_property
    def scalars(self) -> tuple[Parameter, ...]:
        return self._with_role("scalar")

    @property
    def is_narrow(self) -> bool:
        """Whether it has floats of two bytes, which tensor cores multiply."""
        return any(buffer.type.is_floating and buffer.type.bytes == 2 for buffer in self.buffers)

    def _with_role(self, role: Role) -> tuple[Parameter, ...]:
        return tuple(parameter for parameter in self.parameters if parameter.role == role)


def bind(function: Any, parameters: Iterable[Parameter]) -> Any:
    """A function of a ctypes library that takes these parameters (buffers and the stream as addresses), and itself."""
    function.restype = None
    function.argtypes = [ctypes.c_void_p if each.is_buffer else each.type.ctypes for each in parameters]
    return function


def parse_prototype(text: str) -> Prototype:
    """Reads `void f(const float* x, float* y, int n, cudaStream_t stream)`. Raises PrototypeError."""
    flat = " ".join(text.split()).removeprefix('extern "C" ').removesuffix(";").rstrip()
    match = re.fullmatch(r"(.*?)\b([A-Za-z_]\w*) ?\((.*)\)", flat)
    if not match:
        raise PrototypeError(f"`{flat}` is not a prototype: write `void name(parameters, cudaStream_t stream)`")
    result, name, inside = match[1].strip(), match[2], match[3].strip()
    if result != "void":
        raise PrototypeError(f"{name} returns `{result}`: write `void {name}(...)`, results go to `T*` parameters")
    texts = inside.split(",") if inside else []
    try:
        parameters = tuple(parse_parameter(position, part.strip()) for position, part in enumerate(texts, start=1))
        _check_list(parameters)
    except PrototypeError as error:
        raise PrototypeError(f"{name}: {error}") from None
    return Prototype(name, parameters)


def parse_parameter(position: int, text: str) -> Parameter:
    """Reads `const float* x`; `position` counts from 1 and appears in messages. Raises PrototypeError."""
    where = f"parameter {position}, `{text}`,"
    match = re.fullmatch(r"([\w ]+?) ?(\**) ?(?:__restrict__|__restrict|restrict)? ?\b([A-Za-z_]\w*)", text)
    if not match or match[3] in {"const", *TYPES, *_SPELLINGS}:
        raise PrototypeError(f"{where} is not `const T* name`, `T* name` or `T name`")
    words, stars, name = match[1].split(), match[2], match[3]
    is_const = "const" in words
    ctype = _find_type(" ".join(word for word in words if word != "const"), where)
    if len(stars) > 1:
        raise PrototypeError(f"{where} is a pointer to a pointer: a buffer is `const T* name` or `T* name`")
    if ctype is STREAM:
        if stars:
            raise PrototypeError(f"{where} points to a stream: write `cudaStream_t {name}`")
        return Parameter(name, ctype, "stream")
    if stars:
        return Parameter(name, ctype, "input" if is_const else "output")
    if ctype.is_floating and ctype.bytes == 2:
        raise PrototypeError(f"{where} is a 16-bit scalar: pass it as `float {name}`")
    return Parameter(name, ctype, "scalar")


def _find_type(words: str, where: str) -> CType:
    ctype = TYPES.get(_SPELLINGS.get(words, words))
    if ctype is None:
        raise PrototypeError(f"{where} has the unknown type `{words}`; known are {', '.join(TYPES)}")
    return ctype


def _check_list(parameters: tuple[Parameter, ...]) -> None:
    names = [parameter.name for parameter in parameters]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        raise PrototypeError(f"two parameters are called {twice}")
    if [parameter.role for parameter in parameters].count("stream") != 1 or parameters[-1].role != "stream":
        raise PrototypeError("the last parameter, and only that, must be `cudaStream_t stream`")
    if not any(parameter.role == "output" for parameter in parameters):
        raise PrototypeError("there is no output: an output is `T* name`, without const")


_OPERATORS: Mapping[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_FUNCTIONS: Mapping[str, Callable[..., int]] = {"ceil_div": lambda a, b: -(-a // b), "min": min, "max": max}


def evaluate_shapes(
    expressions: Mapping[str, str], names: Iterable[str], sizes: Mapping[str, Any]
) -> dict[str, tuple[int, ...]]:
    """The shape that each of these names has in `expressions`. Raises PrototypeError."""
    return {name: evaluate_shape(expressions[name], sizes) for name in names}


def check_shapes(expressions: Mapping[str, str], names: Sequence[str], cases: Iterable[Mapping[str, Any]]) -> None:
    """Evaluates all these shapes at each case's sizes, for what it raises: PrototypeError."""
    for sizes in cases:
        evaluate_shapes(expressions, names, sizes)


def evaluate_shape(expression: str, sizes: Mapping[str, Any]) -> tuple[int, ...]:
    """`evaluate_shape("rows, ceil_div(cols, 32)", {"rows": 3, "cols": 70})` is (3, 3).

    Knows integers, the names in `sizes`, + - * // %, parentheses, ceil_div(a, b), min and max. Raises PrototypeError.
    """
    try:
        shape = tuple(_evaluate(node, sizes) for node in _dimensions(expression))
    except PrototypeError as error:
        raise PrototypeError(f"shape `{expression}`: {error}") from None
    except (SyntaxError, TypeError, ZeroDivisionError) as error:
        raise PrototypeError(f"shape `{expression}` cannot be computed: {error}") from None
    if any(dimension < 0 for dimension in shape):
        raise PrototypeError(f"shape `{expression}` is negative at {dict(sizes)}: {shape}")
    return shape


@cache
def _dimensions(expression: str) -> list[ast.expr]:
    """The expression of each dimension; a lesson asks for the same few at every case. Raises SyntaxError."""
    tree = ast.parse(expression.strip(), mode="eval").body
    return tree.elts if isinstance(tree, ast.Tuple) else [tree]


def elements(shape: tuple[int, ...]) -> int:
    """How many elements a shape holds; 1 for ()."""
    return math.prod(shape)


def _evaluate(node: ast.expr, sizes: Mapping[str, Any]) -> int:
    match node:
        case ast.Constant(value=int(value)) if not isinstance(value, bool):
            return value
        case ast.Name(id=name) if isinstance(size := sizes.get(name), int):
            return size
        case ast.Name(id=name):
            raise PrototypeError(f"{name} is no integer size; there are {', '.join(sizes) or 'none'}")
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return _OPERATORS[type(op)](_evaluate(left, sizes), _evaluate(right, sizes))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_evaluate(operand, sizes)
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in _FUNCTIONS:
            return _FUNCTIONS[name](*(_evaluate(argument, sizes) for argument in arguments))
    raise PrototypeError(f"`{ast.unparse(node)}` is not allowed; use names, integers, + - * // %, ceil_div, min, max")
