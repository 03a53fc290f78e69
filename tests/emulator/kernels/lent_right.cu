// Right ways to lend a local array, also up to its end. Each kernel gives x back; the helpers of the Nth are called ..._N.
#include <cooperative_groups.h>
#include <cstring>

__device__ void put_1(float* p, float v) { if (v > 0) *p = v; }
__global__ void condition_that_does_not_hold(const float* x, float* z, int n) { float a[4] = {x[threadIdx.x]};
    put_1(&a[n / 8], -1); put_1(a, x[threadIdx.x]); z[threadIdx.x] = a[0]; }
struct Sum_2 { const float *p, *end; __device__ Sum_2(const float* p, const float* end) : p(p), end(end) {}
    __device__ float operator()() const { float s = 0; for (const float* q = p; q != end; ++q) s += *q; return s; } };
__global__ void functor_with_an_end(const float* x, float* z, int n) { float a[4];
    for (float& v : a) v = x[threadIdx.x] / 4; Sum_2 sum(a, a + n / 8), none(a + n / 8, &a[4]);
    z[threadIdx.x] = sum() + none(); }
__global__ void walk_back_from_the_end(const float* x, float* z, int n) { float a[4]; float s = 0;
    for (float* p = a + n / 8; p != a;) *--p = x[threadIdx.x] / 4;
    for (const float* p = a + 3; p >= a; --p) s += *p; z[threadIdx.x] = s; }
__global__ void copies_of_all_bytes(const float* x, float* z, int n) { float a[4], b[4], c[2][4];
    memset(a, 0, sizeof a); a[3] = x[threadIdx.x]; memcpy(b, a, sizeof(b)); memcpy(c[1], b, n / 2);
    z[threadIdx.x] = c[1][3] + b[0]; }
__global__ void vectors_of_an_aligned_array(const float* x, float* z, int n) { __align__(16) float a[8];
    alignas(16) float b[2][4]; float c[4] __attribute__((aligned(16)));
    for (int j = 0; j < n / 4; ++j) a[j] = x[threadIdx.x] / 8;
    for (int j = 0; j < 2; ++j) *reinterpret_cast<float4*>(b[j]) = reinterpret_cast<float4*>(a)[j];
    *(float4*)c = *(float4*)&b[1][0]; const float4 v = *reinterpret_cast<float4*>(c);
    z[threadIdx.x] = 8 * v.w; }
struct alignas(128) Line_6 { float v[32]; };
__global__ void array_of_aligned_structures(const float* x, float* z, int n) { Line_6 a[2] = {};
    float* p = a[1].v; p[31] = x[threadIdx.x]; z[threadIdx.x] = a[n / 32].v[31]; }
template <int N> __device__ float sum_7(const float (&a)[N]) { float s = 0; for (float v : a) s += v; return s; }
template <class T_7> __device__ constexpr int count_7(const T_7& a) { return sizeof(a) / sizeof(a[0]); }
__global__ void array_by_reference(const float* x, float* z, int n) { float a[] = {x[threadIdx.x], 0, 0};
    static_assert(sizeof(a) == 12 && sizeof a / sizeof *a == 3); float b[sizeof(a) / sizeof(a[0])] = {};
    constexpr int count = count_7(b);
    z[threadIdx.x] = sum_7(a) + sum_7(b) + count_7(a) - count; }
__global__ void lambdas(const float* x, float* z, int n) { float a[4] = {}, b[2][2] = {};
    auto put = [&](float v) { float* p = a; p[3] = v; }; auto get = [a, &b] { const float* p = a; return p[3] + b[1][1]; };
    put(x[threadIdx.x]); auto again = [=] { return a[3] + *(b[0] + 1); }; z[threadIdx.x] = again() + get(); }
struct P_9 { float a; __device__ P_9() : a(0) {} __device__ P_9(float v) : a(v) {} __device__ ~P_9() { a = -1; } };
__device__ float sum_9(const P_9* p, const P_9* end) { float s = 0; while (p != end) s += (p++)->a; return s; }
__global__ void elements_with_constructors(const float* x, float* z, int n) { const P_9 a[3] = {x[threadIdx.x], P_9()};
    P_9 b[2]; z[threadIdx.x] = sum_9(a, a + n / 10) + sum_9(b, b + 2); }
__device__ float deeper_10(float* p, int n) { float a[2] = {p[0], p[1]}, *end = a + 2;
    return n ? deeper_10(end - 2, n - 1) : end[-1]; }
__global__ void deep_recursion(const float* x, float* z, int n) { float a[2] = {0, x[threadIdx.x]};
    z[threadIdx.x] = deeper_10(a, 6 * n); }
__device__ float get_11(const float* p, int at) { float a[4]; memcpy(a, p, sizeof a); return *(a + at); }
__global__ void one_after_another(const float* x, float* z, int n) { float s = 0;
    for (int j = 0; j < n; ++j) { float a[4] = {}; float* p = a; p[j % 4] = x[threadIdx.x] / n;
        if (j % 3 == 0) { s += *(p + j % 4); continue; } s += get_11(a, j % 4); } z[threadIdx.x] = s; }
__device__ float out_12(const float* x, int n) { float a[8]; float* p = a; for (int j = 0; j < 8; ++j) {
    p[j] = x[threadIdx.x]; if (j == n) return p[j]; } return 0; }
__device__ float then_12(int n) { float a[64]; for (int j = 0; j < 64; ++j) a[j] = j; return a[n]; }
__global__ void left_and_used_again(const float* x, float* z, int n) { const float v = out_12(x, n / 8);
    z[threadIdx.x] = v + 0 * then_12(n); }
__global__ void behind_barriers(const float* x, float* z, int n) { __shared__ float s[32]; float a[4] = {};
    float* p = a; for (int j = 0; j < 4; ++j) { s[threadIdx.x] = x[threadIdx.x]; __syncthreads();
    *p++ = s[(threadIdx.x + 1) % 32]; __syncthreads(); } z[threadIdx.x] = x[threadIdx.x] + 0 * a[3]; }
__global__ void across_a_switch(const float* x, float* z, int n) { switch (n) { case 1: float a[2]; a[0] = 1; put_1(a, 1);
    break; case 32: { float b[2] = {}; put_1(b + 1, x[threadIdx.x]); z[threadIdx.x] = b[1]; break; }
    default: z[threadIdx.x] = 0; } }
__global__ void pointers_beside(const float* x, float* z, int n) { float a[4] = {}, *p = a, v = 1, b[2] = {v, *p}, (*rows)[2] = &b,
    &r = a[3]; r = x[threadIdx.x]; z[threadIdx.x] = *(p + 3) + rows[0][1]; }
__global__ void pieces_of_types(const float* x, float* z, int n) { float v[4] = {1, 2, 3, x[threadIdx.x]};
    unsigned char bytes[sizeof(v)]; memcpy(bytes, v, sizeof(v)); unsigned long long int longs[2] = {};
    memcpy(longs, bytes, 16); float w; memcpy(&w, reinterpret_cast<char*>(longs) + n / 4 + 4, 4); z[threadIdx.x] = w; }
__global__ void rows_as_one(const float* x, float* z, int n) { float a[2][3][4] = {}; float* p = &a[0][0][0];
    for (int j = 0; j < 24; ++j) p[j] = x[threadIdx.x] / 24; float s = 0;
    for (auto& rows : a) for (auto& row : rows) for (float v : row) s += v; z[threadIdx.x] = s; }
__global__ void texts_and_names(const float* x, float* z, int n) { const char* names[] = {"one", "two"};
    char text[] = "ab" "c"; const char** p = names; int c = 0; while (text[c]) ++c; const char* t = text;
    z[threadIdx.x] = x[threadIdx.x] + (p[1][2] - 'o') + (c - 3) + t[3]; }
__device__ float swap_19(float* a, float* b) { float t[2] = {*a, *b}; *a = t[1]; *b = t[0]; return *t; }
__global__ void both_ends(const float* x, float* z, int n) { float a[2] = {0, x[threadIdx.x]};
    swap_19(a, a + 1); z[threadIdx.x] = *a; }
__global__ void while_a_grid_waits(const float* x, float* z, int n) { int a[2] = {0, 1}; int* volatile p = a;
    cooperative_groups::this_thread_block().sync(); p[1] += 1; z[threadIdx.x] = x[threadIdx.x] * p[1] / 2; }
namespace of_21 { template <class T_21, int N> struct Vec { T_21 v[N]; }; }
__global__ void names_of_types(const float* x, float* z, int n) { of_21::Vec<float, 2> a[2] = {}; struct P { float v; } b[2] = {};
    using Row = float[2]; Row c[2] = {}; typename of_21::Vec<int, 1> const d[1] = {}; float* p = a[1].v;
    p[1] = x[threadIdx.x]; P* q = b + 2; Row* r = c; z[threadIdx.x] = a[1].v[1] + q[-1].v + r[1][1] + *d[0].v; }
__global__ void bound_names(const float* x, float* z, int n) { float a[2] = {x[threadIdx.x], 0}; auto [u, v] = a;
    float* p = a; decltype(a) b = {}; p[1] += b[0]; z[threadIdx.x] = u + v + p[1]; }
__global__ void early_return(const float* x, float* z, int n) { float a[2]; float* p = a; p[1] = x[threadIdx.x];
    z[threadIdx.x] = p[1]; if (threadIdx.x > 3) return; __shared__ float s[4]; s[threadIdx.x] = *p = 1; __syncwarp(15); p[1] = s[0]; }

// `n` is the place of the kernel in this list.
using Kernel = void (*)(const float*, float*, int);
constexpr Kernel kernels[] = {
    condition_that_does_not_hold, functor_with_an_end, walk_back_from_the_end, copies_of_all_bytes,
    vectors_of_an_aligned_array, array_of_aligned_structures, array_by_reference, lambdas,
    elements_with_constructors, deep_recursion, one_after_another, left_and_used_again, behind_barriers,
    across_a_switch, pointers_beside, pieces_of_types, rows_as_one, texts_and_names, both_ends, while_a_grid_waits,
    names_of_types, bound_names, early_return,
};
extern "C" void f(const float* x, float* z, int n, cudaStream_t stream) { kernels[n]<<<1, 32, 0, stream>>>(x, z, 32); }
