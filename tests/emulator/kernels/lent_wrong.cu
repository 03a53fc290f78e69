// In each kernel a pointer leaves the local array that it was made from, and what lies there is used. The helpers of
// the Nth are called ..._N.
#include <cstring>

__device__ void put_1(float* p, float v) { if (v > 0) *p = v; }
__global__ void condition_that_holds(const float* x, float* z, int n) { float a[4] = {}; put_1(&a[n / 8], x[0]);
    z[threadIdx.x] = a[0]; }
__device__ float get_2(const float* p, int n) { if (n < 4) return 0; return *p; }
__global__ void return_that_is_passed(const float* x, float* z, int n) { float a[4] = {};
    z[threadIdx.x] = get_2(&a[n / 8], n); }
struct Sum_3 { float s; __device__ Sum_3(const float* p, int n) : s(0) { for (int j = 0; j < n; ++j) s += p[j]; } };
__global__ void constructor(const float* x, float* z, int n) { float a[4] = {}; Sum_3 sum(a, n / 8 + 1);
    z[threadIdx.x] = sum.s; }
struct Get_4 { __device__ float operator()(const float* p) const { return *p; } };
__global__ void functor(const float* x, float* z, int n) { float a[4] = {}; Get_4 get; z[threadIdx.x] = get(a + n / 8); }
__global__ void sum_and_star(const float* x, float* z, int n) { float a[4] = {}; z[threadIdx.x] = *(a + n / 8); }
__global__ void walk_to_the_end(const float* x, float* z, int n) { float a[4] = {}; float s = 0;
    for (const float* p = a; p <= a + n / 8; ++p) s += *p; z[threadIdx.x] = s; }
__global__ void walk_back_too_far(const float* x, float* z, int n) { float a[4] = {}; float s = 0;
    for (const float* p = a + n / 8; p >= a; --p) s += p[-1]; z[threadIdx.x] = s; }
__global__ void copy_of_too_many_bytes(const float* x, float* z, int n) { float a[4] = {}, b[4] = {};
    memcpy(b, a, n / 2 + 4); z[threadIdx.x] = b[0]; }
__global__ void copy_to_the_end(const float* x, float* z, int n) { float a[4] = {}; float v = x[0];
    memcpy(&a[n / 8], &v, 4); z[threadIdx.x] = a[0]; }
__global__ void fill_of_too_many_bytes(const float* x, float* z, int n) { float a[4]; memset(a, 0, n / 2 + 1);
    z[threadIdx.x] = a[0]; }
__global__ void atomic_of_the_end(const float* x, float* z, int n) { int a[4] = {}; atomicAdd(&a[n / 8], 1);
    z[threadIdx.x] = a[0]; }
__global__ void vector_over_the_end(const float* x, float* z, int n) { __align__(16) float a[6] = {};
    float4 v = *reinterpret_cast<float4*>(a + n / 8); z[threadIdx.x] = v.x; }
template <class T_13> __device__ void copy_13(const T_13* p, const T_13* end, T_13* to) { while (p != end) *to++ = *p++; }
__global__ void copy_one_too_many(const float* x, float* z, int n) { float a[4] = {}; float b[4];
    copy_13(a, a + n / 8 + 1, b); z[threadIdx.x] = b[0]; }
__global__ void before_the_first(const float* x, float* z, int n) { float a[4] = {}; float* p = a; p -= n / 32;
    z[threadIdx.x] = *p; }
__global__ void into_the_next_declared(const float* x, float* z, int n) { float a[4] = {1, 2}, b[4], *p = b;
    for (int j = 0; j <= n / 8; ++j) *p++ = x[0]; z[threadIdx.x] = a[0]; }
__global__ void lambda_with_a_pointer(const float* x, float* z, int n) { float a[2][3] = {};
    auto sum = [&](int row) { const float* p = a[row]; return p[0] + p[n / 11 + 1]; }; z[threadIdx.x] = sum(1); }
__global__ void size_from_the_values(const float* x, float* z, int n) { const int a[] = {1, 2,
        3}; const int* p = a; z[threadIdx.x] = p[n / 10]; }
__device__ int length_18(const char* s) { int c = 0; while (s[c] != '!') ++c; return c; }
__global__ void text_without_its_end(const float* x, float* z, int n) { char a[] = "abc"; z[threadIdx.x] = length_18(a); }
template <class T_19, int N> __device__ T_19 last_19(T_19 v, int n) { T_19 a[N] = {v, v}; const T_19* p = &a[0];
    return p[n]; }
__global__ void array_of_a_template(const float* x, float* z, int n) { z[threadIdx.x] = last_19<float, 4>(x[0], n / 8); }
__device__ float deeper_20(float* p, int n) { float a[2] = {p[0], 1}; p[n == 0 ? 2 : 1] += 1;
    return n ? deeper_20(a, n - 1) : p[1]; }
__global__ void recursion_at_its_end(const float* x, float* z, int n) { float a[2] = {};
    z[threadIdx.x] = deeper_20(a, n); }
__global__ void rows_of_pointers(const float* x, float* z, int n) { const float* a[2] = {x, x + 1};
    const float** p = a; z[threadIdx.x] = p[n / 16] == nullptr; }
__global__ void volatile_load(const float* x, float* z, int n) { float a[4] = {};
    z[threadIdx.x] = *(volatile float*)(a + n / 8); }
template <int N> __device__ float last_23(float (&a)[N], int n) { float* p = a; return p[n]; }
__global__ void array_by_reference(const float* x, float* z, int n) { float a[4] = {}; z[threadIdx.x] = last_23(a, n / 8);
    }
struct P_24 { float a; int b; __device__ P_24(float v = 0) : a(v), b(1) {} __device__ ~P_24() { a = 0; } };
__device__ float sum_24(const P_24* p, int n) { float s = 0; while (n--) s += (p++)->a; return s; }
__global__ void elements_with_constructors(const float* x, float* z, int n) { P_24 a[3] = {1.0f, P_24(2)}; P_24 b[2];
    z[threadIdx.x] = sum_24(a, n / 10 + 1) + b[1].a; }
struct Box_25 { float v; __device__ float of(int n) const { float a[3] = {v, v, v}; const float* p = a; return p[n]; } };
__global__ void array_of_a_method(const float* x, float* z, int n) { z[threadIdx.x] = Box_25{x[0]}.of(n / 10); }
__device__ void add_26(float* p, float v) { *p += v; }
__global__ void array_in_a_loop(const float* x, float* z, int n) { float s = 0;
    for (int j = 0; j < n; ++j) { float a[2] = {}; add_26(a + j, 1); s += a[0]; } z[threadIdx.x] = s; }
__global__ void behind_a_barrier(const float* x, float* z, int n) { float a[4] = {}; float* p = a + n / 8;
    __syncthreads(); z[threadIdx.x] = __shfl_sync(~0u, *p, 0); }
struct It_28 { float* p; __device__ float& operator*() const { return *p; } __device__ It_28& operator++() { ++p;
    return *this; } __device__ bool operator<=(const It_28& o) const { return p <= o.p; } };
__global__ void iterator(const float* x, float* z, int n) { float a[4] = {}; float s = 0;
    for (It_28 it{a}, end{a + n / 8}; it <= end; ++it) s += *it; z[threadIdx.x] = s; }
__global__ void index_of_a_pointer(const float* x, float* z, int n) { int a[3] = {}; int* const p = a;
    for (int j = 0; j < n / 8; ++j) p[j] = j; z[threadIdx.x] = a[0]; }
__global__ void reference_to_a_vector(const float* x, float* z, int n) { alignas(16) float a[8] = {};
    z[threadIdx.x] = reinterpret_cast<float4&>(*(a + n / 4)).w; }
struct P_31 { float a[3], b; };
__device__ float far_31(const P_31* p) { return p->b; }
__global__ void last_member_behind_the_end(const float* x, float* z, int n) { P_31 a[2] = {};
    z[threadIdx.x] = far_31(a + n / 16); }

// `n` is the place of the kernel in this list.
using Kernel = void (*)(const float*, float*, int);
constexpr Kernel kernels[] = {
    condition_that_holds, return_that_is_passed, constructor, functor, sum_and_star, walk_to_the_end,
    walk_back_too_far, copy_of_too_many_bytes, copy_to_the_end, fill_of_too_many_bytes, atomic_of_the_end,
    vector_over_the_end, copy_one_too_many, before_the_first, into_the_next_declared, lambda_with_a_pointer,
    size_from_the_values, text_without_its_end, array_of_a_template, recursion_at_its_end, rows_of_pointers,
    volatile_load, array_by_reference, elements_with_constructors, array_of_a_method, array_in_a_loop,
    behind_a_barrier, iterator, index_of_a_pointer, reference_to_a_vector, last_member_behind_the_end,
};
extern "C" void f(const float* x, float* z, int n, cudaStream_t stream) { kernels[n]<<<1, 32, 0, stream>>>(x, z, 32); }
