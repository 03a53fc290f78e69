"""What a teacher says next: of the finding itself where it has a usual reason, else of its status."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from grader.devices.evidence import Finding
from grader.judge.verdict import CaseGrade, Status, decisive, lacking, status_of
from grader.report.addresses import of_unknown_address
from grader.report.dynamic_bytes import TOO_FEW_BYTES, carved, of_dynamic_bytes
from grader.report.elsewhere import known_elsewhere
from grader.report.guarded import behind_a_guard
from grader.report.guards import (
    asks_for_one_too_many,
    asks_for_the_thread_alone,
    ends_at_another_size,
    guard_of_axes,
    guard_of_index,
    index_from_the_data,
    leaves_the_wrong_ones,
    of_eight_bytes,
    swapped_guard,
)
from grader.report.launch_advice import LAUNCHES, SAID
from grader.report.messages import ADVICE
from grader.report.other_names import called_otherwise
from grader.report.own_flags import own_flag
from grader.report.statements import begin, statements
from grader.report.text_slips import slip
from grader.report.two_blocks import of_order, of_two_blocks
from grader.report.unread_arrays import unread_input, unread_shared
from grader.report.unwritten import on_allocated, on_shared, on_unwritten

NEGATIVE = (
    "An index below 0: was something subtracted too far, or is it a `char`, which is negative above 127 "
    "(`unsigned char` is not), or a `short` above 32767?"
)
ONE_IN_A_BRANCH = (
    "Some lanes of a warp have come to the {called} of line {line} and others to the __syncthreads() of line {barrier}:"
    " one of the two, or a call of its function, stands in a branch, or in a loop that some lanes leave earlier. Move"
    " it out, and let all lanes come to both."
)
_APART = r"waits in (__\w+) \(mask \w+\) for lanes that never come: .* waits in __syncthreads in line (\d+)"
UNDER_ZERO = (
    "An `unsigned` index that went below 0 goes on from 4294967295: ask `i > 0` before `i - 1`, or count with an `int`."
)
TOO_SMALL = (
    "A shared array needs an element for every index that the threads of a block use: is {array} smaller than the "
    "block, or an index too large?"
)
FIRST_THREAD = (
    "This thread has an element at every size, so its index is wrong, or a loop goes too far: `<=` where `<` belongs?"
)
ACROSS = (
    "A vector takes several neighbours at once, and fewer may be left at the end: there are n / 4 whole vectors of "
    "four, rounded down, and what is left over is for single elements."
)
OF_EIGHT_BYTES = (
    "Through this pointer each element has 8 bytes, and those of the array have fewer: let the kernel's parameter have "
    "the array's own type, as `float*`."
)
OWN_MEMORY = "cudaMalloc takes bytes, `sizeof(float)` for each number: is this memory too small, or an index too large?"
KEPT_AWAY = (
    "An `if` keeps lanes away from this shuffle, and a lane that is not there gives no value: let all lanes call it."
)
ROW = (
    "An index of two dimensions is `row * width + col`: is the width the length of a row of this very array, and do "
    "the guards ask for both, `row < rows` and `col < cols`, and not the other way round?"
)
ONE_PLACE = (
    "Two threads write to the same place in the same line, where no barrier comes between them. Is the index what you "
    "meant? If it is, let one thread write, give each thread its own place, or use an atomic."
)
COPIES = (
    "An asynchronous copy goes on beside its thread. What it brings is there for that thread once it has waited for "
    "the copy's group, and for the others behind a __syncthreads() after that."
)
SHARED_ROWS = (
    "The rows of {array} must begin where such an access may: pad them by whole vectors, a float4 of 4 floats, or "
    "declare the array with `__align__(16)`."
)
COOPERATIVE = (
    "Blocks can wait for each other only if all of them run at the same time. A launch with <<<...>>> does not promise "
    "that."
)
OWN_ARRAY = (
    "The last of N elements has the index N - 1: does a loop go one too far, `<=` where `<` belongs, or is the array "
    "too small?"
)
NEVER_SET = "A variable holds what lay there before: give it its first value where you declare it, `float sum = 0;`."
NEVER_FILLED = "A fragment holds what lay there before: begin with `nvcuda::wmma::fill_fragment({name}, 0.0f)`."
GONE = (
    "A local variable lives until the `}` of the block that it is declared in: declare it further out, or let the "
    "caller hand over an array to fill."
)
NO_BYTES = "The launch's third number is how many bytes the array has: of a block's threads, often each one's share."
WILD = (
    "A kernel reaches what cudaMalloc gives, its arguments and its own variables: was this pointer ever set, "
    "and does it not point to memory of the host (a std::vector's, an array's)?"
)
ONE_TOO_FAR = (
    "The last of {elements:,} elements has the index {last:,}: line {line} asks `{asks}`, where `{belongs}` belongs."
)
# What an access out of bounds is told as, and what to do then. A copy has no thread.
NOT_ITS_MEMORY = {
    "after it was freed": "What was freed is gone: free an array behind the last launch that uses it, and what malloc "
    "or new gave a kernel behind the last access of any thread.",
    "which is __constant__": "The host fills `__constant__` memory, with cudaMemcpyToSymbol. What a kernel writes "
    "belongs in an output, or in memory of its own: `__device__`, or from cudaMalloc.",
    "is a null pointer: it does nothing": "Nothing lies there: is the pointer set before this line, is a std::vector "
    "not empty, and did its cudaMalloc return cudaSuccess?",
    "a variable of the host": WILD,
    "shared memory of another": "A pointer to shared memory is of use only to its own block, while that runs: store "
    "what others need in global memory, in an array from cudaMalloc or a `__device__` variable.",
    "a local variable of the thread that": "What a kernel hands to those that it launches lies in global memory: a "
    "`__device__` variable, an array from cudaMalloc, or what malloc in the kernel gives.",
    "a local variable of another thread": "A local variable lives in its thread's own registers or stack, and its "
    "address means nothing to others. What threads share lies in `__shared__` or global memory.",
}
FILLED_IN_PART = "cudaMemcpy and cudaMemset count bytes, not elements: for n floats that is `n * sizeof(float)`."
OF_LIBRARIES = "cuBLAS takes the leading dimension times the columns, cuFFT gives n / 2 + 1 numbers for n real ones."
COPIED_TOO_MUCH = (
    "cudaMemcpy and cudaMemset count bytes, not elements: is it `n * sizeof(float)`, and have both arrays as many from "
    "where it starts?"
)
FREED_BY_ANOTHER = "What you allocate you free, with the function that belongs to it, and nothing else."
FREED_TWICE = "Each pointer from cudaMalloc is given back once, as cudaMalloc gave it: not again, and not `p + 1`."
FREED_TWICE_IN_A_KERNEL = (
    "In a kernel, each pointer from malloc is given back once by free, and each from new by delete, by any thread. "
    "Memory from cudaMalloc belongs to the host: it alone gives that back."
)
DIRECTION = (
    "cudaMemcpy(to, from, bytes, kind): the kind names both sides, cudaMemcpyHostToDevice from the host to the GPU. "
    "`to` stands first."
)
BY_SYMBOL = (
    "Without a kind, cudaMemcpy{way}Symbol takes its {side} for memory of the host. To or from device memory, write "
    "the offset and the kind behind the bytes: `0, cudaMemcpyDeviceToDevice`."
)
FRAGMENT_ROWS = (
    "A fragment is loaded and stored by rows that begin at multiples of 16 bytes. Where the matrix has other rows, and "
    "where a tile hangs over its edge, let it go through a tile in shared memory."
)
LEFT_ITS_STACK = (
    "Local arrays lie on a thread's stack: is each index of one below its length, also where it comes from the data, "
    "and does a function that calls itself come to an end? A pointer to one is of use only to its own thread."
)
DIVIDED_BY_ZERO = (
    "What stands behind the `/` or `%` of that line is 0 in this case. A quotient of whole numbers is rounded down, so "
    "`n / 256` is 0 where n is below 256: round up, `(n + 255) / 256`, or ask for 0 first. A GPU would not stop here, "
    "but go on with a number without meaning."
)
HOST_OBJECT = (
    "An object with virtual functions works on the side that has made it: let a kernel make it, with `new` or "
    "`new (place) Type(...)`."
)
OF_DATA = (
    "The index `{index}` comes from the data, so no guard for `i` holds it: which values may stand there, and is it 0 "
    "to {last} for each of them?"
)
ASSERTION = "The kernel stopped itself. Work out by hand what this very thread has in the variables of that line."
HOST_FUNCTION = (
    "In host code a function's address is one of the host's. Make the function a template argument of the kernel, or a "
    "struct with a `__device__` operator(); or copy its address from a `__device__` pointer, with cudaMemcpyFromSymbol."
)
HOST_TEXT = (
    "A text in quotes in host code lies in the host's memory. Write it in the kernel itself, or copy it, with its 0 at "
    "the end: `cudaMemcpy(d, text, strlen(text) + 1, cudaMemcpyHostToDevice)`."
)
EARLY_RETURN = (
    "Lanes that have returned give no values: let all lanes of the warp reach the shuffle, with an `if` around the "
    "work in the place of an early `return`, and not in a loop that some lanes leave sooner."
)
NOT_IN_MASK = (
    "The mask names all lanes that take part, those that give a value, too: 0xffffffff where the whole warp comes. "
    "__activemask() tells only who happens to be there, so not in a branch or a loop that some lanes leave sooner."
)
NOT_SHARED = "The threads of a block meet at a barrier, but share nothing: is `__shared__` missing before {array}?"
STREAMS = (
    "What is asked of one stream is done in its order, but two streams know nothing of each other: an event recorded "
    "in one, which the other waits for, orders them. If you need no second stream, launch on the one that you were "
    "given."
)
FROM_KERNELS = (
    "A kernel may begin as soon as it is launched, and the kernel that launches it cannot wait for it. What one block "
    "launches on one stream is done in its order, all else side by side; a tail launch comes behind all."
)
TRAPS = {
    "as host code has it": HOST_FUNCTION,
    "whose virtual function": HOST_OBJECT,
    "a function of the host": HOST_FUNCTION,
    "a text of the host": HOST_TEXT,
    "freed before": FREED_TWICE_IN_A_KERNEL,
    "cooperative launch": COOPERATIVE,
    "multiple of 16 bytes": FRAGMENT_ROWS,
    "this asm has no `volatile`": "",
}
_OF_KIND = {
    "assert": ASSERTION,
    "shuffle_source": EARLY_RETURN,
    "own_array": OWN_ARRAY,
    "wrong_call": "This is the host code's call: nothing is said here of the kernel.",
    "never_set": NEVER_SET,
    "stack_overflow": LEFT_ITS_STACK,
}
_ONE_DIMENSION = re.compile(r"blockDim|blockIdx.*threadIdx|threadIdx.*blockIdx")
_LOCAL_ARRAY = re.compile(r"^\s+(?:float|double|int|unsigned|half)\s+(\w+)\s*\[", re.MULTILINE)


def advice(status: Status, case: CaseGrade | None, source: Sequence[str], cases: Sequence[CaseGrade] = ()) -> str:
    """One to three sentences; "" for what has passed. `case`, of all `cases`, is told; `source`: its lines."""
    finding = decisive(case.findings) if case else None
    if case and (said := slip(status, source, finding.line if finding else None)):
        return said
    if case and (counted := case.details.get("counted_word")):
        return str(counted)
    special = ""
    if finding and status_of(finding) == status:
        special, known = _on_statement(finding, source), known_elsewhere(finding, cases)
        special = f"{special} {known}" if special == ROW and known else known or special
        special += of_dynamic_bytes(special, cases)
        special = special or str(case.details.get("all_work", "")) if case and status == "timeout" else special
    elif case and status == "not_written":
        special = on_unwritten(case)
    elif status == "wrong_result":
        special = _not_shared("\n".join(source)) or own_flag(source)
    if special in ("", ROW) and status in ("wrong_result", "out_of_bounds"):  # where nothing more is known
        special = unread_input(source) or unread_shared(source) or special
    return special or ADVICE[status]


def on_finding(finding: Finding, source: Sequence[str]) -> str:
    """The same on a finding of a program's; `source` are the lines of the file that it is in."""
    return _on_statement(finding, source) or ADVICE.get(finding.kind, "")


def _on_statement(finding: Finding, source: Sequence[str]) -> str:
    """The same of the statement that the finding's line is a part of, where it goes over several."""
    lines, begins = statements(source)
    if finding.kind == "block_order":
        return of_order(_text(lines, begin(begins, finding.line)))
    other = {name: begin(begins, at) for name, at in finding.details.items() if name == "other_line"}
    return _on_finding(replace(finding, line=begin(begins, finding.line), details=finding.details | other), lines)


def _on_unset(finding: Finding, source: Sequence[str]) -> str:
    if name := re.match(r"`(\w+)` is read before it is set", finding.message):
        is_fragment = any(re.search(rf"\bfragment\b.*\b{name[1]}\b", line) for line in source)
        return NEVER_FILLED.format(name=name[1]) if is_fragment else ""
    if finding.kind == "uninitialized_read" and finding.details.get("space") == "shared":
        return on_shared(finding.message, str(finding.details.get("array")), source)
    return FILLED_IN_PART if "has filled" in finding.message else on_allocated(finding.message)


def _on_finding(finding: Finding, source: Sequence[str]) -> str:
    if by_its_words := next((said for told, said in SAID.items() if told in finding.message), ""):
        return by_its_words
    if other := called_otherwise(finding, source):
        return other
    if finding.kind == "out_of_bounds":
        return _on_bounds(finding, source)
    if finding.kind == "launch_error":
        return next((said for told, said in LAUNCHES.items() if told in finding.message), "")
    if lacking(finding):
        return ADVICE["not_emulated"]
    if apart := re.search(_APART, finding.message):
        return ONE_IN_A_BRANCH.format(called=apart[1], line=finding.line, barrier=apart[2])
    if finding.kind == "trap":
        return next((said for told, said in TRAPS.items() if told in finding.message), ASSERTION)
    if finding.kind == "crash" and finding.kernel and "division by zero" in finding.message:
        return DIVIDED_BY_ZERO
    if finding.kind == "crash" and finding.kernel and "segmentation" in finding.message:
        return LEFT_ITS_STACK
    if finding.kind == "invalid_free":
        return FREED_BY_ANOTHER if "gives that back" in finding.message else FREED_TWICE
    if finding.kind in ("uninitialized_read", "never_set") and (unset := _on_unset(finding, source)):
        return unset
    if finding.kind == "misaligned" and finding.details.get("space") == "shared":
        return SHARED_ROWS.format(array=finding.details.get("array"))
    if finding.kind == "race" and finding.message.startswith("what line"):
        return FROM_KERNELS
    if finding.kind == "race" and re.search("on (another stream|a stream of its own)", finding.message):
        return STREAMS
    if finding.kind == "race" and re.search("is under way|waits for its own copies", finding.message):
        return COPIES
    if finding.kind == "race" and (said := of_two_blocks(finding.message, source, str(finding.details.get("space")))):
        return said
    if finding.kind == "race" and _in_one_step(finding):
        return ONE_PLACE
    if finding.kind == "shuffle_source" and re.search(r"\bif\b.*__shfl", _text(source, finding.line)):
        return KEPT_AWAY
    if finding.kind == "shuffle_source" and "named in the mask" in finding.message:
        return NOT_IN_MASK
    if finding.kind == "own_array" and "before its start" in finding.message:
        return NEGATIVE
    if finding.kind == "host_access" and "its kind says" in finding.message:
        by_symbol = re.search(r"cudaMemcpy(To|From)Symbol", _text(source, finding.line))
        sides = {"To": "source", "From": "destination"}
        return BY_SYMBOL.format(way=by_symbol[1], side=sides[by_symbol[1]]) if by_symbol else DIRECTION
    if finding.kind == "never_set" and "no longer there" in finding.message:
        return GONE
    if finding.kind == "never_set" and (forgotten := _not_shared("\n".join(source))):
        return forgotten
    return _OF_KIND.get(finding.kind, "")


def _on_bounds(finding: Finding, source: Sequence[str]) -> str:
    details, index = finding.details, finding.details.get("index")
    if "no device memory" in finding.message and finding.thread and (said := of_unknown_address(finding, source)):
        return said
    if "no device memory" in finding.message:
        return WILD if finding.thread else DIRECTION
    if re.match(r"cu(?:blas|fft|sparse)[A-Z]", finding.message):
        return OF_LIBRARIES
    if finding.message.startswith("a copy or memset of"):
        return COPIED_TOO_MUCH
    if said := next((what for told, what in NOT_ITS_MEMORY.items() if told in finding.message), ""):
        return said
    if finding.thread and details.get("space") == "shared":
        if not details.get("elements"):
            return NO_BYTES
        if "before its start" in finding.message:
            return NEGATIVE
        name = re.escape(str(details.get("array")))
        by_launch = re.search(rf"\bextern\s+__shared__[^;]*\b{name}\s*\[\s*\]", "\n".join(source))
        return (
            carved(source, str(details.get("array"))) or TOO_FEW_BYTES
            if by_launch
            else TOO_SMALL.format(array=details.get("array"))
        )
    if isinstance(index, int) and index < 0:
        return NEGATIVE
    if isinstance(index, int) and 0 < 2**32 - index <= 256:
        return UNDER_ZERO
    elements: int = details.get("elements") or 0
    if finding.thread and elements and index == elements and (found := asks_for_one_too_many(source, finding.line)):
        line, asks, belongs = found
        return ONE_TOO_FAR.format(elements=elements, last=elements - 1, line=line, asks=asks, belongs=belongs)
    if finding.thread and elements and (data := index_from_the_data(source, finding.line, str(details.get("array")))):
        return OF_DATA.format(index=data, last=elements - 1)
    if finding.thread and (leaves := leaves_the_wrong_ones(source, finding.line)):
        return leaves
    if finding.thread and (alone := asks_for_the_thread_alone(source, finding.line)):
        return alone
    for asked in (guard_of_axes, swapped_guard, ends_at_another_size) if finding.thread else ():
        if guard := asked(source, finding.line):
            return guard
    if (
        str(details.get("array")).startswith("the memory from the cudaMalloc")
        or "(cudaMalloc in line" in finding.message
    ):
        return OWN_MEMORY
    if "across its end" in finding.message:
        of_eight = "(8 bytes at once)" in finding.message and of_eight_bytes(source, finding.line)
        return OF_EIGHT_BYTES if of_eight else ACROSS
    return _of_a_thread(finding, source) if finding.thread else ""


def _of_a_thread(finding: Finding, source: Sequence[str]) -> str:
    """What else to say where a thread leaves an array past its end."""
    if _indexes_rows(finding, source):
        return guard_of_index(source, finding.line) or ROW
    if finding.thread == finding.block == (0, 0, 0):
        return FIRST_THREAD
    named, kernel = str(finding.details.get("array")), finding.kernel or ""
    return behind_a_guard(source, finding.line, named, kernel) if finding.details.get("elements") else ""


def _indexes_rows(finding: Finding, source: Sequence[str]) -> bool:
    """Whether its line has `a[row * width + col]` of this array, or of one that the kernel calls otherwise;
    `blockIdx.x * blockDim.x + threadIdx.x` is one dimension.
    """
    found = re.findall(r"(\w+)\s*\[([^\[\]]*)\]", _text(source, finding.line))
    named = [index for name, index in found if name == finding.details.get("array")]
    indexes = named or [index for _, index in found]
    return any("*" in index and "+" in index and not _ONE_DIMENSION.search(index) for index in indexes)


def _in_one_step(finding: Finding) -> bool:
    """Whether both threads write, in the same line."""
    details = finding.details
    both_write = details.get("access") == details.get("other_access") == "write"
    return both_write and finding.line is not None and details.get("other_line") == finding.line


def _text(source: Sequence[str], line: int | None) -> str:
    return source[line - 1] if line and line <= len(source) else ""


def _not_shared(source: str) -> str:
    """Of a kernel whose threads meet at a barrier, and have an array each."""
    code = re.sub(r"//.*", "", source)
    local = _LOCAL_ARRAY.search(code)
    forgotten = local and re.search(r"__sync(threads|warp)\(\)", code) and "__shared__" not in code
    return NOT_SHARED.format(array=local[1]) if local and forgotten else ""
