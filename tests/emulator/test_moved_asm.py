"""An asm without `volatile` is a function of its inputs to nvcc, which moves it out of loops."""

from __future__ import annotations

import numpy as np
import pytest

from tests.shared import long_tail

SOURCE = """
__device__ __noinline__ unsigned now() {{ unsigned t; asm("mov.u32 %0, %%clock;" : "=r"(t)); return t; }}
__global__ void k(const float* x, int* z, int n) {{
    __shared__ int s[32];
    const int t = threadIdx.x;
    const unsigned place = static_cast<unsigned>(__cvta_generic_to_shared(&s[t ^ 1]));
    s[t] = z[t] = 0;
    __syncthreads();
    for (int i = 0; i < n; ++i) {{
        int v = 0;
        {round}
        z[t] += v + static_cast<int>(x[t]);
    }}
}}
extern "C" void run(const float* x, int* z, cudaStream_t stream) {{
    k<<<1, 32, 0, stream>>>(x, z, 4);
}}
"""
SHARED = '__syncthreads(); s[t] = i; __syncthreads(); {} : "=r"(v) : "r"(place)); __syncthreads();'
CLOCK = 'asm {}("mov.u32 %0, %%clock;" : "=r"(v));'
# nvcc 13.0 takes each of the first out of the loop, and leaves the others in it.
MOVED = {
    "a load": ("", SHARED.format('asm("ld.shared.s32 %0, [%1];"')),
    "an atomic": ("", 'asm("atom.shared.add.s32 %0, [%1], 1;" : "=r"(v) : "r"(place)); __syncwarp();'),
    "the clock": ("", CLOCK.format("")),
    "in a branch": ("", "if (i > 0) " + CLOCK.format("")),
    "a look at a flag": ("and other loads", 'asm("ld.acquire.gpu.u32 %0, [%1];" : "=r"(v) : "l"(z + t));'),
}
KEPT = {
    "volatile": SHARED.format('asm volatile("ld.shared.s32 %0, [%1];"'),
    "memory": SHARED.format('asm("ld.shared.s32 %0, [%1];"').replace("(place)", '(place) : "memory"'),
    "another address": 'asm("ld.global.s32 %0, [%1];" : "=r"(v) : "l"(x + i));',
    "an atomic by the data": (
        "unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(&s[(t + i / 2) % 32]));"
        ' asm("atom.shared.add.s32 %0, [%1], 1;" : "=r"(v) : "r"(to));'
    ),
    "nothing changes": SHARED.format('asm("ld.shared.s32 %0, [%1];"').replace("s[t] = i", "s[t] = 5"),
    "it hangs on its inputs": 'float f = i; asm("fma.rn.f32 %0, %1, %1, %0;" : "+f"(f) : "f"(f)); v = f;',
    "two places": "if (i == 0) v = now() - now();",
}


def findings(run_kernel, body: str) -> list[str]:
    prototype = "void run(const float* x, int* z, cudaStream_t stream)"
    x = np.arange(32, dtype=np.float32)
    _, case = run_kernel(SOURCE.format(round=body), prototype, x=x, z=np.zeros(32, np.int32))
    return [each.message for each in case.findings if each.severity == "error"]


@pytest.mark.parametrize("name", long_tail(MOVED, every=3))
def test_what_gives_something_else_in_each_round_needs_volatile(run_kernel, name):
    more, body = MOVED[name]
    (said,) = findings(run_kernel, body)
    assert "this asm has no `volatile`: nvcc may run" in said and "once, in front of the loop" in said and more in said


@pytest.mark.parametrize("name", long_tail(KEPT, every=3))
def test_what_stays_where_it_is_needs_none(run_kernel, name):
    assert findings(run_kernel, KEPT[name]) == []
