"""`ladder run`: thrust's universal vectors, their iterators, cub::DeviceTransform, and thrust::complex."""

from __future__ import annotations

import pytest

from tests.shared import long_tail
from tests.warm import run_ladder

UNIVERSAL = """
#include <thrust/execution_policy.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>
#include <thrust/tabulate.h>
#include <thrust/transform.h>
#include <thrust/universal_vector.h>
#include <thrust/zip_function.h>
#include <cstdio>
__global__ void scale(float* x, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= 2;
}
int main() {
    thrust::universal_vector<float> x{42, 24, 50}, y(3, 1.f);
    thrust::transform(thrust::device, x.begin(), x.end(), x.begin(), [] __host__ __device__(float t) { return t / 2; });
    printf("%g %g %g\\n", x[0], x[1], x.back());
    float* const p = thrust::raw_pointer_cast(x.data());
    thrust::for_each_n(thrust::device, thrust::counting_iterator<int>(0), 3, [=] __device__(int i) { p[i] += i; });
    scale<<<1, 32>>>(p, x.size());
    cudaDeviceSynchronize();  // waits
    const float most = *thrust::max_element(x.begin(), x.end()), sum = thrust::reduce(x.begin(), x.end());
    printf("%g %g\\n", most, sum);
    auto both = thrust::make_zip_iterator(x.begin(), y.begin());
    auto minus = [] __host__ __device__(float t) { return t - 1; };
    auto less_one = thrust::make_transform_output_iterator(y.begin(), minus);
    auto product = thrust::make_zip_function([] __host__ __device__(float a, float b) { return a * b; });
    thrust::transform(both, both + 3, less_one, product);
    printf("%g %g\\n", y[0], y[2]);
    thrust::host_vector<float> h = y;
    thrust::device_vector<float> d(y.begin(), y.end());
    thrust::sort(y.begin(), y.end());
    thrust::copy(y.begin(), y.end(), h.begin());
    y = d;
    for (float& each : y) each += 1;
    y.resize(4, 7.f);
    printf("%g %g %g %zu %d\\n", h[0], y[0], y[3], y.size(), std::equal(h.begin(), h.end(), y.begin()));
    printf("%g\\n", thrust::transform_reduce(x.begin(), x.end(), ::cuda::std::identity{}, 0.f, thrust::plus<float>{}));
}
"""
TRANSFORM = """
#include <cub/device/device_transform.cuh>
#include <cuda/functional>
#include <cuda/std/tuple>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/universal_vector.h>
#include <cstdio>
int main() {
    thrust::universal_vector<float> a(10), b(10);
    thrust::device_vector<int> forth{1, 2, 3}, back(3);
    const auto last = thrust::make_reverse_iterator(forth.end()), end = thrust::make_reverse_iterator(forth.begin());
    thrust::copy(last, end, back.begin());
    printf("%d %d %d\\n", (int)back[0], (int)back[2], (int)*last);
    cudaStream_t s;
    cudaStreamCreate(&s);
    const auto twice = cuda::proclaim_return_type<float>([] __device__(int i) { return i * 2.f; });
    cub::DeviceTransform::Transform(thrust::counting_iterator<int>(0), a.begin(), 10, twice, s);
    const auto product = cuda::proclaim_return_type<float>([] __device__(float x, float y) { return x * y; });
    cub::DeviceTransform::Transform(cuda::std::tuple{a.begin(), a.begin()}, b.begin(), 10, product, s);
    cudaStreamSynchronize(s);  // waits
    printf("%g %g\\n", a[9], b[9]);
}
"""
COMPLEX = """
#include <thrust/complex.h>
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <iostream>
using C = thrust::complex<float>;
__global__ void steps(const C* z, int* out, C c) {
    C v = z[threadIdx.x];
    int k = 0;
    for (; k < 20 && thrust::abs(v) < 2.f; ++k) v = v * v + c;
    out[threadIdx.x] = k;
}
int main() {
    thrust::device_vector<C> z(8, C(0.5f, 0.5f));
    thrust::device_vector<int> out(8);
    steps<<<1, 8>>>(thrust::raw_pointer_cast(z.data()), thrust::raw_pointer_cast(out.data()), C(1));
    const C sum = thrust::reduce(z.begin(), z.end(), C(0));
    const std::complex<float> same = sum;
    std::cout << out[7] << ' ' << sum << ' ' << std::abs(same) << ' ' << thrust::norm(C(same)) << std::endl;
}
"""


@pytest.fixture
def run(tmp_path):
    def ran(text: str) -> str:
        (tmp_path / "vectors.cu").write_text(text)
        done = run_ladder(tmp_path, "run", "vectors.cu")
        return " ".join((done.stdout + done.stderr).split())

    return ran


@pytest.mark.slow
def test_both_sides_read_and_write_a_universal_vector(run):
    said = run(UNIVERSAL)
    assert said.startswith("21 12 25 54 122 41 53 25 42 7 4 0 122 "), said
    assert "thrust::transform 2 2 6" in said and "no findings" in said, said


@pytest.mark.slow
def test_host_code_that_does_not_wait_for_it_is_told(run):
    said = run(UNIVERSAL.replace("cudaDeviceSynchronize();  // waits", "x[0] = 1;"))
    assert "race" in said and "vectors.cu:25" in said, said


@pytest.mark.whole
def test_a_functor_that_leaves_it_is_told(run):
    said = run(UNIVERSAL.replace("p[i] += i;", "p[i + 1] += i;"))
    assert "out of bounds vectors.cu:23 in kernel thrust::for_each" in said, said


@pytest.mark.whole
def test_an_algorithm_of_cub_works_on_its_stream_and_is_waited_for(run):
    said = run(TRANSFORM)
    assert said.startswith("3 1 3 18 324 ") and "no findings" in said, said
    assert "cub::DeviceTransform::Transform 2 2 20" in said, said
    said = run(TRANSFORM.replace("cudaStreamSynchronize(s);  // waits", ""))
    assert "race" in said and "vectors.cu:24" in said, said


ZIPPED = """
#include <cuda/std/tuple>
#include <thrust/device_vector.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/transform.h>
#include <cstdio>
using Two = cuda::std::tuple<float, float>;
struct Add { __device__ float operator()(Two t) const { return cuda::std::get<0>(t) + cuda::std::get<1>(t); } };
using Pair = thrust::tuple<float, float>;
struct Mul { __device__ float operator()(const Pair& t) const { return thrust::get<0>(t) * thrust::get<1>(t); } };
int main() {
    thrust::device_vector<float> a(10, 2), b(10, 3), c(10), d(10);
    auto first = thrust::make_zip_iterator(cuda::std::make_tuple(a.begin(), b.begin()));
    thrust::transform(first, first + 10, c.begin(), Add{});
    thrust::transform(first, first + 10, d.begin(), Mul{});
    printf("%g %g\\n", (float)c[3], (float)d[3]);
}
"""


@pytest.mark.whole
def test_tuples_of_cuda_std_and_of_thrust_stand_for_each_other(run):
    assert run(ZIPPED).startswith("5 6 ")


@pytest.mark.whole
def test_complex_numbers_have_their_functions_in_kernels_too(run):
    said = run(COMPLEX)
    assert said.startswith("2 (4,4) 5.65685 32 "), said
    assert "no findings" in said, said


ROOM = """
#include <thrust/device_vector.h>
#include <thrust/remove.h>
#include <cstdio>
struct Even { __host__ __device__ bool operator()(int x) const { return x % 2 == 0; } };
__global__ void fill(int* x, int n) { if (threadIdx.x < n) x[threadIdx.x] = threadIdx.x; }
int main(int, char** arguments) {
    thrust::device_vector<int> v, w(4, 7);
    v.reserve(64);
    int* const p = thrust::raw_pointer_cast(v.data());
    v.resize(64);
    fill<<<1, 64>>>(p, 64);
    v.erase(thrust::remove_if(v.begin(), v.end(), Even()), v.end());
    fill<<<1, 64>>>(p, 3);
    printf("%zu %zu %d %d ", v.size(), v.capacity(), (int)v[2], (int)v[3]);
    v.clear(), v.push_back(5);
    printf("%d %d ", p == thrust::raw_pointer_cast(v.data()), (int)v.back());
    v.swap(w);
    printf("%zu %zu ", v.capacity(), w.capacity());
    w.shrink_to_fit();
    printf("%zu %d\\n", w.capacity(), (int)w[0]);
    if (*arguments[1] == 'g') w.resize(100), fill<<<1, 32>>>(p, 32);
    if (*arguments[1] == 'p') fill<<<1, 32>>>(thrust::raw_pointer_cast(v.data()), 32);
}
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("how", "told"),
    long_tail([("right", "no findings"), ("grows", "after it was freed"), ("past", "past its end")], every=3),
)
def test_a_vector_s_memory_stays_while_it_has_room(tmp_path, how, told):
    (tmp_path / "p.cu").write_text(ROOM)
    done = run_ladder(tmp_path, "run", "p.cu", "--", how)
    assert done.stdout.startswith("32 64 2 7 1 5 4 64 1 5\n"), done.stdout + done.stderr
    assert told in " ".join(done.stderr.split()), done.stderr
