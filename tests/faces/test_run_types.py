"""`ladder run`: conversions that nvcc refuses are told in CUDA's words, and those that it makes are made."""

from __future__ import annotations

import pytest

from tests.shared import long_tail
from tests.warm import run_ladder

FIRST = "__global__ void k(float* x, int n) { if (x) x[0] = n; }\nvoid g(float* x) {}\n"
# On a line of its own each: what nvcc refuses, and what is told of it.
WRONG = {
    "float* a = c;": "what is `const float *` can only be read, and `float *` could write it",
    "x = c;": "what is `const float *` can only be read, and `float *` could write it",
    "int* p = n;": "`int *` is needed here, and this is `int`",
    "cudaStream_t one = 1;": "`cudaStream_t` is needed here, and this is `int`",
    "cudaMemcpyKind kind = 1;": "`cudaMemcpyKind` is needed here, and this is `int`",
    "g(c);": "`g` could write to what can only be read here",
    "k<<<1, 1>>>(c, 3);": "write `const` there, too",
    "k<<<1, 1, 0, 1>>>(x, 3);": "`cudaStream_t` is needed here, and this is `int`",
    "cudaMemsetAsync(x, 0, 4, 1);": "argument 4 of `cudaMemsetAsync` is `int`, and must be `cudaStream_t`",
}
RIGHT = """
    cudaStream_t s = 0; cudaEvent_t e = NULL; void* v = x; const void* w = c; int* q = (int*)7; q = NULL;
    k<<<1, 1, 0, 0>>>(NULL, 3); k<<<1, 1, NULL, NULL>>>(0, 3); k<<<1, 1, 0, cudaStreamLegacy>>>(x, n);
    cudaMemcpyKind kind = (cudaMemcpyKind)1; cudaMemsetAsync(v, 0, 0, 0); g(0); g(x);
"""


def run(folder, lines: str) -> str:
    main = f"int main() {{ const float* c = 0; float* x = 0; int n = 1;\n{lines}\n}}\n"
    (folder / "types.cu").write_text(FIRST + main)
    done = run_ladder(folder, "run", "types.cu")
    return " ".join((done.stdout + done.stderr).split())


def test_conversions_that_nvcc_refuses_are_told(tmp_path):
    said = run(tmp_path, "\n".join(WRONG))
    untold = [line for number, line in enumerate(WRONG, 4) if f"types.cu:{number}: " not in said]
    assert not untold and all(words in said for words in WRONG.values()), said


def test_those_that_nvcc_makes_are_made(tmp_path):
    assert "no findings in 1 kernel" in run(tmp_path, RIGHT)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("given", "said"),
    long_tail(
        [
            ("d.data()", "write `thrust::raw_pointer_cast(v.data())`"),
            ("d", "write `thrust::raw_pointer_cast(v.data())`"),
            ("h", "its elements begin at `v.data()`"),
        ],
        every=4,
    ),
)
def test_a_vector_where_a_pointer_belongs_is_told_with_its_elements(tmp_path, given, said):
    lines = "thrust::device_vector<float> d(9);\nstd::vector<float> h(9);\nk<<<1, 1>>>(GIVEN, 3);".replace(
        "GIVEN", given
    )
    text = f"#include <thrust/device_vector.h>\n#include <vector>\n{FIRST}int main() {{\n{lines}\n}}\n"
    (tmp_path / "types.cu").write_text(text)
    done = run_ladder(tmp_path, "run", "types.cu")
    assert f"types.cu:8: `float *` is needed here, and this is `{'std' if given == 'h' else ''}" in done.stderr
    assert said in done.stderr


def test_what_gcc_refuses_is_told_in_the_words_of_cuda(tmp_path):
    said = run(tmp_path, "float* p; cudaMalloc(p, 4);")
    assert "types.cu:4: `cudaMalloc` sets a pointer, so it takes the pointer's address: write & before it" in said


OF_ONE_NAME = """
template <class T> __global__ void turn(T* x) {
    extern __shared__ T held[];
    held[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = held[blockDim.x - 1 - threadIdx.x];
}
__global__ void number(float* x) {
    extern __shared__ float held[];
    held[threadIdx.x] = threadIdx.x;
    x[threadIdx.x] = held[threadIdx.x];
}
template <class T> void turned() {
    T* x;
    cudaMalloc(&x, 32 * sizeof(T)), cudaMemset(x, 0, 32 * sizeof(T));
    turn<<<1, 32, 32 * sizeof(T)>>>(x);
    cudaFree(x);
}
int main() {
    float* x;
    TYPE* y;
    cudaMalloc(&x, 32 * sizeof *x), cudaMalloc(&y, 32 * sizeof *y), cudaMemset(y, 0, 32 * sizeof *y);
    number<<<1, 32, 32 * sizeof *x>>>(x);
    turn<<<1, 32, 32 * sizeof *y>>>(y);
    turned<TYPE>();
    cudaFree(x), cudaFree(y);
}
"""


@pytest.mark.slow
def test_extern_shared_arrays_of_one_name_have_one_type(tmp_path):
    said = {}
    for type_ in ("float", "double"):
        (tmp_path / "held.cu").write_text(OF_ONE_NAME.replace("TYPE", type_))
        done = run_ladder(tmp_path, "run", "held.cu")
        said[type_] = " ".join((done.stdout + done.stderr).split())
    assert "no findings in 2 kernels" in said["float"], said
    told = "`held` would be of `float` in one launch and of `double` in another: declare it as unsigned char"
    assert "held.cu:24: " in said["double"] and told in said["double"], said


LARGE = """
struct Row { float v[COUNT]; };
__global__ void first(Row row, float* z) { z[0] = row.v[0]; }
int main() {
    static Row row{{1}};
    float* z;
    cudaMalloc(&z, sizeof *z);
    first<<<1, 1>>>(row, z);
    cudaFree(z);
}
"""


@pytest.mark.slow
def test_parameters_of_more_than_32_764_bytes_are_refused(tmp_path):
    said = {}
    for count in (8000, 8192):
        (tmp_path / "large.cu").write_text(LARGE.replace("COUNT", str(count)))
        done = run_ladder(tmp_path, "run", "large.cu")
        said[count] = " ".join((done.stdout + done.stderr).split())
    assert "no findings" in said[8000] and "the parameters of `first` have more than 32764 bytes" in said[8192], said
