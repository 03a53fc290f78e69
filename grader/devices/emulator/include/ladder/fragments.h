// Which element of a matrix lies where in a warp's registers: the tables of the PTX ISA (9.7.14, "Matrix fragments for
// mma.m16n8k..."), which follow one rule. The lanes stand in eight rows of four: g = lane / 4, t = lane % 4.
//
// `per` elements share a 32-bit register: 4 of 8 bits, 2 of 16, 1 of 32. A double takes two registers, and the rule is
// that of 32 bits.
#pragma once

namespace ladder {

struct InMatrix { int row, column; };

// a, 16 x k: element `e` of a lane. Registers 0 and 1 hold rows g and g + 8, 2 and 3 the same rows further right.
constexpr InMatrix place_in_a(int per, int lane, int e) {
    const int number = e / per;
    return {lane / 4 + 8 * (number % 2), lane % 4 * per + e % per + 4 * per * (number / 2)};
}

// b, k x 8: a lane's elements lie in column g.
constexpr InMatrix place_in_b(int per, int lane, int e) {
    return {lane % 4 * per + e % per + 4 * per * (e / per), lane / 4};
}

// c and d, 16 x 8: two neighbours in row g, two in row g + 8.
constexpr InMatrix place_in_c(int lane, int e) { return {lane / 4 + 8 * (e / 2), lane % 4 * 2 + e % 2}; }

// An 8 x 8 matrix of 16-bit elements (ldmatrix, stmatrix, movmatrix): two neighbours in row g.
constexpr InMatrix place_in_8x8(int lane, int e) { return {lane / 4, lane % 4 * 2 + e}; }

}  // namespace ladder
