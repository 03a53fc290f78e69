"""Which elements of an output are bad: a range, columns, every so many, and what reaches no further."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from grader.judge.causes.answers import ENOUGH, Answer, Pattern
from grader.judge.causes.elements import ordinal
from grader.judge.causes.often import LANES, Launches, swapped_grid, too_few, too_few_threads

EIGHT_BITS = 2**8


def place_patterns(answer: Answer) -> Iterator[Pattern]:
    bad = answer.bad.flatten()
    if bool(bad.all()):
        if not answer.written:
            yield _nothing_written(answer)
        return
    if not answer.written and answer.bad.dim() > 1 and (swapped := swapped_grid(answer.launches, answer.bad)):
        yield Pattern("swapped_grid", swapped, next(_of_places(answer), None))
    yield from _of_places(answer)


def _of_places(answer: Answer) -> Iterator[Pattern]:
    bad = answer.bad.flatten()
    places = bad.nonzero().flatten()
    if bool(bad[places[0] :].all()):
        yield _tail(answer, int(places[0]))
    elif bool(bad[: places[-1] + 1].all()):
        yield _head(answer, int(places[-1]) + 1)
    yield from _columns(answer)
    yield from _every_kth(answer)


def _nothing_written(answer: Answer) -> Pattern:
    what = f"Nothing was written to {answer.buffer}"
    if not answer.launches:
        return Pattern("nothing_written", f"{what}, and no kernel was launched.")
    return Pattern("nothing_written", f"{what}.")


# What no thread came to is not written: what is written and wrong was computed in a later round.
_ROUNDS = (
    "The first {start:,} elements are right, as many as there are {of}, and what comes behind them is wrong: has a"
    " thread the index of its first element for a later one, or does a round begin with what the last one left, as a"
    " sum that is not set to 0 again?"
)


_ROUNDS_OF_ROWS = (
    "The {first} {verb} {teams}, and what comes behind is wrong: does a {team}'s next row begin with what the last one"
    " left, as a sum or a maximum that is not set again, or with the index of its first one?"
)
_PARTS = {2: "half", 3: "third", 4: "quarter", 8: "eighth", 16: "sixteenth"}  # vectors' sizes, and colours


def _tail(answer: Answer, start: int) -> Pattern:
    """All before `start` is right and nothing from there on."""
    count = answer.bad.numel()
    # The first row may be right by itself, as the first query's, that sees one key: a block's size is then chance.
    first_row = answer.written and answer.got.dim() > 1 and start == answer.got.shape[-1]
    # What was written and is wrong need not be what no thread came to.
    loop = "" if not answer.written else f", or do the threads of a block need a loop over all {count}"
    is_left = not answer.written or bool((answer.got.flatten()[start:] == 0).all())
    for blocks, threads in () if first_row else lines(answer.launches):
        if start in _first_elements(answer, threads) and blocks > 1:
            narrow = ", or is it an `unsigned char`, which ends at 255" if start == EIGHT_BITS else ""
            return Pattern(
                "first_block",
                f"Only the first {start} elements are {answer.good}, those of {threads} threads, as many as a block "
                f"has: is blockIdx.x * blockDim.x missing from an index{narrow}{loop}?",
            )
        if not is_left and start > 1 and start in (blocks * threads, blocks):
            of = "blocks" if start == blocks else "threads"
            return Pattern("tail", _ROUNDS.format(start=start, of=of))
        if start == threads and blocks == 1 and threads > 1:
            return Pattern(
                "tail",
                f"Only one block of {threads} threads was launched, and only {threads} elements are {answer.good}. "
                f"{count} elements need ceil({count} / {threads}) = {-(-count // threads)} blocks.",
            )
        if start == blocks * threads:
            return Pattern("tail", too_few_threads(blocks, threads, count, answer.verb))
    if rows := _rows_of_blocks(answer, start, is_left):
        return Pattern("tail", rows)
    if is_left and (few := too_few(answer.launches, start, count, answer.verb)):
        return Pattern("tail", few)
    for parts, name in _PARTS.items():
        if not first_row and start >= ENOUGH and start in (count // parts, -(-count // parts)):
            return Pattern(
                "tail",
                f"Only the first {name} of {answer.buffer} is {answer.good}: is it n where {parts} * n belongs, or"
                f" n / {parts} where n does, in a guard, a loop, an argument or the number of blocks?",
            )
    if start == count - 1:
        return Pattern("tail", f"Only the last element is {answer.verb}.")
    return Pattern("tail", f"Everything from {answer.at(start)} on is {answer.verb}; all before it is {answer.good}.")


def _rows_of_blocks(answer: Answer, start: int, is_left: bool) -> str:
    """A sentence if as many whole rows are right as there are blocks, or warps, and others are left out, or else wrong;
    "" if not.
    """
    if answer.got.dim() < 2 or len(answer.launches) != 1 or start % (width := answer.got.shape[-1]):
        return ""
    rows, count = start // width, answer.got.numel() // width
    for blocks, threads in lines(answer.launches):
        for teams, team, right in (
            (blocks, "block", f"launch {count:,} blocks"),
            (blocks * (threads // LANES), "warp", f"launch {-(-count // max(threads // LANES, 1)):,} blocks"),
        ):
            if rows == teams < count:
                first = "first row" if rows == 1 else f"first {rows:,} rows"
                if not is_left:
                    verb = "is right, and there is one" if rows == 1 else "are right, as many as there are"
                    many = team if rows == 1 else f"{team}s"
                    return _ROUNDS_OF_ROWS.format(first=first, verb=verb, team=team, teams=many)
                return (
                    f"Only the {first} of {count:,} {'is' if rows == 1 else 'are'} {answer.good}, as many as there are"
                    f" {team}s: where a {team} has a row, {right} here, or let each go on to others, by how many"
                    f" {team}s there are."
                )
    return ""


def _first_elements(answer: Answer, threads: int) -> set[int]:
    """How many elements the first `threads` inputs make, as far as the sizes of the inputs tell: two each of pairs."""
    count = answer.bad.numel()
    shares = {
        count // values.numel() for values in answer.inputs.values() if values.numel() and not count % values.numel()
    }
    return {threads * share for share in shares | {1}}


def _head(answer: Answer, end: int) -> Pattern:
    if end == 1:
        return Pattern("head", f"Only the first element is {answer.verb}.")
    return Pattern("head", f"Everything before {answer.at(end)} is {answer.verb}; all from there on is {answer.good}.")


def _columns(answer: Answer) -> Iterator[Pattern]:
    """The same columns are bad in every row: a tile's edge."""
    if answer.bad.dim() < 2 or answer.bad.numel() == answer.bad.shape[-1]:
        return
    rows = answer.bad.reshape(-1, answer.bad.shape[-1])
    columns = rows[0]
    if not bool((rows == columns).all()) or bool(columns.all()):
        return
    first, last = int(columns.nonzero()[0]), int(columns.nonzero()[-1])
    if not bool(columns[first : last + 1].all()):
        return
    which = f"column {first} is" if first == last else f"columns {first} to {last} are"
    told = f"In every row of {answer.buffer}, {which} {answer.verb}; the other columns are {answer.good}."
    asks = _columns_of_threads(answer, first) if last == len(columns) - 1 else ""
    yield Pattern("columns", f"{told}{asks}")


def _columns_of_threads(answer: Answer, first: int) -> str:
    """A question where the columns that are done are so many for each thread of a block."""
    threads = {int(launch["block"][0]) for launch in answer.launches}
    each = next((first // size for size in threads if size > 1 and first and not first % size), 0)
    if answer.written or not each:
        return ""
    share = f"as many as {first:,} threads" if each == 1 else f"{each:,} for each of {first // each:,} threads"
    return f" {first:,} are {share}: do these go on, in a loop, to what is behind them, or have room for more?"


def _every_kth(answer: Answer) -> Iterator[Pattern]:
    """The bad elements, or the good ones, stand at equal distances over the whole buffer."""
    bad = answer.bad.flatten()
    for marked, words in ((bad, f"is {answer.verb}"), (~bad, f"is {answer.good}, the others are not")):
        places = marked.nonzero().flatten()
        if len(places) < ENOUGH:
            continue
        first, step = int(places[0]), int(places[1] - places[0])
        if 1 < step > first and torch.equal(places, torch.arange(first, len(bad), step)):
            asks = _OF_LANE_0 if step == LANES and first == 0 and marked is not bad and answer.written else ""
            yield Pattern("every_kth", f"Every {ordinal(step)} element, from {answer.at(first)} on, {words}{asks}.")
            return


_OF_LANE_0 = (
    ": does each thread go on with its own value, while lane 0 alone has the warp's, as behind __shfl_down_sync? Write"
    " __shfl_xor_sync, or hand lane 0's to all, `value = __shfl_sync(0xffffffff, value, 0)`"
)


def lines(launches: Launches) -> Iterator[tuple[int, int]]:
    """Number of blocks and threads in each of every one-dimensional launch."""
    for launch in launches:
        if [*launch["grid"][1:], *launch["block"][1:]] == [1, 1, 1, 1]:
            yield launch["grid"][0], launch["block"][0]
