"""Warp-wide functions, one a kernel: every lane's result is known from its number."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.emulator.checked_kernel import run

SOURCE = (Path(__file__).parent / "kernels" / "warp.cu").read_text()

LANE = np.arange(32)


def rows(call, name: str, count: int, dtype) -> np.ndarray:
    return call(name, z=np.zeros((count, 32), dtype))["z"]


def test_shuffles_and_their_widths(call):
    x = LANE.astype(np.int32) * 10
    z = call("shuffle", x=x, z=np.zeros((8, 32), np.int32))["z"] // 10
    assert (z[0] == 5).all()
    assert np.array_equal(z[1], LANE // 8 * 8 + (LANE + 1) % 8)
    assert np.array_equal(z[2], np.where(LANE < 3, LANE, LANE - 3))
    assert np.array_equal(z[3], np.where(LANE % 4 < 1, LANE, LANE - 1))
    assert np.array_equal(z[4], np.where(LANE > 29, LANE, LANE + 2))
    assert np.array_equal(z[5], np.where(LANE % 16 == 15, LANE, LANE + 1))
    assert np.array_equal(z[6], LANE ^ 1)
    assert np.array_equal(z[7], 31 - LANE)


def test_shuffles_of_every_type(call):
    z = rows(call, "shuffle_types", 8, np.float64)
    other = LANE ^ 2
    bases = [0, 0, 2.0**40, -(2.0**40), 0, 2.0**31]
    factors = [0.5, 0.125, 1, -1, 1, 1]
    for row, base, factor in zip(z, bases, factors, strict=False):
        assert np.array_equal(row, base + factor * other)
    assert np.array_equal(z[6], 250 + other % 4)
    assert np.array_equal(z[7], -other)


def test_a_warp_sum(call):
    x = np.arange(96, dtype=np.float32)
    assert np.array_equal(call("reduction", x=x, z=np.zeros(3, np.float32))["z"], x.reshape(3, 32).sum(1))


def test_shuffles_in_both_branches_and_by_a_ballot_mask(call):
    z = rows(call, "half_warps", 1, np.int32)[0]
    assert np.array_equal(z, np.where(LANE < 16, 3, 20) + np.where(LANE & 1, 100 * (LANE ^ 2), 0))


def test_votes(call):
    z = rows(call, "votes", 6, np.uint32)
    every_third = sum(1 << lane for lane in range(0, 32, 3))
    assert [set(row) for row in z.tolist()] == [{1}, {0}, {1}, {0}, {every_third}, {0xFFFFFFFF}]


def test_matches(call):
    z = rows(call, "matches", 4, np.uint32)
    tens = [0x3FF, 0x3FF << 10, 0x3FF << 20, 3 << 30]
    assert z[0].tolist() == [tens[lane // 10] for lane in range(32)]
    assert z[1].tolist() == [0xAAAAAAAA if lane & 1 else 0x55555555 for lane in range(32)]
    assert (z[2] == 0xFFFFFFFF).all()
    assert (z[3] == 0).all()


def test_integer_reductions(call):
    z = rows(call, "reductions", 8, np.int32)
    # The sum of -10 ... 21; as unsigned, the least of them is 0; bits 0 ... 15 twice each cancel, 32 times one too.
    assert [set(row) for row in z.tolist()] == [{176}, {-10}, {21}, {0}, {31}, {0xF0}, {31}, {0}]


def test_the_active_mask(call):
    z = rows(call, "active", 2, np.uint32)
    odd_below_20 = sum(1 << lane for lane in range(1, 20, 2))
    assert np.array_equal(z[0], np.where((LANE < 20) & (LANE % 2 == 1), odd_below_20, 0))
    assert (z[1] == 0xFFFFFFFF).all()


def test_syncwarp_of_all_lanes_and_of_some(call):
    x = np.arange(64, dtype=np.int32)
    z = call("syncwarp", x=x, z=np.zeros((2, 4), np.int32))["z"]
    assert np.array_equal(z, x.reshape(2, 32).sum(1)[:, None] + np.arange(4)[::-1])


def test_a_full_mask_in_a_warp_that_is_not_full(call):
    v = np.arange(52)
    assert np.array_equal(call("partial_warp", z=np.zeros(52, np.int32))["z"], v + (v ^ 1))


# Each of the first 20 lanes looks at lane + 16, of which some have returned; `used` says what becomes of such a value.
ABSENT = """
__global__ void k(const float* x, float* z, int n) {{
    const int lane = threadIdx.x;
    const unsigned mask = __ballot_sync(~0u, lane < 20);
    if (lane >= 20) return;
    const float other = __shfl_down_sync(mask, x[lane], 16);
    z[lane] = x[lane] + ({used} ? other : 0);
}}
extern "C" void f(const float* x, float* z, int n, cudaStream_t stream) {{ k<<<1, 32, 0, stream>>>(x, z, n); }}
"""


@pytest.mark.parametrize(("used", "severity"), [("lane < 4", "note"), ("lane < 6", "error")])
def test_a_value_from_an_absent_lane_counts_if_it_is_used(run_kernel, used, severity):
    prototype = "void f(const float* x, float* z, int n, cudaStream_t stream)"
    x = np.arange(20, dtype=np.float32)
    _, case = run_kernel(ABSENT.format(used=used), prototype, x=x, z=np.zeros(20, np.float32), n=20)
    assert [found.severity for found in case.findings if "that value is undefined" in found.message] == [severity]


# Lanes that a mask names leave a call out: who goes on behind it is told of, who returns in front of it is not.
LEFT_OUT = """
__global__ void k(const float* x, float* z, int n) {
    const int lane = threadIdx.x;
    float v = x[lane];
    if (n == 1 && lane < 16) v += 0 * __shfl_xor_sync(~0u, v, 1);
    if (n == 2 && lane < 16) v += 0 * __shfl_xor_sync(0xffffu, v, 1);
    if (n == 3) {
        z[lane] = v;
        if (lane >= 16) return;
        v += 0 * __shfl_xor_sync(~0u, v, 1);
    }
    if (n == 4) {
        if (lane >= 16) return;
        __syncthreads();
    }
    z[lane] = v;
}
void (*const kernels[])(const float*, float*, int) = {k};
extern "C" void f(const float* x, float* z, int n, cudaStream_t stream) { KERNEL<<<1, 32, 0, stream>>>(x, z, n); }
"""


@pytest.mark.parametrize("kernel", ["k", "kernels[n / 9]"])
@pytest.mark.parametrize(("case", "is_told"), [(1, True), (2, False), (3, False), (4, False)])
def test_lanes_of_a_mask_that_leave_a_shuffle_out(run_kernel, kernel, case, is_told):
    x, z, findings = run(run_kernel, LEFT_OUT.replace("KERNEL", kernel), case)
    assert np.array_equal(z, x) or case == 4
    said = [(each.severity, "never comes to the __shfl_xor_sync of line 5" in each.message) for each in findings]
    assert said == ([("note", True)] if is_told else [])
