"""`ladder run`: what thrust does wrong is told at the program's line that has called it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faces.test_run_tells import run
from tests.shared import long_tail
from tests.warm import run_ladder

THRUST = """
#include <cstdio>
#include <iostream>
#include <iterator>
#include <list>
#include <vector>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/fill.h>
#include <thrust/reduce.h>
#include <thrust/transform.h>
struct Two { float x, y; };
__global__ void k(Two two, float* out) { out[threadIdx.x] = two.x + two.y; }
int main() {
    thrust::device_vector<float> v(100, 1.0f), w(50);
    thrust::device_vector<Two> twos(1);
    float* p = thrust::raw_pointer_cast(v.data());
    const Two* two = thrust::raw_pointer_cast(twos.data());
    if (OF == 0) {
        thrust::transform(v.begin(), v.end() - 50, w.begin(), thrust::negate<float>());
        thrust::fill(thrust::device, p, p + 100, 2.0f);
        w[49] = v[99];
        k<<<1, 32>>>(twos[0], p);
        cudaDeviceSynchronize();
        const float sum = thrust::reduce(thrust::device, p + 32, p + 100), last = w[49];
        printf("%.0f %.0f\\n", sum, last);
    }
    if (OF == 1) thrust::transform(v.begin(), v.end(), w.begin(), thrust::negate<float>());  // wrong: 1
    if (OF == 2)
        thrust::fill(thrust::device,  // wrong: 2
                     p, p + 101, 2.0f);
    if (OF == 3) printf("%f\\n", (float)w[50]);  // wrong: 3
    if (OF == 4) w[50] = 1;  // wrong: 4
    if (OF == 5) k<<<1, 32>>>(*two, p);  // wrong: 5
}
"""


@pytest.mark.parametrize("number", long_tail(range(6), every=6, slow=6))
@pytest.mark.slow
def test_what_thrust_does_wrong_is_told_where_it_was_called(tmp_path: Path, number: int):
    told = run(tmp_path, THRUST, "-D", f"OF={number}")
    if not number:
        assert told.startswith("136 2 ") and "no findings" in told
    else:
        kind = "host code touched device memory" if number == 5 else "out of bounds"
        line = THRUST[: THRUST.index(f"// wrong: {number}")].count("\n") + 1
        assert f"1. {kind} p.cu:{line}" in told and "1 finding" in told


@pytest.mark.whole
def test_thrust_copies_to_and_from_what_goes_step_by_step(tmp_path: Path):
    told = run(
        tmp_path,
        """
#include <iostream>
#include <iterator>
#include <list>
#include <vector>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/reduce.h>
int main() {
    thrust::device_vector<int> d(3, 7);
    const thrust::host_vector<int> h(2, 5);
    std::vector<int> v;
    std::list<int> l(3, 9);
    thrust::copy(d.begin(), d.end(), std::ostream_iterator<int>(std::cout, " "));
    thrust::copy(h.begin(), h.end(), std::ostream_iterator<int>(std::cout, " "));
    thrust::copy(d.begin(), d.end(), std::back_inserter(v));
    thrust::copy(l.begin(), l.end(), d.begin());
    thrust::device_vector<int> keys(3), sums(3);
    keys[2] = 1;
    const auto none = thrust::make_discard_iterator();
    const auto ends = thrust::reduce_by_key(keys.begin(), keys.end(), d.begin(), none, sums.begin());
    std::cout << v.size() << " " << d[2] << " " << ends.second - sums.begin() << " " << sums[0] << "\\n";
}
""",
    )
    assert told.startswith("7 7 7 5 5 3 9 2 18 ") and "no findings" in told


POLICIES = """
#include <cstdio>
#include <vector>
#include <thrust/execution_policy.h>
#include <thrust/for_each.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>
int main() {
    std::vector<int> h{3, 1, 2};
    thrust::sort(POLICY, h.begin(), h.end());
    thrust::for_each(POLICY, h.begin(), h.end(), [](int& v) { v *= 2; });
    printf("%d %d\\n", h[0], thrust::reduce(POLICY, h.begin(), h.end()));
}
"""


@pytest.mark.whole
@pytest.mark.parametrize("policy", ["thrust::host", "thrust::seq"])
def test_a_policy_of_the_host_s_takes_std_s_iterators(tmp_path: Path, policy: str):
    told = run(tmp_path, POLICIES.replace("POLICY", policy))
    assert told.startswith("2 12 ") and "no findings" in told


BLAS = """
amin: 2 amax: 5 swap: 2 -1 7 1 -5 swap: 3 4 1 8 2 rot: 3.6 2.6 5 7 -1.4 rot: 0.2 3.2 -5 4 5.2 ger: 3 6 3 4 3 2 ger: 7
strided: 10 14 14 20 74 86 86 100 batched: 67 78 91 106 7 10 15 22 gemm: 74 88 106 128
"""


@pytest.mark.slow
def test_more_of_cublas_gives_what_is_worked_out_by_hand(tmp_path: Path):
    told = run(tmp_path, Path(__file__).with_name("programs").joinpath("blas.cu").read_text())
    assert " ".join(told.split()).startswith(" ".join(BLAS.split())) and "no findings" in told


LEADING = """#include <cstdio>
#include <cublas_v2.h>
int main() {
    float *x, one = 1;
    cudaMalloc(&x, 4096), cudaMemset(x, 0, 4096);
    cublasHandle_t h;
    const auto N = CUBLAS_OP_N, T = CUBLAS_OP_T;
    cublasCreate(&h);
    CALL;
    cublasDestroy(h);
    cudaFree(x);
}
"""
LEADS = [
    ("cublasSgemm(h, N, N, 4, 2, 8, &one, x, 4, x + 64, 8, &one, x + 128, 4)", ""),
    (
        "cublasSgemm(h, N, N, 4, 2, 8, &one, x, 4, x + 64, 4, &one, x + 128, 4)",
        "ldb is 4, and B has 8",
    ),
    (
        "cublasSgemm(h, T, N, 4, 2, 8, &one, x, 4, x + 64, 8, &one, x + 128, 4)",
        "lda is 4, and A has 8",
    ),
    (
        "cublasSgemm(h, N, T, 4, 2, 8, &one, x, 4, x + 64, 2, &one, x + 128, 2)",
        "ldc is 2, and C has 4",
    ),
    ("cublasSgemv(h, T, 4, 2, &one, x, 2, x + 64, 1, &one, x + 128, 1)", "lda is 2, and A has 4"),
    (
        "cublasSgeam(h, T, N, 4, 2, &one, x, 2, &one, x + 64, 2, x + 128, 4)",
        "ldb is 2, and B has 4",
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize(("call", "said"), long_tail(LEADS, every=8, slow=8))
def test_a_leading_dimension_below_the_stored_rows_is_told(tmp_path: Path, call: str, said: str):
    """But not at a call whose answer the program looks at."""
    asked = f'if ({call}) puts("refused")'
    told = run(tmp_path, LEADING.replace("CALL;", f"{call};\n    {asked};"))
    assert "no findings" in told and told.startswith("refused") == bool(said), told
    assert told.count("rows as it is stored") == bool(said), told
    assert f"note p.cu:9 {said} rows as it is stored" in told if said else "note" not in told, told


PLAIN_POINTER = """
#include <thrust/device_ptr.h>
#include <thrust/sort.h>
int main() {
    int* d;
    cudaMalloc(&d, 256), cudaMemset(d, 0, 256);
    thrust::sort(GIVEN);
    cudaFree(d);
}
"""


@pytest.mark.slow
def test_a_device_s_plain_pointer_that_thrust_takes_for_the_host_s_is_told_at_the_call(tmp_path: Path):
    told = run(tmp_path, PLAIN_POINTER.replace("GIVEN", "d, d + 64"))
    assert "host code touched device memory p.cu:7 host code reads element" in told, told
    assert "thrust takes a plain pointer for one of the host: write `thrust::device_pointer_cast(p)`" in told, told
    for right in ("thrust::device_pointer_cast(d), thrust::device_pointer_cast(d + 64)", "thrust::device, d, d + 64"):
        assert "no findings" in run(tmp_path, PLAIN_POINTER.replace("GIVEN", right))


@pytest.mark.slow
def test_a_handle_that_was_never_made_is_told(tmp_path: Path):
    text = LEADING.replace("cublasCreate(&h);", "h = nullptr;").replace("cublasDestroy(h);", "")
    told = run(tmp_path, text.replace("CALL", "cublasSscal(h, 4, &one, x, 1)"))
    assert "note p.cu:9 this handle is null" in told and "write `cublasCreate(&handle)` first" in told, told


TOO_SMALL = """#include <cublas_v2.h>
#include <cufft.h>
int main(int count, char**) {
    float *a, *c, one = 1;
    cudaMalloc(&a, 1024);
    cudaMalloc(&c, 64);
    cudaMemset(a, 0, 1024);
    cublasHandle_t h;
    cublasCreate(&h);
    if (count > 1) {
        cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 16, 16, 16, &one, a, 16,
                    a, 16, &one, c, 16);
    } else {
        cufftHandle p;
        cufftPlan1d(&p, 64, CUFFT_R2C, 1);
        cufftExecR2C(p, a, (cufftComplex*)c);
        cufftDestroy(p);
    }
    cublasDestroy(h);
    cudaFree(a), cudaFree(c);
}
"""


@pytest.mark.slow
def test_an_array_that_is_too_small_for_a_library_s_call_is_told_by_that_call(tmp_path: Path):
    (tmp_path / "p.cu").write_text(TOO_SMALL)
    for words, said in ((), "16 cufftExecR2C writes past"), (("--", "more"), "11 cublasSgemm reads past"):
        done = run_ladder(tmp_path, "run", "p.cu", *words)
        told = " ".join((done.stdout + done.stderr).split())
        assert f"p.cu:{said} the end of c" in told and "64 bytes" in told and "cudaMemcpy and" not in told, told


@pytest.mark.slow
def test_memory_of_the_host_that_a_library_is_handed_is_told_by_its_call(tmp_path: Path):
    of_host = TOO_SMALL.replace("cudaMalloc(&a, 1024);", "a = new float[256];").replace("cudaMemset(a", "memset(a")
    text = "#include <cstring>\n" + of_host.replace("cudaFree(a)", "delete[] a").replace("&c, 64", "&c, 1024")
    (tmp_path / "p.cu").write_text(text)
    done = run_ladder(tmp_path, "run", "p.cu", "--", "more")
    told = " ".join((done.stdout + done.stderr).split())
    assert "p.cu:12 cublasSgemm reads memory of the host, as of a std::vector" in told and "of this copy" not in told
