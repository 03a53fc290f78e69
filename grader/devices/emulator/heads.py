"""What a kernel's head says of its launches: `__launch_bounds__` and `__cluster_dims__`."""

from __future__ import annotations

from itertools import pairwise

from grader.devices.build.syntax import Stream

# The variables that keep their numbers, as the sizes that these functions of launch.h give.
SIZES = {
    "__launch_bounds__": (("ladder_bound", "most_threads"), ("ladder_blocks", "least_blocks")),
    "__cluster_dims__": (("ladder_cluster", "cluster_size"),),
}


def sizes(stream: Stream, index: int) -> tuple[int, str]:
    """Behind which token the kernel's body begins, and the variables that go there; 0 if there is no body.

    The runtime finds them among the library's symbols, and asks the launch to keep to them.
    """
    closing = stream.closing(index + 1) if stream.text(index + 1) == "(" else None
    if closing is None or stream.macro:
        return 0, ""
    body = closing + 1
    while body < len(stream.tokens) and stream.text(body) not in ("{", ";"):
        body = stream.after_group(body)
    if stream.text(body) != "{":
        return 0, ""
    named = pairwise(stream.tokens[index + 2 : closing + 1])
    numbers = "".join(token.text + " " * (token.end < after.start) for token, after in named)  # `==` stays one
    variable = " static const char {}[::ladder::{}({})] __attribute__((used)) = {{}};"
    return body, "".join(variable.format(*names, numbers) for names in SIZES[stream.text(index)])
