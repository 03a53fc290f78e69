"""CUDA C++ to C++: the few things that no header can turn into ordinary C++.

Everything else of CUDA is a name, and `include/cuda_runtime.h` gives it a meaning. Here is the rest:

- `kernel<<<config>>>(arguments)` becomes a call of `ladder::launch`;
- `extern __shared__ T name[]` becomes a reference to the block's dynamic shared memory;
- `__launch_bounds__` and `__cluster_dims__` leave their numbers behind, as the sizes of variables in the kernel's body;
- behind each variable that is `__shared__`, `__device__`, `__managed__` or `__constant__`, or a constant one of a
  kernel's that is `static`, come bytes of no variable of the file, a gap: the runtime finds a thread that reads or
  writes there, with an index past an array's end;
- `asm(...)` becomes a call of `ladder::ptx` (asm.py);
- a few spellings that g++ would take differently than nvcc.

Only tokens are rewritten, never comments or strings, and no line break is added or removed: what the compiler, the
findings and the counters say about line 12 is line 12 of the learner's file. What certainly cannot run here, or would
not compile with nvcc, is refused in one sentence. Code under an `#if` may be meant for another machine, so it never is.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import islice, takewhile

from grader.devices.build.lexer import lex
from grader.devices.build.line_numbers import with_own_numbers
from grader.devices.build.own_namespace import spelled_apart
from grader.devices.build.refused import refusal
from grader.devices.build.syntax import (
    Stream,
    callee,
    code_stream,
    is_idle,
    is_launch,
    launch_end,
    macro_stream,
)
from grader.devices.emulator import asm, by_value, cases, respelled, two_sides
from grader.devices.emulator.declarations import (
    Declaration,
    alignment_spans,
    global_variables,
    lacks_its_end,
    shared_variables,
    start_of,
    without,
)
from grader.devices.emulator.first_lines import first_lines
from grader.devices.emulator.gaps import Gaps, declared, is_constant, of_file
from grader.devices.emulator.heads import SIZES, is_taken, sizes
from grader.devices.emulator.kernel_pointers import BY_POINTER, forgotten_types
from grader.devices.emulator.known import Known
from grader.devices.emulator.launches import arguments, is_configuration, name_literal, quoted, why_no_launch
from grader.devices.emulator.unmade import with_memory
from grader.devices.emulator.words import tag_of

_CLUSTERS = ("cudaOccupancyMaxActiveClusters", "cudaOccupancyMaxPotentialClusterSize")
_TAKES_A_KERNEL = {
    "cudaFuncSetAttribute", "cudaFuncGetAttributes", "cudaOccupancyMaxActiveBlocksPerMultiprocessor", *_CLUSTERS,
    *BY_POINTER,
}  # fmt: skip
_NO_TEXTURE_REFERENCES = "CUDA 12 has no texture references any more: make an object, with cudaCreateTextureObject"
_MEMORY = {"__device__", "__managed__", "__constant__", "__shared__"}
_ZERO = re.compile(r"NULL|0([uU]?[lL]{0,2})")
_NARROW = re.compile(r"\bpacked\b|__packed__|\bpack\s*\(|\w\s*:\s*\d+\s*[;,]")  # packed members, or bit-fields


class TranslationError(Exception):
    """`message` is one sentence for the learner, `line` the 1-based line of the file that it is about."""

    def __init__(self, message: str, line: int):
        super().__init__(f"line {line}: {message}")
        self.message = message
        self.line = line


def translate(source: str, filename: str) -> str:
    """The C++ text of a kernel file, whose line i stands on line i behind the `#line` that names it `filename`."""
    source = asm.without_unused(source.removeprefix("\ufeff"))
    if found := refusal(source, lex(source), emulated=True):
        raise TranslationError(*found)
    return first_lines(source) + rewritten(source, filename, alone=True)


def rewritten(source: str, filename: str, alone: bool = False, known: Known | None = None) -> str:
    """The same of a file, or a header, to which the rules of a graded file do not apply. Raises TranslationError.

    It is the only file of its program where nothing else is `known`.
    """
    lexed = lex(source := spelled_apart(with_own_numbers(source)))
    code = code_stream(lexed)
    rewriter = _Rewriter(source, known or Known.of(lexed, code), "" if alone else of_file(filename, source))
    rewriter.rewrite(code)
    spelled = [*by_value.copies(code, alone), *cases.respelled(code), *respelled.all_of(code, alone)]
    for start, end, text in [*spelled, *forgotten_types(code, {edit[0] for edit in rewriter.edits})]:
        begin = code.tokens[start].start
        rewriter.edits.append((begin, code.tokens[end - 1].end if start < end else begin, text))
    rewriter.edits += () if alone else two_sides.edits(source, code, lexed.directives)
    for directive in lexed.directives:
        if directive.name == "define":
            rewriter.rewrite(macro_stream(directive))
    return f"#line 1 {quoted(filename)}\n{rewriter.result()}"


class _Rewriter:
    """Collects edits of the source: (start, end, new text), none of them with a line break of its own."""

    def __init__(self, source: str, known: Known, file: str):
        self.source = source
        self.known = known
        self.edits: list[tuple[int, int, str]] = []
        self.file = file  # "": it is graded
        self.gaps = Gaps(file)
        # Of lambdas that are ours: no GPU would execute them. A file cannot write the tag itself (words.py).
        self.unseen = f'__attribute__(({tag_of(source)}, no_sanitize("thread"), no_sanitize_coverage))'

    def rewrite(self, stream: Stream) -> None:
        for index, token in enumerate(stream.tokens):
            if is_launch(stream, index):
                self.launch(stream, index)
            elif token.text in self.known.configurations:
                self.launch_by_macro(stream, index)
            elif is_idle(stream, index):
                self.replace(stream, index, index + 1)
            elif token.text == "__shared__":
                self.shared(stream, index)
            elif token.text in _MEMORY:  # but for the one above
                self.global_variables(stream, index)
            elif token.text == "static" and stream.scopes[index].device and stream.scopes[index].in_code:
                self.static_table(stream, index)
            elif token.text in _TAKES_A_KERNEL:
                self.kernel_address(stream, index)
            elif token.text == "func" and stream.text(index - 1) in (".", "->") and stream.text(index + 1) == "=":
                self.without_cast(stream, index + 2)  # of cudaKernelNodeParams
            elif token.text == "cudaKernelNodeParams":  # whose first member it is
                opening = index + 2 + (stream.text(index + 2) == "=")
                if stream.text(opening) == "{":
                    self.without_cast(stream, opening + 1)
            elif token.text == "texture" and stream.text(index + 1) == "<" and not stream.conditional[index]:
                if "cudaBindTexture" in self.source:
                    raise TranslationError(_NO_TEXTURE_REFERENCES, token.line)
            elif token.text in asm.WORDS:
                self.assembly(stream, index)
            elif token.text in SIZES:
                self.sizes_of_a_head(stream, index)
            elif token.text == "clock" and stream.texts(index + 1, index + 3) == ["(", ")"]:
                self.clock(stream, index)
            elif token.text == "__noinline__":
                self.noinline(stream, index)
            elif token.text == "}" and stream.text(index - 1) == ":":
                self.after_label(stream, index)
            elif token.text in ("always_inline", "__always_inline__"):  # g++ would inline it where nothing is seen
                self.replace(stream, index, index + 1, "unused")

    def result(self) -> str:
        pieces, position = [], 0
        for start, end, text in sorted(self.edits, key=lambda edit: (edit[0], edit[0] < edit[1])):
            pieces += [self.source[position:start], text]
            position = end
        return "".join([*pieces, self.source[position:]])

    def insert(self, offset: int, text: str) -> None:
        self.edits.append((offset, offset, text))

    def replace(self, stream: Stream, start: int, end: int, text: str = "") -> None:
        """Puts `text` in the place of the tokens start..end-1, and keeps the line breaks that were among them."""
        first, last = stream.tokens[start].start, stream.tokens[end - 1].end
        breaks = "".join(re.findall(r"(?:\\[^\S\n]*)?\n", self.source[first:last]))
        self.edits.append((first, last, text + breaks))

    def after_label(self, stream: Stream, end: int) -> None:
        """Behind a label C++17 wants a statement and nvcc none; in host code, where g++ reads, too, behind a case."""
        is_case = stream.text(end - 2) == "default" or stream.text(end - 3) == "case"
        if stream.scopes[end].device or not is_case:
            self.insert(stream.tokens[end].start, ";")

    # ---- launches ----

    def launch(self, stream: Stream, opening: int) -> None:
        """kernel<<<config>>>(arguments): the kernel goes into a lambda, but what a call gives (`pick(1)<<<...>>>`)."""
        if stream.macro and is_configuration(stream):  # launch_by_macro() does the rest
            self.replace(stream, 0, 3, "::ladder::config(")
            return self.replace(stream, len(stream.tokens) - 3, len(stream.tokens), ")")
        line = stream.tokens[opening].line
        start, closing = callee(stream, opening), launch_end(stream, opening + 3)
        is_whole = start is not None and closing is not None and (stream.text(closing + 3) == "(" or stream.macro)
        if not is_whole and stream.conditional[opening] and not stream.macro:
            return  # it may be no code at all
        if start is None or closing is None or not is_whole or (closing == opening + 3 and not stream.macro):
            raise TranslationError(why_no_launch(stream, start, opening, closing, self.source), line)
        before, behind = self.launcher(stream, start, opening, closing + 3)
        self.replace(stream, opening, opening + 3, f"{before}::ladder::config(")
        self.replace(stream, closing, closing + 3, f"){behind}")

    def launch_by_macro(self, stream: Stream, index: int) -> None:
        """`kernel CONFIG (arguments)`, where a macro is all of `<<<...>>>`."""
        start, end = callee(stream, index), index + 1
        if self.known.configurations[stream.text(index)]:
            end = stream.after_group(end)
        if start is not None and stream.text(end) == "(":
            before, behind = self.launcher(stream, start, index, end)
            self.insert(stream.tokens[index].start, before)
            self.insert(stream.tokens[end - 1].end, behind)

    def launcher(self, stream: Stream, start: int, opening: int, arguments: int) -> tuple[str, str]:
        """What stands before and behind the configuration, once the kernel at `start` is in its lambda."""
        if not self.file and stream.scopes[opening].device and not stream.conditional[opening]:
            message = "a kernel cannot launch another one here (dynamic parallelism): launch it from the host function"
            raise TranslationError(message, stream.tokens[opening].line)
        name, parameters = name_literal(stream, start, opening), f"(auto&... ladder_a) {self.unseen} {{ "
        is_call = stream.text(opening - 1) == ")" and stream.opening(opening - 1) != start
        captured, kernel = ("[&, ladder_k = ", f"]{parameters}ladder_k") if is_call else (f"[&]{parameters}", "")
        self.insert(stream.tokens[start].start, f" ::ladder::launch({name}, __builtin_LINE(), {captured}")
        accepts = ""
        if stream.text(arguments) == "(" and self.launch_arguments(stream, arguments):
            written = self.source[stream.tokens[start].start : stream.tokens[opening].start].replace("\n", " ")
            accepts = f".taking([&](auto... ladder_a) {self.unseen} -> decltype({written}(ladder_a...)) {{}})"
        return f"{kernel}(ladder_a...); }}, ", f"){accepts}"

    def launch_arguments(self, stream: Stream, opening: int) -> bool:
        """`{a, b}` and a literal 0 get a type when the kernel's parameters are known. True if there is a 0."""
        zeros = False
        for start, end in arguments(stream, opening):
            if stream.text(start) == "{" and stream.after_group(start) == end:
                head = f"::ladder::braced([&]<class ladder_T>() {self.unseen} -> ladder_T {{ return "
                self.insert(stream.tokens[start].start, head)
                self.insert(stream.tokens[end - 1].end, "; })")
            elif end == start + 1 and _ZERO.fullmatch(stream.text(start)):
                self.replace(stream, start, end, "::ladder::Zero{}")
                zeros = True
            elif stream.text(end - 2) in (".", "->") and _NARROW.search(self.source):  # to which no reference binds
                member = self.source[stream.tokens[start].start : stream.tokens[end - 1].end]
                self.insert(stream.tokens[start].start, f"decltype({' '.join(member.split())})(")
                self.insert(stream.tokens[end - 1].end, ")")
        return zeros

    def sizes_of_a_head(self, stream: Stream, index: int) -> None:
        body, variables = sizes(stream, index)
        if body or (stream.text(index) == "__cluster_dims__" and is_taken(stream, index)):  # else see with_sizes()
            self.replace(stream, index, stream.after_group(index + 1))
        if body:
            self.insert(stream.tokens[body].end, variables)

    # ---- shared memory ----

    def shared(self, stream: Stream, index: int) -> None:
        declaration = shared_variables(stream, index)
        is_parameter = start_of(stream, index) is None
        if self.is_alias(stream, index):
            return
        if is_parameter or stream.scopes[index].kind == "class":  # nvcc warns that the word means nothing there
            self.replace(stream, index, index + 1)
        elif declaration is None or (declaration.values and lacks_its_end(stream, declaration)):
            return  # the compilers say so
        elif declaration.values:
            name, line = stream.text(declaration.name), stream.tokens[declaration.values[0]].line
            raise TranslationError(
                f"the __shared__ variable {name} takes no initial value: let a thread assign it", line
            )
        elif declaration.dynamic:
            self.dynamic_shared(stream, declaration)
        else:
            self.static_shared(stream, declaration)

    def is_alias(self, stream: Stream, index: int) -> bool:
        """Whether a word of memory stands in the name of a type, where it goes: it says nothing to nvcc there.

        Behind `using` nvcc takes it of a plain type alone.
        """
        start = start_of(stream, index)
        if start is None or stream.text(start) not in ("typedef", "using"):
            return False
        if stream.text(start) == "typedef" or stream.text(index + 2) == ";" or stream.text(index + 1) == ";":
            self.replace(stream, index, index + 1)
        return True

    def static_shared(self, stream: Stream, shared: Declaration) -> None:
        """`__shared__ T a[2], b;` gets a gap behind each of its arrays, `static __shared__` loses a word."""
        specifiers = stream.texts(shared.start, shared.name)
        if memory := with_memory(stream, shared, self.known.constructed):
            self.replace(stream, shared.start, shared.end, memory)
            return self.gaps_behind(stream, shared, specifiers, self.gaps.shared)
        if "static" in specifiers:
            where = shared.start + specifiers.index("static")
            self.replace(stream, where, where + 1)
        specifiers = [text for text in specifiers if text != "static"]
        for where in range(shared.start + 1, shared.name):  # g++ takes alignas only in front of everything else
            if stream.text(where) == "alignas" and stream.text(where + 1) == "(":
                end = stream.after_group(where + 1)
                words = self.source[stream.tokens[where].start : stream.tokens[end - 1].end].replace("\n", " ")
                self.insert(stream.tokens[shared.start].start, words + " ")
                self.replace(stream, where, end)
                specifiers = [words, *without(specifiers, stream.texts(where, end))]
        mark = declared(stream, shared)
        self.gaps_behind(stream, shared, specifiers, lambda: self.gaps.shared(mark))

    def global_variables(self, stream: Stream, index: int) -> None:
        """`__device__ T a[2], b = 1;` gets a gap behind each, and one before them: g++ may turn the order round."""
        if stream.text(index) == "__constant__" and self.is_alias(stream, index):
            return
        if stream.scopes[index].kind != "class" and (found := global_variables(stream, index)):
            specifiers = stream.texts(found.start, found.name)
            gap = self.gaps.of(specifiers)
            if not stream.macro:
                self.insert(stream.tokens[found.start].start, gap())
            self.gaps_behind(stream, found, specifiers, gap)

    def static_table(self, stream: Stream, index: int) -> None:
        """`static const T a[2] = {1, 2};` of a device function gets gaps, too."""
        found = global_variables(stream, index)
        specifiers = stream.texts(found.start, found.name) if found else []
        if found and is_constant(specifiers) and not stream.macro and _MEMORY.isdisjoint(specifiers):
            self.insert(stream.tokens[found.start].start, self.gaps.table())
            self.gaps_behind(stream, found, specifiers, self.gaps.table)

    def gaps_behind(self, stream: Stream, found: Declaration, specifiers: list[str], gap: Callable[[], str]) -> None:
        if stream.macro or found.end == len(stream.tokens):
            return  # a macro may be used twice in a scope, where a gap's name must be new
        if "{" not in specifiers:
            kept = list(takewhile(lambda text: text not in ("*", "&"), specifiers))
            for comma in found.commas:
                self.replace(stream, comma, comma + 1, f";{gap()} {' '.join(kept)} ")
        self.insert(stream.tokens[found.end].end, gap())

    def dynamic_shared(self, stream: Stream, shared: Declaration) -> None:
        """`extern __shared__ T name[]` becomes a reference into the block's dynamic shared memory.

        In a function, in place. At namespace scope it moves into each device function that uses it: a variable there
        would itself be memory that all blocks of an OS thread share.
        """
        line = stream.tokens[shared.start].line
        if shared.commas:
            raise TranslationError("declare one extern __shared__ array only: they all start at the same byte", line)
        dropped = alignment_spans(stream, shared.start, shared.name)
        storage = ("extern", "static", "__shared__")
        dropped += [(i, i + 1) for i in range(shared.start, shared.name) if stream.text(i) in storage]
        gone = {index for start, end in dropped for index in range(start, end)}
        element = stream.spelled(i for i in range(shared.start, shared.name) if i not in gone)
        bounds = "".join(stream.texts(shared.name + 1, shared.end))
        value = f"*reinterpret_cast<{element} (*){bounds}>(::ladder_dynamic_shared())"
        name = stream.text(shared.name)
        if stream.scopes[shared.start].in_code:
            for start, end in dropped:
                self.replace(stream, start, end)
            self.replace(stream, shared.name, shared.name + 1, f"(&{name})")
            self.insert(stream.tokens[shared.end - 1].end, f" = {value}")
        else:
            self.replace(stream, shared.start, shared.end)
            self.into_functions(stream, shared, f" {element} (&{name}){bounds} = {value}; {{")

    def into_functions(self, stream: Stream, shared: Declaration, declaration: str) -> None:
        """Puts a declaration at the start of every later device function that names it, in a scope around the body."""
        name = stream.text(shared.name)
        for function in stream.functions:
            closed = function.closed
            hidden = name in stream.texts(function.head, function.opened)  # by a parameter
            if closed is None or hidden or function.opened <= shared.end or not function.device:
                continue
            if name in stream.texts(function.opened, closed):
                self.insert(stream.tokens[function.opened].end, declaration)
                self.insert(stream.tokens[closed].start, "}")

    # ---- spellings ----

    def kernel_address(self, stream: Stream, index: int) -> None:
        """cudaLaunchKernel((void*)kernel, ...): without the cast the header sees the kernel's parameters."""
        before = stream.text(index) in ("cudaLaunchKernelExC", *_CLUSTERS)  # the configuration, or where a number goes
        for first, _ in islice(arguments(stream, index + 1), before, before + 1):
            self.without_cast(stream, first)

    def without_cast(self, stream: Stream, first: int) -> None:
        """Takes a cast to void* away that begins here."""
        cast = stream.text(first) in ("reinterpret_cast", "static_cast") and stream.text(first + 1) == "<"
        inner = first + 1 + cast
        end = inner
        while stream.text(end) in ("const", "void", "*"):
            end += 1
        if "void" in stream.texts(inner, end) and stream.text(end) == (">" if cast else ")"):
            self.replace(stream, first, end + 1)

    def clock(self, stream: Stream, index: int) -> None:
        """Of a kernel: the C library's function by this name is the host's."""
        if stream.scopes[index].device and stream.text(index - 1) not in (".", "->", "::"):
            self.replace(stream, index, index + 1, "clock64")

    def noinline(self, stream: Stream, index: int) -> None:
        """A macro of this name would break libstdc++, which writes __attribute__((__noinline__))."""
        bracket = stream.enclosing(index) or 0
        in_attribute = stream.texts(max(bracket - 2, 0), bracket) == ["__attribute__", "("]
        if not in_attribute and stream.text(index - 1) != "::":
            self.replace(stream, index, index + 1, "__attribute__((noinline))")

    def assembly(self, stream: Stream, index: int) -> None:
        try:
            found = asm.statement(stream, index)
        except asm.NotPtx as error:
            raise TranslationError(str(error), stream.tokens[index].line) from None
        for edit in found:
            self.replace(stream, *edit)
