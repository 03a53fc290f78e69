"""How long a grade takes on a GPU, and how far its times can be trusted.

    python -m benchmarks.gpu_grader --out benchmarks/results/h200/grader.json

Writes the three things that docs/grading.md shows (`make readme` brings them there): seconds from a changed file to the
verdict, as a new process; times of one kernel, graded again and again; and our clock beside triton's `do_bench`.
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Callable
from datetime import date
from pathlib import Path

import torch

from benchmarks.bench_grader import edit_and_check, own_course
from grader.course import catalog
from grader.devices.cuda import clock
from grader.devices.cuda.card import find_card
from grader.grade import grade

LESSON = "01"
ROUNDS = 5
SAMPLES = 100


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    out = parser.parse_args().out
    card, reason = find_card()
    if card is None:
        parser.exit(2, f"there is no GPU to measure, as {reason}\n")
    found = {
        "machine": {"device": card.name, "date": date.today().isoformat(), "torch": torch.__version__},
        "check": [check() for _ in range(ROUNDS)],
        "again": [regrade() for _ in range(ROUNDS)],
        "clocks": against_triton(),
    }
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(found, indent=1) + "\n")
    print(json.dumps(found, indent=1))


def check() -> dict[str, float]:
    """`ladder check` of a changed file that does all itself; seconds by name."""
    entry = catalog.find(LESSON)
    with own_course(entry) as environment:
        return edit_and_check(entry, environment | {"LADDER_SERVER": "0"})


def regrade() -> dict[str, float]:
    """Time and ratio of the lesson's reference kernel, as a grade has them."""
    timings = grade(LESSON, reference=True, device="cuda").tasks[0].timings
    return {"median_us": timings["median_us"], "ratio": timings["ratios"]["torch.add"]}


def against_triton() -> dict[str, dict[str, float]]:
    """Microseconds of each contender by our clock and by triton's. Raises ImportError without triton."""
    from triton.testing import do_bench

    card, _ = find_card()
    ours = clock.JudgeClock(card.l2_bytes)
    return {
        name: {
            "triton_us": 1000.0 * do_bench(call, warmup=100, rep=300, return_mode="median"),
            "ours_us": statistics.median(ours.once(call) for _ in range(SAMPLES)),
        }
        for name, call in contenders().items()
    }


def contenders() -> dict[str, Callable[[], object]]:
    x, y = torch.randn(1 << 28, device="cuda"), torch.randn(1 << 28, device="cuda")
    z = torch.empty_like(x)
    a, b = torch.randn(4096, 4096, device="cuda"), torch.randn(4096, 4096, device="cuda")
    c = torch.empty_like(a)
    rows = x.reshape(16384, 16384)
    return {
        "torch.add, 2^28": lambda: torch.add(x, y, out=z),
        "fp32 matmul, 4096^3": lambda: torch.matmul(a, b, out=c),
        "softmax, 16384 x 16384": lambda: torch.softmax(rows, 1),
    }


if __name__ == "__main__":
    main()
