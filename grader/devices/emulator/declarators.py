"""Declarations of a text that is looked at without a compiler's knowledge of names: what is no plain one is none."""

from __future__ import annotations

from dataclasses import dataclass

from grader.devices.build.syntax import CLOSING
from grader.devices.emulator.text_part import NO_BASE, NUMBERS, Part

ATTRIBUTES = {"alignas", "__attribute__", "__attribute"}
_QUALIFIERS = {"const", "volatile", "typename", "struct", "class", "union"}
_BEFORE_A_NAME = {"*", "&", "const", "volatile", "__restrict__", "__restrict"}
_NO_TYPE = (NO_BASE - NUMBERS) | {
    "static", "constexpr", "consteval", "constinit", "__constinit", "thread_local", "extern", "register", "typedef",
    "using", "auto", "decltype", "__typeof__", "default", "public", "private", "protected", "friend", "enum", "asm",
    "break", "continue", "for", "switch", "this", "namespace", "static_assert", "__asm__",
} - _QUALIFIERS - {"void"}  # fmt: skip


@dataclass
class Declarator:
    """`*name[2][3] attribute = {...}`: where its parts begin, and what follows it."""

    first: int
    name: int
    behind_sizes: int
    value: int
    end: int
    attributes: list[str]
    is_array: bool  # float a[4]
    is_one: bool  # a number, a structure, a pointer


class Declarations:
    """Those of a part."""

    def __init__(self, part: Part):
        self._part = part

    def source(self, first: int, end: int) -> str:
        """The text from this token on, on one line."""
        part = self._part
        return (
            part.source[part.tokens[first].start : part.tokens[end - 1].end].replace("\n", " ") if first < end else ""
        )

    def specifiers(self, at: int) -> tuple[list[str], str, int]:
        """The attributes and the type that a declaration may begin with, "" if it is none, and what follows."""
        part = self._part
        attributes, words, has_type = list[str](), list[str](), False
        while at < len(part.texts):
            text = part.text(at)
            if (text in ATTRIBUTES or part.texts[at : at + 2] == ["[", "["]) and not (text == "[" and words):
                last = part.pairs.get(at + (text != "["), at)
                attributes.append(self.source(at, last + 1))
                at = last + 1
            elif text in _QUALIFIERS:
                words.append(text)
                at += 1
            elif text in NUMBERS:
                words.append(text)
                has_type, at = True, at + 1
            elif has_type or text in _NO_TYPE or not (part.is_word(at) or text == "::"):
                break
            else:
                last = self._last_of_name(at)
                words.append(self.source(at, last + 1))
                has_type, at = True, last + 1
        return attributes, " ".join(words) if has_type else "", at

    def _last_of_name(self, at: int) -> int:
        """The last token of `ns::Vector<float, 4>`."""
        part = self._part
        at += part.text(at) == "::"
        while True:
            if part.text(at + 1) == "<":
                depth, end = 1, at + 2
                while depth and end < len(part.texts) and part.text(end) not in (";", "{"):
                    depth += (part.text(end) == "<") - (part.text(end) == ">")
                    end = part.pairs.get(end, end) + 1 if part.text(end) in ("(", "[") else end + 1
                if depth:
                    return at
                at = end - 1
            if part.text(at + 1) != "::" or not part.is_word(at + 2):
                return at
            at += 2

    def declarators(self, at: int) -> list[Declarator]:
        """What is declared up to the semicolon; [] if that is not as plain as it must be."""
        part, found = self._part, list[Declarator]()
        while declarator := self._declarator(at):
            found.append(declarator)
            if part.text(declarator.end) == ";":
                return found
            at = declarator.end + 1
        return []

    def _declarator(self, first: int) -> Declarator | None:
        """What is declared from here up to a comma or the semicolon."""
        part, name = self._part, first
        while part.text(name) in _BEFORE_A_NAME:
            name += 1
        if not part.is_word(name) and part.text(name) != "(":
            return None
        is_plain = part.is_word(name) and "&" not in part.texts[first:name]
        is_array, is_one = (is_plain and (part.text(name + 1) == "[") == has_sizes for has_sizes in (True, False))
        at = name + 1 if part.is_word(name) else part.pairs.get(name, name) + 1  # (*rows)[4]
        while part.text(at) == "[" and at in part.pairs:
            at = part.pairs[at] + 1
        behind_sizes, attributes = at, list[str]()
        while part.text(at) in ATTRIBUTES and at + 1 in part.pairs:
            attributes.append(self.source(at, part.pairs[at + 1] + 1))
            at = part.pairs[at + 1] + 1
        value = at
        if part.text(at) not in ("=", "{", ",", ";") and (part.text(at) != "(" or is_array):
            return None
        while at < len(part.texts) and part.text(at) not in (",", ";"):
            if part.text(at) in CLOSING:
                return None
            at = part.pairs.get(at, at) + 1
        is_doubtful = part.text(at) != ";" and "<" in part.texts[value:at]  # the comma may be a template's
        if is_doubtful:
            return None
        is_one = is_one and part.texts[value : value + 2] != ["(", ")"]  # which declares a function
        return Declarator(first, name, behind_sizes, value, at, attributes, is_array, is_one)
