"""An index one past a local array of structures, whose elements C++ reaches by reference."""

from __future__ import annotations

import numpy as np
import pytest

from grader.devices.cache import cache_root
from grader.devices.emulator.checked import beside
from grader.devices.emulator.compile import emulator_recipe
from grader.devices.emulator.looking import Look
from grader.devices.emulator.subscripts import with_used_indexes, with_used_indexes_of_program
from grader.devices.emulator.translate import translate
from grader.devices.emulator.wording import word_findings
from tests.emulator.checked_kernel import run

# What is wrong happens where `n` is the case's number, and the array's name is `caseN`.
WRONG = """
struct Pair { float a, b; };
struct Row { float at[3]; };
struct Held {
    Row case7[2];
    Pair case8[2];
    __device__ void fill(int i) { for (float& v : case7[i].at) v = 1; }
    __device__ void set(int i, float v) { case8[i] = Pair{v, v}; }
};
__device__ float first(Pair pair) { return pair.a; }
__device__ void raise(float& v) { v += 1; }
__device__ void raise(Pair& pair) { pair.a += 1; }
template <class T, int kCount> __device__ float in_a_template(float v, int i) {
    T case9[kCount] = {};
    case9[i] = T{v, v};
    return case9[0].a;
}
__device__ void by_reference(Pair (&case12)[2], int i) { case12[i] = Pair{1, 1}; }
__device__ void of_numbers(float (&case13)[2][3], int i) { for (int k = 0; k <= i + 2; ++k) case13[i][k] = 1; }
__device__ float first(const float* at) { return at[0]; }
__device__ float of_three(const float (&at)[3], int i) { return at[i]; }
__device__ void set_first(Pair* pair, float v) { pair->a = v; }
template <int kPlace> __device__ float nth(const float* at) { return at[kPlace]; }
__global__ void k(const float* x, float* z, int n, int past) {
    const int i = threadIdx.x;
    Pair case1[2] = {}, case3[2] = {}, case5[2] = {};
    float4 case2[2] = {};
    Pair case4[2] = {}, case6[2] = {}, case10[2][3] = {}, case11[2] = {};
    float case14[2] = {};
    Held held = {};
    float found = 0;
    auto set = [&](int j) { case11[j] = case11[0]; };
    if (n == 1) case1[past + 2] = Pair{1, 1};
    if (n == 2) for (int j = 0; j <= past + 2; ++j) case2[j] = make_float4(1, 1, 1, 1);
    if (n == 3) { const Pair pair = case3[past + 2]; found = pair.a; }
    if (n == 4) found = first(case4[past + 2]);
    if (n == 5) { Pair& pair = case5[past + 2]; pair.a = 1; }
    if (n == 6) raise(case6[past + 2]);
    if (n == 7) held.fill(past + 2);
    if (n == 8) held.set(past + 2, x[i]);
    if (n == 9) found = in_a_template<Pair, 2>(x[i], past + 2);
    if (n == 10) case10[past + 1][past + 3] = Pair{1, 1};
    if (n == 11) set(past + 2);
    if (n == 12) by_reference(case11, past + 2);
    if (n == 13) { float grid[2][3] = {}; of_numbers(grid, past + 1); found = grid[0][past]; }
    if (n == 14) raise(case14[past + 2]);
    Row case15[2] = {}, case16[2] = {};
    Pair case17[2] = {}, case18[2] = {}, case20[2] = {}, case22[2] = {};
    float case19[4] = {}, case21[2][3] = {}, case23[4] = {};
    if (n == 15) found += first(case15[past + 2].at);
    if (n == 16) found += of_three(case16[past + 2].at, 1);
    if (n == 17) set_first(&case17[past + 2], 1.0f);
    if (n == 18) found += *reinterpret_cast<float*>(&case18[past + 2]);
    if (n == 19) found += *(int*)&case19[past + 4];
    if (n == 20) (&case20[past + 2])->b = 1;
    if (n == 21) found += nth<1>(case21[past + 2]);
    if (n == 22) found += first(reinterpret_cast<float*>(&case22[past + 2]));
    if (n == 23) { found += 1; *(volatile float*)&case23[past + 4] = 1; }
    found += case15[past].at[0] + case16[past].at[0] + case17[past].a + case18[past].a + case19[past] + case20[past].a;
    found += case21[past][past] + case22[past].a + case23[past];
    found += case1[past].a + case2[past].x + case3[past].a + case4[past].a + case5[past].a + case6[past].a;
    found += case10[past][past].a + case11[past].a + case14[past] + held.case7[past].at[0] + held.case8[past].a;
    z[i] = x[i] + 0 * found;
}
extern "C" void f(const float* x, float* z, int n, cudaStream_t stream) { k<<<1, 32, 0, stream>>>(x, z, n, 0); }
"""
COUNTS = dict.fromkeys(range(1, 23 + 1), 2) | {10: 3, 13: 3, 19: 4, 23: 4}

# All of these are right, and each gives x[i] back.
RIGHT = """
struct Pair { float a, b; };
struct Row { float at[4]; struct Inner { float b[2]; } inner[2], more[2]; };
template <class T> using Two = T[2];
typedef Pair Pairs[2];
struct Matrix {
    Pair rows[2];
    __device__ Pair& operator[](int i) { return rows[i]; }
    __device__ Pair* end() { return &rows[2]; }
};
constexpr int kCount = 2;
__device__ int counted = 0;
__device__ float sum_of(const Pair (&pairs)[kCount], const Pair* end) {
    float sum = 0;
    for (const Pair* p = pairs; p != end; ++p) sum += p->a;
    return sum;
}
__device__ float between(const float* p, const float* end) {
    float sum = 0;
    for (; p != end; ++p) sum += *p;
    return sum;
}
__device__ float sum_of(const float* p, int count) { return between(p, p + count); }
__device__ float first(const float* p) { return *p; }
__device__ float last(const float* end) { return end[-1]; }
__device__ float drop(const float* end) { return *--end; }
__device__ float by_index(const float* end) { const int back = -1; return end[back]; }
__device__ bool is(const float* p) { return p != nullptr; }
__device__ float if_any(const float* p, bool any) { return any ? *p : 0; }
struct Walk {
    const float *p, *end;
    __device__ Walk(const float* p) : p(p), end(p) {}
    __device__ void up_to(const float* last) { end = last; }
};
__device__ float sum_of(Pair pairs[kCount]) { return pairs[0].a + pairs[kCount - 1].a; }
__global__ void k(const float* x, float* z, int n) {
    const int i = threadIdx.x;
    Pair a[kCount] = {{x[i], 1}, Pair{0, 1}}, b[kCount], *ends[kCount];
    alignas(16) Pair grid[kCount][3] = {}, (*rows)[3] = grid;
    Row row = {{1, 2, 3, 4}, {}, {}};
    Two<Pair> two = {};
    Pairs pairs = {};
    Matrix m = {};
    float numbers[4] = {}, others[sizeof(numbers) / sizeof(numbers[0])] = {};
    static_assert(sizeof(Pair[2]) == sizeof(pairs) && sizeof(Two<Pair>[3]) == 6 * sizeof(Pair));
    for (int k = 0; k < kCount; ++k) { b[k] = a[k]; two[k] = b[k]; pairs[k] = two[k]; m[k] = pairs[k];
                                       m.rows[k] = m[k]; }
    for (int k = 0; k < kCount; ++k) ends[k] = &b[kCount];
    float sum = 0;
    for (Pair* p = a; p != &a[kCount]; ++p) sum += p->a;
    for (Pair* p = &b[0]; p < (Pair*)&b[kCount]; ++p) sum += 0 * p->a;
    for (Pair* p = &grid[0][0]; p != &grid[kCount][0]; ++p) p->a = 1;
    for (Pair* p = grid[0]; p != grid[kCount]; ++p) p->b = 1;
    for (float* p = numbers; p != &(numbers[4]); ++p) *p = 1;
    for (float* p = row.at; p != &row.at[4] && p != std::addressof(row.at[4]); ++p) sum += 0 * *p;
    for (Pair* p = m.rows; p != m.end(); ++p) sum += 0 * p->a;
    for (float& v : row.at) v += 1;
    for (auto& each : row.inner) each.b[1] = row.more[1].b[i % 2];
    auto both = [&, one = a[1]](int j) -> Pair { return j ? one : a[j]; };
    unsigned u = 1; short s = 1; unsigned char c = 1; long long l = 1; bool yes = true; enum { kOne = 1 };
    sum += 0 * (a[u].a + a[s].a + a[c].a + a[l].a + a[yes].a + a[kOne].a + 1[a].a + rows[1][u].a + (*rows)[u].a);
    sum += 0 * (sum_of(a, &a[kCount]) + both(1).a + ends[1][-1].a + others[u] + sum_of(b) + grid[u][i % 3].b);
    auto walk = [&](const float* end) { return between(numbers, end); };
    Walk along(numbers), behind(&numbers[4]);
    along.up_to(&numbers[4]);
    Row more[2] = {row, row};
    const int past = n / 16;
    sum += 0 * (between(more[0].at, more[past].at) + between((float*)&a[0], (float*)&a[past]) + walk(&numbers[4]));
    sum += 0 * (sum_of(&numbers[past + 2], 2 - past) + first((float*)(&a[past - 1])) + first(more[past - 1].at));
    sum += 0 * (*(&numbers[4] - 1) + (&a[past])[-1].b + *(float*)&a[past - 1] + (&a[past - 1])->b);
    sum += 0 * (last(&numbers[past + 2]) + last((float*)&a[past]) + drop(more[past].at) + is(&numbers[4]));
    sum += 0 * by_index(&numbers[past + 2]);
    sum += 0 * (if_any(more[past].at, past > 2) + if_any(&numbers[past + 2], past > 2));
    sum += 0 * (along.end - behind.end + past * *&numbers[past]);
    u = 0;
    a[u++] = b[u], a[--u] = b[u];
    if (n) { u += 0; } a[u].b = 1;
    z[i] = sum + 0 * (u + (n & numbers[u] > 0));
}
extern "C" void f(const float* x, float* z, int n, cudaStream_t stream) { k<<<1, 32, 0, stream>>>(x, z, n); }
"""


@pytest.mark.parametrize("case", COUNTS)
def test_an_element_one_past_its_array_is_used(run_kernel, case):
    _, _, findings = run(run_kernel, WRONG, case)
    found = next(finding for finding in findings if finding.kind == "own_array")
    assert found.severity == "error"
    assert f"[{COUNTS[case]}], past its end" in found.message and f"case{case}" in found.message


def test_the_same_file_is_right_where_nothing_is_past_its_array(run_kernel):
    x, z, findings = run(run_kernel, WRONG, 0)
    assert findings == [] and np.array_equal(z, x)


@pytest.mark.slow
def test_right_uses_and_walks(run_kernel):
    x, z, findings = run(run_kernel, RIGHT, 32)
    assert findings == [] and np.allclose(z, x)


def test_a_text_that_gcc_does_not_take_is_checked_as_it_stands_and_noticed(run_kernel, monkeypatch):
    """`run_kernel` asks for each kernel here, tests/shared.py for each of the course."""
    monkeypatch.setattr("grader.devices.emulator.checked.with_used_indexes", lambda text, name: [f"{text}?"] * 2)
    with pytest.raises(AssertionError, match="g\\+\\+ does not take"):
        run(run_kernel, f"// once more\n{RIGHT}", 32)


PLAIN = """
struct Pair { float a, b; };
__global__ void k(const float* x, float* z, int n) {
    Pair pairs[2] = {};
    pairs[n % 2] = Pair{x[threadIdx.x], 1};
    z[threadIdx.x] = pairs[n % 2].a;
}
extern "C" void f(const float* x, float* z, int n, cudaStream_t stream) { k<<<1, 32, 0, stream>>>(x, z, n); }
"""


def test_a_file_of_which_fewer_indexes_are_held_gets_a_note(tmp_path, monkeypatch):
    rewritten = "grader.devices.emulator.checked.with_used_indexes"
    monkeypatch.setattr(rewritten, lambda text, name: [text.replace("pairs[n % 2] =", "pairs[none] =")] * 2)
    recipe = emulator_recipe(translate(PLAIN, "kernel.cu"), "kernel.cu", cache_root())
    checked = beside(recipe.run(tmp_path / "build"), "kernel.cu")
    assert checked and checked.is_plain
    facts = {"findings": [], "kernels": [], "launches": []}
    facts["findings"] = Look(checked, facts, 0.0, [], []).findings(facts, [])
    (note,) = word_findings(facts, checked.code, {})
    assert (note.kind, note.severity) == ("fewer_checks", "note")
    assert note.line == PLAIN.count("\n", 0, PLAIN.index("pairs[n % 2] =")) + 1
    assert "is not looked for in this file" in note.message and "'none' was not declared" in note.message


HEAD = '# 1 "k.cu"\n'


@pytest.mark.parametrize(
    "code",
    [
        "Pair a[n];",
        "Pair a[2], b[n], *c[n];",
        "const Pair a[2] = {x, y}, b[n];",
        "Pair* a[n]; f(&a[m]);",
        "float *a[n], *b[n]; f(&a[m], &b[m]);",
        "ns::Vector<float, 4>* a[n]; f(&a[m]);",
        "ns::Vector<float, 4> a[n];",
        "using Rows = Pair[n][m]; typedef Pair More[n];",
        "struct { Pair p; } a[n], b[m];",
        "void f(Pair (&a)[n], const float* b[n]);",
        "auto p = new Pair[n]; delete[] p;",
        "auto [a, b] = f(x);",
        "return [n] { return n; };",
        "p = &a[n];",
        "p = (Pair*)&a[n];",
        "p = reinterpret_cast<float*>(&a[n]); q = (float*)(void*)(&a[n]);",
        "y = *(&a[n] - 1) + (&a[n])[m];",
        "p = &(a[n]);",
        "p = &reinterpret_cast<Pair&>(a[n]);",
        "f(&a[n].b, std::addressof(a[n]), (Pair*)&b[n]);",
        "__attribute__((aligned(16))) Pair a[n];",
        "const float* x; y = x[n];",
        "float a[4]; a[n] = a[m] + 1;",
        "y = a[0];",
    ],
)
def test_what_is_left_alone(code):
    text = HEAD + code + "\n"
    assert with_used_indexes(text, "k.cu") == (text, text)


@pytest.mark.parametrize(
    ("code", "uses"),
    [
        ("Pair a[2]; a[n] = b;", 1),
        ("x = y && a[n].ok;", 1),
        ("y && a[n].ok();", 1),
        ("Pair a[2]; x = y * a[n].size;", 1),
        ("return a[n];", 1),
        ("if (n) {} a[n] = b[m];", 2),
        ("float a[4]; swap(a[n], a[m]);", 2),
        ("float a[4]; float& b = a[n];", 1),
        ("this->a[n] = b;", 1),
        ("a[n][m] = b;", 2),
        ("for (float& v : a[n].at) v = 1;", 1),
        ("y = *(int*)&a[n] + (&a[m])->b;", 2),
        ("if (x) *reinterpret_cast<float*>(&a[n]) = 1;", 1),
        ("atomicAdd(&a[n], 1); atomicCAS((int*)&b[n], atomicOr(&c[m], 2), d[m]);", 4),
    ],
)
def test_what_is_held_against_all_uses(code, uses):
    rewritten, _ = with_used_indexes(HEAD + code + "\n", "k.cu")
    assert rewritten.count("::ladder::used<") == uses and rewritten.count("\n") == 2


def test_a_statement_goes_on_behind_a_macro_of_a_header():
    text = f'{HEAD}Pair a[2],\n# 1 "k.cu" 3 4\n*p = nullptr,\n# 1 "k.cu"\nb[2]; a[n] = b[m];\n'
    text += '# 1 "other.h" 1\na[n] = 1;\n# 3 "k.cu" 2\n'
    assert with_used_indexes(text, "k.cu")[0].count("::ladder::used<") == 2


def test_in_a_program_the_files_of_its_own_are_read():
    text = '# 1000001 "k.cu"\na[n] = b;\n# 1 "/usr/include/x.h" 1 3\na[n] = b;\n# 2000007 "own.h" 1\na[n] = b;\n'
    rewritten, _ = with_used_indexes_of_program(text)
    assert rewritten.count("::ladder::elements_of_program<") == 2 and "1 3\na[n] = b;" in rewritten
