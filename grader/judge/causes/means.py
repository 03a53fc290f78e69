"""Why weighted means are wrong, as attention's: what is not rescaled where the maximum grows, or not divided.

The weights follow from the reference: means are linear in the values, so those of unit vectors are the weights.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial

import torch
from torch import Tensor

from grader.judge.causes.asked import Case, Cause
from grader.judge.causes.often import LANES

TILES = (1, 8, 16, 24, 32, 48, 64, 96, 128)  # keys between two looks at the maximum
PARTS = (2, 3, 4, 8, 16)  # of the keys, side by side, whose sums are put together
MOST_ASKED = 16  # times, for the weights of a case


@dataclass(frozen=True, eq=False)
class Means:
    """The output `means` is `weights` @ the input `values`; weights are ... x rows x keys, each row's sum 1."""

    values: str
    means: str
    weights: Tensor

    @property
    def known(self) -> Tensor:
        """Which rows have no weight that is too small for a number: none is 0 before the last that is not."""
        is_seen = (self.weights > 0).double()
        return (is_seen == is_seen.flip(-1).cummax(-1).values.flip(-1)).all(-1)

    def of_the_last(self, tile: int) -> Tensor:
        """What the keys of the last tile of each row weigh together."""
        keys = torch.arange(self.weights.shape[-1])
        last = ((self.weights > 0) * keys).amax(-1, keepdim=True)
        return (self.weights * (keys // tile == last // tile)).sum(-1)

    def unseen(self, tile: int) -> Tensor:
        """Which keys weigh nothing, up to the end of the last tile of each row that has one that does."""
        keys = torch.arange(self.weights.shape[-1])
        last = ((self.weights > 0) * keys).amax(-1, keepdim=True)
        return (self.weights == 0) & (keys // tile <= last // tile)

    def unscaled(self, tile: int) -> Tensor:
        """The weights where what was added before the maximum grew stays as it was."""
        logs = self.weights.log()
        keys = logs.shape[-1]
        ends = (torch.arange(keys) // tile * tile + tile - 1).clamp(max=keys - 1)
        so_far = logs.cummax(-1).values[..., ends]
        return torch.exp(logs + logs.amax(-1, keepdim=True) - so_far).nan_to_num(0.0)

    def merged(self, parts: int) -> Tensor:
        """The sum of the parts' sums beside maxima of their own, where the right one is beside the largest."""
        size = -(-self.weights.shape[-1] // parts)
        split = [part for part in self.weights.split(size, -1)]
        return torch.stack([(part / part.amax(-1, keepdim=True)).nan_to_num(0.0).sum(-1) for part in split]).sum(0)


Claim = Callable[[Means, int, Case, Tensor], Tensor]  # of a tile, and of the values as they are


def causes_of_means(case: Case) -> Iterator[Cause]:
    """Of outputs that are means, or the logarithms of their rows' sums; none of others."""
    if (found := means_of(case)) is None:
        return
    is_of_rows = case.expected.shape == found.weights.shape[:-1]
    rules = _OF_MEANS if case.buffer == found.means else _OF_LOGARITHMS if is_of_rows else ()
    for tile in dict.fromkeys([*TILES, *case.threads]):
        for name, claim, words in rules:
            where_known = partial(_is_right, claim, tile, True)
            yield Cause(f"means_{name}_{tile}", partial(_is_right, claim, tile, False), _says(words, tile), where_known)
    for parts in PARTS if rules else ():
        claim, words = (_mean_of_parts, _PARTS) if case.buffer == found.means else (_logarithm_of_parts, _PARTS_OF_LOG)
        yield Cause(f"means_of_parts_{parts}", partial(_is_right, claim, parts, False), _says(words, parts))


def _is_right(claim: Claim, tile: int, where_known: bool, case: Case) -> bool:
    """Whether the claim holds, or holds `where_known`, in rows whose weights are all there."""
    found = means_of(case)
    if found is None or not (case.buffer == found.means or case.expected.shape == found.weights.shape[:-1]):
        return False
    claimed = claim(found, tile, case, case.inputs[found.values]).reshape(case.expected.shape)
    if where_known:
        known = found.known if case.expected.shape == found.known.shape else found.known[..., None]
        claimed = torch.where(known, claimed, case.got)
    return case.is_right_for(claimed)


def _says(words: str, tile: int) -> Callable[[Case], str]:
    return lambda case: _said(words, tile, case)


def _said(words: str, tile: int, case: Case) -> str:
    found = means_of(case)
    assert found is not None
    return words.format(buffer=case.buffer, means=found.means, values=found.values, tile=tile)


@lru_cache(8)
def means_of(case: Case) -> Means | None:
    """The means that the reference of a case computes; None if it computes no such."""
    for name, values in case.inputs.items():
        if not values.is_floating_point() or values.dim() < 2 or not bool(values.isfinite().all()):
            continue
        outputs = case.reference(dict(case.inputs))
        twice = case.reference({**case.inputs, name: 2 * values})
        for output, right in outputs.items():
            if right.shape[-1:] == values.shape[-1:] and right.dim() == values.dim() and bool((right != 0).any()):
                weights = _weights(case, name, output) if torch.allclose(twice[output], 2 * right) else None
                if (
                    weights is not None
                    and weights.shape[:-1] == right.shape[:-1]
                    and torch.allclose(weights @ values, right.double(), rtol=1e-6, atol=1e-9)
                ):
                    return Means(name, output, weights)
    return None


def _weights(case: Case, name: str, output: str) -> Tensor | None:
    values = case.inputs[name]
    keys, width = values.shape[-2:]
    if keys > width * MOST_ASKED:
        return None
    parts = []
    for first in range(0, keys, width):
        units = torch.zeros_like(values)
        count = min(width, keys - first)
        units[..., torch.arange(first, first + count), torch.arange(count)] = 1
        parts.append(case.reference({**case.inputs, name: units})[output].double()[..., :count])
    weights = torch.cat(parts, -1)
    is_mean = bool((weights >= 0).all()) and torch.allclose(weights.sum(-1), torch.ones(()).double(), rtol=1e-6)
    return weights if is_mean else None


def _mean_of_parts(found: Means, parts: int, case: Case, values: Tensor) -> Tensor:
    right = 1 / found.weights.amax(-1)
    return case.expected * (right / found.merged(parts))[..., None]


def _logarithm_of_parts(found: Means, parts: int, case: Case, values: Tensor) -> Tensor:
    return case.expected + found.weights.amax(-1).log() + found.merged(parts).log()


_PARTS = (
    "The sums that {tile} parts of the keys have beside maxima of their own are added as they are, and {buffer} is"
    " divided by that: multiply each with expf(its maximum - the largest) first."
)
_PARTS_OF_LOG = (
    "The sums that {tile} parts of the keys have beside maxima of their own are added as they are for {buffer}:"
    " multiply each with expf(its maximum - the largest) first."
)


def _of_the_last_key(found: Means, tile: int, case: Case, values: Tensor) -> Tensor:
    keys = torch.arange(found.weights.shape[-1])
    last = ((found.weights > 0) * keys).amax(-1, keepdim=True)
    return (keys == last).double() @ values


def _of_own_keys(found: Means, tile: int, case: Case, values: Tensor) -> Tensor:
    """Where thread t, which has the keys and the columns t, t + tile, ..., multiplies its own keys alone."""
    keys, columns = torch.arange(values.shape[-2]), torch.arange(values.shape[-1])
    return found.weights @ (values * (keys[:, None] % tile == columns % tile)) if tile > 1 else case.expected


def _of_own_half(found: Means, tile: int, case: Case, values: Tensor) -> Tensor:
    """What is divided by the sum of a lane's half of the warp, where lane l has keys and columns that are l % 32."""
    if tile != LANES:
        return case.expected
    keys, columns = (torch.arange(size) % LANES // (LANES // 2) for size in values.shape[-2:])
    return case.expected / (found.weights @ (keys[:, None] == columns).double())


def _shares(logs: Tensor, values: Tensor) -> Tensor:
    return torch.softmax(logs, -1) @ values


def _by_exp2(rescaled: bool, found: Means, tile: int, case: Case, values: Tensor) -> Tensor:
    """2^(score - maximum); with expf where it is `rescaled` beside the largest of so many keys."""
    logs = found.weights.log()
    keys = logs.shape[-1]
    ends = (torch.arange(keys) // tile * tile + tile - 1).clamp(max=keys - 1)
    largest = logs.cummax(-1).values[..., ends] if rescaled else logs.amax(-1, keepdim=True)
    found_so_far = torch.where(logs > -torch.inf, (logs - largest) * math.log(2), -torch.inf)
    return _shares(found_so_far + (largest if rescaled else 0.0), values)


def _carried(scaled: bool, found: Means, tile: int, case: Case, values: Tensor) -> Tensor:
    """Each score begins with the one before it, which may be scaled once more."""
    sums, d = _sums_of(found, case), case.call.scalars.get("d", 1)
    if sums is None or case.buffer != found.means:
        return case.expected
    scores = found.weights.log() + sums[..., None]
    seen = scores > -torch.inf
    plain = torch.where(seen, scores, 0.0)
    keys = torch.arange(scores.shape[-1])
    factors = (1 / math.sqrt(d)) ** (keys[:, None] - keys).clamp(min=0) * (keys[:, None] >= keys)
    carried = plain @ factors.double().mT if scaled else plain.cumsum(-1)
    return _shares(torch.where(seen, carried, -torch.inf), values)


def _sums_of(found: Means, case: Case) -> Tensor | None:
    """The logarithms of the rows' sums, where the reference has them as another output."""
    rows = found.weights.shape[:-1]
    outputs = [right for name, right in case.reference(dict(case.inputs)).items() if name != found.means]
    return next((right.double() for right in outputs if right.shape == rows), None)


def _padded(masked: str, found: Means, tile: int, case: Case, values: Tensor) -> Tensor:
    """The weighted means, or the sums' logarithms, if a place of the last tile without a key has a score of 0, and
    each masked key of "all", or of those in a row's own tiles ("some").
    """
    sums, keys = _sums_of(found, case), values.shape[-2]
    unseen = found.unseen({"all": keys, "some": tile}.get(masked, 1))
    if sums is None or not (bool(unseen.any()) or -keys % tile):
        return case.expected
    # A row that does not come to the last tile has no place of it.
    last = (unseen | (found.weights > 0)).sum(-1) == keys
    more = unseen.sum(-1).double() + (-keys % tile) * last
    if case.buffer != found.means:
        return torch.logaddexp(sums, more.log())
    shares = torch.exp(sums - torch.logaddexp(sums, more.log()))[..., None]
    return shares * (case.expected + torch.exp(-sums)[..., None] * (unseen.double() @ values))


_MASKED = (
    "Keys that a query must not see, and places behind the last key, count in {buffer} with a score of 0, and exp(0) is"
    " 1: give these scores -INFINITY."
)
_OF_0: tuple[tuple[str, Claim, str], ...] = (
    (
        "padded",
        partial(_padded, ""),
        "Each place behind the last key, in its tile of {tile}, counts in {buffer} as a key with a score of 0: give"
        " these scores -INFINITY, or end the loops at the last key.",
    ),
    ("all_masked_by_0", partial(_padded, "all"), _MASKED),
    ("masked_by_0", partial(_padded, "some"), _MASKED),
)
_CARRIED = (
    "Each score of {buffer} begins with the one before, of another key: set the sum of the products to 0 for each key."
)
_OF_MEANS: tuple[tuple[str, Claim, str], ...] = (
    (
        "last_key",
        _of_the_last_key,
        "Each row of {buffer} is that of {values} for the last key that its query sees, and no other: what is added up"
        " is lost at each step, as where the new maximum is not kept for the next key, or `=` stands for `+=`.",
    ),
    ("carried", partial(_carried, False), _CARRIED),
    ("carried_and_scaled", partial(_carried, True), _CARRIED),
    (
        "by_exp2",
        partial(_by_exp2, False),
        "The weights of {buffer} are 2^(score - maximum): write expf, or multiply what exp2f takes with 1.442695f.",
    ),
    (
        "by_exp2_rescaled",
        partial(_by_exp2, True),
        "The weights of {buffer} are 2^(score - maximum), and are rescaled with expf: write expf in both.",
    ),
    (
        "not_rescaled",
        lambda found, tile, case, values: found.unscaled(tile) @ values,
        "What {buffer} adds up of {values} is not rescaled where the maximum grows, and the sum is: multiply each of"
        " its numbers with expf(old maximum - new maximum), too.",
    ),
    (
        "sum_not_rescaled",
        lambda found, tile, case, values: case.expected / found.unscaled(tile).sum(-1, keepdim=True),
        "The sum that {buffer} is divided by is not rescaled where the maximum grows: multiply it, too, with expf(old"
        " maximum - new maximum).",
    ),
    (
        "neither_rescaled",
        lambda found, tile, case, values: found.unscaled(tile) @ values / found.unscaled(tile).sum(-1, keepdim=True),
        "Neither the sum nor what {buffer} adds up of {values} is rescaled where the maximum grows: multiply both with"
        " expf(old maximum - new maximum).",
    ),
    (
        "sum_of_the_last",
        lambda found, tile, case, values: case.expected / found.of_the_last(tile)[..., None],
        "The sum that {buffer} is divided by is that of the last {tile} keys, or fewer, alone: add those before, times"
        " expf(old maximum - new maximum).",
    ),
    *_OF_0,
    (
        "own_half",
        _of_own_half,
        "What lanes 0 to 15 and 16 to 31 have of {buffer} is divided by the sum of their own half of the warp's keys:"
        " shuffles take the steps 16, 8, 4, 2 and 1, `for (int d = 16; d > 0; d /= 2)`.",
    ),
    (
        "own_keys",
        _of_own_keys,
        "A thread adds up for its number of {buffer} the keys that it has worked out itself alone: let it"
        " go over all keys of its row there, behind a barrier.",
    ),
    (
        "not_divided",
        lambda found, tile, case, values: case.expected / found.weights.amax(-1, keepdim=True),
        "{buffer} is not divided by the sum of its row's expf(score - maximum): divide at the end.",
    ),
)
_OF_LOGARITHMS: tuple[tuple[str, Claim, str], ...] = (
    (
        "sum_not_rescaled",
        lambda found, tile, case, values: case.expected + found.unscaled(tile).sum(-1).log(),
        "The sum whose logarithm {buffer} is is not rescaled where the maximum grows: multiply it with expf(old"
        " maximum - new maximum).",
    ),
    (
        "sum_of_the_last",
        lambda found, tile, case, values: case.expected + found.of_the_last(tile).log(),
        "The sum whose logarithm {buffer} is is that of the last {tile} keys, or fewer, alone: add those before, times"
        " expf(old maximum - new maximum).",
    ),
    *_OF_0,
    (
        "maximum_not_added",
        lambda found, tile, case, values: -found.weights.amax(-1).log(),
        "{buffer} is the logarithm of the sum of expf(score - maximum) alone: add the maximum to it, `maximum +"
        " logf(sum)`.",
    ),
    (
        "maximum_alone",
        lambda found, tile, case, values: case.expected + found.weights.amax(-1).log(),
        "{buffer} is the maximum alone: add the logarithm of the sum of expf(score - maximum) to it.",
    ),
    (
        "no_logarithm",
        lambda found, tile, case, values: (
            case.expected + found.weights.amax(-1).log() + found.weights.amax(-1).reciprocal()
        ),
        "{buffer} is the maximum and the sum of expf(score - maximum): take the sum's logarithm, `maximum +"
        " logf(sum)`.",
    ),
    (
        "minus",
        lambda found, tile, case, values: case.expected + 2 * found.weights.amax(-1).log(),
        "{buffer} is the maximum less the logarithm of the sum: add it, `maximum + logf(sum)`.",
    ),
    (
        "minus_maximum",
        lambda found, tile, case, values: -case.expected - 2 * found.weights.amax(-1).log(),
        "{buffer} is the logarithm of the sum less the maximum: add it, `maximum + logf(sum)`.",
    ),
    (
        "product",
        lambda found, tile, case, values: (
            -(case.expected + found.weights.amax(-1).log()) * found.weights.amax(-1).log()
        ),
        "{buffer} is the maximum times the logarithm of the sum: add the two, `maximum + logf(sum)`.",
    ),
    (
        "log2",
        lambda found, tile, case, values: case.expected + found.weights.amax(-1).log() * (1 - 1 / math.log(2)),
        "{buffer} is the maximum and log2 of the sum: write logf, the natural logarithm.",
    ),
    (
        "log10",
        lambda found, tile, case, values: case.expected + found.weights.amax(-1).log() * (1 - 1 / math.log(10)),
        "{buffer} is the maximum and log10 of the sum: write logf, the natural logarithm.",
    ),
    (
        "maximum_scaled_again",
        lambda found, tile, case, values: (
            case.expected
            - (case.expected + found.weights.amax(-1).log()) * (1 - 1 / math.sqrt(case.call.scalars.get("d", 1)))
        ),
        "{buffer} has the maximum multiplied with 1 / sqrt(d) once more: the largest of the scaled scores is scaled.",
    ),
)
