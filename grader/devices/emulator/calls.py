"""Device code that calls a function of the host: nvcc refuses it, and g++, for which both are the same, would not."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from grader.devices.emulator.syntax import Scope, Stream

_FOR_DEVICES = {"__device__", "__global__", "constexpr", "consteval"}  # nvcc computes a constexpr itself where it can
_NO_NAMES = {"__attribute__", "__launch_bounds__", "__align__", "alignas", "decltype", "noexcept"}  # with a ( behind
_NO_TYPES = {"return", "else", "do", "case", "throw", "co_return", "and", "or", "not"}  # a word before a call's name


@dataclass(frozen=True)
class HostCall:
    """`name`, a function of the host that is defined in line `defined`, is called by device code in line `line`."""

    name: str
    line: int
    defined: int

    @property
    def message(self) -> str:
        return (
            f"`{self.name}` is a function of the host, which a kernel cannot call: "
            f"write `__device__` before it in line {self.defined}, or `__host__ __device__` if the host calls it, too"
        )


def host_call(stream: Stream, macros: Collection[str]) -> HostCall | None:
    """The first such call that is certain: what names do not tell, and what stands under an #if, is left alone.

    A macro of the file may stand for `__device__`.
    """
    elsewhere = _FOR_DEVICES | {*macros}
    named = [(function, _name(stream, function)) for function in stream.functions]
    free = [(function, name) for function, name in named if name is not None and _is_free(function)]
    ours = {stream.text(name) for function, name in named if name is not None and _words(stream, function) & elsewhere}
    hosts = {stream.text(name): stream.tokens[name].line for _, name in free}
    hosts = {name: line for name, line in hosts.items() if name not in ours}
    for function, _ in named:
        if function.device and function.closed and not stream.conditional[function.opened]:
            for name in sorted(hosts.keys() & set(stream.texts(function.opened, function.closed))):
                if line := _called(stream, function, name):
                    return HostCall(name, line, hosts[name])
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
    """The line of the first call, unless the name may mean something else in this function."""
    first = None
    for index in range(function.head, function.closed or function.opened):
        if stream.text(index) != name:
            continue
        before = stream.text(index - 1)
        is_declared = stream.is_word(index - 1) and before not in _NO_TYPES
        if stream.text(index + 1) not in ("(", "<") or is_declared or before in (".", "->", "::", ">", "]"):
            return None
        if stream.conditional[index]:
            return None
        first = first or stream.tokens[index].line
    return first
