"""Outputs that change without a store being seen are an error; all ways to store are seen."""

from __future__ import annotations

import numpy as np
import pytest

from grader.devices.emulator.unseen_stores import unseen_stores

SOURCE = """
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/atomic>
#include <cuda_fp16.h>
#include <mma.h>

struct Pair { float a, b; };
struct alignas(16) Four { float v[4]; };

__global__ void all_ways(float* z) {
    const int t = threadIdx.x;
    if (t == 0) z[0] = 1;
    if (t == 1) ((volatile float*)z)[1] = 1;
    if (t == 2) *(Pair*)(z + 2) = Pair{1, 1};
    if (t == 3) *(float4*)(z + 4) = make_float4(1, 1, 1, 1);
    if (t == 4) *(Four*)(z + 8) = Four{1, 1, 1, 1};
    if (t == 5) memset(z + 12, 0x3f, 16);
    if (t == 6) { float one[4] = {1, 1, 1, 1}; memcpy(z + 16, one, 16); }
    if (t == 7) atomicExch(z + 20, 1.0f);
    if (t == 8) atomicCAS((unsigned*)z + 21, *((volatile unsigned*)z + 21), 1u);
    if (t == 9) cuda::atomic_ref<float, cuda::thread_scope_device>(z[22]).store(1);
    if (t == 10) asm volatile("st.global.f32 [%0], %1;" :: "l"(z + 23), "f"(1.0f) : "memory");
    if (t == 11) asm volatile("st.global.v4.f32 [%0], {%1, %1, %1, %1};" :: "l"(z + 24), "f"(1.0f) : "memory");
    if (t == 12) *(__half2*)(z + 28) = __floats2half2_rn(1, 1);
    if (t == 13) for (int k = 0; k < 4; ++k) ((char*)(z + 29))[k] = 1;
    if (t == 14) __stcs(z + 30, 1.0f);
    if (t == 15) *(double*)(z + 32) = 1;
    if (t == 16) z[31] = 1;
}
extern "C" void ways(float* z, int n, cudaStream_t stream) {
    cudaMemsetAsync(z + 21, 0, 4, stream);
    all_ways<<<1, 32, 0, stream>>>(z);
}
__global__ void tile(float* z) {
    using namespace nvcuda;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
    wmma::fill_fragment(c, 1.0f);
    wmma::store_matrix_sync(z, c, 16, wmma::mem_row_major);
}
extern "C" void fragment(float* z, int n, cudaStream_t stream) { tile<<<1, 32, 0, stream>>>(z); }
__device__ float ones[64] = {1, 1, 1, 1};
extern "C" void copies(float* z, int n, cudaStream_t stream) {
    cudaMemcpyFromSymbolAsync(z, ones, 16, 0, cudaMemcpyDeviceToDevice, stream);
    cudaMemset2DAsync(z + 4, 16, 1, 8, 2, stream);
}
__global__ void one(float* z, int i) { z[i] = 1; }
extern "C" void many(float* z, int n, cudaStream_t stream) {
    for (int i = 0; i < n; ++i) one<<<1, 1, 0, stream>>>(z, i);
}
"""


@pytest.mark.parametrize(("name", "n"), [("ways", 34), ("fragment", 256), ("copies", 12), ("many", 3000)])
def test_all_ways_to_store_are_seen(call, name, n):
    call(name, z=np.zeros(n, np.float32), n=n)


class Output:
    writable = True

    def __init__(self, content):
        self.content = np.array(content, np.uint8)
        self.address, self.bytes = self.content.ctypes.data, self.content.nbytes


def facts(stored, counted=1, **more):
    kernels = [{"launches": 1, "counted_launches": counted}]
    return {"findings": [], "inputs_to_host": False, "kernels": kernels, "launches": [{"line": 7}],
            "regions": [{"name": "z", "of_task": True, "stored": stored}], **more}  # fmt: skip


def test_bytes_that_no_store_wrote_are_told_with_the_launch():
    found = [unseen_stores(facts(stored), {"z": Output([1, 2, 0, 3])}, [np.zeros(4, np.uint8)]) for stored in (3, 4, 1)]
    assert found[:2] == [[], []]
    assert (found[2][0].kind, found[2][0].line) == ("out_of_bounds", 7) and "2 bytes of z" in found[2][0].message


@pytest.mark.parametrize("known", [facts(0, counted=0), facts(0, findings=[{"note": False}])])
def test_nothing_is_said_of_launches_that_were_not_counted_and_beside_errors(known):
    assert unseen_stores(known, {"z": Output([1])}, [np.zeros(1, np.uint8)]) == []
