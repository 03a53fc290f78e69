"""Device functions that stay functions, and get or give structures by value.

g++ copies such a structure into the call, or out of it, by itself: no callback tells of that. So a `__noinline__` or a
recursive function gets its structures by reference and copies them, and a small function with its old name and
parameters, which g++ puts into the caller, calls it there. What it is given is then copied in the caller, seen.

So do virtual methods, all of a name in the file: their functions under the new name are the virtual ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from grader.devices.build.syntax import Scope, Stream, after_template
from grader.devices.emulator.outside import words

Insertion = tuple[int, int, str]  # tokens from here to there become this text

_NO_STRUCTURES = words(
    "void bool char short int long float double signed unsigned half auto size_t int32_t uint32_t int64_t uint64_t "
    "cudaTextureObject_t cudaSurfaceObject_t"
)
_NOT_OF_THE_TYPE = {"__device__", "__host__", "static", "inline", "__noinline__", "__inline__", "const", "virtual"}
_LEFT_ALONE = words("operator constexpr consteval extern __global__ __forceinline__ friend requires concept")
_VIRTUAL = {"virtual", "override"}
_ACCESS = ("public", "private", "protected")
_QUALIFIERS = {"", "const", "override", "const override", "= 0", "const = 0", "final", "const final"}
_HAVE_PARENTHESES = {"__attribute__", "__declspec", "__launch_bounds__", "alignas", "__align__", "noexcept"}


@dataclass(frozen=True)
class _Parameter:
    first: int
    name: int  # its last token, but for a value

    def is_structure(self, stream: Stream) -> bool:
        return _may_be_structure(stream.texts(self.first, self.name))


@dataclass(frozen=True)
class _Function:
    scope: Scope  # without a body it ends where it opens, with a `;`
    begin: int  # behind `public:`
    name: int
    closing: int  # of its parameters
    parameters: list[_Parameter]
    behind_template: int  # where its own words begin
    template: list[str]  # the names of its parameters
    qualifiers: str  # behind its parentheses

    @property
    def is_pure(self) -> bool:
        return self.scope.opened == self.scope.closed

    @property
    def in_class(self) -> bool:
        return self.scope.parent is not None and self.scope.parent.kind == "class"

    def has_structures(self, stream: Stream) -> bool:
        return _may_be_structure(self.type(stream)) or any(each.is_structure(stream) for each in self.parameters)

    def is_noinline(self, stream: Stream) -> bool:
        return not {"__noinline__", "noinline"}.isdisjoint(stream.texts(self.scope.head, self.name))

    def calls_itself(self, stream: Stream) -> bool:
        """Whether it calls something of its name."""
        body, name = range(self.scope.opened, self.scope.closed or 0), stream.text(self.name)
        return any(stream.text(at) == name and stream.text(at + 1) in ("(", "<") for at in body)

    def words(self, stream: Stream) -> list[str]:
        """All in front of its body."""
        return stream.texts(self.begin, self.scope.opened)

    def type(self, stream: Stream) -> list[str]:
        """Of what it gives."""
        return [text for text in map(stream.text, self.head(stream)) if text not in _NOT_OF_THE_TYPE]

    def head(self, stream: Stream) -> list[int]:
        """The places of all before its name, but for attributes and the template's parameters."""
        places, at = [], self.behind_template
        while at < self.name:
            is_attribute = stream.text(at) in _HAVE_PARENTHESES
            at, before = stream.after_group(at + 1) if is_attribute else at + 1, at
            places += [] if is_attribute else [before]
        return places


def copies(stream: Stream, alone: bool) -> Iterator[Insertion]:
    """What makes the copies of all functions that need them; in a file that has classes of others', of none that is
    virtual.
    """
    read = (_read(stream, scope) for scope in stream.functions if scope.closed and _is_of_device(stream, scope))
    functions = [function for function in read if function]
    methods = [function for function in [*functions, *_pure(stream)] if function.in_class]
    virtual = set(_virtual_names(stream, methods)) if alone else set()
    for method in methods:
        if stream.text(method.name) in virtual:
            yield from _rewritten(stream, method, f"ladder_value_0_{stream.text(method.name)}")
    yield from _called_by_class(stream, virtual)
    functions = [function for function in functions if stream.text(function.name) not in virtual]
    functions = [function for function in functions if _VIRTUAL.isdisjoint(function.words(stream))]
    named = Counter(stream.text(function.name) for function in functions)
    for number, function in enumerate(functions, 1):
        name = stream.text(function.name)  # of several of one name, none is known to call itself
        is_kept = function.is_noinline(stream) or (named[name] == 1 and function.calls_itself(stream))
        if is_kept and function.has_structures(stream):
            yield from _rewritten(stream, function, f"ladder_value_{number}_{name}")


def _is_of_device(stream: Stream, scope: Scope) -> bool:
    return scope.device or "__device__" in stream.texts(scope.head, scope.opened)


def _pure(stream: Stream) -> Iterator[_Function]:
    """The methods of the device that end in `= 0;`."""
    for end, token in enumerate(stream.tokens):
        if token.text == ";" and stream.texts(end - 2, end) == ["=", "0"] and stream.scopes[end].kind == "class":
            begin = end
            while begin > 0 and stream.text(begin - 1) not in (";", "{", "}"):
                group = stream.opening(begin - 1)
                begin = begin - 1 if group is None else group
            scope = Scope("code", True, begin, end, stream.scopes[end], closed=end)
            if "__device__" in stream.texts(begin, end) and (function := _read(stream, scope)):
                yield function


def _virtual_names(stream: Stream, methods: Sequence[_Function]) -> Iterator[str]:
    """Of methods that take or give structures, where all of a name are written in their classes."""
    of_name: dict[str, list[_Function]] = {}
    for method in methods:
        of_name.setdefault(stream.text(method.name), []).append(method)
    wanted = {name for name, all_ in of_name.items() if _is_wanted(stream, all_)}
    declared = Counter(_declared_in_classes(stream, wanted) if wanted else ())
    yield from (name for name in wanted if declared[name] == len(of_name[name]))


def _is_wanted(stream: Stream, all_: Sequence[_Function]) -> bool:
    is_virtual = any(not _VIRTUAL.isdisjoint(each.words(stream)) for each in all_)
    return is_virtual and any(each.has_structures(stream) for each in all_)


def _declared_in_classes(stream: Stream, names: set[str]) -> Iterator[str]:
    for at, token in enumerate(stream.tokens):
        if token.text in names and stream.text(at + 1) == "(" and not stream.scopes[at].in_code:
            yield token.text


def _called_by_class(stream: Stream, names: set[str]) -> Iterator[Insertion]:
    """`Base::f(x)`, which is no virtual call."""
    for at, token in enumerate(stream.tokens) if names else ():
        if token.text in names and stream.text(at - 1) == "::" and stream.text(at + 1) == "(":
            yield at, at + 1, f"ladder_value_0_{token.text}"


def _read(stream: Stream, scope: Scope) -> _Function | None:
    """One whose parameters all have names."""
    begin = scope.head
    while stream.text(begin) in _ACCESS and stream.text(begin + 1) == ":":
        begin += 2
    head = stream.texts(begin, scope.opened)
    if stream.conditional[begin] or ":" in head or not _LEFT_ALONE.isdisjoint(head):
        return None
    first = at = after_template(stream, begin)
    template = _names_of_template(stream, begin, first)
    while at < scope.opened and stream.text(at) != "(":
        at = stream.after_group(at + 1) if stream.text(at) in _HAVE_PARENTHESES else at + 1
    closing, name = stream.closing(at), at - 1
    qualifiers = " ".join(stream.texts((closing or at) + 1, scope.opened))
    if (
        closing is None
        or template is None
        or "=" in stream.texts(begin, at)
        or qualifiers not in _QUALIFIERS
        or not stream.is_word(name)
    ):
        return None
    parameters = list(_parameters(stream, at, closing))
    is_named = all(stream.is_word(each.name) and each.name > each.first for each in parameters)
    function = _Function(scope, begin, name, closing, parameters, first, template, qualifiers)
    return function if is_named and stream.text(name - 1) not in ("::", "~") and function.type(stream) else None


def _names_of_template(stream: Stream, begin: int, end: int) -> list[str] | None:
    """Of its parameters; None where they cannot be named: of a specialisation, or of a template in a template."""
    texts = stream.texts(begin, end)
    if texts and (texts.count("template") > 1 or texts[-3:-1] == ["template", "<"] or "..." in texts):
        return None
    return [text for text, after in pairwise(texts) if after in (",", ">") and text.isidentifier()]


def _parameters(stream: Stream, opening: int, closing: int) -> Iterator[_Parameter]:
    start, value, angles, at = opening + 1, 0, 0, opening + 1
    while at <= closing:
        angles += (stream.text(at) == "<") - (stream.text(at) == ">")
        if stream.text(at) == "=" and not value:
            value = at
        if at > start and (at == closing or (stream.text(at) == "," and not angles)):
            yield _Parameter(start, (value or at) - 1)
            start, value = at + 1, 0
        at = at + 1 if at == closing else stream.after_group(at)


def _may_be_structure(type_: list[str]) -> bool:
    words = [text for text in type_ if text != "const"]
    is_value = {"*", "&", "[", "]", "(", ")", "..."}.isdisjoint(words)
    return is_value and not _NO_STRUCTURES.issuperset(words)


def _rewritten(stream: Stream, function: _Function, inner: str) -> Iterator[Insertion]:
    scope = function.scope
    own = (at for at in function.head(stream) if stream.text(at) not in ("__noinline__", "virtual"))
    head = f"{stream.spelled(range(function.begin, function.behind_template))} {stream.spelled(own)}"
    qualifiers = "const" if function.qualifiers.startswith("const") else ""
    declared = f"{stream.spelled(range(function.name, function.closing + 1))} {qualifiers}"
    taken = declared  # in a class, where the values of parameters stand; else they have been told
    if not function.in_class:
        yield function.begin, function.begin, f"{head} {declared}; "
        parameters = (stream.spelled(range(each.first, each.name + 1)) for each in function.parameters)
        taken = f"{stream.text(function.name)}({', '.join(parameters)}) {qualifiers}"
    yield function.name, function.name + 1, inner
    made = ""
    for number, each in enumerate(function.parameters, 1):
        if each.is_structure(stream):
            made += f" {stream.spelled(range(each.first, each.name + 1))} = ladder_value_{number};"
            yield each.first, each.first, "" if stream.text(each.first) == "const" else "const "
            yield each.name, each.name + 1, f"& ladder_value_{number}"
    if not function.is_pure:
        yield scope.opened, scope.opened + 1, "{" + made
    of_template = f"<{', '.join(function.template)}>" if function.template else ""
    call = f"{inner}{of_template}({', '.join(stream.text(each.name) for each in function.parameters)})"
    type_ = function.type(stream)
    body = f"return {call};"
    if _may_be_structure(type_):  # which goes through a box, so that g++ does not let the call itself write it there
        body = f"struct {{ {' '.join(type_)} value; }} ladder_value_0 = {{{call}}}; return ladder_value_0.value;"
    closed = scope.closed or 0
    yield closed, closed + 1, f"{stream.text(closed)} {head} {taken} {{ {body} }}"
