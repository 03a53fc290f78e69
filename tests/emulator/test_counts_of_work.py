"""What threads compute and wait for, against counts worked out by hand: special functions, barriers, copies."""

from __future__ import annotations

import numpy as np
import pytest

from grader.devices.emulator.prices import PRICES, priced

# Line 5 begins the function that the kernel calls.
SOURCE = r"""#include <cuda_fp16.h>
#include <cuda_pipeline.h>


__device__ float logistic(float x) { return 1.0f / (1.0f + expf(-x)); }

__global__ void special_kernel(const float* x, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i];
    for (int k = 0; k < 3; ++k) v = logistic(v) + k;
    if (i % 2) v += __expf(v);
    v += tanhf(v) + rsqrt(v) + sqrtf(v);
    v += sinf(v) + logf(v);
    v += v / 3.0f + static_cast<float>(i / n);
    z[i] = v + __half2float(hexp(__float2half(-v)));
}
extern "C" void special(const float* x, float* z, int n, cudaStream_t stream) {
    special_kernel<<<1, 64, 0, stream>>>(x, z, n);
}

template <int stages> __global__ void staged_kernel(const float* x, float* z, int n) {
    __shared__ float tiles[stages][64];
    int i = threadIdx.x, rounds = n / 64;
    for (int round = 0; round < rounds + stages - 1; ++round) {
        if (round < rounds) __pipeline_memcpy_async(&tiles[round % stages][i], &x[round * 64 + i], 4);
        __pipeline_commit();
        if (round < stages - 1) continue;
        __pipeline_wait_prior(stages - 1);
        __syncthreads();
        int done = round - (stages - 1);
        z[done * 64 + i] = tiles[done % stages][63 - i];
        __syncthreads();
    }
}
__global__ void idle_kernel() {}
template <int stages> void launch(const float* x, float* z, int n, cudaStream_t stream) {
    for (int k = 0; k < 3; ++k) idle_kernel<<<100, 32, 0, stream>>>();
    staged_kernel<stages><<<1, 64, 0, stream>>>(x, z, n);
}
extern "C" void one_stage(const float* x, float* z, int n, cudaStream_t stream) { launch<1>(x, z, n, stream); }
extern "C" void three_stages(const float* x, float* z, int n, cudaStream_t stream) { launch<3>(x, z, n, stream); }

__global__ void polynomial_kernel(const float* x, float* z, int n) {
    int i = threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 5; ++k) sum = sum * x[i] + x[0];
    sum = fmaf(sum, x[i], sum);
    z[i] = sum * 0.1;
}
extern "C" void polynomial(const float* x, float* z, int n, cudaStream_t stream) {
    polynomial_kernel<<<1, n, 0, stream>>>(x, z, n);
}
__device__ float halved(float x) { return x / 2; }
__global__ void pointers_kernel(const float* x, float* z, int n) {
    float (*functions[3])(float) = {sinf, expf, halved};
    z[threadIdx.x] = functions[n % 3](x[threadIdx.x]);
}
extern "C" void pointers(const float* x, float* z, int n, cudaStream_t stream) {
    pointers_kernel<<<1, n, 0, stream>>>(x, z, n);
}
"""


def run(run_kernel, name: str, n: int):
    x = np.linspace(1, 2, n, dtype=np.float32)
    prototype = f"void {name}(const float* x, float* z, int n, cudaStream_t stream)"
    return run_kernel(SOURCE, prototype, x=x, z=np.empty(n, np.float32), n=n)[1]


def operations(case) -> dict[int, tuple[int, int]]:
    """By line: additions and multiplications of floats, and of doubles."""
    return {line["line"]: (line["float_operations"], line["double_operations"]) for line in case.lines}


def test_special_functions_by_line(run_kernel):
    case = run(run_kernel, "special", 40)
    found = {line["line"]: line for line in case.lines if line["special_functions"] or line["exponentials"]}
    # 40 threads in two warps. In each of 3 rounds an exponential and a reciprocal, on the line of the function.
    assert found[5]["special_functions"] == 40 * 3 * 2
    assert found[5]["special_instructions"] == 2 * 3 * 2
    assert found[5]["exponentials"] == 40 * 3
    # Half of the lanes, but both warps.
    assert (found[12]["special_functions"], found[12]["special_instructions"]) == (20, 2)
    # tanhf is an exponential and a reciprocal; a root is one operation, whichever.
    assert (found[13]["special_functions"], found[13]["exponentials"]) == (40 * 4, 40)
    # nvcc has polynomials for sinf and logf, and multiplies by a constant's reciprocal. i / n is whole numbers'.
    assert 14 not in found
    assert operations(case)[14] == (40 * (PRICES["sinf"][1] + PRICES["logf"][1] + 2), 0)
    assert (found[15]["special_functions"], found[15]["exponentials"]) == (40, 0)
    assert found[16]["exponentials"] == 40
    totals = {name: sum(line[name] for line in case.lines) for name in ("special_functions", "exponentials")}
    assert totals == {name: case.counters[name] for name in totals}


def test_operations_on_floats_and_doubles(run_kernel):
    case = run(run_kernel, "polynomial", 40)
    found = operations(case)
    # Five rounds of a multiplication and an addition, fused or not; fmaf is both.
    assert found[47] == (40 * 5 * 2, 0)
    assert found[48] == (40 * 2, 0)
    # 0.1 is a double, and so is its product.
    assert found[49] == (0, 40)
    assert (case.counters["float_operations"], case.counters["double_operations"]) == (40 * 12, 40)


def test_a_call_through_a_pointer_costs_what_the_dearest_function_does(run_kernel):
    for n in (30, 31, 32):  # sinf, expf, a function of the file's own
        assert run(run_kernel, "pointers", n).counters["exponentials"] == n


SKIPS = """asm("{ .reg .pred p; setp.eq.u32 p, %2, 0; @p bra skip; ex2.approx.ftz.f32 %0, %1; bra end;"
    "skip: mov.f32 %0, %1; end: }" : "=f"(y) : "f"(y), "r"(threadIdx.x & 1));"""
SWITCHES_OFF = (
    """asm("{ .reg .pred p; setp.ne.u32 p, %1, 0; @p ex2.approx.ftz.f32 %0, %0; }" : "+f"(y) : "r"(threadIdx.x & 1));"""
)
ADDS_UP = """asm("{ .reg .u32 k; .reg .pred p; mov.u32 k, 0; again: fma.rn.f32 %0, %0, 0f3F800000, %0; add.u32 k, k, 1;"
    "setp.lt.u32 p, k, %1; @p bra again; }" : "+f"(y) : "r"(3));"""


@pytest.mark.parametrize(
    ("work", "counted"),
    [  # divergent branches, special functions, exponentials, operations on floats
        ("if (threadIdx.x & 1) y = exp2f(y);", (1, 16, 16, 0)),
        (SKIPS, (1, 16, 16, 0)),
        (SWITCHES_OFF, (0, 16, 16, 0)),
        (ADDS_UP, (0, 0, 0, 32 * 3 * 2)),
    ],
)
def test_inline_ptx_counts_as_the_same_in_cuda(run_kernel, work: str, counted: tuple[int, ...]):
    case = run_of(run_kernel, work)
    names = ("divergent_branches", "special_functions", "exponentials", "float_operations")
    assert tuple(case.counters[name] for name in names) == counted


def test_no_text_of_ptx_is_too_long_to_be_counted(run_kernel):
    text = "ex2.approx.ftz.f32 y, y; add.f32 y, y, y; ld.global.f32 y, [%1];" * 60
    work = f'asm volatile("{{ .reg .f32 y; mov.f32 y, %0; {text} mov.f32 %0, y; }}" : "+f"(y) : "l"(x));'
    counters = run_of(run_kernel, work).counters
    # Behind the 127th each that computes counts as the dearest of them.
    assert 32 * 60 <= counters["exponentials"] <= 32 * 120
    assert counters["global_load_threads"] == 32 * 61
    assert counters["thread_instructions"] > 32 * 180


def run_of(run_kernel, work: str):
    source = f"""
__global__ void k(const float* x, float* z) {{ float y = x[threadIdx.x]; {work} z[threadIdx.x] = y; }}
extern "C" void f(const float* x, float* z, int n, cudaStream_t stream) {{ k<<<1, n, 0, stream>>>(x, z); }}"""
    x = np.ones(32, np.float32)
    prototype = "void f(const float* x, float* z, int n, cudaStream_t stream)"
    return run_kernel(source, prototype, x=x, z=x.copy(), n=32)[1]


@pytest.mark.parametrize(("name", "groups", "bytes_"), [("one_stage", 1, 0), ("three_stages", 3, 2 * 32 * 4)])
def test_barriers_and_copies_under_way(run_kernel, name: str, groups: int, bytes_: int):
    counters = run(run_kernel, name, 5 * 64).counters
    assert counters["launches"] == 4
    # Idle blocks pass none, and take nothing away.
    assert counters["barriers_per_block"] == 2 * 5
    # One stage is waited for before it is used; of three, two are still on their way then.
    assert (counters["async_groups_in_flight"], counters["async_bytes_in_flight"]) == (groups, bytes_)
    assert counters["async_copy_requests"] == 2 * 5


COPIES = """
#include <cuda_pipeline.h>
__global__ void k(const float* x, float* z) {
    __shared__ float real[2][32], decoy[2][96];
    const int t = threadIdx.x;
    float sum = 0;
    __pipeline_memcpy_async(&real[0][t], x + t, 4);
    __pipeline_commit();
    for (int round = 0; round < 4; ++round) {
        __pipeline_memcpy_async(&real[(round + 1) % 2][t], x + t, 4);
        for (int i = 0; i < DECOYS; ++i) __pipeline_memcpy_async(&decoy[round % 2][i * 32 + t], x + t, 4);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncwarp();
        sum += real[round % 2][31 - t];
        __syncwarp();
    }
    z[t] = sum;
}
extern "C" void f(const float* x, float* z, int n, cudaStream_t stream) { k<<<1, n, 0, stream>>>(x, z); }"""


@pytest.mark.parametrize(("decoys", "bytes_"), [(0, 128), (1, 0), (3, 0)])
def test_copies_that_nobody_reads_hide_no_waiting(run_kernel, decoys: int, bytes_: int):
    """4 of the 5 real copies are read."""
    source = COPIES.replace("DECOYS", str(decoys))
    x = np.ones(32, np.float32)
    counters = run_kernel(
        source, "void f(const float* x, float* z, int n, cudaStream_t stream)", x=x, z=x.copy(), n=32
    )[1].counters
    assert counters["async_bytes_in_flight"] == bytes_
    assert (counters["async_groups_in_flight"] > 0) == (bytes_ > 0)


@pytest.mark.parametrize(
    ("operation", "operands", "name"),
    [
        ("call", "1040 <expf@plt>", "expf"),
        ("call", "10d0 <_Z5rsqrtf@plt>", "rsqrtf"),
        ("call", "10d0 <_Z5rsqrtd@plt>", "rsqrt"),
        ("call", "1180 <_Z10__fdividefff>", "__fdividef"),
        ("call", "1180 <_Z4expf3Own>", ""),  # the learner's, of a type of theirs
        ("call", "1180 <_ZN3own4expfEf>", ""),
        ("call", "*%rax", ""),
        ("bl", "710 <expf@plt>", "expf"),
        ("divss", "0x10(%rsp),%xmm0", "float /"),
        ("divss", "0x675(%rip),%xmm1        # 2008 <x>", "float / constant"),
        ("sqrtsd", "%xmm0,%xmm0", "sqrt"),
        ("idivl", "0x8(%rbp)", "integer /"),
        ("fdiv", "s0, s1, s0", "float /"),
        ("udiv", "w0, w1, w2", "integer /"),
        ("divsd", "0x675(%rip),%xmm1        # 2008 <x>", "double / constant"),
        ("subss", "0x675(%rip),%xmm1        # 2008 <x>", "float +"),
        ("mulsd", "%xmm0,%xmm0", "double *"),
        ("fmul", "d0, d1, d0", "double *"),
        ("imull", "%eax,%ecx", ""),
    ],
)
def test_what_a_machine_instruction_stands_for(operation: str, operands: str, name: str):
    assert priced(operation, operands) == name
