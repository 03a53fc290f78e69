"""What clangd says of kernel files: nothing of those that are right, and the learner's slips of those that are not."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from grader.course import catalog, editor, work
from grader.course.inline import inlined
from tests.shared import long_tail, versions_of

ROOT = Path(__file__).parents[2]
CLANGD = Path(sys.executable).with_name("clangd")
ERROR = re.compile(r"^E\[.*?\] \[(\w+)\] Line (\d+): (.*)$", re.MULTILINE)
STARTERS = [entry.starter for entry in catalog.entries(ROOT) if not entry.puzzles]
RUNGS = [rung for entry in catalog.entries(ROOT) for rung in entry.rungs]


def errors(folder, source):
    """(line, what is wrong) for each error that an editor with clangd shows in a file below `folder`."""
    file = folder / "work" / "kernel.cu"
    file.parent.mkdir(exist_ok=True)
    file.write_text(source)
    command = [CLANGD, "--check=kernel.cu", "--check-lines=1-1", "--log=error"]
    done = subprocess.run(command, cwd=file.parent, capture_output=True, text=True, timeout=300)
    found = [(int(line), said) for _, line, said in ERROR.findall(done.stderr)]
    assert done.returncode == (3 if found else 0), done.stderr
    return found


@pytest.fixture
def folder(tmp_path):
    editor.write(tmp_path / editor.NAME)
    return tmp_path


def test_without_it_an_editor_knows_nothing_where_there_is_no_toolkit(tmp_path):
    (tmp_path / ".clangd").write_text("CompileFlags: {Add: [--cuda-path=/nowhere]}\n")
    said = " ".join(what for _, what in errors(tmp_path, STARTERS[0].read_text()))
    assert "__global__" in said and "cudaStream_t" in said


@pytest.mark.parametrize("file", long_tail(STARTERS, every=10), ids=lambda file: file.parent.name)
def test_a_starter_is_without_an_error(folder, file):
    assert errors(folder, file.read_text()) == []


def test_the_starters_of_puzzles_are_without_an_error(folder):
    puzzles = catalog.find("00", ROOT).puzzles
    assert errors(folder, "\n".join(puzzle.starter.read_text() for puzzle in puzzles)) == []


def lesson_of(rung: Path) -> str:
    return rung.relative_to(ROOT / "kernels").parts[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    "file",
    long_tail(RUNGS, every=len(RUNGS), slow=16, of=lesson_of),
    ids=lambda file: f"{file.parent.name}-{file.stem}",
)
def test_a_rung_is_without_an_error(folder, file, kept):
    key = ["clangd", *versions_of("clangd"), editor.clangd_file(), inlined(file)]
    assert kept(key, lambda: errors(folder, inlined(file)), lambda found: not found) == []


MUCH_OF_CUDA = """
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cuda_pipeline.h>
#include <cooperative_groups/reduce.h>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace cg = cooperative_groups;
__constant__ float weights[4];
__device__ int total;
__device__ __noinline__ float twice(float x) { return 2 * x; }
__host__ __device__ __forceinline__ half add(half x) { return __hadd(x, __float2half(1.0f)); }

template <int N> __global__ void __launch_bounds__(N, 2) kernel(__nv_bfloat162* p, half* q, float* z, int n) {
    extern __shared__ float dynamic[];
    __shared__ float tile[32][33];
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    assert(i >= 0);
    printf("%d of %d\\n", i, gridDim.x);
    q[0] = add(q[1]) + q[2];
    tile[threadIdx.y][threadIdx.x] = twice(z[1]) + __half2float(q[0]) + std::abs(z[1]) + std::exp(z[0]) + INFINITY;
    __syncthreads();
    z[0] = rsqrtf(fmaxf(z[2], 0.0f)) + __expf(z[3]) + __shfl_down_sync(0xffffffff, z[0], 16) + weights[n];
    z[1] = cg::reduce(warp, z[1], cg::plus<float>()) + min(n, 3) + dynamic[0];
    float4 v = *reinterpret_cast<const float4*>(z);
    atomicAdd(&total, 1);
    z[2] = v.x + __ldg(z) + __popc(n) + std::max(1, n);
    __pipeline_memcpy_async(&tile[0][0], z, 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
}

extern "C" void launch(float* z, int n, cudaStream_t stream) {
    cudaFuncSetAttribute(kernel<128>, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
    kernel<128><<<dim3(n, 2), dim3(32, 4), 65536, stream>>>(nullptr, nullptr, z, n);
    void* arguments[] = {&z};
    cudaLaunchCooperativeKernel((void*)kernel<64>, dim3(1), dim3(64), arguments, 0, stream);
    std::vector<float> host(3);
    std::sort(host.begin(), host.end());
    cudaMemcpyToSymbol(weights, host.data(), 12);
    cudaMemcpyAsync(z, host.data(), 12, cudaMemcpyHostToDevice, stream);
    std::printf("%s\\n", cudaGetErrorString(cudaGetLastError()));
}
"""


def test_what_kernels_use_of_cuda_is_known(folder):
    assert errors(folder, MUCH_OF_CUDA) == []


@pytest.mark.slow
def test_slips_are_shown_where_they_are(folder):
    slips = {
        "int i = threadIdx.x;": ("int i = threadIdx.x", "expected ';'"),
        "z[i] = x[i];": ("z[i] = x[j];", "'j'"),
        "__syncthreads();": ("__syncthread();", "did you mean '__syncthreads'?"),
        "z[0] = scaled(1.0f);": ("z[0] = plain(1.0f);", "no matching function for call to 'plain'"),
        "copy<<<1, n, 0, stream>>>(x, z, n);": ("copy<<<1, n, 0, stream>>>(x, z);", "too few arguments"),
    }
    right = """
float plain(float x) { return x; }
__device__ float scaled(float x) { return 2 * x; }
__global__ void copy(const float* x, float* z, int n) {
    int i = threadIdx.x;
    z[i] = x[i];
    __syncthreads();
    z[0] = scaled(1.0f);
}
extern "C" void run(const float* x, float* z, int n, cudaStream_t stream) {
    copy<<<1, n, 0, stream>>>(x, z, n);
}
"""
    assert errors(folder, right) == []
    for line, (slip, said) in slips.items():
        found = errors(folder, right.replace(line, slip))
        number = right[: right.index(line)].count("\n") + 1
        # clangd notes what is missing at a line's end on the next one
        assert any(number <= where <= number + ("expected" in said) and said in what for where, what in found), found


# ---- where the file is written ----


@pytest.fixture
def course(tmp_path):
    """A course of one lesson, as in a checkout: without a .clangd of its own."""
    write = tmp_path / "lessons" / "01_copy"
    write.mkdir(parents=True)
    (write / "lesson.py").touch()
    (write / "starter.cu").write_text("// begin\n")
    return tmp_path


def test_starting_a_lesson_tells_editors(course):
    work.start(catalog.find("01", course))
    assert (course / "work" / ".clangd").read_text() == editor.clangd_file()
    assert not (course / ".clangd").exists()


def test_a_courses_own_file_is_renewed_where_the_program_has_moved(course):
    (course / ".clangd").write_text(editor.clangd_file().replace(str(editor.INCLUDE), "/where/it/was"))
    work.start(catalog.find("01", course))
    assert (course / ".clangd").read_text() == editor.clangd_file()
    assert not (course / "work" / ".clangd").exists()


@pytest.mark.parametrize("place", [".clangd", "work/.clangd"])
def test_a_learners_own_file_stays(course, place):
    (course / "work").mkdir()
    (course / place).write_text("CompileFlags: {}\n")
    work.start(catalog.find("01", course))
    assert (course / place).read_text() == "CompileFlags: {}\n"


def test_a_lesson_starts_where_editors_cannot_be_told(course):
    (course / "work" / ".clangd").mkdir(parents=True)
    assert work.start(catalog.find("01", course))


def test_paths_with_odd_characters_are_quoted(monkeypatch, tmp_path):
    monkeypatch.setattr(editor, "INCLUDE", tmp_path / 'a: "b" #c')
    text = editor.clangd_file()
    assert f'- "-I{tmp_path}/a: \\"b\\" #c"' in text
