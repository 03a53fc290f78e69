"""The clock against triton's, and the ceilings against each other."""

from __future__ import annotations

import statistics

import pytest
import torch

from benchmarks.gpu_grader import against_triton
from grader.devices.cuda import ceilings, clock
from grader.devices.cuda.card import find_card
from grader.grade import grade


def test_our_clock_agrees_with_tritons():
    pytest.importorskip("triton.testing")
    for name, times in against_triton().items():
        assert times["ours_us"] == pytest.approx(times["triton_us"], rel=0.02), name


def test_ceilings_are_plausible():
    card, _ = find_card()
    ours = clock.JudgeClock(card.l2_bytes)
    rates = {}
    for ceiling in ceilings.wanted(ceilings.MAKERS, torch.cuda.mem_get_info()[0]):
        rates[ceiling.name] = ceiling.rate(statistics.median(ours.once(ceiling.call) for _ in range(10)))
    print(rates)
    assert 0.7 < rates["read"] / rates["copy"] < 1.3
    assert rates["bf16"] > rates["fma"] > rates["fp32"]
    facts = torch.cuda.get_device_properties(0)
    assert 8 < rates["special"] / (facts.multi_processor_count * facts.clock_rate * 1e3) < 17  # 16 a clock
    assert 128 < rates["fma"] / (facts.multi_processor_count * facts.clock_rate * 1e3) < 257  # 128 a clock, each is two
    assert 1.2 * rates["fp32"] < rates["mma"] < 1.02 * rates["bf16"]


def test_a_graded_kernel_leaves_the_memory_of_the_card_to_the_next_grading():
    assert grade("04", reference=True, device="cuda", emulator=False).status == "passed"
    assert torch.cuda.memory_reserved() < 1 << 30  # ceilings and sets take several
