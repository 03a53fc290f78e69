"""A text that host code has written down, `"..."`, lies in memory of the host: a kernel that reads it stops."""

from __future__ import annotations

import pytest

from tests.shared import long_tail
from tests.warm import run_ladder

PROGRAM = """
#include <cstdio>
struct Named { const char* name; int n; };
__device__ const char* const kinds[] = {"one", "two"};
__device__ const char* word(int i) { return i ? "yes" : "no"; }
__global__ void read(const char* text, int* z) { z[0] = text[1]; }
__global__ void print(const char* text) { printf("%*d %5.2f %ld %c %p %s %%\\n", 3, 1, 1.5, 2L, 'c', (void*)0, text); }
__global__ void print_name(Named named) { printf("%s\\n", named.name); }
__global__ void name_of(const Named* named, int* z) { z[0] = named->name[0]; }
__global__ void number_of(Named named, int* z) { z[0] = named.n; }
__global__ void own(int i) {
    char text[2] = {'x', 0};
    const char* other = "abc";
    printf("%s %s %s %c\\n", kinds[i], word(i), text, other[i]);
}
int main() {
    int* z;
    char* text;
    Named named{"label", 3}, back, *copied;
    cudaMallocManaged(&z, sizeof(int)), cudaMalloc(&text, 8), cudaMalloc(&copied, sizeof named);
    cudaMemcpy(text, "hello", 6, cudaMemcpyHostToDevice);
    cudaMemcpy(copied, &named, sizeof named, cudaMemcpyHostToDevice);
    BODY
    cudaDeviceSynchronize();
    cudaMemcpy(&back, copied, sizeof back, cudaMemcpyDeviceToHost);
    printf("%s %s\\n", named.name, back.name);
    cudaFree(z), cudaFree(text), cudaFree(copied);
}
"""


def run(folder, body: str) -> str:
    (folder / "p.cu").write_text(PROGRAM.replace("BODY", body))
    done = run_ladder(folder, "run", "p.cu")
    return " ".join((done.stdout + done.stderr).split())


WRONG = [
    'read<<<1, 1>>>("hello", z);',
    'print<<<1, 1>>>("hello");',
    "print_name<<<1, 1>>>(named);",
    "name_of<<<1, 1>>>(copied, z);",
]


@pytest.mark.slow
@pytest.mark.parametrize("body", long_tail(WRONG, every=4))
def test_a_text_of_the_hosts_is_told(tmp_path, body):
    said = run(tmp_path, body)
    assert "a pointer leads to a text of the host's" in said and "1 finding" in said, said
    assert "label label" in said


@pytest.mark.slow
def test_a_text_in_the_hosts_heap_is_told_where_it_is_printed(tmp_path):
    said = run(tmp_path, "char* on_host = new char[2]; on_host[0] = 0; print<<<1, 1>>>(on_host);")
    assert "1. out of bounds p.cu:7 in kernel print" in said, said


RIGHT = [
    ("own<<<1, 1>>>(1);", "two yes x b"),
    ("print<<<1, 1>>>(text);", "1 1.50 2 c (nil) hello %"),
    ("read<<<1, 1>>>(text, z); number_of<<<1, 1>>>(named, z);", "label label"),
]


@pytest.mark.parametrize(("body", "printed"), long_tail(RIGHT, every=4))
def test_what_a_kernel_has_itself_and_what_it_leaves_alone_is_right(tmp_path, body, printed):
    said = run(tmp_path, body)
    assert said.startswith(printed) and "no findings" in said, said
