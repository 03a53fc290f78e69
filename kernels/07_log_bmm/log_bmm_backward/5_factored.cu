// Rung 5 of 7: an exponential for each input, in wide tiles with moving shifts, and a guard.
//
// Both gradients are matrix products: grad_a = exp(a) * sum over j of (grad_out * exp(-out)) * exp(b), and grad_b is
// the same with rows and columns exchanged. So the sums are those of the forward pass from rung 7 on, with a weight
// beside the exponents of one side. A line is a row of out and of b for grad_a, a column of out and of a for grad_b;
// the shifts of both come back at the end, in exp(x + r + c), x being the input whose gradient this is.
//
// The guard is another one, for a sum with signs may be small and right: exp(x + r + c) says how much of a gradient a
// lost product could have been. One large element makes that large, so the factors are multiplied by 2^40, to use a
// float's range above 1 as well. Sums may be so large then that exp(old - new) comes as its root, twice.
// docs/numerics.md has all the bounds.
//
// On an H200, batch=8 n=512 m=512 p=512: 4_register_tiles 1.15 ms, 5_factored 199 us.

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
    __device__ void go_to(std::int64_t member) {
        out += member * lines * terms, grad += member * lines * terms, other += member * m * terms;
        x += member * lines * m, to += member * lines * m;
    }
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

template <bool kAlongRow, bool kVectors>
__global__ void __launch_bounds__(kThreads, 1) gradient(Task task) {
    alignas(16) __shared__ Panel lefts, rights;
    alignas(16) __shared__ float of_rows[kTile], of_cols[kTile];  // what sums are multiplied by; then, shifts
    int across = (task.m - 1) / kTile + 1, tiles = ((task.lines - 1) / kTile + 1) * across;
    int top = blockIdx.x % tiles / across * kTile, left = blockIdx.x % across * kTile;
    task.go_to(blockIdx.x / tiles);
    std::int64_t stride = kAlongRow ? task.out_line : task.out_step;
    Line<kAlongRow, kVectors> outs(task.out, task.lines, stride, top), grads(task.grad, task.lines, stride, top);
    Line<kAlongRow, kVectors> others(task.other, task.m, kAlongRow ? task.other_line : task.other_step, left);
    Place place;

    Sums sum = {};
    Factors factors;
    for (int steps = (task.terms - 1) % kDepth + 1, done = 0; done < task.terms; done += steps, steps = kDepth) {
        outs.load_panel(steps, INFINITY), grads.load_panel(steps, 0.0f), others.load_panel(steps, -INFINITY);
        for (float& out : outs.x) out = negated(out);
        float of_row = follow(outs), of_col = follow(others);
        __syncthreads();
#pragma unroll
        for (int e = 0; e < kEach; ++e) {
            outs.put(lefts, e, grads.x[e] * lifted_exponential(outs.x[e] - outs.shift));
            others.put(rights, e, lifted_exponential(others.x[e] - others.shift));
        }
        outs.tell(of_rows, of_row), others.tell(of_cols, of_col);
        if (__syncthreads_or(of_row != 1.0f || of_col != 1.0f)) {
            factors.take(of_rows, of_cols, place);
            factors.rescale(sum), factors.rescale(sum);
        }
#pragma unroll
        for (int k = 0; k < kDepth; ++k) {
            factors.take(lefts[k], rights[k], place);
            factors.multiply(sum);
        }
    }

    __syncthreads();
    outs.tell(of_rows, outs.shift), others.tell(of_cols, others.shift);
    __syncthreads();
    Factors shift;
    shift.take(of_rows, of_cols, place);
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

inline unsigned tiles(int batch, int lines, int m) {
    return static_cast<unsigned>(batch) * ((lines - 1) / kTile + 1) * ((m - 1) / kTile + 1);
}

extern "C" void log_bmm_backward(const float* a, const float* b, const float* out, const float* grad_out, float* grad_a,
                                 float* grad_b, int batch, int n, int m, int p, cudaStream_t stream) {
    bool vectors = aligned(a, b, out, grad_out, grad_a, grad_b) && m % 4 == 0 && p % 4 == 0;
    Task of_a = {out, grad_out, b, a, grad_a, n, m, p, p, 1, p, 1, m, 1};
    Task of_b = {out, grad_out, a, b, grad_b, p, m, n, 1, p, 1, m, 1, p};
    auto gradient_of_a = vectors ? gradient<true, true> : gradient<true, false>;
    auto gradient_of_b = vectors ? gradient<false, true> : gradient<false, false>;
    gradient_of_a<<<tiles(batch, n, m), kThreads, 0, stream>>>(of_a);
    gradient_of_b<<<tiles(batch, p, m), kThreads, 0, stream>>>(of_b);
}
