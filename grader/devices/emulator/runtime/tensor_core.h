// What a tensor core makes of two matrices: d = a b + c, with the sums as an H200 rounds them (benchmarks/fidelity).
#pragma once

#include <cstdint>

#include "../include/ladder/abi.h"

namespace ladder {

// A warp's registers, lane by lane: what mma.sync gets and gives.
using Registers = std::uint32_t (*)[4];

void multiply_matrices(const Product& product, const Registers a, const Registers b, const Registers c, Registers d);

int instructions_of(const Product& product);   // of the machine: 8-bit floating-point numbers take two
int machine_k(const Product& product);         // the k of each of these
// A lane's registers of each operand.
unsigned words_of_a(const Product& product);
unsigned words_of_b(const Product& product);
unsigned words_of_sums(const Product& product);

}  // namespace ladder
