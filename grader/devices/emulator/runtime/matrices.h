// Matrix instructions of a warp: how its 32 lanes meet in them, and what each then has in its registers.
#pragma once

#include <vector>

#include "thread.h"

namespace ladder {

// What becomes of the registers that the lanes have brought.
enum class Exchange {
    None,
    Product,
    RowsToRegisters,   // ldmatrix: a lane brings rows of 8 x 8 matrices and takes its registers of all
    RegistersToRows,   // stmatrix
    Transposition,     // movmatrix
};

// What a lane brings to a matrix instruction and takes from it. The others of its warp do the same at the same place.
struct MatrixCall {
    Exchange exchange = Exchange::None;
    Product product{};
    Tiles tiles{1, 1, 1};
    Words a{}, b{}, c{};
    unsigned count = 0;        // of 8 x 8 matrices
    unsigned at_once = 4;      // of these are in each four words of rows: lanes 0 to 7 have the first
    bool transposed = false;
    Words result{};
};

inline bool is_of_matrices(int op) { return op >= static_cast<int>(Warp::MatrixProduct) && op <= static_cast<int>(Warp::StoreFragment); }
// Whether both lanes wait in the same operation. Some are one instruction for all their lanes: then its place counts, too.
inline bool same_operation(const WarpRequest& mine, const WarpRequest& theirs) {
    const bool at_one_place = is_of_matrices(mine.op) || mine.op == instruction_op || mine.op == active_mask_op;
    return mine.op == theirs.op && mine.mask == theirs.mask && (!at_one_place || mine.pc == theirs.pc);
}

// Where a lane is: the learner's line, and the program counter.
struct Spot { int line; std::uint32_t pc; };

// Waits until the whole warp has come to this place. `op` is the instruction's name.
void meet(Thread& thread, Warp op, MatrixCall& call, Spot spot);
// Of the product for which a lane waits: the machine's products above each other, side by side and along k, the k of each,
// and how many elements share a register. Empty for doubles, whose tables are others.
std::vector<long long> shape_of_product(const Thread& thread);
// All lanes that there are have come: each gets its result. Ends the block if they are fewer than 32.
void resolve_matrices(WarpUnit& warp, std::uint32_t group);

// ---- what a lane does: mma.sync, ldmatrix, stmatrix, movmatrix ----
Words multiply_matrices(Thread& thread, const Product& product, Tiles tiles, const Words& a, const Words& b, const Words& c, Spot spot);
Words load_matrices(Thread& thread, Address row, unsigned count, bool transposed, Spot spot);
void store_matrices(Thread& thread, Address row, unsigned count, bool transposed, const Words& words, Spot spot);
Words move_matrix(Thread& thread, const Words& words, Spot spot);

// A lane's own accesses there, as any others: checked and recorded.
void read_at(Thread& thread, Address from, void* to, unsigned bytes, Spot spot, unsigned flag = 0);
void write_at(Thread& thread, Address to, const void* from, unsigned bytes, Spot spot, unsigned flag = 0);

}  // namespace ladder
