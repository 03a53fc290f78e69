"""Which kernels of a class look alike: fingerprints of their tokens, names and numbers aside.

Schleimer, Wilkerson and Aiken, "Winnowing: Local Algorithms for Document Fingerprinting" (SIGMOD 2003), the method of
MOSS; JPlag's reports give the idea of leaving out what everybody was given. A pair that is alike proves nothing: look.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from zlib import crc32

RUN, WINDOW = 12, 6  # tokens that make one fingerprint; of so many neighbouring ones the smallest is kept
COMMON = 0.5  # what more than this part of a class shares is no sign
FEWEST = 8  # fingerprints of its own, below which a kernel cannot be told from another
_TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?P<name>[A-Za-z_]\w*)|(?P<number>\.?\d[\w.]*)|\S', re.DOTALL
)
_WORDS = """
if else for while do return break continue switch case default struct template typename const constexpr static inline
unsigned int float double half bool void char long short auto __global__ __device__ __shared__ __constant__
__syncthreads __syncwarp threadIdx blockIdx blockDim gridDim atomicAdd float2 float4 int4 min max
"""
_KEPT = set(_WORDS.split())


@dataclass(frozen=True)
class Pair:
    """Two kernels of a lesson: how much of the shorter one is in the longer one, from 0 to 1."""

    lesson: str
    one: str
    other: str
    share: float


def tokens(text: str) -> list[str]:
    """Without comments; all names that are a learner's own are alike, and so are all numbers."""
    found = []
    for token in _TOKEN.finditer(text):
        word = token[0]
        if token["name"]:
            found.append(word if word in _KEPT else "name")
        elif token["number"]:
            found.append("number")
        elif not word.startswith(("//", "/*")):
            found.append(word[:1])
    return found


def fingerprints(text: str) -> set[int]:
    """Hashes of some runs of tokens: of any that is as long as RUN + WINDOW - 1 at least one."""
    words = tokens(text)
    hashes = [crc32(" ".join(words[at : at + RUN]).encode()) for at in range(max(len(words) - RUN + 1, 0))]
    return {min(hashes[at : at + WINDOW]) for at in range(max(len(hashes) - WINDOW + 1, min(len(hashes), 1)))}


def alike(lesson: str, kernels: Mapping[str, str], course: Mapping[str, str], at_least: float) -> list[Pair]:
    """The pairs of kernels, by name, that share more than this, and those of a kernel and a file of the course.

    What the course gives out, or half of a class has, is no sign between two people.
    """
    prints = {name: fingerprints(text) for name, text in kernels.items()}
    given = {name: fingerprints(text) for name, text in course.items()}
    pairs = [_pair(lesson, one, other, mine, theirs) for one, mine in prints.items() for other, theirs in given.items()]
    often = Counter(each for mine in prints.values() for each in mine)
    common = {each for each, count in often.items() if count > max(2, COMMON * len(prints))}.union(*given.values())
    own = {name: mine - common for name, mine in prints.items() if len(mine - common) >= FEWEST}
    holders = defaultdict(list)
    for name, mine in own.items():
        for each in mine:
            holders[each].append(name)
    met = {pair for names in holders.values() for pair in combinations(names, 2)}
    pairs += [_pair(lesson, one, other, own[one], own[other]) for one, other in sorted(met)]
    return sorted((pair for pair in pairs if pair.share >= at_least), key=lambda pair: -pair.share)


def _pair(lesson: str, one: str, other: str, mine: set[int], theirs: Iterable[int]) -> Pair:
    theirs = set(theirs)
    shorter = min(len(mine), len(theirs))
    return Pair(lesson, one, other, len(mine & theirs) / shorter if shorter else 0.0)
