"""What nvcc makes of `#pragma unroll`, which g++'s preprocessor hands on as it stands: no macro in it is replaced."""

from __future__ import annotations

from collections.abc import Iterator

from grader.devices.build.lexer import Tokens


def unreplaced(tokens: Tokens) -> Iterator[tuple[str, int]]:
    """A sentence, and its 1-based line, for each macro that stands in an unroll."""
    macros: set[str] = set()
    for directive in tokens.directives:
        words = [token.text for token in directive.tokens[1:]]
        if directive.name == "define":
            macros |= set(words[1:2])
        elif directive.name == "undef":
            macros -= set(words)
        elif directive.name == "pragma" and "unroll" in words[:2]:
            for token in directive.tokens:
                if token.text in macros:
                    message = (
                        f"`#pragma unroll` does not know the macro `{token.text}`: write its number, or make it a "
                    )
                    yield f"{message}`constexpr int`", token.line
