"""What the checking build compiles instead of `float a[4];`, so that whatever leaves `a` is found when it happens.

gcc knows which array an index belongs to, but not a pointer: behind a local variable whose address is lent lies another
one. So such a variable gets bytes before it and behind it that none has (include/ladder/margins.h), and the
runtime, which is told of each access, ends a thread that touches them. An array whose elements are only used one by one
stays as it is: its indexes are held against it (subscripts.py). So does a variable that is only named.

Without a compiler's knowledge of names: what is no plain declaration is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from itertools import pairwise

from grader.devices.build.syntax import UNEVALUATED
from grader.devices.emulator.declarators import ATTRIBUTES, Declarations, Declarator
from grader.devices.emulator.references import References
from grader.devices.emulator.text_part import NO_CALL, Part, Span

HIDDEN = "ladder_array_"  # before an array's name: the variable that holds it
Edit = tuple[int, int, str]  # the text from here to there becomes this

_IS_ARRAY = re.compile(r"(?:^|[ :])array ?<.*>$")  # std::array
_CONSTANT = {"constexpr", "static_assert"}
_FLOATING = {"float", "double", "half", "__half", "half2", "__half2", "__nv_bfloat16", "__nv_bfloat162"}
_OF_CUDA = re.compile(r"u?(?:char|short|int|long|longlong)[1-4]$|(?:float|double)[1-4]$")
_HEADS = {"for", "if", "switch"}
_BEHIND_PARAMETERS = {")", "const", "noexcept", "mutable", "override", "final"}
_BEFORE_A_BLOCK = {")", "else", "do", "const", "noexcept", "mutable", "override", "final", "try"}


class Margins:
    """The local variables of a part whose address is lent. `members` are the names of members that are arrays, `hosts`
    those of functions that no kernel can run.
    """

    def __init__(self, part: Part, members: Set[str], hosts: Set[str], references: References):
        self._part, self._members, self._hosts, self._references = part, members, hosts, references
        self._declarations = Declarations(part)
        self._lending = _methods_that_lend(part)
        self._lent_on: dict[int, bool] = {}
        self._functions: dict[int, bool] = {}
        classes = (at for at, text in enumerate(part.texts) if text in ("struct", "class", "union"))
        self._classes = {part.text(at + 1) for at in classes if part.text(at + 2) in ("{", ":")}
        self._gotos = {part.text(at + 1) for at, text in enumerate(part.texts) if text == "goto"}

    def edits(self) -> Iterator[Edit]:
        """What makes room around these variables."""
        for first in sorted(set(self._part.statement)):
            if self._is_in_a_function(first):
                yield from self._of_binding(first)
                yield from self._of_declaration(first)
        for at, text in enumerate(self._part.texts):
            if text in _HEADS and self._part.text(at + 1) == "(" and self._is_in_a_function(at):
                yield from self._of_head(at + 2)
        for brace, text in enumerate(self._part.texts):
            if text == "{" and self._part.text(brace - 1) in _BEHIND_PARAMETERS and self._is_in_a_function(brace + 1):
                yield from self._of_parameters(brace)

    def _is_in_a_function(self, first: int) -> bool:
        """Whether a statement may declare such a variable here."""
        part = self._part
        block = part.within[first] if first < len(part.texts) else -1
        in_a_switch = part.text(part.pairs.get(block - 1, 0) - 1) == "switch"
        return self._is_block(block) and not in_a_switch and self.may_run(first)

    def may_run(self, at: int) -> bool:
        """Whether a kernel may run what this token stands in."""
        function = -1
        while (at := self._part.within[at]) >= 0:
            function = at if self._is_block(at) else function
        if function not in self._functions:
            self._functions[function] = function < 0 or self._takes_margins(function)
        return self._functions[function]

    def has_arrays(self) -> bool:
        """Whether a function that a kernel may run has an array of its own, a class one for a member, or the text a
        table of constants.
        """
        return bool(self._members) or any(map(self._declares_an_array, set(self._part.statement)))

    def _declares_an_array(self, first: int) -> bool:
        part = self._part
        head = part.texts[first : next((at for at in range(first, len(part.texts)) if part.texts[at] in "{;"), first)]
        if not {"const", "constexpr"}.isdisjoint(head) and (head[-1] == "]" or head[-2:] == ["]", "="]):
            return self.may_run(first)
        _, type_, at = self._declarations.specifiers(first) if self._is_in_a_function(first) else ("", "", 0)
        return bool(type_) and any(each.is_array for each in self._declarations.declarators(at))

    def _is_block(self, brace: int) -> bool:
        part = self._part
        if brace < 0 or part.texts[brace] != "{" or brace not in part.pairs or part.is_class(brace):
            return False
        before, begun = part.text(brace - 1), part.statement[brace]
        if before in (";", "{", "}"):
            return self._is_block(part.within[brace])
        if before == ":":  # case 1: {
            return part.text(begun) in ("case", "default") or begun == brace - 2
        if before == "]":  # [&] {
            return part.text(part.pairs.get(brace - 1, 0) - 1) in ("(", ",", "=", "return")
        return before in _BEFORE_A_BLOCK or "->" in part.texts[begun:brace]

    def _takes_margins(self, brace: int) -> bool:
        """Whether a kernel may run a function."""
        part = self._part
        head = part.texts[part.statement[brace] : brace]
        calls = (name for name, after in pairwise(head) if after == "(" and name not in ATTRIBUTES)
        return next(calls, "") not in self._hosts

    def _of_declaration(self, first: int) -> Iterator[Edit]:
        part = self._part
        attributes, type_, at = self._declarations.specifiers(first)
        declared = self._declarations.declarators(at) if type_ else self._of_any_type(first)
        type_ = type_ or (declared and self._type_of_value(declared[0])) or ""
        lent = [each for each in declared or () if type_ and self._is_lent(each, type_)]
        if not declared or not lent or self._is_jumped_past(declared[-1].end):
            return
        source = part.source[part.tokens[first].start : part.tokens[declared[-1].end].start]
        if "\n#" in source:
            return
        begin, before, is_open = part.tokens[first].start, "", False  # open: a declaration that can go on
        for each in declared:
            if each in lent:
                yield from self._with_margins(each, begin, before, [*attributes, *each.attributes], type_)
            elif before and not is_open:
                yield begin, begin + 1, f"; {' '.join([*attributes, type_])} "
            is_open = each not in lent
            begin, before = part.tokens[each.end].start, "; "

    def _of_binding(self, first: int) -> list[Edit]:
        """What makes room around the object that `auto [a, b] = ...;` copies; [] where that is none."""
        part = self._part
        opening = first + (part.text(first) == "const") + 1
        closing = part.pairs.get(opening, opening)
        if part.texts[first:opening] not in (["auto"], ["const", "auto"]) or part.text(opening) != "[":
            return []
        end = next((at for at in range(closing, len(part.texts)) if part.texts[at] == ";"), 0)
        if part.text(closing + 1) != "=" or part.text(closing + 2) == "{" or not end or self._is_jumped_past(end):
            return []
        names = range(opening + 1, closing, 2)
        uses = [at for name in names for at in self._uses(name, end, part.pairs[part.within[first]])]
        if any(map(self._is_asked, uses)) or not any(self._lends_one(at, is_pointer=False) for at in uses):
            return []
        name, const = part.text(names[0]), "const " * (part.text(first) == "const")
        called = f"[{', '.join(map(part.text, names))}]"
        begin, value = part.tokens[first].start, part.tokens[closing + 2].start
        lines = "\n" * part.source.count("\n", begin, value)
        told = f"{_told(name, called)}; {const}auto& {called} = {HIDDEN}{name}.at"
        behind = part.tokens[end].start
        return [(begin, value, f"auto {HIDDEN}{name} = {lines}::ladder::bound("), (behind, behind, f"); {told}")]

    def _of_head(self, first: int) -> Iterator[Edit]:
        """The same of what the head of a statement declares."""
        part = self._part
        attributes, type_, at = self._declarations.specifiers(first)
        declared = self._declarations.declarators(at) if type_ else self._of_any_type(first)
        type_ = type_ or (declared and self._type_of_value(declared[0])) or ""
        if len(declared) != 1 or not type_ or not self._is_lent(declared[0], type_):
            return
        (one,) = declared
        held, value, made = self._held(one, type_)
        name, begin, end = part.text(one.name), part.tokens[first].start, part.tokens[value].start
        members = f"ladder_before_{name}, {name}, ladder_behind_{name}, ladder_name_{name}, ladder_told_{name}"
        text = f"{' '.join([*attributes, *one.attributes])} auto [{members}] = ::ladder::InHead<{held}>{{"
        text += "\n" * part.source.count("\n", begin, end)
        yield begin, end, f"{text}.at = {made}" if value < one.end else text
        at = max(end, part.tokens[one.end - 1].end)
        yield at, at, f'{", " * (value < one.end)}.name = "{name}"}}'

    def _held(self, variable: Declarator, type_: str) -> tuple[str, int, str]:
        """Its type, where its value begins, and what has to stand before that."""
        part = self._part
        value = variable.value + (part.text(variable.value) == "=")
        source = self._declarations.source
        of_type = f"{type_} {source(variable.first, variable.name)}{source(variable.name + 1, variable.behind_sizes)}"
        if part.text(variable.name + 2) == "]":
            given = source(value, variable.end)
            of_type = f"({of_type}){given if given[:1] == '{' else f'{{{given}}}'}"
        held = f"__typeof__({of_type})"
        by_any_constructor = variable.is_one and part.text(variable.value) in ("{", "(")
        return held, value, f"::ladder::Same<{held}>" if by_any_constructor else ""

    def _with_margins(
        self, array: Declarator, begin: int, before: str, attributes: list[str], type_: str
    ) -> Iterator[Edit]:
        """The variable that holds it, on as many lines, and its first value."""
        part, name = self._part, self._part.text(array.name)
        held, value, made = self._held(array, type_)
        text = f"{before}{' '.join(attributes)} ::ladder::WithMargins<{held}> {HIDDEN}{name}"
        end = part.tokens[value].start
        text += "\n" * part.source.count("\n", begin, end)
        yield begin, end, f"{text} = {{.at = {made}" if value < array.end else text
        at = max(end, part.tokens[array.end - 1].end)  # behind the space of `float a[4] ;`
        yield at, at, f"{'}' * (value < array.end)}; {_told(name)}; auto& {name} = {HIDDEN}{name}.at"

    def _of_any_type(self, first: int) -> list[Declarator]:
        """What `auto v = ...;` and `const auto v = ...;` declare."""
        part, name = self._part, first
        while part.text(name) in ("auto", "const"):
            name += 1
        declared = self._declarations.declarators(name) if "auto" in part.texts[first:name] else []
        return declared if len(declared) == 1 and declared[0].name == name else []

    def _type_of_value(self, variable: Declarator) -> str:
        part = self._part
        texts = part.texts[variable.value + 1 : variable.end]
        is_lambda = any(pair in (("]", "("), ("]", "{")) for pair in pairwise(texts))
        if part.text(variable.value) != "=" or is_lambda or texts[0] == "{":
            return ""
        const = "const " * ("const" in part.texts[variable.name - 2 : variable.name])
        return f"{const}::ladder::Value<decltype({self._declarations.source(variable.value + 1, variable.end)})>"

    def _of_parameters(self, brace: int) -> Iterator[Edit]:
        """The same of what a function gets by value: copies, and a block in which they have the parameters' names."""
        part, closing = self._part, brace - 1
        while part.text(closing) in _BEHIND_PARAMETERS - {")"}:
            closing -= 1
        opening = part.pairs.get(closing, closing)
        name = part.text(opening - 3 if part.text(opening - 3) == "operator" else opening - 1)
        if part.text(closing) != ")" or name in NO_CALL or not (name == "]" or name.isidentifier()):
            return
        uses = range(brace, part.pairs[brace])
        given = [at for at in self._references.names_of_values(opening) if self._is_lent_parameter(at, uses)]
        copies = "".join(
            f" ::ladder::WithMargins<__typeof__({name})> {HIDDEN}{name} = {{.at = {name}}}; {_told(name)};"
            for name in map(part.text, given)
        )
        names = "".join(f" auto& {name} = {HIDDEN}{name}.at;" for name in map(part.text, given))
        if given:
            yield part.tokens[brace].end, part.tokens[brace].end, f"{copies} {{{names}"
            yield part.tokens[uses.stop].start, part.tokens[uses.stop].start, "}"

    def _is_lent_parameter(self, name: int, uses: range) -> bool:
        found = self._uses(name, uses.start, uses.stop)
        is_array = "array" in self._part.texts[self._part.within[name] : name] and self._part.text(name - 1) == ">"
        is_lent = any(self._lends_one(at, is_pointer=False) or is_array for at in found)
        return is_lent and not any(map(self._is_asked, found))

    def _is_lent(self, variable: Declarator, type_: str) -> bool:
        """Whether anything may get an address of it. None is of one that a constant or a type is made from."""
        part, name = self._part, variable.name
        if not (variable.is_array or variable.is_one):
            return False
        if variable.is_array and part.text(name + 2) == "]" and self._is_in_a_template(name):
            return False  # there, g++ does not know how many values there are
        scope = part.within[name]
        scope = part.within[scope] if part.text(scope) == "(" else scope  # of what a head declares
        uses = self._uses(name, variable.end, part.pairs[scope])
        if any(map(self._is_asked, uses)):
            return False
        if variable.is_one:
            if not self._may_be_lent(variable, type_, any(part.text(at + 1) == "." for at in uses)):
                return False
            is_pointer = "*" in part.texts[variable.first : name]
            is_array = bool(_IS_ARRAY.search(type_))
            return any(self._lends_one(at, is_pointer) or (is_array and not self._is_sized(at)) for at in uses)
        sizes = self._sizes(name)
        return any(self._lends(at, sizes) for at in uses)

    def _may_be_lent(self, variable: Declarator, type_: str, has_members: bool) -> bool:
        """Whether a variable that is no array can be in a structure: no constant's value is, nor one that names itself
        in its own value.
        """
        part = self._part
        words = part.texts[variable.first : variable.name] or type_.split()
        is_class = has_members or bool(_IS_ARRAY.search(type_))
        is_constant = "const" in words and not is_class and not self._is_no_whole_number(words)
        return not is_constant and part.text(variable.name) not in part.texts[variable.name + 1 : variable.end]

    def _is_no_whole_number(self, words: list[str]) -> bool:
        """Whether what is declared with these words is of CUDA's vectors, a floating-point number or a class of the
        text: a whole number that is `const` may be a constant, which has a size or a type made from it.
        """
        names = [each for each in words if each != "const"]
        return len(names) == 1 and (
            names[0] in _FLOATING or bool(_OF_CUDA.match(names[0])) or names[0] in self._classes
        )

    def _lends_one(self, at: int, is_pointer: bool) -> bool:
        """The same of a number or a structure: `&v`, `&v.x`, `v.array`, `v.data()`."""
        part = self._part
        end = part.last_of_chain(at)
        if is_pointer and end > at:
            return False  # it leads elsewhere
        if part.address(at, end) is not None or (end > at and part.text(end) in self._members):
            return True
        if part.text(at - 1) == ")":
            return part.text(at - 2) == "&"  # (float4&)v
        if part.text(at - 1) == "(" and part.text(end + 1) == ")" and part.text(at - 2) == ">":
            return part.text(part.cast_around(at, end)[0]) == "reinterpret_cast"
        return part.text(at + 1) == "." and part.text(at + 2) in self._lending

    def _is_jumped_past(self, end: int) -> bool:
        """Whether a `goto` goes to a label in the block behind this from somewhere else."""
        part = self._part
        if not self._gotos:
            return False
        last = part.pairs[part.within[end]]
        here = range(end, last)
        labels = {
            part.text(at)
            for at in here
            if part.text(at) in self._gotos and part.text(at + 1) == ":" and part.text(at - 1) in (";", "{", "}", ":")
        }
        jumps = (at for at, text in enumerate(part.texts) if text in labels and part.text(at - 1) == "goto")
        return any(at not in here for at in jumps)

    def _is_in_a_template(self, at: int) -> bool:
        part = self._part
        while (at := part.within[at]) >= 0:
            if not {"template", "auto"}.isdisjoint(part.texts[part.statement[at] : at]):
                return True
        return False

    def _uses(self, name: int, begin: int, end: int) -> list[int]:
        part, text = self._part, self._part.text(name)
        places = (at for at in range(begin, end) if part.texts[at] == text)
        return [at for at in places if part.text(at - 1) not in (".", "->", "::")]

    def _sizes(self, at: int) -> int:
        """Of how many dimensions the array is that is declared here: `a[2][3]` or `(&a)[2][3]`."""
        part, count = self._part, 0
        at += part.text(at + 1) == ")"
        while part.text(at + 1) == "[" and at + 1 in part.pairs:
            at, count = part.pairs[at + 1], count + 1
        return count

    def _is_asked(self, at: int) -> bool:
        part = self._part
        if part.text(at - 2) in UNEVALUATED - {"sizeof"} and part.text(at + 1) == ")":
            return True
        begun = part.statement[at]
        is_constant = any(part.texts[each] in _CONSTANT and part.text(each - 1) != "if" for each in range(begun, at))
        return is_constant and "sizeof" not in part.texts[at - 2 : at]

    def _is_sized(self, at: int) -> bool:
        part = self._part
        return part.text(at - 1) == "sizeof" or part.texts[at - 2 : at] == ["sizeof", "("]

    def _lends(self, at: int, sizes: int) -> bool:
        """Whether more than an element's value is used here."""
        part, last, count = self._part, at, 0
        while part.text(last + 1) == "[" and count < sizes:
            last, count = part.pairs.get(last + 1, last + 1), count + 1
        if self._is_sized(at):
            return False
        if part.text(at - 1) == ":" and part.text(last + 1) == ")" and part.text(part.within[at] - 1) == "for":
            return False
        if count < sizes:
            parameters = self._references.parameters(at, last)
            return not parameters or any(map(self._is_lent_on, parameters))
        end = part.last_of_chain(last)
        is_cast = part.texts[at - 2 : at] == [">", "("]  # to a reference
        return is_cast or part.address(at, end) is not None or part.text(end) in self._members

    def _is_lent_on(self, parameter: tuple[int, Span]) -> bool:
        """Whether a function lends an array that it gets by reference."""
        name, (begin, end) = parameter
        if name not in self._lent_on:
            self._lent_on[name] = False  # by itself alone
            self._lent_on[name] = any(self._lends(at, self._sizes(name)) for at in self._uses(name, begin, end))
        return self._lent_on[name]


def _told(name: str, called: str = "") -> str:
    """What tells the runtime of a variable."""
    at_its_end = "__attribute__((cleanup(ladder_end_margins)))"
    return f'::ladder::Margins ladder_margins_{name} {at_its_end}({HIDDEN}{name}, "{called or name}")'


def _methods_that_lend(part: Part) -> set[str]:
    """The names of methods that give a pointer."""
    return {
        text
        for at, text in enumerate(part.texts)
        if part.text(at - 1) == "*" and part.text(at + 1) == "(" and part.is_class(part.within[at])
    }
