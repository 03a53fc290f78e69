"""Why a histogram is wrong is told by what would be counted otherwise."""

from types import SimpleNamespace

import pytest
import torch

from grader.judge.causes.asked import Case
from grader.judge.causes.variations import cause, causes_seen

BINS = 64


def case(n, got, threads=32):
    x = torch.randint(BINS, (n,), generator=torch.Generator().manual_seed(n))
    x[:4] = torch.tensor([0, 1, BINS - 2, BINS - 1])
    right = counted(x)
    call = SimpleNamespace(scalars={"n": n}, terms=n)
    launch = {"kernel": "k", "grid": [4, 1, 1], "block": [threads, 1, 1]}
    return Case(call, lambda inputs: {"c": counted(inputs["x"])}, {"x": x}, "c", got(x), right, 0 * right, [launch])


def counted(x, weights=None):
    return torch.bincount(x, weights=weights, minlength=BINS)[:BINS].double()


def of_words(x, places):
    """Of each four of whole sixteens, those in these places."""
    end = len(x) // 16 * 16
    return torch.cat([x[:end].view(-1, 4)[:, places].flatten(), x[end:]])


def by_shifts(x, step):
    """Of each word of whole sixteens what lies at 0, step, 2 step and 3 step bits."""
    end, places = len(x) // 16 * 16, torch.arange(4)
    words = (x[:end].view(-1, 4) << 8 * places).sum(1, keepdim=True)
    return torch.cat([(words >> step * places & 255).flatten() % BINS, x[end:]])


@pytest.mark.parametrize(
    ("got", "words"),
    [
        (lambda x: counted(x) * torch.arange(BINS), "Every counter holds its own number too often"),
        (lambda x: counted(x) % 2, "atomicInc(p, most) begins again at 0"),
        (lambda x: (counted(x) > 0).double(), "is 1 for every v that occurs"),
        (lambda x: counted(torch.arange(len(x)) % 32), "the index is `x[i]`, and not the thread's own"),
        (lambda x: counted((x + 1) % BINS), "is a `+ 1` too much in its index?"),
        (lambda x: counted(x[x < BINS - 1]), "leave the last one out?"),
        (lambda x: counted(x) * (torch.arange(BINS) < 32), "is 0 behind as many counters as a block has threads"),
        (lambda x: counted(x) * (torch.arange(BINS) < 16), "is 0 from c[16] on, and right before"),
        (lambda x: counted(x % 16), "counts the elements whose x[i] % 16 is v"),
        (lambda x: counted(0 * x), "c[0] has what all counters should have together"),
        (lambda x: counted(x // 2), "holds the elements that are 2 v and 2 v + 1"),
        (
            lambda x: counted(
                torch.cat([x[: len(x) // 4 * 4].view(-1, 4)[:, [0, 1, 2, 2]].flatten(), x[len(x) // 4 * 4 :]])
            ),
            "x[i - 1] in the place of x[i] where i % 4 is 3",
        ),
        (
            lambda x: sum(counted(part.unique()) for part in x.split(32)),
            "c has each number once for each 32 elements that it is among",
        ),
        (
            lambda x: sum(counted(part.unique()) * len(part) for part in x.split(32)),
            "adds how many have that, `__popc(same)`, and not how many take part",
        ),
        (
            lambda x: sum(counted(part).square() for part in x.split(32)),
            "let the first of these alone add it, `if (lane == __ffs(same) - 1)`",
        ),
        (lambda x: counted(of_words(x, [0, 1, 2, 0])), "has byte 0 twice, and byte 3 not at all"),
        (lambda x: counted(of_words(x, [0, 0, 0, 0])), "at shifts of 0, 0, 0 and 0 bits"),
        (lambda x: counted(by_shifts(x, 4)), "at shifts of 0, 4, 8 and 12 bits"),
        (
            lambda x: counted(torch.where(torch.arange(len(x)) < len(x) // 16 * 16, x, BINS - 1)),
            "What is left of x behind whole words, or vectors, counts in c[63], whatever it is",
        ),
        (
            lambda x: counted(torch.where(torch.arange(len(x)) < len(x) // 4 * 4, x, x[-1])),
            "counts as x[n - 1] in c, each time",
        ),
        (lambda x: 0 * counted(x), "each adds what it has to c at the end"),
        (lambda x: counted(x[: len(x) // 4 * 4]), "behind steps of 4"),
        (lambda x: counted(x[::2]), "are all copies of the counters added to the result?"),
        (lambda x: counted(x, (torch.arange(len(x)) // 32 + 1).clamp(max=4).double()), "steps by blockDim.x, 32 here"),
    ],
)
def test_the_cause_is_found(got, words):
    cases = [case(403, got), case(150, got)]
    assert words in cause(cases, causes_seen).message(cases[0])


def test_lost_counts_have_no_cause():
    assert cause([case(403, lambda x: (counted(x) - 3).clamp(min=0))], causes_seen) is None
