"""What a newcomer writes in the place of C++ is told by the line itself."""

import pytest

from grader.devices.build.diagnostics import Message, on_own_lines

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
