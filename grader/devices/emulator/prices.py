"""What functions and operators cost on a GPU, where one of them is no single instruction.

The prices are nvcc's, measured with Nsight Compute on benchmarks/fidelity/functions.cu; docs/emulator.md says how to
measure them again. A function that is not listed uses the special-function unit not at all, or this is not known.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_CALLED = re.compile(r"<(?:_Z(?P<length>\d+)(?P<mangled>\w+)|(?P<plain>\w+))(?:@plt)?>")
_DIVIDES = re.compile(r"i?div[bwlq]?$|[su]div$")
_X86 = {"divss": "float /", "divsd": "double /", "sqrtss": "sqrtf", "sqrtsd": "sqrt"}
_ARM = {"fdiv s": "float /", "fdiv d": "double /", "fsqrt s": "sqrtf", "fsqrt d": "sqrt"}

# Operations of the special-function unit (MUFU) for arguments between 0 and 1, built for sm_90 without -use_fast_math.
# Logarithms, sines and cosines are polynomials there: only __logf, __sinf and __cosf use the unit.
SPECIAL: Mapping[str, int] = {
    "float /": 1, "double /": 1, "integer /": 1, "fdividef": 1, "__fdividef": 1,
    "__fdiv_rn": 1, "__fdiv_rz": 1, "__fdiv_ru": 1, "__fdiv_rd": 1,
    "__frcp_rn": 1, "__frcp_rz": 1, "__frcp_ru": 1, "__frcp_rd": 1,
    "__ddiv_rn": 1, "__drcp_rn": 1,
    "sqrtf": 1, "rsqrtf": 1, "cbrtf": 2, "rcbrtf": 2, "sqrt": 1, "rsqrt": 1, "cbrt": 3,
    "__fsqrt_rn": 1, "__fsqrt_rz": 1, "__fsqrt_ru": 1, "__fsqrt_rd": 1, "__frsqrt_rn": 1, "__dsqrt_rn": 1,
    "hypotf": 1, "rhypotf": 1, "norm3df": 1, "rnorm3df": 1, "fmodf": 1,
    "expf": 1, "exp2f": 1, "exp10f": 1, "expm1f": 1, "__expf": 1, "__exp10f": 1,
    "sinhf": 2, "coshf": 2, "tanhf": 2, "__tanhf": 1, "tanh": 2,
    "powf": 1, "__powf": 2, "pow": 1,
    "__logf": 1, "__log2f": 1, "__log10f": 1, "log": 1, "log2": 1, "log10": 1, "log1p": 1,
    "__sinf": 1, "__cosf": 1, "tanf": 1, "__tanf": 3, "tan": 1,
    "asinf": 1, "acosf": 1, "atanf": 1, "atan2f": 1, "asinhf": 2, "acoshf": 1, "atanhf": 1,
    "erff": 1, "erfcf": 3, "normcdff": 3, "erf": 1,
}  # fmt: skip

# What raises to a power, however it is made.
EXPONENTIALS = frozenset(
    [
        *("exp", "exp2", "exp10", "expm1", "sinh", "cosh", "tanh", "pow"),
        *("expf", "exp2f", "exp10f", "expm1f", "sinhf", "coshf", "tanhf", "powf"),
        *("__expf", "__exp10f", "__powf", "__tanhf"),
    ]
)
PRICED = frozenset(SPECIAL) | EXPONENTIALS


def priced(operation: str, operands: str) -> str:
    """What this machine instruction of the CPU stands for, by its name in the lists above; "" for any other."""
    if operation in ("call", "callq", "bl"):
        return _function(operands)
    if operation in _X86:
        # nvcc knows the reciprocal of a constant, which lies beside the code
        return "" if "div" in operation and "(%rip)" in operands else _X86[operation]
    if _DIVIDES.match(operation):
        return "integer /"
    return _ARM.get(f"{operation} {operands[:1]}", "")


def _function(operands: str) -> str:
    """`1040 <expf@plt>` is "expf", and `10d0 <_Z5rsqrtf@plt>`, which is rsqrt(float), is "rsqrtf"."""
    found = _CALLED.search(operands)
    if not found:
        return ""
    if found["plain"]:
        return found["plain"] if found["plain"] in PRICED else ""
    end = int(found["length"])
    name, types = found["mangled"][:end], found["mangled"][end:]
    of_float = f"{name}f" if types.startswith("f") else name
    return next((each for each in (of_float, name) if each in PRICED and not types.strip("fd")), "")
