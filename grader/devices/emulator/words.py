"""What a kernel file may not say, seen where no macro hides it: in the text that the preprocessor makes of it.

That text, and no other, is what g++ compiles next. Refused is what the emulator's callbacks would not see:
assembly, attributes and pragmas but for those that CUDA code has a use for, and our own names.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator

from grader.devices.build.lexer import Token, lex
from grader.devices.build.refused import OWN_NAME, Refusal, reserved
from grader.devices.emulator.outside import words

NO_PTX = "inline PTX (asm) runs in device functions alone, where it is written out as asm(...)"

# A line of a header begins behind a marker with a 1 and ends before one with a 2. The text around has neither.
_MARKER = re.compile(r'^# (\d+) "(?:[^"\\\n]|\\.)*"(?: (\d))?[ \d]*\n', re.MULTILINE)
_ASM = ("asm", "__asm", "__asm__")
_ASM_QUALIFIERS = ("volatile", "__volatile__", "__volatile", "inline", "__inline__", "goto")
_ATTRIBUTE = ("__attribute__", "__attribute")
# Attributes that leave an access where it is, and a name what it is.
_ATTRIBUTES = words(
    """
    aligned alloc_size always_inline artificial assume_aligned carries_dependency cluster_dims cold const deprecated
    designated_init device error fallthrough flatten format format_arg global gnu_inline host hot likely managed
    maybe_unused may_alias mode no_unique_address noclone nodiscard noinline nonnull noreturn nothrow packed pure
    returns_nonnull sentinel shared transparent_union unlikely unused used vector_size visibility warn_unused_result
    warning launch_bounds grid_constant annotate constructor destructor weak noduplicate convergent
    """
)
# Where `__constant__` puts a variable, and how a gap begins (gaps.py).
_SECTION = '"ladder_constant."'
_GAP = ["static", "__attribute__", *"((", "used", ",", "section", "(", '".bss"', *")))", "char"]  # fmt: skip
_HIDES = re.compile(r"no_sanitize|section|disable_sanitizer")
_GCC_PRAGMAS = ("diagnostic", "unroll", "ivdep", "warning", "error")
_PRAGMAS_THAT_RENAME = ("weak", "redefine_extname", "extern_prefix", "scalar_storage_order")
# What translation writes into a file, and where it may stand. A file that writes the same says what translation says.
_WRITTEN = re.compile(
    r"ladder_(a|k|T|bound|blocks|cluster|dynamic_shared|shared_\w+|gap_\d+|as_\d+|declared_\w+|side_\w+|value_\d+(_\w+)?)"
)
_CALLED = words(
    """
    launch config braced Zero most_threads least_blocks cluster_size launch_pointers launch_extended FirstOf ptx
    constraint moved value Unmade Forget
    """
)


def tag_of(source: str) -> str:
    """A name that a file cannot hold, because it is made from all of the file."""
    return "ladder_" + hashlib.sha256(source.encode(errors="surrogateescape")).hexdigest()[:20]


def refused_words(preprocessed: str, begins: str, tag: str) -> Refusal | None:
    """The first thing in the file's own part of a preprocessed text that cannot stay, if there is one.

    `begins` is the line before it; `tag` marks what translation has put in and is not instrumented.
    """
    for line, text in own_parts(preprocessed, begins):
        tokens = lex(text)
        found = [
            *(refusal for each in tokens.directives for refusal in _pragma(each.tokens)),
            *_assembly(tokens.code),
            *_attributes(tokens.code, tag),
            *_names(tokens.code, tag),
        ]
        if found:
            sentence, where = min(found, key=lambda refused: refused[1])
            return sentence, line + where - 1
    return None


def own_parts(text: str, begins: str) -> Iterator[tuple[int, str]]:
    """What comes from no header: parts with the line on which they begin, up to our own entry points."""
    return ((line, text[start:end]) for line, start, end in own_spans(text, begins))


def own_spans(text: str, begins: str) -> Iterator[tuple[int, int, int]]:
    """The same parts: a line, and where in the text they start and end."""
    start = text.index(begins) + len(begins)
    line, depth, place = 1, 0, start
    for marker in _MARKER.finditer(text, start):
        if depth == 0:
            yield line, place, marker.start()
        depth += (marker[2] == "1") - (marker[2] == "2")
        line, place = int(marker[1]), marker.end()
        if depth == 0 and '"<what the grader calls>"' in marker[0]:
            return
    yield line, place, len(text)


def _pragma(tokens: list[Token]) -> Iterator[Refusal]:
    words = [token.text for token in tokens[1:4]]
    if words[:1] != ["pragma"]:
        return
    of_gcc = words[1:2] in (["GCC"], ["gcc"]) and words[2:3] and words[2] not in _GCC_PRAGMAS
    if of_gcc or (words[1:2] and words[1] in _PRAGMAS_THAT_RENAME):
        said = " ".join(words[1:3] if of_gcc else words[1:2])
        yield f"`#pragma {said}` would hide code from the emulator: take it out", tokens[0].line


def _assembly(tokens: list[Token]) -> Iterator[Refusal]:
    """`asm volatile("" ::: "memory")` only holds the compiler back; what it is told beside, calls.py looks at."""
    for index, token in enumerate(tokens):
        if token.text not in _ASM or token.kind != "word":
            continue
        at = index + 1
        while at < len(tokens) and tokens[at].text in _ASM_QUALIFIERS:
            at += 1
        at += 1
        while at < len(tokens) and tokens[at].kind == "string" and not tokens[at].text.strip().strip('"'):
            at += 1
        if at >= len(tokens) or tokens[at].text not in (":", "::", ")"):
            yield NO_PTX, token.line


def _attributes(tokens: list[Token], tag: str) -> Iterator[Refusal]:
    for index, token in enumerate(tokens):
        gnu = token.text in _ATTRIBUTE
        standard = token.text == "[" and index + 1 < len(tokens) and tokens[index + 1].text == "["
        if not gnu and not standard:
            continue
        listed = list(_listed(tokens, index + (3 if gnu else 2)))
        if any(name == tag for name, _, _ in listed):
            continue
        for name, value, line in listed:
            is_gap = [each.text for each in tokens[index - 1 : index - 1 + len(_GAP)]] == _GAP
            if name.strip("_") not in _ATTRIBUTES and value != _SECTION and not is_gap:
                hides = "would hide code from the emulator" if _HIDES.match(name.strip("_")) else "is none of CUDA's"
                yield f"the attribute `{name}` {hides}: take it out", line


def _listed(tokens: list[Token], at: int) -> Iterator[tuple[str, str, int]]:
    """The attributes of a list that begins here: name, first argument, line."""
    depth, first = 0, True
    while at < len(tokens) and depth >= 0:
        text = tokens[at].text
        if depth == 0 and first and tokens[at].kind == "word":
            while tokens[at].text == "using" or (at + 1 < len(tokens) and tokens[at + 1].text in ("::", ":")):
                at += 1 if tokens[at].text == "using" else 2
            value = tokens[at + 2].text if at + 2 < len(tokens) and tokens[at + 1].text == "(" else ""
            yield tokens[at].text, value, tokens[at].line
            first = False
        elif text in ("(", "[", "{"):
            depth += 1
        elif text in (")", "]", "}"):
            depth -= 1
        elif text == "," and depth == 0:
            first = True
        at += 1


def _names(tokens: list[Token], tag: str) -> Iterator[Refusal]:
    for index, token in enumerate(tokens):
        if token.kind != "word" or not (OWN_NAME.match(token.text) or token.text.startswith("_Z")):
            continue
        after = [each.text for each in tokens[index + 1 : index + 3]]
        is_written = token.text == tag or _WRITTEN.fullmatch(token.text)
        is_called = token.text == "ladder" and after[:1] == ["::"] and after[1:] and after[1] in _CALLED
        if not is_written and not is_called:
            yield reserved(token.text), token.line
