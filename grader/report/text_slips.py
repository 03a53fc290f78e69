"""Slips that stand in the text of a file which fails: what no compiler minds, and what is to be typed instead."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

from grader.devices.build.lexer import Directive, Token, lex
from grader.judge.verdict import Status
from grader.report.counter_slips import by_the_other, does_all, narrow_index, set_behind
from grader.report.fragment_slips import groups, leading_dimensions, unfilled
from grader.report.statements import begin, statements

OPENING, CLOSING = ("(", "[", "{"), (")", "]", "}")
LONGEST_LAUNCH = 200  # tokens
LOOSE = ("+", "-", "<", ">", "&", "|", "^", "?")  # what * and / come before
MULTIPLIES = ("*", "/", "%")
_LIKE_A_MASK = re.compile(r"0[xX][fF]+[uU]?|~0[uU]?|-1|\w*(?i:mask)\w*(?:\(\))?|__activemask\(\)|(?i:full|all)\w*")
_ADDS = re.compile(
    r"(?:^|[;{})])\s*(?:(\w+)\s*\[[^=;]*\]|\*\s*(\w+))\s*(?:[-+*/|&^]=|\+\+)|\batomic[A-Z]\w*\(\s*&?\s*(\w+)"
)
_EMPTY = re.compile(r"^\s*(for|while|if)\s*\(.*\)\s*;\s*\{?\s*(?://.*)?$")

MACRO = (
    "`{name}` stands for `{body}` just as it is written, so that line {line} works out `{first}` first: write "
    "the macro with parentheses, `#define {name} ({body})`."
)
PARAMETER = (
    "`{macro}` takes `{given}` in line {line} just as it is written, and `{name}` stands beside a `{sign}` there: put "
    "parentheses around it in the macro, `({name})`."
)
SWAPPED = (
    "Line {line} hands over `{one}` where {kernel} takes `{first}`, and `{two}` where it takes `{second}`: are these "
    "two swapped?"
)
TWICE = "Line {line} hands over `{one}` twice, also where {kernel} takes `{first}`: does `{two}` belong there?"
SIZEOF = "Line {line} hands over `{given}` where {kernel} takes `{name}`: a count of elements is no number of bytes."
POINTER = "`{name} + i` counts elements, not bytes, so that the sizeof in line {line} goes too far: write `{name}[i]`."
BYTES = (
    "Line {line} counts in bytes, as a `char*` does: element i of `{name}` begins at byte 4 * i, so write `{name}[i]`."
)
REFERENCE = (
    "`{kernel}` takes `{name}` by reference, which hands it an address of the host's: take it by value, without the `&`"
    " in line {line}."
)
ADDS = (
    "Line {line} works with what `{name}` holds before, and nothing is written there yet: {instead}set it to 0 in"
    " front of the launch, `cudaMemsetAsync({name}, 0, bytes, stream)`."
)
TUPLE = "Of `({numbers})` in line {line} only the last counts, `{last}`: write `dim3({numbers})`."
LOOP = "The `;` at the end of line {line} is all that this `{word}` is about: take it out."
MASK_FIRST = (
    "In line {line} the mask comes first, and then the value: `{call}(0xffffffff, value, {third})`; here `{given}` "
    "stands in the mask's place."
)
DISTANCE_THIRD = (
    "In line {line} the third argument of `{call}` is the distance and the fourth the width, 32 if it is left out: "
    "write `{call}({mask}, {value}, {distance})`."
)
VALUE_SECOND = (
    "In line {line} the second argument of `{call}` is the value and the third the distance: write `{call}({mask}, "
    "{value}, {distance})`."
)


def slip(status: Status, source: Sequence[str], line: int | None) -> str:
    """A sentence on the first slip that may be why a file has this status; "" if there is none. `line` is told."""
    tokens = lex("\n".join(source))
    calls = list(_calls(tokens.code))
    source, begins = statements(source)  # for rules that read a line at a time
    line = begin(begins, line)
    found: list[Iterator[str]] = [_tuples(tokens.code)]
    if status in ("wrong_result", "deadlock", "uninitialized_read"):
        found.append(_shuffles(calls))
    if status in ("wrong_result", "not_written", "out_of_bounds", "race", "timeout"):
        found.append(narrow_index(source))
    if status in ("wrong_result", "not_written", "race"):
        found += [by_the_other(source), set_behind(source)]
    if status == "timeout":
        found.append(does_all(source, line))
    if status == "uninitialized_read":
        found.append(_adds(source, line))
    if status in ("wrong_result", "uninitialized_read", "out_of_bounds", "race", "misaligned"):
        found.append(leading_dimensions(calls, tokens.code, tokens.directives))
        found += [unfilled(calls, source), groups(source)]
    if status in ("wrong_result", "out_of_bounds", "not_written", "race"):
        found.append(_macros(tokens.code, tokens.directives))
    if status in ("wrong_result", "out_of_bounds", "not_written"):
        found += [_launches(tokens.code), _loops(source)]
    if status == "out_of_bounds":
        found.append(_references(tokens.code, source, line))
    if status in ("out_of_bounds", "misaligned"):
        found.append(_bytes(source, line))
    return next((said for each in found for said in each), "")


# ---- outputs ----


def _adds(source: Sequence[str], line: int | None) -> Iterator[str]:
    """`z[i] += x[i]`, or an atomic, of a kernel's parameter that no memset has filled."""
    text, whole = source[line - 1] if line and line <= len(source) else "", "\n".join(source)
    found = _ADDS.search(text)
    name = next(filter(None, found.groups()), "") if found else ""
    is_parameter = name and re.search(rf"__global__[^{{;]*\*\s*(?:__restrict(?:__)?\s+)?{name}\s*[,)]", whole)
    if is_parameter and "cudaMemset" not in whole:
        is_atomic = found is not None and found[3] is not None  # which is there because several threads add
        yield ADDS.format(line=line, name=name, instead="" if is_atomic else "write `=`, or ")


# ---- macros ----


def _macros(code: Sequence[Token], directives: Sequence[Directive]) -> Iterator[str]:
    for each in directives:
        if each.name != "define" or len(each.tokens) < 4:
            continue
        name, body = each.tokens[2], each.tokens[3:]
        if body[0].text == "(" and body[0].start == name.end:
            yield from _of_parameters(code, name, body)
        elif not any(token.text in ("{", ";", "=") for token in body):
            yield from _of_body(code, name, body)


def _of_body(code: Sequence[Token], name: Token, body: Sequence[Token]) -> Iterator[str]:
    """`#define I a + b`, and `2 * I`."""
    loose = [at for at in _at_top(body) if at and body[at].text in LOOSE]
    if not loose:
        return
    for at, token in enumerate(code):
        before, after = _text(code, at - 1), _text(code, at + 1)
        is_product = before in MULTIPLIES and (code[at - 2].kind in ("word", "number") or _text(code, at - 2) in ")]")
        if token.text != name.text or not (is_product or after in MULTIPLIES):
            continue
        first = f"{_text(code, at - 2)} {before} {_written(body[: loose[0]])}"
        first = first if is_product else f"{_written(body[loose[-1] + 1 :])} {after} {_text(code, at + 2)}"
        yield MACRO.format(name=name.text, body=_written(body), line=token.line, first=first)


def _of_parameters(code: Sequence[Token], name: Token, body: Sequence[Token]) -> Iterator[str]:
    """`#define AT(r, c) r * cols + c`, and `AT(i + 1, 0)`."""
    end = next((at for at, token in enumerate(body) if token.text == ")"), len(body))
    parameters = [token.text for token in body[1:end] if token.kind == "word"]
    rest = body[end + 1 :]
    beside = {}
    for before, token, after in zip(
        ["", *(t.text for t in rest)], rest, [*(t.text for t in rest[1:]), ""], strict=False
    ):
        if token.text in parameters and (sign := next((s for s in (before, after) if s in MULTIPLIES), "")):
            beside[token.text] = sign
    for at, token in enumerate(code):
        if token.text != name.text or _text(code, at + 1) != "(":
            continue
        for parameter, given in zip(parameters, _arguments(code, at + 1), strict=False):
            if parameter in beside and any(given[inner].text in LOOSE for inner in _at_top(given) if inner):
                yield PARAMETER.format(
                    macro=name.text, given=_written(given), line=token.line, name=parameter, sign=beside[parameter]
                )


# ---- launches ----


def _tuples(code: Sequence[Token]) -> Iterator[str]:
    """`k<<<(rows, 1), 256>>>`, as numba has it."""
    for at in range(len(code) - 3):
        if [token.text for token in code[at : at + 3]] != ["<"] * 3 or code[at + 3].text != "(":
            continue
        inside = list(_arguments(code, at + 3))
        if len(inside) in (2, 3):
            numbers = ", ".join(map(_written, inside))
            yield TUPLE.format(line=code[at].line, numbers=numbers, last=_written(inside[-1]))


def _launches(code: Sequence[Token]) -> Iterator[str]:
    kernels = {name: names for name, names in _kernels(code)}
    for at, token in enumerate(code):
        if token.text not in kernels or [_text(code, at + n) for n in (1, 2, 3)] != ["<"] * 3:
            continue
        opening = next(
            (n + 3 for n in range(at, len(code) - 3) if [_text(code, n + m) for m in range(4)] == [*">>>", "("]), 0
        )
        given = [_written(each) for each in _arguments(code, opening)] if opening else []
        if len(given) == len(kernels[token.text]):
            yield from _handed_over(code[opening].line, token.text, kernels[token.text], given)


def _handed_over(line: int, kernel: str, takes: Sequence[str], given: Sequence[str]) -> Iterator[str]:
    declared, takes = takes, _spelled_as(given, takes)
    for at, (name, one) in enumerate(zip(takes, given, strict=True)):
        if "sizeof" in one and re.search(rf"\b{name}\b", one):
            yield SIZEOF.format(line=line, given=one, kernel=kernel, name=name)
        if one == name or one not in takes:
            continue
        other = takes.index(one)
        said = {"line": line, "kernel": kernel, "one": one, "two": name, "first": declared[at]}
        said |= {"second": declared[other]}
        if given[other] == name and at < other:
            yield SWAPPED.format(**said)
        elif given[other] == one and name not in given:
            yield TWICE.format(**said)


def _spelled_as(given: Sequence[str], takes: Sequence[str]) -> list[str]:
    """`n` for a parameter `N`, where a launch hands over an `n` and no two names differ by that alone."""
    names = {each.lower(): each for each in given}
    lower = [name.lower() for name in takes]
    alone = len(set(lower)) == len(lower) and len(names) == len(set(given))
    return [names.get(low, name) if alone else name for low, name in zip(lower, takes, strict=True)]


def _kernels(code: Sequence[Token]) -> Iterator[tuple[str, list[str]]]:
    names: dict[int, tuple[str, list[str]]] = {}
    for opening, name, each in parameters_of_kernels(code):
        names.setdefault(opening, (name, []))[1].append(each[-1].text)
    yield from names.values()


def parameters_of_kernels(code: Sequence[Token]) -> Iterator[tuple[int, str, list[Token]]]:
    """Of each kernel: where its parameters begin, its name, and one of them."""
    for at, token in enumerate(code):
        if token.text != "__global__":
            continue
        opening = next((n for n in range(at, len(code)) if code[n].text == "(" and code[n - 1].text[:2] != "__"), 0)
        for each in _arguments(code, opening) if opening else ():
            if each:
                yield opening, code[opening - 1].text, each


def _references(code: Sequence[Token], source: Sequence[str], line: int | None) -> Iterator[str]:
    """`__global__ void add(float* x, int& n)`, where the line that is told uses `n`."""
    text = source[line - 1] if line and line <= len(source) else ""
    for _, name, each in parameters_of_kernels(code):
        if len(each) > 1 and each[-2].text == "&" and re.search(rf"\b{each[-1].text}\b", text):
            yield REFERENCE.format(kernel=name, name=each[-1].text, line=each[-1].line)


# ---- shuffles ----


def _shuffles(calls: Sequence[tuple[Token, list[str], str]]) -> Iterator[str]:
    for name, given, assigned in calls:
        if not re.fullmatch(r"__shfl_(?:down|up|xor)_sync", name.text) or len(given) not in (3, 4):
            continue
        said = {"line": name.line, "call": name.text, "mask": given[0], "value": given[1], "distance": given[2]}
        is_mask = [bool(_LIKE_A_MASK.fullmatch(each.replace(" ", ""))) for each in given]
        if not is_mask[0] and any(is_mask[1:]):
            others = [each for each, mask in zip(given, is_mask, strict=True) if not mask]
            yield MASK_FIRST.format(**said, third=others[-1] if len(others) > 1 else "distance", given=given[0])
        elif len(given) == 4 and given[2] in ("32", "warpSize") and not given[3].isdigit():
            yield DISTANCE_THIRD.format(**said | {"distance": given[3]})
        elif assigned and given[2] == assigned != given[1]:
            yield VALUE_SECOND.format(**said | {"value": given[2], "distance": given[1]})


def _calls(code: Sequence[Token]) -> Iterator[tuple[Token, list[str], str]]:
    """Each call with its arguments, and the variable that it is assigned or added to."""
    for at, (token, after) in enumerate(pairwise(code)):
        if token.kind == "word" and after.text == "(":
            gets = at - 2 if _text(code, at - 1) == "=" else at
            gets -= _text(code, gets) in ("+", "*", "|", "&") and gets < at
            yield token, [_written(each) for each in _arguments(code, at + 1)], _text(code, gets) if gets < at else ""


# ---- lines ----


def _loops(source: Sequence[str]) -> Iterator[str]:
    for number, (text, after) in enumerate(pairwise([*source, ""]), 1):
        found = _EMPTY.match(text)
        goes_on = bool(found and "{" in text) or after.lstrip().startswith("{") or _indent(after) > _indent(text)
        if found and goes_on and "}" not in text and _is_whole(text[text.index("(") : text.rindex(")") + 1]):
            yield LOOP.format(line=number, word=found[1])


def _is_whole(text: str) -> bool:
    """Whether the bracket that begins this text closes at its end: `(i < n)`, and not `(i < n) f(x)`."""
    depths = list(accumulate((sign == "(") - (sign == ")") for sign in text))
    return depths[-1] == 0 and 0 not in depths[:-1]


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip()) if text.strip() else 0


def _bytes(source: Sequence[str], line: int | None) -> Iterator[str]:
    text = source[line - 1] if line and line <= len(source) else ""
    if found := re.search(r"\(\s*(?:const\s+)?char\s*\*\s*\)\s*(\w+)\s*\+", text):
        yield BYTES.format(line=line, name=found[1])
    elif found := re.search(r"\*\s*\(\s*(\w+)\s*\+[^()]*\*\s*sizeof\b|\b(\w+)\s*\[[^][]*\bsizeof\b", text):
        yield POINTER.format(line=line, name=found[1] or found[2])


# ---- tokens ----


def _text(code: Sequence[Token], at: int) -> str:
    return code[at].text if 0 <= at < len(code) else ""


def _written(tokens: Sequence[Token]) -> str:
    """The tokens with a space wherever one stood."""
    gaps = ["", *(" " * (after.start > one.end) for one, after in pairwise(tokens))]
    return "".join(gap + each.text for gap, each in zip(gaps, tokens, strict=True))


def _at_top(tokens: Sequence[Token]) -> Iterator[int]:
    """The places that are in no brackets."""
    depth = 0
    for at, token in enumerate(tokens):
        depth -= token.text in CLOSING
        if depth == 0:
            yield at
        depth += token.text in OPENING


def _arguments(code: Sequence[Token], opening: int) -> list[list[Token]]:
    """What stands between the commas of these parentheses."""
    found: list[list[Token]] = [[]]
    depth = 0
    for token in code[opening:]:
        depth += (token.text in OPENING) - (token.text in CLOSING)
        if depth == 0:
            break
        if token.text == "," and depth == 1:
            found.append([])
        elif token is not code[opening]:
            found[-1].append(token)
    return found if found != [[]] else []
