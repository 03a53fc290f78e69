"""Whose memory an address is that is no device memory, as the text tells: the host's, or numbers taken for pointers."""

from __future__ import annotations

import re
from collections.abc import Sequence

from grader.devices.evidence import Finding

POINTERS = (
    "What lies in the array is taken for pointers here: a cast to `float**` makes no rows. Keep one pointer, and let"
    " `p[row * cols + col]` be element (row, col)."
)

BY_VALUE = (
    "A kernel reaches no variable of host code. Give it a struct or a number itself, `kernel(Params p)`, and not its "
    "address or a reference; give it an array that cudaMalloc has made and cudaMemcpy has filled."
)
OF_MALLOC = (
    "A kernel reaches what cudaMalloc gives: was this pointer ever set, and does it not point to memory of the host? "
    "For rows, better one array than an array of pointers: `p[row * cols + col]`."
)
BY_REFERENCE = (
    "A lambda with `[&]` holds addresses of the host's variables, and nvcc refuses it: let it copy them, `[=]`."
)
_ADDRESS = re.compile(r">>>\s*\((?:[^;]*,)?\s*&\s*\w")  # given to a launch
_ROW_OF_ROWS = re.compile(r"\w\s*\[[^\[\]]*\]\s*\[")
# `(float**)a`, but not of malloc's memory, nor of an address.
_CAST = re.compile(
    r"(?:\(|_cast<)\s*(?:const\s+)?(?:float|double|int|unsigned)\s*\*\s*\*\s*[)>]\s*\(?\s*"
    r"(?!\(?\s*(?:malloc|calloc|&))\w"
)
_THROUGH_POINTERS = re.compile(r"\]\s*\[|\*\s*\w+\s*\[|\(\s*\*")


def of_unknown_address(finding: Finding, source: Sequence[str]) -> str:
    """What to say of it beyond that no cudaMalloc gave it; "" where the text tells nothing."""
    line = source[finding.line - 1].partition("//")[0] if finding.line and finding.line <= len(source) else ""
    code = "\n".join(source)
    if re.search(r"\[\s*&", line):
        return BY_REFERENCE
    if _THROUGH_POINTERS.search(line) and _CAST.search(code):
        return POINTERS
    if "to a local variable of host code" in finding.message or _ADDRESS.search(code):
        return BY_VALUE
    return OF_MALLOC if "to memory of malloc" in finding.message or _ROW_OF_ROWS.search(line) else ""
