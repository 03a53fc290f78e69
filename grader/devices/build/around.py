"""What a place in clang's syntax tree stands in."""

from __future__ import annotations

from typing import Any, NamedTuple

from grader.devices.build.constants import Above
from grader.devices.build.cursors import Key, kind_of


class Around(NamedTuple):
    """What a cursor stands in: the innermost function, its sides as they are written, and more."""

    name: str = ""
    sides: frozenset[str] = frozenset()
    key: Key = ("", "")
    parameters: tuple[str, ...] = ()  # of the template
    constant: bool = False  # it is computed by the compiler
    lambda_: int = 0  # where the innermost lambda begins that a variable holds
    emitted: bool = False  # compiled though nothing may call it: neither a template, nor inline, nor static
    unmade: bool = False  # in a template of which the file makes nothing: nvcc looks for no memory there
    above: Above = None  # the cursors above it

    @property
    def on_device(self) -> bool:
        return self.sides in ({"kernel"}, {"device"})

    def call(self) -> Any:
        """The call whose function the cursor is, or what else it stands in."""
        above = self.above
        while above and above[1] and kind_of(above[0]) == "UNEXPOSED_EXPR":
            above = above[1]
        return above[0] if above else None

    @property
    def on_host(self) -> bool:
        return bool(self.name) and not self.sides & {"kernel", "device"}

    @property
    def may_read(self) -> bool:
        """Whether device code may come here that reads memory."""
        return not (self.constant or self.on_host or self.unmade)
