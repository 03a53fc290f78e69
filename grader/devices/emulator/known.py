"""What a file's translation has to know of the other files of its program."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass

from grader.devices.build.lexer import Tokens
from grader.devices.build.syntax import Stream
from grader.devices.emulator.launches import macros_for_configurations
from grader.devices.emulator.unmade import classes_with_constructors


@dataclass(frozen=True)
class Known:
    """Macros that are all of a launch's `<<<...>>>`, with whether they have parameters; classes with constructors."""

    configurations: Mapping[str, bool]
    constructed: Set[str]

    @staticmethod
    def of(lexed: Tokens, code: Stream) -> Known:
        return Known(macros_for_configurations(lexed.directives), classes_with_constructors(code))
