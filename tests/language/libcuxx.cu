// Small files with the verdict of nvcc: `//// ok: NAME` or `//// refused: NAME` begins each (see test_language.py).

//// ok: std array fill
#include <cuda/std/array>
__global__ void k(float* x) { cuda::std::array<float, 4> a; a.fill(2.f); x[threadIdx.x] = a[threadIdx.x & 3]; }

//// ok: std array swap
#include <cuda/std/array>
__global__ void k(float* x) { cuda::std::array<float, 4> a{}, b{1, 2, 3, 4}; a.swap(b); x[threadIdx.x] = a[threadIdx.x & 3]; }

//// ok: std array comparisons
#include <cuda/std/array>
__global__ void k(int* x) { cuda::std::array<int, 3> a{1, 2, 3}, b{1, 2, 4}; x[0] = a < b; x[1] = a == b; x[2] = a != b; }

//// ok: std array front back data size
#include <cuda/std/array>
__global__ void k(int* x) { cuda::std::array<int, 3> a{1, 2, 3}; x[0] = a.front() + a.back() + *a.data() + a.size() + a.empty() + a.max_size(); for (auto v : a) x[1] += v; for (auto it = a.rbegin(); it != a.rend(); ++it) x[2] += *it; }

//// ok: std array get and tuple
#include <cuda/std/array>
#include <cuda/std/tuple>
__global__ void k(int* x) { cuda::std::array<int, 2> a{1, 2}; x[0] = cuda::std::get<1>(a); auto [p, q] = a; x[1] = p + q; auto t = cuda::std::make_tuple(1, 2.f); x[2] = cuda::std::get<0>(t); }

//// ok: std span
#include <cuda/std/span>
__global__ void k(float* x, int n) { cuda::std::span<float> s(x, n); float t = 0; for (float v : s.first(4)) t += v; s[0] = t + s.size() + s.subspan(2).size(); }

//// ok: std optional
#include <cuda/std/optional>
__device__ cuda::std::optional<int> find(const int* x, int n, int v) { for (int i = 0; i < n; ++i) if (x[i] == v) return i; return cuda::std::nullopt; }
__global__ void k(int* x, int n) { auto r = find(x, n, 3); x[0] = r ? *r : -1; x[1] = r.value_or(7); }

//// ok: std variant
#include <cuda/std/variant>
__global__ void k(float* x) { cuda::std::variant<int, float> v = 2.f; if (cuda::std::holds_alternative<float>(v)) x[0] = cuda::std::get<float>(v); }

//// ok: std complex
#include <cuda/std/complex>
__global__ void k(float* x) { cuda::std::complex<float> c(x[0], x[1]); c *= c; x[0] = c.real(); x[1] = c.imag(); x[2] = cuda::std::abs(c); }

//// ok: std bit
#include <cuda/std/bit>
__global__ void k(unsigned* x) { x[0] = cuda::std::popcount(x[0]) + cuda::std::countl_zero(x[1]) + cuda::std::bit_ceil(x[2]) + cuda::std::has_single_bit(x[3]) + cuda::std::bit_cast<unsigned>(1.f) + cuda::std::rotl(x[4], 3); }

//// ok: std numeric limits
#include <cuda/std/limits>
__global__ void k(float* x) { x[0] = cuda::std::numeric_limits<float>::infinity(); x[1] = cuda::std::numeric_limits<int>::max(); }

//// refused: std algorithm in kernel
#include <cuda/std/algorithm>
__global__ void k(int* x) { int a[4] = {4, 2, 3, 1}; cuda::std::sort(a, a + 4); x[0] = a[0]; }

//// refused: std algorithm max clamp
#include <cuda/std/algorithm>
__global__ void k(int* x) { x[0] = cuda::std::max(x[1], x[2]) + cuda::std::clamp(x[3], 0, 9) + cuda::std::min({x[1], x[2], x[3]}); cuda::std::fill(x, x + 3, 1); cuda::std::swap(x[0], x[1]); cuda::std::copy(x, x + 2, x + 4); }

//// refused: std lower bound
#include <cuda/std/algorithm>
__global__ void k(int* x, int n) { x[0] = cuda::std::lower_bound(x, x + n, 5) - x; }

//// ok: std accumulate
#include <cuda/std/numeric>
__global__ void k(int* x, int n) { x[0] = cuda::std::accumulate(x, x + n, 0); }

//// refused: std functional
#include <cuda/std/functional>
template <class Op> __device__ int fold(const int* x, int n, Op op) { int r = x[0]; for (int i = 1; i < n; ++i) r = op(r, x[i]); return r; }
__global__ void k(int* x, int n) { x[0] = fold(x, n, cuda::std::plus<int>{}); x[1] = fold(x, n, cuda::std::plus<>{}); x[2] = fold(x, n, cuda::maximum<int>{}); }

//// ok: std type traits
#include <cuda/std/type_traits>
template <class T> __global__ void k(T* x) { static_assert(cuda::std::is_floating_point_v<T>); cuda::std::conditional_t<sizeof(T) == 4, int, long> i = 3; x[i] = 1; }
void f(float* x) { k<<<1, 1>>>(x); }

//// ok: std initializer list
#include <cuda/std/initializer_list>
__device__ int sum(cuda::std::initializer_list<int> l) { int s = 0; for (int v : l) s += v; return s; }
__global__ void k(int* x) { x[0] = sum({1, 2, 3}); }

//// ok: host initializer list in a kernel
#include <initializer_list>
__device__ int sum(std::initializer_list<int> l) { int s = 0; for (int v : l) s += v; return s; }
__global__ void k(int* x) { x[0] = sum({1, 2, 3}); }

//// ok: std atomic
#include <cuda/std/atomic>
__device__ cuda::std::atomic<int> counter;
__global__ void k(int* x) { x[0] = counter.fetch_add(1) + counter++; counter.store(3, cuda::std::memory_order_relaxed); }

//// ok: atomic ref
#include <cuda/atomic>
__global__ void k(int* x, float* y) { cuda::atomic_ref<int, cuda::thread_scope_device> r(x[0]); r.fetch_add(2, cuda::memory_order_relaxed); cuda::atomic_ref<float> f(*y); f.fetch_add(1.f); f += 2.f; }

//// ok: atomic ref of block with fetch_max
#include <cuda/atomic>
__global__ void k(int* x) { __shared__ int s; if (!threadIdx.x) s = 0; __syncthreads(); cuda::atomic_ref<int, cuda::thread_scope_block> r(s); r.fetch_max(threadIdx.x); __syncthreads(); x[0] = s; }

//// ok: latch
#include <cuda/latch>
__global__ void k(int* x) { __shared__ cuda::latch<cuda::thread_scope_block>* p; x[0] = p != nullptr; }

//// ok: semaphore
#include <cuda/semaphore>
__device__ cuda::binary_semaphore<cuda::thread_scope_device> s(1);
__global__ void k(int* x) { s.acquire(); ++*x; s.release(); }

//// ok: barrier arrive and wait
#include <cuda/barrier>
__global__ void k(int* x) { __shared__ cuda::barrier<cuda::thread_scope_block> b; if (threadIdx.x == 0) init(&b, blockDim.x); __syncthreads(); auto t = b.arrive(); x[threadIdx.x] = 1; b.wait(cuda::std::move(t)); b.arrive_and_wait(); b.arrive_and_drop(); }

//// ok: barrier with std move
#include <cuda/barrier>
#include <utility>
__global__ void k(int* x) { __shared__ cuda::barrier<cuda::thread_scope_block> b; if (threadIdx.x == 0) init(&b, blockDim.x); __syncthreads(); auto t = b.arrive(); x[threadIdx.x] = 1; b.wait(std::move(t)); }

//// refused: barrier token copied
#include <cuda/barrier>
__global__ void k(int* x) { __shared__ cuda::barrier<cuda::thread_scope_block> b; if (threadIdx.x == 0) init(&b, blockDim.x); __syncthreads(); auto t = b.arrive(); x[threadIdx.x] = 1; b.wait(t); }

//// refused: barrier shared with constructor
#include <cuda/barrier>
__global__ void k(int* x) { __shared__ cuda::barrier<cuda::thread_scope_block> b(32); b.arrive_and_wait(); x[0] = 1; }

//// ok: pipeline of a block
#include <cuda/pipeline>
#include <cooperative_groups.h>
__global__ void k(const float* x, float* y) { auto g = cooperative_groups::this_thread_block(); __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> st; auto p = cuda::make_pipeline(g, &st); __shared__ float s[64]; p.producer_acquire(); cuda::memcpy_async(g, s, x, sizeof(float) * 64, p); p.producer_commit(); p.consumer_wait(); y[threadIdx.x] = s[threadIdx.x]; p.consumer_release(); }

//// ok: pipeline with aligned size
#include <cuda/pipeline>
__global__ void k(const float4* x, float4* y) { auto p = cuda::make_pipeline(); __shared__ float4 s[64]; p.producer_acquire(); cuda::memcpy_async(s + threadIdx.x, x + threadIdx.x, cuda::aligned_size_t<16>(16), p); p.producer_commit(); cuda::pipeline_consumer_wait_prior<0>(p); p.consumer_release(); y[threadIdx.x] = s[threadIdx.x]; }

//// ok: cg memcpy async
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
__global__ void k(const float* x, float* y) { __shared__ float s[64]; auto b = cg::this_thread_block(); cg::memcpy_async(b, s, x, sizeof(float) * 64); cg::wait(b); y[threadIdx.x] = s[threadIdx.x]; }

//// refused: cg memcpy async without header
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(const float* x, float* y) { __shared__ float s[64]; auto b = cg::this_thread_block(); cg::memcpy_async(b, s, x, sizeof(float) * 64); cg::wait(b); y[threadIdx.x] = s[threadIdx.x]; }

//// ok: cg reduce with lambda
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
__global__ void k(float* x) { auto w = cg::tiled_partition<32>(cg::this_thread_block()); x[0] = cg::reduce(w, x[threadIdx.x], [](float a, float b) { return a > b ? a : b; }); x[1] = cg::reduce(w, x[1], cg::plus<float>()); }

//// ok: cg scan
#include <cooperative_groups.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
__global__ void k(int* x) { auto w = cg::tiled_partition<16>(cg::this_thread_block()); x[threadIdx.x] = cg::inclusive_scan(w, x[threadIdx.x]); x[threadIdx.x] += cg::exclusive_scan(w, 1, cg::plus<int>()); }

//// ok: cg coalesced and labeled
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(int* x) { if (threadIdx.x & 1) { auto g = cg::coalesced_threads(); x[g.thread_rank()] = g.size() + g.shfl(x[0], 0) + g.any(1) + g.ballot(1); } auto b = cg::binary_partition(cg::tiled_partition<32>(cg::this_thread_block()), threadIdx.x < 4); x[0] = b.size(); auto l = cg::labeled_partition(cg::coalesced_threads(), (int)threadIdx.x / 3); x[1] = l.num_threads(); }

//// ok: cg tile as template parameter
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
template <class G> __device__ int sum(G g, int v) { for (int d = g.size() / 2; d; d /= 2) v += g.shfl_down(v, d); return v; }
__global__ void k(int* x) { auto t = cg::tiled_partition<8>(cg::this_thread_block()); int s = sum(t, 1); if (t.thread_rank() == 0) atomicAdd(x, s); }

//// ok: cg grid in a function
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__device__ void step(cg::grid_group g, int* x) { if (g.thread_rank() == 0) ++*x; g.sync(); }
__global__ void k(int* x) { step(cg::this_grid(), x); }
void f(int* x, cudaStream_t s) { void* a[] = {&x}; cudaLaunchCooperativeKernel(k, dim3(4), dim3(32), a, 0, s); }

//// ok: cg thread group partition at run time
#include <cooperative_groups.h>
using namespace cooperative_groups;
__device__ int reduce(thread_group g, int* t, int v) { for (int i = g.size() / 2; i > 0; i /= 2) { t[g.thread_rank()] = v; g.sync(); if (g.thread_rank() < i) v += t[g.thread_rank() + i]; g.sync(); } return v; }
__global__ void k(int* x) { __shared__ int t[64]; auto b = this_thread_block(); auto tile = tiled_partition(b, 16); x[0] = reduce(tile, t, 1); }

//// ok: cg invoke one
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(int* x) { auto b = cg::this_thread_block(); cg::invoke_one(b, [=] { x[0] = 1; }); }

//// ok: cg block tile shuffle of struct
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
struct P { float v; int i; };
__global__ void k(P* x) { auto w = cg::tiled_partition<32>(cg::this_thread_block()); P p = x[threadIdx.x]; x[threadIdx.x] = w.shfl_xor(p, 1); }

//// ok: cg cluster
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void __cluster_dims__(2, 1, 1) k(int* x) { __shared__ int s; auto c = cg::this_cluster(); s = c.block_rank(); c.sync(); int* o = c.map_shared_rank(&s, 1 - c.block_rank()); x[c.block_rank()] = *o; c.sync(); }

//// ok: annotated ptr
#include <cuda/annotated_ptr>
__global__ void k(float* x) { cuda::annotated_ptr<float, cuda::access_property::streaming> p(x); p[threadIdx.x] = 1; }

//// ok: cuda ceil div
#include <cuda/cmath>
__global__ void k(float* x) { x[0] = 1; }
void f(float* x, int n) { k<<<cuda::ceil_div(n, 256), 256>>>(x); }

//// ok: cuda std mdspan
#include <cuda/std/mdspan>
__global__ void k(float* x, int n) { cuda::std::mdspan<float, cuda::std::dextents<int, 2>> m(x, n, n); m(threadIdx.x, 0) = 1; }

//// refused: cuda std string view
#include <cuda/std/string_view>
__global__ void k(int* x) { cuda::std::string_view s("abc"); x[0] = s.size(); }

//// ok: cuda std utility
#include <cuda/std/utility>
__global__ void k(int* x) { cuda::std::pair<int, float> p = cuda::std::make_pair(1, 2.f); auto [a, b] = p; x[0] = a + b; int old = cuda::std::exchange(x[1], 5); x[2] = old; }

//// ok: cuda std cstdint
#include <cuda/std/cstdint>
#include <cuda/std/cstddef>
__global__ void k(cuda::std::uint8_t* x) { cuda::std::size_t i = threadIdx.x; x[i] = cuda::std::int64_t{3}; }

//// ok: cuda std cmath
#include <cuda/std/cmath>
__global__ void k(float* x) { x[0] = cuda::std::sqrt(x[1]) + cuda::std::fma(x[0], x[1], x[2]) + cuda::std::isnan(x[3]) + cuda::std::pow(x[1], 2.f) + cuda::std::lerp(x[0], x[1], .5f) + cuda::std::hypot(x[0], x[1]); }

//// ok: cuda std pair is assigned to
#include <cuda/std/utility>
struct Least { __device__ cuda::std::pair<float, int> operator()(cuda::std::pair<float, int> a, cuda::std::pair<float, int> b) const { return b < a ? b : a; } };
__global__ void k(float* x) { cuda::std::pair<float, int> p{0.f, 1}, q; p = q; p = cuda::std::make_pair(1.f, 2); cuda::std::swap(p, q); if (p == q) p.swap(q); p = Least{}(p, {x[1], 3}); cuda::std::pair<double, long> w = p; w = p; cuda::std::pair s{1, 2}; auto& [e, f] = p; e = s.first; x[0] = w.first + f; }

//// ok: cuda std tuple is assigned to
#include <cuda/std/tuple>
__global__ void k(float* x) { cuda::std::tuple<float, int> t{1.f, 2}; t = cuda::std::make_tuple(1.f, 3); t = cuda::std::make_pair(2.f, 1); float a; int b; cuda::std::tie(a, b) = t; auto& [c, d] = t; c = b; auto u = cuda::std::tuple_cat(t, cuda::std::make_tuple(5.f)); cuda::std::tuple w{1, 2.f}; x[0] = cuda::std::get<2>(u) + cuda::std::get<float>(w) + a + d; x[1] = cuda::std::apply([](float a, int b) { return a * b; }, t); }

//// ok: cuda std optional is assigned to
#include <cuda/std/optional>
__global__ void k(float* x) { cuda::std::optional<float> o; o = 3.f; o = cuda::std::nullopt; o.emplace(2.f); if (o) x[0] = *o + o.value_or(1.f); o.reset(); if (!o.has_value() && o == cuda::std::nullopt) x[1] = 1; }

//// refused: a cuda std pair from a text
#include <cuda/std/utility>
__global__ void k(float* x) { cuda::std::pair<float, int> p; p = "text"; x[0] = p.first; }
