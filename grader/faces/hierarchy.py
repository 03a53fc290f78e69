"""The memories of a GPU by their size and their latency, and what a transfer to it costs: measured, for the notebooks.

    python -m grader.faces.hierarchy benchmarks/results/h200/hierarchy.json

Latency by pointer chasing (Saavedra-Barrera 1992; Wong et al. 2010, "Demystifying GPU Microarchitecture through
Microbenchmarking"): one thread follows a random cycle through 128-byte lines, and each load must wait for the last.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
from collections.abc import Callable
from datetime import date
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.course.prototype import parse_prototype
from grader.devices.cuda import own_code

if TYPE_CHECKING:
    from torch import Tensor

    from grader.devices.cuda.card import Card

LINE = 128  # bytes; a word of each line is visited
HOPS = 40_000
SHARED_WORDS = 8192  # 32 KB
FOOTPRINTS = [2**k for k in range(14, 31)]  # bytes walked through: 16 KB ... 1 GB
WARM = 64 << 20  # bytes: more than an H200's L2 cache holds
SAMPLES = 20
FLOATS = 10_000_000  # of one transfer

SOURCE = """
__global__ void walk(const unsigned* next, unsigned* last, int hops) {
    unsigned at = 0;
    for (int hop = 0; hop < hops; ++hop) at = next[at];
    *last = at;
}

__global__ void walk_shared(const unsigned* next, unsigned* last, int hops) {
    __shared__ unsigned chain[WORDS];
    for (int i = 0; i < WORDS; ++i) chain[i] = next[i];
    unsigned at = 0;
    for (int hop = 0; hop < hops; ++hop) at = chain[at];
    *last = at;
}

extern "C" void chase(const unsigned* next, unsigned* last, int hops, int shared, cudaStream_t stream) {
    if (shared) walk_shared<<<1, 1, 0, stream>>>(next, last, hops);
    else walk<<<1, 1, 0, stream>>>(next, last, hops);
}
""".replace("WORDS", str(SHARED_WORDS))
CHASE = parse_prototype("void chase(const unsigned* next, unsigned* last, int hops, int shared, cudaStream_t stream)")


def measure(card: Card) -> dict[str, Any]:
    """Sizes in bytes, latencies in nanoseconds a load by the bytes walked through, transfers in microseconds."""
    import torch

    facts = torch.cuda.get_device_properties(0)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "chase.cu")
        source.write_text(SOURCE)
        library = own_code.build_all([source], Path(folder), card.architecture)[source]
        if isinstance(library, own_code.BuildError):
            raise library
        chase = own_code.load(library, CHASE)
        assert chase
        return {
            "device": card.name,
            "date": date.today().isoformat(),
            "multiprocessors": facts.multi_processor_count,
            "threads_per_multiprocessor": facts.max_threads_per_multi_processor,
            # of one multiprocessor, as the next; torch has it, and its stubs do not
            "registers_bytes": 4 * facts.regs_per_multiprocessor,  # type: ignore[attr-defined]
            "shared_bytes": facts.shared_memory_per_multiprocessor,
            "l2_bytes": facts.L2_cache_size,
            "memory_bytes": facts.total_memory,
            "shared_ns": _latency(chase, 4 * SHARED_WORDS, 4, shared=True),
            "global_ns": {str(size): _latency(chase, size, LINE) for size in FOOTPRINTS},
            "transfer_us": _transfers(),
        }


def _latency(chase: own_code.Call, size: int, stride: int, *, shared: bool = False) -> float:
    """Nanoseconds a hop in a random cycle through `size` bytes.

    Up to WARM bytes all lines were visited just before; of more, some are visited, and the L2 cache holds none of them.
    """
    import torch

    last = torch.zeros(1, dtype=torch.int32, device="cuda")
    chain = _cycle(size // stride, stride // 4)
    hops = max(HOPS, size // stride) if size <= WARM else HOPS
    flush = torch.empty(0 if size <= WARM else 1 << 28, dtype=torch.int8, device="cuda")
    walk = partial(chase, next=chain, last=last, hops=hops, shared=int(shared))
    return round(1e3 * median_us(walk, 5, before=flush.zero_) / hops, 2)


def _cycle(length: int, words: int, device: str = "cuda") -> Tensor:
    """`chain[words * k]` is the place of the next line: one random cycle through all lines."""
    import torch

    order = torch.randperm(length, device=device).to(torch.int32) * words
    order = torch.roll(order, -int((order == 0).nonzero()))  # the walk begins at 0
    chain = torch.zeros(length * words, dtype=torch.int32, device=device)
    chain[order.long()] = torch.roll(order, -1)
    return chain


def _transfers() -> dict[str, float]:
    """Microseconds to copy a vector of FLOATS floats, from and to ordinary and page-locked memory of the host."""
    import torch

    device = torch.empty(FLOATS, device="cuda")
    hosts = {"pageable": torch.ones(FLOATS), "pinned": torch.ones(FLOATS, pin_memory=True)}
    found = {}
    for name, host in hosts.items():
        found[f"to_device_{name}"] = median_us(partial(device.copy_, host))
        found[f"to_host_{name}"] = median_us(partial(host.copy_, device))
    return found


def median_us(work: Callable[[], Any], samples: int = SAMPLES, before: Callable[[], Any] = lambda: None) -> float:
    """By CUDA events around each run, after one that warms up; `before` is done before each, and not timed."""
    import torch

    times: list[float] = []
    for _ in range(samples + 1):
        start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        before()
        torch.cuda.synchronize()
        start.record()
        work()
        stop.record()
        stop.synchronize()
        times.append(1e3 * start.elapsed_time(stop))
    return round(statistics.median(times[1:]), 2)


def main() -> None:
    from grader.devices.cuda.card import find_card

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    file = parser.parse_args().file
    card, reason = find_card()
    if card is None:
        parser.exit(2, f"there is no GPU to measure, as {reason}\n")
    file.write_text(json.dumps(measure(card), indent=1) + "\n")


if __name__ == "__main__":
    main()
