"""Random kernels of one or two blocks, and which of their accesses race: worked out from all pairs of them."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol, TypeVar

K = TypeVar("K", bound="Drawn")
Of = Callable[[int], int]  # of a thread's number
Thread = tuple[int, int]  # of a block
MASKS = (0xFFFFFFFF, 0xFFFFFFFF, 0xFFFF, 0xFF, 0x55555555, 0x3, 0xFF00FF00, 0xFFFF0000)
BLOCK, NAMED = "block", "named"  # barriers; a warp's is its mask
# The text, who reads (r), writes (w), updates (a: all see it, b: its block does), and which bytes of the array.
FORMS: list[tuple[str, str, Callable[[int, int], Iterable[int]]]] = [
    ("v += {a}[{i}]", "r", lambda i, n: range(4 * i, 4 * i + 4)),
    ("{a}[{i}] = {value}", "w", lambda i, n: range(4 * i, 4 * i + 4)),
    ("v += atomicAdd(&{a}[{i}], 1)", "a", lambda i, n: range(4 * i, 4 * i + 4)),
    ("v += atomicAdd_block(&{a}[{i}], 1)", "b", lambda i, n: range(4 * i, 4 * i + 4)),
    ("v += ((char*){a})[{i} + {n}]", "r", lambda i, n: [i + n]),
    ("((char*){a})[{i} + {n}] = (char)({value})", "w", lambda i, n: [i + n]),
    ("v += ((int2*){a})[({i}) / 2].y", "r", lambda i, n: range(8 * (i // 2) + 4, 8 * (i // 2) + 8)),
    ("((int2*){a})[({i}) / 2] = make_int2({value}, t)", "w", lambda i, n: range(8 * (i // 2), 8 * (i // 2) + 8)),
]


@dataclass(frozen=True)
class Step:
    """One statement: an access of the threads that `who` names, or a barrier of all that have not returned."""

    line: int
    kind: str
    who: Callable[[int], bool] = lambda t: True
    bytes_of: Callable[[int], Iterable[int]] = lambda t: ()
    mask: int = 0


class Drawn(Protocol):
    name: str
    threads: int
    blocks: int
    lines: list[str]


@dataclass
class Kernel:
    name: str
    threads: int
    blocks: int
    words: int
    array: str  # "s" in shared memory, or "g"
    lines: list[str] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)

    @cached_property
    def races(self) -> set[tuple[int, int]]:
        """The pairs of lines, the smaller first, whose accesses meet unordered in some byte."""
        seen: dict[Thread, dict[Thread, int]] = {
            (b, t): {(b, t): 1} for b in range(self.blocks) for t in range(self.threads)
        }
        before: dict[tuple[int, int], list[tuple[Thread, int, str, int]]] = defaultdict(list)
        found = set()
        for step in self.steps:
            if step.kind in (BLOCK, NAMED, "warp"):
                for group in self._groups(step):
                    meet(seen, group)
                continue
            for thread in (each for each in seen if step.who(each[1])):
                for byte in step.bytes_of(thread[1]):
                    place = (thread[0] if self.array == "s" else 0, byte)
                    for other, when, kind, line in before[place]:
                        ordered = other == thread or seen[thread].get(other, 0) >= when
                        if not ordered and conflict(step.kind, kind, other[0] == thread[0]):
                            found.add((min(line, step.line), max(line, step.line)))
                    before[place].append((thread, seen[thread][thread], step.kind, step.line))
        return found

    def _groups(self, step: Step) -> Iterator[list[Thread]]:
        for block in range(self.blocks):
            if step.kind == BLOCK:
                yield [(block, t) for t in range(self.threads)]
            elif step.kind == NAMED:
                yield [(block, t) for t in range(64)]
            else:
                for warp in range(0, self.threads, 32):
                    yield [(block, warp + lane) for lane in range(32) if step.mask >> lane & 1]


def meet(seen: dict[Thread, dict[Thread, int]], group: list[Thread]) -> None:
    joined: dict[Thread, int] = {}
    for thread in group:
        for other, when in seen[thread].items():
            joined[other] = max(joined.get(other, 0), when)
    for thread in group:
        seen[thread] = {**joined, thread: seen[thread][thread] + 1}


def conflict(kind: str, other: str, same_block: bool) -> bool:
    if kind in "ab" and other in "ab":
        return not same_block and "b" in kind + other
    return not kind == other == "r"


def condition(draw: random.Random, threads: int) -> tuple[str, Callable[[int], bool]]:
    m, c = draw.choice([2, 3, 4, 8]), draw.randrange(threads)
    bit = 1 << draw.randrange(6)
    return draw.choice(
        [
            ("true", lambda t: True),
            (f"t < {c}", lambda t: t < c),
            (f"t >= {c}", lambda t: t >= c),
            (f"t == {c}", lambda t: t == c),
            (f"t % {m} == {c % m}", lambda t: t % m == c % m),
            (f"t & {bit}", lambda t: bool(t & bit)),
            (f"t >= {c} && t < {c + m}", lambda t: c <= t < c + m),
        ]
    )


def index(draw: random.Random, words: int) -> tuple[str, Of]:
    m, c = draw.choice([2, 3, 5]), draw.randrange(words)
    return draw.choice(
        [
            (f"t % {words}", lambda t: t % words),
            (f"(t + {c}) % {words}", lambda t: (t + c) % words),
            (f"(t ^ {c}) % {words}", lambda t: (t ^ c) % words),
            (f"t / {m} % {words}", lambda t: t // m % words),
            (f"t * {m} % {words}", lambda t: t * m % words),
            (f"{c}", lambda t: c),
        ]
    )


def statement(draw: random.Random, kernel: Kernel, line: int) -> tuple[str, Step]:
    kind = draw.random()
    if kind < 0.15:
        return "__syncthreads();", Step(line, BLOCK)
    if kind < 0.2 and kernel.threads > 32:
        return 'if (t < 64) asm volatile("bar.sync 1, 64;" ::: "memory");', Step(line, NAMED)
    if kind < 0.4:
        mask = draw.choice(MASKS)
        return f"if ({mask}u >> (t & 31) & 1) __syncwarp({mask}u);", Step(line, "warp", mask=mask)
    text, access, bytes_of = draw.choice(FORMS)
    (said, who), (place, at) = condition(draw, kernel.threads), index(draw, kernel.words)
    value = f"t + blockIdx.x * 1000 + {4099 * line}"
    text = text.format(a=kernel.array, i=place, n=kernel.words, value=value)
    return f"if ({said}) {text};", Step(line, access, who, lambda t: bytes_of(at(t), kernel.words))


def random_kernel(draw: random.Random, name: str, first_line: int) -> Kernel:
    kernel = Kernel(
        name, draw.choice([32, 64, 64, 96]), draw.choice([1, 1, 2]), draw.choice([16, 64, 128]), draw.choice("sg")
    )
    kernel.lines = [
        f"__global__ void {name}(int* out, int* g) {{",
        f"    __shared__ __align__(8) int s[{kernel.words}];",
        "    const int t = threadIdx.x; int v = 0;",
        f"    for (int i = t; i < {kernel.words}; i += blockDim.x) s[i] = 0;",
        "    __syncthreads();",
    ]
    for _ in range(draw.randrange(2, 9)):
        text, step = statement(draw, kernel, first_line + len(kernel.lines))
        kernel.lines.append("    " + text)
        kernel.steps.append(step)
    kernel.lines += ["    out[blockIdx.x * blockDim.x + t] = v;", "}"]
    return kernel


def file_of(draw: Callable[[str, int], K], count: int) -> tuple[str, list[K]]:
    """A file whose entry point f launches so many kernels, each once, drawn by name and first line; and the kernels."""
    lines: list[str] = []
    kernels: list[K] = []
    for number in range(count):
        kernels.append(draw(f"k{number}", len(lines) + 1))
        lines += kernels[-1].lines
    launches = [
        f"    cudaMemsetAsync(flag, 0, 64, stream); {each.name}<<<{each.blocks}, {each.threads}, 0, stream>>>"
        f"(out, g{', flag' if 'int* flag' in each.lines[0] else ''});"
        for each in kernels
    ]
    head = 'extern "C" void f(int* out, int* g, int* flag, cudaStream_t stream) {'
    return "\n".join([*lines, head, "    cudaMemsetAsync(g, 0, 1024, stream);", *launches, "}", ""]), kernels
