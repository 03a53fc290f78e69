"""Atomics: 256 threads update a few words; what is left there, and what each thread got, is known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

SOURCE = (Path(__file__).parent / "kernels" / "atomics.cu").read_text()

INDEX = np.arange(256)


def test_32_bit_integers(call):
    before = np.array([0, 0, 1000, -1000, 0xFF, 0, 0], np.int32)
    also = np.array([0, 0, 1000, 0, 0, 0, 0xABCDEF, 0, 0], np.uint32)
    result = call("integers", before=before, z=before, also=also, u=also)
    xor = int(np.bitwise_xor.reduce(INDEX))
    assert result["z"].tolist() == [int(INDEX.sum()), -512, 100 - 255, -45, 0, 0xFF, xor]
    # 256 steps of a cycle of 100 end at 56 upwards; downwards from 0: 99 first, so at 100 - 56.
    assert result["u"].tolist() == [768, 2**32 - 256, 5, 2**31 + 255, 56, 44, 0xABCDE0, 0, 2**31]


def test_64_bit_integers(call):
    result = call("wide", u=np.zeros(7, np.uint64), z=np.zeros(5, np.int64))
    assert result["u"].tolist() == [256 << 33, 7, 255 << 40, 45, 0, 2**64 - 1, int(np.bitwise_xor.reduce(INDEX))]
    xor = int(np.bitwise_xor.reduce(-(INDEX + 1)))
    assert result["z"].tolist() == [-(255 << 40), -245, -(2**63), -(2**63), xor]


def test_vectors_of_floats(call):
    result = call("vectors", two=np.zeros(4, np.float32), four=np.zeros(4, np.float32))
    assert result["two"].tolist() == [256, 512, 192, 256]
    assert result["four"].tolist()[1:] == [256, 512, 768]  # the first: a thread may find one member changed alone


def test_floats_and_scopes(call):
    result = call("floats", z=np.zeros(4, np.float32), d=np.zeros(5))
    assert result["z"].tolist() == [128, INDEX.sum(), 2.5, 256]
    assert result["d"].tolist() == [64, 64, 64, 64, 64]


def test_halves_and_pairs(call):
    result = call("small_floats", h=np.zeros(4, np.float16), b=np.zeros(4, np.uint16))
    assert result["h"].tolist() == [16, 0, 64, -128]
    assert (result["b"].astype(np.uint32) << 16).view(np.float32).tolist() == [32, 0, 128, 16]


def test_compare_and_swap(call):
    result = call(
        "cas",
        zero=np.zeros(1, np.float32),
        z=np.zeros(1, np.float32),
        u=np.zeros(1, np.uint64),
        nines=np.array([9, 9], np.uint16),
        w=np.zeros(2, np.uint16),
    )
    assert [result["z"][0], result["u"][0], *result["w"]] == [99.5, 768, 10, 9]


def test_the_old_value_is_returned_once_to_each(call):
    assert sorted(call("tickets", z=np.zeros(256, np.int32))["z"]) == INDEX.tolist()


def test_a_histogram_in_shared_memory(call):
    x = np.random.default_rng(2).integers(0, 16, 256).astype(np.int32)
    z = call("histogram", x=x, z=np.zeros(16, np.int32))["z"]
    assert np.array_equal(z, np.bincount(x, minlength=16))


def test_a_spin_lock(call):
    assert call("spin_lock", z=np.zeros(2, np.int32))["z"].tolist() == [28, 8]


@pytest.mark.parametrize(
    ("load", "store"),
    [
        ("cuda::atomic_ref<float, cuda::thread_scope_device>(x[i]).load(cuda::memory_order_relaxed)", "z[i] = v"),
        (
            "__nv_atomic_load_n(x + i, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE)",
            "__nv_atomic_store_n(z + i, v, 0, 3)",
        ),
        ("x[i]", "cuda::atomic_ref<float, cuda::thread_scope_device>(z[i]).store(v, cuda::memory_order_relaxed)"),
    ],
)
def test_an_atomic_load_or_store_counts_as_that(run_kernel, load: str, store: str):
    source = f"""
#include <cuda/atomic>
__global__ void k(float* x, float* z) {{
    __shared__ float tile[32];
    int i = threadIdx.x;
    cuda::atomic_ref<float, cuda::thread_scope_block>(tile[i]).store({load}, cuda::memory_order_relaxed);
    __syncthreads();
    float v = cuda::atomic_ref<float, cuda::thread_scope_block>(tile[31 - i]).load(cuda::memory_order_relaxed);
    {store};
    if (i == 0) atomicAdd(z, 0.0f);
}}
extern "C" void f(const float* x, float* z, cudaStream_t stream) {{
    k<<<1, 32, 0, stream>>>(const_cast<float*>(x), z);
}}"""
    x = np.arange(32, dtype=np.float32)
    outputs, case = run_kernel(
        source, "void f(const float* x, float* z, cudaStream_t stream)", x=x, z=np.zeros(32, np.float32)
    )
    assert np.array_equal(outputs["z"], x[::-1])
    counted = case.counters
    requests = [
        counted[f"{space}_{way}_requests"] for space in ("global", "shared") for way in ("load", "store", "atomic")
    ]
    assert requests == [1, 1, 1, 1, 1, 0]
    assert (counted["global_load_sectors"], counted["task_load_distinct_bytes"]) == (4, 128)
    assert (counted["global_store_sectors"], counted["task_store_distinct_bytes"]) == (4, 128)
