"""What clang says of a file, as nvcc would judge it: which of it refuses the file, and which warnings help a learner.

nvcc reads device code with its own front end alone, which is lenient, and host code with g++ besides. Where clang is
stricter, nvcc's behaviour is the rule: `tests/language` holds small files with nvcc's verdicts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from grader.devices.build.accepted import OVERLOAD
from grader.devices.build.diagnostics import Message
from grader.devices.build.said import Said
from grader.devices.build.sentences import sentence
from grader.devices.build.suspicions import warning

_ON_DEVICE = ({"kernel"}, {"device"})
_BUILTIN = "builtin functions must be directly called"  # __syncthreads without (), which nvcc warns of
# Errors of clang's that nvcc has none for.
_ACCEPTED = re.compile(
    rf"{_BUILTIN}"
    r"|CUDA device code does not support va_arg"
    r"|too few execution configuration arguments .* have 1$"
    r"|invalid % escape in inline assembly string"
    r"|invalid input constraint 'C' in asm"  # of nvcc's alone: a string
    r"|ISO C\+\+17 does not allow 'register'"
    r"|non-constant-expression cannot be narrowed"
    r"|arithmetic on a pointer to void|invalid application of 'sizeof' to an incomplete type 'void'"  # GNU's: a byte
    r"|invalid value '-?\d+'; must be positive"  # of an unroll, as are the next two
    r"|expected a for, while, or do-while loop to follow '#pragma unroll'"
    r"|incompatible directives '#pragma unroll"
    r"|'\w+' attribute cannot be applied to types"  # `int [[maybe_unused]] x`, of which nvcc warns
    r"|kernel function 'operator\(\)' must be a free function"  # of a lambda; a class's is refused in kernel_rules.py
)
# And those that it has in host code alone, where g++ reads, too.
_ACCEPTED_ON_DEVICE = re.compile(
    r"cannot jump from switch|cast from pointer to smaller type|non-void function .* should return a value"
    r"|narrowed to|cannot be narrowed"
)
_BY_GPP = re.compile("variable-sized object may not be initialized")  # of an array whose size is known at run time
_HOST_FUNCTION = re.compile(r"reference to __host__ function .* in __host__ __device__ function")
_DEVICE_FUNCTION = re.compile(r"reference to __device__ function .* in __host__ __device__ function")
_HOST_VARIABLE = re.compile(r"reference to __host__ variable '(.*)' in")
# Warnings of clang's for what nvcc has an error for: C++20's.
_REFUSED = re.compile(
    "explicit capture of 'this' with a capture default of '='"
    "|using enum declaration is a|defaulted comparison operators are"
    "|ISO C\\+\\+ requires field designators|initializer overrides prior initialization"
)
_IN_CONSTEXPR = "cannot use 'throw' in __host__ __device__ function"  # where a constant never comes to it
_EXTERN_SHARED = re.compile(r"__shared__ variable '(.*)' cannot be 'extern'")
_LOOP = "-Wfor-loop-analysis"
_CHANGES_VALUE = ("-Wliteral-conversion", "-Wconstant-conversion")


def refusals(found: Sequence[Said]) -> list[Said]:
    """What nvcc would refuse the file for, in the order of the lines; of a line, what clang says first: the rest may
    follow from it."""
    wrong = [each for each in found if each.line and (each.level in ("broken", "error") or _REFUSED.match(each.text))]
    refused = [each for each in wrong if each.level == "broken" or not _accepted(each, found)]
    return sorted(refused, key=lambda each: each.line or 0)


def messages(refused: Sequence[Said]) -> list[Message]:
    """A sentence for each line: the first that is wrong with it."""
    first: dict[int | None, Message] = {}
    for each in refused:
        first.setdefault(each.line, Message(sentence(each), each.line, each.column))
    return list(first.values())


def warnings(found: Sequence[Said]) -> list[Message]:
    """What is suspicious: clang's warnings that are about behaviour and not about style, each line's once."""
    first: dict[int | None, Message] = {}
    for each in sorted(found, key=lambda each: each.option == _LOOP):  # a condition that never changes has a reason
        suspicious = each.level == "warning" or each.text == _BUILTIN
        if suspicious and each.line and (text := warning(each)):
            first.setdefault(each.line, Message(text, each.line, each.column))
    return sorted(first.values(), key=lambda message: message.line or 0)


def _accepted(said: Said, found: Sequence[Said]) -> bool:
    if OVERLOAD.match(said.text):  # declarations of the file's own add up; of two bodies see ast_rules.py
        return any(line for line, text in said.notes if "previous" in text)
    if said.text.startswith("kernel call to non-global"):  # a kernel that returns something is none to clang
        return any("must have void return type" in each.text for each in found)
    on_device = set(said.sides) - {"template"} in _ON_DEVICE
    if match := _HOST_VARIABLE.match(said.text):  # nvcc takes `extern __shared__ float x;` without the extern
        return match[1] in {other[1] for each in found if (other := _EXTERN_SHARED.match(each.text))}
    if _EXTERN_SHARED.match(said.text):
        return True
    if _HOST_FUNCTION.match(said.text):
        return not on_device  # where it stands in a lambda, which is of both sides to clang
    if _DEVICE_FUNCTION.match(said.text):
        return "template" in said.sides
    if said.text == _IN_CONSTEXPR and not set(said.sides) & {"host", "device"}:
        return True
    if _BY_GPP.match(said.text):
        return not set(said.sides) & {"kernel", "device"}
    if _ACCEPTED.match(said.text) or (on_device and _ACCEPTED_ON_DEVICE.search(said.text)):
        return True
    if "narrowed" in said.text and said.option.startswith("-Wc++11-narrowing"):
        changes = any(each.line == said.line and each.option in _CHANGES_VALUE for each in found)
        return not changes and "constant expression evaluates" not in said.text
    return any("target attributes do not match" in text for _, text in said.notes)
