// In each kernel a pointer or an index leaves a local variable that is no plain array, or an array in a function that is
// none of the plain ones.
#include <array>
#include <cuda/std/array>

struct Two { float a[4], b[4]; __device__ float* data() { return a; } };
__device__ float sum_of(const float* p, int n) { float s = 0; for (int i = 0; i < n; ++i) s += p[i]; return s; }
constexpr __device__ float in_a_constant(float v, int n) { float a[4] = {v}; const float* p = a; return p[n]; }
__global__ void behind_the_last_member(const float* x, float* z, int n) { Two v = {};
    z[threadIdx.x] = sum_of(v.b, n / 8 + 1); }
__global__ void behind_what_a_method_gives(const float* x, float* z, int n) { Two v = {}; float* p = v.data();
    z[threadIdx.x] = p[n / 4]; }
__global__ void index_of_a_number(const float* x, float* z, int n) { float v = x[0]; (&v)[n / 32] = 1; z[threadIdx.x] = v; }
__global__ void sum_of_an_address(const float* x, float* z, int n) { float v = x[0]; z[threadIdx.x] = *(&v + n / 32); }
__global__ void pointer_to_a_number(const float* x, float* z, int n) { float v = x[0], *p = &v;
    z[threadIdx.x] = *(p + n / 32); }
__global__ void function_of_a_number(const float* x, float* z, int n) { float v = x[0]; z[threadIdx.x] = sum_of(&v, n / 16); }
__global__ void before_a_number(const float* x, float* z, int n) { float v = x[0]; float* p = &v; z[threadIdx.x] = p[-n / 32]; }
__global__ void part_of_a_vector(const float* x, float* z, int n) { float4 v = {}; float s = 0;
    for (int i = 0; i <= n / 8; ++i) s += (&v.x)[i]; z[threadIdx.x] = s; }
__global__ void cast_of_a_vector(const float* x, float* z, int n) { float4 v{}; float s = 0;
    for (int i = 0; i <= n / 8; ++i) s += reinterpret_cast<float*>(&v)[i]; z[threadIdx.x] = s; }
__global__ void vector_over_a_number(const float* x, float* z, int n) { float v = x[0];
    z[threadIdx.x] = reinterpret_cast<float4&>(v).y; }
__global__ void beside_a_goto(const float* x, float* z, int n) { float a[4] = {}; int i = 0; again: a[i % 4] = 1;
    if (++i < 3) goto again; z[threadIdx.x] = sum_of(a, n / 8 + 1); }
__global__ void in_a_constants_function(const float* x, float* z, int n) { z[threadIdx.x] = in_a_constant(1, n / 8); }
__global__ void index_of_cuda_array(const float* x, float* z, int n) { cuda::std::array<float, 4> a = {};
    for (int i = 0; i <= n / 8; ++i) a[i] = 1; z[threadIdx.x] = a[0]; }
__global__ void index_of_std_array(const float* x, float* z, int n) { std::array<float, 4> a; z[threadIdx.x] = a[n / 8]; }
__global__ void a_row_too_far(const float* x, float* z, int n) { float a[4][8] = {}; float* p = a[0];
    z[threadIdx.x] = p[n + n / 2]; }
struct Params { float a[4]; int n; };
__device__ float total(float4 v, int n) { float s = 0; const float* p = &v.x; for (int i = 0; i < n; ++i) s += p[i];
    return s; }
__device__ float cast(float4 v, int n) { return reinterpret_cast<const float*>(&v)[n]; }
__device__ float member(Params p, int n) { const float* q = p.a; return q[n]; }
template <class T> __device__ T last(T v, int n = 1) { return (&v)[n]; }
struct Op { float w; __device__ Op(float w) : w(w) {} __device__ float operator()(float4 v, int n) const {
    return (&v.x)[n] * w; } };
__global__ void by_value(const float* x, float* z, int n) { z[threadIdx.x] = total(make_float4(1, 2, 3, 4), n / 8 + 1); }
__global__ void by_value_cast(const float* x, float* z, int n) { z[threadIdx.x] = cast(make_float4(1, 2, 3, 4), n / 8); }
__global__ void by_value_member(const float* x, float* z, int n) { z[threadIdx.x] = member(Params{{1}}, n / 4); }
__global__ void by_value_template(const float* x, float* z, int n) { z[threadIdx.x] = last(x[0], n / 32); }
__global__ void by_value_method(const float* x, float* z, int n) { Op op(2);
    z[threadIdx.x] = op(make_float4(1, 2, 3, 4), n / 8); }
__global__ void by_value_lambda(const float* x, float* z, int n) { auto f = [&](float4 v, int k) { return (&v.x)[k];
    }; z[threadIdx.x] = f(make_float4(1, 2, 3, 4), n / 8); }
__global__ void of_auto(const float* x, float* z, int n) {
    auto v = reinterpret_cast<const float4*>(x)[threadIdx.x % 8]; float s = 0; for (int i = 0; i <= n / 8;
    ++i) s += (&v.x)[i]; z[threadIdx.x] = s; }
struct Mat { float m[3][3]; __device__ float& at(int r, int c) { return m[r][c]; } };
__global__ void row_by_reference(const float* x, float* z, int n) { Mat a = {}; a.at(n / 11 + 1, 0) = 1;
    z[threadIdx.x] = a.at(0, 0); }
__global__ void column_by_reference(const float* x, float* z, int n) { Mat a = {}; a.at(0, n / 11 + 1) = 1;
    z[threadIdx.x] = a.at(0, 0); }
__global__ void one_of_two_elements(const float* x, float* z, int n) { float a[4] = {};
    float& v = n > 1 ? a[n / 8] : a[0]; v = 1; z[threadIdx.x] = a[0]; }
__global__ void bytes_of_a_union(const float* x, float* z, int n) { union { float f; unsigned char a[4]; } u;
    u.f = x[0]; int s = 0;
    for (int i = 0; i <= n / 8; ++i) s += u.a[i]; z[threadIdx.x] = s; }
__global__ void library_array_by_value(const float* x, float* z, int n) { auto f = [](std::array<float, 4> a, int i) { return a[i]; };
    z[threadIdx.x] = f({}, n / 8); }
struct Four { float a[4]; __device__ Four(float first) : a{first, 0, 0, 0} {} __device__ const float* begin() const { return a; } };
__global__ void of_a_constant_vector(const float* x, float* z, int n) { const float4 v = {x[0], 0, 0, 0};
    z[threadIdx.x] = sum_of(&v.x, n / 8 + 1); }
__global__ void of_a_constant_number(const float* x, float* z, int n) { const float v = x[0];
    z[threadIdx.x] = sum_of(&v, n / 16); }
__global__ void of_a_constant_structure(const float* x, float* z, int n) { const Four v{x[0]};
    z[threadIdx.x] = sum_of(v.begin(), n / 8 + 1); }
__global__ void of_a_constant_auto(const float* x, float* z, int n) {
    const auto v = reinterpret_cast<const float4*>(x)[threadIdx.x % 8]; z[threadIdx.x] = sum_of(&v.x, n / 8 + 1); }
template <class T> __device__ float of_template(const T* x, int n) { const T v = x[0]; return sum_of(&v.x, n); }
__global__ void of_a_templates_constant(const float* x, float* z, int n) {
    z[threadIdx.x] = of_template(reinterpret_cast<const float2*>(x), n / 8); }
__global__ void constructed(const float* x, float* z, int n) { Four v(x[0]); z[threadIdx.x] = sum_of(v.a, n / 8 + 1); }
__global__ void constructed_number(const float* x, float* z, int n) { float v(x[0]); z[threadIdx.x] = sum_of(&v, n / 16); }
__global__ void in_a_case(const float* x, float* z, int n) {
    switch (n) { case 32: { float a[4] = {}; z[threadIdx.x] = sum_of(a, n / 8 + 1); break; } default: { z[0] = 1; } } }
__global__ void in_the_head_of_a_for(const float* x, float* z, int n) {
    for (float a[4] = {}; n > 0; n = 0) z[threadIdx.x] = sum_of(a, n / 8 + 1); }
__global__ void in_the_head_of_an_if(const float* x, float* z, int n) {
    if (float4 v = {x[0]}; v.x > 0) z[threadIdx.x] = sum_of(&v.x, n / 8 + 1); else z[threadIdx.x] = 1; }
__global__ void in_the_head_of_a_switch(const float* x, float* z, int n) {
    switch (auto v = reinterpret_cast<const float4*>(x)[0]; n) { case 32: z[threadIdx.x] = sum_of(&v.x, n / 8 + 1); } }
__global__ void of_a_binding(const float* x, float* z, int n) { auto [v, w] = reinterpret_cast<const float2*>(x)[0];
    z[threadIdx.x] = sum_of(&v, n / 16 + 1) + w; }
__global__ void of_a_constant_binding(const float* x, float* z, int n) {
    const auto [v, w] = reinterpret_cast<const float2*>(x)[0]; z[threadIdx.x] = sum_of(&w, n / 16) + v; }

// `n` is the place of the kernel in this list.
using Kernel = void (*)(const float*, float*, int);
constexpr Kernel kernels[] = {
    behind_the_last_member, behind_what_a_method_gives, index_of_a_number, sum_of_an_address, pointer_to_a_number,
    function_of_a_number, before_a_number, part_of_a_vector, cast_of_a_vector, vector_over_a_number, beside_a_goto,
    in_a_constants_function, index_of_cuda_array, index_of_std_array, a_row_too_far, by_value, by_value_cast,
    by_value_member, by_value_template, by_value_method, by_value_lambda, of_auto, row_by_reference,
    column_by_reference, one_of_two_elements, bytes_of_a_union,
    library_array_by_value, of_a_constant_vector, of_a_constant_number, of_a_constant_structure,
    of_a_constant_auto, of_a_templates_constant, constructed,
    constructed_number, in_a_case, in_the_head_of_a_for, in_the_head_of_an_if, in_the_head_of_a_switch,
    of_a_binding, of_a_constant_binding,
};
extern "C" void f(const float* x, float* z, int n, cudaStream_t stream) { kernels[n]<<<1, 32, 0, stream>>>(x, z, 32); }
