"""Why counts are wrong, where an output says how often an input has each number: a histogram.

Which elements count, and for which of the counters, is varied as other inputs of the reference are elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from functools import partial

import torch
from torch import Tensor

from grader.judge.causes.asked import Case, Cause
from grader.judge.causes.copies import copies
from grader.judge.causes.counts_of_words import Taken, taken_otherwise
from grader.judge.causes.left_out import Along, masks
from grader.judge.causes.often import Launches
from grader.judge.causes.weights import Times, Weights, weights

Counted = Callable[[Case, Tensor], Tensor | None]  # what a kernel would count, of x


def causes_of_counts(case: Case) -> Iterator[Cause]:
    """Of an output that counts how often an input has each number; none of another."""
    if _counted(case) is None:
        return
    for name, counted, said in _RULES:
        yield Cause(f"counts_{name}", partial(_counts, counted), partial(_said, said))
    yield Cause("counts_one_bin", _lacks_one, _said_of_one)
    yield Cause("counts_all_in_one", _is_all_in_one, _said_of_all_in_one, _has_all_in_one)
    counters = len(case.expected)
    for first in dict.fromkeys([*case.threads, *PARTS]):
        if first < counters:
            of_threads = first in case.threads
            told = _BEHIND_THREADS if of_threads else _BEHIND.format(first=first, buffer="{buffer}")
            yield Cause(f"counts_first_{first}", partial(_counts, partial(_of_first, first)), partial(_said, told))
            told = _FOLDED.format(first=first, buffer="{buffer}", x="{x}")
            yield Cause(f"counts_modulo_{first}", partial(_counts, partial(_modulo, first)), partial(_said, told))
    for size in GROUPS:
        for at in range(size):
            for by in (-1, 1):
                told = _ONE_OF_GROUP.format(size=size, at=at, sign="+" if by > 0 else "-", buffer="{buffer}", x="{x}")
                gathered = partial(_one_of_a_group, size, at, by)
                yield Cause(f"counts_one_of_{size}_{at}_{by}", partial(_counts, gathered), partial(_said, told))
    for key, taken, told in taken_otherwise(counters):
        yield Cause(f"counts_{key}", partial(_counts, partial(_taken, taken)), partial(_said, told))
    for key, mask, said, asks in masks("element", case.threads):
        told = f"{{buffer}} lacks {said}: {_OF_COPIES if key.startswith(_BY_THREADS) else asks}"
        yield Cause(f"counts_{key}", partial(_counts, partial(_without, mask)), partial(_said, told))
    yield from _by_weights(copies())
    yield from _by_weights(weights("element", case.launches))


def _by_weights(found: Iterable[Weights]) -> Iterator[Cause]:
    for key, times, said in found:
        explains = partial(_counts, partial(_weighted, times))
        none = partial(_leaves_none, times)
        yield Cause(f"counts_{key}", explains, partial(_said_of_launches, said), leaves_nothing=none)


def _leaves_none(times: Times, case: Case) -> bool:
    found = _counted(case)
    return found is not None and not bool(times(torch.arange(len(found[1])), case.launches).any())


PARTS = (16, 32, 64, 128)  # counters, of more
GROUPS = (2, 4, 8, 16)  # elements that a thread takes at once
_BEHIND_THREADS = (
    "{buffer} is 0 behind as many counters as a block has threads: let each thread take several, `for (int b ="
    " threadIdx.x; b < counters; b += blockDim.x)`."
)
_BEHIND = (
    "{buffer} is 0 from {buffer}[{first}] on, and right before: does a loop over the counters, or a guard, end at"
    " {first}?"
)
_FOLDED = (
    "{buffer}[v] counts the elements whose {x}[i] % {first} is v: does a mask or a cast cut the index, or are there"
    " only {first} counters?"
)
_ONE_OF_GROUP = (
    "What {buffer} holds is right for {x}[i {sign} 1] in the place of {x}[i] where i % {size} is {at}: is one of {size}"
    " like statements left as it was copied?"
)
# What is left out by threads: of sums that is a matter of trees and shuffles, and here of copies.
_BY_THREADS = ("odd", "upper", "alone", "warps", "leaders", "not_last", "tree", "steps", "assigned")
_OF_COPIES = "do all threads count, and are all copies of the counters added to the result?"


def _counted(case: Case) -> tuple[str, Tensor] | None:
    """The input that is counted."""
    for name, x in case.inputs.items():
        if x.is_floating_point() or x.dim() != 1 or case.got.dim() != 1 or not x.numel():
            continue
        counters = case.got.numel()
        is_index = int(x.min()) >= 0 and int(x.max()) < counters
        if is_index and torch.equal(torch.bincount(x.long(), minlength=counters).double(), case.expected):
            return name, x.long()
    return None


def _counts(counted: Counted, case: Case) -> bool:
    found = _counted(case)
    claim = counted(case, found[1]) if found else None
    return claim is not None and case.is_right_for(claim.double())


def _bins(case: Case, x: Tensor, weights: Tensor | None = None) -> Tensor:
    return torch.bincount(x, weights=weights, minlength=case.got.numel())[: case.got.numel()]


def _without(mask: Along, case: Case, x: Tensor) -> Tensor:
    return _bins(case, x[~mask(torch.arange(len(x)), len(x))])


def _weighted(times: Times, case: Case, x: Tensor) -> Tensor:
    return _bins(case, x, times(torch.arange(len(x)), case.launches))


def _of_first(first: int, case: Case, x: Tensor) -> Tensor | None:
    """What comes of the first counters alone, as of one for each thread of a block, where there are more."""
    return case.expected * (torch.arange(len(case.expected)) < first)


def _modulo(size: int, case: Case, x: Tensor) -> Tensor | None:
    return _bins(case, x % size)


def _one_of_a_group(size: int, at: int, by: int, case: Case, x: Tensor) -> Tensor | None:
    """Of whole groups, as threads take them at once, one element stands for its neighbour, too."""
    places = torch.arange(len(x))
    is_wrong = (places % size == at) & (places < len(x) // size * size)
    return _bins(case, x[torch.where(is_wrong, places + by, places).clamp(0, len(x) - 1)])


def _taken(taken: Taken, case: Case, x: Tensor) -> Tensor:
    return _bins(case, taken(x, case.got.numel()))


def _of_threads(case: Case, x: Tensor) -> Tensor | None:
    """What comes of `counts[threadIdx.x]`, and of i in the place of x[i]."""
    threads = case.threads[0] if case.threads else len(x)
    return _bins(case, torch.arange(len(x)) % threads)


def _largest_of_blocks(case: Case, x: Tensor) -> Tensor | None:
    """What the block has that has most, where each takes the elements of its threads, and goes on by the grid's."""
    launch = max(case.launches, key=lambda each: math.prod(each["grid"]) * math.prod(each["block"]), default=None)
    if launch is None or (blocks := math.prod(launch["grid"])) == 1:
        return None
    counters, block = case.got.numel(), torch.arange(len(x)) // math.prod(launch["block"]) % blocks
    return torch.bincount(x + counters * block, minlength=counters * blocks).view(blocks, counters).amax(0)


_RULES: tuple[tuple[str, Counted, str], ...] = (
    (
        "threads",
        _of_threads,
        "{buffer} holds how many threads there are of each number, whatever {x} holds: the index is `{x}[i]`, and not"
        " the thread's own.",
    ),
    (
        "none",
        lambda case, x: torch.zeros_like(case.expected),
        "Every counter is 0: where blocks count in shared memory, each adds what it has to {buffer} at the end, with"
        " atomicAdd.",
    ),
    (
        "halved",
        lambda case, x: _bins(case, x // 2),
        "{buffer}[v] holds the elements that are 2 v and 2 v + 1: is the index halved, or are there half as many"
        " counters as numbers?",
    ),
    (
        "values",
        lambda case, x: case.expected * torch.arange(len(case.expected)),
        "Every counter holds its own number too often, {buffer}[v] is v times what it should be: add 1, and not"
        " `{x}[i]`.",
    ),
    (
        "largest_of_blocks",
        _largest_of_blocks,
        "{buffer}[v] is the largest of what blocks have counted of v, and not all of it together: add what each has,"
        " with atomicAdd.",
    ),
    (
        "once",
        lambda case, x: (case.expected > 0).double(),
        "{buffer}[v] is 1 for every v that occurs, however often: add to it, `atomicAdd(&{buffer}[{x}[i]], 1)`.",
    ),
    (
        "of_two",
        lambda case, x: case.expected % 2,
        "Every counter is 0 or 1, whether its number is even or odd: atomicInc(p, most) begins again at 0 behind"
        " `most`, so write `atomicAdd(p, 1)`.",
    ),
    (
        "of_8_bits",
        lambda case, x: case.expected % 256,
        "Every counter is what it should be, modulo 256: one of 8 bits begins again at 0, so count in an `unsigned`.",
    ),
    (
        "next",
        lambda case, x: _bins(case, (x + 1) % len(case.expected)),
        "Every counter holds what belongs in the one before: is a `+ 1` too much in its index?",
    ),
    (
        "previous",
        lambda case, x: _bins(case, x[x > 0] - 1),
        "Every counter holds what belongs in the next one: is a `- 1` too much in its index?",
    ),
)


def _said(words: str, case: Case) -> str:
    name, x = _counted(case) or ("", torch.empty(0))
    return words.format(buffer=case.buffer, x=name, n=len(x))


def _said_of_launches(said: Callable[[Launches], str], case: Case) -> str:
    return _said(said(case.launches), case)


def _lacks_one(case: Case) -> bool:
    """Whether the first or the last counter alone is at 0, as where a guard leaves it out."""
    wrong = (case.got != case.expected).nonzero().flatten().tolist()
    return wrong in ([0], [case.got.numel() - 1]) and float(case.got[wrong[0]]) == 0


def _said_of_one(case: Case) -> str:
    at = int((case.got != case.expected).nonzero()[0])
    return (
        f"{case.buffer}[{at}] alone is wrong, and 0: does a guard, a loop's end, or the number of counters leave the"
        f" {'first' if at == 0 else 'last'} one out?"
    )


def _is_all_in_one(case: Case) -> bool:
    """Whether one counter has what all should have together, where several should have something."""
    return int((case.expected != 0).sum()) > 1 and _has_all_in_one(case)


def _has_all_in_one(case: Case) -> bool:
    return int((case.got != 0).sum()) == 1 and float(case.got.sum()) == float(case.expected.sum())


def _said_of_all_in_one(case: Case) -> str:
    at = int(case.got.argmax())
    return (
        f"{case.buffer}[{at}] has what all counters should have together: is the number of the counter missing from"
        f" what is added to, `&{case.buffer}[i]`?"
    )
