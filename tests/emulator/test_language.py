"""CUDA's language: one feature a kernel, each with an answer worked out on paper."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

SOURCE = (Path(__file__).parent / "kernels" / "language.cu").read_text()

NEW_FLOATS = np.zeros(64, np.float32)


def floats(count: int) -> np.ndarray:
    return np.arange(1, count + 1, dtype=np.float32)


@pytest.mark.slow
def test_indices_and_a_host_variable_called_blockDim(call):
    z = call("indices", z=np.zeros((4, 3, 8), np.int32))["z"]
    block = [[[100 * (3 * k + j) + i for i in range(4)] for j in range(3)] for k in range(2)]
    assert np.array_equal(z, np.tile(block, (2, 1, 2)))


def test_static_shared_memory(call):
    assert np.array_equal(call("static_shared", x=floats(64), z=NEW_FLOATS)["z"], floats(64)[::-1])


def test_dynamic_shared_memory_of_two_types(call):
    z = call("dynamic_shared", x=floats(50), z=np.zeros(50, np.float32), n=50)["z"]
    assert np.array_equal(z, np.roll(floats(50), -5))


def test_shared_memory_of_a_template(call):
    x = np.arange(64.0).reshape(8, 8)
    z = call("template_shared", x=x, z=np.zeros((8, 8)))["z"]
    assert np.array_equal(z, x.T + np.arange(8.0)[:, None])


def test_shared_structs_unions_and_volatile(call):
    z = call("struct_shared", x=floats(32), z=np.zeros(32, np.float32))["z"]
    assert np.array_equal(z, np.roll(floats(32), -1) + 1)


def test_constant_and_device_variables(call):
    assert list(call("device_variables", z=np.zeros(4, np.float32))["z"]) == [11, 8, 13, 9]


def test_device_functions_inline_recursive_and_constexpr(call):
    # i^2 + i! + ceil(9 / 4)
    assert list(call("functions", z=np.zeros(6, np.float32))["z"]) == [4, 5, 9, 18, 43, 148]


def test_a_lambda_with_captures(call):
    z = call("device_lambda", x=floats(50), z=np.zeros(50, np.float32), n=50)["z"]
    assert np.array_equal(z, 3 * floats(50) + np.arange(50))


def test_constants_of_the_host(call):
    assert list(call("host_constants", z=np.zeros(3, np.float32))["z"]) == [5, 9, 4 + len("host_constants_kernel")]


def test_const_arrays_as_arguments_and_labels_without_a_statement(call):
    assert list(call("const_arrays", z=np.zeros(2, np.float32))["z"]) == [1, 2]


def test_arguments_are_copied_by_the_launch(call):
    z = call("by_value", z=np.zeros((2, 4), np.float32))["z"]
    assert np.array_equal(z, np.arange(8.0).reshape(2, 4) + ord("A") + 0.5)


def test_function_pointers(call):
    z = call("function_pointers", x=floats(8), z=np.zeros(8, np.float32))["z"]
    assert list(z) == [0.5, 4, 1.5, 8, 2.5, 12, 3.5, 16]


def test_launches_through_a_variable_a_namespace_and_a_macro(call):
    # (0 + 1 + 2 + 3) * thread, then 1 twice
    assert list(call("launch_forms", z=np.zeros(4, np.float32))["z"]) == [2, 8, 14, 20]


def test_vectors_move_whole(call):
    x = np.random.default_rng(1).random((32, 4), np.float32)
    result = call("vectors", x=x, z=np.zeros((5, 32, 4), np.float32))
    v = x.copy()
    v[:, 0] += v[:, 3]
    ones = np.ones(32, np.float32)
    assert np.array_equal(result["z"][0], v)
    assert np.array_equal(result["z"][1], np.stack([v[:, 0], v[:, 1], 0 * ones, 0 * ones], -1))
    assert np.array_equal(result["z"][2], np.stack([v[:, 2], ones, 2 * ones, 3 * ones], -1))
    assert np.array_equal(result["z"][3], np.stack([ones, 2 * ones, 3 * ones, v[:, 0]], -1))
    assert np.array_equal(result["z"][4], np.where(np.arange(32)[:, None] < 8, x, [0, 0, 0, 1]))
    # One request of 32 * 16 bytes each: never four of 4 bytes.
    assert result.at_line("// load whole", SOURCE)["global_load_requests"] == 1
    for store in ("whole", "made", "braced", "list", "either"):
        counters = result.at_line(f"// store {store}", SOURCE)
        assert [counters["global_store_requests"], counters["global_store_sectors"]] == [1, 16], store


def test_a_union_with_a_vector_is_assigned_and_moves_whole(call):
    x = np.arange(32, dtype=np.uint8)
    result = call("packs", x=x, z=np.zeros(32, np.uint8))
    assert np.array_equal(result["z"], x + np.tile(np.arange(16, dtype=np.uint8), 2))
    assert result.at_line("// load pack", SOURCE)["global_load_requests"] == 1
    assert result.at_line("// store pack", SOURCE)["global_store_requests"] == 1


def test_cache_hints_and_address_spaces(call):
    x = floats(32)
    result = call("spaces", x=x, z=np.zeros(34, np.float32), w=np.zeros(3, np.int32))
    assert np.array_equal(result["z"][:32], x + x[0] + x[1] + x[1])
    assert list(result["z"][32:]) == [1, 2]
    assert list(result["w"]) == [1 + 2 + 16, 1, 1]


def test_barriers_that_count_and_vote_and_early_exits(call):
    z = call("barriers", z=np.zeros(192, np.int32))["z"]
    assert np.array_equal(z[:96], np.where(np.arange(96) < 64, 1032, 32))
    assert (z[96:] == 1 + 4).all()


def test_a_flag_handed_over_with_fences(call):
    assert call("fences", z=np.zeros(1, np.int32))["z"][0] == 43


def test_predefined_macros(call):
    assert list(call("macros", z=np.zeros(3, np.int32))["z"]) == [1, 32, 2**31 - 1]
