"""`ladder run` on kernels whose parameters own memory, and on what the compiler says in a header of the emulator's."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.warm import run_ladder

OWNED = """
struct Counter {
    int* value;
    bool owns;
    Counter() : owns(true) { cudaMalloc(&value, sizeof(int)); cudaMemset(value, 0, sizeof(int)); }
    Counter(const Counter& other) : value(other.value), owns(COPY_OWNS) {}
    ~Counter() { if (owns) cudaFree(value); }
    __device__ void add() { atomicAdd(value, 1); }
};
__global__ void count(Counter all) { all.add(); }
int main() {
    int sum = 0;
    {
        Counter all;
        count<<<4, 64>>>(all);
        if (TWICE) count<<<4, 64>>>(all);
        if (!COPY_OWNS) cudaMemcpy(&sum, all.value, sizeof sum, cudaMemcpyDeviceToHost);
    }
    cudaDeviceSynchronize();
    printf("%d\\n", sum);
}
"""


def run(folder: Path, text: str, *options: str) -> str:
    (folder / "p.cu").write_text(text)
    done = run_ladder(folder, "run", *options, "p.cu")
    return " ".join((done.stdout + done.stderr).split())


def test_a_launch_ends_one_copy_of_an_argument_when_the_kernel_is_done(tmp_path):
    """Each thread has a copy of its own here: none of theirs gives back what the others use."""
    said = run(tmp_path, OWNED, "-D", "COPY_OWNS=true", "-D", "TWICE=false")
    assert "1 finding in" in said and "invalid free" in said
    assert "cudaFree of memory that the launch in line 15 has freed" in said
    assert "give the kernel the pointer, not the object" in said


def test_what_a_launch_has_freed_is_gone_for_the_next_one(tmp_path):
    said = run(tmp_path, OWNED, "-D", "COPY_OWNS=true", "-D", "TWICE=true")
    assert "p.cu:8 in kernel count" in said and "after it was freed" in said


def test_a_copy_that_owns_nothing_frees_nothing(tmp_path):
    said = run(tmp_path, OWNED, "-D", "COPY_OWNS=false", "-D", "TWICE=true")
    assert said.startswith("512 ") and "no findings" in said


ASM = """
__global__ void k(int* z, NUMBER n) {
    int sum;
    asm volatile("add.s32 %0, %1, %1;" : "=&r"(sum) : "r"(n));
    z[threadIdx.x] = sum;
}
int main() {
    int* z;
    cudaMalloc(&z, 32 * sizeof(int));
    k<<<1, 32>>>(z, 4);
    cudaFree(z);
}
"""


@pytest.mark.parametrize("number", ["int", "float"])
def test_what_the_compiler_finds_in_a_header_is_told_at_the_programs_line(tmp_path, number):
    """The operand "=&r" shares no register with an input, and is one of nvcc's."""
    said = run(tmp_path, ASM, "-D", f"NUMBER={number}")
    if number == "int":
        assert "no findings" in said
    else:
        assert said.startswith("p.cu:4: an asm operand's type does not match its constraint:") and "ptx.h" not in said
