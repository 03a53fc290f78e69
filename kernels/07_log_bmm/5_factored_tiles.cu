// Rung 5 of 5: factored tiles, with a guard.
//
// exp(a + b) = exp(a) * exp(b): exponentials of the two inputs and a matrix product, instead of an exponential for
// each of the n * m * p terms. Only where to take the maximum is hard: it must be subtracted from a and b one by one.
//
// - Each row of a block's tile has a shift r, each column a shift c. While a panel of a or b goes into shared memory,
//   it becomes exp(a - r) or exp(b - c), and the inner loop is that of lesson 04: sum += left * right.
// - A shift is the largest exponent of its row so far, or up to kSlack less. When one is left further behind, it moves,
//   and the sums that it belongs to are multiplied by exp(old - new): the merge of lesson 06, for a whole row.
// - The guard. Where the maxima of a row and a column do not meet, all products may be too small for a float. Such a
//   sum shows itself: it is so small that lost products could matter. Then the block computes such rows again, with an
//   exponential for each term, as rung 4 does. That takes as long as rung 4, or longer, so it must be rare.
//
// The backward pass is the same product: grad_a = exp(a) * sum over j of (grad_out * exp(-out)) * exp(b). It needs a
// weight beside the exponent on one side, and another guard, for a sum with signs may be small and right:
// exp(a + r + c) says how much of a gradient a lost product could have been. One large element makes that large, so
// the factors are multiplied by 2^40, to use a float's range above 1 as well. docs/numerics.md has all the bounds.
//
// Measured on an H200 at 8 x 512^3: 69 us, 0.78 times as fast as the plain product through cuBLAS and 1.9 times as fast
// as the shifted one; backward 174 us. Where every tile is computed again: 0.93 ms forward, 1.6 ms backward. Of four
// instructions of the loop three are multiplications. What did not help stands in lessons/07_log_bmm/README.md.

#include <cfloat>
#include <cmath>
#include <cstdint>
#include <type_traits>

constexpr int kTile = 128;                   // a block's share of the result is kTile x kTile
constexpr int kDepth = 16;                   // of a panel, along the sum
constexpr int kParts = 8;                    // a panel is exchanged for the next one in parts, between multiplications
constexpr int kOurs = 8;                     // a thread's share is kOurs x kOurs, in groups of four rows and columns
constexpr int kLaneRows = 4, kLaneCols = 8;  // how the lanes of a warp lie in its tile
constexpr int kThreads = (kTile / kOurs) * (kTile / kOurs);
constexpr int kWarpsAcross = kTile / (kLaneCols * kOurs);
constexpr int kSmall = 16;  // matrices of up to kSmall x kSmall are no matter for tiles

constexpr float kLog2e = 1.44269504f;
constexpr float kSlack = 4.0f;          // by which an exponent may exceed its shift
constexpr float kLeastSum = 0x1p-113f;  // times the number of terms: below, lost products may matter
constexpr float kMostScale = 95.0f;     // the log of what a gradient's sum is multiplied by: above, they may matter

__device__ __forceinline__ float exponential(float x) { return exp2f(x * kLog2e); }

// exp(x) * 2^kLift. A multiplication by 2^kLift rounds nothing, an addition to the exponent may: that is done only
// where it makes the exponent smaller.
template <int kLift> __device__ __forceinline__ float lifted_exponential(float x) {
    constexpr float kLifted = 1ull << kLift;
    float exponent = x * kLog2e;
    if constexpr (kLift == 0) return exp2f(exponent);
    bool low = exponent < -kLift;
    return exp2f(low ? exponent + kLift : exponent) * (low ? 1.0f : kLifted);
}

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
template <bool kAlongRow_, bool kVectors, bool kWeights_, int kLift> struct Panel {
    static constexpr bool kAlongRow = kAlongRow_, kWeights = kWeights_;
    static constexpr int kTimes = kLift > 0 ? 2 : 1;  // by the root, twice, where the factor may be too small
    static constexpr int kSharers = kAlongRow && !kVectors ? 8 : 2;  // of a line
    static constexpr int kDistance = kAlongRow ? 1 : 16;             // between the lanes that share a line
    static constexpr int kStep = kThreads / kSharers, kLines = kTile / kStep, kEach = kDepth / kSharers;
    static constexpr int kFloats = kAlongRow && kVectors ? 4 : 1;  // loaded at a time
    // Rows of shared memory are longer than a tile, so that the lanes of a warp store to 32 banks.
    static constexpr int kRow = kTile + (kAlongRow ? 4 : 16);
    using Tile = float[kDepth][kRow];

    alignas(16) float exponent[kLines][kEach], weight[kWeights ? kLines : 1][kEach];
    float shift[kLines], rescale[kLines];
    const float *next, *next_weight;
    int cols, lines_left, depth_left;

    __device__ Panel() {
        for (int i = 0; i < kLines; ++i) {
            shift[i] = -FLT_MAX;  // not -inf: a shift is subtracted, and -inf - -inf is no number
        }
    }

    // Of our i-th line and e-th element, within the panel; and how far they are from our first.
    static __device__ int line(int i) {
        int first = kAlongRow ? threadIdx.x / kSharers : threadIdx.x / 32 * kDistance + threadIdx.x % kDistance;
        return first + i * kStep;
    }
    static constexpr __device__ int down(int e) { return e / kFloats * kFloats * kSharers + e % kFloats; }
    static __device__ int share() { return threadIdx.x / kDistance % kSharers; }
    static __device__ int depth(int e) { return down(e) + kFloats * share(); }
    static constexpr __device__ int part_of(int i, int e) { return (i * kEach + e) * kParts / (kLines * kEach); }

    // Goes to the beginning of the lines from `first_line` on. True if all lines and panels are whole.
    __device__ bool start(const Source& from, int first_line) {
        int lines = kAlongRow ? from.rows : from.cols, terms = kAlongRow ? from.cols : from.rows;
        cols = from.cols;
        lines_left = lines - first_line - line(0);
        depth_left = terms - depth(0);
        std::int64_t l = first_line + line(0), d = depth(0), at = kAlongRow ? l * cols + d : d * cols + l;
        next = from.exponent + at;
        next_weight = from.weight + at;
        return lines - first_line >= kTile && terms % kDepth == 0;
    }

    // Takes part of the next panel, which lies inside unless it is guarded.
    template <bool kGuarded> __device__ __forceinline__ void load(int part) {
#pragma unroll
        for (int i = 0; i < kLines; ++i) {
#pragma unroll
            for (int e = 0; e < kEach; e += kFloats) {
                if (part_of(i, e + kFloats - 1) != part) continue;
                bool inside = !kGuarded || (i * kStep < lines_left && down(e) < depth_left);
                std::int64_t far = kAlongRow ? i * kStep : down(e), near = kAlongRow ? down(e) : i * kStep;
                std::int64_t at = far * cols + near;
                take(&exponent[i][e], next + at, inside, kWeights ? INFINITY : -INFINITY);
                if constexpr (kWeights) take(&weight[i][e], next_weight + at, inside, 0.0f);
            }
        }
    }
    __device__ __forceinline__ void advance() {
        std::int64_t step = kAlongRow ? kDepth : static_cast<std::int64_t>(kDepth) * cols;
        next += step;
        next_weight += step;
        depth_left -= kDepth;
    }

    static __device__ __forceinline__ void take(float* to, const float* from, bool inside, float otherwise) {
        struct alignas(4 * kFloats) Piece {
            float floats[kFloats];
        };
        Piece piece;
        for (float& one : piece.floats) one = otherwise;
        if (inside) piece = *reinterpret_cast<const Piece*>(from);
        *reinterpret_cast<Piece*>(to) = piece;
    }

    // Moves the shifts that lag behind. True if one did; `rescale` is then what sums must be multiplied by, kTimes.
    __device__ __forceinline__ bool follow() {
        bool moved = false;
#pragma unroll
        for (int i = 0; i < kLines; ++i) {
            float most = -INFINITY;
#pragma unroll
            for (int e = 0; e < kEach; ++e) {
                if (kWeights) exponent[i][e] = negated(exponent[i][e]);
                most = fmaxf(most, exponent[i][e]);
            }
#pragma unroll
            for (int distance = kDistance; distance < kDistance * kSharers; distance *= 2) {
                most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, distance));
            }
            most = fminf(most, FLT_MAX);
            bool moves = most > shift[i] + kSlack;
            rescale[i] = moves ? exponential((shift[i] - most) / kTimes) : 1.0f;
            shift[i] = moves ? most : shift[i];
            moved |= moves;
        }
        return moved;
    }

    __device__ __forceinline__ void put_exponentials(Tile& tile, int part) const {
#pragma unroll
        for (int i = 0; i < kLines; ++i) {
#pragma unroll
            for (int e = 0; e < kEach; ++e) {
                if (part_of(i, e) != part) continue;
                float value = lifted_exponential<kLift>(exponent[i][e] - shift[i]);
                tile[depth(e)][line(i)] = kWeights ? weight[kWeights ? i : 0][e] * value : value;
            }
        }
    }

    // As they are: exponents into one tile, weights, if any, into the other.
    __device__ void put(Tile (&tiles)[2]) const {
        for (int i = 0; i < kLines; ++i) {
            for (int e = 0; e < kEach; ++e) {
                tiles[0][depth(e)][line(i)] = kWeights ? negated(exponent[i][e]) : exponent[i][e];
                if (kWeights) tiles[1][depth(e)][line(i)] = weight[kWeights ? i : 0][e];
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

// Floats of shared memory, in groups of four that are `apart` floats from each other.
template <int kCount> __device__ __forceinline__ void take(float (&to)[kCount], const float* from, int apart) {
#pragma unroll
    for (int g = 0; g < kCount / 4; ++g) {
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

// True if a lane of the warp has a number that is not 1.
template <int kCount> __device__ __forceinline__ bool any_moved(const float (&factors)[kCount]) {
    bool moved = false;
    for (float factor : factors) moved |= factor != 1.0f;
    return __any_sync(0xffffffff, moved);
}

// Multiplies the sums of rows and columns whose shift has moved.
template <int kTimes>
__device__ __forceinline__ void rescale(Sums& sum, const float* of_rows, const float* of_cols, const Place& place) {
    float column[kOurs], row[kOurs];
    take(column, of_rows + place.row, Place::kDown);
    take(row, of_cols + place.col, Place::kAcross);
    if (any_moved(column)) {
#pragma unroll
        for (int p = 0; p < kOurs; ++p) {
#pragma unroll
            for (int i = 0; i < kOurs * kTimes; ++i) sum[p][i / kTimes] *= column[p];
        }
    }
    if (any_moved(row)) {
#pragma unroll
        for (int p = 0; p < kOurs; ++p) {
#pragma unroll
            for (int i = 0; i < kOurs * kTimes; ++i) sum[p][i / kTimes] *= row[i / kTimes];
        }
    }
}

// ---- what becomes of the sums ----

// The forward pass: out = r + c + log(sum).
struct LogSum {
    static constexpr bool kIsLog = true;
    static constexpr int kLift = 0;
    const float* x;  // nothing
    float* to;

    static __device__ float finish(float sum, float shifts, float) { return shifts + __logf(sum); }

    static __device__ bool trusts(float sum, float, float, int terms) {
        return sum >= kLeastSum * terms && sum <= FLT_MAX;
    }

    static __device__ float value(float shift, float sum) { return shift + logf(sum); }
};

// The backward pass: exp(x + r + c) * sum, x being the input whose gradient this is.
struct Gradient {
    static constexpr bool kIsLog = false;
    static constexpr int kLift = 40;
    const float* x;
    float* to;

    static __device__ float finish(float sum, float shifts, float x) {
        float root = exponential(0.5f * (x + shifts)) * (1.0f / (1ull << kLift));
        return sum * root * root;
    }

    static __device__ bool trusts(float sum, float shifts, float x, int) {
        return x + shifts <= kMostScale && fabsf(sum) <= FLT_MAX;
    }

    static __device__ float value(float, float sum) { return sum; }
};

// Sums without factors: sum of weight * exp(left + right - shift), an exponential for each term. The shift of a log is
// the largest term so far, as on rung 4; that of a gradient is fixed.
template <class Rows, class Cols, class Result> struct Direct {
    Sums shift, sum;

    // A panel's terms for our row p. `as` and `bs` hold exponents in their first tile and weights in their second.
    template <class As, class Bs>
    __device__ __forceinline__ void add(int p, const As& as, const Bs& bs, const Place& place) {
        float row[kOurs], weights[kOurs], higher[kOurs];
        if constexpr (Result::kIsLog) {
#pragma unroll
            for (int q = 0; q < kOurs; ++q) higher[q] = shift[p][q];
#pragma unroll 4
            for (int k = 0; k < kDepth; ++k) {
                float left = as[0][k][place.row_of(p)];
                take(row, &bs[0][k][place.col], Place::kAcross);
#pragma unroll
                for (int q = 0; q < kOurs; ++q) higher[q] = fmaxf(higher[q], left + row[q]);
            }
#pragma unroll
            for (int q = 0; q < kOurs; ++q) {
                higher[q] = fminf(higher[q], FLT_MAX);
                sum[p][q] *= exponential(shift[p][q] - higher[q]);
                shift[p][q] = higher[q];
            }
        }
#pragma unroll 4
        for (int k = 0; k < kDepth; ++k) {
            float left = as[0][k][place.row_of(p)];
            take(row, &bs[0][k][place.col], Place::kAcross);
            if constexpr (Cols::kWeights) take(weights, &bs[1][k][place.col], Place::kAcross);
#pragma unroll
            for (int q = 0; q < kOurs; ++q) {
                float weight = Rows::kWeights ? as[1][k][place.row_of(p)] : Cols::kWeights ? weights[q] : 1.0f;
                sum[p][q] += weight * exponential(left + row[q] - shift[p][q]);
            }
        }
    }
};

// ---- the product ----

// Calls each(q, where) for every four of our outputs in our row p that lie inside, or, without vectors, for each one.
template <bool kVectors, class Each>
__device__ __forceinline__ void for_row(int p, const Place& place, int height, int width, Each each) {
#pragma unroll
    for (int q = 0; q < kOurs; q += 4) {
        int row = place.top + place.row_of(p), col = place.left + place.col_of(q);
        std::int64_t at = static_cast<std::int64_t>(row) * width + col;
#pragma unroll
        for (int i = 0; i < 4; i += kVectors ? 4 : 1) {
            if (row < height && col + i < width) each(q + i, at + i);
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

template <class Rows, class Cols, class Result, bool kVectors>
__global__ void __launch_bounds__(kThreads, 1) product(Source left, Source right, Result result) {
    alignas(16) __shared__ typename Rows::Tile as[2];
    alignas(16) __shared__ typename Cols::Tile bs[2];
    alignas(16) __shared__ float of_rows[2][kTile], of_cols[2][kTile];  // what sums are multiplied by; then, shifts

    int height = Rows::kAlongRow ? left.rows : left.cols, width = Cols::kAlongRow ? right.rows : right.cols;
    int terms = Rows::kAlongRow ? left.cols : left.rows;
    unsigned down = (height - 1) / kTile + 1, across = (width - 1) / kTile + 1;
    unsigned number = blockIdx.x / (down * across), within = blockIdx.x % (down * across);
    left = left.member(number);
    right = right.member(number);
    std::int64_t offset = static_cast<std::int64_t>(number) * height * width;
    result = {Result::kIsLog ? nullptr : result.x + offset, result.to + offset};
    Place place(within / across * kTile, within % across * kTile);

    Rows rows;
    Cols cols;
    auto start = [&] {
        bool whole = rows.start(left, place.top);
        return whole & cols.start(right, place.left);
    };
    auto load_part = [&](auto guarded, int part) {
        rows.template load<decltype(guarded)::value>(part);
        cols.template load<decltype(guarded)::value>(part);
    };
    auto load = [&] {
#pragma unroll
        for (int part = 0; part < kParts; ++part) load_part(std::true_type(), part);
        rows.advance();
        cols.advance();
    };
    auto follow = [&] {
        bool moved = rows.follow();
        return moved | cols.follow();
    };
    auto put_exponentials = [&](int buffer, int part) {
        rows.put_exponentials(as[buffer], part);
        cols.put_exponentials(bs[buffer], part);
    };
    float column[2][kOurs], row[2][kOurs];
    auto take_both = [&](int to, int buffer, int k) {
        take(column[to], &as[buffer][k][place.row], Place::kDown);
        take(row[to], &bs[buffer][k][place.col], Place::kAcross);
    };

    // While a panel is multiplied, the next one goes from registers to shared memory, and the one after that from
    // device memory into the registers.
    Sums sum = {};
    auto multiply_all = [&](auto guarded) {
        int buffer = 0;
        for (int first = 0; first < terms; first += kDepth) {
            bool moved = first + kDepth < terms && follow();
            bool more = decltype(guarded)::value || first + 2 * kDepth < terms;
#pragma unroll
            for (int k = 0; k < kDepth; ++k) {
                if (k < kParts) {
                    put_exponentials(buffer ^ 1, k);
                    if (more) load_part(guarded, k);
                }
                if (k == kParts) __syncwarp();  // keeps the compiler from putting the loads off until they are needed
                if (k == kDepth - 1) {
                    rows.advance();
                    cols.advance();
                    buffer ^= 1;
                    rows.tell(of_rows[buffer], rows.rescale);
                    cols.tell(of_cols[buffer], cols.rescale);
                    moved = __syncthreads_or(moved);
                }
                take_both((k + 1) % 2, buffer, (k + 1) % kDepth);
                multiply(sum, column[k % 2], row[k % 2]);
            }
            if (moved) rescale<Rows::kTimes>(sum, of_rows[buffer], of_cols[buffer], place);
        }
    };
    bool whole = start();
    load();
    follow();
#pragma unroll
    for (int part = 0; part < kParts; ++part) put_exponentials(0, part);
    __syncthreads();
    take_both(0, 0, 0);
    load();
    if (kVectors && whole) {
        multiply_all(std::false_type());
    } else {
        multiply_all(std::true_type());
    }

    rows.tell(of_rows[0], rows.shift);  // nobody reads it any more: at the last panel there was nothing to rescale
    cols.tell(of_cols[0], cols.shift);
    __syncthreads();
    bool trusted = true;
#pragma unroll
    for (int p = 0; p < kOurs; ++p) {
        alignas(16) float x[kOurs] = {}, values[kOurs];
        if constexpr (!Result::kIsLog) {
            for_row<kVectors>(p, place, height, width, [&](int q, std::int64_t at) {
                copy<kVectors>(&x[q], result.x + at);
            });
        }
        float r = of_rows[0][place.row_of(p)];
#pragma unroll
        for (int q = 0; q < kOurs; ++q) {
            float shifts = r + of_cols[0][place.col_of(q)];
            trusted &= result.trusts(sum[p][q], shifts, x[q], terms);
            values[q] = result.finish(sum[p][q], shifts, x[q]);
        }
        for_row<kVectors>(p, place, height, width, [&](int q, std::int64_t at) {
            copy<kVectors>(result.to + at, &values[q]);
        });
    }
    if (!__syncthreads_or(!trusted)) return;

    // A sum of nothing is right, though it is small: outside, and where all of a row or all of a column is -inf.
    unsigned doubted = 0;  // a bit for each of our rows
#pragma unroll
    for (int p = 0; p < kOurs; ++p) {
        alignas(16) float x[kOurs] = {};
        if constexpr (!Result::kIsLog) {
            for_row<kVectors>(p, place, height, width, [&](int q, std::int64_t at) {
                copy<kVectors>(&x[q], result.x + at);
            });
        }
        float r = of_rows[0][place.row_of(p)];
#pragma unroll
        for (int q = 0; q < kOurs; ++q) {
            float c = of_cols[0][place.col_of(q)];
            bool inside = place.top + place.row_of(p) < height && place.left + place.col_of(q) < width;
            bool nothing = (r == -FLT_MAX || c == -FLT_MAX) && sum[p][q] == 0.0f;
            bool right = result.trusts(sum[p][q], r + c, x[q], terms) || nothing || !inside;
            doubted |= right ? 0u : 1u << p;
        }
    }
    if (!__syncthreads_or(doubted)) return;

    for (int distance = 16; distance > 0; distance /= 2) {
        doubted |= __shfl_xor_sync(0xffffffff, doubted, distance);
    }
    Direct<Rows, Cols, Result> direct = {};
#pragma unroll
    for (int p = 0; p < kOurs; ++p) {
        alignas(16) float x[kOurs] = {};
        if constexpr (!Result::kIsLog) {
            for_row<kVectors>(p, place, height, width, [&](int q, std::int64_t at) {
                copy<kVectors>(&x[q], result.x + at);
            });
        }
        for (int q = 0; q < kOurs; ++q) direct.shift[p][q] = Result::kIsLog ? -FLT_MAX : -x[q];
    }
    start();
    for (int first = 0; first < terms; first += kDepth) {
        load();
        __syncthreads();
        rows.put(as);
        cols.put(bs);
        __syncthreads();
#pragma unroll
        for (int p = 0; p < kOurs; ++p) {
            if (doubted >> p & 1) direct.add(p, as, bs, place);
        }
    }
#pragma unroll
    for (int p = 0; p < kOurs; ++p) {
        if (!(doubted >> p & 1)) continue;
        alignas(16) float values[kOurs];
#pragma unroll
        for (int q = 0; q < kOurs; ++q) values[q] = Result::value(direct.shift[p][q], direct.sum[p][q]);
        for_row<kVectors>(p, place, height, width, [&](int q, std::int64_t at) {
            copy<kVectors>(result.to + at, &values[q]);
        });
    }
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
    float weight = 1.0f, shift = Result::kIsLog ? -FLT_MAX : -result.x[at], sum = 0.0f;
    auto exponent = [&](int k) {
        int of_left = Rows::kAlongRow ? row * terms + k : k * height + row;
        int of_right = Cols::kAlongRow ? col * terms + k : k * width + col;
        float u = left.exponent[of_left], v = right.exponent[of_right];
        if constexpr (Rows::kWeights) u = negated(u), weight = left.weight[of_left];
        if constexpr (Cols::kWeights) v = negated(v), weight = right.weight[of_right];
        return u + v;
    };
    for (int k = 0; k < terms && Result::kIsLog; ++k) {
        shift = fmaxf(shift, exponent(k));
    }
    shift = fminf(shift, FLT_MAX);
    for (int k = 0; k < terms; ++k) {
        float term = exponent(k) - shift;
        sum += weight * exponential(term);
    }
    result.to[at] = Result::value(shift, sum);
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
    using Rows = Panel<true, kVectors, false, LogSum::kLift>;
    using Cols = Panel<false, kVectors, false, LogSum::kLift>;
    Source of_a = {a, nullptr, n, m}, of_b = {b, nullptr, m, p};
    launch<Rows, Cols, LogSum, kVectors>(of_a, of_b, {nullptr, out}, batch, n, p, m, stream);
}

template <bool kVectors>
void backward(const float* a, const float* b, const float* out, const float* grad_out, float* grad_a, float* grad_b,
              int batch, int n, int m, int p, cudaStream_t stream) {
    Source of_a = {a, nullptr, n, m}, of_b = {b, nullptr, m, p}, of_out = {out, grad_out, n, p};
    using OutRows = Panel<true, kVectors, true, Gradient::kLift>;
    using OutCols = Panel<false, kVectors, true, Gradient::kLift>;
    using RowsOfB = Panel<true, kVectors, false, Gradient::kLift>;
    using ColsOfA = Panel<false, kVectors, false, Gradient::kLift>;
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
