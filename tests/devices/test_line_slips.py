"""What a newcomer writes in the place of C++ is told by the line itself."""

import pytest

from grader.devices.build.diagnostics import Message, on_own_lines
from grader.devices.build.said import Said
from grader.devices.build.sentences import sentence

ROWS = [
    (
        "int i = blockIdx.x * blockDim.x + threadIdx;",
        "CUDA has no such operator for `unsigned int` and `const uint3`: write it for each member, .x, .y, ...",
        "`threadIdx` has three members: write `threadIdx.x` for the first",
    ),
    (
        "float4 c = a + b; // threadIdx.x",
        "CUDA has no such operator for `float4` and `float4`",
        "CUDA has no such operator for `float4` and `float4`",
    ),
    ("i = threadIdx.x;", "'i' was not declared in this scope", "names its type, `int i = ...`"),
    ("for (int w = 0, w < 8, w++) {", "redefinition of 'w'", "the three parts of a `for` end with `;`"),
    ("for (int w = 0; w < 8, w++) s += w", "expected ';'", "the three parts of a `for` end with `;`"),
    ("for (int i = 0, j = 1; i < n; ++i) s += q;", "'q' was not declared", "'q' was not declared"),
    ("for (auto [a, b] : all) {", "redefinition of 'a'", "redefinition of 'a'"),
    ("for (int i = 0, j = n;", "redefinition of 'i'", "redefinition of 'i'"),
    ("if (threadIdx.x = 0) {", "`threadIdx` is `const`, so it can only be read", "write `==` in this `if`"),
    (
        "if (i == 0) n = 1;",
        "`n` is `const`, so it can only be read",
        "`n` is `const`, so it can only be read",
    ),
    ("k[rows, 256, stream](x);", "an index must be a whole number: cast it, `int(i)`", "launched with <<< >>>"),
    ("z = i;", "'i' was not declared in this scope", "'i' was not declared in this scope"),
    ("z[i] = x[i];  # the sum", "expected expression", "`#` begins no comment here: write `// the`"),
    ("# the sum", "invalid preprocessing directive", "`#` begins no comment here: write `// the`"),
    ("#pragma unroll", "expected expression", "expected expression"),
    ("extern 'C' void f() {", "expected unqualified-id", 'double quotes: write `extern "C"`'),
    ("k<<<1, 2>>>(x, &n);", "`int` is needed here, and this is `int *`", "`int *`: write `n`, without its `&`"),
    (
        "k<<<1, 2>>>(*x, *y, n);",
        "`const float *` is needed here, and this is `const float`",
        "write `x`, without its `*`",
    ),
    ("k<<<1, 2>>>(x, y);", "`int` is needed here, and this is `int *`", "`int` is needed here, and this is `int *`"),
]


@pytest.mark.parametrize(("line", "text", "said"), ROWS)
def test_a_slip_is_told_by_its_line(line, text, said):
    (found,) = on_own_lines([Message(text, 1)], line, [line])
    assert said in found.message
    assert (said == text) == (found.message == text)


@pytest.mark.parametrize(
    ("above", "line"),
    [("int blocks = -(-n // threads);", 1), ("int blocks = n;  // (n of them);", 3), ("int blocks = f(n)", 3)],
)
def test_a_division_by_two_strokes_is_told_in_its_own_line(above, line):
    source = f"{above}\n\nk<<<blocks, 1>>>();"
    (found,) = on_own_lines([Message("a `)` is missing before this, or a `,` between two arguments", 3)], source, [])
    assert found.line == line
    assert ("a division is `/`" in found.message) == (line == 1)


@pytest.mark.parametrize(
    ("below", "line"),
    [
        ("__device__ float f(float v) {", 3),
        ("__device__ float f(float v) { return v; }", 3),
        ("#define f 3", 3),
        ("constexpr int f = 3;", 3),
        ("    y = f(x) {", 0),
        ("// f(x)", 0),
        ("    return f(x)", 0),
    ],
)
def test_a_name_that_comes_later_is_told_with_its_line(below, line):
    source = f"s = f(3);\n\n{below}"
    (found,) = on_own_lines([Message("'f' was not declared in this scope", 1)], source, [])
    assert (f"it comes in line {line} only" in found.message) == bool(line)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("expected '(' after 'for'", "`for` has its three parts in ( )"),
        ("void function 'f' should not return a value", "`f` is `void`, which gives nothing back"),
        ("array type 'float[2]' is not assignable", "this is a whole array"),
        ("static assertion failed due to requirement 'x': wmma has no fragment of this use", "no such fragment"),
        (
            "conditional expression is ambiguous; 'const __nv_bfloat16' and '__half' can be converted to several",
            "are `__nv_bfloat16` and `__half`: write both as one type",
        ),
        (
            "invalid operands to binary expression ('const float *' and 'const float *')",
            "`const float *` is a pointer, and its element is `p[i]`",
        ),
        ("use of undeclared identifier 'print'", "`print` is Python's"),
    ],
)
def test_what_clang_says_becomes_what_to_type(text, said):
    assert said in sentence(Said(text, "error"))
