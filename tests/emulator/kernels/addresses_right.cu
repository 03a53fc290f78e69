// Right ways to hand over and to follow addresses, also those one past an array. Each kernel gives x back; the helpers
// of the Nth are called ..._N.
#include <cstddef>

struct P_1 { float a, b; };
__device__ float sum_1(const P_1* p, const P_1* end) { float s = 0; while (p != end) s += (p++)->a; return s; }
__global__ void end_pointer_sum(const float* x, float* z, int n) { P_1 a[4];
    for (int j = 0; j < 4; ++j) a[j] = P_1{x[threadIdx.x] / 4, 0}; z[threadIdx.x] = sum_1(a, &a[n / 8]); }
struct P_2 { float a, b; };
__device__ float sum_2(const P_2* end, const P_2* p) { float s = 0; while (p < end) s += (p++)->a; return s; }
__global__ void end_first_then_begin(const float* x, float* z, int n) { P_2 a[4];
    for (int j = 0; j < 4; ++j) a[j] = P_2{x[threadIdx.x] / 4, 0}; z[threadIdx.x] = sum_2(&a[n / 8], &a[0]); }
struct P_3 { float a, b; };
__device__ float last_3(const P_3* end) { const P_3* p = end - 1; return p->a; }
__global__ void back_from_end_minus_one(const float* x, float* z, int n) { P_3 a[4];
    for (int j = 0; j < 4; ++j) a[j] = P_3{x[threadIdx.x], 0}; z[threadIdx.x] = last_3(&a[n / 8]); }
__device__ float back_4(const float* end, int count) { float s = 0; while (count--) s += *--end; return s; }
__global__ void back_by_predecrement_in_loop(const float* x, float* z, int n) { float a[4];
    for (int j = 0; j < 4; ++j) a[j] = x[threadIdx.x] / 4; z[threadIdx.x] = back_4(&a[n / 8], 4); }
__device__ float back_5(const float* end) { end -= 4; return end[0] + end[1] + end[2] + end[3]; }
__global__ void back_by_assign(const float* x, float* z, int n) { float a[4];
    for (int j = 0; j < 4; ++j) a[j] = x[threadIdx.x] / 4; z[threadIdx.x] = back_5(&a[n / 8]); }
template <class P> __device__ P before_6(P p) { return --p; }
__device__ float back_6(const float* end) { return *before_6(end); }
__global__ void back_by_std_prev(const float* x, float* z, int n) { float a[4];
    for (int j = 0; j < 4; ++j) a[j] = x[threadIdx.x]; z[threadIdx.x] = back_6(&a[n / 8]); }
__device__ const float* step_back_7(const float* p, int k) { return p - k; }
__device__ float back_7(const float* end) { const float* p = step_back_7(end, 1); return p[0]; }
__global__ void back_by_helper(const float* x, float* z, int n) { float a[4];
    for (int j = 0; j < 4; ++j) a[j] = x[threadIdx.x]; z[threadIdx.x] = back_7(&a[n / 8]); }
constexpr int kLast_8 = -1;
__device__ float back_8(const float* end) { return end[kLast_8]; }
__global__ void back_by_negative_constant(const float* x, float* z, int n) { float a[4];
    for (int j = 0; j < 4; ++j) a[j] = x[threadIdx.x]; z[threadIdx.x] = back_8(&a[n / 8]); }
template <int kBy> __device__ float at_9(const float* p) { return p[kBy]; }
__global__ void back_by_template_offset(const float* x, float* z, int n) { float a[4];
    for (int j = 0; j < 4; ++j) a[j] = x[threadIdx.x]; z[threadIdx.x] = at_9<-1>(&a[n / 8]); }
struct P_10 { float a, b; };
template <int kBy> __device__ float at_10(const P_10* p) { return p[kBy].a; }
__global__ void back_by_template_offset_struct(const float* x, float* z, int n) { P_10 a[4];
    for (int j = 0; j < 4; ++j) a[j] = {x[threadIdx.x], 0}; z[threadIdx.x] = at_10<-1>(&a[n / 8]); }
struct P_11 { float a, b; }; struct Where_11 { int by; };
__device__ float at_11(const P_11* p, Where_11 w) { return p[w.by].a; }
__global__ void offset_in_struct_argument(const float* x, float* z, int n) { P_11 a[4];
    for (int j = 0; j < 4; ++j) a[j] = {x[threadIdx.x], 0}; z[threadIdx.x] = at_11(&a[n / 8], Where_11{-1}); }
struct P_12 { float a, b; };
__device__ float at_12(const P_12* p) { int by = threadIdx.x < 64 ? ~0 : 0; return p[by].a; }
__global__ void offset_from_threadidx(const float* x, float* z, int n) { P_12 a[4];
    for (int j = 0; j < 4; ++j) a[j] = {x[threadIdx.x], 0}; z[threadIdx.x] = at_12(&a[n / 8]); }
struct P_13 { float a, b; };
__device__ int by_global_13 = ~0;
__device__ float at_13(const P_13* p) { return p[by_global_13].a; }
__global__ void offset_from_shared_global(const float* x, float* z, int n) { P_13 a[4];
    for (int j = 0; j < 4; ++j) a[j] = {x[threadIdx.x], 0}; z[threadIdx.x] = at_13(&a[n / 8]); }
struct P_14 { float a, b; };
__device__ bool enabled_14 = false;
__device__ float at_14(const P_14* p) { return enabled_14 ? p->a : 0; }
__global__ void guarded_by_global_flag(const float* x, float* z, int n) { P_14 a[4] = {};
    z[threadIdx.x] = x[threadIdx.x] + at_14(&a[n / 8]) + a[0].a; }
struct P_15 { float a, b; };
__device__ void put_15(P_15* p, float v) { if (threadIdx.x > 1000) p->a = v; }
__global__ void guarded_by_thread(const float* x, float* z, int n) { P_15 a[4] = {}; put_15(&a[n / 8], 1);
    z[threadIdx.x] = x[threadIdx.x] + a[0].a; }
struct P_16 { float a, b; };
__device__ void put_16(P_16* p, float v) { if (v > 0) p->a = v; }
__global__ void guarded_by_float(const float* x, float* z, int n) { P_16 a[4] = {}; put_16(&a[n / 8], -1.0f);
    z[threadIdx.x] = x[threadIdx.x] + a[0].a; }
struct P_17 { float a, b; };
__device__ void put_17(P_17* p, float v) { if (threadIdx.x < 4) p->a = v; }
__global__ void guarded_by_thread_lane_end(const float* x, float* z, int n) { __shared__ P_17 a[4];
    int i = threadIdx.x; put_17(&a[i < 4 ? i : 4], x[i]); __syncthreads(); z[i] = i < 4 ? a[i].a : x[i]; }
__device__ const float* limit_of_18;
struct R_18 { float at[4]; };
__device__ float first_18(const float* p, float none) { return p ? *p : none; }
__global__ void guarded_by_bounds_pointer_global(const float* x, float* z, int n) { R_18 r[2] = {};
    r[1].at[0] = x[threadIdx.x]; z[threadIdx.x] = first_18(r[n / 32].at, 0); }
struct R_19 { float at[4]; };
__device__ float sum_19(const float* p, const float* e) { float s = 0; for (; p < e; p++) s += p[0]; return s; }
__global__ void member_array_end(const float* x, float* z, int n) { R_19 r[2];
    for (int j = 0; j < 8; ++j) r[j / 4].at[j % 4] = x[threadIdx.x] / 8;
    z[threadIdx.x] = sum_19(r[0].at, r[n / 16].at); }
struct R_20 { float at[4]; };
__device__ float sum_20(const float* p, const void* e) { float s = 0; for (; p < e; p++) s += *p; return s; }
__global__ void member_array_end_other_type(const float* x, float* z, int n) { R_20 r[2];
    for (int j = 0; j < 8; ++j) r[j / 4].at[j % 4] = x[threadIdx.x] / 8; z[threadIdx.x] = sum_20(r[0].at, &r[n / 16]);
    }
struct R_21 { float at[4]; };
__device__ float sum_21(const float* p, const char* e) { float s = 0; for (; (const char*)p < e; p++) s += *p;
    return s; }
__global__ void end_of_char_cast(const float* x, float* z, int n) { R_21 r[2];
    for (int j = 0; j < 8; ++j) r[j / 4].at[j % 4] = x[threadIdx.x] / 8;
    z[threadIdx.x] = sum_21(r[0].at, reinterpret_cast<const char*>(&r[n / 16])); }
struct P_22 { float a, b; };
struct Span_22 { const P_22 *b, *e; };
__device__ float sum_22(Span_22 s) { float r = 0; for (const P_22* p = s.b; p != s.e; ++p) r += p->a; return r; }
__global__ void span_struct_end(const float* x, float* z, int n) { P_22 a[4];
    for (P_22& p : a) p = {x[threadIdx.x] / 4, 0}; z[threadIdx.x] = sum_22(Span_22{a, &a[n / 8]}) ; }
struct P_23 { float a, b; };
struct Span_23 { const P_23 *b; int n; };
__device__ Span_23 make_23(const P_23* b, int n) { return {b, n}; }
__device__ float sum_23(Span_23 s) { float r = 0; for (int j = 0; j < s.n; ++j) r += s.b[j].a; return r; }
__global__ void make_span_function(const float* x, float* z, int n) { P_23 a[4];
    for (P_23& p : a) p = {x[threadIdx.x] / 4, 0};
    z[threadIdx.x] = sum_23(make_23(a, 2)) + sum_23(make_23(&a[2], n / 16)) + sum_23(make_23(&a[n / 8], 0)); }
template <class T_24> __device__ void copy_backward__24(const T_24* b, const T_24* e, T_24* oe) {
    while (e != b) *--oe = *--e; }
__global__ void copy_backward(const float* x, float* z, int n) { float4 a[2] = {}, b[2]; a[1].x = x[threadIdx.x];
    copy_backward__24(&a[0], &a[n / 16], &b[n / 16]); z[threadIdx.x] = b[1].x; }
template <class T_25> __device__ void put_before_25(T_25* oe, const T_25 v) { --oe; *oe = v; }
__global__ void copy_backward_only_out(const float* x, float* z, int n) { float4 b[2];
    put_before_25(&b[n / 16], make_float4(x[threadIdx.x], 0, 0, 0)); z[threadIdx.x] = b[1].x; }
struct P_26 { float a, b; };
__global__ void reverse_iteration(const float* x, float* z, int n) { P_26 a[4]; float s = 0;
    for (P_26* p = &a[n / 8]; p-- != a;) p->a = x[threadIdx.x] / 4;
    for (P_26* p = &a[n / 8] - 1; p >= a; --p) s += p->a; z[threadIdx.x] = s; }
struct Back_27 { float4* at; __device__ float4* operator->() const { return at - 1; }
    __device__ Back_27& operator++() { --at; return *this; }
    __device__ bool operator!=(const Back_27& other) const { return at != other.at; } };
__global__ void reverse_iterator(const float* x, float* z, int n) { float4 a[2];
    for (auto r = Back_27{&a[n / 16]}; r != Back_27{&a[0]}; ++r) r->x = x[threadIdx.x] / 2;
    z[threadIdx.x] = a[0].x + a[1].x; }
__device__ int length_28(const char* s) { int c = 0; while (s[c]) ++c; return c; }
__global__ void sentinel(const float* x, float* z, int n) { char s[4][4] = {"abc", "de", "f", ""};
    z[threadIdx.x] = x[threadIdx.x] + length_28(s[n / 16 + 1]) + length_28(&s[0][n / 16]) - 1; }
__device__ float sum_29(const float* p, int c) { float s = 0; for (int j = 0; j < c; ++j) s += p[j]; return s; }
__global__ void row_minus_one_count(const float* x, float* z, int n) { float r[3][4] = {}; r[2][3] = x[threadIdx.x];
    z[threadIdx.x] = sum_29(r[n / 8 - 2], 4) + sum_29(r[n / 11], 4) * 0 + sum_29(r[0], n / 11 + 1) ; }
__device__ float sum_30(const float* p, int c) { float s = 0; for (int j = 0; j < c; ++j) s += p[j]; return s; }
__global__ void row_past_count_zero(const float* x, float* z, int n) { float r[3][4] = {}; r[2][3] = x[threadIdx.x];
    float t = 0; for (int j = 0; j <= 3; ++j) t += sum_30(r[j], j < n / 10 ? 4 : 0); z[threadIdx.x] = t; }
__device__ void fill_31(float* p, float v) { p[threadIdx.x] = v; }
__device__ float read_31(const float* p) { return p[threadIdx.x]; }
__global__ void dynamic_shared_split_functions(const float* x, float* z, int n) {
    extern __shared__ __align__(16) unsigned char bytes[]; float* a = reinterpret_cast<float*>(bytes);
    fill_31(&a[0], x[threadIdx.x]); fill_31(&a[n], 2); fill_31((float*)&bytes[8 * n], 3); __syncthreads();
    z[threadIdx.x] = read_31(a) * read_31(&a[n]) * read_31((const float*)&bytes[n * 2 * sizeof(float)]) / 6; }
union U_32 { float4 v; float f[4]; unsigned char b[16]; };
__device__ float last_32(const unsigned char* e) { float f; memcpy(&f, e - 4, 4); return f; }
__global__ void union_bytes(const float* x, float* z, int n) { U_32 u; for (float& f : u.f) f = 0;
    u.f[3] = x[threadIdx.x]; z[threadIdx.x] = last_32(&u.b[n / 2]) + 0 * u.v.w; }
__global__ void float4_cast(const float* x, float* z, int n) { __align__(16) float a[8];
    for (int j = 0; j < n / 16; ++j) reinterpret_cast<float4*>(a)[j] = make_float4(0, 0, 0, x[threadIdx.x]);
    float4 v = *reinterpret_cast<float4*>(&a[n / 8]); z[threadIdx.x] = v.w; }
#define FLOAT4_34(p) (reinterpret_cast<float4*>(&(p))[0])
__global__ void float4_cast_macro(const float* x, float* z, int n) { __shared__ __align__(16) float s[32 * 4];
    FLOAT4_34(s[threadIdx.x * 4]) = make_float4(1, 2, 3, x[threadIdx.x]); __syncthreads();
    float4 v = FLOAT4_34(s[(threadIdx.x) << 2]); z[threadIdx.x] = v.w; }
__global__ void pointer_to_rows(const float* x, float* z, int n) { __shared__ float s[4][32]; float (*rows)[32] = s;
    for (int r = 0; r < 4; ++r) rows[r][threadIdx.x] = x[threadIdx.x] / 4; float t = 0;
    for (float (*row)[32] = s; row != &s[n / 8]; ++row) t += (*row)[threadIdx.x]; z[threadIdx.x] = t; }
struct P_36 { float a, b; };
__global__ void structured_bindings(const float* x, float* z, int n) { P_36 a[4] = {}; auto& [u, v] = a[n / 11];
    u = x[threadIdx.x]; v = 1; auto [s, t] = a[n / 16]; float w[2] = {0, 0}; auto [w0, w1] = w;
    z[threadIdx.x] = a[2].a * a[2].b - x[threadIdx.x] * 0 + 0 * (s + t) + w0 + w1; }
struct P_37 { float a, b; };
__device__ float get_37(const P_37* p) { return p->a; }
__global__ void ternaries(const float* x, float* z, int n) { P_37 a[4] = {}, none = {}; a[3].a = x[threadIdx.x];
    float t = 0; for (int j = 0; j <= 4; ++j) t += get_37(j < 4 ? &a[j] : &none) + (j < 4 ? a[j].a : 0) * 0;
    (n > 4 ? a[0] : a[1]) = P_37{1, 1}; z[threadIdx.x] = t; }
struct P_38 { float a, b; };
__device__ float get_38(const P_38* p, const P_38* end) { return p == end ? 0 : p->a; }
__global__ void ternary_index_end(const float* x, float* z, int n) { P_38 a[4] = {}; a[3].a = x[threadIdx.x];
    float t = 0; for (int j = 0; j <= n / 8; ++j) t += get_38(&a[j], &a[4]); z[threadIdx.x] = t; }
__global__ void lambda_end(const float* x, float* z, int n) { float2 a[4];
    for (auto& v : a) v = {x[threadIdx.x] / 4, 0}; auto sum = [](const float2* p, const float2* e) { float s = 0;
    while (p < e) s += (p++)->x; return s; }; auto last = [&](const float2* e) { return e[-1].x; };
    z[threadIdx.x] = sum(a, &a[n / 8]) + 0 * last(&a[n / 8]); }
__global__ void lambda_captures_begin(const float* x, float* z, int n) { float2 a[4];
    for (auto& v : a) v = {x[threadIdx.x] / 4, 0}; auto sum = [&](const float2* e) { float s = 0;
    for (auto* p = a; p != e; ++p) s += p->x; return s; }; z[threadIdx.x] = sum(&a[n / 8]); }
struct P_41 { float a, b; };
__device__ float get_41(const P_41* p) { return p->a; }
__global__ void one_more(const float* x, float* z, int n) { P_41 a[4] = {}; z[threadIdx.x] = get_41(&a[n / 11]); }
__global__ void lambda_same_name_as_function(const float* x, float* z, int n) { P_41 a[4] = {};
    a[3].a = x[threadIdx.x]; auto get_41 = [&](const P_41* e) { return (e - 1)->a; };
    z[threadIdx.x] = get_41(&a[n / 8]); }
struct P_42 { float a, b; };
__device__ float sum_42(const P_42* p) { return p->a; }
struct Walk_42 { const P_42* b; __device__ float sum_42(const P_42* e) const { float s = 0;
    for (auto* p = b; p != e; ++p) s += p->a; return s; } };
__global__ void method_same_name_as_function(const float* x, float* z, int n) { P_42 a[4];
    for (auto& p : a) p = {x[threadIdx.x] / 4, 0}; Walk_42 w{a};
    z[threadIdx.x] = w.sum_42(&a[n / 8]) + 0 * sum_42(&a[n / 11]); }
struct P_43 { float a, b; };
struct Walk_43 { const P_43* b; __device__ float upto_43(const P_43* e) const { float s = 0;
    for (auto* p = b; p != e; ++p) s += p->a; return s; } __device__ float all_43(const P_43 (&a)[4], int n) const {
    return upto_43(&a[n]); } };
__device__ float upto_43(const P_43* p) { return p->a; }
__global__ void method_calls_own_method_unqualified(const float* x, float* z, int n) { P_43 a[4];
    for (auto& p : a) p = {x[threadIdx.x] / 4, 0}; Walk_43 w{a};
    z[threadIdx.x] = w.all_43(a, n / 8) + 0 * upto_43(&a[n / 11]); }
struct P_44 { float a, b; };
struct Cursor_44 { P_44 *p, *end; __device__ void seek_44(P_44* to) { p = to; } __device__ float get_44() {
    return p < end ? p->a : -1; } };
__global__ void method_with_limit_member(const float* x, float* z, int n) { P_44 a[4] = {}; a[3].a = x[threadIdx.x];
    Cursor_44 c{a, &a[4]}; c.seek_44(&a[n / 8]); float t = c.get_44(); c.seek_44(&a[n / 8 - 1]);
    z[threadIdx.x] = c.get_44() + t + 1; }
struct P_45 { float a, b; };
struct Stack_45 { P_45 *top, *base; __device__ Stack_45(P_45* end) : top(end), base(end) {}
    __device__ void push_45(P_45 p) { *--top = p; } __device__ P_45 pop_45() { return *top++; } };
__global__ void constructor_end(const float* x, float* z, int n) { P_45 a[4]; Stack_45 s(&a[n / 8]);
    s.push_45({x[threadIdx.x], 0}); Stack_45 t{&a[n / 8 - 1]}; t.push_45({0, 0});
    z[threadIdx.x] = s.pop_45().a + t.pop_45().a; }
__device__ float sum_46(const float* b, const float* e) { float s = 0; while (b != e) s += *b++; return s; }
__global__ void address_of_first_of_next_row(const float* x, float* z, int n) { float g[2][4];
    for (int j = 0; j < 8; ++j) g[j / 4][j % 4] = x[threadIdx.x] / 8; float t = 0;
    for (int r = 0; r < n / 16; ++r) t += sum_46(&g[r][0], &g[r + 1][0]);
    z[threadIdx.x] = t + 0 * sum_46(g[0], g[n / 16]); }
struct P_47 { float a, b; };
__device__ bool is_end_47(const P_47* p) { return p == nullptr; }
template <class T_47> __device__ bool same_47(T_47* p, T_47* q) { return p == q; }
__global__ void compare_addresses(const float* x, float* z, int n) { P_47 a[4];
    z[threadIdx.x] = x[threadIdx.x] + is_end_47(&a[n / 8]) + same_47(&a[n / 8], a); }
struct P_48 { float a, b; };
__device__ void prefetch_48(const void* p) { asm volatile("prefetch_48.global.L1 [%0];" ::"l"(p)); }
__device__ void touch_48(const P_48* p) { (void)p; }
__global__ void prefetch_next(const float* x, float* z, int n) { P_48 a[4]; for (int j = 0; j < 4; ++j) {
    touch_48(&a[j + 1]); a[j].a = x[threadIdx.x] / 4; } z[threadIdx.x] = a[0].a * 4; }
__device__ float total_49(const float* e, int c) { return c == 0 ? 0 : e[-1] + total_49(e - 1, c - 1); }
__global__ void recursion_one_pointer_end(const float* x, float* z, int n) { float a[4];
    for (float& v : a) v = x[threadIdx.x] / 4; z[threadIdx.x] = total_49(&a[n / 8], 4); }
template <class... P> __device__ float sum_50(P... p) { return (0.0f + ... + *p); }
template <class T_50, class... P> __device__ float firsts_50(T_50* e, P... p) {
    return sum_50(p...) + 0 * (e - (T_50*)nullptr > 0); }
__global__ void variadic_template(const float* x, float* z, int n) { float a[4] = {x[threadIdx.x], 0, 0, 0};
    z[threadIdx.x] = firsts_50(&a[n / 8], &a[0], &a[1]); }
struct P_51 { float a, b; };
__device__ float get_51(const float* p) { return *p; }
__device__ float get_51(const P_51* end) { return (end - 1)->a; }
__global__ void overloaded_end(const float* x, float* z, int n) { P_51 a[4] = {}; a[3].a = x[threadIdx.x];
    z[threadIdx.x] = get_51(&a[n / 8]) + 0 * get_51(&a[1].b); }
struct P_52 { float a, b; };
__device__ float get_52(const float* p) { return *p; }
struct Get_52 { __device__ float operator()(const P_52* e) const { return (e - 1)->a; } };
__global__ void overloaded_end_alone_names(const float* x, float* z, int n) { P_52 a[4] = {}; a[3].a = x[threadIdx.x];
    Get_52 get_52; z[threadIdx.x] = get_52(&a[n / 8]); }
struct P_53 { float a, b; };
struct Last_53 { __device__ float operator()(const P_53* e) const { return (e - 1)->a; } };
template <class F_53> __device__ float call_53(F_53 f, P_53* e) { return f(e); }
__global__ void template_callable(const float* x, float* z, int n) { P_53 a[4] = {}; a[3].a = x[threadIdx.x];
    z[threadIdx.x] = call_53(Last_53{}, &a[n / 8]) + 0 * call_53([](P_53* e) { return e[-1].b; }, &a[n / 8]); }
struct P_54 { float a, b; }; struct It_54 { P_54* at; __device__ It_54(P_54* p) : at(p) {}
    __device__ P_54& operator*() { return *at; } __device__ It_54& operator--() { --at; return *this; } };
__device__ float last_54(It_54 it) { --it; return (*it).a; }
__global__ void struct_holding_end(const float* x, float* z, int n) { P_54 a[4] = {}; a[3].a = x[threadIdx.x];
    z[threadIdx.x] = last_54(&a[n / 8]); }
struct P_55 { float a, b; };
__device__ float last_55(P_55* p, P_55& other) { p = &other; return p->a; }
__global__ void assign_parameter_first(const float* x, float* z, int n) { P_55 a[4] = {}; a[3].a = x[threadIdx.x];
    z[threadIdx.x] = last_55(&a[n / 8], a[3]); }
struct P_56 { float a, b; };
__device__ float f1_56(const P_56* p, P_56 v) { float s = 0; { P_56* p = &v; s = p->a; } return s; }
__global__ void shadowed_parameter(const float* x, float* z, int n) { P_56 a[4] = {}; a[3].a = x[threadIdx.x];
    z[threadIdx.x] = f1_56(&a[n / 8], a[3]); }
struct P_57 { float a, b; };
__device__ int size_of_57(const P_57* p) { return (int)sizeof(p[0]) + (int)sizeof(*p); }
__global__ void unevaluated_in_callee(const float* x, float* z, int n) { P_57 a[4] = {};
    z[threadIdx.x] = x[threadIdx.x] + size_of_57(&a[n / 8]) - 16 + a[0].a; }
struct P_58 { float a, b; };
__device__ const float* second_58(const P_58* p) { return &p->b; }
__device__ const P_58* same_58(const P_58* p) { return &p[0]; }
__global__ void address_again_in_callee(const float* x, float* z, int n) { P_58 a[4];
    for (auto& p : a) p = {0, x[threadIdx.x] / 4}; float s = 0;
    for (const float* q = second_58(a); q != second_58(&a[n / 8]); q += 2) s += *q;
    z[threadIdx.x] = s + 0 * (same_58(&a[n / 8]) - a); }
struct P_59 { float a, b; };
__device__ int limit_59 = 0;
__device__ float some_59(const P_59* p) { float s = 0; for (int j = 0; j < limit_59; ++j) s += p[j].a; return s; }
__global__ void loop_condition_in_callee(const float* x, float* z, int n) { P_59 a[4] = {};
    z[threadIdx.x] = x[threadIdx.x] + some_59(&a[n / 8]) + a[0].a; }
struct P_60 { float a, b; };
__constant__ int used_60 = 4;
__device__ void put_60(P_60* p, float v) { const int at = v; if (at >= used_60) return; p->a = v; }
__global__ void early_return_in_callee(const float* x, float* z, int n) { P_60 a[4] = {};
    for (int j = 0; j <= n / 8; ++j) put_60(&a[j], (float)j); z[threadIdx.x] = x[threadIdx.x] + a[3].a - 3; }
struct P_61 { float a, b; };
__device__ float get_61(const P_61* p) { return p->a; }
template <int N> __device__ float pick_61(P_61 (&a)[4], int n) { if constexpr (N == 0) return get_61(&a[n]);
    else return get_61(&a[n - 1]); }
__global__ void dead_branch_if_constexpr(const float* x, float* z, int n) { P_61 a[4] = {}; a[3].a = x[threadIdx.x];
    z[threadIdx.x] = pick_61<1>(a, n / 8); }
struct P_62 { float a, b; };
__device__ void advance_62(const P_62*& p) { ++p; }
__device__ float get_62(const P_62* const& p) { return p[-1].a; }
__global__ void callee_pointer_param_reference(const float* x, float* z, int n) { P_62 a[4] = {};
    a[3].a = x[threadIdx.x]; const P_62* p = &a[n / 11 + 1]; advance_62(p);
    z[threadIdx.x] = get_62(p) + 0 * get_62(&a[n / 8]); }
struct Leaf_63 { float v[2]; }; struct Node_63 { Leaf_63 leaves[2]; int count; };
__device__ float first_63(const Leaf_63* l, const Leaf_63* end) { float s = 0; for (; l != end; ++l) s += l->v[0];
    return s; }
__global__ void array_in_array_member(const float* x, float* z, int n) { Node_63 t[2] = {};
    for (auto& node : t) for (auto& leaf : node.leaves) leaf.v[0] = x[threadIdx.x] / 4; float s = 0;
    for (Node_63* p = t; p != &t[n / 16]; ++p) s += first_63(p->leaves, &p->leaves[n / 16]); z[threadIdx.x] = s; }
__device__ float stencil_64(const float* c) { return c[-1] + c[0] * 0 + c[1]; }
__global__ void pointer_one_past_of_scalar_array_2(const float* x, float* z, int n) { float a[6] = {};
    a[0] = x[threadIdx.x]; float t = 0; for (int j = 1; j < n / 8 + 1; ++j) t += stencil_64(&a[j]);
    z[threadIdx.x] = t; }
struct P_65 { float a, b; };
template <int K> __device__ float get_65(const P_65* p) { return p->a; }
template <> __device__ float get_65<0>(const P_65* p) { return 0; }
__global__ void specialised_template(const float* x, float* z, int n) { P_65 a[4] = {}; a[3].a = x[threadIdx.x];
    z[threadIdx.x] = get_65<1>(&a[n / 8 - 1]) + get_65<0>(&a[n / 8]); }
struct P_66 { float a, b; };
__device__ bool wanted_66 = false;
__device__ float get_66(const P_66* p) { const P_66& r = *p; return wanted_66 ? r.a : 0; }
__device__ float got_66(const P_66* p) { auto& r = p[0]; return wanted_66 ? r.a : 0; }
__global__ void reference_to_what_it_gets(const float* x, float* z, int n) { P_66 a[4] = {};
    z[threadIdx.x] = x[threadIdx.x] + get_66(&a[n / 8]) + got_66(&a[n / 8]) + a[0].a; }
struct P_67 { float a, b; };
__device__ void back_67(const P_67*& p) { --p; }
template <class I_67> __device__ void back_by_67(I_67& p, int k) { while (k--) --p; }
__device__ float last_67(const P_67* e) { back_67(e); return e->a; }
__device__ float third_67(const P_67* e) { back_by_67(e, 2); return e[0].a; }
__global__ void handed_on_by_reference(const float* x, float* z, int n) { P_67 a[4] = {}; a[3].a = x[threadIdx.x];
    z[threadIdx.x] = last_67(&a[n / 8]) + third_67(&a[n / 8]); }
struct P_68 { float a, b; };
template <class P> __device__ void advance_68(P& p, int by) { p += by; }
__device__ float last_68(const P_68* e) { advance_68(e, -1); return e->a; }
__global__ void handed_on_to_std(const float* x, float* z, int n) { P_68 a[4] = {}; a[3].a = x[threadIdx.x];
    z[threadIdx.x] = last_68(&a[n / 8]); }
constexpr int kNone_69 = 0, kSome_69 = 4;
__device__ float sum_69(const float* p, int c) { float s = 0; for (int j = 0; j < c; ++j) s += p[j]; return s; }
template <int N> __device__ float total_69(const float* p) { float s = 0; for (int j = 0; j < N; ++j) s += p[j];
    return s; }
template <int N> __device__ float some_69(const float (&r)[3][4], int n) { return total_69<N>(r[n]); }
__global__ void counts_of_nothing(const float* x, float* z, int n) { float r[3][4] = {}; r[2][3] = x[threadIdx.x];
    z[threadIdx.x] = sum_69(r[n / 10], 0) + sum_69(r[n / 10], kNone_69) + sum_69(r[n / 16], kSome_69) +
        total_69<0>(r[n / 10]) + total_69<kNone_69>(r[n / 10]) + some_69<0>(r, n / 10);
    }
__device__ int limit_70 = 0;
__device__ float sum_70(const float* p, int c) { c = min(c, limit_70); float s = 0;
    for (int j = 0; j < c; ++j) s += p[j]; return s; }
__global__ void count_that_shrinks(const float* x, float* z, int n) { float r[3][4] = {}; r[2][3] = x[threadIdx.x];
    z[threadIdx.x] = x[threadIdx.x] + sum_70(r[n / 10], 4); }
__device__ float sum_71(const float* p, unsigned c) { float s = 0; for (unsigned j = 0; j < c; ++j) s += p[j];
    return s; }
__global__ void unsigned_count(const float* x, float* z, int n) { float r[3][4] = {}; r[2][3] = x[threadIdx.x];
    z[threadIdx.x] = x[threadIdx.x] + sum_71(r[n / 10], n / 64); }
struct R_72 { float at[4]; __device__ const float* begin() const { return at; } };
__device__ const float* begin_of_72(const R_72* r) { return r->at; }
__device__ const float* start_of_72(const R_72* r) { return r->begin(); }
__device__ const float* first_of_72(const R_72* r) { return &r->at[0]; }
__device__ const float* address_of_72(const R_72* r) { return &(r->at[0]); }
__global__ void begin_of_a_row(const float* x, float* z, int n) { R_72 r[2];
    for (auto& q : r) for (auto& v : q.at) v = x[threadIdx.x] / 8; float s = 0;
    for (auto* p = begin_of_72(&r[0]); p != begin_of_72(&r[n / 16]); ++p) s += *p;
    z[threadIdx.x] = s + 0 * (start_of_72(&r[n / 16]) - first_of_72(&r[n / 16])) + 0 * (address_of_72(&r[n / 16]) -
        begin_of_72(r));
    }
struct P_73 { float a, b; };
struct A_73 { float s; __device__ void add_73(const P_73* p) { s += p->a; } };
struct B_73 { const P_73* last; __device__ void add_73(const P_73* p) { last = p; } };
__global__ void methods_of_two_classes(const float* x, float* z, int n) { P_73 a[4] = {}; a[1].a = x[threadIdx.x];
    A_73 s{0}; s.add_73(&a[n / 32]); B_73 b; b.add_73(&a[n / 8]); z[threadIdx.x] = s.s + 0 * (b.last - a); }
struct P_74 { float a, b; };
__global__ void lambda_returns_early(const float* x, float* z, int n) { P_74 a[4] = {}; a[3].a = x[threadIdx.x];
    float t = 0; auto add = [&](const P_74* p) { if (p == a + 4) return; t += p->a; };
    auto safe = [&](const P_74* p) -> float { return p < &a[n / 8] ? p->a : 0; };
    for (int j = 0; j <= 4; ++j) add(&a[j]), t += 0 * safe(&a[j]); z[threadIdx.x] = t; }
__device__ float corner_75(const float (*g)[2]) { return g[0][0]; }
__device__ const float* row_75(const float (*g)[2]) { return g[0]; }
__device__ const float* start_75(const float (*g)[2]) { return *g; }
__global__ void rows_of_rows(const float* x, float* z, int n) { float g[2][2][2] = {}; g[1][0][0] = x[threadIdx.x];
    z[threadIdx.x] = corner_75(g[n / 32]) + 0 * (row_75(g[n / 16]) - row_75(g[0])) + 0 * (start_75(g[n / 16]) -
        start_75(g[0]));
    }
__global__ void atomics_of_last(const float* x, float* z, int n) { __shared__ int c[2][4];
    if (threadIdx.x < 8) c[threadIdx.x / 4][threadIdx.x % 4] = 0; __syncthreads();
    atomicAdd(&c[n / 32][n / 11 + 1], 1); __syncthreads(); z[threadIdx.x] = x[threadIdx.x] * c[1][3] / 32; }
struct In_77 { float at[2]; }; struct Out_77 { int n; In_77 in[3]; };
__global__ void offsetof_nested(const float* x, float* z, int n) { Out_77 o = {}; o.in[2].at[1] = x[threadIdx.x];
    z[threadIdx.x] = *reinterpret_cast<const float*>(reinterpret_cast<const char*>(&o) + offsetof(Out_77, in[2].at[1]));
    }
struct P_78 { float a, b; };
__global__ void operators_in_indexes(const float* x, float* z, int n) { __shared__ unsigned c[8][4];
    c[threadIdx.x >> 2][threadIdx.x & 3] = 0; __syncthreads();
    atomicAdd(&c[threadIdx.x >> 2 & 7][threadIdx.x % 4 == 3 && n > 1], 1u); P_78 a[2][2] = {}; int j = 0;
    a[n >> 5][n != 0 || j <= 0].a = x[threadIdx.x]; a[j++][j - 1 >= 0].b = 1; __syncthreads();
    z[threadIdx.x] = a[1][1].a * c[7][1]; }

// `n` is the place of the kernel in this list.
using Kernel = void (*)(const float*, float*, int);
constexpr Kernel kernels[] = {
    end_pointer_sum, end_first_then_begin, back_from_end_minus_one, back_by_predecrement_in_loop, back_by_assign,
    back_by_std_prev, back_by_helper, back_by_negative_constant, back_by_template_offset,
    back_by_template_offset_struct, offset_in_struct_argument, offset_from_threadidx, offset_from_shared_global,
    guarded_by_global_flag, guarded_by_thread, guarded_by_float, guarded_by_thread_lane_end,
    guarded_by_bounds_pointer_global, member_array_end, member_array_end_other_type, end_of_char_cast,
    span_struct_end, make_span_function, copy_backward, copy_backward_only_out, reverse_iteration,
    reverse_iterator, sentinel, row_minus_one_count, row_past_count_zero, dynamic_shared_split_functions,
    union_bytes, float4_cast, float4_cast_macro, pointer_to_rows, structured_bindings, ternaries, ternary_index_end,
    lambda_end, lambda_captures_begin, lambda_same_name_as_function, method_same_name_as_function,
    method_calls_own_method_unqualified, method_with_limit_member, constructor_end, address_of_first_of_next_row,
    compare_addresses, prefetch_next, recursion_one_pointer_end, variadic_template, overloaded_end,
    overloaded_end_alone_names, template_callable, struct_holding_end, assign_parameter_first, shadowed_parameter,
    unevaluated_in_callee, address_again_in_callee, loop_condition_in_callee, early_return_in_callee,
    dead_branch_if_constexpr, callee_pointer_param_reference, array_in_array_member,
    pointer_one_past_of_scalar_array_2, specialised_template, reference_to_what_it_gets, handed_on_by_reference,
    handed_on_to_std, counts_of_nothing, count_that_shrinks, unsigned_count, begin_of_a_row, methods_of_two_classes,
    lambda_returns_early, rows_of_rows, atomics_of_last, offsetof_nested, operators_in_indexes,
};
extern "C" void f(const float* x, float* z, int n, cudaStream_t stream) { kernels[n]<<<1, 32, 4096, stream>>>(x, z, 32); }
