"""The course's own native code: built by its compiler, called with tensors."""

from __future__ import annotations

import ctypes
import shutil

import pytest
import torch

from grader.course.prototype import parse_prototype
from grader.devices.cuda import own_code
from grader.devices.cuda.own_code import BuildError, build_all, load

TASK = parse_prototype("void scale(const float* x, float* y, int n, float by, cudaStream_t stream)")
ON_HOST = """extern "C" void scale(const float* x, float* y, int n, float by) {
#pragma omp parallel for
    for (int i = 0; i < n; ++i) y[i] = by * x[i];
}
"""
ON_GPU = """__global__ void kernel(const float* x, float* y, int n, float by) {}
extern "C" void scale(const float* x, float* y, int n, float by, cudaStream_t stream) {
    kernel<<<1, 1, 0, stream>>>(x, y, n, by);
}
"""


def built(folder, name, text):
    source = folder / name
    source.write_text(text)
    return build_all([source], folder, "90a")[source]


def test_code_for_the_cpu_works_on_tensors(tmp_path):
    call = load(built(tmp_path, "openmp.cpp", ON_HOST), TASK, on_host=True)
    x, y = torch.arange(1000.0), torch.zeros(1000)
    call(x=x, y=y, n=1000, by=2.5)
    assert torch.equal(y, 2.5 * x)


def test_openmp_takes_the_cores_that_it_may_use(tmp_path, monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setattr(own_code, "allowed_cores", lambda: 3)
    library = built(tmp_path, "openmp.cpp", ON_HOST)
    load(library, TASK, on_host=True)
    assert ctypes.CDLL(str(library)).omp_get_max_threads() == 3


@pytest.mark.parametrize(
    ("text", "cores"),
    [("200000 100000", 2), ("50000 100000", 1), ("max 100000", 8), ("rubbish", 8), ("9999999 1000", 8)],
)
def test_a_containers_share_of_the_cores_counts(tmp_path, monkeypatch, text, cores):
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(8)))
    quota = tmp_path / "cpu.max"
    quota.write_text(f"{text}\n")
    assert own_code.allowed_cores(quota) == cores
    assert own_code.allowed_cores(tmp_path / "none") == 8


def test_a_file_without_the_task_has_no_function_for_it(tmp_path):
    assert load(built(tmp_path, "other.cpp", 'extern "C" void other() {}'), TASK, on_host=True) is None


def test_what_the_compiler_refuses_is_one_line_and_the_others_are_built(tmp_path):
    good, bad = tmp_path / "good.cpp", tmp_path / "bad.cpp"
    good.write_text(ON_HOST)
    bad.write_text("int f() { return g(); }\n")
    found = build_all([bad, good], tmp_path, "90a")
    assert isinstance(found[bad], BuildError) and "error" in str(found[bad]) and "\n" not in str(found[bad])
    assert found[good].exists()


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("nvcc"), reason="needs nvcc, NVIDIA's compiler")
def test_code_for_the_gpu_shares_the_cuda_runtime(tmp_path):
    library = built(tmp_path, "kernel.cu", ON_GPU)
    data = library.read_bytes()
    assert b"libcudart.so" in data, "a runtime of its own would keep the errors of launches to itself"
