// Small files with the verdict of nvcc: `//// ok: NAME` or `//// refused: NAME` begins each (see test_corpus.py).

//// ok: pure virtual function
struct A { __device__ virtual int f() = 0; };
struct B : A { __device__ int f() override { return 1; } };
__global__ void k(int* x) { B b; A* a = &b; x[0] = a->f(); }

//// refused: an abstract class on the stack
struct A { __device__ virtual int f() = 0; };
__global__ void k(int* x) { A a; x[0] = a.f(); }

//// refused: override of nothing
struct A { __device__ virtual int f() { return 0; } };
struct B : A { __device__ int g() override { return 1; } };
__global__ void k(int* x) { B b; x[0] = b.g(); }

//// refused: override of another const
struct A { __device__ virtual int f() const { return 0; } };
struct B : A { __device__ int f() override { return 1; } };
__global__ void k(int* x) { B b; x[0] = b.f(); }

//// refused: final
struct A { __device__ virtual int f() final { return 0; } };
struct B : A { __device__ int f() { return 1; } };
__global__ void k(int* x) { B b; x[0] = b.f(); }

//// refused: virtual both overridden by device
struct A { __host__ __device__ virtual int f() { return 0; } };
struct B : A { __device__ int f() override { return 1; } };
__global__ void k(int* x) { B b; x[0] = b.f(); }

//// refused: virtual device overridden by both
struct A { __device__ virtual int f() { return 0; } };
struct B : A { __host__ __device__ int f() override { return 1; } };
__global__ void k(int* x) { B b; x[0] = b.f(); }

//// ok: virtual destructor of the device
struct A { __device__ virtual ~A() {} };
struct B : A { __device__ ~B() override {} };
__global__ void k(int* x) { A* a = new B; delete a; }

//// refused: virtual destructor of the host in a kernel
struct A { virtual ~A() {} int n; };
__global__ void k(int* x) { A a; x[0] = a.n; }

//// refused: defaulted virtual destructor in a kernel
struct A { virtual ~A() = default; int n; };
__global__ void k(int* x) { A a; a.n = 1; x[0] = a.n; }

//// ok: virtual base class
struct A { int n = 1; };
struct B : virtual A { };
__global__ void k(int* x) { B b; x[0] = b.n; }

//// ok: virtual base class as kernel parameter
struct A { int n = 1; };
struct B : virtual A { };
__global__ void k(B b, int* x) { x[0] = 1; }
void f(B b, int* x) { k<<<1, 1>>>(b, x); }

//// ok: inheriting constructors
struct A { int n; __host__ __device__ A(int n) : n(n) {} };
struct B : A { using A::A; };
__global__ void k(int* x) { B b(3); x[0] = b.n; }

//// refused: inheriting constructors of the host
struct A { int n; A(int n) : n(n) {} };
struct B : A { using A::A; };
__global__ void k(int* x) { B b(3); x[0] = b.n; }

//// ok: delegating constructor
struct A { int n; __device__ A(int n) : n(n) {} __device__ A() : A(3) {} };
__global__ void k(int* x) { A a; x[0] = a.n; }

//// refused: delegating to a constructor of the host
struct A { int n; A(int n) : n(n) {} __device__ A() : A(3) {} };
__global__ void k(int* x) { A a; x[0] = a.n; }

//// refused: a deleted function called
__device__ void g(int) {}
__device__ void g(float) = delete;
__global__ void k(int* x) { g(1.f); }

//// ok: a deleted function not called
__device__ void g(int) {}
__device__ void g(float) = delete;
__global__ void k(int* x) { g(1); }

//// refused: a deleted copy
struct A { int n; A() = default; A(const A&) = delete; };
__global__ void k(int* x) { A a; A b = a; x[0] = b.n; }

//// ok: a deleted copy by reference
struct A { int n; A() = default; A(const A&) = delete; };
__device__ int g(const A& a) { return a.n; }
__global__ void k(int* x) { A a; x[0] = g(a); }

//// refused: implicit copy of a class with a host copy in a member
struct A { int n; A() = default; A(const A& a) : n(a.n) {} };
struct B { A a; };
__global__ void k(int* x) { B b; B c = b; x[0] = c.a.n; }

//// refused: implicit assignment of a class with a host assignment in a member
struct A { int n; A& operator=(const A& a) { n = a.n; return *this; } };
struct B { A a; };
__global__ void k(int* x) { B b, c; c = b; x[0] = c.a.n; }

//// refused: implicit destructor of a class with a host destructor in a member
struct A { int n; ~A() {} };
struct B { A a; };
__global__ void k(int* x) { B b; b.a.n = 1; x[0] = b.a.n; }

//// ok: defaulted copy with device
struct A { int n; A() = default; __host__ __device__ A(const A&) = default; };
__global__ void k(int* x) { A a; A b = a; x[0] = b.n; }

//// ok: defaulted outside of the class
struct A { int n; __device__ A(); };
__device__ A::A() = default;
__global__ void k(int* x) { A a; x[0] = a.n; }

//// refused: defaulted outside of the class, host
struct A { int n; A(); };
A::A() = default;
__global__ void k(int* x) { A a; x[0] = a.n; }

//// refused: operator new of a class of the host
struct A { int n; void* operator new(size_t s) { return malloc(s); } };
__global__ void k(int* x) { A* a = new A; x[0] = a->n; }

//// ok: operator new of a class of the device
struct A { int n; __device__ void* operator new(size_t s) { return malloc(s); } __device__ void operator delete(void* p) { free(p); } };
__global__ void k(int* x) { A* a = new A; x[0] = a->n; delete a; }

//// ok: a friend function of the device
class A { int n = 3; friend __device__ int get(const A& a) { return a.n; } };
__global__ void k(int* x) { A a; x[0] = get(a); }

//// refused: a friend function of the host
class A { int n = 3; friend int get(const A& a) { return a.n; } };
__global__ void k(int* x) { A a; x[0] = get(a); }

//// ok: a friend declared without device and defined with
class A { int n = 3; friend int get(const A& a); };
__device__ int get(const A& a) { return a.n; }
__global__ void k(int* x) { A a; x[0] = get(a); }

//// ok: a friend kernel
class A { int n = 3; friend __global__ void k(A a, int* x); };
__global__ void k(A a, int* x) { x[0] = a.n; }

//// refused: a friend kernel defined in its class
class A { int n = 3; friend __global__ void k(A a, int* x) { x[0] = a.n; } };

//// refused: a friend kernel declared without global
class A { int n = 3; friend void k(A a, int* x); };
__global__ void k(A a, int* x) { x[0] = a.n; }

//// ok: a friend template kernel
class A { int n = 3; template <class T> friend __global__ void k(T a, int* x); };
template <class T> __global__ void k(T a, int* x) { x[0] = a.n; }
void f(A a, int* x) { k<<<1, 1>>>(a, x); }

//// ok: explicit conversion operator
struct A { float v; __device__ explicit operator bool() const { return v > 0; } };
__global__ void k(float* x) { A a{2}; if (a) x[0] = 1; }

//// refused: explicit conversion operator used implicitly
struct A { float v; __device__ explicit operator float() const { return v; } };
__global__ void k(float* x) { A a{2}; x[0] = a; }

//// refused: user literal of the host
float operator""_half(long double v) { return float(v) / 2; }
__global__ void k(float* x) { x[0] = 3.0_half; }

//// refused: a member function pointer to a host method
struct C { int a, b; int sum() { return a + b; } };
__global__ void k(int* x) { C c{1, 2}; int (C::*f)() = &C::sum; x[0] = (c.*f)(); }

//// refused: an enum class without cast
enum class E { a, b };
__global__ void k(int* x) { x[0] = E::a; }

//// ok: an enum class with cast
enum class E : unsigned char { a, b };
__global__ void k(int* x, E e) { x[0] = static_cast<int>(E::b); if (e == E::a) x[1] = 1; }

//// ok: virtual defaulted destructor with device
struct A { __device__ virtual ~A() = default; int n; };
__global__ void k(int* x) { A a; a.n = 1; x[0] = a.n; }

//// ok: virtual defaulted destructor with both
struct A { __host__ __device__ virtual ~A() = default; int n; };
__global__ void k(int* x) { A a; a.n = 1; x[0] = a.n; }

//// ok: virtual defaulted destructor of a base
struct A { virtual ~A() = default; int n; };
struct B : A { __device__ B() {} };
__global__ void k(int* x) { B a; a.n = 1; x[0] = a.n; }

//// ok: virtual defaulted destructor deleted through
struct A { virtual ~A() = default; int n; };
__global__ void k(A* a) { delete a; }

//// ok: virtual defaulted destructor and new
struct A { virtual ~A() = default; int n; };
__global__ void k(int* x) { A* a = new A; x[0] = a->n; }

//// ok: virtual empty destructor of the host and a derived implicit one
struct A { virtual ~A() {} int n; };
struct B : A { };
__global__ void k(int* x) { B a; a.n = 1; x[0] = a.n; }

//// ok: plain defaulted destructor
struct A { ~A() = default; int n; };
__global__ void k(int* x) { A a; a.n = 1; x[0] = a.n; }

//// ok: defaulted destructor with host
struct A { __host__ ~A() = default; int n; };
__global__ void k(int* x) { A a; a.n = 1; x[0] = a.n; }

//// ok: virtual defaulted destructor in a parameter
struct A { virtual ~A() = default; int n; };
__global__ void k(A a, int* x) { x[0] = a.n; }

//// ok: virtual defaulted destructor in a device function's parameter
struct A { virtual ~A() = default; int n; };
__device__ int f(A a) { return a.n; }

//// ok: a friend declared without device of a template
template <class T> class A { T n = 3; template <class U> friend U get(const A<U>& a); };
template <class U> __device__ U get(const A<U>& a) { return a.n; }
__global__ void k(int* x) { A<int> a; x[0] = get(a); }

//// ok: a friend class
class A { int n = 3; friend struct B; };
struct B { __device__ int get(const A& a) { return a.n; } };
__global__ void k(int* x) { A a; x[0] = B().get(a); }

//// ok: a friend operator of the device
class A { int n; friend __host__ __device__ A operator+(A a, A b) { A c; c.n = a.n + b.n; return c; } };
__global__ void k(A* x) { x[0] = x[1] + x[2]; }

//// ok: a friend declared with device and defined without
class A { int n = 3; friend __device__ int get(const A& a); };
int get(const A& a) { return a.n; }
__global__ void k(int* x) { A a; x[0] = get(a); }

//// refused: a friend declared without device and never so
class A { int n = 3; friend int get(const A& a); };
int get(const A& a) { return a.n; }
__global__ void k(int* x) { A a; x[0] = get(a); }

//// refused: no friend
class A { int n = 3; };
__device__ int get(const A& a) { return a.n; }
__global__ void k(int* x) { A a; x[0] = get(a); }

//// ok: a __device__ function pointer set by the host
typedef float (*F)(float);
__device__ float twice(float x) { return 2 * x; }
__device__ F f = twice;
__global__ void k(float* x, F g) { x[0] = g(x[1]); }
void run(float* x) { F g; cudaMemcpyFromSymbol(&g, f, sizeof g); k<<<1, 1>>>(x, g); }

//// ok: a device function's address compared on the host
__device__ float twice(float x) { return 2 * x; }
bool f() { return &twice != nullptr; }

//// ok: a device function's address returned by the host
typedef float (*F)(float);
__device__ float twice(float x) { return 2 * x; }
F get() { return twice; }

//// ok: a device function's address called on the host
typedef float (*F)(float);
__device__ float twice(float x) { return 2 * x; }
float get() { F f = twice; return f(1); }

//// ok: a device template's address on the host
typedef float (*F)(float);
template <class T> __device__ T twice(T x) { return 2 * x; }
F get() { return twice<float>; }

//// ok: a device method's address on the host
struct A { __device__ int f() { return 1; } };
auto get() { return &A::f; }

//// ok: a kernel's address on the host
__global__ void k(int* x) {}
void* get() { return (void*)k; }

//// refused: a host function's address in a device function
int host() { return 1; }
__device__ int (*get())() { return host; }

//// refused: a host function's address in a device function as void
int host() { return 1; }
__device__ void* get() { return (void*)&host; }

//// refused: a host function's address compared in a kernel
int host() { return 1; }
__global__ void k(int (*f)(), int* x) { x[0] = f == host; }

//// ok: function pointer to a device function
__device__ float twice(float x) { return 2 * x; }
typedef float (*F)(float);
__device__ F table[2] = {twice, nullptr};
__global__ void k(float* x) { x[0] = table[0](x[1]); }

//// refused: function pointer table of host functions in a device variable
float twice(float x) { return 2 * x; }
typedef float (*F)(float);
__device__ F table[2] = {twice, nullptr};
__global__ void k(float* x) { x[0] = table[0](x[1]); }

//// ok: host function pointer as kernel argument
__device__ float twice(float x) { return 2 * x; }
typedef float (*F)(float);
__global__ void k(F f, float* x) { x[0] = f(x[1]); }
void g(float* x) { k<<<1, 1>>>(twice, x); }

//// ok: device function's address taken in a host function
__device__ float twice(float x) { return 2 * x; }
void g() { float (*f)(float) = twice; (void)f; }

//// ok: device function's address taken in a host function by &
__device__ float twice(float x) { return 2 * x; }
void g() { auto f = &twice; (void)f; }

//// ok: std::optional in a kernel
#include <optional>
__global__ void k(int* x) { std::optional<int> o; if (x[0]) o = 3; x[1] = o ? *o : 0; }

//// ok: std::optional value_or in a kernel
#include <optional>
__global__ void k(int* x) { std::optional<int> o = x[1]; x[1] = o.value_or(2); }

//// ok: std::optional value in a kernel
#include <optional>
__global__ void k(int* x) { std::optional<int> o = x[1]; x[1] = o.value(); }

//// refused: std::optional emplace in a kernel
#include <optional>
__global__ void k(int* x) { std::optional<int> o; o.emplace(3); x[1] = *o; }

//// ok: std::variant in a kernel
#include <variant>
__global__ void k(int* x) { std::variant<int, float> v = 3; x[1] = std::get<0>(v); }

//// ok: std::visit in a kernel
#include <variant>
__global__ void k(int* x) { std::variant<int, float> v = 3; x[1] = std::visit([](auto a) { return int(a); }, v); }

//// ok: std::array at in a kernel
#include <array>
__global__ void k(int* x) { std::array<int, 3> a{1, 2, 3}; x[1] = a.at(x[0]); }

//// refused: std::array swap in a kernel
#include <array>
__global__ void k(int* x) { std::array<int, 3> a{}, b{}; a.swap(b); x[1] = a[0]; }

//// refused: std::array sorted in a kernel
#include <array>
#include <algorithm>
__global__ void k(int* x) { std::array<int, 3> a{3, 2, 1}; std::sort(a.begin(), a.end()); x[1] = a[0]; }

//// ok: std::string in a host function
#include <string>
__global__ void k(int* x) { x[0] = 1; }
void f(int* x) { std::string s = std::to_string(3); if (s.size() > 2) k<<<1, 1>>>(x); }

//// ok: std::string by value, launched
#include <string>
__global__ void k(std::string s) {}
void f() { k<<<1, 1>>>("abc"); }

//// ok: std::string by value, launched with a variable
#include <string>
__global__ void k(std::string s) {}
void f(std::string s) { k<<<1, 1>>>(s); }

//// refused: std::string by value copied in the kernel
#include <string>
__global__ void k(std::string s) { std::string t = s; }

//// ok: std::string handed on by reference in the kernel
#include <string>
__device__ void g(const std::string& s) {}
__global__ void k(std::string s) { g(s); }

//// refused: std::string handed on by value in the kernel
#include <string>
__device__ void g(std::string s) {}
__global__ void k(std::string s) { g(s); }

//// ok: std::string member of a struct handed to a kernel
#include <string>
struct A { std::string s; int n; };
__global__ void k(A a, int* x) { x[0] = a.n; }
void f(A a, int* x) { k<<<1, 1>>>(a, x); k<<<1, 1>>>({"a", 2}, x); }

//// ok: a vector handed to a kernel template
#include <vector>
template <class T> __global__ void k(T a, int* x) { x[0] = 1; }
void f(std::vector<int> v, int* x) { k<<<1, 1>>>(v, x); }

//// refused: a vector handed to a kernel template and indexed
#include <vector>
template <class T> __global__ void k(T a, int* x) { x[0] = a[0]; }
void f(std::vector<int> v, int* x) { k<<<1, 1>>>(v, x); }

//// refused: a vector by reference to a kernel and indexed
#include <vector>
__global__ void k(std::vector<int>& a, int* x) { x[0] = a[0]; }

//// refused: cuda::std array and algorithm
#include <cuda/std/array>
#include <cuda/std/algorithm>
__global__ void k(int* x) { cuda::std::array<int, 3> a{1, 2, 3}; x[0] = a[x[1]] + cuda::std::max(x[1], x[2]); x[1] = cuda::std::min(x[1], 3); }

//// ok: cuda::std tuple and pair
#include <cuda/std/tuple>
#include <cuda/std/utility>
__global__ void k(int* x) { auto t = cuda::std::make_tuple(1, 2.f); x[0] = cuda::std::get<0>(t); auto [a, b] = cuda::std::make_pair(x[1], 3); x[2] = a + b; cuda::std::swap(x[1], x[2]); }

//// ok: cuda::std limits and types
#include <cuda/std/limits>
#include <cuda/std/type_traits>
#include <cuda/std/cstdint>
template <class T> __global__ void k(T* x) { static_assert(cuda::std::is_same_v<T, float>); x[0] = cuda::std::numeric_limits<T>::infinity(); cuda::std::uint32_t n = 3; x[1] = n; }
template __global__ void k(float*);

//// ok: cuda::std bits
#include <cuda/std/bit>
__global__ void k(float* x, unsigned* y) { x[0] = cuda::std::bit_cast<float>(y[0]); y[1] = cuda::std::popcount(y[2]) + cuda::std::countl_zero(y[3]) + cuda::std::countr_zero(y[4]); }

//// ok: cuda::std optional and cmath
#include <cuda/std/optional>
#include <cuda/std/cmath>
__global__ void k(float* x) { cuda::std::optional<float> o; if (x[0] > 0) o = 2.f; x[1] = o ? *o : cuda::std::sqrt(x[2]) + cuda::std::abs(x[3]); }

//// ok: cuda::ceil_div on both sides
#include <cuda/cmath>
__global__ void k(int* x, int n) { x[0] = cuda::ceil_div(n, 32); }
void f(int* x, int n) { k<<<cuda::ceil_div(n, 32), 32>>>(x, n); }

//// refused: cuda::std swap without header
__global__ void k(int* x) { cuda::std::swap(x[0], x[1]); }

//// ok: cuda::std cmath pow
#include <cuda/std/cmath>
__global__ void k(float* x) { x[0] = cuda::std::pow(x[1], 2.f) + cuda::std::exp(x[2]) + cuda::std::isnan(x[3]); }

//// ok: namespace alias of cuda::std
#include <cuda/std/array>
namespace cs = cuda::std;
__global__ void k(int* x) { cs::array<int, 2> a = {1, 2}; for (int v : a) x[v] = 1; }

//// refused: a method template of a class of std
#include <optional>
__global__ void k(int* x) { std::optional<int> o; x[0] = o.value_or(3); x[1] = o.has_value(); o = 3; o.reset(); }

//// ok: std::plus in a kernel
#include <functional>
__global__ void k(float* x) { x[0] = std::plus<float>()(x[1], x[2]); }

//// ok: std::plus<> in a kernel
#include <functional>
__global__ void k(float* x) { x[0] = std::plus<>()(x[1], x[2]); }

//// ok: std::plus as template argument of a kernel
#include <functional>
template <class Op> __global__ void k(float* x) { x[0] = Op()(x[1], x[2]); }
void f(float* x) { k<std::plus<float>><<<1, 1>>>(x); }

//// ok: std::string_view in a kernel
#include <string_view>
__global__ void k(int* x) { std::string_view s("abc", 3); x[1] = s.size(); }

//// ok: std::string_view of a literal in a kernel
#include <string_view>
__global__ void k(int* x) { std::string_view s = "abc"; x[1] = s[0]; }

//// ok: std::tuple as a kernel argument
#include <tuple>
__global__ void k(std::tuple<int, float> a, float* x) { x[0] = std::get<1>(a); }
void f(float* x) { k<<<1, 1>>>(std::make_tuple(1, 2.f), x); }

//// ok: std::pair compared in a kernel
#include <utility>
__global__ void k(float* x) { std::pair<int, float> a{1, 2.f}, b{1, 3.f}; x[0] = a < b; }

//// refused: std::pair assigned in a kernel
#include <utility>
__global__ void k(float* x) { std::pair<int, float> a{1, 2.f}, b; b = a; x[0] = b.second; }

//// refused: std::tuple assigned in a kernel
#include <tuple>
__global__ void k(float* x) { std::tuple<int, float> a{1, 2.f}, b; b = a; x[0] = std::get<1>(b); }

//// refused: std::exchange in a kernel
#include <utility>
__global__ void k(int* x) { x[0] = std::exchange(x[1], 3); }

//// ok: std::max_element in a kernel
#include <algorithm>
__global__ void k(int* x) { x[0] = *std::max_element(x, x + 3); }

//// ok: std::gcd in a kernel
#include <numeric>
__global__ void k(int* x) { x[0] = std::gcd(x[1], x[2]); }

//// ok: std::numeric_limits infinity and lowest in a kernel
#include <limits>
__global__ void k(float* x) { x[0] = std::numeric_limits<float>::infinity() + std::numeric_limits<float>::lowest() + std::numeric_limits<int>::max(); }

//// ok: std::numeric_limits quiet_NaN in a kernel
#include <limits>
__global__ void k(float* x) { x[0] = std::numeric_limits<float>::quiet_NaN(); }

//// ok: std::numeric_limits of half in a kernel
#include <limits>
#include <cuda_fp16.h>
__global__ void k(half* x) { x[0] = std::numeric_limits<half>::max(); }

//// refused: std::complex sum in a kernel
#include <complex>
__global__ void k(std::complex<float>* x) { x[0] += x[1]; }

//// refused: std::bitset in a kernel
#include <bitset>
__global__ void k(int* x) { std::bitset<8> b(5); x[0] = b.count(); }

//// ok: std::bitset test in a kernel
#include <bitset>
__global__ void k(int* x) { constexpr std::bitset<8> b(5); x[0] = b[0]; }

//// ok: std::byte in a kernel
#include <cstddef>
__global__ void k(std::byte* x) { x[0] = std::byte{3} | x[1]; x[1] <<= 2; }

//// ok: defaulted members for the host, used in a kernel
struct A { int n; A() = default; __host__ A(const A&) = default; __host__ A& operator=(const A&) = default;  };
__global__ void k(int* x) { A a; a.n = 1; A b = a; a = b; x[0] = a.n; }
