"""What clang says of the text of a `printf`, and of the values behind it, in words that say what to type."""

from __future__ import annotations

import re

# How a value is printed, by its type.
_PRINTED = {
    **dict.fromkeys(("float", "double"), "%f"),
    **{"int": "%d", "unsigned int": "%u", "long": "%ld", "unsigned long": "%zu", "bool": "%d"},
    **{"long long": "%lld", "unsigned long long": "%llu", "char *": "%s", "const char *": "%s"},
}
_SMALL = ("half", "__half", "__nv_bfloat16", "nv_bfloat16")  # structures, to C++
_EIGHT_BYTES = {"long", "unsigned long", "long long", "unsigned long long"}  # as much to a printf as to a GPU's
_MISMATCH = re.compile(
    r"format specifies type '(?P<wanted>[^']*)'(?: \(aka '(?P<wanted_as>[^']*)'\))? but the argument has"
    r"(?: underlying)? type '(?P<given>[^']*)'(?: \(aka '(?P<given_as>[^']*)'\))?"
)
_OTHERS = (
    ("more '%' conversions", "this text has more % than there are values behind it: a value is missing"),
    ("data argument not used", "this text has fewer % than there are values behind it: the last value is not printed"),
    ("invalid conversion specifier", "this % says nothing that can be printed: a percent sign itself is written %%"),
    ("incomplete format specifier", "this % says nothing that can be printed: a percent sign itself is written %%"),
)

OTHER_VALUE = "the text of this call says"


def of_format(text: str) -> str:
    """One sentence; "" where it would not help: where both types have the same bits."""
    if not (match := _MISMATCH.search(text)):
        return next((words for begin, words in _OTHERS if text.startswith(begin)), "")
    wanted, given = match["wanted_as"] or match["wanted"], match["given_as"] or match["given"]
    if {wanted, given} <= _EIGHT_BYTES:
        return ""
    told = f"{OTHER_VALUE} `{match['wanted']}`, but the value is `{match['given']}`"
    if given in _PRINTED and "*" not in wanted.removeprefix("char *").removeprefix("void *"):
        return f"{told}: write {_PRINTED[given]} for it"
    return f"{told}: write `(float)` before it" if given in _SMALL else told
