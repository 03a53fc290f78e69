// Small files with the verdict of nvcc: `//// ok: NAME` or `//// refused: NAME` begins each (see test_corpus.py).

//// ok: std::gcd in a kernel
#include <numeric>
__global__ void k(int* x) { x[0] = std::gcd(x[1], x[2]); }

//// ok: std::array as a kernel's parameter
#include <array>
__global__ void k(std::array<float, 4> a, float* x) { x[0] = a[1]; }
void f(float* x) { k<<<1, 1>>>({1, 2, 3, 4}, x); }

//// refused: std::numeric_limits without parentheses
#include <limits>
__global__ void k(float* x) { x[0] = std::numeric_limits<float>::max; }

//// refused: std::unique_ptr without its header
void f() { std::unique_ptr<int> p; }

//// ok: std::random on the host
#include <random>
float f() { std::mt19937 g(3); std::uniform_real_distribution<float> d(0, 1); return d(g); }

//// refused: std::bind in a kernel
#include <functional>
__global__ void k(int* x) { auto f = std::bind([](int a, int b) { return a + b; }, 1, 2); x[0] = f(); }

//// ok: std::string_view and std::strlen in a kernel
#include <string_view>
__global__ void k(int* x) { constexpr std::string_view s = "abc"; x[0] = s.size() + s[1]; }

//// refused: std::strcmp in a kernel
#include <cstring>
__global__ void k(char* x) { x[0] = strcmp(x, "a"); }

//// ok: cuda::std::array and optional and tuple
#include <cuda/std/array>
#include <cuda/std/optional>
#include <cuda/std/tuple>
__global__ void k(int* x) { cuda::std::array<int, 2> a{1, 2}; cuda::std::optional<int> o = 3; auto t = cuda::std::make_tuple(1, 2.0f); x[0] = a[1] + *o + cuda::std::get<0>(t); }

//// ok: cuda::std::complex
#include <cuda/std/complex>
__global__ void k(float* x) { cuda::std::complex<float> a(x[0], x[1]), b = a * a; x[2] = b.real() + cuda::std::abs(a) + cuda::std::norm(b) + conj(a).imag(); }

//// ok: cuda::std::complex array multiplied
#include <cuda/std/complex>
using C = cuda::std::complex<double>;
__global__ void k(C* x, int n) { C s = 0; for (int i = 0; i < n; ++i) s += x[i] * cuda::std::exp(C(0, 1.5)); x[0] = s / 2.0; }

//// refused: cuda::std::numeric_limits and min and max
#include <cuda/std/limits>
#include <cuda/std/algorithm>
__global__ void k(float* x) { x[0] = cuda::std::max(x[1], cuda::std::numeric_limits<float>::lowest()); x[1] = cuda::std::min(x[0], 3.0f); x[2] = cuda::std::clamp(x[3], 0.0f, 1.0f); }

//// ok: cuda::std::swap, exchange and move
#include <cuda/std/utility>
__global__ void k(int* x) { cuda::std::swap(x[0], x[1]); x[2] = cuda::std::exchange(x[3], 4); int a = cuda::std::move(x[5]); x[6] = a; }

//// ok: cuda::std::bit_cast and popcount
#include <cuda/std/bit>
__global__ void k(unsigned* x, float* f) { x[0] = cuda::std::bit_cast<unsigned>(f[0]) + cuda::std::popcount(x[1]) + cuda::std::countl_zero(x[2]); }

//// ok: cuda::std::span
#include <cuda/std/span>
__global__ void k(cuda::std::span<int> s) { for (int& v : s) v += 1; s[0] = s.size(); }

//// ok: cuda::std::is_same and enable_if and integral_constant
#include <cuda/std/type_traits>
template <class T, cuda::std::enable_if_t<cuda::std::is_integral_v<T>, int> = 0> __global__ void k(T* x) { x[0] = cuda::std::is_same_v<T, int> + cuda::std::integral_constant<int, 3>::value; }
void f(int* x) { k<<<1, 1>>>(x); }

//// ok: cuda::std::function
#include <cuda/std/functional>
__global__ void k(int* x) { x[0] = cuda::std::plus<int>{}(x[1], x[2]) + cuda::std::invoke(cuda::std::minus<>{}, 3, 1) + cuda::std::greater<>{}(1, 2); }

//// ok: cuda::std::variant
#include <cuda/std/variant>
__global__ void k(int* x) { cuda::std::variant<int, float> v = 3; x[0] = cuda::std::get<int>(v) + cuda::std::visit([](auto a) { return (int)a; }, v); }

//// ok: cuda::std::pair and cstdint
#include <cuda/std/utility>
#include <cuda/std/cstdint>
__global__ void k(cuda::std::uint32_t* x) { cuda::std::pair<int, float> p(1, 2.0f); x[0] = p.first + p.second; auto [a, b] = p; x[1] = a + b; }

//// refused: cuda::std::vector
#include <cuda/std/vector>
__global__ void k(int* x) { x[0] = 1; }

//// refused: cuda::std::string_view
#include <cuda/std/string_view>
__global__ void k(int* x) { cuda::std::string_view s = "abc"; x[0] = s.size(); }

//// refused: cuda::std without its header
__global__ void k(int* x) { x[0] = cuda::std::min(x[1], x[2]); }

//// ok: cuda::std::cmath functions
#include <cuda/std/cmath>
__global__ void k(float* x) { x[0] = cuda::std::sqrt(x[1]) + cuda::std::pow(x[2], 2.0f) + cuda::std::fma(x[1], x[2], x[3]) + cuda::std::isnan(x[4]) + cuda::std::lerp(x[1], x[2], 0.5f); }

//// ok: cuda::std::initializer_list and iterator
#include <cuda/std/initializer_list>
#include <cuda/std/iterator>
__global__ void k(int* x) { int a[3] = {1, 2, 3}; x[0] = *cuda::std::begin(a) + cuda::std::size(a); for (int v : cuda::std::initializer_list<int>{4, 5}) x[1] += v; }

//// ok: cuda::std::ratio and cuda::std::numbers
#include <cuda/std/numbers>
__global__ void k(float* x) { x[0] = cuda::std::numbers::pi_v<float>; }

//// ok: cuda::ceil_div and round_up
#include <cuda/cmath>
__global__ void k(int* x) { x[0] = cuda::ceil_div(x[1], 4) + cuda::round_up(x[2], 8); }
int f(int n) { return cuda::ceil_div(n, 256); }

//// refused: cuda::fast_mod_div
#include <cuda/cmath>
__global__ void k(int* x, cuda::fast_mod_div<int> d) { x[0] = x[1] / d + x[2] % d; }

//// ok: cuda::proclaim_return_type
#include <cuda/functional>
__global__ void k(int* x) { x[0] = cuda::maximum<int>{}(x[1], x[2]) + cuda::minimum<>{}(1, 2); }

//// ok: cuda::std::byte and cstddef
#include <cuda/std/cstddef>
__global__ void k(cuda::std::byte* x) { x[0] = cuda::std::byte{3}; }

//// ok: printf of a std::string on the host
#include <cstdio>
#include <string>
void f() { std::string s = "a"; printf("%s\n", s.c_str()); }

//// refused: vprintf in a kernel
#include <cstdio>
#include <cstdarg>
__device__ void say(const char* f, ...) { va_list l; va_start(l, f); vprintf(f, l); va_end(l); }
__global__ void k(int* x) { say("%d", x[0]); }

//// refused: complex numbers of libcu++ with a mistake
#include <cuda/std/complex>
__global__ void k(cuda::std::complex<float>* x) { x[0] = x[1] * 2; }

//// ok: complex numbers of libcu++ of mixed types
#include <cuda/std/complex>
__global__ void k(cuda::std::complex<float>* x, cuda::std::complex<double>* y) { y[0] = x[0]; y[1] = y[0] * y[1] + 1.0; x[1] = cuda::std::complex<float>(y[1]); }

//// ok: complex numbers of libcu++ of a double in a float
#include <cuda/std/complex>
__global__ void k(cuda::std::complex<float>* x, cuda::std::complex<double>* y) { x[0] = y[0]; }

//// refused: complex numbers of libcu++ compared
#include <cuda/std/complex>
__global__ void k(cuda::std::complex<float>* x, int* y) { y[0] = x[0] < x[1]; }

//// ok: a span of a constant and of an array
#include <cuda/std/span>
__device__ float sum(cuda::std::span<const float> s) { float t = 0; for (float v : s) t += v; return t; }
__global__ void k(float* x, int n) { float a[3] = {1, 2, 3}; x[0] = sum(a) + sum({x, (size_t)n}) + sum(cuda::std::span<float>(x, 3).first(2)); }

//// refused: a span written through a const
#include <cuda/std/span>
__global__ void k(cuda::std::span<const float> s) { s[0] = 1; }

//// refused: bits of an int
#include <cuda/std/bit>
__global__ void k(int* x) { x[0] = cuda::std::popcount(x[1]); }

//// ok: bits of unsigned numbers
#include <cuda/std/bit>
__global__ void k(int* x) { unsigned a = x[1]; x[0] = cuda::std::popcount(a) + cuda::std::countl_zero(a) + cuda::std::countr_zero((unsigned char)a) + cuda::std::has_single_bit((unsigned long long)a) + cuda::std::bit_width(a) + cuda::std::rotl(a, 3) + cuda::std::bit_ceil(a) + cuda::std::bit_floor(a) + cuda::std::countl_one(a) + cuda::std::countr_one(a) + cuda::std::rotr(a, 1); }

//// ok: whole numbers of a size with another header
#include <cuda/std/utility>
__global__ void k(cuda::std::uint32_t* x) { cuda::std::size_t n = 3; x[0] = n; }
