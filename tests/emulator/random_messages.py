"""Random kernels whose blocks hand data on by fences and flags, and which of their accesses race.

A flag hands on what its thread had seen at its last fence of device scope; of the block's other threads also what they
had at theirs, once a barrier came between. Who sees the flag has seen all that.
"""

from __future__ import annotations

import random
from collections import defaultdict
from dataclasses import dataclass, field

from random_kernels import Thread, condition, conflict, index, meet

WORDS, FLAGS = 16, 6
SETS = ("atomicExch(flag + {f}, 1)", "((volatile int*)flag)[{f}] = 1", "atomicAdd(flag + {f}, 1)")
WAITS = (
    "while (atomicAdd(flag + {f}, 0) == 0) {{}}",
    "while (((volatile int*)flag)[{f}] == 0) {{}}",
    "while (atomicCAS(flag + {f}, 1, 1) != 1) {{}}",
)
FORMS = (("v += g[{i}]", "r"), ("g[{i}] = {value}", "w"), ("v += atomicAdd(g + {i}, 1)", "a"))
Clock = dict[Thread, int]


@dataclass
class Messages:
    """One kernel; what its threads have seen is worked out as its text is drawn."""

    name: str
    threads: int
    blocks: int
    first_line: int
    lines: list[str] = field(default_factory=list)
    races: set[tuple[int, int]] = field(default_factory=set)

    def __post_init__(self) -> None:
        threads = [(b, t) for b in range(self.blocks) for t in range(self.threads)]
        self.seen: dict[Thread, Clock] = {thread: {thread: 1} for thread in threads}
        self.fenced: dict[Thread, Clock] = {thread: {} for thread in threads}
        self.handed: list[tuple[int, Clock]] = []  # by flag: the block that has set it, and what that handed on
        self.before: dict[int, list[tuple[Thread, int, str, int]]] = defaultdict(list)

    def say(self, text: str) -> int:
        self.lines.append(f"    {text}")
        return self.first_line + len(self.lines) - 1

    def access(self, draw: random.Random) -> None:
        block, (text, kind) = draw.randrange(self.blocks), draw.choice(FORMS)
        (said, who), (place, at) = condition(draw, self.threads), index(draw, WORDS)
        value = f"t + b * 1000 + {4099 * (self.first_line + len(self.lines))}"
        line = self.say(f"if (b == {block} && ({said})) {text.format(i=place, value=value)};")
        for thread in ((block, t) for t in range(self.threads) if who(t)):
            word = at(thread[1])
            for other, when, others, its_line in self.before[word]:
                ordered = other == thread or self.seen[thread].get(other, 0) >= when
                if not ordered and conflict(kind, others, other[0] == block):
                    self.races.add((min(line, its_line), max(line, its_line)))
            self.before[word].append((thread, self.seen[thread][thread], kind, line))

    def barrier(self) -> None:
        self.say("__syncthreads();")
        for block in range(self.blocks):
            group = [(block, t) for t in range(self.threads)]
            meet(self.seen, group)
            fenced: Clock = {}
            for thread in group:
                join(fenced, self.fenced[thread])
            for thread in group:
                self.fenced[thread] = dict(fenced)

    def fence(self, of_device: bool, only: int | None) -> None:
        who = "" if only is None else f"if (t == {only}) "
        self.say(f"{who}__threadfence{'' if of_device else '_block'}();")
        for thread in self.seen:
            if of_device and only in (None, thread[1]):
                self.fenced[thread] = dict(self.seen[thread])
                self.seen[thread][thread] += 1

    def hand_on(self, draw: random.Random) -> None:
        thread = (draw.randrange(self.blocks), draw.choice([0, 0, self.threads - 1]))
        self.say(f"if (b == {thread[0]} && t == {thread[1]}) {draw.choice(SETS).format(f=len(self.handed))};")
        self.handed.append((thread[0], dict(self.fenced[thread])))

    def wait(self, draw: random.Random) -> None:
        flag = draw.randrange(len(self.handed))
        setter, handed = self.handed[flag]
        thread = (draw.choice([b for b in range(self.blocks) if b != setter]), draw.choice([0, 0, self.threads - 1]))
        self.say(f"if (b == {thread[0]} && t == {thread[1]}) {draw.choice(WAITS).format(f=flag)}")
        join(self.seen[thread], handed)


def join(clock: Clock, other: Clock) -> None:
    for thread, when in other.items():
        clock[thread] = max(clock.get(thread, 0), when)


def random_messages(draw: random.Random, name: str, first_line: int) -> Messages:
    kernel = Messages(name, draw.choice([32, 64]), draw.choice([2, 3]), first_line)
    kernel.lines = [
        f"__global__ void {name}(int* out, int* g, int* flag) {{",
        "    const int t = threadIdx.x, b = blockIdx.x; int v = 0;",
    ]
    for _ in range(draw.randrange(5, 14)):
        kind = draw.random()
        if kind < 0.4:
            kernel.access(draw)
        elif kind < 0.5:
            kernel.barrier()
        elif kind < 0.6:
            kernel.fence(draw.random() < 0.85, draw.choice([None, 0, 0, kernel.threads - 1]))
        elif kind < 0.8 or not kernel.handed:
            if draw.random() < 0.5:
                kernel.fence(True, None), kernel.barrier()
            if len(kernel.handed) < FLAGS:
                kernel.hand_on(draw)
        else:
            kernel.wait(draw)
            if draw.random() < 0.6:
                kernel.barrier()
    kernel.lines += ["    out[b * blockDim.x + t] = v;", "}"]
    return kernel
