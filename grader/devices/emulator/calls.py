"""Calls that nvcc refuses, and g++ would not, for to it a function is a function: of the host's functions by device
code, and of kernels that are not launched.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from grader.devices.emulator.syntax import Scope, Stream

_FOR_DEVICES = {"__device__", "__global__", "constexpr", "consteval"}  # nvcc computes a constexpr itself where it can
_NO_NAMES = {"__attribute__", "__launch_bounds__", "__align__", "alignas", "decltype", "noexcept"}  # with a ( behind
_NO_TYPES = {"return", "else", "do", "case", "throw", "co_return", "and", "or", "not"}  # a word before a call's name

Named = tuple[Scope, int]  # a function and the token of its name


@dataclass(frozen=True)
class WrongCall:
    """What is wrong with the call in this line, as a sentence."""

    line: int
    message: str


def wrong_call(stream: Stream, macros: Collection[str]) -> WrongCall | None:
    """The first call that is certainly wrong: what names do not tell, and what stands under an #if, is left alone."""
    named = [(function, name) for function in stream.functions if (name := _name(stream, function)) is not None]
    return _host_call(stream, named, macros) or _kernel_call(stream, named, macros)


def _host_call(stream: Stream, named: Sequence[Named], macros: Collection[str]) -> WrongCall | None:
    """Device code calls a function of the host. A macro of the file may stand for `__device__`."""
    elsewhere = _FOR_DEVICES | {*macros}
    ours = {stream.text(name) for function, name in named if _words(stream, function) & elsewhere}
    hosts = {stream.text(name): stream.tokens[name].line for function, name in named if _is_free(function)}
    hosts = {name: line for name, line in hosts.items() if name not in ours}
    for function in stream.functions:
        if function.device and function.closed and not stream.conditional[function.opened]:
            for name in sorted(hosts.keys() & set(stream.texts(function.opened, function.closed))):
                if line := _called(stream, function, name):
                    message = (
                        f"`{name}` is a function of the host, which a kernel cannot call: write `__device__` before it "
                        f"in line {hosts[name]}, or `__host__ __device__` if the host calls it, too"
                    )
                    return WrongCall(line, message)
    return None


def _kernel_call(stream: Stream, named: Sequence[Named], macros: Collection[str]) -> WrongCall | None:
    """A kernel is called as if it were an ordinary function."""
    is_kernel = {name: "__global__" in _words(stream, function) for function, name in named}
    others = {stream.text(name) for name, kernel in is_kernel.items() if not kernel} | {*macros}
    kernels = {stream.text(name): stream.tokens[name].line for name, kernel in is_kernel.items() if kernel}
    for function in stream.functions:
        if function.closed and not stream.conditional[function.opened]:
            for name in sorted((kernels.keys() & set(stream.texts(function.opened, function.closed))) - others):
                if line := _called_plainly(stream, function, name):
                    launch = f"launch it, `{name}<<<blocks, threads, 0, stream>>>(...)`"
                    other = f"write `__device__` instead of `__global__` in line {kernels[name]}"
                    return WrongCall(line, f"`{name}` is a kernel: {other if function.device else launch}")
    return None


def _words(stream: Stream, function: Scope) -> set[str]:
    return set(stream.texts(function.head, function.opened))


def _is_free(function: Scope) -> bool:
    """Whether it is no class's: whose method is called, only types tell."""
    scope = function.parent
    while scope and scope.kind == "namespace":
        scope = scope.parent
    return scope is None


def _name(stream: Stream, function: Scope) -> int | None:
    """The token of a function's name: the word before its parameters, which end what introduces its body."""
    for index in range(function.head, function.opened):
        if stream.text(index) == "(" and stream.is_word(index - 1) and stream.text(index - 1) not in _NO_NAMES:
            return None if stream.conditional[index] else index - 1
    return None


def _called(stream: Stream, function: Scope, name: str) -> int | None:
    """The line of the first call of a function of this name."""
    uses = _uses(stream, function, name)
    if not uses or any(stream.text(index + 1) not in ("(", "<") for index in uses):
        return None
    return stream.tokens[uses[0]].line


def _called_plainly(stream: Stream, function: Scope, name: str) -> int | None:
    """The line of the first `name(`; a kernel's name may have a launch behind it, or be handed on."""
    calls = [index for index in _uses(stream, function, name) if stream.text(index + 1) == "("]
    return stream.tokens[calls[0]].line if calls else None


def _uses(stream: Stream, function: Scope, name: str) -> list[int]:
    """The tokens of this name; none if it may mean something else in this function."""
    uses = []
    for index in range(function.head, function.closed or function.opened):
        if stream.text(index) == name:
            before = stream.text(index - 1)
            is_declared = stream.is_word(index - 1) and before not in _NO_TYPES
            is_declared = is_declared or (before == "*" and stream.text(index + 1) == ")")  # void (*add)(float*)
            if is_declared or before in (".", "->", "::", ">", "]") or stream.conditional[index]:
                return []
            uses.append(index)
    return uses
