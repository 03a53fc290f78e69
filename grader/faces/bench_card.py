"""`ladder bench --card`: writes cards/NAME.toml, what this GPU can do, from the kernels of benchmarks/model/card.cu."""

from __future__ import annotations

import re
import statistics
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.course.catalog import UsageError
from grader.course.prototype import parse_prototype
from grader.model.card import constants, load_card

if TYPE_CHECKING:
    from grader.devices.cuda.card import Card

MICRO = Path("benchmarks", "model", "card.cu")
TEXT = "void card_{}(const float* x, float* z, int n, int rounds, int blocks, int threads, cudaStream_t stream)"
FLOATS = 1 << 28
IN_L2 = 1 << 21  # floats
WARP = 32
MANY = 1 << 20  # blocks that do nothing
WAITING = 1 << 19  # rounds of `wait`: a millisecond
SAMPLES = 5
# seconds(kernel, floats, rounds, blocks, threads) of one launch
Seconds = Callable[[str, int, int, int, int], float]
Values = dict[str, tuple[float, str, str]]  # value, unit, source


def bench_card(root: Path) -> Path:
    """Measures this GPU and writes its file; returns its path. Raises UsageError."""
    from grader.devices.cuda import own_code
    from grader.devices.cuda.card import find_card

    card, reason = find_card()
    if card is None:
        raise UsageError(f"`ladder bench --card` needs an NVIDIA GPU ({reason})")
    if not (root / MICRO).exists():
        raise UsageError(f"{MICRO} is missing: `ladder bench --card` is for a checkout of the project")
    with tempfile.TemporaryDirectory() as folder:
        library = own_code.build_all([root / MICRO], Path(folder), card.architecture)[root / MICRO]
        if isinstance(library, own_code.BuildError):
            raise UsageError(f"{MICRO} does not compile: {library}")
        values = work_out(_clock(library), card.multiprocessors, _clock_rate()) | _of_memory(card)
    label = re.sub(r"[^a-z0-9]", "", card.name.lower().removeprefix("nvidia"))
    file = root / "cards" / f"{label}.toml"
    # A card that the model was not compared with is none that `ladder check` tells of.
    file.write_text(dumps(card.name.removeprefix("NVIDIA "), card.architecture, values))
    load_card(file)
    return file


def work_out(seconds: Seconds, multiprocessors: int, clock: float) -> Values:
    """The constants that follow from the kernels' times."""
    full, rounds = multiprocessors * 2, 4096

    def clocks(kernel: str, each: float, blocks: int = full, floats: int = IN_L2, threads: int = 1024) -> float:
        """Of a multiprocessor, for each of so many things that a warp does in a round."""
        warps = blocks * threads / WARP / min(blocks, multiprocessors)
        return seconds(kernel, floats, rounds, blocks, threads) * clock / (rounds * warps * each)

    def alone(kernel: str, threads: int) -> float:
        return seconds(kernel, IN_L2, rounds, 1, threads) * clock / rounds

    def rate(blocks: int) -> float:
        return 4 * IN_L2 * 16 * blocks / seconds("read_again", IN_L2, 16, blocks, 512)

    updates = full * 1024 * 64
    first = seconds("nothing", 1, 1, 1, 32)
    found = {
        "multiprocessors": (multiprocessors, "1"),
        "clock": (clock, "Hz"),
        "dram_rate": (8 * FLOATS / seconds("copy", FLOATS, 1, FLOATS // 4 // 512, 512), "B/s"),
        "l2_rate": (rate(full), "B/s"),
        "l2_rate_of_one": (rate(1), "B/s"),
        "issue_rate": (1 / clocks("floats", 8), "1/clock"),
        "special_rate": (WARP / clocks("specials", 8), "1/clock"),
        "double_rate": (WARP / clocks("doubles", 8), "1/clock"),
        "tensor_rate": (2 * 16 * 8 * 16 / clocks("products", 2), "1/clock"),  # of mma.m16n8k16
        "load_line": (clocks("load_lines", WARP), "clock"),
        "store_line": (clocks("store_lines", WARP), "clock"),
        "shared_atomic": (clocks("shared_turns", WARP), "clock"),
        "atomic_float": (seconds("one_float", 1, 64, full, 1024) / updates, "s"),
        "atomic_integer": (seconds("one_integer", 1, 64, full, 1024) / updates, "s"),
        # Of 32 random words among 256, in 32 sectors: 22 sectors, counting those twice whose word two lanes want.
        "atomic_rate": (22 / WARP * updates / seconds("few_integers", 256, 64, full, 1024), "1/s"),
        "barrier_latency": (alone("barriers", 256), "clock"),
        "barrier_turn": (clocks("barriers", 1), "clock"),
        "block_start": ((seconds("nothing", 1, 1, MANY, WARP) - first) * clock * multiprocessors / MANY, "clock"),
        "first_launch": (first, "s"),
        "next_launch": ((seconds("nothing", 1, 101, 1, 32) - first) / 100, "s"),
    }
    return {name: (value, unit, f"{MICRO.name}, measured on this card") for name, (value, unit) in found.items()}


def _of_memory(card: Card) -> Values:
    """Latencies and sizes, by the walk of faces/hierarchy.py; and what no kernel of ours tells."""
    from grader.faces.hierarchy import measure

    walked, clock = measure(card), _clock_rate()
    by_size = {int(size): ns for size, ns in walked["global_ns"].items()}
    source = "the walk of grader/faces/hierarchy.py"
    return {
        "l1_bytes": (262144, "B", "CUDA programming guide, compute capability 9.0: check it for another one"),
        "l2_bytes": (walked["l2_bytes"] / 2, "B", "half of what the driver names: the other half may be a copy"),
        "integer_rate": (64, "1/clock", "CUDA programming guide, compute capability 9.0: check it for another one"),
        "l1_sectors": (4, "1/clock", "128 B a clock: NVIDIA's H100 white paper"),
        "dependent": (2.5, "clock", "rung 1 of column_sum on an H200: one block"),
        "independent": (1.2, "clock", "the register tiles of matmul on an H200"),
        "l1_latency": (by_size[1 << 15] * 1e-9 * clock, "clock", source),
        "l2_latency": (by_size[1 << 21] * 1e-9 * clock, "clock", source),
        "dram_latency": (by_size[1 << 30] * 1e-9 * clock, "clock", source),
        "shared_latency": (walked["shared_ns"] * 1e-9 * clock, "clock", source),
    }


def dumps(name: str, architecture: str, values: Values) -> str:
    """A card's file."""
    head = f'name = "{name}"\narchitecture = "{architecture}"\nmeasured = false'
    lines = ["# Written by `ladder bench --card`.", head, "", "[constants]"]
    for each in constants():
        value, unit, source = values[each]
        number = f"{value:.0f}" if unit == "B" else f"{value:.4g}"
        lines.append(f'{each} = {{ value = {number}, unit = "{unit}", source = "{source}" }}')
    return "\n".join([*lines, ""])


def _clock(library: Path) -> Seconds:
    """Times launches of the library's kernels by CUDA events, the median of several.

    The GPU is kept busy until all is in its queue: it would wait for the host otherwise, longer than a launch takes.
    """
    import torch

    from grader.devices.cuda import own_code

    x, z = (torch.ones(FLOATS, device="cuda") for _ in range(2))

    def launch(kernel: str, floats: int, rounds: int, blocks: int, threads: int) -> None:
        call = own_code.load(library, parse_prototype(TEXT.format(kernel)))
        assert call
        call(x=x, z=z, n=floats, rounds=rounds, blocks=blocks, threads=threads)

    def once(*what: Any) -> float:
        start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        launch("wait", 1, WAITING, 1, WARP)
        start.record()
        launch(*what)
        stop.record()
        stop.synchronize()
        return float(1e-3 * start.elapsed_time(stop))

    def seconds(kernel: str, floats: int, rounds: int, blocks: int, threads: int) -> float:
        return statistics.median([once(kernel, floats, rounds, blocks, threads) for _ in range(SAMPLES + 1)][1:])

    return seconds


def _clock_rate() -> float:
    """Hz, as the multiprocessors run now."""
    import torch

    return 1e6 * torch.cuda.clock_rate()
