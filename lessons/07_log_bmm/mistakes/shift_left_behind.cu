// A sum is not multiplied by exp(old - new) when the shift of its row or column moves.
// Expect: wrong_result

#include <cfloat>
#include <cmath>
#include <cstdint>

constexpr int kTile = 128;  // a block's share of the result is kTile x kTile
constexpr int kDepth = 16;  // of a panel, along the sum
constexpr int kOurs = 8;    // a thread's share is kOurs x kOurs: two groups of four rows, and two of four columns
constexpr int kThreads = (kTile / kOurs) * (kTile / kOurs);
constexpr int kGroups = kOurs / 4;
constexpr int kLaneRows = 4, kLaneCols = 8;  // how the lanes of a warp lie in its tile
constexpr int kWarpsAcross = 2;
constexpr int kSmall = 16;     // matrices of up to kSmall x kSmall are no matter for tiles

constexpr float kLog2e = 1.44269504f;
constexpr float kSlack = 4.0f;          // by which an exponent may exceed its shift
constexpr float kLeastSum = 0x1p-90f;   // times the number of terms: below, lost products may matter
constexpr float kMostSum = 0x1p+60f;    // above, there was an infinity
constexpr float kMostScale = 0x1p+60f;  // of a gradient's sum

__device__ __forceinline__ float exponential(float x) { return exp2f(x * kLog2e); }

// A rows x cols matrix of exponents, and weights by which their exponentials are multiplied (or none: 1).
struct Source {
    const float *exponent, *weight;
    int rows, cols;

    __device__ Source member(std::int64_t number) const {
        std::int64_t offset = number * rows * cols;
        return {exponent + offset, weight ? weight + offset : nullptr, rows, cols};
    }
};

// The exponent that goes with a weight: the backward pass wants exp(-out), and nothing where out is -inf, for then
// nothing was added.
__device__ __forceinline__ float negated(float out) { return out == -INFINITY ? -INFINITY : -out; }

// kTile lines x kDepth of a source on their way to shared memory: the part of one thread. The sum runs along the rows
// of the source (kAlongRow), or down its columns. Threads that share a line are lanes of one warp.
template <bool kAlongRow_, bool kVectors, bool kWeights_> struct Panel {
    static constexpr bool kAlongRow = kAlongRow_, kWeights = kWeights_;
    static constexpr int kSharers = kAlongRow && !kVectors ? 8 : 2;
    static constexpr int kDistance = kAlongRow ? 1 : 16;  // between the lanes that share a line
    static constexpr int kStep = kThreads / kSharers, kLines = kTile / kStep, kEach = kDepth / kSharers;
    // Rows of shared memory are longer than a tile, so that the lanes of a warp store to 32 banks.
    static constexpr int kWidth = kTile + (kAlongRow ? 4 : 16);

    alignas(16) float exponent[kLines][kEach], weight[kWeights ? kLines : 1][kEach];
    float shift[kLines], rescale[kLines];

    __device__ Panel() {
        for (int i = 0; i < kLines; ++i) {
            shift[i] = -FLT_MAX;  // not -inf: a shift is subtracted, and -inf - -inf is no number
        }
    }

    static __device__ int line(int i) {
        int first = kAlongRow ? threadIdx.x / kSharers : threadIdx.x / 32 * 16 + threadIdx.x % 16;
        return first + i * kStep;
    }
    static __device__ int share() { return threadIdx.x / kDistance % kSharers; }
    static __device__ int depth(int e) {
        return kAlongRow && kVectors ? e / 4 * 8 + 4 * share() + e % 4 : e * kSharers + share();
    }

    __device__ __forceinline__ void load(const Source& from, int first_line, int first) {
        int lines = kAlongRow ? from.rows : from.cols, end = kAlongRow ? from.cols : from.rows;
        constexpr int kFloats = kAlongRow && kVectors ? 4 : 1;
#pragma unroll
        for (int i = 0; i < kLines; ++i) {
#pragma unroll
            for (int e = 0; e < kEach; e += kFloats) {
                int l = first_line + line(i), d = first + depth(e);
                bool inside = l < lines && d < end;
                std::int64_t far = kAlongRow ? l : d, at = far * from.cols + (kAlongRow ? d : l);
                take<kFloats>(&exponent[i][e], from.exponent + at, inside, kWeights ? INFINITY : -INFINITY);
                if constexpr (kWeights) take<kFloats>(&weight[i][e], from.weight + at, inside, 0.0f);
            }
#pragma unroll
            for (int e = 0; e < kEach && kWeights; ++e) {
                exponent[i][e] = negated(exponent[i][e]);
            }
        }
    }

    template <int kFloats>
    static __device__ __forceinline__ void take(float* to, const float* from, bool inside, float otherwise) {
        if constexpr (kFloats == 4) {
            float4 four = make_float4(otherwise, otherwise, otherwise, otherwise);
            if (inside) four = *reinterpret_cast<const float4*>(from);
            *reinterpret_cast<float4*>(to) = four;
        } else {
            *to = inside ? *from : otherwise;
        }
    }

    // Moves the shifts that lag behind. True if one did; `rescale` is then what sums must be multiplied by.
    __device__ __forceinline__ bool follow() {
        bool moved = false;
#pragma unroll
        for (int i = 0; i < kLines; ++i) {
            float most = exponent[i][0];
#pragma unroll
            for (int e = 1; e < kEach; ++e) most = fmaxf(most, exponent[i][e]);
#pragma unroll
            for (int distance = kDistance; distance < kDistance * kSharers; distance *= 2) {
                most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, distance));
            }
            most = fminf(most, FLT_MAX);
            bool moves = most > shift[i] + kSlack;
            rescale[i] = moves ? exponential(shift[i] - most) : 1.0f;
            shift[i] = moves ? most : shift[i];
            moved |= moves;
        }
        return moved;
    }

    __device__ __forceinline__ void put_exponentials(float (&tile)[kDepth][kWidth]) const {
#pragma unroll
        for (int i = 0; i < kLines; ++i) {
#pragma unroll
            for (int e = 0; e < kEach; ++e) {
                float value = exponential(exponent[i][e] - shift[i]);
                tile[depth(e)][line(i)] = kWeights ? weight[kWeights ? i : 0][e] * value : value;
            }
        }
    }

    // As they are: exponents into one tile, weights, if any, into the other.
    __device__ void put(float (&tile)[2][kDepth][kWidth]) const {
        for (int i = 0; i < kLines; ++i) {
            for (int e = 0; e < kEach; ++e) {
                tile[0][depth(e)][line(i)] = exponent[i][e];
                if (kWeights) tile[1][depth(e)][line(i)] = weight[kWeights ? i : 0][e];
            }
        }
    }

    // One number a line, shift or rescale, for all threads to see.
    __device__ void tell(float* to, const float (&numbers)[kLines]) const {
        for (int i = 0; i < kLines; ++i) {
            if (share() == 0) to[line(i)] = numbers[i];
        }
    }
};

// Eight floats of shared memory, in two groups of four that are `apart` floats from each other.
__device__ __forceinline__ void take(float (&to)[kOurs], const float* from, int apart) {
#pragma unroll
    for (int g = 0; g < kGroups; ++g) {
        *reinterpret_cast<float4*>(to + 4 * g) = *reinterpret_cast<const float4*>(from + g * apart);
    }
}

using Sums = float[kOurs][kOurs];

// sum += column * row, to and fro: each product has a factor of the one before it.
__device__ __forceinline__ void multiply(Sums& sum, const float (&column)[kOurs], const float (&row)[kOurs]) {
#pragma unroll
    for (int p = 0; p < kOurs; ++p) {
#pragma unroll
        for (int i = 0; i < kOurs; ++i) {
            int q = p % 2 == 0 ? i : kOurs - 1 - i;
            sum[p][q] += column[p] * row[q];
        }
    }
}

// Where our outputs lie. Bits 0 and 3 of the lane count rows, bits 1, 2 and 4 columns, so that a load takes two turns.
struct Place {
    int top, left;  // of the block's tile
    int row, col;   // of our first output, within the tile

    __device__ Place(int top, int left) : top(top), left(left) {
        int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        row = warp / kWarpsAcross * kLaneRows * kOurs + 4 * ((lane & 1) | (lane >> 2 & 2));
        col = warp % kWarpsAcross * kLaneCols * kOurs + 4 * ((lane >> 1 & 3) | (lane >> 2 & 4));
    }
    __device__ int row_of(int p) const { return row + p / 4 * kDown + p % 4; }
    __device__ int col_of(int q) const { return col + q / 4 * kAcross + q % 4; }

    static constexpr int kDown = 4 * kLaneRows, kAcross = 4 * kLaneCols;  // from one group of four to the next
};

// ---- what becomes of the sums ----

// The forward pass: out = r + c + log(sum).
struct LogSum {
    static constexpr bool kReads = false;
    const float* x;  // nothing
    float* to;

    static __device__ float finish(float sum, float shifts, float) { return shifts + logf(sum); }

    // `nothing`: all of the row, or all of the column, is -inf.
    static __device__ bool trusts(float sum, float, float, int terms, bool nothing) {
        return (sum >= kLeastSum * terms && sum <= kMostSum) || (nothing && sum == 0.0f);
    }

    // One output without factors: an exponential for each term, as on rung 2.
    struct Output {
        float shift = -FLT_MAX, sum = 0.0f;

        __device__ explicit Output(float = 0.0f) {}
        __device__ __forceinline__ void add(float left, float right, float) {
            float term = left + right;
            if (term > shift) {
                float higher = fminf(term, FLT_MAX);
                sum *= exponential(shift - higher);
                shift = higher;
            }
            sum += exponential(term - shift);
        }
        __device__ float value() const { return shift + logf(sum); }
    };
};

// The backward pass: exp(x + r + c) * sum, x being the input whose gradient this is.
struct Gradient {
    static constexpr bool kReads = true;
    const float* x;
    float* to;

    static __device__ float finish(float sum, float shifts, float x) { return exponential(x + shifts) * sum; }

    static __device__ bool trusts(float, float shifts, float x, int, bool) {
        return exponential(x + shifts) <= kMostScale;
    }

    struct Output {
        float x = 0.0f, sum = 0.0f;

        Output() = default;
        __device__ explicit Output(float x) : x(x) {}
        __device__ __forceinline__ void add(float left, float right, float weight) {
            sum += weight * exponential(x + right + left);
        }
        __device__ float value() const { return sum; }
    };
};

// ---- the product ----

// Calls each(p, q, where) for every four of our outputs that lie inside, or, without vectors, for each one.
template <bool kVectors, class Each> __device__ void for_each(const Place& place, int height, int width, Each each) {
#pragma unroll
    for (int p = 0; p < kOurs; ++p) {
#pragma unroll
        for (int q = 0; q < kOurs; q += 4) {
            int row = place.top + place.row_of(p), col = place.left + place.col_of(q);
            std::int64_t at = static_cast<std::int64_t>(row) * width + col;
#pragma unroll
            for (int i = 0; i < 4; i += kVectors ? 4 : 1) {
                if (row < height && col + i < width) each(p, q + i, at + i);
            }
        }
    }
}

template <bool kVectors> __device__ void copy(float* to, const float* from) {
    if constexpr (kVectors) {
        *reinterpret_cast<float4*>(to) = *reinterpret_cast<const float4*>(from);
    } else {
        *to = *from;
    }
}

// A panel's terms one by one. `as` and `bs` hold exponents in their first tile, and weights in their second, if any.
template <class Rows, class Cols, class Output, class As, class Bs>
__device__ void add_terms(Output (&output)[kOurs][kOurs], const As& as, const Bs& bs, const Place& place) {
#pragma unroll 1
    for (int k = 0; k < kDepth; ++k) {
        float column[kOurs], row[kOurs], weights[kOurs];
        take(column, &as[0][k][place.row], Place::kDown);
        take(row, &bs[0][k][place.col], Place::kAcross);
        if constexpr (Rows::kWeights) take(weights, &as[1][k][place.row], Place::kDown);
        if constexpr (Cols::kWeights) take(weights, &bs[1][k][place.col], Place::kAcross);
#pragma unroll
        for (int p = 0; p < kOurs; ++p) {
#pragma unroll
            for (int q = 0; q < kOurs; ++q) {
                float weight = Rows::kWeights ? weights[p] : Cols::kWeights ? weights[q] : 1.0f;
                output[p][q].add(column[p], row[q], weight);
            }
        }
    }
}

template <class Rows, class Cols, class Result, bool kVectors>
__global__ void __launch_bounds__(kThreads, 1) product(Source left, Source right, Result result) {
    __shared__ float4 room_for_rows[2 * kDepth * Rows::kWidth / 4], room_for_cols[2 * kDepth * Cols::kWidth / 4];
    __shared__ float of_rows[kTile], of_cols[kTile];  // shifts, or what sums are multiplied by
    auto& as = *reinterpret_cast<float(*)[2][kDepth][Rows::kWidth]>(room_for_rows);
    auto& bs = *reinterpret_cast<float(*)[2][kDepth][Cols::kWidth]>(room_for_cols);

    int height = Rows::kAlongRow ? left.rows : left.cols, width = Cols::kAlongRow ? right.rows : right.cols;
    int terms = Rows::kAlongRow ? left.cols : left.rows;
    unsigned down = (height - 1) / kTile + 1, across = (width - 1) / kTile + 1;
    unsigned number = blockIdx.x / (down * across), within = blockIdx.x % (down * across);
    left = left.member(number);
    right = right.member(number);
    std::int64_t offset = static_cast<std::int64_t>(number) * height * width;
    result = {Result::kReads ? result.x + offset : nullptr, result.to + offset};
    Place place(within / across * kTile, within % across * kTile);

    Rows rows;
    Cols cols;
    auto load = [&](int first) {
        rows.load(left, place.top, first);
        cols.load(right, place.left, first);
    };
    auto put_exponentials = [&](int buffer) {
        bool moved = rows.follow();
        moved |= cols.follow();
        rows.put_exponentials(as[buffer]);
        cols.put_exponentials(bs[buffer]);
        return __syncthreads_or(moved);
    };
    auto share = [&](const auto& numbers_of_rows, const auto& numbers_of_cols) {
        rows.tell(of_rows, numbers_of_rows);
        cols.tell(of_cols, numbers_of_cols);
        __syncthreads();
    };
    float column[2][kOurs], row[2][kOurs];
    auto take_both = [&](int to, int buffer, int k) {
        take(column[to], &as[buffer][k][place.row], Place::kDown);
        take(row[to], &bs[buffer][k][place.col], Place::kAcross);
    };

    alignas(16) Sums sum = {};
    load(0);
    put_exponentials(0);
    take_both(0, 0, 0);
    int buffer = 0;
    for (int first = kDepth; first < terms + kDepth; first += kDepth) {
        load(first);
        int moved = 0;
#pragma unroll
        for (int k = 0; k < kDepth; ++k) {
            if (k == kDepth - 1) {
                buffer ^= 1;
                moved = put_exponentials(buffer);
            }
            take_both((k + 1) % 2, buffer, (k + 1) % kDepth);
            multiply(sum, column[k % 2], row[k % 2]);
        }
        if (moved) {
            share(rows.rescale, cols.rescale);
#pragma unroll
            for (int p = 0; p < kOurs; ++p) {
#pragma unroll
                for (int q = 0; q < kOurs; ++q) sum[p][q] *= 1.0f;
            }
        }
    }

    __syncthreads();  // of_rows may still be read
    share(rows.shift, cols.shift);
    alignas(16) Sums x = {};
    if constexpr (Result::kReads) {
        for_each<kVectors>(place, height, width, [&](int p, int q, std::int64_t at) {
            copy<kVectors>(&x[p][q], result.x + at);
        });
    }
    bool trusted = true;
#pragma unroll
    for (int p = 0; p < kOurs; ++p) {
#pragma unroll
        for (int q = 0; q < kOurs; ++q) {
            float r = of_rows[place.row_of(p)], c = of_cols[place.col_of(q)];
            bool inside = place.top + place.row_of(p) < height && place.left + place.col_of(q) < width;
            trusted &= !inside || result.trusts(sum[p][q], r + c, x[p][q], terms, r == -FLT_MAX || c == -FLT_MAX);
            sum[p][q] = result.finish(sum[p][q], r + c, x[p][q]);
        }
    }
    if (__syncthreads_or(!trusted)) {
        typename Result::Output output[kOurs][kOurs];
#pragma unroll
        for (int p = 0; p < kOurs; ++p) {
#pragma unroll
            for (int q = 0; q < kOurs; ++q) output[p][q] = typename Result::Output(x[p][q]);
        }
        for (int first = 0; first < terms; first += kDepth) {
            load(first);
            __syncthreads();
            rows.put(as);
            cols.put(bs);
            __syncthreads();
            add_terms<Rows, Cols>(output, as, bs, place);
        }
#pragma unroll
        for (int p = 0; p < kOurs; ++p) {
#pragma unroll
            for (int q = 0; q < kOurs; ++q) sum[p][q] = output[p][q].value();
        }
    }
    for_each<kVectors>(place, height, width, [&](int p, int q, std::int64_t at) {
        copy<kVectors>(result.to + at, &sum[p][q]);
    });
}

// For matrices that would leave most of a tile empty: one output a thread.
template <class Rows, class Cols, class Result>
__global__ void one_by_one(Source left, Source right, Result result, int height, int width, int terms,
                           std::int64_t outputs) {
    std::int64_t at = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (at >= outputs) return;
    std::int64_t number = at / width / height;
    left = left.member(number);
    right = right.member(number);
    int row = at / width % height, col = at % width;
    typename Result::Output output(Result::kReads ? result.x[at] : 0.0f);
    for (int k = 0; k < terms; ++k) {
        int of_left = Rows::kAlongRow ? row * terms + k : k * height + row;
        int of_right = Cols::kAlongRow ? col * terms + k : k * width + col;
        float u = left.exponent[of_left], v = right.exponent[of_right], weight = 1.0f;
        if constexpr (Rows::kWeights) u = negated(u), weight = left.weight[of_left];
        if constexpr (Cols::kWeights) v = negated(v), weight = right.weight[of_right];
        output.add(u, v, weight);
    }
    result.to[at] = output.value();
}

template <class Rows, class Cols, class Result, bool kVectors>
void launch(Source left, Source right, Result result, int batch, int height, int width, int terms,
            cudaStream_t stream) {
    if (height <= kSmall && width <= kSmall && terms <= kSmall) {
        std::int64_t outputs = static_cast<std::int64_t>(batch) * height * width;
        unsigned blocks = (outputs - 1) / kThreads + 1;
        auto kernel = one_by_one<Rows, Cols, Result>;
        kernel<<<blocks, kThreads, 0, stream>>>(left, right, result, height, width, terms, outputs);
    } else {
        unsigned down = (height - 1) / kTile + 1, across = (width - 1) / kTile + 1;
        product<Rows, Cols, Result, kVectors><<<batch * down * across, kThreads, 0, stream>>>(left, right, result);
    }
}

template <bool kVectors>
void forward(const float* a, const float* b, float* out, int batch, int n, int m, int p, cudaStream_t stream) {
    using Rows = Panel<true, kVectors, false>;
    using Cols = Panel<false, kVectors, false>;
    Source of_a = {a, nullptr, n, m}, of_b = {b, nullptr, m, p};
    launch<Rows, Cols, LogSum, kVectors>(of_a, of_b, {nullptr, out}, batch, n, p, m, stream);
}

template <bool kVectors>
void backward(const float* a, const float* b, const float* out, const float* grad_out, float* grad_a, float* grad_b,
              int batch, int n, int m, int p, cudaStream_t stream) {
    Source of_a = {a, nullptr, n, m}, of_b = {b, nullptr, m, p}, of_out = {out, grad_out, n, p};
    using OutRows = Panel<true, kVectors, true>;
    using OutCols = Panel<false, kVectors, true>;
    using RowsOfB = Panel<true, kVectors, false>;
    using ColsOfA = Panel<false, kVectors, false>;
    launch<OutRows, RowsOfB, Gradient, kVectors>(of_out, of_b, {a, grad_a}, batch, n, m, p, stream);
    launch<ColsOfA, OutCols, Gradient, kVectors>(of_a, of_out, {b, grad_b}, batch, m, p, n, stream);
}

template <class... Pointers> bool aligned(Pointers... pointers) {
    return ((reinterpret_cast<std::uintptr_t>(pointers) % sizeof(float4) == 0) && ...);
}

extern "C" void log_bmm(const float* a, const float* b, float* out, int batch, int n, int m, int p,
                        cudaStream_t stream) {
    bool vectors = aligned(a, b, out) && m % 4 == 0 && p % 4 == 0;
    auto run = vectors ? forward<true> : forward<false>;
    run(a, b, out, batch, n, m, p, stream);
}

extern "C" void log_bmm_backward(const float* a, const float* b, const float* out, const float* grad_out, float* grad_a,
                                 float* grad_b, int batch, int n, int m, int p, cudaStream_t stream) {
    bool vectors = aligned(a, b, out, grad_out, grad_a, grad_b) && m % 4 == 0 && p % 4 == 0;
    auto run = vectors ? backward<true> : backward<false>;
    run(a, b, out, grad_out, grad_a, grad_b, batch, n, m, p, stream);
}
