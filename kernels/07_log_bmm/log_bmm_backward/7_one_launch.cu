// Rung 7 of 7: both gradients in one launch, and small tiles for small matrices.
//
// The blocks of grad_a and of grad_b have nothing to do with each other. In one launch they fill the multiprocessors
// together, and the second need not wait for the last block of the first.
//
// Up to 128 x 128 there would be 16 wide tiles for a batch of 8, and a GPU has a hundred multiprocessors. There a
// block of 256 threads computes 16 x 16 gradients, with an exponential for each term, as on rung 3.
//
// On an H200, batch=8 n=32 m=32 p=32: 6_pipeline 22.7 us, 7_one_launch 5.54 us.
// On an H200, batch=8 n=64 m=64 p=64: 6_pipeline 37.4 us, 7_one_launch 7.94 us.
// On an H200, batch=8 n=128 m=128 p=128: 6_pipeline 56.4 us, 7_one_launch 25.5 us.
// On an H200, batch=8 n=256 m=256 p=256: 6_pipeline 91.1 us, 7_one_launch 53.2 us.
// On an H200, batch=8 n=512 m=512 p=512: 6_pipeline 169 us, 7_one_launch 163 us.

#include <algorithm>

#include "../wide_tiles.cuh"

constexpr float kSlack = 4.0f;                        // by which an exponent may exceed its shift
constexpr float kMostScale = 95.0f;                   // the log of a sum's scale: above, lost products may matter
constexpr float kLift = 40.0f, kLifted = 1ull << 40;  // factors are multiplied by 2^kLift

__device__ __forceinline__ float exponential(float x) { return exp2f(x * 1.44269504f); }

// exp(x) * 2^kLift. A multiplication by 2^kLift rounds nothing, an addition to the exponent may: that is done only
// where it makes the exponent smaller.
__device__ __forceinline__ float lifted_exponential(float x) {
    float exponent = x * 1.44269504f;
    bool low = exponent < -kLift;
    return exp2f(low ? exponent + kLift : exponent) * (low ? 1.0f : kLifted);
}

// Where out is -inf, no term has a share in it.
__device__ __forceinline__ float negated(float out) { return out == -INFINITY ? -INFINITY : -out; }

// Moves a shift that lags behind. What the sums of its line must be multiplied by then, twice: the factor itself may be
// too small for a float.
template <class AnyLine> __device__ __forceinline__ float follow(AnyLine& line) {
    float most = fminf(line.most(), FLT_MAX), old = line.shift;
    bool moves = most > old + kSlack;
    line.shift = moves ? most : old;
    return moves ? exponential(0.5f * (old - most)) : 1.0f;
}

// What a gradient is made of: lines of out and grad_out and m lines of b or a, along which the sum runs; and x, the
// input whose gradient `to` is.
struct Task {
    const float *out, *grad, *other, *x;
    float* to;
    int lines, m, terms;
    std::int64_t out_line, out_step, other_line, other_step, x_line, x_step;  // from one line, or element, to the next

    __device__ std::int64_t at(int l, int k) const { return l * x_line + k * x_step; }
};

// One gradient, with an exponential for each term.
__device__ float plain(const Task& task, int l, int k) {
    float x = task.x[task.at(l, k)], sum = 0.0f;
    for (int t = 0; t < task.terms; ++t) {
        std::int64_t at = l * task.out_line + t * task.out_step, other = k * task.other_line + t * task.other_step;
        sum += exponential(x + task.other[other] + negated(task.out[at])) * task.grad[at];
    }
    return sum;
}

struct Shared {
    alignas(16) Panel left[2], right[2];
    alignas(16) float rows[2][kTile], cols[2][kTile];  // what sums are multiplied by; then, shifts
};

template <bool kAlongRow, bool kVectors>
__device__ __forceinline__ void gradient(Shared& shared, const Task& task, int top, int left) {
    std::int64_t stride = kAlongRow ? task.out_line : task.out_step;
    Line<kAlongRow, kVectors> outs(task.out, task.lines, stride, top);
    Line<kAlongRow, kVectors> grads(task.grad, task.lines, stride, top);
    Line<kAlongRow, kVectors> others(task.other, task.m, kAlongRow ? task.other_line : task.other_step, left);
    Place place;
    float of_row = 1.0f, of_col = 1.0f;
    auto follow_both = [&] {
        for (float& out : outs.x) out = negated(out);
        of_row = follow(outs), of_col = follow(others);
    };
    auto put = [&](int buffer, int e) {
        outs.put(shared.left[buffer], e, grads.x[e] * lifted_exponential(outs.x[e] - outs.shift));
        others.put(shared.right[buffer], e, lifted_exponential(others.x[e] - others.shift));
    };

    auto load = [&](int steps) {
        outs.load_panel(steps, INFINITY), grads.load_panel(steps, 0.0f), others.load_panel(steps, -INFINITY);
    };
    int panels = (task.terms - 1) / kDepth + 1;
    load((task.terms - 1) % kDepth + 1);
    follow_both();
#pragma unroll
    for (int e = 0; e < kEach; ++e) put(0, e);
    if (panels > 1) load(kDepth);
    __syncthreads();

    Sums sum = {};
    Factors factors[2];
    factors[0].take(shared.left[0][0], shared.right[0][0], place);
    for (int panel = 0, now = 0; panel < panels; ++panel) {
        of_row = of_col = 1.0f;
        if (panel + 1 < panels) follow_both();
        bool moved = of_row != 1.0f || of_col != 1.0f, more = panel + 2 < panels;
        bool more_outs = more && outs.inside, more_others = more && others.inside;
#pragma unroll
        for (int k = 0; k < kDepth; ++k) {
            if (k < kEach) {
                put(now ^ 1, k);
                if (more_outs) outs.load(k), grads.load(k);
                if (more_others) others.load(k);
            }
            if (k == kEach) __syncwarp();  // keeps the compiler from putting the loads off until they are needed
            if (k == kDepth - 1) {
                now ^= 1;
                outs.next += kDepth * outs.step, grads.next += kDepth * grads.step;
                others.next += kDepth * others.step;
                outs.tell(shared.rows[now], of_row), others.tell(shared.cols[now], of_col);
                moved = __syncthreads_or(moved);
            }
            int next = (k + 1) % kDepth;
            factors[(k + 1) % 2].take(shared.left[now][next], shared.right[now][next], place);
            factors[k % 2].multiply(sum);
        }
        if (!moved) continue;
        factors[1].take(shared.rows[now], shared.cols[now], place);
        factors[1].rescale(sum), factors[1].rescale(sum);
    }

    outs.tell(shared.rows[0], outs.shift), others.tell(shared.cols[0], others.shift);
    __syncthreads();
    Factors shift;
    shift.take(shared.rows[0], shared.cols[0], place);
    constexpr int kStep = kVectors ? 4 : 1;  // gradients written at a time
    bool trusted = true;
#pragma unroll
    for (int u = 0; u < kOurs; ++u) {
#pragma unroll
        for (int v = 0; v < kOurs; v += kStep) {
            int l = top + place.row_of(kAlongRow ? u : v), k = left + place.col_of(kAlongRow ? v : u);
            if (l >= task.lines || k >= task.m) continue;
            std::int64_t at = task.at(l, k);
            alignas(16) float x[4], values[4];
            copy<kStep>(x, task.x + at);
            for (int i = 0; i < kStep; ++i) {
                int row = kAlongRow ? u : v + i, col = kAlongRow ? v + i : u;
                float scale = x[i] + shift.column[row] + shift.row[col], s = sum[row][col];
                bool right = scale <= kMostScale && fabsf(s) <= FLT_MAX;
                float root = exponential(0.5f * scale) * (1.0f / kLifted);
                values[i] = right ? s * root * root : NAN;  // what must be computed again
                trusted &= right;
            }
            copy<kStep>(task.to + at, values);
        }
    }
    if (trusted) return;

    // The guard.
    for (int e = 0; e < kOurs * kOurs; ++e) {
        int l = top + place.row_of(e / kOurs), k = left + place.col_of(e % kOurs);
        if (l < task.lines && k < task.m && isnan(task.to[task.at(l, k)])) task.to[task.at(l, k)] = plain(task, l, k);
    }
}

// 16 x 16 gradients, one a thread, with an exponential for each term.
constexpr int kSmallTile = 16, kSmall = 128;  // up to kSmall x kSmall, wide tiles would be too few

__device__ void small_gradient(const Task& task, int top, int left) {
    __shared__ float outs[kSmallTile][kSmallTile + 1], grads[kSmallTile][kSmallTile + 1];
    __shared__ float others[kSmallTile][kSmallTile + 1];
    int x = threadIdx.x % kSmallTile, y = threadIdx.x / kSmallTile;
    bool along_row = task.out_step == 1;  // neighbours have neighbouring elements
    int line = along_row ? y : x, step = along_row ? x : y, l = top + line, k = left + step;
    bool inside = l < task.lines && k < task.m;
    float ours = inside ? task.x[task.at(l, k)] : 0.0f, sum = 0.0f;
    for (int i = step; i - step < task.terms; i += kSmallTile) {
        bool more = i < task.terms, of_other = more && left + line < task.m;
        std::int64_t at = l * task.out_line + i * task.out_step;
        outs[step][line] = more && l < task.lines ? negated(task.out[at]) : -INFINITY;
        grads[step][line] = more && l < task.lines ? task.grad[at] : 0.0f;
        others[step][line] = of_other ? task.other[(left + line) * task.other_line + i * task.other_step] : 0.0f;
        __syncthreads();
        for (int t = 0; t < kSmallTile; ++t) {
            sum += exponential(ours + others[t][step] + outs[t][line]) * grads[t][line];
        }
        __syncthreads();
    }
    if (inside) task.to[task.at(l, k)] = sum;
}

__host__ __device__ int tiles(int lines, int m, int size) { return ((lines - 1) / size + 1) * ((m - 1) / size + 1); }

// The first blocks of a member have tiles of grad_a, the others of grad_b.
template <bool kIsSmall, bool kVectors>
__global__ void __launch_bounds__(kThreads, kIsSmall ? 4 : 1)
    gradients(const float* a, const float* b, const float* out, const float* grad_out, float* grad_a, float* grad_b,
              int n, int m, int p) {
    constexpr int kSize = kIsSmall ? kSmallTile : kTile;
    int of_a = tiles(n, m, kSize), each = of_a + tiles(p, m, kSize), tile = blockIdx.x % each;
    std::int64_t member = blockIdx.x / each;
    a += member * n * m, b += member * m * p, out += member * n * p, grad_out += member * n * p;
    grad_a += member * n * m, grad_b += member * m * p;
    bool first = tile < of_a;
    if (!first) tile -= of_a;
    int across = (m - 1) / kSize + 1, top = tile / across * kSize, left = tile % across * kSize;
    Task task = first ? Task{out, grad_out, b, a, grad_a, n, m, p, p, 1, p, 1, m, 1}
                      : Task{out, grad_out, a, b, grad_b, p, m, n, 1, p, 1, m, 1, p};
    if constexpr (kIsSmall) {
        small_gradient(task, top, left);
    } else {
        __shared__ Shared shared;
        first ? gradient<true, kVectors>(shared, task, top, left) : gradient<false, kVectors>(shared, task, top, left);
    }
}

extern "C" void log_bmm_backward(const float* a, const float* b, const float* out, const float* grad_out, float* grad_a,
                                 float* grad_b, int batch, int n, int m, int p, cudaStream_t stream) {
    bool small = std::max({n, m, p}) <= kSmall;
    bool vectors = aligned(a, b, out, grad_out, grad_a, grad_b) && m % 4 == 0 && p % 4 == 0;
    int size = small ? kSmallTile : kTile;
    auto both_gradients = small ? gradients<true, true> : vectors ? gradients<false, true> : gradients<false, false>;
    unsigned blocks = static_cast<unsigned>(batch) * (tiles(n, m, size) + tiles(p, m, size));
    both_gradients<<<blocks, kThreads, 0, stream>>>(a, b, out, grad_out, grad_a, grad_b, n, m, p);
}
