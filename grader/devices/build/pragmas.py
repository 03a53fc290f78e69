"""What nvcc makes of `#pragma unroll`, which g++'s preprocessor hands on as it stands: no macro in it is replaced."""

from __future__ import annotations

from collections.abc import Iterator

from grader.devices.build.lexer import Directive, Token, Tokens, lex
from grader.devices.build.syntax import code_stream


def unreplaced(tokens: Tokens) -> Iterator[tuple[str, int]]:
    """A sentence, and its 1-based line, for each macro that stands in an unroll of device code."""
    macros: set[str] = set()
    scopes = code_stream(tokens).scopes
    directives = [*tokens.directives, *_operators(tokens.code)]
    for directive in sorted(directives, key=lambda directive: directive.code_before):
        words = [token.text for token in directive.tokens[1:]]
        if directive.name == "define":
            macros |= set(words[1:2])
        elif directive.name == "undef":
            macros -= set(words)
        elif words[:2] == ["pragma", "unroll"] and any(scope.device for scope in scopes[directive.code_before :][:1]):
            for token in directive.tokens:
                if token.text in macros:
                    message = (
                        f"`#pragma unroll` does not know the macro `{token.text}`: write its number, or make it a "
                    )
                    yield f"{message}`constexpr int`", token.line


def _operators(code: list[Token]) -> Iterator[Directive]:
    """`_Pragma("unroll N")` as the directive that it is."""
    for index, token in enumerate(code[:-2]):
        if token.text == "_Pragma" and (text := code[index + 2]).kind == "string":
            words = [word._replace(line=token.line) for word in lex(text.text.strip('"')).code]
            yield Directive([token, token._replace(text="pragma"), *words], index)
