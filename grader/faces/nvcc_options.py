"""What of nvcc's command line means nothing to `ladder run`, so that one can be pasted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from grader.course.catalog import UsageError

# Each with one dash or two; the first ones' value stands behind `=`, at once, or in the next word.
_WITH_VALUE = (
    "arch|gpu-architecture|code|gpu-code|gencode|generate-code|ccbin|compiler-bindir|maxrregcount|rdc"
    "|relocatable-device-code|diag-suppress|diag-error|diag-warn|Xcompiler|compiler-options|Xptxas|ptxas-options"
    "|Xlinker|linker-options|Xnvlink|nvlink-options|Xcudafe|cudart|optimize|library|library-path|odir"
    "|output-directory|threads|t|fmad|ftz|prec-div|prec-sqrt|Werror|default-stream|x"
)
_ALONE = (
    "use_fast_math|extended-lambda|expt-extended-lambda|expt-relaxed-constexpr|restrict|lineinfo|generate-line-info"
    "|debug|device-debug|dc|device-c|compile|resource-usage|res-usage|verbose|keep|disable-warnings|source-in-ptx|dlto"
    "|dlink-time-opt|forward-unknown-to-host-compiler|display-error-number|m64|m 64|[gGcwv]|O\\d|pg|pthread"
)
_HAS_VALUE = re.compile(rf"--?({_WITH_VALUE})(=.*)?")
_IS_ALONE = re.compile(rf"--?(?:{_ALONE})|-[lLW].+|-O.|-f[a-z].+|-m(arch|tune)=.+")
_NEXT = re.compile(r"-[olLO]|--(?:output-file|output)")
_OF_OURS = {"--std": "-std", "--include-path": "-I", "-isystem": "-I", "--define-macro": "-D"}


def without_nvccs(words: Sequence[str]) -> Iterator[str]:
    """The words that are `ladder run`'s own. Raises UsageError for one of nvcc's that would change what happens."""
    rest = iter(words)
    for word in rest:
        name, equals, value = word.partition("=")
        if found := _HAS_VALUE.fullmatch(word):
            given = found[2][1:] if found[2] else next(rest, "")
            if found[1] == "default-stream" and given == "per-thread":
                raise UsageError(f"{name} per-thread is not emulated: leave it out, or make streams")
        elif _NEXT.fullmatch(word):
            next(rest, "")
        elif name in _OF_OURS:
            yield _OF_OURS[name]
            yield from [value] if equals else []
        elif not _IS_ALONE.fullmatch(word):
            yield word
