"""What a kernel's head says of its launches: `__launch_bounds__` and `__cluster_dims__`."""

from __future__ import annotations

from itertools import pairwise

from grader.devices.build.syntax import Stream

# The variables that keep their numbers, as the sizes that these functions of launch.h give.
SIZES = {
    "__launch_bounds__": (("ladder_bound", "most_threads"), ("ladder_blocks", "least_blocks")),
    "__cluster_dims__": (("ladder_cluster", "cluster_size"),),
}


def _end_of_head(stream: Stream, index: int) -> int:
    while index < len(stream.tokens) and stream.text(index) not in ("{", ";"):
        index = stream.after_group(index)
    return index


def _kernel(stream: Stream, index: int) -> str:
    """The name in whose head this word stands, empty if that is not seen."""
    for at in range(index + 1, _end_of_head(stream, index)):
        if stream.text(at + 1) == "(" and stream.text(at) not in SIZES and stream.text(at).isidentifier():
            return stream.text(at)
    return ""


def is_taken(stream: Stream, index: int) -> bool:
    """Whether sizes() takes the word there, or where the kernel's body is."""
    name = _kernel(stream, index)
    same = [at for at, token in enumerate(stream.tokens) if token.text == stream.text(index)]
    return not stream.macro and any(sizes(stream, at)[0] and _kernel(stream, at) == name for at in same)


def sizes(stream: Stream, index: int) -> tuple[int, str]:
    """Behind which token the kernel's body begins, and the variables that go there; 0 if there is no body.

    The runtime finds them among the library's symbols, and asks the launch to keep to them.
    """
    closing = stream.closing(index + 1) if stream.text(index + 1) == "(" else None
    body = _end_of_head(stream, index)
    if closing is None or stream.macro or stream.text(body) != "{":
        return 0, ""
    named = pairwise(stream.tokens[index + 2 : closing + 1])
    numbers = "".join(token.text + " " * (token.end < after.start) for token, after in named)  # `==` stays one
    variable = " static const char {}[::ladder::{}({})] __attribute__((used)) = {{}};"
    return body, "".join(variable.format(*names, numbers) for names in SIZES[stream.text(index)])
