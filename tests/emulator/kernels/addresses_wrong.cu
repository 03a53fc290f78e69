// In each kernel an index is one past its array, or before it, and the element is used. The helpers of the Nth are
// called ..._N.

__global__ void negative_index(const float* x, float* z, int n) { float a[4] = {}; a[n / 32 - 2] = 1;
    z[threadIdx.x] = a[1]; }
__global__ void shared_row_overflow(const float* x, float* z, int n) { __shared__ float s[4][32];
    for (int r = 0; r < 4; ++r) s[r][threadIdx.x] = x[threadIdx.x]; __syncthreads(); z[threadIdx.x] = s[0][n]; }
struct P_3 { float a, b; }; struct V_3 { P_3 v[4]; __device__ const P_3& get_3(int i) const { return v[i]; } };
__global__ void method_struct_past(const float* x, float* z, int n) { V_3 v = {}; z[threadIdx.x] = v.get_3(n / 8).a; }
struct V_4 { float2 v[4]; __device__ V_4(int n) { for (int j = 0; j <= n; ++j) v[j] = make_float2(0, 0); } };
__global__ void constructor_past(const float* x, float* z, int n) { V_4 v(n / 8); z[threadIdx.x] = v.v[0].x; }
struct P_5 { float a, b; };
__device__ float get_5(const P_5* p) { return p->a; }
__global__ void f_addr_deref(const float* x, float* z, int n) { P_5 a[4] = {}; z[threadIdx.x] = get_5(&a[n / 8]); }
struct P_6 { float a, b; };
__device__ float get_6(const P_6* p, int c) { float s = p->a; for (int j = 1; j < c; ++j) s += p[j].a; return s; }
__global__ void f_addr_deref_with_count(const float* x, float* z, int n) { P_6 a[4] = {};
    z[threadIdx.x] = get_6(&a[n / 8], 1); }
__device__ float sum_7(const float* p) { float s = 0; for (int j = 0; j < 4; ++j) s += p[j]; return s; }
__global__ void f_row_constant_loop(const float* x, float* z, int n) { float r[3][4] = {};
    z[threadIdx.x] = sum_7(r[n / 10]); }
template <int N> __device__ float sum_8(const float* p) { float s = 0;
#pragma unroll
 for (int j = 0; j < N; ++j) s += p[j]; return s; }
__global__ void f_row_template_loop(const float* x, float* z, int n) { float r[3][4] = {};
    z[threadIdx.x] = sum_8<4>(r[n / 10]); }
__device__ float sum_9(const float* p, int c) { float s = 0; for (int j = 0; j < c; ++j) s += p[j]; return s; }
__global__ void f_row_count_loop(const float* x, float* z, int n) { float r[3][4] = {};
    z[threadIdx.x] = sum_9(r[n / 10], 4); }
__device__ void fill_10(int c, float* p, float v) { for (int j = 0; j < c; ++j) p[j] = v; }
__global__ void f_row_literal_count_first(const float* x, float* z, int n) { float r[3][4] = {};
    for (int j = 0; j <= 3; ++j) fill_10(4, r[j], 1); z[threadIdx.x] = r[n / 32][0]; }
struct R_11 { float at[4]; };
__device__ float first_11(const float* p) { return *p; }
__global__ void f_member_array(const float* x, float* z, int n) { R_11 r[2] = {};
    z[threadIdx.x] = first_11(r[n / 16].at); }
template <int N> __device__ float sum_12(const float (&v)[N]) { float s = 0; for (float f : v) s += f; return s; }
__global__ void f_array_ref(const float* x, float* z, int n) { float r[3][4] = {}; z[threadIdx.x] = sum_12(r[n / 10]);
    }
__global__ void cast_deref_float4(const float* x, float* z, int n) { __align__(16) float a[8] = {};
    float4 v = *reinterpret_cast<float4*>(&a[n / 4]); z[threadIdx.x] = v.x; }
__global__ void cast_index_float4(const float* x, float* z, int n) { __align__(16) float a[8] = {};
    float4 v = reinterpret_cast<float4*>(&a[n / 4])[0]; z[threadIdx.x] = v.x; }
#define FLOAT4_15(p) (reinterpret_cast<float4*>(&(p))[0])
__global__ void macro_float4(const float* x, float* z, int n) { __align__(16) float a[8] = {};
    FLOAT4_15(a[n / 4]) = make_float4(1, 2, 3, 4); z[threadIdx.x] = a[0]; }
struct P_16 { float a, b; };
__global__ void structured_binding(const float* x, float* z, int n) { P_16 a[4] = {}; auto& [u, v] = a[n / 8];
    u = v = 1; z[threadIdx.x] = a[0].a; }
struct P_17 { float a, b; };
__global__ void structured_binding_value(const float* x, float* z, int n) { P_17 a[4] = {}; auto [u, v] = a[n / 8];
    z[threadIdx.x] = u + v; }
__global__ void range_for_row(const float* x, float* z, int n) { float g[2][2] = {}; float s = 0;
    for (float v : g[n / 16]) s += v; z[threadIdx.x] = s; }
struct P_19 { float a, b; };
__global__ void ternary_value(const float* x, float* z, int n) { P_19 a[4] = {}; P_19 p = n > 4 ? a[n / 8] : a[0];
    z[threadIdx.x] = p.a; }
__global__ void rows_pointer(const float* x, float* z, int n) { __shared__ float s[4][32]; float (*rows)[32] = s;
    for (int r = 0; r < 4; ++r) rows[r][threadIdx.x] = x[r]; __syncthreads(); z[threadIdx.x] = rows[0][n]; }
template <class T_21, int N> struct Array_21 { T_21 v[N]; __device__ T_21& operator[](int i) { return v[i]; } };
__global__ void nested_template_array(const float* x, float* z, int n) { Array_21<Array_21<float, 4>, 2> a = {};
    a[1][n / 8] = 1; z[threadIdx.x] = a[0][0]; }
template <class T_22> __device__ void swap__22(T_22& a, T_22& b) { T_22 t = a; a = b; b = t; }
__global__ void swap_by_reference(const float* x, float* z, int n) { float a[4] = {}; swap__22(a[0], a[n / 8]);
    z[threadIdx.x] = a[0]; }
template <class T_23> __device__ void swapp_23(T_23* a, T_23* b) { T_23 t = *a; *a = *b; *b = t; }
__global__ void swap_by_pointer(const float* x, float* z, int n) { float a[4] = {}; swapp_23(&a[0], &a[n / 8]);
    z[threadIdx.x] = a[0]; }
struct P_24 { float a, b; };
__global__ void lambda_pointer_param(const float* x, float* z, int n) { P_24 a[4] = {}; auto get = [](const P_24* p) {
    return p->a; }; z[threadIdx.x] = get(&a[n / 8]); }
struct P_25 { float a, b; }; struct Acc_25 { float s; __device__ void add_25(const P_25* p) { s += p->a; } };
__global__ void method_pointer_param(const float* x, float* z, int n) { P_25 a[4] = {}; Acc_25 acc{0};
    for (int j = 0; j <= n / 8; ++j) acc.add_25(&a[j]); z[threadIdx.x] = acc.s; }
struct P_26 { float a, b; }; struct Get_26 { __device__ float of_26(const P_26* p) const { return p->a; } };
__global__ void method_const_pointer_param(const float* x, float* z, int n) { P_26 a[4] = {};
    z[threadIdx.x] = Get_26().of_26(&a[n / 8]); }
struct P_27 { float a, b; };
__device__ float inner_27(const P_27* p) { return p[0].a; }
__device__ float outer_27(const P_27* p, float s) { const float t = inner_27(p); return s * t; }
__global__ void transitive(const float* x, float* z, int n) { P_27 a[4] = {}; z[threadIdx.x] = outer_27(&a[n / 8], 2);
    }
__device__ void put_28(float* row, float v) { const int lane = threadIdx.x % 4; row[lane] = v; }
__global__ void nonneg_thread_index(const float* x, float* z, int n) { float r[3][4] = {}; put_28(r[n / 10], 1);
    z[threadIdx.x] = r[0][0]; }
__device__ float4 load_29(const float* p) { return *reinterpret_cast<const float4*>(p); }
__global__ void vector_cast_in_callee(const float* x, float* z, int n) { __align__(16) float r[2][4] = {};
    z[threadIdx.x] = load_29(r[n / 16]).x; }
__device__ float4 load_30(const float* p) { return reinterpret_cast<const float4*>(p)[0]; }
__global__ void vector_index_in_callee(const float* x, float* z, int n) { __align__(16) float r[2][4] = {};
    z[threadIdx.x] = load_30(r[n / 16]).x; }
struct S_31 { float v[4]; };
__global__ void assign_row_struct(const float* x, float* z, int n) { S_31 s[2] = {}, t = {}; s[n / 16] = t;
    z[threadIdx.x] = s[0].v[0]; }
__global__ void atomic_local_row(const float* x, float* z, int n) { __shared__ int c[4][8];
    if (threadIdx.x < 32) c[threadIdx.x / 8][threadIdx.x % 8] = 0; __syncthreads(); atomicAdd(&c[0][n / 4], 1);
    __syncthreads(); z[threadIdx.x] = c[1][0]; }
struct P_33 { float a, b; };
__device__ void split_33(float v, P_33* out) { out->a = v; out->b = v / 2; }
__global__ void out_pointer(const float* x, float* z, int n) { P_33 a[4] = {};
    for (int j = 0; j <= n / 8; ++j) split_33(x[0], &a[j]); z[threadIdx.x] = a[0].a; }
__device__ void store_34(float v, float* out) { *out = v; }
__global__ void out_scalar_pointer(const float* x, float* z, int n) { float a[4] = {};
    for (int j = 0; j <= n / 8; ++j) store_34(x[0], &a[j]); z[threadIdx.x] = a[0]; }
constexpr int kW_35 = 4;
__device__ void zero_35(float* p) { for (int j = 0; j < kW_35; j++) p[j] = 0; }
__global__ void constexpr_width(const float* x, float* z, int n) { float g[3][kW_35];
    for (int r = 0; r <= 3; ++r) zero_35(g[r]); z[threadIdx.x] = g[n / 32][0]; }
__device__ void mma_36(float* d, const unsigned* a, const unsigned* b) { d[0] += a[0] * b[0]; d[1] += a[1] * b[1]; }
__global__ void mma_like_fragments(const float* x, float* z, int n) { float d[2][2] = {};
    unsigned a[2][2] = {}, b[2][2] = {}; for (int m = 0; m <= n / 16; ++m) mma_36(d[m], a[m], b[m]);
    z[threadIdx.x] = d[0][0]; }

// `n` is the place of the kernel in this list.
using Kernel = void (*)(const float*, float*, int);
constexpr Kernel kernels[] = {
    negative_index, shared_row_overflow, method_struct_past, constructor_past, f_addr_deref,
    f_addr_deref_with_count, f_row_constant_loop, f_row_template_loop, f_row_count_loop, f_row_literal_count_first,
    f_member_array, f_array_ref, cast_deref_float4, cast_index_float4, macro_float4, structured_binding,
    structured_binding_value, range_for_row, ternary_value, rows_pointer, nested_template_array, swap_by_reference,
    swap_by_pointer, lambda_pointer_param, method_pointer_param, method_const_pointer_param, transitive,
    nonneg_thread_index, vector_cast_in_callee, vector_index_in_callee, assign_row_struct, atomic_local_row,
    out_pointer, out_scalar_pointer, constexpr_width, mma_like_fragments,
};
extern "C" void f(const float* x, float* z, int n, cudaStream_t stream) { kernels[n]<<<1, 32, 4096, stream>>>(x, z, 32); }
