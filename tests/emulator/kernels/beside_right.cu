// Right uses of local variables whose address is lent, in plain functions and others. Each kernel gives x back.
#include <array>
#include <cooperative_groups.h>
#include <cuda/std/array>

struct Two { float a[4]; float b[4]; __device__ const float* data() const { return a; } };
struct Node { float v; Node* next; };
struct Q { explicit __device__ Q(float v = 0) : v(v) {} float v; };
__device__ float sum_of(const float* p, int n) { float s = 0; for (int i = 0; i < n; ++i) s += p[i]; return s; }
__device__ void both(float v, float* lo, float* hi) { *lo = v; *hi = v; }
__device__ void bump(int* i) { ++*i; }
template <class T> __device__ T one_of(const T* p) { return *p; }
__global__ void whole_struct(const float* x, float* z, int n) { Two v = {{x[threadIdx.x]}};
    z[threadIdx.x] = sum_of(v.a, n / 8) + sum_of(v.b, 4) + 0 * sum_of(v.data(), 4) + 0 * sum_of(&v.a[0], 8); }
__global__ void float4_parts(const float* x, float* z, int n) { float4 v = make_float4(x[threadIdx.x], 0, 0, 0);
    float s = 0; for (int i = 0; i < n / 8; ++i) s += (&v.x)[i]; z[threadIdx.x] = s; }
__global__ void scalars(const float* x, float* z, int n) { float s, c; sincosf(x[threadIdx.x], &s, &c);
    float lo, hi = 2.0; both(x[threadIdx.x], &lo, &hi); z[threadIdx.x] = 0.5f * (lo + hi) + 0 * s * c; }
__global__ void narrow(const float* x, float* z, int n) { double d = x[threadIdx.x]; float f = d, *p = &f;
    int i = 3.0, j = n; unsigned u = j; bump(&i); *p += 0; auto q = &u; z[threadIdx.x] = *p + 0 * (i + *q); }
__global__ void lists(const float* x, float* z, int n) { Node a = {x[threadIdx.x], nullptr}, b = {0, &a};
    Node* p = &b; float s = 0; while (p) { s += p->v; p = p->next; } z[threadIdx.x] = s; }
__global__ void self(const float* x, float* z, int n) { Node a = {x[threadIdx.x], &a}; z[threadIdx.x] = a.next->next->v; }
__global__ void explicit_ctor(const float* x, float* z, int n) { Q q{x[threadIdx.x]}; Q r; Q* p = &q;
    z[threadIdx.x] = p->v + one_of(&r).v; }
__global__ void constants(const float* x, float* z, int n) { const int k = 4; float a[k] = {x[threadIdx.x]};
    const int* p = &k; z[threadIdx.x] = sum_of(a, *p); }
__global__ void pointers(const float* x, float* z, int n) { const float* p = x; const float** pp = &p;
    *pp += threadIdx.x; z[threadIdx.x] = **pp; }
__global__ void captured(const float* x, float* z, int n) { float v = x[threadIdx.x]; float* p = &v; auto f = [v] {
    return v; }; auto g = [&] { v += 1; return v; }; auto h = [=]() mutable { return v++; }; *p += 0;
    z[threadIdx.x] = f() + 0 * g() + 0 * h(); }
__global__ void casts(const float* x, float* z, int n) { float v = x[threadIdx.x]; int i = *(int*)&v;
    int j = reinterpret_cast<int&>(v); unsigned u = *reinterpret_cast<unsigned*>(&v); double d = v;
    int2 w = *(int2*)&d; z[threadIdx.x] = __int_as_float(i) + 0 * (j - (int)u) + 0 * w.x; }
__global__ void arrays(const float* x, float* z, int n) { std::array<float, 4> a = {}; cuda::std::array<int, 3> b{};
    std::array<float, 4> c; for (int i = 0; i < 4; ++i) { a[i] = x[threadIdx.x] / 4; c[i] = a[i]; } b[2] = 1;
    float s = 0; for (float v : c) s += v; constexpr int k = std::tuple_size<decltype(a)>::value;
    for (float* p = a.data(); p != a.data() + k; ++p) s += 0 * *p; auto [u, v, w] = b;
    z[threadIdx.x] = s + 0 * (u + v + w) + 0 * a.back() + 0 * std::get<1>(a); }
__global__ void goto_fn(const float* x, float* z, int n) { float a[4] = {x[threadIdx.x]}; int i = 0;
    again: a[i % 4] += 0; { float b[2]; b[0] = 0; both(0, b, b + 1); } if (++i < 3) goto again; if (n == 5) goto end;
    z[threadIdx.x] = sum_of(a, n / 8); { float c[2]; both(1, c, c + 1); } end: ; }
__global__ void goto_past(const float* x, float* z, int n) { if (n == 5) goto end; float a[4];
    both(x[threadIdx.x], a, a + 1); z[threadIdx.x] = *a; end: return; }
constexpr __device__ float constfn(float v, int n) { float a[4] = {v}; const float* p = a; int k = 0; int* q = &k;
    ++*q; return p[n] + p[k] + p[0]; }
constexpr float at_compile_time = constfn(1, 2);
__device__ constexpr int count(int n) { int c[2] = {n, n}; int s = 0; for (const int* p = c; p != c + 2; ++p) s += *p;
    return s; }
__global__ void constexpr_fn(const float* x, float* z, int n) { float more[count(2)] = {};
    z[threadIdx.x] = x[threadIdx.x] * constfn(1, n / 16) + 0 * (at_compile_time + sum_of(more, 4));
    static_assert(count(3) == 6); }
__global__ void in_branches(const float* x, float* z, int n) { float r = 0; for (int i = 0; i < 4; ++i) { int k = i;
    bump(&k); if (k == 2) continue; if (k == 4) { float t = x[threadIdx.x]; r = *&t; break; } }
    if (int m = n) bump(&m); z[threadIdx.x] = r; }
__device__ float out_of(float v) { float t = v; float* p = &t; if (v > 3) return *p; return p[0]; }
__global__ void returned(const float* x, float* z, int n) { z[threadIdx.x] = out_of(x[threadIdx.x]); }
union Bits { float f; unsigned u; unsigned char c[4]; };
__global__ void unions(const float* x, float* z, int n) { Bits b; b.f = x[threadIdx.x]; unsigned char* p = b.c;
    Bits* q = &b; z[threadIdx.x] = q->f + 0 * p[3]; }
__global__ void groups(const float* x, float* z, int n) { auto b = cooperative_groups::this_thread_block();
    cooperative_groups::thread_block t = cooperative_groups::this_thread_block();
    cooperative_groups::thread_block* p = &t; p->sync(); int mine = 0; atomicAdd(&mine, 1);
    z[threadIdx.x] = x[threadIdx.x] + mine - 1; }
__global__ void halves(const float* x, float* z, int n) { float4 v = make_float4(x[threadIdx.x], 0, 0, 0);
    unsigned long long w[2]; *(float4*)w = v; float2* h = reinterpret_cast<float2*>(&v);
    z[threadIdx.x] = h[0].x + h[1].y + 0 * (float)(w[0] & 1); }
template <class T, int N> struct Vec { T v[N]; __device__ T* begin() { return v; } __device__ T* end() { return v + N; } };
__global__ void vecs(const float* x, float* z, int n) { Vec<float, 4> v = {{x[threadIdx.x]}}; float s = 0;
    for (float e : v) s += e; for (float* p = v.begin(); p != v.end(); ++p) s += 0 * *p; z[threadIdx.x] = s; }
struct H { int* p; };
__global__ void handles(const float* x, float* z, int n) { int k = 1; H h{&k}; H* g = &h; *g->p += 1;
    long long int a = 1, *b = &a; unsigned char c = 'a'; char* d = (char*)&c;
    z[threadIdx.x] = x[threadIdx.x] + (k - 2) + (*b - 1) + (*d - 'a'); }
struct Params { float a[4]; int n; };
__device__ float total(float4 v, int n) { float s = 0; const float* p = &v.x; for (int i = 0; i < n; ++i) s += p[i];
    return s; }
__device__ float cast(float4 v, int n) { if (n == 0) return v.x;
    return reinterpret_cast<const float*>(&v)[n]; }
__device__ float member(Params p, int n) { const float* q = p.a; return q[n]; }
template <class T> __device__ T last(T v, int n = 0) { T w = v; return (&v)[n] + (&w)[n] - w; }
struct Op { float w; __device__ Op(float w) : w(w) { float* p = &this->w; *p = w; }
    __device__ float operator()(float4 v, int n) const { return (&v.x)[n] * w; } };
__device__ void nothing(int k) { int* p = &k; ++*p; }
constexpr __device__ int twice(int k) { int* p = &k; *p *= 2; return k; }
static_assert(twice(4) == 8);
__global__ void by_value(const float* x, float* z, int n) { nothing(n);
    z[threadIdx.x] = total(make_float4(x[threadIdx.x], 0, 0, 0), n / 8) + twice(n) - 2 * n; }
__global__ void by_value_cast(const float* x, float* z, int n) {
    z[threadIdx.x] = cast(make_float4(1, 2, 3, x[threadIdx.x]), n / 8 - 1); }
__global__ void by_value_member(const float* x, float* z, int n) {
    z[threadIdx.x] = member(Params{{1, 2, 3, x[threadIdx.x]}}, 3); }
__global__ void by_value_template(const float* x, float* z, int n) { z[threadIdx.x] = last(x[threadIdx.x], n / 64); }
__global__ void by_value_method(const float* x, float* z, int n) { Op op(1);
    z[threadIdx.x] = op(make_float4(1, 2, x[threadIdx.x], 4), 2); }
__global__ void by_value_lambda(const float* x, float* z, int n) { auto f = [&](float4 v, int k) { return (&v.x)[k];
    }; auto g = [=](int k) mutable -> float { ++*&k; return k; };
    z[threadIdx.x] = f(make_float4(x[threadIdx.x], 2, 3, 4), 0) + 0 * g(n); }
__global__ void of_auto(const float* x, float* z, int n) {
    auto v = reinterpret_cast<const float4*>(x)[threadIdx.x / 4]; auto i = 0; auto* p = &i; auto f = [&] {
    return (&v.x)[threadIdx.x % 4]; }; auto g = &f; *p += 0; z[threadIdx.x] = f() + 0 * (*g)(); }
__global__ void headers(const float* x, float* z, int n) { int c = 0; for (int i = 0; i < 4;) { bump(&i); ++c; }
    if (int m = n) { bump(&m); if (m == 33) c += 1; } while (int k = c < 6) { bump(&k); c += k - 1; }
    switch (int s = c) { case 6: { bump(&s); c = s; } default: ; } z[threadIdx.x] = x[threadIdx.x] + c - 7; }
struct Mat { float m[3][3]; __device__ float& at(int r, int c) { return m[r][c]; } };
__global__ void by_reference(const float* x, float* z, int n) { Mat a = {}; a.at(n / 11, n / 11) = x[threadIdx.x];
    float b[4] = {}; float& v = n > 1 ? b[n / 11] : b[4]; v = 1;
    z[threadIdx.x] = a.at(2, 2) + 0 * b[n / 16]; }
__global__ void vectors_that_lie_right(const float* x, float* z, int n) { float a[8] = {};
    alignas(16) float b[3][4] = {}; float c[4]; struct S { int k; float v[4]; } s = {};
    *(float4*)a = make_float4(x[threadIdx.x], 0, 0, 0); *(float4*)&a[4] = *(float4*)b[2];
    *(float4*)c = *(const float4*)a; float2 w = *(float2*)&a[2]; int* p = (int*)&s; char t[8]; *(double*)t = 1.0;
    z[threadIdx.x] = c[0] + 0 * w.x + 0 * p[0] + 0 * t[0] + 0 * s.v[1]; }
__global__ void library_array_by_value(const float* x, float* z, int n) {
    auto f = [](std::array<float, 4> a, int i) { a[i] += 1; return a[i] - 1; }; z[threadIdx.x] = f({x[threadIdx.x]}, n / 64); }
template <class... T> __device__ float total(T... v) { float all[] = {float(v)...}; return sum_of(all, sizeof...(v)); }
__global__ void packs(const float* x, float* z, int n) { z[threadIdx.x] = total(x[threadIdx.x], 0, 0.0); }
__global__ void bytes(const float* x, float* z, int n) { float v = x[threadIdx.x], w; char* a = (char*)&v;
    char* b = (char*)&w; for (int i = 0; i < n / 8; ++i) b[i] = a[i]; z[threadIdx.x] = w; }
struct Four { float a[4]; __device__ explicit Four(float first) : a{first, 0, 0, 0} {} Four(const Four&) = delete;
    __device__ const float* begin() const { return a; } };
struct Refers { float& to; __device__ Refers(float& v) : to(v) {} };
using Count = int;
__global__ void constant_values(const float* x, float* z, int n) { const Count size = 4, *p = &size; float a[size] = {};
    const float4 v = {x[threadIdx.x], 0, 0, 0}; const Four w{x[threadIdx.x]}; const float one = 1; const dim3 d(2, 3), *q = &d;
    const auto u = reinterpret_cast<const float2*>(x)[threadIdx.x / 2]; auto const four = n / 8; const auto three = 3;
    float b[three] = {}; b[four - 2] = (&u.x)[threadIdx.x % 2] - v.x; const auto* t = &three; a[*t - 1] = sum_of(b, *&three);
    a[*p - 1] = sum_of(&v.x, n / 8) + sum_of(w.begin(), size); z[threadIdx.x] = sum_of(a, size) / 2 * *&one + q->z - 1; }
__global__ void constructed(const float* x, float* z, int n) { Four v(x[threadIdx.x]); float u(n), *p(&u); Refers r(u), *s = &r;
    int i(threadIdx.x), j(i), *k = &j; auto f([&] { return *p; }); float other(float*); s->to += 1;
    z[*k] = sum_of(v.a, n / 8) + f() - n - 1; }
__global__ void in_cases(const float* x, float* z, int n) { float s = 0; switch (threadIdx.x % 3) {
    case 0: { float a[2] = {x[threadIdx.x]}; s = sum_of(a, 2); break; } case 1: case 4: { Four v(x[threadIdx.x]);
    s = sum_of(v.a, 4); } break; default: { float4 v = {x[threadIdx.x]}; s = sum_of(&v.x, 4); } } z[threadIdx.x] = s; }
__global__ void in_heads(const float* x, float* z, int n) { float s = 0;
    for (alignas(16) float a[4] = {x[threadIdx.x]}; n > 30; n -= 2) { auto f = [&] { return sum_of(a, 4); };
        if (float4 v = *(float4*)a; v.x < 0) continue; else if (Four w(f() + sum_of(&v.x, 4)); n == 32) s += sum_of(w.a, 4) / 2; }
    switch (const float v = s; n) { case 30: s = sum_of(&v, 1); break; default: for (int i[2]; sum_of(&s, 1) < 0;) sum_of((float*)i, 2); }
    z[threadIdx.x] = s; }
__device__ float2 two(float first) { return make_float2(first, 0); }
__global__ void bindings(const float* x, float* z, int n) { float a[3] = {x[threadIdx.x]}; auto [u, v, w] = a; u += 1; v += *&w;
    const auto [s,
        t] = two(sum_of(&u, 3)); auto& [c, d] = (float2&)a; *&d = sum_of(&s, 2); decltype(t) e = t;
    int m[2][2] = {{1, 2}, {3, 4}}; auto [g, h] = m; int (*p)[2] = &h; z[threadIdx.x] = c + d - a[0] - 1 + *&e + g[0] + (*p)[1] - 5; }

// `n` is the place of the kernel in this list.
using Kernel = void (*)(const float*, float*, int);
constexpr Kernel kernels[] = {
    whole_struct, float4_parts, scalars, narrow, lists, self, explicit_ctor, constants, pointers, captured, casts,
    arrays, goto_fn, goto_past, constexpr_fn, in_branches, returned, unions, groups, halves, vecs, handles,
    by_value, by_value_cast, by_value_member, by_value_template, by_value_method, by_value_lambda, of_auto, headers,
    by_reference, vectors_that_lie_right,
    library_array_by_value, packs, bytes, constant_values, constructed, in_cases, in_heads,
    bindings,
};
extern "C" void f(const float* x, float* z, int n, cudaStream_t stream) { kernels[n]<<<1, 32, 0, stream>>>(x, z, 32); }
