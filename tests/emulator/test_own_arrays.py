"""Indexes past one's own array, and local variables that were never set: found on the checking build."""

from __future__ import annotations

import re

import numpy as np
import pytest

from grader.course.prototype import TYPES
from grader.devices.emulator.checked import Checked, finds_more
from grader.devices.emulator.looking import Look
from tests.emulator.checked_kernel import PROTOTYPE, run
from tests.shared import long_tail

# In each, `past` is an index that the compiler does not know. What is wrong happens where `n` is the case's number.
WRONG = """
struct Pair { float first[4], second[4]; };
struct Fragment {
    float v[8];
    __device__ float operator()(int i) const { return v[i]; }
};
template <int N> __device__ float last_of(const float (&values)[N], int i) { return values[i]; }
__device__ float in_a_function(float value, int i) {
    float own[2] = {value, value};
    return own[i];                                                                  // case 1: own[2]
}
template <int N> __device__ float in_a_template(float value, int i) {
    float own[N] = {};
    own[i] += value;                                                                // case 2: own[4]
    return own[0];
}
__global__ void k(const float* x, float* z, int n, int past) {
    __shared__ float tile[4][32];
    const int i = threadIdx.x;
    tile[0][i] = tile[1][i] = tile[2][i] = tile[3][i] = x[i];
    __syncthreads();
    Pair pair = {};
    Fragment fragment = {};
    float grid[2][3] = {}, found = 0;
    auto get = [&](int j) { return grid[1][j]; };                                   // case 6: grid[1][3]
    if (n == 1) found = in_a_function(x[i], past + 2);
    if (n == 2) found = in_a_template<4>(x[i], past + 4);
    if (n == 3) pair.first[past + 4] = 0;                                           // case 3: pair.first[4]
    if (n == 4) pair.second[past - 1] = 0;                                          // case 4: pair.second[-1]
    if (n == 5) found = fragment(past + 8);
    if (n == 6) found = get(past + 3);
    if (n == 7) for (int j = 0; j <= past + 3; ++j) grid[0][j] = 0;                 // case 7: grid[0][3]
    if (n == 8 && i == 31) found = tile[1][i + 1];                                  // case 8: tile[1][32]
    if (n == 9 && i == 31) found = tile[past + 4][0];
    if (n == 10) found = last_of(grid[1], past + 5);
    z[i] = x[i] + 0 * (found + pair.first[0] + pair.second[0] + grid[0][0]);
}
extern "C" void f(const float* x, float* z, int n, cudaStream_t stream) { k<<<1, 32, 0, stream>>>(x, z, n, 0); }
"""

# Case: kind, severity and what is said
SAID = {
    1: ("own_array", "error", "uses own[2], past its end: own has 2 elements"),
    2: ("own_array", "error", "uses own[4], past its end: own has 4 elements"),
    3: ("own_array", "error", "uses pair.first[4], past its end: pair.first has 4 elements"),
    4: ("own_array", "error", "uses pair.second[-1], before its start: pair.second has 4 elements"),
    5: ("own_array", "error", "uses v[8], past its end: v has 8 elements"),
    6: ("own_array", "error", "uses grid[1][3], past its end: grid[1] has 3 elements"),
    7: ("own_array", "error", "uses grid[0][3], past its end: grid[0] has 3 elements"),
    8: ("own_array", "note", "uses tile[1][32], past its end: tile[1] has 32 elements; a GPU goes on"),
    9: ("out_of_bounds", "error", "reads tile[128], past its end"),
    10: ("own_array", "error", "uses values[5], past its end: values has 3 elements"),
}

# All of these are right, and each gives x[i] back.
RIGHT = """
struct Fragment {
    float v[8];
    __device__ float& operator[](int i) { return v[i]; }
    __device__ float* end() { return v + 8; }
};
union Bits { float f; unsigned u[1]; unsigned char bytes[4]; };
template <int N> __device__ float sum_of(const float (&values)[N]) {
    float sum = 0;
    for (int i = 0; i <= N - 1; ++i) sum += values[i];
    return sum;
}
__constant__ float weights[4] = {0.25f, 0.25f, 0.25f, 0.25f};
__global__ void k(const float* x, float* z, int n) {
    __shared__ float tile[4][32];
    extern __shared__ float rest[];
    const int i = threadIdx.x;
    float* walk = &tile[0][0];
    for (int j = i; j < 4 * 32; j += 32) walk[j] = x[j % 32];          // all rows through a pointer
    rest[i] = rest[i + 32] = x[i];
    __syncthreads();
    float right = tile[n - 32][i], own[4];                             // n is 32
    for (const float* p = &tile[0][0]; p != &tile[4][0]; ++p) right += 0 * *p;
    for (int j = 3; j >= 0; --j) own[j] = weights[j] * x[i];
    const float* end = &own[4];                                        // one past the end, never read
    float sum = 0;
    for (const float* p = own; p < end; ++p) sum += *p;
    Fragment fragment;
    for (int j = 0; j < 8; ++j) fragment[j] = x[i] / 8;
    float again = 0;
    for (float* p = fragment.v; p != fragment.end(); ++p) again += *p;
    const float4 four = reinterpret_cast<float4*>(fragment.v)[1];      // a vector over the last four
    again += 0 * (four.x + four.w) + 0 * rest[i + 32];
    Bits bits;
    bits.f = x[i];
    Bits copy;
    for (int j = 0; j < 4; ++j) copy.bytes[j] = bits.bytes[j];
    float maybe;                                                       // set in each case in which it is read
    if (i < n) maybe = x[i];
    float spare[4];                                                    // of which one is never set and never read
    for (int j = 0; j < 3; ++j) spare[j] = 0;
    const int before = -1;
    const float* middle = own + 2;
    again += 0 * middle[before] + spare[i % 3];
    if (i < n) z[i] = (right + sum + again + copy.f + maybe + sum_of(own)) / 6;
}
extern "C" void f(const float* x, float* z, int n, cudaStream_t stream) { k<<<1, 32, 64 * 4, stream>>>(x, z, n); }
"""

NEVER_SET = """
__global__ void k(const float* x, float* z, int n) {
    const int i = threadIdx.x;
    float sum = 0, acc[3];
    float total;
    if (n != 1) total = 0;
    for (int j = 0; j < 4; ++j) total += x[i];                                      // case 1: total
    if (n != 2) acc[0] = acc[1] = acc[2] = 0;
    for (int j = 0; j < 3; ++j) acc[j] += x[i], sum += acc[(j + n) % 3];
    z[i] = n == 2 ? sum : total;
}
extern "C" void f(const float* x, float* z, int n, cudaStream_t stream) { k<<<1, 32, 0, stream>>>(x, z, n); }
"""


@pytest.mark.parametrize("case", SAID)
def test_an_index_leaves_its_own_array(run_kernel, case):
    _, _, findings = run(run_kernel, WRONG, case)
    kind, severity, said = SAID[case]
    found = next(finding for finding in findings if finding.kind == kind)
    assert found.severity == severity and said in found.message
    marked = re.findall(rf"^(?=.*// case {case}:)", WRONG, re.MULTILINE)
    if marked:
        line = WRONG[: WRONG.index(f"// case {case}:")].count("\n") + 1
        assert found.line == line


def test_the_same_file_is_right_where_no_index_leaves_its_array(run_kernel):
    x, z, findings = run(run_kernel, WRONG, 11)
    assert findings == [] and np.array_equal(z, x)


def test_right_ways_to_walk_through_arrays(run_kernel):
    x, z, findings = run(run_kernel, RIGHT, 32)
    assert findings == [] and np.allclose(z, x)


# Of a table, a text, an element that a method gives a reference to, and one of a shared array, where that is a note.
TABLES = """
struct Row {
    float v[4];
    __device__ const float& operator[](int i) const { return v[i]; }
};
__device__ const float table[4] = {1, 2, 3, 4};
__device__ constexpr Row row = {1, 2, 3, 4};
__global__ void k(const float* x, float* z, int n) {
    __shared__ float tile[4][8];
    const int i = threadIdx.x;
    tile[i / 8][i % 8] = x[i];
    __syncthreads();
    float found = tile[0][n == 4 ? 8 : 7];
    if (n == 1) found = table[n + 3];
    if (n == 2) found = "abc"[n + 2];
    if (n == 3) found = row[-n];
    z[i] = x[i] + 0 * found;
}
extern "C" void f(const float* x, float* z, int n, cudaStream_t stream) { k<<<1, 32, 0, stream>>>(x, z, n); }
"""


@pytest.mark.parametrize(
    ("case", "severity", "said"),
    [
        (1, "error", "uses table[4], past its end: table has 4 elements"),
        (2, "error", 'uses "abc"[4], past its end: "abc" has 4 elements'),
        (3, "error", "uses v[-3], before its start: v has 4 elements"),
        (4, "note", "uses tile[0][8], past its end: tile[0] has 8 elements"),
    ],
)
def test_an_index_leaves_a_table_of_constants(run_kernel, case, severity, said):
    _, _, findings = run(run_kernel, TABLES, case)
    ((found, message),) = ((finding.severity, finding.message) for finding in findings if finding.kind == "own_array")
    assert found == severity and said in message


# By a pointer, past tables of three elements, of a function's, of a template's, and before one; texts lie beside them.
WALKS = """
__device__ const float three[3] = {1, 2, 3};
__device__ const char* const names[2] = {"one", "three"};
__device__ float walk(const float* p, int n) {
    float sum = 0;
    for (int i = 0; i < n; ++i) sum += p[i];
    return sum;
}
__device__ float own(int n) {
    static const float five[5] = {1, 2, 3, 4, 5}, six[6] = {1, 2, 3, 4, 5, 6};
    const char* text = "a text";
    float sum = walk(five, n) + walk(six, n);
    for (int i = 0; i < n; ++i) sum += text[i] - names[1][i];
    return sum;
}
template <class T> __device__ float of_type(int n) {
    constexpr static T all[4] = {1, 2, 3, 4};
    const T* p = all + n;
    return *p;
}
__global__ void k(const float* x, float* z, int n) {
    float found = walk(three, n == 1 ? 4 : 3) + own(n == 2 ? 6 : 5) + of_type<double>(n == 3 ? 4 : 3);
    if (n == 4) found += *(three + 1 - threadIdx.x % 3);
    z[threadIdx.x] = x[threadIdx.x] + 0 * found;
}
extern "C" void f(const float* x, float* z, int n, cudaStream_t stream) { k<<<1, 32, 0, stream>>>(x, z, n); }
"""
WALKED = {
    1: "reads three[3], past its end: three has 3 elements of 4 bytes",
    2: "reads five[5], past its end: five has 5 elements of 4 bytes",
    3: "reads all[4], past its end: all has 4 elements of 8 bytes",
    4: "reads three[-1], before its start: three has 3 elements of 4 bytes",
}


@pytest.mark.parametrize("case", [1, 2, 3, 4, 5])
def test_a_pointer_leaves_a_table_of_constants(run_kernel, case):
    _, _, findings = run(run_kernel, WALKS, case)
    assert len(findings) == (case in WALKED)
    assert all(WALKED[case] in each.message for each in findings)


LARGE = 20_000  # elements: more than all blocks of a case are checked for
IN_LARGE_CASES = """
__device__ unsigned arrived;
__global__ void by_order(float* z, int n, int past) {
    __shared__ unsigned order;
    if (threadIdx.x == 0) order = atomicAdd(&arrived, 1u);
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float own[2] = {1, 2};
    const float found = own[(order + 1) / gridDim.x + past];   // the last one
    if (threadIdx.x == 0 && order == gridDim.x - 1) atomicExch(&arrived, 0u);
    if (i < n) z[i] = found;
}
__global__ void by_others(const float* z, float* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float own[2] = {3, 4};
    if (i < n) y[i] = own[static_cast<int>(z[n - 1 - i]) - 1];  // of another block, for nearly all
}
extern "C" void f(const float* x, float* z, int n, int past, cudaStream_t stream) {
    by_order<<<(n + 255) / 256, 256, 0, stream>>>(z, n, past);
}
extern "C" void g(const float* x, float* z, int n, int past, cudaStream_t stream) {
    f(x, z, n, past, stream);
    by_others<<<(n + 255) / 256, 256, 0, stream>>>(z, z + n, n);
}
"""


def run_large(run_kernel, name: str, n: int, past: int = 0):
    """What there is in z then, and the errors."""
    x, z = np.zeros(n, dtype=np.float32), np.zeros(2 * n, dtype=np.float32)
    both = [f"void {each}(const float* x, float* z, int n, int past, cudaStream_t stream)" for each in "fg"]
    prototype = both["fg".index(name)]
    outputs, case = run_kernel(IN_LARGE_CASES, prototype, among=both, x=x, z=z, n=n, past=past, checked=True)
    return outputs["z"], [(each.kind, each.message) for each in case.findings if each.severity == "error"]


def test_a_few_blocks_of_a_large_case_are_checked(run_kernel):
    z, errors = run_large(run_kernel, "f", LARGE)
    assert errors == [] and set(z[:LARGE].tolist()) == {1, 2}
    _, ((kind, message),) = run_large(run_kernel, "f", LARGE, past=2)
    assert kind == "own_array" and "uses own[2], past its end: own has 2 elements" in message


LONG_BLOCKS = """
__global__ void k(const float* x, float* z, int n, int past) {
    float own[2] = {1, 2};
    int i = 0;
    for (int step = 0; step < 4000; ++step) own[i = (i + step) % 2] += x[threadIdx.x];
    z[blockIdx.x * blockDim.x + threadIdx.x] = own[i + past];
}
extern "C" void f(const float* x, float* z, int n, int past, cudaStream_t stream) {
    k<<<10, 32, 0, stream>>>(x, z, n, past);
}
"""


@pytest.mark.parametrize(("past", "is_found"), [(2, True), (0, False)])
def test_long_blocks_of_a_large_case_are_checked_to_their_end(run_kernel, past, is_found):
    x = np.zeros(LARGE, dtype=np.float32)
    prototype = "void f(const float* x, float* z, int n, int past, cudaStream_t stream)"
    outputs, case = run_kernel(LONG_BLOCKS, prototype, x=x, z=x, n=LARGE, past=past, checked=True)
    assert [each.kind for each in case.findings if each.severity == "error"] == ["own_array"] * is_found
    assert is_found or set(outputs["z"][:320].tolist()) <= {1, 2}


def test_what_a_few_blocks_lack_of_others_is_no_fault(run_kernel):
    z, errors = run_large(run_kernel, "g", LARGE)
    assert errors == [] and set(z[LARGE:].tolist()) == {3, 4}


def test_what_a_few_blocks_leave_behind_is_gone(run_kernel):
    for n in (LARGE, 300, LARGE, 300):
        z, errors = run_large(run_kernel, "f", n)
        assert errors == [] and set(z[:n].tolist()) == {1, 2}


@pytest.mark.parametrize(("case", "name"), [(1, "total"), (2, "acc")])
def test_a_local_that_was_never_set(run_kernel, case, name):
    _, _, findings = run(run_kernel, NEVER_SET, case)
    assert [(finding.kind, finding.severity) for finding in findings] == [("never_set", "error")]
    assert f"`{name}`" in findings[0].message and "before it is set" in findings[0].message


@pytest.mark.parametrize(
    "body",
    [
        "const float* p; if (n > 99) p = x; z[i] = p[i];",  # g++ takes x for certain where it counts
        "int j; if (n > 99) j = i; z[i] = x[j];",
    ],
)
def test_a_pointer_or_an_index_that_was_never_set(run_kernel, body):
    kernel = f"__global__ void k(const float* x, float* z, int n) {{ const int i = threadIdx.x; {body} }}"
    launch = (
        'extern "C" void f(const float* x, float* z, int n, cudaStream_t stream) { k<<<1, 32, 0, stream>>>(x, z, n); }'
    )
    _, _, findings = run(run_kernel, f"{kernel}\n{launch}", 4)
    assert [(finding.kind, finding.severity) for finding in findings] == [("never_set", "error")]


@pytest.mark.parametrize(
    ("body", "is_found"),
    long_tail(
        [
            ("float sum; sum *= 0.0f; z[i] = x[i] + sum;", True),
            ("float most; for (int j = 0; j < n; ++j) if (x[i] > most) most = x[i]; z[i] = most;", True),
            ("int bits; bits &= n - 4; z[i] = x[i] + bits;", True),
            ("float sum = x[i]; if (i > 99) { float more; more += 1; sum += 0 * more; } z[i] = sum;", False),
            ("float sum; for (int j = 0; j < n; ++j) { if (j) sum += 0; else sum = x[i]; } z[i] = sum;", False),
        ],
        every=4,
        slow=2,
    ),
)
def test_a_local_that_nothing_sets_first_is_told_whatever_comes_out(run_kernel, body, is_found):
    kernel = f"__global__ void k(const float* x, float* z, int n) {{\n    const int i = threadIdx.x;\n    {body}\n}}\n"
    kernel = kernel.replace("{ float", "{\n float").replace("; }", ";\n}")
    launch = (
        'extern "C" void f(const float* x, float* z, int n, cudaStream_t stream) { k<<<1, 32, 0, stream>>>(x, z, n); }'
    )
    x, z, findings = run(run_kernel, f"{kernel}\n{launch}", 4)
    if is_found:
        assert [(finding.kind, finding.severity) for finding in findings] == [("never_set", "error")]
        assert "nothing gives it a value before that" in findings[0].message
    else:
        assert findings == [] and np.allclose(z, x)


@pytest.mark.parametrize(("value", "is_told"), [("v.y", True), ("v.x", False)])
def test_a_member_that_was_never_set_for_nothing_is_a_note(run_kernel, value, is_told):
    kernel = f"""__global__ void k(const float* x, float* z, int n) {{
    int4 v;
    v.x = x[threadIdx.x];
    z[threadIdx.x] = v.x + (n - 4) * {value};
}}
extern "C" void f(const float* x, float* z, int n, cudaStream_t stream) {{ k<<<1, 32, 0, stream>>>(x, z, n); }}
"""
    x, z, findings = run(run_kernel, kernel, 4)
    assert np.array_equal(z, x)
    assert [(each.severity, each.line, "`v`" in each.message) for each in findings] == [("note", 4, True)] * is_told


def test_no_local_is_blamed_that_is_set(run_kernel):
    x, z, findings = run(run_kernel, NEVER_SET, 3)
    assert findings == [] and np.array_equal(z, 4 * x)


BLAMED = """
__global__ void k(const float* x, float* z, int n) {
    const int i = threadIdx.x;
    if (n == 1) {
        const float* p;
        { float ended[2] = {x[i], 1}; p = ended; }
        float other[2] = {7, 7};
        z[i] = p[0] + 0 * other[n];                                                 // case 1: ended
    } else {
        float sums[2];
        if (n > 3) sums[1] = 0;
        z[i] = sums[n % 2];                                                         // case 3: sums
    }
}
extern "C" void f(const float* x, float* z, int n, cudaStream_t stream) { k<<<1, 32, 0, stream>>>(x, z, n); }
"""


@pytest.mark.parametrize(("case", "name"), [(1, "ended"), (3, "sums")])
def test_only_what_the_run_has_come_by_is_blamed(run_kernel, case, name):
    _, _, (finding,) = run(run_kernel, BLAMED, case)
    assert finding.kind == "never_set" and f"`{name}`" in finding.message


# What is compared only: a value below zero, as the checking build has it, tells nothing where no value would.
MEMBERS = """
struct Found { float value; int at; bool any; };
__global__ void k(const float* x, float* z, int n) {
    const int i = threadIdx.x;
    Found found;
    found.value = x[i];
    if (n != 1) found.at = 0;
    if (n != 2) found.any = false;
    if (n == 1) z[i] = found.at > 0 ? 0 : found.value;
    else if (n == 2) z[i] = found.any ? 0 : found.value;
    else z[i] = found.at > 0 || found.any ? 0 : found.value;
}
extern "C" void f(const float* x, float* z, int n, cudaStream_t stream) { k<<<1, 32, 0, stream>>>(x, z, n); }
"""


@pytest.mark.parametrize("case", [1, 2])
def test_a_member_that_was_never_set_and_decides(run_kernel, case):
    _, _, findings = run(run_kernel, MEMBERS, case)
    assert [(finding.kind, finding.severity) for finding in findings] == [("never_set", "error")]
    assert "`found`" in findings[0].message


@pytest.mark.parametrize(
    ("declared", "used"),
    long_tail(
        [
            ("struct Two { float a, b; } v; v.a = 1;", "v.b"),
            ("float4 v; v.x = v.y = v.z = 1;", "v.w"),
            ("float v[4]; for (int j = 1; j < 4; ++j) v[j] = j;", "v[0]"),
            ("struct Two { int a, b; } v; v.a = 1;", "v.b"),
        ],
        every=4,
        slow=2,
    ),
)
def test_what_is_compared_with_a_constant_was_never_set(run_kernel, declared, used):
    """g++ would answer the comparison itself, by the bytes that it has put there."""
    body = f"const int i = threadIdx.x; {declared} z[i] = x[i] + ({used} > 0 ? 1 : 0);"
    kernel = f"__global__ void k(const float* x, float* z, int n) {{ {body} }}"
    source = f'{kernel} extern "C" {PROTOTYPE} {{ k<<<1, 32, 0, stream>>>(x, z, n); }}'
    _, _, findings = run(run_kernel, source, 1)
    assert [(finding.kind, finding.severity) for finding in findings] == [("never_set", "error")]


def test_no_member_is_blamed_that_is_set(run_kernel):
    x, z, findings = run(run_kernel, MEMBERS, 3)
    assert findings == [] and np.array_equal(z, x)


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("float sum;", True),
        ("float sum = 0, other;", True),
        ("float sum = 0; if (n) { int k; k = n; }", True),
        ("float a[4] = {};", True),
        ("__constinit thread_local __attribute__((used, aligned(16))) float As[4][kTile + 4];", True),
        ("const unsigned long long* p, *q;", True),
        ("if (n) x[0] = 1; else float4 v;", True),
        ("Tile<8, 8> tile;", True),
        ("for (int k, i = 0; i < n; ++i) k = i;", True),
        ("::Vector v;", True),
        ("struct Pair { float first[4]; };", True),
        ("ladder::Vector<float, 4> v;", True),
        ("float v = x[i], *p = &v;", True),
        ("float4 v = x[i]; f(a, &v.x);", True),
        ("int i = 0; n = *reinterpret_cast<const float*>(&i) + f((int&)i);", True),
        ("std::array<float, 4> a = {};", True),
        ("float sum(float4 v) { const float* p = &v.x; return *p; }", True),
        ("const auto [a,\n b] = g(n); return *(&b + 1);", True),
        ("auto [a, b] = g(n); return a & b;", False),
        ("int i = n & m, k = 1; f(&x[i], n && k, n & k); atomicAdd(&z[i], 1); p = &q->k;", False),
        ("int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) z[i] = x[i] * y[i];", False),
        ("for (int i = 0, j = n; i < n; ++i) { sum += x[i]; } return sum;", False),
        ("float4 v = make_float4(0, 0, 0, 0); x = y; goto end; typedef float Real; using R = float;", False),
        ("constexpr int kTile = 128; static const char ladder_bound[3] = {}; thread_local float As[3];", False),
        ("template <int N> __global__ void k(const float* x, float* z, int n) { k<8>(x, z, n); }", False),
    ],
)
def test_only_what_may_hold_such_a_fault_is_built_twice(code, wanted):
    assert finds_more(code) == wanted


@pytest.mark.parametrize(("name", "nans"), [("float", (0x7FC00000, 0xFFC00001)), ("__nv_bfloat16", (0x7FC0, 0xFFC1))])
def test_another_nan_is_no_other_result(name, nans):
    ctype = TYPES[name]
    one, other = (np.frombuffer(nan.to_bytes(ctype.bytes, "little"), np.uint8) for nan in nans)
    facts = {"findings": [], "kernels": []}
    look = Look(Checked(never_set=[("sum", 3)]), facts, 0.0, [one], [ctype])
    assert not look.findings(facts, [other])
    assert [each["kind"] for each in look.findings(facts, [np.zeros_like(one)])] == ["never_set"]
