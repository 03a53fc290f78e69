"""Kernels of a course as functions of tensors: a small course with one lesson, built and called on the CPU."""

from __future__ import annotations

import pytest
import torch

from grader.devices.load import LoadError, ReferenceKernel
from tests.shared import long_tail

LESSON = """
from grader.course.lesson import Case, Lesson, Task, Tolerance

lesson = Lesson(
    title="Scale", summary="", next_step="",
    tasks=[Task(
        prototype="void scale(const float* x, float* y, float factor, int n, cudaStream_t stream)",
        shapes={"x": "n", "y": "n"}, cases=[Case(n=3, factor=2.0)], timed_case=None,
        make_inputs=None, reference=None, tolerance=Tolerance(c=1),
    )],
)
"""
KERNEL = """
__global__ void multiply(const float* x, float* y, float factor, int n) {
    int i = blockIdx.x * 32 + threadIdx.x;
    if (i < n) y[i] = factor * x[i];
}
extern "C" void scale(const float* x, float* y, float factor, int n, cudaStream_t stream) {
    multiply<<<(n + 31) / 32, 32, 0, stream>>>(x, y, factor, n);
}
"""


@pytest.fixture
def course(tmp_path, cache, monkeypatch):
    """Writes a course whose only kernel has this text, and returns that kernel."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache.parent))

    def write(kernel: str, task: str = "scale") -> ReferenceKernel:
        for file, text in (("lessons/01_scale/lesson.py", LESSON), ("kernels/01_scale/1_naive.cu", kernel)):
            (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / file).write_text(text)
        return ReferenceKernel(tmp_path, "01", task)

    return write


def builds(cache):
    """When each build was written."""
    return {file: file.stat().st_mtime_ns for file in cache.glob("kernels/*/kernel.so")}


def test_a_kernel_is_built_once_and_called(course, cache):
    before = builds(cache)
    kernel = KERNEL.replace("if (i", "float own[2] = {x[0], factor};\n    if (i").replace("factor *", "own[1] *")
    scale = course(kernel)
    assert builds(cache) == before
    for n in (1, 100):
        x, y = torch.rand(n), torch.empty(n)
        scale(x, y, 3.0, n)
        assert torch.equal(y, 3.0 * x)
    (built,) = builds(cache).items() - before.items()
    assert not (built[0].parent / "checked.so").exists()  # nothing here asks for what it would find

    again, y = course(kernel), torch.empty(2)  # as another process would
    again(torch.ones(2), y, 3.0, 2)
    assert y.tolist() == [3.0, 3.0] and builds(cache).items() - before.items() == {built}


@pytest.mark.parametrize(
    ("kernel", "task", "said"),
    long_tail(
        [
            (
                KERNEL.replace("factor * x[i];", "factor * x[i]"),
                "scale",
                "kernels/01_scale/1_naive.cu cannot be built: line 4",
            ),
            (KERNEL + "/* so far", "scale", "kernels/01_scale/1_naive.cu cannot be built: line 9"),
            (KERNEL, "shrink", "lesson 01_scale has no task `shrink`"),
            (KERNEL.replace('extern "C"', ""), "scale", "kernels/01_scale/1_naive.cu cannot be built"),
        ],
        every=4,
        slow=2,
    ),
)
def test_what_cannot_be_loaded_is_one_sentence(course, kernel, task, said):
    with pytest.raises(LoadError) as raised:
        course(kernel, task)(torch.ones(2), torch.ones(2), 1.0, 2)
    assert said in str(raised.value) and "\n" not in str(raised.value)


def test_a_kernel_that_fails_names_its_line(course):
    with pytest.raises(RuntimeError, match=r"1_naive.cu, line 4: "):
        course(KERNEL.replace("if (i < n) ", ""))(torch.ones(33), torch.ones(33), 1.0, 33)


def test_a_size_that_the_c_type_cannot_hold_is_refused(course):
    with pytest.raises(ValueError, match=r"n is 2147483648, which does not fit into the kernel's `int n`"):
        course(KERNEL)(torch.ones(2), torch.ones(2), 1.0, 2**31)
