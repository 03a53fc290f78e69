"""Inline PTX for matrices: products against numpy, where each element goes, counts, copies, and wrong kernels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

SOURCE = (Path(__file__).parent / "kernels" / "matrices.cu").read_text()

LANE = np.arange(32)
G, T = LANE // 4, LANE % 4
DEPTH = 64


def brain(x: np.ndarray) -> np.ndarray:
    return (x.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)


def value(bits: np.ndarray) -> np.ndarray:
    return (bits.astype(np.uint32) << 16).view(np.float32).astype(np.float64)


def words(pairs: np.ndarray) -> np.ndarray:
    """Two neighbours of 16 bits as a register, the first in its lower half."""
    low, high = pairs.astype(np.uint16).astype(np.uint32).T
    return low | high << 16


@pytest.mark.parametrize(("name", "wavefronts"), [("product", 32), ("product_swizzled", 4)])
def test_a_product_from_shared_memory(call, name, wavefronts):
    """The four matrices of a lie in rows 128 bytes apart: eight rows, one bank. An exchange of units parts them."""
    random = np.random.RandomState(5)
    a, b = brain(random.standard_normal((16, DEPTH))), brain(random.standard_normal((8, DEPTH)))
    found = call(name, a=a, b=b, z=np.zeros((16, 8), np.float32))
    assert np.abs(found["z"] - value(a) @ value(b).T).max() < 1e-5
    steps = DEPTH // 16
    counters, line = found.run.counters, found.at_line("// of a", SOURCE)
    assert line["ldmatrix_requests"] == steps
    assert line["ldmatrix_wavefronts"] == wavefronts * steps
    assert counters["ldmatrix_requests"] == 2 * steps
    assert counters["ldmatrix_bank_conflicts"] == (wavefronts - 4) * steps * 3 // 2  # of b: half as many
    assert counters["tensor_instructions_m16n8k16"] == counters["tensor_instructions"] == steps


def test_products_of_bytes_and_doubles(call):
    random = np.random.RandomState(6)
    a, b = (random.randint(-128, 128, (rows, 32)).astype(np.int8) for rows in (16, 8))
    found = call("bytes", a=a, b=b, z=np.zeros((16, 8), np.int32))
    assert np.array_equal(found["z"], a.astype(np.int32) @ b.astype(np.int32).T)
    assert found.run.counters["tensor_instructions_m16n8k32"] == 1
    a, b = (random.standard_normal((8, 4)) for _ in range(2))
    z = call("doubles", a=a, b=b, z=np.zeros((8, 8)))["z"]
    assert np.abs(z - a @ b.T - np.tile([1.0, 2.0], 4)).max() < 1e-14


def test_matrices_are_loaded_stored_and_moved(call):
    x = np.arange(256, dtype=np.int16).reshape(4, 8, 8)
    z = call("loaded", x=x, z=np.zeros((32, 4), np.uint32), transposed=0)["z"]
    across = call("loaded", x=x, z=np.zeros((32, 4), np.uint32), transposed=1)["z"]
    for i, matrix in enumerate(x):
        assert np.array_equal(z[:, i], words(np.stack([matrix[G, 2 * T], matrix[G, 2 * T + 1]], 1)))
        assert np.array_equal(across[:, i], words(np.stack([matrix[2 * T, G], matrix[2 * T + 1, G]], 1)))
    stored = call("stored", x=z, z=np.zeros((4, 8, 8), np.int16))
    assert np.array_equal(stored["z"], x)
    assert stored.run.counters["stmatrix_requests"] == 1
    assert stored.run.counters["stmatrix_wavefronts"] == 4
    moved = call("moved", x=np.ascontiguousarray(z[:, 0]), z=np.zeros(32, np.uint32))["z"]
    assert np.array_equal(moved, across[:, 0])


# ---- copies that feed them ----


def test_copies_in_groups(call):
    x = np.arange(384, dtype=np.float32)
    found = call("copied", x=x, z=np.zeros(384, np.float32))
    assert np.array_equal(found["z"], x.reshape(3, 128)[:, ::-1].ravel())
    assert found.run.counters["async_copy_requests"] == 3
    assert found.run.counters["async_groups_in_flight"] == 2
    assert found.run.counters["global_load_sectors"] == 3 * 16
    early = call("copied_too_early", x=x, z=np.zeros(384, np.float32), errors=True)
    assert "while the copy that" in messages(early)[0]


@pytest.mark.parametrize("count", [0, 1, 6, 127])
def test_what_a_copy_does_not_read_is_zero(call, count):
    x = np.arange(1, count + 2, dtype=np.float32)[: max(count, 1)]
    z = call("copied_in_part", x=x, z=np.zeros(128, np.float32), n=count)["z"]
    assert np.array_equal(z, np.pad(np.arange(1, count + 1), (0, 128 - count)))


# ---- wrong ----


def messages(result) -> list[str]:
    return [finding.message for finding in result.run.findings if finding.severity == "error"]


@pytest.mark.parametrize(
    ("which", "says"),
    [(0, "multiple of 16"), (1, "only 8 come"), (2, "past its end"), (3, "lanes that never come")],
)
def test_rows_and_lanes(call, which, says):
    x = np.zeros(512, np.int16)
    (message, *_) = messages(call("wrong", x=x, z=np.zeros(32, np.uint32), which=which, errors=True))
    assert says in message


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("no_shape", "`mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32`: this shape is not emulated"),
        ("few_registers", "4 registers are needed where 2 are given"),
        ("twelve_bytes", "it copies 4, 8 or 16 bytes"),
    ],
)
def test_instructions_that_there_are_not(call, name, says):
    x = np.zeros(32, np.uint32)
    assert says in messages(call(name, x=x, z=np.zeros(32, np.uint32), errors=True))[0]
