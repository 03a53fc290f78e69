"""A kernel on matrices of bfloat16 as one on matrices of half precision, for GPUs whose tensor cores know no bfloat16.

Those are of compute capability 7.5, as a T4 is. They have no mma.sync of k = 16 either: two of k = 8 take its place,
whose fragments are the halves of the larger one's.
"""

from __future__ import annotations

import re

from grader.course.usage import UsageError

ENTRY = "matmul_f16"  # of what was matmul_bf16
_NAMES = {
    "cuda_bf16.h": "cuda_fp16.h",
    "__nv_bfloat16": "__half",
    "__float2bfloat16": "__float2half",
    "matmul_bf16": ENTRY,
}
_NAME = re.compile(r"\b(" + "|".join(map(re.escape, _NAMES)) + r")(?!\w)")
_NEEDS_8_0 = {"cp.async": "cp.async", "cvt.rn.bf16x2": "cvt.rn.f16x2"}  # what is in the text: what it would be
_SUMS = "{%0, %1, %2, %3}"
_PRODUCT = re.compile(
    r'"mma\.sync\.aligned\.m16n8k16\.row\.col\.f32\.bf16\.bf16\.f32 ' + re.escape(_SUMS) + r", "
    r'\{%4, %5, %6, %7\}, \{%8, %9\}, "\s*"' + re.escape(_SUMS) + r';"'
)
_K_8 = "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32"
_TWO_PRODUCTS = (
    f'"{_K_8} {_SUMS}, {{%4, %5}}, {{%8}}, {_SUMS};\\n\\t"\n        "{_K_8} {_SUMS}, {{%6, %7}}, {{%9}}, {_SUMS};"'
)


def for_halves(text: str, name: str) -> str:
    """The kernel with halves in place of bfloat16, for compute capability 7.5. `name` is what a message calls it.

    Raises UsageError, one sentence, for one without bfloat16, and for one that needs compute capability 8.0 anyway.
    """
    if "__nv_bfloat16" not in text:
        raise UsageError(f"{name} has no bfloat16 that half precision could take the place of: leave out --half")
    for instruction, told in _NEEDS_8_0.items():
        if instruction in text:
            raise UsageError(
                f"{name} needs {told}, which a GPU of compute capability 7.5 has not: ask for a lower rung"
            )
    changed = _PRODUCT.sub(lambda _: _TWO_PRODUCTS, text)
    head = "// In half precision, for compute capability 7.5: what is said of times is of bfloat16 on an H200.\n"
    if changed != text:
        head += "// Two mma.sync.m16n8k8 stand for each m16n8k16.\n"
    return head + "//\n" + _NAME.sub(lambda found: _NAMES[found[1]], changed)
