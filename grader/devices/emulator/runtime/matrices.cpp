#include "matrices.h"

#include <cstring>

#include "../include/ladder/fragments.h"
#include "machine.h"
#include "tensor_core.h"

namespace ladder {

namespace {

constexpr unsigned rows = 8, row_bytes = 16, row_words = 4;

MatrixCall& call_of(const Thread& thread) { return *reinterpret_cast<MatrixCall*>(thread.request.value); }

// One of the machine's products: the registers that it takes of each operand begin there.
void multiply_tile(Thread* threads, const Product& product, unsigned in_a, unsigned in_b, unsigned in_c) {
    std::uint32_t a[warp_lanes][4], b[warp_lanes][4], c[warp_lanes][4], d[warp_lanes][4];
    const auto take = [](std::uint32_t* to, const Words& words, unsigned first) {
        for (unsigned i = 0; i < 4; ++i) to[i] = first + i < 8 ? words.word[first + i] : 0;
    };
    for (int l = 0; l < warp_lanes; ++l) {
        const MatrixCall& call = call_of(threads[l]);
        take(a[l], call.a, in_a);
        take(b[l], call.b, in_b);
        take(c[l], call.result, in_c);
    }
    multiply_matrices(product, a, b, c, d);
    for (int l = 0; l < warp_lanes; ++l) std::memcpy(call_of(threads[l]).result.word + in_c, d[l], 4 * words_of_sums(product));
}

void multiply(Thread* threads) {
    const Product product = call_of(threads[0]).product;
    const Tiles tiles = call_of(threads[0]).tiles;
    const unsigned in_a = words_of_a(product), in_b = words_of_b(product), in_c = words_of_sums(product);
    for (int l = 0; l < warp_lanes; ++l) call_of(threads[l]).result = call_of(threads[l]).c;
    if (machine().sampling.on()) return;   // what is sampled hangs on sizes, and this is most of what a product takes
    for (unsigned left = 0; left < tiles.left; ++left)
        for (unsigned right = 0; right < tiles.right; ++right)
            for (unsigned k = 0; k < tiles.deep; ++k)
                multiply_tile(threads, product, (left * tiles.deep + k) * in_a, (right * tiles.deep + k) * in_b, (left * tiles.right + right) * in_c);
}

using Matrix = std::uint16_t[rows][rows];

// Two neighbours of a row lie in a register; of a column, if the matrix is transposed on its way.
std::uint16_t& element(Matrix& matrix, int lane, int e, bool transposed) {
    const InMatrix place = place_in_8x8(lane, e);
    return transposed ? matrix[place.column][place.row] : matrix[place.row][place.column];
}

void put_registers(Matrix& matrix, Thread* threads, unsigned i, bool transposed) {
    for (int l = 0; l < warp_lanes; ++l)
        for (int e = 0; e < 2; ++e) element(matrix, l, e, transposed) = static_cast<std::uint16_t>(call_of(threads[l]).a.word[i] >> 16 * e);
}

void take_registers(Matrix& matrix, Thread* threads, unsigned i, bool transposed) {
    for (int l = 0; l < warp_lanes; ++l)
        call_of(threads[l]).result.word[i] = element(matrix, l, 0, transposed) | static_cast<unsigned>(element(matrix, l, 1, transposed)) << 16;
}

// Row `row` of matrix i, where the lanes hold rows.
unsigned* row_of(Thread* threads, const MatrixCall& first, unsigned i, unsigned row, Words MatrixCall::*words) {
    return (call_of(threads[rows * (i % first.at_once) + row]).*words).word + row_words * (i / first.at_once);
}

void each_matrix(Thread* threads, const MatrixCall first) {
    for (unsigned i = 0; i < first.count; ++i) {
        Matrix matrix;
        if (first.exchange == Exchange::RowsToRegisters) {
            for (unsigned row = 0; row < rows; ++row) std::memcpy(matrix[row], row_of(threads, first, i, row, &MatrixCall::a), row_bytes);
            take_registers(matrix, threads, i, first.transposed);
        } else if (first.exchange == Exchange::RegistersToRows) {
            put_registers(matrix, threads, i, first.transposed);
            for (unsigned row = 0; row < rows; ++row) std::memcpy(row_of(threads, first, i, row, &MatrixCall::result), matrix[row], row_bytes);
        } else {
            put_registers(matrix, threads, i, true);
            take_registers(matrix, threads, i, false);
        }
    }
}

void report_missing_lanes(WarpUnit& warp, std::uint32_t group) {
    const Thread& waiting = warp.threads[__builtin_ctz(group)];
    Finding finding = finding_at(waiting, "missing_lanes", waiting.request.pc);
    finding.line = waiting.request.line;
    finding.text = name_of(waiting.request);
    finding.offset = __builtin_popcount(group);
    for (int l = 0; l < warp.lanes && !finding.other.in_kernel; ++l)
        if (!(group >> l & 1)) finding.other = finding_at(warp.threads[l], "", 0).place;   // it has returned
    warp.block->executor->findings.push_back(std::move(finding));
    warp.block->stopped = true;
}

void check_shared(const Thread& thread, Address row, const char* complaint, Spot spot) {
    const Region* const found = thread.executor->find(row, row_bytes);
    if (found && found->space != Space::Shared) ladder_trap(complaint, spot.line);
}

TensorRate rate_of(Number operand) {
    switch (operand) {
        case Number::TF32: return TensorRate::Tf32;
        case Number::S8:
        case Number::U8: return TensorRate::Integer;
        case Number::E4M3:
        case Number::E5M2: return TensorRate::SmallFloat;
        default: return TensorRate::Half;   // of doubles the shape tells
    }
}

}  // namespace

void meet(Thread& thread, Warp op, MatrixCall& call, Spot spot) {
    settle_store(thread);
    thread.request = {thread.warp, static_cast<int>(op), ~0u, reinterpret_cast<std::uint64_t>(&call), 0, warp_lanes, spot.line, spot.pc, 0};
    wait(thread, State::AtWarp);
}

std::vector<long long> shape_of_product(const Thread& thread) {
    const MatrixCall& call = call_of(thread);
    if (call.product.a == Number::F64) return {};
    const int k = machine_k(call.product);
    return {call.tiles.left, call.tiles.right, call.tiles.deep, k, k / 2 / static_cast<int>(words_of_a(call.product))};
}

void resolve_matrices(WarpUnit& warp, std::uint32_t group) {
    if (group != ~0u) return report_missing_lanes(warp, group);
    const MatrixCall& first = call_of(warp.threads[0]);
    if (first.exchange == Exchange::Product) multiply(warp.threads);
    else each_matrix(warp.threads, first);
    for (int l = 0; l < warp_lanes; ++l) warp.threads[l].state = State::Ready;
}

void read_at(Thread& thread, Address from, void* to, unsigned bytes, Spot spot, unsigned flag) {
    settle_store(thread);
    access(from, bytes, Event::Read, machine().module.base + spot.pc, flag);
    std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
}

void write_at(Thread& thread, Address to, const void* from, unsigned bytes, Spot spot, unsigned flag) {
    access(to, bytes, Event::Write, machine().module.base + spot.pc, flag);
    std::memcpy(reinterpret_cast<void*>(to), from, bytes);
    settle_store(thread);
}

Words multiply_matrices(Thread& thread, const Product& product, Tiles tiles, const Words& a, const Words& b, const Words& c, Spot spot) {
    settle_store(thread);
    const auto shape = product.a == Number::F64 ? TensorShape::M8N8K4 : static_cast<TensorShape>(__builtin_ctz(machine_k(product)) - 2);
    const unsigned kind = static_cast<unsigned>(shape) + tensor_shapes * static_cast<unsigned>(rate_of(product.a));
    const int instructions = tiles.left * tiles.right * tiles.deep * instructions_of(product);
    for (int i = 0; i < instructions; ++i) record(thread, Event::Tensor, spot.pc, 0, kind, no_region);
    MatrixCall call{.exchange = Exchange::Product, .product = product, .tiles = tiles, .a = a, .b = b, .c = c};
    meet(thread, Warp::MatrixProduct, call, spot);
    return call.result;
}

Words load_matrices(Thread& thread, Address row, unsigned count, bool transposed, Spot spot) {
    MatrixCall call{.exchange = Exchange::RowsToRegisters, .count = count, .transposed = transposed};
    if (thread.lane < rows * count) {
        check_shared(thread, row, "ldmatrix loads from shared memory only", spot);
        read_at(thread, row, call.a.word, row_bytes, spot, matrix_flag);
    }
    meet(thread, Warp::LoadMatrices, call, spot);
    return call.result;
}

void store_matrices(Thread& thread, Address row, unsigned count, bool transposed, const Words& words, Spot spot) {
    MatrixCall call{.exchange = Exchange::RegistersToRows, .a = words, .count = count, .transposed = transposed};
    meet(thread, Warp::StoreMatrices, call, spot);
    if (thread.lane >= rows * count) return;
    check_shared(thread, row, "stmatrix stores to shared memory only", spot);
    write_at(thread, row, call.result.word, row_bytes, spot, matrix_flag);
}

Words move_matrix(Thread& thread, const Words& words, Spot spot) {
    MatrixCall call{.exchange = Exchange::Transposition, .a = words, .count = 1};
    meet(thread, Warp::MoveMatrix, call, spot);
    return call.result;
}

}  // namespace ladder
