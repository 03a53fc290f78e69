"""A flag is set and looked at with one size: of two sizes, each may see a part of what the other does.

PTX ISA, "Morally strong operations": two operations order each other only if they overlap completely. Atomics of two
sizes are each seen as a whole, which is enough to count, but not to hand over data.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from tests.shared import long_tail

PROTOTYPE = "void f(const int* x, int* z, cudaStream_t stream)"
BLOCKS = """
__device__ __align__(16) int scratch[64];
__global__ void k(const int* x, int* z) {{
    volatile int* data = scratch + 32;
    int* flag = scratch;
    if (blockIdx.x == 0) {{
        data[0] = x[0];
        __threadfence();
        {set};
    }} else {{
        {wait};
        __threadfence();
        z[0] = data[0];
    }}
}}
extern "C" void f(const int* x, int* z, cudaStream_t stream) {{
    void* s; cudaGetSymbolAddress(&s, scratch); cudaMemsetAsync(s, 0, sizeof scratch, stream);
    k<<<2, 1, 0, stream>>>(x, z);
}}
"""
WARPS = """
__global__ void k(const int* x, int* z) {{
    __shared__ __align__(16) int flag[4];
    __shared__ int data[1];
    if (threadIdx.x < 4) flag[threadIdx.x] = 0;
    __syncthreads();
    if (threadIdx.x == 32) {{
        data[0] = x[0];
        __threadfence_block();
        {set};
    }} else if (threadIdx.x == 0) {{
        {wait};
        __threadfence_block();
        z[0] = data[0];
    }}
}}
extern "C" void f(const int* x, int* z, cudaStream_t stream) {{ k<<<1, 64, 0, stream>>>(x, z); }}
"""
SCOPES = {"blocks": BLOCKS, "warps": WARPS}
PTX = """
__device__ void set_vector(int* p) {
    asm volatile("st.volatile.v4.u32 [%0], {0, 0, 0, 1};" :: "l"(p) : "memory");
}
__device__ int wait_vector(int* p) {
    int a, b, c, d;
    asm volatile("ld.volatile.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(p) : "memory");
    return d;
}
__device__ void set_byte(int* p) { asm volatile("st.release.gpu.u8 [%0], %1;" :: "l"(p), "r"(1) : "memory"); }
__device__ int acquire(int* p) {
    int a;
    asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(a) : "l"(p) : "memory");
    return a;
}
"""


@dataclass(frozen=True)
class Flag:
    set: str
    wait: str
    sizes: str = ""  # "1 byte and ... 4", if it is wrong


def volatile(type_: str, at: str = "flag") -> str:
    return f"*(volatile {type_}*)({at})"


def waits(type_: str, at: str = "flag") -> str:
    return f"while ({volatile(type_, at)} == 0) {{}}"


RIGHT = {
    **{type_: Flag(f"{volatile(type_)} = 1", waits(type_)) for type_ in ("char", "short", "int", "long long")},
    "an atomic": Flag("atomicExch(flag, 1)", waits("int")),
    "an atomic of 8 bytes": Flag("atomicAdd((unsigned long long*)flag, 1ull)", waits("unsigned long long")),
    "an atomic of 2 bytes": Flag("atomicCAS((unsigned short*)flag, 0, 1)", waits("unsigned short")),
    "two vectors": Flag("set_vector(flag)", "while (wait_vector(flag) == 0) {}"),
    "an element of a vector": Flag("set_vector(flag)", waits("int", "flag + 3")),
    "a word that a vector holds": Flag(f"{volatile('int', 'flag + 3')} = 1", "while (wait_vector(flag) == 0) {}"),
}
WRONG = {
    "a byte of a word": Flag(f"{volatile('char')} = 1", waits("int"), "1 byte and with 4"),
    "an upper byte": Flag(f"{volatile('char', '(char*)flag + 1')} = 1", waits("int"), "1 byte and with 4"),
    "a half of a word": Flag(f"{volatile('short')} = 1", waits("int"), "2 bytes and with 4"),
    "the byte that is looked at": Flag(f"{volatile('int')} = 1", waits("bool"), "1 byte and with 4"),
    "a word of two": Flag(f"{volatile('int', 'flag + 1')} = 1", waits("long long"), "4 bytes and with 8"),
    "one word of those written": Flag(
        f"{volatile('long long')} = 1ll << 32", waits("int", "flag + 1"), "4 bytes and with 8"
    ),
    "by an atomic": Flag("atomicExch(flag, 1)", waits("char"), "1 byte and with 4"),
    "by an atomic of 2 bytes": Flag("atomicCAS((unsigned short*)flag, 0, 1)", waits("int"), "2 bytes and with 4"),
    "by an atomic's own look": Flag(
        f"{volatile('short')} = 1", "while (atomicAdd(flag, 0) == 0) {}", "2 bytes and with 4"
    ),
    "in PTX": Flag("set_byte(flag)", "while (acquire(flag) == 0) {}", "1 byte and with 4"),
}


def run(run_kernel, scope: str, flag: Flag):
    source = PTX + SCOPES[scope].format(set=flag.set, wait=flag.wait)
    outputs, case = run_kernel(source, PROTOTYPE, x=np.full(4, 7, np.int32), z=np.zeros(1, np.int32))
    errors = [found for found in case.findings if found.severity == "error"]
    assert {found.kind for found in errors} <= {"race"}, errors
    return outputs["z"][0], [found.message for found in errors]


@pytest.mark.parametrize("scope", long_tail(SCOPES, every=4))
@pytest.mark.parametrize("name", long_tail(list(RIGHT), every=6, slow=3))
def test_a_flag_of_one_size(run_kernel, scope, name):
    assert run(run_kernel, scope, RIGHT[name]) == (7, [])


@pytest.mark.parametrize("scope", long_tail(SCOPES, every=4))
@pytest.mark.parametrize("name", long_tail(list(WRONG), every=6, slow=3))
def test_a_flag_of_two_sizes(run_kernel, scope, name):
    flag = WRONG[name]
    z, messages = run(run_kernel, scope, flag)
    assert z == 7  # by luck
    assert [message for message in messages if f"here with {flag.sizes}" in message], messages


COUNT = """
__device__ unsigned long long both;
__global__ void k(const int* x, int* z) {
    auto* low = (unsigned*)&both;
    if (threadIdx.x % 2) atomicAdd(low, 1u);
    else atomicAdd(&both, 1ull << 32);
    z[32 * blockIdx.x + threadIdx.x] = 1;
}
extern "C" void f(const int* x, int* z, cudaStream_t stream) {
    void* b; cudaGetSymbolAddress(&b, both); cudaMemsetAsync(b, 0, 8, stream);
    k<<<4, 32, 0, stream>>>(x, z);
}
"""


def test_atomics_of_two_sizes_count(run_kernel):
    z = run_kernel(COUNT, PROTOTYPE, x=np.ones(4, np.int32), z=np.zeros(128, np.int32))
    assert [found.message for found in z[1].findings if found.severity == "error"] == []


def test_atomics_of_two_sizes_hand_nothing_over(run_kernel):
    flag = Flag("atomicExch(flag, 1)", "while (atomicAdd((unsigned long long*)flag, 0ull) == 0) {}")
    assert run(run_kernel, "blocks", flag)[1]
