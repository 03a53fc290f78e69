"""What ptxas would refuse of an asm statement's text whatever its operands are: nvcc asks it for each file.

Only what is certain: a word that is no instruction of PTX, one without the type or rounding that it must have, a `;` or
bracket that is missing, a name that is not declared (ptx_names.py). What an instruction does with its operands is
looked at when a thread comes there (emulator/runtime/ptx).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from grader.devices.build import ptx_names, ptx_types


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# All of PTX ISA 9.0, without what follows the first dot; ptxas 13.0 was asked of each.
_INSTRUCTIONS = _words(
    """
    abs activemask add addc alloca and applypriority atom bar barrier bfe bfi bfind bmsk bra brev brkpt brx call clz
    clusterlaunchcontrol cnot copysign cos cp createpolicy cvt cvta discard div dp2a dp4a elect ex2 exit fence fma
    fns getctarank griddepcontrol isspacep istypep ld ldmatrix ldu lg2 lop3 mad mad24 madc mapa match max mbarrier
    membar min mma mov movmatrix mul mul24 multimem nanosleep neg not or pmevent popc prefetch prefetchu prmt rcp
    red redux rem ret rsqrt sad selp set setmaxnreg setp shf shfl shl shr sin slct sqrt st stackrestore stacksave
    stmatrix sub subc suld suq sured sust szext tanh tcgen05 tensormap testp tex tld4 trap txq vabsdiff vabsdiff2
    vabsdiff4 vadd vadd2 vadd4 vavrg2 vavrg4 vmad vmax vmax2 vmax4 vmin vmin2 vmin4 vote vset vset2 vset4 vshl vshr
    vsub vsub2 vsub4 wgmma wmma xor
    """
)
_OF_LATER_GPUS = {"tcgen05", "clusterlaunchcontrol"}
_DIRECTIVES = _words(
    """
    reg local shared const global param pragma loc branchtargets calltargets callprototype section file align tex
    samplerref surfref texref alias b8 b16 b32 b64
    """
)
# Those that work on values of one type, which they name: `.s32`, `.pred`, `.f16x2`.
_TYPED = _words(
    """
    abs add addc and bfe bfi bfind brev clz cnot cvt cvta div ex2 fma ld lg2 mad max min mov mul neg not or popc rcp
    rem rsqrt sad selp set setp shl shr sin cos slct sqrt st sub subc tanh xor atom red
    """
)
_TYPE = re.compile(r"(pred|[busf](8|16|32|64|128)|s?8x4|[uesf]\w*x[24]|bf16\w*|tf32\w*)")
_NO_TYPE = re.compile(r"[su](?!(?:2|4|8|16|32|64)$)\d+|f(?!(?:16|32|64)$)\d+|v(?![248]$)\d")
_AT_ADDRESS = {"ld", "ldu", "st", "atom", "red", "ldmatrix", "stmatrix"}
_OPERANDS = {
    **dict.fromkeys(("mov", "not", "neg", "abs", "popc", "clz", "brev", "cvta", "sqrt", "rcp", "rsqrt", "sin"), (2,)),
    **dict.fromkeys(("cos", "ex2", "lg2", "tanh"), (2,)),
    **dict.fromkeys(("add", "sub", "mul", "div", "rem", "and", "or", "xor", "shl", "shr"), (3,)),
    **dict.fromkeys(("mad", "fma", "selp", "bfe", "prmt", "sad", "slct"), (4,)),
    **dict.fromkeys(("min", "max"), (3, 4)),
    "bar": (1, 2, 3, 4),
    "barrier": (0, 1, 2, 3, 4),  # barrier.cluster has none
}
_INNER = re.compile(r"\[[^]]*\]|\{[^}]*\}|\([^)]*\)")
_ROUNDED = re.compile(r"\.r[nzmpas]i?\b|\.approx\b|\.full\b|\.rna\b|\.rs\b")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_LABEL = re.compile(r"[\w$%=]+\s*:(?!:)\s*")
_GUARD = re.compile(r"@\s*!?\s*[\w$%]+\s*")
_WORD = re.compile(r"[\w$%]+[\w$%.:]*")
_TWO_WORDS = re.compile(r"[\w\])}]\s+(%?[A-Za-z_$]|%\d)")


class Asm(NamedTuple):
    """The text of an asm statement, and the letters of its operands' constraints."""

    text: str
    letters: str


def is_instruction(word: str) -> bool:
    """Whether PTX has one that begins with this word."""
    return word in _INSTRUCTIONS


def of_function(statements: Sequence[Asm]) -> dict[int, str]:
    """What is wrong with the PTX of a function's asm statements, a sentence for the number of each that is wrong."""
    plain = [each._replace(text=_COMMENT.sub(" ", each.text)) for each in statements]
    said = {number: sentence for number, each in enumerate(plain) if (sentence := _of_text(each.text, each.letters))}
    return said or ptx_names.of_function([each.text for each in plain])


def _of_text(text: str, letters: str) -> str:
    """In one sentence; "" if nothing is wrong for certain."""
    if not letters and "%%" in text:
        return "where asm has no operands, its text has one `%` before a special register"
    statements = list(_statements(text))
    for statement, _ in statements:
        if said := _of_statement(statement, letters):
            return said
    if statements and not statements[-1][1]:
        return f"a `;` is missing at the end of the PTX `{_short(statements[-1][0])}`"
    return ""


def _statements(text: str) -> Iterator[tuple[str, bool]]:
    """Each, and whether a `;` ends it. A brace where one would begin is a block's, any other a vector's."""
    statement = ""
    for character in text:
        if character in "{}" and not statement.strip():
            statement = ""
        elif character == ";":
            if statement.strip():
                yield statement.strip(), True
            statement = ""
        else:
            statement += character
            if character == ":" and _LABEL.fullmatch(statement.strip()):
                statement = ""
    if statement.strip():
        yield statement.strip(), False


def _of_statement(statement: str, letters: str) -> str:
    body = _GUARD.sub("", statement, count=1) if statement.startswith("@") else statement
    if body.startswith("."):
        name = body[1:].split()[0].partition(".")[0]
        return "" if name in _DIRECTIVES else f"PTX has no `.{name}`: `.reg .u32 t;` declares a register"
    found = _WORD.match(body)
    if found is None or "%" in found[0]:
        return ""  # an operand may be the instruction's name
    name, *modifiers = found[0].split(".")
    if name not in _INSTRUCTIONS:
        return f"`{found[0]}` is no instruction of PTX"
    if name in _OF_LATER_GPUS:
        return f"`{found[0]}` is an instruction of later GPUs than this kernel is compiled for"
    operands = body[found.end() :]
    return (
        _of_instruction(name, modifiers, found[0])
        or _of_operands(name, operands, body)
        or ptx_types.of_guard(statement)
        or ptx_types.of_instruction(name, modifiers, operands, letters)
    )


def _of_instruction(name: str, modifiers: list[str], whole: str) -> str:
    if "%" in whole:
        return ""
    if name in _TYPED and not any(map(_TYPE.fullmatch, modifiers)):
        return f"the PTX `{whole}` does not say its type, as in `{name}.u32`"
    if unknown := next(filter(_NO_TYPE.fullmatch, modifiers), ""):
        return f"PTX has no `.{unknown}`, as in `{whole}`"
    kind = modifiers[-1] if modifiers else ""
    if name == "cvt" and _must_round(modifiers) and not _ROUNDED.search(whole):
        return f"the PTX `{whole}` does not say how it rounds: write `.rn`, or `.rni` to whole numbers"
    if name in ("mul", "mad") and re.fullmatch("[us](16|32|64)", kind) and not {"lo", "hi", "wide"} & set(modifiers):
        return f"the PTX `{whole}` does not say which half: write `{name}.lo.{kind}`, `.hi` or `.wide`"
    if name in ("fma", "div", "rcp", "sqrt") and kind in ("f32", "f64") and not _ROUNDED.search(whole):
        return f"the PTX `{whole}` does not say how it rounds: write `{name}.rn.{kind}`"
    return ""


def _must_round(modifiers: list[str]) -> bool:
    """Whether a conversion, to the type before the last one, may have no exact result."""
    types = [re.fullmatch("([usf])(8|16|32|64)", each) for each in modifiers[-2:]]
    if len(types) < 2 or types[0] is None or types[1] is None:
        return False
    (to, bits), (source, of_source) = types[0].groups(), types[1].groups()
    return "f" in to + source and (to != source or int(bits) < int(of_source))


def _of_operands(name: str, operands: str, body: str) -> str:
    for opening, closing in ("[]", "{}", "()"):
        if operands.count(opening) != operands.count(closing):
            missing = closing if operands.count(opening) > operands.count(closing) else opening
            return f"a `{missing}` is missing in the PTX `{_short(body)}`"
    if name in _AT_ADDRESS and "[" not in operands:
        return f"the PTX `{_short(body)}` needs an address in brackets: `[%0]`"
    number = _INNER.sub("", operands).count(",") + bool(operands.strip())
    if number not in _OPERANDS.get(name, (number,)):
        return f"`{name}` has another number of operands than the PTX `{_short(body)}`"
    if _TWO_WORDS.search(operands.strip()):
        return f"a `,` or a `;` is missing in the PTX `{_short(body)}`"
    return ""


def _short(statement: str) -> str:
    return " ".join(statement.split())
