// cuda::pipeline, cuda::barrier and cuda::memcpy_async in kernels that are graded, and cuda::std.
#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/cmath>
#include <cuda/pipeline>
#include <cuda/std/array>
#include <cuda/std/bit>
#include <cuda/std/optional>
#include <cuda/std/tuple>
#include <cuda/std/utility>

namespace cg = cooperative_groups;
constexpr int kThreads = 64, kStages = 2;
using Block = cuda::barrier<cuda::thread_scope_block>;
using State = cuda::pipeline_shared_state<cuda::thread_scope_block, kStages>;
static_assert(sizeof(Block) == 8 && alignof(Block) == 8 && sizeof(Block::arrival_token) == 8 && sizeof(State) == 40, "as on a GPU");

enum class Forgets { Nothing, Wait, Release, Arrival, Init };

// Stages that all threads fill and read, three tiles under way one after another.
template <Forgets forgets> __global__ void staged(const float* x, float* z, int tiles) {
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> state;
    __shared__ alignas(16) float tile[kStages][kThreads];
    const auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    int ahead = 0;
    for (int t = 0; t < tiles; ++t) {
        for (; ahead < tiles && ahead < t + kStages; ++ahead) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, tile[ahead % kStages], x + kThreads * ahead, cuda::aligned_size_t<16>(sizeof(tile[0])), pipe);
            pipe.producer_commit();
        }
        if (forgets != Forgets::Wait) pipe.consumer_wait();
        z[kThreads * t + threadIdx.x] = tile[t % kStages][kThreads - 1 - threadIdx.x];  // staged
        if (forgets != Forgets::Release) pipe.consumer_release();
    }
}
extern "C" void run_staged(const float* x, float* z, int tiles, cudaStream_t stream) { staged<Forgets::Nothing><<<1, kThreads, 0, stream>>>(x, z, tiles); }
extern "C" void unwaited(const float* x, float* z, int tiles, cudaStream_t stream) { staged<Forgets::Wait><<<1, kThreads, 0, stream>>>(x, z, tiles); }
extern "C" void unreleased(const float* x, float* z, int tiles, cudaStream_t stream) { staged<Forgets::Release><<<1, kThreads, 0, stream>>>(x, z, tiles); }

// A thread's own pipeline: what the others copied needs a barrier besides.
template <bool waits, bool meets> __global__ void own(const float* x, float* z, int tiles) {
    __shared__ float tile[kStages][kThreads];
    auto pipe = cuda::make_pipeline();
    int ahead = 0;
    for (int t = 0; t < tiles; ++t) {
        for (; ahead < tiles && ahead < t + kStages; ++ahead) {
            pipe.producer_acquire();
            cuda::memcpy_async(&tile[ahead % kStages][threadIdx.x], x + kThreads * ahead + threadIdx.x, sizeof(float), pipe);
            pipe.producer_commit();
        }
        if (waits) pipe.consumer_wait();
        if (meets) __syncthreads();
        z[kThreads * t + threadIdx.x] = tile[t % kStages][kThreads - 1 - threadIdx.x];  // own
        __syncthreads();
        pipe.consumer_release();
    }
}
extern "C" void run_own(const float* x, float* z, int tiles, cudaStream_t stream) { own<true, true><<<1, kThreads, 0, stream>>>(x, z, tiles); }
extern "C" void own_unwaited(const float* x, float* z, int tiles, cudaStream_t stream) { own<false, true><<<1, kThreads, 0, stream>>>(x, z, tiles); }
extern "C" void own_alone(const float* x, float* z, int tiles, cudaStream_t stream) { own<true, false><<<1, kThreads, 0, stream>>>(x, z, tiles); }

// A barrier to which copies are bound.
template <Forgets forgets> __global__ void bound(const float* x, float* z, int tiles) {
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ Block barrier;
    __shared__ float tile[kThreads];
    const auto block = cg::this_thread_block();
    if (threadIdx.x == 0) init(&barrier, kThreads + (forgets == Forgets::Arrival));
    if (forgets != Forgets::Init) block.sync();
    for (int t = 0; t < tiles; ++t) {
        cuda::memcpy_async(block, tile, x + kThreads * t, sizeof(tile), barrier);
        auto token = barrier.arrive();
        if (forgets != Forgets::Wait) barrier.wait(std::move(token));
        z[kThreads * t + threadIdx.x] = tile[kThreads - 1 - threadIdx.x];  // bound
        barrier.arrive_and_wait();
    }
}
extern "C" void run_bound(const float* x, float* z, int tiles, cudaStream_t stream) { bound<Forgets::Nothing><<<1, kThreads, 0, stream>>>(x, z, tiles); }
extern "C" void bound_unwaited(const float* x, float* z, int tiles, cudaStream_t stream) { bound<Forgets::Wait><<<1, kThreads, 0, stream>>>(x, z, tiles); }
extern "C" void one_too_many(const float* x, float* z, int tiles, cudaStream_t stream) { bound<Forgets::Arrival><<<1, kThreads, 0, stream>>>(x, z, tiles); }
extern "C" void not_begun(const float* x, float* z, int tiles, cudaStream_t stream) { bound<Forgets::Init><<<1, kThreads, 0, stream>>>(x, z, tiles); }

// One warp copies, the others compute.
__global__ void in_roles(const float* x, float* z, int tiles) {
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> state;
    __shared__ float tile[kStages][kThreads];
    const auto block = cg::this_thread_block();
    const bool copies = threadIdx.x < 32;
    auto pipe = cuda::make_pipeline(block, &state, copies ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
    for (int t = 0; t < tiles; ++t) {
        if (copies) {
            pipe.producer_acquire();
            for (int i = threadIdx.x; i < kThreads; i += 32)
                cuda::memcpy_async(&tile[t % kStages][i], x + kThreads * t + i, sizeof(float), pipe);
            pipe.producer_commit();
        } else {
            pipe.consumer_wait();
            z[kThreads * t + threadIdx.x - 32] = tile[t % kStages][kThreads - 1 - (threadIdx.x - 32)];
            pipe.consumer_release();
        }
    }
}
extern "C" void run_roles(const float* x, float* z, int tiles, cudaStream_t stream) { in_roles<<<1, kThreads + 32, 0, stream>>>(x, z, tiles); }

__global__ void standard(int* z) {
    cuda::std::array<int, 3> numbers = {40, 1, 12};
    cuda::std::swap(numbers[0], numbers[2]);
    const auto pair = cuda::std::make_tuple(numbers[0], numbers[2]);
    z[0] = cuda::std::get<0>(pair) - cuda::std::get<1>(pair);
    z[1] = cuda::std::bit_cast<int>(1.0f);
    z[2] = cuda::std::popcount(40u) + 10 * cuda::std::countr_zero(40u) + 100 * cuda::std::countl_zero(40u);
    z[3] = cuda::std::countl_zero(static_cast<unsigned char>(0)) + cuda::std::has_single_bit(8u);
    z[4] = cuda::ceil_div(65, 32) + 10 * cuda::ceil_div(64u, 32);
}
// Pairs, tuples and optionals are assigned to, which the constexpr functions of C++17 do not do.
__global__ void assigned(int* z) {
    cuda::std::pair<int, int> p{1, 2}, q;
    q = p;
    p = cuda::std::make_pair(3, 4);
    cuda::std::swap(p, q);
    z[0] = p.first + 10 * p.second + 100 * cuda::std::get<0>(q) + 1000 * q.second + 10000 * (p < q) + 20000 * (p == q);
    cuda::std::tuple<int, long> t{5, 6};
    t = p;
    int a;
    long b;
    cuda::std::tie(a, b) = t;
    t = cuda::std::make_tuple(7, 8);
    auto& [c, d] = t;
    c += 1;
    z[1] = a + 10 * b + 100 * cuda::std::get<int>(t) + 1000 * d;
    auto all = cuda::std::tuple_cat(t, q, cuda::std::make_tuple(9));
    z[2] = cuda::std::apply([](int a, int b, int c, int d, int e) { return a + 10 * b + 100 * c + 1000 * d + 10000 * e; }, all);
    cuda::std::optional<int> found;
    z[3] = found.value_or(3);
    found = 4;
    z[3] += 10 * *found + 100 * found.has_value();
    found.emplace(5);
    z[3] += 1000 * found.value();
    found = cuda::std::nullopt;
    z[3] += 10000 * !found;
    cuda::std::tie(a, b) = cuda::std::make_tuple(2, 3);
    cuda::std::tuple pairs{a, 1};
    z[4] = a + 10 * (pairs < cuda::std::make_tuple(2, 2)) + 100 * cuda::std::tuple_size_v<decltype(all)>;
}
extern "C" void run_assigned(int* z, cudaStream_t stream) { assigned<<<1, 1, 0, stream>>>(z); }
extern "C" void run_standard(int* z, cudaStream_t stream) { standard<<<1, 1, 0, stream>>>(z); }

__global__ void told(int* z) {
    cuda::atomic_ref<int, cuda::thread_scope_device> word(z[0]), bits(z[1]);
    if (threadIdx.x == 0) z[0] = z[1] = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        bits |= 6;
        bits &= 3;
        bits ^= 8;
        word.store(5);
        word.notify_all();
    }
    word.wait(0);
    z[2 + threadIdx.x] = word.load() + bits.load();
}
extern "C" void run_told(int* z, cudaStream_t stream) { told<<<1, 40, 0, stream>>>(z); }
