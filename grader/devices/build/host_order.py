"""What a program's host code measures or shows in the wrong order: times of nothing, results that never came back.

Read from the tokens of one function, as they stand. What a loop or a jump may turn round is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from grader.devices.build.lexer import lex
from grader.devices.build.syntax import Scope, Stream, code_stream, is_launch, launch_end

_NOTHING_TIMED = (
    "no launch stands between the records of `{first}` and `{last}`, so the time is that of nothing: "
    "record `{last}` behind the launch"
)
_TOO_EARLY = (
    "the clock is read before the kernel is done, for a launch returns at once: "
    "write `cudaDeviceSynchronize();` before this line"
)
_NOT_BROUGHT_BACK = (
    "`{name}` holds what it held before the launch, for nothing is copied from the device: "
    "write `cudaMemcpy({name}, ..., cudaMemcpyDeviceToHost);` before this line"
)
_NEVER_WRITTEN = (
    "nothing has written `{name}`: bring the result into it first, `cudaMemcpy({name}, ..., cudaMemcpyDeviceToHost);`"
)
_RECORDS = ("cudaEventRecord", "cudaEventRecordWithFlags")
_NO_WORK = {*_RECORDS, "cudaEventSynchronize", "cudaEventCreate", "cudaDeviceSynchronize", "cudaGetLastError", "if"}
_ASK = {"cudaGetLastError", "cudaPeekAtLastError"}
_CLOCKS = re.compile(r"now|clock|omp_get_wtime|MPI_Wtime|[a-z_]*(?:seconds?|wtime|get_?time)[a-z_]*", re.IGNORECASE)
_INTO = {"gettimeofday", "clock_gettime", "timespec_get"}  # which take the time's address
_ON_PURPOSE = re.compile(r"launch|async|overhead|enqueue|submi|CPU|host", re.IGNORECASE)
_SHOWS = {"printf", "fprintf", "cout", "cerr"}
# With one of these, what kernels have made may come to the host in another way than by a copy that is seen.
_OTHER_WAYS = re.compile(
    r"DeviceToHost|cudaMemcpyDefault|FromSymbol|anaged|cudaHost|MallocHost|FromArray|Memcpy[23]D|cuMem|cublasGet|thrust"
    r"|Graph|memcpy_async"
)
_NUMBERS = {"float", "double", "int", "unsigned", "long", "short", "char", "vector", "size_t"}


def slips(text: str, others: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Lines of a program's file, each with what is wrong there; `others` are all its files, this one among them."""
    if "<<<" not in text:
        return
    stream = code_stream(lex(text))
    one_way = not any(map(_OTHER_WAYS.search, others)) and "printf" not in _of_kernels(stream)
    for function in stream.functions:
        if function.closed is None or function.device or "__global__" in stream.texts(function.head, function.opened):
            continue
        launches = [at for at in range(function.opened, function.closed) if is_launch(stream, at)]
        if launches and not any(stream.conditional[at] for at in launches):
            yield from _timed_by_events(stream, function, launches)
            yield from _timed_too_early(stream, function, launches)
            yield from _shown_too_early(stream, function, launches, one_way)


def _of_kernels(stream: Stream) -> list[str]:
    found = list[str]()
    for each in stream.functions:
        head = stream.texts(each.head, each.opened)
        found += stream.texts(each.opened, each.closed or each.opened) if each.device or "__global__" in head else []
    return found


def _timed_by_events(stream: Stream, function: Scope, launches: Sequence[int]) -> Iterator[tuple[int, str]]:
    """`cudaEventElapsedTime(&ms, a, b)` where both were recorded before the launch."""
    records = dict[str, int]()
    for at in range(function.opened, function.closed or 0):
        if stream.text(at) in _RECORDS and stream.text(at + 1) == "(":
            records[stream.text(at + 2)] = at
        if stream.text(at) != "cudaEventElapsedTime" or stream.text(at + 1) != "(":
            continue
        given = "".join(stream.texts(at + 2, stream.after_group(at + 1) - 1)).split(",")
        if len(given) != 3 or given[1] not in records or given[2] not in records:
            continue
        first, last = records[given[1]], records[given[2]]
        calls = _calls(stream, first, last)
        behind = [each for each in launches if last < each < at]
        side_by_side = stream.scopes[first] is stream.scopes[last] is stream.scopes[at]
        if first < last and calls <= _NO_WORK and behind and side_by_side:
            yield stream.tokens[last].line, _NOTHING_TIMED.format(first=given[1], last=given[2])


def _calls(stream: Stream, start: int, end: int) -> set[str]:
    """What is called between two tokens, launches too; macros of errors are left to what stands in them."""
    named = {stream.text(at) for at in range(start, end) if stream.is_word(at) and stream.text(at + 1) == "("}
    launched = {"<<<" for at in range(start, end) if is_launch(stream, at)}
    return {each for each in named if not (each.isupper() or "heck" in each)} | launched


def _timed_too_early(stream: Stream, function: Scope, launches: Sequence[int]) -> Iterator[tuple[int, str]]:
    """`t0 = now(); k<<<...>>>(...); t1 = now();`"""
    strings = "".join(each.text for each in stream.tokens[function.opened : function.closed] if each.kind == "string")
    for launch in launches:
        end = launch_end(stream, launch + 3)
        if end is None or _ON_PURPOSE.search(strings):
            continue
        behind, stop = _statement(stream, stream.after_group(end + 3))
        while _ASK & set(stream.texts(behind, stop)) and len(_calls(stream, behind, stop)) == 1:
            behind, stop = _statement(stream, stop)
        clock, before = _clock(stream, behind, stop), function.opened
        read_before = any(_clock(stream, at, at + 3) == clock for at in range(before, launch))
        is_kept = clock in _INTO or "=" in stream.texts(behind, stop)
        if clock and is_kept and read_before and not _ON_PURPOSE.search("".join(stream.texts(behind, stop))):
            yield stream.tokens[behind].line, _TOO_EARLY


def _statement(stream: Stream, at: int) -> tuple[int, int]:
    """The first and the last token but one of the next statement."""
    while stream.text(at) in (";", "}"):
        at += 1
    stop = at
    while stream.text(stop) not in (";", "{", "}", ""):
        stop += 1
    return at, stop


def _clock(stream: Stream, start: int, end: int) -> str:
    """The function that is called there for the time; "" if none is."""
    for at in range(start, end):
        if stream.text(at) in _INTO and stream.text(at + 1) == "(":
            return stream.text(at)
        if stream.texts(at + 1, at + 3) == ["(", ")"] and _CLOCKS.fullmatch(stream.text(at)):
            return stream.text(at)
    return ""


def _shown_too_early(
    stream: Stream, function: Scope, launches: Sequence[int], one_way: bool
) -> Iterator[tuple[int, str]]:
    """An array that is printed or asked after the launch, and that no copy can have written."""
    body = range(launches[-1], function.closed or 0)
    seen = set[str]()
    for at in body:
        name = stream.text(at)
        is_read = stream.is_word(at) and stream.text(at + 1) == "["
        is_shown = is_read and _is_shown(stream, at)
        if name in seen or not (is_shown or (is_read and _is_asked(stream, at))):
            continue
        seen.add(name)
        uses = [each for each in range(function.opened, function.closed or 0) if stream.text(each) == name]
        if (
            is_shown
            and one_way
            and _only_read(stream, [each for each in uses if each > launches[-1]])
            and _is_sent(stream, uses)
        ):
            yield stream.tokens[at].line, _NOT_BROUGHT_BACK.format(name=name)
        elif _is_declared(stream, uses[0], or_zeroed=is_shown) and _only_read(stream, uses[1:]):
            yield stream.tokens[at].line, _NEVER_WRITTEN.format(name=name)


def _is_shown(stream: Stream, at: int) -> bool:
    """Whether it stands in a statement that prints."""
    start = at
    while stream.text(start - 1) not in (";", "{", "}", ""):
        start -= 1
    return not _SHOWS.isdisjoint(stream.texts(start, at))


def _is_asked(stream: Stream, at: int) -> bool:
    """Whether it stands in what an `if` or an assert asks, as where results are checked."""
    opening = stream.enclosing(at)
    while opening and stream.text(opening) != "{":
        if stream.text(opening - 1) in ("if", "assert"):
            return True
        opening = stream.enclosing(opening)
    return False


def _only_read(stream: Stream, uses: Sequence[int]) -> bool:
    """Whether all of these name single elements that no one assigns to, in what prints, or give the memory back."""
    for at in uses:
        before, behind = stream.text(at - 1), stream.after_group(at + 1)
        is_freed = stream.texts(at - 2, at) == ["free", "("] or before in ("delete", "]")
        is_asked = stream.texts(at + 1, at + 3) in (["=", "="], ["!", "="]) and stream.text(at + 3) in (
            "NULL",
            "nullptr",
        )
        if is_freed or is_asked or (before == "!" and stream.text(at + 1) != "["):
            continue
        steps = {"".join(stream.texts(behind, behind + 2)), "".join(stream.texts(at - 2, at))}
        assigned = stream.text(behind) == "=" and stream.text(behind + 1) != "="
        if (
            stream.text(at + 1) != "["
            or assigned
            or before == "&"
            or not (_is_shown(stream, at) or _is_asked(stream, at))
        ):
            return False
        if steps & {"++", "--"} or (stream.text(behind) in "+-*/|&^%" and stream.text(behind + 1) == "="):
            return False
    return True


def _is_sent(stream: Stream, uses: Sequence[int]) -> bool:
    """Whether a copy to the device reads it."""
    for at in uses:
        opening = stream.enclosing(at)
        if opening and stream.text(opening - 1) in ("cudaMemcpy", "cudaMemcpyAsync"):
            return "cudaMemcpyHostToDevice" in stream.texts(at, stream.after_group(opening))
    return False


def _comma(stream: Stream, at: int, end: int) -> int:
    """Where what is declared at `at` ends: at a comma, or the end of the statement."""
    while at < end and stream.text(at) != ",":
        at = stream.after_group(at)
    return min(at, end)


def _is_declared(stream: Stream, at: int, or_zeroed: bool) -> bool:
    """Whether an array of numbers begins there that no value is given: `float r[n];`, `float* r = new float[n];`.

    One of zeros may be what a check asks for.
    """
    end = at
    while stream.text(end) not in (";", ""):
        end += 1
    start = at
    while stream.text(start - 1) not in (";", "{", "}", ""):
        start -= 1
    before, after = stream.texts(start, at), stream.texts(at + 1, _comma(stream, at, end))
    own = start  # where its own declarator begins: `float *a = f(), *r`
    while (comma := _comma(stream, own, at)) < at:
        own = comma + 1
    if _NUMBERS.isdisjoint(before) or "=" in stream.texts(own, at) or "{" in after:
        return False
    if not or_zeroed and ("vector" in before or "calloc" in after or after[-2:] == ["(", ")"]):
        return False
    gives = after[:1] == ["="] and not {"malloc", "calloc", "new"}.isdisjoint(after)
    return gives or after[:1] == ["["] or ("vector" in before and after[:1] == ["("])
