"""Small cases run once more with the last block first: a note where the outputs depend on the order of blocks."""

from __future__ import annotations

import numpy as np
import pytest

from grader.grade import grade
from tests.shared import long_tail

HEAD = """
__device__ unsigned next;
__global__ void {name}(const float* x, float* z, int n) {{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
{body}
}}
extern "C" void run(const float* x, float* z, int n, cudaStream_t stream) {{
    unsigned none = 0;
    cudaMemcpyToSymbolAsync(next, &none, sizeof none, 0, cudaMemcpyHostToDevice, stream);
    cudaMemsetAsync(z, 0, n * sizeof(float), stream);
    k<<<n / 64, 64, 0, stream>>>(x, z, n);
}}
"""
PROTOTYPE = "void run(const float* x, float* z, int n, cudaStream_t stream)"
DEPEND = {
    "what is kept is packed": "    if (x[i] > 0.5f) z[atomicAdd(&next, 1u)] = x[i];",
    "tickets are taken for numbers of blocks": """
    __shared__ unsigned ticket;
    if (threadIdx.x == 0) ticket = atomicAdd(&next, 1u);
    __syncthreads();
    z[i] = x[ticket * 64 + threadIdx.x];""",
    "tickets are taken for numbers of warps": """
    __shared__ unsigned drawn;
    if (threadIdx.x == 0) drawn = 0;
    __syncthreads();
    unsigned ticket = threadIdx.x % 32 == 0 ? atomicAdd(&drawn, 1u) : 0;
    ticket = __shfl_sync(~0u, ticket, 0);
    z[i] = x[blockIdx.x * 64 + ticket * 32 + threadIdx.x % 32];""",
    "the last block stores what the sum was when it added its own": """
    __shared__ float mine;
    if (threadIdx.x == 0) mine = 0;
    __syncthreads();
    atomicAdd(&mine, x[i]);
    __syncthreads();
    if (threadIdx.x == 0) {
        float before = atomicAdd(z + 1, mine);
        __threadfence();
        if (atomicAdd(&next, 1u) == gridDim.x - 1) z[0] = before + mine;
    }""",
    "the last one wins": "    if (threadIdx.x == 0) atomicExch((unsigned*)z, __float_as_uint(x[i]));",
}
FREE = {
    "a sum": "    atomicAdd(z, x[i]);",
    "a histogram": "    atomicAdd(z + (int)(x[i] * 10), 1.0f);",
    "sums of a block's warps": """
    __shared__ float sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, x[i]);
    __syncthreads();
    z[i] = sum;""",
    "a maximum": "    atomicMax((int*)z, __float_as_int(x[i]));",
    "tickets as numbers of tiles": """
    __shared__ unsigned tile;
    if (threadIdx.x == 0) tile = atomicAdd(&next, 1u);
    __syncthreads();
    z[tile * 64 + threadIdx.x] = x[tile * 64 + threadIdx.x];""",
    "each waits for the block before it": """
    if (threadIdx.x == 0) {
        while (atomicAdd(&next, 0u) != blockIdx.x) {}
        z[blockIdx.x] = x[i] + (blockIdx.x ? *(volatile float*)(z + blockIdx.x - 1) : 0);
        __threadfence();
        atomicAdd(&next, 1u);
    }""",
}


def notes(run_kernel, body: str) -> tuple[list[str], np.ndarray]:
    x = np.random.default_rng(1).random(512, dtype=np.float32)
    source = HEAD.format(name="k", body=body)
    outputs, case = run_kernel(source, PROTOTYPE, x=x, z=np.zeros_like(x), n=512, checked=True)
    assert [found.message for found in case.findings if found.severity == "error"] == []
    return [found for found in case.findings if found.kind == "block_order"], outputs["z"]


@pytest.mark.parametrize("how", long_tail(list(DEPEND), every=4))
def test_outputs_that_depend_on_the_order(run_kernel, how):
    (note,), z = notes(run_kernel, DEPEND[how])
    assert note.severity == "note"
    assert note.line and "a GPU promises no order" in note.message
    x = np.random.default_rng(1).random(512, dtype=np.float32)
    first = {"what is kept is packed": x[x > 0.5][0], "the last one wins": x[448]}.get(how, x[0])
    first = x.sum() if "what the sum was" in how else first
    assert np.isclose(z[0], first, rtol=1e-5), "the outputs are those of the run that counts"


@pytest.mark.parametrize("how", long_tail(list(FREE), every=4))
def test_outputs_that_do_not(run_kernel, how):
    assert notes(run_kernel, FREE[how])[0] == []


TICKETS = """
__device__ unsigned next;
__global__ void add(const float* x, const float* y, float* z, int n) {{
    __shared__ unsigned ticket;
    if (threadIdx.x == 0) ticket = atomicAdd(&next, 1u);
    __syncthreads();
    const int i = {read} * 32 + threadIdx.x, to = ticket * 32 + threadIdx.x;
    if (i < n && to < n) z[to] = x[i] + y[i];
}}
extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {{
    void* counter;
    cudaGetSymbolAddress(&counter, next);
    cudaMemsetAsync(counter, 0, sizeof(unsigned), stream);
    if (n) add<<<(n + 31) / 32, 32, 0, stream>>>(x, y, z, n);
}}
"""


@pytest.mark.slow
def test_the_verdict(tmp_path):
    file = tmp_path / "kernel.cu"
    file.write_text(TICKETS.format(read="blockIdx.x"))
    wrong = grade("01", file, device="emulator", seed=1)
    assert (wrong.status, wrong.stars) == ("wrong_result", 0)
    assert any("if the last block begins first" in case.message for case in wrong.tasks[0].cases)
    file.write_text(TICKETS.format(read="ticket"))
    assert grade("01", file, device="emulator", seed=1).status in ("passed", "below_target")


SUM = """
__global__ void add(const float* x, float* out, int n) {{
    {first}
    float sum = 0;
    for (int i = blockIdx.x * 64 + threadIdx.x; i < n; i += gridDim.x * 64) sum += x[i];
    for (int half = 16; half; half /= 2) sum += __shfl_down_sync(~0u, sum, half);
    if (threadIdx.x % 32 == 0) atomicAdd(out, sum);
}}
extern "C" void sum(const float* x, float* out, int n, cudaStream_t stream) {{
    cudaMemsetAsync(out, 0, sizeof(float), stream);
    add<<<min((n + 63) / 64, 64), 64, 0, stream>>>(x, out, n);
}}
"""


@pytest.mark.slow
def test_a_file_that_has_no_checking_build(tmp_path):
    """No array, and each variable has a first value: there is a copy of the one build."""
    file = tmp_path / "kernel.cu"
    file.write_text(SUM.format(first="if (blockIdx.x == 0 && threadIdx.x == 0) atomicExch(out, 0.0f);"))
    wrong = grade("05", file, device="emulator", seed=1, tasks=["sum"])
    assert (wrong.status, wrong.stars) == ("wrong_result", 0)
    assert any("if the last block begins first" in case.message for case in wrong.tasks[0].cases)
    file.write_text(SUM.format(first=""))
    assert grade("05", file, device="emulator", seed=1, tasks=["sum"]).passed
