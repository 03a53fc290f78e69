"""cuda::std::complex, span and their kin in kernels, against numpy."""

from __future__ import annotations

import numpy as np
import pytest

N = 64
SOURCE = """
#include <cuda/cmath>
#include <cuda/functional>
#include <cuda/std/complex>
#include <cuda/std/numbers>
#include <cuda/std/numeric>
#include <cuda/std/span>
#include <cuda/std/utility>
#include <cuda/std/version>
#include <builtin_types.h>
#include <sm_30_intrinsics.h>
using complex = cuda::std::complex<double>;
static_assert(alignof(complex) == 16 && alignof(cuda::std::complex<float>) == 8);  // one access, as of a float2

__global__ void functions_kernel(const double* x, double* z, int n) {
    int i = threadIdx.x;
    const complex a(x[2 * i], x[2 * i + 1]), b(0.5, -2.0);
    const complex results[] = {a + b, a - b, a * b, a / b, 2.0 * a, a / 3.0, 1.0 / a, -a, conj(a), exp(a), log(a),
                               sqrt(a), pow(a, b), sin(a), cos(a), tanh(a), cuda::std::polar(1.5, 0.25),
                               complex(abs(a), arg(a)), complex(norm(a), a == a)};
    int row = 0;
    for (const complex& result : results) {
        z[(row * n + i) * 2] = result.real();
        z[(row++ * n + i) * 2 + 1] = result.imag();
    }
}
extern "C" void functions(const double* x, double* z, int n, cudaStream_t stream) {
    functions_kernel<<<1, n, 0, stream>>>(x, z, n);
}
__global__ void others_kernel(double* z) {
    cuda::std::span<double> all(z, 8);
    all[0] = cuda::ceil_div(7, 4) + cuda::round_up(7, 4) * 10 + cuda::round_down(7, 4) * 100;
    all[1] = cuda::std::numbers::pi + cuda::maximum<>{}(1, 2) + cuda::minimum<int>{}(1, 2);
    all[2] = cuda::std::exchange(all[1], 5.0) - cuda::std::numbers::pi_v<double>;
    auto last = all.last(4);
    for (double& each : last) each = last.size() + all.size();
    all.subspan(3).front() = cuda::std::invoke([](double a) { return a * a; }, 3);
}
extern "C" void others(double* z, cudaStream_t stream) { others_kernel<<<1, 1, 0, stream>>>(z); }
static_assert(cuda::std::gcd(12, 18) == 6 && cuda::std::midpoint(2, 5) == 3 && cuda::std::midpoint(5, 2) == 4);
__global__ void numeric_kernel(double* z) {
    double parts[4];
    double* const end = parts + 4;
    cuda::std::iota(parts, end, 1.0);
    z = cuda::std::partial_sum(parts, end, z);
    z = cuda::std::exclusive_scan(parts, end, z, 10.0);
    z = cuda::std::adjacent_difference(parts, end, z, cuda::std::plus<>{});
    z[0] = cuda::std::accumulate(parts, end, 1.0, cuda::std::multiplies<>{});
    z[1] = cuda::std::reduce(parts, end);
    z[2] = cuda::std::inner_product(parts, end, parts, 0.0) + cuda::std::transform_reduce(parts, end, parts, 0.0);
    z[3] = cuda::std::transform_reduce(parts, end, 0.0, cuda::std::minus<>{}, cuda::std::negate<>{});
}
extern "C" void numeric(double* z, cudaStream_t stream) { numeric_kernel<<<1, 1, 0, stream>>>(z); }
"""


@pytest.mark.slow
def test_complex_numbers_against_numpy(call):
    x = np.random.default_rng(7).normal(size=(N, 2)) * 2
    z = call("functions", x=x, z=np.zeros((19, N, 2)), n=N)["z"]
    a, b = x[:, 0] + 1j * x[:, 1], 0.5 - 2j
    expected = [a + b, a - b, a * b, a / b, 2 * a, a / 3, 1 / a, -a, np.conj(a), np.exp(a), np.log(a), np.sqrt(a), a**b]
    expected += [np.sin(a), np.cos(a), np.tanh(a), np.full(N, 1.5 * np.exp(0.25j)), np.abs(a) + 1j * np.angle(a)]
    expected += [np.abs(a) ** 2 + 1j]
    for row, answer in zip(z, expected, strict=True):
        assert row[:, 0] + 1j * row[:, 1] == pytest.approx(answer, rel=1e-12, abs=1e-13)


def test_what_libcudacxx_has_besides(call):
    z = call("others", z=np.zeros(8))["z"]
    assert z == pytest.approx([482, 5, 3, 9, 12, 12, 12, 12])


def test_algorithms_of_numeric(call):
    z = call("numeric", z=np.zeros(16))["z"]
    assert z.tolist() == [1, 3, 6, 10, 10, 11, 13, 16, 1, 3, 5, 7, 24, 10, 60, 10]
