"""A sign that only looks like one of C++'s is told as that, where it stands; in comments and texts all are welcome."""

from __future__ import annotations

import pytest

from grader.devices.build.signs import strange
from tests.shared import long_tail
from tests.warm import run_ladder

KERNEL = """__global__ void add(float* x, int n) {
    int i = threadIdx.x;  // “−” ×
    if (i < n) x[i] += 1;
}
"""


@pytest.mark.parametrize(
    ("plain", "strange_one", "said"),
    [
        ("+= 1", "+= 1 − 2", "3:26: this − is no sign of C++: write the plain -"),
        ("i = ", "i =\u00a0", "2:12: this blank is U+00A0 (no-break space), as in a text from a page"),
        ("    int", "\u3000int", "2:1: this blank is U+3000 (ideographic space)"),
        (" = ", " =\u200b ", "2:12: an invisible character stands here, U+200B (zero width space): remove it"),
        ("    int", "\ufeff    int", "2:1: an invisible character stands here, U+FEFF"),
        (".x;", ".x；", "2:24: this ； is no sign of C++: write the plain ;"),
        ("(i < n)", "（i < n)", "3:8: this （ is no sign of C++: write the plain ("),
        (
            ".x;",
            ".x\u037e",
            "2:24: this \u037e is U+037E (greek question mark), which is no sign of C++: type it again",
        ),
        ("+= 1", "+= `1", "3:24: this ` is no sign of C++: remove it"),
        ("__global__", "#include <thrust\\sort.h>\n__global__", "1:11: between the folders of an #include stands a /"),
        ("__global__", "#include <thrust/sort.h>\n__global__", ""),
        ("int i", "int \u0456", "2:9: the \u0456 of this `\u0456` is a Cyrillic letter and no plain i"),
        ("x[i]", "threadIdx.\u0445y[i]", ""),  # of no error's line
    ],
)
def test_a_strange_sign_is_told_where_it_stands(plain, strange_one, said):
    source = KERNEL.replace(plain, strange_one, 1)
    line = int(said.partition(":")[0] or 1)
    told = strange(source, 3 if "Cyrillic" in said else line, "'i' was not declared in this scope")
    assert (f"{told[1]}:{told[2]}: {told[0]}" if told else "").startswith(said) and bool(told) == bool(said)


@pytest.mark.parametrize(
    "text", ['printf("− ×");', "/* “a” */", "// ；", 'char c[] = u8"\u00a0";', "int größe = 1;", "float Δt = 1;", "a;"]
)
def test_what_is_right_is_left_alone(text):
    assert strange(f"{text}\n", 1, "'b' was not declared") is None


PROGRAM = (
    KERNEL
    + """int main() {
    float* x;
    cudaMallocManaged(&x, 128);
    add<<<1, 32>>>(x, 32);
    cudaDeviceSynchronize();
}
"""
)


@pytest.mark.parametrize(
    ("plain", "strange_one", "said"),
    long_tail(
        [
            ("int i =", "int i\u00a0=", "p.cu:2: this blank is U+00A0 (no-break space), as in a text from a page"),
            ("int i", "int \u0456", "p.cu:2: the \u0456 of this `\u0456` is a Cyrillic letter and no plain i"),
            ("32);", "32）;", "p.cu:8: this ） is no sign of C++: write the plain )"),
        ],
        every=3,
    ),
)
def test_a_program_is_told_of_it(tmp_path, plain, strange_one, said):
    (tmp_path / "p.cu").write_text(PROGRAM.replace(plain, strange_one, 1))
    done = run_ladder(tmp_path, "run", "p.cu")
    assert done.returncode == 2 and said in done.stdout + done.stderr
