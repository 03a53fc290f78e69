"""`(const void*)kernel` that a program keeps in a variable, for cudaLaunchKernel: its type is kept beside it.

The header's launches take a kernel by its type (include/ladder/kernel_pointers.h). Right in such a launch translate.py
takes the cast away.
"""

from __future__ import annotations

from collections.abc import Iterator

from grader.devices.build.syntax import Stream

BY_POINTER = ("cudaLaunchKernel", "cudaLaunchCooperativeKernel", "cudaLaunchKernelExC")
_BEFORE_A_VALUE = ("=", "(", ",", "{", "return", "?", ":")
_NO_VALUE = {"const", "volatile", "noexcept", "override", "final"}


def forgotten_types(stream: Stream, taken: set[int]) -> Iterator[tuple[int, int, str]]:
    """Casts of names in host code to a pointer to void; `taken` are places in the text that have other edits."""
    launches = any(token.text in BY_POINTER for token in stream.tokens)
    heads = (stream.texts(scope.head, scope.opened) for scope in stream.functions)
    of_kernels = {word for head in heads if "__global__" in head for word in head}
    for index, token in enumerate(stream.tokens):
        if token.text not in ("(", "reinterpret_cast") or stream.scopes[index].device or token.start in taken:
            continue
        named = token.text != "("
        begin = end = index + 1 + named
        while stream.text(end) in ("const", "void"):
            end += 1
        is_cast = "void" in stream.texts(begin, end) and stream.texts(end, end + 2) == ["*", ">" if named else ")"]
        value = end + 2 + named
        value += stream.text(value) == "&"
        name = stream.text(value)
        is_value = (
            name.isidentifier() and name not in _NO_VALUE and (named or stream.text(index - 1) in _BEFORE_A_VALUE)
        )
        if is_cast and is_value and (launches or name in of_kernels):
            yield index, end + 2, f"::ladder::Forget<{stream.spelled(range(begin, end))}*>() ->* "
