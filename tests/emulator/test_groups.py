"""cooperative_groups and asynchronous copies: ranks, shuffles, reductions and scans of every kind of group."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

SOURCE = (Path(__file__).parent / "kernels" / "groups.cu").read_text()


@pytest.mark.slow
def test_a_block(call):
    z = call("block_group", z=np.zeros((2, 24), np.int32))["z"]
    assert np.array_equal(z, np.tile(np.arange(24)[::-1] ** 2 + 10000, (2, 1)))


def test_tiles(call):
    x, t = np.arange(64, dtype=np.int32) * 3, np.arange(64)
    z = call("tiles", x=x, z=np.zeros((12, 64), np.int32))["z"]
    rank, first = t % 8, t // 8 * 8
    assert np.array_equal(z[0], rank)
    assert np.array_equal(z[1], t // 32)
    assert np.array_equal(z[2], t % 32 // 8 + 10 * (t // 4))
    assert (z[3] == 200 + 40 + 8).all()
    assert np.array_equal(z[4], x[first + 3])
    assert np.array_equal(z[5], x[np.where(rank < 6, t + 2, t) % 64])
    assert np.array_equal(z[6], x[np.where(rank > 0, t - 1, t)])
    assert np.array_equal(z[7], x[t ^ 4])
    assert np.array_equal(z[8], t // 8 == 1)
    assert np.array_equal(z[9], t < 16)
    assert z[10].tolist() == [sum(1 << r for r in range(8) if (f + r) % 3 == 0) for f in first]
    assert np.array_equal(z[11], np.where(rank < 4, 0x0F, 0xF0))


def test_a_shuffle_of_sixteen_bytes(call):
    x = np.random.default_rng(10).random((32, 4), np.float32)
    assert np.array_equal(call("wide_shuffle", x=x, z=np.zeros((32, 4), np.float32))["z"], x[np.arange(32) ^ 1])


def test_a_function_for_any_group(call):
    assert call("generic", z=np.zeros(5, np.int32))["z"].tolist() == [2016, 120, 376, 632, 888]


def test_reductions_and_scans(call):
    x, t = np.random.default_rng(11).random(32, np.float32), np.arange(32)
    result = call("reductions", x=x, z=np.zeros((2, 32), np.float32), w=np.zeros((6, 32), np.int32))
    assert result["z"][0] == pytest.approx(np.full(32, x.sum()), rel=1e-6)
    assert len(set(result["z"][0])) == 1
    assert np.array_equal(result["z"][1], np.repeat(x.reshape(8, 4).max(1), 4))
    w = result["w"]
    assert np.array_equal(w[0], t // 4 * 4)
    assert (w[1] == -1).all()
    assert np.array_equal(w[2], np.repeat((t + 1).reshape(8, 4).prod(1), 4))
    assert np.array_equal(w[3], t.cumsum())
    assert np.array_equal(w[4], ((t + 1).reshape(8, 4).cumsum(1) - (t + 1).reshape(8, 4)).ravel())
    assert np.array_equal(w[5], np.repeat(100 - t.reshape(8, 4)[:, 0], 4))


def test_coalesced_and_labelled_threads(call):
    result = call("coalesced", z=np.zeros((10, 11), np.int32), w=np.zeros((2, 32), np.int32))
    t, rank = np.arange(0, 32, 3), np.arange(11)
    expected = [rank, 0 * rank + 11, 0 * rank + 6, np.minimum(t + 3, 30), np.where(rank < 2, t, t - 6)]
    odd = sum(1 << r for r in range(11) if 3 * r % 2)
    expected += [0 * rank + odd, 0 * rank + t.sum(), rank + 1, 0 * rank + 1, 0 * rank]
    assert np.array_equal(result["z"], np.array(expected))
    lanes = np.arange(32)
    assert np.array_equal(result["w"][0], np.where(lanes % 5 < 2, 700, 600) + lanes // 5)
    assert np.array_equal(result["w"][1], np.where(lanes < 10, 45, 496 - 45))


def test_aggregated_atomics(call):
    x = np.random.default_rng(12).integers(-3, 4, 128).astype(np.int32)
    result = call("aggregated", x=x, count=np.zeros(1, np.int32), z=np.zeros(128, np.int32))
    positive = x[x > 0]
    assert result["count"][0] == len(positive)
    assert sorted(result["z"][: len(positive)]) == sorted(positive)
    assert result.at_line("// aggregated", SOURCE)["global_atomic_requests"] == 4  # one a warp


def test_a_cooperative_launch_syncs_the_grid(call):
    result = call("cooperative_launch", z=np.zeros(128, np.float32), sums=np.zeros(128, np.float32), n=5)
    i = np.arange(128)
    assert np.array_equal(result["sums"], sum((i + 7 * k) % 128 for k in range(5)) + 11000)


def test_a_cooperative_launch_must_fit(call):
    assert call("too_large", z=np.ones(1, np.int32), errors=True)["z"][0] == 0


def test_pipelined_copies(call):
    x = np.random.default_rng(13).random((3, 128), np.float32)
    result = call("pipeline", x=x, z=np.zeros((3, 32), np.float32))
    tiles = x.copy().reshape(3, 32, 4)
    tiles[2, :, 2:] = 0  # the last two of each four are filled with zeros
    assert np.array_equal(result["z"], tiles[:, ::-1, 3] + tiles[:, :, 0])
    copy = result.at_line("// copy sixteen", SOURCE)
    assert [copy["global_load_requests"], copy["global_load_sectors"], copy["shared_store_wavefronts"]] == [1, 16, 4]


def test_copies_by_a_group(call):
    x = np.random.default_rng(14).random(100, np.float32)
    z = call("group_copy", x=x, z=np.zeros(100, np.float32))["z"]
    assert np.array_equal(z, x[::-1] + x[1 + np.arange(100) % 7])


def test_tiles_of_several_warps(call):
    x, t = np.random.default_rng(15).integers(-100, 100, 256).astype(np.int32), np.arange(256)
    result = call("large_tiles", x=x, z=np.zeros((12, 256), np.int32))
    z, tiles = result["z"], x.reshape(2, 128)
    assert np.array_equal(z[0], t // 128 + 10 * (t % 128 // 64) + 100 * (t % 64 // 32))
    assert (z[1] == 2 + 20 + 128).all()
    assert np.array_equal(z[2], t % 128)
    assert np.array_equal(z[3], tiles[:, ::-1].ravel())
    assert np.array_equal(z[4], np.repeat(tiles.sum(1), 128))
    assert np.array_equal(z[5], np.repeat(tiles[:, 70], 128))
    assert np.array_equal(z[6], np.repeat(x.reshape(4, 64).max(1), 64))
    assert np.array_equal(z[7], tiles.cumsum(1).ravel())
    assert np.array_equal(z[8], (tiles.cumsum(1) - tiles).ravel())
    assert np.array_equal(z[9], t >= 128)
    assert np.array_equal(z[10], t < 128)
    assert np.array_equal(z[11], t // 64 * 64 + 1000)
    # Each of 8 warps stores its sum, a warp of each tile reads 4 and stores 4 results, each warp reads its own.
    counted = result.at_line("// large reduce", SOURCE)
    assert [counted["shared_store_requests"], counted["shared_load_requests"]] == [8 + 2, 2 + 8]
    assert [counted["shared_store_wavefronts"], counted["shared_load_wavefronts"]] == [10, 10]
    told = result.at_line("// large shuffle", SOURCE)  # one thread of each tile stores, all warps read
    assert [told["shared_store_requests"], told["shared_load_requests"]] == [2, 8]


def test_half_a_tile_waits_for_ever(call):
    found = call("half_a_tile", z=np.zeros(128, np.int32), errors=True).run.findings[0]
    assert found.kind == "deadlock" and "half come" in SOURCE.splitlines()[found.line - 1]
    assert "the tile's barrier has seen 32 of 64" in found.message


def test_parts_of_groups_are_numbered(call):
    t = np.arange(44)
    z = call("partitions", z=np.zeros((6, 44), np.int32))["z"]
    labels = np.array([0, 1, 2])[t * 7 % 3]
    order = np.where(t < 32, np.array([0, 1, 2])[labels], np.array([1, 2, 0])[labels])  # thread 32 has label 2
    assert np.array_equal(z[0], 10 * order + 3)
    assert np.array_equal(z[1], 10 * (t % 4 == 0) + 2)
    assert np.array_equal(z[2], np.where(t < 32, 1, np.where(t < 40, 12, 2)))
    assert np.array_equal(z[3], np.where(t < 40, 844, 444))
    # Of 11 or 10 threads each: 4, 4 and the rest; in the second warp a label has 4 threads, which stay what they are.
    assert np.array_equal(z[4], np.where(t < 32, 10 * (t // 3 // 4) + 3, z[0]))
    assert (z[5] == 1).all()


@pytest.mark.parametrize(("rank", "kinds"), [(9, ["shuffle_source"]), (7, []), (3, [])])
def test_a_rank_that_a_coalesced_group_lacks_leads_to_a_lane_outside_it(run_kernel, rank, kinds):
    source = f"""
#include <cooperative_groups.h>
__global__ void k(int* z) {{
    if (threadIdx.x < 8) z[threadIdx.x] = cooperative_groups::coalesced_threads().shfl(threadIdx.x, {rank});
}}
extern "C" void f(int* z, cudaStream_t stream) {{ k<<<1, 32, 0, stream>>>(z); }}"""
    _, case = run_kernel(source, "void f(int* z, cudaStream_t stream)", z=np.zeros(8, np.int32))
    assert [found.kind for found in case.findings] == kinds
