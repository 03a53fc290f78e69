"""What needs a multiple of its size and what does not: sixteen bytes of a vector and of a structure of two numbers."""

from __future__ import annotations

import numpy as np
import pytest
from checked_kernel import run

from tests.shared import long_tail

WHERE = {
    "shared": ("", "__shared__ Holder held[32];"),
    "global": ("__device__ Holder held[32];", ""),
    "local": ("", "Holder held[32];"),
}
PAIRS = """
struct Pair {{ double a, b; }};
struct Holder {{ double first; Pair pair; }};
__device__ __noinline__ void put(Pair* to, const Pair& from) {{ *to = from; }}
{outside}
__global__ void k(const float* x, float* z) {{
    {inside}
    const int i = threadIdx.x;
    put(&held[i].pair, Pair{{x[i], 1}});
    const Pair again = held[i].pair;
    z[i] = again.a + again.b;
}}
extern "C" void f(const float* x, float* z, int n, cudaStream_t stream) {{ k<<<1, 32, 0, stream>>>(x, z); }}
"""
# g++ knows where these lie, and tells of some as of single floats.
KNOWN = """
struct Twice {{ double x, y; }};
struct Four {{ float at[4]; }};
struct Triple {{ float x, y, z; }};
struct alignas(16) Wide {{ float x, y, z, w; }};
struct Holds {{ union {{ float4 v; struct {{ float x, y; }}; }}; }};
__global__ void k(const float* x, float* z) {{
    __shared__ __align__(16) float held[32 * 4 + 8];
    for (int i = threadIdx.x; i < 32 * 4 + 8; i += 32) held[i] = x[i % 32];
    __syncthreads();
    {line}
}}
extern "C" void f(const float* x, float* z, int n, cudaStream_t stream) {{ k<<<1, 32, 0, stream>>>(x, z); }}
"""
READS = "{type} v = reinterpret_cast<{type}*>((char*)held + {first})[threadIdx.x]; z[threadIdx.x] = v.x + v.y;"
WRITES = """
    reinterpret_cast<{type}*>((char*)held + {first})[threadIdx.x] = {type}{{}};
    __syncthreads();
    z[threadIdx.x] = held[9];"""
PART = "z[threadIdx.x] = reinterpret_cast<{type}*>((char*)held + {first})[threadIdx.x].{part};"
PACKED = "struct __attribute__((packed)) Packed { char c[4]; double x; float y; };"
NUMBER = "z[threadIdx.x] = reinterpret_cast<{type}*>((char*)held + {first})[threadIdx.x];"
# Types of two kinds in one file, and a function that is made of both, on one line.
BOTH = """
struct Pair { double a, b; };
struct Named { const float* from; long size; };
template <class T> __device__ void copy(T* to, const T* from) { *to = *from; }
__global__ void k(const float* x, float* z, int first) {
    __shared__ __align__(16) double pairs[2 * 32 + 1], numbers[2 * 32 + 2];
    __shared__ Named named[2];
    const int i = threadIdx.x;
    Pair* const odd = reinterpret_cast<Pair*>(pairs + 1) + i;
    float4* const four = reinterpret_cast<float4*>(numbers + first) + i;
    const Pair value = {x[i], 1};
    const float4 other = {x[i], 1, 2, 3};
    copy(odd, &value), copy(four, &other);
    if (i < 2) named[i] = {x, 32};
    __syncthreads();
    Pair pair; float4 back;
    copy(&pair, odd), copy(&back, four);
    z[i] = pair.a + back.y + (named[i % 2].size - 32);
}
extern "C" void f(const float* x, float* z, int n, cudaStream_t stream) { k<<<1, 32, 0, stream>>>(x, z, n); }
"""


# Types whose names say less: what g++ tells of a class decides.
NAMED = """
#include <cuda/std/array>
namespace own {{ struct float4 {{ float x, y, z, w; }}; }}
struct Colour : float4 {{}};
template <class T> struct Two {{ T x, y; }};
struct __align__(8) Halves {{ half x, y, z, w; }};
union Either {{ float x; int y[4]; }};
template <int N> struct alignas(4 * N) Row {{ float x[N]; }};
__device__ Row<1> one;
typedef cuda::std::array<double, 2> Numbers;
__global__ void k(const float* x, float* z, int n) {{
    __shared__ __align__(16) char held[32 * 16 + 16];
    for (int i = threadIdx.x; i < sizeof held; i += 32) held[i] = 0;
    __syncthreads();
    const {type} v = reinterpret_cast<{type}*>(held + n)[threadIdx.x];
    reinterpret_cast<{type}*>(held + n)[threadIdx.x] = v;
    z[threadIdx.x] = 1;
    double2 other = {{}};
    z[threadIdx.x] += other.x;
}}
extern "C" void f(const float* x, float* z, int n, cudaStream_t stream) {{ k<<<1, 32, 0, stream>>>(x, z, n); }}
"""


@pytest.mark.parametrize(
    ("type", "needs"),
    long_tail([("own::float4", 4), ("Colour", 16), ("Two<double>", 8), ("Halves", 8), ("Either", 4), ("Numbers", 8),
     ("__half2", 4), ("float3", 4), ("Two<float2>", 8), ("Row<4>", 16)], every=16, slow=3),
)  # fmt: skip
def test_a_type_needs_what_it_is_made_of(run_kernel, type, needs):
    source = "#include <cuda_fp16.h>\n" + NAMED.format(type=type)
    for place, is_misaligned in (needs, False), (needs // 2, True):
        _, _, findings = run(run_kernel, source, place)
        assert [finding.kind for finding in findings] == ["misaligned"] * is_misaligned


def kinds(run_kernel, line: str) -> list[str]:
    """Of the findings of a kernel with this line."""
    return [finding.kind for finding in run(run_kernel, KNOWN.format(line=line), 32)[2]]


@pytest.mark.parametrize("where", long_tail(list(WHERE), every=6))
@pytest.mark.parametrize("vectors", ["", "__device__ float4 four;\n"])
def test_a_structure_of_two_numbers_lies_at_a_multiple_of_eight(run_kernel, where, vectors):
    outside, inside = WHERE[where]
    x, z, findings = run(run_kernel, PAIRS.format(outside=vectors + outside, inside=inside), 32)
    assert not findings and (z == x + 1).all()


@pytest.mark.parametrize("line", long_tail([READS, WRITES], every=32))
@pytest.mark.parametrize(
    ("type", "first", "is_misaligned"),
    long_tail([("float4", 4, True), ("float4", 8, True), ("float4", 12, True), ("float4", 16, False), ("int2", 4, True),
     ("int2", 8, False), ("float3", 4, False), ("float3", 2, True), ("Twice", 8, False), ("Twice", 4, True),
     ("Triple", 4, False), ("Triple", 1, True), ("Wide", 8, True), ("Wide", 16, False), ("Holds", 8, True)],
     every=6, slow=3),
)  # fmt: skip
def test_a_vector_lies_at_a_multiple_of_its_size(run_kernel, line, type, first, is_misaligned):
    _, _, findings = run(run_kernel, KNOWN.format(line=line.format(type=type, first=first)), 32)
    assert [finding.kind for finding in findings] == ["misaligned"] * is_misaligned
    assert not findings or line != WRITES or " writes " in findings[0].message


@pytest.mark.parametrize(
    ("line", "is_misaligned"),
    long_tail(
        [
            (NUMBER.format(type="double", first=4), True),
            (NUMBER.format(type="double", first=8), False),
            (NUMBER.format(type="float", first=2), True),
            (NUMBER.format(type="short", first=2), False),
            (NUMBER.format(type="long long", first=12), True),
            (PART.format(type="Twice", first=4, part="y"), True),
            (PART.format(type="Holds", first=4, part="y"), False),  # nvcc loads four bytes
            (f"{PACKED} {PART.format(type='Packed', first=4, part='x')}", False),
            (f"{PACKED} {PART.format(type='Packed', first=8, part='x')}", False),
            ("float4 v; memcpy(&v, held + 1, 16); z[threadIdx.x] = v.x;", False),
            ("float4 v = __builtin_bit_cast(float4, *reinterpret_cast<Four*>(held + 1)); z[threadIdx.x] = v.x;", False),
            ("if (threadIdx.x == 0) memset(held + 1, 0, 16); z[threadIdx.x] = 1;", False),
        ],
        every=6,
        slow=3,
    ),
)
def test_a_number_and_a_member(run_kernel, line, is_misaligned):
    assert kinds(run_kernel, line) == ["misaligned"] * is_misaligned


OF_WORDS = "struct __attribute__((packed)) Packed { char c[2]; uint32_t x; };"
WORD = "z[threadIdx.x] = *reinterpret_cast<const {type}*>((const short*)(held + threadIdx.x) + {first});"


@pytest.mark.parametrize(
    ("line", "is_misaligned"),
    long_tail(
        [
            (WORD.format(type="uint32_t", first=1), True),
            (WORD.format(type="uint32_t", first=2), False),
            (f"typedef unsigned Word; {WORD.format(type='Word', first=1)}", True),
            ("*(uint32_t*)((short*)held + 1 + 2 * threadIdx.x) = 7; z[threadIdx.x] = 1;", True),
            ("*(uint64_t*)((int*)held + 1 + 2 * threadIdx.x) = threadIdx.x; z[threadIdx.x] = 1;", True),
            ("uint32_t v; memcpy(&v, (short*)held + 1, 4); z[threadIdx.x] = v;", False),
            (f"{OF_WORDS} {PART.format(type='Packed', first=4, part='x')}", False),
            (f"{OF_WORDS} Packed* p = (Packed*)held; p[1].x = 3; z[threadIdx.x] = p[1].x;", False),
        ],
        every=3,
        slow=1,
    ),
)
def test_a_number_by_another_name(run_kernel, line, is_misaligned):
    found = run(run_kernel, "#include <cstdint>\n" + KNOWN.format(line=line), 32)[2]
    assert [finding.kind for finding in found if finding.kind != "race"] == ["misaligned"] * is_misaligned


def test_both_in_one_file(run_kernel):
    x, z, findings = run(run_kernel, BOTH, 0)
    assert not findings and (z == x + 1).all()
    _, _, (finding,) = run(run_kernel, BOTH, 1)
    assert finding.kind == "misaligned" and "writes 16 bytes of numbers at byte 8" in finding.message


# A vector in a packed structure gets a new value at once: nvcc stores it in bytes.
OF_PACKED = """
#pragma pack(push, 1)
struct Packed {{ char c; {type} v; int k; }};
#pragma pack(pop)
template <class T> struct Row {{ T all[3]; __device__ T& operator[](int i) {{ return all[i]; }} }};
__device__ void set(Packed& p, {type} v) {{ p.v = {type}(v); }}
__device__ __noinline__ void put(Packed* p, {type} v) {{ p->v = {type}(v); }}
__device__ Packed kept[32];
__global__ void k(const float* x, float* z, int n) {{
    __shared__ Packed shared[32];
    __shared__ __align__(16) char bytes[16 * 33];
    const int i = threadIdx.x;
    {type} v{{}};
    v.x = i + 1, v.y = 2;
    {line}
}}
extern "C" void f(const float* x, float* z, int n, cudaStream_t stream) {{ k<<<1, 32, 0, stream>>>(x, z, n); }}
"""


@pytest.mark.parametrize("type", long_tail(["float4", "float2", "short2", "uchar4", "double2"], every=6))
@pytest.mark.parametrize(
    ("line", "is_misaligned"),
    long_tail([
        ("Packed p; p.v = {type}(v); z[i] = p.v.x + p.v.y;", False),
        ("Packed p; set(p, v); z[i] = p.v.x + p.v.y;", False),
        ("Packed p[2]; put(p + n % 2, v); z[i] = p[n % 2].v.x + p[n % 2].v.y;", False),
        ("Row<Packed> p; p[i % 3].v = {type}(v); z[i] = p[i % 3].v.x + p[i % 3].v.y;", False),
        ("shared[i].v = {type}(v); z[i] = shared[i].v.x + shared[i].v.y;", False),
        ("kept[i].v = {type}(v); Packed* p = kept + i; p->v = {type}(v); z[i] = p->v.x + kept[i].v.y;", False),
        ("Packed p; p = Packed{{1, {type}(v), 3}}; z[i] = p.v.x + p.v.y;", False),
        ("Packed p[4]; for (int j = 0; j < n + 2; ++j) p[j].v = {type}(v); z[i] = p[n].v.x + p[n + 1].v.y;", False),
        ("for (int j = 0; j < n; ++j) shared[i * n + j].v = {type}(v); z[i] = shared[i].v.x + shared[i].v.y;", False),
        ("for (int j = 0; j < n; ++j) kept[i * n + j].v = {type}(v); z[i] = kept[i].v.x + kept[i].v.y;", False),
        ("Packed p[4]; for (Packed* q = p; q < p + n + 2; ++q) q->v = {type}(v); z[i] = p[n].v.x + p[0].v.y;", False),
        ("Packed* q = (Packed*)bytes; if (i < n) q[i].v = {type}(v); z[i] = i < n ? q[i].v.x + 2 : i + 3;", False),
        ("({type}&)bytes[n + 16 * i] = {type}(v); z[i] = 3 + i;", True),
        ("for (int j = 0; j < n; ++j) ({type}&)bytes[n + 16 * (i + j)] = {type}(v); z[i] = 3 + i;", True),
    ], every=6, slow=3),
)  # fmt: skip
def test_a_vector_in_a_packed_structure(run_kernel, type, line, is_misaligned):
    _, z, findings = run(run_kernel, OF_PACKED.format(type=type, line=line.format(type=type)), 1)
    assert [finding.kind for finding in findings] == ["misaligned"] * is_misaligned
    assert is_misaligned or (z == np.arange(32) + 3).all()


# docs/emulator.md, "What it cannot see": nvcc loads sixteen bytes at once.
UNSEEN = [
    f"{PACKED} struct Holder {{ float4 v; }}; Holder* h = (Holder*)(held + 2); z[threadIdx.x] = 0; float4 v = h->v;"
    " z[threadIdx.x] += v.w;",
]


@pytest.mark.parametrize("line", long_tail(list(UNSEEN), every=6))
def test_what_is_not_known_to_be_misaligned(run_kernel, line):
    assert kinds(run_kernel, line) == []
