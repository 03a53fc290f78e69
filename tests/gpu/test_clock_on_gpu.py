"""The clock against triton's, and the ceilings against each other."""

from __future__ import annotations

import statistics

import pytest
import torch

from grader.devices.cuda import ceilings, clock
from grader.devices.cuda.card import find_card


def contenders():
    x, y = torch.randn(1 << 28, device="cuda"), torch.randn(1 << 28, device="cuda")
    z = torch.empty_like(x)
    a, b = torch.randn(4096, 4096, device="cuda"), torch.randn(4096, 4096, device="cuda")
    c = torch.empty_like(a)
    rows = x.reshape(16384, 16384)
    return {
        "torch.add": lambda: torch.add(x, y, out=z),
        "matmul": lambda: torch.matmul(a, b, out=c),
        "softmax": lambda: torch.softmax(rows, 1),
    }


@pytest.mark.parametrize("name", ["torch.add", "matmul", "softmax"])
def test_our_clock_agrees_with_tritons(name):
    testing = pytest.importorskip("triton.testing")
    card, _ = find_card()
    ours, call = clock.JudgeClock(card.l2_bytes), contenders()[name]
    theirs_us = 1000.0 * testing.do_bench(call, warmup=100, rep=300, return_mode="median")
    ours_us = statistics.median(ours.once(call) for _ in range(100))
    print(f"{name}: ours {ours_us:.1f} us, triton's {theirs_us:.1f} us")
    assert ours_us == pytest.approx(theirs_us, rel=0.02)


def test_ceilings_are_plausible():
    card, _ = find_card()
    ours = clock.JudgeClock(card.l2_bytes)
    rates = {}
    for ceiling in ceilings.bandwidths(torch.cuda.mem_get_info()[0]) + ceilings.arithmetic():
        rates[ceiling.name] = ceiling.rate(statistics.median(ours.once(ceiling.call) for _ in range(10)))
    print(rates)
    assert 0.7 < rates["read"] / rates["copy"] < 1.3
    assert rates["bf16"] > rates["fp32"]
