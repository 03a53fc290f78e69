"""mbarrier in inline PTX: who waits for whom, what it orders, the copies that arrive at it, and what is forgotten."""

from __future__ import annotations

import numpy as np
import pytest

from tests.shared import long_tail

N = 256
SOURCE = r"""
using word = unsigned long long;
__device__ unsigned of(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void init(word* b, int n) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(of(b)), "r"(n)); }
__device__ word arrive(word* b) {
    word token;
    asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 %0, [%1];" : "=l"(token) : "r"(of(b)) : "memory");
    return token;
}
__device__ void arrive_for(word* b, int n) {
    asm volatile("mbarrier.arrive.shared.b64 _, [%0], %1;" ::"r"(of(b)), "r"(n));
}
__device__ void drop(word* b) { asm volatile("mbarrier.arrive_drop.shared.b64 _, [%0];" ::"r"(of(b)) : "memory"); }
__device__ void wait(word* b, word token) {
    asm volatile("{ .reg .pred p; AGAIN: mbarrier.test_wait.shared.b64 p, [%0], %1; @!p bra AGAIN; }" ::"r"(of(b)),
                 "l"(token) : "memory");
}
__device__ void wait_parity(word* b, unsigned parity) {
    asm volatile("{ .reg .pred p; AGAIN: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p, [%0], %1, 100;"
                 " @p bra DONE; bra AGAIN; DONE: }" ::"r"(of(b)), "r"(parity) : "memory");
}
// A thread of the first warp tells of bytes, and threads of the second that they are there: before it or after it.
template <int bytes> __global__ void told(const float* x, float* z) {
    __shared__ float s[256];
    __shared__ word b;
    if (threadIdx.x == 0) init(&b, 1);
    __syncthreads();
    for (unsigned round = 0; round < 2; ++round) {
        if (threadIdx.x == 0) {
            asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 16;" ::"r"(of(&b)) : "memory");
            asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], %1;" ::"r"(of(&b)), "n"(bytes)
                         : "memory");
        }
        if (threadIdx.x >= 32 && threadIdx.x < 36) {
            s[threadIdx.x] = x[threadIdx.x] + round;
            asm volatile("fence.acq_rel.cta; mbarrier.complete_tx.relaxed.cta.shared.b64 [%0], 16;" ::"r"(of(&b))
                         : "memory");
        }
        wait_parity(&b, round);
        z[threadIdx.x] = s[32 + threadIdx.x % 4];
        __syncthreads();
    }
}
enum Way { right, unwaited, unready, one_more };
template <Way way> __global__ void meet(const float* x, float* z) {
    __shared__ float s[256];
    __shared__ word b;
    if (threadIdx.x == 0) init(&b, blockDim.x + (way == one_more));
    if (way != unready) __syncthreads();
    for (int round = 0; round < 3; ++round) {
        s[threadIdx.x] = x[threadIdx.x] + round;
        const word token = arrive(&b);
        if (way != unwaited) wait(&b, token);
        z[threadIdx.x] = s[255 - threadIdx.x];
        arrive_for(&b, 1);
        wait_parity(&b, 1);
    }
    __syncthreads();
    if (threadIdx.x == 0) asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(of(&b)));
}
// The first warp copies for the seven others, which drop out one by one.
template <bool waits> __global__ void copies(const float* x, float* z) {
    __shared__ alignas(16) float s[224];
    __shared__ word full, left;
    if (threadIdx.x == 0) init(&full, 32), init(&left, 224);
    __syncthreads();
    if (threadIdx.x < 32) {
        for (int i = threadIdx.x; i < 224; i += 32)
            asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(of(s + i)), "l"(x + i));
        asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(of(&full)) : "memory");
        wait_parity(&left, 0);
        z[224 + threadIdx.x] = s[threadIdx.x];
    } else {
        if (waits) wait_parity(&full, 0);
        const float mine = s[threadIdx.x - 32];
        s[threadIdx.x - 32] = -1;
        z[threadIdx.x - 32] = mine;
        drop(&left);
    }
}
""".replace("z[", "z[blockIdx.x * 256 + ")
KERNELS = {
    **{way: f"meet<{way}>" for way in ("right", "unwaited", "unready", "one_more")},
    "copies": "copies<true>",
    "uncopied": "copies<false>",
    "told": "told<48>",
    "too_many": "told<64>",
}
SOURCE += "".join(
    f'extern "C" void run_{name}(const float* x, float* z, cudaStream_t stream) '
    f"{{ {kernel}<<<2, 256, 0, stream>>>(x, z); }}\n"
    for name, kernel in KERNELS.items()
)
X = np.arange(N, dtype=np.float32)


def run(call, name: str, errors: bool = False):
    return call(f"run_{name}", x=X, z=np.zeros(2 * N, np.float32), errors=errors)


def test_all_threads_meet_in_each_round(call):
    assert np.array_equal(run(call, "right")["z"], np.tile(X[::-1] + 2, 2))


def test_copies_arrive_and_threads_drop_out(call):
    assert np.array_equal(run(call, "copies")["z"], np.tile(np.append(X[:224], np.full(32, -1)), 2))


@pytest.mark.parametrize("name", long_tail(["unwaited", "unready", "uncopied"], every=4))
def test_what_is_not_waited_for_is_a_race(call, name):
    findings = run(call, name, errors=True).run.findings
    assert "race" in {each.kind for each in findings if each.severity == "error"}, findings


@pytest.mark.slow
def test_an_arrival_that_never_comes_is_told(call):
    (finding,) = [each for each in run(call, "one_more", errors=True).run.findings if each.severity == "error"]
    assert finding.kind == "deadlock" and "the mbarrier has seen 256 of 257 arrivals" in finding.message


def test_bytes_that_are_told_of_are_waited_for(call):
    assert np.array_equal(run(call, "told")["z"], np.tile(X[32:36] + 1, 2 * N // 4))


@pytest.mark.slow
def test_bytes_that_never_come_are_told(call):
    (finding,) = [each for each in run(call, "too_many", errors=True).run.findings if each.severity == "error"]
    assert finding.kind == "deadlock" and "1 of 1 arrivals" in finding.message, finding
    assert "waits for 16 bytes (.expect_tx)" in finding.message
