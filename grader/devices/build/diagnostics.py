"""What the compiler said, in the learner's terms: only their own lines, and a wrong entry point explained."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grader.course.prototype import Parameter, Prototype, PrototypeError, parse_parameter
from grader.devices.build.lexer import Token, lex
from grader.devices.build.line_slips import DIVISION, declared_below, division_above, in_view_of
from grader.devices.build.macro_slips import of_macro
from grader.devices.build.missing import newer_of_std
from grader.devices.build.signs import strange
from grader.devices.evidence import Diagnostic

ENTRY_FILE = "<what the grader calls>"  # the name of the lines that are appended to a source
MOST = 10  # messages that are shown; the rest mostly follows from the first

_MESSAGE = re.compile(
    r"(?P<file>.+?):(?P<line>\d+):(?:(?P<column>\d+):)? "
    r"(?P<level>fatal error|error|note|sorry, unimplemented): (?P<text>.*)"
)
# nvcc's front end and its assembler; their caret stands below a rewritten line, so that there is no column
_NVCC_MESSAGE = re.compile(
    r"(?P<file>.+?)\((?P<line>\d+)\): (?P<column>)(?P<level>(?:catastrophic )?error)(?: #[\w-]+)?: (?P<text>.*)"
)
_PTXAS_MESSAGE = re.compile(r"(?:ptxas|nvlink) (?:error|fatal)\s*: (?P<text>.*)")
_CONTEXT = re.compile(
    r"(?:In file included from |\s+from )?(?P<file>.+?):(?P<line>\d+)(?::\d+)?(?:[:,]|:\s+required from.*)$"
)
TOO_LARGE = "arrays of gigabytes are allocated with cudaMalloc, as no variable can be so large"
NO_ROOM_FOR_VARIABLES = re.compile(  # the linker's words
    "cannot map zero-fill pages|relocation truncated to fit|failed to convert GOTPCREL relocation"
)
_UNDEFINED = re.compile(r":(?:(?P<line>\d+):|\S*:)? undefined reference to [`'](?P<symbol>.+?)'$")
_UNCLOSED = re.compile(r"at end of input|before string constant")  # `extern "C"` inside a function
_BAD_ARGUMENTS = "the arguments of this launch do not suit the kernel's parameters"
_OF_THREADS = {"cudaThreadSynchronize": "cudaDeviceSynchronize", "cudaThreadExit": "cudaDeviceReset"}
_OF_OLD = re.compile(r"__(shfl|shfl_up|shfl_down|shfl_xor|ballot|any|all)$")
_HEADER_OF = {"printf": "<cstdio>", "assert": "<cassert>"}
_PLAINER = {  # what a compiler says: what a learner can do about it
    r"a __global__ function call must be configured": (
        "a kernel is called here like a function: launch it, `name<<<blocks, threads, 0, stream>>>(...)`"
    ),
    r"non-trivial designated initializers not supported": (
        "elements that are named by their index (`{[2] = 4}`) must come from the first on and in order: "
        "g++ compiles no others"
    ),
    r"jump to case label": (
        "jumps of a `case` over a variable of the one above are not emulated: declare that variable above the `switch`"
    ),
    r"'constinit' variable '(\w+)' does not have a constant initializer": (
        r"no GPU runs the constructor of the __shared__ variable \1: give its type none, and let a thread assign it"
    ),
}


@dataclass
class Message:
    """One compiler error and the learner's line that it belongs to, if any; `in_entry` is a line of ENTRY_FILE."""

    text: str
    line: int | None = None
    column: int | None = None
    in_entry: int | None = None
    opened_at: int | None = None  # "to match this '{'"


def parse_compiler_output(output: str, filename: str) -> list[Message]:
    """The errors in g++'s or nvcc's text. One inside a header takes the learner's line that led there."""
    messages: list[Message] = []
    context: int | None = None  # the learner's line of the last "required from here" or "In file included from"
    for text in output.replace("‘", "'").replace("’", "'").splitlines():
        match = _MESSAGE.match(text) or _NVCC_MESSAGE.match(text)
        if assembler := _PTXAS_MESSAGE.match(text):
            messages.append(Message(assembler["text"]))
        elif match and match["level"] != "note":
            messages.append(_message(match, filename, context))
            context = None
        elif match and messages and match["file"] == filename:
            _learn_from_note(messages[-1], match)
        elif not match and (where := _CONTEXT.match(text)) and where["file"] == filename:
            context = int(where["line"])
    return messages


def _message(match: re.Match[str], filename: str, context: int | None) -> Message:
    text = plain(re.sub(r" \[-[\w=+-]+\]$", "", match["text"]))
    text = next((found.expand(words) for said, words in _PLAINER.items() if (found := re.fullmatch(said, text))), text)
    line, column = int(match["line"]), int(match["column"] or 0) or None
    if match["file"] == filename:
        return Message(text, line, column)
    return Message(text, context, in_entry=line if match["file"] == ENTRY_FILE else None)


def gone(name: str) -> str:
    """What to write in the place of a function that CUDA had up to version 12; "" of any other name."""
    if old := _OF_OLD.match(name):
        return f"`{name}` has gone from CUDA: write `{old[0]}_sync(0xffffffff, ...)`, whose mask names the lanes"
    newer = _OF_THREADS.get(name)
    return f"`{name}` has gone from CUDA: write `{newer}`" if newer else ""


def plain(text: str) -> str:
    """A message of g++'s without the names that translation has put into a launch (include/ladder/launch.h)."""
    text = text.replace("ladder::", "").replace("'Zero'", "'int'")
    text = re.sub(r"^call to '\S+' declared with attribute error: ", "", text)
    if missing := re.match(r"'(printf|assert)' was not declared", text):
        return f"'{missing[1]}' needs `#include {_HEADER_OF[missing[1]]}` at the top of the file, with nvcc, too"
    if (unknown := re.match(r"'(\w+)' was not declared", text)) and (instead := gone(unknown[1])):
        return instead
    if (unknown := re.match(r"'(?:std::)?(\w+)' (?:is not a member of 'std'|has not been declared)", text)) and (
        newer := newer_of_std(unknown[1])
    ):
        return newer
    if glued := re.match(r"""unable to find string literal operator 'operator""(\w+)'""", text):
        name = glued[1]
        return f'type a space between the text and `{name}`: in `"..."{name}` C++ takes `{name}` for the text\'s suffix'
    text = re.sub(r"'ladder_a#(\d+)'", lambda found: f"argument {int(found[1]) + 1}", text)
    return _BAD_ARGUMENTS if re.search(r"Launcher<|lambda\(auto:|Braced", text) else text


def _learn_from_note(message: Message, note: re.Match[str]) -> None:
    if note["text"].startswith("to match this"):
        message.opened_at = int(note["line"])
    elif message.line is None and message.in_entry is None:
        message.line = int(note["line"])


def undefined_references(output: str) -> list[Message]:
    """What the linker missed, once each, with the first line that uses it."""
    found: dict[str, Message] = {}
    for match in filter(None, map(_UNDEFINED.search, output.splitlines())):
        text = f"`{match['symbol']}` is declared and used, but nowhere defined"
        if match["symbol"].startswith("__wrap_"):  # refused.SYMBOLS
            name = "std::thread" if "_M_start_thread" in match["symbol"] else match["symbol"].removeprefix("__wrap_")
            text = f"a kernel file may not use `{name}`"
        found.setdefault(match["symbol"], Message(text, int(match["line"]) if match["line"] else None))
    return list(found.values())


def source_line(source: str, line: int | None) -> str | None:
    """The text of a 1-based line as compilers count them; None if there is none."""
    lines = source.split("\n")
    return lines[line - 1].rstrip("\r") if line and line <= len(lines) else None


def on_own_lines(messages: Sequence[Message], source: str, translated: Sequence[str]) -> list[Diagnostic]:
    """Diagnostics with the learner's line. A line that was translated has no column: it would point elsewhere."""
    result: dict[tuple[int | None, str], Diagnostic] = {}
    for message in messages:
        if slip := of_macro(source, message.line) or strange(source, message.line, message.text):
            message = Message(*slip)
        elif above := division_above(source, message.line, message.text):
            message = Message(DIVISION, above)
        own = source_line(source, message.line)
        same = message.line is not None and message.line <= len(translated) and translated[message.line - 1] == own
        text = declared_below(source, message.line, in_view_of(own, message.text))
        diagnostic = Diagnostic(text, message.line, message.column if same else None, own)
        result.setdefault((message.line, message.text), diagnostic)
    return list(result.values())[:MOST]


def unclosed(messages: Sequence[Message], source: str) -> Message | None:
    """Set if a `}` is missing, which is what a failure that showed far below really means."""
    for definition in _definitions(source):
        if definition.extern_c and definition.in_function:
            return Message('`extern "C"` stands inside a function: a `}` is missing above it', definition.line)
    if any(m.in_entry is None for m in messages) or not any(_UNCLOSED.search(m.text) for m in messages):
        return None
    opened_at = next((m.opened_at for m in messages if m.opened_at), None)
    return Message("the file ends before a `{` is closed: a `}` is missing", opened_at)


def conflicts(messages: Sequence[Message], prototypes: Sequence[Prototype], source: str) -> list[Prototype]:
    """The prototypes that the file contradicts: all that is wrong with it, or so plainly that the rest may follow."""
    lines = {m.in_entry % len(prototypes) for m in messages if m.in_entry}
    found = [p for number, p in enumerate(prototypes, start=1) if number % len(prototypes) in lines]
    if any(m.in_entry is None and "weak declaration" not in m.text for m in messages):
        return [prototype for prototype in found if difference(source, prototype)[1]]
    return found


# ---- the entry point ----


@dataclass
class Definition:
    """A function definition as the learner wrote it. `around` has a word for each open brace, see `_brace`."""

    name: str
    result: str  # what stands before the name, without extern "C"
    parameters: str
    line: int
    around: list[str]
    is_extern_c: bool

    @property
    def extern_c(self) -> bool:
        return self.is_extern_c or "extern" in self.around

    @property
    def in_scope(self) -> bool:
        return "scope" in self.around

    @property
    def in_function(self) -> bool:
        return "function" in self.around


def explain_entry_point(source: str, prototype: Prototype) -> Diagnostic:
    """Why `prototype` is not there: not defined, a kernel, other parameters, not extern "C"; with the line if any."""
    wanted = f'`extern "C" {prototype.declaration}`'
    found, different = difference(source, prototype)
    if found:
        reason = different or f"`{prototype.name}` does not match"
        return Diagnostic(f"{reason}: the grader calls {wanted}", found.line, None, source_line(source, found.line))
    names = [definition.name for definition in _definitions(source)]
    close = difflib.get_close_matches(prototype.name, names, n=1, cutoff=0.75)
    hint = f" (there is a `{close[0]}`)" if close else ""
    return Diagnostic(f"there is no function `{prototype.name}`{hint}: the file must define {wanted}")


def difference(source: str, prototype: Prototype) -> tuple[Definition | None, str]:
    """The definition of that name, and how it differs ("" if that cannot be told from its tokens)."""
    found = [definition for definition in _definitions(source) if definition.name == prototype.name]
    ours = min(found, key=lambda definition: bool(definition.around), default=None)
    return ours, _difference(ours, prototype) if ours else ""


def _difference(found: Definition, wanted: Prototype) -> str:
    name = f"`{wanted.name}`"
    words = found.result.split()
    if "__global__" in words:
        return f"{name} is a kernel, which only a launch can start; call the kernel otherwise and launch it from {name}"
    if "static" in words:
        return f"{name} is `static`, so that no other file can call it"
    returned = " ".join(word for word in words if word not in ("inline", "__host__"))
    if returned != "void":
        return f"{name} returns `{returned}` and not `void`"
    different = _first_different_parameter(found.parameters, wanted)
    if different:
        return f"the parameters of {name} differ ({different})"
    if found.in_scope:
        return f"{name} stands inside a namespace or class, and must stand outside"
    if not found.extern_c:
        return f'{name} lacks `extern "C"` before it, so that C++ gives it another name'
    return ""


def _first_different_parameter(text: str, wanted: Prototype) -> str | None:
    texts = [part.strip() for part in text.split(",")] if text else []
    for number, (ours, theirs) in enumerate(zip(texts, wanted.parameters, strict=False), start=1):
        try:
            parsed = parse_parameter(number, ours)
        except PrototypeError:
            return f"number {number} is `{ours}` and not `{theirs.declaration}`"
        if (parsed.type, parsed.role) != (theirs.type, theirs.role):
            return f"number {number} is `{parsed.declaration}` and not `{theirs.declaration}`"
    if len(texts) != len(wanted.parameters):
        return f"{len(texts)} and not {len(wanted.parameters)}"
    return None


def type_list(parameters: Sequence[Parameter]) -> str:
    """`const float*, float*, int`: without names, which a learner's macro could replace."""
    return ", ".join(parameter.declaration.removesuffix(parameter.name).strip() for parameter in parameters)


def _definitions(source: str) -> Iterator[Definition]:
    """Every `result name(parameters) {` of the file, wherever it stands (a lexical look, enough for a message)."""
    tokens = lex(source).code
    around: list[str] = []
    start = 0  # of the declaration that is being read
    for index, token in enumerate(tokens):
        if token.text == "{":
            head = tokens[start:index]
            yield from _definition(head, list(around))
            around.append(_brace([token.text for token in head]))
        elif token.text == "}" and around:
            around.pop()
        if token.text in ("{", "}", ";"):
            start = index + 1


def _brace(before: list[str]) -> str:
    """What a brace opens, by the tokens before it."""
    if before == ["extern", '"C"']:
        return "extern"
    return "scope" if {"namespace", "struct", "class", "union", "enum"} & set(before) else "function"


def _definition(head: list[Token], around: list[str]) -> Iterator[Definition]:
    """The function whose tokens before `{` are `head`, if it is one."""
    texts = [token.text for token in head]
    if "(" not in texts or texts[-1] != ")" or not (at := texts.index("(")):
        return
    is_extern_c = texts[:2] == ["extern", '"C"']
    words = texts[2 : at - 1] if is_extern_c else texts[: at - 1]
    name = head[at - 1]
    yield Definition(name.text, " ".join(words), " ".join(texts[at + 1 : -1]), name.line, around, is_extern_c)
