"""`ladder run`: what cuRAND and thrust draw are the numbers that NVIDIA's own libraries draw from these seeds."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faces.test_run_tells import run
from tests.shared import long_tail

CURAND = """
#include <cstdio>
#include <vector>
#include <curand.h>
int main() {
    curandGenerator_t g;
    std::vector<unsigned> u(100000);
    std::vector<float> f(1002);
    std::vector<double> d(8);
    curandCreateGeneratorHost(&g, GENERATOR);
    auto again = [&] { return curandSetPseudoRandomGeneratorSeed(g, 1234), curandSetGeneratorOffset(g, 0), g; };
    curandGenerate(again(), u.data(), u.size());
    printf("%u %u %u %u ", u[0], u[1], u[5], u[99999]);
    curandGenerateNormal(again(), f.data(), f.size(), 0, 1);
    printf("%.4f %.4f %.4f ", f[0], f[1], f[1001]);
    curandGenerateUniformDouble(again(), d.data(), d.size());
    printf("%.6f %.6f ", d[0], d[5]);
    again();
    curandSetGeneratorOffset(g, 70001);
    curandGenerate(g, u.data(), 1);
    printf("%u ", u[0]);
    double sum = 0, large = 0;
    curandGeneratePoisson(g, u.data(), 10000, 4.5);
    for (int i = 0; i < 10000; ++i) sum += u[i];
    curandGeneratePoisson(g, u.data(), 10000, 4500);
    for (int i = 0; i < 10000; ++i) large += u[i];
    printf("%.1f %.0f", sum / 10000, large / 1000000);
    curandDestroyGenerator(g);
}
"""
# As libcurand 10.4.5 gives them with its generators for the host.
DRAWN = {
    "CURAND_RNG_PSEUDO_MRG32K3A": "3379073520 653317650 1307787078 326359744 "
    "-0.3607 -0.5913 0.2623 0.786752 0.304493 1742558505",
    "CURAND_RNG_PSEUDO_PHILOX4_32_10": "546353992 3665621163 1392278645 3491112293 "
    "-1.6165 1.2292 -1.1294 0.853469 0.058918 3977317304",
    "CURAND_RNG_PSEUDO_XORWOW": "624778773 3522650202 3732235839 1286219390 "
    "0.7810 -1.8016 0.8093 0.434899 0.501246 3811973504",
    "CURAND_RNG_QUASI_SOBOL32": "0 2147483648 3758096384 195198976 -6.3380 0.0000 0.5820 0.000000 0.875000 2476310528",
}


@pytest.mark.slow
@pytest.mark.parametrize("generator", long_tail(list(DRAWN), every=6, slow=8))
def test_a_generator_of_curand_s_gives_its_own_numbers(tmp_path: Path, generator: str):
    told = run(tmp_path, CURAND.replace("GENERATOR", generator))
    assert told.startswith(DRAWN[generator] + " 4.5 45") and "no findings" in told


IN_KERNELS = """
#include <cstdio>
#include <curand_kernel.h>
__global__ void k(float* sums) {
    curandStateMRG32k3a state;
    curand_init(1234, threadIdx.x, 0, &state);
    if (threadIdx.x == 1) printf("%.6f ", curand_uniform(&state));
    float normal = 0, events = 0, many = 0, two = 0;
    for (int i = 0; i < 100; ++i) {
        normal += curand_normal(&state), events += curand_poisson(&state, 3), many += curand_poisson(&state, 100);
        two += curand_log_normal2(&state, 0, 1).y;
    }
    atomicAdd(sums, normal), atomicAdd(sums + 1, events), atomicAdd(sums + 2, many), atomicAdd(sums + 3, two);
}
int main() {
    float *sums, h[4];
    cudaMalloc(&sums, sizeof h);
    cudaMemset(sums, 0, sizeof h);
    k<<<1, 256>>>(sums);
    cudaMemcpy(h, sums, sizeof h, cudaMemcpyDeviceToHost);
    printf("%.1f %.1f %.0f %.1f", fabs(h[0]) / 25600, h[1] / 25600, h[2] / 25600, h[3] / 25600);
    cudaFree(sums);
}
"""


@pytest.mark.whole
def test_mrg32k3a_and_poisson_s_numbers_in_kernels(tmp_path: Path):
    told = run(tmp_path, IN_KERNELS)
    assert told.startswith("0.152112 0.0 3.0 100 1.7") and "no findings" in told


SOBOL = """
#include <cstdio>
#include <curand.h>
#include <curand_kernel.h>
__global__ void k(curandDirectionVectors32_t* vectors, float* to) {
    curandStateSobol32_t state;
    curand_init(vectors[threadIdx.x == 3 ? DIMENSION : threadIdx.x], 3, &state);
    for (int i = 0; i < 2; ++i) to[2 * threadIdx.x + i] = curand_uniform(&state);
    const float normal = curand_normal(&state);
    if (threadIdx.x == 3) printf("%.6f %.6f ", normal, curand_uniform_double(&state));
}
__global__ void of_64_bits(curandDirectionVectors64_t* vectors) {
    curandStateSobol64 state;
    curand_init(vectors[0], 5ull, &state);
    const unsigned long long first = curand(&state);
    const float second = curand_uniform(&state);
    const double third = curand_normal_double(&state);
    printf("%llu %g %g ", first, second, third);
}
int main() {
    curandDirectionVectors32_t *vectors, *there;
    float *to, h[8], f[12];
    curandGetDirectionVectors32(&vectors, CURAND_DIRECTION_VECTORS_32_JOEKUO6);
    cudaMalloc(&there, 401 * sizeof *vectors);
    cudaMalloc(&to, sizeof h);
    cudaMemcpy(there, vectors, 401 * sizeof *vectors, cudaMemcpyHostToDevice);
    k<<<1, 4>>>(there, to);
    cudaMemcpy(h, to, sizeof h, cudaMemcpyDeviceToHost);
    for (float x : h) printf("%g ", x);
    curandGenerator_t g;
    curandCreateGeneratorHost(&g, CURAND_RNG_QUASI_SOBOL32);
    printf("%d ", curandSetQuasiRandomGeneratorDimensions(g, 20001));
    curandSetQuasiRandomGeneratorDimensions(g, 3);
    printf("%d ", curandGenerateUniform(g, f, 4));
    curandSetGeneratorOffset(g, 3);
    curandGenerateUniform(g, f, 12);
    for (float x : f) printf("%g ", x);
    curandDirectionVectors64_t *wide, *wide_there;
    curandGetDirectionVectors64(&wide, CURAND_DIRECTION_VECTORS_64_JOEKUO6);
    cudaMalloc(&wide_there, sizeof *wide);
    cudaMemcpy(wide_there, wide + 2, sizeof *wide, cudaMemcpyHostToDevice);
    of_64_bits<<<1, 1>>>(wide_there);
    cudaDeviceSynchronize();
    curandDestroyGenerator(g);
    cudaFree(wide_there), cudaFree(there), cudaFree(to);
}
"""
# As libcurand 10.4.5 gives them for the host; those of 64 bits from its direction numbers.
OF_SOBOL = (
    "1.150349 0.125000 0.25 0.375 0.75 0.375 0.75 0.625 0.75 0.375 "
    "104 105 0.25 0.375 0.875 0.625 0.75 0.375 0.875 0.125 0.75 0.625 0.125 0.875 "
    "2305843009213693952 0.875 -0.318639"
)


@pytest.mark.whole
def test_sobol_s_numbers_in_kernels_and_by_dimension(tmp_path: Path):
    told = run(tmp_path, SOBOL.replace("DIMENSION", "399"))
    assert told.startswith(OF_SOBOL) and "no findings" in told, told


@pytest.mark.whole
def test_a_dimension_without_numbers_is_refused(tmp_path: Path):
    told = run(tmp_path, SOBOL.replace("DIMENSION", "400"))
    assert "of cuRAND's Sobol numbers the first 400 dimensions are emulated: check this program on a GPU" in told, told


ENGINES = """
#include <iomanip>
#include <iostream>
#include <thrust/random.h>
template <class E> void engine(const char* name) {
    E e, f(7), g(0);
    unsigned long long v = 0;
    for (int i = 0; i < 10000; ++i) v = e();
    f.discard(1000);
    std::cout << name << ' ' << v << ' ' << f() << ' ' << g() << ' ' << +E::min << ' ' << +E::max;
    std::cout << ' ' << (f == e);
    thrust::uniform_real_distribution<float> real(-1, 2);
    thrust::uniform_int_distribution<int> whole(-5, 5);
    for (int i = 0; i < 2; ++i) std::cout << ' ' << real(f) << ' ' << whole(f);
    std::cout << '\\n';
}
int main() {
    using namespace thrust::random;
    std::cout << std::setprecision(7);
    engine<minstd_rand0>("minstd_rand0"), engine<thrust::minstd_rand>("minstd_rand"), engine<taus88>("taus88");
    engine<thrust::ranlux24>("ranlux24"), engine<ranlux48>("ranlux48"), engine<ranlux24_base>("base");
    engine<linear_congruential_engine<unsigned, 1664525, 1013904223, 2147483648u>>("congruential");
    uniform_int_distribution<int> d(3, 9);
    std::cout << d << ' ' << d.min() << d.max() << ' ' << minstd_rand(5) << ' ';
    std::cout << normal_distribution<float>(2, 3).stddev();
}
"""
# What the program prints once nvcc 13.0 has compiled it with thrust's own headers.
OF_ENGINES = """
minstd_rand0 1043618065 1267021365 16807 1 2147483646 0 -0.4688138 4 1.186447 -2
minstd_rand 399268537 245741796 48271 1 2147483646 0 1.305097 3 -0.2200558 1
taus88 3535848941 746332223 0 0 4294967295 0 1.273619 -2 -0.8186677 1
ranlux24 9901578 8314846 15039276 0 16777215 0 1.7407 3 -0.6285248 2
ranlux48 88229545517833 13366432708613 281473885556995 0 281474976710655 0 1.344046 3 0.9946668 -3
base 7937952 8349904 15039276 0 16777215 0 0.7900708 -4 1.407101 5
congruential 4089345937 1104747266 1013904223 0 2147483647 0 0.3222156 2 0.1669093 0
3 9 39 5 3
"""


@pytest.mark.whole
def test_thrust_s_engines_draw_as_thrust_s_own(tmp_path: Path):
    told = run(tmp_path, ENGINES)
    assert told.startswith(" ".join(OF_ENGINES.split())) and "no findings" in told


SEQUENCES = """
#include <curand_kernel.h>
#include <cstdio>
__global__ void begin(STATE* states, unsigned long long seed) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    curand_init(seed, WHICH, 0, &states[i]);
}
int main() {
    STATE* states;
    cudaMalloc(&states, 128 * sizeof(STATE));
    begin<<<BLOCKS>>>(states, 1234);
    cudaDeviceSynchronize();
    cudaFree(states);
}
"""
SAME = "note p.cu:6 in kernel begin threads of different blocks, or all of one, begin the same sequence"
BEGUN = [
    ("curandState", "0", "4, 32", SAME),
    ("curandStatePhilox4_32_10_t", "0", "1, 64", SAME),
    ("curandStateMRG32k3a", "seed", "4, 32", SAME),
    ("curandState", "i", "4, 32", ""),
    ("curandState", "blockIdx.x", "4, 32", ""),  # the threads of a block decide the same
    ("curandState", "threadIdx.x", "128, 1", SAME),
    ("curandState", "threadIdx.x / 2", "1, 128", ""),  # pairs
]


@pytest.mark.parametrize(("state", "which", "blocks", "told"), long_tail(BEGUN, every=4))
def test_threads_that_all_begin_one_sequence_are_told(tmp_path: Path, state: str, which: str, blocks: str, told: str):
    text = SEQUENCES.replace("STATE", state).replace("WHICH", which).replace("BLOCKS", blocks)
    said = run(tmp_path, text)
    assert told in said and (told or "note" not in said) and "no findings" in said, said
