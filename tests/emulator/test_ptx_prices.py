"""The price list of inline PTX beside that of functions, which Nsight Compute has counted on a GPU."""

from __future__ import annotations

import pytest

from benchmarks.fidelity import ptx_prices
from grader.devices.cuda.machine_code import tools
from grader.devices.emulator.prices import PRICES
from grader.devices.emulator.ptx_prices import price_of
from grader.model.flow import Instruction

# What these functions are made of is one such instruction.
ALIKE = {
    "add.f32": "__fadd_rn",
    "mul.rz.f32": "__fmul_rz",
    "fma.rn.f32": "__fmaf_rn",
    "div.rn.f32": "__fdiv_rn",
    "rcp.rn.f32": "__frcp_rn",
    "rcp.rz.f32": "__frcp_rz",
    "sqrt.rn.f32": "__fsqrt_rn",
    "sqrt.rp.f32": "__fsqrt_ru",
    "ex2.approx.ftz.f32": "rsqrtf",
    "tanh.approx.f32": "__tanhf",
    "add.f64": "__dadd_rn",
    "fma.rn.f64": "fma",
    "sqrt.rn.f64": "__dsqrt_rn",
    "div.rn.f64": "__ddiv_rn",
    "rsqrt.approx.f64": "rsqrt",
    "rem.u32": "integer /",
}


@pytest.mark.parametrize(("instruction", "function"), ALIKE.items())
def test_an_instruction_costs_what_its_function_was_measured_to(instruction, function):
    assert price_of(instruction) == PRICES[function]


@pytest.mark.parametrize("name", ["mov.b32", "add.u32", "ld.shared.f32", "mma.sync.aligned.m16n8k16", "no_such"])
def test_what_computes_with_no_floats_costs_nothing(name):
    assert price_of(name) == (0, 0, 0)


def test_moves_of_constants_and_code_for_unusual_numbers_do_not_count():
    rows = [
        "HFMA2 R5, -RZ, RZ, 0, 0.5 ;",
        "FFMA R1, R2, R3, R4 ;",
        "@P0 MUFU.EX2 R1, R1 ;",
        "EXIT ;",
        "FMUL R1, R1, R1 ;",
    ]
    code = [Instruction(1, text, 0, 7, 7, 0) for text in rows]
    assert ptx_prices.price_of(code) == (1, 2, 0)


@pytest.mark.slow
@pytest.mark.skipif(tools() is None, reason="nvcc or nvdisasm is missing")
def test_the_list_is_what_nvcc_makes_of_its_instructions():
    assert ptx_prices.renewed(text := ptx_prices.LIST.read_text(), ptx_prices.prices()) == text
