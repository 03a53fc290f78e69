"""What functions and operators of a kernel cost on a GPU.

The prices are nvcc's for sm_90, without -use_fast_math, for arguments between 0 and 1, as Nsight Compute counts them in
benchmarks/fidelity/functions.cu. What is not listed here costs nothing: it is made of other instructions, or it was not
measured.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

Price = tuple[int, int, int]  # operations of the special-function unit (MUFU), additions and multiplications of floats,
# and of doubles: a fused one is two

_CALLED = re.compile(r"<(?:_Z(?P<length>\d+)(?P<mangled>\w+)|(?P<plain>\w+))(?:@plt)?>")
_CALLS = frozenset(("call", "callq", "bl"))
_OPERATORS = (
    {
        f"{name}s{letter}": f"{type_} {sign}"
        for name, sign in zip(("add", "sub", "mul", "div"), "++*/", strict=True)
        for letter, type_ in (("s", "float"), ("d", "double"))
    }
    | {"sqrtss": "sqrtf", "sqrtsd": "sqrt"}
    | {f"{name}{width}": "integer /" for name in ("div", "idiv") for width in ("", "l", "q")}
    | {"sdiv": "integer /", "udiv": "integer /"}
)
# ARM's, by operation and first letter of a register: fadd s0, s1, s2.
_ARM = {
    f"{name} {letter}": f"{type_} {sign}"
    for name, sign in zip(("fadd", "fsub", "fmul", "fnmul", "fdiv"), "++**/", strict=True)
    for letter, type_ in (("s", "float"), ("d", "double"))
} | {"fsqrt s": "sqrtf", "fsqrt d": "sqrt"}
_CHOOSER = re.compile(r"\bf(max|min)f?(@|>)")
_CHOICE = re.compile(r"(min|max|u?comi|cmp\w+)s[sd]$|cvt|fcmpe?$|f(min|max)(nm)?$|[su]cvtf|fcvt")

# What raises to a power, however it is made.
EXPONENTIALS = frozenset(
    [
        *("exp", "exp2", "exp10", "expm1", "sinh", "cosh", "tanh", "pow"),
        *("expf", "exp2f", "exp10f", "expm1f", "sinhf", "coshf", "tanhf", "powf"),
        *("__expf", "__exp10f", "__powf", "__tanhf"),
    ]
)

# Clocks of a multiprocessor for an instruction of one warp on an H200 (benchmarks/results/h200/matrices.json), by shape
# and rate. ptxas makes two of m16n8k16 of a product of 8-bit floats.
TENSOR_CLOCKS: Mapping[tuple[str, str], float] = {
    ("m16n8k8", "half"): 1.014,
    ("m16n8k16", "half"): 1.508,
    ("m16n8k4", "tf32"): 1.015,
    ("m16n8k8", "tf32"): 1.509,
    ("m16n8k16", "integer"): 1.010,
    ("m16n8k32", "integer"): 1.509,
    ("m16n8k16", "small_float"): 3.191,
    ("m8n8k4", "half"): 4.006,  # doubles
}


def tensor_work(shape: str, rate: str) -> float:
    """Operations on 16-bit numbers in m16n8k16 that take a tensor core as long as one such instruction."""
    return 2 * 16 * 8 * 16 * TENSOR_CLOCKS[shape, rate] / TENSOR_CLOCKS["m16n8k16", "half"]


# Renewed by benchmarks/fidelity/prices.py.
# begin prices
PRICES: Mapping[str, Price] = {
    "__cosf": (1, 1, 0),
    "__dadd_rn": (0, 0, 1),
    "__ddiv_rn": (1, 2, 15),
    "__dmul_rn": (0, 0, 1),
    "__drcp_rn": (1, 0, 10),
    "__dsqrt_rn": (1, 0, 13),
    "__exp10f": (1, 1, 0),
    "__expf": (1, 1, 0),
    "__fadd_rn": (0, 1, 0),
    "__fadd_rz": (0, 1, 0),
    "__fdiv_rd": (1, 11, 0),
    "__fdiv_rn": (1, 10, 0),
    "__fdiv_ru": (1, 11, 0),
    "__fdiv_rz": (1, 11, 0),
    "__fdividef": (1, 1, 0),
    "__fmaf_rn": (0, 2, 0),
    "__fmul_rn": (0, 1, 0),
    "__fmul_rz": (0, 1, 0),
    "__frcp_rd": (1, 5, 0),
    "__frcp_rn": (1, 5, 0),
    "__frcp_ru": (1, 5, 0),
    "__frcp_rz": (1, 5, 0),
    "__frsqrt_rn": (2, 12, 0),
    "__fsqrt_rd": (1, 12, 0),
    "__fsqrt_rn": (1, 6, 0),
    "__fsqrt_ru": (1, 7, 0),
    "__fsqrt_rz": (1, 12, 0),
    "__fsub_rn": (0, 1, 0),
    "__log10f": (1, 1, 0),
    "__log2f": (1, 0, 0),
    "__logf": (1, 1, 0),
    "__powf": (2, 1, 0),
    "__sinf": (1, 1, 0),
    "__tanf": (3, 2, 0),
    "__tanhf": (1, 0, 0),
    "acosf": (1, 24, 0),
    "acoshf": (1, 36, 0),
    "asinf": (1, 22, 0),
    "asinhf": (2, 33, 0),
    "atan2f": (1, 30, 0),
    "atanf": (1, 18, 0),
    "atanhf": (1, 30, 0),
    "cbrt": (3, 2, 15),
    "cbrtf": (2, 10, 0),
    "cos": (0, 0, 24),
    "cosf": (0, 18, 0),
    "cosh": (1, 0, 38),
    "coshf": (2, 11, 0),
    "cospif": (0, 22, 0),
    "double *": (0, 0, 1),
    "double +": (0, 0, 1),
    "double /": (1, 2, 15),
    "double / constant": (1, 2, 15),
    "erf": (1, 1, 78),
    "erfcf": (3, 53, 0),
    "erfcinvf": (1, 23, 0),
    "erfcxf": (2, 39, 0),
    "erff": (1, 15, 0),
    "erfinvf": (1, 22, 0),
    "exp": (0, 0, 29),
    "exp10": (0, 0, 32),
    "exp10f": (1, 10, 0),
    "exp2": (0, 0, 28),
    "exp2f": (1, 0, 0),
    "expf": (1, 10, 0),
    "expm1": (0, 0, 34),
    "expm1f": (1, 20, 0),
    "float *": (0, 1, 0),
    "float +": (0, 1, 0),
    "float /": (1, 10, 0),
    "float / constant": (0, 10, 0),
    "fma": (0, 0, 2),
    "fmaf": (0, 2, 0),
    "fmodf": (1, 5, 0),
    "hypotf": (1, 14, 0),
    "integer /": (1, 0, 0),
    "log": (1, 0, 44),
    "log10": (1, 0, 47),
    "log10f": (0, 25, 0),
    "log1p": (2, 1, 40),
    "log1pf": (0, 26, 0),
    "log2": (1, 0, 47),
    "log2f": (0, 26, 0),
    "logf": (0, 24, 0),
    "norm3df": (1, 17, 0),
    "normcdff": (3, 61, 0),
    "normcdfinvf": (1, 26, 0),
    "pow": (1, 0, 122),
    "powf": (1, 61, 0),
    "rcbrtf": (2, 10, 0),
    "rhypotf": (1, 8, 0),
    "rnorm3df": (1, 11, 0),
    "rsqrt": (1, 0, 8),
    "rsqrtf": (1, 0, 0),
    "sin": (0, 0, 22),
    "sincos": (0, 0, 46),
    "sincosf": (0, 27, 0),
    "sinf": (0, 16, 0),
    "sinh": (0, 0, 16),
    "sinhf": (2, 21, 0),
    "sinpif": (0, 21, 0),
    "sqrt": (1, 0, 13),
    "sqrtf": (1, 6, 0),
    "tan": (1, 0, 42),
    "tanf": (1, 21, 0),
    "tanh": (2, 0, 29),
    "tanhf": (2, 14, 0),
}
# end prices


def priced(operation: str, operands: str) -> str:
    """What this machine instruction of the CPU stands for, by its name in the list above; "" for any other."""
    if operation in _CALLS:
        return _function(operands)
    name = _OPERATORS.get(operation) or (_ARM.get(f"{operation} {operands[:1]}", "") if operation[:1] == "f" else "")
    # A constant lies beside the code. nvcc knows its reciprocal.
    return f"{name} constant" if operation in ("divss", "divsd") and "(%rip)" in operands else name


def is_choice(operation: str, operands: str) -> bool:
    """Whether it compares floats, takes the smaller or larger one, or converts one: an instruction on a GPU, too."""
    return bool(_CHOICE.match(operation) or (operation in _CALLS and _CHOOSER.search(operands)))


def is_through_pointer(operation: str, operands: str) -> bool:
    """Whether it calls what a register or memory says: `call *%rax`, or `blr x1`."""
    return (operation in _CALLS and operands.startswith("*")) or operation == "blr"


def dearest(symbols: Iterable[str]) -> str:
    """The function with most special operations, then most others; "" if none of them has a price."""
    names = filter(None, (_function(f"<{symbol}>") for symbol in symbols))
    return max(names, key=lambda name: (PRICES[name], name in EXPONENTIALS), default="")


def _function(operands: str) -> str:
    """`1040 <expf@plt>` is "expf", and `10d0 <_Z5rsqrtf@plt>`, which is rsqrt(float), is "rsqrtf"."""
    found = _CALLED.search(operands)
    if not found:
        return ""
    if found["plain"]:
        return found["plain"] if found["plain"] in PRICES else ""
    end = int(found["length"])
    name, types = found["mangled"][:end], found["mangled"][end:]
    of_float = f"{name}f" if types.startswith("f") else name
    return next((each for each in (of_float, name) if each in PRICES and not types.strip("fd")), "")
