"""What a compiler says of a line, in the reader's words where the line itself shows the slip: `//` divides nothing."""

from __future__ import annotations

import re

DIVISION = "`//` begins a comment, and a division is `/`"
_NO_PRODUCT = re.compile(r"an index must be|invalid suffix ['\"](?P<suffix>[A-Za-z_]\w*)['\"] on (?:integer|floating)")
_DIVIDES = re.compile(r"(?P<code>.*[\w)\]])\s*//\s*[\w(][^;]*;\s*$")  # `n // threads;`
_NEEDED = re.compile(r"`(?P<one>[^`]*)` is needed here, and this is `(?P<two>[^`]*)`$")
_ADDRESS = re.compile(r"(?<=[(,=])\s*&\s*(\w+)\s*(?=[,);])")
_ELEMENT = re.compile(r"(?<=[(,=])\s*\*\s*(\w+)\s*(?=[,);])")
# What is said, in which line, and what is told.
_SLIPS: tuple[tuple[str, str, str], ...] = (
    (
        r"CUDA has no such operator|no viable conversion|`\w+` is needed here, and this is `(?:const )?(?:uint3|dim3)`",
        r"\b(?P<name>threadIdx|blockIdx|blockDim|gridDim)\b(?!\s*\.)",
        "`{name}` has three members: write `{name}.x` for the first",
    ),
    (
        r"'(?P<name>\w+)' was not declared in this scope$",
        r"^\s*(?P<left>\w+)\s*=[^=]",
        "'{name}' was not declared in this scope: a variable's first line names its type, `int {name} = ...`",
    ),
    (
        r"expected expression|expected unqualified-id|invalid preprocessing directive",
        r"^(?!\s*#\s*(?:include|define|if|el|end|pragma|undef|line|error))[^\"'#]*#\s*(?P<word>\w+)",
        "`#` begins no comment here: write `// {word}`",
    ),
    (
        r"an index must be a whole number",
        r"^\s*\w+\s*\[[^\]]*,[^\]]*\]\s*\(",
        "a kernel is launched with <<< >>>: `kernel<<<blocks, threads, 0, stream>>>(...)`",
    ),
    (
        r".*is `const`, so it can only be read",
        r"\b(?P<word>if|while)\s*\([^=;]*[^=!<>]=[^=]",
        "`=` assigns, and `==` compares: write `==` in this `{word}`",
    ),
    (
        r".*",
        r"\bfor\s*\((?=[^;:]*(?:;[^;:]*)?$)(?=[^()]*,)[^;()]*(?:;[^;()]*)?\)",
        "the three parts of a `for` end with `;`: `for (int i = 0; i < n; ++i)`",
    ),
    (r"expected unqualified-id", r"\bextern\s+'C'", 'texts have double quotes: write `extern "C"`'),
)


def in_view_of(own: str | None, text: str) -> str:
    """A compiler's message about its `own` line, or what the slip in that line is."""
    if not own:
        return text
    if text.startswith("a `;` is missing") and _DIVIDES.search(own):
        return f"{text}: {DIVISION}"
    if said := _NO_PRODUCT.match(text):
        suffix = said["suffix"] or "[ij]"  # of those two g++ makes an imaginary number
        if found := re.search(rf"(?<![\w.])(\d[\d.]*)({suffix})\b", own):
            return f"`{found[0]}` is no product: write `{found[1]} * {found[2]}`"
    if needed := _NEEDED.match(text):
        return f"{text}{_one_sign_too_many(own, needed['one'], needed['two'])}"
    for said_of, line, told in _SLIPS:
        found, slip = re.match(said_of, text), re.search(line, own)
        words = {**(found.groupdict() if found else {}), **(slip.groupdict() if slip else {})}
        if found and slip and words.get("left") in (None, words.get("name")):
            return told.format(**words)
    return text


def division_above(source: str, line: int | None, text: str) -> int | None:
    """The line above in which `//` takes the rest away, where a bracket is said to be missing in front of this one."""
    if not line or not text.startswith("a `)` is missing"):
        return None
    rows = source.split("\n")
    at = next((at for at in range(min(line, len(rows)) - 2, -1, -1) if rows[at].strip()), None)
    found = _DIVIDES.match(rows[at]) if at is not None else None
    return at + 1 if at is not None and found and found["code"].count("(") > found["code"].count(")") else None


def declared_below(source: str, line: int | None, text: str) -> str:
    """The same of a name that is not known yet, and is defined in a line further down."""
    found = re.match(r"'(\w+)' was not declared in this scope$", text)
    if not found or not line:
        return text
    name = found[1]
    definition = re.compile(
        rf"#\s*define\s+{name}\b|^(?!\s*return\b)[\w\s*&<>:,]*[\s*&]{name}\s*\([^;{{]*(?:\{{|$)|^\s*(?:static\s+)?const\w*\s[^;]*\b{name}\s*="
    )
    rows = source.split("\n")
    below = next((at + 1 for at in range(line, len(rows)) if definition.search(rows[at])), None)
    return f"{text}: it comes in line {below} only, so move that above this line" if below else text


def _one_sign_too_many(own: str, needed: str, given: str) -> str:
    """Where a number is needed and its address is given, or an address and its element: the sign to take out."""
    plain = needed.removeprefix("const "), given.removeprefix("const ")
    addresses, elements = _ADDRESS.findall(own), _ELEMENT.findall(own)
    if plain[1] == f"{plain[0]} *" and len(addresses) == 1:
        return f": write `{addresses[0]}`, without its `&`"
    if plain[0] == f"{plain[1]} *" and elements:
        return f": write `{elements[0]}`, without its `*`"
    return ""
