// wmma's fragments on their way from and to memory (include/ladder/wmma.h): the accesses that nvcc makes of
// load_matrix_sync and store_matrix_sync from compute capability 8.0 on, which its machine code shows.
#include <algorithm>

#include "machine.h"
#include "matrices.h"

namespace ladder {

namespace {

// A register of a or b holds a lane's part of 8 rows (of a; columns of b) and as many elements along k as 16 bytes have;
// of 32-bit numbers and doubles four. `outer` counts eights of rows, `k` such steps.
struct Part { unsigned outer, k; };

unsigned elements_along_k(const FragmentShape& shape) { return shape.bytes >= 4 ? 4 : 16u / shape.bytes; }

Part part_of(const FragmentShape& shape, unsigned r) {
    const unsigned steps = shape.bytes == 2 || shape.bytes == 4 ? 2 : 1;
    if (shape.left) return {r % 2 + r / (2 * steps) * 2, r / 2 % steps};
    return {r / steps, r % steps};
}

class Mover {
public:
    Mover(Thread& thread, const FragmentShape& shape, Address matrix, unsigned leading, Spot spot)
        : thread_(thread), shape_(shape), matrix_(matrix), leading_(leading), spot_(spot), g_(thread.lane / 4u), t_(thread.lane % 4u) {}

    Words load() {
        const Region* const region = thread_.executor->find(matrix_, 1);
        MatrixCall call;
        if (shape_.sums) {
            each_of_sums(call.a, [&](Address from, void* to, unsigned bytes) { read_at(thread_, from, to, bytes, spot_); });
        } else if (shape_.by_rows && region && region->space == Space::Shared) {
            load_rows(call);
        } else {
            for (unsigned r = 0; r < shape_.registers; ++r) load_part(call.a, r);
        }
        if (call.exchange == Exchange::None && is_turned()) call.exchange = Exchange::Transposition, call.count = shape_.registers;
        meet(thread_, Warp::LoadFragment, call, spot_);
        return call.exchange == Exchange::None ? call.a : call.result;
    }

    void store(const Words& words) {   // of sums
        MatrixCall call{.a = words};
        if (is_turned()) call.exchange = Exchange::Transposition, call.count = shape_.registers;
        meet(thread_, Warp::StoreFragment, call, spot_);
        each_of_sums(is_turned() ? call.result : call.a, [&](Address to, void* from, unsigned bytes) { write_at(thread_, to, from, bytes, spot_); });
    }

private:
    Address at(unsigned row, unsigned column) const { return matrix_ + (static_cast<Address>(row) * leading_ + column) * shape_.bytes; }

    // 16-bit neighbours of a register that are none in memory: lanes load or store neighbours in memory, and exchange.
    bool is_turned() const { return shape_.bytes == 2 && !(shape_.sums ? shape_.pairs_lie_in_rows : shape_.along); }

    // By ldmatrix: a matrix for each register, four at once; of bytes, two.
    void load_rows(MatrixCall& call) {
        call.exchange = Exchange::RowsToRegisters;
        call.count = shape_.registers;
        call.at_once = shape_.bytes == 1 ? 2 : 4;
        call.transposed = !shape_.along;
        for (unsigned first = 0; first < shape_.registers; first += call.at_once) {
            const unsigned r = first + thread_.lane / 8u, row = thread_.lane % 8u;
            if (r >= std::min<unsigned>(shape_.registers, first + call.at_once)) continue;
            const Part part = part_of(shape_, r);
            const unsigned k = part.k * elements_along_k(shape_);
            const Address from = shape_.along ? at(8 * part.outer + row, k) : at(k + row, 8 * part.outer);
            read_at(thread_, from, call.a.word + 4 * (first / call.at_once), 16, spot_, matrix_flag);
        }
    }

    void load_part(Words& words, unsigned r) {
        const Part part = part_of(shape_, r);
        const unsigned outer = 8 * part.outer, k = part.k * elements_along_k(shape_);
        const auto read = [&](Address from, void* to, unsigned bytes) { read_at(thread_, from, to, bytes, spot_); };
        switch (shape_.bytes) {
            case 1: {
                if (shape_.along) return read(at(outer + g_, k + 4 * t_), &words.word[r], 4);
                auto* const bytes = reinterpret_cast<unsigned char*>(&words.word[r]);
                for (unsigned e = 0; e < 4; ++e) read(at(k + 4 * t_ + e, outer + g_), bytes + e, 1);
                return;
            }
            case 2: return read(shape_.along ? at(outer + g_, k + 2 * t_) : at(k + g_, outer + 2 * t_), &words.word[r], 4);
            default: return read(shape_.along ? at(outer + g_, k + t_) : at(k + t_, outer + g_), &words.word[shape_.bytes / 4 * r], shape_.bytes);
        }
    }

    // Two neighbours at a time, in one access if they lie together; rows and columns are those of the product that is done.
    template <class F> void each_of_sums(Words& words, F move) {
        const unsigned bytes = shape_.bytes;
        for (unsigned pair = 0; pair < shape_.registers * 4 / (2 * bytes); ++pair) {
            const unsigned row = 8 * (shape_.wide ? pair % 2 : pair), column = shape_.wide ? pair / 2 * 8 : 0;
            auto* const place = reinterpret_cast<unsigned char*>(words.word) + static_cast<std::size_t>(pair) * 2 * bytes;
            if (shape_.pairs_lie_in_rows) move(at(row + g_, column + 2 * t_), place, 2 * bytes);
            else if (bytes == 2) move(at(column + g_, row + 2 * t_), place, 4);
            else for (unsigned e = 0; e < 2; ++e) move(at(column + 2 * t_ + e, row + g_), place + e * bytes, bytes);
        }
    }

    Thread& thread_;
    const FragmentShape shape_;
    const Address matrix_;
    const unsigned leading_;
    const Spot spot_;
    const unsigned g_, t_;
};

void check(const FragmentShape& shape, Address matrix, unsigned leading, bool stores, int line) {
    if (leading * shape.bytes % 16)
        ladder_trap(stores ? "store_matrix_sync needs a leading dimension that is a multiple of 16 bytes" :
                             "load_matrix_sync needs a leading dimension that is a multiple of 16 bytes", line);
    if (matrix % 16)   // CUDA asks for 32. What nvcc makes of it needs 16, and steps of k are no more for bytes
        ladder_trap(stores ? "store_matrix_sync needs an address that is a multiple of 32 bytes" :
                             "load_matrix_sync needs an address that is a multiple of 32 bytes", line);
}

}  // namespace

}  // namespace ladder

using namespace ladder;

extern "C" {

Words ladder_matrix_product(Product product, Tiles tiles, Words left, Words right, Words sums, int line) {
    if (!current) return {};
    return multiply_matrices(*current, product, tiles, left, right, sums, {line, program_counter(__builtin_return_address(0))});
}

bool ladder_elements_turned() { return machine().elements_turned; }

Words ladder_load_fragment(FragmentShape shape, const void* from, unsigned leading, int line) {
    if (!current) return {};
    const Spot spot{line, program_counter(__builtin_return_address(0))};
    const auto matrix = reinterpret_cast<Address>(from);
    check(shape, matrix, leading, false, line);
    return Mover(*current, shape, matrix, leading, spot).load();
}

void ladder_store_fragment(FragmentShape shape, void* to, unsigned leading, Words words, int line) {
    if (!current) return;
    const Spot spot{line, program_counter(__builtin_return_address(0))};
    const auto matrix = reinterpret_cast<Address>(to);
    check(shape, matrix, leading, true, line);
    Mover(*current, shape, matrix, leading, spot).store(words);
}

}  // extern "C"
